/*
 * segment.h: the storage behind slices: a header and its bytes in one block. Private to the files
 * that make segments, bytes.c and frame.c; everybody else holds slices.
 */
#ifndef WB_SEGMENT_H
#define WB_SEGMENT_H

#include "core/base/atomic.h"
#include "core/base/bytes.h"

struct wb_segment {
    struct wb_mem *mem;
    struct wb_atomic_u64 references;
    size_t len;
    struct wb_segment *next; /* of the frame that made it; means nothing to slices */
    uint8_t bytes[];
};

/* Far more holders than memory has room for: past it the count itself is broken. */
#define WB_HOLDERS_MAX (UINT64_MAX / 2)

/* One holder, `len` bytes that are not initialised; NULL when refused. `len` > 0. */
struct wb_segment *wb_segment_new(struct wb_mem *mem, size_t len);
/* The last holder is gone. */
WB_NOINLINE void wb_segment_free(struct wb_segment *segment);

static inline size_t wb_segment_size(const struct wb_segment *segment)
{
    return sizeof(*segment) + segment->len;
}

static inline struct wb_segment *wb_segment_hold(struct wb_segment *segment)
{
    uint64_t before = wb_atomic_add_relaxed(&segment->references, 1);

    WB_ASSERT(before > 0);
    WB_ASSERT(before < WB_HOLDERS_MAX);
    return segment;
}

static inline void wb_segment_drop(struct wb_segment *segment)
{
    uint64_t before = wb_atomic_sub_acq_rel(&segment->references, 1);

    WB_ASSERT(before > 0);
    WB_ASSERT(before < WB_HOLDERS_MAX);
    if (before == 1)
        wb_segment_free(segment);
}

#endif
