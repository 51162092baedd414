/*
 * router.c: a router's life, its own claims, and what neighbours tell. Design note on routed
 * announces; moq-lite, routing.
 */
#include "core/route/router.h"

#include "core/route/router_state.h"

#include <string.h>

/* ---- life ------------------------------------------------------------------------------------ */

/*
 * Revisions of a life begin above those of the lives before it, which ended at lower seqnos: at a
 * new 2^32 for each seqno, as far as there is one.
 */
static uint64_t first_revision(uint64_t seqno)
{
    uint64_t raised = seqno > 0 ? seqno - 1 : 0;

    return (raised < UINT32_MAX ? raised : UINT32_MAX) << 32;
}

enum wb_err wb_router_new(struct wb_mem *mem, uint64_t self, uint64_t seqno, struct wb_router **out)
{
    struct wb_router *r = wb_mem_take(mem, sizeof(*r));

    WB_ASSERT(self > 0);
    WB_ASSERT(self <= WB_NODE_MAX);
    if (r == NULL)
        return WB_E_NOMEM;
    *r = (struct wb_router){.mem = mem, .seqno = seqno, .revision = first_revision(seqno)};
    r->quiet_most = WB_ROUTER_REMEMBERS;
    TAILQ_INIT(&r->quiet);
    TAILQ_INIT(&r->neighbours);
    TAILQ_INIT(&r->answers);
    TAILQ_INIT(&r->due);
    if (wb_node_need(r, 0, self, &r->self) != WB_OK) {
        wb_mem_give(mem, r, sizeof(*r));
        return WB_E_NOMEM;
    }
    r->self->own = true;
    *out = r;
    return WB_OK;
}

void wb_router_free(struct wb_router *r)
{
    struct wb_neighbour *n;
    struct wb_answer *a;
    struct wb_node_claim *c;

    while ((a = TAILQ_FIRST(&r->answers)) != NULL)
        wb_answer_close(a);
    while ((n = TAILQ_FIRST(&r->neighbours)) != NULL)
        wb_router_leave(r, n);
    while ((c = RB_ROOT(&r->self->claims)) != NULL) {
        c->own->has_own = c->own->has_mount = false;
        wb_own_settle(r, c->own, false);
    }
    wb_router_remember(r, 0);
    wb_node_free(r, r->self);
    WB_ASSERT(RB_EMPTY(&r->nodes));
    WB_ASSERT(RB_EMPTY(&r->places));
    wb_mem_give(r->mem, r, sizeof(*r));
}

/* ---- our own claims -------------------------------------------------------------------------- */

enum wb_err wb_router_publish(struct wb_router *r, const struct wb_slice *path, bool mounted,
                              const struct wb_offer *offer)
{
    struct wb_own *o;

    if (offer->cost > WB_NODE_MAX)
        return WB_E_BOUNDS;
    WB_TRY(wb_own_need(r, path, &o));
    if (mounted) {
        o->has_mount = true;
        o->mount = *offer;
    } else {
        o->has_own = true;
        o->own = *offer;
    }
    wb_own_settle(r, o, false);
    return WB_OK;
}

void wb_router_withdraw(struct wb_router *r, struct wb_view path, bool mounted)
{
    struct wb_own *o = wb_own_find(r, path);

    if (o == NULL)
        return;
    if (mounted)
        o->has_mount = false;
    else
        o->has_own = false;
    wb_own_settle(r, o, false);
}

uint64_t wb_router_revision(const struct wb_router *r)
{
    return r->revision;
}

uint64_t wb_router_seqno(const struct wb_router *r)
{
    return r->seqno;
}

/* Only the origin advances its number: above what others still say of it, or as far as asked. */
static void raise_seqno(struct wb_router *r, uint64_t seqno)
{
    if (seqno <= r->seqno)
        return;
    r->seqno = seqno;
    if (r->revision < first_revision(seqno))
        r->revision = first_revision(seqno);
    wb_show_route(r, r->self);
}

/* ---- neighbours with nodes (lite-07) --------------------------------------------------------- */

static uint64_t scope_of(const struct wb_neighbour *n)
{
    return n->config.kind == WB_LINK_CLIENT ? n->number : 0;
}

/* A path of an event, shared when the router knows it. */
static enum wb_err path_of(const struct wb_router *r, struct wb_view path, struct wb_slice *out)
{
    const struct wb_place *place = wb_place_find(r, path);

    if (place == NULL)
        return wb_slice_copy(r->mem, path, out);
    *out = wb_slice_share(&place->path);
    return WB_OK;
}

