/*
 * announce_sub.c: what a receiver keeps, and the order in which it tells. The messages are read in
 * sub_hops.c (lite-05, lite-06) and sub_routed.c (lite-07). moq-lite, announce stream, receiver.
 */
#include "core/route/announce_sub.h"

#include "core/route/sub_state.h"

#include <string.h>

#define CLAIMS_MAX     1048576u
#define ROUTES_MAX     65536u
#define PATH_BYTES_MAX ((uint64_t)1 << 28)

static int order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int wb_sub_claim_id_order(const struct wb_sub_claim *a, const struct wb_sub_claim *b)
{
    return order(a->id, b->id);
}

static inline int wb_sub_claim_path_order(const struct wb_sub_claim *a,
                                          const struct wb_sub_claim *b)
{
    return wb_path_compare_headed(a->head, a->path, b->head, b->path);
}

static int wb_sub_route_id_order(const struct wb_sub_route *a, const struct wb_sub_route *b)
{
    return order(a->id, b->id);
}

static int wb_sub_route_node_order(const struct wb_sub_route *a, const struct wb_sub_route *b)
{
    return order(a->node, b->node);
}

RB_GENERATE(wb_sub_by_id, wb_sub_claim, by_id, wb_sub_claim_id_order)
RB_GENERATE(wb_sub_by_path, wb_sub_claim, by_path, wb_sub_claim_path_order)
RB_GENERATE(wb_sub_routes_by_id, wb_sub_route, by_id, wb_sub_route_id_order)
RB_GENERATE(wb_sub_routes_by_node, wb_sub_route, by_node, wb_sub_route_node_order)

/* ---- claims ---------------------------------------------------------------------------------- */

struct wb_sub_claim *wb_sub_claim_find(struct wb_announce_sub *s, uint64_t id)
{
    struct wb_sub_claim *c = RB_ROOT(&s->claims);

    while (c != NULL && c->id != id)
        c = id < c->id ? RB_LEFT(c, by_id) : RB_RIGHT(c, by_id);
    return c;
}

struct wb_sub_claim *wb_sub_claim_on(struct wb_sub_route *route, struct wb_sub_claim *same_path)
{
    return RB_FIND(wb_sub_by_path, &route->claims, same_path);
}

struct wb_sub_route *wb_sub_route_find(struct wb_announce_sub *s, uint64_t id)
{
    struct wb_sub_route *r = RB_ROOT(&s->routes);

    while (r != NULL && r->id != id)
        r = id < r->id ? RB_LEFT(r, by_id) : RB_RIGHT(r, by_id);
    return r;
}

struct wb_view wb_sub_claim_suffix(const struct wb_announce_sub *s, const struct wb_sub_claim *c)
{
    return wb_path_rest(c->path, s->prefix.view);
}

static size_t append(uint8_t *bytes, size_t len, struct wb_view part)
{
    if (part.len == 0)
        return len;
    if (len > 0)
        bytes[len++] = '/';
    memcpy(bytes + len, part.data, part.len);
    return len + part.len;
}

struct wb_sub_raw wb_sub_raw_field(const struct wb_announce_sub *s, struct wb_wire *w)
{
    uint64_t size = wb_announce_field(s->config.version, w, UINT64_MAX);
    struct wb_sub_raw raw = {.bytes = wb_wire_bytes(w, size)};

    if (w->err == WB_OK)
        w->err = wb_path_measure(raw.bytes, &raw.len);
    return raw;
}

void wb_sub_claim_free(struct wb_announce_sub *s, struct wb_sub_claim *c)
{
    if (c != NULL)
        wb_mem_give(s->mem, c, sizeof(*c) + c->path.len);
}

/* More parts than a path may have, and maybe than memory should be taken for. */
static bool is_deep(struct wb_view kept, const struct wb_sub_raw *raw)
{
    if (kept.len == 0 || kept.len + 1 + raw->len <= 2 * WB_MOQ_PARTS_MAX)
        return false;
    return wb_path_parts(kept) + wb_path_raw_parts(raw->bytes) > WB_MOQ_PARTS_MAX;
}

static bool is_too_long(const struct wb_announce_sub *s, size_t len)
{
    return len > s->config.max_path_bytes - s->path_bytes;
}

enum wb_err wb_sub_claim_new(struct wb_announce_sub *s, struct wb_sub_route *route,
                             struct wb_view kept, const struct wb_sub_raw *raw,
                             struct wb_sub_claim **out)
{
    struct wb_view prefix = s->prefix.view;
    struct wb_sub_claim *c;
    size_t len = prefix.len;

