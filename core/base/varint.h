/*
 * varint.h: the two variable-length integers of MoQ.
 *
 *   quic   RFC 9000 section 16: the top two bits of the first byte give 1, 2, 4 or 8 bytes;
 *          at most 2^62-1.
 *   ones   moq-transport draft 17 and later: the leading one bits of the first byte give the
 *          length; at most 2^64-1.
 *
 * Longer forms than needed are read and never written.
 */
#ifndef WB_VARINT_H
#define WB_VARINT_H

#include "core/base/buf.h"

#define WB_VARINT_MAX ((UINT64_C(1) << 62) - 1)

/* Takes one off the front. WB_MORE when it is cut short: *in and *out stay as they were. */
WB_MUST_USE enum wb_err wb_varint_get(struct wb_view *in, uint64_t *out);
/* The same for a field of 32 bits: WB_E_BOUNDS above 2^32-1, nothing consumed. */
WB_MUST_USE enum wb_err wb_varint_get_u32(struct wb_view *in, uint32_t *out);
/* Appends the shortest form. WB_E_BOUNDS above WB_VARINT_MAX; buffer errors as wb_buf_add. */
WB_MUST_USE enum wb_err wb_varint_put(struct wb_buf *out, uint64_t value);
/* Bytes of the shortest form: 1, 2, 4 or 8; 0 above WB_VARINT_MAX. */
size_t wb_varint_size(uint64_t value);

/* `seven` allows the 7-byte form (lead 0xFC or 0xFD) of draft 18 and later; else WB_E_VALUE. */
WB_MUST_USE enum wb_err wb_varint_ones_get(struct wb_view *in, bool seven, uint64_t *out);
/* Appends the shortest form; the 7-byte one is never written. */
WB_MUST_USE enum wb_err wb_varint_ones_put(struct wb_buf *out, uint64_t value);
/* Bytes of the shortest form written: 1 to 6, 8 or 9. */
size_t wb_varint_ones_size(uint64_t value);

/* Signed deltas as unsigned: 0, -1, 1, -2 are 0, 1, 2, 3. */
uint64_t wb_zigzag(int64_t value);
int64_t wb_unzigzag(uint64_t value);

/* An optional number: absent is 0, else value + 1; WB_E_BOUNDS when that does not fit the form. */
WB_MUST_USE enum wb_err wb_varint_put_optional(struct wb_buf *out, const uint64_t *value_or_null);
/* *out is 0 when absent. */
WB_MUST_USE enum wb_err wb_varint_get_optional(struct wb_view *in, bool *out_present,
                                               uint64_t *out);

#endif
