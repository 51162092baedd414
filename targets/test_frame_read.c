/*
 * Every sentence of core/media/frame.h about readers, on one thread: what they see and when, how
 * frames end for them, clones, whole payloads, and that reading costs no memory.
 */
#include "targets/test_frame.h"

/* moq-lite 6.6, cases 90 and 92, of every kind. */
static void readers_see_what_is_published(void **state)
{
    const uint64_t sizes[] = {6, 20, CHAIN, 3 * CHAIN};

    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        uint64_t size = sizes[i], half = wb_frame_smaller(size / 2, CHAIN);
        struct wb_frame *f = frame_of(size);
        struct wb_frame_reader early, late;
        struct wb_slice s;

        wb_frame_reader_init(&early, f);
        assert_no_read(&early, WB_MORE);
        write_part(f, 0, half);
        skip_part(&early, 0, half);
        assert_no_read(&early, WB_MORE);
        assert_int_equal(wb_frame_finish(f), WB_E_WRONG_SIZE);
        write_part(f, half, size);
        wb_frame_reader_init(&late, f);
        for (uint64_t at = 0, end; at < size; at = end) {
            end = wb_frame_smaller(at + CHAIN, size);
            skip_part(&late, at, end);
        }
        while (wb_frame_read(&early, &s) == WB_OK) {
            assert_part(&s, early.at - s.view.len, early.at);
            wb_slice_drop(&s);
        }
        assert_no_read(&early, WB_MORE); /* it may still be aborted */
        assert_int_equal(wb_frame_finish(f), WB_OK);
        wb_frame_drop(f);
        assert_no_read(&early, WB_END);
        assert_no_read(&late, WB_END);
        wb_frame_reader_fini(&early);
        wb_frame_reader_fini(&late);
        assert_null(late.frame);
    }
}

/* Whatever the arrivals: a reader that keeps up, one that skips some, one that comes late. */
static void readers_of_a_chain(void **state)
{
    (void)state;
    for (uint64_t step = 1; step < 200; step += 3) {
        struct wb_frame *f = frame_of(1000);
        struct wb_frame_reader r[3];

        for (size_t i = 0; i < COUNT(r); i++)
            wb_frame_reader_init(&r[i], f);
        for (uint64_t at = 0; at < 1000; at = wb_frame_written(f)) {
            write_part(f, at, wb_frame_smaller(at + step, 1000));
            for (size_t i = 0; i < COUNT(r); i++) {
                bool is_turn =
                    i == 0 || (i == 1 && at / step % 5 == 4) || wb_frame_written(f) == 1000;
                struct wb_slice s;

                while (is_turn && wb_frame_read(&r[i], &s) == WB_OK) {
                    assert_part(&s, r[i].at - s.view.len, r[i].at);
                    assert_true(r[i].at % CHAIN == 0 || r[i].at == wb_frame_written(f));
                    wb_slice_drop(&s);
                }
            }
        }
        assert_int_equal(wb_frame_finish(f), WB_OK);
        for (size_t i = 0; i < COUNT(r); i++) {
            assert_no_read(&r[i], WB_END);
            wb_frame_reader_fini(&r[i]);
        }
        wb_frame_drop(f);
    }
}

/* Unread bytes are lost, slices stay. */
static void abort_reaches_readers_at_once(void **state)
{
    const uint64_t sizes[] = {6, 20, 3 * CHAIN};

    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct wb_frame *f = frame_of(sizes[i]);
        struct wb_frame_reader behind, there;
        struct wb_slice s, none;

        write_part(f, 0, 3);
        wb_frame_reader_init(&behind, f);
        wb_frame_reader_init(&there, f);
        s = read_part(&there, 0, 3);
        write_part(f, 3, sizes[i]);
        wb_frame_abort(f, WB_E_DROPPED);
        wb_frame_abort(f, WB_E_OLD);
        assert_int_equal(wb_frame_written(f), sizes[i]);
        assert_refused(f, 3, part(3, 6), WB_E_FINISHED);
        assert_int_equal(wb_frame_finish(f), WB_E_FINISHED);
        assert_false(wb_frame_payload(f, &none));
        wb_frame_drop(f);
        assert_no_read(&behind, WB_E_DROPPED);
        assert_no_read(&there, WB_E_DROPPED);
        wb_frame_reader_fini(&there);
        wb_frame_reader_fini(&behind);
        assert_part(&s, 0, 3);
        wb_slice_drop(&s);
    }
}

