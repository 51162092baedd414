/*
 * ref_router_answer.c: what answers are told. Between flushes only what was lost on the way is
 * kept: claims that were shown, and for a moment were not.
 */
#include "oracles/ref_router.h"

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
    s.floor = node->live == h->stored && h->floor >= node->highest ? h->floor : 0;
    return s;
}

void ref_answer_split(const struct ref_router *r, const struct ref_answer *a, uint8_t scope,
                      uint8_t k, uint16_t *out_shown, uint16_t *out_withheld)
{
    const struct ref_node *node = &r->nodes[scope][k];
    const struct ref_neighbour *to = &r->neighbours[a->neighbour];
    struct wb_route_state s = ref_router_state(r, scope, k);
    uint16_t seen = node->live & a->scope, withheld = 0;

    if (to->peer == k + 1u)
        withheld = seen;
    if (to->kind == WB_LINK_UPSTREAM && (s.from_upstream || (s.flags & WB_ROUTED_DOWN_ONLY) != 0))
        withheld = seen;
    if (!to->accepts_proxied)
        withheld |= seen & node->proxied;
    *out_withheld = withheld;
    *out_shown = (uint16_t)(seen & ~withheld);
}

void ref_answer_open(struct ref_router *r, uint8_t n, enum wb_moq_version version, uint8_t prefix,
                     bool hidden)
{
    struct ref_answer *a = &r->answers[n];

    *a = (struct ref_answer){.on = true, .version = version, .neighbour = n};
    a->scope = r->paths.under[prefix];
    if (version == WB_LITE_07 && !hidden)
        a->scope &= (uint16_t)~r->paths.hidden;
    for (uint8_t p = 0; p < REF_PATHS && version == WB_LITE_06; p++)
        a->by[p] = ref_router_server(r, p, true);
}

void ref_answer_close(struct ref_router *r, uint8_t n)
{
    r->answers[n] = (struct ref_answer){0};
}

/* ---- lite-06: one announcement a path ---- */

static struct ref_chain chain_of(const struct ref_router *r, const struct ref_server *s)
{
    struct ref_chain chain = {0};

    if (s->slot == REF_NONE)
        return r->neighbours[s->via].flat[s->path].chain;
    if (s->via == REF_NONE)
        return chain;
    chain.id[chain.count++] = s->node;
    if (r->neighbours[s->via].peer != s->node)
        chain.id[chain.count++] = r->neighbours[s->via].peer;
    return chain;
}

