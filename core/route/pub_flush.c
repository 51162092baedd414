/*
 * pub_flush.c: what is due becomes bytes. Room for all of it is made first, so that nothing can
 * fail half-way. Design note on routed announces; moq-lite, announces and messages.
 */
#include "core/route/pub_state.h"

#define NUMBER    9u /* the longest integer of any version */
#define EPOCH     17u
#define ROUTE_MAX (6 * NUMBER + 1) /* a ROUTE_START and a FLOOR of it fit twice over */

/* ---- writing --------------------------------------------------------------------------------- */

/* Most numbers are one byte, the same in both forms, and the room is there. */
static void put(const struct wb_announce_pub *p, struct wb_buf *out, uint64_t value)
{
    enum wb_err e;

    if (value < 0x40) {
        WB_ASSERT(out->len < out->capacity);
        out->data[out->len++] = (uint8_t)value;
        return;
    }
    e = wb_moq_put(p->config.version, out, value);
    WB_ASSERT(e == WB_OK);
}

static void put_bytes(struct wb_buf *out, struct wb_view bytes)
{
    WB_ASSERT(bytes.len <= out->capacity - out->len);
    if (bytes.len > 0)
        memcpy(out->data + out->len, bytes.data, bytes.len);
    out->len += bytes.len;
}

static size_t size(const struct wb_announce_pub *p, uint64_t value)
{
    return wb_moq_size(p->config.version, value);
}

static void put_epoch(const struct wb_announce_pub *p, struct wb_buf *out,
                      const struct wb_epoch *epoch)
{
    put(p, out, epoch->some ? sizeof(epoch->bytes) : 0);
    if (epoch->some)
        put_bytes(out, wb_view_of(epoch->bytes, sizeof(epoch->bytes)));
}

static size_t epoch_size(const struct wb_epoch *epoch)
{
    return epoch->some ? EPOCH : 1;
}

static struct wb_view suffix_of(const struct wb_announce_pub *p, const struct wb_pub_claim *c)
{
    return wb_path_rest(c->path.view, p->prefix.view);
}

/* ---- path bases ------------------------------------------------------------------------------ */

struct base {
    uint64_t back; /* from the next id; 0 = none */
    uint32_t keep;
    struct wb_view rest;
};

static bool better(const struct wb_pub_claim *a, uint32_t keep_a, const struct wb_pub_claim *b,
                   uint32_t keep_b)
{
    return b == NULL || keep_a > keep_b || (keep_a == keep_b && a->id > b->id);
}

/*
 * The claim on the wire that shares most leading parts is a neighbour in path order; the newer one
 * when both share as many. Taken when it makes the message shorter.
 */
static struct base base_of(struct wb_announce_pub *p, struct wb_pub_claim *c)
{
    struct wb_view suffix = suffix_of(p, c);
    struct base none = {.rest = suffix}, found;
    struct wb_pub_claim *after, *near[2], *best = NULL;
    uint32_t best_keep = 0;

    if (!p->config.compress || p->config.version < WB_LITE_07)
        return none;
    after = RB_NFIND(wb_pub_by_wire, &p->wire, c);
    near[0] = after;
    near[1] =
        after != NULL ? RB_PREV(wb_pub_by_wire, &p->wire, after) : RB_MAX(wb_pub_by_wire, &p->wire);
    for (unsigned i = 0; i < 2; i++) {
        uint32_t keep = near[i] == NULL ? 0 : wb_path_common(suffix, suffix_of(p, near[i]));

        if (keep > 0 && better(near[i], keep, best, best_keep)) {
            best = near[i];
            best_keep = keep;
        }
    }
    if (best == NULL)
        return none;
    found = (struct base){p->next_claim - best->id, best_keep, {0}};
    found.rest = wb_path_rest(suffix, wb_path_keep(suffix, best_keep));
    if (size(p, found.back) + size(p, found.keep) + size(p, found.rest.len) + found.rest.len >=
        2 + size(p, suffix.len) + suffix.len)
        return none;
    return found;
}

/* ---- messages -------------------------------------------------------------------------------- */

static void put_ok(struct wb_announce_pub *p, struct wb_buf *out, uint64_t count)
{
    put(p, out, size(p, p->config.self) + size(p, count));
    put(p, out, p->config.self);
    put(p, out, count);
}

