/*
 * pool.h: what a cache bills and whom it evicts. A pool is shared by the tracks of a process;
 * each group is an entry. No callbacks: settling names victims, their owner aborts them.
 *
 *   used      256 a group + segments with headers + log capacity, of all live groups; exactly 0
 *             when all are gone
 *   clock     ticks of 100 ms; an insertion stamps the tick, a write +1, a fetch +2
 *   mean      of the last access over evictable entries
 *   debt      of a track: what its writes still have to repay
 *
 * A track settles once it wrote 256 KiB since the last time, and at each new group. Settling with
 * used <= capacity forgets the debt. Else it grows by written * used / capacity (saturating),
 * doubled when the oldest evictable access is at or below the mean, at most to `used`; payment per
 * settle is at most 2 * written, but one victim may overshoot. At most 4 live candidates are looked
 * at, from the front of the track's order; a protected one (the track's latest, or accessed after
 * the mean) goes to the back; a victim larger than the debt waits, and the debt carries on.
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
#define WB_POOL_NO_LIMIT UINT64_MAX

/* Open on purpose: lives where the tracks of a process live. */
struct wb_pool {
    uint64_t capacity;
    uint64_t used;
    uint64_t entries;
    uint64_t access_sum, access_count; /* over evictable entries */
    uint64_t looks;                    /* counted: candidates looked at, ever */
};

/* Part of a group. */
struct wb_pool_entry {
    struct wb_pool *pool; /* NULL: not billed */
    uint64_t billed;
    uint64_t access;                   /* tick */
    bool evictable;                    /* counted in the mean: superseded, and live */
    struct wb_pool_entry *prev, *next; /* its track's order; NULL when not in one */
};

/* A track's part: its order of candidates and its debt. */
struct wb_pool_account {
    struct wb_pool *pool;
    struct wb_pool_entry *front, *back;
    uint64_t written; /* since the last settle */
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
/* What a settle adds to a debt for `written` bytes: saturating, 0 while used <= capacity. */
uint64_t wb_pool_accrue(const struct wb_pool *p, uint64_t written);

/* Bills `overhead` for a new entry. `pool` may be NULL: then nothing is ever billed. */
void wb_pool_entry_init(struct wb_pool_entry *e, struct wb_pool *pool, uint64_t overhead);
void wb_pool_charge(struct wb_pool_entry *e, uint64_t bytes);
void wb_pool_refund(struct wb_pool_entry *e, uint64_t bytes);
/* Last access; keeps the mean. Never goes back. */
void wb_pool_stamp(struct wb_pool_entry *e, uint64_t tick);
/* Superseded: may be evicted from now on. Twice counts once. */
void wb_pool_demote(struct wb_pool_entry *e);
/* Gives all back, leaves mean and order. Twice is harmless. */
void wb_pool_clear(struct wb_pool_entry *e);

void wb_pool_account_init(struct wb_pool_account *a, struct wb_pool *pool);
void wb_pool_account_add(struct wb_pool_account *a, struct wb_pool_entry *e);
void wb_pool_account_remove(struct wb_pool_account *a, struct wb_pool_entry *e);
/* A write of `bytes`; true when it is time to settle. */
bool wb_pool_wrote(struct wb_pool_account *a, uint64_t bytes);

/* One settle under way. Open on purpose. */
struct wb_pool_settle {
    struct wb_pool_account *account;
    uint64_t budget; /* payment still allowed */
    unsigned looks;
};
void wb_pool_settle_begin(struct wb_pool_settle *s, struct wb_pool_account *a);
/*
 * The next victim, still billed and in order, or NULL when the settle is over. Its owner must evict
 * it (which clears it) before asking again; what it gave back pays debt and budget.
 */
struct wb_pool_entry *wb_pool_settle_next(struct wb_pool_settle *s);
/* Walks the account; the pool's sums are checked by the model. */
void wb_pool_account_check(const struct wb_pool_account *a);

#endif
