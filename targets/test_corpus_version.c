/*
 * Version 1 of the scenario format is frozen: an input of it for each scenario target decodes to
 * the ops that it held when it was kept, and runs to the trace of its text and of what it is
 * migrated to. A later version adds a step to corpus_migrate.c and a table here, and changes none.
 */
#include "targets/driver/corpus_migrate.h"

#include "sim/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT_MAX ((size_t)1 << 20)

/* Bytes in hex, and the hash of header and ops as they were decoded. */
static const struct kept {
    const char *target;
    uint64_t ops;
    const char *hex;
} kept_1[] = {
    {"announce", UINT64_C(0x830f8247e87626e8),
     "0140000000000000220084032600000023000300240090012500f40126000000"},
    {"bytes", UINT64_C(0x151cf103acdbf424),
     "010000000000000008002100090100000e1000000d000000091200000e210000"},
    {"cache", UINT64_C(0x73eba905bc0a3632),
     "010000000000000009000000190032002801000009020000090300000904000018040900"
     "1c040000284500003b0000001a0032001b000000180009001c000000290100001d020000"
     "1e0300001e040000290500002a0500000906000009070000"},
    {"demand", UINT64_C(0xd7ef0992cfe3468b),
     "0100000000000000010f000009000800011e000008001600013200000c1003000e000000"
     "0b0100000e0100000b120000010a00000a0209000d020000100000001300000010020000"
     "0f010000010f00000a0108000f010000130000001001000013000000"},
    {"frame_chunking", UINT64_C(0x6ad05e05bee7b421),
     "010000000000000008005a0008010c001000000010010100090014000901060013000000"
     "130100000901060009003c0013000000130100000b0100000a0003000b00000013000900"
     "14010000160000000d010000"},
    {"frame_race", UINT64_C(0xb6fbabfd28957ced),
     "010000000000000008001800092004000930080009000c000b0000000d0100000e120300"
     "0d0200000d030200120300000d1400000f04010010040000130204001304040013000600"
     "1303050013010400"},
    {"group", UINT64_C(0x34944e5b2033db58),
     "01000000000000000b0064000c000a00180100001d01000028010000191200000c001400"
     "28010000180300001d03000028030000291400000c00460028040000280300000d000000"
     "28010000280100002b0300001f0100002a010000"},
    {"pool", UINT64_C(0xdb85393aa9633785),
     "0100000000000000080000010a00e8030c00010009000000080100010a01e8030c010200"
     "09010000080200010a02e8030c02030009020000080300010a03e8030c03040009030000"
     "080400010a04e8030c040500090400000f0400000e0300000e0300001b00640018002823"
     "190000001800282319000000"},
    {"reply_boundary", UINT64_C(0x04f815580821f159),
     "010000000000000050000f0001020000170003001000000050010f0011010300b1000000"
     "330000001300000002003400434c49454e545f4552524f522063616e6e6f7420696e6372"
     "656d656e74206f722064656372656d656e74206120647265616d0d0ab101000050010e00"
     "0102000017010300b101000050010e0010010000"},
    {"subscription", UINT64_C(0xa8c63843115a9e0d),
     "0100000000000000012d00001a0019001e000000080101000c010a00080202000c021400"
     "080303000c031e002500000008040400080505000c05320025000000260000000c042800"
     "2600000025000000011900001a0119001e010000250100001b000000011e00001a000000"
     "170005001f000000250000000e0400000e050000080607001b000000013c00001a000500"
     "1f000000260000002500000012000000250000000c06460025000000"},
    {"window_union", UINT64_C(0xa78fe3105ee8b0c3),
     "0100000000000000010300000800020001090000080008000125000008001e0001080000"
     "08010100012c000008010f000e0200000b1200000e0300000c1300000e1400000d040000"
     "141004001003000012020f0012032a00120402000f010000110100001100000016520000"
     "1663000016740000"},
};
#define KEPT (sizeof kept_1 / sizeof kept_1[0])

static struct wb_buf bytes_of(const struct kept *kept)
{
    struct sim_text_error error;
    struct wb_buf bytes;

    wb_buf_init(&bytes, wb_mem_libc(), TEXT_MAX);
    assert_int_equal(sim_hex_parse(wb_view_text(kept->hex), &bytes, &error), WB_OK);
    return bytes;
}

static void mix(struct sim_trace *hash, uint64_t value)
{
    sim_trace_mix(hash, value);
}

