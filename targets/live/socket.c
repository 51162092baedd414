#include "targets/live/socket.h"

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
#include <unistd.h>

#define NS_PER_MS UINT64_C(1000000)

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

int live_socket_connect(const struct live_address *at)
{
    return at->path ? connect_unix(at->path) : connect_tcp(at->port);
}

bool live_socket_unblock(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

struct live_io live_socket_io(ssize_t n, int error)
{
    struct live_io done = {.direction = WB_REPLY_READABLE};
    if (n > 0) {
        done.io = WB_REPLY_IO_BYTES;
        done.n = (size_t)n;
    } else if (n == 0) {
        done.io = WB_REPLY_IO_EOF;
    } else if (error == EAGAIN || error == EWOULDBLOCK) {
        done.io = WB_REPLY_IO_AGAIN;
    } else {
        done.io = error == EINTR ? WB_REPLY_IO_INTR : WB_REPLY_IO_RESET;
    }
    return done;
}

static int ms_between(uint64_t now_ns, uint64_t limit_ns)
{
    if (limit_ns == UINT64_MAX)
        return -1;
    uint64_t ms = limit_ns <= now_ns ? 0 : (limit_ns - now_ns - 1) / NS_PER_MS + 1;
    return ms > INT32_MAX ? INT32_MAX : (int)ms;
}

int live_socket_ms(uint64_t limit_ns)
{
    return ms_between(live_now_ns(), limit_ns);
}

struct live_io live_socket_write(struct live_conn *c, struct wb_view bytes)
{
    live_count(c, LIVE_SEND);
    c->emptied = false;
    ssize_t n = send(c->fd, bytes.data, bytes.len, MSG_NOSIGNAL);
    return live_socket_io(n, n < 0 ? errno : 0);
}

static ssize_t receive(struct live_conn *c, const struct wb_reply_want *want)
{
    if (want->into[1].len == 0) {
        live_count(c, LIVE_RECV);
        return recv(c->fd, want->into[0].data, want->into[0].len, 0);
    }
    struct iovec parts[2] = {{want->into[0].data, want->into[0].len},
                             {want->into[1].data, want->into[1].len}};
    live_count(c, LIVE_READV);
    return readv(c->fd, parts, 2);
}

struct live_io live_socket_read(struct live_conn *c, const struct wb_reply_want *want)
{
    if (c->emptied) {
        c->emptied = false;
        return live_socket_io(-1, EAGAIN);
    }
    ssize_t n = receive(c, want);
    c->emptied = n > 0 && (size_t)n < want->into[0].len + want->into[1].len;
    return live_socket_io(n, n < 0 ? errno : 0);
}

enum wb_reply_io live_socket_probe(struct live_conn *c)
{
    uint8_t byte;
    live_count(c, LIVE_PROBE);
    ssize_t n = recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return live_socket_io(n, errno).io;
}

static unsigned ask(struct live_conn *c, unsigned mask, int timeout_ms)
{
    struct pollfd p = {.fd = c->fd};
    if (mask & WB_REPLY_READABLE)
        p.events |= POLLIN;
    if (mask & WB_REPLY_WRITABLE)
        p.events |= POLLOUT;
    live_count(c, LIVE_POLL);
    if (poll(&p, 1, timeout_ms) <= 0)
        return 0;
    if (p.revents & (POLLHUP | POLLERR))
        return mask;
    return (p.revents & POLLIN ? WB_REPLY_READABLE : 0) |
           (p.revents & POLLOUT ? WB_REPLY_WRITABLE : 0);
}

unsigned live_socket_wait(struct live_conn *c, unsigned mask, uint64_t until_ns)
{
    return ask(c, mask, ms_between(c->now_ns, until_ns));
}

unsigned live_socket_poll(struct live_conn *c, unsigned mask)
{
    return ask(c, mask, 0);
}
