/*
 * Tracks under a pool that is too small, and groups that grow old.
 *
 * The cases' figures are payload; a group bills 256 and its segment's header (24) on top, and each
 * creation counts 256 as written. Bounds on what is used leave room for that.
 */
#include "targets/test_track.h"

static void case_137_three_large_groups(void **state)
{
    struct wb_track *t = track_new(10000, WB_TRACK_NO_AGE);
    struct wb_group_reader r;

    (void)state;
    put(t, 0, 10000, 0);
    wb_group_reader_init(&r, wb_track_peek(t, 0));
    put(t, 1, 10000, 0);
    put(t, 2, 10000, 0);
    assert_null(wb_track_peek(t, 0));
    assert_non_null(wb_track_peek(t, 2));
    assert_in_range(wb_pool_used(&pool), 1, 21000);
    assert_ends(&r, WB_E_EVICTED);
    wb_group_reader_fini(&r);
    wb_track_drop(t);
}

static void case_138_latest_is_never_evicted(void **state)
{
    struct wb_track *t = track_new(100, WB_TRACK_NO_AGE);

    (void)state;
    for (uint64_t i = 0; i < 3; i++) {
        put(t, i, 1000, 0);
        assert_non_null(wb_track_peek(t, i));
    }
    assert_live(t, "2");
    wb_track_drop(t);
}

static void case_139_fetched_group_survives(void **state)
{
    struct wb_track *t = track_new(10000, WB_TRACK_NO_AGE);

    (void)state;
    for (uint64_t i = 0; i < 5; i++) {
        put(t, i, 3000, 0);
        if (i == 2)
            wb_group_drop(wb_track_fetch(t, 0, 0));
    }
    assert_non_null(wb_track_peek(t, 0));
    assert_null(wb_track_peek(t, 1));
    wb_track_drop(t);
}

static void case_140_large_victim_waits_for_its_debt(void **state)
{
    struct wb_track *t = track_new(22000, WB_TRACK_NO_AGE);

    (void)state;
    put(t, 0, 20000, 0);
    for (uint64_t i = 1; i <= 23; i++) {
        if (i == 4)
            assert_live(t, "0 1 2 3");
        put(t, i, 1000, 0);
    }
    assert_null(wb_track_peek(t, 0));
    assert_in_range(wb_pool_used(&pool), 1, 24000);
    wb_track_drop(t);
}

/* The write: a new group. It settles the 1,000 bytes of the tenth and its own 256. */
static void case_141_payment_has_a_limit(void **state)
{
    struct wb_track *t = track_new(WB_POOL_NO_LIMIT, WB_TRACK_NO_AGE);

    (void)state;
    for (uint64_t i = 0; i < 10; i++)
        put(t, i, 1000, 0);
    wb_pool_resize(&pool, 100);
    put(t, 10, 1000, 0);
    assert_live(t, "2 3 4 5 6 7 8 9 10");
    wb_track_drop(t);
}

/* No hint outlives its group: the track's check counts the order against the live groups. */
static void case_142_recreations_leave_nothing_behind(void **state)
{
    struct wb_track *t = track_new(WB_POOL_NO_LIMIT, WB_TRACK_NO_AGE);

    (void)state;
    put(t, 9, 10, 0);
    for (unsigned i = 0; i < 200; i++) {
        put(t, 3, 10, 0);
        assert_live(t, "3 9");
        wb_group_abort(wb_track_peek(t, 3), WB_E_EVICTED);
        wb_track_check(t);
    }
    assert_int_equal(wb_track_live(t), 1);
    assert_int_equal(pool.entries, 1);
    wb_track_drop(t);
}

static void case_143_open_group_is_evicted_in_place(void **state)
{
    struct wb_track *t = track_new(2000, WB_TRACK_NO_AGE);
    struct wb_group *g = track_create(t, 0, 0);
    struct wb_slice s;

    (void)state;
    put(t, 1, 10, 0);
    assert_false(track_write(t, g, 300000, 0));
    assert_int_equal(wb_group_aborted(g), WB_E_EVICTED);
    assert_int_equal(wb_group_finish(g), WB_E_EVICTED);
    s = bytes(1);
    assert_int_equal(wb_group_add(g, 0, &s), WB_E_EVICTED);
    wb_slice_drop(&s);
    wb_group_leave(g);
    assert_live(t, "1");
    wb_track_drop(t);
}

