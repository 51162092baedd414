/*
 * tell.c: what neighbours tell, as bytes. A claim of a node that the neighbour does not tell yet
 * begins with its route.
 */
#include "targets/announce/ann.h"

static struct ann_neighbour *of(struct ann *w, uint8_t n)
{
    return &w->neighbours[n];
}

bool ann_tell_open(struct ann *w, uint8_t n)
{
    struct ann_neighbour *to = of(w, n);
    struct wb_announce_sub_config config = {
        .version = to->version, .self = ANN_SELF, .hidden = true};
    unsigned tries = 0;

    while (to->sub == NULL) {
        enum wb_err err = wb_announce_sub_new(w->mem, &config, &to->sub);

        if (err != WB_OK && !ann_again(w, err, &tries))
            return false;
    }
    if (to->told_ok)
        return !to->raw;
    to->told_ok = true;
    ann_pen_begin(&w->pen, to->version);
    ann_pen_v(&w->pen, ANN_PEER(n));
    ann_pen_v(&w->pen, 0);
    ann_pen_wrap(&w->pen, 0, -1);
    ann_hear(w, n, wb_view_of(w->pen.bytes, w->pen.len), WB_MORE, 1);
    return true;
}

static void send(struct ann *w, uint8_t n, int type, int events)
{
    ann_pen_wrap(&w->pen, 0, type);
    ann_hear(w, n, wb_view_of(w->pen.bytes, w->pen.len), WB_MORE, events);
}

static struct ann_pen *begin(struct ann *w, uint8_t n)
{
    ann_pen_begin(&w->pen, of(w, n)->version);
    return &w->pen;
}

static bool tell_route(struct ann *w, uint8_t n, uint8_t k, uint64_t seqno, uint64_t metric,
                       uint8_t flags)
{
    struct ann_route *route = &of(w, n)->routes[k];
    struct ann_pen *pen = begin(w, n);

    if (route->on && route->seqno == seqno && route->metric == metric && route->flags == flags)
        return false;
    ann_pen_v(pen, route->on ? route->id : k + 1u);
    ann_pen_v(pen, seqno);
    ann_pen_v(pen, metric);
    ann_pen_u8(pen, flags);
    bool fresh = !route->on;
    if (fresh)
        *route = (struct ann_route){.on = true, .id = of(w, n)->next_route++};
    route->seqno = seqno;
    route->metric = metric;
    route->flags = flags;
    send(w, n, fresh ? WB_ROUTED_ROUTE_START : WB_ROUTED_ROUTE_UPDATE, 1);
    return true;
}

static bool tell_unroute(struct ann *w, uint8_t n, uint8_t k)
{
    struct ann_route *route = &of(w, n)->routes[k];
    int claims = k == 0 ? 0 : __builtin_popcount(route->claims);

    if (!route->on)
        return false;
    ann_pen_v(begin(w, n), route->id);
    of(w, n)->ended_route = route->id + 1;
    for (uint8_t p = 0; p < REF_PATHS; p++)
        if ((route->claims >> p & 1) != 0)
            of(w, n)->ended_claim = route->claim[p] + 1;
    *route = (struct ann_route){0};
    send(w, n, WB_ROUTED_ROUTE_END, claims + 1);
    return true;
}

static bool tell_claim(struct ann *w, uint8_t n, uint8_t k, uint8_t p, uint8_t epoch, uint64_t cost)
{
    struct ann_route *route = &of(w, n)->routes[k];
    struct ann_pen *pen;

    if (!route->on)
        tell_route(w, n, k, 1, 1, 0);
    if (!of(w, n)->on || (route->claims >> p & 1) != 0)
        return false;
    pen = begin(w, n);
    ann_pen_v(pen, 0);
    ann_pen_v(pen, 0);
    ann_pen_text(pen, ann_paths[p]);
    ann_pen_epoch(pen, epoch);
    ann_pen_v(pen, route->id);
    ann_pen_v(pen, cost);
    route->claims |= (uint16_t)(1u << p);
    route->claim[p] = of(w, n)->next_claim++;
    if (k == 0)
        sim_mark(w->run, ANN_MARK_DROPPED);
    send(w, n, WB_ROUTED_START, k == 0 ? 0 : 1);
    return true;
}

static bool tell_unclaim(struct ann *w, uint8_t n, uint8_t k, uint8_t p)
{
    struct ann_route *route = &of(w, n)->routes[k];

    if ((route->claims >> p & 1) == 0)
        return false;
    ann_pen_v(begin(w, n), route->claim[p]);
    route->claims &= (uint16_t) ~(1u << p);
    of(w, n)->ended_claim = route->claim[p] + 1;
    send(w, n, WB_ROUTED_END, k == 0 ? 0 : 1);
    return true;
}

static bool tell_change(struct ann *w, uint8_t n, uint8_t k, uint8_t p, bool restart, uint8_t epoch,
                        uint64_t cost)
{
    struct ann_route *route = &of(w, n)->routes[k];
    struct ann_pen *pen = begin(w, n);

    if ((route->claims >> p & 1) == 0)
        return false;
    ann_pen_v(pen, route->claim[p]);
    if (restart)
        ann_pen_epoch(pen, epoch);
    ann_pen_v(pen, cost);
    send(w, n, restart ? WB_ROUTED_RESTART : WB_ROUTED_UPDATE, k == 0 ? 0 : 1);
    return true;
}

static bool tell_floor(struct ann *w, uint8_t n, uint8_t k, uint64_t floor)
{
    struct ann_route *route = &of(w, n)->routes[k];
    struct ann_pen *pen = begin(w, n);

    if (!route->on || (floor > 0 && floor < route->highest))
        return false;
    ann_pen_v(pen, route->id);
    ann_pen_v(pen, floor);
    if (floor > 0)
        route->highest = floor;
    send(w, n, WB_ROUTED_FLOOR, 1);
    return true;
}

