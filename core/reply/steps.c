#include "core/reply/conn.h"

static uint64_t later(uint64_t now_ns, uint64_t delay_ns)
{
    return delay_ns > UINT64_MAX - now_ns ? UINT64_MAX : now_ns + delay_ns;
}

static void end_request(struct wb_reply *r, enum wb_err status)
{
    if (!r->active)
        return;
    r->end_ready = true;
    r->end_status = status;
}

void wb_reply_steps_fail(struct wb_reply *r, enum wb_err reason)
{
    WB_ASSERT(r->state != WB_REPLY_DEAD);
    r->state = WB_REPLY_DEAD;
    r->reason = reason;
    r->step = WB_REPLY_STEP_NONE;
    r->fresh = false;
    r->close_wanted = true;
    end_request(r, reason);
}

void wb_reply_steps_wait(struct wb_reply *r, uint64_t now_ns)
{
    r->step = WB_REPLY_STEP_WAIT;
    if (r->waited)
        return;
    uint64_t limit = later(now_ns, r->profile.wait_timeout_ns);
    r->wait_until_ns = limit < r->deadline_ns ? limit : r->deadline_ns;
}

void wb_reply_steps_read(struct wb_reply *r)
{
    wb_reply_intake_prepare(r);
    r->expected = false;
    r->wait_mask = WB_REPLY_READABLE;
    r->step = WB_REPLY_STEP_READ;
}

void wb_reply_steps_send(struct wb_reply *r, uint64_t now_ns)
{
    bool idle_long = now_ns - r->idle_since_ns > r->profile.probe_idle_ns;
    bool probe = r->profile.probe_idle_ns != UINT64_MAX && (idle_long || r->was_drained);
    wb_reply_intake_open(r, &r->next_shape);
    r->was_drained = false;
    r->waited = false;
    r->wait_mask = WB_REPLY_READABLE;
    r->expected = r->next_expected;
    r->state = WB_REPLY_SENDING;
    r->fresh = false;
    r->step = probe ? WB_REPLY_STEP_PROBE : WB_REPLY_STEP_WRITE;
}

void wb_reply_steps_boundary(struct wb_reply *r, uint64_t now_ns)
{
    if (r->off != r->len) {
        wb_reply_steps_fail(r, WB_E_TRAILING);
        return;
    }
    r->fresh = false;
    r->idle_since_ns = now_ns;
    switch (r->state) {
    case WB_REPLY_OWED:
        r->owed = 0;
        r->was_drained = true;
        wb_reply_steps_send(r, now_ns);
        return;
    case WB_REPLY_SENDING:
        r->boundary = true;
        r->step = WB_REPLY_STEP_WRITE;
        return;
    case WB_REPLY_BUSY:
        r->state = WB_REPLY_IDLE;
        r->step = WB_REPLY_STEP_NONE;
        end_request(r, WB_OK);
        return;
    case WB_REPLY_IDLE:
    case WB_REPLY_DEAD:
        break;
    }
    WB_UNREACHABLE();
}

void wb_reply_steps_more(struct wb_reply *r, uint64_t now_ns)
{
    r->fresh = false;
    if (r->block_open && !r->block_ready) {
        r->step = WB_REPLY_STEP_NONE; /* space first */
        return;
    }
    if (r->state == WB_REPLY_SENDING)
        r->step = WB_REPLY_STEP_WRITE;
    else if (r->expected && !r->profile.tls)
        wb_reply_steps_wait(r, now_ns);
    else
        wb_reply_steps_read(r);
}

void wb_reply_steps_owe(struct wb_reply *r)
{
    enum wb_reply_state before = r->state;
    r->owed++;
    r->step = WB_REPLY_STEP_NONE;
    r->fresh = false;
    if (before == WB_REPLY_BUSY) {
        wb_reply_intake_forget(r);
        r->state = WB_REPLY_OWED;
        r->drained = 0;
    }
    if (!r->profile.recover || r->owed > r->profile.owed_max) {
        wb_reply_steps_fail(r, r->profile.recover ? WB_E_OWED_TOO_OFTEN : WB_TIMEOUT);
        return;
    }
}

/* A wait ran out: what is half written ends the connection, an answer not yet there is owed. */
static void time_out(struct wb_reply *r)
{
    if (r->state == WB_REPLY_SENDING) {
        wb_reply_steps_fail(r, WB_E_UNSENT);
        return;
    }
    wb_reply_steps_owe(r);
    end_request(r, WB_TIMEOUT);
}

static void written_whole(struct wb_reply *r, uint64_t now_ns)
{
    r->state = WB_REPLY_BUSY;
    if (r->boundary)
        wb_reply_steps_boundary(r, now_ns);
    else
        wb_reply_steps_more(r, now_ns);
}

