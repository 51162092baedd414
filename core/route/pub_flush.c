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
static inline void put(const struct wb_announce_pub *p, struct wb_buf *out, uint64_t value)
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

/*
 * A message in front of whose body its size is not known yet: type, and a byte for the size. Where
 * the body begins is handed to `end_body`.
 */
static size_t begin_body(const struct wb_announce_pub *p, struct wb_buf *out, uint64_t type)
{
    put(p, out, type);
    put(p, out, 0);
    return out->len;
}

static inline void end_body(const struct wb_announce_pub *p, struct wb_buf *out, size_t body)
{
    size_t len = out->len - body, more = wb_pub_size(p, len) - 1;

    WB_ASSERT(more <= out->capacity - out->len);
    if (more > 0) /* a size of more than a byte moves the body */
        memmove(out->data + body + more, out->data + body, len);
    out->len = body - 1;
    put(p, out, len);
    out->len += len;
}

static void put_epoch(const struct wb_announce_pub *p, struct wb_buf *out,
                      const struct wb_epoch *epoch)
{
    put(p, out, epoch->some ? sizeof(epoch->bytes) : 0);
    if (epoch->some)
        put_bytes(out, wb_view_of(epoch->bytes, sizeof(epoch->bytes)));
}

/* ---- messages -------------------------------------------------------------------------------- */

/* ANNOUNCE_OK has no type. */
static void put_ok(struct wb_announce_pub *p, struct wb_buf *out, uint64_t count)
{
    put(p, out, wb_pub_size(p, p->config.self) + wb_pub_size(p, count));
    put(p, out, p->config.self);
    put(p, out, count);
}

static void put_end(struct wb_announce_pub *p, struct wb_buf *out, uint64_t id)
{
    size_t body = begin_body(p, out,
                             p->config.version >= WB_LITE_07 ? (uint64_t)WB_ROUTED_END
                                                             : (uint64_t)WB_ANNOUNCED_END);

    put(p, out, id);
    end_body(p, out, body);
}

static void put_start(struct wb_announce_pub *p, struct wb_buf *out, struct wb_pub_claim *c)
{
    struct wb_pub_base base = wb_pub_base_of(p, c);
    size_t body = begin_body(p, out, WB_ROUTED_START);

    put(p, out, base.back);
    put(p, out, base.keep);
    put(p, out, base.rest.len);
    put_bytes(out, base.rest);
    put_epoch(p, out, &c->epoch);
    put(p, out, c->route->id);
    put(p, out, c->warm);
    end_body(p, out, body);
}

/* RESTART when the content may be another, UPDATE when only the cost is. */
static void put_change(struct wb_announce_pub *p, struct wb_buf *out, struct wb_pub_claim *c,
                       bool restarts)
{
    size_t body = begin_body(p, out, restarts ? WB_ROUTED_RESTART : WB_ROUTED_UPDATE);

    put(p, out, c->id);
    if (restarts)
        put_epoch(p, out, &c->epoch);
    put(p, out, c->warm);
    end_body(p, out, body);
}

/* Chain and costs of lite-06; a claim without a chain starts here. */
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
    struct wb_view suffix = wb_pub_suffix(p, c->path.view);
    size_t body = begin_body(p, out, WB_ANNOUNCED_START);

    put(p, out, suffix.len);
    put_bytes(out, suffix);
    put_hops(p, out, c);
    end_body(p, out, body);
}

static void put_announced_restart(struct wb_announce_pub *p, struct wb_buf *out,
                                  struct wb_pub_claim *c)
{
    size_t body = begin_body(p, out, WB_ANNOUNCED_RESTART);

    put(p, out, c->id);
    put_hops(p, out, c);
    end_body(p, out, body);
}

static void put_route(struct wb_announce_pub *p, struct wb_buf *out, const struct wb_pub_route *r)
{
    size_t body = begin_body(p, out, r->on_stream ? WB_ROUTED_ROUTE_UPDATE : WB_ROUTED_ROUTE_START);

    put(p, out, r->on_stream ? r->id : r->state.node);
    put(p, out, r->state.seqno);
    put(p, out, r->state.metric);
    put_bytes(out, wb_view_of(&r->state.flags, 1));
    end_body(p, out, body);
}

static void put_route_end(struct wb_announce_pub *p, struct wb_buf *out, uint64_t id)
{
    size_t body = begin_body(p, out, WB_ROUTED_ROUTE_END);

    put(p, out, id);
    end_body(p, out, body);
}

