/*
 * Demand: the union and the fold of all who are joined, what counts as a change, and what joining
 * costs in memory and comparisons.
 */
#include "core/base/cost.h"
#include "core/window/demand.h"
#include "targets/test_group.h"

#define VIEWERS 300u

static struct wb_demand *demand;
static struct wb_subscriber viewers[VIEWERS];

static int begin_demand(void **state)
{
    begin(state);
    memset(viewers, 0, sizeof viewers);
    assert_int_equal(wb_demand_new(&memory.mem, &demand), WB_OK);
    assert_false(wb_demand_changed(demand));
    return 0;
}

static int end_demand(void **state)
{
    for (unsigned i = 0; i < VIEWERS; i++)
        wb_demand_leave(demand, &viewers[i]);
    wb_demand_check(demand);
    assert_int_equal(wb_demand_subscribers(demand), 0);
    assert_false(wb_demand_fold(demand)->some);
    wb_demand_free(demand);
    return end(state);
}

#define DEMAND_CASE(name) cmocka_unit_test_setup_teardown(name, begin_demand, end_demand)

static struct wb_bound at(uint64_t group, uint64_t frame)
{
    return wb_bound_at((struct wb_position){group, frame});
}

static const struct wb_bound none = {0};

/* One range and a wish; an absent start is live, and at {0, 0} here. */
static enum wb_err ask(unsigned i, struct wb_wish wish, struct wb_bound start, struct wb_bound end_)
{
    const struct wb_range range = {start.at, end_};
    struct wb_window w;
    enum wb_err err;

    wish.is_live = !start.present;
    wb_window_init(&w);
    assert_int_equal(wb_window_add(&w, &memory.mem, &range), WB_OK);
    err = viewers[i].demand == NULL ? wb_demand_join(demand, &viewers[i], &wish, &w)
                                    : wb_demand_update(demand, &viewers[i], &wish, &w);
    wb_window_fini(&w, &memory.mem);
    wb_demand_check(demand);
    return err;
}

static void join(unsigned i, struct wb_bound start, struct wb_bound end_)
{
    assert_int_equal(ask(i, (struct wb_wish){.ordered = true}, start, end_), WB_OK);
}

static void leave(unsigned i)
{
    wb_demand_leave(demand, &viewers[i]);
    wb_demand_check(demand);
}

static void assert_bounds(struct wb_bound start, struct wb_bound end_)
{
    const struct wb_fold *fold = wb_demand_fold(demand);

    assert_true(fold->some);
    assert_true(wb_bound_equal(fold->start, start));
    assert_true(wb_bound_equal(fold->end, end_));
}

/* The union in groups, such as "0-4 7-*"; spans here begin and end with groups. */
static void assert_union(const char *want)
{
    char got[256] = "";
    size_t n = 0;
    struct wb_position from = WB_POSITION_FIRST;
    struct wb_run run, hull = {0};
    bool some = false;

    while (wb_demand_next(demand, from, &run)) {
        n += (size_t)snprintf(got + n, sizeof(got) - n, some ? " %u-" : "%u-",
                              (unsigned)run.first.group);
        n += (size_t)(run.last.group == MAX
                          ? snprintf(got + n, sizeof(got) - n, "*")
                          : snprintf(got + n, sizeof(got) - n, "%u", (unsigned)run.last.group));
        hull = (struct wb_run){some ? hull.first : run.first, run.last};
        some = true;
        if (!wb_position_after(run.last, &from))
            break;
    }
    assert_string_equal(got, want);
    assert_int_equal(wb_demand_hull(demand, &run), some);
    if (some)
        assert_memory_equal(&run, &hull, sizeof hull);
}

/* ---- the fold -------------------------------------------------------------------------------- */