static enum wb_err hear_route(struct wb_router *r, struct wb_neighbour *n,
                              const struct wb_announce_event *event)
{
    struct wb_heard *h = wb_heard_find(n, event->node);

    if (event->node == r->self->id) {
        /* An id of a client is its session's own affair. */
        if (scope_of(n) == 0 && event->seqno >= r->seqno && event->seqno < UINT64_MAX)
            raise_seqno(r, event->seqno + 1);
        return WB_OK;
    }
    if (h == NULL) {
        struct wb_node *node;

        h = wb_mem_take(r->mem, sizeof(*h));
        if (h == NULL)
            return WB_E_NOMEM;
        if (wb_node_need(r, scope_of(n), event->node, &node) != WB_OK) {
            wb_mem_give(r->mem, h, sizeof(*h));
            return WB_E_NOMEM;
        }
        *h = (struct wb_heard){
            .neighbour = n, .node = node, .ends = TAILQ_HEAD_INITIALIZER(h->ends)};
        RB_INIT(&h->stored);
        TAILQ_INSERT_TAIL(&node->heard, h, in_node);
        RB_INSERT(wb_heards, &n->heards, h);
    }
    h->seqno = event->seqno;
    h->metric = event->metric;
    h->flags = event->flags;
    h->asked = 0; /* its way is another now: what it could not pass on it may */
    if (h->node->wanted_by != n->number && h->node->wanted > h->seqno) {
        wb_heard_ask(h, h->node->wanted);
        h->node->wanted = 0;
    }
    wb_node_select(r, h->node);
    return WB_OK;
}

static void heard_gone(struct wb_router *r, struct wb_heard *h)
{
    struct wb_node *node = h->node;
    struct wb_stored *s;

    wb_node_retracted(r, node, h);
    TAILQ_REMOVE(&node->heard, h, in_node);
    RB_REMOVE(wb_heards, &h->neighbour->heards, h);
    if (h->ask != 0)
        TAILQ_REMOVE(&h->neighbour->asks, h, in_asks);
    wb_node_select(r, node);
    while ((s = RB_ROOT(&h->stored)) != NULL) {
        RB_REMOVE(wb_storeds, &h->stored, s);
        wb_stored_ended_by(s, NULL);
        wb_node_claim_unstore(r, s->claim);
        wb_mem_give(r->mem, s, sizeof(*s));
    }
    wb_mem_give(r->mem, h, sizeof(*h));
    wb_node_release(r, node);
}

static enum wb_err hear_start(struct wb_router *r, struct wb_heard *h,
                              const struct wb_announce_event *event)
{
    struct wb_stored *s = wb_mem_take(r->mem, sizeof(*s));
    struct wb_slice path;
    enum wb_err e;

    if (s == NULL)
        return WB_E_NOMEM;
    *s = (struct wb_stored){.epoch = event->epoch, .cost = event->warm};
    e = path_of(r, event->path, &path);
    if (e == WB_OK) {
        e = wb_node_claim_store(r, h->node, &path, &s->claim);
        wb_slice_drop(&path);
    }
    if (e != WB_OK) {
        wb_mem_give(r->mem, s, sizeof(*s));
        return e;
    }
    RB_INSERT(wb_storeds, &h->stored, s);
    h->ahead = true;
    wb_node_started(r, h, s, false);
    return WB_OK;
}

static void hear_end(struct wb_router *r, struct wb_heard *h, struct wb_stored *s)
{
    struct wb_node_claim *c = s->claim;

    RB_REMOVE(wb_storeds, &h->stored, s);
    h->ahead = true;
    wb_node_ended(r, h, s);
    wb_mem_give(r->mem, s, sizeof(*s));
    wb_node_claim_unstore(r, c);
}

static enum wb_err hear_claim(struct wb_router *r, struct wb_neighbour *n,
                              const struct wb_announce_event *event)
{
    struct wb_heard *h = wb_heard_find(n, event->node);
    struct wb_stored *s;

    if (h == NULL)
        return WB_OK; /* our own node, as others tell it */
    s = wb_stored_find(h, event->path);
    if (s == NULL)
        return event->kind == WB_ANNOUNCE_START ? hear_start(r, h, event) : WB_OK;
    if (event->kind == WB_ANNOUNCE_END) {
        hear_end(r, h, s);
        return WB_OK;
    }
    s->epoch = event->epoch;
    s->cost = event->warm;
    h->ahead |= event->kind == WB_ANNOUNCE_RESTART;
    wb_node_started(r, h, s, event->kind == WB_ANNOUNCE_RESTART);
    return WB_OK;
}

