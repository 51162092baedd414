/*
 * demand.h: what all live subscribers of a track ask for, kept incrementally.
 *
 *   window     the union of their spans
 *   fold       what is sent to a peer that takes one range: start = the lowest explicit one
 *              (absent when none is explicit), end = the highest (absent absorbs), priority = max,
 *              ordered = and, max age = max
 *
 * A subscriber whose window is empty asks for nothing: it is counted, and in neither of the two.
 *
 * Each boundary of a span is one node of an ordered tree, with how many spans begin and end there;
 * a sum and a lowest prefix of each subtree tell where nobody is. All who ask the same share the
 * nodes, so one more costs the same beside one or ten thousand of them; beside n who ask different
 * things O(log n) for each span and each boundary of the union that comes or goes. The union is not
 * kept as a list, which would move with every change: it is read off the tree. Nodes that become
 * free are kept for the next who joins, as many as were in use since the last observation.
 *
 * `changed` is exact: joining and leaving between two observations is no change. A node that left
 * with its last subscriber is remembered until then when the union had a boundary there.
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
    /* Explicit ones, for the fold; end exclusive. Cheapest where the window has its own. */
    struct wb_bound start, end;
};

struct wb_fold {
    bool some; /* false: nobody asks for anything, and the wish is zero */
    struct wb_wish wish;
};

struct wb_demand;     /* one a track; heap, private */
struct wb_subscriber; /* part of a subscription: see below */

/*
 * A subscriber's part, embedded in its subscription: its places in the demand. Private inside; the
 * zero one is not joined.
 */
#include "core/window/demand_node.h"

WB_MUST_USE enum wb_err wb_demand_new(struct wb_mem *mem, struct wb_demand **out);
/* Asserts that nobody is joined. */
void wb_demand_free(struct wb_demand *d);

/*
 * Joins with the spans of `window` (borrowed only for the call) and a wish. Allocates nodes for
 * boundaries that nobody else has, when none are spare, and a list for several spans. WB_E_NOMEM
 * leaves the demand as it was; WB_E_BOUNDS past 2^30 boundaries in all.
 */
WB_MUST_USE enum wb_err wb_demand_join(struct wb_demand *d, struct wb_subscriber *s,
                                       const struct wb_wish *wish, const struct wb_window *window);
/* Other spans or another wish, for one that is joined; on an error the old ones stand. */
WB_MUST_USE enum wb_err wb_demand_update(struct wb_demand *d, struct wb_subscriber *s,
                                         const struct wb_wish *wish,
                                         const struct wb_window *window);
/* Never fails, never allocates. Harmless for one that is not joined. */
void wb_demand_leave(struct wb_demand *d, struct wb_subscriber *s);
/* True when the union or the fold differ from what they were at the last call (at first: empty). */
bool wb_demand_changed(struct wb_demand *d);
/* Borrowed until the next change. */
const struct wb_fold *wb_demand_fold(const struct wb_demand *d);
/* The union's first stretch at or after `from`, cut off before `from`; false when there is none. */
bool wb_demand_next(const struct wb_demand *d, struct wb_position from, struct wb_run *out);
/* From the first to the last position; false when nobody asks for anything. */
bool wb_demand_hull(const struct wb_demand *d, struct wb_run *out);
/* The union as a window; *out is initialised before, and as it was on WB_E_NOMEM. */
WB_MUST_USE enum wb_err wb_demand_window(const struct wb_demand *d, struct wb_mem *mem,
                                         struct wb_window *out);
/* All who are joined. */
uint64_t wb_demand_subscribers(const struct wb_demand *d);
/* Nodes, spare ones too: for oracles of memory. */
uint64_t wb_demand_nodes(const struct wb_demand *d);
void wb_demand_check(const struct wb_demand *d);

/* The age that is asked for of a publisher that keeps `publisher_ns`; both read back as they are.
 */
static inline uint64_t wb_fold_age(const struct wb_fold *fold, uint64_t publisher_ns)
{
    return fold->wish.max_age_ns < publisher_ns ? fold->wish.max_age_ns : publisher_ns;
}

#endif
