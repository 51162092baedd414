/*
 * Every sentence of core/media/frame.h about the writer, on one thread: kinds and their borders,
 * refusals, growth under slices that are held, and what superseded segments wait for.
 */
#include "targets/test_frame.h"

/* ---- kinds ----------------------------------------------------------------------------------- */

static void whole_slice_is_kept(void **state)
{
    const uint64_t sizes[] = {1, UPFRONT, UPFRONT + 1, CHAIN, CHAIN + 1, 1000};

    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct wb_frame *f = frame_of(sizes[i]);
        struct wb_slice whole, sub, got;
        struct wb_frame_reader r;
        uint64_t requests;
        uint8_t *bytes;

        assert_int_equal(wb_slice_new(&alloc.mem, (size_t)sizes[i] + 5, &whole, &bytes), WB_OK);
        memcpy(bytes + 3, payload, (size_t)sizes[i]);
        sub = wb_slice_sub(&whole, 3, (size_t)sizes[i] + 3);
        requests = alloc.requests;
        assert_int_equal(wb_frame_write_slice(f, 0, &sub), WB_OK);
        assert_null(sub.owner);
        assert_int_equal(sub.view.len, 0);
        assert_int_equal(wb_frame_kind(f), WB_FRAME_SHARED);
        assert_int_equal(wb_frame_written(f), sizes[i]);
        assert_int_equal(wb_frame_footprint(f), HEADER + sizes[i] + 5);
        assert_refused(f, 0, wb_view_text("?"), WB_E_OVERLAP);
        write_part(f, 0, sizes[i]);
        wb_frame_reader_init(&r, f);
        got = read_part(&r, 0, sizes[i]);
        assert_ptr_equal(got.view.data, bytes + 3);
        assert_int_equal(wb_slice_holders(&whole), 3);
        assert_int_equal(wb_frame_finish(f), WB_OK);
        wb_slice_drop(&got);
        assert_true(wb_frame_payload(f, &got));
        assert_part(&got, 0, sizes[i]);
        assert_int_equal(alloc.requests, requests);
        wb_frame_reader_fini(&r);
        wb_frame_drop(f);
        assert_int_equal(wb_slice_holders(&whole), 2);
        wb_slice_drop(&whole);
        wb_slice_drop(&got);
    }
    assert_int_equal(cost.copied + cost.segments, 0);
}

/* A kept slice may lie in a segment that is part of another frame's chain. */
static void part_of_a_chain_is_kept(void **state)
{
    struct wb_frame *chain = frame_of(3 * CHAIN), *f = frame_of(CHAIN);
    struct wb_frame_reader r;
    struct wb_slice s;

    (void)state;
    wb_frame_reader_init(&r, chain);
    write_part(chain, 0, 3 * CHAIN);
    wb_frame_drop(chain);
    s = read_part(&r, 0, CHAIN);
    assert_int_equal(wb_frame_write_slice(f, 0, &s), WB_OK);
    assert_int_equal(wb_frame_footprint(f), HEADER + CHAIN);
    wb_frame_reader_fini(&r);
    assert_int_equal(wb_frame_footprint(f), HEADER + CHAIN);
    wb_frame_check(f);
    assert_int_equal(wb_frame_finish(f), WB_OK);
    assert_true(wb_frame_payload(f, &s));
    wb_frame_drop(f);
    assert_part(&s, 0, CHAIN);
    wb_slice_drop(&s);
}

