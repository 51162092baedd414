/*
 * code.h: what a stream is reset with, and what such a code means. Stream codes of the later
 * drafts: 0 internal, 1 cancelled, 2 delivery timeout, 3 session closed, 4 going away, 5 too far
 * behind, 0x12 malformed; own: 0x20 not found, 0x21 unroutable, 0x22 old, 0x23 evicted, 0x24
 * wrong size, 0x25 frame too large. A code of a peer is never sent on: that is internal again.
 */
#ifndef WB_CODE_H
#define WB_CODE_H

#include "core/base/err.h"

/* What we reset or stop a stream with when it failed so. */
uint64_t wb_code_of(enum wb_err err);
/* What a peer's reset means: WB_E_CANCEL, WB_E_LAGGED, ... else WB_E_REMOTE. */
enum wb_err wb_code_meaning(uint64_t code);

#endif
