/*
 * ref_router_answer.c: what answers may be told, worked out after each fact. Between flushes only
 * what was lost on the way is kept: claims that were shown, and for a moment were not.
 */
#include "oracles/ref_router_own.h"

#include <string.h>

static bool is_own(uint8_t scope, uint8_t k)
{
    return scope == 0 && k == 0;
}

static bool has_route(const struct ref_router *r, uint8_t scope, uint8_t k)
{
    return is_own(scope, k) || r->nodes[scope][k].next != REF_NONE;
}

/* The scope in which the id is told on: trusted first, then the oldest client; REF_NONE: none. */
static uint8_t told_scope(const struct ref_router *r, uint8_t k)
{
    uint8_t best = REF_NONE;

    if (has_route(r, 0, k))
        return 0;
    for (uint8_t scope = 1; scope < REF_SCOPES; scope++)
        if (r->nodes[scope][k].next != REF_NONE &&
            (best == REF_NONE || r->neighbours[scope - 1].number < r->neighbours[best - 1].number))
            best = scope;
    return best;
}

bool ref_router_told(const struct ref_router *r, uint8_t scope, uint8_t k)
{
    return told_scope(r, k) == scope;
}

struct wb_route_state ref_router_state(const struct ref_router *r, uint8_t scope, uint8_t k)
{
    const struct ref_node *node = &r->nodes[scope][k];
    struct wb_route_state s = {.node = k + 1u};

    if (is_own(scope, k)) {
        s.seqno = r->seqno;
        s.floor = r->revision;
        return s;
    }
    if (node->next == REF_NONE)
        return s;
    const struct ref_neighbour *n = &r->neighbours[node->next];
    const struct ref_heard *h = &n->heard[k];

    s.seqno = h->seqno;
    s.metric = ref_router_add(h->metric, n->cost);
    s.from_upstream = n->kind == WB_LINK_UPSTREAM;
    s.flags = s.from_upstream ? h->flags | WB_ROUTED_DOWN_ONLY : h->flags;
    /* What is shown must be what the next hop's floor speaks of. */
    s.floor = node->live == h->stored && h->floor >= node->highest &&
                      ref_node_is_past_ends(r, scope, k, node->next)
                  ? h->floor
                  : 0;
    return s;
}

void ref_answer_split(const struct ref_router *r, const struct ref_answer *a, uint8_t scope,
                      uint8_t k, uint16_t *out_shown, uint16_t *out_withheld)
{
    const struct ref_node *node = &r->nodes[scope][k];
    const struct ref_neighbour *to = &r->neighbours[a->neighbour];
    uint16_t seen = node->live & a->scope, withheld = 0;

    if (to->peer == k + 1u)
        withheld = seen;
    if (to->kind == WB_LINK_UPSTREAM && !is_own(scope, k) && node->next != REF_NONE) {
        const struct ref_neighbour *from = &r->neighbours[node->next];

        if (from->kind == WB_LINK_UPSTREAM || (from->heard[k].flags & WB_ROUTED_DOWN_ONLY) != 0)
            withheld = seen;
    }
    if (!to->accepts_proxied)
        withheld |= seen & node->proxied;
    *out_withheld = withheld;
    *out_shown = (uint16_t)(seen & ~withheld);
}

void ref_answer_open(struct ref_router *r, uint8_t n, enum wb_moq_version version, uint8_t prefix,
                     bool hidden)
{
    struct ref_answer *a = &r->answers[n];

    memset(a, 0, sizeof(*a));
    a->on = true;
    a->version = version;
    a->neighbour = n;
    a->scope = r->paths->under[prefix];
    if (version == WB_LITE_07 && !hidden)
        a->scope &= (uint16_t)~r->paths->hidden;
    a->ids = 0xff;
    a->paths = a->scope;
    if (version == WB_LITE_07)
        r->routed |= (uint8_t)(1u << n);
    else
        r->flat |= (uint8_t)(1u << n);
}

void ref_answer_close(struct ref_router *r, uint8_t n)
{
    r->answers[n].on = false;
    r->routed &= (uint8_t) ~(1u << n);
    r->flat &= (uint8_t) ~(1u << n);
}

/* ---- lite-06: one announcement a path ---- */

