/*
 * subscription.h: one subscriber of a track: request, resolve, deliver.
 *
 * Requests resolve to spans, whose union is the window:
 *   range   as it is
 *   live    from the group that was the latest at init (or at the update that first asked for it)
 *           on. While no group was live then: everything, until a group arrives; then from that
 *           first arrival on, for good. `range.end` may end it. Alone, and found at init, it passes
 *           over all that arrived before, whatever the cap
 *   time    groups whose [first timestamp, next group's first timestamp) meets [t0, t1). Arrivals
 *           teach it, in their order, each once it has a first frame: `begin` is the highest group
 *           that starts at or before t0 (0 until one is known), `end` the lowest that starts at or
 *           past t1. The span is [begin, end), open while no end is known. What is learned stays.
 *           A group without a first frame, and all that arrived after it, wait to be judged, also
 *           for the other requests; a parked one that waits keeps those above it waiting. One that
 *           is finished without a frame teaches nothing, and is waited for no more
 * Whatever is looked at through next or awake resolves first, and may change the demand.
 *
 * For the fold, the start is explicit unless all requests are live (empty ones are left out): it is
 * where the window begins.
 *
 * The limit is the lower of the cap and the end of the window. A group is
 *   wanted    when it has a position in the window below the limit
 *   parked    when its first position in the window, or its first at all, is at or past the limit
 *   outside   else: below the window, in a hole of it, or the window is empty
 *
 * Delivery: a group that is wanted, each sequence at most once for the life of the subscription,
 * delivered or dropped. First parked groups that were aborted, with their reason, in the order of
 * their aborts; then parked ones that are wanted now, lowest first; then arrivals in their order.
 * An arrival that is outside is passed over, and seen again after an update that changes the
 * window. A parked one that is outside now is forgotten. One that went before it was looked at
 * never was. Backfilled groups are no arrivals.
 *
 * What was delivered or dropped is remembered in runs of numbers, at most config.done_max of them.
 * One more, and the lowest hole between them is closed for good: a group that is not parked already
 * and comes to be looked at there later is passed over. Numbers are the sender's choice; so neither
 * the memory for them nor the work to keep them in order is.
 *
 * Age: a group is stale when the edge, the highest live group that begins below the cap, is above
 * it, and either the edge's first timestamp less its reach -- the first timestamp of the next live
 * group -- or now less its last access (as expiry counts it) is max_age_ns or more. A stale group
 * is dropped as WB_E_OLD instead of being delivered; one that was delivered expires only when its
 * next read would have to wait.
 *
 * The end: WB_END once the track is finished, the last number below its boundary was used (by a
 * group or a datagram; boundary 0 needs none), nothing is to be delivered and nothing is parked. A
 * number that never came is not waited for then; should it come after all, it is delivered. An
 * aborted track gives its reason once nothing is to be delivered.
 *
 * Source: moq-lite, subscriptions; cases of groups and cursors.
 */
#ifndef WB_SUBSCRIPTION_H
#define WB_SUBSCRIPTION_H

#include "core/media/track.h"
#include "core/window/demand.h"

enum wb_request_kind { WB_REQUEST_RANGE, WB_REQUEST_LIVE, WB_REQUEST_TIME };

struct wb_request {
    enum wb_request_kind kind;
    struct wb_range range; /* RANGE: both ends; LIVE: `end` alone counts; end absent = open */
    uint64_t t0, t1;       /* TIME; in the track's timescale */
};

#define WB_REQUESTS_MAX      64u
#define WB_SUBSCRIPTION_DONE 1023u /* runs of numbers that were delivered: 32 KB, one more fits */

struct wb_subscription_config {
    uint8_t priority;
    bool ordered;
    uint64_t max_age_ns;               /* 0: only the newest; WB_DEMAND_NO_AGE: never stale */
    uint64_t timescale;                /* of timestamps, a second; 0: they do not count for age */
    const struct wb_request *requests; /* borrowed for the call; none = live, open */
    size_t count;
    uint32_t done_max; /* runs remembered; at init alone; 0: WB_SUBSCRIPTION_DONE */
};

