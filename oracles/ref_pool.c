/*
 * ref_pool.c: moq-lite 3.4, sentence by sentence, with exact products.
 */
#include "oracles/ref_pool.h"

void ref_pool_init(struct ref_pool *p, uint64_t capacity)
{
    p->capacity = capacity;
    p->next_place = 0;
    p->count = 0;
    for (int i = 0; i < REF_POOL_ACCOUNTS; i++)
        p->accounts[i] = (struct ref_pool_account){0};
}

int ref_pool_add(struct ref_pool *p, uint64_t overhead)
{
    size_t i = 0;

    while (i < p->count && p->entries[i].live)
        i++;
    if (i == REF_POOL_ENTRIES)
        return REF_POOL_NONE;
    if (i == p->count)
        p->count++;
    p->entries[i] =
        (struct ref_pool_entry){.live = true, .account = REF_POOL_NONE, .billed = overhead};
    return (int)i;
}

void ref_pool_enter(struct ref_pool *p, int entry, int account)
{
    p->entries[entry].account = account;
    p->entries[entry].place = p->next_place++;
}

void ref_pool_leave(struct ref_pool *p, int entry)
{
    p->entries[entry].account = REF_POOL_NONE;
}

void ref_pool_stamp(struct ref_pool *p, int entry, uint64_t tick)
{
    if (tick > REF_POOL_TICK_MAX)
        tick = REF_POOL_TICK_MAX;
    if (tick > p->entries[entry].access)
        p->entries[entry].access = tick;
}

void ref_pool_clear(struct ref_pool *p, int entry)
{
    p->entries[entry].live = false;
    p->entries[entry].evictable = false;
    p->entries[entry].billed = 0;
    p->entries[entry].account = REF_POOL_NONE;
}

uint64_t ref_pool_used(const struct ref_pool *p)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < p->count; i++)
        sum += p->entries[i].billed;
    return sum;
}

uint64_t ref_pool_live(const struct ref_pool *p)
{
    uint64_t n = 0;

    for (size_t i = 0; i < p->count; i++)
        n += p->entries[i].live;
    return n;
}

bool ref_pool_sum(const struct ref_pool *p, uint64_t *out_sum, uint64_t *out_count)
{
    *out_sum = *out_count = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (!p->entries[i].live || !p->entries[i].evictable)
            continue;
        *out_sum += p->entries[i].access;
        *out_count += 1;
    }
    return *out_count > 0;
}

bool ref_pool_mean(const struct ref_pool *p, uint64_t *out)
{
    uint64_t sum, count;

    if (!ref_pool_sum(p, &sum, &count))
        return false;
    *out = sum / count;
    return true;
}

/* written * used / capacity, as far as a number reaches; a pool that may hold nothing owes all. */
uint64_t ref_pool_accrue(const struct ref_pool *p, uint64_t written)
{
    uint64_t used = ref_pool_used(p);
    REF_POOL_WIDE owed = written;

    if (used <= p->capacity || written == 0)
        return 0;
    if (p->capacity == 0)
        return UINT64_MAX;
    owed = owed * used / p->capacity;
    return owed > UINT64_MAX ? UINT64_MAX : (uint64_t)owed;
}

int ref_pool_front(const struct ref_pool *p, int account)
{
    int front = REF_POOL_NONE;

    for (size_t i = 0; i < p->count; i++) {
        const struct ref_pool_entry *e = &p->entries[i];

        if (e->account == account && (front < 0 || e->place < p->entries[front].place))
            front = (int)i;
    }
    return front;
}

bool ref_pool_wrote(struct ref_pool *p, int account, uint64_t bytes)
{
    struct ref_pool_account *a = &p->accounts[account];

    a->written = bytes > UINT64_MAX - a->written ? UINT64_MAX : a->written + bytes;
    return a->written >= REF_POOL_SETTLE;
}

/* The first evictable entry of the account's order was accessed at or before the mean. */
static bool is_stale(const struct ref_pool *p, int account)
{
    const struct ref_pool_entry *first = NULL;
    uint64_t mean;

    for (size_t i = 0; i < p->count; i++) {
        const struct ref_pool_entry *e = &p->entries[i];

        if (e->account == account && e->evictable && (first == NULL || e->place < first->place))
            first = e;
    }
    return first != NULL && ref_pool_mean(p, &mean) && first->access <= mean;
}

void ref_pool_settle_begin(struct ref_pool *p, struct ref_pool_settle *s, int account)
{
    struct ref_pool_account *a = &p->accounts[account];
    uint64_t used = ref_pool_used(p);
    REF_POOL_WIDE debt = ref_pool_accrue(p, a->written);

    *s = (struct ref_pool_settle){.account = account};
    s->budget = a->written > UINT64_MAX / 2 ? UINT64_MAX : 2 * a->written;
    a->written = 0;
    if (used <= p->capacity) {
        a->debt = 0;
        s->over = true;
        return;
    }
    if (is_stale(p, account))
        debt *= 2;
    debt += a->debt;
    a->debt = debt > used ? used : (uint64_t)debt;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

int ref_pool_settle_next(struct ref_pool *p, struct ref_pool_settle *s)
{
    struct ref_pool_account *a = &p->accounts[s->account];

    while (!s->over && s->budget > 0 && a->debt > 0 && s->looks < REF_POOL_LOOKS) {
        int front = ref_pool_front(p, s->account);
        const struct ref_pool_entry *e = p->entries + (front < 0 ? 0 : front);
        uint64_t mean = 0, billed;

        if (front < 0)
            break;
        s->looks++;
        if (!ref_pool_mean(p, &mean) || !e->evictable || e->access > mean) {
            ref_pool_enter(p, front, s->account);
            continue;
        }
        if (e->billed > a->debt)
            break;
        billed = e->billed;
        ref_pool_clear(p, front);
        a->debt = less(a->debt, billed);
        s->budget = less(s->budget, billed);
        return front;
    }
    s->over = true;
    return REF_POOL_NONE;
}
