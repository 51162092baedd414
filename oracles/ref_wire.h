/*
 * ref_wire.h: the fields of a complete message body, by their offsets. The second opinion on
 * core/base/wire.h; calls nothing of the core.
 */
#ifndef REF_WIRE_H
#define REF_WIRE_H

#include "core/base/bytes.h"
#include "core/base/err.h"

enum ref_wire_kind {
    REF_WIRE_U8,
    REF_WIRE_U16,
    REF_WIRE_BOOL,
    REF_WIRE_VARINT,
    REF_WIRE_U32,
    REF_WIRE_BLOCK,
    REF_WIRE_STRING
};

struct ref_wire_field {
    enum wb_err status;
    uint64_t value;    /* of a number, or the length of a block or string */
    size_t begin, end; /* of the bytes that count: without the length in front */
};

/* The field of `body` that starts at `offset`. */
struct ref_wire_field ref_wire_read(enum ref_wire_kind kind, struct wb_view body, size_t offset);

#endif
