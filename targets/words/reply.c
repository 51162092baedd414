/*
 * reply.c: each code of a reply as it stands on the wire, a line of it where it may stand alone,
 * and what the requests of a family ask back.
 */
#include "core/reply/line.h"
#include "targets/reply/shapes.h"
#include "targets/words/words.h"

#include <stdio.h>
#include <string.h>

#define KEYS_SHOWN 3u /* of the keys of a request */

/* KIND_TEXT="BEFORE TEXT AFTER" */
static enum wb_err put(struct wb_buf *out, const char *kind, const char *before,
                       struct wb_view text, const char *after)
{
    char name[64], word[WORDS_MAX];
    int len = (int)text.len;

    (void)snprintf(name, sizeof name, "%s_%.*s", kind, len, (const char *)text.data);
    (void)snprintf(word, sizeof word, "%s%.*s%s", before, len, (const char *)text.data, after);
    return words_add(out, name, wb_view_text(word));
}

static enum wb_err put_code(struct wb_buf *out, struct wb_view name)
{
    struct wb_reply_line line;
    enum wb_err e = wb_reply_line_parse(name, WB_REPLY_VALUE_MAX, &line);

    if (e == WB_E_BAD_CODE) /* NUMBER: the line is one, and the name is ours */
        return WB_OK;
    WB_TRY(put(out, "code", "", name, e == WB_OK ? "" : " "));
    return e == WB_OK ? put(out, "line", "", name, "\r\n") : WB_OK;
}

enum wb_err words_reply(unsigned family, struct wb_buf *out)
{
    for (int code = 0; code < WB_REPLY_CODE_COUNT; code++)
        WB_TRY(put_code(out, wb_view_text(wb_reply_code_name(code))));
    for (unsigned i = family; i < family + SHAPES_COUNT / 2; i++) {
        const struct wb_reply_shape *shape = &shapes_at(i)->shape;
        for (size_t k = 0; k < shape->keys_count && k < KEYS_SHOWN; k++) {
            const char *before = family == SHAPES_META ? " k" : " ";
            WB_TRY(put(out, "key", before, shape->keys[k], ""));
        }
        if (shape->opaque.len > 0)
            WB_TRY(put(out, "opaque", " O", shape->opaque, ""));
    }
    return WB_OK;
}
