/*
 * text.h: scenarios as text and back. `show` then `asm` gives the same bytes for whatever can be
 * said in text, which is every scenario: unknown opcodes and unused fields are printed raw.
 *
 *   # what broke, in one line
 *   # expect: WB_OK
 *   version 1                      header lines, each may be absent when zero
 *   profile 2
 *   swarm net,mem                  classes that are switched off, by name or as 0x0005
 *   knob geometry 2                by name or number
 *   get s0 size=512 expect=1       an op: name, slot when it uses one, then name=value in any
 * order; absent = 0 lit s0 "VA 3\r\nbar\r\n" 76*5  raw bytes: hex pairs, repeats, quoted text with
 * C escapes raw 7f 03 1122                 a record that no name covers: opcode, slot byte,
 * argument bytes
 */
#ifndef SIM_TEXT_H
#define SIM_TEXT_H

#include "core/base/buf.h"
#include "sim/ops.h"

struct sim_text_error {
    unsigned line; /* from 1 */
    char rule[160];
};

/* Appends the text of a scenario. Errors are the buffer's. */
WB_MUST_USE enum wb_err sim_text_show(const struct sim_ops *ops, struct wb_view bytes,
                                      struct wb_buf *out);
/* Appends one op as a line without a newline; for traces and findings. */
WB_MUST_USE enum wb_err sim_text_show_op(const struct sim_ops *ops, const struct sim_op *op,
                                         struct wb_buf *out);
/* Appends the bytes of a text. WB_E_VALUE with *out_error set to line and rule when it does not
 * parse. */
WB_MUST_USE enum wb_err sim_text_asm(const struct sim_ops *ops, struct wb_view text,
                                     struct wb_buf *out, struct sim_text_error *out_error);

/*
 * Bytes as text (.hex files): hex pairs with blanks anywhere, `76*500000` repeats a byte, "..." is
 * text with C escapes, # opens a comment to the end of the line. WB_E_VALUE with *out_error set
 * when it does not parse; at most 64 MiB come out.
 */
WB_MUST_USE enum wb_err sim_hex_parse(struct wb_view text, struct wb_buf *out,
                                      struct sim_text_error *out_error);

#endif