/* Only a whole payload of an empty frame is kept; anything else is copied and given back. */
static void other_slices_are_copied(void **state)
{
    struct wb_frame *f = frame_of(20);
    struct wb_slice bytes, zero = {0};

    (void)state;
    assert_int_equal(wb_slice_copy(&alloc.mem, part(0, 12), &bytes), WB_OK);
    assert_int_equal(wb_frame_write_slice(f, 0, &bytes), WB_OK);
    assert_null(bytes.owner);
    assert_int_equal(wb_frame_write_slice(f, 12, &zero), WB_OK);
    assert_int_equal(wb_slice_copy(&alloc.mem, part(0, 20), &bytes), WB_OK);
    assert_int_equal(wb_frame_write_slice(f, 0, &bytes), WB_OK);
    assert_null(bytes.owner);
    assert_int_equal(wb_frame_kind(f), WB_FRAME_GROWING);
    assert_int_equal(alloc.live_blocks, 2);
    assert_int_equal(wb_frame_footprint(f), HEADER + 20);
    wb_frame_drop(f);
    for (uint64_t size = 2; size < 20; size++) {
        f = frame_of(size);
        assert_int_equal(wb_slice_copy(&alloc.mem, part(0, size - 1), &bytes), WB_OK);
        assert_int_equal(wb_frame_write_slice(f, 0, &bytes), WB_OK);
        assert_int_equal(wb_frame_kind(f), size <= UPFRONT ? WB_FRAME_FIXED : WB_FRAME_GROWING);
        wb_frame_drop(f);
    }
}

