/*
 * pool.c: sums over entries, and a track's debt.
 */
#include "core/media/pool.h"

static uint64_t add_saturating(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t at_most(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* floor(a * b / c), at most 2^64-1, when the product needs more than 64 bits: one bit of a a step.
 */
static uint64_t scale_wide(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t whole = b / c, part = b % c; /* b = whole * c + part */
    uint64_t quotient = 0, rest = 0;      /* bits so far * b = quotient * c + rest */

    for (unsigned bit = 64; bit-- > 0;) {
        uint64_t carry = rest >= c - rest;

        rest = carry ? rest - (c - rest) : rest + rest;
        quotient = add_saturating(add_saturating(quotient, quotient), carry);
        if ((a >> bit & 1) == 0)
            continue;
        carry = rest >= c - part;
        rest = carry ? rest - (c - part) : rest + part;
        quotient = add_saturating(add_saturating(quotient, whole), carry);
    }
    return quotient;
}

static uint64_t scale(uint64_t a, uint64_t b, uint64_t c)
{
    if (a == 0 || b == 0)
        return 0;
    if (c == 0)
        return UINT64_MAX;
    return a <= UINT64_MAX / b ? a * b / c : scale_wide(a, b, c);
}

void wb_pool_init(struct wb_pool *p, uint64_t capacity)
{
    *p = (struct wb_pool){.capacity = capacity};
}

void wb_pool_fini(struct wb_pool *p)
{
    WB_ASSERT(p->used == 0);
    WB_ASSERT(p->entries == 0);
    WB_ASSERT(p->access_count == 0);
    WB_ASSERT(p->access_sum == 0);
}

void wb_pool_resize(struct wb_pool *p, uint64_t capacity)
{
    p->capacity = capacity;
}

bool wb_pool_mean(const struct wb_pool *p, uint64_t *out)
{
    if (p->access_count == 0)
        return false;
    *out = p->access_sum / p->access_count;
    return true;
}

uint64_t wb_pool_accrue(const struct wb_pool *p, uint64_t written)
{
    return p->used <= p->capacity ? 0 : scale(written, p->used, p->capacity);
}

/* ---- entries --------------------------------------------------------------------------------- */

void wb_pool_entry_init(struct wb_pool_entry *e, struct wb_pool *pool, uint64_t overhead)
{
    *e = (struct wb_pool_entry){.pool = pool};
    if (pool == NULL)
        return;
    pool->entries++;
    wb_pool_charge(e, overhead);
}

void wb_pool_charge(struct wb_pool_entry *e, uint64_t bytes)
{
    if (e->pool == NULL)
        return;
    WB_ASSERT(bytes <= UINT64_MAX - e->pool->used);
    e->pool->used += bytes;
    e->billed += bytes;
}

void wb_pool_refund(struct wb_pool_entry *e, uint64_t bytes)
{
    if (e->pool == NULL)
        return;
    WB_ASSERT(bytes <= e->billed);
    WB_ASSERT(e->billed <= e->pool->used);
    e->pool->used -= bytes;
    e->billed -= bytes;
}

void wb_pool_stamp(struct wb_pool_entry *e, uint64_t tick)
{
    tick = at_most(tick, WB_POOL_TICK_MAX);
    if (tick <= e->access)
        return;
    if (e->evictable && e->pool != NULL)
        e->pool->access_sum += tick - e->access;
    e->access = tick;
}

void wb_pool_demote(struct wb_pool_entry *e)
{
    if (e->evictable)
        return;
    e->evictable = true;
    if (e->pool == NULL)
        return;
    e->pool->access_sum += e->access;
    e->pool->access_count++;
}

void wb_pool_promote(struct wb_pool_entry *e)
{
    if (!e->evictable)
        return;
    e->evictable = false;
    if (e->pool == NULL)
        return;
    WB_ASSERT(e->pool->access_count > 0);
    WB_ASSERT(e->pool->access_sum >= e->access);
    e->pool->access_sum -= e->access;
    e->pool->access_count--;
}

static void unlink_entry(struct wb_pool_entry *e)
{
    if (e->link.next == NULL)
        return;
    e->link.prev->next = e->link.next;
    e->link.next->prev = e->link.prev;
    e->link = (struct wb_pool_link){0};
}

void wb_pool_clear(struct wb_pool_entry *e)
{
    wb_pool_promote(e);
    unlink_entry(e);
    if (e->pool == NULL)
        return;
    wb_pool_refund(e, e->billed);
    WB_ASSERT(e->pool->entries > 0);
    e->pool->entries--;
    e->pool = NULL;
}

/* ---- the account of a track ------------------------------------------------------------------ */

static struct wb_pool_entry *entry_of(struct wb_pool_link *link)
{
    return (struct wb_pool_entry *)(void *)((char *)link - offsetof(struct wb_pool_entry, link));
}

static void push_back(struct wb_pool_account *a, struct wb_pool_entry *e)
{
    e->link = (struct wb_pool_link){.prev = a->order.prev, .next = &a->order};
    e->link.prev->next = &e->link;
    a->order.prev = &e->link;
}

void wb_pool_account_init(struct wb_pool_account *a, struct wb_pool *pool)
{
    *a = (struct wb_pool_account){.pool = pool};
    a->order = (struct wb_pool_link){.prev = &a->order, .next = &a->order};
}

void wb_pool_account_add(struct wb_pool_account *a, struct wb_pool_entry *e)
{
    WB_ASSERT(e->link.next == NULL);
    WB_ASSERT(e->pool == a->pool);
    push_back(a, e);
}

void wb_pool_account_remove(struct wb_pool_account *a, struct wb_pool_entry *e)
{
    WB_ASSERT(e->link.next != NULL);
    WB_ASSERT(e->pool == a->pool);
    wb_pool_promote(e);
    unlink_entry(e);
}

bool wb_pool_wrote(struct wb_pool_account *a, uint64_t bytes)
{
    if (a->pool == NULL)
        return false;
    a->written = add_saturating(a->written, bytes);
    return a->written >= WB_POOL_SETTLE;
}

/* All but a track's latest are evictable, so this ends at the second one. */
static bool first_is_old(const struct wb_pool_account *a)
{
    uint64_t mean;

    if (!wb_pool_mean(a->pool, &mean))
        return false;
    for (struct wb_pool_link *l = a->order.next; l != &a->order; l = l->next)
        if (entry_of(l)->evictable)
            return entry_of(l)->access <= mean;
    return false;
}

void wb_pool_settle_begin(struct wb_pool_settle *s, struct wb_pool_account *a)
{
    uint64_t written = a->written, more;

    *s = (struct wb_pool_settle){.account = a};
    a->written = 0;
    if (a->pool == NULL || a->pool->used <= a->pool->capacity) {
        a->debt = 0;
        return;
    }
    more = wb_pool_accrue(a->pool, written);
    if (first_is_old(a))
        more = add_saturating(more, more);
    a->debt = at_most(add_saturating(a->debt, more), a->pool->used);
    s->budget = add_saturating(written, written);
}

static bool is_protected(const struct wb_pool_entry *e)
{
    uint64_t mean;

    return !e->evictable || !wb_pool_mean(e->pool, &mean) || e->access > mean;
}

struct wb_pool_entry *wb_pool_settle_next(struct wb_pool_settle *s)
{
    struct wb_pool_account *a = s->account;

    while (a->debt > 0 && s->budget > 0 && s->looks < WB_POOL_LOOKS && a->order.next != &a->order) {
        struct wb_pool_entry *e = entry_of(a->order.next);

        s->looks++;
        a->pool->looks++;
        if (is_protected(e)) {
            unlink_entry(e);
            push_back(a, e);
            continue;
        }
        if (e->billed > a->debt)
            break;
        a->debt -= e->billed;
        s->budget -= at_most(e->billed, s->budget);
        return e;
    }
    s->budget = 0;
    return NULL;
}

void wb_pool_account_check(const struct wb_pool_account *a)
{
    const struct wb_pool_link *before = &a->order;

    do {
        struct wb_pool_link *l = before->next;

        WB_ASSERT(l != NULL);
        WB_ASSERT(l->prev == before);
        if (l != &a->order)
            WB_ASSERT(entry_of(l)->pool == a->pool);
        before = l;
    } while (before != &a->order);
    if (a->pool == NULL)
        WB_ASSERT(a->written == 0);
}
