/*
 * test_subscription.h: what the tests of subscriptions share: one subscription of one track, and
 * what it gives as a line of text.
 */
#ifndef TARGETS_TEST_SUBSCRIPTION_H
#define TARGETS_TEST_SUBSCRIPTION_H

#include "core/window/subscription.h"
#include "targets/test_track.h"

static struct wb_track *track;
static struct wb_demand *demand;
static struct wb_subscription sub;

static inline struct wb_bound group_bound(uint64_t group)
{
    return wb_bound_at(wb_position_group(group));
}

static inline struct wb_request from_group(uint64_t group)
{
    return (struct wb_request){.kind = WB_REQUEST_RANGE, .range = {wb_position_group(group), {0}}};
}

static inline struct wb_request groups(uint64_t from, uint64_t to)
{
    return (struct wb_request){.kind = WB_REQUEST_RANGE,
                               .range = {wb_position_group(from), group_bound(to)}};
}

static inline struct wb_request times(uint64_t t0, uint64_t t1)
{
    return (struct wb_request){.kind = WB_REQUEST_TIME, .t0 = t0, .t1 = t1};
}

static inline struct wb_subscription_config asking(const struct wb_request *requests, size_t count)
{
    return (struct wb_subscription_config){
        .max_age_ns = WB_DEMAND_NO_AGE, .timescale = 1000, .requests = requests, .count = count};
}

/* A fresh track and one subscription to it; count 0 = live. */
static inline void subscribe(const struct wb_request *requests, size_t count)
{
    const struct wb_subscription_config config = asking(requests, count);

    assert_int_equal(wb_subscription_init(&sub, &memory.mem, track, demand, &config), WB_OK);
    wb_subscription_check(&sub);
}

static inline void update(const struct wb_request *requests, size_t count)
{
    const struct wb_subscription_config config = asking(requests, count);

    assert_int_equal(wb_subscription_update(&sub, &config), WB_OK);
    wb_subscription_check(&sub);
}

static inline void subscribe_aged(struct wb_request request, uint64_t max_age_ns)
{
    struct wb_subscription_config config = asking(&request, 1);

    config.max_age_ns = max_age_ns;
    assert_int_equal(wb_subscription_init(&sub, &memory.mem, track, demand, &config), WB_OK);
}

static inline int begin_subscription(void **state)
{
    begin(state);
    track = track_new(WB_POOL_NO_LIMIT, WB_TRACK_NO_AGE);
    assert_int_equal(wb_demand_new(&memory.mem, &demand), WB_OK);
    return 0;
}

/* The test has ended its subscription. */
static inline int end_subscription(void **state)
{
    assert_int_equal(wb_demand_subscribers(demand), 0);
    wb_demand_free(demand);
    wb_track_drop(track);
    return end(state);
}

#define SUB_CASE(name) cmocka_unit_test_setup_teardown(name, begin_subscription, end_subscription)

/* An empty, unfinished group of no frames yet, whose writer went. */
static inline void arrive(uint64_t sequence)
{
    put(track, sequence, 1, 0);
}

/* One frame with that timestamp. */
static inline void arrive_at(uint64_t sequence, uint64_t timestamp, uint64_t now_ns)
{
    struct wb_group *g = track_create(track, sequence, now_ns);

    assert_int_equal(add_sized(g, timestamp, 1), WB_OK);
    track_close(g);
}

static inline void evict(uint64_t sequence)
{
    wb_group_abort(wb_track_peek(track, sequence), WB_E_EVICTED);
}

/*
 * All it gives now, such as "2 3 !5 pend": `!` is dropped; then how it stands: pend, end, or the
 * name of an error.
 */
static inline void assert_gives_at(uint64_t now_ns, const char *want)
{
    char got[512] = "";
    size_t n = 0;
    struct wb_delivery d;
    enum wb_err err;

    for (;;) {
        bool awake = wb_subscription_awake(&sub, now_ns);

        wb_subscription_check(&sub);
        err = wb_subscription_next(&sub, now_ns, &d);
        wb_subscription_check(&sub);
        assert_int_equal(awake, err != WB_MORE);
        if (err != WB_OK)
            break;
        n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%u ",
                              d.kind == WB_DELIVER_DROPPED ? "!" : "", (unsigned)d.sequence);
        assert_int_equal(d.kind == WB_DELIVER_DROPPED, d.reason != WB_OK);
        wb_group_reader_fini(&d.reader);
    }
    snprintf(got + n, sizeof(got) - n, "%s",
             err == WB_MORE  ? "pend"
             : err == WB_END ? "end"
                             : wb_err_name((int)err));
    assert_string_equal(got, want);
}

#define assert_sub(want) assert_gives_at(0, want)

/* Ascending, in the same words. */
static inline void assert_ascends(const char *want)
{
    char got[512] = "";
    size_t n = 0;
    struct wb_group *g;
    enum wb_err err;

    while ((err = wb_subscription_ascend(&sub, &g)) == WB_OK)
        n += (size_t)snprintf(got + n, sizeof(got) - n, "%u ", (unsigned)wb_group_sequence(g));
    snprintf(got + n, sizeof(got) - n, "%s", err == WB_MORE ? "pend" : "end");
    assert_string_equal(got, want);
}

#endif
