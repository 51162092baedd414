/*
 * subscribe_wire.c: fields in the order of the wire. moq-lite, messages field by field.
 */
#include "core/window/subscribe_wire.h"

#include "core/base/wire.h"
#include "core/route/path.h"

/* ---- bodies that are complete ---------------------------------------------------------------- */

static enum wb_err short_of(enum wb_err err)
{
    return err == WB_MORE ? WB_E_SHORT : err;
}

static enum wb_err number_get(enum wb_moq_version version, struct wb_view *body, uint64_t *out)
{
    return short_of(wb_moq_get(version, body, out));
}

static enum wb_err byte_get(struct wb_view *body, uint8_t *out)
{
    if (body->len == 0)
        return WB_E_SHORT;
    *out = body->data[0];
    *body = wb_view_sub(*body, 1, body->len);
    return WB_OK;
}

static enum wb_err text_get(enum wb_moq_version version, struct wb_view *body, struct wb_view *out)
{
    uint64_t len;

    WB_TRY(number_get(version, body, &len));
    if (len > body->len)
        return WB_E_SHORT;
    *out = wb_view_sub(*body, 0, (size_t)len);
    *body = wb_view_sub(*body, (size_t)len, body->len);
    return wb_utf8_is_valid(*out) ? WB_OK : WB_E_STRING;
}

static enum wb_err names_get(enum wb_moq_version version, struct wb_view *body,
                             struct wb_view *broadcast, struct wb_view *track)
{
    size_t len;

    WB_TRY(text_get(version, body, broadcast));
    WB_TRY(wb_path_measure(*broadcast, &len));
    return text_get(version, body, track);
}

static enum wb_err wish_get(enum wb_moq_version version, struct wb_view *body,
                            struct wb_wire_wish *out)
{
    uint8_t ordered;

    WB_TRY(byte_get(body, &out->priority));
    WB_TRY(byte_get(body, &ordered));
    out->ordered = ordered != 0;
    WB_TRY(number_get(version, body, &out->max_age_ms));
    return short_of(wb_range_get(version, body, &out->start, &out->end));
}

/* ---- bodies under way ------------------------------------------------------------------------ */

struct body {
    enum wb_moq_version version;
    struct wb_buf buf;
    enum wb_err err; /* the first */
};

static struct body body_of(enum wb_moq_version version, const struct wb_buf *out)
{
    struct body b = {.version = version};

    wb_buf_init(&b.buf, out->mem, out->max);
    return b;
}

static void number_put(struct body *b, uint64_t value)
{
    if (b->err == WB_OK)
        b->err = wb_moq_put(b->version, &b->buf, value);
}

static void byte_put(struct body *b, uint8_t byte)
{
    if (b->err == WB_OK)
        b->err = wb_buf_add_u8(&b->buf, byte);
}

static void text_put(struct body *b, struct wb_view text)
{
    if (b->err == WB_OK && !wb_utf8_is_valid(text))
        b->err = WB_E_STRING;
    number_put(b, text.len);
    if (b->err == WB_OK)
        b->err = wb_buf_add(&b->buf, text);
}

static void names_put(struct body *b, struct wb_view broadcast, struct wb_view track)
{
    size_t len;

    if (b->err == WB_OK)
        b->err = wb_path_measure(broadcast, &len);
    text_put(b, broadcast);
    text_put(b, track);
}

static void wish_put(struct body *b, const struct wb_wire_wish *wish)
{
    byte_put(b, wish->priority);
    byte_put(b, wish->ordered);
    number_put(b, wish->max_age_ms);
    if (b->err == WB_OK)
        b->err = wb_range_put(b->version, &b->buf, wish->start, wish->end);
}

/* Type when there is one, size, body: all or nothing. */
static enum wb_err finish(struct body *b, const uint64_t *type, struct wb_buf *out)
{
    size_t before = out->len;
    enum wb_err err = b->err;

    if (err == WB_OK && type != NULL)
        err = wb_moq_put(b->version, out, *type);
    if (err == WB_OK)
        err = wb_moq_put(b->version, out, b->buf.len);
    if (err == WB_OK)
        err = wb_buf_add(out, wb_buf_view(&b->buf));
    if (err != WB_OK)
        wb_buf_truncate(out, before);
    wb_buf_fini(&b->buf);
    return err;
}

/* ---- SUBSCRIBE ------------------------------------------------------------------------------- */

enum wb_err wb_subscribe_get(enum wb_moq_version version, struct wb_view body,
                             struct wb_subscribe *out)
{
    struct wb_subscribe message = {0};

    WB_TRY(number_get(version, &body, &message.id));
    WB_TRY(names_get(version, &body, &message.broadcast, &message.track));
    WB_TRY(wish_get(version, &body, &message.wish));
    if (body.len > 0)
        return WB_E_LONG;
    *out = message;
    return WB_OK;
}

