/*
 * conn.h: the inside of a connection, shared by the files that work on it:
 *
 *   quick.c   the usual units
 *   intake.c  bytes: the buffer, lines, blocks, all units
 *   steps.c   what to do next, and what follows from what happened
 *   reply.c   events, and the rest of the public calls
 *
 * Accounting: taken = returned + discarded + (len - off). Bytes count as returned when they leave
 * the buffer for the unit in progress; a timeout turns those of an unfinished unit into
 * discarded.
 */
#ifndef WB_REPLY_CONN_H
#define WB_REPLY_CONN_H

#include "core/reply/shape.h"

struct wb_reply {
    struct wb_mem *mem;
    struct wb_reply_profile profile;
    enum wb_reply_state state;
    enum wb_err reason; /* why DEAD */
    /*
     * As of the last call. NEXT: an END is ready, or the buffer may hold a unit. Members are set
     * when it becomes of their kind, but `bytes`: the rest of the request from its start on.
     */
    struct wb_reply_want want;

    /* the buffer: [off, len) is pending; capacity = read_size + WB_REPLY_LINE_MAX */
    uint8_t *buffer;
    size_t off, len, capacity, read_size;
    size_t scanned; /* bytes of [off, len) already searched for LF */
    uint64_t taken, returned, discarded;

    /* the reply being read: of the request in flight, or owed from an earlier one */
    struct wb_reply_shape shape;
    uint8_t opaque[WB_REPLY_OPAQUE_MAX];
    struct wb_reply_place place;
    uint8_t *space;            /* the caller's, for the value; NULL for views and when skipping */
    uint64_t unit_taken;       /* bytes of the unit in progress that left the buffer */
    struct wb_reply_line line; /* of the unit in progress */
    const uint8_t *line_data;  /* where its bytes are */
    size_t line_len;
    uint64_t block_left; /* bytes to come, CR LF included */
    bool block_ready;    /* space is there, or none is needed */
    bool block_open;     /* inside the block after a VA line */
    bool boundary;       /* answered before it was written whole */
    bool was_drained;    /* since the last probe */
    bool waited;         /* since the last byte moved: a false alarm does not start a new wait */
    bool expected;       /* the first fill waits first */

    /* the request in flight, of which want.bytes is still to be written */
    bool active;
    bool next_expected; /* with next_shape, while an older reply is owed */
    struct wb_reply_shape next_shape;
    size_t written;
    uint64_t deadline_ns;
    uint64_t wait_until_ns;
    unsigned wait_mask; /* what a read waits for; TLS may want to write */
    uint64_t idle_since_ns;

    bool end_ready; /* an END event is to be pulled */
    enum wb_err end_status;

    uint32_t owed;
    uint64_t drained;
    struct wb_reply_cost cost;
};

/* intake.c */

/* What happens after a pull. */
enum wb_reply_pull {
    WB_REPLY_PULL_UNIT,  /* a whole unit is in *out */
    WB_REPLY_PULL_MORE,  /* bytes or space are missing */
    WB_REPLY_PULL_BROKEN /* *out_err says which rule */
};
enum wb_reply_pull wb_reply_intake_pull(struct wb_reply *r, struct wb_reply_event *out,
                                        enum wb_err *out_err);
/*
 * Makes room for a read and says where it goes: the pending bytes move to the front. Ends all
 * views.
 */
void wb_reply_intake_prepare(struct wb_reply *r);
/* Takes n bytes that a read put where it was to; grows the buffer when it came back full. */
void wb_reply_intake_take(struct wb_reply *r, size_t n);
/*
 * The unit in progress will not be delivered: its bytes count as discarded, its space is
 * forgotten.
 */
void wb_reply_intake_forget(struct wb_reply *r);

/* steps.c */

/* A wait begins, or goes on after a false alarm: one timeout, at most to the request's deadline. */
void wb_reply_steps_wait(struct wb_reply *r, uint64_t now_ns);
void wb_reply_steps_read(struct wb_reply *r);
/* The connection is of no more use. */
void wb_reply_steps_fail(struct wb_reply *r, enum wb_err reason);
/* The request in flight got its whole reply, or the owed one is drained. */
void wb_reply_steps_boundary(struct wb_reply *r, uint64_t now_ns);
/* The buffer holds no whole unit. */
void wb_reply_steps_more(struct wb_reply *r, uint64_t now_ns);
/* No answer in time, or the caller gave up: the reply is owed, or the connection ends. */
void wb_reply_steps_owe(struct wb_reply *r);

/* reply.c */

/* wb_reply_next when it is the turn of an event, however it comes. */
enum wb_err wb_reply_long_next(struct wb_reply *r, uint64_t now_ns, struct wb_reply_event *out);

#endif
