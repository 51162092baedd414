/*
 * Tracks: numbers, boundary, arrivals, ends, and who may outlive whom.
 */
#include "targets/test_track.h"

static void case_108_finish_an_empty_track(void **state)
{
    struct wb_track *t = track_new(WB_POOL_NO_LIMIT, WB_TRACK_NO_AGE);
    struct wb_group *g;
    uint64_t boundary = 9;

    (void)state;
    assert_false(wb_track_finished(t, &boundary));
    assert_int_equal(wb_track_finish(t), WB_OK);
    assert_true(wb_track_finished(t, &boundary));
    assert_int_equal(boundary, 0);
    assert_int_equal(wb_track_finish(t), WB_E_FINISHED);
    assert_int_equal(wb_track_finish_at(t, 5), WB_E_FINISHED);
    assert_int_equal(wb_track_append(t, 0, &g), WB_E_FINISHED);
    assert_int_equal(wb_track_create(t, 0, 0, &g), WB_E_FINISHED);
    assert_int_equal(wb_track_backfill(t, 0, 0, &g), WB_E_FINISHED);
    assert_int_equal(wb_track_take(t, 0), WB_E_FINISHED);
    wb_track_drop(t);
}

static void case_109_boundary_above_what_there_is(void **state)
{
    struct wb_track *t = track_new(WB_POOL_NO_LIMIT, WB_TRACK_NO_AGE);
    struct wb_group *g;

    (void)state;
    put(t, 5, 10, 0);
    assert_int_equal(wb_track_finish_at(t, 4), WB_E_BOUNDS);
    assert_int_equal(wb_track_finish_at(t, 5), WB_E_BOUNDS);
    assert_int_equal(wb_track_finish_at(t, 6), WB_OK);
    put(t, 4, 10, 0);
    assert_int_equal(wb_track_create(t, 6, 0, &g), WB_E_FINISHED);
    assert_int_equal(wb_track_create(t, MAX, 0, &g), WB_E_FINISHED);
    assert_int_equal(wb_track_append(t, 0, &g), WB_E_FINISHED);
    assert_int_equal(wb_track_create(t, 5, 0, &g), WB_E_DUPLICATE);
    assert_live(t, "4 5");
    wb_track_drop(t);
}

static void case_110_future_boundary(void **state)
{
    struct wb_track *t = track_new(WB_POOL_NO_LIMIT, WB_TRACK_NO_AGE);
    struct wb_group *g;
    uint64_t boundary;

    (void)state;
    put(t, 5, 10, 0);
    assert_int_equal(wb_track_finish_at(t, 7), WB_OK);
    assert_true(wb_track_finished(t, &boundary));
    assert_int_equal(boundary, 7);
    assert_int_equal(wb_track_append(t, 0, &g), WB_OK);
    assert_int_equal(wb_group_sequence(g), 6);
    track_close(g);
    assert_int_equal(wb_track_append(t, 0, &g), WB_E_FINISHED);
    wb_track_check(t);
    wb_track_drop(t);
}

/* Case 120, the numbers: groups and datagrams share one sequence. */
static void case_120_datagrams_take_numbers(void **state)
{
    const uint64_t want[] = {0, 2, 101};
    struct wb_track *t = track_new(WB_POOL_NO_LIMIT, WB_TRACK_NO_AGE);
    struct wb_group *g;
    uint64_t boundary;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(wb_track_append(t, 0, &g), WB_OK);
        assert_int_equal(wb_group_sequence(g), want[i]);
        track_close(g);
        assert_int_equal(wb_track_take(t, i == 0 ? 1 : 100), WB_OK);
    }
    assert_int_equal(wb_track_take(t, 102), WB_OK);
    assert_int_equal(wb_track_finish_at(t, 102), WB_E_BOUNDS);
    assert_int_equal(wb_track_finish(t), WB_OK);
    assert_true(wb_track_finished(t, &boundary));
    assert_int_equal(boundary, 103);
    assert_int_equal(wb_track_take(t, 103), WB_E_FINISHED);
    assert_int_equal(wb_track_take(t, 102), WB_OK);
    wb_track_drop(t);
}

