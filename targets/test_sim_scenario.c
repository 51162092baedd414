/*
 * Scenarios decode as sim/scenario.h says, and their text gives the same bytes again, whatever they
 * are.
 */
#include "sim/mutate.h"
#include "sim/text.h"
#include "targets/test_sim_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct wb_buf buf_new(void)
{
    struct wb_buf b;
    wb_buf_init(&b, wb_mem_libc(), (size_t)1 << 28);
    return b;
}

#define VIEW(literal) wb_view_of(literal, sizeof(literal) - 1)

static void empty_is_the_happy_path(void **state)
{
    (void)state;
    struct sim_scenario s = sim_scenario_of((struct wb_view){0});
    struct sim_op op;
    assert_int_equal(s.header.version, SIM_VERSION);
    assert_int_equal(s.header.profile, 0);
    assert_int_equal(s.header.swarm, 0);
    assert_false(sim_scenario_next(&s, &op));
}

static void header_fields(void **state)
{
    (void)state;
    struct sim_scenario s = sim_scenario_of(VIEW("\x09\x02\x05\x80\x01\x02\x03"));
    assert_int_equal(s.header.version, SIM_VERSION);
    assert_int_equal(s.header.profile, 2);
    assert_int_equal(s.header.swarm, 0x8005);
    assert_memory_equal(s.header.knob, "\x01\x02\x03\x00", 4);
}

static void ops_with_ext_and_lit(void **state)
{
    (void)state;
    struct sim_scenario s = sim_scenario_of(VIEW("\0\0\0\0\0\0\0\0"
                                                 "\x01\xff\xff\xff"
                                                 "\x01\x01\x02\x03"
                                                 "\x10\xa3\x34\x12"
                                                 "\x02\x01\x05\x00"
                                                 "hello\0\0\0"
                                                 "\x02\x00\x09\x00"
                                                 "abc"));
    struct sim_op op;
    assert_true(sim_scenario_next(&s, &op));
    assert_int_equal(op.opcode, 0x10);
    assert_int_equal(op.slot, 3);
    assert_int_equal(op.flags, 10);
    assert_int_equal(op.arg, 0x1234);
    assert_int_equal(op.ext, 0x030201);
    assert_int_equal(op.record, 1);
    assert_true(sim_scenario_next(&s, &op));
    assert_int_equal(op.opcode, SIM_OP_LIT);
    assert_int_equal(op.ext, 0);
    assert_true(wb_view_equal(op.lit, VIEW("hello")));
    assert_int_equal(op.record, 3);
    assert_true(sim_scenario_next(&s, &op));
    assert_true(wb_view_equal(op.lit, VIEW("abc")));
    assert_int_equal(op.arg, 9);
    assert_int_equal(op.record, 6);
    assert_false(sim_scenario_next(&s, &op));
}

/* A scenario of format version 1, kept as it was written. Its bytes mean this for good. */
static void version_1_keeps_its_meaning(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {
        0x01, 0x2a, 0x05, 0x80, 0x0a, 0x14, 0x1e, 0x28, /* header */
        0x31, 0x01, 0x0f, 0x00,                         /* an argument */
        0x01, 0x33, 0x22, 0x11, 0x17, 0x5e, 0xff, 0xff, /* EXT, then the op it belongs to */
        0x00, 0x00, 0x00, 0x00,                         /* nothing */
        0x02, 0xc0, 0x06, 0x00, 'V',  'A',  ' ',  '2',  '\r', '\n', 0x00, 0x00, /* LIT, padded */
        0x90, 0x10, 0x65,                                                       /* a ragged end */
    };
    static const struct sim_op expected[] = {
        {.opcode = 0x31, .slot = 1, .arg = 15, .record = 0},
        {.opcode = 0x17, .slot = 14, .flags = 5, .arg = 0xffff, .ext = 0x112233, .record = 1},
        {.opcode = SIM_OP_NOP, .record = 3},
        {.opcode = SIM_OP_LIT, .flags = 12, .arg = 6, .lit = {bytes + 28, 6}, .record = 4},
        {.opcode = 0x90, .flags = 1, .arg = 0x65, .record = 7},
    };
    struct sim_scenario s = sim_scenario_of(wb_view_of(bytes, sizeof(bytes)));
    struct sim_op op;
    assert_int_equal(SIM_VERSION, 1);
    assert_int_equal(s.header.version, 1);
    assert_int_equal(s.header.profile, 0x2a);
    assert_int_equal(s.header.swarm, 0x8005);
    assert_memory_equal(s.header.knob, "\x0a\x14\x1e\x28", 4);
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        assert_true(sim_scenario_next(&s, &op));
        assert_int_equal(op.opcode, expected[i].opcode);
        assert_int_equal(op.slot, expected[i].slot);
        assert_int_equal(op.flags, expected[i].flags);
        assert_int_equal(op.arg, expected[i].arg);
        assert_int_equal(op.ext, expected[i].ext);
        assert_int_equal(op.record, expected[i].record);
        assert_ptr_equal(op.lit.data, expected[i].lit.data);
        assert_int_equal(op.lit.len, expected[i].lit.len);
    }
    assert_false(sim_scenario_next(&s, &op));
}

