/*
 * ref_router.c: what is offered here, neighbours as such, those without nodes, and who serves a
 * path.
 */
#include "oracles/ref_router.h"

#include "oracles/ref_router_own.h"

#include <string.h>

#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

static bool is_prefix(const char *a, const char *b)
{
    size_t n = 0;

    while (a[n] != '\0' && a[n] == b[n])
        n++;
    return a[n] == '\0' && (n == 0 || b[n] == '\0' || b[n] == '/');
}

static void make_paths(struct ref_path_table *paths, const char *const text[REF_PATHS])
{
    paths->made = true;
    for (size_t i = 0; i < REF_PATHS; i++) {
        paths->text[i] = text[i];
        paths->len[i] = strlen(text[i]);
        paths->hash[i] = FNV_BASIS;
        for (const char *c = text[i]; *c != '\0'; c++)
            paths->hash[i] = (paths->hash[i] ^ (uint8_t)*c) * FNV_PRIME;
        if (text[i][0] == '.' || strstr(text[i], "/.") != NULL)
            paths->hidden |= (uint16_t)(1u << i);
        for (size_t k = 0; k < REF_PATHS; k++)
            if (is_prefix(text[i], text[k])) {
                paths->under[i] |= (uint16_t)(1u << k);
                paths->over[k] |= (uint16_t)(1u << i);
            }
    }
}

void ref_router_raise(struct ref_router *r, uint64_t seqno)
{
    if (seqno <= r->seqno)
        return;
    r->seqno = seqno;
    /* The upper half tells the lives apart: seqno 1 is life 0. */
    while (r->revision >> 32 < seqno - 1 && r->revision >> 32 < UINT32_MAX)
        r->revision = (seqno - 1 < UINT32_MAX ? seqno - 1 : UINT32_MAX) << 32;
}

void ref_router_init(struct ref_router *r, struct ref_path_table *paths,
                     const char *const text[REF_PATHS], uint64_t seqno)
{
    if (!paths->made)
        make_paths(paths, text);
    memset(r, 0, sizeof(*r));
    r->paths = paths;
    r->remember = 1024;
    ref_router_raise(r, seqno);
    for (size_t s = 0; s < REF_SCOPES; s++)
        for (size_t k = 0; k < REF_NODES; k++)
            r->nodes[s][k].next = REF_NONE;
    for (uint8_t k = 0; k < REF_NODES; k++)
        ref_fact_about(r, k);
    ref_answer_note(r);
    r->changed = 0;
}

void ref_router_join(struct ref_router *r, uint8_t n, enum wb_link_kind kind, uint64_t peer,
                     uint64_t cost, bool accepts_proxied)
{
    r->neighbours[n] = (struct ref_neighbour){.on = true,
                                              .number = ++r->joined,
                                              .kind = kind,
                                              .accepts_proxied = accepts_proxied,
                                              .peer = peer,
                                              .cost = cost};
}

/* What stands under a path of our own now. */
static void settle_own(struct ref_router *r, uint8_t p)
{
    struct ref_node *self = &r->nodes[0][0];
    uint16_t bit = (uint16_t)(1u << p), flats = 0;
    bool was = (self->live & bit) != 0, was_proxied = (self->proxied & bit) != 0;
    bool own = (r->own & bit) != 0, mount = (r->mount & bit) != 0;
    bool was_echo = (self->echo & bit) != 0;
    uint8_t epoch = own ? r->own_epoch[p] : mount ? r->mount_epoch[p] : 0;
    uint64_t cost = own ? r->own_cost[p] : mount ? r->mount_cost[p] : 0;
    bool replaced = false;

    uint64_t least = WB_NODE_MAX;

    for (size_t n = 0; n < REF_NEIGHBOURS; n++) {
        const struct ref_neighbour *from = &r->neighbours[n];

        if (!from->on || (from->flats & bit) == 0)
            continue;
        flats |= bit;
        least = from->flat[p].warm < least ? from->flat[p].warm : least;
        replaced |= (from->renewed & bit) != 0;
    }
    bool echo = !own && !mount && (flats & bit) != 0;
    bool is = own || mount || echo, proxied = is && !own;

    if (echo)
        cost = least;
    replaced = replaced && was_echo && echo;

    self->live &= (uint16_t)~bit;
    self->proxied &= (uint16_t)~bit;
    self->echo &= (uint16_t)~bit;
    self->live |= is ? bit : 0;
    self->proxied |= proxied ? bit : 0;
    self->echo |= echo ? bit : 0;
    if (is == was && (!is || (proxied == was_proxied && epoch == self->epoch[p] &&
                              cost == self->cost[p] && echo == was_echo && !replaced)))
        return;
    if (is && was &&
        (proxied != was_proxied || echo != was_echo || epoch != self->epoch[p] || replaced))
        self->renewed |= bit;
    self->epoch[p] = epoch;
    self->cost[p] = cost;
    self->repriced = true;
    r->revision++;
}

