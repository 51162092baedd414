/*
 * test_ingest.h: an ingest, a reader of its group, and what that reader was told; for the tests of
 * core/media/ingest.h.
 */
#ifndef TEST_INGEST_H
#define TEST_INGEST_H

#include "core/media/ingest.h"
#include "sim/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(rows)   (sizeof(rows) / sizeof((rows)[0]))
#define VIEW(literal) wb_view_of(literal, sizeof(literal) - 1)
#define FRAMES_MAX    8u
#define CHUNKS_MAX    8u

static struct sim_alloc alloc; /* what the core takes; chunks come from malloc */

static inline int fresh_alloc(void **state)
{
    (void)state;
    sim_alloc_reset(&alloc);
    return 0;
}

static inline int all_given_back(void **state)
{
    (void)state;
    return alloc.live_blocks == 0 ? 0 : -1;
}

/* ---- a stream and who reads it --------------------------------------------------------------- */

struct told {
    uint64_t timestamp;
    struct wb_buf payload;
};

/* One ingest, a reader of its group, and one more holder of each chunk to count by. */
struct desk {
    struct wb_ingest in;
    struct wb_group *group;
    struct wb_group_reader reader;
    struct wb_group_frame frame; /* under way */
    bool has_frame;
    struct told told[FRAMES_MAX];
    size_t frames, chunks;
    struct wb_slice chunk[CHUNKS_MAX];
    enum wb_err end; /* for the reader */
};

static inline void desk_open(struct desk *d, enum wb_moq_version version)
{
    *d = (struct desk){.end = WB_MORE};
    wb_ingest_init(&d->in, &alloc.mem, version);
}

/* Gives the ingest a group once its header is there. */
static inline void desk_attach(struct desk *d)
{
    enum wb_err err;

    if (d->in.state != WB_INGEST_ATTACH)
        return;
    do
        err = wb_group_new(&alloc.mem, &wb_group_limits_default, NULL, d->in.header.sequence,
                           &d->group);
    while (err == WB_E_NOMEM);
    assert_int_equal(err, WB_OK);
    wb_group_reader_init(&d->reader, d->group);
    assert_int_equal(wb_ingest_attach(&d->in, d->group), WB_OK);
    wb_group_reader_start_at(&d->reader, d->in.header.first);
}

/* Reads on until there is nothing new. */
static inline void desk_read(struct desk *d)
{
    while (d->group != NULL && d->end == WB_MORE) {
        struct wb_slice part = {0};
        enum wb_err err = WB_END;

        if (!d->has_frame) {
            err = wb_group_next(&d->reader, &d->frame);
            if (err == WB_MORE)
                return;
            if (err != WB_OK) {
                d->end = err;
                return;
            }
            d->has_frame = true;
            d->told[d->frames].timestamp = d->frame.timestamp;
            wb_buf_init(&d->told[d->frames].payload, wb_mem_libc(), (size_t)d->frame.size);
        }
        err = wb_frame_read(&d->frame.reader, &part);
        if (err == WB_MORE)
            return;
        if (err == WB_OK) {
            assert_int_equal(wb_buf_add(&d->told[d->frames].payload, part.view), WB_OK);
            wb_slice_drop(&part);
            continue;
        }
        if (err == WB_END)
            d->frames++;
        else
            wb_buf_fini(&d->told[d->frames].payload);
        wb_frame_reader_fini(&d->frame.reader);
        d->has_frame = false;
    }
}

/* One chunk, pushed until it is taken or an error is fatal; *out_left is what was not consumed. */
static inline enum wb_err desk_push(struct desk *d, struct wb_view bytes, size_t *out_left)
{
    struct wb_slice lease = {0};
    enum wb_err err;

    assert_true(d->chunks < CHUNKS_MAX);
    assert_int_equal(wb_slice_copy(wb_mem_libc(), bytes, &lease), WB_OK);
    d->chunk[d->chunks++] = wb_slice_share(&lease);
    do {
        const uint8_t *at = lease.view.data;

        err = wb_ingest_push(&d->in, &lease);
        wb_ingest_check(&d->in);
        if (at != NULL && lease.view.len > 0)
            assert_true(lease.view.data + lease.view.len ==
                        d->chunk[d->chunks - 1].view.data + bytes.len); /* off the front */
        desk_attach(d);
        desk_read(d);
    } while (err == WB_E_NOMEM || (err == WB_OK && lease.view.len > 0));
    *out_left = lease.view.len;
    wb_slice_drop(&lease);
    return err;
}

static inline enum wb_err desk_feed(struct desk *d, struct wb_view bytes)
{
    size_t left;
    enum wb_err err = desk_push(d, bytes, &left);

    assert_true(err != WB_OK || left == 0);
    return err;
}

static inline enum wb_err desk_fin(struct desk *d)
{
    enum wb_err err = wb_ingest_fin(&d->in);

    desk_read(d);
    return err;
}

static inline uint64_t desk_holders(const struct desk *d, size_t chunk)
{
    return wb_slice_holders(&d->chunk[chunk]) - (d->chunk[chunk].owner != NULL);
}

static inline void desk_close(struct desk *d)
{
    wb_ingest_fini(&d->in);
    if (d->has_frame) {
        wb_frame_reader_fini(&d->frame.reader);
        wb_buf_fini(&d->told[d->frames].payload);
    }
    if (d->group != NULL)
        wb_group_reader_fini(&d->reader);
    for (size_t i = 0; i < d->frames; i++)
        wb_buf_fini(&d->told[i].payload);
    for (size_t i = 0; i < d->chunks; i++) {
        assert_int_equal(desk_holders(d, i), 0);
        wb_slice_drop(&d->chunk[i]);
    }
    assert_int_equal(alloc.live_blocks, 0);
}

static inline void assert_told(const struct desk *d, size_t i, uint64_t timestamp,
                               struct wb_view payload)
{
    assert_true(i < d->frames);
    assert_true(d->told[i].timestamp == timestamp);
    assert_int_equal(d->told[i].payload.len, payload.len);
    if (payload.len > 0)
        assert_memory_equal(d->told[i].payload.data, payload.data, payload.len);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh_alloc, all_given_back)

#endif