static void records_end_somewhere(void **state)
{
    (void)state;
    static uint8_t bytes[SIM_HEADER + (SIM_RECORDS_MAX + 10) * SIM_RECORD];
    struct sim_scenario s = sim_scenario_of(wb_view_of(bytes, sizeof(bytes)));
    struct sim_op op;
    size_t n = 0;
    while (sim_scenario_next(&s, &op))
        n++;
    assert_int_equal(n, SIM_RECORDS_MAX);
}

static void ops_are_counted(void **state)
{
    (void)state;
    static struct sim_run run;
    struct sim_header header = {.swarm = 1 << 1};
    sim_run_reset(&run);
    const struct sim_op get = {.opcode = 0x10}, off = {.opcode = 0x20}, odd = {.opcode = 0x77},
                        nop = {.opcode = SIM_OP_NOP};
    assert_ptr_equal(sim_ops_enter(&table, &run, &header, &get), &table_ops[1]);
    assert_null(sim_ops_enter(&table, &run, &header, &off));
    assert_null(sim_ops_enter(&table, &run, &header, &odd));
    assert_null(sim_ops_enter(&table, &run, &header, &nop));
    assert_int_equal(run.ops_live, 1);
    assert_int_equal(run.ops_dead, 2);
    assert_int_equal(run.op_counts[0x10], 1);
    assert_int_equal(run.op_counts[0x20], 0);
    sim_ops_dead(&run);
    assert_int_equal(run.ops_live, 0);
    assert_int_equal(run.ops_dead, 3);
}

static void asm_and_show_examples(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *bytes;
        size_t len;
        const char *shown; /* NULL: the same text */
    } rows[] = {
        {"", "\0\0\0\0\0\0\0\0", 8, NULL},
        {"version 1\nprofile 2\nswarm net,time,0x8000\nknob geometry 3\nknob 1 255\n",
         "\x01\x02\x05\x80\x03\xff\0\0", 8, NULL},
        {"get s3 size=512 expect=1\n", "\0\0\0\0\0\0\0\0\x10\x13\0\x02", 12, NULL},
        {"hold s0 jump=70000 side=both # why", "\0\0\0\0\0\0\0\0\x01\x70\x11\x01\x11\0\x02\0", 16,
         "hold s0 side=both jump=70000\n"},
        {"hold s0 side=9\n", "\0\0\0\0\0\0\0\0\x11\0\x09\0", 12, NULL},
        {"mask side=client bits=0x2a\n", "\0\0\0\0\0\0\0\0\x31\x10\x2a\0", 12,
         "mask bits=0x2a side=client\n"},
        {"lit s1 lane=2 \"a\\\"\\n\" 00*9 ff\n",
         "\0\0\0\0\0\0\0\0\x02\x21\x0d\0a\"\n\0\0\0\0\0\0\0\0\0\xff\0\0\0", 28, NULL},
        {"lit s0", "\0\0\0\0\0\0\0\0\x02\0\0\0", 12, "lit s0\n"},
        {"nop; time ms=0x96;\r\n;raw 7f 03 1122",
         "\0\0\0\0\0\0\0\0\0\0\0\0\x30\0\x96\0\x7f\x03\x11\x22", 20,
         "nop\ntime ms=150\nraw 7f 03 1122\n"},
        /* What no name says: a slot that is not used, EXT for nothing, EXT twice, padding that is
           not zero, a short LIT. */
        {"raw 30 01 0000\n", "\0\0\0\0\0\0\0\0\x30\x01\0\0", 12, NULL},
        {"raw 01 00 0000\nget s0\n", "\0\0\0\0\0\0\0\0\x01\0\0\0\x10\0\0\0", 16, NULL},
        {"raw 01 05 0000; raw 10 00 0000\n", "\0\0\0\0\0\0\0\0\x01\x05\0\0\x10\0\0\0", 16, NULL},
        {"raw 01 05 0000\nhold s0 jump=7\n", "\0\0\0\0\0\0\0\0\x01\x05\0\0\x01\x07\0\0\x11\0\0\0",
         20, NULL},
        {"raw 01 05 0000\n", "\0\0\0\0\0\0\0\0\x01\x05\0\0", 12, NULL},
        {"raw 02 00 0100; raw 61 62 0000\n", "\0\0\0\0\0\0\0\0\x02\0\x01\0ab\0\0", 16, NULL},
        {"raw 02 00 0900; raw 10 10 1010\n", "\0\0\0\0\0\0\0\0\x02\0\x09\0\x10\x10\x10\x10", 16,
         NULL},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct wb_buf bytes = buf_new(), text = buf_new();
        struct sim_text_error error;
        assert_int_equal(sim_text_asm(&table, wb_view_text(rows[i].text), &bytes, &error), WB_OK);
        assert_int_equal(bytes.len, rows[i].len);
        assert_memory_equal(bytes.data, rows[i].bytes, rows[i].len);
        assert_int_equal(sim_text_show(&table, wb_buf_view(&bytes), &text), WB_OK);
        assert_int_equal(wb_buf_add_u8(&text, 0), WB_OK);
        assert_string_equal((const char *)text.data,
                            rows[i].shown != NULL ? rows[i].shown : rows[i].text);
        wb_buf_fini(&bytes);
        wb_buf_fini(&text);
    }
}

