/*
 * The contract of sim/backing.h: who shares what with whom, and when a buffer is used again.
 */
#include "sim/alloc.h"
#include "sim/backing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define VIEW(literal) wb_view_of(literal, sizeof(literal) - 1)

static void drop_all(struct wb_slice *chunks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        wb_slice_drop(&chunks[i]);
}

/* The bytes come out as they went in; a packet's storage goes with its last chunk. */
static void chunks_of_a_packet(void **state)
{
    const struct wb_view parts[] = {VIEW("abc"), VIEW(""), VIEW("de")};

    (void)state;
    for (int kind = 0; kind < SIM_BACKING_KINDS; kind++) {
        struct sim_alloc alloc = {0};
        struct sim_backing b;
        struct wb_slice chunks[3] = {0};

        sim_alloc_reset(&alloc);
        sim_backing_init(&b, &alloc.mem, (enum sim_backing_kind)kind);
        sim_alloc_fail_next(&alloc, kind == SIM_BACKING_EXACT ? 2 : 1);
        assert_int_equal(sim_backing_receive(&b, parts, 3, chunks), WB_E_NOMEM);
        assert_int_equal(alloc.live_blocks, 0);
        assert_int_equal(sim_backing_receive(&b, parts, 3, chunks), WB_OK);
        for (size_t i = 0; i < 3; i++)
            assert_true(wb_view_equal(chunks[i].view, parts[i]));
        assert_null(chunks[1].owner);
        assert_int_equal(chunks[0].owner == chunks[2].owner, kind != SIM_BACKING_EXACT);
        assert_int_equal(alloc.live_blocks, kind == SIM_BACKING_EXACT ? 2 : 1);
        if (kind == SIM_BACKING_DATAGRAM)
            assert_true(wb_slice_footprint(&chunks[0]) < 5 + 64);
        sim_backing_fini(&b);
        assert_true(wb_view_equal(chunks[2].view, parts[2]));
        drop_all(chunks, 3);
        assert_int_equal(alloc.live_blocks, 0);
    }
}

/* 64 KiB back to back; then from the start when nothing is held, else another buffer. */
static void a_buffer_is_used_again(void **state)
{
    struct sim_alloc alloc = {0};
    struct sim_backing b;
    struct wb_slice chunk = {0}, kept = {0};
    uint8_t bytes[1150] = {0};
    struct wb_view packet = wb_view_of(bytes, sizeof(bytes));
    size_t per_buffer = SIM_BACKING_BUFFER / sizeof(bytes);
    const uint8_t *first = NULL;

    (void)state;
    sim_alloc_reset(&alloc);
    sim_backing_init(&b, &alloc.mem, SIM_BACKING_RECV64K);
    for (size_t i = 0; i < 3 * per_buffer; i++) {
        bytes[0] = (uint8_t)i;
        assert_int_equal(sim_backing_receive(&b, &packet, 1, &chunk), WB_OK);
        if (i == 0)
            first = chunk.view.data;
        if (i < 2 * per_buffer)
            assert_ptr_equal(chunk.view.data, first + i % per_buffer * sizeof(bytes));
        if (i == per_buffer + 1) /* pins the buffer for what comes after it */
            kept = wb_slice_share(&chunk);
        wb_slice_drop(&chunk);
    }
    assert_int_equal(b.buffers, 2);
    assert_int_equal(kept.view.data[0], per_buffer + 1);
    assert_true(wb_slice_footprint(&kept) >= SIM_BACKING_BUFFER);
    wb_slice_drop(&kept);
    sim_backing_fini(&b);
    assert_int_equal(alloc.live_blocks, 0);
}

static void packets_have_a_bound(void **state)
{
    uint8_t *bytes = calloc(1, SIM_BACKING_BUFFER);

    (void)state;
    assert_non_null(bytes);
    for (int kind = 0; kind < SIM_BACKING_KINDS; kind++) {
        struct wb_view parts[] = {wb_view_of(bytes, SIM_BACKING_BUFFER), VIEW("x")};
        struct sim_alloc alloc = {0};
        struct sim_backing b;
        struct wb_slice chunks[2] = {0};

        sim_alloc_reset(&alloc);
        sim_backing_init(&b, &alloc.mem, (enum sim_backing_kind)kind);
        assert_int_equal(sim_backing_receive(&b, parts, 2, chunks), WB_E_BOUNDS);
        assert_int_equal(sim_backing_receive(&b, parts, 1, chunks), WB_OK);
        drop_all(chunks, 1);
        sim_backing_fini(&b);
        assert_int_equal(alloc.live_blocks, 0);
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_of_a_packet),
        cmocka_unit_test(a_buffer_is_used_again),
        cmocka_unit_test(packets_have_a_bound),
    };

    return cmocka_run_group_tests_name("sim_backing", tests, NULL, NULL);
}