    len += kept.len > 0 ? (len > 0) + kept.len : 0;
    len += raw->len > 0 ? (len > 0) + raw->len : 0;
    if (is_deep(kept, raw))
        return WB_E_BOUNDS;
    if (s->config.version >= WB_LITE_06 && is_too_long(s, len))
        return WB_E_LIMIT;
    c = wb_mem_take(s->mem, sizeof(*c) + len);
    if (c == NULL)
        return WB_E_NOMEM;
    *c = (struct wb_sub_claim){.route = route, .path = {c->bytes, len}};
    len = append(c->bytes, append(c->bytes, 0, prefix), kept);
    if (raw->len > 0) {
        if (len > 0)
            c->bytes[len++] = '/';
        if (raw->len == raw->bytes.len) /* it is normal */
            memcpy(c->bytes + len, raw->bytes.data, raw->len);
        else
            (void)wb_path_write(raw->bytes, c->bytes + len);
    }
    c->head = wb_path_head(wb_sub_claim_suffix(s, c));
    *out = c;
    return WB_OK;
}

bool wb_sub_path_dropped(const struct wb_announce_sub *s, struct wb_view path)
{
    if (wb_path_is_deep(path))
        return true;
    return s->config.version >= WB_LITE_07 && !s->config.hidden && wb_path_is_hidden(path);
}

bool wb_sub_is_full(const struct wb_announce_sub *s)
{
    return s->claim_count == s->config.max_claims;
}

/* False when its route has one on that path. */
static bool add_by_path(struct wb_sub_claim *c)
{
    struct wb_sub_by_path *claims = &c->route->claims;
    struct wb_sub_claim *parent = NULL, **link = &RB_ROOT(claims);

    while (*link != NULL) {
        int by = wb_sub_claim_path_order(c, parent = *link);

        if (by == 0)
            return false;
        link = by < 0 ? &RB_LEFT(parent, by_path) : &RB_RIGHT(parent, by_path);
    }
    RB_SET(c, parent, by_path);
    *link = c;
    wb_sub_by_path_RB_INSERT_COLOR(claims, c);
    return true;
}

/* No id is larger: it goes to the right of all. */
static void add_by_id(struct wb_announce_sub *s, struct wb_sub_claim *c)
{
    struct wb_sub_claim *parent = NULL, **link = &RB_ROOT(&s->claims);

    for (; *link != NULL; link = &RB_RIGHT(parent, by_id))
        parent = *link;
    RB_SET(c, parent, by_id);
    *link = c;
    wb_sub_by_id_RB_INSERT_COLOR(&s->claims, c);
}

enum wb_err wb_sub_claim_add(struct wb_announce_sub *s, struct wb_sub_claim *c)
{
    enum wb_err e = WB_OK;

    if (wb_sub_is_full(s) || is_too_long(s, c->path.len))
        e = WB_E_LIMIT;
    else if (!add_by_path(c))
        e = WB_E_DUPLICATE;
    if (e != WB_OK) {
        wb_sub_claim_free(s, c);
        return e;
    }
    c->dropped = wb_sub_path_dropped(s, c->path);
    c->id = s->next_claim++;
    add_by_id(s, c);
    s->claim_count++;
    s->path_bytes += c->path.len;
    return WB_OK;
}

void wb_sub_claim_event(const struct wb_announce_sub *s, enum wb_announce_kind kind,
                        const struct wb_sub_claim *c, struct wb_announce_event *out)
{
    *out = (struct wb_announce_event){
        .kind = kind, .path = c->path, .epoch = c->epoch, .warm = c->warm, .cold = c->cold};
    if (s->config.version >= WB_LITE_06) /* before, ids are ours alone */
        out->id = c->id;
    if (c->route != &s->flat) {
        out->route = c->route->id;
        out->node = c->route->node;
    }
}

bool wb_sub_claim_end(struct wb_announce_sub *s, struct wb_sub_claim *c,
                      struct wb_announce_event *out)
{
    RB_REMOVE(wb_sub_by_id, &s->claims, c);
    RB_REMOVE(wb_sub_by_path, &c->route->claims, c);
    s->claim_count--;
    s->path_bytes -= c->path.len;
    wb_sub_claim_free(s, s->gone);
    s->gone = c; /* its path is lent to the event */
    if (c->dropped)
        return false;
    wb_sub_claim_event(s, WB_ANNOUNCE_END, c, out);
    out->abrupt = s->closing && s->abrupt;
    return true;
}

/* ---- the stream ------------------------------------------------------------------------------ */

