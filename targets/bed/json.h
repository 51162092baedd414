/*
 * json.h: values of a JSON text that one of our tools wrote, found in place, and strings as such a
 * text has them. A text that is
 * no JSON has no members.
 */
#ifndef BED_JSON_H
#define BED_JSON_H

#include "core/base/buf.h"

/* What a value begins and ends with is part of it; an empty view is no value. */
struct wb_view json_member(struct wb_view object, const char *name);
/* The next element of an array behind `after` (empty: the first); empty at the end. */
struct wb_view json_next(struct wb_view array, struct wb_view after);
size_t json_count(struct wb_view array);
/* Appends a string's text; bytes above 0x7f come as they are escaped, one for each. */
void json_text(struct wb_view string, struct wb_buf *out);
uint64_t json_number(struct wb_view number);
/* Appends UTF-8 text as a string. */
void json_put(struct wb_view text, struct wb_buf *out);

#endif
