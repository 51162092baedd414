/*
 * wire.h: the messages of media: GROUP, FRAME headers, DATAGRAM. Get and put side by side.
 * Source: moq-lite, messages field by field.
 */
#ifndef WB_MEDIA_WIRE_H
#define WB_MEDIA_WIRE_H

#include "core/base/moq.h"
#include "core/base/wire.h"

struct wb_group_header {
    uint64_t subscribe, sequence;
    uint64_t first; /* number of the first frame; lite-06 and later, else 0 */
};

/* The body of a complete GROUP message: WB_E_SHORT, WB_E_LONG when it is not exactly its fields. */
WB_MUST_USE enum wb_err wb_group_header_get(enum wb_moq_version version, struct wb_view body,
                                            struct wb_group_header *out);
/* Size and body. WB_E_VERSION when `first` is not 0 and the version cannot say it. */
WB_MUST_USE enum wb_err wb_group_header_put(enum wb_moq_version version, struct wb_buf *out,
                                            const struct wb_group_header *header);

/*
 * A frame's header off the front of *in: WB_MORE when cut, *in unchanged. *timestamp is that of the
 * frame before (0 at first) and becomes this one's; WB_E_BOUNDS when it would leave 0..2^62-1;
 * WB_E_FRAME_TOO_LARGE. Untimed versions leave it alone.
 */
WB_MUST_USE enum wb_err wb_frame_header_get(enum wb_moq_version version, struct wb_view *in,
                                            uint64_t *timestamp, uint64_t *out_size);
WB_MUST_USE enum wb_err wb_frame_header_put(enum wb_moq_version version, struct wb_buf *out,
                                            uint64_t *timestamp, uint64_t new_timestamp,
                                            uint64_t size);

struct wb_datagram {
    uint64_t subscribe, sequence, timestamp;
    struct wb_view payload; /* borrowed */
};

/*
 * WB_E_VERSION before lite-05, WB_E_SHORT when cut, WB_E_BOUNDS for a payload over 65,535 or a
 * timestamp over 2^62-1.
 */
WB_MUST_USE enum wb_err wb_datagram_get(enum wb_moq_version version, struct wb_view packet,
                                        struct wb_datagram *out);
WB_MUST_USE enum wb_err wb_datagram_put(enum wb_moq_version version, struct wb_buf *out,
                                        const struct wb_datagram *datagram);

#endif