enum wb_err wb_announce_sub_new(struct wb_mem *mem, const struct wb_announce_sub_config *config,
                                struct wb_announce_sub **out)
{
    struct wb_announce_sub *s = wb_mem_take(mem, sizeof(*s));

    WB_ASSERT(config->version >= WB_LITE_05);
    if (s == NULL)
        return WB_E_NOMEM;
    *s = (struct wb_announce_sub){.mem = mem, .config = *config};
    if (wb_slice_copy(mem, config->prefix, &s->prefix) != WB_OK) {
        wb_mem_give(mem, s, sizeof(*s));
        return WB_E_NOMEM;
    }
    s->config.prefix = s->prefix.view;
    if (s->config.max_claims == 0)
        s->config.max_claims = CLAIMS_MAX;
    if (s->config.max_path_bytes == 0)
        s->config.max_path_bytes = PATH_BYTES_MAX;
    if (s->config.max_routes == 0)
        s->config.max_routes = ROUTES_MAX;
    RB_INIT(&s->claims);
    RB_INIT(&s->routes);
    RB_INIT(&s->nodes);
    RB_INIT(&s->flat.claims);
    wb_message_reader_init(&s->reader, mem, config->version, false, WB_MOQ_MESSAGE_MAX);
    *out = s;
    return WB_OK;
}

static void route_free(struct wb_announce_sub *s, struct wb_sub_route *route)
{
    RB_REMOVE(wb_sub_routes_by_id, &s->routes, route);
    RB_REMOVE(wb_sub_routes_by_node, &s->nodes, route);
    s->route_count--;
    wb_mem_give(s->mem, route, sizeof(*route));
}

void wb_announce_sub_free(struct wb_announce_sub *s)
{
    struct wb_announce_event unused;
    struct wb_sub_claim *c;
    struct wb_sub_route *route;

    while ((c = RB_ROOT(&s->claims)) != NULL)
        (void)wb_sub_claim_end(s, c, &unused);
    while ((route = RB_ROOT(&s->routes)) != NULL)
        route_free(s, route);
    wb_sub_claim_free(s, s->gone);
    wb_slice_drop(&s->prefix);
    wb_message_reader_fini(&s->reader);
    wb_mem_give(s->mem, s, sizeof(*s));
}

/* The next END of a route, or its ROUTE_END; WB_MORE when the route is gone without a word. */
static enum wb_err end_route(struct wb_announce_sub *s, struct wb_sub_route *route,
                             struct wb_announce_event *out)
{
    struct wb_sub_claim *c;

    while ((c = RB_MIN(wb_sub_by_path, &route->claims)) != NULL)
        if (wb_sub_claim_end(s, c, out))
            return WB_OK;
    if (route == &s->flat)
        return WB_MORE;
    *out = (struct wb_announce_event){.kind = WB_ANNOUNCE_ROUTE_END,
                                      .abrupt = s->closing && s->abrupt,
                                      .route = route->id,
                                      .node = route->node};
    s->ending = NULL;
    route_free(s, route);
    return WB_OK;
}

enum wb_err wb_sub_route_end_next(struct wb_announce_sub *s, struct wb_announce_event *out)
{
    return end_route(s, s->ending, out);
}

static enum wb_err close_next(struct wb_announce_sub *s, struct wb_announce_event *out)
{
    struct wb_sub_route *route = RB_MIN(wb_sub_routes_by_id, &s->routes);

    if (route != NULL)
        return end_route(s, route, out);
    if (end_route(s, &s->flat, out) == WB_OK)
        return WB_OK;
    if (s->closed)
        return s->err != WB_OK ? s->err : WB_END;
    s->closed = true;
    *out = (struct wb_announce_event){.kind = WB_ANNOUNCE_CLOSED, .abrupt = s->abrupt};
    return WB_OK;
}

/* ANNOUNCE_OK, which has no type; all after it has one from lite-06 on. */
static enum wb_err ok_message(struct wb_announce_sub *s, struct wb_view body,
                              struct wb_announce_event *out)
{
    struct wb_wire w = wb_wire_of(body);
    uint64_t node = wb_announce_field(s->config.version, &w, WB_NODE_MAX);
    uint64_t count = wb_announce_field(s->config.version, &w, UINT64_MAX);

    WB_TRY(wb_wire_done(&w));
    s->has_ok = true;
    s->reader.typed = s->config.version >= WB_LITE_06;
    s->responder = node != 0 ? node : s->config.assigned;
    *out = (struct wb_announce_event){.kind = WB_ANNOUNCE_OK, .node = node, .count = count};
    return WB_OK;
}

