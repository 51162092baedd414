/*
 * ref_router_flush.c: what a flush writes, in the order in which it must stand.
 */
#include "oracles/ref_router_own.h"

#include <string.h>

/* What an answer is due of one node. */
struct due {
    uint8_t k, scope;
    const struct wb_route_state *state;
    uint16_t shown, withheld;
    bool has_claim_event;
};

static struct ref_event *add(struct ref_events *out, enum wb_announce_kind kind)
{
    struct ref_event *e = &out->at[out->end++ % REF_EVENTS];

    memset(e, 0, sizeof(*e));
    e->kind = kind;
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
}

static void flush_route(struct ref_router *r, struct ref_answer *a, const struct due *d,
                        struct ref_events *out)
{
    uint8_t k = d->k;
    struct ref_sent *s = &a->sent[k];
    struct ref_distance *fd = &r->sent[k];
    struct ref_event *e;

    if (d->shown == 0 || (s->on && s->seqno == d->state->seqno && s->metric == d->state->metric &&
                          s->flags == d->state->flags))
        return;
    e = add(out, s->on ? WB_ANNOUNCE_ROUTE_UPDATE : WB_ANNOUNCE_ROUTE_START);
    if (!s->on)
        *s = (struct ref_sent){.on = true, .id = a->next_route++, .withheld = s->withheld};
    s->seqno = d->state->seqno;
    s->metric = d->state->metric;
    s->flags = d->state->flags;
    e->route = s->id;
    e->node = k + 1u;
    e->seqno = s->seqno;
    e->metric = s->metric;
    e->flags = s->flags;
    if (k != 0 &&
        (!fd->some || s->seqno > fd->seqno || (s->seqno == fd->seqno && s->metric < fd->metric)))
        *fd = (struct ref_distance){.some = true, .seqno = s->seqno, .metric = s->metric};
}

