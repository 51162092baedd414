/*
 * wishes.h: up to sixteen subscribers of one track's demand, beside the model (DMD-*). A slot first
 * says what it would ask for, then joins with it: itself, or through a subscription that owns its
 * part and takes it along when it goes.
 */
#ifndef TARGETS_WINDOW_WISHES_H
#define TARGETS_WINDOW_WISHES_H

#include "core/base/cost.h"
#include "core/window/subscription.h"
#include "oracles/ref_demand.h"
#include "targets/fuzz.h"

#define WISHES_COMPARED 12u   /* positions, for a run and a level of a tree; 6 were seen */
#define WISHES_SPARE    1024u /* bytes that a demand may keep for who joins next */

enum wishes_op {
    WISHES_SPAN = SIM_OP_FIRST,
    WISHES_ONLY,
    WISHES_HOLE,
    WISHES_SAME,
    WISHES_WISH,
    WISHES_JOIN,
    WISHES_OWN,
    WISHES_UPDATE,
    WISHES_LEAVE,
    WISHES_AGAIN,
    WISHES_VISIT,
    WISHES_OBSERVE,
    WISHES_LOOK,
    WISHES_AGE,
    WISHES_FAIL
};

#define WISHES_MARK_LIST(X)                                                                        \
    X(SHARED, "shared")       /* joined where others ask the same */                               \
    X(CHANGED, "changed")     /* an observation that tells of a change */                          \
    X(SAME, "unchanged")      /* one that follows joins and leaves that cancel out */              \
    X(DIED, "died")           /* an owner went and took its part along */                          \
    X(EMPTY, "empty")         /* somebody asks for nothing */                                      \
    X(SEVERAL, "several")     /* a union of several runs */                                        \
    X(UNBOUNDED, "unbounded") /* an end that absorbs the others */                                 \
    X(LIVE_EDGE, "live-edge") /* nobody has a start of its own */                                  \
    X(LAST_LEFT, "last-left") /* the last one went */                                              \
    X(REFUSED, "refused")     /* the allocator said no */                                          \
    X(BASELINE, "baseline")   /* nobody is here, and nothing is left */                            \
    X(CROWD, "crowd")         /* ten or more */

enum wishes_mark {
#define WISHES_MARK_ENUM(name, text) WISHES_MARK_##name,
    WISHES_MARK_LIST(WISHES_MARK_ENUM)
#undef WISHES_MARK_ENUM
};

/* What a slot lives in once it joined: given back as soon as it leaves. */
#define WISHES_GARBAGE 0xa5 /* where the core must set up all it reads */

struct wishes_home {
    struct wb_subscriber part;
    struct wb_subscription owner;
};

struct wishes {
    struct sim_run *run;
    struct wb_track *track;
    struct wb_demand *demand;
    struct wishes_home *homes[REF_DEMAND_SUBSCRIBERS]; /* NULL: not joined */
    bool owned[REF_DEMAND_SUBSCRIBERS];
    struct ref_wish pending_wish[REF_DEMAND_SUBSCRIBERS];
    struct ref_window pending[REF_DEMAND_SUBSCRIBERS], spare;
    struct ref_demand model;
    bool is_stale; /* `now` is not what the model asks for */
    struct ref_window now;
    struct ref_window seen; /* at the last observation */
    struct ref_fold seen_fold;
    bool has_moved;                 /* joins, updates or leaves since then */
    bool is_over;                   /* the story is told */
    unsigned quiet;                 /* observations in a row without any */
    uint64_t track_bytes, baseline; /* live bytes of the track, and with a demand of nobody */
    enum wb_err last;
    uint32_t turn;
};

extern const struct sim_ops wishes_ops;
extern const char *const wishes_marks[];

/* What the model makes of an op that changes what a slot says or asks; false when there is nothing
   to do. */
bool wishes_pend(struct wishes *w, const struct sim_op *op);
void wishes_take(struct wishes *w, size_t slot, bool is_owned);

/* wishes.c */
void wishes_run(struct sim_run *run, struct wb_view input);
/* wishes_check.c */
void wishes_check(struct wishes *w);
void wishes_observe(struct wishes *w);
void wishes_look(struct wishes *w, struct wb_position at);
void wishes_age(struct wishes *w, uint64_t publisher_ns);
/* What a join, update or leave of the slot has compared since, which the model does not know yet.
 */
void wishes_check_cost(const struct wishes *w, size_t slot, uint64_t compared_before);
/* What its join or update has asked of the allocator since. */
void wishes_check_asked(const struct wishes *w, size_t slot, uint64_t requests_before);
/* The union as it is now, in the model. */
const struct ref_window *wishes_now(struct wishes *w);
/* Of everybody, and of all of them; by the model alone. */
void wishes_draw(struct wb_view input, struct wb_buf *out);

#endif