static enum wb_err apply(struct wb_announce_sub *s, struct wb_announce_event *out)
{
    if (!s->has_ok)
        return ok_message(s, s->message.body, out);
    if (s->config.version >= WB_LITE_07)
        return wb_sub_routed_message(s, &s->message, out);
    return wb_sub_hops_message(s, &s->message, out);
}

enum wb_err wb_announce_sub_next(struct wb_announce_sub *s, struct wb_view *in,
                                 struct wb_announce_event *out)
{
    enum wb_err e = WB_MORE;

    if (s->closing)
        return close_next(s, out);
    if (s->ending != NULL)
        return wb_sub_route_end_next(s, out);
    while (e == WB_MORE && s->err == WB_OK) {
        struct wb_view before = *in;

        if (in->len == 0 && !s->again && !s->reader.lent)
            return WB_MORE;
        if (!s->again) {
            e = wb_message_next(&s->reader, in, &s->message);
            if (e == WB_MORE || e == WB_E_NOMEM)
                return e;
            s->err = e;
            if (e != WB_OK)
                break;
        }
        e = apply(s, out);
        /* Without memory nothing happened: the message waits, in `held` or in the caller's hand. */
        s->again = e == WB_E_NOMEM && s->reader.lent;
        if (e == WB_E_NOMEM && !s->again)
            *in = before;
        if (e != WB_OK && e != WB_MORE && e != WB_E_NOMEM)
            s->err = e;
    }
    return s->err != WB_OK ? s->err : e;
}

enum wb_err wb_announce_sub_end(struct wb_announce_sub *s, bool clean)
{
    enum wb_err e = WB_OK;

    WB_ASSERT(!s->closing);
    if (clean && s->err == WB_OK)
        e = s->err = wb_message_fin(&s->reader);
    else if (clean)
        e = s->err;
    s->closing = true;
    s->abrupt = !clean || e != WB_OK;
    return e;
}

/* ---- what is kept ---------------------------------------------------------------------------- */

uint64_t wb_announce_sub_claims(const struct wb_announce_sub *s)
{
    return s->claim_count;
}

uint64_t wb_announce_sub_routes(const struct wb_announce_sub *s)
{
    return s->route_count;
}

bool wb_announce_sub_floor(const struct wb_announce_sub *s, uint64_t route, uint64_t *out)
{
    const struct wb_sub_route *r = RB_ROOT(&s->routes);

    while (r != NULL && r->id != route)
        r = route < r->id ? RB_LEFT(r, by_id) : RB_RIGHT(r, by_id);
    if (r != NULL)
        *out = r->floor;
    return r != NULL;
}

bool wb_announce_sub_claim_at(const struct wb_announce_sub *s, uint64_t i,
                              struct wb_announce_event *out)
{
    struct wb_sub_by_id claims = s->claims; /* the walk changes nothing */
    struct wb_sub_claim *c = RB_MIN(wb_sub_by_id, &claims);

    while (c != NULL && i-- > 0)
        c = RB_NEXT(wb_sub_by_id, &claims, c);
    if (c != NULL)
        wb_sub_claim_event(s, WB_ANNOUNCE_START, c, out);
    return c != NULL;
}

void wb_announce_sub_check(const struct wb_announce_sub *s)
{
    struct wb_sub_by_id claims = s->claims;
    struct wb_sub_routes_by_id routes = s->routes;
    struct wb_sub_claim *c, *last = NULL;
    struct wb_sub_route *r;
    uint64_t count = 0, bytes = 0, route_count = 0;

    RB_FOREACH(c, wb_sub_by_id, &claims)
    {
        WB_ASSERT(last == NULL || wb_sub_claim_id_order(last, c) < 0);
        last = c;
        WB_ASSERT(c->id < s->next_claim);
        WB_ASSERT(wb_sub_claim_on(c->route, c) == c);
        WB_ASSERT(c->head == wb_path_head(wb_sub_claim_suffix(s, c))); /* asserts the prefix */
        count++;
        bytes += c->path.len;
    }
    RB_FOREACH(r, wb_sub_routes_by_id, &routes)
    {
        WB_ASSERT(r->id < s->next_route);
        WB_ASSERT(r->node != 0);
        WB_ASSERT(r->floor <= r->highest);
        route_count++;
    }
    WB_ASSERT(count == s->claim_count);
    WB_ASSERT(bytes == s->path_bytes && bytes <= s->config.max_path_bytes);
    WB_ASSERT(route_count == s->route_count);
}
