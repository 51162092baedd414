/*
 * wrong.c: what no peer may tell. Each breach must close the session by the name of its rule;
 * where a neighbour has not what the breach needs, the op does nothing.
 */
#include "targets/announce/ann.h"

#define ONE_TOO_MANY (UINT64_C(1) << 62)

/* A route, and a claim of it, that are on the stream. */
static struct ann_route *some_route(struct ann_neighbour *to, uint8_t *out_k, uint8_t *out_path)
{
    for (uint8_t k = 0; k < REF_NODES; k++)
        if (to->routes[k].on) {
            *out_k = k;
            *out_path = REF_NONE;
            for (uint8_t p = 0; p < REF_PATHS; p++)
                if ((to->routes[k].claims >> p & 1) != 0)
                    *out_path = p;
            if (*out_path != REF_NONE || out_k == NULL)
                return &to->routes[k];
        }
    for (uint8_t k = 0; k < REF_NODES; k++)
        if (to->routes[k].on) {
            *out_k = k;
            return &to->routes[k];
        }
    return NULL;
}

static int put_start(struct ann_pen *pen, uint64_t base, uint64_t keep, const char *rest,
                     uint64_t route)
{
    ann_pen_v(pen, base);
    ann_pen_v(pen, keep);
    ann_pen_text(pen, rest);
    ann_pen_epoch(pen, 0);
    ann_pen_v(pen, route);
    ann_pen_v(pen, 0);
    return WB_ROUTED_START;
}

static int put_number(struct ann_pen *pen, uint64_t value, int type)
{
    ann_pen_v(pen, value);
    return type;
}

/* ROUTE_START of a node. */
static int put_route(struct ann_pen *pen, uint64_t node, uint64_t metric, uint8_t flags)
{
    ann_pen_v(pen, node);
    ann_pen_v(pen, 1);
    ann_pen_v(pen, metric);
    ann_pen_u8(pen, flags);
    return WB_ROUTED_ROUTE_START;
}

static int put_pair(struct ann_pen *pen, uint64_t a, uint64_t b, int type)
{
    ann_pen_v(pen, a);
    ann_pen_v(pen, b);
    return type;
}

/* What is wrong about routes: the message's type, or -1 when the neighbour has not what it takes.
 */
static int put_wrong_route(struct ann_neighbour *to, struct ann_pen *pen, enum ann_wrong how)
{
    uint8_t k = 0, p = REF_NONE;
    struct ann_route *route = some_route(to, &k, &p);
    uint64_t ended = to->ended_route;

    switch ((int)how) {
    case ANN_WRONG_START_ENDED:
        return ended == 0 ? -1 : put_start(pen, 0, 0, "a", ended - 1);
    case ANN_WRONG_START_UNROUTED:
        return put_start(pen, 0, 0, "a", to->next_route + 3);
    case ANN_WRONG_FLOOR_LOWER:
        return route == NULL || route->highest < 2
                   ? -1
                   : put_pair(pen, route->id, route->highest - 1, WB_ROUTED_FLOOR);
    case ANN_WRONG_FLOOR_ENDED:
        return ended == 0 ? -1 : put_pair(pen, ended - 1, 1, WB_ROUTED_FLOOR);
    case ANN_WRONG_ROUTE_TWICE:
        return route == NULL ? -1 : put_route(pen, k + 1u, 1, 0);
    case ANN_WRONG_NODE_ZERO:
        return put_route(pen, 0, 1, 0);
    case ANN_WRONG_FLAGS:
        return put_route(pen, 8, 1, 2);
    case ANN_WRONG_METRIC:
        return put_route(pen, 8, ONE_TOO_MANY, 0);
    default:
        return -1;
    }
}

static int put_epoch_of_15(struct ann_pen *pen, uint64_t route)
{
    ann_pen_v(pen, 0);
    ann_pen_v(pen, 0);
    ann_pen_text(pen, "b");
    ann_pen_text(pen, "123456789012345");
    ann_pen_v(pen, route);
    ann_pen_v(pen, 0);
    return WB_ROUTED_START;
}

