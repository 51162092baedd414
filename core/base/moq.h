/*
 * moq.h: what all parts of moq-lite share: versions, the integer form of each, limits.
 * Source: moq-lite drafts, versions and primitives.
 */
#ifndef WB_MOQ_H
#define WB_MOQ_H

#include "core/base/varint.h"

/* Ordered: a feature is there from some version on. */
enum wb_moq_version { WB_LITE_04, WB_LITE_05, WB_LITE_06, WB_LITE_07, WB_MOQ_VERSIONS };

#define WB_MOQ_MESSAGE_MAX  ((uint64_t)64 << 20)
#define WB_MOQ_FRAME_MAX    ((uint64_t)32 << 20)
#define WB_MOQ_DATAGRAM_MAX 65535u
#define WB_MOQ_PARTS_MAX    32u

/* An integer of the version: QUIC's form up to lite-06, leading ones from lite-07. As varint.h. */
WB_MUST_USE enum wb_err wb_moq_get(enum wb_moq_version version, struct wb_view *in, uint64_t *out);
WB_MUST_USE enum wb_err wb_moq_put(enum wb_moq_version version, struct wb_buf *out, uint64_t value);
/* Bytes that wb_moq_put writes; 0 when the value does not fit. */
size_t wb_moq_size(enum wb_moq_version version, uint64_t value);

/* Frames carry timestamps, there are datagrams, a SETUP stream and TRACK. */
static inline bool wb_moq_is_timed(enum wb_moq_version version)
{
    return version >= WB_LITE_05;
}
/* GROUP, SUBSCRIBE and FETCH name frames; announces are typed. */
static inline bool wb_moq_has_frame_bounds(enum wb_moq_version version)
{
    return version >= WB_LITE_06;
}

#endif
