#include "targets/answer/answer.h"

#include <string.h>

#define WALKED_MAX 48u /* claims and routes of a walk; a claim is found by its place, in steps */

/* ---- events ---------------------------------------------------------------------------------- */

static void check_chain(struct answer_delivery *d, const struct wb_announce_event *e,
                        const struct ref_announce_event *m)
{
    ANSWER_CHECK(ANN_005, d, e->hops != NULL);
    ANSWER_CHECK(ANN_005, d, e->hops->count == m->hops->count);
    for (unsigned i = 0; i < m->hops->count; i++)
        ANSWER_CHECK(ANN_005, d, e->hops->id[i] == m->hops->id[i]);
}

static void check_claim(struct answer_delivery *d, const struct wb_announce_event *e,
                        const struct ref_announce_event *m)
{
    ANSWER_CHECK(ANN_003, d, e->id == m->id && e->route == m->route);
    ANSWER_CHECK(ANN_003, d, e->node == m->node);
    ANSWER_CHECK(ANN_004, d, ref_announce_path_is(d->c->rules.prefix, m->path, e->path));
    if (m->kind == REF_ANNOUNCE_END)
        return;
    ANSWER_CHECK(ANN_005, d, e->warm == m->warm && e->cold == m->cold);
    ANSWER_CHECK(ANN_005, d, e->epoch.some == (m->epoch.len > 0));
    if (m->epoch.len > 0)
        ANSWER_CHECK(ANN_005, d, memcmp(e->epoch.bytes, m->epoch.data, m->epoch.len) == 0);
    if (m->hops != NULL)
        check_chain(d, e, m);
}

static void check_route(struct answer_delivery *d, const struct wb_announce_event *e,
                        const struct ref_announce_event *m)
{
    ANSWER_CHECK(ANN_003, d, e->route == m->route && e->node == m->node);
    if (m->kind == REF_ANNOUNCE_FLOOR)
        ANSWER_CHECK(ANN_010, d, e->revision == m->revision);
    if (m->kind != REF_ANNOUNCE_ROUTE_START && m->kind != REF_ANNOUNCE_ROUTE_UPDATE)
        return;
    ANSWER_CHECK(ANN_010, d, e->seqno == m->seqno && e->metric == m->metric);
    ANSWER_CHECK(ANN_010, d, e->flags == m->flags);
}

/* Of what the model does not say, too. */
static void mix(struct answer_delivery *d, const struct wb_announce_event *e)
{
    uint64_t words = e->kind + 16u * e->abrupt + 32u * e->flags + (e->path.len << 16);

    words += e->warm ^ e->cold << 7 ^ e->seqno << 13 ^ e->metric << 19 ^ e->revision << 29;
    d->hash = (d->hash ^ words ^ e->id << 40 ^ e->route << 50) * UINT64_C(0x9e3779b97f4a7c15);
    if (d->number == 0)
        sim_trace_mix(&d->c->run->trace, d->hash);
}

void answer_told(struct answer_delivery *d, const struct wb_announce_event *e)
{
    const struct ref_announce *r = &d->c->model;
    size_t limit = r->end_count;
    const struct ref_announce_event *m;

    while (d->due < r->message_count && r->messages[d->due].end <= d->end)
        d->due++;
    if (!d->is_ending)
        limit = d->due > 0 ? r->messages[d->due - 1].events : 0;
    answer_story(d, e);
    ANSWER_CHECK(ANN_012, d, d->told < r->end_count);
    ANSWER_CHECK(ANN_006, d, d->told < limit);
    m = &r->events[d->told];
    if (m->kind == REF_ANNOUNCE_OK || e->kind == WB_ANNOUNCE_OK) {
        ANSWER_CHECK(ANN_002, d, (unsigned)e->kind == (unsigned)m->kind && d->told == 0);
        ANSWER_CHECK(ANN_002, d, e->node == m->node && e->count == m->count);
    }
    if (d->is_ending)
        ANSWER_CHECK(ANN_012, d, (unsigned)e->kind == (unsigned)m->kind);
    ANSWER_CHECK(ANN_003, d, (unsigned)e->kind == (unsigned)m->kind);
    ANSWER_CHECK(ANN_013, d, e->abrupt == m->abrupt);
    if (m->path != NULL)
        check_claim(d, e, m);
    else if (m->kind >= REF_ANNOUNCE_ROUTE_START && m->kind <= REF_ANNOUNCE_FLOOR)
        check_route(d, e, m);
    mix(d, e);
    d->told++;
}

/* ---- after a chunk --------------------------------------------------------------------------- */

static uint64_t log2_up(uint64_t n)
{
    uint64_t bits = 0;

    while (bits < 63 && (UINT64_C(1) << bits) < n)
        bits++;
    return bits;
}

static void mark(const struct answer *c, const struct ref_announce_message *m, size_t events)
{
    if (m->ended > 1)
        sim_mark(c->run, ANSWER_MARK_ENDED);
    if (m->events == events)
        sim_mark(c->run, m->path.count > 0 ? ANSWER_MARK_DROPPED : ANSWER_MARK_QUIET);
}

