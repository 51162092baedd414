/*
 * announce_pub.c: what the router tells an answer. What an answer tells its peer is in pub_flush.c.
 * Design note on routed announces; moq-lite, announce stream, sender.
 */
#include "core/route/announce_pub.h"

#include "core/base/probe.h"
#include "core/route/pub_state.h"

#include <string.h>

static int order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int wb_pub_node_order(const struct wb_pub_route *a, const struct wb_pub_route *b)
{
    return order(a->state.node, b->state.node);
}

static int wb_pub_touch_order(const struct wb_pub_route *a, const struct wb_pub_route *b)
{
    return order(a->state.node, b->state.node);
}

RB_GENERATE(wb_pub_by_path, wb_pub_claim, by_path, wb_pub_order)
RB_GENERATE(wb_pub_by_node, wb_pub_route, by_node, wb_pub_node_order)
RB_GENERATE(wb_pub_by_touch, wb_pub_route, by_touch, wb_pub_touch_order)

/* ---- the one setter -------------------------------------------------------------------------- */

static void count_out(struct wb_pub_claim *c)
{
    c->route->withheld -= c->view == WB_PUB_WITHHELD;
    c->route->shown -= c->view == WB_PUB_SHOWN;
}

static void count_in(struct wb_pub_claim *c)
{
    c->route->withheld += c->view == WB_PUB_WITHHELD;
    c->route->shown += c->view == WB_PUB_SHOWN;
}

static void touch(struct wb_announce_pub *p, struct wb_pub_route *r)
{
    if (r->touched || r == &p->flat)
        return;
    r->touched = true;
    p->touch_count++;
    RB_INSERT(wb_pub_by_touch, &p->touched, r);
}

static void put_due(struct wb_announce_pub *p, struct wb_pub_claim *c)
{
    const struct wb_pub_claim *last = TAILQ_LAST(&p->due, wb_pub_due);

    if (last != NULL && !p->due_unsorted)
        p->due_unsorted = wb_pub_order(last, c) > 0;
    TAILQ_INSERT_TAIL(&p->due, c, in_due);
    c->due = true;
}

/*
 * The one place where a claim changes what the link sees of it, and where the counts follow. The
 * floor of its route is due, whether the link sees the change or not.
 */
static void set_view(struct wb_announce_pub *p, struct wb_pub_claim *c, enum wb_pub_view view)
{
    enum wb_pub_view was = c->view;

    count_out(c);
    if (c->view == WB_PUB_ABSENT && view != WB_PUB_ABSENT)
        c->renewed = c->on_wire;
    c->view = view;
    count_in(c);
    WB_PROBE4(view, c->route, (unsigned)was, (unsigned)view, c->route->withheld);
    c->route->floor_due = true;
    touch(p, c->route);
    p->routes_due |= c->route->on_stream != (c->route->shown > 0);
    if (!c->due && (c->on_wire || view == WB_PUB_SHOWN))
        put_due(p, c);
    if (view == WB_PUB_ABSENT && !c->on_wire)
        wb_pub_claim_free(p, c);
}

/* ---- what a link sees ------------------------------------------------------------------------ */

static bool in_scope(const struct wb_announce_pub *p, struct wb_view path)
{
    if (!wb_path_has_prefix(path, p->prefix.view))
        return false;
    return p->config.version < WB_LITE_07 || p->config.hidden || !wb_path_is_hidden(path);
}

static enum wb_pub_view routed_view(const struct wb_announce_pub *p, const struct wb_pub_claim *c)
{
    const struct wb_route_state *route = &c->route->state;

    if (p->config.peer != 0 && route->node == p->config.peer)
        return WB_PUB_WITHHELD;
    if (p->config.link == WB_LINK_UPSTREAM &&
        (route->from_upstream || (route->flags & WB_ROUTED_DOWN_ONLY) != 0))
        return WB_PUB_WITHHELD;
    return c->proxied && !p->config.accepts_proxied ? WB_PUB_WITHHELD : WB_PUB_SHOWN;
}

static enum wb_pub_view view_of(const struct wb_announce_pub *p, const struct wb_pub_claim *c)
{
    if (p->config.version >= WB_LITE_07)
        return routed_view(p, c);
    for (unsigned i = 0; c->hops != NULL && i < c->hops->count; i++)
        if (p->config.peer != 0 && c->hops->id[i] == p->config.peer)
            return WB_PUB_WITHHELD;
    return WB_PUB_SHOWN;
}

