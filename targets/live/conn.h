/*
 * conn.h: a blocking client of one real connection: core/reply over any driver.
 *
 * A request is started, then its events are pulled; each pull carries out what the reader wants
 * until there is an event. How that is done is the driver's: a table of functions, one for each
 * kind of want. Everything the system is asked for is counted by kind.
 */
#ifndef LIVE_CONN_H
#define LIVE_CONN_H

#include "core/reply/reply.h"

#include <stdio.h>

enum live_call {
    LIVE_SEND,
    LIVE_POLL,
    LIVE_RECV,
    LIVE_READV,
    LIVE_PROBE,
    LIVE_EPOLL,   /* epoll_wait */
    LIVE_CONTROL, /* epoll_ctl */
    LIVE_ENTER,   /* io_uring_enter */
    LIVE_CALL_COUNT
};

/* Where a server listens. */
struct live_address {
    const char *path; /* of a unix socket; NULL = loopback TCP */
    uint16_t port;
    const char *certificate; /* the file of the one to trust; NULL = no TLS */
    bool small_records;      /* TLS records of at most 512 bytes, both ways */
};

struct live_request {
    struct wb_view bytes; /* borrowed until its END event */
    struct wb_reply_shape shape;
    /* where values go that are not handed out in place; every unit uses it anew */
    uint8_t *space;
    size_t space_size;
    bool read_first;     /* the first read does not wait first */
    uint64_t timeout_ns; /* for the whole request, besides that of each wait; 0 = none */
};

struct live_driver;

struct live_conn {
    int fd; /* -1 once closed */
    struct wb_reply *reply;
    const struct wb_reply_want *want; /* the reader's */
    const struct live_driver *driver;
    void *inner;   /* the driver's own */
    FILE *capture; /* every byte received is appended; NULL = none */
    uint8_t *space;
    size_t space_size;
    uint64_t wait_timeout_ns, deadline_ns;
    uint64_t now_ns;     /* as of the last write, or what time mattered to since */
    bool watched;        /* bytes are captured, or the reader is to know how long it was idle */
    uint64_t requests;   /* so far */
    size_t request_size; /* of the last one */
    bool emptied;        /* the last call was a read that came back short */
    uint64_t calls[LIVE_CALL_COUNT];
};

struct live_io {
    enum wb_reply_io io;
    unsigned direction; /* what a read waits for, with AGAIN */
    size_t n;           /* with BYTES; of a read with AGAIN, those of a TLS record in parts */
};

/* Functions carry out one want; none but `wait`, and `write` where it says so, blocks. */
struct live_driver {
    const char *name;
    bool tls;          /* speaks TLS, and so to a server of its own */
    bool poll_is_wait; /* as in the profile */
    bool reads_wait;   /* a read waits for its bytes, with a size of its own */
    /* why it cannot be used here; NULL = it can */
    const char *(*missing)(void);
    /* `c->fd` is connected, and blocks; sets `c->inner` */
    enum wb_err (*attach)(struct live_conn *c, const struct live_address *at);
    /* before the fd is closed, once, even if attach failed: then `c->inner` may be NULL */
    void (*detach)(struct live_conn *c);
    struct live_io (*write)(struct live_conn *c, struct wb_view bytes);
    struct live_io (*read)(struct live_conn *c, const struct wb_reply_want *want);
    /* what is ready of `mask`; 0 = not before the limit. `c->now_ns` is the time, or a little less
     */
    unsigned (*wait)(struct live_conn *c, unsigned mask, uint64_t until_ns);
    unsigned (*poll)(struct live_conn *c, unsigned mask);
    enum wb_reply_io (*probe)(struct live_conn *c);
};

/* The one clock here: monotonic. */
uint64_t live_now_ns(void);
static inline void live_count(struct live_conn *c, enum live_call call)
{
    c->calls[call]++;
}

/*
 * Connects, WB_E_RESET when that fails. The driver sets `tls` and `poll_is_wait` of the profile.
 * The caller keeps `capture`; `c` stays where it is until live_close.
 */
WB_MUST_USE enum wb_err live_open_by(const struct live_driver *driver, struct live_conn *c,
                                     const struct live_address *at, struct wb_reply_profile profile,
                                     struct wb_mem *mem, FILE *capture);
/* Harmless on one that was closed, or never opened and zero but for fd = -1. */
void live_close(struct live_conn *c);

/* Starts a request; errors as wb_reply_request. */
WB_MUST_USE enum wb_err live_start(struct live_conn *c, const struct live_request *request);
/*
 * Carries out one want. WB_OK: an event is in *out; WB_MORE: done, go on; WB_E_CLOSED: no request
 * is in flight; WB_E_BOUNDS: a value is larger than the request's space, and the request was given
 * up.
 */
WB_MUST_USE enum wb_err live_step(struct live_conn *c, struct wb_reply_event *out);
/* Steps until there is an event or an error. Blocks at most for the reader's timeouts. */
WB_MUST_USE enum wb_err live_next(struct live_conn *c, struct wb_reply_event *out);
/* Gives the request up; the state it leaves. */
enum wb_reply_state live_abandon(struct live_conn *c);

#endif
