/*
 * demand.h: what all live subscribers of a track ask for, kept incrementally.
 *
 *   window     the union of their spans
 *   fold       what is sent to a peer that takes one range: start = the lowest explicit one
 *              (absent when none is explicit), end = the end of the union (absent when unbounded),
 *              priority = max, ordered = and, max age = max
 *
 * A subscriber's explicit start is where its window begins, unless it follows the live edge. One
 * whose window is empty asks for nothing: it is counted, and in neither of the two.
 *
 * Each different span is one node of a tree, ordered by its first and last position, with how many
 * ask for it; each subtree knows the span that reaches furthest and the last one that begins behind
 * a gap. All who ask the same share the nodes, so one more costs the same beside one or ten
 * thousand of them; beside n who ask different things O(log n) for each span and each gap that
 * opens or closes. The union is not kept as a list, which would move with every change: it is read
 * off the tree. Nodes that become free are kept, as many as were in use since the last observation.
 *
 * `changed` is exact: joining and leaving between two observations is no change.
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
    bool is_live; /* its start is not explicit */
    uint64_t max_age_ns;
};

struct wb_fold {
    bool some; /* false: nobody asks for anything, and all else is zero */
    uint8_t priority;
    bool ordered;
    uint64_t max_age_ns;
    struct wb_bound start, end; /* end exclusive */
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
 * Joins with the spans of `window` (borrowed only for the call) and a wish. Allocates for spans
 * that nobody else has, when nothing is spare, and a list when there are several. WB_E_NOMEM leaves
 * the demand as it was.
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
/* Bytes that it has of its allocator, spare ones too: for oracles of memory. */
uint64_t wb_demand_held(const struct wb_demand *d);
void wb_demand_check(const struct wb_demand *d);

/* The age that is asked for of a publisher that keeps `publisher_ns`; both read back as they are.
 */
static inline uint64_t wb_fold_age(const struct wb_fold *fold, uint64_t publisher_ns)
{
    return fold->max_age_ns < publisher_ns ? fold->max_age_ns : publisher_ns;
}

#endif
