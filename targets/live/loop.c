#include "targets/live/loop.h"

#include "targets/live/socket.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

struct timer {
    uint64_t at_ns;
    live_loop_fn fn; /* NULL = free */
    void *context;
};

struct watch {
    int fd;          /* -1 = free */
    unsigned armed;  /* what the system knows of */
    unsigned wanted; /* 0 = nobody waits */
    live_loop_fn fn;
    void *context;
};

struct live_loop {
    int fd;
    uint64_t *calls;
    struct timer timers[LIVE_LOOP_TIMERS_MAX];
    struct watch watches[LIVE_LOOP_WATCHES_MAX];
};

/* ---- the loop ---- */

struct live_loop *live_loop_new(uint64_t *calls)
{
    struct live_loop *loop = calloc(1, sizeof *loop);
    if (!loop)
        return NULL;
    loop->calls = calls;
    for (size_t i = 0; i < LIVE_LOOP_WATCHES_MAX; i++)
        loop->watches[i].fd = -1;
    loop->fd = epoll_create1(EPOLL_CLOEXEC);
    if (loop->fd < 0) {
        free(loop);
        return NULL;
    }
    return loop;
}

void live_loop_free(struct live_loop *loop)
{
    if (!loop)
        return;
    close(loop->fd);
    free(loop);
}

void live_loop_at(struct live_loop *loop, uint64_t at_ns, live_loop_fn fn, void *context)
{
    size_t i = 0;
    while (i < LIVE_LOOP_TIMERS_MAX && loop->timers[i].fn)
        i++;
    WB_ASSERT(i < LIVE_LOOP_TIMERS_MAX);
    loop->timers[i] = (struct timer){.at_ns = at_ns, .fn = fn, .context = context};
}

void live_loop_cancel(struct live_loop *loop, const void *context)
{
    for (size_t i = 0; i < LIVE_LOOP_TIMERS_MAX; i++)
        if (loop->timers[i].context == context)
            loop->timers[i].fn = NULL;
}

/* The one of `fd`, or a free one. */
static struct watch *watch_of(struct live_loop *loop, int fd)
{
    struct watch *free_one = NULL;
    for (size_t i = 0; i < LIVE_LOOP_WATCHES_MAX; i++) {
        if (loop->watches[i].fd == fd)
            return &loop->watches[i];
        if (loop->watches[i].fd < 0 && !free_one)
            free_one = &loop->watches[i];
    }
    WB_ASSERT(free_one != NULL);
    return free_one;
}

/* Tells the system, unless it knows. */
static void arm(struct live_loop *loop, struct watch *w, unsigned mask, int operation)
{
    struct epoll_event event = {.data.ptr = w};
    if (mask & WB_REPLY_READABLE)
        event.events |= EPOLLIN;
    if (mask & WB_REPLY_WRITABLE)
        event.events |= EPOLLOUT;
    if (mask == w->armed && operation == EPOLL_CTL_MOD)
        return;
    loop->calls[LIVE_CONTROL]++;
    int result = epoll_ctl(loop->fd, operation, w->fd, &event);
    WB_ASSERT(result == 0);
    w->armed = mask;
}

/* Nobody waits: an end or error would be told again and again, whatever the mask. */
static void forget(struct live_loop *loop, struct watch *w)
{
    struct epoll_event event = {0};
    loop->calls[LIVE_CONTROL]++;
    int result = epoll_ctl(loop->fd, EPOLL_CTL_DEL, w->fd, &event);
    WB_ASSERT(result == 0);
    w->fd = -1;
}

void live_loop_watch(struct live_loop *loop, int fd, unsigned mask, live_loop_fn fn, void *context)
{
    struct watch *w = watch_of(loop, fd);
    int operation = w->fd < 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    w->fd = fd;
    w->wanted = mask;
    w->fn = fn;
    w->context = context;
    arm(loop, w, mask, operation);
}

void live_loop_unwatch(struct live_loop *loop, int fd)
{
    watch_of(loop, fd)->wanted = 0;
}

