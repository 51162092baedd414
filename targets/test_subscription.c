/*
 * Subscriptions: order, caps, parked groups, ends. Ages and requests are in
 * test_subscription_age.c.
 */
#include "targets/test_subscription.h"

static void ready(uint64_t from)
{
    const struct wb_request request = from_group(from);

    subscribe(&request, 1);
}

static void case_108_empty_track(void **state)
{
    struct wb_group *g;
    uint64_t boundary = 9;

    (void)state;
    ready(0);
    assert_sub("pend");
    assert_int_equal(wb_track_finish(track), WB_OK);
    assert_int_equal(wb_track_finish(track), WB_E_FINISHED);
    assert_int_equal(wb_track_append(track, 0, &g), WB_E_FINISHED);
    assert_true(wb_track_finished(track, &boundary));
    assert_int_equal(boundary, 0);
    assert_sub("end");
    wb_subscription_fini(&sub);
}

static void case_109_lower_numbers_after_a_boundary(void **state)
{
    (void)state;
    ready(0);
    arrive(5);
    assert_int_equal(wb_track_finish_at(track, 4), WB_E_BOUNDS);
    assert_int_equal(wb_track_finish_at(track, 5), WB_E_BOUNDS);
    assert_int_equal(wb_track_finish_at(track, 6), WB_OK);
    assert_sub("5 end");
    arrive(4); /* late, and delivered all the same */
    assert_sub("4 end");
    wb_subscription_fini(&sub);
}

static void case_110_a_boundary_ahead_is_waited_for(void **state)
{
    uint64_t boundary;

    (void)state;
    ready(0);
    arrive(5);
    assert_int_equal(wb_track_finish_at(track, 7), WB_OK);
    assert_true(wb_track_finished(track, &boundary));
    assert_int_equal(boundary, 7);
    assert_sub("5 pend");
    arrive(6);
    assert_sub("6 end");
    wb_subscription_fini(&sub);
}

static void case_111_ascending_skips_what_comes_late(void **state)
{
    (void)state;
    ready(0);
    arrive(5);
    assert_ascends("5 pend");
    arrive(3);
    arrive(4);
    assert_ascends("pend");
    arrive(7);
    assert_ascends("7 pend");
    wb_subscription_fini(&sub);
}

static void case_112_arrival_order_skips_nothing(void **state)
{
    (void)state;
    ready(0);
    arrive(2);
    assert_sub("2 pend");
    arrive(1);
    assert_sub("1 pend");
    wb_subscription_fini(&sub);
}

static void case_113_cursors_are_independent(void **state)
{
    (void)state;
    ready(0);
    arrive(2);
    arrive(1);
    assert_ascends("1 2 pend");
    assert_sub("2 1 pend");
    arrive(3);
    assert_sub("3 pend");
    assert_ascends("3 pend");
    wb_subscription_fini(&sub);
}

static void case_114_caps_rise(void **state)
{
    (void)state;
    ready(0);
    wb_subscription_cap(&sub, group_bound(3));
    for (unsigned i = 0; i <= 5; i++)
        arrive(i);
    assert_sub("0 1 2 pend");
    assert_int_equal(wb_subscription_parked(&sub), 3);
    wb_subscription_cap(&sub, group_bound(5));
    assert_sub("3 4 pend");
    wb_subscription_cap(&sub, (struct wb_bound){0});
    assert_sub("5 pend");
    wb_subscription_fini(&sub);
}

static void case_115_a_cap_below_what_was_read(void **state)
{
    (void)state;
    ready(0);
    for (unsigned i = 0; i <= 2; i++)
        arrive(i);
    assert_sub("0 1 2 pend");
    wb_subscription_cap(&sub, group_bound(2));
    arrive(3);
    arrive(4);
    assert_sub("pend");
    wb_subscription_cap(&sub, (struct wb_bound){0});
    assert_sub("3 4 pend");
    wb_subscription_fini(&sub);
}

static void case_116_ascending_below_a_cap(void **state)
{
    static const uint64_t arrivals[] = {2, 5, 3, 8, 4};

    (void)state;
    ready(0);
    wb_subscription_cap(&sub, group_bound(6));
    for (unsigned i = 0; i < 5; i++)
        arrive(arrivals[i]);
    assert_ascends("2 3 4 5 pend");
    wb_subscription_cap(&sub, group_bound(11));
    assert_ascends("8 pend");
    wb_subscription_fini(&sub);
}

static void case_117_arrivals_below_a_cap(void **state)
{
    (void)state;
    ready(0);
    wb_subscription_cap(&sub, group_bound(2));
    arrive(2);
    arrive(0);
    arrive(1);
    assert_sub("0 1 pend");
    wb_subscription_cap(&sub, group_bound(3));
    assert_sub("2 pend");
    wb_subscription_fini(&sub);
}

