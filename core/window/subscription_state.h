/*
 * subscription_state.h: the inside of a subscription. Included by subscription.h only.
 */
#ifndef WB_SUBSCRIPTION_STATE_H
#define WB_SUBSCRIPTION_STATE_H

#include "core/media/track.h"
#include "core/window/demand.h"

#include <bsd/sys/tree.h>

struct wb_parked; /* a parked group: allocated, with a reference and a watch */
RB_HEAD(wb_parked_tree, wb_parked);

/* What was asked for; a new one takes its place whole. */
struct wb_requests {
    union {
        struct wb_request one;
        struct wb_request *many;
    } as; /* of a time request, `range` is what was learned */
    uint8_t count;
    uint8_t priority;
    bool ordered, has_live, has_time;
    uint64_t max_age_ns, timescale;
};

#define WB_LIVE_UNASKED UINT64_MAX

struct wb_subscription {
    struct wb_mem *mem;
    struct wb_track *track;
    struct wb_demand *demand;
    struct wb_subscriber subscriber;
    struct wb_requests asked;
    struct wb_window window, done; /* done: whole groups that were delivered, dropped, closed */
    struct wb_bound cap;
    struct wb_bound live;         /* the live edge, once it is found */
    uint64_t live_from;           /* first arrival that may be it; or nobody asked for it yet */
    uint64_t arrival;             /* next one to look at */
    uint64_t learned;             /* next one that teaches times */
    uint64_t ascended;            /* lowest sequence that ascend may give */
    struct wb_parked_tree parked; /* live ones by sequence */
    struct wb_group_watches gone; /* aborted ones */
    uint64_t parked_count;        /* of both */
    bool has_ascended_all;        /* it gave 2^64-1 */
    bool has_passed;              /* live arrivals were passed over as outside */
    bool is_unresolved;           /* the window lags behind what was learned */
    bool has_closed;              /* a hole of `done` */
    uint32_t done_max;            /* runs; 0: WB_SUBSCRIPTION_DONE */
};

#endif
