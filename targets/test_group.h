/*
 * test_group.h: what the tests of groups and tracks share: memory and a pool that must be whole
 * again after each test, and groups that are filled and read in a line.
 */
#ifndef TARGETS_TEST_GROUP_H
#define TARGETS_TEST_GROUP_H

#include "core/media/group.h"
#include "sim/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MAX  UINT64_MAX
#define MIB  ((uint64_t)1 << 20)
#define TEXT "0123456789"

static struct sim_alloc memory;
static struct wb_pool pool;

static inline int begin(void **state)
{
    (void)state;
    sim_alloc_reset(&memory);
    wb_pool_init(&pool, WB_POOL_NO_LIMIT);
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    assert_int_equal(wb_pool_used(&pool), 0);
    assert_int_equal(memory.live_blocks, 0);
    wb_pool_fini(&pool);
    return 0;
}

static inline struct wb_group *group_new(const struct wb_group_limits *limits)
{
    struct wb_group *g;

    assert_int_equal(wb_group_new(&memory.mem, limits, &pool, 7, &g), WB_OK);
    wb_group_check(g);
    return g;
}

static inline struct wb_slice bytes(size_t len)
{
    struct wb_slice s;
    uint8_t *data;

    assert_int_equal(wb_slice_new(&memory.mem, len, &s, &data), WB_OK);
    for (size_t i = 0; i < len && i < 64; i++)
        data[i] = (uint8_t)TEXT[i % 10];
    return s;
}

/* What adding `len` bytes ends in; the payload is given back either way. */
static inline enum wb_err add_sized(struct wb_group *g, uint64_t timestamp, size_t len)
{
    struct wb_slice s = bytes(len);
    enum wb_err err = wb_group_add(g, timestamp, &s);

    if (err == WB_OK)
        assert_null(s.owner);
    else
        assert_int_equal(s.view.len, len);
    wb_slice_drop(&s);
    return err;
}

static inline void add(struct wb_group *g, size_t len)
{
    assert_int_equal(add_sized(g, 0, len), WB_OK);
}

static inline void add_many(struct wb_group *g, size_t n, size_t len)
{
    for (size_t i = 0; i < n; i++)
        add(g, len);
    wb_group_check(g);
}

static inline struct wb_frame *frame_open(struct wb_group *g, uint64_t size)
{
    struct wb_frame *f;

    assert_int_equal(wb_group_open(g, 0, size, &f), WB_OK);
    wb_group_check(g);
    return f;
}

/* Bytes that can be read now; how it ends is *out_end. */
static inline uint64_t drain(struct wb_frame_reader *r, enum wb_err *out_end)
{
    struct wb_slice s;
    uint64_t n = 0;

    while ((*out_end = wb_frame_read(r, &s)) == WB_OK) {
        n += s.view.len;
        wb_slice_drop(&s);
    }
    return n;
}

/* The reader's next frame is `index`, complete, of `size` bytes. */
static inline void assert_gives(struct wb_group_reader *r, uint64_t index, uint64_t size)
{
    struct wb_group_frame frame;
    enum wb_err err;

    assert_int_equal(wb_group_next(r, &frame), WB_OK);
    assert_int_equal(frame.index, index);
    assert_int_equal(frame.size, size);
    assert_int_equal(drain(&frame.reader, &err), size);
    assert_int_equal(err, WB_END);
    wb_frame_reader_fini(&frame.reader);
}

static inline void assert_ends(struct wb_group_reader *r, enum wb_err want)
{
    struct wb_group_frame frame;
    uint64_t before = r->index;

    assert_int_equal(wb_group_next(r, &frame), want);
    assert_int_equal(r->index, before);
}

/* A fresh reader at `index` gets `want` instead of a frame. */
static inline void assert_nothing_at(struct wb_group *g, uint64_t index, enum wb_err want)
{
    struct wb_group_reader r;

    wb_group_reader_init(&r, g);
    r.index = index;
    assert_ends(&r, want);
    wb_group_reader_fini(&r);
}

static inline uint64_t header_size(void)
{
    return wb_frame_bill(&wb_group_limits_default.frame, 1) - 1;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

#endif