static void about_own(struct ref_router *r, uint8_t p)
{
    ref_fact_about(r, 0);
    r->claims |= (uint16_t)(1u << p);
}

void ref_router_offer(struct ref_router *r, uint8_t p, bool mounted, uint8_t epoch, uint64_t cost)
{
    about_own(r, p);
    (mounted ? r->mount_epoch : r->own_epoch)[p] = epoch;
    (mounted ? r->mount_cost : r->own_cost)[p] = cost;
    if (mounted)
        r->mount |= (uint16_t)(1u << p);
    else
        r->own |= (uint16_t)(1u << p);
    settle_own(r, p);
    ref_answer_note(r);
}

void ref_router_withdraw(struct ref_router *r, uint8_t p, bool mounted)
{
    about_own(r, p);
    if (mounted)
        r->mount &= (uint16_t) ~(1u << p);
    else
        r->own &= (uint16_t) ~(1u << p);
    settle_own(r, p);
    ref_answer_note(r);
}

void ref_router_closed(struct ref_router *r, uint8_t n)
{
    struct ref_neighbour *from = &r->neighbours[n];
    uint16_t flats = from->flats;

    from->flats = 0;
    for (uint8_t k = 0; k < REF_NODES; k++) {
        if (!from->heard[k].on)
            continue;
        ref_fact_about(r, k);
        ref_router_retract(r, n, k);
    }
    for (uint8_t p = 0; p < REF_PATHS; p++)
        if ((flats >> p & 1) != 0) {
            about_own(r, p);
            settle_own(r, p);
        }
    ref_answer_note(r);
}

void ref_router_leave(struct ref_router *r, uint8_t n)
{
    ref_router_closed(r, n);
    ref_answer_close(r, n);
    r->neighbours[n].on = false;
}

void ref_router_flat(struct ref_router *r, uint8_t n, uint8_t p, const struct ref_flat *flat,
                     bool restarted)
{
    about_own(r, p);
    r->neighbours[n].flats |= (uint16_t)(1u << p);
    r->neighbours[n].flat[p] = *flat;
    if (restarted)
        r->neighbours[n].renewed |= (uint16_t)(1u << p);
    settle_own(r, p);
    ref_answer_note(r);
    r->neighbours[n].renewed = 0;
}

void ref_router_flat_end(struct ref_router *r, uint8_t n, uint8_t p)
{
    about_own(r, p);
    r->neighbours[n].flats &= (uint16_t) ~(1u << p);
    settle_own(r, p);
    ref_answer_note(r);
}

void ref_router_asked(struct ref_router *r, uint8_t n, uint64_t id, uint64_t seqno)
{
    uint8_t k = (uint8_t)(id - 1), best = REF_NONE, scope;

    if (id == 1) {
        ref_fact_about(r, 0);
        ref_router_raise(r, seqno);
        ref_answer_note(r);
        return;
    }
    /*
     * What is asked for is what answers tell of the id, or nothing. Of the neighbours besides the
     * one that asks, the best feasible one, else the best (RFC 8966 3.8.1.2).
     */
    scope = r->noted[k].scope == REF_NONE ? 0 : r->noted[k].scope;
    best = ref_node_best(r, scope, k, true, n);
    if (best == REF_NONE)
        best = ref_node_best(r, scope, k, false, n);
    if (best == REF_NONE && ref_node_best(r, scope, k, false, REF_NONE) != REF_NONE) {
        r->nodes[scope][k].wanted = seqno;
        r->nodes[scope][k].wanted_by = r->neighbours[n].number;
    }
    if (best == REF_NONE || r->neighbours[best].heard[k].seqno >= seqno ||
        r->neighbours[best].heard[k].asked >= seqno)
        return;
    ref_router_ask(r, best, k, seqno);
}

