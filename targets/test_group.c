/*
 * Groups: the log and its readers, numbers, ends.
 *
 * The cases' figures stand for payload; bills add the header of each segment and the log's places.
 */
#include "targets/test_group.h"

static void case_95_abort_releases_all(void **state)
{
    struct wb_group *g = group_new(&wb_group_limits_default);
    struct wb_group_frame kept;
    struct wb_group_reader r;
    struct wb_slice s;

    (void)state;
    add_many(g, 3, 100);
    wb_group_reader_init(&r, g);
    assert_int_equal(wb_group_next(&r, &kept), WB_OK);
    assert_int_equal(wb_frame_read(&kept.reader, &s), WB_OK);
    (void)frame_open(g, 10);
    wb_group_abort(g, WB_E_CANCEL);
    wb_group_abort(g, WB_E_OLD); /* only the first counts */
    wb_group_check(g);
    assert_int_equal(wb_group_aborted(g), WB_E_CANCEL);
    assert_int_equal(wb_group_bytes(g), 0);
    assert_int_equal(wb_group_billed(g), 0);
    assert_int_equal(wb_pool_used(&pool), 0);
    assert_int_equal(wb_group_next_index(g), 4); /* numbers stay */
    assert_int_equal(wb_group_committed(g), 3);
    assert_ends(&r, WB_E_CANCEL);
    assert_int_equal(add_sized(g, 0, 1), WB_E_CANCEL);
    assert_int_equal(wb_group_close(g), WB_E_CANCEL);
    assert_int_equal(wb_group_finish(g), WB_E_CANCEL);
    assert_int_equal(wb_group_start_at(g, 1), WB_E_CANCEL);
    wb_group_leave(g);
    wb_group_reader_fini(&r);
    assert_memory_equal(s.view.data, TEXT, 10); /* slices stay with their holders */
    wb_slice_drop(&s);
    wb_frame_reader_fini(&kept.reader);
}

static void case_96_dropped_unfinished_or_finished(void **state)
{
    struct wb_group *g = group_new(&wb_group_limits_default);
    struct wb_group_reader r;

    (void)state;
    add(g, 5);
    wb_group_reader_init(&r, g);
    wb_group_leave(g);
    assert_ends(&r, WB_E_DROPPED);
    assert_int_equal(wb_pool_used(&pool), 0);
    wb_group_reader_fini(&r);

    g = group_new(&wb_group_limits_default);
    add(g, 5);
    assert_int_equal(wb_group_finish(g), WB_OK);
    wb_group_reader_init(&r, g);
    wb_group_leave(g);
    assert_gives(&r, 0, 5);
    assert_ends(&r, WB_END);
    assert_int_equal(wb_pool_used(&pool), 256 + header_size() + 5);
    wb_group_reader_fini(&r);
}

static void case_97_finish_then_abort(void **state)
{
    struct wb_group *g = group_new(&wb_group_limits_default);
    struct wb_group_reader drained, behind;
    uint64_t total = 0;

    (void)state;
    add_many(g, 2, 6);
    assert_false(wb_group_finished(g, &total));
    assert_int_equal(wb_group_finish(g), WB_OK);
    wb_group_reader_init(&drained, g);
    wb_group_reader_init(&behind, g);
    assert_gives(&drained, 0, 6);
    assert_gives(&drained, 1, 6);
    wb_group_abort(g, WB_E_OLD);
    assert_ends(&drained, WB_END);
    assert_ends(&drained, WB_END);
    assert_ends(&behind, WB_E_OLD);
    assert_true(wb_group_finished(g, &total));
    assert_int_equal(total, 2);
    assert_int_equal(wb_group_finish(g), WB_E_OLD);
    wb_group_reader_fini(&drained);
    wb_group_reader_fini(&behind);
    wb_group_leave(g);
}

static void case_98_front_is_evicted_by_bytes(void **state)
{
    struct wb_group *g = group_new(&wb_group_limits_default);

    (void)state;
    add(g, 32 * MIB);
    assert_int_equal(wb_group_offset(g), 0);
    add(g, 32 * MIB);
    assert_int_equal(wb_group_offset(g), 1);
    assert_int_equal(wb_group_committed(g), 2);
    assert_int_equal(wb_group_bytes(g), 32 * MIB);
    assert_nothing_at(g, 0, WB_E_LAGGED);
    wb_group_check(g);
    wb_group_leave(g);
}