static void case_121_two_wishes(void **state)
{
    const struct wb_wish first = {2, true, false, 100}, second = {7, false, false, 250};
    const struct wb_fold *fold = wb_demand_fold(demand);

    (void)state;
    assert_int_equal(ask(0, first, at(10, 0), at(21, 0)), WB_OK);
    assert_int_equal(ask(1, second, at(5, 0), none), WB_OK);
    assert_int_equal(fold->priority, 7);
    assert_false(fold->ordered);
    assert_int_equal(fold->max_age_ns, 250);
    assert_bounds(at(5, 0), none);
    assert_union("5-*");
    leave(1);
    assert_int_equal(fold->priority, 2);
    assert_true(fold->ordered);
    assert_int_equal(fold->max_age_ns, 100);
    assert_bounds(at(10, 0), at(21, 0));
    assert_union("10-20");
    leave(0);
    assert_false(fold->some);
    assert_union("");
}

static void case_122_one_of_two_alike(void **state)
{
    (void)state;
    join(0, at(3, 0), none);
    join(1, at(3, 0), none);
    assert_true(wb_demand_changed(demand));
    assert_false(wb_demand_changed(demand));
    leave(0);
    assert_false(wb_demand_changed(demand));
    assert_union("3-*");
    assert_int_equal(wb_demand_subscribers(demand), 1);
    leave(1); /* no ghost stays */
    leave(1);
    assert_union("");
    assert_true(wb_demand_changed(demand));
    join(0, at(3, 0), none); /* the same again is a change again */
    assert_true(wb_demand_changed(demand));
}

static void case_123_folds_of_bounds(void **state)
{
    (void)state;
    join(0, none, none);
    assert_bounds(none, none);
    join(1, at(10, 0), none);
    assert_bounds(at(10, 0), none);
    join(2, at(5, 0), none);
    assert_bounds(at(5, 0), none);
    join(1, at(5, 9), none);
    join(2, at(5, 2), none);
    assert_bounds(at(5, 2), none);
    join(3, at(4, 7), none);
    assert_bounds(at(4, 7), none);
    for (unsigned i = 0; i < 4; i++)
        leave(i);

    join(0, none, wb_bound_after((struct wb_position){5, 2}));
    join(1, none, wb_bound_after((struct wb_position){5, 9}));
    assert_bounds(none, at(5, 10));
    join(2, none, wb_bound_after_group(5));
    assert_bounds(none, at(6, 0));
    join(2, none, wb_bound_after((struct wb_position){6, 1}));
    assert_bounds(none, at(6, 2));
    join(3, none, none); /* none absorbs */
    assert_bounds(none, none);
    leave(3);
    assert_bounds(none, at(6, 2));
}

static void case_124_up_to_the_very_last(void **state)
{
    (void)state;
    join(0, at(MAX, 0), wb_bound_after_group(MAX));
    assert_bounds(at(MAX, 0), none);
    join(1, at(5, 0), wb_bound_after_group(MAX - 1)); /* meets it there */
    assert_union("5-*");
    leave(1);
    join(1, at(MAX, MAX), none); /* one position */
    leave(0);
    {
        struct wb_run run;

        assert_true(wb_demand_next(demand, WB_POSITION_FIRST, &run));
        assert_true(wb_position_equal(run.first, WB_POSITION_LAST));
        assert_true(wb_position_equal(run.last, WB_POSITION_LAST));
        assert_true(wb_demand_next(demand, WB_POSITION_LAST, &run));
    }
}

static void case_130_ages(void **state)
{
    const struct wb_wish some = {.max_age_ns = 10}, more = {.max_age_ns = WB_DEMAND_NO_AGE};

    (void)state;
    assert_int_equal(ask(0, some, none, none), WB_OK);
    assert_int_equal(ask(1, more, none, none), WB_OK);
    assert_true(wb_demand_fold(demand)->max_age_ns == MAX);
    assert_true(wb_fold_age(wb_demand_fold(demand), 5) == 5);
    leave(1);
    assert_true(wb_demand_fold(demand)->max_age_ns == 10);
}

static void priorities_of_all_values(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 256; i++)
        assert_int_equal(ask(i, (struct wb_wish){.priority = (uint8_t)(i * 37)}, none, none),
                         WB_OK);
    for (unsigned p = 256; p-- > 0;) {
        assert_int_equal(wb_demand_fold(demand)->priority, p);
        for (unsigned i = 0; i < 256; i++)
            if ((uint8_t)(i * 37) == p)
                wb_demand_leave(demand, &viewers[i]);
    }
    assert_false(wb_demand_fold(demand)->some);
}

