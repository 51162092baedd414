/*
 * What the corpus and its certificate are held to, each rule broken once: entries that print as
 * something else or mostly do nothing, corpora that leave out a mark, an op, a way to be wrong, a
 * class or a refusal, and runs that depend on more than their input.
 *
 *   test_corpus_gate [--drawn]      with the option: one line of a run that tells its own address
 */
#include "targets/driver/corpus_certify.h"
#include "targets/driver/corpus_gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

static const char *program; /* this one */

/* ---- runs that depend on more than their input ----------------------------------------------- */

static void end_well(struct sim_run *run)
{
    sim_run_outcome(run, WB_OK);
}

/* Says a byte of fresh memory that nobody wrote. */
static void one_unwritten(struct wb_view input, struct sim_run *run)
{
    uint8_t *block = wb_mem_take(sim_run_mem(run), 8);

    (void)input;
    if (block == NULL)
        return;
    sim_unpoison(block, 8);
    sim_run_note(run, ((volatile uint8_t *)block)[3]);
    wb_mem_give(sim_run_mem(run), block, 8);
    end_well(run);
}

/* Says where its memory lies. */
static void one_address(struct wb_view input, struct sim_run *run)
{
    (void)input;
    sim_run_note(run, (uintptr_t)run);
    end_well(run);
}

/* Says what an earlier run left behind. */
static void one_leftover(struct wb_view input, struct sim_run *run)
{
    static uint64_t runs;

    (void)input;
    sim_run_note(run, runs++);
    end_well(run);
}

static void one_honest(struct wb_view input, struct sim_run *run)
{
    sim_run_note(run, sim_hash(input, 0));
    end_well(run);
}

static const struct fuzz_target unwritten = {.name = "unwritten", .one = one_unwritten},
                                address = {.name = "address", .one = one_address},
                                leftover = {.name = "leftover", .one = one_leftover},
                                honest = {.name = "honest", .one = one_honest};

static char path[] = "corpus/planted/seeds/one";
static uint8_t some_bytes[] = {0, 1, 2};

static struct corpus_file file_of(const struct fuzz_target *target)
{
    return (struct corpus_file){.target = target,
                                .path = path,
                                .bytes = some_bytes,
                                .len = sizeof some_bytes,
                                .config_count = 1};
}

/* The file's certificate with that in fresh memory. */
static void certify(const struct fuzz_target *target, uint8_t fill, struct wb_buf *out)
{
    struct corpus_file file = file_of(target);

    wb_buf_init(out, wb_mem_libc(), 4096);
    fuzz_run_state()->alloc.fills = true;
    fuzz_run_state()->alloc.fill = fill;
    assert_true(corpus_certify(&file, out));
    fuzz_run_state()->alloc.fills = false;
    assert_true(out->len > 16);
}

/* How many lines of two certificates differ, one with other bytes in fresh memory. */
static size_t differ(const struct fuzz_target *target, uint8_t a, uint8_t b)
{
    struct wb_buf first, second;
    FILE *nowhere = fopen("/dev/null", "w");
    size_t same;

    assert_non_null(nowhere);
    certify(target, a, &first);
    certify(target, b, &second);
    size_t count =
        corpus_certify_differ(wb_buf_view(&first), "a", wb_buf_view(&second), "b", nowhere, &same);
    fclose(nowhere);
    wb_buf_fini(&first);
    wb_buf_fini(&second);
    return count;
}

static void test_certificate(void **state)
{
    (void)state;
    assert_int_equal(differ(&honest, 0, 165), 0);
    assert_int_equal(differ(&address, 0, 165), 0);
    assert_int_equal(differ(&leftover, 0, 0), 1);
}

static void test_unwritten(void **state)
{
    (void)state;
    assert_int_equal(differ(&unwritten, 7, 7), 0);
    assert_int_equal(differ(&unwritten, 0, 165), 1);
}

/* What a program of its own says with addresses drawn, or fixed. */
static bool ask(const char *how, char line[128])
{
    char command[512];

    snprintf(command, sizeof command, "%s '%s' --drawn 2>/dev/null", how, program);
    FILE *in = popen(command, "r");
    assert_non_null(in);
    bool ok = fgets(line, 128, in) != NULL;
    return pclose(in) == 0 && ok;
}

