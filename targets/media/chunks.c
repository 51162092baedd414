#include "targets/media/chunks.h"

#include <string.h>

void chunks_init(struct chunks *c, struct wb_mem *mem, enum chunks_backing backing)
{
    *c = (struct chunks){.mem = mem, .backing = backing};
}

void chunks_fini(struct chunks *c)
{
    wb_slice_drop(&c->buffer);
}

size_t chunks_max(const struct chunks *c)
{
    if (c->backing == CHUNKS_EXACT)
        return SIZE_MAX;
    return c->backing == CHUNKS_DATAGRAM ? CHUNKS_PACKET : CHUNKS_BUFFER;
}

/* Room for a whole packet: what is left, the start again when nobody holds a part, or a new one. */
static enum wb_err make_room(struct chunks *c, size_t len)
{
    struct wb_slice fresh;
    size_t need = len > CHUNKS_PACKET ? len : CHUNKS_PACKET;

    if (c->buffer.owner != NULL && need <= CHUNKS_BUFFER - c->used)
        return WB_OK;
    if (c->buffer.owner == NULL || wb_slice_holders(&c->buffer) > 1) {
        WB_TRY(wb_slice_new(c->mem, CHUNKS_BUFFER, &fresh, &c->bytes));
        wb_slice_drop(&c->buffer);
        c->buffer = fresh;
    }
    c->used = 0;
    return WB_OK;
}

enum wb_err chunks_next(struct chunks *c, struct wb_view bytes, struct wb_slice *out)
{
    if (c->backing != CHUNKS_SHARED)
        return wb_slice_copy(c->mem, bytes, out);
    WB_TRY(make_room(c, bytes.len));
    memcpy(c->bytes + c->used, bytes.data, bytes.len);
    *out = wb_slice_sub(&c->buffer, c->used, c->used + bytes.len);
    c->used += bytes.len;
    return WB_OK;
}

uint64_t chunks_own(const struct chunks *c)
{
    return c->backing == CHUNKS_SHARED;
}
