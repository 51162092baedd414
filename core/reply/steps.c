#include "core/reply/conn.h"

#include <string.h>

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
    r->want.kind = WB_REPLY_WANT_NEXT;
}

void wb_reply_steps_fail(struct wb_reply *r, enum wb_err reason)
{
    WB_ASSERT(r->state != WB_REPLY_DEAD);
    r->state = WB_REPLY_DEAD;
    r->reason = reason;
    r->want.kind = WB_REPLY_WANT_CLOSE;
    end_request(r, reason);
}

void wb_reply_steps_wait(struct wb_reply *r, uint64_t now_ns)
{
    r->want.kind = WB_REPLY_WANT_WAIT;
    r->want.mask = r->wait_mask;
    if (r->state == WB_REPLY_SENDING)
        r->want.mask = WB_REPLY_WRITABLE | (r->boundary ? 0 : WB_REPLY_READABLE);
    if (!r->waited) {
        uint64_t limit = later(now_ns, r->profile.wait_timeout_ns);
        r->wait_until_ns = limit < r->deadline_ns ? limit : r->deadline_ns;
    }
    r->want.until_ns = r->wait_until_ns;
}

void wb_reply_steps_read(struct wb_reply *r)
{
    wb_reply_intake_prepare(r);
    r->expected = false;
    r->wait_mask = WB_REPLY_READABLE;
    r->want.kind = WB_REPLY_WANT_READ;
}

/* Opens the next reply: fresh place, the shape kept with its own copy of the opaque. */
static inline void open_reply(struct wb_reply *r, const struct wb_reply_shape *shape)
{
    r->shape = *shape;
    if (shape->opaque.len > 0)
        memcpy(r->opaque, shape->opaque.data, shape->opaque.len);
    r->shape.opaque.data = r->opaque;
    r->place = (struct wb_reply_place){0};
    r->space = NULL;
    r->unit_taken = 0;
    r->block_open = false;
    r->boundary = false;
}

/* Idle too long, or drained: is the connection still good? */
static bool is_to_probe(const struct wb_reply *r, uint64_t now_ns)
{
    return r->profile.probe_idle_ns != UINT64_MAX &&
           (r->was_drained || now_ns - r->idle_since_ns > r->profile.probe_idle_ns);
}

/* A request begins to be written. */
static inline void send_request(struct wb_reply *r, uint64_t now_ns,
                                const struct wb_reply_shape *shape, bool expect_reply)
{
    r->want.kind = is_to_probe(r, now_ns) ? WB_REPLY_WANT_PROBE : WB_REPLY_WANT_WRITE;
    open_reply(r, shape);
    r->waited = false;
    r->expected = expect_reply;
    r->wait_mask = WB_REPLY_READABLE;
    r->state = WB_REPLY_SENDING;
}

/* The old reply is drained: now the request. */
static WB_NOINLINE void end_drain(struct wb_reply *r, uint64_t now_ns)
{
    r->owed = 0;
    r->was_drained = true;
    send_request(r, now_ns, &r->next_shape, r->next_expected);
}

void wb_reply_steps_boundary(struct wb_reply *r, uint64_t now_ns)
{
    if (r->off != r->len) {
        wb_reply_steps_fail(r, WB_E_TRAILING);
        return;
    }
    r->idle_since_ns = now_ns;
    switch (r->state) {
    case WB_REPLY_OWED:
        end_drain(r, now_ns);
        return;
    case WB_REPLY_SENDING:
        r->boundary = true;
        r->want.kind = WB_REPLY_WANT_WRITE;
        return;
    case WB_REPLY_BUSY:
        r->state = WB_REPLY_IDLE;
        r->want.kind = WB_REPLY_WANT_NOTHING;
        end_request(r, WB_OK);
        return;
    case WB_REPLY_IDLE:
    case WB_REPLY_DEAD:
        break;
    }
    WB_UNREACHABLE();
}

static inline void more(struct wb_reply *r, uint64_t now_ns)
{
    if (r->block_open && !r->block_ready) {
        r->want.kind = WB_REPLY_WANT_SPACE;
        r->want.size = r->line.value_len;
        return;
    }
    if (r->state == WB_REPLY_SENDING)
        r->want.kind = WB_REPLY_WANT_WRITE;
    else if (r->expected && !r->profile.tls)
        wb_reply_steps_wait(r, now_ns);
    else
        wb_reply_steps_read(r);
}