/* ---- neighbours without nodes (lite-05, lite-06) --------------------------------------------- */

static struct wb_flat *flat_find(struct wb_neighbour *n, struct wb_view path)
{
    struct wb_place place = {.path = {.view = path}};
    struct wb_flat key = {.candidate.place = &place};

    return RB_FIND(wb_flats, &n->flats, &key);
}

static size_t hops_size(const struct wb_hops *hops)
{
    return offsetof(struct wb_hops, id) + hops->count * sizeof(hops->id[0]);
}

static enum wb_err hops_copy(struct wb_router *r, const struct wb_hops *hops, struct wb_hops **out)
{
    struct wb_hops *copy = wb_mem_take(r->mem, hops_size(hops));

    if (copy == NULL)
        return WB_E_NOMEM;
    memcpy(copy, hops, hops_size(hops));
    *out = copy;
    return WB_OK;
}

static uint64_t plus(uint64_t cost, uint64_t link)
{
    return cost > WB_NODE_MAX || link > WB_NODE_MAX - cost ? WB_NODE_MAX : cost + link;
}

static void flat_gone(struct wb_router *r, struct wb_neighbour *n, struct wb_flat *f)
{
    struct wb_own *o = wb_own_find(r, f->candidate.place->path.view);
    struct wb_place *place = f->candidate.place;

    RB_REMOVE(wb_flats, &n->flats, f);
    f->candidate.live = false;
    wb_candidate_rank(&f->candidate);
    o->flats--;
    wb_show_place(r, place, NULL);
    wb_own_settle(r, o, false);
    wb_place_leave(r, &f->candidate);
    wb_mem_give(r->mem, f->candidate.hops, hops_size(f->candidate.hops));
    wb_mem_give(r->mem, f, sizeof(*f));
}

/* A new one, not yet live, with the own claim that repeats it to lite-07. */
static enum wb_err flat_new(struct wb_router *r, struct wb_neighbour *n, struct wb_view view,
                            struct wb_flat **out, struct wb_own **out_own)
{
    struct wb_flat *f = wb_mem_take(r->mem, sizeof(*f));
    struct wb_slice path;
    enum wb_err e;

    if (f == NULL)
        return WB_E_NOMEM;
    *f = (struct wb_flat){.candidate.of = n};
    e = path_of(r, view, &path);
    if (e == WB_OK) {
        e = wb_place_enter(r, &path, &f->candidate);
        if (e == WB_OK) {
            e = wb_own_need(r, &path, out_own);
            if (e != WB_OK)
                wb_place_leave(r, &f->candidate);
        }
        wb_slice_drop(&path);
    }
    if (e != WB_OK) {
        wb_mem_give(r->mem, f, sizeof(*f));
        return e;
    }
    RB_INSERT(wb_flats, &n->flats, f);
    (*out_own)->flats++;
    *out = f;
    return WB_OK;
}

static enum wb_err hear_flat(struct wb_router *r, struct wb_neighbour *n,
                             const struct wb_announce_event *event)
{
    struct wb_flat *f = flat_find(n, event->path);
    struct wb_hops *hops;
    struct wb_own *o;
    enum wb_err e;

    if (event->kind == WB_ANNOUNCE_END) {
        if (f != NULL)
            flat_gone(r, n, f);
        return WB_OK;
    }
    WB_TRY(hops_copy(r, event->hops, &hops));
    if (f == NULL) {
        e = flat_new(r, n, event->path, &f, &o);
        if (e != WB_OK) {
            wb_mem_give(r->mem, hops, hops_size(hops));
            return e;
        }
    } else {
        o = wb_own_find(r, event->path);
        wb_mem_give(r->mem, f->candidate.hops, hops_size(f->candidate.hops));
    }
    f->candidate.hops = hops;
    f->candidate.live = true;
    f->candidate.cost = plus(event->warm, n->config.cost);
    f->candidate.cold = plus(event->cold, n->config.cost);
    wb_candidate_rank(&f->candidate);
    wb_show_place(r, f->candidate.place, event->kind == WB_ANNOUNCE_RESTART ? &f->candidate : NULL);
    wb_own_settle(r, o, event->kind == WB_ANNOUNCE_RESTART && o->claim->echo);
    return WB_OK;
}

/* ---- neighbours ------------------------------------------------------------------------------ */

enum wb_err wb_router_join(struct wb_router *r, const struct wb_neighbour_config *config,
                           struct wb_neighbour **out)
{
    struct wb_neighbour *n = wb_mem_take(r->mem, sizeof(*n));

