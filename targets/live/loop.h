/*
 * loop.h: a small event loop over epoll, and a driver whose waits are callbacks on it.
 *
 * A turn runs what timers are due, then waits for descriptors, then runs their callbacks. Timers
 * come first and read the clock each time, so a callback that takes long makes the timer of a
 * wait fire although its bytes have come: a timer's word is not final.
 */
#ifndef LIVE_LOOP_H
#define LIVE_LOOP_H

#include "targets/live/conn.h"

#define LIVE_LOOP_TIMERS_MAX  8
#define LIVE_LOOP_WATCHES_MAX 8

extern const struct live_driver live_loop_driver;

struct live_loop;

/* `ready`: WB_REPLY_READABLE and WB_REPLY_WRITABLE; 0 from a timer. */
typedef void (*live_loop_fn)(void *context, unsigned ready);

/* `calls`, of LIVE_CALL_COUNT, counts what it asks of the system. NULL when that fails. */
struct live_loop *live_loop_new(uint64_t *calls);
void live_loop_free(struct live_loop *loop);

/* Once, when the time has come; of two, the earlier first. UINT64_MAX = never. */
void live_loop_at(struct live_loop *loop, uint64_t at_ns, live_loop_fn fn, void *context);
/* For any of `mask` while it is watched; one watch for each descriptor. */
void live_loop_watch(struct live_loop *loop, int fd, unsigned mask, live_loop_fn fn, void *context);
/* The descriptor stays with the system until something comes that nobody watches. */
void live_loop_unwatch(struct live_loop *loop, int fd);
/* Drops the timers of that context. */
void live_loop_cancel(struct live_loop *loop, const void *context);
/* Blocks until a timer is due or a watched descriptor is ready. */
void live_loop_turn(struct live_loop *loop);

/* The loop of a connection of this driver. */
struct live_loop *live_loop_of(struct live_conn *c);

#endif
