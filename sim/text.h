/* clang-format off */
/*
 * text.h: scenarios as text and back. Whatever the bytes, `show` then `asm` gives those again that
 * are run, a short header or a ragged tail filled up with zeros (so a LIT that the end cuts short
 * may gain up to three): what no name covers is printed raw. What is not run, behind
 * SIM_RECORDS_MAX records, is a comment in the text.
 *
 *   # what broke, in one line
 *   # expect: WB_OK
 *   version 1                      header lines before the first op, each may be absent when zero
 *   profile 2
 *   swarm net,mem                  classes that are switched off, by name or as 0x0005
 *   knob geometry 2                by name or number, 0 to 3
 *   get s0 size=512 expect=1       an op: name, slot when it uses one, name=value in any order;
 *                                  absent = 0
 *   lit s0 "VA 3\r\nbar\r\n" 76*5  raw bytes, last on the line: sim/hex.h
 *   nop; time ms=150               a ; is as good as a new line
 *   raw 7f 03 1122                 a record that no name covers: opcode, slot byte, argument bytes
 *
 * Numbers are decimal or 0x hex; an argument that is a choice may be given by its name. `version`,
 * `profile`, `swarm`, `knob`, `nop` and `raw` are no names of ops; `lit` is one also where the op
 * table does not have it.
 */
/* clang-format on */
#ifndef SIM_TEXT_H
#define SIM_TEXT_H

#include "sim/hex.h"
#include "sim/ops.h"

/* Appends the text of a scenario; `ops` NULL: all raw. Errors are the buffer's. */
WB_MUST_USE enum wb_err sim_text_show(const struct sim_ops *ops, struct wb_view bytes,
                                      struct wb_buf *out);
/* Appends one op as a line without a newline; for traces and findings. */
WB_MUST_USE enum wb_err sim_text_show_op(const struct sim_ops *ops, const struct sim_op *op,
                                         struct wb_buf *out);
/*
 * Appends the bytes of a text. WB_E_VALUE with *out_error set to line and rule when it does not
 * parse; other errors are the buffer's. `out` is unchanged on every error.
 */
WB_MUST_USE enum wb_err sim_text_asm(const struct sim_ops *ops, struct wb_view text,
                                     struct wb_buf *out, struct sim_text_error *out_error);

/* What `lit` means where the table says nothing else. */
extern const struct sim_op_desc sim_text_lit;

#endif