void wb_reply_steps_more(struct wb_reply *r, uint64_t now_ns)
{
    more(r, now_ns);
}

void wb_reply_steps_owe(struct wb_reply *r)
{
    enum wb_reply_state before = r->state;
    r->owed++;
    r->want.kind = WB_REPLY_WANT_NOTHING;
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
        more(r, now_ns);
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
    WB_TRY(wb_reply_shape_allow(shape));
    r->active = true;
    r->want.bytes = bytes;
    r->written = 0;
    r->deadline_ns = deadline_ns;
    if (r->state != WB_REPLY_OWED) {
        send_request(r, now_ns, shape, expect_reply);
        return WB_OK;
    }
    r->next_shape = *shape;
    r->next_expected = expect_reply;
    r->expected = false;
    r->waited = false;
    r->want.kind = WB_REPLY_WANT_NEXT; /* drain first, from what is buffered on */
    return WB_OK;
}

void wb_reply_told_write(struct wb_reply *r, uint64_t now_ns, enum wb_reply_io io, size_t n)
{
    WB_ASSERT(r->want.kind == WB_REPLY_WANT_WRITE);
    WB_CHECKED(wb_reply_check(r));
    switch (io) {
    case WB_REPLY_IO_BYTES:
        WB_ASSERT(n - 1 < r->want.bytes.len);
        r->written += n;
        r->waited = false;
        if (n == r->want.bytes.len)
            written_whole(r, now_ns);
        else
            r->want.bytes = wb_view_sub(r->want.bytes, n, r->want.bytes.len);
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
    WB_ASSERT(r->want.kind == WB_REPLY_WANT_READ);
    WB_CHECKED(wb_reply_check(r));
    switch (io) {
    case WB_REPLY_IO_BYTES:
        WB_ASSERT(n >= 1);
        wb_reply_intake_take(r, n);
        r->waited = false;
        r->want.kind = WB_REPLY_WANT_NEXT;
        if (r->state == WB_REPLY_SENDING && r->written == 0)
            wb_reply_steps_fail(r, WB_E_UNSOLICITED); /* no byte of the request is out yet */
        return;
    case WB_REPLY_IO_AGAIN:
        WB_COUNT(r->cost.agains, 1);
        if (n > 0)
            r->waited = false; /* a part of a record came: the next wait is a new one */
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
        r->want.kind = WB_REPLY_WANT_WRITE;
    else if (r->state != WB_REPLY_SENDING && (mask & r->wait_mask))
        wb_reply_steps_read(r);
    else if (now_ns >= r->wait_until_ns)
        time_out(r);
    else
        r->want.kind = WB_REPLY_WANT_WAIT; /* a false alarm; the limit stays */
}

void wb_reply_told_wait(struct wb_reply *r, uint64_t now_ns, unsigned mask)
{
    WB_ASSERT(r->want.kind == WB_REPLY_WANT_WAIT);
    WB_CHECKED(wb_reply_check(r));
    WB_COUNT(r->cost.waits, 1);
    if (r->profile.poll_is_wait)
        after_wait(r, now_ns, mask);
    else
        r->want.kind = WB_REPLY_WANT_POLL; /* a scheduler's word is not enough: it may starve */
}

void wb_reply_told_poll(struct wb_reply *r, uint64_t now_ns, unsigned mask)
{
    WB_ASSERT(r->want.kind == WB_REPLY_WANT_POLL);
    WB_CHECKED(wb_reply_check(r));
    WB_COUNT(r->cost.polls, 1);
    after_wait(r, now_ns, mask);
}

void wb_reply_told_probe(struct wb_reply *r, uint64_t now_ns, enum wb_reply_io io)
{
    WB_ASSERT(r->want.kind == WB_REPLY_WANT_PROBE);
    WB_CHECKED(wb_reply_check(r));
    (void)now_ns;
    switch (io) {
    case WB_REPLY_IO_AGAIN:
        r->was_drained = false;
        r->want.kind = WB_REPLY_WANT_WRITE;
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
    WB_ASSERT(r->want.kind == WB_REPLY_WANT_SPACE);
    WB_ASSERT(bytes != NULL);
    r->space = bytes;
    r->block_ready = true;
    r->want.kind = WB_REPLY_WANT_NEXT;
}

void wb_reply_told_close(struct wb_reply *r)
{
    WB_ASSERT(r->want.kind == WB_REPLY_WANT_CLOSE);
    r->want.kind = WB_REPLY_WANT_NOTHING;
}
