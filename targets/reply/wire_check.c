#include "targets/reply/wire.h"

#include <string.h>

/*
 * The first delivery is held against the model, and each breach has its own invariant. A later one
 * that differs when the first did not has made something of where the stream was cut.
 */
#define WIRE_CHECK(id, d, condition)                                                               \
    do {                                                                                           \
        bool wire_holds = (condition);                                                             \
        FUZZ_CHECK(RPL_008, wire_holds || (d)->number == 0);                                       \
        FUZZ_CHECK(id, wire_holds);                                                                \
    } while (0)

/* The invariant that speaks of each rule: broken by a reader that does not see it, or sees it where
 * it is not. */
static void report(const struct wire_delivery *d, enum wb_err rule)
{
    WIRE_CHECK(RPL_012, d, rule != WB_E_TOO_MANY);
    WIRE_CHECK(RPL_013, d, rule != WB_E_KEY_MISMATCH);
    WIRE_CHECK(RPL_014, d, rule != WB_E_OPAQUE_MISMATCH);
    WIRE_CHECK(RPL_015, d, rule != WB_E_UNEXPECTED_CODE);
    WIRE_CHECK(RPL_015, d, rule != WB_E_BAD_CODE);
    WIRE_CHECK(RPL_016, d, rule != WB_E_LINE_TOO_LONG);
    WIRE_CHECK(RPL_017, d, rule != WB_E_BAD_LINE);
    WIRE_CHECK(RPL_018, d, rule != WB_E_BAD_LEN);
    WIRE_CHECK(RPL_009, d, rule != WB_E_BAD_BLOCK_END);
    WIRE_CHECK(RPL_038, d, rule != WB_E_ERROR);
    WIRE_CHECK(RPL_038, d, rule != WB_E_CLIENT_ERROR);
    WIRE_CHECK(RPL_039, d, rule != WB_E_EOF);
    WIRE_CHECK(RPL_006, d, rule != WB_OK);
    WIRE_CHECK(RPL_006, d, rule != WB_E_TRAILING);
    WIRE_CHECK(RPL_011, d, rule != WB_MORE);
    WIRE_CHECK(RPL_007, d, false);
}

static bool is_same(const struct wire_case *c, size_t begin, struct wb_view view)
{
    return view.len == 0 || (view.len <= c->stream.len - begin &&
                             memcmp(c->stream.data + begin, view.data, view.len) == 0);
}

/* Where a line's length begins: right after "VA ", or after a key and flags. */
static size_t length_at(struct wb_view line, enum wb_reply_code code)
{
    size_t at = 3;

    if (code == WB_REPLY_VA)
        return at;
    for (size_t words = 0; words < 3; words++) {
        while (at < line.len && line.data[at] != ' ')
            at++;
        while (at < line.len && line.data[at] == ' ')
            at++;
    }
    return at;
}

/* A delivered length stands in the line, digit by digit. */
static bool is_announced(struct wb_view line, size_t at, uint64_t len)
{
    uint8_t digits[20];
    size_t n = 0;

    do
        digits[n++] = (uint8_t)('0' + len % 10);
    while ((len /= 10) > 0);
    if (line.len < at + n || (line.len > at + n && line.data[at + n] != ' '))
        return false;
    for (size_t i = 0; i < n; i++)
        if (line.data[at + i] != digits[n - 1 - i])
            return false;
    return true;
}

/* Views lie in the buffer; values lie there too, or where the target lent space. */
static bool is_placed(struct wire_delivery *d, const struct wb_reply_event *e)
{
    const uint8_t *begin = d->stats.buffer, *end = begin + d->stats.capacity;
    bool line_in = e->line.data >= begin && e->line.data + e->line.len <= end;
    bool value_in =
        e->value.len == 0 || (e->value.data >= begin && e->value.data + e->value.len <= end &&
                              d->c->profile.values == WB_REPLY_VIEW);
    return line_in && (value_in || e->value.data == d->space);
}

