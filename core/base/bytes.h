/*
 * bytes.h: views borrow bytes, slices hold one reference to their owner, the owner (a segment)
 * stays hidden.
 *
 *   view     {data, len}     owns nothing         valid as long as what it points into
 *   slice    {owner, view}   owns one reference   valid until drop or move
 *   segment  the storage     count of references  gone with the last slice
 *
 * Published bytes behind a segment never change. Reference counts are atomic: slices of one segment
 * may be shared and dropped from any thread; one slice is used by one thread at a time.
 */
#ifndef WB_BYTES_H
#define WB_BYTES_H

#include "core/base/base.h"
#include "core/base/err.h"
#include "core/base/mem.h"

struct wb_view {
    const uint8_t *data;
    size_t len;
};

struct wb_segment;

struct wb_slice {
    struct wb_segment *owner;
    struct wb_view view;
};

static inline struct wb_view wb_view_of(const void *data, size_t len)
{
    WB_ASSERT(data != NULL || len == 0);
    return (struct wb_view){.data = data, .len = len};
}
/* The bytes of a C string without its NUL. */
struct wb_view wb_view_text(const char *text);
bool wb_view_equal(struct wb_view a, struct wb_view b);
/* The part [begin, end); asserts begin <= end <= len. */
static inline struct wb_view wb_view_sub(struct wb_view v, size_t begin, size_t end)
{
    WB_ASSERT(begin <= end);
    WB_ASSERT(end <= v.len);
    if (v.data == NULL) /* no arithmetic on NULL, not even with 0 */
        return v;
    return (struct wb_view){.data = v.data + begin, .len = end - begin};
}

/*
 * A slice over `len` fresh bytes of its own, not yet initialised; *out_bytes is where to write
 * them, until the slice is first shared. len 0 gives the zero slice and allocates nothing.
 * WB_E_NOMEM leaves both outputs alone.
 */
WB_MUST_USE enum wb_err wb_slice_new(struct wb_mem *mem, size_t len, struct wb_slice *out,
                                     uint8_t **out_bytes);
/* A slice over a copy of `bytes`, exactly as large. WB_E_NOMEM leaves *out alone. */
WB_MUST_USE enum wb_err wb_slice_copy(struct wb_mem *mem, struct wb_view bytes,
                                      struct wb_slice *out);
/* One more holder of the same bytes. Never allocates. */
struct wb_slice wb_slice_share(const struct wb_slice *s);
/* One more holder of the part [begin, end); asserts the bounds. An empty part holds nothing. */
struct wb_slice wb_slice_sub(const struct wb_slice *s, size_t begin, size_t end);
/* Hands the reference on and leaves the zero slice behind. */
struct wb_slice wb_slice_move(struct wb_slice *s);
/* Gives the reference back, leaves the zero slice; the last holder frees. Harmless on zero. */
void wb_slice_drop(struct wb_slice *s);
/* Holders of its segment, 0 for the zero slice. For oracles; racy while others hold slices. */
uint64_t wb_slice_holders(const struct wb_slice *s);
/* Bytes the allocator lent for the segment, header included; 0 for the zero slice. */
size_t wb_slice_footprint(const struct wb_slice *s);
void wb_slice_check(const struct wb_slice *s);

#endif
