/*
 * Subscriptions: requests and what they resolve to, ages, and what the demand learns of them.
 */
#include "targets/test_subscription.h"

/* The runs of a window in groups, such as "[2,3] [7,*]"; `*` is 2^64-1. */
static void assert_window(const struct wb_window *w, const char *want)
{
    char got[256] = "";
    size_t n = 0, count;
    const struct wb_run *runs = wb_window_runs(w, &count);

    for (size_t i = 0; i < count; i++) {
        assert_true(runs[i].first.frame == 0 && runs[i].last.frame == MAX);
        n += (size_t)snprintf(got + n, sizeof(got) - n, i > 0 ? " [%u," : "[%u,",
                              (unsigned)runs[i].first.group);
        n += (size_t)(runs[i].last.group == MAX ? snprintf(got + n, sizeof(got) - n, "*]")
                                                : snprintf(got + n, sizeof(got) - n, "%u]",
                                                           (unsigned)runs[i].last.group));
    }
    assert_string_equal(got, want);
}

/* Of the subscription, and of the demand, where it is alone. */
static void assert_asks(const char *want)
{
    struct wb_window w;

    assert_window(wb_subscription_window(&sub), want);
    wb_window_init(&w);
    assert_int_equal(wb_demand_window(demand, &memory.mem, &w), WB_OK);
    assert_window(&w, want);
    wb_window_fini(&w, &memory.mem);
    wb_demand_check(demand);
}

static void assert_fold(bool has_start, uint64_t start, bool has_end, uint64_t end_group)
{
    const struct wb_fold *fold = wb_demand_fold(demand);

    assert_int_equal(fold->start.present, has_start);
    assert_int_equal(fold->end.present, has_end);
    if (has_start)
        assert_true(wb_position_equal(fold->start.at, wb_position_group(start)));
    if (has_end)
        assert_true(wb_position_equal(fold->end.at, wb_position_group(end_group)));
}

/* ---- requests -------------------------------------------------------------------------------- */

static void several_ranges_at_once(void **state)
{
    const struct wb_request requests[] = {groups(5, 7), from_group(9), groups(0, 2), groups(4, 4)};

    (void)state;
    for (unsigned i = 0; i < 11; i++)
        arrive(i);
    subscribe(requests, 4);
    assert_asks("[0,1] [5,6] [9,*]");
    assert_fold(true, 0, false, 0);
    assert_sub("0 1 5 6 9 10 pend");
    update(requests, 1);
    assert_asks("[5,6]");
    assert_fold(true, 5, true, 7);
    assert_int_equal(wb_subscription_parked(&sub), 0); /* what was delivered is not parked */
    update(requests + 1, 3);
    assert_sub("pend");
    wb_subscription_fini(&sub);
}

static void groups_in_a_hole_come_with_a_later_request(void **state)
{
    const struct wb_request first[] = {groups(0, 1), groups(4, 5)}, all = from_group(0);

    (void)state;
    for (unsigned i = 6; i-- > 0;)
        arrive(i);
    subscribe(first, 2);
    assert_sub("4 0 pend");
    assert_int_equal(wb_subscription_parked(&sub), 1);
    update(&all, 1);
    assert_sub("5 3 2 1 pend"); /* the parked one first, then arrivals */
    wb_subscription_fini(&sub);
}

static void refused_requests(void **state)
{
    struct wb_request many[WB_REQUESTS_MAX + 1] = {0};
    const struct wb_request inverted[] = {groups(0, 5), groups(5, 4)}, late = times(6, 5);
    struct wb_subscription_config config = asking(inverted, 2);

    (void)state;
    assert_int_equal(wb_subscription_init(&sub, &memory.mem, track, demand, &config), WB_E_RANGE);
    config = asking(&late, 1);
    assert_int_equal(wb_subscription_init(&sub, &memory.mem, track, demand, &config), WB_E_RANGE);
    many[0] = inverted[1];
    config = asking(many, WB_REQUESTS_MAX + 1);
    assert_int_equal(wb_subscription_init(&sub, &memory.mem, track, demand, &config), WB_E_BOUNDS);
    many[0] = groups(3, 4);
    config = asking(many, WB_REQUESTS_MAX);
    for (uint64_t n = 1; n <= 2; n++) { /* the list; the node */
        sim_alloc_fail_next(&memory, n);
        assert_int_equal(wb_subscription_init(&sub, &memory.mem, track, demand, &config),
                         WB_E_NOMEM);
    }
    subscribe(many, WB_REQUESTS_MAX);
    config = asking(inverted, 2);
    assert_int_equal(wb_subscription_update(&sub, &config), WB_E_RANGE);
    config = asking(many, 2);
    sim_alloc_fail_next(&memory, 1);
    assert_int_equal(wb_subscription_update(&sub, &config), WB_E_NOMEM);
    wb_subscription_check(&sub);
    wb_subscription_fini(&sub);
}