void answer_check_chunk(struct answer_delivery *d)
{
    const struct ref_announce *r = &d->c->model;
    uint64_t may = d->has_failed ? 4 * log2_up(r->claim_count + 1) + 16 : 0;
    const struct ref_announce_message *last;
    uint64_t compared = d->subject->compared != NULL ? d->subject->compared() - d->compared : 0;
    size_t at = d->due;

    while (d->due < r->message_count && r->messages[d->due].end <= d->end)
        d->due++;
    last = d->due > 0 ? &r->messages[d->due - 1] : NULL;
    ANSWER_CHECK(ANN_006, d, d->told == (last != NULL ? last->events : 0));
    for (; at > 0 && r->messages[at - 1].end > d->begin; at--)
        continue;
    if (at == d->due && !d->has_failed) { /* no message became whole */
        FUZZ_CHECK(ANN_016, compared == 0);
        sim_mark(d->c->run, ANSWER_MARK_CUT);
        return;
    }
    for (; at < d->due; at++) {
        const struct ref_announce_message *m = &r->messages[at];
        may += (1 + m->ended) * (4 * log2_up(m->claims + m->ended + 1) + 16);
        if (d->number == 0)
            mark(d->c, m, at > 0 ? r->messages[at - 1].events : 0);
    }
    FUZZ_CHECK(ANN_016, compared <= may * (1 + d->refused));
    if (d->subject->claims != NULL)
        ANSWER_CHECK(ANN_009, d,
                     d->subject->claims(d->session) == (last != NULL ? last->claims : 0));
    if (d->subject->routes != NULL)
        ANSWER_CHECK(ANN_010, d,
                     d->subject->routes(d->session) == (last != NULL ? last->routes : 0));
}

/* ---- before the end -------------------------------------------------------------------------- */

/* The live claim with the lowest id that is at least `id`. */
static const struct ref_announce_claim *claim_from(const struct ref_announce *r, uint64_t id)
{
    const struct ref_announce_claim *found = NULL;

    for (size_t i = 0; i < r->claim_count; i++)
        if (r->claims[i].id >= id && (found == NULL || r->claims[i].id < found->id))
            found = &r->claims[i];
    return found;
}

static void walk_claims(const struct answer_delivery *d)
{
    const struct ref_announce *r = &d->c->model;
    const struct ref_announce_claim *c = claim_from(r, 0);
    struct wb_announce_event e;
    size_t i = 0;

    for (; c != NULL && i < WALKED_MAX; c = claim_from(r, c->id + 1), i++) {
        ANSWER_CHECK(ANN_009, d, d->subject->claim_at(d->session, i, &e));
        ANSWER_CHECK(ANN_009, d, e.kind == WB_ANNOUNCE_START);
        ANSWER_CHECK(ANN_009, d, e.id == (d->c->version == WB_LITE_05 ? 0 : c->id));
        ANSWER_CHECK(ANN_009, d, e.route == c->route);
        ANSWER_CHECK(ANN_009, d,
                     ref_announce_path_is(d->c->rules.prefix, &r->messages[c->start].path, e.path));
    }
    ANSWER_CHECK(ANN_009, d, !d->subject->claim_at(d->session, r->claim_count, &e));
}

static void walk_routes(const struct answer_delivery *d)
{
    const struct ref_announce *r = &d->c->model;
    size_t begin = r->route_count > WALKED_MAX ? r->route_count - WALKED_MAX : 0;
    uint64_t floor = 0;

    for (size_t i = begin; i < r->route_count; i++) {
        bool is_live = d->subject->floor(d->session, i, &floor);
        ANSWER_CHECK(ANN_010, d, is_live == r->routes[i].is_live);
        ANSWER_CHECK(ANN_010, d, !is_live || floor == r->routes[i].floor);
    }
    ANSWER_CHECK(ANN_010, d, !d->subject->floor(d->session, r->route_count, &floor));
}

/* Live claims and routes with what stands around each, and the messages at hand. */
static void check_memory(const struct answer_delivery *d)
{
    const struct ref_announce *r = &d->c->model;
    const struct sim_alloc *alloc = &d->c->run->alloc;
    size_t recent = d->due > 0 ? r->messages[d->due - 1].begin : 0, len = d->c->stream.len;
    uint64_t may = 2048 + 320 * r->claim_count + 320 * r->live_routes + 4 * (d->end - recent);
    uint64_t longest = 0, paths = 0, arrived = 8192 + 640 * (r->message_count + 1) + 4 * len;

    for (size_t i = 0; i < r->message_count; i++) {
        uint64_t bytes = d->c->rules.prefix.len;
        for (unsigned k = 0; k < r->messages[i].path.count; k++)
            bytes += r->messages[i].path.part[k].len + 1;
        longest = bytes > longest ? bytes : longest;
        paths += bytes;
    }
    if (paths > d->c->rules.max_path_bytes + longest) /* and one that has just ended */
        paths = d->c->rules.max_path_bytes + longest;
    for (size_t i = 0; i < r->claim_count; i++)
        for (unsigned k = 0; k < r->messages[r->claims[i].start].path.count; k++)
            may += r->messages[r->claims[i].start].path.part[k].len + 1;
    FUZZ_CHECK(ANN_014, alloc->live_bytes - d->live_before <= may + longest);
    FUZZ_CHECK(ANN_015, alloc->peak_bytes <= arrived + paths);
}

void answer_check_kept(const struct answer_delivery *d)
{
    if (d->subject->claim_at != NULL)
        walk_claims(d);
    if (d->subject->floor != NULL)
        walk_routes(d);
    if (d->subject->check != NULL)
        d->subject->check(d->session);
    check_memory(d);
}
