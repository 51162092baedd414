/*
 * frame_store.h: a frame from the inside, for frame.c, the writer, and frame_read.c, the readers.
 *
 *   head      the segment of position 0; only a growing one is ever replaced
 *   moving    marks up to here: the head may still be replaced. Above, it is final, because its
 *             capacity depends on the mark alone, not on how the bytes arrived
 *   reach     bytes of the final head, and of each segment in the chain behind it but the last
 *
 * What is not atomic is written before the mark that lets a reader look at it, or is the writer's.
 */
#ifndef WB_FRAME_STORE_H
#define WB_FRAME_STORE_H

#include "core/base/segment.h"
#include "core/media/frame.h"

struct wb_frame {
    struct wb_atomic_u64 mark; /* bytes there, and the end in the upper half */
    struct wb_atomic_u64 pins; /* readers between loading the head and holding it */
    struct wb_atomic_ptr head; /* NULL while there is no byte */
    const uint8_t *bytes;      /* of the final head */
    uint32_t moving, reach;
    struct wb_atomic_u64 references;
    struct wb_mem *mem;
    struct wb_segment *open;       /* the writer's: the last of the chain */
    struct wb_segment *superseded; /* the writer's: those it still refers to */
    struct wb_frame_cost *cost;
    uint32_t size, first;
    bool is_fixed, is_shared;
};

/* A mark has to hold every size and every status. */
_Static_assert(WB_MOQ_FRAME_MAX < UINT32_MAX, "the size of a frame fits half a mark");

/* Open is WB_OK, finished is WB_END, aborted is the reason. */
static inline uint64_t wb_frame_mark(uint64_t written, enum wb_err end)
{
    return written | (uint64_t)end << 32;
}

static inline uint64_t wb_frame_mark_written(uint64_t mark)
{
    return mark & UINT32_MAX;
}

static inline enum wb_err wb_frame_mark_end(uint64_t mark)
{
    return (enum wb_err)(mark >> 32);
}

static inline struct wb_segment *wb_frame_head(const struct wb_frame *f)
{
    return wb_atomic_ptr_load_relaxed(&f->head);
}

/* Where position `at` is inside its segment; of a shared payload, inside the slice. */
static inline uint64_t wb_frame_inside(const struct wb_frame *f, uint64_t at)
{
    return (uint32_t)at % f->reach;
}

static inline uint64_t wb_frame_smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

#endif