static struct timer *earliest(struct live_loop *loop)
{
    struct timer *first = NULL;
    for (size_t i = 0; i < LIVE_LOOP_TIMERS_MAX; i++) {
        struct timer *t = &loop->timers[i];
        if (t->fn && (!first || t->at_ns < first->at_ns))
            first = t;
    }
    return first;
}

/* True when one was due. */
static bool run_timers(struct live_loop *loop)
{
    bool ran = false;
    struct timer *t;
    while ((t = earliest(loop)) && t->at_ns <= live_now_ns()) {
        struct timer due = *t;
        t->fn = NULL;
        due.fn(due.context, 0);
        ran = true;
    }
    return ran;
}

void live_loop_turn(struct live_loop *loop)
{
    struct epoll_event events[LIVE_LOOP_WATCHES_MAX];
    if (run_timers(loop))
        return;
    struct timer *next = earliest(loop);
    loop->calls[LIVE_EPOLL]++;
    int n = epoll_wait(loop->fd, events, LIVE_LOOP_WATCHES_MAX,
                       live_socket_ms(next ? next->at_ns : UINT64_MAX));
    for (int i = 0; i < n; i++) {
        struct watch *w = events[i].data.ptr;
        unsigned ready = 0;
        if (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR))
            ready |= WB_REPLY_READABLE;
        if (events[i].events & (EPOLLOUT | EPOLLHUP | EPOLLERR))
            ready |= WB_REPLY_WRITABLE;
        if (ready & w->wanted)
            w->fn(w->context, ready & w->wanted);
        else
            forget(loop, w);
    }
}

/* ---- the driver ---- */

struct inner {
    struct live_loop *loop;
    unsigned ready; /* as the last wait was told by the system itself; 0 = by a timer */
};

struct wait {
    bool is_over;
    unsigned ready;
};

static void end_wait(void *context, unsigned ready)
{
    struct wait *w = context;
    w->is_over = true;
    w->ready |= ready;
}

static const char *missing(void)
{
    return NULL;
}

static enum wb_err attach(struct live_conn *c, const struct live_address *at)
{
    (void)at;
    struct inner *inner = calloc(1, sizeof *inner);
    if (!inner)
        return WB_E_NOMEM;
    c->inner = inner;
    inner->loop = live_socket_unblock(c->fd) ? live_loop_new(c->calls) : NULL;
    return inner->loop ? WB_OK : WB_E_RESET;
}

static void detach(struct live_conn *c)
{
    struct inner *inner = c->inner;
    if (inner)
        live_loop_free(inner->loop);
    free(inner);
}

struct live_loop *live_loop_of(struct live_conn *c)
{
    const struct inner *inner = c->inner;
    return inner->loop;
}

/* The word of whichever callback comes first. */
static unsigned wait_on_loop(struct live_conn *c, unsigned mask, uint64_t until_ns)
{
    struct inner *inner = c->inner;
    struct live_loop *loop = inner->loop;
    struct wait w = {0};
    live_loop_watch(loop, c->fd, mask, end_wait, &w);
    live_loop_at(loop, until_ns, end_wait, &w);
    while (!w.is_over)
        live_loop_turn(loop);
    live_loop_unwatch(loop, c->fd);
    live_loop_cancel(loop, &w);
    inner->ready = w.ready;
    return w.ready;
}

/*
 * What the system has just said is ready stays so while nobody reads or writes; a timer's word is
 * what the look is for.
 */
static unsigned look(struct live_conn *c, unsigned mask)
{
    struct inner *inner = c->inner;
    unsigned ready = inner->ready & mask;
    inner->ready = 0;
    return ready ? ready : live_socket_poll(c, mask);
}

const struct live_driver live_loop_driver = {
    .name = "loop",
    .missing = missing,
    .attach = attach,
    .detach = detach,
    .write = live_socket_write,
    .read = live_socket_read,
    .wait = wait_on_loop,
    .poll = look,
    .probe = live_socket_probe,
};