static void put_end(struct wb_announce_pub *p, struct wb_buf *out, uint64_t id)
{
    put(p, out,
        p->config.version >= WB_LITE_07 ? (uint64_t)WB_ROUTED_END : (uint64_t)WB_ANNOUNCED_END);
    put(p, out, size(p, id));
    put(p, out, id);
}

static void put_start(struct wb_announce_pub *p, struct wb_buf *out, struct wb_pub_claim *c)
{
    struct base base = base_of(p, c);

    put(p, out, WB_ROUTED_START);
    put(p, out,
        size(p, base.back) + size(p, base.keep) + size(p, base.rest.len) + base.rest.len +
            epoch_size(&c->epoch) + size(p, c->route->id) + size(p, c->warm));
    put(p, out, base.back);
    put(p, out, base.keep);
    put(p, out, base.rest.len);
    put_bytes(out, base.rest);
    put_epoch(p, out, &c->epoch);
    put(p, out, c->route->id);
    put(p, out, c->warm);
}

/* RESTART when the content may be another, UPDATE when only the cost is. */
static void put_change(struct wb_announce_pub *p, struct wb_buf *out, struct wb_pub_claim *c,
                       bool restarts)
{
    put(p, out, restarts ? WB_ROUTED_RESTART : WB_ROUTED_UPDATE);
    put(p, out, size(p, c->id) + (restarts ? epoch_size(&c->epoch) : 0) + size(p, c->warm));
    put(p, out, c->id);
    if (restarts)
        put_epoch(p, out, &c->epoch);
    put(p, out, c->warm);
}

/* Chain and costs of lite-06; a claim without a chain starts here. */
static size_t hops_size(const struct wb_announce_pub *p, const struct wb_pub_claim *c)
{
    unsigned count = c->hops == NULL ? 0 : c->hops->count;
    size_t bytes = size(p, count) + size(p, c->warm) + size(p, c->cold);

    for (unsigned i = 0; i < count; i++)
        bytes += size(p, c->hops->id[i]);
    return bytes;
}

static void put_hops(struct wb_announce_pub *p, struct wb_buf *out, const struct wb_pub_claim *c)
{
    unsigned count = c->hops == NULL ? 0 : c->hops->count;

    put(p, out, count);
    for (unsigned i = 0; i < count; i++)
        put(p, out, c->hops->id[i]);
    put(p, out, c->warm);
    put(p, out, c->cold);
}

static void put_announced(struct wb_announce_pub *p, struct wb_buf *out, struct wb_pub_claim *c)
{
    struct wb_view suffix = suffix_of(p, c);

    put(p, out, WB_ANNOUNCED_START);
    put(p, out, size(p, suffix.len) + suffix.len + hops_size(p, c));
    put(p, out, suffix.len);
    put_bytes(out, suffix);
    put_hops(p, out, c);
}

static void put_announced_restart(struct wb_announce_pub *p, struct wb_buf *out,
                                  struct wb_pub_claim *c)
{
    put(p, out, WB_ANNOUNCED_RESTART);
    put(p, out, size(p, c->id) + hops_size(p, c));
    put(p, out, c->id);
    put_hops(p, out, c);
}

static void put_route(struct wb_announce_pub *p, struct wb_buf *out, const struct wb_pub_route *r)
{
    uint64_t first = r->on_stream ? r->id : r->state.node;

    put(p, out, r->on_stream ? WB_ROUTED_ROUTE_UPDATE : WB_ROUTED_ROUTE_START);
    put(p, out, size(p, first) + size(p, r->state.seqno) + size(p, r->state.metric) + 1);
    put(p, out, first);
    put(p, out, r->state.seqno);
    put(p, out, r->state.metric);
    put_bytes(out, wb_view_of(&r->state.flags, 1));
}

static void put_route_end(struct wb_announce_pub *p, struct wb_buf *out, uint64_t id)
{
    put(p, out, WB_ROUTED_ROUTE_END);
    put(p, out, size(p, id));
    put(p, out, id);
}