/* What is lent after the first byte, and after all of them. */
static void borders_of_kinds(void **state)
{
    const struct {
        uint64_t size, written, room, segments;
        enum wb_frame_kind kind;
    } rows[] = {
        {UPFRONT - 1, 1, UPFRONT - 1, 1, WB_FRAME_FIXED},
        {UPFRONT, 1, UPFRONT, 1, WB_FRAME_FIXED},
        {UPFRONT + 1, 1, FIRST, 1, WB_FRAME_GROWING},
        {UPFRONT + 1, FIRST - 1, FIRST, 1, WB_FRAME_GROWING},
        {UPFRONT + 1, FIRST, FIRST, 1, WB_FRAME_GROWING},
        {UPFRONT + 1, FIRST + 1, UPFRONT + 1, 1, WB_FRAME_GROWING},
        {1000, FIRST + 1, 2 * FIRST, 1, WB_FRAME_GROWING},
        {1000, 2 * FIRST + 1, 4 * FIRST, 1, WB_FRAME_GROWING},
        {CHAIN - 1, 4 * FIRST + 1, CHAIN - 1, 1, WB_FRAME_GROWING},
        {CHAIN, 4 * FIRST + 1, CHAIN, 1, WB_FRAME_GROWING},
        {CHAIN + 1, CHAIN - 1, CHAIN, 1, WB_FRAME_GROWING},
        {CHAIN + 1, CHAIN, CHAIN, 1, WB_FRAME_GROWING},
        {CHAIN + 1, CHAIN + 1, CHAIN + 1, 2, WB_FRAME_CHAIN},
        {1000, CHAIN + 1, 2 * CHAIN, 2, WB_FRAME_CHAIN},
        {1000, 2 * CHAIN, 2 * CHAIN, 2, WB_FRAME_CHAIN},
        {1000, 2 * CHAIN + 1, 3 * CHAIN, 3, WB_FRAME_CHAIN},
        {1000, 1000, 1000, 16, WB_FRAME_CHAIN},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        for (uint64_t step = 1; step <= rows[i].written; step += rows[i].written / 4 + 1) {
            struct wb_frame *f = frame_of(rows[i].size);

            assert_int_equal(wb_frame_kind(f), WB_FRAME_EMPTY);
            for (uint64_t at = 0; at < rows[i].written; at = wb_frame_written(f))
                write_part(f, at, wb_frame_smaller(at + step, rows[i].written));
            assert_int_equal(wb_frame_kind(f), rows[i].kind);
            assert_int_equal(wb_frame_footprint(f), rows[i].room + rows[i].segments * HEADER);
            assert_int_equal(alloc.live_bytes, wb_frame_footprint(f) + sizeof(*f));
            write_part(f, rows[i].written, rows[i].size);
            assert_int_equal(wb_frame_finish(f), WB_OK);
            assert_int_equal(wb_frame_footprint(f), wb_frame_bill(&small, rows[i].size));
            wb_frame_drop(f);
        }
    assert_int_equal(wb_frame_bill(&small, 0), 0);
    assert_int_equal(cost.filled, 0);
}

static void sizes_of_frames(void **state)
{
    struct wb_frame *f = NULL;
    struct wb_frame_reader r;
    struct wb_slice s = {.view.data = payload};

    (void)state;
    assert_int_equal(wb_frame_new(&alloc.mem, &small, 32 * MIB + 1, &f), WB_E_FRAME_TOO_LARGE);
    assert_int_equal(wb_frame_new(&alloc.mem, &small, UINT64_MAX, &f), WB_E_FRAME_TOO_LARGE);
    assert_int_equal(alloc.requests, 0);
    assert_null(f);
    f = frame_of(32 * MIB);
    assert_int_equal(alloc.live_bytes, sizeof(*f));
    assert_int_equal(wb_frame_size(f), 32 * MIB);
    assert_int_equal(wb_frame_footprint(f), 0);
    write_part(f, 0, 1); /* a lying size costs nothing */
    assert_int_equal(wb_frame_footprint(f), HEADER + FIRST);
    wb_frame_drop(f);
    f = frame_of(0);
    wb_frame_reader_init(&r, f);
    assert_no_read(&r, WB_MORE);
    assert_int_equal(wb_frame_write(f, 0, part(0, 0)), WB_OK);
    assert_refused(f, 0, part(0, 1), WB_E_WRONG_SIZE);
    assert_int_equal(wb_frame_finish(f), WB_OK);
    assert_no_read(&r, WB_END);
    assert_true(wb_frame_payload(f, &s));
    assert_null(s.view.data);
    assert_int_equal(wb_frame_footprint(f), 0);
    wb_frame_reader_fini(&r);
    wb_frame_drop(f);
}

/* A frame is its object and one exact segment; limits are the frame's own copy. */
static void small_frame_is_two_blocks(void **state)
{
    struct wb_frame_limits limits = wb_frame_limits_default;
    struct wb_frame *f;

    (void)state;
    assert_int_equal(wb_frame_new(&alloc.mem, &limits, 200, &f), WB_OK);
    limits = (struct wb_frame_limits){0};
    write_part(f, 0, 1);
    write_part(f, 1, 200);
    assert_int_equal(wb_frame_finish(f), WB_OK);
    assert_int_equal(alloc.requests, 2);
    assert_int_equal(wb_frame_footprint(f), HEADER + 200);
    wb_frame_drop(f);
    assert_int_equal(wb_frame_limits_default.upfront, 64 << 10);
    assert_int_equal(wb_frame_limits_default.first, 4 << 10);
    assert_int_equal(wb_frame_limits_default.chain, 1 << 20);
}

/* ---- the writer ------------------------------------------------------------------------------ */

static void refusals_in_their_order(void **state)
{
    const uint64_t sizes[] = {6, 20, 200};

    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct wb_frame *f = frame_of(sizes[i]);
        uint64_t half = sizes[i] / 2;
        uint8_t other[200];

        memcpy(other, payload, sizeof(other));
        other[half - 1] ^= 1;
        assert_refused(f, 0, part(0, sizes[i] + 1), WB_E_WRONG_SIZE);
        assert_refused(f, 1, part(1, 2), WB_E_GAP);
        assert_refused(f, 1, part(0, 0), WB_E_GAP);
        write_part(f, 0, half);
        assert_refused(f, half + 1, part(0, 1), WB_E_GAP);
        assert_refused(f, half + 1, part(0, sizes[i]), WB_E_GAP);
        assert_refused(f, UINT64_MAX, part(0, 200), WB_E_GAP);
        assert_refused(f, sizes[i] + 1, part(0, 200), WB_E_GAP);
        assert_refused(f, half, part(half, sizes[i] + 1), WB_E_WRONG_SIZE);
        assert_refused(f, 1, wb_view_of(other, (size_t)sizes[i]), WB_E_WRONG_SIZE);
        assert_refused(f, 0, wb_view_of(other, (size_t)sizes[i]), WB_E_OVERLAP);
        assert_refused(f, 0, wb_view_of(other, (size_t)half), WB_E_OVERLAP);
        assert_refused(f, half - 1, wb_view_of(other + half - 1, 1), WB_E_OVERLAP);
        assert_int_equal(wb_frame_finish(f), WB_E_WRONG_SIZE);
        write_part(f, half, sizes[i] - 1);
        assert_int_equal(wb_frame_finish(f), WB_E_WRONG_SIZE);
        write_part(f, half, sizes[i]);
        assert_refused(f, sizes[i], part(0, 1), WB_E_WRONG_SIZE);
        assert_int_equal(wb_frame_finish(f), WB_OK);
        assert_int_equal(wb_frame_finish(f), WB_E_FINISHED);
        assert_refused(f, UINT64_MAX, part(0, 1), WB_E_FINISHED);
        assert_refused(f, 0, part(0, 0), WB_E_FINISHED);
        wb_frame_drop(f);
    }
}

