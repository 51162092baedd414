#include "sim/backing.h"

#include <string.h>

const char *sim_backing_name(enum sim_backing_kind kind)
{
    static const char *const names[] = {"exact", "datagram", "recv64k"};

    WB_ASSERT(kind < SIM_BACKING_KINDS);
    return names[kind];
}

void sim_backing_init(struct sim_backing *b, struct wb_mem *mem, enum sim_backing_kind kind)
{
    *b = (struct sim_backing){.mem = mem, .kind = kind};
}

void sim_backing_fini(struct sim_backing *b)
{
    wb_slice_drop(&b->buffer);
    *b = (struct sim_backing){0};
}

static enum wb_err receive_apart(struct sim_backing *b, const struct wb_view *parts, size_t count,
                                 struct wb_slice *out_chunks)
{
    for (size_t i = 0; i < count; i++) {
        enum wb_err err = wb_slice_copy(b->mem, parts[i], &out_chunks[i]);

        if (err != WB_OK) {
            while (i-- > 0)
                wb_slice_drop(&out_chunks[i]);
            return err;
        }
    }
    return WB_OK;
}

/* The parts one after the other at [begin, ...) of `whole`, whose bytes are at `bytes`. */
static void split(const struct wb_slice *whole, uint8_t *bytes, size_t begin,
                  const struct wb_view *parts, size_t count, struct wb_slice *out_chunks)
{
    for (size_t i = 0; i < count; i++) {
        if (parts[i].len > 0)
            memcpy(bytes + begin, parts[i].data, parts[i].len);
        out_chunks[i] = wb_slice_sub(whole, begin, begin + parts[i].len);
        begin += parts[i].len;
    }
}

/* Room for `size` more bytes in the buffer. */
static enum wb_err make_room(struct sim_backing *b, size_t size)
{
    struct wb_slice fresh;

    if (b->buffer.owner != NULL && size <= SIM_BACKING_BUFFER - b->used)
        return WB_OK;
    if (wb_slice_holders(&b->buffer) != 1) {
        WB_TRY(wb_slice_new(b->mem, SIM_BACKING_BUFFER, &fresh, &b->bytes));
        wb_slice_drop(&b->buffer);
        b->buffer = fresh;
        b->buffers++;
    }
    b->used = 0;
    return WB_OK;
}

enum wb_err sim_backing_receive(struct sim_backing *b, const struct wb_view *parts, size_t count,
                                struct wb_slice *out_chunks)
{
    struct wb_slice whole;
    uint8_t *bytes;
    size_t size = 0;

    for (size_t i = 0; i < count; i++) {
        if (parts[i].len > SIM_BACKING_BUFFER - size)
            return WB_E_BOUNDS;
        size += parts[i].len;
    }
    if (b->kind == SIM_BACKING_EXACT)
        return receive_apart(b, parts, count, out_chunks);
    if (b->kind == SIM_BACKING_RECV64K) {
        WB_TRY(make_room(b, size));
        split(&b->buffer, b->bytes, b->used, parts, count, out_chunks);
        b->used += size;
        return WB_OK;
    }
    WB_TRY(wb_slice_new(b->mem, size, &whole, &bytes));
    split(&whole, bytes, 0, parts, count, out_chunks);
    wb_slice_drop(&whole);
    return WB_OK;
}
