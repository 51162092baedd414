/*
 * Positions, bounds and windows, up to the very last position.
 */
#include "core/base/cost.h"
#include "core/window/window.h"
#include "targets/test_group.h"

static struct wb_window window;

static int begin_window(void **state)
{
    wb_window_init(&window);
    return begin(state);
}

static int end_window(void **state)
{
    wb_window_fini(&window, &memory.mem);
    return end(state);
}

#define WIN_CASE(name) cmocka_unit_test_setup_teardown(name, begin_window, end_window)

static struct wb_position pos(uint64_t group, uint64_t frame)
{
    return (struct wb_position){group, frame};
}

static struct wb_bound at(uint64_t group, uint64_t frame)
{
    return wb_bound_at(pos(group, frame));
}

static const struct wb_bound none = {0};

static void assert_at(struct wb_position got, uint64_t group, uint64_t frame)
{
    assert_true(wb_position_equal(got, pos(group, frame)));
}

static void assert_bound(struct wb_bound got, struct wb_bound want)
{
    assert_true(wb_bound_equal(got, want));
}

/* A number, or how far below 2^64 it is: "-1" is 2^64-1. */
static size_t number(char *to, size_t room, uint64_t n)
{
    return (size_t)(n > MAX / 2 ? snprintf(to, room, "-%u", (unsigned)(0 - n))
                                : snprintf(to, room, "%u", (unsigned)n));
}

/* Runs, both ends inside: "3.0-4.-1 -1.0--1.-1". */
static void assert_runs(const struct wb_window *w, const char *want)
{
    char got[400] = "";
    size_t n = 0, count;
    const struct wb_run *runs = wb_window_runs(w, &count);

    wb_window_check(w);
    for (size_t i = 0; i < count; i++) {
        const struct wb_position ends[] = {runs[i].first, runs[i].last};

        for (unsigned k = 0; k < 2; k++) {
            n += (size_t)snprintf(got + n, sizeof(got) - n, "%s", k > 0 ? "-" : i > 0 ? " " : "");
            n += number(got + n, sizeof(got) - n, ends[k].group);
            n += (size_t)snprintf(got + n, sizeof(got) - n, ".");
            n += number(got + n, sizeof(got) - n, ends[k].frame);
        }
    }
    assert_string_equal(got, want);
    assert_int_equal(wb_window_is_empty(w), count == 0);
}

static void add_range(struct wb_bound from, struct wb_bound to)
{
    const struct wb_range range = {from.at, to};

    assert_int_equal(wb_window_add(&window, &memory.mem, &range), WB_OK);
}

static void add_groups(uint64_t from, uint64_t to)
{
    add_range(at(from, 0), at(to, 0));
}

static void take(struct wb_bound from, struct wb_bound to)
{
    const struct wb_range range = {from.at, to};

    assert_int_equal(wb_window_remove(&window, &memory.mem, &range), WB_OK);
}

/* ---- positions ------------------------------------------------------------------------------- */

static void case_124_steps(void **state)
{
    struct wb_position p = {77, 78};

    (void)state;
    assert_true(wb_position_after(pos(4, 7), &p));
    assert_at(p, 4, 8);
    assert_true(wb_position_before(p, &p));
    assert_at(p, 4, 7);
    assert_true(wb_position_after(pos(4, MAX), &p));
    assert_at(p, 5, 0);
    assert_true(wb_position_after_group(4, &p));
    assert_at(p, 5, 0);
    assert_true(wb_position_before(pos(1, 0), &p));
    assert_at(p, 0, MAX);
    assert_true(wb_position_after(pos(MAX, MAX - 1), &p));
    assert_at(p, MAX, MAX);
    assert_true(wb_position_after_group(MAX - 1, &p));
    assert_at(p, MAX, 0);
    assert_false(wb_position_after(WB_POSITION_LAST, &p));
    assert_false(wb_position_after_group(MAX, &p));
    assert_false(wb_position_before(WB_POSITION_FIRST, &p));
    assert_at(p, MAX, 0); /* untouched */
    assert_true(wb_position_less(pos(1, MAX), pos(2, 0)));
    assert_false(wb_position_less(pos(2, 0), pos(2, 0)));
    assert_bound(wb_bound_after(WB_POSITION_LAST), none);
    assert_bound(wb_bound_after_group(MAX), none);
    assert_bound(wb_bound_after(pos(MAX, 5)), at(MAX, 6));
}

