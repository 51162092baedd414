#include "core/reply/conn.h"

#include <string.h>

static size_t pending(const struct wb_reply *r)
{
    return r->len - r->off;
}

/*
 * n bytes leave the buffer, or were received in place. False when that would break a drain's
 * budget.
 */
static bool consume(struct wb_reply *r, size_t n)
{
    if (r->state != WB_REPLY_OWED) {
        r->returned += n;
        r->unit_taken += n;
        return true;
    }
    if (n > r->profile.drain_max - r->drained)
        return false;
    r->drained += n;
    r->discarded += n;
    return true;
}

void wb_reply_intake_forget(struct wb_reply *r)
{
    r->returned -= r->unit_taken;
    r->discarded += r->unit_taken;
    r->unit_taken = 0;
    r->space = NULL;
    r->block_ready = true;
    r->shape.keys = NULL; /* the caller's, and gone; codes, count and opaque still hold */
}

/* Finds, judges and consumes the next line. WB_MORE when its end is not there. */
static enum wb_err take_line(struct wb_reply *r)
{
    const uint8_t *start = r->buffer + r->off;
    size_t limit = pending(r) < WB_REPLY_LINE_MAX ? pending(r) : WB_REPLY_LINE_MAX;
    const uint8_t *lf = NULL;
    if (limit > r->scanned) {
        lf = memchr(start + r->scanned, '\n', limit - r->scanned);
        WB_COUNT(r->cost.scanned, (lf ? (size_t)(lf - start) + 1 : limit) - r->scanned);
    }
    if (!lf) {
        r->scanned = limit;
        return limit == WB_REPLY_LINE_MAX ? WB_E_LINE_TOO_LONG : WB_MORE;
    }
    size_t size = (size_t)(lf - start) + 1;
    if (size < 2 || start[size - 2] != '\r')
        return WB_E_BAD_LINE;
    struct wb_view line = wb_view_of(start, size - 2);
    WB_TRY(wb_reply_line_parse(line, r->profile.value_max, &r->line));
    struct wb_view flags = wb_view_sub(line, r->line.flags_begin, line.len);
    WB_TRY(wb_reply_shape_admit(&r->shape, &r->place, &r->line, flags));
    if (!consume(r, size))
        return WB_E_DRAIN_LIMIT;
    r->line_data = start;
    r->line_len = line.len;
    r->off += size;
    r->scanned = 0;
    if (r->line.has_value) {
        r->block_open = true;
        r->block_ready = r->line.value_len == 0 || r->state == WB_REPLY_OWED;
        r->block_left = r->line.value_len + 2;
        r->space = NULL;
    }
    return WB_OK;
}

/* A value that is wholly in the buffer is handed out in place. */
static bool can_view(const struct wb_reply *r)
{
    return r->profile.values == WB_REPLY_VIEW && !r->block_ready && pending(r) >= r->block_left;
}

/*
 * Moves what is there of the value's own bytes to the caller's space, or past it when nobody
 * wants it.
 */
static enum wb_err take_value(struct wb_reply *r)
{
    uint64_t value_left = r->block_left > 2 ? r->block_left - 2 : 0;
    size_t n = pending(r) < value_left ? pending(r) : (size_t)value_left;
    if (n == 0)
        return WB_OK;
    if (!consume(r, n))
        return WB_E_DRAIN_LIMIT;
    if (r->space) {
        memcpy(r->space + (r->line.value_len - value_left), r->buffer + r->off, n);
        WB_COUNT(r->cost.copied, n);
    }
    r->off += n;
    r->block_left -= n;
    return WB_OK;
}

/* Takes the rest of the block, each byte of its end judged as it comes. */
static enum wb_err take_block(struct wb_reply *r, struct wb_view *out_value)
{
    const uint8_t *in_place = NULL;
    if (can_view(r)) {
        in_place = r->buffer + r->off;
        r->block_ready = true;
    }
    if (!r->block_ready)
        return WB_MORE;
    WB_TRY(take_value(r));
    while (r->block_left <= 2 && r->block_left > 0 && pending(r) > 0) {
        if (r->buffer[r->off] != (r->block_left == 2 ? '\r' : '\n'))
            return WB_E_BAD_BLOCK_END;
        if (!consume(r, 1))
            return WB_E_DRAIN_LIMIT;
        r->off++;
        r->block_left--;
    }
    if (r->block_left > 0)
        return WB_MORE;
    r->block_open = false;
    const uint8_t *value = in_place ? in_place : r->space ? r->space : r->buffer + r->off;
    *out_value = wb_view_of(value, (size_t)r->line.value_len);
    return WB_OK;
}

