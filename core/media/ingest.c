/*
 * ingest.c: one step a header or a piece of payload. A step either takes its bytes off the chunk
 * or changes nothing, so that any of them may be repeated.
 */
#include "core/media/ingest.h"

#include "core/base/code.h"

#include <string.h>

#define GROUP_BODY_MAX 27u /* three integers of 9 bytes */

/* n bytes leave the lease: that many are credit again. An empty lease holds nothing. */
static void consume(struct wb_slice *chunk, size_t n)
{
    if (n == chunk->view.len)
        wb_slice_drop(chunk);
    else
        chunk->view = wb_view_sub(chunk->view, n, chunk->view.len);
}

static size_t least(uint64_t a, size_t b)
{
    return a < b ? (size_t)a : b;
}

/* ---- headers --------------------------------------------------------------------------------- */

/* The bytes where a header begins: the chunk's, or what was held of it joined with them. */
static struct wb_view header_front(struct wb_ingest *in, const struct wb_slice *chunk)
{
    size_t n = least(chunk->view.len, sizeof(in->held) - in->held_len);

    if (in->held_len == 0)
        return chunk->view;
    if (n > 0)
        memcpy(in->held + in->held_len, chunk->view.data, n);
    return wb_view_of(in->held, in->held_len + n);
}

/* The chunk ends inside a header: its bytes are copied, so that nothing of it stays leased. */
static void header_hold(struct wb_ingest *in, struct wb_slice *chunk)
{
    WB_ASSERT(chunk->view.len <= sizeof(in->held) - in->held_len);
    memcpy(in->held + in->held_len, chunk->view.data, chunk->view.len);
    in->held_len = (uint8_t)(in->held_len + chunk->view.len);
    consume(chunk, chunk->view.len);
}

/* A whole GROUP message off the front of *in. */
static enum wb_err group_get(enum wb_moq_version version, struct wb_view *in,
                             struct wb_group_header *out)
{
    struct wb_view rest = *in;
    uint64_t size;

    WB_TRY(wb_moq_get(version, &rest, &size));
    if (size > WB_MOQ_MESSAGE_MAX)
        return WB_E_MESSAGE_TOO_LARGE;
    if (size > GROUP_BODY_MAX)
        return WB_E_LONG;
    if (size > rest.len)
        return WB_MORE;
    WB_TRY(wb_group_header_get(version, wb_view_sub(rest, 0, (size_t)size), out));
    *in = wb_view_sub(rest, (size_t)size, rest.len);
    return WB_OK;
}

static enum wb_err take_group_header(struct wb_ingest *in, struct wb_slice *chunk)
{
    struct wb_view front = header_front(in, chunk), rest = front;
    enum wb_err err = group_get(in->version, &rest, &in->header);

    if (err == WB_MORE) {
        header_hold(in, chunk);
        return WB_OK;
    }
    if (err != WB_OK)
        return err;
    consume(chunk, front.len - rest.len - in->held_len);
    in->held_len = 0;
    in->state = WB_INGEST_ATTACH;
    return WB_OK;
}

/* ---- payloads -------------------------------------------------------------------------------- */

/* The frame whose payload is the chunk's bytes [begin, end); consumes up to `end`. */
static enum wb_err add_whole(struct wb_ingest *in, struct wb_slice *chunk, uint64_t timestamp,
                             size_t begin, size_t end)
{
    bool is_small = end - begin <= WB_COPY_WHOLE;
    struct wb_slice payload;
    enum wb_err err;

    if (is_small)
        WB_TRY(wb_slice_copy(in->mem, wb_view_sub(chunk->view, begin, end), &payload));
    else
        payload = wb_slice_sub(chunk, begin, end);
    err = wb_group_add(in->group, timestamp, &payload);
    if (err != WB_OK) {
        wb_slice_drop(&payload);
        return err;
    }
    WB_COUNT(in->cost.frames, 1);
    WB_COUNT(in->cost.copied_whole, is_small ? 1 : 0);
    WB_COUNT(in->cost.shared, is_small ? 0 : 1);
    WB_COUNT(in->cost.copied, is_small ? end - begin : 0);
    consume(chunk, end);
    in->timestamp = timestamp;
    in->held_len = 0;
    in->left = 0;
    in->state = WB_INGEST_FRAME;
    return WB_OK;
}

/* A frame's header, and its payload when that is there. */
static enum wb_err take_frame(struct wb_ingest *in, struct wb_slice *chunk)
{
    struct wb_view front = header_front(in, chunk), rest = front;
    uint64_t timestamp = in->timestamp, size;
    enum wb_err err = wb_frame_header_get(in->version, &rest, &timestamp, &size);
    size_t begin;

    if (err == WB_MORE) {
        header_hold(in, chunk);
        return WB_OK;
    }
    if (err != WB_OK)
        return err;
    begin = front.len - rest.len - in->held_len;
    if (size <= chunk->view.len - begin)
        return add_whole(in, chunk, timestamp, begin, begin + (size_t)size);
    consume(chunk, begin);
    in->timestamp = timestamp;
    in->held_len = 0;
    in->left = size;
    in->state = WB_INGEST_BODY;
    return WB_OK;
}

/* What the chunk has of the payload. The frame is opened with its first byte, not before. */
static enum wb_err take_payload(struct wb_ingest *in, struct wb_slice *chunk)
{
    size_t n = least(in->left, chunk->view.len);

