/*
 * world_state.h: what the world of reply scenarios holds: requests, the server's and the client's
 * side of a connection, and what the judge knows of it.
 */
#ifndef REPLY_WORLD_STATE_H
#define REPLY_WORLD_STATE_H

#include "oracles/ref_reply.h"
#include "sim/ops.h"
#include "sim/run.h"
#include "sim/sched.h"
#include "sim/stream.h"
#include "targets/reply/usual.h"
#include "targets/reply/world_marks.h"
#include "targets/subject.h"

#define WORLD_CONNS        2
#define WORLD_STREAM_SIZE  ((size_t)1 << 21)
#define WORLD_KEYS         512
#define WORLD_KEY_SIZE     16
#define WORLD_OPAQUE       4 /* bytes of the shortest */
#define WORLD_REQUEST_MAX  ((size_t)1 << 18)
#define WORLD_UNITS        (WORLD_KEYS + 8)
#define WORLD_STEPS_PER_OP UINT64_C(4096)
#define WORLD_MS           UINT64_C(1000000)

enum world_kind {
    WORLD_GET,
    WORLD_SET,
    WORLD_DELETE,
    WORLD_ARITH,
    WORLD_DEBUG,
    WORLD_NOOP,
    WORLD_VERSION,
    WORLD_BATCH,     /* quiet gets closed by mn */
    WORLD_BATCH_SET, /* quiet sets closed by mn: only failures speak */
    WORLD_COUNTED,   /* gets that all speak, no mn */
    WORLD_CLASSIC_GET,
    WORLD_CLASSIC_GETS,
    WORLD_CLASSIC_SET,
    WORLD_CLASSIC_DELETE,
    WORLD_CLASSIC_INCR,
    WORLD_CLASSIC_TOUCH,
    WORLD_CLASSIC_STATS
};

enum world_hits { WORLD_HITS_ALL, WORLD_HITS_ODD, WORLD_HITS_NONE, WORLD_HITS_EMPTY };

/* How the next answer is wrong. */
#define WORLD_WRONG_LIST(X)                                                                        \
    X(NONE, "none")                                                                                \
    X(LONGER, "length-more")                                                                       \
    X(SHORTER, "length-less")                                                                      \
    X(SIGN, "length-sign")                                                                         \
    X(WRAP, "length-wrap")                                                                         \
    X(S_FLAG, "s-flag")                                                                            \
    X(OPAQUE, "opaque")                                                                            \
    X(KEY, "key")                                                                                  \
    X(CODE, "code")                                                                                \
    X(UNKNOWN, "unknown-code")                                                                     \
    X(BARE_LF, "bare-lf")                                                                          \
    X(NO_END, "no-block-end")                                                                      \
    X(TWICE, "twice")                                                                              \
    X(STRAY, "stray-crlf")                                                                         \
    X(ERROR, "error")                                                                              \
    X(CLIENT_ERROR, "client-error")                                                                \
    X(SERVER_ERROR, "server-error")                                                                \
    X(KEPT_ERROR, "kept-error")                                                                    \
    X(LONG_LINE, "long-line")                                                                      \
    X(NO_MN, "no-mn")                                                                              \
    X(NEVER, "never")

enum world_wrong {
#define WORLD_WRONG_MEMBER(name, text) WORLD_WRONG_##name,
    WORLD_WRONG_LIST(WORLD_WRONG_MEMBER)
#undef WORLD_WRONG_MEMBER
        WORLD_WRONG_COUNT
};

/* One request, as the client sends it and the server sees it. */
struct world_request {
    enum world_kind kind;
    uint32_t serial; /* of the world; values carry it */
    uint32_t count;  /* commands, mn apart; keys of a classic get, lines of stats */
    uint32_t size;   /* of each value */
    enum world_hits hits;
    size_t command_len; /* bytes of each command, all equally long; not of a classic get */
    struct wb_view bytes;
    struct wb_reply_shape shape;
};

