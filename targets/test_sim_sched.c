/*
 * Events come by (time, sequence), an override changes one choice, and the clock never runs past
 * what is due.
 */
#include "sim/sched.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct sim_sched sched;

static void add(uint64_t delay_ns, uint32_t kind)
{
    assert_true(sim_sched_at(&sched, delay_ns, kind, kind % 3, kind * 10));
}

static void take(uint64_t until_ns, uint64_t time_ns, uint32_t kind)
{
    struct sim_event e;
    assert_true(sim_sched_take(&sched, until_ns, &e));
    assert_int_equal(e.time_ns, time_ns);
    assert_int_equal(e.kind, kind);
    assert_int_equal(e.who, kind % 3);
    assert_int_equal(e.arg, kind * 10);
    assert_int_equal(sched.now_ns, time_ns);
}

static void by_time_then_sequence(void **state)
{
    (void)state;
    struct sim_event e;
    sim_sched_init(&sched);
    add(20, 1);
    add(10, 2);
    add(20, 3);
    add(0, 4);
    add(10, 5);
    take(100, 0, 4);
    take(100, 10, 2);
    take(100, 10, 5);
    assert_false(sim_sched_take(&sched, 19, &e));
    assert_int_equal(sched.now_ns, 10);
    add(10, 6);
    take(20, 20, 1);
    take(20, 20, 3);
    take(20, 20, 6);
    assert_false(sim_sched_take(&sched, UINT64_MAX, &e));
    assert_int_equal(sched.steps, 6);
}

static void override_is_for_one_take(void **state)
{
    (void)state;
    sim_sched_init(&sched);
    for (uint32_t kind = 1; kind <= 4; kind++)
        add(5, kind);
    add(6, 9);
    sim_sched_override(&sched, 2);
    take(9, 5, 3);
    take(9, 5, 1);
    sim_sched_override(&sched, 1000);
    take(9, 5, 4);
    sim_sched_override(&sched, 0);
    take(9, 5, 2);
    sim_sched_override(&sched, 7);
    take(9, 6, 9);
}

static void cancel_takes_out_all_of_one(void **state)
{
    (void)state;
    struct sim_event e;
    sim_sched_init(&sched);
    add(5, 1);
    add(6, 2);
    add(7, 1);
    sim_sched_cancel(&sched, 1, 2);
    assert_int_equal(sched.count, 3);
    sim_sched_cancel(&sched, 1, 1);
    take(9, 6, 2);
    assert_false(sim_sched_take(&sched, 9, &e));
}

static void full_table_says_no(void **state)
{
    (void)state;
    struct sim_event e;
    uint64_t last_ns = 0;
    sim_sched_init(&sched);
    for (uint32_t i = 0; i < SIM_SCHED_MAX; i++)
        add(i * 7919 % 1009, i);
    assert_false(sim_sched_at(&sched, 0, 0, 0, 0));
    for (uint32_t i = 0; i < SIM_SCHED_MAX; i++) {
        assert_true(sim_sched_take(&sched, 2000, &e));
        assert_true(e.time_ns >= last_ns);
        last_ns = e.time_ns;
    }
    assert_false(sim_sched_take(&sched, 2000, &e));
}

static void time_saturates(void **state)
{
    (void)state;
    sim_sched_init(&sched);
    sim_sched_advance(&sched, 100);
    add(UINT64_MAX, 1);
    add(UINT64_MAX - 50, 2);
    assert_int_equal(sched.now_ns, 100);
    take(UINT64_MAX, UINT64_MAX, 1);
    take(UINT64_MAX, UINT64_MAX, 2);
}

static void advance_stops_at_what_is_due(void **state)
{
    (void)state;
    sim_sched_init(&sched);
    add(50, 1);
    sim_sched_advance(&sched, 50);
    assert_int_equal(sched.now_ns, 50);
    take(50, 50, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_time_then_sequence),
        cmocka_unit_test(override_is_for_one_take),
        cmocka_unit_test(cancel_takes_out_all_of_one),
        cmocka_unit_test(full_table_says_no),
        cmocka_unit_test(time_saturates),
        cmocka_unit_test(advance_stops_at_what_is_due),
    };
    return cmocka_run_group_tests_name("sim_sched", tests, NULL, NULL);
}
