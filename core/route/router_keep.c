/*
 * router_keep.c: finding, making and freeing what a router keeps. Design note on routed announces.
 */
#include "core/route/router_state.h"

static int order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int wb_node_order(const struct wb_node *a, const struct wb_node *b)
{
    int by_id = order(a->id, b->id);

    return by_id != 0 ? by_id : order(a->scope, b->scope);
}

static int wb_place_order(const struct wb_place *a, const struct wb_place *b)
{
    return wb_path_compare(a->path.view, b->path.view);
}

static int wb_node_claim_order(const struct wb_node_claim *a, const struct wb_node_claim *b)
{
    return wb_path_compare(a->candidate.place->path.view, b->candidate.place->path.view);
}

static int wb_stored_order(const struct wb_stored *a, const struct wb_stored *b)
{
    return wb_node_claim_order(a->claim, b->claim);
}

static int wb_heard_order(const struct wb_heard *a, const struct wb_heard *b)
{
    return order(a->node->id, b->node->id);
}

static int wb_flat_order(const struct wb_flat *a, const struct wb_flat *b)
{
    return wb_path_compare(a->candidate.place->path.view, b->candidate.place->path.view);
}

RB_GENERATE(wb_nodes, wb_node, by_key, wb_node_order)
RB_GENERATE(wb_places, wb_place, by_path, wb_place_order)
RB_GENERATE(wb_node_claims, wb_node_claim, by_path, wb_node_claim_order)
RB_GENERATE(wb_storeds, wb_stored, by_path, wb_stored_order)
RB_GENERATE(wb_heards, wb_heard, by_node, wb_heard_order)
RB_GENERATE(wb_flats, wb_flat, by_path, wb_flat_order)

/* ---- places ---------------------------------------------------------------------------------- */

/* What points to the place of a path, or would; *out_parent is who has it, NULL at the root. */
static struct wb_place **place_link(struct wb_places *places, struct wb_view path,
                                    struct wb_place **out_parent)
{
    struct wb_place **link = &RB_ROOT(places), *place;
    int by;

    *out_parent = NULL;
    while ((place = *link) != NULL && (by = wb_path_compare(path, place->path.view)) != 0) {
        *out_parent = place;
        link = by < 0 ? &RB_LEFT(place, by_path) : &RB_RIGHT(place, by_path);
    }
    return link;
}

struct wb_place *wb_place_find(const struct wb_router *r, struct wb_view path)
{
    struct wb_places places = r->places; /* a lookup changes nothing */
    struct wb_place key = {.path = {.view = path}};

    return RB_FIND(wb_places, &places, &key);
}

/* The place of a path, made if need be; NULL without memory. */
static struct wb_place *place_need(struct wb_router *r, const struct wb_slice *path)
{
    struct wb_place *parent, **link = place_link(&r->places, path->view, &parent), *place = *link;

    if (place != NULL)
        return place;
    place = wb_mem_take(r->mem, sizeof(*place));
    if (place == NULL)
        return NULL;
    *place = (struct wb_place){.path = wb_slice_share(path)};
    TAILQ_INIT(&place->candidates);
    RB_SET(place, parent, by_path);
    *link = place;
    wb_places_RB_INSERT_COLOR(&r->places, place);
    return place;
}

enum wb_err wb_place_enter(struct wb_router *r, const struct wb_slice *path, struct wb_candidate *c)
{
    struct wb_place *place = place_need(r, path);

    if (place == NULL)
        return WB_E_NOMEM;
    c->place = place;
    if (c->node == NULL)
        TAILQ_INSERT_HEAD(&place->candidates, c, in_place);
    else
        TAILQ_INSERT_TAIL(&place->candidates, c, in_place);
    return WB_OK;
}

/* Who was shown and is gone, while that is not told yet: its address may be another's by then. */
static const struct wb_candidate nobody;

void wb_place_leave(struct wb_router *r, struct wb_candidate *c)
{
    struct wb_place *place = c->place;

    WB_ASSERT(!c->ranked);
    TAILQ_REMOVE(&place->candidates, c, in_place);
    if (place->due && place->shown.by == c)
        place->shown.by = &nobody;
    place->renewed = place->renewed == c ? NULL : place->renewed;
    wb_place_release(r, place);
}

void wb_place_release(struct wb_router *r, struct wb_place *place)
{
    if (place->due || !TAILQ_EMPTY(&place->candidates))
        return;
    RB_REMOVE(wb_places, &r->places, place);
    wb_slice_drop(&place->path);
    wb_mem_give(r->mem, place, sizeof(*place));
}

