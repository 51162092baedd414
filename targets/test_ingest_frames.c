/*
 * What becomes of payloads (core/media/ingest.h): copied, shared or assembled; who holds which
 * chunk; refused allocations of large frames; and how a stream ends but by FIN.
 */
#include "targets/test_ingest.h"

#include "core/base/code.h"

#define PART 700u

/* A frame's header in lite-05, delta 0, and `size` bytes of payload that tell their place. */
static struct wb_view frame_bytes(struct wb_buf *b, size_t size)
{
    uint64_t timestamp = 0;

    assert_int_equal(wb_frame_header_put(WB_LITE_05, b, &timestamp, 0, size), WB_OK);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(wb_buf_add_u8(b, (uint8_t)(i * 13 + size)), WB_OK);
    return wb_buf_view(b);
}

static void open_group(struct desk *d)
{
    desk_open(d, WB_LITE_05);
    assert_int_equal(desk_feed(d, VIEW("\x02\x01\x07")), WB_OK);
}

static void assert_payload(const struct desk *d, size_t frame, struct wb_view bytes, size_t size)
{
    assert_told(d, frame, 0, wb_view_sub(bytes, bytes.len - size, bytes.len));
}

/*
 * Case 85: whole frames of up to 2048 bytes are copies, larger ones are the chunk; the next frame
 * in the chunk is still read.
 */
static void case_85_whole_frames(void **state)
{
    const struct {
        size_t size;
        bool is_shared;
    } rows[] = {{0, false},   {1, false},    {2047, false}, {WB_COPY_WHOLE, false},
                {2049, true}, {65536, true}, {70000, true}};

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct wb_group_frame frame;
        struct wb_buf b;
        struct desk d;
        struct wb_slice kept = {0};

        wb_buf_init(&b, wb_mem_libc(), 1 << 20);
        frame_bytes(&b, rows[i].size);
        assert_int_equal(wb_buf_add(&b, VIEW("\x00\x03two\x00")), WB_OK);
        open_group(&d);
        assert_int_equal(desk_feed(&d, wb_buf_view(&b)), WB_OK);
        assert_int_equal(desk_holders(&d, 1), rows[i].is_shared);
        assert_int_equal(d.frames, 2);
        wb_buf_truncate(&b, b.len - 6);
        assert_payload(&d, 0, wb_buf_view(&b), rows[i].size);
        assert_told(&d, 1, 0, VIEW("two"));
        wb_group_reader_start_at(&d.reader, 0);
        assert_int_equal(wb_group_next(&d.reader, &frame), WB_OK);
        assert_int_equal(wb_frame_read(&frame.reader, &kept), rows[i].size ? WB_OK : WB_END);
        wb_frame_reader_fini(&frame.reader);
        if (rows[i].is_shared) /* the very bytes of the chunk, behind the header */
            assert_ptr_equal(kept.view.data + kept.view.len + 6,
                             d.chunk[1].view.data + d.chunk[1].view.len);
        else if (rows[i].size > 0) /* an allocation of its own, exactly as large */
            assert_true(wb_slice_footprint(&kept) <= rows[i].size + 32);
        assert_int_equal(d.in.cost.copied_whole, 1 + !rows[i].is_shared);
        assert_int_equal(d.in.cost.shared, rows[i].is_shared);
        assert_int_equal(d.in.cost.copied, 3 + (rows[i].is_shared ? 0 : rows[i].size));
        assert_int_equal(d.in.cost.assembled, 0);
        wb_slice_drop(&kept);
        wb_buf_fini(&b);
        desk_close(&d);
    }
}

/* A payload that is whole in a chunk of its own is that chunk, though its header came before. */
static void a_payload_crosses_as_its_own_allocation(void **state)
{
    struct wb_buf b;
    struct desk d;
    struct wb_view bytes;
    size_t header = 5;
    uint64_t taken;

    (void)state;
    wb_buf_init(&b, wb_mem_libc(), 1 << 20);
    bytes = frame_bytes(&b, 65536);
    assert_int_equal(bytes.len, header + 65536);
    open_group(&d);
    assert_int_equal(desk_feed(&d, wb_view_sub(bytes, 0, 2)), WB_OK);
    assert_int_equal(desk_feed(&d, wb_view_sub(bytes, 2, header)), WB_OK);
    taken = alloc.requests;
    assert_int_equal(desk_feed(&d, wb_view_sub(bytes, header, bytes.len)), WB_OK);
    assert_int_equal(desk_holders(&d, 3), 1);
    assert_true(alloc.requests - taken <= 1); /* the group's log at most */
    assert_payload(&d, 0, bytes, 65536);
    assert_int_equal(d.in.cost.shared, 1);
    wb_buf_fini(&b);
    desk_close(&d);
}

