#include "targets/live/uring.h"

#ifdef LIVE_HAS_URING

#include "targets/live/foreign.h"
#include "targets/live/socket.h"

#include <errno.h>
#include <liburing.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define ENTRIES     8
#define STEPS_MAX   3
#define EARLY_SIZE  8192
#define REQUEST_MAX 65536 /* what is sent with its receive linked */
#define NS_PER_S    UINT64_C(1000000000)

/*
 * The reader says where bytes go only once the request is written, so those that come with it
 * wait here, as they wait inside a TLS library.
 */
struct early {
    size_t begin, end;
    enum wb_reply_io ended; /* EOF or RESET came instead; BYTES = neither */
    uint8_t bytes[EARLY_SIZE];
};

struct ring {
    struct io_uring ring;
    unsigned prepared;
    int results[STEPS_MAX];
    struct __kernel_timespec limit;
    struct early early;
    unsigned ready; /* as the last wait was told by the socket; 0 = by its limit */
};

/* ---- submissions ---- */

static struct io_uring_sqe *prepare(struct ring *r)
{
    struct io_uring_sqe *step = io_uring_get_sqe(&r->ring);
    WB_ASSERT(step != NULL);
    WB_ASSERT(r->prepared < STEPS_MAX);
    return step;
}

/* In the order in which results are kept; `flags` say what follows it. */
static void prepared(struct ring *r, struct io_uring_sqe *step, unsigned flags)
{
    io_uring_sqe_set_flags(step, flags);
    step->user_data = r->prepared++;
}

static void prepare_limit(struct ring *r, uint64_t ns)
{
    struct io_uring_sqe *step = prepare(r);
    r->limit = (struct __kernel_timespec){.tv_sec = (int64_t)(ns / NS_PER_S),
                                          .tv_nsec = (long long)(ns % NS_PER_S)};
    io_uring_prep_link_timeout(step, &r->limit, 0);
    prepared(r, step, 0);
}

/* Submits what is prepared and waits until all of it is over: nothing is in flight between wants.
 */
static void enter(struct live_conn *c)
{
    struct ring *r = c->inner;
    struct io_uring_cqe *done;
    for (unsigned left = r->prepared; left > 0;) {
        live_count(c, LIVE_ENTER);
        int n = io_uring_submit_and_wait(&r->ring, left);
        WB_ASSERT(n >= 0 || n == -EINTR || n == -EAGAIN || n == -EBUSY);
        while (left > 0 && io_uring_peek_cqe(&r->ring, &done) == 0) {
            WB_ASSERT(done->user_data < r->prepared);
            r->results[done->user_data] = done->res;
            io_uring_cqe_seen(&r->ring, done);
            left--;
        }
    }
    r->prepared = 0;
}

static struct live_io io_of(int result)
{
    return live_socket_io(result < 0 ? -1 : result, -result);
}

/* ---- wants ---- */

static bool has_early(const struct ring *r)
{
    return r->early.begin < r->early.end || r->early.ended != WB_REPLY_IO_BYTES;
}

static void take_early(struct live_conn *c, int result)
{
    struct ring *r = c->inner;
    c->emptied = result > 0 && result < EARLY_SIZE;
    if (result > 0) {
        r->early.begin = 0;
        r->early.end = (size_t)result;
        LIVE_WRITTEN(r->early.bytes, r->early.end);
    } else if (result == 0) {
        r->early.ended = WB_REPLY_IO_EOF;
    } else if (result != -ECANCELED && result != -EINTR && result != -EAGAIN) {
        r->early.ended = WB_REPLY_IO_RESET;
    }
}

/* Until the wait's timeout or the request's deadline, whichever is first. */
static uint64_t patience(const struct live_conn *c)
{
    uint64_t now = live_now_ns(), left = c->deadline_ns <= now ? 0 : c->deadline_ns - now;
    return left < c->wait_timeout_ns ? left : c->wait_timeout_ns;
}

/*
 * All of a request is sent, or the link breaks and nothing is received; either way both are over
 * when this returns. The receive's timeout is that of the wait that it stands for.
 */
static struct live_io write_linked(struct live_conn *c, struct wb_view bytes, uint64_t limit_ns)
{
    struct ring *r = c->inner;
    struct io_uring_sqe *step = prepare(r);
    io_uring_prep_send(step, c->fd, bytes.data, bytes.len,
                       MSG_NOSIGNAL | MSG_DONTWAIT | MSG_WAITALL);
    prepared(r, step, IOSQE_IO_LINK);
    step = prepare(r);
    io_uring_prep_recv(step, c->fd, r->early.bytes, EARLY_SIZE, 0);
    prepared(r, step, IOSQE_IO_LINK);
    prepare_limit(r, limit_ns);
    enter(c);
    take_early(c, r->results[1]);
    return io_of(r->results[0]);
}

static struct live_io write_on_ring(struct live_conn *c, struct wb_view bytes)
{
    struct ring *r = c->inner;
    uint64_t limit = patience(c);
    if (bytes.len <= REQUEST_MAX && limit > 0 && !has_early(r))
        return write_linked(c, bytes, limit);
    c->emptied = false;
    struct io_uring_sqe *step = prepare(r);
    io_uring_prep_send(step, c->fd, bytes.data, bytes.len, MSG_NOSIGNAL | MSG_DONTWAIT);
    prepared(r, step, 0);
    enter(c);
    return io_of(r->results[0]);
}