/* A frame counts when it is opened, and neither it nor one being added is dropped for its size. */
static void newest_frame_is_never_evicted(void **state)
{
    struct wb_group_limits limits = wb_group_limits_default;
    struct wb_frame *f;
    struct wb_group *g;

    (void)state;
    limits.bytes = 10;
    g = group_new(&limits);
    add_many(g, 2, 5);
    assert_int_equal(wb_group_offset(g), 0);
    f = frame_open(g, 4);
    assert_int_equal(wb_group_offset(g), 1);
    assert_int_equal(wb_group_bytes(g), 9);
    assert_int_equal(wb_frame_write(f, 0, wb_view_text("abcd")), WB_OK);
    assert_int_equal(wb_group_close(g), WB_OK);
    add(g, 11);
    assert_int_equal(wb_group_offset(g), 3);
    assert_int_equal(wb_group_bytes(g), 11);
    (void)frame_open(g, 12);
    assert_int_equal(wb_group_offset(g), 4);
    assert_int_equal(wb_group_committed(g), 4);
    assert_int_equal(wb_group_next_index(g), 5);
    wb_group_leave(g);
}

static void case_99_many_small_frames(void **state)
{
    const uint64_t n = 100000;
    struct wb_group *g = group_new(&wb_group_limits_default);
    struct wb_group_reader behind, along;

    (void)state;
    wb_group_reader_init(&behind, g);
    wb_group_reader_init(&along, g);
    for (uint64_t i = 0; i < n; i++) {
        add(g, 1);
        assert_gives(&along, i, 1);
    }
    wb_group_check(g);
    assert_int_equal(wb_group_offset(g), 0);
    assert_int_equal(wb_group_bytes(g), n);
    assert_int_equal(wb_pool_used(&pool), 256 + n * (header_size() + 1) + 131072 * 32);
    assert_in_range(wb_pool_used(&pool) - memory.live_bytes, 0, 16); /* the group has no more */
    for (uint64_t i = 0; i < n; i++)
        assert_gives(&behind, i, 1);
    assert_ends(&behind, WB_MORE);
    wb_group_reader_fini(&behind);
    wb_group_reader_fini(&along);
    wb_group_leave(g);
}

/* A reader that keeps up is never evicted, however much passes; the log does not grow for it. */
static void case_99_reader_that_keeps_up(void **state)
{
    struct wb_group_limits limits = wb_group_limits_default;
    struct wb_group_reader along, slow;
    struct wb_group *g;

    (void)state;
    limits.bytes = 40;
    g = group_new(&limits);
    wb_group_reader_init(&along, g);
    wb_group_reader_init(&slow, g);
    for (uint64_t i = 0; i < 1000; i++) {
        add(g, 5);
        assert_gives(&along, i, 5);
        if (i < 8)
            continue;
        assert_int_equal(wb_group_offset(g), i - 7); /* 8 of 5 bytes each */
        slow.index = i - 8;
        assert_ends(&slow, WB_E_LAGGED);
        wb_group_reader_start_at(&slow, 0);
        assert_gives(&slow, i - 7, 5);
    }
    assert_int_equal(wb_group_billed(g), 256 + 8 * (header_size() + 5) + 16 * 32);
    wb_group_check(g);
    wb_group_reader_fini(&along);
    wb_group_reader_fini(&slow);
    wb_group_leave(g);
}

static void case_100_numbers_from_start_at(void **state)
{
    struct wb_group *g = group_new(&wb_group_limits_default);
    struct wb_group_reader r;
    uint64_t total;

    (void)state;
    assert_int_equal(wb_group_start_at(g, 9), WB_OK);
    assert_int_equal(wb_group_start_at(g, 3), WB_OK); /* may be repeated */
    add(g, 1);
    assert_int_equal(wb_group_committed(g), 4);
    assert_int_equal(wb_group_finish(g), WB_OK);
    assert_true(wb_group_finished(g, &total));
    assert_int_equal(total, 4);
    wb_group_reader_init(&r, g);
    assert_ends(&r, WB_E_LAGGED);
    wb_group_reader_start_at(&r, 1);
    assert_gives(&r, 3, 1);
    assert_ends(&r, WB_END);
    wb_group_reader_fini(&r);
    wb_group_leave(g);
}

static void case_101_start_at_comes_first(void **state)
{
    struct wb_group *g = group_new(&wb_group_limits_default);

    (void)state;
    assert_int_equal(wb_group_start_at(g, MAX), WB_E_BOUNDS);
    assert_int_equal(wb_group_next_index(g), 0);
    (void)frame_open(g, 0);
    assert_int_equal(wb_group_start_at(g, 1), WB_E_FINISHED);
    assert_int_equal(wb_group_start_at(g, MAX), WB_E_FINISHED);
    assert_int_equal(wb_group_close(g), WB_OK);
    assert_int_equal(wb_group_start_at(g, 1), WB_E_FINISHED);
    wb_group_leave(g);
    g = group_new(&wb_group_limits_default);
    assert_int_equal(wb_group_finish(g), WB_OK);
    assert_int_equal(wb_group_start_at(g, 1), WB_E_FINISHED);
    wb_group_leave(g);
}