/* Case 85: a frame over two chunks never shares, wherever it is cut, around every size. */
static void case_85_split_frames_share_nothing(void **state)
{
    const size_t sizes[] = {2, 2047, 2048, 2049, 70000};

    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        const size_t cuts[] = {1, 2, sizes[i] / 2, sizes[i] - 1};
        struct wb_buf b;
        struct wb_view bytes;

        wb_buf_init(&b, wb_mem_libc(), 1 << 20);
        bytes = frame_bytes(&b, sizes[i]);
        for (size_t k = 0; k < COUNT(cuts); k++) {
            size_t at = bytes.len - sizes[i] + cuts[k];
            struct desk d;

            if (cuts[k] == sizes[i])
                continue;
            open_group(&d);
            assert_int_equal(desk_feed(&d, wb_view_sub(bytes, 0, at)), WB_OK);
            assert_int_equal(desk_holders(&d, 1), 0);
            assert_int_equal(desk_feed(&d, wb_view_sub(bytes, at, bytes.len)), WB_OK);
            assert_int_equal(desk_holders(&d, 2), 0);
            assert_payload(&d, 0, bytes, sizes[i]);
            assert_int_equal(d.in.cost.assembled, 1);
            assert_int_equal(d.in.cost.copied, sizes[i]);
            assert_int_equal(desk_fin(&d), WB_OK);
            desk_close(&d);
        }
        wb_buf_fini(&b);
    }
}

/* One allocation for a small whole frame, once the group's log has room. */
static void a_small_frame_is_one_allocation(void **state)
{
    struct desk d;
    uint64_t taken, most = 0;

    (void)state;
    open_group(&d);
    for (size_t i = 0; i < 7; i++) {
        taken = alloc.requests;
        assert_int_equal(desk_feed(&d, VIEW("\x00\x03two\x00\x03two")), WB_OK);
        d.frames = 0; /* told again and again */
        wb_buf_fini(&d.told[0].payload);
        wb_buf_fini(&d.told[1].payload);
        most += alloc.requests == taken + 2;
    }
    assert_int_equal(most, 4); /* the log grew with frames 2, 5 and 9 of 14 */
    desk_close(&d);
}

/* Each allocation refused once, for frames in pieces: nothing is lost, and the push is repeated. */
static void refused_allocations_are_repeated(void **state)
{
    const size_t sizes[] = {PART, 2049, 9000, 70000};

    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct wb_buf b;
        struct wb_view bytes;
        uint64_t refused = 1;

        wb_buf_init(&b, wb_mem_libc(), 1 << 20);
        frame_bytes(&b, 10);
        bytes = frame_bytes(&b, sizes[i]);
        for (uint64_t fail = 1; refused > 0; fail++)
            for (size_t cut = 1; cut < bytes.len; cut += cut < 40 ? 1 : sizes[i] / 3) {
                struct desk d;

                sim_alloc_reset(&alloc);
                open_group(&d);
                sim_alloc_fail_next(&alloc, fail);
                assert_int_equal(desk_feed(&d, wb_view_sub(bytes, 0, cut)), WB_OK);
                assert_int_equal(desk_feed(&d, wb_view_sub(bytes, cut, bytes.len)), WB_OK);
                assert_int_equal(desk_fin(&d), WB_OK);
                assert_int_equal(d.end, WB_END);
                assert_int_equal(d.frames, 2);
                assert_payload(&d, 1, bytes, sizes[i]);
                refused = alloc.refused;
                desk_close(&d);
            }
        wb_buf_fini(&b);
    }
}

