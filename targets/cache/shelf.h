/*
 * shelf.h: up to four tracks that share one pool, their groups, writers, readers and deliveries on
 * virtual time, beside the models of cache and groups (CCH-*, POL-*).
 *
 *   shelf.c        a run: set up, ops, the end
 *   shelf_ops.c    the op table
 *   shelf_track.c  ops that name a track
 *   shelf_group.c  ops of a group's writer and readers
 *   shelf_check.c  what holds between any two ops
 *
 * Contents of payloads are fuzz_group's: here only sizes count.
 */
#ifndef CACHE_SHELF_H
#define CACHE_SHELF_H

#include "core/media/track.h"
#include "oracles/ref_cache.h"
#include "oracles/ref_group.h"
#include "targets/fuzz.h"

#define SHELF_TRACKS     REF_CACHE_TRACKS
#define SHELF_GROUPS     256 /* made in one run whose profile is 255 */
#define SHELF_GROUPS_MAX 64  /* in any other */
#define SHELF_BODY_MAX   32768
#define SHELF_WRITE_MAX  65536 /* an open frame up to here is really written */
#define SHELF_MS         UINT64_C(1000000)

enum shelf_op {
    SHELF_CREATE = SIM_OP_FIRST,
    SHELF_APPEND,
    SHELF_BACKFILL,
    SHELF_FETCH,
    SHELF_ABOVE,
    SHELF_DELIVER,
    SHELF_TAKE,
    SHELF_ADD = SIM_OP_FIRST + 16,
    SHELF_OPEN,
    SHELF_WRITE,
    SHELF_CLOSE,
    SHELF_FINISH,
    SHELF_ABORT,
    SHELF_LEAVE,
    SHELF_TOUCH,
    SHELF_JOIN = SIM_OP_FIRST + 32,
    SHELF_NEXT,
    SHELF_QUIT,
    SHELF_END = SIM_OP_FIRST + 48,
    SHELF_END_AT,
    SHELF_ABORT_TRACK,
    SHELF_DROP_TRACK,
    SHELF_HOLD_TRACK,
    SHELF_AGE,
    SHELF_RESIZE,
    SHELF_TIME = SIM_OP_FIRST + 64,
    SHELF_FAIL = SIM_OP_FIRST + 72
};

#define SHELF_MARK_LIST(X)                                                                         \
    X(EVICTED, "evicted")               /* to make room */                                         \
    X(EVICTED_OPEN, "evicted-in-place") /* while it was written */                                 \
    X(EVICTED_OTHER, "evicted-unheld")  /* nobody but the cache had it */                          \
    X(EXPIRED, "expired")               /* by age */                                               \
    X(SPARED, "latest-too-old")         /* the latest, which does not expire */                    \
    X(DUPLICATE, "duplicate")           /* a live number */                                        \
    X(AGAIN, "made-again")              /* a number whose group went */                            \
    X(LATE, "late-group")               /* below the latest */                                     \
    X(BACKFILLED, "backfilled")         /* from elsewhere */                                       \
    X(PAST_END, "past-boundary")        /* refused */                                              \
    X(HIT, "fetch-hit")                 /* and counted as an access */                             \
    X(MISS, "fetch-miss")               /* absent */                                               \
    X(MISS_GONE, "fetch-of-a-gone")     /* it was there once */                                    \
    X(TAKEN, "datagram")                /* took a number */                                        \
    X(DELIVERED, "delivered")           /* in order of arrival */                                  \
    X(SKIPPED, "gone-before-delivery")  /* an arrival that was gone by then */                     \
    X(PROMOTED, "latest-aborted")       /* the one below is the latest */                          \
    X(ORPHANED, "outlived-track")       /* somebody held it when its track went */                 \
    X(TWO_TRACKS, "two-tracks")         /* one pays for what both use */                           \
    X(LOOKED_ROUND, "looked-round")     /* more groups than one write looks at */                  \
    X(READ_END, "read-to-the-end")      /* of a finished group */                                  \
    X(REFUSED, "refused")               /* by the allocator */                                     \
    X(NOT_LIVE, "wrote-to-a-gone")      /* nothing happens */

enum shelf_mark {
#define SHELF_MARK_MEMBER(name, text) SHELF_MARK_##name,
    SHELF_MARK_LIST(SHELF_MARK_MEMBER)
#undef SHELF_MARK_MEMBER
        SHELF_MARKS
};

struct shelf_group {
    struct wb_group *core; /* valid while it is in a track or held */
    int model;             /* its place in the model while it is billed, else REF_POOL_NONE */
    int track;             /* while it is live in one, else REF_POOL_NONE */
    uint64_t sequence;
    uint32_t holds; /* references of writers and readers */
    struct wb_frame *open;
    bool is_delivered;
    struct ref_group *log; /* apart: these here are walked at every step */
};

struct shelf_reader {
    bool on;
    uint32_t group;
    uint64_t index;
    struct wb_group_reader reader;
};

struct shelf_track {
    struct wb_track *core; /* NULL while there is none */
    uint32_t holds;
    uint64_t arrival; /* of the delivery */
    uint64_t max_age_ns;
};

struct shelf {
    struct sim_run *run;
    struct wb_pool pool;
    struct wb_group_limits limits;
    struct ref_group_storage storage;
    uint64_t now_ns, age_ns;
    uint64_t group_bytes, frame_bytes, track_bytes; /* lent for one of each */
    enum wb_err last;
    uint32_t groups, groups_max; /* made so far, from 1, and at most */
    size_t turn;
    uint32_t writers[SIM_SLOTS]; /* the group that a slot writes; 0 = none */
    struct shelf_reader readers[SIM_SLOTS];
    struct shelf_track tracks[SHELF_TRACKS];
    uint32_t of_model[REF_CACHE_GROUPS];
    struct ref_cache model;
    struct shelf_group group[SHELF_GROUPS + 1];
    struct ref_group logs[SHELF_GROUPS + 1];
};

extern const struct sim_ops shelf_ops;
extern const char *const shelf_marks[];

/* shelf.c */
void shelf_run(struct sim_run *run, struct wb_view input);
bool shelf_was_refused(struct shelf *s, enum wb_err err, uint64_t refused);
void shelf_ended(struct shelf *s, enum wb_err err);
/* The call ended with `err` where the model says `want`, or the allocator refused. True on WB_OK.
 */
bool shelf_is_done(struct shelf *s, enum wb_err err, enum wb_err want, uint64_t refused);
/* The group is gone from its track and unbilled, for that reason. */
void shelf_gone(struct shelf *s, uint32_t id, enum wb_err reason);
/* One holder less. */
void shelf_let_go(struct shelf *s, uint32_t id);
/* The bill of a live group follows its log. */
void shelf_bill(struct shelf *s, uint32_t id);
/* What a settle evicts, in the model. */
void shelf_settle(struct shelf *s, struct ref_pool_settle *settle);

/* shelf_track.c, shelf_group.c: false when there is nothing to do. */
bool shelf_track(struct shelf *s, const struct sim_op *op);
void shelf_track_drop(struct shelf *s, int track);
bool shelf_group(struct shelf *s, const struct sim_op *op);
void shelf_group_leave(struct shelf *s, size_t slot);
void shelf_group_quit(struct shelf *s, size_t slot);

/* shelf_check.c */
void shelf_check(struct shelf *s);

#endif
