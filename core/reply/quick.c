/*
 * What nearly every call meets: a value under the line that the next key is answered with, nothing
 * else on it, and the line that ends a batch.
 *
 *   "VA " size [" k" key] CR LF
 *   "VALUE " key SP num SP size CR LF
 *   "MN" CR LF        "END" CR LF
 *
 * What is not of this form, or breaks a rule, is left to line.c, shape.c and intake.c, which judge
 * all there is; what is taken here they take, with the same outcome.
 */
#include "core/reply/quick.h"

#include "core/base/decimal.h"

#include <string.h>

/* Compiled apart for replies with keys and without: each keeps less in hand. */
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define EACH(byte)    (UINT64_C(0x0101010101010101) * (byte))

/* Each steps over what it names and returns where it ends, or NULL when it is not there. */

static inline const uint8_t *step_text(const uint8_t *at, const uint8_t *end, const char *text,
                                       size_t len)
{
    return (size_t)(end - at) >= len && memcmp(at, text, len) == 0 ? at + len : NULL;
}

/* 1 to `max` digits; what they say when it fits into 64 bits. */
static inline const uint8_t *step_digits(const uint8_t *at, const uint8_t *end, ptrdiff_t max,
                                         uint64_t *out_value)
{
    const uint8_t *begin = at;
    uint64_t value = 0;
    for (; at < end && (uint8_t)(*at - '0') <= 9; at++)
        value = value * 10 + (uint8_t)(*at - '0');
    *out_value = value;
    return at != begin && at - begin <= max ? at : NULL;
}

/* A size of at most 10 digits, none of them a leading zero. */
static inline const uint8_t *step_size(const uint8_t *at, const uint8_t *end, uint64_t *out_size)
{
    const uint8_t *after = step_digits(at, end, 10, out_size);
    return after && (*at != '0' || after - at == 1) ? after : NULL;
}

/* Eight bytes of a key that are there as asked, none of them a blank or control byte. */
static inline bool eight_alike(const uint8_t *at, const uint8_t *key)
{
    uint64_t there, asked;
    memcpy(&there, at, sizeof there);
    memcpy(&asked, key, sizeof asked);
    return there == asked && ((there - EACH(0x21)) & ~there & EACH(0x80)) == 0;
}

/* The key, which has no blanks or control bytes: it is one token. */
static inline const uint8_t *step_key(const uint8_t *at, const uint8_t *end, struct wb_view key)
{
    if ((size_t)(end - at) < key.len || key.len == 0)
        return NULL;
    for (size_t i = 0; key.len < 8 && i < key.len; i++)
        if (at[i] != key.data[i] || key.data[i] <= ' ')
            return NULL;
    for (size_t i = 0; i + 8 <= key.len; i += 8)
        if (!eight_alike(at + i, key.data + i))
            return NULL;
    if (key.len > 8 && !eight_alike(at + key.len - 8, key.data + key.len - 8))
        return NULL;
    return at + key.len;
}

/* The number of the key that is next; false when all units are there, or all keys answered. */
static inline bool next_key(const struct wb_reply *r, size_t *out_i)
{
    const struct wb_reply_shape *shape = &r->shape;
    *out_i = shape->until_mn || shape->until_end ? r->place.next_key : r->place.seen;
    return r->place.seen != shape->count && (!shape->keys || *out_i < shape->keys_count);
}

/* "VA " and the size, which a key may follow. */
static inline const uint8_t *step_meta(const uint8_t *begin, const uint8_t *end,
                                       struct wb_reply_line *line)
{
    const uint8_t *at = step_text(begin, end, "VA ", 3);
    at = at ? step_size(at, end, &line->value_len) : NULL;
    line->code = WB_REPLY_VA;
    line->flags_begin = at ? (size_t)(at - begin) : 0;
    return at;
}

static const uint8_t *step_classic(const uint8_t *begin, const uint8_t *end, struct wb_view key,
                                   struct wb_reply_line *line)
{
    uint64_t number;
    const uint8_t *at = step_text(begin, end, "VALUE ", 6);
    at = at ? step_key(at, end, key) : NULL;
    at = at ? step_text(at, end, " ", 1) : NULL;
    at = at ? step_digits(at, end, WB_DECIMAL_DIGITS_MAX, &number) : NULL;
    at = at ? step_text(at, end, " ", 1) : NULL;
    line->code = WB_REPLY_VALUE;
    line->flags_begin = 6;
    return at ? step_size(at, end, &line->value_len) : NULL;
}