void ref_chain_of(const struct ref_router *r, const struct ref_server *s, struct ref_chain *out)
{
    if (s->slot == REF_NONE) {
        *out = r->neighbours[s->via].flat[s->path].chain;
        return;
    }
    out->count = 0;
    if (s->via == REF_NONE)
        return;
    out->id[out->count++] = s->node;
    if (r->neighbours[s->via].peer != 0 && r->neighbours[s->via].peer != s->node)
        out->id[out->count++] = r->neighbours[s->via].peer;
}

bool ref_chain_is_equal(const struct ref_chain *a, const struct ref_chain *b)
{
    if (a->count != b->count)
        return false;
    for (uint8_t i = 0; i < a->count; i++)
        if (a->id[i] != b->id[i])
            return false;
    return true;
}

bool ref_answer_shows(const struct ref_router *r, const struct ref_answer *a, uint8_t p,
                      const struct ref_server *s, struct ref_chain *out_chain)
{
    const struct ref_neighbour *to = &r->neighbours[a->neighbour];

    if (!s->some || (a->scope >> p & 1) == 0)
        return false;
    ref_chain_of(r, s, out_chain);
    for (uint8_t i = 0; i < out_chain->count; i++)
        if (to->peer != 0 && out_chain->id[i] == to->peer)
            return false;
    return true;
}

/* Is what serves the path now the content that it was a moment ago? */
static bool is_same(const struct ref_router *r, const struct ref_server *was,
                    const struct ref_server *is)
{
    if (was->epoch != 0 || is->epoch != 0)
        return was->epoch == is->epoch;
    if (was->via != is->via || was->slot != is->slot || was->scope != is->scope)
        return false;
    if (is->slot != REF_NONE)
        return (r->nodes[is->scope][is->slot].renewed >> is->path & 1) == 0;
    return (r->neighbours[is->via].renewed >> is->path & 1) == 0;
}

static void note_path(struct ref_router *r, uint8_t p)
{
    uint16_t bit = (uint16_t)(1u << p);
    struct ref_server s = ref_server_on(r, p);
    bool another = !s.some || !r->by[p].some || !is_same(r, &r->by[p], &s);

    for (uint16_t left = r->flat; left != 0;) {
        struct ref_answer *a = &r->answers[ref_take(&left)];

        a->paths |= bit & a->scope;
        a->sent[0].gone |= another ? bit & a->sent[0].shown : 0;
    }
    r->by[p] = s;
    r->served = (uint16_t)((r->served & ~bit) | (s.some ? bit : 0));
}

/* ---- lite-07 ---- */

static bool state_is_equal(const struct wb_route_state *a, const struct wb_route_state *b)
{
    return a->seqno == b->seqno && a->metric == b->metric && a->flags == b->flags &&
           a->from_upstream == b->from_upstream && a->floor == b->floor;
}

/* What may be told of the id now. */
static void look(const struct ref_router *r, uint8_t k, struct ref_noted *out)
{
    const struct ref_node *node;

    *out = (struct ref_noted){.scope = told_scope(r, k), .next = REF_NONE};
    if (out->scope == REF_NONE)
        return;
    node = &r->nodes[out->scope][k];
    out->state = ref_router_state(r, out->scope, k);
    out->live = node->live;
    out->held = node->held;
    out->next = node->next;
}

/* Scopes in which somebody tells the id; the own id is always there. */
static uint8_t known_scopes(const struct ref_router *r, uint8_t k)
{
    uint8_t scopes = k == 0;

    for (uint8_t n = 0; n < REF_NEIGHBOURS; n++)
        if (r->neighbours[n].on && r->neighbours[n].heard[k].on)
            scopes |= (uint8_t)(1u << ref_scope_of(r, n));
    return scopes;
}

static bool noted_is_equal(const struct ref_noted *a, const struct ref_noted *b)
{
    return a->scope == b->scope && state_is_equal(&a->state, &b->state) && a->live == b->live &&
           a->held == b->held && a->next == b->next;
}

static void note_node(struct ref_router *r, uint8_t k)
{
    struct ref_noted *was = &r->noted[k], now;
    bool moved;
    uint16_t renewed = 0;

    look(r, k, &now);
    moved = was->scope != now.scope;
    if (now.scope != REF_NONE)
        renewed = r->nodes[now.scope][k].renewed;
    if (noted_is_equal(was, &now) && renewed == 0 &&
        (now.scope == REF_NONE || !r->nodes[now.scope][k].repriced))
        return;
    for (uint16_t left = r->routed; left != 0;) {
        struct ref_answer *a = &r->answers[ref_take(&left)];

        a->ids |= (uint8_t)(1u << k);
        a->sent[k].gone |=
            moved ? a->sent[k].shown : a->sent[k].shown & (uint16_t)(~now.live | renewed);
    }
    *was = now;
}

