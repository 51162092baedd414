/*
 * reply.h: a reader of memcached replies, meta and classic, that survives timeouts, without I/O.
 *
 * A connection is asked what it wants (wb_reply_want), told what happened (wb_reply_told_*), and
 * asked for events (wb_reply_next) until there are none. It never waits and never calls the
 * system. Requests are bytes of the caller; the reader writes them, knows by their shape when the
 * reply is over, and counts every byte it took.
 *
 *   IDLE --request--> SENDING --written whole--> BUSY --boundary, nothing pending--> IDLE
 *   BUSY --timeout or abandon--> OWED --next request drains to the boundary--> SENDING
 *   SENDING --timeout or error--> DEAD;  anything wrong --> DEAD, for good
 *
 * Sources: memcached doc/protocol.txt, "Meta Commands", "Retrieval command"; grammar and framing
 * rules restated in core/reply/line.h.
 */
#ifndef WB_REPLY_H
#define WB_REPLY_H

#include "core/base/bytes.h"
#include "core/base/err.h"
#include "core/base/mem.h"

#define WB_REPLY_LINE_MAX   2048 /* bytes of a line with its CR LF */
#define WB_REPLY_SMALL      8192 /* default sizes of a read, before and after one came back full */
#define WB_REPLY_LARGE      65536
#define WB_REPLY_VALUE_MAX  (UINT64_C(1) << 30)
#define WB_REPLY_DRAIN_MAX  (2 * 1024 * 1024 + 2048)
#define WB_REPLY_OWED_MAX   3
#define WB_REPLY_OPAQUE_MAX 31

/* The first word of a unit: meta, errors, classic. A line that is a number has the code NUMBER. */
#define WB_REPLY_META_LIST(X)                                                                      \
    X(HD)                                                                                          \
    X(VA) X(EN) X(NF) X(NS) X(EX) X(MN) X(ME) X(VERSION) X(ERROR) X(CLIENT_ERROR) X(SERVER_ERROR)
#define WB_REPLY_CLASSIC_LIST(X)                                                                   \
    X(VALUE)                                                                                       \
    X(END) X(STORED) X(NOT_STORED) X(EXISTS) X(NOT_FOUND) X(DELETED) X(TOUCHED) X(OK) X(RESET)
#define WB_REPLY_CODE_LIST(X) WB_REPLY_META_LIST(X) WB_REPLY_CLASSIC_LIST(X) X(STAT) X(NUMBER)

enum wb_reply_code {
#define WB_REPLY_CODE_MEMBER(name) WB_REPLY_##name,
    WB_REPLY_CODE_LIST(WB_REPLY_CODE_MEMBER)
#undef WB_REPLY_CODE_MEMBER
        WB_REPLY_CODE_COUNT
};

#define WB_REPLY_BIT(code) (UINT32_C(1) << WB_REPLY_##code)
/* What each request can be answered with, besides the three error codes, which all allow. */
#define WB_REPLY_CODES_MG (WB_REPLY_BIT(VA) | WB_REPLY_BIT(HD) | WB_REPLY_BIT(EN))
#define WB_REPLY_CODES_MS                                                                          \
    (WB_REPLY_BIT(HD) | WB_REPLY_BIT(NS) | WB_REPLY_BIT(EX) | WB_REPLY_BIT(NF))
#define WB_REPLY_CODES_MD                                                                          \
    (WB_REPLY_BIT(HD) | WB_REPLY_BIT(NF) | WB_REPLY_BIT(EX) | WB_REPLY_BIT(NS))
#define WB_REPLY_CODES_MA      (WB_REPLY_CODES_MS | WB_REPLY_BIT(VA))
#define WB_REPLY_CODES_ME      (WB_REPLY_BIT(ME) | WB_REPLY_BIT(EN))
#define WB_REPLY_CODES_MN      (WB_REPLY_BIT(MN))
#define WB_REPLY_CODES_VERSION (WB_REPLY_BIT(VERSION))
/* Classic: get, gets, gat and gats (until END); set, add, replace, append, prepend and cas; … */
#define WB_REPLY_CODES_GET (WB_REPLY_BIT(VALUE))
#define WB_REPLY_CODES_SET                                                                         \
    (WB_REPLY_BIT(STORED) | WB_REPLY_BIT(NOT_STORED) | WB_REPLY_BIT(EXISTS) |                      \
     WB_REPLY_BIT(NOT_FOUND))
