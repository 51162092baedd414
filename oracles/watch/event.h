/*
 * event.h: what the kernel's side of the watcher tells the other: records of one size, in order.
 */
#ifndef WATCH_EVENT_H
#define WATCH_EVENT_H

#include <stdint.h>

#define WATCH_CALLS_MAX 1024 /* numbers of system calls; the last stands for all above */

/* With the members of `a`. An object is an address in its process. */
enum watch_kind {
    WATCH_CALL,    /* the operation's object, number of a system call between its marks */
    WATCH_REQUEST, /* connection, the request's number on it, 1 = TLS | 2 = reads first | 4 = reads
                      wait */
    WATCH_READ,    /* connection, bytes or 0, bytes asked for, pending bytes */
    WATCH_WAIT,    /* connection, 1 = to read | 2 = to write, what of it is ready */
    WATCH_REPLY,   /* connection, status or < 0 when given up, pending bytes, system calls */
    WATCH_RUN,     /* target */
    WATCH_RAN,     /* target, 0, 0, system calls */
    WATCH_ROUTE,   /* route: a new one, of which nothing is withheld */
    WATCH_VIEW,    /* route, what was seen of a claim, what is, withheld claims of the route */
    WATCH_FORK,    /* the child's process id */
    WATCH_EXEC,
    WATCH_EXIT /* segments created, freed, inherited by the fork; the status as of wait() */
};
#define WATCH_VIEW_WITHHELD 1 /* of what is seen of a claim */

struct watch_event {
    uint64_t operation; /* from 1, in the order in which they began; 0 = outside of any */
    uint64_t lost;      /* records lost before this one */
    uint64_t a[4];
    uint32_t process, thread; /* as the first pid namespace has them */
    uint32_t kind;
    uint32_t from_start; /* the process was watched since its start */
};

/* One watched process, kept by the kernel's side. */
struct watch_process {
    uint64_t created, freed, inherited; /* segments */
    uint32_t is_counted;                /* false until exec, where that is the start */
    uint32_t from_start;
};

/* What an operation is found by. */
struct watch_key {
    uint64_t object;
    uint32_t process, unused;
};

#endif
