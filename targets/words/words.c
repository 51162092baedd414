#include "targets/words/words.h"

#include "targets/reply/shapes.h"

#include <string.h>

enum wb_err words_put(struct wb_buf *out, const char *name, struct wb_view bytes)
{
    static const char digits[] = "0123456789abcdef";

    WB_TRY(wb_buf_add(out, wb_view_text(name)));
    WB_TRY(wb_buf_add(out, wb_view_text("=\"")));
    for (size_t i = 0; i < bytes.len; i++) {
        uint8_t c = bytes.data[i];
        uint8_t escaped[] = {'\\', 'x', (uint8_t)digits[c >> 4], (uint8_t)digits[c & 15]};
        bool is_plain = c >= ' ' && c <= '~' && c != '"' && c != '\\';

        WB_TRY(wb_buf_add(out, is_plain ? wb_view_of(&c, 1) : wb_view_of(escaped, 4)));
    }
    return wb_buf_add(out, wb_view_text("\"\n"));
}

enum wb_err words_add(struct wb_buf *out, const char *name, struct wb_view bytes)
{
    size_t before = out->len, value = before + strlen(name);

    WB_TRY(words_put(out, name, bytes));
    if (memmem(out->data, before, out->data + value, out->len - value) != NULL)
        wb_buf_truncate(out, before);
    return WB_OK;
}

enum wb_err words_of(const char *target, struct wb_buf *out)
{
    if (strcmp(target, "reply_wire") == 0)
        return words_reply(SHAPES_META, out);
    if (strcmp(target, "reply_classic") == 0)
        return words_reply(SHAPES_CLASSIC, out);
    if (strcmp(target, "reply_limits") == 0)
        return words_reply(SHAPES_LIMITS, out);
    if (strcmp(target, "announce_wire") == 0)
        return words_announce(out);
    return WB_OK;
}
