/*
 * chunks.h: where a transport puts what arrives: each chunk in an allocation of its own, or back to
 * back in one receive buffer, which is used again from its start when nobody holds it.
 */
#ifndef MEDIA_CHUNKS_H
#define MEDIA_CHUNKS_H

#include "core/base/bytes.h"

#define CHUNKS_BUFFER ((size_t)16384) /* of CHUNKS_SHARED; no chunk is larger there */
#define CHUNKS_PACKET ((size_t)1150)  /* and none than this in CHUNKS_DATAGRAM */

enum chunks_backing { CHUNKS_EXACT, CHUNKS_DATAGRAM, CHUNKS_SHARED };

struct chunks {
    struct wb_mem *mem;
    enum chunks_backing backing;
    struct wb_slice buffer;
    uint8_t *bytes; /* of it, written before a part is lent */
    size_t used;
};

void chunks_init(struct chunks *c, struct wb_mem *mem, enum chunks_backing backing);
void chunks_fini(struct chunks *c);
/* Most bytes of one chunk. */
size_t chunks_max(const struct chunks *c);
/* One chunk with these bytes. WB_E_NOMEM leaves *out alone. */
enum wb_err chunks_next(struct chunks *c, struct wb_view bytes, struct wb_slice *out);
/* Holders of a chunk's storage that are the backing's own. */
uint64_t chunks_own(const struct chunks *c);

#endif
