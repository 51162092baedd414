/*
 * socket.h: what drivers over a plain socket share: connecting, and the calls that do not wait.
 */
#ifndef LIVE_SOCKET_H
#define LIVE_SOCKET_H

#include "targets/live/conn.h"

#include <sys/types.h>

/* A connected socket that blocks, without TLS; -1 when it fails. */
int live_socket_connect(const struct live_address *at);
WB_MUST_USE bool live_socket_unblock(int fd);

/* What a call like recv has returned: bytes, the end, or `error`. */
struct live_io live_socket_io(ssize_t n, int error);
/* Milliseconds up to the limit, rounded up: when they have passed, so has the limit. -1 = none. */
int live_socket_ms(uint64_t limit_ns);

/* Wants of a driver whose socket does not block. */
struct live_io live_socket_write(struct live_conn *c, struct wb_view bytes);
/*
 * A read that comes back short has emptied the socket (epoll(7), "Questions and answers"), so one
 * right behind it says AGAIN without a call: if bytes have come since, the wait that follows knows.
 */
struct live_io live_socket_read(struct live_conn *c, const struct wb_reply_want *want);
enum wb_reply_io live_socket_probe(struct live_conn *c);
/* Waits by poll(). An end or an error is ready: it is met by whatever call comes next. */
unsigned live_socket_wait(struct live_conn *c, unsigned mask, uint64_t until_ns);
unsigned live_socket_poll(struct live_conn *c, unsigned mask);

#endif