/* The server's side of a connection. */
struct world_server {
    bool working, started;     /* on `job`; its first byte has come */
    struct world_request *job; /* one of its connection's requests */
    size_t job_begin;          /* of its bytes in the upward stream */
    uint32_t answered;         /* commands, then mn */
    size_t out_begin, out_end; /* bytes made and not yet written, in the connection's out area */
    bool holding;              /* everything past hold_at stays back until it is released */
    size_t hold_at;
    bool hold_next; /* the next answer will be held from that many bytes on */
    size_t hold_bytes;
    bool mute; /* answers nothing by itself */
    enum world_hits hits_next;
    enum world_wrong wrong_next, wrong; /* for the next answer, for this one */
    bool honest;                        /* nothing but right answers on this connection so far */
};

/* What the judge knows of a connection. */
struct world_judge {
    struct wb_reply_shape shape; /* of the reply being read, or owed */
    bool reading;                /* a reply is awaited or owed */
    size_t reply_begin;          /* its offset in the stream */
    size_t delivered;            /* units of it */
    uint64_t whole;              /* bytes of all units delivered on this connection */
    bool parsed;                 /* result holds for `parsed_len` bytes of the stream */
    size_t parsed_len;
    struct ref_reply_result result;
    struct ref_reply_unit units[WORLD_UNITS];
    struct wb_reply_stats last; /* after the last call */
    bool draining;             /* the reply in progress is owed, and another request waits for it */
    uint64_t discarded_before; /* when it became owed, with its own open unit */
    uint8_t opaque[WB_REPLY_OPAQUE_MAX];
    /* of the request in flight */
    uint64_t reads_before, waits_before, agains_before; /* when it was made, or the drain over */
    size_t segments_begin;                              /* of the downward stream */
    uint64_t injected; /* wake-ups, AGAINs and short reads that were asked for */
    bool expected;     /* it was marked */
    bool first_due;    /* the next transport step is the reply's first */
    bool bytes_last;   /* the last transport step brought bytes */
    bool told_eof;     /* the subject was told of an end of stream */
    bool part_came;    /* the last transport step brought a part of a record, told as AGAIN */
    bool lied;         /* a read said AGAIN though bytes were there, since the last byte */
    bool ran_out;      /* a wait ended at its limit with nothing ready */
    bool waiting;      /* no byte moved since the wait began */
    bool direct_last;  /* the read wanted last goes to the value's place first */
    uint64_t wait_began_ns, until_ns;
    unsigned told_ready; /* what the socket said when the subject was last told something */
    uint64_t told_ns;
    uint64_t moved_before;
    uint64_t copied_before;   /* at the last unit */
    uint64_t requests_before; /* allocations, at the last call */
    bool may_allocate;
    struct wb_view lent;              /* the last value lent, to be unchanged at the next call */
    size_t lent_begin;                /* its place in the stream */
    struct wb_reply_stats unit_stats; /* at the last unit */
    struct usual usual;
    uint64_t idle_since_ns; /* when the connection last became IDLE */
    bool probe_due;         /* the request, or the one after it, begins with a probe */
};

struct world_conn {
    uint32_t id;
    bool open;        /* the transport; a session exists */
    bool closed_once; /* the subject asked to close it */
    void *session;
    struct sim_stream up, down;
    size_t tls_pulled;    /* bytes that left the socket for the TLS layer */
    size_t record;        /* of the record that comes next; 0 = any */
    size_t record_pulled; /* the same as tls_pulled, of a record that is not whole */
    /* the client's side */
    bool active; /* a request is in flight */
    bool sent_any;
    struct world_request requests[2], *request; /* the one in flight */
    uint64_t deadline_ns;
    size_t request_begin; /* of its bytes in the upward stream */
    bool parked;
    unsigned park_mask;
    uint64_t park_until_ns;
    uint32_t starve, spurious;
    bool slow; /* events are pulled by an op only */
    enum wb_reply_want_kind
        give_up; /* the request is given up where it wants this; NOTHING = not */
    /* of the current step; here and not on a stack, where sanitizers make them dear */
    struct subject_told told;
    struct wb_reply_event event;
    uint32_t opaque_more; /* bytes of an opaque beyond the least */
    struct world_server server;
    struct world_judge judge;
};

struct world {
    struct sim_run *run;
    const struct subject_reply *subject;
    const struct sim_ops *ops;
    struct sim_header header;
    struct wb_reply_profile profile;
    struct sim_sched sched;
    uint32_t serial;
    uint64_t steps, steps_max; /* each op brings its share, more for large values */
    bool calm;                 /* the liveness phase: no more faults */
    struct world_conn conns[WORLD_CONNS];
};

#endif
