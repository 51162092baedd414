/*
 * pool.h: what a cache bills and whom it evicts. A pool is shared by the tracks of a process;
 * each group is an entry. No callbacks: settling names victims, their owner aborts them.
 *
 *   used      what group.h bills, of all live groups; exactly 0 when all are gone
 *   clock     ticks of 100 ms; an insertion stamps the tick, a write +1, a fetch +2
 *   mean      of the last access over evictable entries
 *   debt      of a track: what its writes still have to repay
 *
 * What a track wrote is its caller's to say (track.h). It settles once that came to 256 KiB since
 * the last time, and at each new group. Settling with
 * used <= capacity forgets the debt. Else it grows by written * used / capacity, which is doubled
 * when the first evictable entry in the track's order was accessed at or before the mean; then the
 * debt is cut to `used`. Every settle sets written to 0.
 *
 * Then, while there is debt, payment left (2 * written at first) and looks left (4), the front of
 * the track's order is looked at: a protected one (the track's latest, or accessed after the mean
 * as it is at that look) goes to the back; one billed more than the debt ends the settle, stays in
 * front, and the debt carries on; any other is the victim, paid for with what it is billed, and the
 * last one may overshoot the payment left.
 *
 * Source: moq-lite, track cache and pool.
 */
#ifndef WB_POOL_H
#define WB_POOL_H

#include "core/base/err.h"
#include "core/base/mem.h"

#define WB_POOL_TICK_NS  UINT64_C(100000000)
#define WB_POOL_SETTLE   ((uint64_t)256 << 10)
#define WB_POOL_LOOKS    4u
#define WB_POOL_TICK_MAX ((UINT64_C(1) << 38) - 1)
#define WB_POOL_NO_LIMIT UINT64_MAX

/* Open on purpose: lives where the tracks of a process live. */
struct wb_pool {
    uint64_t capacity;
    uint64_t used;
    uint64_t entries;
    uint64_t access_sum, access_count; /* over evictable entries */
    uint64_t looks;                    /* counted: candidates looked at, ever */
};

/* A ring, so that an entry leaves it without knowing the account. */
struct wb_pool_link {
    struct wb_pool_link *prev, *next;
};

/* Part of a group. */
struct wb_pool_entry {
    struct wb_pool *pool; /* NULL: not billed, or cleared */
    uint64_t billed;
    uint64_t access;          /* tick */
    bool evictable;           /* counted in the mean: superseded, and live */
    struct wb_pool_link link; /* in its track's order; NULL when not in one */
};

/* A track's part: its order of candidates and its debt. */
struct wb_pool_account {
    struct wb_pool *pool;
    struct wb_pool_link order; /* the ring's anchor: next is the front; it does not move */
    uint64_t written;          /* since the last settle */
    uint64_t debt;
};

void wb_pool_init(struct wb_pool *p, uint64_t capacity);
/* Asserts used == 0 and no entry. */
void wb_pool_fini(struct wb_pool *p);
void wb_pool_resize(struct wb_pool *p, uint64_t capacity);
static inline uint64_t wb_pool_used(const struct wb_pool *p)
{
    return p->used;
}
/* Mean access of evictable entries, rounded down; false when there is none. */
bool wb_pool_mean(const struct wb_pool *p, uint64_t *out);
/*
 * What a settle adds to a debt for `written` bytes, not doubled: 0 while used <= capacity. Exact,
 * rounded down, and at most 2^64-1, as with capacity 0 for any byte.
 */
uint64_t wb_pool_accrue(const struct wb_pool *p, uint64_t written);

/* Bills `overhead` for a new entry. `pool` may be NULL: then nothing is ever billed. */
void wb_pool_entry_init(struct wb_pool_entry *e, struct wb_pool *pool, uint64_t overhead);
/* Asserts that the sum fits. Harmless on a cleared entry, and refund too. */
void wb_pool_charge(struct wb_pool_entry *e, uint64_t bytes);
void wb_pool_refund(struct wb_pool_entry *e, uint64_t bytes);
/*
 * Last access; keeps the mean. Never goes back. Ticks count up to WB_POOL_TICK_MAX, which is past
 * what 64 bits of nanoseconds reach, so that a sum of 2^26 of them fits.
 */
void wb_pool_stamp(struct wb_pool_entry *e, uint64_t tick);
/* Superseded: may be evicted from now on. Twice counts once. */
void wb_pool_demote(struct wb_pool_entry *e);
/* The track's latest again, because the one above it went: out of the mean. Twice counts once. */
void wb_pool_promote(struct wb_pool_entry *e);
/* Gives all back, and takes it out of the mean and the order. Twice is harmless. */
void wb_pool_clear(struct wb_pool_entry *e);

void wb_pool_account_init(struct wb_pool_account *a, struct wb_pool *pool);
/* At the back of the order. The entry stays where it is in memory. */
void wb_pool_account_add(struct wb_pool_account *a, struct wb_pool_entry *e);
/* Out of the order and the mean, still billed: the track went and somebody else holds the group. */
void wb_pool_account_remove(struct wb_pool_account *a, struct wb_pool_entry *e);
/* A write of `bytes`, saturating; true when it is time to settle; never without a pool. */
bool wb_pool_wrote(struct wb_pool_account *a, uint64_t bytes);

/* One settle under way. Open on purpose. */
struct wb_pool_settle {
    struct wb_pool_account *account;
    uint64_t budget; /* payment still allowed */
    unsigned looks;
};
void wb_pool_settle_begin(struct wb_pool_settle *s, struct wb_pool_account *a);
/*
 * The next victim, still billed and in order, or NULL when the settle is over. What it is billed
 * has been paid then; its owner must evict it (which clears it) before asking again.
 */
struct wb_pool_entry *wb_pool_settle_next(struct wb_pool_settle *s);
/* Walks the account; the pool's sums are checked by the model. */
void wb_pool_account_check(const struct wb_pool_account *a);

#endif