static void parked_ones_come_back_lowest_first(void **state)
{
    (void)state;
    ready(0);
    wb_subscription_cap(&sub, group_bound(0));
    arrive(9);
    arrive(4);
    arrive(7);
    assert_sub("pend");
    arrive(1); /* an arrival that nobody looked at: behind the parked ones */
    wb_subscription_cap(&sub, group_bound(8));
    assert_sub("4 7 1 pend");
    wb_subscription_cap(&sub, (struct wb_bound){0});
    assert_sub("9 pend");
    wb_subscription_fini(&sub);
}

static void case_118_the_floor_overtakes_a_parked_one(void **state)
{
    const struct wb_request two = from_group(2);

    (void)state;
    ready(0);
    wb_subscription_cap(&sub, group_bound(1));
    arrive(1);
    assert_sub("pend");
    assert_int_equal(wb_subscription_parked(&sub), 1);
    update(&two, 1);
    assert_int_equal(wb_subscription_parked(&sub), 1); /* still past the cap */
    wb_subscription_cap(&sub, (struct wb_bound){0});
    assert_int_equal(wb_subscription_parked(&sub), 0);
    arrive(2);
    assert_sub("2 pend");
    wb_subscription_fini(&sub);
}

static void case_119_a_parked_one_is_evicted(void **state)
{
    (void)state;
    ready(0);
    wb_subscription_cap(&sub, group_bound(1));
    arrive(0);
    arrive(3);
    assert_sub("0 pend");
    assert_int_equal(wb_track_finish(track), WB_OK);
    assert_sub("pend"); /* finished, and only parked ones: it may be lifted */
    evict(3);
    assert_true(wb_subscription_awake(&sub, 0));
    assert_sub("!3 end");
    assert_int_equal(wb_subscription_parked(&sub), 0);
    wb_subscription_fini(&sub);
}

static void case_119_parked_by_the_look_that_finds_the_end(void **state)
{
    (void)state;
    ready(0);
    wb_subscription_cap(&sub, group_bound(0));
    arrive(3);
    assert_int_equal(wb_track_finish(track), WB_OK);
    assert_false(wb_subscription_awake(&sub, 0));
    evict(3);
    assert_true(wb_subscription_awake(&sub, 0));
    assert_sub("!3 end");
    wb_subscription_fini(&sub);
}

static void parked_ones_that_go_are_told_in_the_order_they_went(void **state)
{
    (void)state;
    ready(0);
    wb_subscription_cap(&sub, group_bound(0));
    for (unsigned i = 0; i < 5; i++)
        arrive(i);
    assert_sub("pend");
    evict(3);
    evict(1);
    arrive(3); /* the number again: told of once, and for good */
    wb_subscription_cap(&sub, (struct wb_bound){0});
    assert_int_equal(wb_subscription_parked(&sub), 5);
    assert_sub("!3 !1 0 2 4 pend");
    wb_subscription_fini(&sub);
}

static void parked_ones_are_given_back(void **state)
{
    (void)state;
    ready(0);
    wb_subscription_cap(&sub, group_bound(0));
    for (unsigned i = 0; i < 5; i++)
        arrive(i);
    assert_sub("pend");
    evict(2);
    wb_subscription_fini(&sub); /* live ones and one that went */
}

static void case_120_datagrams_share_the_numbers(void **state)
{
    struct wb_group *g;

    (void)state;
    ready(0);
    arrive(0);
    assert_int_equal(wb_track_take(track, 1), WB_OK);
    arrive(2);
    assert_int_equal(wb_track_take(track, 3), WB_OK);
    assert_int_equal(wb_track_take(track, 100), WB_OK);
    assert_int_equal(wb_track_append(track, 0, &g), WB_OK);
    assert_int_equal(wb_group_sequence(g), 101);
    track_close(g);
    assert_int_equal(wb_track_take(track, 102), WB_OK);
    assert_int_equal(wb_track_finish_at(track, 104), WB_OK);
    assert_sub("0 2 101 pend");
    assert_int_equal(wb_track_take(track, 103), WB_OK); /* the last number is a datagram's */
    assert_sub("end");
    wb_subscription_fini(&sub);
}

static void case_147_recreated_and_backfilled_ones(void **state)
{
    struct wb_group *g;

    (void)state;
    ready(0);
    arrive(0);
    arrive(1);
    assert_sub("0 1 pend");
    evict(0);
    arrive(0);
    assert_int_equal(wb_track_backfill(track, 7, 0, &g), WB_OK);
    wb_group_leave(g);
    assert_int_equal(wb_track_backfill(track, 8, 0, &g), WB_OK);
    assert_int_equal(wb_group_finish(g), WB_OK);
    wb_group_leave(g);
    assert_sub("pend");
    assert_ascends("0 1 pend");
    evict(8);
    arrive(8);
    assert_sub("8 pend");
    wb_subscription_fini(&sub);
}