static void abort_after_finish_is_nothing(void **state)
{
    struct wb_frame *f = frame_of(20);
    struct wb_frame_reader r;
    struct wb_slice s;

    (void)state;
    wb_frame_reader_init(&r, f);
    write_part(f, 0, 20);
    assert_int_equal(wb_frame_finish(f), WB_OK);
    wb_frame_abort(f, WB_E_OLD);
    skip_part(&r, 0, 20);
    assert_no_read(&r, WB_END);
    assert_true(wb_frame_payload(f, &s));
    wb_slice_drop(&s);
    wb_frame_reader_fini(&r);
    wb_frame_drop(f);
    f = frame_of(20); /* a reason on an empty one */
    wb_frame_reader_init(&r, f);
    wb_frame_abort(f, WB_E_OLD);
    assert_no_read(&r, WB_E_OLD);
    assert_int_equal(wb_frame_kind(f), WB_FRAME_EMPTY);
    wb_frame_drop(f);
    wb_frame_reader_fini(&r);
}

/* The payload is the segment itself: moq-lite 6.6, case 89. */
static void payload_is_the_segment(void **state)
{
    const uint64_t sizes[] = {1, UPFRONT, UPFRONT + 1, CHAIN};

    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        uint64_t size = sizes[i], requests;
        struct wb_frame *f = frame_of(size);
        struct wb_frame_reader r, again;
        struct wb_slice whole, got, none = {.view.data = payload};

        write_part(f, 0, size / 2);
        write_part(f, size / 2, size);
        assert_false(wb_frame_payload(f, &none));
        assert_ptr_equal(none.view.data, payload);
        assert_int_equal(wb_frame_finish(f), WB_OK);
        requests = alloc.requests;
        assert_true(wb_frame_payload(f, &whole));
        assert_part(&whole, 0, size);
        assert_int_equal(wb_slice_holders(&whole), 2);
        assert_int_equal(wb_slice_footprint(&whole), wb_frame_bill(&small, size));
        wb_frame_drop(f);
        assert_int_equal(wb_slice_holders(&whole), 1);
        wb_frame_reader_of(&r, &whole);
        assert_null(whole.owner);
        wb_frame_reader_clone(&again, &r);
        got = read_part(&r, 0, size);
        assert_int_equal(wb_slice_holders(&got), 3); /* both readers and this one */
        assert_no_read(&r, WB_END);
        wb_frame_reader_fini(&r);
        skip_part(&again, 0, size);
        wb_frame_reader_fini(&again);
        assert_int_equal(wb_slice_holders(&got), 1);
        assert_int_equal(alloc.requests, requests);
        wb_slice_drop(&got);
    }
    {
        struct wb_frame *f = frame_of(CHAIN + 1);
        struct wb_slice none = {.view.data = payload};

        write_part(f, 0, CHAIN + 1);
        assert_int_equal(wb_frame_finish(f), WB_OK);
        assert_false(wb_frame_payload(f, &none));
        assert_ptr_equal(none.view.data, payload);
        wb_frame_drop(f);
    }
}

static void empty_payload_ends_at_once(void **state)
{
    struct wb_slice zero = {0};
    struct wb_frame_reader r, clone;

    (void)state;
    wb_frame_reader_of(&r, &zero);
    wb_frame_reader_clone(&clone, &r);
    assert_no_read(&r, WB_END);
    assert_no_read(&clone, WB_END);
    wb_frame_reader_fini(&r);
    wb_frame_reader_fini(&clone);
    wb_frame_reader_fini(&clone);
}