/* ---- life ------------------------------------------------------------------------------------ */

static void route_init(struct wb_pub_route *r, const struct wb_route_state *state)
{
    WB_PROBE1(route, r);
    *r = (struct wb_pub_route){.state = *state};
    TAILQ_INIT(&r->claims);
}

enum wb_err wb_announce_pub_new(struct wb_mem *mem, const struct wb_announce_pub_config *config,
                                struct wb_announce_pub **out)
{
    struct wb_announce_pub *p = wb_mem_take(mem, sizeof(*p));

    WB_ASSERT(config->version >= WB_LITE_06);
    if (p == NULL)
        return WB_E_NOMEM;
    *p = (struct wb_announce_pub){.mem = mem, .config = *config};
    if (wb_slice_copy(mem, config->prefix, &p->prefix) != WB_OK) {
        wb_mem_give(mem, p, sizeof(*p));
        return WB_E_NOMEM;
    }
    p->config.prefix = p->prefix.view;
    RB_INIT(&p->routes);
    RB_INIT(&p->touched);
    RB_INIT(&p->claims);
    TAILQ_INIT(&p->due);
    route_init(&p->flat, &(struct wb_route_state){0});
    *out = p;
    return WB_OK;
}

static size_t hops_size(const struct wb_hops *hops)
{
    return offsetof(struct wb_hops, id) + hops->count * sizeof(hops->id[0]);
}

void wb_pub_hops_free(struct wb_announce_pub *p, struct wb_hops *hops)
{
    if (hops != NULL)
        wb_mem_give(p->mem, hops, hops_size(hops));
}

void wb_pub_claim_free(struct wb_announce_pub *p, struct wb_pub_claim *c)
{
    WB_ASSERT(c->view == WB_PUB_ABSENT);
    WB_ASSERT(!c->on_wire);
    RB_REMOVE(wb_pub_by_path, &p->claims, c);
    TAILQ_REMOVE(&c->route->claims, c, in_route);
    if (c->due)
        TAILQ_REMOVE(&p->due, c, in_due);
    wb_pub_hops_free(p, c->hops);
    wb_pub_hops_free(p, c->sent_hops);
    wb_slice_drop(&c->path);
    wb_mem_give(p->mem, c, sizeof(*c));
}

void wb_pub_route_free(struct wb_announce_pub *p, struct wb_pub_route *r)
{
    WB_ASSERT(r->gone);
    WB_ASSERT(!r->on_stream);
    WB_ASSERT(TAILQ_EMPTY(&r->claims));
    if (r->touched) {
        RB_REMOVE(wb_pub_by_touch, &p->touched, r);
        p->touch_count--;
    }
    RB_REMOVE(wb_pub_by_node, &p->routes, r);
    wb_mem_give(p->mem, r, sizeof(*r));
}

/* The stream is over: nothing more is due. */
static void forget(struct wb_announce_pub *p, struct wb_pub_route *r)
{
    struct wb_pub_claim *c;

    while ((c = TAILQ_FIRST(&r->claims)) != NULL) {
        c->view = WB_PUB_ABSENT;
        c->on_wire = false;
        wb_pub_claim_free(p, c);
    }
    r->on_stream = false;
    r->gone = true;
}

void wb_announce_pub_free(struct wb_announce_pub *p)
{
    struct wb_pub_route *r;

    while ((r = RB_ROOT(&p->routes)) != NULL) {
        forget(p, r);
        wb_pub_route_free(p, r);
    }
    forget(p, &p->flat);
    wb_slice_drop(&p->prefix);
    wb_mem_give(p->mem, p, sizeof(*p));
}

/* ---- changes --------------------------------------------------------------------------------- */

static struct wb_pub_route *route_find(struct wb_announce_pub *p, uint64_t node)
{
    struct wb_pub_route *r = RB_ROOT(&p->routes);

    while (r != NULL && r->state.node != node)
        r = node < r->state.node ? RB_LEFT(r, by_node) : RB_RIGHT(r, by_node);
    return r;
}

