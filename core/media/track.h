/*
 * track.h: the groups of one track, cached: found by sequence, given in arrival order, evicted
 * by the pool, expired by age. The latest group (highest live sequence) is never evicted nor
 * expired; when it is aborted, the next one below is the latest.
 *
 * A group that was aborted, evicted or expired is absent for every way to it; its sequence may be
 * created again, and is a new arrival then: what only refills the cache uses backfill. Expiry: a
 * group whose last access (creation, write, fetch; in ns) is more than max_age_ns ago is aborted
 * WB_E_OLD; each write looks at 4 groups, or at each once when fewer are live: by sequence, from
 * the one after the last that was looked at, going round, so that one that is used cannot shield
 * the rest. The latest counts as a look.
 *
 * Final boundary: no group at or past it; finish sets it to one past the highest number ever used
 * by a group or a datagram (0 when there was none, at most 2^64-1), finish_at may name a future
 * one. Groups below may still come.
 *
 * Source: moq-lite, track cache; subscriptions (boundary).
 */
#ifndef WB_TRACK_H
#define WB_TRACK_H

#include "core/media/group.h"

#define WB_TRACK_NO_AGE UINT64_MAX
#define WB_TRACK_LOOKS  4u

struct wb_track_config {
    struct wb_pool *pool;                /* or NULL; outlives the track and all its groups */
    uint64_t max_age_ns;                 /* WB_TRACK_NO_AGE: never expires */
    const struct wb_group_limits *group; /* NULL: the default; outlives them too */
};

/*
 * Counted; the cache goes with the last reference. A group that somebody else holds then stays as
 * it is, billed until it is gone, in no track.
 */
struct wb_track;

WB_MUST_USE enum wb_err wb_track_new(struct wb_mem *mem, const struct wb_track_config *config,
                                     struct wb_track **out);
struct wb_track *wb_track_share(struct wb_track *t);
void wb_track_drop(struct wb_track *t);

/*
 * A new group, one reference for the writer. WB_E_DUPLICATE while that sequence is live,
 * WB_E_FINISHED at or past the boundary, the reason of an abort, WB_E_NOMEM; in this order.
 * Higher than all live ones it supersedes the latest. Its WB_GROUP_OVERHEAD counts as written, and
 * the track settles; only then it joins the order and, when it is not the latest, the mean, so a
 * group is never the victim of its own creation.
 */
WB_MUST_USE enum wb_err wb_track_create(struct wb_track *t, uint64_t sequence, uint64_t now_ns,
                                        struct wb_group **out);
/*
 * The group after the highest number ever used, 0 at first. WB_E_BOUNDS past 2^64-1, else as
 * create.
 */
WB_MUST_USE enum wb_err wb_track_append(struct wb_track *t, uint64_t now_ns, struct wb_group **out);
/*
 * A group fetched from elsewhere into the cache: as create, but it is no arrival, and never
 * becomes one.
 */
WB_MUST_USE enum wb_err wb_track_backfill(struct wb_track *t, uint64_t sequence, uint64_t now_ns,
                                          struct wb_group **out);
/*
 * Bytes were written to the group, or a frame of so many was opened or added: counts them, or what
 * the group's bill grew by since the last call if that is more, as written by the track (tiny
 * frames are mostly headers and log, and somebody must owe what is billed); stamps the group,
 * settles when it is time, expires; in this order. (The group bills itself.) The writer calls it
 * after each write to a group of the track, holding its reference; victims are aborted WB_E_EVICTED
 * here, the group itself among them. Nothing when the group is not live.
 */
void wb_track_wrote(struct wb_track *t, struct wb_group *g, uint64_t bytes, uint64_t now_ns);
/* One more reference to a live group, which counts as a fetch; NULL when absent. */
struct wb_group *wb_track_fetch(struct wb_track *t, uint64_t sequence, uint64_t now_ns);
/* The same without counting as an access. Borrowed. */
struct wb_group *wb_track_peek(const struct wb_track *t, uint64_t sequence);
/* Highest live sequence; false when there is none. */
bool wb_track_latest(const struct wb_track *t, uint64_t *out);
/* The highest live group at or below `sequence`; borrowed, or NULL. */
struct wb_group *wb_track_below(const struct wb_track *t, uint64_t sequence);
/*
 * The lowest live group above `sequence`, or with at_or_above at or above it; borrowed, or NULL.
 */
struct wb_group *wb_track_above(const struct wb_track *t, uint64_t sequence, bool at_or_above);

/*
 * WB_E_FINISHED the second time, the reason of an abort; finish_at: WB_E_BOUNDS when a number at or
 * past it was ever used.
 */
WB_MUST_USE enum wb_err wb_track_finish(struct wb_track *t);
WB_MUST_USE enum wb_err wb_track_finish_at(struct wb_track *t, uint64_t boundary);
bool wb_track_finished(const struct wb_track *t, uint64_t *out_boundary);
/* All groups are aborted with `reason`; nothing can be created. Only the first counts. */
void wb_track_abort(struct wb_track *t, enum wb_err reason);

/*
 * Arrivals: every group made by create or append has the next arrival number, from 0. What a
 * delivery walks: the first live arrival at or past *arrival, borrowed, *arrival its number; NULL
 * when none, *arrival as it was.
 */
struct wb_group *wb_track_arrival(const struct wb_track *t, uint64_t *arrival);
/* The number that the next arrival gets. */
uint64_t wb_track_arrivals(const struct wb_track *t);
/* A live group's arrival number; false when it is no arrival. */
bool wb_track_arrived(const struct wb_group *g, uint64_t *out);
/* A group's last access, as expiry counts it. */
uint64_t wb_track_touched_ns(const struct wb_group *g);
/* The highest number ever used, by a group or a datagram; false when none was. */
bool wb_track_highest(const struct wb_track *t, uint64_t *out);
/* WB_OK, or the reason of the abort. */
enum wb_err wb_track_aborted(const struct wb_track *t);
/*
 * A number is taken out of the sequence space by a datagram: the next append comes after it.
 * WB_E_FINISHED at or past the boundary, the reason of an abort. Nothing is compared with groups.
 */
WB_MUST_USE enum wb_err wb_track_take(struct wb_track *t, uint64_t sequence);
uint64_t wb_track_live(const struct wb_track *t);
void wb_track_check(const struct wb_track *t);

#endif
