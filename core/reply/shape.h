/*
 * shape.h: how far a reply has come, held against what its request can be answered with.
 */
#ifndef WB_REPLY_SHAPE_H
#define WB_REPLY_SHAPE_H

#include "core/reply/line.h"

struct wb_reply_place {
    uint32_t seen;   /* units so far, MN, END and fatal errors apart */
    size_t next_key; /* keys before it are answered or passed over */
    bool over;       /* the unit judged last ends the reply */
};

/* WB_E_VALUE for a shape that can never end, or whose keys and opaque cannot be. */
WB_MUST_USE static inline enum wb_err wb_reply_shape_allow(const struct wb_reply_shape *shape)
{
    bool open = shape->until_mn || shape->until_end;
    bool both = shape->until_mn && shape->until_end;
    if (both || (!open && shape->count == 0))
        return WB_E_VALUE;
    if (shape->opaque.len > WB_REPLY_OPAQUE_MAX)
        return WB_E_VALUE;
    if (shape->keys && !open && shape->keys_count != shape->count)
        return WB_E_VALUE;
    return WB_OK;
}

/*
 * Judges a whole line as the next unit: code, count, opaque, key, in this order; the first that
 * fails gives its error. Moves *place on WB_OK only.
 */
WB_MUST_USE enum wb_err wb_reply_shape_admit(const struct wb_reply_shape *shape,
                                             struct wb_reply_place *place,
                                             const struct wb_reply_line *line,
                                             struct wb_view flags);

#endif
