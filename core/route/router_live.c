/*
 * router_live.c: which claims of a node are live: those of its next hop, and what is held or put
 * off while the next hop's floor is behind. Design note on routed announces; RFC 8966.
 */
#include "core/route/router_state.h"

/* ---- the next hop ---------------------------------------------------------------------------- */

static uint64_t metric_of(const struct wb_heard *h)
{
    return wb_rule_add(h->metric, h->neighbour->config.cost);
}

/* Its id; of an unknown one its number, past all ids. */
static uint64_t name_of(const struct wb_neighbour *n)
{
    return n->config.peer != 0 ? n->config.peer : WB_NODE_MAX + n->number;
}

static bool better(const struct wb_heard *a, const struct wb_heard *b)
{
    return b == NULL || wb_rule_better(a->node->id, metric_of(a), name_of(a->neighbour),
                                       metric_of(b), name_of(b->neighbour));
}

static struct wb_heard *best_heard(const struct wb_node *node, bool feasible,
                                   const struct wb_neighbour *besides)
{
    struct wb_heard *h, *best = NULL;

    TAILQ_FOREACH(h, &node->heard, in_node)
    {
        if (h->neighbour != besides &&
            (!feasible || wb_rule_feasible(&node->fd, h->seqno, h->metric)) && better(h, best))
            best = h;
    }
    return best;
}

struct wb_heard *wb_node_way(const struct wb_node *node, const struct wb_neighbour *besides)
{
    struct wb_heard *h = best_heard(node, true, besides);

    return h != NULL ? h : best_heard(node, false, besides);
}

/* May its floor be one from before an END that another told, and that counts? */
static bool is_before_end(const struct wb_heard *h)
{
    const struct wb_heard *other;

    if (h->node->ending == 0)
        return false;
    TAILQ_FOREACH(other, &h->node->heard, in_node)
    {
        if (other != h && other->ended_at >= h->floor && other->ended_at > 0)
            return true;
    }
    return false;
}

/* Its set is what the origin held at a revision that we have reached already, or it is all new. */
static bool is_authority(const struct wb_heard *h)
{
    return h->floor >= h->node->highest && !is_before_end(h);
}

static void set_ended_at(struct wb_heard *h, uint64_t floor)
{
    h->node->ending += floor > 0;
    h->node->ending -= h->ended_at > 0;
    h->ended_at = floor;
}

bool wb_node_route(const struct wb_router *r, const struct wb_node *node,
                   struct wb_route_state *out)
{
    const struct wb_heard *h = node->next_hop;
    struct wb_route_state state = {.node = node->id};

    if (node->own) {
        state.seqno = r->seqno;
        state.floor = r->revision;
        *out = state;
        return true;
    }
    if (h == NULL)
        return false;
    state.seqno = h->seqno;
    state.metric = metric_of(h);
    state.from_upstream = h->neighbour->config.kind == WB_LINK_UPSTREAM;
    state.flags = h->flags;
    if (state.from_upstream)
        state.flags |= WB_ROUTED_DOWN_ONLY;
    /* What is held or put off is a difference to what the next hop vouches for. */
    if (is_authority(h) && node->held == 0 && TAILQ_EMPTY(&node->deferred))
        state.floor = h->floor;
    *out = state;
    return true;
}

/* ---- one claim ------------------------------------------------------------------------------- */

static void put_off(struct wb_node *node, struct wb_stored *s, bool off)
{
    if (off && !s->deferred)
        TAILQ_INSERT_TAIL(&node->deferred, s, in_deferred);
    else if (!off && s->deferred)
        TAILQ_REMOVE(&node->deferred, s, in_deferred);
    s->deferred = off;
    s->renewed &= off;
}

static void set_held(struct wb_node *node, struct wb_node_claim *c, bool held)
{
    node->held += held;
    node->held -= c->held;
    c->held = held;
}

static void set_dead(struct wb_router *r, struct wb_node *node, struct wb_node_claim *c)
{
    set_held(node, c, false);
    node->live--;
    c->candidate.live = false;
    wb_show_claim(r, c, false);
    wb_node_claim_release(r, c);
}

static bool same_epoch(const struct wb_epoch *a, const struct wb_epoch *b)
{
    return a->some && b->some &&
           wb_view_equal(wb_view_of(a->bytes, sizeof(a->bytes)),
                         wb_view_of(b->bytes, sizeof(b->bytes)));
}

void wb_stored_ended_by(struct wb_stored *s, struct wb_heard *by)
{
    if (s->ended_by != NULL)
        TAILQ_REMOVE(&s->ended_by->ends, s, in_ends);
    s->ended_by = by;
    if (by != NULL)
        TAILQ_INSERT_TAIL(&by->ends, s, in_ends);
}