/* Where a route comes from has changed: every claim of it is seen anew. */
static void review(struct wb_announce_pub *p, struct wb_pub_route *r)
{
    struct wb_pub_claim *c, *next;

    TAILQ_FOREACH_SAFE(c, &r->claims, in_route, next)
    {
        if (c->view != WB_PUB_ABSENT && c->view != routed_view(p, c))
            set_view(p, c, routed_view(p, c));
    }
}

enum wb_err wb_announce_pub_route(struct wb_announce_pub *p, uint64_t node,
                                  const struct wb_route_state *state)
{
    struct wb_pub_route *r = route_find(p, node);
    bool seen_anew;

    WB_ASSERT(p->config.version >= WB_LITE_07);
    if (state == NULL) {
        if (r == NULL)
            return WB_OK;
        WB_ASSERT(r->withheld + r->shown == 0);
        r->gone = true;
        touch(p, r);
        if (!r->on_stream && TAILQ_EMPTY(&r->claims))
            wb_pub_route_free(p, r);
        return WB_OK;
    }
    WB_ASSERT(state->node == node);
    if (r == NULL) {
        r = wb_mem_take(p->mem, sizeof(*r));
        if (r == NULL)
            return WB_E_NOMEM;
        route_init(r, state);
        RB_INSERT(wb_pub_by_node, &p->routes, r);
    }
    seen_anew = state->from_upstream != r->state.from_upstream || state->flags != r->state.flags;
    r->floor_due |= state->floor != r->state.floor;
    r->gone = false;
    r->state = *state;
    p->routes_due |= wb_pub_route_differs(r);
    touch(p, r);
    if (seen_anew)
        review(p, r);
    return WB_OK;
}

static bool hops_equal(const struct wb_hops *a, const struct wb_hops *b)
{
    return a != NULL && a->count == b->count &&
           memcmp(a->id, b->id, a->count * sizeof(a->id[0])) == 0;
}

/* Another chain for a claim of lite-06; WB_E_NOMEM leaves the old one. */
static enum wb_err hops_set(struct wb_announce_pub *p, struct wb_pub_claim *c,
                            const struct wb_hops *now)
{
    struct wb_hops *copy;

    if (now == NULL || hops_equal(c->hops, now))
        return WB_OK;
    copy = wb_mem_take(p->mem, hops_size(now));
    if (copy == NULL)
        return WB_E_NOMEM;
    memcpy(copy, now, hops_size(now));
    if (c->on_wire && c->sent_hops == NULL)
        c->sent_hops = c->hops;
    else
        wb_pub_hops_free(p, c->hops);
    c->hops = copy;
    c->hops_changed = !hops_equal(c->sent_hops, copy);
    return WB_OK;
}

/* Where in the tree a claim is, or would be. */
struct place {
    struct wb_pub_claim *parent, **link; /* NULL: at the root */
    uint64_t head;
};

static struct wb_pub_claim *claim_find(struct wb_announce_pub *p, const struct wb_pub_route *r,
                                       struct wb_view path, struct place *out)
{
    struct wb_pub_claim **link = &RB_ROOT(&p->claims), *c;
    uint64_t head = wb_path_head(wb_pub_suffix(p, path));

    while ((c = *link) != NULL) {
        int by = wb_path_compare_headed(head, path, c->head, c->path.view);

        if (by == 0)
            by = order(r->state.node, c->route->state.node);
        if (by == 0)
            break;
        out->parent = c;
        link = by < 0 ? &RB_LEFT(c, by_path) : &RB_RIGHT(c, by_path);
    }
    out->link = link;
    out->head = head;
    return c;
}

static enum wb_err claim_new(struct wb_announce_pub *p, struct wb_pub_route *r,
                             const struct wb_slice *path, const struct wb_hops *hops,
                             const struct place *place, struct wb_pub_claim **out)
{
    struct wb_pub_claim *c = wb_mem_take(p->mem, sizeof(*c));

    if (c == NULL)
        return WB_E_NOMEM;
    *c = (struct wb_pub_claim){.route = r, .view = WB_PUB_ABSENT};
    if (hops_set(p, c, hops) != WB_OK) {
        wb_mem_give(p->mem, c, sizeof(*c));
        return WB_E_NOMEM;
    }
    c->path = wb_slice_share(path);
    c->head = place->head;
    RB_SET(c, place->parent, by_path);
    *place->link = c;
    wb_pub_by_path_RB_INSERT_COLOR(&p->claims, c);
    TAILQ_INSERT_TAIL(&r->claims, c, in_route);
    *out = c;
    return WB_OK;
}