static void largest_numbers(void **state)
{
    struct wb_track *t = track_new(WB_POOL_NO_LIMIT, WB_TRACK_NO_AGE);
    struct wb_group *g = NULL;
    uint64_t n = 0;

    (void)state;
    put(t, MAX - 1, 1, MAX);
    assert_int_equal(wb_track_append(t, MAX, &g), WB_OK);
    assert_true(wb_group_sequence(g) == MAX);
    wb_track_wrote(t, g, MAX, MAX);
    wb_track_check(t);
    track_close(g);
    g = NULL;
    assert_int_equal(wb_track_append(t, 0, &g), WB_E_BOUNDS);
    assert_null(g);
    assert_null(wb_track_above(t, MAX, false));
    assert_ptr_equal(wb_track_above(t, MAX, true), wb_track_peek(t, MAX));
    assert_ptr_equal(wb_track_above(t, MAX - 1, false), wb_track_peek(t, MAX));
    assert_true(wb_track_latest(t, &n));
    assert_true(n == MAX);
    n = MAX;
    assert_null(wb_track_arrival(t, &n));
    assert_true(n == MAX);
    assert_int_equal(wb_track_finish_at(t, MAX), WB_E_BOUNDS);
    assert_int_equal(wb_track_finish(t), WB_OK);
    assert_true(wb_track_finished(t, &n));
    assert_true(n == MAX); /* all that 64 bits can say */
    wb_track_check(t);
    put(t, 3, 1, 0);
    wb_track_drop(t);
}

static void case_147_arrivals(void **state)
{
    struct wb_track *t = track_new(WB_POOL_NO_LIMIT, WB_TRACK_NO_AGE);
    struct wb_group *g;
    uint64_t at = 1;

    (void)state;
    put(t, 2, 1, 0);
    put(t, 1, 1, 0);
    assert_int_equal(wb_track_backfill(t, 0, 0, &g), WB_OK); /* no arrival */
    assert_int_equal(wb_track_backfill(t, 0, 0, &g), WB_E_DUPLICATE);
    track_close(g);
    put(t, 7, 1, 0);
    assert_live(t, "0 1 2 7");
    assert_arrivals(t, "2 1 7");
    assert_int_equal(wb_track_arrivals(t), 3);
    assert_int_equal(wb_track_live(t), 4);
    assert_ptr_equal(wb_track_arrival(t, &at), wb_track_peek(t, 1));

    wb_group_abort(wb_track_peek(t, 1), WB_E_EVICTED); /* lost, and fetched again */
    assert_live(t, "0 2 7");
    assert_arrivals(t, "2 7");
    assert_ptr_equal(wb_track_arrival(t, &at), wb_track_peek(t, 7));
    assert_int_equal(at, 2);
    assert_int_equal(wb_track_backfill(t, 1, 0, &g), WB_OK);
    track_close(g);
    assert_live(t, "0 1 2 7");
    assert_arrivals(t, "2 7");
    assert_int_equal(wb_track_arrivals(t), 3);
    wb_track_drop(t);
}

