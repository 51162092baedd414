/*
 * message.h: messages with a size in front, off a stream of chunks. A message that lies whole in
 * one chunk is lent from it; one that spans chunks is gathered. The size is judged alone, before
 * any allocation; what is gathered grows with what arrives, never by what was promised.
 *
 *   plain   size, body            typed   type, size, body
 *
 * Source: moq-lite, message framing; reader.
 */
#ifndef WB_MESSAGE_H
#define WB_MESSAGE_H

#include "core/base/moq.h"

struct wb_message {
    uint64_t type;       /* 0 when plain */
    struct wb_view body; /* lent until the next call */
};

/* Open on purpose: lives inside a stream's decoder. */
struct wb_message_reader {
    enum wb_moq_version version;
    bool typed;
    uint64_t max;       /* of a body */
    enum wb_err err;    /* first fatal one, kept for ever */
    struct wb_buf held; /* a message that is not yet whole */
    bool lent;          /* the last message lies in `held` */
};

void wb_message_reader_init(struct wb_message_reader *r, struct wb_mem *mem,
                            enum wb_moq_version version, bool typed, uint64_t max);
void wb_message_reader_fini(struct wb_message_reader *r);
/*
 * The next message. Takes what it needs off *in and nothing past the message's end. WB_MORE: all of
 * *in was taken and the message is not whole yet. WB_E_MESSAGE_TOO_LARGE over max, by the size
 * alone; WB_E_VALUE for an integer form that is not allowed; WB_E_NOMEM takes nothing.
 */
WB_MUST_USE enum wb_err wb_message_next(struct wb_message_reader *r, struct wb_view *in,
                                        struct wb_message *out);
/* The stream ended: WB_OK between messages, WB_E_TRUNCATED inside one. */
WB_MUST_USE enum wb_err wb_message_fin(struct wb_message_reader *r);

#endif