static struct live_io read_early(struct ring *r, const struct wb_reply_want *want)
{
    struct live_io done = {.io = r->early.ended};
    size_t n = r->early.end - r->early.begin;
    if (n == 0)
        return done;
    if (n > want->into[0].len)
        n = want->into[0].len;
    memcpy(want->into[0].data, r->early.bytes + r->early.begin, n);
    r->early.begin += n;
    return (struct live_io){.io = WB_REPLY_IO_BYTES, .n = n};
}

static struct live_io read_on_ring(struct live_conn *c, const struct wb_reply_want *want)
{
    struct ring *r = c->inner;
    struct iovec parts[2] = {{want->into[0].data, want->into[0].len},
                             {want->into[1].data, want->into[1].len}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    if (has_early(r))
        return read_early(r, want);
    if (c->emptied) {
        c->emptied = false;
        return io_of(-EAGAIN);
    }
    struct io_uring_sqe *step = prepare(r);
    if (want->into[1].len > 0)
        io_uring_prep_recvmsg(step, c->fd, &message, MSG_DONTWAIT);
    else
        io_uring_prep_recv(step, c->fd, parts[0].iov_base, parts[0].iov_len, MSG_DONTWAIT);
    prepared(r, step, 0);
    enter(c);
    struct live_io done = io_of(r->results[0]);
    size_t first = done.n < parts[0].iov_len ? done.n : parts[0].iov_len;
    LIVE_WRITTEN(parts[0].iov_base, first);
    LIVE_WRITTEN(parts[1].iov_base, done.n - first);
    c->emptied = done.n > 0 && done.n < parts[0].iov_len + parts[1].iov_len;
    return done;
}

static unsigned wait_on_ring(struct live_conn *c, unsigned mask, uint64_t until_ns)
{
    struct ring *r = c->inner;
    uint64_t now = live_now_ns();
    r->ready = 0;
    if ((mask & WB_REPLY_READABLE) && has_early(r))
        return WB_REPLY_READABLE;
    if (until_ns <= now)
        return 0;
    unsigned events = 0;
    if (mask & WB_REPLY_READABLE)
        events |= POLLIN;
    if (mask & WB_REPLY_WRITABLE)
        events |= POLLOUT;
    struct io_uring_sqe *step = prepare(r);
    io_uring_prep_poll_add(step, c->fd, events);
    prepared(r, step, until_ns == UINT64_MAX ? 0 : IOSQE_IO_LINK);
    if (until_ns != UINT64_MAX)
        prepare_limit(r, until_ns - now);
    enter(c);
    int came = r->results[0];
    unsigned ready = 0;
    if (came > 0 && (came & (POLLIN | POLLHUP | POLLERR)))
        ready |= WB_REPLY_READABLE;
    if (came > 0 && (came & (POLLOUT | POLLHUP | POLLERR)))
        ready |= WB_REPLY_WRITABLE;
    r->ready = ready & mask;
    return r->ready;
}

/* As that of the event loop: what the socket itself said needs no second look. */
static unsigned poll_beside_ring(struct live_conn *c, unsigned mask)
{
    struct ring *r = c->inner;
    unsigned ready = r->ready & mask;
    r->ready = 0;
    if ((mask & WB_REPLY_READABLE) && has_early(r))
        return WB_REPLY_READABLE;
    return ready ? ready : live_socket_poll(c, mask);
}

static enum wb_reply_io probe(struct live_conn *c)
{
    const struct ring *r = c->inner;
    if (r->early.begin < r->early.end)
        return WB_REPLY_IO_BYTES;
    return has_early(r) ? r->early.ended : live_socket_probe(c);
}

/* ---- the driver ---- */

static const char *missing(void)
{
    static char text[80];
    struct io_uring ring = {0};
    int result = io_uring_queue_init(ENTRIES, &ring, 0);
    if (result == 0) {
        io_uring_queue_exit(&ring);
        return NULL;
    }
    snprintf(text, sizeof text, "this system has no io_uring: %s", strerror(-result));
    return text;
}

static enum wb_err attach(struct live_conn *c, const struct live_address *at)
{
    (void)at;
    struct ring *r = calloc(1, sizeof *r);
    if (!r)
        return WB_E_NOMEM;
    r->early.ended = WB_REPLY_IO_BYTES;
    if (io_uring_queue_init(ENTRIES, &r->ring, 0) != 0) {
        free(r);
        return WB_E_RESET;
    }
    c->inner = r;
    return WB_OK;
}

static void detach(struct live_conn *c)
{
    struct ring *r = c->inner;
    if (r)
        io_uring_queue_exit(&r->ring);
    free(r);
}

const struct live_driver live_uring_driver = {
    .name = "uring",
    .reads_wait = true,
    .missing = missing,
    .attach = attach,
    .detach = detach,
    .write = write_on_ring,
    .read = read_on_ring,
    .wait = wait_on_ring,
    .poll = poll_beside_ring,
    .probe = probe,
};

#else

static const char *missing(void)
{
    return "liburing was not installed when this was built";
}

const struct live_driver live_uring_driver = {.name = "uring", .missing = missing};

#endif
