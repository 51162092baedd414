/*
 * subject.h: what targets, oracles and cases drive. The core is one subject; another library is
 * one more file, chosen with `make SUBJECT=path/to/subject.c`. Events are plain values, so that
 * two subjects can be compared.
 *
 * A subject of replies speaks the vocabulary of core/reply/reply.h: wants, what happened, events;
 * one of announces that of core/route/announce.h.
 */
#ifndef SUBJECT_H
#define SUBJECT_H

#include "core/base/moq.h"
#include "core/reply/reply.h"
#include "core/route/announce_sub.h"

/* What happened to the current want, by its kind. */
struct subject_told {
    enum wb_reply_want_kind kind;
    enum wb_reply_io io; /* READ, WRITE, PROBE */
    size_t n;            /* bytes read or written; READ with AGAIN: of a TLS record in parts */
    unsigned mask;       /* WAIT, POLL: what is ready; READ with AGAIN: what to wait for */
    uint8_t *space;      /* SPACE */
};

struct subject_reply {
    const char *name;
    enum wb_err (*open)(const struct wb_reply_profile *profile, struct wb_mem *mem, uint64_t now_ns,
                        void **out);
    void (*close)(void *session);
    enum wb_err (*request)(void *session, uint64_t now_ns, struct wb_view bytes,
                           const struct wb_reply_shape *shape, bool expect_reply,
                           uint64_t deadline_ns);
    enum wb_reply_state (*abandon)(void *session, uint64_t now_ns);
    struct wb_reply_want (*want)(const void *session, uint64_t now_ns);
    void (*told)(void *session, uint64_t now_ns, const struct subject_told *told);
    enum wb_err (*next)(void *session, uint64_t now_ns, struct wb_reply_event *out);
    /*
     * The inside as plain values; NULL: checks that need them are skipped, and
     * `bed list` says so.
     */
    void (*stats)(const void *session, struct wb_reply_stats *out);
    /* Its own whole invariant, asserted; may be NULL. */
    void (*check)(const void *session);
};

/* The linked subject. */
const struct subject_reply *subject_reply(void);

/* ---- streams of media ------------------------------------------------------------------------ */

/* What the bytes of a stream are. */
enum subject_ingest_mode {
    SUBJECT_INGEST_GROUP,    /* a GROUP header, then frames; the stream's type was read before */
    SUBJECT_INGEST_FRAMES,   /* frames: a fetch answer */
    SUBJECT_INGEST_MESSAGES, /* messages with a size in front */
    SUBJECT_INGEST_TYPED     /* and a type before it */
};

struct subject_ingest_profile {
    enum subject_ingest_mode mode;
    enum wb_moq_version version;
    uint64_t message_max;         /* of a body */
    size_t upfront, first, chain; /* limits of a frame's storage, where there are such */
};

enum subject_ingest_kind {
    SUBJECT_INGEST_HEADER,  /* subscribe, sequence, number: the first frame's */
    SUBJECT_INGEST_FRAME,   /* a frame begins: number, timestamp, size */
    SUBJECT_INGEST_BYTES,   /* the next bytes of its payload */
    SUBJECT_INGEST_MESSAGE, /* number: its type; bytes: its body, until the next call */
    SUBJECT_INGEST_END      /* once: status, WB_END when the stream's end was one */
};

struct subject_ingest_event {
    enum subject_ingest_kind kind;
    uint64_t subscribe, sequence, number, timestamp, size;
    /* Bytes of payloads stay where they are until close, the first SUBJECT_INGEST_KEPT pieces of a
     * session; later ones until the next call. */
    struct wb_view bytes;
    enum wb_err status;
};
#define SUBJECT_INGEST_KEPT 256u

/* Counted work: frames by how they came, and payload bytes copied. */
struct subject_ingest_stats {
    uint64_t copied_whole, shared, assembled, copied;
};

struct subject_datagram {
    uint64_t subscribe, sequence, timestamp;
    struct wb_view payload; /* in the packet */
};

/* One session at a time. */
struct subject_ingest {
    const char *name;
    enum wb_err (*open)(const struct subject_ingest_profile *profile, struct wb_mem *mem,
                        void **out);
    void (*close)(void *session);
    /*
     * Takes bytes off the front of a chunk, all of them on WB_OK. WB_E_NOMEM: as many as could be
     * stored, and the push may be repeated with the rest. Other errors are final.
     */
    enum wb_err (*push)(void *session, struct wb_slice *chunk);
    enum wb_err (*fin)(void *session);
    void (*reset)(void *session, uint64_t code);
    void (*cancel)(void *session, enum wb_err reason);
    /* The writer goes away; who reads still may. */
    void (*leave)(void *session);
    /* The next event; WB_MORE when there is none, WB_E_NOMEM: ask again. */
    enum wb_err (*next)(void *session, struct subject_ingest_event *out);
    enum wb_err (*datagram)(enum wb_moq_version version, struct wb_view packet,
                            struct subject_datagram *out);
    /* Appends a GROUP message, a frame's header after a frame at *timestamp, or a whole datagram,
     * whose kind is MESSAGE. NULL: nothing is written by this subject. */
    enum wb_err (*put)(enum wb_moq_version version, const struct subject_ingest_event *event,
                       uint64_t *timestamp, struct wb_buf *out);
    /* The inside; NULL: checks of storage, holders and copies are skipped. */
    void (*stats)(const void *session, struct subject_ingest_stats *out);
    void (*check)(const void *session);
};

const struct subject_ingest *subject_ingest(void);

/* ---- announce streams ------------------------------------------------------------------------ */

/* The subscriber's end of one stream; calls as in core/route/announce_sub.h. */
struct subject_announce {
    const char *name;
    enum wb_err (*open)(const struct wb_announce_sub_config *config, struct wb_mem *mem,
                        void **out);
    void (*close)(void *session);
    enum wb_err (*next)(void *session, struct wb_view *in, struct wb_announce_event *out);
    enum wb_err (*end)(void *session, bool clean);
    /* What the peer has on the stream. NULL: checks of the inside are skipped, here and below. */
    uint64_t (*claims)(const void *session);
    uint64_t (*routes)(const void *session);
    bool (*floor)(const void *session, uint64_t route, uint64_t *out);
    bool (*claim_at)(const void *session, uint64_t i, struct wb_announce_event *out);
    /* Paths compared so far, of whatever session. */
    uint64_t (*compared)(void);
    void (*check)(const void *session);
    /* What a subscriber sends: body in, request out; request in, bytes out. */
    enum wb_err (*request_get)(enum wb_moq_version version, struct wb_view body, uint8_t *path_room,
                               size_t room, struct wb_announce_request *out);
    enum wb_err (*request_put)(enum wb_moq_version version, struct wb_buf *out,
                               const struct wb_announce_request *request);
    enum wb_err (*seqno_get)(struct wb_view body, uint64_t *out_node, uint64_t *out_seqno);
    enum wb_err (*seqno_put)(struct wb_buf *out, uint64_t node, uint64_t seqno);
};

const struct subject_announce *subject_announce(void);

#endif