    if (in->frame == NULL && n == in->left)
        return add_whole(in, chunk, in->timestamp, 0, n);
    if (in->frame == NULL)
        WB_TRY(wb_group_open(in->group, in->timestamp, in->left, &in->frame));
    WB_TRY(wb_frame_write(in->frame, wb_frame_written(in->frame), wb_view_sub(chunk->view, 0, n)));
    WB_COUNT(in->cost.copied, n);
    consume(chunk, n);
    in->left -= n;
    if (in->left > 0)
        return WB_OK;
    WB_TRY(wb_group_close(in->group));
    WB_COUNT(in->cost.frames, 1);
    WB_COUNT(in->cost.assembled, 1);
    in->frame = NULL;
    in->state = WB_INGEST_FRAME;
    return WB_OK;
}

/* ---- the stream ------------------------------------------------------------------------------ */

/* The stream is over; returns what it ended with. */
static enum wb_err end(struct wb_ingest *in, enum wb_err err)
{
    if (in->state == WB_INGEST_DONE)
        return in->err;
    if (err != WB_OK && in->group != NULL)
        wb_group_abort(in->group, err);
    in->err = err;
    in->frame = NULL;
    in->left = 0;
    in->held_len = 0;
    in->state = WB_INGEST_DONE;
    return err;
}

/* Somebody else may have ended the group, which took the open frame with it. */
static enum wb_err group_alive(const struct wb_ingest *in)
{
    return in->group == NULL ? WB_OK : wb_group_aborted(in->group);
}

void wb_ingest_init(struct wb_ingest *in, struct wb_mem *mem, enum wb_moq_version version)
{
    *in = (struct wb_ingest){.mem = mem, .version = version, .state = WB_INGEST_HEADER};
}

void wb_ingest_init_frames(struct wb_ingest *in, struct wb_mem *mem, enum wb_moq_version version,
                           struct wb_group *group)
{
    *in = (struct wb_ingest){
        .mem = mem, .version = version, .state = WB_INGEST_FRAME, .group = group};
}

void wb_ingest_fini(struct wb_ingest *in)
{
    if (in->group != NULL)
        wb_group_leave(in->group);
    *in = (struct wb_ingest){.state = WB_INGEST_DONE};
}

enum wb_err wb_ingest_attach(struct wb_ingest *in, struct wb_group *group)
{
    WB_ASSERT(in->state == WB_INGEST_ATTACH);
    WB_TRY(wb_group_start_at(group, in->header.first));
    in->group = group;
    in->state = WB_INGEST_FRAME;
    return WB_OK;
}

void wb_ingest_cancel(struct wb_ingest *in, enum wb_err reason)
{
    WB_ASSERT(reason != WB_OK);
    (void)end(in, reason);
}

enum wb_err wb_ingest_push(struct wb_ingest *in, struct wb_slice *chunk)
{
    enum wb_err err = group_alive(in);

    WB_CHECKED(wb_ingest_check(in));
    if (in->state == WB_INGEST_DONE)
        return in->err != WB_OK ? in->err : WB_E_FINISHED;
    while (err == WB_OK && chunk->view.len > 0 && in->state != WB_INGEST_ATTACH) {
        if (in->state == WB_INGEST_HEADER)
            err = take_group_header(in, chunk);
        else if (in->state == WB_INGEST_FRAME)
            err = take_frame(in, chunk);
        else
            err = take_payload(in, chunk);
    }
    in->is_starved = err == WB_E_NOMEM;
    if (err != WB_OK && !in->is_starved)
        err = end(in, err);
    WB_CHECKED(wb_ingest_check(in));
    return err;
}

enum wb_err wb_ingest_fin(struct wb_ingest *in)
{
    enum wb_err err = group_alive(in);
    bool is_whole =
        in->state == WB_INGEST_ATTACH || (in->state == WB_INGEST_FRAME && in->held_len == 0);

    if (in->state == WB_INGEST_DONE)
        return in->err;
    if (err == WB_OK && in->is_starved)
        err = WB_E_NOMEM;
    if (err == WB_OK && !is_whole)
        err = WB_E_TRUNCATED;
    if (err == WB_OK && in->group != NULL)
        err = wb_group_finish(in->group);
    return end(in, err);
}

void wb_ingest_reset(struct wb_ingest *in, uint64_t code)
{
    (void)end(in, wb_code_meaning(code));
}

void wb_ingest_check(const struct wb_ingest *in)
{
    bool has_group = in->state == WB_INGEST_FRAME || in->state == WB_INGEST_BODY;
    const struct wb_ingest_cost *cost = &in->cost;

    WB_ASSERT(in->state == WB_INGEST_DONE || has_group == (in->group != NULL));
    WB_ASSERT(in->state == WB_INGEST_DONE || in->err == WB_OK);
    WB_ASSERT((in->state == WB_INGEST_BODY) == (in->left > 0));
    WB_ASSERT(in->state == WB_INGEST_BODY || in->frame == NULL);
    WB_ASSERT(in->held_len < sizeof(in->held));
    WB_ASSERT(in->held_len == 0 || in->state <= WB_INGEST_FRAME);
    WB_ASSERT(in->timestamp <= WB_VARINT_MAX);
    WB_ASSERT(cost->frames == cost->copied_whole + cost->shared + cost->assembled);
}
