/*
 * ref_cache.h: tracks that share a pool, as moq-lite 3.4 and the boundary of section 4 tell them:
 * which groups are live, who is evicted and expired, in which order groups arrive.
 *
 * Groups are named by their place in the array, which is given again once a group is gone. What
 * their contents come to is told: the caller keeps a ref_group each.
 */
#ifndef REF_CACHE_H
#define REF_CACHE_H

#include "core/base/err.h"
#include "oracles/ref_pool.h"

#define REF_CACHE_TRACKS   REF_POOL_ACCOUNTS
#define REF_CACHE_GROUPS   REF_POOL_ENTRIES
#define REF_CACHE_TICK_NS  UINT64_C(100000000)
#define REF_CACHE_LOOKS    4
#define REF_CACHE_OVERHEAD 256
#define REF_CACHE_NO_AGE   UINT64_MAX

/* The state of a group in its track; its place is that of its pool entry. */
struct ref_cache_group {
    int track; /* REF_POOL_NONE: its track went, somebody holds it */
    uint64_t sequence;
    bool arrived; /* made by create or append */
    uint64_t arrival;
    uint64_t touched_ns; /* last access */
    uint64_t told;       /* its bill when a write was last told */
};

struct ref_cache_track {
    bool exists;
    uint64_t max_age_ns;
    bool has_used; /* a number was ever used, by a group or a datagram */
    uint64_t highest;
    uint64_t arrivals;
    bool has_looked;
    uint64_t looked; /* sequence of the last group whose age was looked at */
    bool finished;
    uint64_t boundary;
    enum wb_err reason; /* WB_OK until aborted */
};

struct ref_cache {
    struct ref_pool pool;
    struct ref_cache_track tracks[REF_CACHE_TRACKS];
    struct ref_cache_group groups[REF_CACHE_GROUPS];
};

void ref_cache_init(struct ref_cache *c, uint64_t capacity);
void ref_cache_open(struct ref_cache *c, int track, uint64_t max_age_ns);

/* The track goes; groups that the caller says are held stay billed, in no track. */
void ref_cache_close(struct ref_cache *c, int track, const bool *is_held);

/* The live group of that sequence, or REF_POOL_NONE. */
int ref_cache_find(const struct ref_cache *c, int track, uint64_t sequence);
/* How a call ends, memory apart; *out is the number that append or finish would take. */
enum wb_err ref_cache_create_status(const struct ref_cache *c, int track, uint64_t sequence);
enum wb_err ref_cache_append_status(const struct ref_cache *c, int track, uint64_t *out);
enum wb_err ref_cache_take_status(const struct ref_cache *c, int track, uint64_t sequence);
enum wb_err ref_cache_finish_status(const struct ref_cache *c, int track, uint64_t *out);
enum wb_err ref_cache_finish_at_status(const struct ref_cache *c, int track, uint64_t boundary);

/*
 * A group that was made, at `now_ns`; REF_POOL_NONE when the model is full. The track settles: ask
 * ref_cache_victim until it says none. Only then ref_cache_join puts it in its order.
 */
int ref_cache_insert(struct ref_cache *c, int track, uint64_t sequence, bool arrives,
                     uint64_t now_ns, struct ref_pool_settle *out);
void ref_cache_join(struct ref_cache *c, int group);
void ref_cache_take(struct ref_cache *c, int track, uint64_t sequence);
void ref_cache_finish(struct ref_cache *c, int track, uint64_t boundary);
/*
 * Bytes were written to a live group, whose bill is up to date; what it grew by counts when it is
 * more. True when the track settles now, as above. Then ref_cache_expire.
 */
bool ref_cache_wrote(struct ref_cache *c, int group, uint64_t bytes, uint64_t now_ns,
                     struct ref_pool_settle *out);
/* The next group that a settle evicts; it is gone then. */
int ref_cache_victim(struct ref_cache *c, struct ref_pool_settle *s);
/* Looks at the ages of a few groups; those that expired, at most REF_CACHE_LOOKS, are gone. */
size_t ref_cache_expire(struct ref_cache *c, int track, uint64_t now_ns, int out[REF_CACHE_LOOKS]);
void ref_cache_fetched(struct ref_cache *c, int group, uint64_t now_ns);
/* The group is absent from now on: it was aborted. Or nobody holds it any more. */
void ref_cache_gone(struct ref_cache *c, int group);

/* ---- what there is, counted anew each time */

uint64_t ref_cache_live(const struct ref_cache *c, int track);
/* The live group with the highest sequence; REF_POOL_NONE when there is none. */
int ref_cache_latest(const struct ref_cache *c, int track);
/* The live group with the lowest sequence above `sequence`, or at it too. */
int ref_cache_above(const struct ref_cache *c, int track, uint64_t sequence, bool at_or_above);
/* The live group with the lowest arrival number at or past `arrival`. */
int ref_cache_arrival(const struct ref_cache *c, int track, uint64_t arrival);

#endif
