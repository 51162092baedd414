/*
 * track.c: groups made, found and walked; track_evict.c decides which of them go.
 */
#include "core/media/track.h"

#include "core/media/track_own.h"

enum wb_err wb_track_new(struct wb_mem *mem, const struct wb_track_config *config,
                         struct wb_track **out)
{
    struct wb_track *t = wb_mem_take(mem, sizeof(*t));

    if (t == NULL)
        return WB_E_NOMEM;
    *t = (struct wb_track){.mem = mem, .config = *config, .references = 1};
    if (config->group == NULL)
        t->config.group = &wb_group_limits_default;
    wb_slots_init(&t->slots);
    wb_pool_account_init(&t->account, config->pool);
    *out = t;
    return WB_OK;
}

struct wb_track *wb_track_share(struct wb_track *t)
{
    WB_ASSERT(t->references > 0);
    t->references++;
    return t;
}

/* Any live group; NULL when none. */
static struct wb_group *any(const struct wb_track *t)
{
    return wb_track_above(t, 0, true);
}

void wb_track_drop(struct wb_track *t)
{
    struct wb_group *g;

    WB_ASSERT(t->references > 0);
    if (--t->references > 0)
        return;
    while ((g = any(t)) != NULL) {
        wb_slots_remove(&g->slot);
        wb_pool_account_remove(&t->account, &g->entry);
        wb_group_drop(g);
    }
    wb_pool_account_check(&t->account);
    wb_mem_give(t->mem, t, sizeof(*t));
}

/* ---- creation -------------------------------------------------------------------------------- */

static void use(struct wb_track *t, uint64_t sequence)
{
    if (!t->is_used || sequence > t->highest)
        t->highest = sequence;
    t->is_used = true;
}

/* What refuses every number from `sequence` on. */
static enum wb_err refused(const struct wb_track *t, uint64_t sequence)
{
    if (t->is_finished && sequence >= t->boundary)
        return WB_E_FINISHED;
    return t->reason;
}

static enum wb_err create(struct wb_track *t, uint64_t sequence, uint64_t now_ns, bool arrives,
                          struct wb_group **out)
{
    struct wb_group *g;

    if (wb_slots_find(&t->slots, sequence) != NULL)
        return WB_E_DUPLICATE;
    WB_TRY(refused(t, sequence));
    WB_TRY(wb_group_new(t->mem, t->config.group, t->config.pool, sequence, &g));
    g->slot.arrival = arrives ? t->arrivals++ : WB_SLOT_NO_ARRIVAL;
    g->slot.touched_ns = now_ns;
    wb_pool_stamp(&g->entry, now_ns / WB_POOL_TICK_NS);
    use(t, sequence);
    wb_slots_insert(&t->slots, &wb_group_share(g)->slot);
    wb_pool_wrote(&t->account, WB_GROUP_OVERHEAD);
    wb_track_settle(t);
    wb_pool_account_add(&t->account, &g->entry);
    if (t->slots.latest != &g->slot)
        wb_pool_demote(&g->entry);
    *out = g;
    return WB_OK;
}

enum wb_err wb_track_create(struct wb_track *t, uint64_t sequence, uint64_t now_ns,
                            struct wb_group **out)
{
    return create(t, sequence, now_ns, true, out);
}

enum wb_err wb_track_append(struct wb_track *t, uint64_t now_ns, struct wb_group **out)
{
    if (t->is_used && t->highest == UINT64_MAX)
        return WB_E_BOUNDS;
    return create(t, t->is_used ? t->highest + 1 : 0, now_ns, true, out);
}

enum wb_err wb_track_backfill(struct wb_track *t, uint64_t sequence, uint64_t now_ns,
                              struct wb_group **out)
{
    return create(t, sequence, now_ns, false, out);
}

enum wb_err wb_track_take(struct wb_track *t, uint64_t sequence)
{
    WB_TRY(refused(t, sequence));
    use(t, sequence);
    return WB_OK;
}