static bool is_shown(const struct ref_router *r, const struct ref_answer *a, uint8_t p,
                     const struct ref_server *s)
{
    const struct ref_neighbour *to = &r->neighbours[a->neighbour];
    struct ref_chain chain;

    if (!s->some || (a->scope >> p & 1) == 0)
        return false;
    chain = chain_of(r, s);
    for (uint8_t i = 0; i < chain.count; i++)
        if (chain.id[i] == to->peer)
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

static void note_paths(struct ref_router *r, struct ref_answer *a)
{
    struct ref_sent *sent = &a->sent[0];
    uint16_t claimed = ref_router_claimed(r);

    for (uint8_t p = 0; p < REF_PATHS; p++) {
        struct ref_server s;

        if ((a->scope >> p & 1) == 0 || ((claimed >> p & 1) == 0 && !a->by[p].some))
            continue;
        s = ref_router_server(r, p, true);
        if (!s.some || !a->by[p].some || !is_same(r, &a->by[p], &s))
            sent->gone |= (uint16_t)(1u << p);
        a->by[p] = s;
    }
    sent->gone &= sent->shown;
}

static void flush_paths(struct ref_router *r, struct ref_answer *a, struct ref_events *out);

/* ---- lite-07 ---- */

static bool state_is_equal(const struct wb_route_state *a, const struct wb_route_state *b)
{
    return a->seqno == b->seqno && a->metric == b->metric && a->flags == b->flags &&
           a->from_upstream == b->from_upstream && a->floor == b->floor;
}

static void note_node(struct ref_router *r, uint8_t k)
{
    struct ref_noted *was = &r->noted[k], now = {.scope = told_scope(r, k), .next = REF_NONE};
    bool moved = was->scope != now.scope, touched = moved;
    uint16_t renewed = 0;

    if (now.scope != REF_NONE) {
        struct ref_node *node = &r->nodes[now.scope][k];

        now.state = ref_router_state(r, now.scope, k);
        now.live = node->live;
        now.held = node->held;
        now.next = node->next;
        renewed = node->renewed;
        touched |= !state_is_equal(&was->state, &now.state) || was->live != now.live ||
                   was->held != now.held || was->next != now.next || renewed != 0 || node->repriced;
    }
    if (!touched)
        return;
    for (uint8_t n = 0; n < REF_NEIGHBOURS; n++) {
        struct ref_answer *a = &r->answers[n];
        uint16_t shown = 0, withheld = 0;

        if (!a->on || a->version != WB_LITE_07)
            continue;
        if (now.scope != REF_NONE)
            ref_answer_split(r, a, now.scope, k, &shown, &withheld);
        a->sent[k].touched = true;
        a->sent[k].gone |=
            moved ? a->sent[k].shown : a->sent[k].shown & (uint16_t)(~now.live | renewed);
    }
    *was = now;
}

void ref_answer_note(struct ref_router *r)
{
    for (uint8_t k = 0; k < REF_NODES; k++)
        note_node(r, k);
    for (uint8_t n = 0; n < REF_NEIGHBOURS; n++)
        if (r->answers[n].on && r->answers[n].version == WB_LITE_06)
            note_paths(r, &r->answers[n]);
    for (uint8_t s = 0; s < REF_SCOPES; s++)
        for (uint8_t k = 0; k < REF_NODES; k++) {
            r->nodes[s][k].renewed = 0;
            r->nodes[s][k].repriced = false;
        }
    for (uint8_t n = 0; n < REF_NEIGHBOURS; n++)
        r->neighbours[n].renewed = 0;
}

/* What an answer is due of one node. */
struct due {
    uint8_t scope;
    struct wb_route_state state;
    uint16_t shown, withheld;
    bool has_claim_event;
};

static struct ref_event *add(struct ref_events *out, enum wb_announce_kind kind)
{
    struct ref_event *e = &out->at[out->count < REF_EVENTS ? out->count++ : REF_EVENTS - 1];

    *e = (struct ref_event){.kind = kind};
    return e;
}

static void flush_end(struct ref_sent *s, uint8_t k, uint8_t p, struct ref_events *out)
{
    struct ref_event *e = add(out, WB_ANNOUNCE_END);

    e->id = s->claim[p];
    e->route = s->id;
    e->node = k + 1u;
    e->path = p;
    e->epoch = s->epoch[p];
    e->warm = s->warm[p];
    e->cold = s->cold[p];
}

static void flush_route(struct ref_router *r, struct ref_answer *a, uint8_t k, const struct due *d,
                        struct ref_events *out)
{
    struct ref_sent *s = &a->sent[k];
    struct ref_node *node = d->scope == REF_NONE ? NULL : &r->nodes[d->scope][k];
    struct ref_event *e;

    if (d->shown == 0 || (s->on && s->seqno == d->state.seqno && s->metric == d->state.metric &&
                          s->flags == d->state.flags))
        return;
    e = add(out, s->on ? WB_ANNOUNCE_ROUTE_UPDATE : WB_ANNOUNCE_ROUTE_START);
    if (!s->on)
        *s = (struct ref_sent){
            .on = true, .id = a->next_route++, .withheld = s->withheld, .touched = true};
    s->seqno = d->state.seqno;
    s->metric = d->state.metric;
    s->flags = d->state.flags;
    e->route = s->id;
    e->node = k + 1u;
    e->seqno = s->seqno;
    e->metric = s->metric;
    e->flags = s->flags;
    if (node != NULL && !is_own(d->scope, k) &&
        (!node->has_fd || s->seqno > node->fd_seqno ||
         (s->seqno == node->fd_seqno && s->metric < node->fd_metric))) {
        node->has_fd = true;
        node->fd_seqno = s->seqno;
        node->fd_metric = s->metric;
    }
}

/* START when `fresh`, else UPDATE or RESTART of what is on the stream, or nothing. */
static void flush_claim(struct ref_router *r, struct ref_answer *a, uint8_t k, uint8_t p,
                        struct due *d, bool fresh, struct ref_events *out)
{
    struct ref_sent *s = &a->sent[k];
    const struct ref_node *node = &r->nodes[d->scope][k];
    bool was_gone = (s->gone >> p & 1) != 0;
    struct ref_event *e;

    if (fresh) {
        e = add(out, WB_ANNOUNCE_START);
        s->claim[p] = a->next_claim++;
        s->shown |= (uint16_t)(1u << p);
    } else if (s->epoch[p] != node->epoch[p] || (was_gone && node->epoch[p] == 0)) {
        e = add(out, WB_ANNOUNCE_RESTART);
    } else if (s->warm[p] != node->cost[p]) {
        e = add(out, WB_ANNOUNCE_UPDATE);
    } else {
        return;
    }
    d->has_claim_event = true;
    s->epoch[p] = node->epoch[p];
    s->warm[p] = node->cost[p];
    e->id = s->claim[p];
    e->route = s->id;
    e->node = k + 1u;
    e->path = p;
    e->epoch = s->epoch[p];
    e->warm = s->warm[p];
}

static void flush_floor(struct ref_answer *a, uint8_t k, const struct due *d,
                        struct ref_events *out)
{
    struct ref_sent *s = &a->sent[k];
    uint64_t floor = d->withheld == 0 && d->state.floor >= s->highest ? d->state.floor : 0;
    bool must = d->has_claim_event || floor != s->floor || d->withheld != s->withheld;
    struct ref_event *e;

    s->withheld = d->withheld;
    if (!s->on || !(must || s->touched))
        return;
    e = add(out, WB_ANNOUNCE_FLOOR);
    e->optional = !must;
    e->route = s->id;
    e->node = k + 1u;
    e->revision = floor;
    s->floor = floor;
    if (floor > s->highest)
        s->highest = floor;
}

static void flush_nodes(struct ref_router *r, struct ref_answer *a, struct ref_events *out)
{
    struct due due[REF_NODES] = {0};

    for (uint8_t k = 0; k < REF_NODES; k++) {
        due[k].scope = told_scope(r, k);
        if (due[k].scope == REF_NONE)
            continue;
        due[k].state = ref_router_state(r, due[k].scope, k);
        ref_answer_split(r, a, due[k].scope, k, &due[k].shown, &due[k].withheld);
    }
    for (uint8_t p = 0; p < REF_PATHS; p++)
        for (uint8_t k = 0; k < REF_NODES; k++)
            if ((a->sent[k].shown & ~due[k].shown) >> p & 1) {
                flush_end(&a->sent[k], k, p, out);
                due[k].has_claim_event = true;
            }
    for (uint8_t k = 0; k < REF_NODES; k++) {
        struct ref_sent *s = &a->sent[k];

        s->shown &= due[k].shown;
        if (!s->on || due[k].shown != 0)
            continue;
        add(out, WB_ANNOUNCE_ROUTE_END)->route = s->id;
        out->at[out->count - 1].node = k + 1u;
        *s = (struct ref_sent){.withheld = s->withheld};
    }
    for (uint8_t k = 0; k < REF_NODES; k++)
        flush_route(r, a, k, &due[k], out);
    for (int fresh = 1; fresh >= 0; fresh--)
        for (uint8_t p = 0; p < REF_PATHS; p++)
            for (uint8_t k = 0; k < REF_NODES; k++)
                if ((due[k].shown >> p & 1) != 0 &&
                    ((a->sent[k].shown >> p & 1) == 0) == (fresh == 1))
                    flush_claim(r, a, k, p, &due[k], fresh == 1, out);
    for (uint8_t k = 0; k < REF_NODES; k++) {
        flush_floor(a, k, &due[k], out);
        a->sent[k].gone = 0;
        a->sent[k].touched = false;
    }
}

static bool chain_is_equal(const struct ref_chain *a, const struct ref_chain *b)
{
    if (a->count != b->count)
        return false;
    for (uint8_t i = 0; i < a->count; i++)
        if (a->id[i] != b->id[i])
            return false;
    return true;
}

/* Two chains with the responder behind them begin with the same known node. */
static bool is_continued(const struct ref_chain *a, const struct ref_chain *b)
{
    uint64_t x = a->count > 0 ? a->id[0] : 1, y = b->count > 0 ? b->id[0] : 1;
    return x != 0 && x == y;
}

static void put_path(struct ref_answer *a, uint8_t p, const struct ref_server *s,
                     const struct ref_chain *chain, struct ref_event *e)
{
    struct ref_sent *sent = &a->sent[0];

    sent->warm[p] = s->cost;
    sent->cold[p] = s->cold;
    sent->chain[p] = *chain;
    e->id = sent->claim[p];
    e->path = p;
    e->warm = s->cost;
    e->cold = s->cold;
    e->chain = *chain;
}

static void flush_paths(struct ref_router *r, struct ref_answer *a, struct ref_events *out)
{
    struct ref_sent *sent = &a->sent[0];
    struct ref_server s[REF_PATHS];
    uint16_t shown = 0, kept, claimed = ref_router_claimed(r);

    for (uint8_t p = 0; p < REF_PATHS; p++) {
        s[p].some = false;
        if ((claimed >> p & 1) != 0)
            s[p] = ref_router_server(r, p, true);
        if (is_shown(r, a, p, &s[p]))
            shown |= (uint16_t)(1u << p);
    }
    kept = (uint16_t)(sent->shown & shown & ~sent->gone);
    for (uint8_t p = 0; p < REF_PATHS; p++)
        if ((sent->shown & ~kept) >> p & 1)
            flush_end(sent, REF_NONE, p, out);
    for (uint8_t p = 0; p < REF_PATHS; p++) {
        struct ref_chain chain;

        if (((shown & ~kept) >> p & 1) == 0)
            continue;
        chain = chain_of(r, &s[p]);
        sent->claim[p] = a->next_claim++;
        put_path(a, p, &s[p], &chain, add(out, WB_ANNOUNCE_START));
    }
    for (uint8_t p = 0; p < REF_PATHS; p++) {
        struct ref_chain chain;

        if ((kept >> p & 1) == 0)
            continue;
        chain = chain_of(r, &s[p]);
        if (chain_is_equal(&chain, &sent->chain[p]) && sent->warm[p] == s[p].cost &&
            sent->cold[p] == s[p].cold)
            continue;
        put_path(a, p, &s[p], &chain,
                 add(out, is_continued(&chain, &sent->chain[p]) ? WB_ANNOUNCE_UPDATE
                                                                : WB_ANNOUNCE_RESTART));
    }
    sent->shown = shown;
    sent->gone = 0;
}

void ref_answer_flush(struct ref_router *r, uint8_t n, struct ref_events *out)
{
    struct ref_answer *a = &r->answers[n];

    out->count = 0;
    if (!a->opened) {
        add(out, WB_ANNOUNCE_OK)->node = 1;
        a->opened = true;
    }
    if (a->version == WB_LITE_07)
        flush_nodes(r, a, out);
    else
        flush_paths(r, a, out);
}