/* Case 67 and bug 51: 32 MiB declared, then little or nothing: paid by what came. */
static void case_67_a_large_promise_costs_nothing(void **state)
{
    uint8_t some[100] = {1};

    (void)state;
    for (size_t sent = 0; sent <= sizeof(some); sent += 50) {
        struct desk d;

        sim_alloc_reset(&alloc);
        open_group(&d);
        assert_int_equal(desk_feed(&d, VIEW("\x00\x82\x00\x00\x00")), WB_OK);
        assert_int_equal(desk_feed(&d, wb_view_of(some, sent)), WB_OK);
        assert_int_equal(desk_fin(&d), WB_E_TRUNCATED);
        assert_int_equal(d.end, WB_E_TRUNCATED);
        assert_true(alloc.peak_bytes < 10000);
        desk_close(&d);
    }
}

/* ---- other ends ------------------------------------------------------------------------------ */

/* Two frames, of which the reader was told one and the slice of one is kept. */
static void open_midway(struct desk *d, struct wb_slice *out_kept)
{
    struct wb_group_frame frame;

    open_group(d);
    assert_int_equal(desk_feed(d, VIEW("\x00\x03two\x00\x05he")), WB_OK);
    wb_group_reader_start_at(&d->reader, 0);
    assert_int_equal(wb_group_next(&d->reader, &frame), WB_OK);
    assert_int_equal(wb_frame_read(&frame.reader, out_kept), WB_OK);
    wb_frame_reader_fini(&frame.reader);
}

static void assert_ended(struct desk *d, struct wb_slice *kept, enum wb_err err)
{
    desk_read(d);
    assert_int_equal(d->end, err);
    assert_int_equal(d->frames, 1);
    assert_true(wb_view_equal(kept->view, VIEW("two")));
    wb_slice_drop(kept);
    assert_int_equal(desk_feed(d, VIEW("llo")), err);
    assert_int_equal(desk_fin(d), err);
    wb_ingest_reset(&d->in, 1);
    wb_ingest_cancel(&d->in, WB_E_LAGGED);
    assert_int_equal(desk_fin(d), err);
    desk_close(d);
}

/* Case 83: a reset means what its code means; who has a slice keeps it. */
static void case_83_resets(void **state)
{
    const uint64_t codes[] = {0, 1, 2, 3, 5, 31, UINT64_MAX};

    (void)state;
    for (size_t i = 0; i < COUNT(codes); i++) {
        struct wb_slice kept = {0};
        struct desk d;

        open_midway(&d, &kept);
        wb_ingest_reset(&d.in, codes[i]);
        assert_ended(&d, &kept, wb_code_meaning(codes[i]));
    }
}

static void cancelled(void **state)
{
    struct wb_slice kept = {0};
    struct desk d;

    (void)state;
    open_midway(&d, &kept);
    wb_ingest_cancel(&d.in, WB_E_CANCEL);
    assert_ended(&d, &kept, WB_E_CANCEL);
}

/* The cache evicts the group in the middle of a frame. */
static void aborted_by_somebody_else(void **state)
{
    struct wb_slice kept = {0};
    struct desk d;

    (void)state;
    open_midway(&d, &kept);
    wb_group_abort(d.group, WB_E_EVICTED);
    assert_ended(&d, &kept, WB_E_EVICTED);
    open_midway(&d, &kept);
    wb_group_abort(d.group, WB_E_OLD);
    assert_int_equal(desk_fin(&d), WB_E_OLD);
    assert_ended(&d, &kept, WB_E_OLD);
}

/* Who leaves without an end drops the group; after FIN its frames stay (bugs 60 and 70). */
static void left(void **state)
{
    struct wb_slice kept = {0};
    struct desk d;

    (void)state;
    open_midway(&d, &kept);
    wb_ingest_fini(&d.in);
    wb_ingest_fini(&d.in);
    desk_read(&d);
    assert_int_equal(d.end, WB_E_DROPPED);
    wb_slice_drop(&kept);
    desk_close(&d);

    open_group(&d);
    d.end = WB_OK; /* reads later */
    assert_int_equal(desk_feed(&d, VIEW("\x00\x03two")), WB_OK);
    assert_int_equal(desk_fin(&d), WB_OK);
    wb_ingest_reset(&d.in, 1);
    wb_ingest_cancel(&d.in, WB_E_CANCEL);
    wb_ingest_fini(&d.in);
    d.end = WB_MORE;
    desk_read(&d);
    assert_told(&d, 0, 0, VIEW("two"));
    assert_int_equal(d.end, WB_END);
    desk_close(&d);
}

