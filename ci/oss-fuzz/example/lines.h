/*
 * lines.h: the library that the example adopts: finds whole replies of memcached's meta commands in
 * a buffer of the caller. It reads lines and values; what they answer is not its business.
 */
#ifndef LINES_H
#define LINES_H

#include <stddef.h>

enum lines_result { LINES_MORE, LINES_UNIT, LINES_LONG, LINES_BAD_LENGTH, LINES_BAD_END };

struct lines_unit {
    size_t word;               /* length of the first word, at the front of the line */
    size_t line;               /* length of the line without its CR LF */
    size_t flags;              /* where what follows the word or length begins */
    size_t value_begin, value; /* where a value lies */
    int has_value;
    size_t size; /* of all of it */
};

/* The unit at the front of `len` bytes; on LINES_UNIT *out says where its parts are. */
enum lines_result lines_next(const unsigned char *data, size_t len, struct lines_unit *out);

#endif