static void case_125_an_empty_range_is_no_demand(void **state)
{
    const struct wb_request empty = groups(5, 5), zero = groups(0, 0), some = groups(5, 6);

    (void)state;
    arrive(5);
    subscribe(&empty, 1);
    assert_asks("");
    assert_false(wb_demand_fold(demand)->some);
    assert_false(wb_demand_changed(demand));
    assert_sub("pend");
    update(&some, 1);
    assert_asks("[5,5]");
    assert_true(wb_demand_changed(demand));
    assert_sub("5 pend");
    update(&zero, 1);
    assert_asks("");
    assert_false(wb_demand_fold(demand)->some);
    assert_true(wb_demand_changed(demand));
    assert_int_equal(wb_track_finish(track), WB_OK);
    assert_sub("end");
    wb_subscription_fini(&sub);
    assert_false(wb_demand_changed(demand));
}

static void a_live_edge_is_the_latest_group(void **state)
{
    const struct wb_request other = groups(1, 3);

    (void)state;
    for (unsigned i = 0; i < 5; i++)
        arrive(i);
    subscribe(NULL, 0);
    assert_asks("[4,*]");
    assert_fold(false, 0, false, 0);
    arrive(6);
    arrive(5);
    assert_sub("4 6 5 pend");
    update(&other, 1); /* what the live edge passed over is seen now */
    assert_sub("1 2 pend");
    update(NULL, 0); /* stays where it was found */
    assert_asks("[4,*]");
    assert_sub("pend");
    wb_subscription_fini(&sub);
}

static void a_live_edge_that_is_still_to_come(void **state)
{
    const struct wb_request until = {.kind = WB_REQUEST_LIVE, .range = {.end = group_bound(7)}};

    (void)state;
    subscribe(&until, 1);
    assert_asks("[0,6]");
    assert_fold(false, 0, true, 7);
    arrive(5);
    arrive(6);
    arrive(3);
    assert_sub("5 6 pend");
    assert_asks("[5,6]");
    assert_fold(false, 0, true, 7);
    wb_subscription_fini(&sub);
}

static void a_live_edge_at_or_past_its_end(void **state)
{
    const struct wb_request until = {.kind = WB_REQUEST_LIVE, .range = {.end = group_bound(3)}};

    (void)state;
    arrive(3);
    subscribe(&until, 1);
    assert_asks("");
    assert_sub("pend");
    wb_subscription_fini(&sub);
}

static void times_are_learned(void **state)
{
    const struct wb_request request = times(25, 45);
    struct wb_group *g;

    (void)state;
    for (unsigned i = 1; i <= 3; i++)
        arrive_at(i, i * 10, 0); /* 10 20 30 */
    subscribe(&request, 1);
    assert_asks("[2,*]"); /* 2 reaches to 30 */
    assert_fold(true, 2, false, 0);
    assert_sub("2 3 pend");
    g = track_create(track, 4, 0);
    arrive_at(5, 50, 0);
    assert_sub("pend"); /* not judged, and what is behind it neither */
    assert_asks("[2,*]");
    assert_int_equal(add_sized(g, 40, 1), WB_OK);
    assert_true(wb_subscription_awake(&sub, 0));
    assert_sub("4 pend");
    assert_asks("[2,4]");
    assert_fold(true, 2, true, 5);
    assert_int_equal(wb_subscription_parked(&sub), 1);
    track_close(g);
    wb_subscription_fini(&sub);
}

static void times_before_anything_is_known(void **state)
{
    const struct wb_request request = times(25, 30), none = times(25, 25);

    (void)state;
    subscribe(&request, 1);
    assert_asks("[0,*]");
    arrive_at(7, 30, 0); /* its interval begins where the request ends */
    arrive_at(5, 25, 0);
    arrive_at(4, 20, 0);
    assert_sub("5 pend");
    assert_asks("[5,6]");
    update(&none, 1);
    assert_asks("");
    wb_subscription_fini(&sub);
}