/* Before a group is attached nothing but the stream itself can end (bug 62). */
static void ends_before_a_group(void **state)
{
    struct wb_slice chunk = {0};
    struct wb_ingest in;

    (void)state;
    wb_ingest_init(&in, &alloc.mem, WB_LITE_05);
    wb_ingest_reset(&in, 5);
    assert_int_equal(wb_ingest_fin(&in), WB_E_LAGGED);
    wb_ingest_fini(&in);
    wb_ingest_init(&in, &alloc.mem, WB_LITE_05);
    assert_int_equal(wb_slice_copy(&alloc.mem, VIEW("\x02\x01\x07\x00"), &chunk), WB_OK);
    assert_int_equal(wb_ingest_push(&in, &chunk), WB_OK);
    assert_int_equal(in.state, WB_INGEST_ATTACH);
    assert_int_equal(wb_ingest_push(&in, &chunk), WB_OK); /* waits for a group */
    assert_int_equal(chunk.view.len, 1);
    wb_ingest_cancel(&in, WB_E_CANCEL); /* of a subscription that nobody has */
    assert_int_equal(wb_ingest_push(&in, &chunk), WB_E_CANCEL);
    wb_slice_drop(&chunk);
    wb_ingest_fini(&in);
}

/* Case 63: frames are numbered from the header's first on; a group that has frames is refused. */
static void case_63_the_first_frame(void **state)
{
    struct wb_slice chunk = {0}, frame = {0};
    struct wb_group *group, *used;
    struct wb_ingest in;

    (void)state;
    wb_ingest_init(&in, &alloc.mem, WB_LITE_07);
    assert_int_equal(wb_slice_copy(&alloc.mem, VIEW("\x03\x01\x07\x04\x00\x01x"), &chunk), WB_OK);
    assert_int_equal(wb_ingest_push(&in, &chunk), WB_OK);
    assert_int_equal(wb_group_new(&alloc.mem, &wb_group_limits_default, NULL, 7, &used), WB_OK);
    assert_int_equal(wb_group_add(used, 0, &frame), WB_OK);
    assert_int_equal(wb_ingest_attach(&in, used), WB_E_FINISHED);
    wb_group_drop(used);
    assert_int_equal(wb_group_new(&alloc.mem, &wb_group_limits_default, NULL, 7, &group), WB_OK);
    assert_int_equal(wb_ingest_attach(&in, group), WB_OK);
    assert_int_equal(wb_ingest_push(&in, &chunk), WB_OK);
    assert_int_equal(wb_group_next_index(group), 5);
    assert_int_equal(wb_group_offset(group), 4);
    assert_int_equal(wb_ingest_fin(&in), WB_OK);
    wb_ingest_fini(&in);
}

/* A fetch answer is frames and nothing before them. */
static void fetch_answers(void **state)
{
    struct wb_slice chunk = {0};
    struct wb_group *group;
    struct wb_ingest in;
    uint64_t total = 0;

    (void)state;
    assert_int_equal(wb_group_new(&alloc.mem, &wb_group_limits_default, NULL, 7, &group), WB_OK);
    wb_ingest_init_frames(&in, &alloc.mem, WB_LITE_05, wb_group_share(group));
    assert_int_equal(wb_slice_copy(&alloc.mem, VIEW("\x00\x01x\x00\x00"), &chunk), WB_OK);
    assert_int_equal(wb_ingest_push(&in, &chunk), WB_OK);
    assert_int_equal(wb_ingest_fin(&in), WB_OK);
    assert_true(wb_group_finished(group, &total));
    assert_int_equal(total, 2);
    wb_ingest_fini(&in);
    wb_group_drop(group);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(case_85_whole_frames),
        TEST(a_payload_crosses_as_its_own_allocation),
        TEST(case_85_split_frames_share_nothing),
        TEST(a_small_frame_is_one_allocation),
        TEST(refused_allocations_are_repeated),
        TEST(case_67_a_large_promise_costs_nothing),
        TEST(case_83_resets),
        TEST(cancelled),
        TEST(aborted_by_somebody_else),
        TEST(left),
        TEST(ends_before_a_group),
        TEST(case_63_the_first_frame),
        TEST(fetch_answers),
    };

    return cmocka_run_group_tests_name("ingest_frames", tests, NULL, NULL);
}