/* The key behind the size of a VA line. */
static inline const uint8_t *step_flag(const uint8_t *at, const uint8_t *end, struct wb_view key,
                                       struct wb_reply_line *line)
{
    line->flags_begin++;
    at = step_text(at, end, " k", 2);
    return at ? step_key(at, end, key) : NULL;
}

struct unit {
    struct wb_reply_line line;
    struct wb_view text, value;
    struct wb_reply_place place; /* behind it */
};

#ifdef WB_PARANOID
/* The long way comes to the same. */
static void agree(const struct wb_reply *r, const struct unit *unit)
{
    struct wb_reply_line line;
    struct wb_reply_place place = r->place;
    enum wb_err e = wb_reply_line_parse(unit->text, r->profile.value_max, &line);
    WB_ASSERT(e == WB_OK);
    e = wb_reply_shape_admit(&r->shape, &place, &line,
                             wb_view_sub(unit->text, line.flags_begin, unit->text.len));
    WB_ASSERT(e == WB_OK);
    WB_ASSERT(line.code == unit->line.code);
    WB_ASSERT(line.fatal == unit->line.fatal);
    WB_ASSERT(line.has_value == unit->line.has_value);
    WB_ASSERT(line.value_len == unit->line.value_len);
    WB_ASSERT(line.flags_begin == unit->line.flags_begin);
    WB_ASSERT(place.seen == unit->place.seen);
    WB_ASSERT(place.next_key == unit->place.next_key);
    WB_ASSERT(place.over == unit->place.over);
}
#endif

/* The next line, when it is there as it is usual; *out_rest bytes are there behind it. */
static ALWAYS_INLINE bool find_line(const struct wb_reply *r, bool keyed, struct unit *out,
                                    size_t *out_rest)
{
    const uint8_t *begin = r->buffer + r->off, *end = r->buffer + r->len;
    struct wb_reply_line line = {.has_value = true};
    struct wb_reply_place place = r->place;
    size_t i;
    if (!next_key(r, &i))
        return false;
    const uint8_t *at = step_meta(begin, end, &line);
    if (keyed)
        at = at ? step_flag(at, end, r->shape.keys[i], &line)
                : step_classic(begin, end, r->shape.keys[i], &line);
    if (!at)
        return false;
    size_t len = (size_t)(at - begin);
    const uint8_t *value = step_text(at, end, "\r\n", 2);
    if (!value || len + 2 > WB_REPLY_LINE_MAX || line.value_len > r->profile.value_max ||
        !(r->shape.codes & (UINT32_C(1) << line.code)))
        return false;
    place.seen++;
    if (keyed)
        place.next_key = i + 1;
    place.over = !r->shape.until_mn && !r->shape.until_end && place.seen == r->shape.count;
    *out = (struct unit){line, {begin, len}, {value, (size_t)line.value_len}, place};
    *out_rest = (size_t)(end - value);
    WB_CHECKED(agree(r, out));
    return true;
}

/* The line that ends a reply of its kind. */
static bool find_end(const struct wb_reply *r, struct unit *out)
{
    const uint8_t *begin = r->buffer + r->off, *end = r->buffer + r->len;
    bool mn = r->shape.until_mn && step_text(begin, end, "MN\r\n", 4);
    if (!mn && !(r->shape.until_end && step_text(begin, end, "END\r\n", 5)))
        return false;
    size_t len = mn ? 2 : 3;
    *out = (struct unit){.line = {.code = mn ? WB_REPLY_MN : WB_REPLY_END, .flags_begin = len},
                         .text = {begin, len},
                         .place = r->place};
    out->place.over = true;
    WB_CHECKED(agree(r, out));
    return true;
}

static ALWAYS_INLINE void give(const struct unit *unit, struct wb_reply_event *out)
{
    *out = (struct wb_reply_event){.kind = WB_REPLY_EVENT_UNIT,
                                   .code = unit->line.code,
                                   .line = unit->text,
                                   .flags = {unit->text.data + unit->line.flags_begin,
                                             unit->text.len - unit->line.flags_begin},
                                   .has_value = unit->line.has_value,
                                   .value = unit->value};
}

