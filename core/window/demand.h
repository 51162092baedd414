/*
 * demand.h: what all live subscribers of a track ask for, kept incrementally.
 *
 *   window     the union of their spans, as runs
 *   fold       what is sent to a peer that takes one range: start = the lowest explicit one
 *              (absent when none is explicit), end = the highest (absent absorbs), priority = max,
 *              ordered = and, max age = max
 *
 * Every boundary of a span is counted where it lies: all subscribers with the same boundary share
 * one place in an ordered tree, their own nodes hang off it, so that joining allocates nothing and
 * costs the same beside one or ten thousand who ask the same, and O(log n) beside n who ask
 * different things. `changed` is told only when the demand really differs. A subscriber that leaves
 * is gone at once.
 *
 * Source: moq-lite, subscriptions: aggregate.
 */
#ifndef WB_DEMAND_H
#define WB_DEMAND_H

#include "core/window/window.h"

#define WB_DEMAND_NO_AGE UINT64_MAX

/* What a subscriber wants besides positions. */
struct wb_wish {
    uint8_t priority;
    bool ordered;
    uint64_t max_age_ns;
    struct wb_bound start, end; /* explicit ones, for the fold; end exclusive */
};

struct wb_fold {
    bool some; /* false: nobody asks for anything */
    struct wb_wish wish;
};

struct wb_demand;     /* one a track; heap, private */
struct wb_subscriber; /* part of a subscription: see below */

/*
 * A subscriber's part, embedded in its subscription: its nodes in the demand. Private inside;
 * lives at a fixed address while it is joined.
 */
#include "core/window/demand_node.h"

WB_MUST_USE enum wb_err wb_demand_new(struct wb_mem *mem, struct wb_demand **out);
/* Asserts that nobody is joined. */
void wb_demand_free(struct wb_demand *d);

/*
 * Joins with the spans of `window` (borrowed only for the call) and a wish. One span allocates
 * nothing. WB_E_NOMEM leaves the demand as it was.
 */
WB_MUST_USE enum wb_err wb_demand_join(struct wb_demand *d, struct wb_subscriber *s,
                                       const struct wb_wish *wish, const struct wb_window *window);
/* Other spans or another wish; on WB_E_NOMEM the old ones stand. */
WB_MUST_USE enum wb_err wb_demand_update(struct wb_demand *d, struct wb_subscriber *s,
                                         const struct wb_wish *wish,
                                         const struct wb_window *window);
/* Never fails. Harmless for one that is not joined. */
void wb_demand_leave(struct wb_demand *d, struct wb_subscriber *s);
/*
 * True when window or fold differ from what the last call saw; both borrowed until the next change.
 */
bool wb_demand_changed(struct wb_demand *d);
const struct wb_window *wb_demand_window(const struct wb_demand *d);
const struct wb_fold *wb_demand_fold(const struct wb_demand *d);
uint64_t wb_demand_subscribers(const struct wb_demand *d);
void wb_demand_check(const struct wb_demand *d);

#endif
