/*
 * The driver itself: every way in which a run can fail is seen to fail, and to come back as one
 * verdict with its id.
 */
#include "targets/driver/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_ASAN 1
#elif __has_feature(memory_sanitizer)
#define TEST_MSAN 1
#elif __has_feature(thread_sanitizer)
#define TEST_TSAN 1
#endif
#if __has_feature(undefined_behavior_sanitizer)
#define TEST_UBSAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define TEST_ASAN 1
#endif

/* A target of one statement or two. */
#define HOSTILE(name, ...)                                                                         \
    static void name(struct wb_view input, struct sim_run *run)                                    \
    {                                                                                              \
        (void)input;                                                                               \
        (void)run;                                                                                 \
        __VA_ARGS__                                                                                \
    }

static volatile size_t sink;

/* What the compiler may not see through: it would drop, or warn of, what these targets do wrong. */
static void *volatile hidden;

HOSTILE(breaks_invariant, FUZZ_CHECK(BED_006, input.len == 1);)
HOSTILE(keeps_a_block, hidden = wb_mem_take(sim_run_mem(run), 1);)
HOSTILE(takes_too_much, hidden = wb_mem_take(sim_run_mem(run), (size_t)65 << 20);)
HOSTILE(leaves_in_peace, _exit(0);)
HOSTILE(leaves, _exit(3);)
HOSTILE(is_killed, raise(SIGKILL);)
HOSTILE(never_stops_talking, while (run != NULL) fprintf(stderr, "%1024s", "");)

static void passes(struct wb_view input, struct sim_run *run)
{
    sim_mark(run, 1);
    sim_run_note(run, input.len);
    sim_run_story(run, " told %u ", 7u);
    sim_run_outcome(run, WB_E_EOF);
}

static void traces_and_breaks(struct wb_view input, struct sim_run *run)
{
    sim_trace_add(&run->trace, 5, "a line of the trace", 0, 0, 0, 0);
    FUZZ_CHECK(BED_006, input.len == 1);
}

static void traces_and_panics(struct wb_view input, struct sim_run *run)
{
    sim_trace_add(&run->trace, 5, "a line of the trace", 0, 0, 0, 0);
    WB_ASSERT(input.len == 1);
}

/* More than a pipe holds. */
static void prints_a_lot(struct wb_view input, struct sim_run *run)
{
    for (int i = 0; i < 200000; i++)
        fprintf(stderr, "line %d\n", i);
    traces_and_breaks(input, run);
}

/* The driver's backstop, brought forward. */
static void spins(struct wb_view input, struct sim_run *run)
{
    const struct itimerval soon = {.it_value = {.tv_usec = 50000}};

    (void)input;
    setitimer(ITIMER_PROF, &soon, NULL);
    while (run != NULL)
        sink++;
}

static void remembers(struct wb_view input, struct sim_run *run)
{
    static uint64_t runs;

    sim_run_note(run, input.len + runs++);
}

static void changes_with_story(struct wb_view input, struct sim_run *run)
{
    sim_run_note(run, input.len + run->story_on);
}

/* As many requests as the input has bytes; the refusal of its first byte's is not survived. */
static void fears_one_refusal(struct wb_view input, struct sim_run *run)
{
    struct wb_mem *mem = sim_run_mem(run);

    for (size_t i = 1; i < input.len; i++) {
        void *block = wb_mem_take(mem, 1);
        bool is_feared = block == NULL && i == input.data[0];
        FUZZ_CHECK(BED_006, !is_feared);
        wb_mem_give(mem, block, 1);
    }
}

static void fears_late_refusals(struct wb_view input, struct sim_run *run)
{
    struct wb_mem *mem = sim_run_mem(run);

    for (size_t i = 1; i < input.len; i++) {
        void *block = wb_mem_take(mem, 1);
        bool is_late = block == NULL && i > 128;
        FUZZ_CHECK(BED_006, !is_late);
        wb_mem_give(mem, block, 1);
    }
}

static void strays(struct wb_view input, struct sim_run *run)
{
    (void)run;
    hidden = (void *)(uintptr_t)64;
    *(volatile uint8_t *)hidden = (uint8_t)input.len;
}

#if defined(TEST_ASAN) || defined(TEST_MSAN)
HOSTILE(branches_behind, if (input.data[input.len] == 1) raise(SIGKILL);)
#endif
#if defined(TEST_ASAN)
HOSTILE(reads_before, sink = input.data[-1];)
HOSTILE(forgets, hidden = malloc(100); hidden = NULL;)
HOSTILE(uses_what_it_gave_back, hidden = malloc(1); free(hidden); sink = *(uint8_t *)hidden;)
#endif
#if defined(TEST_UBSAN)
HOSTILE(overflows, volatile int most = 0x7fffffff; sink = (size_t)(most + 1 + (int)input.len);)
#endif

static const char *const mark_names[] = {"never", "passing", NULL};

static struct fuzz_target target_of(void (*one)(struct wb_view, struct sim_run *))
{
    return (struct fuzz_target){
        .name = "hostile", .kind = FUZZ_WIRE, .property = "none", .one = one, .marks = mark_names};
}

