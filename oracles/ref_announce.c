/*
 * ref_announce.c: the receiver's side of an announce stream, sentence by sentence. Source:
 * moq-lite, announce stream of the receiver; design note on routed announces.
 */
#include "oracles/ref_announce.h"

#include "oracles/ref_announce_own.h"
#include "oracles/ref_varint.h"

#include <string.h>

#define MESSAGE_MAX ((uint64_t)64 << 20)

/* ---- claims ---------------------------------------------------------------------------------- */

/* The next byte of a path as text, from a place in it; -1 at its end. */
static int next_byte(const struct ref_announce_path *path, unsigned *part, size_t *at)
{
    if (*part == path->count)
        return -1;
    if (*at < path->part[*part].len)
        return path->part[*part].data[(*at)++];
    *at = 0;
    return ++*part == path->count ? -1 : '/';
}

/* As bytes of the text: < 0, 0, > 0. */
static int compare(const struct ref_announce_path *a, const struct ref_announce_path *b)
{
    unsigned part[2] = {0, 0};
    size_t at[2] = {0, 0};
    int x, y;

    do {
        x = next_byte(a, &part[0], &at[0]);
        y = next_byte(b, &part[1], &at[1]);
    } while (x == y && x >= 0);
    return x - y;
}

/* The first claim that is not before the route's path. */
static size_t place_of(const struct ref_announce *r, uint64_t route,
                       const struct ref_announce_path *path, bool *out_is_there)
{
    size_t low = 0, high = r->claim_count;

    *out_is_there = false;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct ref_announce_claim *c = &r->claims[middle];
        int order = c->route < route ? -1 : c->route > route;
        if (order == 0)
            order = compare(&r->messages[c->start].path, path);
        if (order == 0)
            *out_is_there = true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void insert(struct ref_announce *r, size_t at, const struct ref_announce_claim *claim)
{
    memmove(&r->claims[at + 1], &r->claims[at], (r->claim_count - at) * sizeof(*claim));
    r->claims[at] = *claim;
    r->claim_count++;
}

static void erase(struct ref_announce *r, size_t at, size_t n)
{
    memmove(&r->claims[at], &r->claims[at + n], (r->claim_count - at - n) * sizeof(r->claims[0]));
    r->claim_count -= n;
}

bool ref_find_id(const struct ref_announce *r, uint64_t id, size_t *out)
{
    for (size_t i = 0; i < r->claim_count; i++) {
        if (r->claims[i].id != id)
            continue;
        *out = i;
        return true;
    }
    return false;
}

/* ---- events ---------------------------------------------------------------------------------- */

struct ref_announce_event *ref_event_add(struct ref_announce *r, enum ref_announce_kind kind)
{
    struct ref_announce_event *e = &r->events[r->end_count++];

    *e = (struct ref_announce_event){.kind = kind};
    return e;
}

void ref_tell_claim(struct ref_place *p, enum ref_announce_kind kind,
                    const struct ref_announce_claim *c, bool abrupt)
{
    const struct ref_announce_message *last = &p->r->messages[c->last];
    struct ref_announce_event *e = ref_event_add(p->r, kind);
    bool is_routed = p->rules->draft >= 7;

    e->abrupt = abrupt;
    e->path = &p->r->messages[c->start].path;
    if (p->rules->draft >= 6)
        e->id = c->id;
    if (is_routed) {
        e->route = c->route;
        e->node = p->r->routes[c->route].node;
    }
    if (kind == REF_ANNOUNCE_END)
        return;
    e->warm = last->warm;
    e->cold = last->cold;
    if (is_routed)
        e->epoch = last->epoch;
    else
        e->hops = &last->hops;
}

void ref_tell_route(struct ref_place *p, enum ref_announce_kind kind, uint64_t id)
{
    const struct ref_announce_route *route = &p->r->routes[id];
    struct ref_announce_event *e = ref_event_add(p->r, kind);

    e->route = id;
    e->node = route->node;
    if (kind == REF_ANNOUNCE_ROUTE_END)
        return;
    e->seqno = route->seqno;
    e->metric = route->metric;
    e->flags = route->flags;
}

/* ---- what lite-05, -06 and -07 have in common ------------------------------------------------ */

/* Does the receiver drop it? Its path is whole, its chain is. */
static bool is_dropped(const struct ref_place *p, const struct ref_announce_path *path,
                       const struct ref_announce_hops *hops, uint64_t node)
{
    const struct ref_announce_rules *rules = p->rules;
    const struct wb_view *prefix = &rules->prefix;
    unsigned parts = path->count + (prefix->len > 0);
    bool is_hidden = prefix->len > 0 && prefix->data[0] == '.';

    for (size_t i = 0; i < prefix->len; i++) {
        parts += prefix->data[i] == '/';
        is_hidden = is_hidden || (i > 0 && prefix->data[i - 1] == '/' && prefix->data[i] == '.');
    }
    if (parts > REF_ANNOUNCE_PARTS)
        return true;
    if (rules->draft < 7) {
        for (unsigned i = 0; i < hops->count; i++)
            if (rules->self != 0 && hops->id[i] == rules->self)
                return true;
        return hops->count > REF_ANNOUNCE_HOPS;
    }
    for (unsigned i = 0; i < path->count; i++)
        is_hidden = is_hidden || path->part[i].data[0] == '.';
    if (is_hidden && !rules->hidden)
        return true;
    return rules->self != 0 && node == rules->self;
}

enum wb_err ref_start(struct ref_place *p, uint64_t route)
{
    struct ref_announce *r = p->r;
    bool is_there;
    size_t at = place_of(r, route, &p->m->path, &is_there);
    size_t number = (size_t)(p->m - r->messages);
    size_t bytes = ref_announce_path_len(p->rules->prefix, &p->m->path);
    uint64_t node = p->rules->draft >= 7 ? r->routes[route].node : 0;
    struct ref_announce_claim claim = {.route = route, .start = number, .last = number};

    if (r->claim_count == p->rules->max_claims || r->path_bytes + bytes > p->rules->max_path_bytes)
        return WB_E_LIMIT;
    if (is_there)
        return WB_E_DUPLICATE;
    claim.id = r->next_id++;
    claim.is_shown = !is_dropped(p, &p->m->path, &p->m->hops, node);
    insert(r, at, &claim);
    r->path_bytes += bytes;
    if (claim.is_shown)
        ref_tell_claim(p, REF_ANNOUNCE_START, &claim, false);
    return WB_OK;
}

void ref_end(struct ref_place *p, size_t at, bool abrupt)
{
    const struct ref_announce_claim *c = &p->r->claims[at];

    if (c->is_shown)
        ref_tell_claim(p, REF_ANNOUNCE_END, c, abrupt);
    p->m->ended++;
    p->r->path_bytes -= ref_announce_path_len(p->rules->prefix, &p->r->messages[c->start].path);
    erase(p->r, at, 1);
}

/* ---- lite-05 and lite-06 --------------------------------------------------------------------- */

/* A chain and the responder; WB_E_HOPS when it then names a node twice. */
static void chain(struct ref_place *p, struct ref_body *b)
{
    struct ref_announce_hops *hops = &p->m->hops;
    uint64_t responder = p->r->responder;

    ref_body_hops(b, hops);
    if (b->err != WB_OK)
        return;
    hops->id[hops->count++] = responder != 0 ? responder : p->rules->assigned;
    for (unsigned i = 0; i < hops->count; i++)
        for (unsigned k = 0; k < i; k++)
            if (hops->id[i] != 0 && hops->id[i] == hops->id[k])
                b->err = WB_E_HOPS;
}

/* A live claim gets a new chain and cost. */
static void restart(struct ref_place *p, struct ref_announce_claim *c)
{
    const struct ref_announce_path *path = &p->r->messages[c->start].path;
    uint64_t before = p->r->messages[c->last].hops.id[0];
    bool was_shown = c->is_shown;

    c->last = (size_t)(p->m - p->r->messages);
    c->is_shown = !is_dropped(p, path, &p->m->hops, 0);
    if (was_shown && !c->is_shown)
        ref_tell_claim(p, REF_ANNOUNCE_END, c, false);
    if (!was_shown && c->is_shown)
        ref_tell_claim(p, REF_ANNOUNCE_START, c, false);
    if (was_shown && c->is_shown) /* an unknown first hop proves nothing */
        ref_tell_claim(p,
                       before != 0 && before == p->m->hops.id[0] ? REF_ANNOUNCE_UPDATE
                                                                 : REF_ANNOUNCE_RESTART,
                       c, false);
}

static enum wb_err by_path(struct ref_place *p, struct ref_body *b)
{
    uint8_t status = ref_body_byte(b);
    bool is_there;
    size_t at;

    if (b->err == WB_OK && status > 2)
        return WB_E_VALUE;
    ref_body_path(b, &p->m->path);
    chain(p, b);
    p->m->cold = UINT64_MAX; /* nobody told */
    WB_TRY(ref_body_done(b));
    at = place_of(p->r, 0, &p->m->path, &is_there);
    if (status == 0) {
        if (is_there)
            ref_end(p, at, false);
        return WB_OK;
    }
    if (!is_there)
        return ref_start(p, 0);
    restart(p, &p->r->claims[at]);
    return WB_OK;
}

static void costs(struct ref_place *p, struct ref_body *b)
{
    p->m->warm = ref_body_number(b, REF_ANNOUNCE_NODE_MAX);
    p->m->cold = p->rules->single_cost ? p->m->warm : ref_body_number(b, REF_ANNOUNCE_NODE_MAX);
}

static enum wb_err typed(struct ref_place *p, uint64_t type, struct ref_body *b)
{
    uint64_t id = 0;
    size_t at;

    if (type > 2)
        return WB_OK;
    if (type == 0)
        ref_body_path(b, &p->m->path);
    else
        id = ref_body_number(b, UINT64_MAX);
    if (type != 1) {
        chain(p, b);
        costs(p, b);
    }
    WB_TRY(ref_body_done(b));
    if (type != 0 && !ref_find_id(p->r, id, &at))
        return WB_E_UNKNOWN_ID;
    if (type == 1) {
        ref_end(p, at, false);
        return WB_OK;
    }
    if (type == 0)
        return ref_start(p, 0);
    restart(p, &p->r->claims[at]);
    return WB_OK;
}

/* ---- messages -------------------------------------------------------------------------------- */

static enum wb_err answer_ok(struct ref_place *p, struct ref_body *b)
{
    uint64_t node = ref_body_number(b, REF_ANNOUNCE_NODE_MAX);
    uint64_t count = ref_body_number(b, UINT64_MAX);
    struct ref_announce_event *e;

    WB_TRY(ref_body_done(b));
    p->r->responder = node;
    e = ref_event_add(p->r, REF_ANNOUNCE_OK);
    e->node = node;
    e->count = count;
    return WB_OK;
}

static enum wb_err apply(struct ref_place *p, uint64_t type, struct wb_view body)
{
    struct ref_body b = {body, p->rules->draft, WB_OK};

    if (p->m == p->r->messages)
        return answer_ok(p, &b);
    if (p->rules->draft == 5)
        return by_path(p, &b);
    if (p->rules->draft == 6)
        return typed(p, type, &b);
    return ref_routed(p, type, &b);
}

/* A number of the framing; false when the stream ends in it. */
static bool number(struct ref_place *p, uint64_t *out)
{
    struct wb_view rest = {p->stream.data + p->at, p->stream.len - p->at};
    struct ref_varint v = {.status = WB_MORE};

    if (rest.len > 0)
        v = ref_varint_read(p->rules->draft >= 7 ? REF_VARINT_ONES_SEVEN : REF_VARINT_QUIC, rest);
    if (v.status != WB_OK) {
        p->r->status = v.status == WB_MORE ? WB_E_TRUNCATED : v.status;
        p->r->judged = v.status == WB_MORE ? p->stream.len : p->at + 1;
        return false;
    }
    *out = v.value;
    p->at += v.size;
    return true;
}

static bool message(struct ref_place *p)
{
    struct ref_announce_message *m = &p->r->messages[p->r->message_count];
    struct ref_announce *r = p->r;
    uint64_t type = 0, size;

    m->begin = p->at;
    m->path.count = m->hops.count = 0; /* the rest of them is read up to there */
    m->warm = m->cold = 0;
    m->epoch = (struct wb_view){NULL, 0};
    m->ended = 0;
    p->m = m;
    if (r->message_count > 0 && p->rules->draft >= 6 && !number(p, &type))
        return false;
    if (!number(p, &size))
        return false;
    m->body = r->judged = p->at;
    if (size > MESSAGE_MAX) {
        r->status = WB_E_MESSAGE_TOO_LARGE;
        return false;
    }
    if (size > p->stream.len - p->at) {
        r->status = WB_E_TRUNCATED;
        r->judged = p->stream.len;
        return false;
    }
    p->at += (size_t)size;
    m->end = r->judged = p->at;
    r->status = apply(p, type, (struct wb_view){p->stream.data + m->body, (size_t)size});
    if (r->status != WB_OK)
        return false;
    m->events = r->end_count;
    m->claims = r->claim_count;
    m->routes = r->live_routes;
    r->message_count++;
    return true;
}

/* Route by route all claims, by path, then the route; at last the stream. */
static void tell_end(struct ref_place *p, bool abrupt)
{
    struct ref_announce *r = p->r;
    size_t at = 0;

    for (size_t route = 0; route < r->route_count || at < r->claim_count; route++) {
        for (; at < r->claim_count && r->claims[at].route == route; at++)
            if (r->claims[at].is_shown)
                ref_tell_claim(p, REF_ANNOUNCE_END, &r->claims[at], abrupt);
        if (route < r->route_count && r->routes[route].is_live) {
            ref_tell_route(p, REF_ANNOUNCE_ROUTE_END, route);
            r->events[r->end_count - 1].abrupt = abrupt;
        }
    }
    ref_event_add(r, REF_ANNOUNCE_CLOSED)->abrupt = abrupt;
}

void ref_announce_read(const struct ref_announce_rules *rules, struct wb_view stream, bool clean,
                       struct ref_announce *out)
{
    struct ref_place p = {rules, out, stream, 0, NULL};

    out->status = WB_OK;
    out->judged = out->message_count = out->event_count = out->end_count = 0;
    out->claim_count = out->path_bytes = out->route_count = out->live_routes = 0;
    out->responder = out->next_id = 0;
    while (p.at < stream.len && out->message_count < REF_ANNOUNCE_MESSAGES && message(&p))
        continue;
    out->event_count = out->end_count;
    tell_end(&p, !clean || out->status != WB_OK);
}
