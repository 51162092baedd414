#include "targets/live/poll.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S  UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)

uint64_t live_now_ns(void)
{
    struct timespec t;
    if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
        WB_UNREACHABLE();
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* ---- connecting ---- */

static int connect_unix(const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t len = strlen(path);
    if (len >= sizeof to.sun_path)
        return -1;
    memcpy(to.sun_path, path, len);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&to, sizeof to) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static int connect_tcp(uint16_t port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    int on = 1;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && (connect(fd, (const struct sockaddr *)&to, sizeof to) != 0 ||
                    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

enum wb_err live_open(struct live_conn *c, const struct live_address *at,
                      struct wb_reply_profile profile, struct wb_mem *mem, FILE *capture)
{
    *c = (struct live_conn){.fd = -1, .capture = capture};
    profile.poll_is_wait = true;
    int fd = at->path ? connect_unix(at->path) : connect_tcp(at->port);
    if (fd < 0)
        return WB_E_RESET;
    int flags = fcntl(fd, F_GETFL);
    enum wb_err e = WB_E_RESET;
    if (flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0)
        e = wb_reply_new(&profile, mem, live_now_ns(), &c->reply);
    if (e != WB_OK) {
        close(fd);
        return e;
    }
    c->fd = fd;
    return WB_OK;
}

static void close_socket(struct live_conn *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
}

void live_close(struct live_conn *c)
{
    close_socket(c);
    wb_reply_free(c->reply);
    c->reply = NULL;
}

/* ---- carrying out wants ---- */

static enum wb_reply_io failure(int error)
{
    if (error == EAGAIN || error == EWOULDBLOCK)
        return WB_REPLY_IO_AGAIN;
    return error == EINTR ? WB_REPLY_IO_INTR : WB_REPLY_IO_RESET;
}

static void count(struct live_conn *c, enum live_call call)
{
    c->calls[call]++;
}

static void do_write(struct live_conn *c, struct wb_view bytes)
{
    count(c, LIVE_SEND);
    ssize_t n = send(c->fd, bytes.data, bytes.len, MSG_NOSIGNAL);
    enum wb_reply_io io = n > 0 ? WB_REPLY_IO_BYTES : failure(errno);
    wb_reply_told_write(c->reply, live_now_ns(), io, n > 0 ? (size_t)n : 0);
}

static void capture(struct live_conn *c, const struct wb_reply_want *want, size_t n)
{
    for (size_t i = 0; i < 2 && c->capture; i++) {
        size_t part = n < want->into[i].len ? n : want->into[i].len;
        if (part > 0 && fwrite(want->into[i].data, 1, part, c->capture) != part)
            c->capture = NULL; /* the file's error mark stays, for whoever closes it */
        n -= part;
    }
}

static void do_read(struct live_conn *c, const struct wb_reply_want *want)
{
    ssize_t n;
    if (want->into[1].len > 0) {
        struct iovec parts[2] = {{want->into[0].data, want->into[0].len},
                                 {want->into[1].data, want->into[1].len}};
        count(c, LIVE_READV);
        n = readv(c->fd, parts, 2);
    } else {
        count(c, LIVE_RECV);
        n = recv(c->fd, want->into[0].data, want->into[0].len, 0);
    }
    enum wb_reply_io io = n > 0 ? WB_REPLY_IO_BYTES : n == 0 ? WB_REPLY_IO_EOF : failure(errno);
    if (n > 0)
        capture(c, want, (size_t)n);
    wb_reply_told_read(c->reply, live_now_ns(), io, n > 0 ? (size_t)n : 0, WB_REPLY_READABLE);
}

static void do_probe(struct live_conn *c)
{
    uint8_t byte;
    count(c, LIVE_PROBE);
    ssize_t n = recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    wb_reply_told_probe(c->reply, live_now_ns(),
                        n > 0    ? WB_REPLY_IO_BYTES
                        : n == 0 ? WB_REPLY_IO_EOF
                                 : failure(errno));
}

/* Milliseconds up to the limit, rounded up: when they have passed, so has the limit. */
static int until(uint64_t limit_ns)
{
    if (limit_ns == UINT64_MAX)
        return -1;
    uint64_t now = live_now_ns();
    uint64_t ms = limit_ns <= now ? 0 : (limit_ns - now - 1) / NS_PER_MS + 1;
    return ms > INT32_MAX ? INT32_MAX : (int)ms;
}

/* What is ready of `mask`; an end or an error is met by whatever call comes next. */
static unsigned ask(struct live_conn *c, unsigned mask, int timeout_ms)
{
    struct pollfd p = {.fd = c->fd};
    if (mask & WB_REPLY_READABLE)
        p.events |= POLLIN;
    if (mask & WB_REPLY_WRITABLE)
        p.events |= POLLOUT;
    count(c, LIVE_POLL);
    if (poll(&p, 1, timeout_ms) <= 0)
        return 0;
    unsigned ready = 0;
    if (p.revents & (POLLIN | POLLHUP | POLLERR))
        ready |= WB_REPLY_READABLE;
    if (p.revents & (POLLOUT | POLLHUP | POLLERR))
        ready |= WB_REPLY_WRITABLE;
    return ready & mask;
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
        close_socket(c);
        wb_reply_told_close(c->reply);
    }
}

static enum wb_err do_next(struct live_conn *c, struct wb_reply_event *out)
{
    enum wb_err e = wb_reply_next(c->reply, live_now_ns(), out);
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
    c->space = request->space;
    c->space_size = request->space_size;
    return WB_OK;
}

enum wb_err live_step(struct live_conn *c, struct wb_reply_event *out)
{
    struct wb_reply_want want = wb_reply_want(c->reply, live_now_ns());
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
        unsigned ready = ask(c, want.mask, until(want.until_ns));
        wb_reply_told_wait(c->reply, live_now_ns(), ready);
        return WB_MORE;
    }
    case WB_REPLY_WANT_POLL: {
        unsigned ready = ask(c, want.mask, 0);
        wb_reply_told_poll(c->reply, live_now_ns(), ready);
        return WB_MORE;
    }
    case WB_REPLY_WANT_PROBE:
        do_probe(c);
        return WB_MORE;
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
    enum wb_err e;
    while ((e = live_step(c, out)) == WB_MORE)
        continue;
    return e;
}

enum wb_reply_state live_abandon(struct live_conn *c)
{
    enum wb_reply_state state = wb_reply_abandon(c->reply, live_now_ns());
    close_if_wanted(c);
    return state;
}