static void case_145_backfill_before_the_first_group(void **state)
{
    struct wb_track *t = track_new(12000, WB_TRACK_NO_AGE);
    struct wb_group *g;

    (void)state;
    assert_int_equal(wb_track_backfill(t, 0, 0, &g), WB_OK);
    assert_true(track_write(t, g, 30000, 0));
    track_close(g);
    for (uint64_t i = 1; i < 4; i++)
        put(t, i, 1000, 0);
    assert_null(wb_track_peek(t, 0));
    assert_in_range(wb_pool_used(&pool), 1, 13000);
    wb_track_drop(t);
}

static void case_146_empty_groups_repay_themselves(void **state)
{
    struct wb_track *t = track_new(1000, WB_TRACK_NO_AGE);

    (void)state;
    for (uint64_t i = 0; i < 300; i++) {
        track_close(track_create(t, i, i));
        assert_in_range(wb_pool_used(&pool), 1, 1000 + 256);
    }
    wb_track_drop(t);
}

static void case_148_write_restarts_the_clock(void **state)
{
    struct wb_track *t = track_new(WB_POOL_NO_LIMIT, 10 * SECOND);
    struct wb_group *a = track_create(t, 0, 0), *b = track_create(t, 9, 0);

    (void)state;
    put(t, 1, 1, 0);
    assert_true(track_write(t, a, 1, 10 * SECOND));
    assert_live(t, "0 1 9"); /* exactly the age is not over it */
    assert_true(track_write(t, b, 1, 10 * SECOND + 1));
    assert_live(t, "0 9"); /* 1 was behind a front that is used */
    assert_true(track_write(t, b, 1, 20 * SECOND));
    assert_live(t, "0 9");
    assert_true(track_write(t, b, 1, 20 * SECOND + 1));
    assert_live(t, "9");
    assert_int_equal(wb_group_aborted(a), WB_E_OLD);
    track_close(a);
    track_close(b);
    wb_track_drop(t);
}

static void case_148_late_group_and_latest_are_kept(void **state)
{
    struct wb_track *t = track_new(WB_POOL_NO_LIMIT, SECOND);
    struct wb_group *late;

    (void)state;
    put(t, 5, 1, 0);
    late = track_create(t, 3, 20 * SECOND);
    assert_true(track_write(t, late, 1, 20 * SECOND));
    assert_live(t, "3 5"); /* the latest is never too old */
    wb_group_drop(wb_track_fetch(t, 3, 22 * SECOND));
    assert_true(track_write(t, late, 1, 21 * SECOND)); /* a clock that went back */
    assert_live(t, "3 5");
    wb_track_wrote(t, wb_track_peek(t, 5), 1, 23 * SECOND);
    assert_live(t, "3 5");
    wb_track_wrote(t, wb_track_peek(t, 5), 1, 23 * SECOND + 1);
    assert_live(t, "5");
    track_close(late);
    wb_track_drop(t);
}

/* Four looks a write, going round by sequence. */
static void expiry_goes_round(void **state)
{
    struct wb_track *t = track_new(WB_POOL_NO_LIMIT, SECOND);

    (void)state;
    for (uint64_t i = 0; i < 12; i++)
        track_close(track_create(t, i, 0));
    for (uint64_t i = 0; i < 12; i += 2)
        wb_group_drop(wb_track_fetch(t, i, 9 * SECOND));
    wb_track_wrote(t, wb_track_peek(t, 11), 1, 10 * SECOND);
    assert_live(t, "0 2 4 5 6 7 8 9 10 11");
    wb_track_wrote(t, wb_track_peek(t, 11), 1, 10 * SECOND);
    assert_live(t, "0 2 4 6 8 9 10 11");
    wb_track_wrote(t, wb_track_peek(t, 11), 1, 10 * SECOND);
    assert_live(t, "0 2 4 6 8 10 11");
    wb_track_wrote(t, wb_track_peek(t, 11), 1, 20 * SECOND);
    assert_live(t, "8 10 11");
    wb_track_wrote(t, wb_track_peek(t, 11), 1, 20 * SECOND);
    assert_live(t, "11");
    wb_track_wrote(t, wb_track_peek(t, 11), 1, 90 * SECOND);
    assert_live(t, "11");
    wb_track_drop(t);
}