#define WB_REPLY_CODES_DELETE (WB_REPLY_BIT(DELETED) | WB_REPLY_BIT(NOT_FOUND))
#define WB_REPLY_CODES_INCR   (WB_REPLY_BIT(NUMBER) | WB_REPLY_BIT(NOT_FOUND))
#define WB_REPLY_CODES_TOUCH  (WB_REPLY_BIT(TOUCHED) | WB_REPLY_BIT(NOT_FOUND))
#define WB_REPLY_CODES_FLUSH  (WB_REPLY_BIT(OK))
#define WB_REPLY_CODES_STATS  (WB_REPLY_BIT(STAT)) /* until END */

/* The name of a code as on the wire; "?" for an unknown int. */
const char *wb_reply_code_name(int code);

/*
 * How a request is answered, and so where its reply ends. Views are the caller's and stay valid
 * until the END event.
 */
struct wb_reply_shape {
    /* WB_REPLY_CODES_*; error codes are always allowed; MN is implied by until_mn */
    uint32_t codes;
    /* a batch closed by `mn`: over at MN, at most `count` units before; else exactly `count` */
    bool until_mn;
    /* a classic get or stats: over at END, at most `count` units before it, or at one error line */
    bool until_end;
    uint32_t count;             /* >= 1, or >= 0 with until_mn or until_end */
    struct wb_view opaque;      /* without the O; empty = not checked */
    const struct wb_view *keys; /* asked for, in order (meta: with `k`); NULL = not checked */
    size_t keys_count;
};

enum wb_reply_values {
    WB_REPLY_VIEW,  /* in place where wholly buffered, else copied to the caller's bytes */
    WB_REPLY_COPY,  /* always to the caller's bytes, by way of the buffer */
    WB_REPLY_DIRECT /* to the caller's bytes; a rest of a read's size or more is received there */
};

struct wb_reply_profile {
    /* read sizes; > WB_REPLY_LINE_MAX, <= SIZE_MAX - WB_REPLY_LINE_MAX; equal = never grows */
    size_t small, large;
    uint64_t value_max;
    uint64_t wait_timeout_ns; /* for each wait */
    uint64_t drain_max;       /* bytes discarded in one recovery */
    uint32_t owed_max;        /* timeouts in a row that are survived */
    /* idle longer than this, or drained: probe before writing; UINT64_MAX = never */
    uint64_t probe_idle_ns;
    enum wb_reply_values values;
    bool recover; /* false: the first timeout ends the connection */
    bool tls;     /* never wait first: decrypted bytes may sit in the TLS layer */
    /* the wait is a plain poll(), so its word is final and no second poll is wanted */
    bool poll_is_wait;
};

/* The defaults above, 100 ms per wait, views, plain, recovering, no probe. */
struct wb_reply_profile wb_reply_profile_default(void);

enum wb_reply_state {
    WB_REPLY_IDLE,
    WB_REPLY_SENDING,
    WB_REPLY_BUSY,
    WB_REPLY_OWED,
    WB_REPLY_DEAD
};
const char *wb_reply_state_name(int state);

#define WB_REPLY_READABLE 1u
#define WB_REPLY_WRITABLE 2u

enum wb_reply_want_kind {
    WB_REPLY_WANT_NOTHING, /* nothing to do until the next request */
    WB_REPLY_WANT_NEXT,    /* pull events first: wb_reply_next */
    WB_REPLY_WANT_WRITE,   /* write some of `bytes`, then told_write */
    WB_REPLY_WANT_READ,    /* read into `into[0]`, then `into[1]` (as readv), then told_read */
    WB_REPLY_WANT_WAIT,    /* wait for any of `mask` until `until_ns`, then told_wait */
    WB_REPLY_WANT_POLL,    /* ask for `mask` without waiting, then told_poll */
    WB_REPLY_WANT_PROBE,   /* peek one byte without waiting, then told_probe */
    WB_REPLY_WANT_SPACE,   /* `size` bytes, one or more, for a value, then wb_reply_space */
    WB_REPLY_WANT_CLOSE    /* close the transport, then told_close; asked once */
};

/* Members of other kinds hold anything. */
struct wb_reply_want {
    enum wb_reply_want_kind kind;
    unsigned mask;
    union {
        uint64_t until_ns; /* WAIT, POLL */
        uint64_t size;     /* SPACE */
    };
    struct wb_view bytes;
    struct {
        uint8_t *data;
        size_t len;
    } into[2]; /* the second is empty but for direct values */
};

enum wb_reply_event_kind { WB_REPLY_EVENT_UNIT, WB_REPLY_EVENT_END };