/* A group that its writer aborts or leaves is absent at once; the one below is the latest then. */
static void aborted_groups_are_absent(void **state)
{
    struct wb_track *t = track_new(WB_POOL_NO_LIMIT, WB_TRACK_NO_AGE);
    struct wb_group *g, *h;
    uint64_t latest;

    (void)state;
    put(t, 1, 10, 0);
    g = track_create(t, 2, 0);
    h = track_create(t, 3, 0);
    wb_group_abort(h, WB_E_CANCEL);
    wb_track_check(t);
    assert_true(wb_track_latest(t, &latest));
    assert_int_equal(latest, 2);
    wb_group_leave(g); /* not finished */
    wb_track_check(t);
    assert_live(t, "1");
    assert_null(wb_track_fetch(t, 2, 0));
    wb_track_wrote(t, h, 100, SECOND); /* too late */
    assert_int_equal(wb_pool_used(&pool), 256 + header_size() + 10);
    wb_group_leave(h);
    h = track_create(t, 3, 0);
    assert_int_equal(wb_track_append(t, 0, &g), WB_OK);
    assert_int_equal(wb_group_sequence(g), 4);
    wb_group_leave(g);
    wb_group_leave(h);
    wb_group_abort(wb_track_peek(t, 1), WB_E_OLD);
    assert_false(wb_track_latest(t, &latest));
    assert_int_equal(wb_track_live(t), 0);
    wb_track_check(t);
    wb_track_drop(t);
}

static void abort_ends_all_groups(void **state)
{
    struct wb_track *t = track_new(WB_POOL_NO_LIMIT, WB_TRACK_NO_AGE);
    struct wb_group *open, *g = NULL;
    struct wb_group_reader r;

    (void)state;
    put(t, 1, 10, 0);
    open = track_create(t, 2, 0);
    (void)frame_open(open, 10);
    wb_group_reader_init(&r, open);
    wb_track_abort(t, WB_E_REMOTE);
    wb_track_abort(t, WB_E_OLD);
    wb_track_check(t);
    assert_int_equal(wb_track_live(t), 0);
    assert_int_equal(wb_pool_used(&pool), 0);
    assert_ends(&r, WB_E_REMOTE);
    assert_int_equal(wb_track_create(t, 9, 0, &g), WB_E_REMOTE);
    assert_int_equal(wb_track_append(t, 0, &g), WB_E_REMOTE);
    assert_int_equal(wb_track_backfill(t, 1, 0, &g), WB_E_REMOTE);
    assert_int_equal(wb_track_take(t, 9), WB_E_REMOTE);
    assert_int_equal(wb_track_finish(t), WB_E_REMOTE);
    assert_int_equal(wb_track_finish_at(t, 100), WB_E_REMOTE);
    assert_null(g);
    wb_group_reader_fini(&r);
    wb_group_leave(open);
    wb_track_drop(t);
}

/* The last handle takes the cache with it; another one defers that. */
static void case_144_last_handle(void **state)
{
    struct wb_track *t = track_new(WB_POOL_NO_LIMIT, WB_TRACK_NO_AGE), *other;

    (void)state;
    put(t, 0, 1000, 0);
    put(t, 1, 1000, 0);
    other = wb_track_share(t);
    wb_track_drop(t);
    assert_int_equal(wb_pool_used(&pool), 2 * (256 + header_size() + 1000));
    assert_live(other, "0 1");
    wb_track_drop(other);
    assert_int_equal(wb_pool_used(&pool), 0);
}

/* Readers and writers that outlive the track, in every order. */
static void every_order_of_teardown(void **state)
{
    (void)state;
    for (unsigned order = 0; order < 24; order++) {
        struct wb_track *t = track_new(WB_POOL_NO_LIMIT, WB_TRACK_NO_AGE);
        struct wb_group *g = track_create(t, 0, 0);
        struct wb_group_reader r;
        struct wb_group_frame f;
        unsigned left[4] = {0, 1, 2, 3}, rest = order;
        enum wb_err err;

        put(t, 1, 10, 0);
        wb_group_reader_init(&r, g);
        assert_true(track_write(t, g, 10, 0));
        (void)frame_open(g, 5);
        wb_group_reader_start_at(&r, 1);
        assert_int_equal(wb_group_next(&r, &f), WB_OK);
        for (unsigned n = 4; n > 0; n--) {
            unsigned pick = rest % n, who = left[pick];

            rest /= n;
            left[pick] = left[n - 1];
            if (who == 0)
                wb_track_drop(t);
            if (who == 1)
                wb_group_leave(g);
            if (who == 2)
                wb_group_reader_fini(&r);
            if (who == 3) {
                (void)drain(&f.reader, &err);
                wb_frame_reader_fini(&f.reader);
            }
        }
        assert_int_equal(wb_pool_used(&pool), 0);
        assert_int_equal(pool.entries, 0);
        assert_int_equal(memory.live_blocks, 0);
    }
}