/* ---- nodes ----------------------------------------------------------------------------------- */

struct wb_node *wb_node_find(struct wb_router *r, uint64_t scope, uint64_t id)
{
    struct wb_node key = {.scope = scope, .id = id};

    return RB_FIND(wb_nodes, &r->nodes, &key);
}

struct wb_node *wb_node_first(struct wb_router *r, uint64_t id)
{
    struct wb_node key = {.id = id}, *node = RB_NFIND(wb_nodes, &r->nodes, &key);

    return node != NULL && node->id == id ? node : NULL;
}

struct wb_node *wb_node_next(struct wb_node *node)
{
    struct wb_node *next = RB_NEXT(wb_nodes, NULL, node);

    return next != NULL && next->id == node->id ? next : NULL;
}

void wb_node_free(struct wb_router *r, struct wb_node *node)
{
    RB_REMOVE(wb_nodes, &r->nodes, node);
    wb_mem_give(r->mem, node, sizeof(*node));
}

/* It is told again, or forgotten. */
static void end_quiet(struct wb_router *r, struct wb_node *node)
{
    TAILQ_REMOVE(&r->quiet, node, in_quiet);
    r->quiet_count--;
    node->quiet = false;
}

void wb_router_remember(struct wb_router *r, uint32_t ids)
{
    struct wb_node *node;

    r->quiet_most = ids;
    while (r->quiet_count > r->quiet_most) {
        node = TAILQ_FIRST(&r->quiet);
        end_quiet(r, node);
        wb_node_free(r, node);
    }
}

enum wb_err wb_node_need(struct wb_router *r, uint64_t scope, uint64_t id, struct wb_node **out)
{
    struct wb_node *node = wb_node_find(r, scope, id), *known = wb_node_first(r, id);

    if (node == NULL) {
        node = wb_mem_take(r->mem, sizeof(*node));
        if (node == NULL)
            return WB_E_NOMEM;
        *node = (struct wb_node){.scope = scope, .id = id};
        if (known != NULL)
            node->fd = known->fd;
        TAILQ_INIT(&node->heard);
        TAILQ_INIT(&node->deferred);
        RB_INIT(&node->claims);
        RB_INSERT(wb_nodes, &r->nodes, node);
    }
    if (known != NULL && known->quiet) {
        end_quiet(r, known);
        if (known != node)
            wb_node_free(r, known);
    }
    *out = node;
    return WB_OK;
}

void wb_node_release(struct wb_router *r, struct wb_node *node)
{
    if (node->own || !TAILQ_EMPTY(&node->heard))
        return;
    WB_ASSERT(RB_EMPTY(&node->claims));
    WB_ASSERT(!node->told);
    if (!node->fd.some || wb_node_first(r, node->id) != node || wb_node_next(node) != NULL) {
        wb_node_free(r, node);
        return;
    }
    node->highest = node->metric = node->wanted = node->wanted_by = 0;
    node->quiet = true;
    r->quiet_count++;
    TAILQ_INSERT_TAIL(&r->quiet, node, in_quiet);
    wb_router_remember(r, r->quiet_most);
}

struct wb_heard *wb_heard_find(struct wb_neighbour *n, uint64_t node)
{
    struct wb_node place = {.id = node};
    struct wb_heard key = {.node = &place};

    return RB_FIND(wb_heards, &n->heards, &key);
}

/* ---- claims ---------------------------------------------------------------------------------- */

static struct wb_view path_of(const struct wb_node_claim *c)
{
    return c->candidate.place->path.view;
}

/* As place_link. */
static struct wb_node_claim **claim_link(struct wb_node *node, struct wb_view path,
                                         struct wb_node_claim **out_parent)
{
    struct wb_node_claim **link = &RB_ROOT(&node->claims), *c;
    int by;

    *out_parent = NULL;
    while ((c = *link) != NULL && (by = wb_path_compare(path, path_of(c))) != 0) {
        *out_parent = c;
        link = by < 0 ? &RB_LEFT(c, by_path) : &RB_RIGHT(c, by_path);
    }
    return link;
}

struct wb_node_claim *wb_node_claim_find(struct wb_node *node, struct wb_view path)
{
    struct wb_node_claim *parent;

    return *claim_link(node, path, &parent);
}

