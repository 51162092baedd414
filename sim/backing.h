/*
 * backing.h: the storage behind received packets, of which the chunks of streams are slices. No
 * sockets: whoever drives it says what each packet carries.
 *
 *   exact      each chunk an allocation of its own: the control
 *   datagram   one allocation a packet, exactly as large; its chunks share it
 *   recv64k    packets are split off one buffer of 64 KiB, back to back. When the rest is too small
 *              for the next one, the buffer is used again from its start if no slice of it is held;
 *              else a new one is taken
 *
 * Larger packets stand for jumbo datagrams, and for batches that one receive call fills (GRO).
 */
#ifndef SIM_BACKING_H
#define SIM_BACKING_H

#include "core/base/bytes.h"

#define SIM_BACKING_BUFFER ((size_t)64 << 10)

enum sim_backing_kind {
    SIM_BACKING_EXACT,
    SIM_BACKING_DATAGRAM,
    SIM_BACKING_RECV64K,
    SIM_BACKING_KINDS
};

struct sim_backing {
    struct wb_mem *mem;
    enum sim_backing_kind kind;
    struct wb_slice buffer; /* of recv64k; zero before the first packet */
    uint8_t *bytes;
    size_t used;
    uint64_t buffers; /* taken so far */
};

/* "exact", "datagram", "recv64k". */
const char *sim_backing_name(enum sim_backing_kind kind);
void sim_backing_init(struct sim_backing *b, struct wb_mem *mem, enum sim_backing_kind kind);
/* Gives its own reference to the buffer back; chunks stay with their holders. */
void sim_backing_fini(struct sim_backing *b);
/*
 * A packet arrives: out_chunks[i] becomes a slice over a copy of parts[i]. WB_E_BOUNDS for more
 * than SIM_BACKING_BUFFER bytes in all, WB_E_NOMEM; nothing changes on either.
 */
WB_MUST_USE enum wb_err sim_backing_receive(struct sim_backing *b, const struct wb_view *parts,
                                            size_t count, struct wb_slice *out_chunks);

#endif
