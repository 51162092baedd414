/*
 * rules.h: the invariants of oracles/inv_watch.h, held against the records of running processes.
 * Calls no system; takes records in their order, and says in words what is broken.
 */
#ifndef WATCH_RULES_H
#define WATCH_RULES_H

#include "oracles/watch/event.h"

#include <stdbool.h>

struct watch_rules; /* heap */

/* One line, without its end; valid during the call. */
typedef void (*watch_say_fn)(void *context, const char *line);

struct watch_rules_config {
    bool is_pure;           /* WCH-007 is asked of every run */
    watch_say_fn violation; /* each invariant that is broken */
    watch_say_fn operation; /* each operation that is over; NULL = nobody asks */
    void *context;
};

/* NULL without memory. */
struct watch_rules *rules_new(const struct watch_rules_config *config);
void rules_free(struct watch_rules *r);
/*
 * Takes the next record. Behind a loss nothing is known: connections are judged again from their
 * next reply but one, counts of routes from their next record but one.
 */
void rules_take(struct watch_rules *r, const struct watch_event *e);

struct watch_rules_sum {
    uint64_t violations;
    uint64_t died;     /* processes that were killed, or exited in the middle of an operation */
    uint64_t unjudged; /* processes whose segments could not be judged */
};
struct watch_rules_sum rules_sum(const struct watch_rules *r);

#endif