/* Every overlap of every delivery of a chain is compared and skipped, to the byte. */
static void overlaps_are_skipped(void **state)
{
    (void)state;
    for (uint64_t there = 1; there <= 150; there++) {
        struct wb_frame *f = frame_of(150);
        uint64_t copied;

        write_part(f, 0, there);
        for (uint64_t begin = 0; begin < there; begin += 7) {
            uint8_t other[150];

            copied = cost.copied;
            write_part(f, begin, there);
            assert_int_equal(cost.copied, copied);
            memcpy(other, payload, sizeof(other));
            other[there - 1] ^= 0x80;
            assert_refused(f, begin, wb_view_of(other + begin, (size_t)(150 - begin)),
                           WB_E_OVERLAP);
        }
        copied = cost.copied - cost.grown;
        write_part(f, there / 2, 150);
        assert_int_equal(cost.copied - cost.grown, copied + 150 - there);
        assert_int_equal(wb_frame_finish(f), WB_OK);
        wb_frame_drop(f);
    }
}

/* Each allocation that a delivery needs is refused once, and the delivery repeated. */
static void refused_memory_changes_nothing(void **state)
{
    const uint64_t sizes[] = {UPFRONT, 20, CHAIN, 5 * CHAIN, 5 * CHAIN + 1};
    struct wb_frame *f = NULL;

    (void)state;
    sim_alloc_fail_next(&alloc, 1);
    assert_int_equal(wb_frame_new(&alloc.mem, &small, 7, &f), WB_E_NOMEM);
    assert_null(f);
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (uint64_t there = 0; there < sizes[i]; there += 5) {
            uint64_t nth = 0, requests;
            enum wb_err err;

            f = frame_of(sizes[i]);
            write_part(f, 0, there);
            do {
                sim_alloc_fail_next(&alloc, ++nth);
                requests = alloc.requests;
                err = wb_frame_write(f, there, part(there, sizes[i]));
                if (err == WB_OK)
                    break;
                assert_int_equal(err, WB_E_NOMEM);
                assert_int_equal(wb_frame_written(f), there);
                assert_int_equal(alloc.live_bytes, wb_frame_footprint(f) + sizeof(*f));
                wb_frame_check(f);
            } while (nth < 10);
            assert_int_equal(alloc.requests, requests + nth - 1);
            assert_int_equal(err, WB_OK);
            alloc.fail_at[SIM_ALLOC_OP] = 0;
            assert_int_equal(wb_frame_finish(f), WB_OK);
            assert_int_equal(wb_frame_footprint(f), wb_frame_bill(&small, sizes[i]));
            wb_frame_drop(f);
        }
}

/* ---- growth ---------------------------------------------------------------------------------- */

/* Readers keep every slice; the frame keeps no superseded segment when nobody is pinned. */
static void slices_outlive_growth(void **state)
{
    struct wb_frame *f = frame_of(300);
    struct wb_frame_reader r;
    struct wb_slice kept[300];

    (void)state;
    wb_frame_reader_init(&r, f);
    for (uint64_t i = 0; i < 300; i++) {
        write_part(f, i, i + 1);
        kept[i] = read_part(&r, i, i + 1);
        assert_int_equal(wb_frame_superseded(f), 0);
    }
    assert_int_equal(cost.grown, 8 + 16 + 32);
    assert_int_equal(cost.freed, 3);
    assert_int_equal(cost.segments, 4 + 4);
    assert_int_equal(cost.copied, 300 + cost.grown);
    assert_int_equal(alloc.live_bytes,
                     sizeof(*f) + wb_frame_footprint(f) + 3 * HEADER + 8 + 16 + 32);
    assert_int_equal(wb_slice_holders(&kept[0]), 8);   /* slices alone */
    assert_int_equal(wb_slice_holders(&kept[8]), 8);   /* the same */
    assert_int_equal(wb_slice_holders(&kept[32]), 33); /* and the frame */
    assert_int_equal(wb_slice_holders(&kept[299]), 300 - 256 + 1);
    assert_int_equal(wb_frame_finish(f), WB_OK);
    wb_frame_drop(f);
    assert_no_read(&r, WB_END);
    wb_frame_reader_fini(&r);
    for (uint64_t i = 0; i < 300; i++) {
        assert_part(&kept[i], i, i + 1);
        wb_slice_drop(&kept[i]);
    }
}

