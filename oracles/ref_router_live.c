/*
 * ref_router_live.c: next hops, and which claims of a node are live.
 *
 * A neighbour's word about a node is worth, by its last floor against the highest accepted:
 *   vouched  at least as high, and past each END of others that counts: what it stores is what
 *            there is
 *   zero     it cannot vouch: its STARTs and ENDs count, and nothing ends for want of them
 *   behind   lower, or not told yet: what it lacks is held, what it has besides waits, and so does
 *            what it says of claims that are live
 */
#include "oracles/ref_router_own.h"

#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

static uint64_t fnv_u64(uint64_t hash, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        hash = (hash ^ (uint8_t)(value >> (8 * i))) * FNV_PRIME;
    return hash;
}

uint64_t ref_router_add(uint64_t metric, uint64_t cost)
{
    uint64_t max = WB_NODE_MAX;
    if (cost >= max || metric >= max - cost)
        return max;
    return metric + cost + 1 > max ? max : metric + cost + 1;
}

uint8_t ref_scope_of(const struct ref_router *r, uint8_t n)
{
    return r->neighbours[n].kind == WB_LINK_CLIENT ? (uint8_t)(n + 1) : 0;
}

static bool is_feasible(const struct ref_distance *fd, const struct ref_heard *h)
{
    if (h->metric >= WB_NODE_MAX)
        return false; /* infinite */
    if (!fd->some || h->seqno > fd->seqno)
        return true;
    return h->seqno == fd->seqno && h->metric < fd->metric;
}

/* Who it is; of an unknown id which session, as a number that is no id. */
static uint64_t name_of(const struct ref_neighbour *n)
{
    return n->peer != 0 ? n->peer : WB_NODE_MAX + n->number;
}

static bool is_better(const struct ref_router *r, uint8_t node, uint8_t a, uint8_t b)
{
    const struct ref_neighbour *x = &r->neighbours[a], *y = &r->neighbours[b];
    uint64_t ma = ref_router_add(x->heard[node].metric, x->cost);
    uint64_t mb = ref_router_add(y->heard[node].metric, y->cost);
    uint64_t ha = fnv_u64(fnv_u64(FNV_BASIS, node + 1u), name_of(x));
    uint64_t hb = fnv_u64(fnv_u64(FNV_BASIS, node + 1u), name_of(y));

    if (ma != mb)
        return ma < mb;
    return ha != hb ? ha < hb : name_of(x) < name_of(y);
}

uint8_t ref_node_best(const struct ref_router *r, uint8_t scope, uint8_t node, bool feasible,
                      uint8_t besides)
{
    uint8_t best = REF_NONE;

    for (uint8_t n = 0; n < REF_NEIGHBOURS; n++) {
        const struct ref_heard *h = &r->neighbours[n].heard[node];

        if (n == besides || !r->neighbours[n].on || !h->on || ref_scope_of(r, n) != scope)
            continue;
        if (feasible && !is_feasible(&r->sent[node], h))
            continue;
        if (best == REF_NONE || is_better(r, node, n, best))
            best = n;
    }
    return best;
}

enum worth { VOUCHED, ZERO, BEHIND };

bool ref_node_is_past_ends(const struct ref_router *r, uint8_t scope, uint8_t k, uint8_t n)
{
    for (uint8_t m = 0; m < REF_NEIGHBOURS; m++) {
        const struct ref_heard *other = &r->neighbours[m].heard[k];

        if (m != n && other->on && ref_scope_of(r, m) == scope && other->ended_at != 0 &&
            r->neighbours[n].heard[k].floor <= other->ended_at)
            return false;
    }
    return true;
}

static enum worth worth_of(const struct ref_router *r, uint8_t scope, uint8_t k, uint8_t n)
{
    const struct ref_node *node = &r->nodes[scope][k];
    const struct ref_heard *h = &r->neighbours[n].heard[k];

