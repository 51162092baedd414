/*
 * router_show.c: who serves a path, and what each answer is told. Design note on routed announces.
 */
#include "core/route/router_state.h"

/* ---- who serves a place ---------------------------------------------------------------------- */

const struct wb_neighbour *wb_candidate_via(const struct wb_candidate *c)
{
    if (c->node == NULL)
        return c->of;
    return c->node->next_hop == NULL ? NULL : c->node->next_hop->neighbour;
}

uint64_t wb_candidate_cost(const struct wb_candidate *c)
{
    uint64_t metric = 0;

    if (c->node != NULL && c->node->next_hop != NULL)
        metric = wb_rule_add(c->node->next_hop->metric, c->node->next_hop->neighbour->config.cost);
    return c->cost > WB_NODE_MAX - metric ? WB_NODE_MAX : c->cost + metric;
}

static uint64_t node_of(const struct wb_candidate *c)
{
    if (c->node != NULL)
        return c->node->id;
    return c->hops == NULL || c->hops->count == 0 ? 0 : c->hops->id[0];
}

/* Ours first, then by the kind of link. */
static unsigned preference(const struct wb_candidate *c)
{
    const struct wb_neighbour *via = wb_candidate_via(c);

    return via == NULL ? 0 : 1 + (unsigned)via->config.kind;
}

static uint64_t number_of(const struct wb_candidate *c)
{
    const struct wb_neighbour *via = wb_candidate_via(c);

    return via == NULL ? 0 : via->number;
}

static int order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* Newest first; none is oldest. */
static int epoch_order(const struct wb_epoch *a, const struct wb_epoch *b)
{
    if (!a->some || !b->some)
        return (int)b->some - (int)a->some;
    for (unsigned i = 0; i < sizeof(a->bytes); i++)
        if (a->bytes[i] != b->bytes[i])
            return a->bytes[i] > b->bytes[i] ? -1 : 1;
    return 0;
}

/* The path is hashed once, since who tells it may tell it of many nodes. */
static int hash_order(const struct wb_candidate *a, const struct wb_candidate *b)
{
    struct wb_place *place = a->place;

    if (!place->hashed)
        place->hash = wb_fnv(WB_FNV_BASIS, place->path.view);
    place->hashed = true;
    return order(wb_fnv_u64(place->hash, node_of(a)), wb_fnv_u64(place->hash, node_of(b)));
}

/* < 0 when a serves the place rather than b. */
static int wb_rank_order(const struct wb_candidate *a, const struct wb_candidate *b)
{
    int by = epoch_order(&a->epoch, &b->epoch);

    WB_COST(servers_compared, 1);
    if (by == 0)
        by = order(preference(a), preference(b));
    if (by == 0)
        by = order(wb_candidate_cost(a), wb_candidate_cost(b));
    if (by == 0)
        by = hash_order(a, b);
    if (by == 0)
        by = order(node_of(a), node_of(b));
    /* One id from several neighbours: whoever has been here longest. */
    return by != 0 ? by : order(number_of(a), number_of(b));
}

RB_GENERATE(wb_ranks, wb_candidate, by_rank, wb_rank_order)

/* A claim of ours that only repeats what neighbours without nodes tell serves nothing itself. */
static bool serves(const struct wb_candidate *c)
{
    return c->live && !(c->node != NULL && ((const struct wb_node_claim *)(const void *)c)->echo);
}

void wb_candidate_rank(struct wb_candidate *c)
{
    const struct wb_candidate *same = NULL;

    if (c->ranked)
        RB_REMOVE(wb_ranks, &c->place->ranks, c);
    c->ranked = serves(c);
    if (c->ranked)
        same = RB_INSERT(wb_ranks, &c->place->ranks, c);
    WB_ASSERT(same == NULL);
}

struct wb_candidate *wb_place_best(const struct wb_place *place)
{
    struct wb_ranks ranks = place->ranks; /* a look changes nothing */

    return RB_MIN(wb_ranks, &ranks);
}

void wb_place_check(const struct wb_place *place)
{
    struct wb_ranks ranks = place->ranks;
    struct wb_candidate *c, *last = NULL;
    uint64_t serve = 0, ranked = 0;

    TAILQ_FOREACH(c, &place->candidates, in_place)
    {
        WB_ASSERT(c->ranked == serves(c));
        serve += serves(c);
    }
    RB_FOREACH(c, wb_ranks, &ranks)
    {
        WB_ASSERT(last == NULL || wb_rank_order(last, c) < 0);
        last = c;
        ranked++;
    }
    WB_ASSERT(ranked == serve);
}

/* ---- telling one answer ---------------------------------------------------------------------- */

static void keep(struct wb_answer *a, enum wb_err e)
{
    a->lost |= e != WB_OK;
}

static bool is_routed(const struct wb_answer *a)
{
    return a->version >= WB_LITE_07;
}

