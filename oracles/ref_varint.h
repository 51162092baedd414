/*
 * ref_varint.h: varints as strings of bits, from the tables of RFC 9000 section 16 and of the
 * leading-ones form. The second opinion on core/base/varint.h; calls nothing of the core.
 */
#ifndef REF_VARINT_H
#define REF_VARINT_H

#include "core/base/bytes.h"
#include "core/base/err.h"

enum ref_varint_form {
    REF_VARINT_QUIC,
    REF_VARINT_ONES,      /* draft 17: no form of 7 bytes */
    REF_VARINT_ONES_SEVEN /* draft 18 and later: it is read, and never written */
};

#define REF_VARINT_SIZE_MAX 9

struct ref_varint {
    enum wb_err status; /* WB_OK, WB_MORE, or WB_E_VALUE for a form that is not allowed */
    size_t size;
    uint64_t value;
};

/* The one at the start of `in`. */
struct ref_varint ref_varint_read(enum ref_varint_form form, struct wb_view in);
/* Its shortest form; returns the size, 0 when the form cannot hold `value`. */
size_t ref_varint_write(enum ref_varint_form form, uint64_t value,
                        uint8_t out[REF_VARINT_SIZE_MAX]);

struct ref_varint_signed {
    bool is_negative;
    uint64_t magnitude;
};

/* The n-th of 0, -1, 1, -2, 2, ... */
struct ref_varint_signed ref_varint_unzigzag(uint64_t n);

#endif
