/*
 * The mutator stays in bounds, keeps whole records, says the same for the same seed, and makes
 * every move.
 */
#include "sim/mutate.h"
#include "sim/trace.h"
#include "targets/test_sim_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* An engine that does as it likes, within its bounds. */
static size_t wild_bytes(uint8_t *data, size_t len, size_t max)
{
    static uint32_t turn;
    turn = turn * 1664525u + 1013904223u;
    size_t now = turn >> 16 & 1 ? (turn >> 17) % (max + 1) : len;
    for (size_t i = len; i < now; i++)
        data[i] = (uint8_t)(turn >> i % 24);
    if (now > 0)
        data[(turn >> 8) % now] ^= (uint8_t)turn | 1;
    return now;
}

static size_t whole(size_t len, size_t max)
{
    size_t n = len < SIM_HEADER ? SIM_HEADER : (len + 3) / 4 * 4;
    return n <= max ? n : max / 4 * 4;
}

static void stays_in_bounds(void **state)
{
    (void)state;
    static const size_t maxes[] = {0, 1, 7, 8, 9, 11, 12, 13, 64, 200, 1024, 5000};
    static uint8_t carried[5000];
    size_t len = 0;
    for (uint32_t seed = 0; seed < 100000; seed++) {
        size_t max = maxes[seed / 100 % 12];
        /* Exactly as large as allowed: the sanitizers see a byte too many. */
        uint8_t *own = malloc(max > 0 ? max : 1);
        assert_non_null(own);
        if (len > max)
            len = max;
        memcpy(own, carried, len);
        len = sim_mutate_using(seed % 7 == 0 ? NULL : &table, seed % 3 == 0 ? wild_bytes : NULL,
                               own, len, max, seed);
        assert_true(len <= max);
        if (max >= SIM_HEADER) {
            assert_true(len >= SIM_HEADER);
            assert_int_equal(len % SIM_RECORD, 0);
        }
        memcpy(carried, own, len);
        free(own);
    }
}

static void keeps_the_seed(void **state)
{
    (void)state;
    uint8_t a[512], b[512];
    size_t differ = 0;
    for (uint32_t seed = 0; seed < 2000; seed++) {
        size_t len = sim_generate(&table, a, 256, 20, seed);
        assert_int_equal(sim_generate(&table, b, 256, 20, seed), len);
        assert_memory_equal(a, b, len);
        uint64_t before = sim_hash(wb_view_of(a, len), 0);
        size_t a_len = sim_mutate(&table, a, len, sizeof(a), seed);
        size_t b_len = sim_mutate(&table, b, len, sizeof(b), seed);
        assert_int_equal(a_len, b_len);
        assert_memory_equal(a, b, a_len);
        differ += sim_hash(wb_view_of(a, a_len), 0) != before;
    }
    assert_true(differ > 1990);
}

static void repeats_with_other_slots(void **state)
{
    (void)state;
    /* get s2, hold s2: some mutation must do the same to another slot and change nothing else. */
    static const uint8_t start[] = "\0\0\0\0\0\0\0\0\x10\x02\0\x02\x11\x02\x01";
    size_t found = 0;
    for (uint32_t seed = 0; seed < 3000; seed++) {
        uint8_t buf[64];
        memcpy(buf, start, sizeof(start));
        size_t len = sim_mutate(&table, buf, sizeof(start), sizeof(buf), seed);
        bool is_repeat = len == 24 && memcmp(buf, start, 16) == 0 && buf[16] == 0x10 &&
                         buf[17] != 2 && buf[17] == buf[21] && buf[20] == 0x11 && buf[22] == 1;
        found += is_repeat;
    }
    assert_true(found > 50);
}

static void reaches_all_that_the_table_has(void **state)
{
    (void)state;
    bool opcodes[256] = {false}, ext = false, swarm = false, profile = false, knobs = false;
    for (uint32_t seed = 0; seed < 4000; seed++) {
        uint8_t buf[128] = {0};
        size_t len = sim_mutate(&table, buf, seed % 2 * 8, sizeof(buf), seed);
        swarm |= buf[2] != 0 || buf[3] != 0;
        profile |= buf[1] != 0;
        knobs |= buf[4] != 0 || buf[7] != 0;
        struct sim_scenario s = sim_scenario_of(wb_view_of(buf, len));
        struct sim_op op;
        while (sim_scenario_next(&s, &op)) {
            opcodes[op.opcode] = true;
            ext |= op.ext != 0;
        }
    }
    for (size_t i = 0; i < table.count; i++)
        assert_true(opcodes[table.ops[i].opcode]);
    assert_true(ext && swarm && profile && knobs);
}

