#include "core/reply/reply.h"

#include "core/reply/quick.h"

static const char *const state_names[] = {"idle", "sending", "busy", "owed", "dead"};

const char *wb_reply_state_name(int state)
{
    return state >= 0 && state <= WB_REPLY_DEAD ? state_names[state] : "?";
}

struct wb_reply_profile wb_reply_profile_default(void)
{
    return (struct wb_reply_profile){.small = WB_REPLY_SMALL,
                                     .large = WB_REPLY_LARGE,
                                     .value_max = WB_REPLY_VALUE_MAX,
                                     .wait_timeout_ns = UINT64_C(100000000),
                                     .drain_max = WB_REPLY_DRAIN_MAX,
                                     .owed_max = WB_REPLY_OWED_MAX,
                                     .probe_idle_ns = UINT64_MAX,
                                     .values = WB_REPLY_VIEW,
                                     .recover = true};
}

enum wb_err wb_reply_new(const struct wb_reply_profile *profile, struct wb_mem *mem,
                         uint64_t now_ns, struct wb_reply **out)
{
    if (profile->small < WB_REPLY_LINE_MAX + 1 || profile->large < profile->small ||
        profile->large > SIZE_MAX - WB_REPLY_LINE_MAX)
        return WB_E_VALUE;
    struct wb_reply *r = wb_mem_take(mem, sizeof *r);
    if (!r)
        return WB_E_NOMEM;
    *r = (struct wb_reply){.mem = mem,
                           .profile = *profile,
                           .read_size = profile->small,
                           .capacity = profile->small + WB_REPLY_LINE_MAX,
                           .idle_since_ns = now_ns};
    r->buffer = wb_mem_take(mem, r->capacity);
    if (!r->buffer) {
        wb_mem_give(mem, r, sizeof *r);
        return WB_E_NOMEM;
    }
    *out = r;
    return WB_OK;
}

void wb_reply_free(struct wb_reply *r)
{
    if (!r)
        return;
    wb_mem_give(r->mem, r->buffer, r->capacity);
    wb_mem_give(r->mem, r, sizeof *r);
}

/* The request is over, one way or the other. */
static void rest(struct wb_reply *r)
{
    r->end_ready = false;
    r->active = false;
    r->want.kind = r->state == WB_REPLY_DEAD ? WB_REPLY_WANT_CLOSE : WB_REPLY_WANT_NOTHING;
}

enum wb_reply_state wb_reply_abandon(struct wb_reply *r, uint64_t now_ns)
{
    WB_CHECKED(wb_reply_check(r));
    if (!r->active)
        return r->state;
    bool ended = r->end_ready, unprobed = r->want.kind == WB_REPLY_WANT_PROBE;
    rest(r);
    if (ended)
        return r->state;
    if (r->state == WB_REPLY_SENDING && r->written == 0) {
        r->state = WB_REPLY_IDLE;
        if (!unprobed) /* else nobody knows yet whether the connection is still good */
            r->idle_since_ns = now_ns;
    } else if (r->state == WB_REPLY_SENDING) {
        wb_reply_steps_fail(r, WB_E_UNSENT);
    } else if (r->state != WB_REPLY_OWED) { /* an old reply stays owed: nothing was written */
        wb_reply_steps_owe(r);
    }
    return r->state;
}

const struct wb_reply_want *wb_reply_wants(const struct wb_reply *r)
{
    return &r->want;
}

struct wb_reply_want wb_reply_want(const struct wb_reply *r, uint64_t now_ns)
{
    (void)now_ns;
    return *wb_reply_wants(r);
}

static void give_end(struct wb_reply *r, struct wb_reply_event *out)
{
    *out = (struct wb_reply_event){
        .kind = WB_REPLY_EVENT_END, .status = r->end_status, .sent = r->written > 0};
    rest(r);
}

/* The last unit of the reply is taken. */
static bool is_over(const struct wb_reply *r)
{
    return r->place.over && !r->block_open;
}

static void conclude(struct wb_reply *r, uint64_t now_ns)
{
    if (r->line.fatal)
        wb_reply_steps_fail(r, r->line.code == WB_REPLY_ERROR ? WB_E_ERROR : WB_E_CLIENT_ERROR);
    else
        wb_reply_steps_boundary(r, now_ns);
}

