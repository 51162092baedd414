/*
 * payload.h: payload bytes as a function of their owner and position, from one table, so that
 * comparing costs a memcmp. The period is a prime: a shift by a power of two does not hide.
 */
#ifndef CACHE_PAYLOAD_H
#define CACHE_PAYLOAD_H

#include "core/base/bytes.h"

#define PAYLOAD_PERIOD 4093u

/* Bytes from position `at` on; at least `len` of them, len <= PAYLOAD_PERIOD. Static. */
const uint8_t *payload_bytes(uint32_t owner, uint64_t at, size_t len);
/* True when `view` holds the bytes of `owner` from `at` on. */
bool payload_is(struct wb_view view, uint32_t owner, uint64_t at);
/* A slice of its own with the first `len` bytes of `owner`; WB_E_NOMEM. */
WB_MUST_USE enum wb_err payload_slice(struct wb_mem *mem, uint32_t owner, size_t len,
                                      struct wb_slice *out);

#endif
