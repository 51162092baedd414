/*
 * The unit that nearly every call meets: a value that is wholly in the buffer, under the
 * line that the next key is answered with, nothing else on it.
 *
 *   "VA " size [" k" key] CR LF        "VALUE " key SP num SP size CR LF
 *
 * What is not of this form, or breaks a rule, is left to line.c and shape.c, which judge all there
 * is; what is accepted here they accept, with the same outcome.
 */
#include "core/reply/quick.h"

#include "core/base/decimal.h"

#include <string.h>

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

struct cursor {
    const uint8_t *at, *end;
};

/* Steps over `text`, which is there. */
static bool step_text(struct cursor *c, const char *text, size_t len)
{
    if ((size_t)(c->end - c->at) < len || memcmp(c->at, text, len) != 0)
        return false;
    c->at += len;
    return true;
}

/* Steps over 1 to `max` digits; what they say when it fits into 64 bits. */
static bool step_digits(struct cursor *c, size_t max, uint64_t *out_value)
{
    const uint8_t *begin = c->at;
    uint64_t value = 0;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
        value = value * 10 + (uint64_t)(*c->at - '0');
    size_t n = (size_t)(c->at - begin);
    *out_value = value;
    return n >= 1 && n <= max;
}

/* A size of at most 10 digits, none of them a leading zero. */
static bool step_size(struct cursor *c, uint64_t *out_size)
{
    const uint8_t *begin = c->at;
    return step_digits(c, 10, out_size) && (*begin != '0' || c->at - begin == 1);
}

/* Eight bytes of a key that are there as asked, none of them a blank or control byte. */
static bool eight_alike(const uint8_t *at, const uint8_t *key)
{
    uint64_t there, asked;
    memcpy(&there, at, sizeof there);
    memcpy(&asked, key, sizeof asked);
    return there == asked && ((there - EACH(0x21)) & ~there & EACH(0x80)) == 0;
}

/* Steps over the key, which is there and has no blanks or control bytes: it is one token. */
static bool step_key(struct cursor *c, struct wb_view key)
{
    if ((size_t)(c->end - c->at) < key.len || key.len == 0)
        return false;
    for (size_t i = 0; key.len < 8 && i < key.len; i++)
        if (c->at[i] != key.data[i] || key.data[i] <= ' ')
            return false;
    for (size_t i = 0; i + 8 <= key.len; i += 8)
        if (!eight_alike(c->at + i, key.data + i))
            return false;
    if (key.len > 8 && !eight_alike(c->at + key.len - 8, key.data + key.len - 8))
        return false;
    c->at += key.len;
    return true;
}

/* The key that is next, or none when they are not checked; false when all are answered. */
static bool next_key(const struct wb_reply *r, size_t *out_i, struct wb_view *out_key)
{
    const struct wb_reply_shape *shape = &r->shape;
    bool open = shape->until_mn || shape->until_end;
    *out_i = open ? r->place.next_key : r->place.seen;
    if (r->place.seen == shape->count)
        return false;
    if (!shape->keys)
        return true;
    if (*out_i >= shape->keys_count)
        return false;
    *out_key = shape->keys[*out_i];
    return true;
}

/* The line up to its CR LF. */
static bool step_line(struct wb_reply *r, struct cursor *c, struct wb_view key,
                      struct wb_reply_line *line)
{
    const uint8_t *begin = c->at;
    uint64_t number;
    if (step_text(c, "VA ", 3)) {
        line->code = WB_REPLY_VA;
        if (!step_size(c, &line->value_len))
            return false;
        line->flags_begin = (size_t)(c->at - begin);
        if (!r->shape.keys)
            return true;
        line->flags_begin++;
        return step_text(c, " k", 2) && step_key(c, key);
    }
    if (!r->shape.keys || !step_text(c, "VALUE ", 6))
        return false;
    line->code = WB_REPLY_VALUE;
    line->flags_begin = 6;
    return step_key(c, key) && step_text(c, " ", 1) &&
           step_digits(c, WB_DECIMAL_DIGITS_MAX, &number) && step_text(c, " ", 1) &&
           step_size(c, &line->value_len);
}

#ifdef WB_PARANOID
/* The long way comes to the same. */
static void agree(const struct wb_reply *r, struct wb_view text, const struct wb_reply_line *line,
                  const struct wb_reply_place *place)
{
    struct wb_reply_line found;
    struct wb_reply_place next = r->place;
    enum wb_err e = wb_reply_line_parse(text, r->profile.value_max, &found);
    WB_ASSERT(e == WB_OK);
    e = wb_reply_shape_admit(&r->shape, &next, &found,
                             wb_view_sub(text, found.flags_begin, text.len));
    WB_ASSERT(e == WB_OK);
    WB_ASSERT(found.code == line->code);
    WB_ASSERT(found.fatal == line->fatal);
    WB_ASSERT(found.has_value == line->has_value);
    WB_ASSERT(found.value_len == line->value_len);
    WB_ASSERT(found.flags_begin == line->flags_begin);
    WB_ASSERT(next.seen == place->seen);
    WB_ASSERT(next.next_key == place->next_key);
    WB_ASSERT(next.over == place->over);
}
#endif

bool wb_reply_quick_pull(struct wb_reply *r, struct wb_reply_event *out)
{
    const uint8_t *begin = r->buffer + r->off;
    struct cursor c = {begin, r->buffer + r->len};
    struct wb_reply_line line = {.has_value = true};
    struct wb_reply_place place = r->place;
    struct wb_view key = {0};
    size_t i;
    if (r->state == WB_REPLY_OWED || r->block_open || r->scanned > 0 ||
        r->profile.values != WB_REPLY_VIEW || r->shape.opaque.len > 0 || !next_key(r, &i, &key) ||
        !step_line(r, &c, key, &line))
        return false;
    size_t line_len = (size_t)(c.at - begin);
    if (!step_text(&c, "\r\n", 2) || line_len + 2 > WB_REPLY_LINE_MAX ||
        line.value_len > r->profile.value_max || !(r->shape.codes & (UINT32_C(1) << line.code)))
        return false;
    const uint8_t *value = c.at;
    if (line.value_len + 2 > (uint64_t)(c.end - c.at))
        return false;
    c.at += line.value_len;
    if (!step_text(&c, "\r\n", 2))
        return false;
    place.seen++;
    if (r->shape.keys)
        place.next_key = i + 1;
    place.over = !r->shape.until_mn && !r->shape.until_end && place.seen == r->shape.count;
    struct wb_view text = wb_view_of(begin, line_len);
    WB_CHECKED(agree(r, text, &line, &place));
    r->place = place;
    r->line = line;
    r->line_data = begin;
    r->line_len = line_len;
    r->returned += (size_t)(c.at - begin);
    r->off += (size_t)(c.at - begin);
    *out = (struct wb_reply_event){.kind = WB_REPLY_EVENT_UNIT,
                                   .code = line.code,
                                   .line = text,
                                   .flags = wb_view_sub(text, line.flags_begin, line_len),
                                   .has_value = true,
                                   .value = wb_view_of(value, (size_t)line.value_len)};
    return true;
}
