/*
 * subs.h: one track whose groups come late, early, twice or never, and eight subscribers of it
 * beside their models (SUB-*).
 */
#ifndef TARGETS_WINDOW_SUBS_H
#define TARGETS_WINDOW_SUBS_H

#include "core/window/subscription.h"
#include "oracles/ref_demand.h"
#include "oracles/ref_subscription.h"
#include "targets/fuzz.h"

#define SUBS_SLOTS   8u
#define SUBS_GARBAGE 0xa5 /* where the core must set up all it reads */
#define SUBS_MS      UINT64_C(1000000)
#define SUBS_ASKED   (WB_REQUESTS_MAX + 1)

enum subs_op {
    /* groups: the slot writes one */
    SUBS_CREATE = SIM_OP_FIRST,
    SUBS_APPEND,
    SUBS_BACKFILL,
    SUBS_START,
    SUBS_ADD,
    SUBS_FINISH,
    SUBS_ABORT,
    SUBS_LEAVE,
    SUBS_FETCH,
    /* the track */
    SUBS_DATAGRAM,
    SUBS_END,
    SUBS_END_AT,
    SUBS_ABORT_TRACK,
    SUBS_RESIZE,
    SUBS_TIME,
    /* subscribers: what a slot would ask for, then the rest */
    SUBS_ASK,
    SUBS_PART,
    SUBS_LIVE,
    SUBS_TIMES,
    SUBS_NOTHING,
    SUBS_MANY,
    SUBS_WISH,
    SUBS_JOIN,
    SUBS_UPDATE,
    SUBS_QUIT,
    SUBS_CAP,
    SUBS_CAP_AT,
    SUBS_LIFT,
    SUBS_NEXT,
    SUBS_DRAIN,
    SUBS_AWAKE,
    SUBS_ASCEND,
    SUBS_READ,
    SUBS_FAIL
};

#define SUBS_MARK_LIST(X)                                                                          \
    X(DELIVERED, "delivered")     /* a group */                                                    \
    X(PARKED, "parked")           /* one waits past the limit */                                   \
    X(UNPARKED, "unparked")       /* one comes back */                                             \
    X(PARKED_GONE, "parked-gone") /* a parked one was aborted, and that was told */                \
    X(WOKEN, "woken")             /* by the abort of a parked one */                               \
    X(OLD, "old")                 /* dropped for its age */                                        \
    X(READ_OLD, "read-old")       /* a read that would have to wait too long */                    \
    X(LATE, "late-group")         /* lower than one that was delivered before */                   \
    X(TWICE, "twice")             /* a number comes again */                                       \
    X(NEVER, "never-seen")        /* it went before anybody looked */                              \
    X(ENDED, "ended")             /* the end was said */                                           \
    X(END_PARKED, "end-waits")    /* finished, and only parked ones are left */                    \
    X(TO_COME, "to-come")         /* finished, and the last number is still to come */             \
    X(LEARNED, "learned")         /* a time range found an end of its span */                      \
    X(WAITS, "waits")             /* an arrival that has no first frame yet */                     \
    X(EDGE_LATER, "edge-later")   /* a live edge that came after the request */                    \
    X(SEEN_AGAIN, "seen-again")   /* passed over, and wanted since an update */                    \
    X(REFUSED, "refused")         /* the allocator said no */                                      \
    X(EVICTED, "evicted")         /* a small pool made room */                                     \
    X(CUT, "cut")                 /* a reader that begins or ends inside a group */                \
    X(RAISED, "raised")           /* the end of a reader, after the reader came to it */           \
    X(CLOSED, "closed")           /* one came late into a hole that was closed */

enum subs_mark {
#define SUBS_MARK_ENUM(name, text) SUBS_MARK_##name,
    SUBS_MARK_LIST(SUBS_MARK_ENUM)
#undef SUBS_MARK_ENUM
};

/* An entry of the model's track: the group, as long as it is live. */
struct subs_group {
    struct wb_group *core;   /* one reference; NULL when it is gone */
    struct wb_group *writer; /* the reference of the slot that writes it */
    struct wb_group_watch watch;
    uint64_t frames;
    bool finished;
};

struct subs_reader {
    bool on;
    struct wb_group_reader reader;
    size_t group;
    uint64_t index, end; /* the next frame, and the last one inside */
};

struct subs_slot {
    bool joined;
    struct wb_subscription core;
    struct ref_sub model;
    struct ref_wish wish;      /* of the model's demand, but for its edge */
    struct subs_reader reader; /* of the last delivery */
    bool was_passed[REF_SUB_GROUPS];
    bool has_given;
    uint64_t highest_given;
    /* what it would ask for */
    uint8_t priority;
    bool ordered;
    size_t asked; /* requests, at most SUBS_ASKED */
    struct ref_sub_asked pending;
};

struct subs {
    struct sim_run *run;
    struct wb_pool pool;
    struct wb_track *track;
    struct wb_demand *demand;
    struct wb_group_watches told;
    uint64_t now_ns;
    enum wb_err last;
    uint32_t turn;
    uint32_t done_max;         /* of the subscribers; 0: the usual one */
    size_t writers[SIM_SLOTS]; /* entry, or REF_SUB_GROUPS */
    struct subs_group groups[REF_SUB_GROUPS];
    struct ref_sub_track model;
    struct subs_slot slots[SUBS_SLOTS];
    struct ref_demand asks;
    struct ref_window all;
};

extern const struct sim_ops subs_ops;
extern const char *const subs_marks[];

/* subs.c */
void subs_run(struct sim_run *run, struct wb_view input);
void subs_ended(struct subs *w, enum wb_err err);
bool subs_was_refused(struct subs *w, uint64_t refused);
/* subs_draw.c: how things stand after the ops of a scenario, by the ops alone. */
void subs_draw(struct wb_view input, struct wb_buf *out);
/* subs_track.c: false when there is nothing to do. */
bool subs_track(struct subs *w, const struct sim_op *op);
void subs_leave(struct subs *w, size_t slot);
/* Groups that were aborted since the last call leave the model, in the order in which they went. */
void subs_settle(struct subs *w);
/* subs_ask.c */
bool subs_ask(struct subs *w, const struct sim_op *op);
void subs_quit(struct subs *w, size_t slot);
/* subs_next.c */
bool subs_next(struct subs *w, const struct sim_op *op);
void subs_reader_close(struct subs_slot *s);
/* Gives all that there is; then nothing that arrived is left out. */
void subs_drain(struct subs *w, size_t slot);
/* subs_check.c */
void subs_check(struct subs *w);
void subs_check_window(struct subs *w, size_t slot);

#endif
