/*
 * reply.c: each code of a reply as it stands on the wire, a line of it where it may stand alone,
 * and what the requests of a family ask back.
 */
#include "core/reply/line.h"
#include "targets/reply/shapes.h"
#include "targets/words/words.h"

#include <stdio.h>
#include <string.h>

#define FAMILY     (SHAPES_CLASSIC - SHAPES_META)
#define KEYS_SHOWN 3u /* of the keys of a request */

/* NAME="BEFORE TEXT AFTER", or nothing where that is too long for a word. */
static enum wb_err put(struct wb_buf *out, const char *name, const char *before,
                       struct wb_view text, const char *after)
{
    uint8_t word[WORDS_MAX];
    size_t begin = strlen(before), end = begin + text.len, len = end + strlen(after);

    if (len > WORDS_MAX)
        return WB_OK;
    memcpy(word, before, begin);
    if (text.len > 0)
        memcpy(word + begin, text.data, text.len);
    memcpy(word + end, after, len - end);
    return words_add(out, name, wb_view_of(word, len));
}

static enum wb_err put_code(struct wb_buf *out, const char *text)
{
    struct wb_view code = wb_view_text(text);
    struct wb_reply_line line;
    enum wb_err e = wb_reply_line_parse(code, WB_REPLY_VALUE_MAX, &line);
    char name[32];

    if (e == WB_E_BAD_CODE) /* NUMBER: the line is one, and the name is ours */
        return WB_OK;
    (void)snprintf(name, sizeof name, "code_%s", text);
    WB_TRY(put(out, name, "", code, e == WB_OK ? "" : " "));
    (void)snprintf(name, sizeof name, "line_%s", text);
    return e == WB_OK ? put(out, name, "", code, "\r\n") : WB_OK;
}

enum wb_err words_reply(unsigned family, struct wb_buf *out)
{
    for (int code = 0; code < WB_REPLY_CODE_COUNT; code++)
        WB_TRY(put_code(out, wb_reply_code_name(code)));
    for (unsigned i = family; i < family + FAMILY; i++) {
        const struct wb_reply_shape *shape = &shapes_at(i)->shape;
        char name[32];
        for (size_t k = 0; k < shape->keys_count && k < KEYS_SHOWN; k++) {
            (void)snprintf(name, sizeof name, "key_%u_%zu", i - family, k);
            WB_TRY(put(out, name, shape->until_end ? " " : " k", shape->keys[k], ""));
        }
        (void)snprintf(name, sizeof name, "opaque_%u", i - family);
        if (shape->opaque.len > 0)
            WB_TRY(put(out, name, " O", shape->opaque, ""));
    }
    return WB_OK;
}