static void case_123_two_families(void **state)
{
    (void)state;
    assert_bound(wb_bound_min_neutral(none, at(10, 0)), at(10, 0));
    assert_bound(wb_bound_min_neutral(at(10, 0), at(5, 0)), at(5, 0));
    assert_bound(wb_bound_min_neutral(at(5, 9), at(5, 2)), at(5, 2));
    assert_bound(wb_bound_min_neutral(at(5, 2), at(4, 7)), at(4, 7));
    assert_bound(wb_bound_min_neutral(none, none), none);
    assert_bound(wb_bound_max_neutral(none, at(1, 1)), at(1, 1));
    assert_bound(wb_bound_max_neutral(at(1, 2), at(1, 1)), at(1, 2));
    assert_bound(wb_bound_max_neutral(at(1, 2), none), at(1, 2));
    assert_bound(wb_bound_max_absorbing(none, at(1, 1)), none);
    assert_bound(wb_bound_max_absorbing(at(1, 1), none), none);
    assert_bound(wb_bound_max_absorbing(wb_bound_after(pos(5, 2)), wb_bound_after(pos(5, 9))),
                 at(5, 10));
    assert_bound(wb_bound_max_absorbing(at(5, 10), wb_bound_after_group(5)), at(6, 0));
    assert_bound(wb_bound_max_absorbing(wb_bound_after(pos(5, 2)), wb_bound_after(pos(6, 1))),
                 at(6, 2));
    assert_bound(wb_bound_min_absorbing(at(3, 0), none), none);
    assert_bound(wb_bound_min_absorbing(none, at(3, 0)), none);
    assert_bound(wb_bound_min_absorbing(at(3, 0), at(2, MAX)), at(2, MAX));
}

/* ---- one window ------------------------------------------------------------------------------ */

static void inverted_and_empty_ranges(void **state)
{
    const struct wb_range inverted = {{5, 1}, {true, {5, 0}}}, empty = {{5, 0}, {true, {5, 0}}};
    struct wb_run run = {{1, 1}, {2, 2}};
    bool some = true;

    (void)state;
    add_groups(1, 2);
    assert_int_equal(wb_window_add(&window, &memory.mem, &inverted), WB_E_RANGE);
    assert_int_equal(wb_window_remove(&window, &memory.mem, &inverted), WB_E_RANGE);
    assert_int_equal(wb_window_add(&window, &memory.mem, &empty), WB_OK);
    assert_int_equal(wb_window_remove(&window, &memory.mem, &empty), WB_OK);
    assert_runs(&window, "1.0-1.-1");
    assert_int_equal(wb_range_run(&inverted, &some, &run), WB_E_RANGE);
    assert_int_equal(wb_range_run(&empty, &some, &run), WB_OK);
    assert_false(some);
    assert_at(run.first, 1, 1);
    add_range(at(0, 0), at(0, 0)); /* nothing lies before {0, 0} */
    assert_runs(&window, "1.0-1.-1");
}

static void runs_merge_when_they_touch(void **state)
{
    (void)state;
    add_groups(4, 6);
    add_groups(8, 9);
    assert_runs(&window, "4.0-5.-1 8.0-8.-1");
    add_range(at(6, 0), at(7, MAX));
    assert_runs(&window, "4.0-7.-2 8.0-8.-1");
    add_range(at(7, MAX), at(8, 0)); /* one position */
    assert_runs(&window, "4.0-8.-1");
    add_groups(0, 1);
    add_groups(2, 3);
    add_range(at(1, 0), at(4, 1));
    assert_runs(&window, "0.0-8.-1");
    assert_true(wb_window_hull(&window).last.group == 8);
    wb_window_clear(&window);
    assert_runs(&window, "");
}