    if (n == NULL)
        return WB_E_NOMEM;
    *n = (struct wb_neighbour){.config = *config, .number = ++r->joined};
    RB_INIT(&n->heards);
    RB_INIT(&n->flats);
    TAILQ_INIT(&n->asks);
    TAILQ_INSERT_TAIL(&r->neighbours, n, in_router);
    *out = n;
    return WB_OK;
}

void wb_router_leave(struct wb_router *r, struct wb_neighbour *n)
{
    struct wb_answer *a, *next;
    struct wb_heard *h;
    struct wb_flat *f;

    TAILQ_FOREACH_SAFE(a, &r->answers, in_router, next)
    {
        if (a->neighbour == n)
            wb_answer_close(a);
    }
    wb_show_gather(r); /* what others serve after all is seamless */
    while ((h = RB_MIN(wb_heards, &n->heards)) != NULL)
        heard_gone(r, h);
    while ((f = RB_ROOT(&n->flats)) != NULL)
        flat_gone(r, n, f);
    wb_show_due(r);
    TAILQ_REMOVE(&r->neighbours, n, in_router);
    wb_mem_give(r->mem, n, sizeof(*n));
}

/* An origin behind what it had told has restarted: a newer seqno lifts its revision, if not yet. */
static void ask_restarted(struct wb_heard *h)
{
    h->judged = h->seqno;
    if (h->neighbour->config.peer == h->node->id && h->floor < h->node->highest)
        wb_heard_ask(h, h->seqno + 1); /* there is none past the largest: 0 asks for nothing */
}

enum wb_err wb_router_hear(struct wb_router *r, struct wb_neighbour *n,
                           const struct wb_announce_event *event)
{
    struct wb_heard *h;
    bool is_first;

    switch (event->kind) {
    case WB_ANNOUNCE_OK:
    case WB_ANNOUNCE_CLOSED:
        return WB_OK;
    case WB_ANNOUNCE_START:
    case WB_ANNOUNCE_END:
    case WB_ANNOUNCE_UPDATE:
    case WB_ANNOUNCE_RESTART:
        return event->node == 0 ? hear_flat(r, n, event) : hear_claim(r, n, event);
    case WB_ANNOUNCE_ROUTE_START:
    case WB_ANNOUNCE_ROUTE_UPDATE:
        return hear_route(r, n, event);
    case WB_ANNOUNCE_ROUTE_END:
        h = wb_heard_find(n, event->node);
        if (h != NULL)
            heard_gone(r, h);
        return WB_OK;
    case WB_ANNOUNCE_FLOOR:
        h = wb_heard_find(n, event->node);
        if (h == NULL)
            return WB_OK;
        is_first = event->revision > 0 && (h->highest == 0 || h->seqno > h->judged);
        h->floor = event->revision;
        h->floor_told = true;
        h->ahead = false;
        if (h->floor > h->highest)
            h->highest = h->floor;
        wb_node_floor(r, h);
        if (is_first)
            ask_restarted(h);
        return WB_OK;
    }
    WB_UNREACHABLE();
}

/* ---- seqno requests -------------------------------------------------------------------------- */

void wb_router_asked(struct wb_router *r, struct wb_neighbour *n, uint64_t id, uint64_t seqno)
{
    struct wb_node *node;
    struct wb_heard *h;

    if (id == r->self->id) {
        raise_seqno(r, seqno);
        return;
    }
    /* The one that is told on, be it a client's: who asks knows no other. */
    for (node = wb_node_first(r, id); node != NULL && !node->told;)
        node = wb_node_next(node);
    if (node == NULL)
        node = wb_node_find(r, 0, id);
    if (node == NULL || node->quiet)
        return;
    /* Not back to who asks, which may be our next hop (RFC 8966 3.8.1.2). */
    h = wb_node_way(node, n);
    if (h == NULL) {
        node->wanted = seqno;
        node->wanted_by = n->number;
    } else if (h->seqno < seqno) {
        wb_heard_ask(h, seqno);
    }
}

bool wb_router_ask(struct wb_router *r, struct wb_neighbour *n, uint64_t *out_node,
                   uint64_t *out_seqno)
{
    struct wb_heard *h = TAILQ_FIRST(&n->asks);

    (void)r;
    if (h == NULL)
        return false;
    TAILQ_REMOVE(&n->asks, h, in_asks);
    *out_node = h->node->id;
    *out_seqno = h->ask;
    h->ask = 0;
    return true;
}
