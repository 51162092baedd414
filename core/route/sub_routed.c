/*
 * sub_routed.c: routes and claims, lite-07. Design note on routed announces; issue 8397.
 */
#include "core/route/sub_state.h"

#include <string.h>

#define VERSION WB_LITE_07

/* Empty, or 16 bytes of a UUID of version 7 and the variant of RFC 9562. */
static struct wb_epoch epoch_field(struct wb_wire *w)
{
    struct wb_view bytes = wb_wire_bytes(w, wb_announce_field(VERSION, w, UINT64_MAX));
    struct wb_epoch epoch = {0};

    if (w->err != WB_OK || bytes.len == 0)
        return epoch;
    if (bytes.len != 16 || bytes.data[6] >> 4 != 7 || bytes.data[8] >> 6 != 2) {
        w->err = WB_E_EPOCH;
        return epoch;
    }
    epoch.some = true;
    memcpy(epoch.bytes, bytes.data, sizeof(epoch.bytes));
    return epoch;
}

/* The leading parts of a live claim's path, as the peer sent it. */
static enum wb_err kept_parts(struct wb_announce_sub *s, uint64_t base, uint64_t keep,
                              struct wb_view *out)
{
    const struct wb_sub_claim *c;

    *out = (struct wb_view){0};
    if (base == 0)
        return keep == 0 ? WB_OK : WB_E_BASE;
    c = base <= s->next_claim ? wb_sub_claim_find(s, s->next_claim - base) : NULL;
    if (c == NULL)
        return WB_E_BASE;
    return wb_path_try_keep(wb_sub_claim_suffix(s, c), keep, out) ? WB_OK : WB_E_BASE;
}

static enum wb_err start(struct wb_announce_sub *s, struct wb_wire *w,
                         struct wb_announce_event *out)
{
    uint64_t base = wb_announce_field(VERSION, w, UINT64_MAX);
    uint64_t keep = wb_announce_field(VERSION, w, UINT64_MAX);
    struct wb_sub_raw raw = wb_sub_raw_field(s, w);
    struct wb_epoch epoch = epoch_field(w);
    uint64_t route_id = wb_announce_field(VERSION, w, UINT64_MAX);
    uint64_t cost = wb_announce_field(VERSION, w, WB_NODE_MAX);
    struct wb_sub_route *route;
    struct wb_sub_claim *c;
    struct wb_view kept;

    WB_TRY(wb_wire_done(w));
    WB_TRY(kept_parts(s, base, keep, &kept));
    route = wb_sub_route_find(s, route_id);
    if (route == NULL)
        return WB_E_UNKNOWN_ROUTE;
    if (wb_sub_is_full(s))
        return WB_E_LIMIT;
    WB_TRY(wb_sub_claim_new(s, route, kept, &raw, &c));
    WB_TRY(wb_sub_claim_add(s, c));
    c->epoch = epoch;
    c->warm = cost;
    c->dropped |= route->node == s->config.self;
    if (c->dropped)
        return WB_MORE;
    wb_sub_claim_event(s, WB_ANNOUNCE_START, c, out);
    return WB_OK;
}

static enum wb_err end(struct wb_announce_sub *s, struct wb_wire *w, struct wb_announce_event *out)
{
    uint64_t id = wb_announce_field(VERSION, w, UINT64_MAX);
    struct wb_sub_claim *c;

    WB_TRY(wb_wire_done(w));
    c = wb_sub_claim_find(s, id);
    if (c == NULL)
        return WB_E_UNKNOWN_ID;
    return wb_sub_claim_end(s, c, out) ? WB_OK : WB_MORE;
}

/* UPDATE has a cost only, RESTART an epoch in front of it. */
static enum wb_err change(struct wb_announce_sub *s, struct wb_wire *w, bool restarts,
                          struct wb_announce_event *out)
{
    uint64_t id = wb_announce_field(VERSION, w, UINT64_MAX);
    struct wb_epoch epoch = restarts ? epoch_field(w) : (struct wb_epoch){0};
    uint64_t cost = wb_announce_field(VERSION, w, WB_NODE_MAX);
    struct wb_sub_claim *c;

    WB_TRY(wb_wire_done(w));
    c = wb_sub_claim_find(s, id);
    if (c == NULL)
        return WB_E_UNKNOWN_ID;
    c->warm = cost;
    if (restarts)
        c->epoch = epoch;
    if (c->dropped)
        return WB_MORE;
    wb_sub_claim_event(s, restarts ? WB_ANNOUNCE_RESTART : WB_ANNOUNCE_UPDATE, c, out);
    return WB_OK;
}

static void tell_route(enum wb_announce_kind kind, const struct wb_sub_route *route,
                       struct wb_announce_event *out)
{
    *out = (struct wb_announce_event){.kind = kind,
                                      .flags = route->flags,
                                      .route = route->id,
                                      .node = route->node,
                                      .seqno = route->seqno,
                                      .metric = route->metric};
}