/* ---- changes --------------------------------------------------------------------------------- */

static void what_is_undone_is_no_change(void **state)
{
    (void)state;
    join(0, at(0, 0), at(5, 0));
    join(1, at(9, 0), at(12, 0));
    assert_true(wb_demand_changed(demand));
    join(2, at(3, 0), at(10, 0)); /* closes the gap */
    assert_union("0-11");
    leave(2);
    assert_false(wb_demand_changed(demand));
    leave(0);
    leave(1);
    join(4, at(9, 0), at(12, 0)); /* others ask the same */
    join(3, at(0, 0), at(5, 0));
    assert_false(wb_demand_changed(demand));
    join(3, at(0, 0), at(4, 0));
    assert_true(wb_demand_changed(demand));
    assert_union("0-3 9-11");
}

static void a_boundary_that_only_changes_sides(void **state)
{
    (void)state;
    join(0, at(0, 0), at(5, 0));
    join(1, at(9, 0), none);
    assert_true(wb_demand_changed(demand));
    join(0, at(5, 0), at(9, 0)); /* the complement, almost */
    join(1, at(0, 0), at(1, 0));
    assert_true(wb_demand_changed(demand));
    assert_union("0-0 5-8");
}

static void a_wish_alone_is_a_change(void **state)
{
    const struct wb_wish low = {1, true, false, 5}, high = {2, true, false, 5};

    (void)state;
    assert_int_equal(ask(0, low, at(1, 0), none), WB_OK);
    assert_true(wb_demand_changed(demand));
    assert_int_equal(ask(1, high, at(1, 0), none), WB_OK);
    assert_true(wb_demand_changed(demand));
    leave(1);
    assert_int_equal(ask(1, high, at(1, 0), none), WB_OK);
    assert_false(wb_demand_changed(demand));
    leave(1);
    assert_true(wb_demand_changed(demand));
}

static void spans_of_one_touch_those_of_others(void **state)
{
    const struct wb_range ranges[] = {{{2, 0}, {true, {4, 0}}}, {{6, 0}, {true, {8, 0}}}};
    const struct wb_wish wish = {0};
    struct wb_window w;

    (void)state;
    join(0, at(4, 0), at(6, 0));
    wb_window_init(&w);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(wb_window_add(&w, &memory.mem, &ranges[i]), WB_OK);
    assert_int_equal(wb_demand_join(demand, &viewers[1], &wish, &w), WB_OK);
    assert_union("2-7");
    leave(0);
    assert_union("2-3 6-7");
    leave(1);
    for (uint64_t n = 1; n <= 2; n++) { /* the list of spans; a node, when none is spare */
        sim_alloc_fail_next(&memory, n);
        if (wb_demand_join(demand, &viewers[1], &wish, &w) == WB_OK)
            leave(1);
        wb_demand_check(demand);
        assert_int_equal(wb_demand_subscribers(demand), 0);
    }
    sim_alloc_fail_next(&memory, 100);
    wb_window_fini(&w, &memory.mem);
}

static void a_chain_of_spans_that_touch(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 64; i++)
        join(i, at(2 * (i * 37 % 64), 0), at(2 * (i * 37 % 64) + 2, 0));
    assert_union("0-127");
    assert_true(wb_demand_changed(demand));
    join(64, at(1, 0), at(140, 0)); /* covered but for its end */
    assert_union("0-139");
    assert_true(wb_demand_changed(demand));
    join(65, at(1, 0), at(127, 0));
    leave(65);
    assert_false(wb_demand_changed(demand));
    leave(64);
    assert_union("0-127");
    assert_true(wb_demand_changed(demand));
    leave(0); /* 0 and 1 */
    leave(1); /* 74 and 75 */
    assert_union("2-73 76-127");
    join(64, at(1, 0), at(140, 0));
    assert_union("1-139");
}

