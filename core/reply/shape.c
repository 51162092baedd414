#include "core/reply/shape.h"

#include <string.h>

#define ERROR_CODES (WB_REPLY_BIT(ERROR) | WB_REPLY_BIT(CLIENT_ERROR) | WB_REPLY_BIT(SERVER_ERROR))
/* Units that echo what was asked for: opaque and key as flags, a classic key in its place. */
#define FLAG_CODES (WB_REPLY_CODES_MG | WB_REPLY_CODES_MS)
#define KEY_CODES  (FLAG_CODES | WB_REPLY_CODES_GET)

/* The first flag of that letter, without the letter. */
static bool find_flag(struct wb_view flags, uint8_t letter, struct wb_view *out)
{
    struct wb_view token;
    while (wb_reply_line_token(&flags, &token)) {
        if (token.data[0] == letter) {
            *out = wb_view_sub(token, 1, token.len);
            return true;
        }
    }
    return false;
}

/* In a counted reply unit i answers key i; before MN or END the keys answered are a subsequence. */
static enum wb_err admit_key(const struct wb_reply_shape *shape, struct wb_reply_place *place,
                             const struct wb_reply_line *line, struct wb_view flags)
{
    struct wb_view key;
    bool open = shape->until_mn || shape->until_end;
    bool found = line->code == WB_REPLY_VALUE ? wb_reply_line_token(&flags, &key)
                                              : find_flag(flags, 'k', &key);
    if (!found)
        return WB_E_KEY_MISMATCH;
    size_t i = open ? place->next_key : place->seen;
    size_t end = open ? shape->keys_count : i + 1;
    for (; i < end; i++) {
        if (wb_view_equal(shape->keys[i], key)) {
            place->next_key = i + 1;
            return WB_OK;
        }
    }
    return WB_E_KEY_MISMATCH;
}

enum wb_err wb_reply_shape_admit(const struct wb_reply_shape *shape, struct wb_reply_place *place,
                                 const struct wb_reply_line *line, struct wb_view flags)
{
    struct wb_reply_place next = *place;
    uint32_t bit = UINT32_C(1) << line->code;
    bool is_end = (line->code == WB_REPLY_MN && shape->until_mn) ||
                  (line->code == WB_REPLY_END && shape->until_end);
    if (!is_end && !(bit & (shape->codes | ERROR_CODES)))
        return WB_E_UNEXPECTED_CODE;
    next.over = is_end || line->fatal || (shape->until_end && (bit & ERROR_CODES));
    if (!next.over) {
        if (next.seen == shape->count)
            return WB_E_TOO_MANY;
        struct wb_view opaque;
        if ((bit & FLAG_CODES) && shape->opaque.len > 0 &&
            !(find_flag(flags, 'O', &opaque) && wb_view_equal(opaque, shape->opaque)))
            return WB_E_OPAQUE_MISMATCH;
        if ((bit & KEY_CODES) && shape->keys)
            WB_TRY(admit_key(shape, &next, line, flags));
        next.seen++;
        next.over = !shape->until_mn && !shape->until_end && next.seen == shape->count;
    }
    *place = next;
    return WB_OK;
}
