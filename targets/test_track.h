/*
 * test_track.h: what the tests of tracks share: a track over the pool of test_group.h, and groups
 * of one frame that come and go in a line.
 */
#ifndef TARGETS_TEST_TRACK_H
#define TARGETS_TEST_TRACK_H

#include "core/media/track.h"
#include "targets/test_group.h"

#define SECOND UINT64_C(1000000000)

static inline struct wb_track *track_new(uint64_t capacity, uint64_t max_age_ns)
{
    const struct wb_track_config config = {.pool = &pool, .max_age_ns = max_age_ns};
    struct wb_track *t;

    wb_pool_resize(&pool, capacity);
    assert_int_equal(wb_track_new(&memory.mem, &config, &t), WB_OK);
    wb_track_check(t);
    return t;
}

static inline struct wb_group *track_create(struct wb_track *t, uint64_t sequence, uint64_t now_ns)
{
    struct wb_group *g = NULL;

    assert_int_equal(wb_track_create(t, sequence, now_ns, &g), WB_OK);
    assert_true(wb_group_sequence(g) == sequence);
    wb_track_check(t);
    return g;
}

/* One frame more; false when the group is gone. */
static inline bool track_write(struct wb_track *t, struct wb_group *g, size_t len, uint64_t now_ns)
{
    if (add_sized(g, 0, len) != WB_OK)
        return false;
    wb_track_wrote(t, g, len, now_ns);
    wb_track_check(t);
    return wb_group_aborted(g) == WB_OK;
}

/* The writer ends it and goes. */
static inline void track_close(struct wb_group *g)
{
    if (wb_group_aborted(g) == WB_OK)
        assert_int_equal(wb_group_finish(g), WB_OK);
    wb_group_leave(g);
}

/* A whole group of one frame. */
static inline void put(struct wb_track *t, uint64_t sequence, size_t len, uint64_t now_ns)
{
    struct wb_group *g = track_create(t, sequence, now_ns);

    (void)track_write(t, g, len, now_ns);
    track_close(g);
}

/* The live sequences, ascending, such as "0 2 3". */
static inline void assert_live(const struct wb_track *t, const char *want)
{
    char got[512] = "";
    size_t n = 0;
    uint64_t at = 0;
    bool first = true;

    for (struct wb_group *g; (g = wb_track_above(t, at, first)) != NULL; first = false) {
        at = wb_group_sequence(g);
        assert_true(at < 1000);
        assert_ptr_equal(wb_track_peek(t, at), g);
        n += (size_t)snprintf(got + n, sizeof(got) - n, first ? "%u" : " %u", (unsigned)at);
    }
    assert_string_equal(got, want);
}

/* The arrivals that are there, by their sequences. */
static inline void assert_arrivals(const struct wb_track *t, const char *want)
{
    char got[512] = "";
    size_t n = 0;
    struct wb_group *g;

    for (uint64_t at = 0; (g = wb_track_arrival(t, &at)) != NULL; at++)
        n += (size_t)snprintf(got + n, sizeof(got) - n, n == 0 ? "%u" : " %u",
                              (unsigned)wb_group_sequence(g));
    assert_string_equal(got, want);
}

#endif