enum wb_err wb_subscribe_put(enum wb_moq_version version, struct wb_buf *out,
                             const struct wb_subscribe *message)
{
    struct body b = body_of(version, out);

    number_put(&b, message->id);
    names_put(&b, message->broadcast, message->track);
    wish_put(&b, &message->wish);
    return finish(&b, NULL, out);
}

enum wb_err wb_subscribe_update_get(enum wb_moq_version version, struct wb_view body,
                                    struct wb_wire_wish *out)
{
    struct wb_wire_wish wish = {0};

    WB_TRY(wish_get(version, &body, &wish));
    if (body.len > 0)
        return WB_E_LONG;
    *out = wish;
    return WB_OK;
}

enum wb_err wb_subscribe_update_put(enum wb_moq_version version, struct wb_buf *out,
                                    const struct wb_wire_wish *wish)
{
    struct body b = body_of(version, out);

    wish_put(&b, wish);
    return finish(&b, NULL, out);
}

/* ---- its answers ----------------------------------------------------------------------------- */

static enum wb_err answer_type(enum wb_moq_version version, uint64_t type, enum wb_answer_type *out)
{
    if (version >= WB_LITE_07)
        return WB_E_VERSION;
    if (version == WB_LITE_04 && type == 1)
        *out = WB_ANSWER_DROP;
    else if (version == WB_LITE_04 && type == 0)
        return WB_E_VERSION;
    else if (version == WB_LITE_04 || type > 2)
        return WB_E_UNEXPECTED;
    else
        *out = type == 0 ? WB_ANSWER_START : type == 1 ? WB_ANSWER_END : WB_ANSWER_DROP;
    return WB_OK;
}

enum wb_err wb_answer_get(enum wb_moq_version version, uint64_t type, struct wb_view body,
                          struct wb_answer *out)
{
    struct wb_answer answer = {0};

    WB_TRY(answer_type(version, type, &answer.type));
    if (answer.type == WB_ANSWER_DROP) {
        WB_TRY(number_get(version, &body, &answer.first));
        WB_TRY(number_get(version, &body, &answer.last));
        WB_TRY(number_get(version, &body, &answer.code));
    } else {
        WB_TRY(number_get(version, &body, &answer.group));
    }
    if (body.len > 0)
        return WB_E_LONG;
    if (answer.last < answer.first)
        return WB_E_RANGE;
    *out = answer;
    return WB_OK;
}

enum wb_err wb_answer_put(enum wb_moq_version version, struct wb_buf *out,
                          const struct wb_answer *answer)
{
    bool is_drop = answer->type == WB_ANSWER_DROP;
    uint64_t type = is_drop ? 2 : answer->type == WB_ANSWER_END;
    struct body b;

    if (version >= WB_LITE_07 || (version == WB_LITE_04 && !is_drop))
        return WB_E_VERSION;
    if (is_drop && answer->last < answer->first)
        return WB_E_RANGE;
    if (version == WB_LITE_04)
        type = 1;
    b = body_of(version, out);
    number_put(&b, is_drop ? answer->first : answer->group);
    if (is_drop) {
        number_put(&b, answer->last);
        number_put(&b, answer->code);
    }
    return finish(&b, &type, out);
}

/* ---- FETCH ----------------------------------------------------------------------------------- */

enum wb_err wb_fetch_get(enum wb_moq_version version, struct wb_view body, struct wb_fetch *out)
{
    struct wb_fetch message = {0};
    uint64_t last = 0;

    if (!wb_moq_is_timed(version))
        return WB_E_VERSION;
    WB_TRY(names_get(version, &body, &message.broadcast, &message.track));
    WB_TRY(byte_get(&body, &message.priority));
    WB_TRY(number_get(version, &body, &message.group));
    if (wb_moq_has_frame_bounds(version)) {
        WB_TRY(number_get(version, &body, &message.first_frame));
        WB_TRY(number_get(version, &body, &last));
    }
    if (body.len > 0)
        return WB_E_LONG;
    message.has_last = last > 0;
    message.last_frame = last > 0 ? last - 1 : 0;
    if (message.has_last && message.last_frame < message.first_frame)
        return WB_E_RANGE;
    *out = message;
    return WB_OK;
}

enum wb_err wb_fetch_put(enum wb_moq_version version, struct wb_buf *out,
                         const struct wb_fetch *message)
{
    bool has_frames = wb_moq_has_frame_bounds(version);
    struct body b;

    if (!wb_moq_is_timed(version) ||
        (!has_frames && (message->first_frame > 0 || message->has_last)))
        return WB_E_VERSION;
    if (message->has_last && message->last_frame < message->first_frame)
        return WB_E_RANGE;
    b = body_of(version, out);
    names_put(&b, message->broadcast, message->track);
    byte_put(&b, message->priority);
    number_put(&b, message->group);
    if (has_frames) {
        number_put(&b, message->first_frame);
        if (b.err == WB_OK && message->has_last && message->last_frame == UINT64_MAX)
            b.err = WB_E_BOUNDS;
        number_put(&b, message->has_last ? message->last_frame + 1 : 0);
    }
    return finish(&b, NULL, out);
}