/* Line and value are taken at once. */
static ALWAYS_INLINE void take_unit(struct wb_reply *r, const struct unit *unit,
                                    struct wb_reply_event *out)
{
    size_t size = unit->text.len + 2 + (unit->line.has_value ? unit->value.len + 2 : 0);
    r->place = unit->place;
    r->line.fatal = false;
    r->returned += size;
    r->off += size;
    give(unit, out);
}

/* The line is taken: the value goes to the caller's bytes, which are asked for first. */
static enum wb_err take_line(struct wb_reply *r, const struct unit *unit)
{
    size_t size = unit->text.len + 2;
    WB_ASSERT(unit->value.len > 0);
    r->place = unit->place;
    r->line = unit->line;
    r->line_data = unit->text.data;
    r->line_len = unit->text.len;
    r->returned += size;
    r->unit_taken = size;
    r->off += size;
    r->block_open = true;
    r->block_ready = false;
    r->block_left = unit->line.value_len + 2;
    r->space = NULL;
    r->want.kind = WB_REPLY_WANT_SPACE;
    r->want.size = unit->line.value_len;
    return WB_MORE;
}

/* The whole block, when it is there and so are the caller's bytes for it. */
static bool take_block(struct wb_reply *r, struct wb_reply_event *out)
{
    const uint8_t *begin = r->buffer + r->off;
    size_t len = (size_t)r->line.value_len;
    if (!r->space || r->block_left != r->line.value_len + 2 || r->block_left > r->len - r->off ||
        memcmp(begin + len, "\r\n", 2) != 0)
        return false;
    memcpy(r->space, begin, len);
    WB_COUNT(r->cost.copied, len);
    r->block_open = false;
    r->block_left = 0;
    r->unit_taken = 0;
    r->returned += len + 2;
    r->off += len + 2;
    struct unit unit = {
        .line = r->line, .text = {r->line_data, r->line_len}, .value = {r->space, len}};
    give(&unit, out);
    return true;
}

static WB_NOINLINE enum wb_err next_end(struct wb_reply *r, uint64_t now_ns,
                                        struct wb_reply_event *out)
{
    struct unit unit;
    if (!find_end(r, &unit))
        return wb_reply_long_next(r, now_ns, out);
    take_unit(r, &unit, out);
    return WB_OK;
}

static WB_NOINLINE enum wb_err next_copied(struct wb_reply *r, uint64_t now_ns,
                                           struct wb_reply_event *out)
{
    struct unit unit;
    size_t rest;
    if (!find_line(r, r->shape.keys != NULL, &unit, &rest) || unit.value.len == 0)
        return next_end(r, now_ns, out);
    return take_line(r, &unit);
}

/* In place where the value is whole, else as a copy. */
static ALWAYS_INLINE enum wb_err next_in_place(struct wb_reply *r, bool keyed, uint64_t now_ns,
                                               struct wb_reply_event *out)
{
    struct unit unit;
    size_t rest;
    if (!find_line(r, keyed, &unit, &rest))
        return next_end(r, now_ns, out);
    if (unit.line.value_len + 2 > rest)
        return next_copied(r, now_ns, out);
    if (memcmp(unit.value.data + unit.value.len, "\r\n", 2) != 0)
        return wb_reply_long_next(r, now_ns, out);
    take_unit(r, &unit, out);
    return WB_OK;
}

static WB_NOINLINE enum wb_err next_keyed(struct wb_reply *r, uint64_t now_ns,
                                          struct wb_reply_event *out)
{
    return next_in_place(r, true, now_ns, out);
}

static WB_NOINLINE enum wb_err next_plain(struct wb_reply *r, uint64_t now_ns,
                                          struct wb_reply_event *out)
{
    return next_in_place(r, false, now_ns, out);
}

static WB_NOINLINE enum wb_err next_block(struct wb_reply *r, uint64_t now_ns,
                                          struct wb_reply_event *out)
{
    return take_block(r, out) ? WB_OK : wb_reply_long_next(r, now_ns, out);
}

enum wb_err wb_reply_quick_next(struct wb_reply *r, uint64_t now_ns, struct wb_reply_event *out)
{
    if (r->block_open)
        return next_block(r, now_ns, out);
    if (r->state == WB_REPLY_OWED || r->scanned > 0 || r->shape.opaque.len > 0)
        return wb_reply_long_next(r, now_ns, out);
    if (r->profile.values != WB_REPLY_VIEW)
        return next_copied(r, now_ns, out);
    return r->shape.keys ? next_keyed(r, now_ns, out) : next_plain(r, now_ns, out);
}
