/*
 * poll.h: a blocking client of one real connection: core/reply, driven by poll and recv.
 *
 * A request is started, then its events are pulled; each pull carries out what the reader wants
 * until there is an event. Everything the system is asked for is counted by kind.
 */
#ifndef LIVE_POLL_H
#define LIVE_POLL_H

#include "core/reply/reply.h"

#include <stdio.h>

enum live_call { LIVE_SEND, LIVE_POLL, LIVE_RECV, LIVE_READV, LIVE_PROBE, LIVE_CALL_COUNT };

/* Where a server listens. */
struct live_address {
    const char *path; /* of a unix socket; NULL = loopback TCP */
    uint16_t port;
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

struct live_conn {
    int fd; /* -1 once closed */
    struct wb_reply *reply;
    FILE *capture; /* every byte received is appended; NULL = none */
    uint8_t *space;
    size_t space_size;
    uint64_t calls[LIVE_CALL_COUNT];
};

/* The one clock here: monotonic. */
uint64_t live_now_ns(void);

/*
 * Connects, WB_E_RESET when that fails. `profile.poll_is_wait` is set. The caller keeps `capture`.
 */
WB_MUST_USE enum wb_err live_open(struct live_conn *c, const struct live_address *at,
                                  struct wb_reply_profile profile, struct wb_mem *mem,
                                  FILE *capture);
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
