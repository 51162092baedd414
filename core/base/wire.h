/*
 * wire.h: a bounded reader over the body of one message. It keeps its first error for ever, so a
 * decoder may read all its fields and look once. Source: moq-lite, message primitives and framing.
 */
#ifndef WB_WIRE_H
#define WB_WIRE_H

#include "core/base/varint.h"

/* Open on purpose: lives on a decoder's stack. Reads after an error give zeros and empty views. */
struct wb_wire {
    struct wb_view left;
    enum wb_err err;
};

/* Reads `body`, which is complete: what does not fit is WB_E_SHORT, never WB_MORE. */
struct wb_wire wb_wire_of(struct wb_view body);
uint8_t wb_wire_u8(struct wb_wire *w);
uint16_t wb_wire_u16(struct wb_wire *w);
/* 0 or 1, else WB_E_VALUE. */
bool wb_wire_bool(struct wb_wire *w);
uint64_t wb_wire_varint(struct wb_wire *w);
/* WB_E_BOUNDS above 2^32-1. */
uint32_t wb_wire_varint_u32(struct wb_wire *w);
/* The next n bytes, borrowed. */
struct wb_view wb_wire_bytes(struct wb_wire *w, uint64_t n);
/* A varint length and that many bytes, borrowed; `string` must be UTF-8, else WB_E_STRING. */
struct wb_view wb_wire_block(struct wb_wire *w);
struct wb_view wb_wire_string(struct wb_wire *w);
/* The first error, or WB_E_LONG when bytes are left, or WB_OK. */
WB_MUST_USE enum wb_err wb_wire_done(const struct wb_wire *w);
/* Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. */
bool wb_utf8_is_valid(struct wb_view text);

#endif
