/* clang-format off */
/*
 * hex.h: bytes as text, for .hex files and for the raw bytes inside scenarios.
 *
 *   76 61 0d0a     hex pairs, blanks between them as one likes
 *   "VA 3\r\n"     text; escapes \r \n \t \\ \" \' \a \b \f \v \e, \x with two hex digits, and
 *                  up to three octal digits, as in \0 or \377
 *   76*500000      a pair or a text so many times
 *   # ...          a comment, to the end of the line
 */
/* clang-format on */
#ifndef SIM_HEX_H
#define SIM_HEX_H

#include "core/base/buf.h"

#define SIM_HEX_MAX ((size_t)64 << 20)

struct sim_text_error {
    unsigned line; /* from 1; 0 when the buffer failed and not the text */
    char rule[160];
};

/*
 * Appends the bytes of a text. WB_E_VALUE with *out_error set when it does not parse or gives more
 * than SIM_HEX_MAX bytes; `out` is unchanged on every error.
 */
WB_MUST_USE enum wb_err sim_hex_parse(struct wb_view text, struct wb_buf *out,
                                      struct sim_text_error *out_error);
/* The same up to the end of a statement: a line end, ; or #. Moves *in there; `line` is for the
 * error. */
WB_MUST_USE enum wb_err sim_hex_parse_line(struct wb_view *in, unsigned line, struct wb_buf *out,
                                           struct sim_text_error *out_error);
/* Appends bytes as one line of such text: quoted where readable, repeats as n*count. */
WB_MUST_USE enum wb_err sim_hex_show(struct wb_view bytes, struct wb_buf *out);
/* The same as lines of some 90 columns, which a line end of the bytes ends too: a .hex file. */
WB_MUST_USE enum wb_err sim_hex_show_lines(struct wb_view bytes, struct wb_buf *out);

#endif