    if (h->floor >= node->highest && (h->floor > 0 || node->highest == 0) &&
        ref_node_is_past_ends(r, scope, k, n))
        return VOUCHED;
    return h->floor_told && h->floor == 0 ? ZERO : BEHIND;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* They are dead in what a neighbour stores from before, until its floor is past `past`. */
static void mark(struct ref_heard *h, uint16_t paths, uint64_t past)
{
    for (uint8_t p = 0; p < REF_PATHS; p++)
        if (((h->stored & paths) >> p & 1) != 0 && h->highest <= past) {
            h->ended |= (uint16_t)(1u << p);
            h->past[p] = past;
        }
}

/*
 * A neighbour whose word counts ended them. By an END alone nobody knows when: others may count
 * again past every floor at which the claim was there. A floor that lacks it says at which it was
 * not.
 */
static void mark_ended(struct ref_router *r, uint8_t scope, uint8_t node, uint8_t by,
                       uint16_t paths, bool by_floor)
{
    uint64_t floor = r->neighbours[by].heard[node].floor;

    if (paths == 0)
        return;
    if (!by_floor && floor >= r->nodes[scope][node].highest)
        r->neighbours[by].heard[node].ended_at = floor;
    for (uint8_t n = 0; n < REF_NEIGHBOURS; n++) {
        struct ref_heard *h = &r->neighbours[n].heard[node];

        if (n == by || !r->neighbours[n].on || !h->on || ref_scope_of(r, n) != scope)
            continue;
        mark(h, paths,
             by_floor ? floor : most(most(r->nodes[scope][node].highest, floor), h->highest));
    }
}

/* It is live again: nobody's is known to have ended. */
static void unmark(struct ref_router *r, uint8_t scope, uint8_t node, uint16_t paths)
{
    for (uint8_t n = 0; n < REF_NEIGHBOURS; n++)
        if (r->neighbours[n].on && ref_scope_of(r, n) == scope) {
            r->neighbours[n].heard[node].ended &= (uint16_t)~paths;
            r->neighbours[n].heard[node].unproven &= (uint16_t)~paths; /* no END of before counts */
        }
}

static void take(struct ref_node *node, const struct ref_heard *h, uint16_t paths)
{
    for (uint8_t p = 0; p < REF_PATHS; p++) {
        if ((paths >> p & 1) == 0)
            continue;
        node->repriced = true;
        if (node->epoch[p] != h->epoch[p])
            node->renewed |= (uint16_t)(1u << p);
        node->epoch[p] = h->epoch[p];
        node->cost[p] = h->cost[p];
    }
}

/* The next hop is another, or its floor came. */
static void adopt(struct ref_router *r, uint8_t scope, uint8_t k)
{
    struct ref_node *node = &r->nodes[scope][k];
    struct ref_heard *h = &r->neighbours[node->next].heard[k];
    uint16_t known = (uint16_t)(h->stored & ~h->ended);
    uint16_t lacks = (uint16_t)(node->live & ~known), was = node->live;

    switch (worth_of(r, scope, k, node->next)) {
    case VOUCHED:
        node->highest = h->floor;
        node->live = known;
        if (h->floor > 0)
            mark_ended(r, scope, k, node->next, lacks, h->touched == 0);
        h->unproven |= h->floor == 0 || h->touched == 0 ? 0 : lacks;
        break;
    case ZERO:
        node->live |= known;
        break;
    case BEHIND:
        break;
    }
    unmark(r, scope, k, node->live);
    node->held = (uint16_t)(node->live & ~h->stored);
    if (worth_of(r, scope, k, node->next) == BEHIND)
        return;
    node->renewed |= h->restarted & was;
    h->restarted = 0;
    take(node, h, (uint16_t)(node->live & h->stored));
}

static void forget(struct ref_node *node)
{
    *node = (struct ref_node){.next = REF_NONE};
}

void ref_router_ask(struct ref_router *r, uint8_t n, uint8_t k, uint64_t seqno)
{
    r->neighbours[n].heard[k].asked = seqno;
    r->asks[n][k] = seqno;
    r->asking |= (uint8_t)(1u << n);
}

/* An id without a feasible route in any scope: each scope asks the best that it has. */
static void ask_starved(struct ref_router *r, uint8_t k)
{
    for (uint8_t s = 0; s < REF_SCOPES; s++)
        if (ref_node_best(r, s, k, true, REF_NONE) != REF_NONE)
            return;
    for (uint8_t s = 0; s < REF_SCOPES; s++) {
        uint8_t any = ref_node_best(r, s, k, false, REF_NONE);

        /* Nothing was sent: what is infeasible then is so for its metric. */
        if (any != REF_NONE && r->sent[k].some &&
            r->sent[k].seqno + 1 > r->neighbours[any].heard[k].asked)
            ref_router_ask(r, any, k, r->sent[k].seqno + 1);
    }
}

void ref_node_select(struct ref_router *r, uint8_t scope, uint8_t k)
{
    struct ref_node *node = &r->nodes[scope][k];
    uint8_t best = ref_node_best(r, scope, k, true, REF_NONE);

    if (ref_node_best(r, scope, k, false, REF_NONE) == REF_NONE)
        forget(node);
    if (node->next != REF_NONE && best != node->next)
        r->neighbours[node->next].heard[k].restarted = 0;
    if (best == REF_NONE) {
        node->next = REF_NONE;
        node->live = node->held = 0;
        ask_starved(r, k);
    } else if (best != node->next) {
        node->next = best;
        adopt(r, scope, k);
    }
}

void ref_node_sent(struct ref_router *r, uint8_t k)
{
    for (uint8_t s = 0; s < REF_SCOPES; s++) {
        uint8_t next = r->nodes[s][k].next;

        if (next == REF_NONE || is_feasible(&r->sent[k], &r->neighbours[next].heard[k]))
            continue;
        ref_fact_about(r, k);
        ref_node_select(r, s, k);
    }
}

void ref_router_route(struct ref_router *r, uint8_t n, uint8_t k, bool fresh, uint64_t seqno,
                      uint64_t metric, uint8_t flags)
{
    struct ref_heard *h = &r->neighbours[n].heard[k];

    ref_fact_about(r, k);
    if (k == 0) { /* our own id: of a trusted neighbour, it is what an earlier life of ours told */
        if (ref_scope_of(r, n) == 0 && seqno >= r->seqno && seqno < UINT64_MAX)
            ref_router_raise(r, seqno + 1);
        ref_answer_note(r);
        return;
    }
    if (fresh)
        *h = (struct ref_heard){.on = true};
    r->sent[k].quiet = 0;
    h->seqno = seqno;
    h->metric = metric;
    h->flags = flags;
    h->asked = 0;
    struct ref_node *node = &r->nodes[ref_scope_of(r, n)][k];
    if (node->wanted_by != r->neighbours[n].number && node->wanted > seqno) {
        ref_router_ask(r, n, k, node->wanted);
        node->wanted = 0;
    }
    ref_node_select(r, ref_scope_of(r, n), k);
    ref_answer_note(r);
}

/* Those that fell silent first are forgotten. */
void ref_router_remember(struct ref_router *r, uint64_t ids)
{
    uint64_t quiet = 0;

    r->remember = ids;
    for (uint8_t k = 0; k < REF_NODES; k++)
        quiet += r->sent[k].quiet != 0;
    for (; quiet > ids; quiet--) {
        uint8_t first = REF_NONE;

        for (uint8_t k = 0; k < REF_NODES; k++)
            if (r->sent[k].quiet != 0 &&
                (first == REF_NONE || r->sent[k].quiet < r->sent[first].quiet))
                first = k;
        r->sent[first] = (struct ref_distance){0};
    }
}

/* The id, once no neighbour tells it. */
static void fall_silent(struct ref_router *r, uint8_t k)
{
    for (uint8_t n = 0; n < REF_NEIGHBOURS; n++)
        if (r->neighbours[n].on && r->neighbours[n].heard[k].on)
            return;
    if (r->sent[k].some)
        r->sent[k].quiet = ++r->falls;
    ref_router_remember(r, r->remember);
}

void ref_router_retract(struct ref_router *r, uint8_t n, uint8_t k)
{
    struct ref_heard *h = &r->neighbours[n].heard[k];
    uint8_t scope = ref_scope_of(r, n);
    struct ref_node *node = &r->nodes[scope][k];
    uint16_t unproven = h->unproven;

    *h = (struct ref_heard){0};
    r->asks[n][k] = 0; /* who tells no route to it is not asked */
    for (uint8_t m = 0; m < REF_NEIGHBOURS; m++)
        if (ref_scope_of(r, m) == scope)
            r->neighbours[m].heard[k].ended &= (uint16_t)~unproven;
    if (node->next != REF_NONE && node->next != n)
        adopt(r, scope, k); /* what was ended in vain may make it vouch, and its claims live */
    ref_node_select(r, scope, k);
    fall_silent(r, k);
}

void ref_router_route_end(struct ref_router *r, uint8_t n, uint8_t k)
{
    if (k == 0)
        return;
    ref_fact_about(r, k);
    ref_router_retract(r, n, k);
    ref_answer_note(r);
}

void ref_router_start(struct ref_router *r, uint8_t n, uint8_t k, uint8_t p, uint8_t epoch,
                      uint64_t cost, bool restarted)
{
    struct ref_heard *h = &r->neighbours[n].heard[k];
    struct ref_node *node = &r->nodes[ref_scope_of(r, n)][k];
    uint16_t bit = (uint16_t)(1u << p);

    ref_fact_about(r, k);
    h->stored |= bit;
    h->touched |= bit;
    h->epoch[p] = epoch;
    h->cost[p] = cost;
    if (!restarted)
        h->ended &= (uint16_t)~bit;
    if (node->next == n) {
        bool waits = worth_of(r, ref_scope_of(r, n), k, n) == BEHIND;

        if (waits)
            h->restarted |= restarted ? bit : 0;
        else if ((node->live & bit) != 0)
            node->renewed |= restarted ? bit : 0;
        else if ((h->ended & bit) == 0)
            node->live |= bit;
        unmark(r, ref_scope_of(r, n), k, node->live);
        node->held &= (uint16_t)~bit;
        if (!waits)
            take(node, h, node->live & bit);
    }
    ref_answer_note(r);
}

void ref_router_reprice(struct ref_router *r, uint8_t n, uint8_t k, uint8_t p, uint64_t cost)
{
    struct ref_node *node = &r->nodes[ref_scope_of(r, n)][k];

    ref_fact_about(r, k);
    r->neighbours[n].heard[k].cost[p] = cost;
    if (node->next == n && worth_of(r, ref_scope_of(r, n), k, n) != BEHIND)
        take(node, &r->neighbours[n].heard[k], node->live & (uint16_t)(1u << p));
    ref_answer_note(r);
}

static bool is_stored(const struct ref_router *r, uint8_t scope, uint8_t k, uint16_t bit)
{
    for (uint8_t n = 0; n < REF_NEIGHBOURS; n++)
        if (r->neighbours[n].on && ref_scope_of(r, n) == scope &&
            (r->neighbours[n].heard[k].stored & bit) != 0)
            return true;
    return false;
}

void ref_router_end(struct ref_router *r, uint8_t n, uint8_t k, uint8_t p)
{
    uint8_t scope = ref_scope_of(r, n);
    struct ref_heard *h = &r->neighbours[n].heard[k];
    struct ref_node *node = &r->nodes[scope][k];
    uint16_t bit = (uint16_t)(1u << p);

    ref_fact_about(r, k);
    h->stored &= (uint16_t)~bit;
    h->touched |= bit;
    h->ended &= (uint16_t)~bit;
    h->restarted &= (uint16_t)~bit;
    if ((node->live & bit) != 0 && node->next == n) {
        if (worth_of(r, scope, k, n) == BEHIND && is_stored(r, scope, k, bit)) {
            node->held |= bit;
        } else {
            node->live &= (uint16_t)~bit;
            node->held &= (uint16_t)~bit;
            h->unproven |= bit;
            mark_ended(r, scope, k, n, bit, false);
        }
    } else if ((node->held & bit) != 0 && !is_stored(r, scope, k, bit)) {
        node->live &= (uint16_t)~bit;
        node->held &= (uint16_t)~bit;
    }
    ref_answer_note(r);
}

void ref_router_floor(struct ref_router *r, uint8_t n, uint8_t k, uint64_t floor)
{
    struct ref_heard *h = &r->neighbours[n].heard[k];
    struct ref_node *node = &r->nodes[ref_scope_of(r, n)][k];

    if (k == 0)
        return;
    ref_fact_about(r, k);
    /* The first floor of a life, or of a seqno that it was asked for. */
    bool begins = floor > 0 && (h->highest == 0 || h->seqno > h->floored);
    h->floor = floor;
    h->floor_told = true;
    h->highest = most(h->highest, floor);
    h->floored = floor > 0 ? most(h->floored, h->seqno) : h->floored;
    h->unproven = h->touched = 0;
    if (h->ended_at != 0 && floor > h->ended_at) {
        node->highest = most(node->highest, h->ended_at + 1);
        h->ended_at = 0;
    }
    for (uint8_t p = 0; p < REF_PATHS; p++)
        if ((h->ended >> p & 1) != 0 && floor > h->past[p])
            h->ended &= (uint16_t) ~(1u << p);
    if (node->next == n)
        adopt(r, ref_scope_of(r, n), k);
    /* An origin never falls behind itself: this is another life of it, which knows no better. */
    if (begins && r->neighbours[n].peer == k + 1u && floor < node->highest &&
        h->seqno < UINT64_MAX && h->asked <= h->seqno)
        ref_router_ask(r, n, k, h->seqno + 1);
    ref_answer_note(r);
}