void ref_fact_about(struct ref_router *r, uint8_t k)
{
    r->ids |= (uint8_t)(1u << k);
    for (uint16_t left = r->known[k]; left != 0;)
        r->claims |= r->nodes[ref_take(&left)][k].live;
}

void ref_answer_note(struct ref_router *r)
{
    for (uint16_t left = r->ids; left != 0;) {
        uint8_t k = ref_take(&left);

        r->known[k] = known_scopes(r, k);
        ref_fact_about(r, k);
        note_node(r, k);
    }
    for (uint16_t left = r->claims; left != 0;)
        note_path(r, ref_take(&left));
    for (uint16_t left = r->ids; left != 0;) {
        uint8_t k = ref_take(&left);

        for (uint16_t scopes = r->known[k]; scopes != 0;) {
            struct ref_node *node = &r->nodes[ref_take(&scopes)][k];

            node->renewed = 0;
            node->repriced = false;
        }
    }
    r->changed |= r->ids;
    r->changed_paths |= r->claims;
    r->ids = 0;
    r->claims = 0;
}

bool ref_router_is_whole(const struct ref_router *r)
{
    for (uint8_t k = 0; k < REF_NODES; k++) {
        struct ref_noted now;

        look(r, k, &now);
        if (!noted_is_equal(&now, &r->noted[k]) || known_scopes(r, k) != r->known[k])
            return false;
    }
    for (uint8_t p = 0; p < REF_PATHS; p++) {
        struct ref_server s = ref_server_on(r, p);
        const struct ref_server *by = &r->by[p];

        if (s.some != by->some ||
            (s.some && (s.epoch != by->epoch || s.via != by->via || s.scope != by->scope ||
                        s.slot != by->slot || s.node != by->node || s.cost != by->cost ||
                        s.cold != by->cold)))
            return false;
    }
    return true;
}

/* ---- the recount ---- */

static bool sent_is_whole(const struct ref_router *r, const struct ref_answer *a, uint8_t k)
{
    const struct ref_sent *s = &a->sent[k];
    uint8_t scope = told_scope(r, k);
    uint16_t shown = 0, withheld = 0;
    struct wb_route_state state;
    uint64_t floor;

    if (scope != REF_NONE)
        ref_answer_split(r, a, scope, k, &shown, &withheld);
    if (s->on != (shown != 0) || s->shown != shown || s->withheld != withheld)
        return false;
    if (!s->on)
        return true;
    state = ref_router_state(r, scope, k);
    floor = withheld == 0 && state.floor >= s->highest ? state.floor : 0;
    for (uint8_t p = 0; p < REF_PATHS; p++)
        if ((shown >> p & 1) != 0 && (s->epoch[p] != r->nodes[scope][k].epoch[p] ||
                                      s->warm[p] != r->nodes[scope][k].cost[p]))
            return false;
    return s->seqno == state.seqno && s->metric == state.metric && s->flags == state.flags &&
           s->floor == floor;
}

static bool path_is_whole(const struct ref_router *r, const struct ref_answer *a, uint8_t p)
{
    struct ref_server s = ref_server_on(r, p);
    struct ref_chain chain = {0};
    bool is_on = (a->sent[0].shown >> p & 1) != 0;

    if (ref_answer_shows(r, a, p, &s, &chain) != is_on)
        return false;
    return !is_on || (ref_chain_is_equal(&chain, &a->chain[p]) && a->sent[0].warm[p] == s.cost &&
                      a->cold[p] == s.cold);
}

bool ref_answer_is_whole(const struct ref_router *r, uint8_t n)
{
    const struct ref_answer *a = &r->answers[n];

    for (uint8_t k = 0; k < REF_NODES && a->version == WB_LITE_07; k++)
        if (!sent_is_whole(r, a, k))
            return false;
    for (uint8_t p = 0; p < REF_PATHS && a->version == WB_LITE_06; p++)
        if (!path_is_whole(r, a, p))
            return false;
    return true;
}