static void nothing_ends_while_a_group_waits_to_be_judged(void **state)
{
    const struct wb_request request = times(0, 30);
    struct wb_group *g = track_create(track, 1, 0);

    (void)state;
    subscribe(&request, 1);
    assert_int_equal(wb_track_finish(track), WB_OK);
    assert_sub("pend");
    assert_int_equal(add_sized(g, 5, 1), WB_OK);
    assert_sub("1 end");
    track_close(g);
    wb_subscription_fini(&sub);
}

/* ---- age ------------------------------------------------------------------------------------- */

static void case_129_budgets(void **state)
{
    (void)state;
    for (unsigned i = 1; i <= 4; i++)
        arrive_at(i, i * 1000, 0); /* a second each */
    subscribe_aged(from_group(0), 0);
    assert_gives_at(0, "!1 !2 !3 4 pend");
    wb_subscription_fini(&sub);

    subscribe_aged(from_group(0), 2 * SECOND); /* reaches 2 3 4: group 1 is two behind */
    assert_gives_at(0, "!1 2 3 4 pend");
    wb_subscription_fini(&sub);

    subscribe_aged(from_group(0), SECOND);
    wb_subscription_cap(&sub, group_bound(4)); /* the edge is 3 */
    assert_gives_at(0, "!1 2 3 pend");
    wb_subscription_fini(&sub);

    subscribe_aged(from_group(0), SECOND + 1); /* just not as far behind */
    assert_gives_at(0, "!1 2 3 4 pend");
    wb_subscription_fini(&sub);
}

static void case_129_a_fetch_is_never_too_old(void **state)
{
    struct wb_group *g;

    (void)state;
    for (unsigned i = 1; i <= 4; i++)
        arrive_at(i, i * 1000, 0);
    subscribe_aged(from_group(0), 0);
    assert_gives_at(9 * SECOND, "!1 !2 !3 4 pend");
    g = wb_track_fetch(track, 1, 9 * SECOND);
    assert_non_null(g);
    wb_group_drop(g);
    wb_subscription_fini(&sub);
}

static void case_129_what_is_no_live_edge(void **state)
{
    (void)state;
    arrive_at(5, 5000, 0);
    arrive_at(4, 9000, 0); /* lower: no edge, whatever it says */
    subscribe_aged(from_group(0), SECOND);
    assert_gives_at(0, "5 4 pend");
    wb_subscription_fini(&sub);

    subscribe_aged(from_group(0), SECOND);
    arrive_at(6, 99000, 0);
    evict(6); /* convicts nothing */
    assert_gives_at(2 * SECOND, "5 !4 pend");
    wb_subscription_fini(&sub);
}

static void case_129_by_the_clock(void **state)
{
    (void)state;
    put(track, 1, 1, 0);
    put(track, 2, 1, 3 * SECOND);
    subscribe_aged(from_group(0), 5 * SECOND);
    wb_subscription_cap(&sub, group_bound(2));
    assert_gives_at(5 * SECOND, "1 pend"); /* no edge above it below the cap */
    wb_subscription_fini(&sub);

    subscribe_aged(from_group(0), 5 * SECOND);
    assert_gives_at(5 * SECOND, "!1 2 pend"); /* exactly as old is too old */
    wb_subscription_fini(&sub);

    subscribe_aged(from_group(0), 5 * SECOND);
    assert_gives_at(5 * SECOND - 1, "1 2 pend");
    wb_subscription_fini(&sub);
}