/* Everything that a target can know of a scenario. */
static uint64_t ops_hash(struct wb_view bytes)
{
    static struct sim_trace hash;
    struct sim_scenario scenario = sim_scenario_of(bytes);
    struct sim_op op;

    sim_trace_reset(&hash);
    mix(&hash, scenario.header.profile);
    mix(&hash, scenario.header.swarm);
    for (size_t i = 0; i < sizeof scenario.header.knob; i++)
        mix(&hash, scenario.header.knob[i]);
    while (sim_scenario_next(&scenario, &op)) {
        mix(&hash, op.opcode);
        mix(&hash, op.slot);
        mix(&hash, op.flags);
        mix(&hash, op.arg);
        mix(&hash, op.ext);
        sim_trace_mix_bytes(&hash, op.lit);
    }
    return hash.hash;
}

static void test_decoded(void **state)
{
    (void)state;
    for (size_t i = 0; i < KEPT; i++) {
        struct wb_buf bytes = bytes_of(&kept_1[i]);
        uint64_t got = ops_hash(wb_buf_view(&bytes));
        assert_int_equal(bytes.data[0], 1);
        if (got != kept_1[i].ops)
            fail_msg("%s: 0x%016llx", kept_1[i].target, (unsigned long long)got);
        bytes.data[bytes.len - 2] ^= 1; /* the hash tells one bit of an argument */
        assert_true(ops_hash(wb_buf_view(&bytes)) != kept_1[i].ops);
        wb_buf_fini(&bytes);
    }
}

static void test_each_target(void **state)
{
    (void)state;
    for (size_t i = 0; i < fuzz_target_count(); i++) {
        const struct fuzz_target *target = fuzz_target_at(i);
        size_t count = 0;
        for (size_t k = 0; k < KEPT; k++)
            count += strcmp(kept_1[k].target, target->name) == 0;
        if (count != (target->kind == FUZZ_SCENARIO))
            fail_msg("%s: %zu inputs of version 1", target->name, count);
    }
}

static void assert_agrees(const struct fuzz_target *target, struct wb_view a, struct wb_view b)
{
    if (!corpus_migrate_agrees(target, a, b, stderr))
        fail_msg("%s: another trace", target->name);
}

