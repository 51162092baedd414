#include "targets/reply/usual.h"

#include <string.h>

/* Each steps over what it names; false when it is not there. */

static bool step_text(struct wb_view *rest, struct wb_view text)
{
    if (rest->len < text.len || memcmp(rest->data, text.data, text.len) != 0)
        return false;
    *rest = wb_view_sub(*rest, text.len, rest->len);
    return true;
}

static bool step_number(struct wb_view *rest, uint64_t value)
{
    uint8_t digits[20];
    size_t at = sizeof digits;

    do
        digits[--at] = (uint8_t)('0' + value % 10);
    while ((value /= 10) > 0);
    return step_text(rest, wb_view_of(digits + at, sizeof digits - at));
}

static bool step_digits(struct wb_view *rest)
{
    size_t n = 0;

    while (n < rest->len && rest->data[n] >= '0' && rest->data[n] <= '9')
        n++;
    *rest = wb_view_sub(*rest, n, rest->len);
    return n >= 1 && n <= 20;
}

static bool step_key(const struct usual *u, const struct wb_reply_shape *shape,
                     struct wb_view *rest)
{
    return !u->is_lost && u->next < shape->keys_count && shape->keys[u->next].len > 0 &&
           step_text(rest, shape->keys[u->next]);
}

static bool is_usual(const struct usual *u, const struct usual_unit *next)
{
    const struct wb_reply_shape *shape = next->shape;
    struct wb_view rest = next->line;
    uint64_t size = next->unit->value_len;
    enum wb_reply_code code = next->unit->code;

    if (shape->opaque.len > 0)
        return false;
    if (code == WB_REPLY_MN || code == WB_REPLY_END)
        return code == WB_REPLY_MN ? shape->until_mn : shape->until_end;
    if (code == WB_REPLY_VALUE)
        return shape->keys != NULL && step_text(&rest, wb_view_text("VALUE ")) &&
               step_key(u, shape, &rest) && step_text(&rest, wb_view_text(" ")) &&
               step_digits(&rest) && step_text(&rest, wb_view_text(" ")) &&
               step_number(&rest, size) && rest.len == 0;
    return code == WB_REPLY_VA && step_text(&rest, wb_view_text("VA ")) &&
           step_number(&rest, size) &&
           (shape->keys == NULL ||
            (step_text(&rest, wb_view_text(" k")) && step_key(u, shape, &rest))) &&
           rest.len == 0;
}

void usual_start(struct usual *u)
{
    *u = (struct usual){0};
}

void usual_look(struct usual *u, const struct usual_unit *next, const struct wb_reply_stats *s)
{
    u->pending = s->len - s->off;
    u->scanned = s->cost->scanned;
    u->is_due = next != NULL && !u->is_tried && s->state != WB_REPLY_OWED &&
                u->pending >= next->line.len + 2 && is_usual(u, next);
    /* An empty value has no place of its own: it is one with its line, or nothing. */
    if (u->is_due && next->unit->has_value && next->unit->value_len == 0)
        u->is_due =
            next->values == WB_REPLY_VIEW && u->pending >= next->unit->end - next->unit->begin;
}

bool usual_looked(struct usual *u, const struct wb_reply_stats *s, bool has_unit)
{
    u->is_tried = !has_unit && (u->is_tried || u->pending > 0);
    return !u->is_due || s->cost->scanned == u->scanned;
}

void usual_took(struct usual *u, const struct usual_unit *unit)
{
    const struct wb_reply_shape *shape = unit->shape;
    bool is_counted = !shape->until_mn && !shape->until_end;

    if (is_counted || is_usual(u, unit))
        u->next++;
    else
        u->is_lost = true;
}
