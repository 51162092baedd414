/*
 * ingest.h: a stream of chunks becomes FRAME headers and payloads in a group.
 *
 * A chunk is a lease on a slice of a transport's receive buffer. Consuming n bytes advances the
 * lease and returns n bytes of receive credit: both are the difference of the slice's length before
 * and after. What is not consumed stays leased. A header cut between chunks is kept by copy, so no
 * chunk stays leased for it.
 *
 * A frame whose payload is whole inside one chunk is one slice: up to WB_COPY_WHOLE bytes a copy in
 * an allocation of its own, above that the chunk's own bytes. One that spans chunks is written into
 * a frame of the group, opened with its first byte, and shares nothing.
 *
 *   group stream (type 0 was read before):  GROUP header, then frames    wb_ingest_init
 *   fetch answer:                           frames                       wb_ingest_init_frames
 *   frame: [lite-05 and later: zigzag delta] size payload
 *
 * FIN before a frame's first field ends the group; anywhere else WB_E_TRUNCATED. Every error aborts
 * the group with it, keeps the frames that were complete before (readers that have them), and is
 * returned for ever; so is the reason when somebody else aborts the group. But WB_E_NOMEM leaves in
 * the chunk what it could not store, and the push may be repeated; until one succeeds, FIN is
 * WB_E_NOMEM too, since frames are missing. A GROUP message of more than 27 bytes, which no fields
 * fill, is WB_E_LONG by its size alone.
 *
 * Source: moq-lite, group stream, reader.
 */
#ifndef WB_INGEST_H
#define WB_INGEST_H

#include "core/base/message.h"
#include "core/media/group.h"
#include "core/media/wire.h"

#define WB_COPY_WHOLE 2048u

/* Counted work. */
struct wb_ingest_cost {
    uint64_t frames, copied_whole, shared, assembled; /* frames by how they came */
    uint64_t copied;                                  /* payload bytes */
};

enum wb_ingest_state {
    WB_INGEST_HEADER, /* wants the GROUP header */
    WB_INGEST_ATTACH, /* header is there: attach a group, then push on */
    WB_INGEST_FRAME,  /* between frames or in a frame's header */
    WB_INGEST_BODY,   /* inside a payload */
    WB_INGEST_DONE,   /* FIN, or an error */
};

struct wb_ingest {
    struct wb_mem *mem;
    enum wb_moq_version version;
    enum wb_ingest_state state;
    enum wb_err err;        /* first fatal one */
    struct wb_group *group; /* one reference, the writer's */
    struct wb_group_header header;
    struct wb_frame *frame; /* open, borrowed from the group */
    uint64_t timestamp;     /* of the last frame; 0 before the first */
    uint64_t left;          /* of the payload at hand */
    uint8_t held[36];       /* a header that a chunk's end cut: at most four integers */
    uint8_t held_len;
    bool is_starved; /* the last push was refused memory */
    struct wb_ingest_cost cost;
};

void wb_ingest_init(struct wb_ingest *in, struct wb_mem *mem, enum wb_moq_version version);
/* Frames only; takes the writer's reference to `group`. */
void wb_ingest_init_frames(struct wb_ingest *in, struct wb_mem *mem, enum wb_moq_version version,
                           struct wb_group *group);
/* Leaves the group: WB_E_DROPPED for its readers unless it ended. */
void wb_ingest_fini(struct wb_ingest *in);
/*
 * In state ATTACH: takes the writer's reference; the group starts at the header's first frame. On
 * an error of wb_group_start_at nothing changes and the reference stays with the caller.
 */
WB_MUST_USE enum wb_err wb_ingest_attach(struct wb_ingest *in, struct wb_group *group);
/* No reader wants this stream any more: aborts the group with `reason`. No-op after an end. */
void wb_ingest_cancel(struct wb_ingest *in, enum wb_err reason);
/*
 * Takes bytes off the front of *chunk. WB_OK: all was consumed, or the state is ATTACH. An error is
 * fatal but WB_E_NOMEM; the bytes that broke the rule are not consumed. WB_E_FINISHED after FIN.
 */
WB_MUST_USE enum wb_err wb_ingest_push(struct wb_ingest *in, struct wb_slice *chunk);
/*
 * The stream's end. WB_OK finishes the group, if one was attached; WB_E_TRUNCATED inside of a
 * message or frame, WB_E_NOMEM while the last push was refused memory.
 */
WB_MUST_USE enum wb_err wb_ingest_fin(struct wb_ingest *in);
/*
 * The peer reset the stream: the group is aborted with what the code means (core/base/code.h).
 * No-op after an end.
 */
void wb_ingest_reset(struct wb_ingest *in, uint64_t code);
void wb_ingest_check(const struct wb_ingest *in);

#endif