/* ---- what there is --------------------------------------------------------------------------- */

static struct wb_group *group_or_null(struct wb_slot *slot)
{
    return slot == NULL ? NULL : wb_group_of_slot(slot);
}

struct wb_group *wb_track_fetch(struct wb_track *t, uint64_t sequence, uint64_t now_ns)
{
    struct wb_group *g = wb_track_peek(t, sequence);

    if (g == NULL)
        return NULL;
    wb_track_touch(g, now_ns, WB_TRACK_FETCHED);
    return wb_group_share(g);
}

struct wb_group *wb_track_peek(const struct wb_track *t, uint64_t sequence)
{
    return group_or_null(wb_slots_find(&t->slots, sequence));
}

bool wb_track_latest(const struct wb_track *t, uint64_t *out)
{
    if (t->slots.latest == NULL)
        return false;
    *out = t->slots.latest->sequence;
    return true;
}

struct wb_group *wb_track_above(const struct wb_track *t, uint64_t sequence, bool at_or_above)
{
    if (!at_or_above && sequence == UINT64_MAX)
        return NULL;
    return group_or_null(wb_slots_from(&t->slots, at_or_above ? sequence : sequence + 1));
}

struct wb_group *wb_track_arrival(const struct wb_track *t, uint64_t *arrival)
{
    struct wb_slot *slot = wb_slots_arrived(&t->slots, *arrival);

    if (slot != NULL)
        *arrival = slot->arrival;
    return group_or_null(slot);
}

uint64_t wb_track_arrivals(const struct wb_track *t)
{
    return t->arrivals;
}

uint64_t wb_track_live(const struct wb_track *t)
{
    return t->slots.live;
}

/* ---- ends ------------------------------------------------------------------------------------ */

static enum wb_err end_at(struct wb_track *t, uint64_t boundary)
{
    t->is_finished = true;
    t->boundary = boundary;
    return WB_OK;
}

enum wb_err wb_track_finish(struct wb_track *t)
{
    if (t->is_finished)
        return WB_E_FINISHED;
    WB_TRY(t->reason);
    if (!t->is_used)
        return end_at(t, 0);
    return end_at(t, t->highest == UINT64_MAX ? UINT64_MAX : t->highest + 1);
}

enum wb_err wb_track_finish_at(struct wb_track *t, uint64_t boundary)
{
    if (t->is_finished)
        return WB_E_FINISHED;
    WB_TRY(t->reason);
    if (t->is_used && t->highest >= boundary)
        return WB_E_BOUNDS;
    return end_at(t, boundary);
}

bool wb_track_finished(const struct wb_track *t, uint64_t *out_boundary)
{
    if (t->is_finished)
        *out_boundary = t->boundary;
    return t->is_finished;
}

void wb_track_abort(struct wb_track *t, enum wb_err reason)
{
    struct wb_group *g;

    WB_ASSERT(reason != WB_OK);
    if (t->reason != WB_OK)
        return;
    t->reason = reason;
    while ((g = any(t)) != NULL)
        wb_group_abort(g, reason);
}

void wb_track_check(const struct wb_track *t)
{
    uint64_t ordered = 0;

    WB_ASSERT(t->references > 0);
    wb_slots_check(&t->slots);
    wb_pool_account_check(&t->account);
    for (struct wb_pool_link *l = t->account.order.next; l != &t->account.order; l = l->next)
        ordered++;
    WB_ASSERT(ordered == t->slots.live);
    if (t->reason != WB_OK)
        WB_ASSERT(t->slots.live == 0);
    if (t->slots.latest == NULL)
        return;
    WB_ASSERT(t->is_used);
    WB_ASSERT(t->slots.latest->sequence <= t->highest);
    /* At 2^64-1 the boundary cannot say one more. */
    if (t->is_finished && t->boundary < UINT64_MAX)
        WB_ASSERT(t->slots.latest->sequence < t->boundary);
}
