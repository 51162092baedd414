/*
 * path.c: the normal form of paths, and prefixes by whole parts. moq-lite, primitives.
 */
#include "core/route/path.h"

#include "core/base/wire.h"

#define WORD 8u /* bytes looked at in one step */

/* ---- eight bytes at a time ------------------------------------------------------------------- */

/* Eight bytes, the first one lowest. */
static uint64_t word_of(const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, WORD);
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? word : __builtin_bswap64(word);
}

/* The bytes from `at` on; zeros past the end. */
static inline uint64_t word_at(struct wb_view path, size_t at)
{
    size_t left = path.len - at;
    uint64_t word = 0;

    if (path.len >= WORD) {
        size_t past = left < WORD ? WORD - left : 0;

        return word_of(path.data + at - past) >> 8 * past;
    }
    while (left-- > 0)
        word = word << 8 | path.data[at + left];
    return word;
}

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* 0x80 for each byte that is '/', and nothing else. */
static uint64_t slashes(uint64_t word)
{
    uint64_t other = word ^ EACH('/');

    return ~(((other & EACH(0x7f)) + EACH(0x7f)) | other | EACH(0x7f));
}

static uint32_t count(uint64_t marks)
{
    return (uint32_t)((marks >> 7) * EACH(1) >> 56);
}

/* Which byte the lowest mark, or the lowest bit, is in. */
static size_t first(uint64_t marks)
{
    return (size_t)__builtin_ctzll(marks) / 8;
}

/* The same of the highest mark. */
static size_t last(uint64_t marks)
{
    return 7 - (size_t)__builtin_clzll(marks) / 8;
}

/* ---- normal form ----------------------------------------------------------------------------- */

/* Of a form that is not normal. */
static size_t normal_len(struct wb_view raw, uint32_t *out_parts)
{
    size_t len = 0;
    uint32_t parts = 0;
    bool between = true; /* the next byte that is no '/' begins a part */

    for (size_t i = 0; i < raw.len; i++) {
        bool slash = raw.data[i] == '/';

        if (!slash) {
            len += between && parts > 0; /* the '/' in front of the part */
            parts += between;
            len++;
        }
        between = slash;
    }
    *out_parts = parts;
    return len;
}

uint32_t wb_path_raw_parts(struct wb_view raw)
{
    uint32_t parts;

    (void)normal_len(raw, &parts);
    return parts;
}

enum wb_err wb_path_measure(struct wb_view raw, size_t *out_len)
{
    uint64_t before = 0x80, doubled = 0, high = 0; /* a '/' in front would be one too many */
    size_t len = raw.len;
    uint32_t parts = 1;

    for (size_t at = 0; at < raw.len; at += WORD) {
        uint64_t word = word_at(raw, at), marks = slashes(word);

        high |= word & EACH(0x80);
        doubled |= marks & (marks << 8 | before);
        before = marks >> 56;
        parts += count(marks);
    }
    if (high != 0 && !wb_utf8_is_valid(raw))
        return WB_E_STRING;
    if (doubled != 0 || (len > 0 && raw.data[len - 1] == '/'))
        len = normal_len(raw, &parts);
    if (parts > WB_MOQ_PARTS_MAX)
        return WB_E_BOUNDS;
    *out_len = len;
    return WB_OK;
}

size_t wb_path_write(struct wb_view raw, uint8_t *out)
{
    size_t len = 0;
    bool between = false;

    for (size_t i = 0; i < raw.len; i++) {
        uint8_t byte = raw.data[i];

        if (byte == '/') {
            between = len > 0;
            continue;
        }
        if (between)
            out[len++] = '/'; /* at most at i - 1: a '/' of the raw form was skipped for it */
        between = false;
        out[len++] = byte;
    }
    return len;
}

uint32_t wb_path_parts(struct wb_view path)
{
    uint32_t parts = path.len > 0;

    for (size_t at = 0; at < path.len; at += WORD)
        parts += count(slashes(word_at(path, at)));
    return parts;
}

bool wb_path_has_prefix(struct wb_view path, struct wb_view prefix)
{
    if (prefix.len == 0)
        return true;
    if (path.len < prefix.len || memcmp(path.data, prefix.data, prefix.len) != 0)
        return false;
    return path.len == prefix.len || path.data[prefix.len] == '/';
}

struct wb_view wb_path_rest(struct wb_view path, struct wb_view prefix)
{
    WB_ASSERT(wb_path_has_prefix(path, prefix));
    if (prefix.len == 0)
        return path;
    if (path.len == prefix.len)
        return (struct wb_view){0};
    return wb_view_sub(path, prefix.len + 1, path.len);
}

bool wb_path_try_keep(struct wb_view path, uint64_t parts, struct wb_view *out)
{
    uint64_t left = parts; /* slashes still to come */

    size_t end = 0;

    for (size_t at = 0; at < path.len && left > 0; at += WORD) {
        uint64_t marks = slashes(word_at(path, at));
        uint32_t here = count(marks);

        end = path.len;
        if (left <= here) {
            while (--left > 0)
                marks &= marks - 1;
            end = at + first(marks);
        } else {
            left -= here;
        }
    }
    if (left > 0 && (left > 1 || path.len == 0)) /* the last part ends the path */
        return false;
    *out = wb_view_sub(path, 0, end);
    return true;
}

struct wb_view wb_path_keep(struct wb_view path, uint32_t parts)
{
    struct wb_view kept;
    bool has = wb_path_try_keep(path, parts, &kept);

    WB_ASSERT(has);
    return kept;
}

/* Is there an end of a part? */
static bool is_end(struct wb_view path, size_t at)
{
    return at == path.len || path.data[at] == '/';
}

/* Where two paths first differ, or the shorter one ends. */
static size_t differ_at(struct wb_view a, struct wb_view b)
{
    size_t len = a.len < b.len ? a.len : b.len, at = 0;

    for (; at + WORD <= len; at += WORD) {
        uint64_t differs = word_of(a.data + at) ^ word_of(b.data + at);

        if (differs != 0)
            return at + first(differs);
    }
    while (at < len && a.data[at] == b.data[at])
        at++;
    return at;
}

/* The last '/' in front of a byte; 0 when there is none. */
static size_t slash_before(struct wb_view path, size_t at)
{
    for (; at >= WORD; at -= WORD) {
        uint64_t marks = slashes(word_of(path.data + at - WORD));

        if (marks != 0)
            return at - WORD + last(marks);
    }
    while (at > 0 && path.data[--at] != '/')
        ;
    return at;
}

struct wb_view wb_path_common(struct wb_view a, struct wb_view b)
{
    size_t at = differ_at(a, b);

    return wb_view_sub(a, 0, is_end(a, at) && is_end(b, at) ? at : slash_before(a, at));
}

bool wb_path_is_hidden(struct wb_view path)
{
    for (size_t at = 0; at < path.len; at++) {
        const uint8_t *dot = memchr(path.data + at, '.', path.len - at);

        if (dot == NULL)
            return false;
        at = (size_t)(dot - path.data);
        if (at == 0 || path.data[at - 1] == '/')
            return true;
    }
    return false;
}

uint64_t wb_fnv(uint64_t hash, struct wb_view bytes)
{
    WB_COST(bytes_hashed, bytes.len);
    for (size_t i = 0; i < bytes.len; i++)
        hash = (hash ^ bytes.data[i]) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t wb_fnv_u64(uint64_t hash, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        hash = (hash ^ (uint8_t)(value >> (8 * i))) * UINT64_C(0x100000001b3);
    return hash;
}
