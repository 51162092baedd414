/*
 * path.c: the normal form of paths, and prefixes by whole parts. moq-lite, primitives.
 */
#include "core/route/path.h"

#include "core/base/cost.h"
#include "core/base/wire.h"

#include <string.h>

enum wb_err wb_path_measure(struct wb_view raw, size_t *out_len)
{
    size_t len = 0;
    uint32_t parts = 0;
    bool between = true; /* the next byte that is no '/' begins a part */

    if (!wb_utf8_is_valid(raw))
        return WB_E_STRING;
    for (size_t i = 0; i < raw.len; i++) {
        bool slash = raw.data[i] == '/';

        if (!slash) {
            len += between && parts > 0; /* the '/' in front of the part */
            parts += between;
            len++;
        }
        between = slash;
    }
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

/* Where the next '/' or the end is. */
static size_t part_end(struct wb_view path, size_t from)
{
    const uint8_t *slash = NULL;

    if (from < path.len)
        slash = memchr(path.data + from, '/', path.len - from);
    return slash != NULL ? (size_t)(slash - path.data) : path.len;
}

uint32_t wb_path_parts(struct wb_view path)
{
    uint32_t parts = 0;

    for (size_t at = 0; at < path.len; at = part_end(path, at) + 1)
        parts++;
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

struct wb_view wb_path_keep(struct wb_view path, uint32_t parts)
{
    size_t end = 0;

    for (uint32_t i = 0; i < parts; i++) {
        WB_ASSERT(end < path.len);
        end = part_end(path, end + (i > 0));
    }
    return wb_view_sub(path, 0, end);
}

uint32_t wb_path_common(struct wb_view a, struct wb_view b)
{
    uint32_t parts = 0;
    size_t at = 0;

    /* A part is shared when it ends at one place in both, and its bytes are the same. */
    while (at < a.len && at < b.len) {
        size_t end = part_end(a, at);

        if (end != part_end(b, at) || memcmp(a.data + at, b.data + at, end - at) != 0)
            break;
        parts++;
        at = end + 1;
    }
    return parts;
}

enum wb_err wb_path_join(struct wb_mem *mem, struct wb_view prefix, struct wb_view suffix,
                         struct wb_slice *out)
{
    bool both = prefix.len > 0 && suffix.len > 0;
    struct wb_slice joined;
    uint8_t *bytes;

    if (wb_path_parts(prefix) + wb_path_parts(suffix) > WB_MOQ_PARTS_MAX)
        return WB_E_BOUNDS;
    WB_TRY(wb_slice_new(mem, prefix.len + both + suffix.len, &joined, &bytes));
    if (prefix.len > 0)
        memcpy(bytes, prefix.data, prefix.len);
    if (both)
        bytes[prefix.len] = '/';
    if (suffix.len > 0)
        memcpy(bytes + prefix.len + both, suffix.data, suffix.len);
    *out = joined;
    return WB_OK;
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

int wb_path_compare(struct wb_view a, struct wb_view b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len > 0 ? memcmp(a.data, b.data, len) : 0;

    WB_COST(paths_compared, 1);
    if (order != 0 || a.len == b.len)
        return order;
    return a.len < b.len ? -1 : 1;
}

uint64_t wb_fnv(uint64_t hash, struct wb_view bytes)
{
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