/* A group is no victim of its own creation, even when it is late and the pool far too small. */
static void new_group_is_no_victim(void **state)
{
    struct wb_track *t = track_new(1, WB_TRACK_NO_AGE);
    struct wb_group *g;

    (void)state;
    put(t, 9, 1000, 0);
    g = track_create(t, 3, 0);
    assert_int_equal(wb_group_aborted(g), WB_OK);
    assert_live(t, "3 9");
    track_close(g);
    put(t, 4, 10, 0);
    assert_live(t, "4 9"); /* 3 was the next one's */
    wb_track_drop(t);
}

/* What is said of a group that is gone counts for nothing. */
static void late_word_of_a_group(void **state)
{
    struct wb_track *t = track_new(WB_POOL_NO_LIMIT, SECOND);
    struct wb_group *g = track_create(t, 5, 0);

    (void)state;
    put(t, 0, 1000, 0);
    put(t, 9, 1000, 0);
    wb_pool_resize(&pool, 100);
    wb_group_abort(g, WB_E_CANCEL);
    wb_track_wrote(t, g, 300000, 9 * SECOND);
    wb_track_check(t);
    assert_live(t, "0 9");
    wb_group_leave(g);
    wb_track_drop(t);
}

/* A slow reader across eviction: what it holds stays, what it has not read is gone. */
static void slow_reader_across_eviction(void **state)
{
    struct wb_track *t = track_new(5000, WB_TRACK_NO_AGE);
    struct wb_group *g = track_create(t, 0, 0);
    struct wb_group_reader slow, drained;
    struct wb_group_frame held;
    enum wb_err err;

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_true(track_write(t, g, 1000, 0));
    wb_group_reader_init(&slow, g);
    wb_group_reader_init(&drained, g);
    for (uint64_t i = 0; i < 3; i++)
        assert_gives(&drained, i, 1000);
    assert_int_equal(wb_group_next(&slow, &held), WB_OK);
    track_close(g);
    put(t, 1, 4000, 0);
    put(t, 2, 4000, 0);
    assert_live(t, "2");
    assert_ends(&slow, WB_E_EVICTED);
    assert_ends(&drained, WB_END);
    assert_int_equal(drain(&held.reader, &err), 1000);
    assert_int_equal(err, WB_END);
    wb_frame_reader_fini(&held.reader);
    assert_int_equal(wb_pool_used(&pool), 256 + header_size() + 4000);
    put(t, 0, 10, 0); /* the sequence may come again; the old readers see nothing of it */
    assert_ends(&slow, WB_E_EVICTED);
    assert_arrivals(t, "2 0");
    wb_group_reader_fini(&slow);
    wb_group_reader_fini(&drained);
    wb_track_drop(t);
}

/* Two tracks share 512 bytes: each keeps its latest, and nothing is left in the end. */
static void two_tracks_in_a_small_pool(void **state)
{
    struct wb_track *t = track_new(512, WB_TRACK_NO_AGE), *u = track_new(512, WB_TRACK_NO_AGE);

    (void)state;
    for (uint64_t i = 0; i < 50; i++) {
        put(t, i, 100, i * SECOND);
        put(u, i, 200, i * SECOND);
        assert_non_null(wb_track_peek(t, i));
        assert_non_null(wb_track_peek(u, i));
        assert_in_range(wb_pool_used(&pool), 1, 4 * (256 + 24 + 200));
    }
    wb_track_drop(t);
    assert_live(u, "49");
    wb_track_drop(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(case_137_three_large_groups),
        CASE(case_138_latest_is_never_evicted),
        CASE(case_139_fetched_group_survives),
        CASE(case_140_large_victim_waits_for_its_debt),
        CASE(case_141_payment_has_a_limit),
        CASE(case_142_recreations_leave_nothing_behind),
        CASE(case_143_open_group_is_evicted_in_place),
        CASE(case_145_backfill_before_the_first_group),
        CASE(case_146_empty_groups_repay_themselves),
        CASE(case_148_write_restarts_the_clock),
        CASE(case_148_late_group_and_latest_are_kept),
        CASE(expiry_goes_round),
        CASE(new_group_is_no_victim),
        CASE(late_word_of_a_group),
        CASE(slow_reader_across_eviction),
        CASE(two_tracks_in_a_small_pool),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