static void case_129_one_that_is_being_read(void **state)
{
    struct wb_subscription_config config = asking(NULL, 0);
    struct wb_group *g = track_create(track, 1, 0);
    struct wb_group_frame frame;
    struct wb_delivery d;

    (void)state;
    assert_true(track_write(track, g, 3, 0));
    subscribe_aged(from_group(0), 2 * SECOND);
    assert_int_equal(wb_subscription_next(&sub, 0, &d), WB_OK);
    assert_true(wb_subscription_deadline(&sub, g) == MAX);
    put(track, 2, 1, SECOND);
    assert_true(wb_subscription_deadline(&sub, g) == 2 * SECOND);

    /* A frame that is there is given, however old; then it would have to wait. */
    assert_int_equal(wb_subscription_read(&sub, &d.reader, 9 * SECOND, &frame), WB_OK);
    wb_frame_reader_fini(&frame.reader);
    assert_int_equal(wb_subscription_read(&sub, &d.reader, 2 * SECOND - 1, &frame), WB_MORE);
    assert_int_equal(wb_subscription_read(&sub, &d.reader, 2 * SECOND, &frame), WB_E_OLD);

    /* A wider budget lets it wait again. */
    config.max_age_ns = 20 * SECOND;
    assert_int_equal(wb_subscription_update(&sub, &config), WB_OK);
    assert_int_equal(wb_subscription_read(&sub, &d.reader, 2 * SECOND, &frame), WB_MORE);
    assert_true(wb_subscription_deadline(&sub, g) == 20 * SECOND);
    config.max_age_ns = WB_DEMAND_NO_AGE;
    assert_int_equal(wb_subscription_update(&sub, &config), WB_OK);
    assert_true(wb_subscription_deadline(&sub, g) == MAX);

    /* Read to its end, it ends. */
    track_close(g);
    config.max_age_ns = 0;
    assert_int_equal(wb_subscription_update(&sub, &config), WB_OK);
    assert_int_equal(wb_subscription_read(&sub, &d.reader, 9 * SECOND, &frame), WB_END);
    wb_group_reader_fini(&d.reader);
    wb_subscription_fini(&sub);
}

static void ages_at_the_ends_of_their_numbers(void **state)
{
    (void)state;
    arrive_at(1, 0, 0);
    arrive_at(2, 0, 0);
    arrive_at(3, (UINT64_C(1) << 62) - 1, 0);
    subscribe_aged(from_group(0), WB_DEMAND_NO_AGE - 1); /* 18446744073.709551614 s */
    assert_gives_at(0, "!1 2 3 pend");                   /* 2^62 ms are more */
    wb_subscription_fini(&sub);
    subscribe_aged(from_group(0), WB_DEMAND_NO_AGE);
    assert_gives_at(MAX, "1 2 3 pend");
    wb_subscription_fini(&sub);
}

static void case_130_ages_read_back(void **state)
{
    struct wb_fold fold;

    (void)state;
    subscribe_aged(from_group(0), 10 * SECOND);
    fold = *wb_demand_fold(demand);
    assert_true(wb_fold_age(&fold, 5 * SECOND) == 5 * SECOND);
    assert_true(wb_fold_age(&fold, 20 * SECOND) == 10 * SECOND);
    assert_true(fold.max_age_ns == 10 * SECOND);
    wb_subscription_fini(&sub);
}

static void case_128_a_floor_follows_the_demand(void **state)
{
    const struct wb_request requests[] = {from_group(5), from_group(8), from_group(3)};

    (void)state;
    subscribe(&requests[0], 1);
    assert_fold(true, 5, false, 0);
    assert_true(wb_demand_changed(demand));
    for (unsigned i = 1; i < 3; i++) {
        update(&requests[i], 1);
        assert_fold(true, requests[i].range.start.group, false, 0);
        assert_true(wb_demand_changed(demand));
    }
    update(NULL, 0);
    assert_fold(false, 0, false, 0);
    assert_true(wb_demand_changed(demand));
    wb_subscription_fini(&sub);
    assert_false(wb_demand_fold(demand)->some);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SUB_CASE(several_ranges_at_once),
        SUB_CASE(groups_in_a_hole_come_with_a_later_request),
        SUB_CASE(refused_requests),
        SUB_CASE(case_125_an_empty_range_is_no_demand),
        SUB_CASE(a_live_edge_is_the_latest_group),
        SUB_CASE(a_live_edge_that_is_still_to_come),
        SUB_CASE(a_live_edge_at_or_past_its_end),
        SUB_CASE(times_are_learned),
        SUB_CASE(times_before_anything_is_known),
        SUB_CASE(nothing_ends_while_a_group_waits_to_be_judged),
        SUB_CASE(case_129_budgets),
        SUB_CASE(case_129_a_fetch_is_never_too_old),
        SUB_CASE(case_129_what_is_no_live_edge),
        SUB_CASE(case_129_by_the_clock),
        SUB_CASE(case_129_one_that_is_being_read),
        SUB_CASE(ages_at_the_ends_of_their_numbers),
        SUB_CASE(case_130_ages_read_back),
        SUB_CASE(case_128_a_floor_follows_the_demand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
