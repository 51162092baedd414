/*
 * message.c: messages with a size in front. What is not whole in its chunk is gathered in `held`,
 * prefix included; `held` is given back before the next message.
 */
#include "core/base/message.h"

#include <string.h>

#define PREFIX_MAX 18u /* type and size of 9 bytes each */

/* Type and size off the front of *in; the size is judged here, before anything is kept. */
static enum wb_err prefix_get(const struct wb_message_reader *r, struct wb_view *in,
                              uint64_t *out_type, uint64_t *out_size)
{
    *out_type = 0;
    if (r->typed)
        WB_TRY(wb_moq_get(r->version, in, out_type));
    WB_TRY(wb_moq_get(r->version, in, out_size));
    return *out_size > r->max ? WB_E_MESSAGE_TOO_LARGE : WB_OK;
}

static size_t least(uint64_t a, size_t b)
{
    return a < b ? (size_t)a : b;
}

/* Where the message begins: in `in`, or for one under way in `held` and then `in`, joined. */
static struct wb_view front(const struct wb_message_reader *r, struct wb_view in,
                            uint8_t space[PREFIX_MAX])
{
    size_t kept = least(r->held.len, PREFIX_MAX), more = least(in.len, PREFIX_MAX - kept);

    if (kept == 0)
        return in;
    memcpy(space, r->held.data, kept);
    if (more > 0)
        memcpy(space + kept, in.data, more);
    return wb_view_of(space, kept + more);
}

/* Whole, with one byte each for type and size: the same bytes in both forms of integers. */
static bool is_short(const struct wb_message_reader *r, struct wb_view in)
{
    return r->held.len == 0 && r->typed && in.len >= 2 && in.data[0] < 0x40 && in.data[1] < 0x40 &&
           in.data[1] <= in.len - 2 && in.data[1] <= r->max;
}

/* Gathers the next n bytes of *in. */
static enum wb_err take(struct wb_message_reader *r, struct wb_view *in, size_t n)
{
    WB_TRY(wb_buf_add(&r->held, wb_view_sub(*in, 0, n)));
    *in = wb_view_sub(*in, n, in->len);
    return WB_OK;
}

/* The last message was used: its storage may be as large as it was. */
static void release(struct wb_message_reader *r)
{
    struct wb_mem *mem = r->held.mem;
    size_t max = r->held.max;

    wb_buf_fini(&r->held);
    wb_buf_init(&r->held, mem, max);
    r->lent = false;
}

void wb_message_reader_init(struct wb_message_reader *r, struct wb_mem *mem,
                            enum wb_moq_version version, bool typed, uint64_t max)
{
    WB_ASSERT(max <= SIZE_MAX - PREFIX_MAX);
    *r = (struct wb_message_reader){.version = version, .typed = typed, .max = max};
    wb_buf_init(&r->held, mem, PREFIX_MAX + (size_t)max);
}

void wb_message_reader_fini(struct wb_message_reader *r)
{
    wb_buf_fini(&r->held);
    *r = (struct wb_message_reader){0};
}

static WB_NOINLINE enum wb_err next_of_any(struct wb_message_reader *r, struct wb_view *in,
                                           struct wb_message *out)
{
    uint8_t space[PREFIX_MAX];
    struct wb_view begin, rest;
    uint64_t type, size, missing;
    size_t prefix;
    enum wb_err err;

    if (r->err != WB_OK)
        return r->err;
    if (r->lent)
        release(r);
    begin = rest = front(r, *in, space);
    err = prefix_get(r, &rest, &type, &size);
    if (err == WB_MORE) {
        WB_TRY(take(r, in, in->len));
        return WB_MORE;
    }
    if (err != WB_OK)
        return r->err = err;
    prefix = begin.len - rest.len;
    missing = prefix + size - r->held.len;
    if (r->held.len > 0 || missing > in->len) {
        size_t n = least(missing, in->len);

        WB_TRY(take(r, in, n));
        if (n < missing)
            return WB_MORE;
        r->lent = true;
        *out = (struct wb_message){type, wb_view_sub(wb_buf_view(&r->held), prefix, r->held.len)};
        return WB_OK;
    }
    *out = (struct wb_message){type, wb_view_sub(*in, prefix, (size_t)missing)};
    *in = wb_view_sub(*in, (size_t)missing, in->len);
    return WB_OK;
}

enum wb_err wb_message_next(struct wb_message_reader *r, struct wb_view *in, struct wb_message *out)
{
    struct wb_view all = *in;
    size_t end;

    if (r->err != WB_OK || r->lent || !is_short(r, all))
        return next_of_any(r, in, out);
    end = 2u + all.data[1];
    *out = (struct wb_message){all.data[0], wb_view_sub(all, 2, end)};
    *in = wb_view_sub(all, end, all.len);
    return WB_OK;
}

enum wb_err wb_message_fin(struct wb_message_reader *r)
{
    if (r->err == WB_OK && r->held.len > 0 && !r->lent)
        r->err = WB_E_TRUNCATED;
    return r->err;
}
