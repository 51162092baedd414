/*
 * router_look.c: questions to a router that change nothing: who serves a path, what is live.
 */
#include "core/route/router_state.h"

bool wb_router_server(const struct wb_router *r, struct wb_view path, struct wb_server *out)
{
    for (uint32_t parts = wb_path_parts(path) + 1; parts-- > 0;) {
        const struct wb_place *place = wb_place_find(r, wb_path_keep(path, parts));
        const struct wb_candidate *by = place == NULL ? NULL : wb_place_best(place);

        if (by == NULL)
            continue;
        *out = (struct wb_server){.prefix = place->path.view,
                                  .node = by->node != NULL ? by->node->id : by->hops->id[0],
                                  .via = wb_candidate_via(by),
                                  .epoch = by->epoch,
                                  .cost = wb_candidate_cost(by)};
        return true;
    }
    return false;
}

bool wb_router_node_at(const struct wb_router *r, uint64_t i, struct wb_router_node *out)
{
    struct wb_nodes nodes = r->nodes; /* the walk changes nothing */
    struct wb_node *node = RB_MIN(wb_nodes, &nodes);
    struct wb_route_state state = {0};

    while (node != NULL && (node->quiet || i-- > 0))
        node = RB_NEXT(wb_nodes, &nodes, node);
    if (node == NULL)
        return false;
    (void)wb_node_route(r, node, &state);
    *out = (struct wb_router_node){.scope = node->scope, .node = node->id};
    out->next_hop = node->next_hop == NULL ? NULL : node->next_hop->neighbour;
    out->seqno = state.seqno;
    out->metric = state.metric;
    out->flags = state.flags;
    out->floor = state.floor;
    out->highest = node->highest;
    out->live = node->live;
    out->held = node->held;
    return true;
}

bool wb_router_live_at(const struct wb_router *r, uint64_t scope, uint64_t id, uint64_t i,
                       struct wb_view *out_path, bool *out_held)
{
    struct wb_nodes nodes = r->nodes;
    struct wb_node key = {.scope = scope, .id = id}, *node = RB_FIND(wb_nodes, &nodes, &key);
    struct wb_node_claim *c;

    if (node == NULL)
        return false;
    RB_FOREACH(c, wb_node_claims, &node->claims)
    {
        if (!c->candidate.live || i-- > 0)
            continue;
        *out_path = c->candidate.place->path.view;
        *out_held = c->held;
        return true;
    }
    return false;
}

uint64_t wb_neighbour_number(const struct wb_neighbour *n)
{
    return n->number;
}

static void node_check(const struct wb_router *r, struct wb_node *node)
{
    struct wb_node_claim *c;
    struct wb_stored *s;
    uint64_t live = 0, held = 0;

    RB_FOREACH(c, wb_node_claims, &node->claims)
    {
        WB_ASSERT(c->stores > 0 || c->candidate.live);
        WB_ASSERT(!c->held || c->candidate.live);
        WB_ASSERT(wb_place_find(r, c->candidate.place->path.view) == c->candidate.place);
        live += c->candidate.live;
        held += c->held;
    }
    WB_ASSERT(live == node->live);
    WB_ASSERT(held == node->held);
    WB_ASSERT(node->own || live == 0 || node->next_hop != NULL);
    WB_ASSERT(node->quiet == (!node->own && TAILQ_EMPTY(&node->heard)));
    WB_ASSERT(!node->quiet || (node->fd.some && RB_EMPTY(&node->claims)));
    TAILQ_FOREACH(s, &node->deferred, in_deferred)
    {
        WB_ASSERT(s->deferred);
    }
    if (node->next_hop != NULL)
        RB_FOREACH(s, wb_storeds, &node->next_hop->stored)
        {
            WB_ASSERT(s->deferred || s->claim->candidate.live);
            WB_ASSERT(s->deferred || !s->claim->held);
        }
}

void wb_router_check(const struct wb_router *r)
{
    struct wb_nodes nodes = r->nodes;
    struct wb_places places = r->places;
    const struct wb_answer *a;
    struct wb_node *node;
    struct wb_place *place;

    RB_FOREACH(node, wb_nodes, &nodes)
    {
        node_check(r, node);
    }
    TAILQ_FOREACH(a, &r->answers, in_router)
    {
        wb_announce_pub_check(a->pub);
    }
    RB_FOREACH(place, wb_places, &places)
    {
        WB_ASSERT(!TAILQ_EMPTY(&place->candidates));
        WB_ASSERT(!place->due);
        WB_ASSERT(place->renewed == NULL);
        WB_ASSERT(place->shown.by == wb_place_best(place));
        wb_place_check(place);
    }
}
