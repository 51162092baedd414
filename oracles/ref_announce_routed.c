/*
 * ref_announce_routed.c: routes and claims of lite-07, sentence by sentence. Source: design note on
 * routed announces.
 */
#include "oracles/ref_announce_own.h"

#include <string.h>

/* The leading parts of the path of a live claim. */
static enum wb_err keep_parts(struct ref_place *p, uint64_t base, uint64_t keep)
{
    const struct ref_announce_path *path;
    size_t at;

    if (base == 0)
        return keep == 0 ? WB_OK : WB_E_BASE;
    if (base > p->r->next_id || !ref_find_id(p->r, p->r->next_id - base, &at))
        return WB_E_BASE;
    path = &p->r->messages[p->r->claims[at].start].path;
    if (keep > path->count)
        return WB_E_BASE;
    memcpy(p->m->path.part, path->part, (size_t)keep * sizeof(path->part[0]));
    p->m->path.count = (unsigned)keep;
    return WB_OK;
}

static enum wb_err claim_start(struct ref_place *p, struct ref_body *b)
{
    uint64_t base = ref_body_number(b, UINT64_MAX), keep = ref_body_number(b, UINT64_MAX);
    struct ref_announce_path rest = {.count = 0};
    struct ref_announce_path *path = &p->m->path;
    uint64_t route;

    ref_body_path(b, &rest);
    p->m->epoch = ref_body_epoch(b);
    route = ref_body_number(b, UINT64_MAX);
    p->m->warm = ref_body_number(b, REF_ANNOUNCE_NODE_MAX);
    WB_TRY(ref_body_done(b));
    WB_TRY(keep_parts(p, base, keep));
    if (route >= p->r->route_count || !p->r->routes[route].is_live)
        return WB_E_UNKNOWN_ROUTE;
    if (p->r->claim_count == p->rules->max_claims)
        return WB_E_LIMIT;
    if (path->count + rest.count > REF_ANNOUNCE_PARTS)
        return WB_E_BOUNDS;
    memcpy(path->part + path->count, rest.part, rest.count * sizeof(rest.part[0]));
    path->count += rest.count;
    return ref_start(p, route);
}

/* END, UPDATE, RESTART. */
static enum wb_err claim_change(struct ref_place *p, uint64_t type, struct ref_body *b)
{
    uint64_t id = ref_body_number(b, UINT64_MAX);
    struct ref_announce_claim *c;
    size_t at;

    if (type == 3)
        p->m->epoch = ref_body_epoch(b);
    if (type != 1)
        p->m->warm = ref_body_number(b, REF_ANNOUNCE_NODE_MAX);
    WB_TRY(ref_body_done(b));
    if (!ref_find_id(p->r, id, &at))
        return WB_E_UNKNOWN_ID;
    if (type == 1) {
        ref_end(p, at, false);
        return WB_OK;
    }
    c = &p->r->claims[at];
    if (type == 2)
        p->m->epoch = p->r->messages[c->last].epoch;
    c->last = (size_t)(p->m - p->r->messages);
    if (c->is_shown)
        ref_tell_claim(p, type == 2 ? REF_ANNOUNCE_UPDATE : REF_ANNOUNCE_RESTART, c, false);
    return WB_OK;
}

static enum wb_err route_end(struct ref_place *p, uint64_t id)
{
    for (size_t i = 0; i < p->r->claim_count;) {
        if (p->r->claims[i].route == id)
            ref_end(p, i, false);
        else
            i++;
    }
    ref_tell_route(p, REF_ANNOUNCE_ROUTE_END, id);
    p->r->routes[id].is_live = false;
    p->r->live_routes--;
    return WB_OK;
}

static enum wb_err route_start(struct ref_place *p, const struct ref_announce_route *route)
{
    struct ref_announce *r = p->r;

    if (route->node == 0)
        return WB_E_NODE;
    for (size_t i = 0; i < r->route_count; i++)
        if (r->routes[i].is_live && r->routes[i].node == route->node)
            return WB_E_NODE;
    if (r->live_routes == p->rules->max_routes)
        return WB_E_LIMIT;
    r->routes[r->route_count++] = *route;
    r->live_routes++;
    ref_tell_route(p, REF_ANNOUNCE_ROUTE_START, r->route_count - 1);
    return WB_OK;
}

static enum wb_err floor_set(struct ref_place *p, uint64_t id, uint64_t revision)
{
    struct ref_announce_route *route = &p->r->routes[id];
    struct ref_announce_event *e;

    if (revision != 0 && revision < route->highest)
        return WB_E_FLOOR;
    route->floor = revision;
    if (revision != 0)
        route->highest = revision;
    e = ref_event_add(p->r, REF_ANNOUNCE_FLOOR);
    e->route = id;
    e->node = route->node;
    e->revision = revision;
    return WB_OK;
}

/* ROUTE_START, ROUTE_UPDATE, ROUTE_END, FLOOR. */
static enum wb_err route_message(struct ref_place *p, uint64_t type, struct ref_body *b)
{
    struct ref_announce_route route = {.is_live = true};
    uint64_t id = 0, revision = 0;

    if (type == 4)
        route.node = ref_body_number(b, REF_ANNOUNCE_NODE_MAX);
    else
        id = ref_body_number(b, UINT64_MAX);
    if (type <= 5) {
        route.seqno = ref_body_number(b, UINT64_MAX);
        route.metric = ref_body_number(b, REF_ANNOUNCE_NODE_MAX);
        route.flags = ref_body_byte(b);
        if (b->err == WB_OK && route.flags > 1)
            b->err = WB_E_VALUE;
    }
    if (type == 7)
        revision = ref_body_number(b, UINT64_MAX);
    WB_TRY(ref_body_done(b));
    if (type == 4)
        return route_start(p, &route);
    if (id >= p->r->route_count || !p->r->routes[id].is_live)
        return WB_E_UNKNOWN_ROUTE;
    if (type == 6)
        return route_end(p, id);
    if (type == 7)
        return floor_set(p, id, revision);
    p->r->routes[id].seqno = route.seqno;
    p->r->routes[id].metric = route.metric;
    p->r->routes[id].flags = route.flags;
    ref_tell_route(p, REF_ANNOUNCE_ROUTE_UPDATE, id);
    return WB_OK;
}

enum wb_err ref_routed(struct ref_place *p, uint64_t type, struct ref_body *b)
{
    if (type == 0)
        return claim_start(p, b);
    if (type <= 3)
        return claim_change(p, type, b);
    return type <= 7 ? route_message(p, type, b) : WB_OK;
}
