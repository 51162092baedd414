#include "targets/live/talk.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT_MAX 400

static const char lines[] = "\r\nMN\r\nEN\r\nVA 3\r\nbar\r\nHD\r\n\r\r\n\n\nMN\r\n";

/* The key picks where the pattern begins, anew in each piece of 251 bytes. */
static uint8_t byte_at(size_t i, enum live_pattern pattern, uint32_t seed)
{
    uint32_t mixed = (seed + (uint32_t)(i / 251)) * UINT32_C(2654435761);
    if (pattern == LIVE_ZEROS)
        return 0;
    if (pattern == LIVE_BYTES)
        return (uint8_t)(i ^ (mixed >> 24));
    return (uint8_t)lines[(i + (mixed >> 20)) % (sizeof lines - 1)];
}

static uint32_t seed_of(const char *key)
{
    uint32_t seed = UINT32_C(2166136261);
    for (; *key != '\0'; key++)
        seed = (seed ^ (uint8_t)*key) * UINT32_C(16777619);
    return seed;
}

void live_fill(uint8_t *out, size_t len, enum live_pattern pattern, const char *key)
{
    uint32_t seed = seed_of(key);
    for (size_t i = 0; i < len; i++)
        out[i] = byte_at(i, pattern, seed);
}

bool live_is(struct wb_view value, size_t len, enum live_pattern pattern, const char *key)
{
    uint32_t seed = seed_of(key);
    if (value.len != len)
        return false;
    for (size_t i = 0; i < len; i++)
        if (value.data[i] != byte_at(i, pattern, seed))
            return false;
    return true;
}

void live_say(struct wb_buf *out, const char *format, ...)
{
    char text[TEXT_MAX];
    va_list list;
    va_start(list, format);
    int n = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    WB_ASSERT(n >= 0);
    WB_ASSERT((size_t)n < sizeof text);
    enum wb_err e = wb_buf_add(out, wb_view_of(text, (size_t)n));
    WB_ASSERT(e == WB_OK);
}

void live_say_store(struct wb_buf *out, const char *key, size_t len, enum live_pattern pattern,
                    const char *flags)
{
    live_say(out, "ms %s %zu %s\r\n", key, len, flags);
    enum wb_err e = wb_buf_reserve(out, len + 2);
    WB_ASSERT(e == WB_OK);
    live_fill(out->data + out->len, len, pattern, key);
    out->len += len;
    live_say(out, "\r\n");
}

struct wb_reply_shape live_one(uint32_t codes)
{
    return live_counted(codes, 1);
}

struct wb_reply_shape live_counted(uint32_t codes, uint32_t n)
{
    return (struct wb_reply_shape){.codes = codes, .count = n};
}

struct wb_reply_shape live_batch(uint32_t codes, uint32_t n)
{
    return (struct wb_reply_shape){.codes = codes, .count = n, .until_mn = true};
}