static void asm_refuses_with_line_and_rule(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned line;
        const char *rule; /* a part of it */
    } rows[] = {
        {"get s0\nbogus s0\n", 2, "`bogus' is no op"},
        {"get s16", 1, "s0 to s15"},
        {"get s1 s2", 1, "two slots"},
        {"time s1", 1, "takes no slot"},
        {"get s0 size=65536", 1, "no number up to 65535"},
        {"get s0 expect=16", 1, "no number up to 15"},
        {"get s0 size=1 size=1", 1, "given twice"},
        {"get s0 ms=1", 1, "has no `ms'"},
        {"get s0 512", 1, "no slot and no name=value"},
        {"hold s0 side=middle", 1, "no number"},
        {"hold s0 jump=16777216", 1, "no number up to 16777215"},
        {"get s0\nprofile 1", 2, "before the first op"},
        {"profile 1\nprofile 1", 2, "stated twice"},
        {"profile 256", 1, "no number up to 255"},
        {"swarm net,bogus", 1, "no class of ops"},
        {"knob 4 1", 1, "no knob"},
        {"knob pace 1\nknob 2 1", 2, "set twice"},
        {"nop 1", 1, "left over"},
        {"raw 01 02 03", 1, "takes 4 bytes, not 3"},
        {"lit 00*16384\nnop\n", 3, "at most 4096 are run"},
        {"\n\nlit s0 \"abc", 3, "not closed"},
        {"lit s0 4", 1, "second one"},
        {"lit s0 00*65536", 1, "at most 65535"},
        {"=", 1, "begins with a word"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct wb_buf bytes = buf_new();
        struct sim_text_error error;
        assert_int_equal(wb_buf_add_u8(&bytes, 7), WB_OK);
        assert_int_equal(sim_text_asm(&table, wb_view_text(rows[i].text), &bytes, &error),
                         WB_E_VALUE);
        if (error.line != rows[i].line || strstr(error.rule, rows[i].rule) == NULL)
            fail_msg("%s: line %u: %s", rows[i].text, error.line, error.rule);
        assert_int_equal(bytes.len, 1);
        wb_buf_fini(&bytes);
    }
}

static void round_trip(const struct sim_ops *ops, struct wb_view in)
{
    struct wb_buf text = buf_new(), out = buf_new(), again = buf_new();
    struct sim_text_error error;
    assert_int_equal(sim_text_show(ops, in, &text), WB_OK);
    enum wb_err err = sim_text_asm(ops, wb_buf_view(&text), &out, &error);
    if (err != WB_OK)
        fail_msg("%u: %s in\n%.*s", error.line, error.rule, (int)text.len, (char *)text.data);
    size_t len =
        in.len < SIM_HEADER ? SIM_HEADER : (in.len + SIM_RECORD - 1) / SIM_RECORD * SIM_RECORD;
    assert_int_equal(out.len, len);
    for (size_t i = 0; i < len; i++)
        assert_int_equal(out.data[i], i < in.len ? in.data[i] : 0);
    assert_int_equal(sim_text_show(ops, wb_buf_view(&out), &again), WB_OK);
    if (in.len == len)
        assert_true(wb_view_equal(wb_buf_view(&text), wb_buf_view(&again)));
    wb_buf_fini(&text);
    wb_buf_fini(&out);
    wb_buf_fini(&again);
}

