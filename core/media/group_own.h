/*
 * group_own.h: the inside of a group, shared by group.c, group_read.c, slots.c and the track.
 *
 * A group and its part of a track are one block of WB_GROUP_OVERHEAD bytes: the pool's entry, the
 * nodes of the track's two trees, and the first place of the log.
 */
#ifndef WB_GROUP_OWN_H
#define WB_GROUP_OWN_H

#include "core/media/group.h"

#include <bsd/sys/tree.h>

/*
 * One frame. It is a payload in one segment when there is an owner, a frame object when it is the
 * open one or, without an owner, not empty: then its payload is a chain.
 */
struct wb_group_record {
    uint64_t timestamp, size;
    struct wb_segment *owner;
    union {
        const uint8_t *data;
        struct wb_frame *frame;
    } in;
};
_Static_assert(sizeof(struct wb_group_record) <= WB_GROUP_RECORD, "a place is billed in full");

/* A group's part of its track. */
struct wb_slot {
    RB_ENTRY(wb_slot) by_sequence, by_arrival;
    struct wb_slots *home;      /* NULL: in no track, or no longer */
    uint64_t sequence, arrival; /* WB_SLOT_NO_ARRIVAL: only in the tree of sequences */
    uint64_t touched_ns;        /* last access */
};
#define WB_SLOT_NO_ARRIVAL UINT64_MAX

RB_HEAD(wb_slots_sequences, wb_slot);
RB_HEAD(wb_slots_arrivals, wb_slot);

/* The live groups of a track, each with one reference. */
struct wb_slots {
    struct wb_slots_sequences sequences;
    struct wb_slots_arrivals arrivals;
    struct wb_slot *latest; /* highest sequence; the only one that is not evictable */
    uint64_t live;
};

void wb_slots_init(struct wb_slots *s);
/* Demotes the latest one that it supersedes. The reference moves in. */
void wb_slots_insert(struct wb_slots *s, struct wb_slot *slot);
/* Out of both trees; what is the latest then is promoted. The reference is the caller's again. */
void wb_slots_remove(struct wb_slot *slot);
struct wb_slot *wb_slots_find(const struct wb_slots *s, uint64_t sequence);
/* The lowest at or above; NULL when none. */
struct wb_slot *wb_slots_from(const struct wb_slots *s, uint64_t sequence);
struct wb_slot *wb_slots_after(struct wb_slot *slot);
struct wb_slot *wb_slots_arrived(const struct wb_slots *s, uint64_t arrival);
void wb_slots_check(const struct wb_slots *s);

struct wb_group {
    struct wb_mem *mem;
    const struct wb_group_limits *limits;
    uint64_t references;
    struct wb_pool_entry entry;
    uint64_t told; /* its bill when the track was last told of a write */
    struct wb_slot slot;
    struct wb_group_watch *watches;
    uint64_t offset, committed; /* the open frame has number `committed` */
    uint64_t bytes;
    uint64_t first_timestamp;
    uint32_t mask;
    uint16_t reason; /* enum wb_err: WB_OK until aborted */
    bool is_finished : 1;
    bool has_open : 1;  /* stays when aborted, as all numbers do */
    bool has_stamp : 1; /* there was a frame */
    union {
        struct wb_group_record own;  /* while mask is 0 */
        struct wb_group_record *log; /* else mask + 1 places: frame n is at n & mask */
    } at;
};
_Static_assert(sizeof(struct wb_group) <= WB_GROUP_OVERHEAD, "a group is billed in full");
_Static_assert(WB_ERR_COUNT <= UINT16_MAX, "a reason fits");

static inline struct wb_group_record *wb_group_record(const struct wb_group *g, uint64_t index)
{
    return g->mask == 0 ? (struct wb_group_record *)&g->at.own : &g->at.log[index & g->mask];
}

static inline uint64_t wb_group_next_number(const struct wb_group *g)
{
    return g->committed + g->has_open;
}

struct wb_group *wb_group_of_slot(struct wb_slot *slot);
/* All of its watches are told. */
void wb_group_tell(struct wb_group *g);
/* What does not depend on how many frames there are; paranoid builds look at every call. */
void wb_group_check_numbers(const struct wb_group *g);

#endif
