/*
 * ref_datagram.h: a datagram by its offsets. The second opinion on core/media/wire.h; calls nothing
 * of the core.
 */
#ifndef REF_DATAGRAM_H
#define REF_DATAGRAM_H

#include "core/base/bytes.h"
#include "core/base/err.h"

#define REF_DATAGRAM_PAYLOAD_MAX 65535u
#define REF_DATAGRAM_HEADER_MAX  27u

struct ref_datagram {
    enum wb_err status; /* WB_OK, WB_E_VERSION, WB_E_SHORT, WB_E_BOUNDS */
    uint64_t subscribe, sequence, timestamp;
    size_t payload; /* where it begins; it goes to the end */
};

struct ref_datagram ref_datagram_read(unsigned draft, struct wb_view packet);
/* The three numbers in their shortest forms; returns their size. */
size_t ref_datagram_write(unsigned draft, const struct ref_datagram *datagram,
                          uint8_t out[REF_DATAGRAM_HEADER_MAX]);

#endif