static void one_who_asks_for_nothing(void **state)
{
    (void)state;
    join(0, at(5, 0), at(5, 0));
    assert_int_equal(wb_demand_subscribers(demand), 1);
    assert_false(wb_demand_fold(demand)->some);
    assert_false(wb_demand_changed(demand));
    join(1, at(1, 0), at(2, 0));
    join(0, at(7, 0), at(8, 0));
    assert_union("1-1 7-7");
    join(0, at(5, 0), at(5, 0));
    assert_bounds(at(1, 0), at(2, 0));
}

/* ---- what it costs --------------------------------------------------------------------------- */

static void joining_again_allocates_nothing(void **state)
{
    uint64_t requests;

    (void)state;
    for (unsigned i = 0; i < 100; i++)
        join(i, at(i * 10, 0), at(i * 10 + 15, 0));
    (void)wb_demand_changed(demand);
    for (unsigned round = 0; round < 4; round++) {
        requests = memory.requests;
        for (unsigned i = 100; i < 164; i++)
            join(i, at(i * 7, 1), at(i * 7 + 30, 1));
        for (unsigned i = 100; i < 164; i++)
            leave(i);
        (void)wb_demand_changed(demand);
        if (round > 0) /* windows of the test are of one run */
            assert_int_equal(memory.requests, requests);
    }
}

static void memory_comes_back_after_a_peak(void **state)
{
    uint64_t base;

    (void)state;
    join(0, at(1, 0), none);
    (void)wb_demand_changed(demand);
    base = wb_demand_held(demand);
    for (unsigned i = 1; i < VIEWERS; i++)
        join(i, at(i * 10, 0), at(i * 10 + 5, 0));
    (void)wb_demand_changed(demand);
    for (unsigned i = 1; i < VIEWERS; i++)
        leave(i);
    assert_true(wb_demand_held(demand) > base + (VIEWERS - 1) * 100);
    (void)wb_demand_changed(demand); /* all was in use since the last one */
    (void)wb_demand_changed(demand);
    assert_true(wb_demand_held(demand) <= base + 2000); /* a few spare ones */
}

static void comparisons_do_not_grow_with_those_alike(void **state)
{
    struct wb_subscriber more = {0};
    const struct wb_wish wish = {0};
    const struct wb_range range = {{10, 0}, at(99, 0)};
    uint64_t counts[2];
    struct wb_window w;

    (void)state;
    wb_window_init(&w);
    assert_int_equal(wb_window_add(&w, &memory.mem, &range), WB_OK);
    join(0, at(10, 0), at(99, 0));
    for (unsigned k = 0; k < 2; k++) {
        uint64_t before = wb_cost.positions_compared;

        assert_int_equal(wb_demand_join(demand, &more, &wish, &w), WB_OK);
        wb_demand_leave(demand, &more);
        counts[k] = wb_cost.positions_compared - before;
        for (unsigned i = 1; i < VIEWERS; i++)
            join(i, at(10, 0), at(99, 0));
    }
    assert_int_equal(counts[0], counts[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DEMAND_CASE(case_121_two_wishes),
        DEMAND_CASE(case_122_one_of_two_alike),
        DEMAND_CASE(case_123_folds_of_bounds),
        DEMAND_CASE(case_124_up_to_the_very_last),
        DEMAND_CASE(case_130_ages),
        DEMAND_CASE(priorities_of_all_values),
        DEMAND_CASE(what_is_undone_is_no_change),
        DEMAND_CASE(a_boundary_that_only_changes_sides),
        DEMAND_CASE(a_wish_alone_is_a_change),
        DEMAND_CASE(spans_of_one_touch_those_of_others),
        DEMAND_CASE(a_chain_of_spans_that_touch),
        DEMAND_CASE(one_who_asks_for_nothing),
        DEMAND_CASE(joining_again_allocates_nothing),
        DEMAND_CASE(memory_comes_back_after_a_peak),
        DEMAND_CASE(comparisons_do_not_grow_with_those_alike),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