static enum wb_err tell_claim(struct wb_answer *a, const struct wb_node_claim *c)
{
    const struct wb_candidate *it = &c->candidate;
    struct wb_claim_state state = {.epoch = it->epoch, .warm = it->cost, .proxied = c->proxied};

    return wb_announce_pub_claim(a->pub, it->node->id, &it->place->path, it->live ? &state : NULL);
}

/* Of a node that is told on, which has a next hop or is our own. */
static struct wb_route_state route_of(const struct wb_router *r, const struct wb_node *node)
{
    struct wb_route_state state = {0};
    bool has = wb_node_route(r, node, &state);

    WB_ASSERT(has);
    return state;
}

static enum wb_err tell_route(struct wb_router *r, struct wb_answer *a, const struct wb_node *node)
{
    struct wb_route_state state = route_of(r, node);

    return wb_announce_pub_route(a->pub, node->id, &state);
}

/* The chain of lite-06, without us: the node, then the next hop when it is another. */
static enum wb_err tell_place(struct wb_answer *a, const struct wb_place *place,
                              const struct wb_candidate *by)
{
    struct wb_claim_state state = {0};
    struct wb_hops hops = {0};
    const struct wb_neighbour *via;

    if (by == NULL)
        return wb_announce_pub_claim(a->pub, 0, &place->path, NULL);
    via = wb_candidate_via(by);
    state.warm = wb_candidate_cost(by);
    state.cold = by->node == NULL ? by->cold : state.warm;
    if (via != NULL && by->node != NULL) {
        hops.id[hops.count++] = by->node->id;
        if (via->config.peer != 0 && via->config.peer != by->node->id)
            hops.id[hops.count++] = via->config.peer;
    }
    state.hops = by->node == NULL ? by->hops : &hops;
    return wb_announce_pub_claim(a->pub, 0, &place->path, &state);
}

/* ---- telling all ----------------------------------------------------------------------------- */

static bool is_told(const struct wb_node *node)
{
    return node->own || node->told;
}

void wb_show_route(struct wb_router *r, struct wb_node *node)
{
    struct wb_route_state state;
    struct wb_answer *a;

    if (!is_told(node))
        return;
    state = route_of(r, node);
    TAILQ_FOREACH(a, &r->answers, in_router)
    {
        if (is_routed(a) && !a->lost)
            keep(a, wb_announce_pub_route(a->pub, node->id, &state));
    }
}

void wb_show_claim(struct wb_router *r, struct wb_node_claim *c, bool renewed)
{
    struct wb_candidate *it = &c->candidate;
    struct wb_answer *a;

    wb_candidate_rank(it);
    TAILQ_FOREACH(a, &r->answers, in_router)
    {
        if (!is_told(it->node) || !is_routed(a) || a->lost)
            continue;
        if (renewed && it->live)
            keep(a, wb_announce_pub_claim(a->pub, it->node->id, &it->place->path, NULL));
        keep(a, tell_claim(a, c));
    }
    wb_show_place(r, it->place, renewed ? it : NULL);
}

static bool same_content(const struct wb_epoch *a, const struct wb_epoch *b)
{
    return a->some && b->some && epoch_order(a, b) == 0;
}

void wb_show_place(struct wb_router *r, struct wb_place *place, const struct wb_candidate *renewed)
{
    const struct wb_candidate *by = wb_place_best(place);
    struct wb_shown *shown = &place->shown;
    bool moved, fresh = false;
    struct wb_answer *a;

    if (r->gathers) {
        if (!place->due)
            TAILQ_INSERT_TAIL(&r->due, place, in_due);
        place->due = true;
        if (renewed != NULL)
            place->renewed = renewed;
        return;
    }
    if (by == NULL && shown->by == NULL)
        return;
    if (by != NULL && shown->by != NULL) {
        moved = by != shown->by || wb_candidate_via(by) != shown->via || by == renewed ||
                by->epoch.some != shown->epoch.some;
        fresh = moved && !same_content(&by->epoch, &shown->epoch);
        fresh |= by->epoch.some && !same_content(&by->epoch, &shown->epoch);
    }
    *shown = (struct wb_shown){0};
    if (by != NULL)
        *shown = (struct wb_shown){by, wb_candidate_via(by), by->epoch};
    TAILQ_FOREACH(a, &r->answers, in_router)
    {
        if (is_routed(a) || a->lost)
            continue;
        if (fresh)
            keep(a, tell_place(a, place, NULL));
        keep(a, tell_place(a, place, by));
    }
}

void wb_show_gather(struct wb_router *r)
{
    r->gathers = true;
}

void wb_show_due(struct wb_router *r)
{
    struct wb_place *place;

    r->gathers = false;
    while ((place = TAILQ_FIRST(&r->due)) != NULL) {
        const struct wb_candidate *renewed = place->renewed;

        TAILQ_REMOVE(&r->due, place, in_due);
        place->due = false;
        place->renewed = NULL;
        wb_show_place(r, place, renewed);
        wb_place_release(r, place);
    }
}