void wb_reply_told_write(struct wb_reply *r, uint64_t now_ns, enum wb_reply_io io, size_t n)
{
    WB_ASSERT(r->step == WB_REPLY_STEP_WRITE);
    WB_CHECKED(wb_reply_check(r));
    switch (io) {
    case WB_REPLY_IO_BYTES:
        WB_ASSERT(n >= 1);
        WB_ASSERT(n <= r->request.len - r->written);
        r->written += n;
        r->waited = false;
        if (r->written == r->request.len)
            written_whole(r, now_ns);
        return;
    case WB_REPLY_IO_AGAIN:
        if (r->waited && now_ns >= r->wait_until_ns) {
            time_out(r);
            return;
        }
        r->expected = false; /* both kernels' buffers are full: an answer may well be there */
        if (r->profile.tls && !r->boundary)
            wb_reply_steps_read(r); /* what is decrypted already wakes nobody */
        else
            wb_reply_steps_wait(r, now_ns);
        return;
    case WB_REPLY_IO_INTR:
        return;
    case WB_REPLY_IO_EOF:
    case WB_REPLY_IO_RESET:
        wb_reply_steps_fail(r, WB_E_RESET);
        return;
    }
    WB_UNREACHABLE();
}

void wb_reply_told_read(struct wb_reply *r, uint64_t now_ns, enum wb_reply_io io, size_t n,
                        unsigned direction)
{
    WB_ASSERT(r->step == WB_REPLY_STEP_READ);
    WB_CHECKED(wb_reply_check(r));
    switch (io) {
    case WB_REPLY_IO_BYTES:
        WB_ASSERT(n >= 1);
        wb_reply_intake_take(r, n);
        r->waited = false;
        r->fresh = true;
        if (r->state == WB_REPLY_SENDING && r->written == 0)
            wb_reply_steps_fail(r, WB_E_UNSOLICITED); /* no byte of the request is out yet */
        return;
    case WB_REPLY_IO_AGAIN:
        WB_COUNT(r->cost.agains, 1);
        if (r->waited && now_ns >= r->wait_until_ns) {
            time_out(r);
            return;
        }
        r->wait_mask = direction ? direction : WB_REPLY_READABLE;
        wb_reply_steps_wait(r, now_ns);
        return;
    case WB_REPLY_IO_INTR:
        return;
    case WB_REPLY_IO_EOF:
        wb_reply_steps_fail(r, WB_E_EOF);
        return;
    case WB_REPLY_IO_RESET:
        wb_reply_steps_fail(r, WB_E_RESET);
        return;
    }
    WB_UNREACHABLE();
}

/* What is ready decides; with nothing ready, only the clock does. */
static void after_wait(struct wb_reply *r, uint64_t now_ns, unsigned mask)
{
    r->waited = true;
    if (r->state == WB_REPLY_SENDING && (mask & WB_REPLY_READABLE) && !r->boundary)
        wb_reply_steps_read(r);
    else if (r->state == WB_REPLY_SENDING && (mask & WB_REPLY_WRITABLE))
        r->step = WB_REPLY_STEP_WRITE;
    else if (r->state != WB_REPLY_SENDING && (mask & r->wait_mask))
        wb_reply_steps_read(r);
    else if (now_ns >= r->wait_until_ns)
        time_out(r);
    else
        r->step = WB_REPLY_STEP_WAIT; /* a false alarm; the limit stays */
}

void wb_reply_told_wait(struct wb_reply *r, uint64_t now_ns, unsigned mask)
{
    WB_ASSERT(r->step == WB_REPLY_STEP_WAIT);
    WB_CHECKED(wb_reply_check(r));
    WB_COUNT(r->cost.waits, 1);
    if (r->profile.poll_is_wait)
        after_wait(r, now_ns, mask);
    else
        r->step = WB_REPLY_STEP_POLL; /* a scheduler's word is not enough: its timer may starve */
}

void wb_reply_told_poll(struct wb_reply *r, uint64_t now_ns, unsigned mask)
{
    WB_ASSERT(r->step == WB_REPLY_STEP_POLL);
    WB_CHECKED(wb_reply_check(r));
    WB_COUNT(r->cost.polls, 1);
    after_wait(r, now_ns, mask);
}

void wb_reply_told_probe(struct wb_reply *r, uint64_t now_ns, enum wb_reply_io io)
{
    WB_ASSERT(r->step == WB_REPLY_STEP_PROBE);
    WB_CHECKED(wb_reply_check(r));
    (void)now_ns;
    switch (io) {
    case WB_REPLY_IO_AGAIN:
        r->step = WB_REPLY_STEP_WRITE;
        return;
    case WB_REPLY_IO_INTR:
        return;
    case WB_REPLY_IO_BYTES:
        wb_reply_steps_fail(r, WB_E_UNSOLICITED);
        return;
    case WB_REPLY_IO_EOF:
        wb_reply_steps_fail(r, WB_E_EOF);
        return;
    case WB_REPLY_IO_RESET:
        wb_reply_steps_fail(r, WB_E_RESET);
        return;
    }
    WB_UNREACHABLE();
}

void wb_reply_space(struct wb_reply *r, uint8_t *bytes)
{
    WB_ASSERT(r->block_open);
    WB_ASSERT(!r->block_ready);
    WB_ASSERT(bytes != NULL);
    r->space = bytes;
    r->block_ready = true;
    r->fresh = true;
}

void wb_reply_told_close(struct wb_reply *r)
{
    WB_ASSERT(r->close_wanted);
    r->close_wanted = false;
}