static void erases_down_to_nothing(void **state)
{
    (void)state;
    uint8_t buf[256];
    size_t len = sim_generate(&table, buf, sizeof(buf), 30, 1), least = len;
    uint8_t now[256];
    for (uint32_t seed = 0; seed < 20000 && least > SIM_HEADER; seed++) {
        memcpy(now, buf, len);
        size_t n = sim_mutate(&table, now, len, len, seed);
        if (n < least) {
            memcpy(buf, now, n);
            len = least = n;
        }
    }
    assert_int_equal(least, SIM_HEADER);
}

static void lit_stays_whole(void **state)
{
    (void)state;
    /* Op-level moves never cut a LIT from its bytes: 0x77 stands in raw bytes only. */
    static const uint8_t start[] = "\0\0\0\0\0\0\0\0\x02\x01\x08\0wwwwwwww\x10\x01\0";
    for (uint32_t seed = 0; seed < 5000; seed++) {
        uint8_t buf[40];
        memcpy(buf, start, sizeof(start));
        size_t len = sim_mutate(&table, buf, sizeof(start), sizeof(buf), seed), as_op = 0;
        struct sim_scenario s = sim_scenario_of(wb_view_of(buf, len));
        struct sim_op op;
        while (sim_scenario_next(&s, &op))
            as_op += op.opcode == 'w' && op.slot == 7 && op.flags == 7 && op.arg == 0x7777;
        /* Plain byte mutation, one in seven, may. */
        struct sim_scenario first = sim_scenario_of(wb_view_of(buf, len));
        bool is_plain =
            sim_scenario_next(&first, &op) && as_op > 0 && len == whole(sizeof(start), 40);
        assert_true(as_op == 0 || is_plain);
    }
}

static void cross_joins_ops(void **state)
{
    (void)state;
    uint8_t a[400], b[400], out[300];
    for (uint32_t seed = 0; seed < 5000; seed++) {
        size_t a_len = sim_generate(&table, a, sizeof(a), seed % 40, seed);
        size_t b_len = sim_generate(&table, b, sizeof(b), seed % 31, ~seed);
        a_len = seed % 13 == 0 ? seed % 8 : a_len;
        size_t max = seed % 17 == 0 ? seed % 20 : sizeof(out);
        uint8_t *own = malloc(max + 1);
        assert_non_null(own);
        size_t len = sim_cross(wb_view_of(a, a_len), wb_view_of(b, b_len), own, max, seed);
        assert_true(len <= max);
        if (max >= SIM_HEADER) {
            assert_true(len >= SIM_HEADER);
            assert_int_equal(len % SIM_RECORD, 0);
            struct sim_scenario s = sim_scenario_of(wb_view_of(own, len));
            struct sim_op op;
            while (sim_scenario_next(&s, &op))
                assert_non_null(sim_ops_find(&table, op.opcode));
        }
        free(own);
    }
}

static void generate_fills_as_asked(void **state)
{
    (void)state;
    uint8_t buf[2000];
    for (uint32_t seed = 0; seed < 500; seed++) {
        size_t len = sim_generate(&table, buf, sizeof(buf), 20, seed);
        assert_true(sim_trim_count(wb_view_of(buf, len)) >= 20);
        assert_true(sim_generate(&table, buf, seed % 30, 20, seed) <= seed % 30);
        assert_int_equal(sim_generate(&table, buf, sizeof(buf), 0, seed), SIM_HEADER);
    }
}

static void trim_takes_one_op(void **state)
{
    (void)state;
    static const uint8_t in[] = "\0\0\0\0\0\0\0\0"
                                "\x01\x01\0\0\x11\0\0\0"
                                "\x02\0\x05\0hello\0\0\0"
                                "\x10\0\0";
    uint8_t out[sizeof(in)];
    struct wb_view view = wb_view_of(in, sizeof(in));
    assert_int_equal(sim_trim_count(view), 3);
    assert_int_equal(sim_trim(view, 0, out), sizeof(in) - 8);
    assert_memory_equal(out + 8, in + 16, sizeof(in) - 16);
    assert_int_equal(sim_trim(view, 1, out), sizeof(in) - 12);
    assert_memory_equal(out + 16, in + 28, 4);
    assert_int_equal(sim_trim(view, 2, out), sizeof(in) - 4);
    assert_memory_equal(out, in, sizeof(in) - 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stays_in_bounds),
        cmocka_unit_test(keeps_the_seed),
        cmocka_unit_test(repeats_with_other_slots),
        cmocka_unit_test(reaches_all_that_the_table_has),
        cmocka_unit_test(erases_down_to_nothing),
        cmocka_unit_test(lit_stays_whole),
        cmocka_unit_test(cross_joins_ops),
        cmocka_unit_test(generate_fills_as_asked),
        cmocka_unit_test(trim_takes_one_op),
    };
    return cmocka_run_group_tests_name("sim_mutate", tests, NULL, NULL);
}