/*
 * Pulls until a unit is to be delivered, the reply is over, or bytes are missing. True with a
 * unit in *out.
 */
static bool pull(struct wb_reply *r, uint64_t now_ns, struct wb_reply_event *out)
{
    struct wb_reply_event unwanted;
    for (;;) {
        enum wb_err broken = WB_OK;
        if (is_over(r)) {
            conclude(r, now_ns);
            return false;
        }
        bool owed = r->state == WB_REPLY_OWED;
        switch (wb_reply_intake_pull(r, owed ? &unwanted : out, &broken)) {
        case WB_REPLY_PULL_UNIT:
            if (!owed)
                return true;
            break; /* nobody asks for it any more */
        case WB_REPLY_PULL_MORE:
            wb_reply_steps_more(r, now_ns);
            return false;
        case WB_REPLY_PULL_BROKEN:
            wb_reply_steps_fail(r, broken);
            return false;
        }
    }
}

enum wb_err wb_reply_long_next(struct wb_reply *r, uint64_t now_ns, struct wb_reply_event *out)
{
    if (pull(r, now_ns, out))
        return WB_OK;
    if (!r->end_ready)
        return WB_MORE;
    give_end(r, out);
    return WB_OK;
}

enum wb_err wb_reply_next(struct wb_reply *r, uint64_t now_ns, struct wb_reply_event *out)
{
    WB_CHECKED(wb_reply_check(r));
    if (r->want.kind != WB_REPLY_WANT_NEXT)
        return WB_MORE;
    if (!r->end_ready && !is_over(r))
        return wb_reply_quick_next(r, now_ns, out);
    if (!r->end_ready)
        conclude(r, now_ns);
    if (!r->end_ready)
        return WB_MORE;
    give_end(r, out);
    return WB_OK;
}

void wb_reply_stats(const struct wb_reply *r, struct wb_reply_stats *out)
{
    out->state = r->state;
    out->reason = r->reason;
    out->taken = r->taken;
    out->returned = r->returned;
    out->discarded = r->discarded;
    out->off = r->off;
    out->len = r->len;
    out->capacity = r->capacity;
    out->read_size = r->read_size;
    out->buffer = r->buffer;
    out->owed = r->owed;
    out->unit_open = r->block_open || r->off != r->len;
    out->cost = &r->cost;
}

void wb_reply_check(const struct wb_reply *r)
{
    WB_ASSERT(r->off <= r->len);
    WB_ASSERT(r->len <= r->capacity);
    WB_ASSERT(r->capacity == r->read_size + WB_REPLY_LINE_MAX);
    WB_ASSERT(r->read_size == r->profile.small || r->read_size == r->profile.large);
    WB_ASSERT(r->taken == r->returned + r->discarded + (r->len - r->off));
    WB_ASSERT(r->scanned <= r->len - r->off);
    WB_ASSERT(r->unit_taken <= r->returned);
    WB_ASSERT(r->owed <= r->profile.owed_max + 1);
    WB_ASSERT(r->state != WB_REPLY_SENDING || r->want.bytes.len > 0);
    WB_ASSERT(!r->end_ready || r->active);
    WB_ASSERT(!r->end_ready || r->want.kind == WB_REPLY_WANT_NEXT);
    WB_ASSERT(r->want.kind != WB_REPLY_WANT_SPACE || r->want.size > 0);
    WB_ASSERT(!r->block_open || r->block_left >= 1);
    if (r->state == WB_REPLY_IDLE) {
        WB_ASSERT(r->off == r->len);
        WB_ASSERT(!r->block_open);
        WB_ASSERT(r->end_ready || r->want.kind == WB_REPLY_WANT_NOTHING);
    }
    if (r->state == WB_REPLY_OWED) {
        WB_ASSERT(r->drained <= r->profile.drain_max);
        WB_ASSERT(!r->active || r->written == 0 || r->end_ready);
    }
    if (r->state == WB_REPLY_DEAD)
        WB_ASSERT(r->end_ready || r->want.kind == WB_REPLY_WANT_CLOSE ||
                  r->want.kind == WB_REPLY_WANT_NOTHING);
}