/* Only what was published is copied, not the room behind it. */
static void growth_copies_what_is_there(void **state)
{
    struct wb_frame *f = frame_of(100);

    (void)state;
    write_part(f, 0, 5);
    write_part(f, 5, 20);
    assert_int_equal(cost.grown, 5);
    write_part(f, 20, 40);
    assert_int_equal(cost.grown, 5 + 20);
    assert_int_equal(cost.copied, 40 + cost.grown);
    wb_frame_drop(f);
}

/* A frame with two superseded segments, while a reader is between its pin and its reference. */
static struct wb_frame *pinned_frame(void)
{
    struct wb_frame *f = frame_of(100);

    write_part(f, 0, 8);
    wb_atomic_add_seq_cst(&f->pins, 1);
    write_part(f, 8, 16);
    assert_int_equal(wb_frame_superseded(f), 1);
    write_part(f, 16, 32);
    assert_int_equal(wb_frame_superseded(f), 2);
    assert_int_equal(wb_frame_footprint(f), 3 * HEADER + 8 + 16 + 32);
    assert_int_equal(cost.freed, 0);
    wb_frame_check(f);
    return f;
}

static void pins_keep_superseded_segments(void **state)
{
    struct wb_frame *f;

    (void)state;
    f = pinned_frame(); /* the next growth */
    wb_atomic_sub_seq_cst(&f->pins, 1);
    write_part(f, 32, 33);
    assert_int_equal(wb_frame_superseded(f), 0);
    assert_int_equal(cost.freed, 3);
    assert_int_equal(alloc.live_blocks, 2);
    wb_frame_drop(f);
    cost.freed = 0;

    f = pinned_frame(); /* finish */
    write_part(f, 32, 100);
    assert_int_equal(wb_frame_superseded(f), 3);
    wb_atomic_sub_seq_cst(&f->pins, 1);
    write_part(f, 50, 100);
    assert_int_equal(wb_frame_superseded(f), 3);
    assert_int_equal(wb_frame_finish(f), WB_OK);
    assert_int_equal(wb_frame_superseded(f), 0);
    assert_int_equal(wb_frame_footprint(f), wb_frame_bill(&small, 100));
    wb_frame_drop(f);
    cost.freed = 0;

    f = pinned_frame(); /* abort */
    wb_atomic_sub_seq_cst(&f->pins, 1);
    wb_frame_abort(f, WB_E_CANCEL);
    assert_int_equal(wb_frame_superseded(f), 0);
    wb_frame_drop(f);
    cost.freed = 0;

    f = pinned_frame(); /* the drop of the frame */
    wb_frame_abort(f, WB_E_CANCEL);
    assert_int_equal(wb_frame_superseded(f), 2);
    wb_atomic_sub_seq_cst(&f->pins, 1);
    wb_frame_drop(f);
    assert_int_equal(cost.freed, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(whole_slice_is_kept),
        TEST(part_of_a_chain_is_kept),
        TEST(other_slices_are_copied),
        TEST(borders_of_kinds),
        TEST(sizes_of_frames),
        TEST(small_frame_is_two_blocks),
        TEST(refusals_in_their_order),
        TEST(overlaps_are_skipped),
        TEST(refused_memory_changes_nothing),
        TEST(slices_outlive_growth),
        TEST(growth_copies_what_is_there),
        TEST(pins_keep_superseded_segments),
    };

    return cmocka_run_group_tests_name("frame", tests, NULL, NULL);
}