/* The kept bytes, their text assembled, and what they are migrated to. */
static void test_replayed(void **state)
{
    (void)state;
    for (size_t i = 0; i < KEPT; i++) {
        const struct fuzz_target *target = fuzz_target_find(kept_1[i].target);
        struct wb_buf bytes = bytes_of(&kept_1[i]), text, again, migrated;
        struct sim_text_error error;
        uint8_t from = 0;

        assert_non_null(target);
        wb_buf_init(&text, wb_mem_libc(), TEXT_MAX);
        wb_buf_init(&again, wb_mem_libc(), TEXT_MAX);
        wb_buf_init(&migrated, wb_mem_libc(), TEXT_MAX);
        assert_int_equal(sim_text_show(target->ops, wb_buf_view(&bytes), &text), WB_OK);
        assert_int_equal(sim_text_asm(target->ops, wb_buf_view(&text), &again, &error), WB_OK);
        assert_agrees(target, wb_buf_view(&bytes), wb_buf_view(&again));
        assert_int_equal(corpus_migrate(&corpus_steps, 1, wb_buf_view(&bytes), &migrated, &from),
                         WB_OK);
        assert_int_equal(from, 1);
        assert_int_equal(migrated.data[0], SIM_VERSION);
        assert_agrees(target, wb_buf_view(&bytes), wb_buf_view(&migrated));
        struct sim_run *run = fuzz_run(target, wb_buf_view(&bytes));
        assert_true(run->ops_live > run->ops_dead);
        wb_buf_fini(&bytes);
        wb_buf_fini(&text);
        wb_buf_fini(&again);
        wb_buf_fini(&migrated);
    }
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* A later version whose records come in the other order, for the steps alone. */
static enum wb_err take_backwards(struct wb_view bytes, struct wb_buf *out)
{
    WB_TRY(wb_buf_add(out, wb_view_sub(bytes, 0, SIM_HEADER)));
    for (size_t at = bytes.len; at > SIM_HEADER; at -= SIM_RECORD)
        WB_TRY(wb_buf_add(out, wb_view_sub(bytes, at - SIM_RECORD, at)));
    return WB_OK;
}

/* The first half of the ops. */
static enum wb_err take_half(struct wb_view bytes, struct wb_buf *out)
{
    size_t records = (bytes.len - SIM_HEADER) / SIM_RECORD;

    return wb_buf_add(out, wb_view_sub(bytes, 0, SIM_HEADER + records / 2 * SIM_RECORD));
}

static enum wb_err take_nothing(struct wb_view bytes, struct wb_buf *out)
{
    (void)bytes;
    (void)out;
    return WB_E_VALUE;
}

static const uint8_t sample[] = {1, 0, 0, 0, 0, 0, 0, 0, 8, 1, 2, 3, 9, 4, 5, 6};

/* Migrates the sample after its version was set; expects this, and on an error no byte. */
static void assert_step(const struct corpus_steps *steps, uint8_t version, enum wb_err want,
                        uint8_t want_from, uint8_t first)
{
    uint8_t bytes[sizeof sample], from = 77;
    struct wb_buf out;

    memcpy(bytes, sample, sizeof sample);
    bytes[0] = version;
    wb_buf_init(&out, wb_mem_libc(), TEXT_MAX);
    assert_int_equal(corpus_migrate(steps, 1, wb_view_of(bytes, sizeof bytes), &out, &from), want);
    assert_int_equal(from, want_from);
    assert_int_equal(out.len, want == WB_OK ? sizeof sample : 0);
    if (want == WB_OK) {
        assert_int_equal(out.data[0], steps->current);
        assert_int_equal(out.data[SIM_HEADER], first);
    }
    wb_buf_fini(&out);
}

static void test_steps(void **state)
{
    static const struct corpus_step list[] = {{1, take_backwards}, {2, take_backwards}},
                                    gap[] = {{1, take_backwards}}, bad[] = {{1, take_nothing}};
    static const struct corpus_steps two = {2, list, 1}, three = {3, list, 2}, holed = {3, gap, 1},
                                     broken = {2, bad, 1};

    (void)state;
    assert_step(&corpus_steps, 1, WB_OK, 1, 8);
    assert_step(&corpus_steps, 0, WB_OK, 1, 8);
    assert_step(&corpus_steps, SIM_VERSION + 1, WB_E_VERSION, 77, 0);
    assert_step(&two, 1, WB_OK, 1, 9);
    assert_step(&two, 0, WB_OK, 1, 9); /* what said no version was of the first */
    assert_step(&two, 2, WB_OK, 2, 8);
    assert_step(&three, 1, WB_OK, 1, 8);
    assert_step(&three, 2, WB_OK, 2, 9);
    assert_step(&three, 4, WB_E_VERSION, 77, 0);
    assert_step(&holed, 1, WB_E_VERSION, 77, 0);
    assert_step(&broken, 1, WB_E_VALUE, 77, 0);
}

/* The empty input is the happy path in every version. */
static void test_empty(void **state)
{
    struct wb_buf out;
    uint8_t from = 0;

    (void)state;
    wb_buf_init(&out, wb_mem_libc(), TEXT_MAX);
    assert_int_equal(corpus_migrate(&corpus_steps, 1, (struct wb_view){0}, &out, &from), WB_OK);
    assert_int_equal(out.len, 1);
    assert_int_equal(out.data[0], SIM_VERSION);
    wb_buf_fini(&out);
}

/* A step that changes what a run does is seen. */
static void test_wrong_step(void **state)
{
    FILE *nowhere = fopen("/dev/null", "w");
    size_t seen = 0;

    (void)state;
    assert_non_null(nowhere);
    for (size_t i = 0; i < KEPT; i++) {
        const struct fuzz_target *target = fuzz_target_find(kept_1[i].target);
        struct wb_buf bytes = bytes_of(&kept_1[i]), after;
        wb_buf_init(&after, wb_mem_libc(), TEXT_MAX);
        assert_int_equal(take_half(wb_buf_view(&bytes), &after), WB_OK);
        assert_non_null(target);
        seen += !corpus_migrate_agrees(target, wb_buf_view(&bytes), wb_buf_view(&after), nowhere);
        wb_buf_fini(&bytes);
        wb_buf_fini(&after);
    }
    fclose(nowhere);
    assert_int_equal(seen, KEPT);
}

/* A version that is not known is read as the current one, none the same. */
static void test_unknown(void **state)
{
    uint8_t bytes[sizeof sample];

    (void)state;
    memcpy(bytes, sample, sizeof sample);
    for (unsigned version = 0; version < 256; version++) {
        bytes[0] = (uint8_t)version;
        assert_int_equal(sim_scenario_of(wb_view_of(bytes, sizeof bytes)).header.version,
                         SIM_VERSION);
        assert_true(ops_hash(wb_view_of(bytes, sizeof bytes)) ==
                    ops_hash(wb_view_of(sample, sizeof sample)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decoded),  cmocka_unit_test(test_each_target),
        cmocka_unit_test(test_replayed), cmocka_unit_test(test_steps),
        cmocka_unit_test(test_empty),    cmocka_unit_test(test_wrong_step),
        cmocka_unit_test(test_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