static void put_floor(struct wb_announce_pub *p, struct wb_buf *out, uint64_t id, uint64_t revision)
{
    size_t body = begin_body(p, out, WB_ROUTED_FLOOR);

    put(p, out, id);
    put(p, out, revision);
    end_body(p, out, body);
}

/* ---- the order of a flush -------------------------------------------------------------------- */

static bool is_new(const struct wb_pub_claim *c)
{
    return c->view == WB_PUB_SHOWN && !c->on_wire;
}

/* The most bytes that what is due can take, and how many STARTs are among it. */
static size_t most(const struct wb_announce_pub *p, uint64_t *out_starts)
{
    struct wb_pub_claim *c;
    size_t bytes = 3 * NUMBER + p->touch_count * 2 * ROUTE_MAX;

    *out_starts = 0;
    TAILQ_FOREACH(c, &p->due, in_due)
    {
        *out_starts += c->view == WB_PUB_SHOWN &&
                       (!c->on_wire || (c->renewed && p->config.version < WB_LITE_07));
        bytes += 11 * NUMBER + EPOCH + c->path.view.len;
        bytes += c->hops == NULL ? 0 : c->hops->count * NUMBER;
    }
    return bytes;
}

/* Claims that the link no longer sees, and those of lite-06 that came back as something new. */
static void flush_ends(struct wb_announce_pub *p, struct wb_buf *out)
{
    struct wb_pub_claim *c, *next;

    TAILQ_FOREACH_SAFE(c, &p->due, in_due, next)
    {
        bool stays = c->view == WB_PUB_SHOWN && !(c->renewed && p->config.version < WB_LITE_07);

        if (!c->on_wire || stays)
            continue;
        put_end(p, out, c->id);
        c->on_wire = false;
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

bool wb_announce_pub_route_due(const struct wb_announce_pub *p, uint64_t after,
                               struct wb_route_state *out)
{
    struct wb_pub_by_touch touched = p->touched; /* a lookup changes nothing */
    struct wb_pub_route key, *r;

    if (!p->routes_due)
        return false;
    key.state.node = after + 1;
    for (r = RB_NFIND(wb_pub_by_touch, &touched, &key); r != NULL;
         r = RB_NEXT(wb_pub_by_touch, &touched, r))
        if (wb_pub_route_is_due(r)) {
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
        if (!wb_pub_route_is_due(r))
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
    if (c->sent_hops != NULL)
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

    TAILQ_FOREACH(c, &p->due, in_due)
    {
        if (!is_new(c))
            continue;
        if (p->config.version >= WB_LITE_07)
            put_start(p, out, c);
        else
            put_announced(p, out, c);
        c->id = p->next_claim++;
        c->on_wire = true;
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

    TAILQ_FOREACH_SAFE(c, &p->due, in_due, next)
    {
        if (c->on_wire && differs(p, c)) {
            if (p->config.version >= WB_LITE_07)
                put_change(p, out, c, restarts(c));
            else
                put_announced_restart(p, out, c);
        }
        if (c->on_wire)
            sent(p, c);
        TAILQ_REMOVE(&p->due, c, in_due);
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
        if (r->gone && !r->on_stream && TAILQ_EMPTY(&r->claims))
            wb_pub_route_free(p, r);
        else
            r->touched = false; /* all leave together */
    }
    RB_INIT(&p->touched);
    p->touch_count = 0;
}

bool wb_announce_pub_dirty(const struct wb_announce_pub *p)
{
    struct wb_pub_by_touch touched = p->touched;
    struct wb_pub_claim *c;
    struct wb_pub_route *r;

    if (!p->opened)
        return true;
    TAILQ_FOREACH(c, &p->due, in_due)
    {
        if (c->on_wire != (c->view == WB_PUB_SHOWN) || (c->on_wire && differs(p, c)))
            return true;
    }
    RB_FOREACH(r, wb_pub_by_touch, &touched)
    {
        if (r->on_stream && (r->floor_due || wb_pub_route_differs(r)))
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
    if (p->due_unsorted)
        wb_pub_due_sort(p);
    flush_ends(p, out);
    if (p->routes_due && p->config.version >= WB_LITE_07) {
        flush_route_ends(p, out);
        flush_routes(p, out);
    }
    p->routes_due = false;
    flush_starts(p, out);
    flush_changes(p, out);
    flush_floors(p, out);
    return WB_OK;
}