/* Flags are a part of the line that was held against the stream, or else the same bytes. */
static bool is_flags(const struct wire_case *c, const struct ref_reply_unit *u,
                     const struct wb_reply_event *e)
{
    return e->flags.len == u->line_end - u->flags_begin &&
           (e->flags.data == e->line.data + (u->flags_begin - u->begin) ||
            is_same(c, u->flags_begin, e->flags));
}

static void check_value(struct wire_delivery *d, const struct wb_reply_event *e, size_t begin)
{
    const struct wire_case *c = d->c;
    size_t end = begin + e->value.len;
    bool is_there = e->value.len <= d->fed && begin <= d->fed - e->value.len && d->fed - end >= 2;

    WIRE_CHECK(RPL_010, d, e->has_value);
    WIRE_CHECK(RPL_018, d, is_announced(e->line, length_at(e->line, e->code), e->value.len));
    WIRE_CHECK(RPL_018, d, e->value.len <= c->profile.value_max);
    WIRE_CHECK(RPL_011, d, is_there);
    WIRE_CHECK(RPL_009, d, is_same(c, begin, e->value));
    WIRE_CHECK(RPL_009, d, c->stream.data[end] == '\r' && c->stream.data[end + 1] == '\n');
    if (e->value.data == d->space)
        d->copied_max += e->value.len;
}

/* What may come when no more units may. */
static bool is_closing(const struct wb_reply_shape *shape, enum wb_reply_code code)
{
    return code == WB_REPLY_ERROR || code == WB_REPLY_CLIENT_ERROR ||
           (shape->until_mn && code == WB_REPLY_MN) ||
           (shape->until_end && (code == WB_REPLY_END || code == WB_REPLY_SERVER_ERROR));
}

void wire_check_unit(struct wire_delivery *d, const struct wb_reply_event *e)
{
    const struct wire_case *c = d->c;
    const struct wb_reply_shape *shape = &c->request->shape;
    const struct ref_reply_unit *u = &c->units[d->reply->first + d->unit];
    size_t line_end = d->at + e->line.len;

    /* what needs no model */
    WIRE_CHECK(RPL_016, d, e->line.len + 2 <= WB_REPLY_LINE_MAX);
    WIRE_CHECK(RPL_004, d, line_end + 2 <= d->fed);
    WIRE_CHECK(RPL_004, d, is_same(c, d->at, e->line));
    WIRE_CHECK(RPL_017, d,
               c->stream.data[line_end] == '\r' && c->stream.data[line_end + 1] == '\n');
    if (e->code == WB_REPLY_VA || e->code == WB_REPLY_VALUE)
        check_value(d, e, line_end + 2);
    if (d->subject->stats != NULL) {
        if (d->stats.buffer == NULL || d->stats.read_size != d->read_size)
            wire_check_stats(d);
        FUZZ_CHECK(RPL_023, is_placed(d, e));
    }
    if (shape->until_mn || shape->until_end)
        WIRE_CHECK(RPL_012, d, d->unit < shape->count || is_closing(shape, e->code));

    /* what the model says */
    if (d->unit >= d->reply->units)
        report(d, d->reply->status);
    WIRE_CHECK(RPL_007, d, e->code == u->code);
    WIRE_CHECK(RPL_007, d, e->has_value == u->has_value);
    WIRE_CHECK(RPL_007, d, d->at == u->begin && line_end == u->line_end);
    WIRE_CHECK(RPL_007, d, e->value.len == u->value_len);
    WIRE_CHECK(RPL_007, d, is_flags(c, u, e));
    d->at = u->end;
    d->last_code = e->code;
    d->unit++;
    d->space = NULL;
    sim_trace_add(&c->run->trace, 0, "unit up to %u of code %u, value %u", u->end, e->code,
                  e->value.len, 0);
    if (d->number == 0)
        wire_story_unit(d, e);
}