/* ---- who serves a path ---- */

static uint64_t sat(uint64_t a, uint64_t b)
{
    return a > WB_NODE_MAX - b ? WB_NODE_MAX : a + b;
}

static int preference(const struct ref_router *r, uint8_t via)
{
    if (via == REF_NONE)
        return 0;
    switch (r->neighbours[via].kind) {
    case WB_LINK_CLIENT:
        return 1;
    case WB_LINK_PEER:
        return 2;
    case WB_LINK_UPSTREAM:
        break;
    }
    return 3;
}

static uint64_t number(const struct ref_router *r, uint8_t via)
{
    return via == REF_NONE ? 0 : r->neighbours[via].number;
}

static uint64_t rank_hash(const struct ref_router *r, const struct ref_server *s)
{
    uint64_t hash = r->paths->hash[s->path];
    for (int i = 0; i < 8; i++)
        hash = (hash ^ (uint8_t)(s->node >> (8 * i))) * FNV_PRIME;
    return hash;
}

/* In the order of the specification's section 5, rule 4; a is on the longer or the same prefix. */
static bool is_preferred(const struct ref_router *r, const struct ref_server *a,
                         const struct ref_server *b)
{
    uint64_t ha, hb;

    if (!b->some || a->path != b->path)
        return !b->some || r->paths->len[a->path] > r->paths->len[b->path];
    if (a->epoch != b->epoch)
        return a->epoch > b->epoch;
    if (preference(r, a->via) != preference(r, b->via))
        return preference(r, a->via) < preference(r, b->via);
    if (a->cost != b->cost)
        return a->cost < b->cost;
    ha = rank_hash(r, a);
    hb = rank_hash(r, b);
    if (ha != hb || a->node != b->node)
        return ha != hb ? ha < hb : a->node < b->node;
    /* The specification ends here: of one id from several neighbours, the oldest neighbour's. */
    return number(r, a->via) < number(r, b->via);
}

static void weigh(const struct ref_router *r, struct ref_server *best, struct ref_server s)
{
    s.some = true;
    if (is_preferred(r, &s, best))
        *best = s;
}

static void weigh_nodes(const struct ref_router *r, uint8_t scope, uint8_t p,
                        struct ref_server *best)
{
    for (uint8_t k = 0; k < REF_NODES; k++) {
        const struct ref_node *node = &r->nodes[scope][k];
        bool own = scope == 0 && k == 0;
        uint64_t cost, metric = 0;

        if ((r->known[k] >> scope & 1) == 0 || ((node->live & ~node->echo) >> p & 1) == 0)
            continue;
        if (!own)
            metric = ref_router_add(r->neighbours[node->next].heard[k].metric,
                                    r->neighbours[node->next].cost);
        cost = sat(metric, node->cost[p]);
        weigh(r, best,
              (struct ref_server){.path = p,
                                  .epoch = node->epoch[p],
                                  .via = own ? REF_NONE : node->next,
                                  .scope = scope,
                                  .slot = k,
                                  .node = k + 1u,
                                  .cost = cost,
                                  .cold = cost});
    }
}

struct ref_server ref_server_on(const struct ref_router *r, uint8_t p)
{
    struct ref_server best = {0};

    weigh_nodes(r, 0, p, &best);
    for (uint8_t n = 0; n < REF_NEIGHBOURS; n++) {
        const struct ref_neighbour *from = &r->neighbours[n];

        if (from->on && from->kind == WB_LINK_CLIENT)
            weigh_nodes(r, (uint8_t)(n + 1), p, &best);
        if (!from->on || (from->flats >> p & 1) == 0)
            continue;
        weigh(r, &best,
              (struct ref_server){.path = p,
                                  .via = n,
                                  .slot = REF_NONE,
                                  .node = from->flat[p].chain.id[0],
                                  .cost = from->flat[p].warm,
                                  .cold = from->flat[p].cold});
    }
    return best;
}

const struct ref_server *ref_router_server(const struct ref_router *r, uint8_t path)
{
    const struct ref_server *best = &r->by[path];

    for (uint16_t left = r->paths->over[path] & r->served; left != 0;) {
        uint8_t p = ref_take(&left);

        if (!best->some || r->paths->len[p] > r->paths->len[best->path])
            best = &r->by[p];
    }
    return best;
}
