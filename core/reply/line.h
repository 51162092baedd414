/*
 * line.h: one line of a reply against the grammar. Source: memcached doc/protocol.txt, "Meta
 * Commands", "Error strings", "Storage commands", "Retrieval command", "Statistics".
 *
 *   VA       "VA" SP size *(SP token)
 *   plain    ("HD" / "EN" / "NF" / "NS" / "EX") *(SP token) [SP]
 *   others   "ME" SP key *(SP token)    "MN"    "VERSION" SP text
 *   errors   "ERROR" [SP text]    ("CLIENT_ERROR" / "SERVER_ERROR") SP text
 *   VALUE    "VALUE" SP key SP number SP size [SP number]
 *   words    "END" "STORED" "NOT_STORED" "EXISTS" "NOT_FOUND" "DELETED" "TOUCHED" "OK" "RESET"
 *   classic  "STAT" SP token SP text    number *SP
 *
 * A size is 1 to 10 plain digits, a number 1 to 20; exactly one space stands before either, one or
 * more before a token.
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
 * Judges a line without its CR LF: WB_E_BAD_CODE, WB_E_BAD_LINE, WB_E_BAD_LEN as their texts say.
 * *out changes on WB_OK only.
 */
WB_MUST_USE enum wb_err wb_reply_line_parse(struct wb_view line, uint64_t value_max,
                                            struct wb_reply_line *out);

/* Takes the next token off *tokens, spaces before it included; false when none is left. */
bool wb_reply_line_token(struct wb_view *tokens, struct wb_view *out);

#endif
