/*
 * ref_pool.h: billing and eviction as moq-lite 3.4 tells them, over plain arrays: every sum is
 * taken anew, every product is exact. Entries are named by their place in the array.
 */
#ifndef REF_POOL_H
#define REF_POOL_H

#include "core/base/base.h"

#define REF_POOL_ENTRIES  256
#define REF_POOL_ACCOUNTS 4
#define REF_POOL_LOOKS    4
#define REF_POOL_SETTLE   ((uint64_t)256 << 10)
#define REF_POOL_TICK_MAX ((UINT64_C(1) << 38) - 1)
/* Exact products: before a declaration, never in a cast. */
#define REF_POOL_WIDE __extension__ unsigned __int128
#define REF_POOL_NONE (-1)

struct ref_pool_entry {
    bool live;
    bool evictable; /* superseded */
    int account;    /* REF_POOL_NONE: in no order */
    uint64_t place; /* in its account's order: lower is nearer to the front */
    uint64_t billed, access;
};

struct ref_pool_account {
    uint64_t written, debt;
};

struct ref_pool {
    uint64_t capacity;
    uint64_t next_place;
    size_t count; /* entries in use, live or not */
    struct ref_pool_entry entries[REF_POOL_ENTRIES];
    struct ref_pool_account accounts[REF_POOL_ACCOUNTS];
};

/* One settle under way. */
struct ref_pool_settle {
    int account;
    uint64_t budget;
    unsigned looks;
    bool over; /* nothing more is evicted */
};

void ref_pool_init(struct ref_pool *p, uint64_t capacity);
/* A live entry that bills `overhead`; its place, or REF_POOL_NONE when the model is full. */
int ref_pool_add(struct ref_pool *p, uint64_t overhead);
/* Puts a live entry at the back of an account's order. */
void ref_pool_enter(struct ref_pool *p, int entry, int account);
void ref_pool_leave(struct ref_pool *p, int entry);
/* Access never goes back, and ticks end somewhere. */
void ref_pool_stamp(struct ref_pool *p, int entry, uint64_t tick);
/* Gives all back and leaves mean and order. */
void ref_pool_clear(struct ref_pool *p, int entry);

uint64_t ref_pool_used(const struct ref_pool *p);
uint64_t ref_pool_live(const struct ref_pool *p);
/* Over live evictable entries; false when there is none. */
bool ref_pool_sum(const struct ref_pool *p, uint64_t *out_sum, uint64_t *out_count);
bool ref_pool_mean(const struct ref_pool *p, uint64_t *out);
uint64_t ref_pool_accrue(const struct ref_pool *p, uint64_t written);
/* The entry at the front of the account's order; REF_POOL_NONE when it is empty. */
int ref_pool_front(const struct ref_pool *p, int account);
/* True when it is time to settle. */
bool ref_pool_wrote(struct ref_pool *p, int account, uint64_t bytes);

void ref_pool_settle_begin(struct ref_pool *p, struct ref_pool_settle *s, int account);
/* The next victim, which is cleared and paid here; REF_POOL_NONE when the settle is over. */
int ref_pool_settle_next(struct ref_pool *p, struct ref_pool_settle *s);

#endif