/* A clone goes on from where its origin was, wherever that is. */
static void clones_go_on_alone(void **state)
{
    (void)state;
    for (uint64_t cut = 0; cut <= 200; cut++) {
        struct wb_frame *f = frame_of(200);
        struct wb_frame_reader r, clone;
        struct wb_slice s;
        uint64_t at;

        wb_frame_reader_init(&r, f);
        write_part(f, 0, cut);
        while (wb_frame_read(&r, &s) == WB_OK)
            wb_slice_drop(&s);
        at = r.at;
        assert_int_equal(at, cut);
        wb_frame_reader_clone(&clone, &r);
        write_part(f, cut, 200);
        assert_int_equal(wb_frame_finish(f), WB_OK);
        wb_frame_drop(f);
        while (wb_frame_read(&r, &s) == WB_OK)
            wb_slice_drop(&s);
        wb_frame_reader_fini(&r);
        assert_int_equal(clone.at, at);
        while (wb_frame_read(&clone, &s) == WB_OK) {
            assert_part(&s, clone.at - s.view.len, clone.at);
            wb_slice_drop(&s);
        }
        assert_int_equal(clone.at, 200);
        wb_frame_reader_fini(&clone);
    }
}

static void references_keep_the_frame(void **state)
{
    struct wb_frame *f = frame_of(20);
    struct wb_frame_reader r;

    (void)state;
    assert_ptr_equal(wb_frame_share(f), f);
    wb_frame_drop(f);
    write_part(f, 0, 20);
    wb_frame_reader_init(&r, f);
    wb_frame_drop(f);
    skip_part(&r, 0, 20);
    assert_int_equal(alloc.live_blocks, 2);
    wb_frame_reader_fini(&r);
    assert_int_equal(alloc.live_blocks, 0);
}

/* moq-lite 6.6, case 107: 128 readers, 32 arrivals; readers keep all, across growth. */
static void reading_takes_no_memory(void **state)
{
    enum { READERS = 128, ARRIVALS = 32 };
    const uint64_t sizes[] = {16 << 10, 2 << 20};
    static struct wb_slice kept[READERS][ARRIVALS + 2];
    struct wb_frame_limits grow = {0, 4 << 10, 1 << 20, &cost};

    (void)state;
    for (size_t i = 0; i < 2 * COUNT(sizes); i++) {
        uint64_t size = sizes[i / 2], step = size / ARRIVALS, outside = 0;
        size_t count[READERS] = {0};
        struct wb_frame_reader r[READERS];
        struct wb_frame *f;

        grow.upfront = i % 2 == 0 ? 0 : (size_t)size;
        assert_int_equal(wb_frame_new(&alloc.mem, &grow, size, &f), WB_OK);
        for (size_t k = 0; k < READERS; k++)
            wb_frame_reader_init(&r[k], f);
        for (uint64_t at = 0; at < size; at += step) {
            struct sim_alloc before;
            uint64_t copied;

            write_part(f, at, at + step);
            before = alloc;
            copied = cost.copied;
            for (size_t k = 0; k < READERS; k++)
                kept[k][count[k]++] = read_part(&r[k], at, at + step);
            assert_memory_equal(&alloc, &before, sizeof(before));
            assert_int_equal(cost.copied, copied);
        }
        assert_int_equal(wb_frame_finish(f), WB_OK);
        assert_int_equal(cost.filled, 0);
        for (size_t k = 0; k < READERS; k++) {
            assert_no_read(&r[k], WB_END);
            wb_frame_reader_fini(&r[k]);
        }
        wb_frame_drop(f);
        for (size_t k = 0; k < READERS; k++)
            for (size_t n = 0; n < count[k]; n++) {
                assert_memory_equal(kept[k][n].view.data, payload + n * step, step);
                outside += kept[k][n].view.len;
                wb_slice_drop(&kept[k][n]);
            }
        assert_int_equal(outside, READERS * size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(readers_see_what_is_published),
        TEST(readers_of_a_chain),
        TEST(abort_reaches_readers_at_once),
        TEST(abort_after_finish_is_nothing),
        TEST(payload_is_the_segment),
        TEST(empty_payload_ends_at_once),
        TEST(clones_go_on_alone),
        TEST(references_keep_the_frame),
        TEST(reading_takes_no_memory),
    };

    return cmocka_run_group_tests_name("frame_read", tests, NULL, NULL);
}