/* Writing to a group goes on after its track went, and is billed until the group is gone. */
static void writer_outlives_the_track(void **state)
{
    struct wb_track *t = track_new(WB_POOL_NO_LIMIT, WB_TRACK_NO_AGE);
    struct wb_group *g = track_create(t, 0, 0), *next = track_create(t, 1, 0);

    (void)state;
    wb_track_drop(t);
    add_many(g, 9, 10);
    assert_int_equal(pool.access_count, 0);
    assert_int_equal(wb_group_billed(g), 256 + 9 * (header_size() + 10) + 16 * 32);
    track_close(g);
    wb_group_leave(next);
}

static void refused_memory(void **state)
{
    const struct wb_track_config config = {.pool = &pool};
    struct wb_track *t = NULL;
    struct wb_group *g = NULL;
    uint64_t latest;

    (void)state;
    sim_alloc_fail_next(&memory, 1);
    assert_int_equal(wb_track_new(&memory.mem, &config, &t), WB_E_NOMEM);
    assert_null(t);
    t = track_new(WB_POOL_NO_LIMIT, WB_TRACK_NO_AGE);
    put(t, 0, 10, 0);
    sim_alloc_fail_next(&memory, 1);
    assert_int_equal(wb_track_create(t, 5, 0, &g), WB_E_NOMEM);
    sim_alloc_fail_next(&memory, 1);
    assert_int_equal(wb_track_append(t, 0, &g), WB_E_NOMEM);
    sim_alloc_fail_next(&memory, 1);
    assert_int_equal(wb_track_backfill(t, 3, 0, &g), WB_E_NOMEM);
    assert_null(g);
    wb_track_check(t);
    assert_true(wb_track_latest(t, &latest));
    assert_int_equal(latest, 0);
    assert_int_equal(wb_track_arrivals(t), 1);
    assert_int_equal(pool.access_count, 0); /* still the latest */
    assert_int_equal(wb_track_append(t, 0, &g), WB_OK);
    assert_int_equal(wb_group_sequence(g), 1);
    wb_group_leave(g);
    wb_track_drop(t);
}

/* Many small groups: what is lent beside what is billed, the track itself apart. */
static void live_bytes_of_many_groups(void **state)
{
    struct wb_track *t = track_new(WB_POOL_NO_LIMIT, WB_TRACK_NO_AGE);
    uint64_t own = memory.live_bytes;

    (void)state;
    for (uint64_t i = 0; i < 2000; i++) {
        struct wb_group *g = NULL;

        assert_int_equal(wb_track_append(t, i, &g), WB_OK);
        add(g, i % 200);
        track_close(g);
    }
    wb_track_check(t);
    assert_true(memory.live_bytes - own <= wb_pool_used(&pool));
    assert_true((memory.live_bytes - own) * 100 >= wb_pool_used(&pool) * 95);
    wb_track_drop(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(case_108_finish_an_empty_track),
        CASE(case_109_boundary_above_what_there_is),
        CASE(case_110_future_boundary),
        CASE(case_120_datagrams_take_numbers),
        CASE(largest_numbers),
        CASE(case_147_arrivals),
        CASE(aborted_groups_are_absent),
        CASE(abort_ends_all_groups),
        CASE(case_144_last_handle),
        CASE(every_order_of_teardown),
        CASE(writer_outlives_the_track),
        CASE(refused_memory),
        CASE(live_bytes_of_many_groups),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