static struct replay_verdict replay_how(void (*one)(struct wb_view, struct sim_run *),
                                        struct wb_view input, enum replay_how how)
{
    const struct fuzz_target target = target_of(one);
    struct replay_verdict v;

    assert_true(replay_run(&target, input, how, true, &v));
    return v;
}

/* Fails in full replay with that id, and says these words. */
static void assert_verdict(void (*one)(struct wb_view, struct sim_run *), struct wb_view input,
                           const char *id, const char *words)
{
    struct replay_verdict v = replay_how(one, input, REPLAY_FULL);

    assert_true(v.failed);
    if (strcmp(v.id, id) != 0)
        fail_msg("id `%s', wanted `%s'\n%s", v.id, id, v.report);
    if (strstr(v.report, words) == NULL)
        fail_msg("no `%s' in: %s", words, v.report);
    replay_verdict_free(&v);
}

static const struct wb_view nothing = {(const uint8_t *)"", 0};

static void test_passing(void **state)
{
    struct replay_verdict v = replay_how(passes, wb_view_of("abc", 3), REPLAY_FULL);
    struct replay_verdict again = replay_how(passes, wb_view_of("abc", 3), REPLAY_ONCE);
    struct replay_verdict other = replay_how(passes, wb_view_of("abcd", 4), REPLAY_ONCE);

    (void)state;
    assert_false(v.failed);
    assert_null(v.report);
    assert_int_equal(v.outcome, WB_E_EOF);
    assert_string_equal(v.story, " told 7 ");
    assert_true(v.marks[1] == 1);
    assert_true(v.marks[0] == 0);
    assert_true(v.hash == again.hash);
    assert_true(v.hash != other.hash);
    replay_verdict_free(&v);
    replay_verdict_free(&again);
    replay_verdict_free(&other);
}

static void test_ids(void **state)
{
    (void)state;
    assert_verdict(breaks_invariant, nothing, "BED-006", "test_driver.c");
    assert_verdict(traces_and_breaks, nothing, "BED-006", "a line of the trace");
    assert_verdict(leaves_in_peace, nothing, "exit 0", "");
    assert_verdict(leaves, nothing, "exit 3", "");
    assert_verdict(is_killed, nothing, "signal 9", "");
    assert_verdict(spins, nothing, "timeout", "");
    assert_verdict(never_stops_talking, nothing, "signal 25", "");
    assert_verdict(prints_a_lot, nothing, "BED-006", "line 199999\n");

    struct replay_verdict v = replay_how(traces_and_panics, nothing, REPLAY_ONCE);
    assert_true(v.failed);
    assert_int_equal(strncmp(v.id, "WB_ASSERT targets/test_driver.c:", 32), 0);
    assert_non_null(strstr(v.report, "a line of the trace"));
    replay_verdict_free(&v);
}

static void test_end_checks(void **state)
{
    (void)state;
    assert_verdict(keeps_a_block, nothing, "BED-001", "run->alloc.live_blocks == 0");
    assert_verdict(takes_too_much, nothing, "BED-002", "run->alloc.over == 0");
}

static void test_nondeterminism(void **state)
{
    struct replay_verdict once = replay_how(remembers, nothing, REPLAY_ONCE);

    (void)state;
    assert_false(once.failed);
    replay_verdict_free(&once);
    assert_verdict(remembers, nothing, "BED-003", "run->trace.hash == shared->hash");
    assert_verdict(changes_with_story, nothing, "BED-003", "");
}

static void test_sweep(void **state)
{
    uint8_t input[256] = {1};
    struct replay_verdict v = replay_how(fears_one_refusal, wb_view_of(input, 256), REPLAY_ONCE);

    (void)state;
    assert_false(v.failed);
    assert_true(v.requests == 255);
    replay_verdict_free(&v);
    assert_verdict(fears_one_refusal, wb_view_of(input, 256), "BED-006", "request 1 of 255\n");
    input[0] = 128;
    assert_verdict(fears_one_refusal, wb_view_of(input, 256), "BED-006", "request 128 of 255\n");
    input[0] = 9;
    assert_verdict(fears_one_refusal, wb_view_of(input, 10), "BED-006", "request 9 of 9\n");
    assert_verdict(fears_late_refusals, wb_view_of(input, 256), "BED-006", " of 255\n");
    input[0] = 129; /* few enough later ones: each has its turn */
    assert_verdict(fears_one_refusal, wb_view_of(input, 193), "BED-006", "request 129 of 192\n");
    input[0] = 192;
    assert_verdict(fears_one_refusal, wb_view_of(input, 193), "BED-006", "request 192 of 192\n");
}

/* What replay_file says of a file that states this much of `passes`. */
static char *judged(enum wb_err expect, const char *story, const char *marks, bool *ok)
{
    const struct fuzz_target target = target_of(passes);
    struct corpus_file file = {.target = &target,
                               .path = strdup("x.hex"),
                               .lesson = strdup("why"),
                               .config_count = 2,
                               .expect = {expect},
                               .expect_count = 1,
                               .story = strdup(story),
                               .marks = strdup(marks)};
    char *said = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&said, &len);

    assert_non_null(out);
    *ok = replay_file(&file, out, NULL);
    fclose(out);
    corpus_free(&file);
    return said;
}

