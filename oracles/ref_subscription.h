/*
 * ref_subscription.h: one subscriber of a track, as moq-lite 4 and windows 2 tell it: what its
 * requests resolve to, what it is given next, what it waits for.
 *
 * Every group that was ever made is an entry, also one whose number came again; entries are never
 * taken out. The caller keeps the track's part; the model asks all of it at each look.
 */
#ifndef REF_SUBSCRIPTION_H
#define REF_SUBSCRIPTION_H

#include "oracles/ref_window.h"

#define REF_SUB_GROUPS   96u
#define REF_SUB_REQUESTS 64u
#define REF_SUB_NO_AGE   UINT64_MAX

struct ref_sub_group {
    uint64_t sequence;
    bool live;
    bool arrived; /* and not only fetched into the cache */
    uint64_t arrival;
    bool has_first; /* frame */
    uint64_t first_stamp;
    bool finished;       /* no frame more */
    uint64_t first_kept; /* number of its first frame */
    uint64_t touched_ns;
    enum wb_err reason; /* of its abort */
};

struct ref_sub_track {
    size_t count;
    struct ref_sub_group groups[REF_SUB_GROUPS];
    uint64_t arrivals; /* number of the next one */
    bool has_highest;
    uint64_t highest; /* number ever used */
    bool finished;
    uint64_t boundary;
    enum wb_err reason; /* of the track's abort */
};

enum ref_sub_kind { REF_SUB_RANGE, REF_SUB_LIVE, REF_SUB_TIME };

struct ref_sub_request {
    enum ref_sub_kind kind;
    struct wb_range range; /* LIVE: `end` alone */
    uint64_t t0, t1;
    /* TIME, as learned */
    uint64_t begin;
    bool has_end;
    uint64_t end;
};

struct ref_sub_asked {
    size_t count; /* 0: live, open */
    struct ref_sub_request requests[REF_SUB_REQUESTS];
    uint64_t max_age_ns, timescale;
};

enum ref_sub_place {
    REF_SUB_UNSEEN,
    REF_SUB_PASSED, /* outside when it was looked at */
    REF_SUB_PARKED,
    REF_SUB_TOLD, /* parked and then gone: to be told */
    REF_SUB_OVER  /* delivered, dropped, or never to be */
};

struct ref_sub {
    struct ref_sub_asked asked;
    bool has_live;      /* the edge is found */
    bool wants_live;    /* a request that follows it was there before */
    uint64_t live;      /* the group */
    uint64_t live_from; /* first arrival that may be it */
    uint64_t learned;   /* the next arrival that teaches times */
    uint64_t seen;      /* arrivals below were looked at since the window was last changed */
    bool has_passed;    /* some of them were passed over */
    struct wb_bound cap;
    struct ref_window window; /* as resolved last */
    bool is_live;             /* all that is asked for is the live edge */
    enum ref_sub_place place[REF_SUB_GROUPS];
    size_t gone_count;
    size_t gone[REF_SUB_GROUPS]; /* in the order in which they went */
    size_t done_count;
    uint64_t done[REF_SUB_GROUPS]; /* sequences delivered or dropped */
    size_t done_max;               /* runs of them that are remembered */
    struct ref_window remembered;  /* whole groups: done, or in a hole that was closed */
    bool has_ascended;
    uint64_t ascended;
};

/* WB_E_BOUNDS is the caller's: it cannot be asked for here. WB_E_RANGE or WB_OK. */
enum wb_err ref_sub_status(const struct ref_sub_asked *asked);
void ref_sub_init(struct ref_sub *s, const struct ref_sub_track *t,
                  const struct ref_sub_asked *asked, size_t done_max);
void ref_sub_update(struct ref_sub *s, const struct ref_sub_track *t,
                    const struct ref_sub_asked *asked);
void ref_sub_cap(struct ref_sub *s, const struct ref_sub_track *t, struct wb_bound cap);
/* The entry is live no more. */
void ref_sub_gone(struct ref_sub *s, size_t group);

struct ref_sub_next {
    enum wb_err status;   /* WB_OK, WB_MORE, WB_END, or the track's abort */
    size_t group;         /* the entry */
    enum wb_err reason;   /* of a drop, else WB_OK */
    uint64_t first, last; /* frames to read; last inclusive */
};
/* What comes next; taken, or only looked at. */
struct ref_sub_next ref_sub_next(struct ref_sub *s, const struct ref_sub_track *t, uint64_t now_ns,
                                 bool take);
/* The entry that the ascending cursor gives. */
struct ref_sub_next ref_sub_ascend(struct ref_sub *s, const struct ref_sub_track *t);
/* The live group with the highest number, below the cap when there is one; SIZE_MAX: none. */
size_t ref_sub_highest(const struct ref_sub_track *t, struct wb_bound cap);
bool ref_sub_is_stale(const struct ref_sub *s, const struct ref_sub_track *t, size_t group,
                      uint64_t now_ns);
/* 0: its timestamps say so; UINT64_MAX: never, as things stand. */
uint64_t ref_sub_deadline(const struct ref_sub *s, const struct ref_sub_track *t, size_t group);
uint64_t ref_sub_parked(const struct ref_sub *s);
bool ref_sub_is_done(const struct ref_sub *s, uint64_t sequence);
/* Done, or to be passed over as if it were. */
bool ref_sub_is_remembered(const struct ref_sub *s, uint64_t sequence);

/* The frames of a group, last inclusive, that one who is given it now may read; false: it is not.
 */
bool ref_sub_part(const struct ref_sub *s, uint64_t sequence, uint64_t *out_first,
                  uint64_t *out_last);

enum ref_sub_view { REF_SUB_WANTED, REF_SUB_PAST, REF_SUB_OUTSIDE };
enum ref_sub_view ref_sub_view(const struct ref_sub *s, uint64_t sequence);
/* It waits to be judged by its first frame, or that of an arrival before it. */
bool ref_sub_waits(const struct ref_sub *s, const struct ref_sub_group *g);

#endif