enum wb_err wb_node_claim_store(struct wb_router *r, struct wb_node *node,
                                const struct wb_slice *path, struct wb_node_claim **out)
{
    struct wb_node_claim *parent, **link = claim_link(node, path->view, &parent), *c = *link;

    if (c == NULL) {
        c = wb_mem_take(r->mem, sizeof(*c));
        if (c == NULL)
            return WB_E_NOMEM;
        *c = (struct wb_node_claim){.candidate.node = node};
        if (wb_place_enter(r, path, &c->candidate) != WB_OK) {
            wb_mem_give(r->mem, c, sizeof(*c));
            return WB_E_NOMEM;
        }
        RB_SET(c, parent, by_path);
        *link = c;
        wb_node_claims_RB_INSERT_COLOR(&node->claims, c);
    }
    c->stores++;
    *out = c;
    return WB_OK;
}

void wb_node_claim_release(struct wb_router *r, struct wb_node_claim *c)
{
    if (c->stores > 0 || c->candidate.live)
        return;
    RB_REMOVE(wb_node_claims, &c->candidate.node->claims, c);
    wb_place_leave(r, &c->candidate);
    wb_mem_give(r->mem, c, sizeof(*c));
}

void wb_node_claim_unstore(struct wb_router *r, struct wb_node_claim *c)
{
    WB_ASSERT(c->stores > 0);
    c->stores--;
    wb_node_claim_release(r, c);
}

struct wb_stored *wb_stored_find(struct wb_heard *h, struct wb_view path)
{
    struct wb_stored *s = RB_ROOT(&h->stored);
    int by;

    while (s != NULL && (by = wb_path_compare(path, path_of(s->claim))) != 0)
        s = by < 0 ? RB_LEFT(s, by_path) : RB_RIGHT(s, by_path);
    return s;
}

/* ---- our own --------------------------------------------------------------------------------- */

struct wb_own *wb_own_find(struct wb_router *r, struct wb_view path)
{
    struct wb_node_claim *c = wb_node_claim_find(r->self, path);

    return c == NULL ? NULL : c->own;
}

enum wb_err wb_own_need(struct wb_router *r, const struct wb_slice *path, struct wb_own **out)
{
    struct wb_node_claim *c;

    WB_TRY(wb_node_claim_store(r, r->self, path, &c));
    if (c->own != NULL) {
        c->stores--;
    } else {
        c->own = wb_mem_take(r->mem, sizeof(*c->own));
        if (c->own == NULL) {
            wb_node_claim_unstore(r, c);
            return WB_E_NOMEM;
        }
        *c->own = (struct wb_own){.claim = c};
    }
    *out = c->own;
    return WB_OK;
}

/* The cheapest path that a neighbour without nodes tells. */
static uint64_t flat_cost(const struct wb_place *place)
{
    const struct wb_candidate *c;
    uint64_t least = WB_NODE_MAX;

    /* Those without nodes are first; behind them is at least our own claim. */
    for (c = TAILQ_FIRST(&place->candidates); c->node == NULL; c = TAILQ_NEXT(c, in_place))
        if (c->live && c->cost < least)
            least = c->cost;
    return least;
}

static bool epoch_equal(const struct wb_epoch *a, const struct wb_epoch *b)
{
    return a->some == b->some && wb_view_equal(wb_view_of(a->bytes, sizeof(a->bytes)),
                                               wb_view_of(b->bytes, sizeof(b->bytes)));
}

void wb_own_settle(struct wb_router *r, struct wb_own *o, bool renewed)
{
    struct wb_node_claim *c = o->claim;
    struct wb_offer offer = {.cost = flat_cost(c->candidate.place)};
    bool proxied = !o->has_own, echo = proxied && !o->has_mount;
    bool live = o->has_own || o->has_mount || o->flats > 0;

    if (o->has_own || o->has_mount)
        offer = o->has_own ? o->own : o->mount;
    if (live && c->candidate.live && !renewed && c->candidate.cost == offer.cost &&
        c->proxied == proxied && c->echo == echo && epoch_equal(&c->candidate.epoch, &offer.epoch))
        return;
    /* One that nobody knew and nobody needs changes nothing. */
    if (live || c->candidate.live) {
        r->revision++;
        r->self->live += live;
        r->self->live -= c->candidate.live;
        renewed |= c->echo != echo || c->proxied != proxied;
        renewed |= c->candidate.epoch.some != offer.epoch.some;
        c->candidate.live = live;
        c->candidate.cost = offer.cost;
        c->candidate.epoch = offer.epoch;
        c->proxied = proxied;
        c->echo = echo;
        wb_show_route(r, r->self);
        wb_show_claim(r, c, renewed);
    }
    if (live)
        return;
    c->own = NULL;
    wb_mem_give(r->mem, o, sizeof(*o));
    wb_node_claim_unstore(r, c);
}