/* It is live: nobody's is known to have ended. */
static void unmark(struct wb_node *node, struct wb_node_claim *c)
{
    struct wb_heard *h;

    if (!c->marked)
        return;
    c->marked = false;
    TAILQ_FOREACH(h, &node->heard, in_node)
    {
        struct wb_stored *s = wb_stored_find(h, c->candidate.place->path.view);

        if (s == NULL)
            continue;
        s->ended = false;
        wb_stored_ended_by(s, NULL);
    }
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/*
 * It ended, so others that still store it are behind: theirs counts again from a floor past all at
 * which it was still there; past the largest there is none. `proven`: its floor lacks it, and no
 * ROUTE_END takes that back. Else the END is past the floor that vouched for the claim, whoever
 * tells anew what was there at it.
 */
static void mark_ended(struct wb_node *node, struct wb_heard *by, struct wb_node_claim *c,
                       bool proven)
{
    struct wb_view path = c->candidate.place->path.view;
    struct wb_heard *h;

    if (!proven && by->floor >= node->highest)
        set_ended_at(by, by->floor);
    TAILQ_FOREACH(h, &node->heard, in_node)
    {
        struct wb_stored *s = h == by ? NULL : wb_stored_find(h, path);

        if (s == NULL)
            continue;
        c->marked = s->ended = true;
        s->past = proven ? by->floor : most(most(node->highest, by->floor), h->highest);
        wb_stored_ended_by(s, proven ? NULL : by);
    }
}

/* The next hop's claim is the live one; `fresh` when its content may be another. */
static void set_live(struct wb_router *r, struct wb_node *node, struct wb_stored *s, bool fresh)
{
    struct wb_candidate *c = &s->claim->candidate;
    bool was = c->live;
    bool differs = !was || fresh || c->cost != s->cost || !same_epoch(&c->epoch, &s->epoch);

    put_off(node, s, false);
    unmark(node, s->claim);
    set_held(node, s->claim, false);
    node->live += !was;
    c->live = true;
    fresh |= was && s->epoch.some != c->epoch.some;
    c->epoch = s->epoch;
    c->cost = s->cost;
    if (differs)
        wb_show_claim(r, s->claim, fresh && was);
}

/* Its floor is lower than what is known to be: what it lacks may be there, and the reverse. */
static bool is_behind(const struct wb_heard *h)
{
    return !is_authority(h) && !(h->floor_told && h->floor == 0);
}

/* May what the next hop stores be live now? */
static bool may_live(const struct wb_heard *h, const struct wb_stored *s)
{
    return !is_behind(h) && (!s->ended || h->highest > s->past);
}

/* ---- the set of a new next hop --------------------------------------------------------------- */

static void adopt_stored(struct wb_router *r, struct wb_heard *h)
{
    struct wb_stored *s;

    RB_FOREACH(s, wb_storeds, &h->stored)
    {
        if (may_live(h, s)) {
            set_live(r, h->node, s, false);
            continue;
        }
        put_off(h->node, s, true);
        set_held(h->node, s->claim, false);
    }
}

/* Live claims that the next hop lacks: ended when it can vouch for that, else held. */
static void review_live(struct wb_router *r, struct wb_node *node)
{
    bool authority = node->next_hop != NULL && is_authority(node->next_hop) &&
                     (node->highest == 0 || node->next_hop->floor > 0);
    struct wb_node_claim *c, *next;

    for (c = RB_MIN(wb_node_claims, &node->claims); c != NULL; c = next) {
        struct wb_stored *s = NULL;

        next = RB_NEXT(wb_node_claims, &node->claims, c);
        if (!c->candidate.live)
            continue;
        if (node->next_hop != NULL)
            s = wb_stored_find(node->next_hop, c->candidate.place->path.view);
        if (s != NULL)
            continue;
        if (node->next_hop != NULL && !authority) {
            set_held(node, c, true);
            continue;
        }
        if (node->next_hop != NULL && node->next_hop->floor > 0)
            mark_ended(node, node->next_hop, c, !node->next_hop->ahead);
        set_dead(r, node, c);
    }
}

static void drop_deferred(struct wb_node *node)
{
    struct wb_stored *s;

    while ((s = TAILQ_FIRST(&node->deferred)) != NULL)
        put_off(node, s, false);
}

void wb_heard_ask(struct wb_heard *h, uint64_t seqno)
{
    if (h == NULL || seqno <= h->asked)
        return;
    h->asked = seqno;
    if (h->ask == 0)
        TAILQ_INSERT_TAIL(&h->neighbour->asks, h, in_asks);
    h->ask = seqno;
}

/* Each live claim is served by another neighbour now, or at another cost. */
static void show_places(struct wb_router *r, struct wb_node *node)
{
    struct wb_node_claim *c;

    node->metric = metric_of(node->next_hop);
    RB_FOREACH(c, wb_node_claims, &node->claims)
    {
        if (!c->candidate.live)
            continue;
        wb_candidate_rank(&c->candidate);
        wb_show_place(r, c->candidate.place, NULL);
    }
}

/* None of the nodes of an id has a feasible route: a newer one is asked for, wherever it is told.
 */
static void ask_starved(struct wb_router *r, uint64_t id)
{
    struct wb_node *node, *first = wb_node_first(r, id);

    for (node = first; node != NULL; node = wb_node_next(node))
        if (node->next_hop != NULL)
            return;
    for (node = first; node != NULL; node = wb_node_next(node))
        if (node->fd.some && node->fd.seqno < UINT64_MAX)
            wb_heard_ask(wb_node_way(node, NULL), node->fd.seqno + 1);
}

void wb_node_select(struct wb_router *r, struct wb_node *node)
{
    struct wb_heard *best = best_heard(node, true, NULL), *old = node->next_hop;

    node->next_hop = best;
    if (best == NULL)
        ask_starved(r, node->id);
    if (best == old) {
        if (best != NULL)
            wb_show_route(r, node);
        if (best != NULL && node->metric != metric_of(best))
            show_places(r, node);
        return;
    }
    drop_deferred(node);
    if (best == NULL) {
        review_live(r, node);
        wb_show_ids(r, node->id);
        return;
    }
    wb_show_ids(r, node->id);
    wb_show_route(r, node);
    adopt_stored(r, best);
    review_live(r, node);
    if (best->floor > node->highest)
        node->highest = best->floor;
    wb_show_route(r, node);
    show_places(r, node);
}

void wb_node_sent(struct wb_router *r, uint64_t id, uint64_t seqno, uint64_t metric)
{
    struct wb_node *node;

    for (node = wb_node_first(r, id); node != NULL; node = wb_node_next(node)) {
        const struct wb_heard *h = node->next_hop;

        wb_rule_sent(&node->fd, seqno, metric);
        if (h != NULL && !wb_rule_feasible(&node->fd, h->seqno, h->metric))
            wb_node_select(r, node);
    }
}

/* ---- what the neighbours tell ---------------------------------------------------------------- */

void wb_node_started(struct wb_router *r, struct wb_heard *h, struct wb_stored *s, bool restarted)
{
    struct wb_node *node = h->node;

    if (node->next_hop != h)
        return;
    if (may_live(h, s)) {
        set_live(r, node, s, restarted);
        return;
    }
    put_off(node, s, true);
    s->renewed |= restarted;
    set_held(node, s->claim, false);
    wb_show_route(r, node);
}

/* What was put off and may be live now is. */
static void take_deferred(struct wb_router *r, struct wb_heard *h)
{
    struct wb_stored *s, *next;

    TAILQ_FOREACH_SAFE(s, &h->node->deferred, in_deferred, next)
    {
        if (may_live(h, s))
            set_live(r, h->node, s, s->renewed);
    }
}

/* The next hop's floor, or what is known of others, is another. */
static void settle(struct wb_router *r, struct wb_node *node)
{
    struct wb_heard *h = node->next_hop;

    take_deferred(r, h);
    if (is_authority(h) && h->floor > 0) {
        if (node->held > 0)
            review_live(r, node);
        node->highest = h->floor;
    }
    wb_show_route(r, node);
}

void wb_node_retracted(struct wb_router *r, struct wb_node *node, struct wb_heard *by)
{
    struct wb_stored *s;

    while ((s = TAILQ_FIRST(&by->ends)) != NULL) {
        WB_COST(stores_walked, 1);
        s->ended = false;
        wb_stored_ended_by(s, NULL);
    }
    set_ended_at(by, 0);
    if (node->next_hop != NULL && node->next_hop != by)
        settle(r, node);
}

void wb_node_ended(struct wb_router *r, struct wb_heard *h, struct wb_stored *s)
{
    struct wb_node *node = h->node;
    struct wb_node_claim *c = s->claim;

    put_off(node, s, false);
    wb_stored_ended_by(s, NULL);
    if (node->next_hop == h && c->candidate.live && is_behind(h) && c->stores > 1) {
        set_held(node, c, true);
    } else if (node->next_hop == h && c->candidate.live) {
        mark_ended(node, h, c, false);
        c->stores++; /* stays while it is taken off */
        set_dead(r, node, c);
        c->stores--;
    } else if (c->held && c->stores == 1) {
        c->stores++;
        set_dead(r, node, c);
        c->stores--;
    }
    if (node->next_hop == h)
        wb_show_route(r, node);
}

void wb_node_floor(struct wb_router *r, struct wb_heard *h)
{
    struct wb_node *node = h->node;
    struct wb_stored *s;

    while ((s = TAILQ_FIRST(&h->ends)) != NULL)
        wb_stored_ended_by(s, NULL); /* no ROUTE_END takes it back any more */
    if (h->ended_at > 0 && h->floor > h->ended_at) {
        node->highest = most(node->highest, h->ended_at + 1);
        set_ended_at(h, 0);
    }
    if (node->next_hop == h)
        settle(r, node);
}