/* What the model's verdict becomes, given what the reader has taken by now. */
static enum wb_err expected_end(const struct wire_delivery *d)
{
    if (d->reply->status == WB_MORE)
        return WB_E_EOF;
    return d->reply->status == WB_OK && d->fed > d->reply->end ? WB_E_TRAILING : d->reply->status;
}

/* A small reply that is there at once costs one read; a larger one its share of large reads
 * besides. */
static void check_reads(const struct wire_delivery *d)
{
    const struct wb_reply_profile *p = &d->c->profile;
    size_t len = d->reply->end;
    size_t most = len < p->small ? 1 : 1 + (len - p->small + p->large - 1) / p->large;

    if (d->number == 0 && d->reply->begin == 0 && d->c->run->alloc.refused == 0)
        FUZZ_CHECK(RPL_041, d->stats.cost->reads <= most);
}

/* After a whole reply nothing is held and all of it is accounted for; after anything else the
 * connection is dead. */
static void check_state(const struct wire_delivery *d, enum wb_err status)
{
    const struct wb_reply_stats *s = &d->stats;
    bool is_idle = s->state == WB_REPLY_IDLE && s->off == s->len && !s->unit_open &&
                   s->returned + s->discarded == d->reply->end;
    bool is_dead = s->state == WB_REPLY_DEAD && s->reason == status;

    FUZZ_CHECK(RPL_005, status == WB_OK ? is_idle : is_dead);
}

/* The inside costs as much as a reply: the later deliveries of a session look at its end alone. */
static bool is_looked_at(const struct wire_delivery *d)
{
    return d->number < 2 || d->reply + 1 == d->c->replies + d->c->replies_count;
}

void wire_check_end(struct wire_delivery *d, const struct wb_reply_event *e)
{
    const struct wb_reply_shape *shape = &d->c->request->shape;
    bool is_complete = e->status == WB_OK || e->status == WB_E_TRAILING;
    enum wb_err expected = expected_end(d), verdict = d->reply->status;

    if (shape->until_mn && is_complete)
        WIRE_CHECK(RPL_012, d, d->unit > 0 && d->last_code == WB_REPLY_MN);
    if (shape->until_end && is_complete)
        WIRE_CHECK(RPL_012, d, d->unit > 0 && is_closing(shape, d->last_code));
    if (e->status != expected)
        report(d, verdict == WB_OK || verdict == WB_MORE ? e->status : verdict);
    WIRE_CHECK(RPL_007, d, d->unit == d->reply->units);
    if (d->subject->stats != NULL && is_looked_at(d)) {
        wire_check_stats(d);
        check_state(d, e->status);
        if (is_complete)
            check_reads(d);
    }
    if (d->number == 0)
        wire_story_end(d, e);
}

void wire_check_stats(struct wire_delivery *d)
{
    const struct wb_reply_profile *p = &d->c->profile;
    const struct wb_reply_stats *s = &d->stats;

    if (d->subject->stats == NULL)
        return;
    d->subject->stats(d->session, &d->stats);
    FUZZ_CHECK(RPL_001, s->taken == s->returned + s->discarded + (s->len - s->off));
    FUZZ_CHECK(RPL_002, s->off <= s->len && s->len <= s->capacity);
    FUZZ_CHECK(RPL_003, s->taken == d->fed);
    FUZZ_CHECK(RPL_019, s->cost->grown <= 1);
    FUZZ_CHECK(RPL_020, s->capacity == s->read_size + WB_REPLY_LINE_MAX);
    FUZZ_CHECK(RPL_020, s->read_size == p->small || s->read_size == p->large);
    FUZZ_CHECK(RPL_021, s->cost->moved <= s->cost->refills * (WB_REPLY_LINE_MAX - 1));
    FUZZ_CHECK(RPL_022, s->cost->copied <= d->copied_max + (d->fed - d->at));
    FUZZ_CHECK(RPL_045, s->cost->scanned <= s->taken + s->cost->refills);
    if (d->c->run->alloc.refused == 0)
        FUZZ_CHECK(RPL_040, d->c->run->alloc.requests <= d->requests + 1);
}