static int put_wrong_claim(struct ann_neighbour *to, struct ann_pen *pen, enum ann_wrong how)
{
    uint8_t k = 0, p = REF_NONE;
    struct ann_route *route = some_route(to, &k, &p);
    uint64_t ended = to->ended_claim, id = p == REF_NONE ? 0 : route->claim[p];

    switch ((int)how) {
    case ANN_WRONG_END_RETIRED:
        return ended == 0 ? -1 : put_number(pen, ended - 1, WB_ROUTED_END);
    case ANN_WRONG_UPDATE_RETIRED:
        return ended == 0 ? -1 : put_pair(pen, ended - 1, 5, WB_ROUTED_UPDATE);
    case ANN_WRONG_END_UNASSIGNED:
        return put_number(pen, to->next_claim + 7, WB_ROUTED_END);
    case ANN_WRONG_START_TWICE:
        return p == REF_NONE ? -1 : put_start(pen, 0, 0, ann_paths[p], route->id);
    case ANN_WRONG_EPOCH:
        return route == NULL ? -1 : put_epoch_of_15(pen, route->id);
    case ANN_WRONG_BASE_RETIRED:
        return ended == 0 || route == NULL
                   ? -1
                   : put_start(pen, to->next_claim - (ended - 1), 0, "b", route->id);
    case ANN_WRONG_KEEP_LONG:
        return p == REF_NONE ? -1 : put_start(pen, to->next_claim - id, 9, "", route->id);
    case ANN_WRONG_LONG:
        return p == REF_NONE ? -1 : put_pair(pen, id, 1, WB_ROUTED_END);
    case ANN_WRONG_SHORT:
        return p == REF_NONE ? -1 : put_number(pen, id, WB_ROUTED_UPDATE);
    case ANN_WRONG_UNKNOWN_TYPE:
        return put_number(pen, 5, 60);
    default:
        return put_wrong_route(to, pen, how);
    }
}

static int put_wrong_flat(struct ann_neighbour *to, uint8_t n, struct ann_pen *pen,
                          enum ann_wrong how)
{
    uint8_t p = 0;

    while (p < REF_PATHS - 1 && (to->flats >> p & 1) == 0)
        p++;
    switch ((int)how) {
    case ANN_WRONG_END_RETIRED:
        return to->ended_claim == 0 ? -1 : put_number(pen, to->ended_claim - 1, WB_ANNOUNCED_END);
    case ANN_WRONG_END_UNASSIGNED:
        return put_number(pen, to->next_claim + 7, WB_ANNOUNCED_END);
    case ANN_WRONG_START_TWICE:
        if (to->flats == 0)
            return -1;
        ann_pen_text(pen, ann_paths[p]);
        ann_pen_v(pen, 0);
        return put_pair(pen, 0, 0, WB_ANNOUNCED_START);
    case ANN_WRONG_HOPS:
        ann_pen_text(pen, "hops");
        ann_pen_v(pen, 1);
        ann_pen_v(pen, ANN_PEER(n));
        return put_pair(pen, 0, 0, WB_ANNOUNCED_START);
    case ANN_WRONG_UNKNOWN_TYPE:
        return put_number(pen, 5, 60);
    default:
        return -1;
    }
}

bool ann_wrong(struct ann *w, const struct sim_op *op)
{
#define WRONG_ERR(name, text, err) err,
    static const enum wb_err rules[] = {ANN_WRONG_LIST(WRONG_ERR)};
#undef WRONG_ERR
    uint8_t n = op->slot % ANN_NEIGHBOURS;
    enum ann_wrong how = (enum ann_wrong)(op->arg % ANN_WRONG_COUNT);
    struct ann_neighbour *to = &w->neighbours[n];
    int type = -1;

    if (!ann_need_neighbour(w, n) || !ann_tell_open(w, n) || to->version == WB_LITE_05)
        return false;
    ann_pen_begin(&w->pen, to->version);
    type = to->version == WB_LITE_07 ? put_wrong_claim(to, &w->pen, how)
                                     : put_wrong_flat(to, n, &w->pen, how);
    if (type < 0)
        return false;
    ann_pen_wrap(&w->pen, 0, type);
    ann_hear(w, n, wb_view_of(w->pen.bytes, w->pen.len),
             rules[how] == WB_OK ? (int)WB_MORE : (int)rules[how], 0);
    return true;
}