static void case_102_cap_of_a_reader(void **state)
{
    struct wb_group *g = group_new(&wb_group_limits_default);
    struct wb_group_reader r;

    (void)state;
    add_many(g, 4, 2);
    wb_group_reader_init(&r, g);
    wb_group_reader_end_at(&r, 1);
    assert_gives(&r, 0, 2);
    assert_gives(&r, 1, 2);
    assert_ends(&r, WB_END);
    wb_group_reader_lift(&r);
    assert_gives(&r, 2, 2);
    wb_group_reader_end_at(&r, 2);
    wb_group_abort(g, WB_E_OLD);
    assert_ends(&r, WB_END); /* past the cap nothing else counts */
    wb_group_reader_end_at(&r, MAX);
    assert_ends(&r, WB_E_OLD);
    wb_group_reader_fini(&r);
    wb_group_leave(g);
}

static void case_103_clone_reads_from_its_place(void **state)
{
    struct wb_group *g = group_new(&wb_group_limits_default);
    struct wb_group_reader r, copy;

    (void)state;
    add_many(g, 2, 2);
    wb_group_reader_init(&r, g);
    assert_gives(&r, 0, 2);
    wb_group_reader_clone(&copy, &r);
    assert_gives(&copy, 1, 2);
    assert_gives(&r, 1, 2);
    wb_group_reader_fini(&r);
    assert_ends(&copy, WB_MORE);
    assert_int_equal(wb_group_finish(g), WB_OK);
    wb_group_leave(g);
    assert_int_equal(pool.entries, 1); /* the copy holds it alone */
    assert_ends(&copy, WB_END);
    wb_group_reader_fini(&copy);
}

/* Frames added whole and frames written in parts, 3 * 8 + 5 of them, read while they come. */
static void case_104_whole_and_in_parts(void **state)
{
    struct wb_group *g = group_new(&wb_group_limits_default);
    struct wb_group_reader r;

    (void)state;
    wb_group_reader_init(&r, g);
    for (uint64_t i = 0; i < 29; i++) {
        struct wb_group_frame frame;
        struct wb_frame *f;
        enum wb_err err;

        if (i % 3 != 1) {
            add(g, 10);
            assert_gives(&r, i, 10);
            continue;
        }
        f = frame_open(g, 10);
        assert_int_equal(wb_group_next(&r, &frame), WB_OK);
        assert_int_equal(frame.index, i);
        assert_int_equal(drain(&frame.reader, &err), 0);
        assert_int_equal(wb_frame_write(f, 0, wb_view_of(TEXT, 6)), WB_OK);
        assert_int_equal(drain(&frame.reader, &err), 6);
        assert_int_equal(err, WB_MORE);
        assert_int_equal(wb_group_close(g), WB_E_WRONG_SIZE);
        assert_int_equal(wb_frame_write(f, 6, wb_view_of(&TEXT[6], 4)), WB_OK);
        assert_int_equal(wb_group_close(g), WB_OK);
        assert_int_equal(drain(&frame.reader, &err), 4);
        assert_int_equal(err, WB_END);
        wb_frame_reader_fini(&frame.reader);
    }
    wb_group_check(g);
    wb_group_reader_fini(&r);
    wb_group_leave(g);
}

static void case_105_too_large(void **state)
{
    struct wb_group *g = group_new(&wb_group_limits_default);
    uint64_t requests = memory.requests;
    struct wb_frame *f = NULL;
    struct wb_slice s;

    (void)state;
    assert_int_equal(wb_group_open(g, 0, 32 * MIB + 1, &f), WB_E_FRAME_TOO_LARGE);
    assert_int_equal(wb_group_open(g, 0, MAX, &f), WB_E_FRAME_TOO_LARGE);
    assert_null(f);
    assert_int_equal(memory.requests, requests);
    s = bytes(32 * MIB + 1);
    assert_int_equal(wb_group_add(g, 0, &s), WB_E_FRAME_TOO_LARGE);
    wb_slice_drop(&s);
    assert_int_equal(wb_group_next_index(g), 0);
    assert_int_equal(wb_pool_used(&pool), 256);
    wb_group_leave(g);
}

