/*
 * sub_hops.c: announcements with a chain of hops, lite-05 (untyped, by path) and lite-06 (typed, by
 * id). moq-lite, announces; announce stream, receiver.
 */
#include "core/route/sub_state.h"

enum { STATUS_ENDED = 0, STATUS_ACTIVE = 1, STATUS_RESTART = 2 };

/*
 * The chain, with the responder appended: *out_dropped when that makes it too long or when we are
 * in it. WB_E_HOPS when a node is named twice, the responder included.
 */
static enum wb_err chain(struct wb_announce_sub *s, struct wb_wire *w, bool *out_dropped)
{
    enum wb_moq_version version = s->config.version;
    uint64_t count = wb_announce_field(version, w, WB_HOPS_MAX);
    bool full = count == WB_HOPS_MAX, own = false;

    s->hops.count = 0;
    while (s->hops.count < count)
        s->hops.id[s->hops.count++] = wb_announce_field(version, w, WB_NODE_MAX);
    WB_TRY(w->err);
    for (unsigned i = 0; i < s->hops.count; i++) {
        uint64_t id = s->hops.id[i];

        own |= id != 0 && id == s->config.self;
        if (id != 0 && id == s->responder)
            return WB_E_HOPS;
        for (unsigned k = 0; k < i; k++)
            if (id != 0 && id == s->hops.id[k])
                return WB_E_HOPS;
    }
    own |= s->responder != 0 && s->responder == s->config.self;
    if (!full)
        s->hops.id[s->hops.count++] = s->responder;
    *out_dropped = full || own;
    return WB_OK;
}

static void costs(struct wb_announce_sub *s, struct wb_wire *w, uint64_t *warm, uint64_t *cold)
{
    *warm = wb_announce_field(s->config.version, w, WB_NODE_MAX);
    *cold = s->config.single_cost ? *warm : wb_announce_field(s->config.version, w, WB_NODE_MAX);
}

static void tell(struct wb_announce_sub *s, enum wb_announce_kind kind,
                 const struct wb_sub_claim *c, struct wb_announce_event *out)
{
    wb_sub_claim_event(s, kind, c, out);
    out->hops = &s->hops;
}

static enum wb_err start(struct wb_announce_sub *s, struct wb_sub_claim *c, bool dropped,
                         uint64_t warm, uint64_t cold, struct wb_announce_event *out)
{
    WB_TRY(wb_sub_claim_add(s, c));
    c->dropped |= dropped;
    c->warm = warm;
    c->cold = cold;
    c->first_hop = s->hops.id[0];
    if (c->dropped)
        return WB_MORE;
    tell(s, WB_ANNOUNCE_START, c, out);
    return WB_OK;
}

/*
 * The claim has another chain now. The same publisher goes on only when both first hops are known
 * and equal; one that we drop is withdrawn while its id lives on.
 */
static enum wb_err restart(struct wb_announce_sub *s, struct wb_sub_claim *c, bool dropped,
                           uint64_t warm, uint64_t cold, struct wb_announce_event *out)
{
    bool was = c->dropped;
    bool same = c->first_hop != 0 && c->first_hop == s->hops.id[0];

    c->dropped = dropped || wb_sub_path_dropped(s, c->path);
    c->first_hop = s->hops.id[0];
    c->warm = warm;
    c->cold = cold;
    if (was && c->dropped)
        return WB_MORE;
    if (was)
        tell(s, WB_ANNOUNCE_START, c, out);
    else if (c->dropped)
        wb_sub_claim_event(s, WB_ANNOUNCE_END, c, out);
    else
        tell(s, same ? WB_ANNOUNCE_UPDATE : WB_ANNOUNCE_RESTART, c, out);
    return WB_OK;
}

static enum wb_err untyped(struct wb_announce_sub *s, struct wb_view body,
                           struct wb_announce_event *out)
{
    struct wb_wire w = wb_wire_of(body);
    uint8_t status = wb_wire_u8(&w);
    struct wb_sub_claim *c, *fresh;
    struct wb_sub_raw raw;
    bool dropped = false;
    enum wb_err e;

    if (status > STATUS_RESTART)
        return WB_E_VALUE;
    raw = wb_sub_raw_field(s, &w);
    WB_TRY(chain(s, &w, &dropped));
    WB_TRY(wb_wire_done(&w));
    WB_TRY(wb_sub_claim_new(s, &s->flat, (struct wb_view){0}, &raw, &fresh));
    c = wb_sub_claim_on(&s->flat, fresh);
    if (status != STATUS_ENDED && c == NULL)
        return start(s, fresh, dropped, 0, UINT64_MAX, out);
    wb_sub_claim_free(s, fresh);
    if (status == STATUS_ENDED)
        e = c != NULL && wb_sub_claim_end(s, c, out) ? WB_OK : WB_MORE;
    else
        e = restart(s, c, dropped, 0, UINT64_MAX, out);
    return e;
}

static enum wb_err typed_start(struct wb_announce_sub *s, struct wb_view body,
                               struct wb_announce_event *out)
{
    struct wb_wire w = wb_wire_of(body);
    struct wb_sub_raw raw = wb_sub_raw_field(s, &w);
    struct wb_sub_claim *c;
    uint64_t warm, cold;
    bool dropped = false;

    WB_TRY(chain(s, &w, &dropped));
    costs(s, &w, &warm, &cold);
    WB_TRY(wb_wire_done(&w));
    if (wb_sub_is_full(s))
        return WB_E_LIMIT;
    WB_TRY(wb_sub_claim_new(s, &s->flat, (struct wb_view){0}, &raw, &c));
    return start(s, c, dropped, warm, cold, out);
}

static enum wb_err typed_restart(struct wb_announce_sub *s, struct wb_view body,
                                 struct wb_announce_event *out)
{
    struct wb_wire w = wb_wire_of(body);
    uint64_t id = wb_announce_field(s->config.version, &w, UINT64_MAX);
    struct wb_sub_claim *c;
    uint64_t warm, cold;
    bool dropped = false;

    WB_TRY(chain(s, &w, &dropped));
    costs(s, &w, &warm, &cold);
    WB_TRY(wb_wire_done(&w));
    c = wb_sub_claim_find(s, id);
    return c == NULL ? WB_E_UNKNOWN_ID : restart(s, c, dropped, warm, cold, out);
}

static enum wb_err typed_end(struct wb_announce_sub *s, struct wb_view body,
                             struct wb_announce_event *out)
{
    struct wb_wire w = wb_wire_of(body);
    uint64_t id = wb_announce_field(s->config.version, &w, UINT64_MAX);
    struct wb_sub_claim *c;

    WB_TRY(wb_wire_done(&w));
    c = wb_sub_claim_find(s, id);
    if (c == NULL)
        return WB_E_UNKNOWN_ID;
    return wb_sub_claim_end(s, c, out) ? WB_OK : WB_MORE;
}

enum wb_err wb_sub_hops_message(struct wb_announce_sub *s, const struct wb_message *message,
                                struct wb_announce_event *out_event)
{
    if (s->config.version == WB_LITE_05)
        return untyped(s, message->body, out_event);
    if (message->type == WB_ANNOUNCED_START)
        return typed_start(s, message->body, out_event);
    if (message->type == WB_ANNOUNCED_RESTART)
        return typed_restart(s, message->body, out_event);
    if (message->type == WB_ANNOUNCED_END)
        return typed_end(s, message->body, out_event);
    return WB_MORE; /* unknown types are skipped, and take no id */
}
