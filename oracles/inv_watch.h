/*
 * inv_watch.h: what must hold of a running process that carries the probes; checked from outside,
 * by oracles/watch/rules.c, which reports and goes on.
 */
#ifndef ORACLES_INV_WATCH_H
#define ORACLES_INV_WATCH_H

#define INV_WATCH_LIST(X)                                                                          \
    X(WCH, 001, "pending bytes of a connection are never negative")                                \
    X(WCH, 002, "pending bytes of a connection are zero at the boundary of each reply")            \
    X(WCH, 003, "a reply takes no more reads than its bytes and what came apart account for")      \
    X(WCH, 004, "a wait for a reply follows its request, or a read that came back short or empty") \
    X(WCH, 005, "the withheld count of a route is the recount of what was seen of its claims")     \
    X(WCH, 006, "segments created minus freed are zero when a process exits by itself")            \
    X(WCH, 007, "a fuzz run makes no system call once the memory of its process is warm")

#endif