static void every_scenario_round_trips(void **state)
{
    (void)state;
    uint8_t bytes[1024];
    for (uint32_t seed = 0; seed < 1000; seed++) {
        const struct sim_ops *ops = seed % 5 == 0 ? NULL : &table;
        size_t len = sim_generate(&table, bytes, sizeof(bytes), seed % 60, seed);
        round_trip(ops, wb_view_of(bytes, len));
        for (uint32_t i = 0; i < 4; i++)
            len = sim_mutate(i % 2 == 0 ? NULL : &table, bytes, len, sizeof(bytes), seed * 7 + i);
        round_trip(ops, wb_view_of(bytes, len));
        round_trip(ops, wb_view_of(bytes, len - seed % 11 % len));
    }
}

/* What is too long to be run as a whole shows what is run, and says that there is more. */
static void too_long_shows_what_is_run(void **state)
{
    static uint8_t bytes[SIM_HEADER + (SIM_RECORDS_MAX + 10) * SIM_RECORD];
    static const uint8_t lasts[][SIM_RECORD] = {
        {SIM_OP_NOP}, {SIM_OP_EXT, 5}, {SIM_OP_LIT, 0, 30}, {SIM_OP_LIT, 0, 255, 255}};
    static const size_t run[] = {0, 0, 8 * SIM_RECORD, 10 * SIM_RECORD}; /* behind the limit */
    uint8_t *last = bytes + SIM_HEADER + (SIM_RECORDS_MAX - 1) * SIM_RECORD;

    (void)state;
    for (size_t i = 0; i < sizeof(lasts) / sizeof(lasts[0]); i++) {
        struct wb_buf text = buf_new(), out = buf_new();
        struct sim_text_error error;
        size_t len = SIM_HEADER + SIM_RECORDS_MAX * SIM_RECORD + run[i];
        memcpy(last, lasts[i], SIM_RECORD);
        assert_int_equal(sim_text_show(&table, wb_view_of(bytes, sizeof(bytes)), &text), WB_OK);
        assert_int_equal(sim_text_asm(&table, wb_buf_view(&text), &out, &error), WB_OK);
        assert_true(wb_view_equal(wb_buf_view(&out), wb_view_of(bytes, len)));
        assert_int_equal(wb_buf_add_u8(&text, 0), WB_OK);
        assert_true((strstr((const char *)text.data, "which are not run") != NULL) ==
                    (len < sizeof(bytes)));
        wb_buf_fini(&text);
        wb_buf_fini(&out);
    }
}

static void hex_examples(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *bytes;
        size_t len;
    } rows[] = {
        {"", "", 0},
        {"# only a comment", "", 0},
        {"00 0A\tff\n# c\n7f", "\x00\x0a\xff\x7f", 4},
        {"76*3 61", "vvva", 4},
        {"76*0", "", 0},
        {"\"ab\"*2 \"#;\"", "abab#;", 6},
        {"\"\\r\\n\\t\\0\\\\\\\"\\'\\x7F\\101\\e\"",
         "\r\n\t\0\\\"'\x7f"
         "A\x1b",
         10},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct wb_buf out = buf_new();
        struct sim_text_error error;
        assert_int_equal(sim_hex_parse(wb_view_text(rows[i].text), &out, &error), WB_OK);
        assert_true(wb_view_equal(wb_buf_view(&out), wb_view_of(rows[i].bytes, rows[i].len)));
        wb_buf_fini(&out);
    }
}

static void hex_refuses(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned line;
    } rows[] = {{"0", 1},           {"00\n0g", 2},         {"zz", 1},        {"\"a\nb\"", 1},
                {"\n\n\"\\q\"", 3}, {"\"\\x4\"", 1},       {"\"\\400\"", 1}, {"00*", 1},
                {"00*67108865", 1}, {"00*67108864 00", 1}, {"*4", 1},        {"0 0", 1}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct wb_buf out = buf_new();
        struct sim_text_error error;
        assert_int_equal(sim_hex_parse(wb_view_text(rows[i].text), &out, &error), WB_E_VALUE);
        assert_int_equal(error.line, rows[i].line);
        assert_true(error.rule[0] != '\0');
        assert_int_equal(out.len, 0);
        wb_buf_fini(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_is_the_happy_path),
        cmocka_unit_test(header_fields),
        cmocka_unit_test(ops_with_ext_and_lit),
        cmocka_unit_test(version_1_keeps_its_meaning),
        cmocka_unit_test(records_end_somewhere),
        cmocka_unit_test(ops_are_counted),
        cmocka_unit_test(asm_and_show_examples),
        cmocka_unit_test(asm_refuses_with_line_and_rule),
        cmocka_unit_test(every_scenario_round_trips),
        cmocka_unit_test(too_long_shows_what_is_run),
        cmocka_unit_test(hex_examples),
        cmocka_unit_test(hex_refuses),
    };
    return cmocka_run_group_tests_name("sim_scenario", tests, NULL, NULL);
}