static uint8_t flags_field(struct wb_wire *w)
{
    uint8_t flags = wb_wire_u8(w);

    if (w->err == WB_OK && (flags & ~WB_ROUTED_DOWN_ONLY) != 0)
        w->err = WB_E_VALUE;
    return flags;
}

static enum wb_err route_start(struct wb_announce_sub *s, struct wb_wire *w,
                               struct wb_announce_event *out)
{
    struct wb_sub_route key = {.node = wb_announce_field(VERSION, w, WB_NODE_MAX)}, *route;

    key.seqno = wb_announce_field(VERSION, w, UINT64_MAX);
    key.metric = wb_announce_field(VERSION, w, WB_NODE_MAX);
    key.flags = flags_field(w);
    WB_TRY(wb_wire_done(w));
    if (key.node == 0 || RB_FIND(wb_sub_routes_by_node, &s->nodes, &key) != NULL)
        return WB_E_NODE;
    if (s->route_count == s->config.max_routes)
        return WB_E_LIMIT;
    route = wb_mem_take(s->mem, sizeof(*route));
    if (route == NULL)
        return WB_E_NOMEM;
    *route = key;
    route->id = s->next_route++;
    RB_INIT(&route->claims);
    RB_INSERT(wb_sub_routes_by_id, &s->routes, route);
    RB_INSERT(wb_sub_routes_by_node, &s->nodes, route);
    s->route_count++;
    tell_route(WB_ANNOUNCE_ROUTE_START, route, out);
    return WB_OK;
}

static enum wb_err route_update(struct wb_announce_sub *s, struct wb_wire *w,
                                struct wb_announce_event *out)
{
    uint64_t id = wb_announce_field(VERSION, w, UINT64_MAX);
    uint64_t seqno = wb_announce_field(VERSION, w, UINT64_MAX);
    uint64_t metric = wb_announce_field(VERSION, w, WB_NODE_MAX);
    uint8_t flags = flags_field(w);
    struct wb_sub_route *route;

    WB_TRY(wb_wire_done(w));
    route = wb_sub_route_find(s, id);
    if (route == NULL)
        return WB_E_UNKNOWN_ROUTE;
    route->seqno = seqno;
    route->metric = metric;
    route->flags = flags;
    tell_route(WB_ANNOUNCE_ROUTE_UPDATE, route, out);
    return WB_OK;
}

static enum wb_err route_end(struct wb_announce_sub *s, struct wb_wire *w,
                             struct wb_announce_event *out)
{
    uint64_t id = wb_announce_field(VERSION, w, UINT64_MAX);

    WB_TRY(wb_wire_done(w));
    s->ending = wb_sub_route_find(s, id);
    if (s->ending == NULL)
        return WB_E_UNKNOWN_ROUTE;
    return wb_sub_route_end_next(s, out);
}

static enum wb_err told_floor(struct wb_announce_sub *s, struct wb_wire *w,
                              struct wb_announce_event *out)
{
    uint64_t id = wb_announce_field(VERSION, w, UINT64_MAX);
    uint64_t revision = wb_announce_field(VERSION, w, UINT64_MAX);
    struct wb_sub_route *route;

    WB_TRY(wb_wire_done(w));
    route = wb_sub_route_find(s, id);
    if (route == NULL)
        return WB_E_UNKNOWN_ROUTE;
    if (revision != 0 && revision < route->highest)
        return WB_E_FLOOR;
    route->floor = revision;
    if (revision != 0)
        route->highest = revision;
    tell_route(WB_ANNOUNCE_FLOOR, route, out);
    out->revision = revision;
    return WB_OK;
}

enum wb_err wb_sub_routed_message(struct wb_announce_sub *s, const struct wb_message *message,
                                  struct wb_announce_event *out_event)
{
    struct wb_wire w = wb_wire_of(message->body);

    if (message->type > WB_ROUTED_FLOOR)
        return WB_MORE; /* unknown types are skipped, and take no id */
    switch ((enum wb_routed_type)message->type) {
    case WB_ROUTED_START:
        return start(s, &w, out_event);
    case WB_ROUTED_END:
        return end(s, &w, out_event);
    case WB_ROUTED_UPDATE:
        return change(s, &w, false, out_event);
    case WB_ROUTED_RESTART:
        return change(s, &w, true, out_event);
    case WB_ROUTED_ROUTE_START:
        return route_start(s, &w, out_event);
    case WB_ROUTED_ROUTE_UPDATE:
        return route_update(s, &w, out_event);
    case WB_ROUTED_ROUTE_END:
        return route_end(s, &w, out_event);
    case WB_ROUTED_FLOOR:
        return told_floor(s, &w, out_event);
    }
    WB_UNREACHABLE();
}
