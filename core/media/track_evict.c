/*
 * track_evict.c: what a write costs others: groups that the pool wants back, and groups too old.
 */
#include "core/media/track_own.h"

void wb_track_touch(struct wb_group *g, uint64_t now_ns, unsigned above)
{
    wb_pool_stamp(&g->entry, now_ns / WB_POOL_TICK_NS + above);
    if (now_ns > g->slot.touched_ns)
        g->slot.touched_ns = now_ns;
}

void wb_track_settle(struct wb_track *t)
{
    struct wb_pool_settle settle;
    struct wb_pool_entry *victim;

    wb_pool_settle_begin(&settle, &t->account);
    while ((victim = wb_pool_settle_next(&settle)) != NULL)
        wb_group_abort(wb_group_of_entry(victim), WB_E_EVICTED);
}

static bool is_too_old(const struct wb_track *t, const struct wb_slot *slot, uint64_t now_ns)
{
    return slot != t->slots.latest && now_ns > slot->touched_ns &&
           now_ns - slot->touched_ns > t->config.max_age_ns;
}

static void expire(struct wb_track *t, uint64_t now_ns)
{
    uint64_t looks = t->slots.live < WB_TRACK_LOOKS ? t->slots.live : WB_TRACK_LOOKS;
    struct wb_slot *slot = wb_slots_from(&t->slots, t->next_look);

    while (looks-- > 0) {
        struct wb_slot *next;

        if (slot == NULL)
            slot = wb_slots_from(&t->slots, 0);
        next = wb_slots_after(slot);
        t->next_look = slot->sequence == UINT64_MAX ? 0 : slot->sequence + 1;
        if (is_too_old(t, slot, now_ns))
            wb_group_abort(wb_group_of_slot(slot), WB_E_OLD);
        slot = next;
    }
}

/* What the group's bill grew by since the last time. */
static uint64_t growth(struct wb_group *g)
{
    uint64_t before = g->told;

    g->told = g->entry.billed;
    return g->told > before ? g->told - before : 0;
}

void wb_track_wrote(struct wb_track *t, struct wb_group *g, uint64_t bytes, uint64_t now_ns)
{
    uint64_t grown;
    bool is_due;

    if (g->slot.home != &t->slots)
        return;
    grown = growth(g);
    is_due = wb_pool_wrote(&t->account, bytes > grown ? bytes : grown);
    wb_track_touch(g, now_ns, WB_TRACK_WROTE);
    if (is_due)
        wb_track_settle(t);
    if (t->config.max_age_ns != WB_TRACK_NO_AGE)
        expire(t, now_ns);
}