/* ---- ids ---------------------------------------------------------------------------------------
 */

static void show_claims(struct wb_router *r, struct wb_node *node, bool told)
{
    struct wb_node_claim *c;
    struct wb_answer *a;

    TAILQ_FOREACH(a, &r->answers, in_router)
    {
        if (!is_routed(a) || a->lost)
            continue;
        if (told)
            keep(a, tell_route(r, a, node));
        RB_FOREACH(c, wb_node_claims, &node->claims)
        {
            if (a->lost || !c->candidate.live)
                continue; /* an answer that lost its route takes no claims */
            if (told)
                keep(a, tell_claim(a, c));
            else
                keep(a, wb_announce_pub_claim(a->pub, node->id, &c->candidate.place->path, NULL));
        }
        if (!told && !a->lost)
            keep(a, wb_announce_pub_route(a->pub, node->id, NULL));
    }
}

/* Trusted first, then the oldest client: the first of an id that has a next hop. */
void wb_show_ids(struct wb_router *r, uint64_t id)
{
    struct wb_node *first = wb_node_first(r, id), *node, *front = NULL;

    for (node = first; node != NULL; node = wb_node_next(node))
        if (front == NULL && node->next_hop != NULL)
            front = node;
    for (node = first; node != NULL; node = wb_node_next(node))
        if (node->told && node != front) {
            node->told = false;
            show_claims(r, node, false);
        }
    if (front != NULL && !front->told) {
        front->told = true;
        show_claims(r, front, true);
    }
}

/* ---- answers --------------------------------------------------------------------------------- */

enum wb_err wb_show_all(struct wb_router *r, struct wb_answer *a)
{
    struct wb_node_claim *c;
    struct wb_place *place;
    struct wb_node *node;

    RB_FOREACH(node, wb_nodes, &r->nodes)
    {
        if (!is_routed(a) || !is_told(node))
            continue;
        WB_TRY(tell_route(r, a, node));
        RB_FOREACH(c, wb_node_claims, &node->claims)
        {
            if (c->candidate.live)
                WB_TRY(tell_claim(a, c));
        }
    }
    RB_FOREACH(place, wb_places, &r->places)
    {
        if (!is_routed(a) && place->shown.by != NULL)
            WB_TRY(tell_place(a, place, place->shown.by));
    }
    return WB_OK;
}

enum wb_err wb_answer_open(struct wb_router *r, struct wb_neighbour *n, enum wb_moq_version version,
                           struct wb_view prefix, bool hidden, bool compress,
                           struct wb_answer **out)
{
    struct wb_announce_pub_config config = {.version = version,
                                            .self = r->self->id,
                                            .peer = n->config.peer,
                                            .link = n->config.kind,
                                            .accepts_proxied = n->config.accepts_proxied,
                                            .prefix = prefix,
                                            .hidden = hidden,
                                            .compress = compress};
    struct wb_answer *a = wb_mem_take(r->mem, sizeof(*a));
    enum wb_err e;

    if (a == NULL)
        return WB_E_NOMEM;
    *a = (struct wb_answer){.router = r, .neighbour = n, .version = version};
    e = wb_announce_pub_new(r->mem, &config, &a->pub);
    if (e == WB_OK)
        e = wb_show_all(r, a);
    if (e != WB_OK) {
        if (a->pub != NULL)
            wb_announce_pub_free(a->pub);
        wb_mem_give(r->mem, a, sizeof(*a));
        return e;
    }
    TAILQ_INSERT_TAIL(&r->answers, a, in_router);
    *out = a;
    return WB_OK;
}

void wb_answer_close(struct wb_answer *a)
{
    TAILQ_REMOVE(&a->router->answers, a, in_router);
    wb_announce_pub_free(a->pub);
    wb_mem_give(a->router->mem, a, sizeof(*a));
}

enum wb_err wb_answer_flush(struct wb_answer *a, struct wb_buf *out)
{
    struct wb_route_state state = {0};

    if (a->lost)
        return WB_E_NOMEM;
    /* The distance follows before anything finite is sent (RFC 8966 3.7.3). */
    while (wb_announce_pub_route_due(a->pub, state.node, &state))
        wb_node_sent(a->router, state.node, state.seqno, state.metric);
    return wb_announce_pub_flush(a->pub, out);
}

bool wb_answer_dirty(const struct wb_answer *a)
{
    return a->lost || wb_announce_pub_dirty(a->pub);
}

bool wb_answer_lost(const struct wb_answer *a)
{
    return a->lost;
}

const struct wb_announce_pub *wb_answer_pub(const struct wb_answer *a)
{
    return a->pub;
}