enum wb_err wb_announce_pub_claim(struct wb_announce_pub *p, uint64_t node,
                                  const struct wb_slice *path, const struct wb_claim_state *state)
{
    bool routed = p->config.version >= WB_LITE_07;
    struct wb_pub_route *r = routed ? route_find(p, node) : &p->flat;
    struct wb_pub_claim *c = NULL;
    struct place place = {0};

    if (r != NULL)
        c = claim_find(p, r, path->view, &place);
    if (state == NULL) {
        if (c != NULL && c->view != WB_PUB_ABSENT)
            set_view(p, c, WB_PUB_ABSENT);
        return WB_OK;
    }
    if (c == NULL && !in_scope(p, path->view))
        return WB_OK;
    WB_ASSERT(r != NULL);
    if (c == NULL)
        WB_TRY(claim_new(p, r, path, routed ? NULL : state->hops, &place, &c));
    else if (!routed)
        WB_TRY(hops_set(p, c, state->hops));
    c->epoch = state->epoch;
    c->warm = state->warm;
    c->cold = state->cold;
    c->proxied = state->proxied;
    set_view(p, c, view_of(p, c));
    return WB_OK;
}

/* ---- what is kept ---------------------------------------------------------------------------- */

bool wb_announce_pub_route_at(const struct wb_announce_pub *p, uint64_t i,
                              struct wb_announce_pub_route_view *out)
{
    struct wb_pub_by_node routes = p->routes; /* the walk changes nothing */
    struct wb_pub_route *r = RB_MIN(wb_pub_by_node, &routes);

    while (r != NULL && i-- > 0)
        r = RB_NEXT(wb_pub_by_node, &routes, r);
    if (r == NULL)
        return false;
    *out = (struct wb_announce_pub_route_view){.node = r->state.node,
                                               .id = r->id,
                                               .withheld = r->withheld,
                                               .shown = r->shown,
                                               .floor = r->last_floor,
                                               .on_stream = r->on_stream};
    return true;
}

static uint64_t route_check(const struct wb_announce_pub *p, const struct wb_pub_route *r)
{
    struct wb_pub_claim *c;
    uint64_t withheld = 0, shown = 0;

    TAILQ_FOREACH(c, &r->claims, in_route)
    {
        WB_ASSERT(c->route == r);
        WB_ASSERT(in_scope(p, c->path.view));
        WB_ASSERT(c->head == wb_path_head(wb_pub_suffix(p, c->path.view)));
        WB_ASSERT(c->view != WB_PUB_ABSENT || c->on_wire);
        WB_ASSERT(!c->on_wire || c->id < p->next_claim);
        WB_ASSERT(c->due || c->on_wire == (c->view == WB_PUB_SHOWN));
        withheld += c->view == WB_PUB_WITHHELD;
        shown += c->view == WB_PUB_SHOWN;
    }
    WB_ASSERT(withheld == r->withheld);
    WB_ASSERT(shown == r->shown);
    return withheld + shown;
}

void wb_announce_pub_check(const struct wb_announce_pub *p)
{
    struct wb_pub_by_node routes = p->routes;
    struct wb_pub_by_path all = p->claims;
    struct wb_pub_claim *c, *next;
    struct wb_pub_route *r;
    uint64_t claims = 0, kept = 0;

    RB_FOREACH(r, wb_pub_by_node, &routes)
    {
        claims += route_check(p, r);
        WB_ASSERT(r->touched || r->on_stream == (r->shown > 0));
        WB_ASSERT(!r->on_stream || r->id < p->next_route);
        WB_ASSERT(p->routes_due || !wb_pub_route_is_due(r));
    }
    claims += route_check(p, &p->flat);
    for (c = RB_MIN(wb_pub_by_path, &all); c != NULL; c = next) {
        next = RB_NEXT(wb_pub_by_path, &all, c);
        WB_ASSERT(next == NULL || wb_pub_order(c, next) < 0);
        kept += c->view != WB_PUB_ABSENT;
    }
    WB_ASSERT(kept == claims);
}