static void test_statements(void **state)
{
    bool ok = false;
    char *said = judged(WB_E_EOF, "told 7", "passing", &ok);

    (void)state;
    assert_true(ok);
    assert_string_equal(said, "");
    free(said);
    said = judged(WB_OK, "told 7", "passing", &ok);
    assert_false(ok);
    assert_non_null(strstr(said, "x.hex: why\n"));
    assert_non_null(strstr(said, "ends as WB_E_EOF, expected is WB_OK\n"));
    free(said);
    said = judged(WB_E_EOF, "told 8", "passing", &ok);
    assert_false(ok);
    assert_non_null(strstr(said, "    stated: told 8\n    told:   told 7\n"));
    free(said);
    said = judged(WB_E_EOF, "told 7", "passing never", &ok);
    assert_false(ok);
    assert_non_null(strstr(said, "mark not reached: never\n"));
    free(said);
}

static void test_canary(void **state)
{
    const struct fuzz_target *canary = fuzz_target_find("canary");
    struct replay_verdict v;

    (void)state;
    assert_non_null(canary);
    assert_true(replay_run(canary, wb_view_of("\0fail", 5), REPLAY_FULL, false, &v));
    assert_string_equal(v.id, "BED-006");
    replay_verdict_free(&v);
    assert_true(replay_run(canary, wb_view_of("\0pass", 5), REPLAY_FULL, false, &v));
    assert_false(v.failed);
    replay_verdict_free(&v);
}

static void test_registry(void **state)
{
    (void)state;
    assert_true(fuzz_target_count() >= 1);
    for (size_t i = 0; i < fuzz_target_count(); i++)
        assert_ptr_equal(fuzz_target_find(fuzz_target_at(i)->name), fuzz_target_at(i));
    for (size_t i = 1; i < fuzz_target_count(); i++)
        assert_true(strcmp(fuzz_target_at(i - 1)->name, fuzz_target_at(i)->name) < 0);
    assert_null(fuzz_target_find("no-such-target"));
}

static void test_invariants(void **state)
{
    (void)state;
    for (size_t i = 0; i < inv_count(); i++) {
        /* Ids are unique, so each is found at its own place. */
        assert_ptr_equal(inv_find(inv_at(i)->id), inv_at(i));
        assert_int_equal(strlen(inv_at(i)->id), strlen("BED-001"));
    }
    assert_null(inv_find("BED-000"));
}

#if defined(TEST_ASAN)
#define STRAY_ID "asan SEGV"
#elif defined(TEST_MSAN)
#define STRAY_ID "msan SEGV"
#elif defined(TEST_TSAN)
#define STRAY_ID "tsan SEGV on unknown address"
#else
#define STRAY_ID "signal 11"
#endif

/* The sanitizer's own report, although the test program has put its handler in front. */
static void test_stray(void **state)
{
    (void)state;
    assert_verdict(strays, nothing, STRAY_ID, "");
}

#if defined(TEST_ASAN) || defined(TEST_MSAN)
/* One byte behind or before the input shows, at any length. */
static void test_exact_copy(void **state)
{
    static uint8_t input[65536 + 8];
    static const size_t lens[] = {0, 1, 7, 8, 9, 15, 16, 255, 65535, 65536, 65537};

    (void)state;
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        struct wb_view view = wb_view_of(input, lens[i]);
#if defined(TEST_ASAN)
        const char *id = lens[i] > 65536 ? "asan heap-buffer-overflow" : "asan use-after-poison";
        assert_verdict(reads_before, view, id, "");
        assert_verdict(branches_behind, view, id, "");
#else
        if (lens[i] <= 65536) /* malloc gives no poison behind its blocks */
            assert_verdict(branches_behind, view, "msan use-of-uninitialized-value", "");
#endif
    }
}
#endif

#if defined(TEST_ASAN)
static void test_asan(void **state)
{
    (void)state;
    assert_verdict(uses_what_it_gave_back, nothing, "asan heap-use-after-free", "");
    assert_verdict(forgets, nothing, "lsan detected memory leaks", "forgets");
}
#endif

#if defined(TEST_UBSAN)
static void test_ubsan(void **state)
{
    (void)state;
    assert_verdict(overflows, nothing, "ubsan signed integer overflow", "test_driver.c");
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_passing),
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_end_checks),
        cmocka_unit_test(test_nondeterminism),
        cmocka_unit_test(test_sweep),
        cmocka_unit_test(test_statements),
        cmocka_unit_test(test_canary),
        cmocka_unit_test(test_registry),
        cmocka_unit_test(test_invariants),
        cmocka_unit_test(test_stray),
#if defined(TEST_ASAN) || defined(TEST_MSAN)
        cmocka_unit_test(test_exact_copy),
#endif
#if defined(TEST_ASAN)
        cmocka_unit_test(test_asan),
#endif
#if defined(TEST_UBSAN)
        cmocka_unit_test(test_ubsan),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