static void the_very_end_is_one_range_or_two(void **state)
{
    struct wb_window other;

    (void)state;
    wb_window_init(&other);
    add_range(at(MAX, 0), none);
    assert_runs(&window, "-1.0--1.-1");
    add_groups(MAX - 1, MAX);
    assert_runs(&window, "-2.0--1.-1");
    add_range(at(MAX, 5), none); /* inside */
    assert_runs(&window, "-2.0--1.-1");
    wb_window_clear(&window);
    add_range(at(MAX, 0), at(MAX, 7));
    add_range(at(MAX, 7), none);
    add_groups(1, 2);
    assert_int_equal(wb_window_copy(&other, &window, &memory.mem), WB_OK);
    wb_window_clear(&window);
    add_range(at(MAX, 0), none);
    add_groups(1, 2);
    assert_true(wb_window_equal(&window, &other));
    wb_window_clear(&window);
    add_range(at(MAX, MAX), none);
    assert_runs(&window, "-1.-1--1.-1");
    add_range(at(MAX, 0), at(MAX, MAX));
    assert_runs(&window, "-1.0--1.-1");
    take(at(MAX, MAX), none);
    assert_runs(&window, "-1.0--1.-2");
    add_range(at(0, 0), none);
    assert_runs(&window, "0.0--1.-1");
    wb_window_fini(&other, &memory.mem);
}

static void removals(void **state)
{
    (void)state;
    add_range(at(0, 0), none);
    take(at(3, 2), at(3, 3));
    assert_runs(&window, "0.0-3.1 3.3--1.-1");
    take(at(MAX, 0), none);
    assert_runs(&window, "0.0-3.1 3.3--2.-1");
    take(at(3, 0), at(4, 0));
    assert_runs(&window, "0.0-2.-1 4.0--2.-1");
    take(at(3, 0), at(4, 0)); /* nothing there */
    assert_runs(&window, "0.0-2.-1 4.0--2.-1");
    take(at(0, 0), at(1, 0));
    assert_runs(&window, "1.0-2.-1 4.0--2.-1");
    take(at(2, 0), at(9, 0));
    assert_runs(&window, "1.0-1.-1 9.0--2.-1");
    take(at(0, 0), none);
    assert_runs(&window, "");
}

static void questions(void **state)
{
    struct wb_position p = {7, 7};

    (void)state;
    assert_true(wb_window_next_gap(&window, pos(3, 3), &p));
    assert_at(p, 3, 3);
    assert_false(wb_window_next_in(&window, pos(0, 0), &p));
    assert_at(p, 3, 3);
    add_range(at(2, 5), at(4, 1));
    add_range(at(MAX, 0), none);
    assert_false(wb_window_contains(&window, pos(2, 4)));
    assert_true(wb_window_contains(&window, pos(2, 5)));
    assert_true(wb_window_contains(&window, pos(4, 0)));
    assert_false(wb_window_contains(&window, pos(4, 1)));
    assert_true(wb_window_contains(&window, WB_POSITION_LAST));
    assert_true(wb_window_meets_group(&window, 2));
    assert_true(wb_window_meets_group(&window, 4));
    assert_true(wb_window_meets_group(&window, MAX));
    assert_false(wb_window_meets_group(&window, 1));
    assert_false(wb_window_meets_group(&window, 5));
    assert_true(wb_window_next_gap(&window, pos(3, 0), &p));
    assert_at(p, 4, 1);
    assert_true(wb_window_next_in(&window, pos(4, 1), &p));
    assert_at(p, MAX, 0);
    assert_true(wb_window_next_in(&window, pos(0, 0), &p));
    assert_at(p, 2, 5);
    assert_false(wb_window_next_gap(&window, pos(MAX, 3), &p)); /* unbounded */
    assert_at(p, 2, 5);
}

static void widening(void **state)
{
    (void)state;
    add_range(at(2, 5), at(2, 7));
    add_range(at(2, 9), at(3, 1));
    add_range(at(4, MAX), at(5, 1));
    add_range(at(8, 1), at(8, 2));
    add_range(at(MAX, MAX), none);
    wb_window_widen(&window);
    assert_runs(&window, "2.0-5.-1 8.0-8.-1 -1.0--1.-1");
    wb_window_widen(&window);
    assert_runs(&window, "2.0-5.-1 8.0-8.-1 -1.0--1.-1");
}

/* ---- two windows ----------------------------------------------------------------------------- */

