/*
 * subscription.h: one subscriber of a track: request, resolve, deliver.
 *
 * Requests, several at once: groups [a, b), a floor, open-ended, the live edge, a time range. They
 * resolve against the track's state to spans; what depends on the future (live edge, open ends,
 * times not yet seen) resolves again as the track moves on. A time range [t0, t1) asks for the
 * groups whose [first timestamp, next group's first timestamp) meets it.
 *
 * Delivery: groups in arrival order, each at most once, only inside the window and at or above the
 * floor. The end is a cap that an update may raise or lower: groups past it are parked, and come
 * back lowest first; a parked group that is evicted is dropped with its reason, and the subscriber
 * is awake. A group is stale when the track has a newer one (below the cap, live) and its reach --
 * the first timestamp of the next group -- or its last write is max_age or more behind; a stale one
 * is dropped as WB_E_OLD, a group already handed out expires only when its next read would have to
 * wait. Datagrams share the sequence space: a number taken by one is a group that never comes.
 *
 * SUBSCRIBE_END is exclusive: the boundary of the track. The subscription ends (WB_END) once the
 * track is finished, every group below the boundary inside the window was delivered or dropped or
 * can no longer come, and nothing is parked below a liftable cap.
 *
 * Source: moq-lite, subscriptions; cases of groups and cursors.
 */
#ifndef WB_SUBSCRIPTION_H
#define WB_SUBSCRIPTION_H

#include "core/media/track.h"
#include "core/window/demand.h"

enum wb_request_kind {
    WB_REQUEST_RANGE, /* [start, end), end absent = open-ended */
    WB_REQUEST_LIVE,  /* from the latest group on, or from the next when there is none */
    WB_REQUEST_TIME,  /* groups that meet [t0, t1) */
};

struct wb_request {
    enum wb_request_kind kind;
    struct wb_range range;
    uint64_t t0, t1; /* in the track's timescale */
};

#define WB_REQUESTS_MAX 64u

struct wb_subscription; /* heap */

struct wb_subscription_config {
    uint8_t priority;
    bool ordered;
    uint64_t max_age_ns;               /* 0: only the newest; WB_DEMAND_NO_AGE: never stale */
    const struct wb_request *requests; /* borrowed for the call; none = the live edge */
    size_t count;
};

/*
 * Joins the demand at once. The track and the demand outlive it. WB_E_RANGE for an inverted
 * request, WB_E_BOUNDS for more than WB_REQUESTS_MAX, WB_E_NOMEM.
 */
WB_MUST_USE enum wb_err wb_subscription_new(struct wb_mem *mem, struct wb_track *track,
                                            struct wb_demand *demand,
                                            const struct wb_subscription_config *config,
                                            uint64_t now_ns, struct wb_subscription **out);
/* Leaves the demand at once. */
void wb_subscription_free(struct wb_subscription *s);
/* Other requests: what was delivered stays delivered. Errors as new; the old ones stand. */
WB_MUST_USE enum wb_err wb_subscription_update(struct wb_subscription *s,
                                               const struct wb_subscription_config *config,
                                               uint64_t now_ns);
/* The cap alone: last position to give, or absent to lift it. */
void wb_subscription_cap(struct wb_subscription *s, struct wb_bound end_exclusive);

enum wb_delivery_kind { WB_DELIVER_GROUP, WB_DELIVER_DROPPED };

struct wb_delivery {
    enum wb_delivery_kind kind;
    uint64_t sequence;
    enum wb_err reason;            /* DROPPED */
    struct wb_group_reader reader; /* GROUP: the receiver's, capped to the window's frames */
};

/*
 * The next delivery. WB_OK; WB_MORE: nothing now (`awake` tells when to ask again); WB_END; the
 * track's abort.
 */
WB_MUST_USE enum wb_err wb_subscription_next(struct wb_subscription *s, uint64_t now_ns,
                                             struct wb_delivery *out);
/* True when next would say something else than WB_MORE. Changes nothing. */
bool wb_subscription_awake(const struct wb_subscription *s, uint64_t now_ns);
/* When a group that waits for its next frame would be stale; UINT64_MAX: never. */
uint64_t wb_subscription_deadline(const struct wb_subscription *s);
/* The window as resolved now, borrowed. */
const struct wb_window *wb_subscription_window(const struct wb_subscription *s);
uint64_t wb_subscription_parked(const struct wb_subscription *s);
void wb_subscription_check(const struct wb_subscription *s);

#endif