/* Views are valid until the next call on the connection. */
struct wb_reply_event {
    enum wb_reply_event_kind kind;
    enum wb_reply_code code; /* of a UNIT */
    /*
     * END of the request: WB_OK; WB_TIMEOUT, after which the connection is OWED, or DEAD when it
     * owes too often or does not recover; else why it is DEAD
     */
    enum wb_err status;
    bool sent; /* at least one byte of the request was written: false = safe to repeat elsewhere */
    bool has_value;
    struct wb_view line;  /* the whole line without CR LF */
    struct wb_view flags; /* what stands after the code or length, without the spaces before it */
    struct wb_view value; /* in the buffer, or in the bytes given by wb_reply_space */
};

/* What a told_read or told_write reports instead of a count. */
enum wb_reply_io {
    WB_REPLY_IO_BYTES,
    WB_REPLY_IO_AGAIN,
    WB_REPLY_IO_INTR,
    WB_REPLY_IO_EOF,
    WB_REPLY_IO_RESET
};

struct wb_reply;

/*
 * A connection over a fresh transport. Allocates the object and its buffer from `mem`, which it
 * keeps.
 */
WB_MUST_USE enum wb_err wb_reply_new(const struct wb_reply_profile *profile, struct wb_mem *mem,
                                     uint64_t now_ns, struct wb_reply **out);
/* NULL is fine. Says nothing to the transport. */
void wb_reply_free(struct wb_reply *r);

/*
 * Starts a request. `bytes` (borrowed until END) is written whole before anything counts as
 * answered; while an old reply is owed it is drained first. `expect_reply`: nothing of the reply
 * can be there yet, so the first read waits first. `deadline_ns`: absolute, for the whole
 * request; UINT64_MAX = none. WB_E_BUSY while one is in flight, WB_E_CLOSED when DEAD, WB_E_VALUE
 * for a shape that can never end; the stream is not touched then.
 */
WB_MUST_USE enum wb_err wb_reply_request(struct wb_reply *r, uint64_t now_ns, struct wb_view bytes,
                                         const struct wb_reply_shape *shape, bool expect_reply,
                                         uint64_t deadline_ns);
/*
 * Gives the request up; no END follows. Returns the state it leaves: IDLE (nothing was written),
 * OWED (its reply will be drained), DEAD (it was partly written, or owing too often). A probe that
 * was not answered yet stays due. Without a request it changes nothing.
 */
enum wb_reply_state wb_reply_abandon(struct wb_reply *r, uint64_t now_ns);

/* What to do next. Changes nothing. */
struct wb_reply_want wb_reply_want(const struct wb_reply *r, uint64_t now_ns);
/* The same where it is kept: up to date after each call, as long as the connection. */
const struct wb_reply_want *wb_reply_wants(const struct wb_reply *r);
/* Each answers the current want of its kind; asserts that it is the current one. */
void wb_reply_told_write(struct wb_reply *r, uint64_t now_ns, enum wb_reply_io io, size_t n);
/* With AGAIN: what TLS waits for, READABLE on plain sockets; n > 0: a part of its record came. */
void wb_reply_told_read(struct wb_reply *r, uint64_t now_ns, enum wb_reply_io io, size_t n,
                        unsigned direction);
/* `mask` is what the waiter says is ready; 0 = it says timeout. */
void wb_reply_told_wait(struct wb_reply *r, uint64_t now_ns, unsigned mask);
void wb_reply_told_poll(struct wb_reply *r, uint64_t now_ns, unsigned mask);
/* AGAIN = nothing there, BYTES = a byte nobody asked for. */
void wb_reply_told_probe(struct wb_reply *r, uint64_t now_ns, enum wb_reply_io io);
/* `bytes` holds at least the wanted size and stays the reader's until the unit or END event. */
void wb_reply_space(struct wb_reply *r, uint8_t *bytes);
void wb_reply_told_close(struct wb_reply *r);

/* The next event, WB_MORE when there is none. Views of the event before end here. */
WB_MUST_USE enum wb_err wb_reply_next(struct wb_reply *r, uint64_t now_ns,
                                      struct wb_reply_event *out);

/* Counted work; zeros in release builds. */
struct wb_reply_cost {
    uint64_t reads, full_reads, agains, waits, polls, refills, moved, copied, scanned, grown;
};

/* Plain values of the inside, for oracles, drivers' figures and traces. */
struct wb_reply_stats {
    enum wb_reply_state state;
    enum wb_err reason;                  /* why DEAD */
    uint64_t taken, returned, discarded; /* bytes; taken = returned + discarded + pending */
    size_t off, len, capacity, read_size;
    const uint8_t *buffer;
    uint32_t owed;
    bool unit_open;                   /* some of a unit was consumed or is buffered */
    const struct wb_reply_cost *cost; /* as long as the connection */
};
void wb_reply_stats(const struct wb_reply *r, struct wb_reply_stats *out);
/* The whole invariant of the object. */
void wb_reply_check(const struct wb_reply *r);

#endif