static void an_aborted_track_gives_its_reason(void **state)
{
    (void)state;
    ready(0);
    wb_subscription_cap(&sub, group_bound(1));
    arrive(0);
    arrive(2);
    arrive(1);
    assert_sub("0 pend");
    wb_track_abort(track, WB_E_CANCEL);
    assert_sub("!1 !2 WB_E_CANCEL");
    assert_sub("WB_E_CANCEL");
    wb_subscription_fini(&sub);
}

static void the_last_group_of_all(void **state)
{
    (void)state;
    ready(MAX);
    arrive(MAX - 1);
    assert_sub("pend");
    put(track, MAX, 1, 0);
    {
        struct wb_delivery d;

        assert_int_equal(wb_subscription_next(&sub, 0, &d), WB_OK);
        assert_true(d.sequence == MAX);
        wb_group_reader_fini(&d.reader);
    }
    {
        struct wb_group *g;

        assert_int_equal(wb_subscription_ascend(&sub, &g), WB_OK);
        assert_int_equal(wb_subscription_ascend(&sub, &g), WB_MORE);
    }
    assert_int_equal(wb_track_finish(track), WB_OK);
    assert_sub("end");
    assert_ascends("end");
    wb_subscription_fini(&sub);
}

static void frames_of_a_group_are_capped(void **state)
{
    const struct wb_request request = {.range = {{3, 1}, wb_bound_at((struct wb_position){3, 4})}};
    struct wb_group *g = track_create(track, 3, 0);
    struct wb_delivery d;

    (void)state;
    for (unsigned i = 0; i < 6; i++)
        assert_true(track_write(track, g, 10, 0));
    track_close(g);
    subscribe(&request, 1);
    assert_int_equal(wb_subscription_next(&sub, 0, &d), WB_OK);
    for (unsigned i = 1; i <= 3; i++)
        assert_gives(&d.reader, i, 10);
    assert_ends(&d.reader, WB_END);
    wb_group_reader_fini(&d.reader);
    wb_subscription_fini(&sub);

    subscribe(&request, 1);
    wb_subscription_cap(&sub, wb_bound_at((struct wb_position){3, 2}));
    assert_int_equal(wb_subscription_next(&sub, 0, &d), WB_OK);
    assert_gives(&d.reader, 1, 10);
    assert_ends(&d.reader, WB_END);
    wb_group_reader_fini(&d.reader);
    wb_subscription_fini(&sub);

    subscribe(&request, 1);
    wb_subscription_cap(&sub, wb_bound_at((struct wb_position){3, 1})); /* nothing is left */
    assert_sub("pend");
    assert_int_equal(wb_subscription_parked(&sub), 1);
    wb_subscription_fini(&sub);
}

static void refused_memory_loses_nothing(void **state)
{
    struct wb_delivery d;

    (void)state;
    ready(0);
    wb_subscription_cap(&sub, group_bound(5));
    arrive(1);
    arrive(3); /* a second run of what is done */
    arrive(7); /* to be parked */
    assert_int_equal(wb_subscription_next(&sub, 0, &d), WB_OK);
    wb_group_reader_fini(&d.reader);
    sim_alloc_fail_next(&memory, 1);
    assert_int_equal(wb_subscription_next(&sub, 0, &d), WB_E_NOMEM);
    assert_int_equal(wb_subscription_next(&sub, 0, &d), WB_OK);
    assert_int_equal(d.sequence, 3);
    wb_group_reader_fini(&d.reader);
    sim_alloc_fail_next(&memory, 1);
    assert_int_equal(wb_subscription_next(&sub, 0, &d), WB_E_NOMEM);
    assert_sub("pend");
    assert_int_equal(wb_subscription_parked(&sub), 1);
    wb_subscription_fini(&sub);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SUB_CASE(case_108_empty_track),
        SUB_CASE(case_109_lower_numbers_after_a_boundary),
        SUB_CASE(case_110_a_boundary_ahead_is_waited_for),
        SUB_CASE(case_111_ascending_skips_what_comes_late),
        SUB_CASE(case_112_arrival_order_skips_nothing),
        SUB_CASE(case_113_cursors_are_independent),
        SUB_CASE(case_114_caps_rise),
        SUB_CASE(case_115_a_cap_below_what_was_read),
        SUB_CASE(case_116_ascending_below_a_cap),
        SUB_CASE(case_117_arrivals_below_a_cap),
        SUB_CASE(parked_ones_come_back_lowest_first),
        SUB_CASE(case_118_the_floor_overtakes_a_parked_one),
        SUB_CASE(case_119_a_parked_one_is_evicted),
        SUB_CASE(case_119_parked_by_the_look_that_finds_the_end),
        SUB_CASE(parked_ones_that_go_are_told_in_the_order_they_went),
        SUB_CASE(parked_ones_are_given_back),
        SUB_CASE(case_120_datagrams_share_the_numbers),
        SUB_CASE(case_147_recreated_and_backfilled_ones),
        SUB_CASE(an_aborted_track_gives_its_reason),
        SUB_CASE(the_last_group_of_all),
        SUB_CASE(frames_of_a_group_are_capped),
        SUB_CASE(refused_memory_loses_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
