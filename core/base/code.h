/*
 * code.h: what a stream is reset with, and what such a code means. Stream codes of the later
 * drafts: 0 internal, 1 cancelled, 2 delivery timeout, 3 session closed, 4 going away, 5 too far
 * behind, 0x12 malformed; own: 0x20 not found, 0x21 unroutable, 0x22 old, 0x23 evicted, 0x24
 * wrong size, 0x25 frame too large. A code of a peer is never sent on: that is internal again.
 *
 *   sent                                  understood
 *   WB_E_CANCEL            1              0, 1          WB_E_CANCEL
 *   WB_TIMEOUT             2              2             WB_E_OLD
 *   WB_E_CLOSED            3              5             WB_E_LAGGED
 *   WB_E_LAGGED            5              others        WB_E_REMOTE, the own ones too
 *   WB_E_OLD 0x22, WB_E_EVICTED 0x23, WB_E_WRONG_SIZE 0x24, WB_E_FRAME_TOO_LARGE 0x25
 *   what cannot be read    0x12           (BOUNDS, VALUE, SHORT, LONG, STRING, TRUNCATED,
 *   all else               0               MESSAGE_TOO_LARGE, UNEXPECTED)
 */
#ifndef WB_CODE_H
#define WB_CODE_H

#include "core/base/err.h"

/* What we reset or stop a stream with when it failed so. */
uint64_t wb_code_of(enum wb_err err);
/* What a peer's reset means. */
enum wb_err wb_code_meaning(uint64_t code);

#endif
