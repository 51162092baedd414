/*
 * talk.h: requests as text, and values that are a function of their key.
 */
#ifndef LIVE_TALK_H
#define LIVE_TALK_H

#include "core/base/buf.h"
#include "core/reply/reply.h"

enum live_pattern {
    LIVE_BYTES, /* every byte there is */
    LIVE_LINES, /* CR, LF, and lines that read as replies, the marker among them */
    LIVE_ZEROS  /* no line end at all */
};

/* The value of `key`: each byte depends on the key and its place. */
void live_fill(uint8_t *out, size_t len, enum live_pattern pattern, const char *key);
/* Whether `value` is that of `key`, byte by byte. */
bool live_is(struct wb_view value, size_t len, enum live_pattern pattern, const char *key);

/* Appends text as printf forms it, at most 400 bytes. Panics when memory is refused. */
void live_say(struct wb_buf *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends `ms KEY LEN FLAGS`, the value of the key, and the end of its block. */
void live_say_store(struct wb_buf *out, const char *key, size_t len, enum live_pattern pattern,
                    const char *flags);

/* What answers one command, n of them, and a batch of at most n closed by `mn`. */
struct wb_reply_shape live_one(uint32_t codes);
struct wb_reply_shape live_counted(uint32_t codes, uint32_t n);
struct wb_reply_shape live_batch(uint32_t codes, uint32_t n);

#endif