static void put_floor(struct wb_announce_pub *p, struct wb_buf *out, uint64_t id, uint64_t revision)
{
    put(p, out, WB_ROUTED_FLOOR);
    put(p, out, size(p, id) + size(p, revision));
    put(p, out, id);
    put(p, out, revision);
}

/* ---- the order of a flush -------------------------------------------------------------------- */

static bool is_new(const struct wb_pub_claim *c)
{
    return c->view == WB_PUB_SHOWN && !c->on_wire;
}

/* The most bytes that what is due can take, and how many STARTs are among it. */
static size_t most(const struct wb_announce_pub *p, uint64_t *out_starts)
{
    struct wb_pub_by_due due = p->due;
    struct wb_pub_by_touch touched = p->touched;
    struct wb_pub_claim *c;
    struct wb_pub_route *r;
    size_t bytes = 3 * NUMBER;

    *out_starts = 0;
    RB_FOREACH(c, wb_pub_by_due, &due)
    {
        *out_starts += c->view == WB_PUB_SHOWN &&
                       (!c->on_wire || (c->renewed && p->config.version < WB_LITE_07));
        bytes += 11 * NUMBER + EPOCH + c->path.view.len;
        bytes += c->hops == NULL ? 0 : c->hops->count * NUMBER;
    }
    RB_FOREACH(r, wb_pub_by_touch, &touched)
    bytes += 2 * ROUTE_MAX;
    return bytes;
}

static void take_off(struct wb_announce_pub *p, struct wb_pub_claim *c)
{
    RB_REMOVE(wb_pub_by_wire, &p->wire, c);
    c->on_wire = false;
}

/* Claims that the link no longer sees, and those of lite-06 that came back as something new. */
static void flush_ends(struct wb_announce_pub *p, struct wb_buf *out)
{
    struct wb_pub_claim *c, *next;

    RB_FOREACH_SAFE(c, wb_pub_by_due, &p->due, next)
    {
        bool stays = c->view == WB_PUB_SHOWN && !(c->renewed && p->config.version < WB_LITE_07);

        if (!c->on_wire || stays)
            continue;
        put_end(p, out, c->id);
        take_off(p, c);
        if (c->view == WB_PUB_ABSENT)
            wb_pub_claim_free(p, c);
    }
}

static void flush_route_ends(struct wb_announce_pub *p, struct wb_buf *out)
{
    struct wb_pub_route *r;

    RB_FOREACH(r, wb_pub_by_touch, &p->touched)
    {
        if (!r->on_stream || r->shown > 0)
            continue;
        put_route_end(p, out, r->id);
        r->on_stream = false;
    }
}

static bool route_differs(const struct wb_pub_route *r)
{
    return r->state.seqno != r->sent.seqno || r->state.metric != r->sent.metric ||
           r->state.flags != r->sent.flags;
}

static bool route_is_due(const struct wb_pub_route *r)
{
    return r->shown > 0 && (!r->on_stream || route_differs(r));
}

bool wb_announce_pub_route_due(const struct wb_announce_pub *p, uint64_t after,
                               struct wb_route_state *out)
{
    struct wb_pub_by_touch touched = p->touched; /* a lookup changes nothing */
    struct wb_pub_route key = {.state.node = after + 1}, *r;

    for (r = RB_NFIND(wb_pub_by_touch, &touched, &key); r != NULL;
         r = RB_NEXT(wb_pub_by_touch, &touched, r))
        if (route_is_due(r)) {
            *out = r->state;
            return true;
        }
    return false;
}

static void flush_routes(struct wb_announce_pub *p, struct wb_buf *out)
{
    struct wb_pub_route *r;

    RB_FOREACH(r, wb_pub_by_touch, &p->touched)
    {
        if (!route_is_due(r))
            continue;
        put_route(p, out, r);
        r->sent = r->state;
        if (r->on_stream)
            continue;
        r->on_stream = r->floor_due = true;
        r->id = p->next_route++;
        r->highest = r->last_floor = 0;
    }
}

static void sent(struct wb_announce_pub *p, struct wb_pub_claim *c)
{
    wb_pub_hops_free(p, c->sent_hops);
    c->sent_hops = NULL;
    c->sent_epoch = c->epoch;
    c->sent_warm = c->warm;
    c->sent_cold = c->cold;
    c->hops_changed = c->renewed = false;
}