/* ---- lite-05 and lite-06: chains of one hop and the neighbour ---- */

/* hop 0 is unknown; the neighbour itself is an empty chain. */
static void put_hops(struct ann_pen *pen, uint8_t n, uint64_t hop)
{
    bool some = hop != ANN_PEER(n);

    ann_pen_v(pen, some);
    if (some)
        ann_pen_v(pen, hop);
}

static int flat_events(struct ann *w, uint8_t n, uint8_t p, uint64_t hop, bool fresh)
{
    struct ann_neighbour *to = of(w, n);
    uint16_t bit = (uint16_t)(1u << p);
    bool was = !fresh && (to->visible & bit) != 0, is = hop != ANN_SELF;

    to->visible = (uint16_t)((to->visible & ~bit) | (is ? bit : 0));
    if (!is)
        sim_mark(w->run, ANN_MARK_DROPPED);
    return was || is;
}

static bool tell_flat(struct ann *w, uint8_t n, uint8_t p, uint64_t hop, uint64_t cost)
{
    struct ann_neighbour *to = of(w, n);
    uint16_t bit = (uint16_t)(1u << p);
    bool fresh = (to->flats & bit) == 0;
    struct ann_pen *pen = begin(w, n);

    if (to->version == WB_LITE_05) {
        ann_pen_u8(pen, fresh ? 1 : 2);
        ann_pen_text(pen, ann_paths[p]);
        put_hops(pen, n, hop);
    } else {
        if (fresh)
            ann_pen_text(pen, ann_paths[p]);
        else
            ann_pen_v(pen, to->flat[p]);
        put_hops(pen, n, hop);
        ann_pen_v(pen, cost);
        ann_pen_v(pen, cost + 1);
    }
    if (fresh)
        to->flat[p] = to->next_claim++;
    to->flats |= bit;
    to->first_hop[p] = hop;
    int type = fresh ? WB_ANNOUNCED_START : WB_ANNOUNCED_RESTART;

    send(w, n, to->version == WB_LITE_05 ? -1 : type, flat_events(w, n, p, hop, fresh));
    return true;
}

static bool tell_flat_end(struct ann *w, uint8_t n, uint8_t p)
{
    struct ann_neighbour *to = of(w, n);
    uint16_t bit = (uint16_t)(1u << p);
    bool was = (to->visible & bit) != 0;
    struct ann_pen *pen = begin(w, n);

    if ((to->flats & bit) == 0 && to->version == WB_LITE_06)
        return false;
    if (to->version == WB_LITE_05) {
        ann_pen_u8(pen, 0);
        ann_pen_text(pen, ann_paths[p]);
        ann_pen_v(pen, 0);
    } else {
        ann_pen_v(pen, to->flat[p]);
    }
    to->flats &= (uint16_t)~bit;
    to->visible &= (uint16_t)~bit;
    to->ended_claim = to->flat[p] + 1;
    send(w, n, to->version == WB_LITE_05 ? -1 : WB_ANNOUNCED_END, was ? 1 : 0);
    return true;
}

static bool tell_flats(struct ann *w, uint8_t n, const struct sim_op *op)
{
    uint8_t p = op->arg % REF_PATHS;
    uint64_t hop = op->flags >= REF_NODES ? 0 : op->flags + 1u;

    switch (op->opcode) {
    case OP_CLAIM:
        return (of(w, n)->flats >> p & 1) == 0 && tell_flat(w, n, p, hop, op->ext >> 4);
    case OP_REPRICE:
        return (of(w, n)->flats >> p & 1) != 0 &&
               tell_flat(w, n, p, of(w, n)->first_hop[p], op->ext >> 4);
    case OP_RESTART:
        return (of(w, n)->flats >> p & 1) != 0 && tell_flat(w, n, p, hop, op->ext >> 4);
    case OP_UNCLAIM:
        return tell_flat_end(w, n, p);
    default:
        return false;
    }
}

bool ann_tell(struct ann *w, const struct sim_op *op)
{
    uint8_t n = op->slot % ANN_NEIGHBOURS, k = op->flags % REF_NODES, p = op->arg % REF_PATHS;
    uint8_t epoch = op->ext & 7;
    uint64_t cost = op->ext >> 4;

    if (!ann_need_neighbour(w, n))
        return false;
    if (op->opcode == OP_ASK) {
        uint64_t seqno = (uint64_t)op->arg | (uint64_t)op->ext << 16;

        wb_router_asked(w->core, of(w, n)->core, k + 1u, seqno);
        ref_router_asked(&w->model, n, k + 1u, seqno);
        return true;
    }
    if (!ann_tell_open(w, n))
        return false;
    if (of(w, n)->version != WB_LITE_07)
        return tell_flats(w, n, op);
    switch (op->opcode) {
    case OP_ROUTE:
        return tell_route(w, n, k, op->ext & 0xffff, op->arg, op->ext >> 16 & 1);
    case OP_UNROUTE:
        return tell_unroute(w, n, k);
    case OP_CLAIM:
        return tell_claim(w, n, k, p, epoch, cost);
    case OP_UNCLAIM:
        return tell_unclaim(w, n, k, p);
    case OP_REPRICE:
        return tell_change(w, n, k, p, false, 0, cost);
    case OP_RESTART:
        return tell_change(w, n, k, p, true, epoch, cost);
    case OP_FLOOR:
        return tell_floor(w, n, k, op->arg);
    default:
        return false;
    }
}