static void case_106_nothing_after_finish(void **state)
{
    struct wb_group *g = group_new(&wb_group_limits_default);
    struct wb_frame *open = frame_open(g, 1), *f;

    (void)state;
    assert_int_equal(wb_group_finish(g), WB_E_BUSY);
    assert_int_equal(add_sized(g, 0, 1), WB_E_BUSY);
    assert_int_equal(wb_group_open(g, 0, 1, &f), WB_E_BUSY);
    assert_int_equal(wb_frame_write(open, 0, wb_view_of("x", 1)), WB_OK);
    assert_int_equal(wb_group_close(g), WB_OK);
    assert_int_equal(wb_group_close(g), WB_E_FINISHED);
    assert_int_equal(wb_group_finish(g), WB_OK);
    assert_int_equal(wb_group_finish(g), WB_E_FINISHED);
    assert_int_equal(wb_group_close(g), WB_E_FINISHED);
    assert_int_equal(add_sized(g, 0, 1), WB_E_FINISHED);
    assert_int_equal(wb_group_open(g, 0, 1, &f), WB_E_FINISHED);
    wb_group_leave(g);
}

/* The last frame there can be has number 2^64-2, so that the number after it exists. */
static void last_number(void **state)
{
    struct wb_group *g = group_new(&wb_group_limits_default);
    struct wb_group_reader r;
    struct wb_frame *f;
    uint64_t total;

    (void)state;
    assert_int_equal(wb_group_start_at(g, MAX - 2), WB_OK);
    add(g, 1);
    (void)frame_open(g, 0);
    assert_true(wb_group_next_index(g) == MAX);
    assert_int_equal(wb_group_close(g), WB_OK);
    assert_int_equal(add_sized(g, 0, 1), WB_E_BOUNDS);
    assert_int_equal(wb_group_open(g, 0, 1, &f), WB_E_BOUNDS);
    wb_group_reader_init(&r, g);
    wb_group_reader_start_at(&r, MAX - 2);
    wb_group_reader_end_at(&r, MAX);
    assert_gives(&r, MAX - 2, 1);
    assert_gives(&r, MAX - 1, 0);
    assert_ends(&r, WB_MORE);
    assert_int_equal(wb_group_finish(g), WB_OK);
    assert_ends(&r, WB_END);
    assert_nothing_at(g, MAX, WB_END);
    assert_nothing_at(g, MAX - 3, WB_E_LAGGED);
    assert_true(wb_group_finished(g, &total));
    assert_true(total == MAX);
    wb_group_check(g);
    wb_group_reader_fini(&r);
    wb_group_leave(g);
}

/* The log wraps: numbers that begin anywhere, a front that moves, growth in the middle. */
static void log_that_wraps(void **state)
{
    struct wb_group_limits limits = wb_group_limits_default;
    struct wb_group *g;

    (void)state;
    limits.bytes = 30;
    for (uint64_t first = 0; first < 9; first++) {
        struct wb_group_reader r;

        g = group_new(&limits);
        assert_int_equal(wb_group_start_at(g, first), WB_OK);
        add_many(g, 7, 10); /* 3 stay */
        add_many(g, 20, 1);
        wb_group_reader_init(&r, g);
        wb_group_reader_start_at(&r, 0);
        assert_int_equal(r.index, first + 6);
        assert_gives(&r, first + 6, 10);
        for (uint64_t i = 7; i < 27; i++)
            assert_gives(&r, first + i, 1);
        assert_ends(&r, WB_MORE);
        wb_group_reader_fini(&r);
        wb_group_leave(g);
    }
}

static void timestamps(void **state)
{
    struct wb_group *g = group_new(&wb_group_limits_default);
    struct wb_group_reader r;
    struct wb_group_frame frame;
    uint64_t first = 5;

    (void)state;
    assert_false(wb_group_first_timestamp(g, &first));
    assert_int_equal(first, 5);
    assert_int_equal(add_sized(g, MAX, 1), WB_OK);
    assert_int_equal(add_sized(g, 3, 0), WB_OK);
    assert_true(wb_group_first_timestamp(g, &first));
    assert_true(first == MAX);
    wb_group_reader_init(&r, g);
    r.index = 1;
    assert_int_equal(wb_group_next(&r, &frame), WB_OK);
    assert_int_equal(frame.timestamp, 3);
    wb_frame_reader_fini(&frame.reader);
    wb_group_abort(g, WB_E_OLD);
    assert_true(wb_group_first_timestamp(g, &first));
    wb_group_reader_fini(&r);
    wb_group_leave(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(case_95_abort_releases_all),
        CASE(case_96_dropped_unfinished_or_finished),
        CASE(case_97_finish_then_abort),
        CASE(case_98_front_is_evicted_by_bytes),
        CASE(newest_frame_is_never_evicted),
        CASE(case_99_many_small_frames),
        CASE(case_99_reader_that_keeps_up),
        CASE(case_100_numbers_from_start_at),
        CASE(case_101_start_at_comes_first),
        CASE(case_102_cap_of_a_reader),
        CASE(case_103_clone_reads_from_its_place),
        CASE(case_104_whole_and_in_parts),
        CASE(case_105_too_large),
        CASE(case_106_nothing_after_finish),
        CASE(last_number),
        CASE(log_that_wraps),
        CASE(timestamps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
