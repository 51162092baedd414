#include "targets/live/conn.h"

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

void live_count(struct live_conn *c, enum live_call call)
{
    c->calls[call]++;
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
    return e;
}

void live_close(struct live_conn *c)
{
    close_transport(c);
    wb_reply_free(c->reply);
    c->reply = NULL;
}

/* ---- carrying out wants ---- */

static void capture(struct live_conn *c, const struct wb_reply_want *want, size_t n)
{
    for (size_t i = 0; i < 2 && c->capture; i++) {
        size_t part = n < want->into[i].len ? n : want->into[i].len;
        if (part > 0 && fwrite(want->into[i].data, 1, part, c->capture) != part)
            c->capture = NULL; /* the file's error mark stays, for whoever closes it */
        n -= part;
    }
}

/* A wait that follows counts from before the write: some drivers wait for the answer in it. */
static void do_write(struct live_conn *c, struct wb_view bytes)
{
    uint64_t before = live_now_ns();
    struct live_io done = c->driver->write(c, bytes);
    wb_reply_told_write(c->reply, before, done.io, done.n);
}

static void do_read(struct live_conn *c, const struct wb_reply_want *want)
{
    struct live_io done = c->driver->read(c, want);
    if (done.io == WB_REPLY_IO_BYTES)
        capture(c, want, done.n);
    c->now_ns = live_now_ns();
    wb_reply_told_read(c->reply, c->now_ns, done.io, done.n, done.direction);
}

static enum wb_err do_space(struct live_conn *c, uint64_t size)
{
    if (size > c->space_size) {
        live_abandon(c);
        return WB_E_BOUNDS;
    }
    wb_reply_space(c->reply, c->space);
    return WB_MORE;
}

/* A dead connection's socket goes at once. */
static void close_if_wanted(struct live_conn *c)
{
    if (wb_reply_want(c->reply, live_now_ns()).kind == WB_REPLY_WANT_CLOSE) {
        close_transport(c);
        wb_reply_told_close(c->reply);
    }
}

/* Without the clock: what is pulled came with the last read. */
static enum wb_err do_next(struct live_conn *c, struct wb_reply_event *out)
{
    enum wb_err e = wb_reply_next(c->reply, c->now_ns, out);
    if (e == WB_OK && out->kind == WB_REPLY_EVENT_END)
        close_if_wanted(c);
    return e;
}

/* ---- requests ---- */

enum wb_err live_start(struct live_conn *c, const struct live_request *request)
{
    uint64_t now = live_now_ns();
    uint64_t deadline = request->timeout_ns == 0 ? UINT64_MAX : now + request->timeout_ns;
    WB_TRY(wb_reply_request(c->reply, now, request->bytes, &request->shape, !request->read_first,
                            deadline));
    c->now_ns = now;
    c->deadline_ns = deadline;
    c->requests++;
    c->request_size = request->bytes.len;
    c->space = request->space;
    c->space_size = request->space_size;
    return WB_OK;
}

enum wb_err live_step(struct live_conn *c, struct wb_reply_event *out)
{
    c->now_ns = live_now_ns();
    struct wb_reply_want want = wb_reply_want(c->reply, c->now_ns);
    switch (want.kind) {
    case WB_REPLY_WANT_NOTHING:
        return WB_E_CLOSED;
    case WB_REPLY_WANT_NEXT:
        return do_next(c, out);
    case WB_REPLY_WANT_WRITE:
        do_write(c, want.bytes);
        return WB_MORE;
    case WB_REPLY_WANT_READ:
        do_read(c, &want);
        return WB_MORE;
    case WB_REPLY_WANT_WAIT: {
        unsigned ready = c->driver->wait(c, want.mask, want.until_ns);
        wb_reply_told_wait(c->reply, live_now_ns(), ready);
        return WB_MORE;
    }
    case WB_REPLY_WANT_POLL: {
        unsigned ready = c->driver->poll(c, want.mask);
        wb_reply_told_poll(c->reply, live_now_ns(), ready);
        return WB_MORE;
    }
    case WB_REPLY_WANT_PROBE: {
        enum wb_reply_io io = c->driver->probe(c);
        wb_reply_told_probe(c->reply, live_now_ns(), io);
        return WB_MORE;
    }
    case WB_REPLY_WANT_SPACE:
        return do_space(c, want.size);
    case WB_REPLY_WANT_CLOSE:
        close_if_wanted(c);
        return WB_MORE;
    }
    WB_UNREACHABLE();
}

enum wb_err live_next(struct live_conn *c, struct wb_reply_event *out)
{
    for (;;) {
        enum wb_err e = do_next(c, out); /* units of one read: no question in between */
        if (e == WB_MORE)
            e = live_step(c, out);
        if (e != WB_MORE)
            return e;
    }
}

enum wb_reply_state live_abandon(struct live_conn *c)
{
    enum wb_reply_state state = wb_reply_abandon(c->reply, live_now_ns());
    close_if_wanted(c);
    return state;
}