static void sets(void **state)
{
    struct wb_window a, b;

    (void)state;
    wb_window_init(&a);
    wb_window_init(&b);
    for (uint64_t g = 0; g < 30; g += 3)
        add_groups(g, g + 2); /* 0 1 3 4 6 7 ... */
    assert_int_equal(wb_window_copy(&a, &window, &memory.mem), WB_OK);
    wb_window_clear(&window);
    add_groups(1, 4);
    add_range(at(10, 3), at(13, 1));
    add_range(at(28, 0), none);
    assert_int_equal(wb_window_copy(&b, &window, &memory.mem), WB_OK);

    assert_int_equal(wb_window_union(&window, &memory.mem, &a), WB_OK);
    assert_runs(&window, "0.0-4.-1 6.0-7.-1 9.0-13.-1 15.0-16.-1 18.0-19.-1 21.0-22.-1 "
                         "24.0-25.-1 27.0--1.-1");
    assert_int_equal(wb_window_intersect(&window, &memory.mem, &b), WB_OK);
    assert_true(wb_window_equal(&window, &b)); /* absorption */
    assert_int_equal(wb_window_intersect(&window, &memory.mem, &a), WB_OK);
    assert_runs(&window, "1.0-1.-1 3.0-3.-1 10.3-10.-1 12.0-13.0 28.0-28.-1");
    assert_int_equal(wb_window_copy(&window, &a, &memory.mem), WB_OK);
    assert_int_equal(wb_window_subtract(&window, &memory.mem, &b), WB_OK);
    assert_runs(&window, "0.0-0.-1 4.0-4.-1 6.0-7.-1 9.0-10.2 13.1-13.-1 15.0-16.-1 18.0-19.-1 "
                         "21.0-22.-1 24.0-25.-1 27.0-27.-1");
    wb_window_fini(&a, &memory.mem);
    wb_window_fini(&b, &memory.mem);
}

static void memory_of_a_window(void **state)
{
    const struct wb_range second = {{5, 0}, {true, {6, 0}}};
    struct wb_window other;
    uint64_t before;

    (void)state;
    before = memory.requests;
    add_groups(1, 2);
    add_groups(2, 9);
    take(at(5, 0), at(9, 0));
    assert_int_equal(memory.requests, before); /* one run lies inline */
    sim_alloc_fail_next(&memory, 1);
    add_groups(2, 3);
    take(at(4, 0), at(5, 0));
    assert_int_equal(wb_window_add(&window, &memory.mem, &second), WB_E_NOMEM);
    assert_runs(&window, "1.0-3.-1");
    assert_int_equal(wb_window_add(&window, &memory.mem, &second), WB_OK);
    wb_window_init(&other);
    sim_alloc_fail_next(&memory, 1);
    assert_int_equal(wb_window_copy(&other, &window, &memory.mem), WB_E_NOMEM);
    assert_runs(&other, "");
    take(at(5, 0), at(6, 0));
    wb_window_trim(&window, &memory.mem);
    assert_int_equal(memory.live_blocks, 0);
    assert_runs(&window, "1.0-3.-1");
}

static void comparisons_and_bytes(void **state)
{
    struct wb_cost before;

    (void)state;
    for (uint64_t g = 0; g < 2000; g += 2)
        add_groups(g, g + 1);
    before = wb_cost;
    add_groups(1999, 2001); /* at the end */
    assert_true(wb_cost.positions_compared - before.positions_compared <= 2 * 11 + 4);
    before = wb_cost;
    add_groups(1001, 1002); /* joins two */
    assert_true(wb_cost.positions_compared - before.positions_compared <= 2 * 11 + 4);
    assert_true(wb_cost.bytes_moved - before.bytes_moved <= 32 * 1001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WIN_CASE(case_124_steps),
        WIN_CASE(case_123_two_families),
        WIN_CASE(inverted_and_empty_ranges),
        WIN_CASE(runs_merge_when_they_touch),
        WIN_CASE(the_very_end_is_one_range_or_two),
        WIN_CASE(removals),
        WIN_CASE(questions),
        WIN_CASE(widening),
        WIN_CASE(sets),
        WIN_CASE(memory_of_a_window),
        WIN_CASE(comparisons_and_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
