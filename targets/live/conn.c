#define _SDT_HAS_SEMAPHORES 1 /* core/base/probe.h */
#include "targets/live/conn.h"

#include "core/base/probe.h"
#include "targets/live/socket.h"

#include <time.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)

uint64_t live_now_ns(void)
{
    struct timespec t;
    if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
        WB_UNREACHABLE();
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* ---- probes, for who watches from outside ---- */

WB_PROBE_GATE(request);
WB_PROBE_GATE(read);
WB_PROBE_GATE(wait);
WB_PROBE_GATE(reply);

/* Bytes that were read and are neither handed out nor discarded, as the reader counts them. */
static int64_t pending(const struct live_conn *c)
{
    struct wb_reply_stats s;
    wb_reply_stats(c->reply, &s);
    return (int64_t)(s.taken - s.returned - s.discarded);
}

static WB_NOINLINE void probe_request(const struct live_conn *c, bool reads_first)
{
    unsigned flags = (unsigned)c->driver->tls | (unsigned)reads_first << 1 |
                     (unsigned)c->driver->reads_wait << 2;
    WB_PROBE3(request, c, c->requests, flags);
}

static WB_NOINLINE void probe_wait(const struct live_conn *c, unsigned ready)
{
    WB_PROBE3(wait, c, c->want->mask, ready);
}

static WB_NOINLINE void probe_read(const struct live_conn *c, struct live_io done, size_t asked)
{
    int64_t left = pending(c);
    size_t n = done.io == WB_REPLY_IO_BYTES ? done.n : 0;
    WB_PROBE4(read, c, n, asked, left);
}

/* A request is over, or given up: `status` < 0. */
static WB_NOINLINE void probe_reply(const struct live_conn *c, int status)
{
    int64_t left = pending(c);
    WB_PROBE3(reply, c, status, left);
}

static WB_NOINLINE void probe_event(const struct live_conn *c, const struct wb_reply_event *event)
{
    if (event->kind == WB_REPLY_EVENT_END)
        probe_reply(c, (int)event->status);
}

/* ---- opening and closing ---- */

static void close_transport(struct live_conn *c)
{
    if (c->fd < 0)
        return;
    c->driver->detach(c);
    c->inner = NULL;
    close(c->fd);
    c->fd = -1;
}

enum wb_err live_open_by(const struct live_driver *driver, struct live_conn *c,
                         const struct live_address *at, struct wb_reply_profile profile,
                         struct wb_mem *mem, FILE *capture)
{
    *c = (struct live_conn){
        .fd = -1, .driver = driver, .capture = capture, .wait_timeout_ns = profile.wait_timeout_ns};
    c->watched = capture || profile.probe_idle_ns != UINT64_MAX;
    profile.tls = driver->tls;
    profile.poll_is_wait = driver->poll_is_wait;
    c->fd = live_socket_connect(at);
    if (c->fd < 0)
        return WB_E_RESET;
    enum wb_err e = driver->attach(c, at);
    if (e == WB_OK)
        e = wb_reply_new(&profile, mem, live_now_ns(), &c->reply);
    if (e != WB_OK)
        close_transport(c);
    else
        c->want = wb_reply_wants(c->reply);
    return e;
}

void live_close(struct live_conn *c)
{
    if (WB_PROBE_IS_HEARD(reply) && c->reply)
        probe_reply(c, -1);
    close_transport(c);
    wb_reply_free(c->reply);
    c->reply = NULL;
}

/* ---- carrying out wants ---- */

/*
 * The clock is read before a write, when nothing was ready or there, and where the reader counts
 * idle time: with bytes or room there, no time matters.
 */
static WB_NOINLINE void look_at_clock(struct live_conn *c)
{
    c->now_ns = live_now_ns();
}

static void capture(struct live_conn *c, size_t n)
{
    for (size_t i = 0; i < 2 && c->capture; i++) {
        size_t part = n < c->want->into[i].len ? n : c->want->into[i].len;
        if (part > 0 && fwrite(c->want->into[i].data, 1, part, c->capture) != part)
            c->capture = NULL; /* the file's error mark stays, for whoever closes it */
        n -= part;
    }
}

/* A wait that follows counts from before the write: some drivers wait for the answer in it. */
static inline void do_write(struct live_conn *c)
{
    c->now_ns = live_now_ns();
    struct live_io done = c->driver->write(c, c->want->bytes);
    wb_reply_told_write(c->reply, c->now_ns, done.io, done.n);
}

/* Where the time matters, or somebody looks on. */
static WB_NOINLINE void tell_read(struct live_conn *c, struct live_io done)
{
    if (done.io == WB_REPLY_IO_BYTES)
        capture(c, done.n);
    look_at_clock(c);
    wb_reply_told_read(c->reply, c->now_ns, done.io, done.n, done.direction);
}

static inline void take_read(struct live_conn *c, struct live_io done)
{
    if (done.io != WB_REPLY_IO_BYTES || c->watched)
        tell_read(c, done);
    else
        wb_reply_told_read(c->reply, c->now_ns, WB_REPLY_IO_BYTES, done.n, WB_REPLY_READABLE);
}

/* What was asked for is forgotten once the reader is told. */
static WB_NOINLINE void do_read_heard(struct live_conn *c)
{
    size_t asked = c->want->into[0].len + c->want->into[1].len;
    struct live_io done = c->driver->read(c, c->want);
    take_read(c, done);
    probe_read(c, done, asked);
}

static inline void do_read(struct live_conn *c)
{
    if (WB_PROBE_IS_HEARD(read))
        do_read_heard(c);
    else
        take_read(c, c->driver->read(c, c->want));
}

static inline void do_wait(struct live_conn *c)
{
    unsigned ready = c->driver->wait(c, c->want->mask, c->want->until_ns);
    if (ready == 0)
        look_at_clock(c);
    if (WB_PROBE_IS_HEARD(wait))
        probe_wait(c, ready);
    wb_reply_told_wait(c->reply, c->now_ns, ready);
}

static void do_poll(struct live_conn *c)
{
    unsigned ready = c->driver->poll(c, c->want->mask);
    if (ready == 0)
        look_at_clock(c);
    wb_reply_told_poll(c->reply, c->now_ns, ready);
}

static void do_probe(struct live_conn *c)
{
    enum wb_reply_io io = c->driver->probe(c);
    look_at_clock(c);
    wb_reply_told_probe(c->reply, c->now_ns, io);
}

static enum wb_err do_space(struct live_conn *c)
{
    if (c->want->size > c->space_size) {
        live_abandon(c);
        return WB_E_BOUNDS;
    }
    wb_reply_space(c->reply, c->space);
    return WB_MORE;
}

/* A dead connection's socket goes at once. */
static void close_if_wanted(struct live_conn *c)
{
    if (c->want->kind == WB_REPLY_WANT_CLOSE) {
        close_transport(c);
        wb_reply_told_close(c->reply);
    }
}

static enum wb_err do_next(struct live_conn *c, struct wb_reply_event *out)
{
    enum wb_err e = wb_reply_next(c->reply, c->now_ns, out);
    close_if_wanted(c);
    return e;
}

/* ---- requests ---- */

enum wb_err live_start(struct live_conn *c, const struct live_request *request)
{
    uint64_t deadline = UINT64_MAX;
    if (request->timeout_ns > 0 || c->watched) {
        look_at_clock(c);
        deadline = request->timeout_ns > 0 ? c->now_ns + request->timeout_ns : UINT64_MAX;
    }
    WB_TRY(wb_reply_request(c->reply, c->now_ns, request->bytes, &request->shape,
                            !request->read_first, deadline));
    c->deadline_ns = deadline;
    c->requests++;
    if (WB_PROBE_IS_HEARD(request))
        probe_request(c, request->read_first);
    c->request_size = request->bytes.len;
    c->space = request->space;
    c->space_size = request->space_size;
    return WB_OK;
}

enum wb_err live_step(struct live_conn *c, struct wb_reply_event *out)
{
    look_at_clock(c);
    switch (c->want->kind) {
    case WB_REPLY_WANT_NOTHING:
        return WB_E_CLOSED;
    case WB_REPLY_WANT_NEXT: {
        enum wb_err e = do_next(c, out);
        if (WB_PROBE_IS_HEARD(reply) && e == WB_OK)
            probe_event(c, out);
        return e;
    }
    case WB_REPLY_WANT_WRITE:
        do_write(c);
        return WB_MORE;
    case WB_REPLY_WANT_READ:
        do_read(c);
        return WB_MORE;
    case WB_REPLY_WANT_WAIT:
        do_wait(c);
        return WB_MORE;
    case WB_REPLY_WANT_POLL:
        do_poll(c);
        return WB_MORE;
    case WB_REPLY_WANT_PROBE:
        do_probe(c);
        return WB_MORE;
    case WB_REPLY_WANT_SPACE:
        return do_space(c);
    case WB_REPLY_WANT_CLOSE:
        close_if_wanted(c);
        return WB_MORE;
    }
    WB_UNREACHABLE();
}

/* In the order in which a request usually wants it; the clock is looked at where one is needed. */
enum wb_err live_next(struct live_conn *c, struct wb_reply_event *out)
{
    enum wb_err e = WB_MORE;
    while (e == WB_MORE) {
        if (c->want->kind == WB_REPLY_WANT_NEXT) {
            e = do_next(c, out);
            continue;
        }
        if (c->want->kind == WB_REPLY_WANT_WRITE)
            do_write(c);
        else if (c->want->kind == WB_REPLY_WANT_WAIT)
            look_at_clock(c); /* who knows since when */
        if (c->want->kind == WB_REPLY_WANT_WAIT)
            do_wait(c);
        if (c->want->kind == WB_REPLY_WANT_READ)
            do_read(c);
        if (c->want->kind == WB_REPLY_WANT_SPACE)
            e = do_space(c);
        else if (c->want->kind != WB_REPLY_WANT_NEXT)
            e = live_step(c, out);
    }
    if (WB_PROBE_IS_HEARD(reply) && e == WB_OK)
        probe_event(c, out);
    return e;
}

enum wb_reply_state live_abandon(struct live_conn *c)
{
    enum wb_reply_state state = wb_reply_abandon(c->reply, live_now_ns());
    if (WB_PROBE_IS_HEARD(reply))
        probe_reply(c, -1);
    close_if_wanted(c);
    return state;
}