/* START when `fresh`, else UPDATE or RESTART of what is on the stream, or nothing. */
static void flush_claim(struct ref_router *r, struct ref_answer *a, uint8_t p, struct due *d,
                        bool fresh, struct ref_events *out)
{
    uint8_t k = d->k;
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

static void flush_floor(struct ref_answer *a, const struct due *d, struct ref_events *out)
{
    uint8_t k = d->k;
    struct ref_sent *s = &a->sent[k];
    uint64_t floor = d->withheld == 0 && d->state->floor >= s->highest ? d->state->floor : 0;
    bool must = d->has_claim_event || floor != s->floor || d->withheld != s->withheld;
    struct ref_event *e;

    s->withheld = d->withheld;
    if (!s->on)
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

/* What an answer is due of the ids that changed; -> how many. */
static size_t due_nodes(struct ref_router *r, const struct ref_answer *a, struct due out[REF_NODES])
{
    size_t count = 0;

    for (uint16_t left = a->ids; left != 0;) {
        uint8_t k = ref_take(&left);
        struct due *d = &out[count];

        *d = (struct due){.k = k, .scope = r->noted[k].scope, .state = &r->noted[k].state};
        if (d->scope != REF_NONE)
            ref_answer_split(r, a, d->scope, k, &d->shown, &d->withheld);
        count++;
    }
    return count;
}

static void flush_ends(struct ref_answer *a, struct due *due, size_t count, struct ref_events *out)
{
    uint16_t ends = 0;

    for (size_t i = 0; i < count; i++)
        ends |= a->sent[due[i].k].shown & (uint16_t)~due[i].shown;
    while (ends != 0) {
        uint8_t p = ref_take(&ends);

        for (size_t i = 0; i < count; i++)
            if ((a->sent[due[i].k].shown & ~due[i].shown) >> p & 1) {
                flush_end(&a->sent[due[i].k], due[i].k, p, out);
                due[i].has_claim_event = true;
            }
    }
    for (size_t i = 0; i < count; i++) {
        struct ref_sent *s = &a->sent[due[i].k];

        s->shown &= due[i].shown;
        if (!s->on || due[i].shown != 0)
            continue;
        struct ref_event *e = add(out, WB_ANNOUNCE_ROUTE_END);

        e->route = s->id;
        e->node = due[i].k + 1u;
        *s = (struct ref_sent){.withheld = s->withheld};
    }
}

/* STARTs, or what is due of claims that stay. */
static void flush_claims(struct ref_router *r, struct ref_answer *a, struct due *due, size_t count,
                         bool fresh, struct ref_events *out)
{
    uint16_t of[REF_NODES], paths = 0;

    for (size_t i = 0; i < count; i++) {
        uint16_t shown = a->sent[due[i].k].shown;

        of[i] = due[i].shown & (fresh ? (uint16_t)~shown : shown);
        paths |= of[i];
    }
    while (paths != 0) {
        uint8_t p = ref_take(&paths);

        for (size_t i = 0; i < count; i++)
            if ((of[i] >> p & 1) != 0)
                flush_claim(r, a, p, &due[i], fresh, out);
    }
}

static void flush_nodes(struct ref_router *r, struct ref_answer *a, struct ref_events *out)
{
    struct due due[REF_NODES];
    size_t count = due_nodes(r, a, due);

    if (count == 0)
        return;
    flush_ends(a, due, count, out);
    for (size_t i = 0; i < count; i++)
        flush_route(r, a, &due[i], out);
    flush_claims(r, a, due, count, true, out);
    flush_claims(r, a, due, count, false, out);
    for (size_t i = 0; i < count; i++) {
        flush_floor(a, &due[i], out);
        a->sent[due[i].k].gone = 0;
    }
    a->ids = 0;
    for (size_t i = 0; i < count; i++)
        ref_node_sent(r, due[i].k);
    ref_answer_note(r);
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
    a->cold[p] = s->cold;
    a->chain[p] = *chain;
    e->id = sent->claim[p];
    e->path = p;
    e->warm = s->cost;
    e->cold = s->cold;
    e->chain = *chain;
}

/* A path that stays: its serving route may be another, or cost something else. */
static void flush_kept(const struct ref_router *r, struct ref_answer *a, uint8_t p,
                       struct ref_events *out)
{
    const struct ref_server *s = &r->by[p];
    struct ref_chain chain;

    ref_chain_of(r, s, &chain);
    if (ref_chain_is_equal(&chain, &a->chain[p]) && a->sent[0].warm[p] == s->cost &&
        a->cold[p] == s->cold)
        return;
    put_path(
        a, p, s, &chain,
        add(out, is_continued(&chain, &a->chain[p]) ? WB_ANNOUNCE_UPDATE : WB_ANNOUNCE_RESTART));
}

static void flush_paths(const struct ref_router *r, struct ref_answer *a, struct ref_events *out)
{
    struct ref_sent *sent = &a->sent[0];
    struct ref_chain chain = {0};
    uint16_t shown = 0, kept, left;

    for (left = a->paths; left != 0;) {
        uint8_t p = ref_take(&left);

        if (ref_answer_shows(r, a, p, &r->by[p], &chain))
            shown |= (uint16_t)(1u << p);
    }
    kept = (uint16_t)(sent->shown & shown & ~sent->gone);
    for (left = (uint16_t)(sent->shown & a->paths & ~kept); left != 0;)
        flush_end(sent, REF_NONE, ref_take(&left), out);
    for (left = (uint16_t)(shown & ~kept); left != 0;) {
        uint8_t p = ref_take(&left);

        ref_chain_of(r, &r->by[p], &chain);
        sent->claim[p] = a->next_claim++;
        put_path(a, p, &r->by[p], &chain, add(out, WB_ANNOUNCE_START));
    }
    for (left = kept; left != 0;)
        flush_kept(r, a, ref_take(&left), out);
    sent->shown = (uint16_t)((sent->shown & ~a->paths) | shown);
    sent->gone = 0;
    a->paths = 0;
}

void ref_answer_flush(struct ref_router *r, uint8_t n, struct ref_events *out)
{
    struct ref_answer *a = &r->answers[n];

    if (!a->opened) {
        add(out, WB_ANNOUNCE_OK)->node = 1;
        a->opened = true;
    }
    if (a->version == WB_LITE_07)
        flush_nodes(r, a, out);
    else
        flush_paths(r, a, out);
}
