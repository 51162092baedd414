/*
 * line.h: one line of a meta reply against the grammar (memcached doc/protocol.txt, "Meta
 * Commands"; error strings).
 *
 *   VA      "VA" SP size *(SP token)          size: 1 to 10 digits, plain; exactly one space before
 * it others  HD EN NF NS EX *(SP token) [SP]   ME SP key *(SP token)   MN   VERSION SP text errors
 * "ERROR" [SP text]   ("CLIENT_ERROR" / "SERVER_ERROR") SP text
 *
 * SP before a token is one or more spaces. Lines of classic commands are told apart from junk, so
 * that the error says what happened.
 */
#ifndef WB_REPLY_LINE_H
#define WB_REPLY_LINE_H

#include "core/reply/reply.h"

struct wb_reply_line {
    enum wb_reply_code code;
    bool fatal; /* ERROR and CLIENT_ERROR, after which framing is not certain */
    bool has_value;
    uint64_t value_len;
    /* offset in the line of what follows the code or length; the line's length when nothing does */
    size_t flags_begin;
};

/*
 * Judges a line without its CR LF. WB_E_BAD_CODE, WB_E_BAD_LINE, WB_E_BAD_LEN as their texts say;
 * WB_E_UNEXPECTED_CODE for a well-formed line of a classic command. *out changes on WB_OK only.
 */
WB_MUST_USE enum wb_err wb_reply_line_parse(struct wb_view line, uint64_t value_max,
                                            struct wb_reply_line *out);

/* Takes the next token off *tokens, spaces before it included; false when none is left. */
bool wb_reply_line_token(struct wb_view *tokens, struct wb_view *out);

#endif