/* Lives where its user wants it; does not move while it is in use. Private inside. */
struct wb_subscription;
#include "core/window/subscription_state.h"

/*
 * Joins the demand at once. Memory, track and demand outlive it. WB_E_BOUNDS for more than
 * WB_REQUESTS_MAX requests, WB_E_RANGE for an inverted one (t1 < t0; start > end, live: none), in
 * this order; WB_E_NOMEM. Nothing is to be given back after an error. One request that nobody
 * parks for allocates nothing of its own.
 */
WB_MUST_USE enum wb_err wb_subscription_init(struct wb_subscription *s, struct wb_mem *mem,
                                             struct wb_track *track, struct wb_demand *demand,
                                             const struct wb_subscription_config *config);
/* Leaves the demand at once. */
void wb_subscription_fini(struct wb_subscription *s);
/*
 * Other requests: what was delivered stays delivered; a live edge that was found stays where it is;
 * times are learned anew. Errors as init; the old ones stand.
 */
WB_MUST_USE enum wb_err wb_subscription_update(struct wb_subscription *s,
                                               const struct wb_subscription_config *config);
/* The cap alone, which no request knows of: the first position not to give, or absent to lift it.
 */
void wb_subscription_cap(struct wb_subscription *s, struct wb_bound end_exclusive);

enum wb_delivery_kind { WB_DELIVER_GROUP, WB_DELIVER_DROPPED };

struct wb_delivery {
    enum wb_delivery_kind kind;
    uint64_t sequence;
    enum wb_err reason; /* DROPPED; else WB_OK */
    /*
     * GROUP: the receiver's, at the window's first frame of this group (or the first one kept, when
     * that is later) and capped to its last one below the limit, both as of now; zero else.
     */
    struct wb_group_reader reader;
};

/*
 * The next delivery. WB_OK; WB_MORE: nothing now; WB_END; the track's abort; WB_E_NOMEM: nothing
 * was delivered, ask again.
 */
WB_MUST_USE enum wb_err wb_subscription_next(struct wb_subscription *s, uint64_t now_ns,
                                             struct wb_delivery *out);
/*
 * True when next would say something else than WB_MORE. Delivers nothing; may resolve, park and
 * pass over, as next would.
 */
bool wb_subscription_awake(struct wb_subscription *s, uint64_t now_ns);
/*
 * The next frame of a group that was delivered: as wb_group_next, but WB_E_OLD where it says
 * WB_MORE and the group is stale. A reader past its cap is capped anew, to the last frame of its
 * group below the limit as of now, when that is later; so an end that was raised gives the rest.
 * One that was lowered counts for deliveries alone. WB_END is the group's end when
 * wb_group_finished says so of the reader's index; else the window's, and a later update or cap may
 * raise it.
 */
WB_MUST_USE enum wb_err wb_subscription_read(const struct wb_subscription *s,
                                             struct wb_group_reader *r, uint64_t now_ns,
                                             struct wb_group_frame *out);
/*
 * When a read of a delivered group that has to wait now becomes WB_E_OLD as things stand: 0 when
 * its timestamps say so already, UINT64_MAX: never.
 */
uint64_t wb_subscription_deadline(const struct wb_subscription *s, const struct wb_group *g);
/*
 * A cursor of its own, in ascending order: the lowest live arrival above the last one it gave that
 * is wanted; lower ones that come late are skipped; nothing is dropped or parked, and age does not
 * count. Borrowed. WB_OK, WB_MORE, WB_END as above when no live arrival above the last one is
 * wanted or past the limit, the track's abort.
 */
WB_MUST_USE enum wb_err wb_subscription_ascend(struct wb_subscription *s, struct wb_group **out);
/* The window as it was resolved last; borrowed. */
const struct wb_window *wb_subscription_window(const struct wb_subscription *s);
/* Whole groups: delivered, dropped, and the holes that were closed; borrowed. */
const struct wb_window *wb_subscription_done(const struct wb_subscription *s);
/* Groups parked, aborted ones that were not yet told among them; as of the last look. */
uint64_t wb_subscription_parked(const struct wb_subscription *s);
void wb_subscription_check(const struct wb_subscription *s);

#endif
