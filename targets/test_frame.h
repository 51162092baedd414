/*
 * test_frame.h: what the tests of frames on one thread share: an allocator that counts, limits that
 * show every border, a payload whose bytes are a function of their position.
 */
#ifndef TEST_FRAME_H
#define TEST_FRAME_H

#include "core/media/frame_store.h"
#include "sim/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEST(name)  cmocka_unit_test_setup_teardown(name, setup, teardown)
#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))
#define HEADER      sizeof(struct wb_segment)
#define MIB         ((uint64_t)1 << 20)

/* Small enough to see every border: growing 8, 16, 32, 64, then a chain of 64s. */
#define UPFRONT 10
#define FIRST   8
#define CHAIN   64

static struct sim_alloc alloc;
static struct wb_frame_cost cost;
static const struct wb_frame_limits small = {UPFRONT, FIRST, CHAIN, &cost};

/* The payload of all frames: a byte is a function of its position. */
static uint8_t payload[4 << 20];

static inline int setup(void **state)
{
    (void)state;
    sim_alloc_reset(&alloc);
    cost = (struct wb_frame_cost){0};
    for (size_t i = 0; i < sizeof(payload); i++)
        payload[i] = (uint8_t)(i * 7 + (i >> 8) * 13 + (i >> 16));
    return 0;
}

static inline int teardown(void **state)
{
    (void)state;
    return alloc.live_blocks == 0 && alloc.live_bytes == 0 ? 0 : -1;
}

static inline struct wb_view part(uint64_t begin, uint64_t end)
{
    return wb_view_of(payload + begin, (size_t)(end - begin));
}

static inline struct wb_frame *frame_of(uint64_t size)
{
    struct wb_frame *f = NULL;

    assert_int_equal(wb_frame_new(&alloc.mem, &small, size, &f), WB_OK);
    return f;
}

/* Positions begin..end of the payload are written. */
static inline void write_part(struct wb_frame *f, uint64_t begin, uint64_t end)
{
    assert_int_equal(wb_frame_write(f, begin, part(begin, end)), WB_OK);
    assert_true(wb_frame_written(f) >= end);
    wb_frame_check(f);
}

static inline void assert_part(const struct wb_slice *s, uint64_t begin, uint64_t end)
{
    assert_int_equal(s->view.len, end - begin);
    assert_memory_equal(s->view.data, payload + begin, end - begin);
    wb_slice_check(s);
}

/* The reader's next read gives positions begin..end. */
static inline struct wb_slice read_part(struct wb_frame_reader *r, uint64_t begin, uint64_t end)
{
    struct wb_slice s = {0};

    assert_int_equal(r->at, begin);
    assert_int_equal(wb_frame_read(r, &s), WB_OK);
    assert_part(&s, begin, end);
    assert_int_equal(r->at, end);
    return s;
}

static inline void skip_part(struct wb_frame_reader *r, uint64_t begin, uint64_t end)
{
    struct wb_slice s = read_part(r, begin, end);

    wb_slice_drop(&s);
}

/* The reader's next read gives no bytes, and touches nothing. */
static inline void assert_no_read(struct wb_frame_reader *r, enum wb_err err)
{
    struct wb_slice s = {.view.data = payload};
    uint64_t at = r->at;

    assert_int_equal(wb_frame_read(r, &s), err);
    assert_int_equal(wb_frame_read(r, &s), err);
    assert_ptr_equal(s.view.data, payload);
    assert_int_equal(r->at, at);
}

/* Refused with `err`, and nothing is another. */
static inline void assert_refused(struct wb_frame *f, uint64_t offset, struct wb_view bytes,
                                  enum wb_err err)
{
    struct wb_frame_cost before = cost;
    uint64_t written = wb_frame_written(f), footprint = wb_frame_footprint(f);
    uint64_t live = alloc.live_bytes;
    struct wb_slice slice, held;

    assert_int_equal(wb_frame_write(f, offset, bytes), err);
    assert_int_equal(wb_slice_copy(wb_mem_libc(), bytes, &slice), WB_OK);
    held = slice;
    assert_int_equal(wb_frame_write_slice(f, offset, &slice), err);
    assert_memory_equal(&slice, &held, sizeof(held));
    assert_int_equal(wb_slice_holders(&slice), bytes.len > 0 ? 1 : 0);
    wb_slice_drop(&slice);
    assert_int_equal(wb_frame_written(f), written);
    assert_int_equal(wb_frame_footprint(f), footprint);
    assert_int_equal(alloc.live_bytes, live);
    assert_memory_equal(&cost, &before, sizeof(cost));
    wb_frame_check(f);
}

#endif
