#include "core/reply/reply.h"

#include "core/reply/conn.h"

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
    if (profile->small < WB_REPLY_LINE_MAX + 1 || profile->large < profile->small)
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

enum wb_err wb_reply_request(struct wb_reply *r, uint64_t now_ns, struct wb_view bytes,
                             const struct wb_reply_shape *shape, bool expect_reply,
                             uint64_t deadline_ns)
{
    WB_CHECKED(wb_reply_check(r));
    if (r->active)
        return WB_E_BUSY;
    if (r->state == WB_REPLY_DEAD)
        return WB_E_CLOSED;
    if (bytes.len == 0)
        return WB_E_VALUE;
    WB_TRY(wb_reply_shape_check(shape));
    r->active = true;
    r->request = bytes;
    r->written = 0;
    r->next_shape = *shape;
    r->expected = false;
    r->next_expected = expect_reply;
    r->deadline_ns = deadline_ns;
    r->waited = false;
    if (r->state == WB_REPLY_OWED)
        r->fresh = true; /* drain first, from what is buffered on */
    else
        wb_reply_steps_send(r, now_ns);
    return WB_OK;
}

enum wb_reply_state wb_reply_abandon(struct wb_reply *r, uint64_t now_ns)
{
    WB_CHECKED(wb_reply_check(r));
    if (!r->active)
        return r->state;
    bool ended = r->end_ready;
    r->active = false;
    r->end_ready = false;
    if (ended)
        return r->state;
    if (r->state == WB_REPLY_SENDING && r->written == 0) {
        r->state = WB_REPLY_IDLE;
        r->idle_since_ns = now_ns;
        r->step = WB_REPLY_STEP_NONE;
    } else if (r->state == WB_REPLY_SENDING) {
        wb_reply_steps_fail(r, WB_E_UNSENT);
    } else if (r->state == WB_REPLY_OWED) {
        r->step = WB_REPLY_STEP_NONE; /* nothing of it was written; the old reply stays owed */
        r->fresh = false;
    } else {
        wb_reply_steps_owe(r);
    }
    return r->state;
}

struct wb_reply_want wb_reply_want(const struct wb_reply *r, uint64_t now_ns)
{
    struct wb_reply_want want = {0};
    (void)now_ns;
    if (r->end_ready || r->fresh) {
        want.kind = WB_REPLY_WANT_NEXT;
        return want;
    }
    if (r->close_wanted) {
        want.kind = WB_REPLY_WANT_CLOSE;
        return want;
    }
    switch (r->step) {
    case WB_REPLY_STEP_NONE:
        if (r->active && r->block_open && !r->block_ready) {
            want.kind = WB_REPLY_WANT_SPACE;
            want.size = r->line.value_len;
        }
        return want;
    case WB_REPLY_STEP_PROBE:
        want.kind = WB_REPLY_WANT_PROBE;
        return want;
    case WB_REPLY_STEP_WRITE:
        want.kind = WB_REPLY_WANT_WRITE;
        want.bytes = wb_view_sub(r->request, r->written, r->request.len);
        return want;
    case WB_REPLY_STEP_WAIT:
    case WB_REPLY_STEP_POLL:
        want.kind = r->step == WB_REPLY_STEP_WAIT ? WB_REPLY_WANT_WAIT : WB_REPLY_WANT_POLL;
        want.mask = r->wait_mask;
        if (r->state == WB_REPLY_SENDING)
            want.mask = WB_REPLY_WRITABLE | (r->boundary ? 0 : WB_REPLY_READABLE);
        want.until_ns = r->wait_until_ns;
        return want;
    case WB_REPLY_STEP_READ:
        want.kind = WB_REPLY_WANT_READ;
        wb_reply_intake_into(r, &want);
        return want;
    }
    WB_UNREACHABLE();
}

static void give_end(struct wb_reply *r, struct wb_reply_event *out)
{
    *out = (struct wb_reply_event){
        .kind = WB_REPLY_EVENT_END, .status = r->end_status, .sent = r->written > 0};
    r->end_ready = false;
    r->active = false;
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
        if (r->place.over && !r->block_open) {
            if (r->line.fatal)
                wb_reply_steps_fail(r, r->line.code == WB_REPLY_ERROR ? WB_E_ERROR
                                                                      : WB_E_CLIENT_ERROR);
            else
                wb_reply_steps_boundary(r, now_ns);
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

enum wb_err wb_reply_next(struct wb_reply *r, uint64_t now_ns, struct wb_reply_event *out)
{
    WB_CHECKED(wb_reply_check(r));
    if (!r->end_ready && r->fresh && pull(r, now_ns, out))
        return WB_OK;
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
    WB_ASSERT(!r->active || r->written <= r->request.len);
    WB_ASSERT(!r->end_ready || r->active);
    WB_ASSERT(!r->block_open || r->block_left >= 1);
    if (r->state == WB_REPLY_IDLE) {
        WB_ASSERT(r->off == r->len);
        WB_ASSERT(!r->block_open);
        WB_ASSERT(r->step == WB_REPLY_STEP_NONE);
    }
    if (r->state == WB_REPLY_OWED) {
        WB_ASSERT(r->drained <= r->profile.drain_max);
        WB_ASSERT(!r->active || r->written == 0 || r->end_ready);
    }
    if (r->state == WB_REPLY_DEAD)
        WB_ASSERT(r->step == WB_REPLY_STEP_NONE);
}
