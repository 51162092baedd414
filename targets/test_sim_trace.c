/*
 * The trace: hashes are the same everywhere and tell runs apart; lines are formatted when they are
 * read.
 */
#include "sim/ops.h"
#include "sim/run.h"
#include "sim/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct sim_trace trace;
static struct sim_run run;

/* What a function prints, malloc'd. */
static char *printed(size_t lines)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    sim_trace_print(&trace, lines, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void hashes_never_change(void **state)
{
    (void)state;
    /* Noted once; a change here breaks every recorded hash. */
    static const struct {
        const char *text;
        uint64_t seed, hash;
    } rows[] = {
        {"", 0, UINT64_C(0x4d53b95194928dbe)},
        {"a", 0, UINT64_C(0x18183a0f93de3a31)},
        {"12345678", 0, UINT64_C(0x57d3289a98b86d4d)},
        {"moq-lite and memcached", 7, UINT64_C(0x689581b8243c683)},
        {"four lanes of eight bytes each, then some more of them", 0, UINT64_C(0x5a749da064e872c0)},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(sim_hash(wb_view_text(rows[i].text), rows[i].seed), rows[i].hash);
    sim_trace_reset(&trace);
    sim_trace_add(&trace, 5, "read %u of %u", 3, 4, 0, 0);
    sim_trace_mix(&trace, 9);
    sim_trace_mix_bytes(&trace, wb_view_text("bytes"));
    assert_int_equal(trace.hash, UINT64_C(0x3c5f6e53e3bef5b1));
}

static void names_are_a_worlds_own(void **state)
{
    static const char *const names[] = {"mark", "pins"};

    (void)state;
    sim_trace_reset(&trace);
    trace.names = names;
    sim_trace_add(&trace, 0, "load of %n: %u", 1, 7, 0, 0);
    char *text = printed(1);
    assert_non_null(strstr(text, "load of pins: 7"));
    free(text);
    sim_trace_reset(&trace);
    assert_null(trace.names);
}

static void ops_are_named_by_the_table(void **state)
{
    static const struct sim_op_desc descs[] = {{.opcode = 65, .name = "window-up"}};
    static const struct sim_ops ops = {.ops = descs, .count = 1};

    (void)state;
    sim_trace_reset(&trace);
    sim_trace_add(&trace, 0, "op       %u: %o s%u arg %u", 3, 65, 1, 7);
    uint64_t hash = trace.hash;
    char *text = printed(1);
    assert_non_null(strstr(text, "op       3: 41 s1 arg 7\n"));
    free(text);
    trace.ops = &ops;
    text = printed(1);
    assert_non_null(strstr(text, "op       3: window-up s1 arg 7\n"));
    free(text);
    sim_trace_reset(&trace);
    assert_ptr_equal(trace.ops, &ops);
    sim_trace_add(&trace, 0, "op       %u: %o s%u arg %u", 3, 65, 1, 7);
    assert_int_equal(trace.hash, hash);
    trace.ops = NULL;
}

static void every_input_of_a_line_counts(void **state)
{
    (void)state;
    static const struct {
        uint64_t time_ns;
        const char *format;
        uint64_t arg[4];
    } lines[] = {
        {0, "aaaaaaaa", {0, 0, 0, 0}},          {1, "aaaaaaaa", {0, 0, 0, 0}},
        {0, "baaaaaaa", {0, 0, 0, 0}},          {0, "aaaaaaab", {0, 0, 0, 0}},
        {0, "aaaaaaaa", {1, 0, 0, 0}},          {0, "aaaaaaaa", {0, 1, 0, 0}},
        {0, "aaaaaaaa", {0, 0, 1, 0}},          {0, "aaaaaaaa", {0, 0, 0, 1}},
        {0, "aaaaaaaa", {1, 1, 0, 0}},          {0, "aaaaaaaa", {UINT64_MAX, 0, 0, 0}},
        {0, "aaaaaaaa", {1ull << 63, 0, 0, 0}}, {0, "aaaaaaaa", {0, 1ull << 63, 0, 0}},
        {1ull << 63, "aaaaaaaa", {0, 0, 0, 0}}, {0, "aaaaaaaa", {0, 0, 0, 1ull << 63}},
    };
    enum { LINES = sizeof(lines) / sizeof(lines[0]) };
    uint64_t hashes[LINES];
    for (size_t i = 0; i < LINES; i++) {
        sim_trace_reset(&trace);
        sim_trace_add(&trace, lines[i].time_ns, lines[i].format, lines[i].arg[0], lines[i].arg[1],
                      lines[i].arg[2], lines[i].arg[3]);
        hashes[i] = trace.hash;
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(hashes[i], hashes[k]);
    }
}

static void order_counts(void **state)
{
    (void)state;
    sim_trace_reset(&trace);
    sim_trace_mix(&trace, 1);
    sim_trace_mix(&trace, 2);
    uint64_t first = trace.hash;
    sim_trace_reset(&trace);
    sim_trace_mix(&trace, 2);
    sim_trace_mix(&trace, 1);
    assert_int_not_equal(trace.hash, first);
    sim_trace_reset(&trace);
    assert_int_not_equal(sim_hash(wb_view_of("\0", 1), 0), sim_hash(wb_view_of("\0\0", 2), 0));
    assert_int_not_equal(sim_hash(wb_view_text("ab"), 0), sim_hash(wb_view_text("ab"), 1));
}

/* Short strings of few symbols: the inputs that weak mixing confuses first. */
static void near_bytes_hash_apart(void **state)
{
    (void)state;
    static uint64_t hashes[1 << 12];
    for (uint32_t i = 0; i < 1 << 12; i++) {
        uint8_t bytes[60] = {0};
        for (uint32_t k = 0; k < 12; k++)
            bytes[k * 5] = i >> k & 1;
        hashes[i] = sim_hash(wb_view_of(bytes, sizeof(bytes)), 0);
        for (uint32_t k = 0; k < i; k++)
            assert_true(hashes[k] != hashes[i]);
    }
}

static void lines_are_formatted(void **state)
{
    (void)state;
    static const struct {
        uint64_t time_ns;
        const char *format;
        uint64_t arg[4];
        const char *text;
    } rows[] = {
        {0, "read %u of %u", {3, 4, 0, 0}, "     0.000 ms  read 3 of 4\n"},
        {1234567, "mask %x, %e", {255, WB_E_RESET, 0, 0}, "     1.234 ms  mask ff, WB_E_RESET\n"},
        {9999999999,
         "until %t and %t",
         {1500000, 2000000, 0, 0},
         "  9999.999 ms  until 1.5 and 2\n"},
        {0,
         "status %e and %e",
         {WB_ERR_COUNT, 1ull << 32, 0, 0},
         "     0.000 ms  status WB_E_? and WB_E_?\n"},
        {0, "100% sure %u%u%u%u%u", {1, 2, 3, 4}, "     0.000 ms  100% sure 1234%u\n"},
        {0, "largest %u", {UINT64_MAX, 0, 0, 0}, "     0.000 ms  largest 18446744073709551615\n"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        sim_trace_reset(&trace);
        sim_trace_add(&trace, rows[i].time_ns, rows[i].format, rows[i].arg[0], rows[i].arg[1],
                      rows[i].arg[2], rows[i].arg[3]);
        char *text = printed(10);
        assert_string_equal(text, rows[i].text);
        free(text);
    }
}

static void ring_keeps_the_last_lines(void **state)
{
    (void)state;
    sim_trace_reset(&trace);
    char *text = printed(5);
    assert_string_equal(text, "");
    free(text);
    for (uint64_t i = 0; i < SIM_TRACE_RING + 10; i++)
        sim_trace_add(&trace, 0, "line no %u", i, 0, 0, 0);
    text = printed(2);
    assert_string_equal(text, "     0.000 ms  line no 264\n     0.000 ms  line no 265\n");
    free(text);
    text = printed(SIZE_MAX);
    size_t lines = 0;
    for (const char *p = text; *p != '\0'; p++)
        lines += *p == '\n';
    assert_int_equal(lines, SIM_TRACE_RING);
    assert_true(strncmp(text, "     0.000 ms  line no 10\n", 25) == 0);
    free(text);
}

static void live_lines_come_at_once(void **state)
{
    (void)state;
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    trace.live = out;
    sim_trace_reset(&trace);
    sim_trace_add(&trace, 0, "line no %u", 1, 0, 0, 0);
    assert_int_equal(fflush(out), 0);
    assert_string_equal(text, "     0.000 ms  line no 1\n");
    trace.live = NULL;
    sim_trace_add(&trace, 0, "line no %u", 2, 0, 0, 0);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, "     0.000 ms  line no 1\n");
    free(text);
}

static void story_is_told_when_asked_for(void **state)
{
    (void)state;
    run.story_on = false;
    sim_run_reset(&run);
    sim_run_story(&run, "nobody %d", 1);
    assert_string_equal(run.story, "");
    run.story_on = true;
    sim_run_reset(&run);
    sim_run_story(&run, "VA %d; ", 3);
    sim_run_story(&run, "ok");
    assert_string_equal(run.story, "VA 3; ok");
    assert_int_equal(run.story_len, 8);
    for (int i = 0; i < SIM_STORY_MAX; i++)
        sim_run_story(&run, "xy");
    assert_int_equal(run.story_len, SIM_STORY_MAX - 1);
    assert_int_equal(strlen(run.story), SIM_STORY_MAX - 1);
}

static void reset_keeps_what_is_over_all_runs(void **state)
{
    (void)state;
    memset(&run, 0, sizeof(run));
    sim_run_reset(&run);
    uint64_t fresh = run.trace.hash;
    sim_mark(&run, 0);
    sim_mark(&run, SIM_MARKS_MAX - 1);
    sim_mark(&run, SIM_MARKS_MAX - 1);
    run.op_counts[3] = 7;
    sim_run_outcome(&run, WB_E_EOF);
    sim_run_note(&run, 1);
    assert_int_not_equal(run.trace.hash, fresh);
    sim_run_reset(&run);
    assert_int_equal(run.trace.hash, fresh);
    assert_int_equal(run.outcome, WB_OK);
    assert_int_equal(run.marks[0], 1);
    assert_int_equal(run.marks[SIM_MARKS_MAX - 1], 2);
    assert_int_equal(run.op_counts[3], 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_never_change),
        cmocka_unit_test(names_are_a_worlds_own),
        cmocka_unit_test(ops_are_named_by_the_table),
        cmocka_unit_test(every_input_of_a_line_counts),
        cmocka_unit_test(order_counts),
        cmocka_unit_test(near_bytes_hash_apart),
        cmocka_unit_test(lines_are_formatted),
        cmocka_unit_test(ring_keeps_the_last_lines),
        cmocka_unit_test(live_lines_come_at_once),
        cmocka_unit_test(story_is_told_when_asked_for),
        cmocka_unit_test(reset_keeps_what_is_over_all_runs),
    };
    return cmocka_run_group_tests_name("sim_trace", tests, NULL, NULL);
}
