/*
 * track_own.h: the inside of a track, shared by track.c and track_evict.c.
 */
#ifndef WB_TRACK_OWN_H
#define WB_TRACK_OWN_H

#include "core/media/group_own.h"
#include "core/media/track.h"

/* Ticks that an access stands above an insertion at the same moment. */
#define WB_TRACK_WROTE   1u
#define WB_TRACK_FETCHED 2u

struct wb_track {
    struct wb_mem *mem;
    struct wb_track_config config;
    uint64_t references;
    struct wb_slots slots;
    struct wb_pool_account account;
    uint64_t arrivals;
    uint64_t highest; /* number ever used; see is_used */
    uint64_t boundary;
    uint64_t next_look; /* lowest sequence that expiry looks at next */
    enum wb_err reason;
    bool is_used, is_finished;
};

void wb_track_touch(struct wb_group *g, uint64_t now_ns, unsigned above);
/* Evicts what the pool names. */
void wb_track_settle(struct wb_track *t);

#endif