static void test_address(void **state)
{
    char a[128], b[128], fixed[128], fixed_again[128];

    (void)state;
    /* Two draws may be equal by chance, four are not. */
    bool is_drawn = false;
    for (int i = 0; i < 4; i++)
        is_drawn = is_drawn || (ask("", a) && ask("", b) && strcmp(a, b) != 0);
    if (!ask("setarch -R", fixed) || !ask("setarch -R", fixed_again) || !is_drawn)
        skip(); /* this system or this sanitizer fixes addresses, or cannot */
    assert_string_equal(fixed, fixed_again);
}

static void test_lines(void **state)
{
    static const struct {
        const char *a, *b;
        size_t count, same;
    } rows[] = {
        {"", "", 0, 0},
        {"1 WB_OK 1 0 x -\n", "1 WB_OK 1 0 x -\n", 0, 1},
        {"1 WB_OK 1 0 x -\n", "2 WB_OK 1 0 x -\n", 1, 0},
        {"1 WB_OK 1 0 x -\n", "1 WB_OK 1 1 x -\n", 1, 0},
        {"1 WB_OK 1 0 x -\n", "", 1, 0},
        {"", "1 WB_OK 1 0 x -\n1 WB_OK 1 0 y -\n", 2, 0},
        {"1 WB_OK 1 0 x -\n1 WB_OK 1 0 z -\n", "1 WB_OK 1 0 y -\n1 WB_OK 1 0 z -\n", 2, 1},
        {"1 WB_OK 1 0 x 00\n1 WB_OK 1 0 x 01\n", "1 WB_OK 1 0 x 01\n", 1, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        FILE *nowhere = fopen("/dev/null", "w");
        size_t same;
        assert_non_null(nowhere);
        assert_int_equal(corpus_certify_differ(wb_view_text(rows[i].a), "a",
                                               wb_view_text(rows[i].b), "b", nowhere, &same),
                         rows[i].count);
        assert_int_equal(same, rows[i].same);
        fclose(nowhere);
    }
}

/* ---- entries and corpora --------------------------------------------------------------------- */

static const char *const classes[] = {"make", "fault", NULL};
static const char *const ways[] = {"short", "long", NULL};
static const struct sim_op_desc descs[] = {
    {.opcode = 8, .name = "make", .uses_slot = true, .text = "makes"},
    {.opcode = 9,
     .op_class = 1,
     .name = "wrong",
     .arg = SIM_ARG_CHOICE,
     .arg_name = "how",
     .choices = ways,
     .text = "is wrong"},
    {.opcode = 10,
     .op_class = 1,
     .name = "fail",
     .arg = SIM_ARG_COUNT,
     .arg_name = "nth",
     .text = "refuses"},
};
static const struct sim_ops ops = {.classes = classes, .ops = descs, .count = 3};
static const char *const marks[] = {"there", "here", NULL};
static const struct fuzz_target planted = {
    .name = "planted", .kind = FUZZ_SCENARIO, .ops = &ops, .marks = marks};

/* A corpus that keeps all promises. */
static struct corpus_sum whole(void)
{
    struct corpus_sum sum = {.swarm = 3};

    sum.runs.marks[0] = sum.runs.marks[1] = 1;
    sum.runs.op_counts[8] = sum.runs.op_counts[9] = sum.runs.op_counts[10] = 1;
    sum.runs.choice_counts[9][0] = sum.runs.choice_counts[9][1] = 1;
    sum.runs.requests = sum.runs.refused = 1;
    return sum;
}

typedef bool (*gate_fn)(const struct fuzz_target *target, const struct corpus_sum *sum,
                        const char *where, FILE *out);

static const gate_fn gates[] = {corpus_gate_marks, corpus_gate_ops, corpus_gate_choices,
                                corpus_gate_swarm, corpus_gate_refused};
#define GATES (sizeof gates / sizeof gates[0])

/* Only the gate of that number refuses, with these words; GATES: none does. */
static void assert_refused(const struct corpus_sum *sum, size_t number, const char *words)
{
    for (size_t i = 0; i < GATES; i++) {
        char *said = NULL;
        size_t len = 0;
        FILE *out = open_memstream(&said, &len);
        assert_non_null(out);
        bool ok = gates[i](&planted, sum, "here", out);
        fclose(out);
        assert_int_equal(ok, i != number);
        if (i == number && strstr(said, words) == NULL)
            fail_msg("no `%s' in: %s", words, said);
        free(said);
    }
}

static void test_promises(void **state)
{
    struct corpus_sum sum = whole();

    (void)state;
    assert_refused(&sum, GATES, "");
    sum.runs.marks[1] = 0;
    assert_refused(&sum, 0, "no file reaches the mark `here'");
    sum = whole();
    sum.runs.op_counts[10] = 0;
    assert_refused(&sum, 1, "in no file the op `fail' does something");
    sum = whole();
    sum.runs.choice_counts[9][1] = 0;
    assert_refused(&sum, 2, "in no file `wrong how=long' does something");
    sum = whole();
    sum.swarm = 1;
    assert_refused(&sum, 3, "no file switches the class `fault' off");
    sum = whole();
    sum.runs.refused = 0;
    assert_refused(&sum, 4, "in no file `fail' has memory refused");
    sum.runs.requests = 0; /* and where nothing is asked for, nothing can be */
    assert_refused(&sum, GATES, "");
}

static void test_lives(void **state)
{
    struct corpus_file file = {.target = &planted, .path = path};
    struct replay_verdict runs = {.ops_live = 3, .ops_dead = 2};
    FILE *nowhere = fopen("/dev/null", "w");

    (void)state;
    assert_non_null(nowhere);
    assert_true(corpus_gate_lives(&file, &runs, nowhere));
    runs.ops_dead = 3;
    assert_false(corpus_gate_lives(&file, &runs, nowhere));
    runs.ops_live = runs.ops_dead = 0;
    assert_true(corpus_gate_lives(&file, &runs, nowhere));
    fclose(nowhere);
}

/* A name that another op has: its text is read as the other. */
static const struct sim_op_desc twin_descs[] = {
    {.opcode = 8, .name = "make", .text = "makes"},
    {.opcode = 9, .name = "make", .text = "makes too"},
};
static const struct sim_ops twin_ops = {.classes = classes, .ops = twin_descs, .count = 2};
/* A name that no reader takes for one. */
static const struct sim_op_desc unread_descs[] = {{.opcode = 8, .name = "profile", .text = "no"}};
static const struct sim_ops unread_ops = {.classes = classes, .ops = unread_descs, .count = 1};

static void test_prints(void **state)
{
    static const struct fuzz_target twins = {.name = "twins",
                                             .kind = FUZZ_SCENARIO,
                                             .ops = &twin_ops},
                                    unread = {.name = "unread",
                                              .kind = FUZZ_SCENARIO,
                                              .ops = &unread_ops};
    uint8_t bytes[] = {1, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0, 8};
    struct corpus_file file = {
        .target = &planted, .path = path, .bytes = bytes, .len = sizeof bytes};
    FILE *nowhere = fopen("/dev/null", "w");

    (void)state;
    assert_non_null(nowhere);
    assert_true(corpus_gate_prints(&file, nowhere)); /* a ragged tail is filled up */
    file.len = 3;
    assert_true(corpus_gate_prints(&file, nowhere));
    file.len = sizeof bytes;
    file.target = &twins;
    assert_false(corpus_gate_prints(&file, nowhere));
    file.target = &unread;
    assert_false(corpus_gate_prints(&file, nowhere));
    fclose(nowhere);
}

/* An op that found nothing to do counts for nothing that it stands for. */
static void test_dead(void **state)
{
    static struct sim_run run;
    const struct sim_header header = {0};
    const struct sim_op wrong = {.opcode = 9, .arg = 1}, make = {.opcode = 8};

    (void)state;
    sim_run_reset(&run);
    assert_non_null(sim_ops_enter(&ops, &run, &header, &wrong));
    assert_int_equal(run.choice_counts[9][1], 1);
    sim_ops_dead(&run);
    assert_int_equal(run.choice_counts[9][1], 0);
    assert_int_equal(run.op_counts[9], 0);
    assert_non_null(sim_ops_enter(&ops, &run, &header, &make));
    assert_int_equal(run.op_counts[8], 1);
    assert_int_equal(run.ops_live, 1);
    assert_int_equal(run.ops_dead, 1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_certificate), cmocka_unit_test(test_unwritten),
        cmocka_unit_test(test_address),     cmocka_unit_test(test_lines),
        cmocka_unit_test(test_promises),    cmocka_unit_test(test_lives),
        cmocka_unit_test(test_prints),      cmocka_unit_test(test_dead),
    };

    program = argc > 0 ? argv[0] : "";
    if (argc == 2 && strcmp(argv[1], "--drawn") == 0) {
        struct wb_buf said;
        certify(&address, 0, &said);
        bool ok = write(STDOUT_FILENO, said.data, said.len) == (ssize_t)said.len;
        wb_buf_fini(&said);
        return ok ? 0 : 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
