/*
 * test_announce.h: what the tests of both ends of an announce stream share. Bytes are text as in
 * sim/hex.h; the allocator is counted, and each test gives all of it back.
 */
#ifndef TEST_ANNOUNCE_H
#define TEST_ANNOUNCE_H

#include "core/route/announce_pub.h"
#include "core/route/announce_sub.h"
#include "sim/alloc.h"
#include "sim/hex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))
#define UUID        "0190a0b0c0d07e0f8a0b0c0d0e0f1011"
#define ROOM_MAX    ((size_t)1 << 20)

static struct sim_alloc alloc;

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

/* Bytes of a text, good until four more were asked for. */
static inline struct wb_view hex(const char *text)
{
    static struct wb_buf rooms[4];
    static unsigned next;
    struct wb_buf *room = &rooms[next++ % COUNT(rooms)];
    struct sim_text_error error;

    wb_buf_fini(room);
    wb_buf_init(room, wb_mem_libc(), ROOM_MAX);
    assert_int_equal(sim_hex_parse(wb_view_text(text), room, &error), WB_OK);
    return wb_buf_view(room);
}

static inline void assert_view(struct wb_view got, struct wb_view want)
{
    if (got.len != want.len || (got.len > 0 && memcmp(got.data, want.data, got.len) != 0)) {
        for (size_t i = 0; i < got.len; i++)
            printf("%02x%s", got.data[i], i + 1 < got.len ? " " : "\n");
    }
    assert_int_equal(got.len, want.len);
    if (want.len > 0)
        assert_memory_equal(got.data, want.data, want.len);
}

static inline void assert_text(struct wb_view got, const char *want)
{
    assert_view(got, wb_view_text(want));
}

#endif