enum wb_reply_pull wb_reply_intake_pull(struct wb_reply *r, struct wb_reply_event *out,
                                        enum wb_err *out_err)
{
    struct wb_view value = {0};
    enum wb_err e = WB_OK;
    if (!r->block_open)
        e = take_line(r);
    if (e == WB_OK && r->block_open)
        e = take_block(r, &value);
    if (e == WB_MORE)
        return WB_REPLY_PULL_MORE;
    if (e != WB_OK) {
        *out_err = e;
        return WB_REPLY_PULL_BROKEN;
    }
    r->unit_taken = 0;
    struct wb_view line = wb_view_of(r->line_data, r->line_len);
    *out = (struct wb_reply_event){.kind = WB_REPLY_EVENT_UNIT,
                                   .code = r->line.code,
                                   .line = line,
                                   .flags = wb_view_sub(line, r->line.flags_begin, line.len),
                                   .has_value = r->line.has_value,
                                   .value = value};
    return WB_REPLY_PULL_UNIT;
}

/*
 * Inside a block nothing is pending at a refill, and the read goes to the front: the open unit's
 * line is kept in the last WB_REPLY_LINE_MAX bytes, which no read reaches.
 */
static void keep_line(struct wb_reply *r)
{
    uint8_t *tail = r->buffer + r->read_size;
    if (r->state != WB_REPLY_OWED && r->line_data != tail) {
        memmove(tail, r->line_data, r->line_len);
        r->line_data = tail;
    }
}

/* The rest of a large value goes straight to its place. */
static bool is_direct(const struct wb_reply *r)
{
    return r->profile.values == WB_REPLY_DIRECT && r->block_open && r->space &&
           r->block_left >= r->read_size;
}

/* Where the read goes. */
static inline void aim(struct wb_reply *r)
{
    struct wb_reply_want *want = &r->want;
    size_t next = 0;
    if (is_direct(r)) {
        uint64_t value_left = r->block_left - 2;
        want->into[next].data = r->space + (r->line.value_len - value_left);
        want->into[next].len = (size_t)value_left;
        next++;
    }
    want->into[next].data = r->buffer + r->len;
    want->into[next].len = r->read_size;
    if (next == 0)
        want->into[1].len = 0;
}

/* The pending bytes move to the front. */
static WB_NOINLINE void make_room(struct wb_reply *r)
{
    size_t part = pending(r);
    if (r->block_open) {
        WB_ASSERT(part == 0);
        keep_line(r);
    }
    if (r->off > 0 && part > 0) {
        memmove(r->buffer, r->buffer + r->off, part);
        WB_COUNT(r->cost.moved, part);
    }
    r->off = 0;
    r->len = part;
}

void wb_reply_intake_prepare(struct wb_reply *r)
{
    if (r->block_open || r->off != r->len)
        make_room(r);
    else
        r->off = r->len = 0;
    aim(r);
}

/*
 * A read came back full: from now on reads are large. A refusal changes nothing; the next full
 * read tries again.
 */
static WB_NOINLINE void grow(struct wb_reply *r)
{
    size_t capacity = r->profile.large + WB_REPLY_LINE_MAX;
    uint8_t *larger = wb_mem_take(r->mem, capacity);
    if (!larger)
        return;
    memcpy(larger, r->buffer, r->len);
    if (r->block_open && r->state != WB_REPLY_OWED) {
        memcpy(larger + r->profile.large, r->line_data, r->line_len);
        r->line_data = larger + r->profile.large;
    }
    wb_mem_give(r->mem, r->buffer, r->capacity);
    r->buffer = larger;
    r->capacity = capacity;
    r->read_size = r->profile.large;
    WB_COUNT(r->cost.grown, 1);
}

void wb_reply_intake_take(struct wb_reply *r, size_t n)
{
    bool direct = is_direct(r);
    r->taken += n;
    WB_COUNT(r->cost.reads, 1);
    WB_COUNT(r->cost.refills, 1);
    if (direct) {
        uint64_t value_left = r->block_left - 2;
        size_t placed = n < value_left ? n : (size_t)value_left;
        bool within = consume(r, placed); /* a drain has no space, so it is never direct */
        WB_ASSERT(within);
        r->block_left -= placed;
        n -= placed;
    }
    WB_ASSERT(n <= r->read_size);
    r->len += n;
    if (n == r->read_size && !direct) {
        WB_COUNT(r->cost.full_reads, 1);
        if (r->read_size < r->profile.large)
            grow(r);
    }
}