static void flush_starts(struct wb_announce_pub *p, struct wb_buf *out)
{
    struct wb_pub_claim *c;

    RB_FOREACH(c, wb_pub_by_due, &p->due)
    {
        if (!is_new(c))
            continue;
        if (p->config.version >= WB_LITE_07)
            put_start(p, out, c);
        else
            put_announced(p, out, c);
        c->id = p->next_claim++;
        c->on_wire = true;
        RB_INSERT(wb_pub_by_wire, &p->wire, c);
        sent(p, c);
    }
}

static bool epoch_equal(const struct wb_epoch *a, const struct wb_epoch *b)
{
    return a->some == b->some &&
           (!a->some || wb_view_equal(wb_view_of(a->bytes, sizeof(a->bytes)),
                                      wb_view_of(b->bytes, sizeof(b->bytes))));
}

static bool restarts(const struct wb_pub_claim *c)
{
    return !epoch_equal(&c->epoch, &c->sent_epoch) || (c->renewed && !c->epoch.some);
}

/* lite-07 has one cost. */
static bool reprices(const struct wb_announce_pub *p, const struct wb_pub_claim *c)
{
    return c->warm != c->sent_warm || (p->config.version < WB_LITE_07 && c->cold != c->sent_cold);
}

/* Of one that is on the wire and stays: is there anything to say of it? */
static bool differs(const struct wb_announce_pub *p, const struct wb_pub_claim *c)
{
    if (p->config.version >= WB_LITE_07)
        return restarts(c) || reprices(p, c);
    return c->renewed || c->hops_changed || reprices(p, c);
}

static void flush_changes(struct wb_announce_pub *p, struct wb_buf *out)
{
    struct wb_pub_claim *c, *next;

    RB_FOREACH_SAFE(c, wb_pub_by_due, &p->due, next)
    {
        if (c->on_wire && differs(p, c)) {
            if (p->config.version >= WB_LITE_07)
                put_change(p, out, c, restarts(c));
            else
                put_announced_restart(p, out, c);
        }
        if (c->on_wire)
            sent(p, c);
        RB_REMOVE(wb_pub_by_due, &p->due, c);
        c->due = false;
    }
}

static void flush_floors(struct wb_announce_pub *p, struct wb_buf *out)
{
    struct wb_pub_route *r, *next;

    RB_FOREACH_SAFE(r, wb_pub_by_touch, &p->touched, next)
    {
        if (r->on_stream && r->floor_due) {
            bool vouches = r->withheld == 0 && r->state.floor >= r->highest;

            r->last_floor = vouches ? r->state.floor : 0;
            if (r->last_floor > 0)
                r->highest = r->last_floor;
            put_floor(p, out, r->id, r->last_floor);
        }
        r->floor_due = false;
        RB_REMOVE(wb_pub_by_touch, &p->touched, r);
        r->touched = false;
        if (r->gone && !r->on_stream && RB_EMPTY(&r->claims))
            wb_pub_route_free(p, r);
    }
}

bool wb_announce_pub_dirty(const struct wb_announce_pub *p)
{
    struct wb_pub_by_due due = p->due;
    struct wb_pub_by_touch touched = p->touched;
    struct wb_pub_claim *c;
    struct wb_pub_route *r;

    if (!p->opened)
        return true;
    RB_FOREACH(c, wb_pub_by_due, &due)
    {
        if (c->on_wire != (c->view == WB_PUB_SHOWN) || (c->on_wire && differs(p, c)))
            return true;
    }
    RB_FOREACH(r, wb_pub_by_touch, &touched)
    {
        if (r->on_stream && (r->floor_due || route_differs(r)))
            return true;
    }
    return false;
}

enum wb_err wb_announce_pub_flush(struct wb_announce_pub *p, struct wb_buf *out)
{
    uint64_t starts;

    WB_TRY(wb_buf_reserve(out, most(p, &starts)));
    if (!p->opened)
        put_ok(p, out, starts);
    p->opened = true;
    flush_ends(p, out);
    if (p->config.version >= WB_LITE_07) {
        flush_route_ends(p, out);
        flush_routes(p, out);
    }
    flush_starts(p, out);
    flush_changes(p, out);
    flush_floors(p, out);
    return WB_OK;
}
