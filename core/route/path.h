/*
 * path.h: paths of broadcasts, normalised: parts with one '/' between, none at either end, at most
 * 32 parts; the empty path is the root. Prefixes are whole parts: `fo` is none of `foo/bar`.
 * Source: moq-lite, primitives.
 */
#ifndef WB_PATH_H
#define WB_PATH_H

#include "core/base/cost.h"
#include "core/base/moq.h"

#include <string.h>

/*
 * Bytes of the normal form of `raw`, never more than it has. WB_E_STRING when it is not UTF-8,
 * WB_E_BOUNDS over 32 parts.
 */
WB_MUST_USE enum wb_err wb_path_measure(struct wb_view raw, size_t *out_len);
/* Writes the normal form of a path that was measured; `out` may be raw's own bytes. */
size_t wb_path_write(struct wb_view raw, uint8_t *out);
/* How many parts that has, normal or not. */
uint32_t wb_path_raw_parts(struct wb_view raw);
/* The functions below take normal forms. */
uint32_t wb_path_parts(struct wb_view path);
bool wb_path_has_prefix(struct wb_view path, struct wb_view prefix);
/* What follows the prefix, without a leading '/'; asserts the prefix. */
struct wb_view wb_path_rest(struct wb_view path, struct wb_view prefix);
/* The leading `parts` parts; asserts that there are so many. */
struct wb_view wb_path_keep(struct wb_view path, uint32_t parts);
/* The same; false when there are fewer. */
bool wb_path_try_keep(struct wb_view path, uint64_t parts, struct wb_view *out);
/* The whole leading parts that two paths share: the beginning of `a`. */
struct wb_view wb_path_common(struct wb_view a, struct wb_view b);
/* Does a part begin with '.'? */
bool wb_path_is_hidden(struct wb_view path);
/* More parts than a path may have? */
static inline bool wb_path_is_deep(struct wb_view path)
{
    return path.len > 2 * WB_MOQ_PARTS_MAX && wb_path_parts(path) > WB_MOQ_PARTS_MAX;
}

/* Eight bytes as memory has them, as a number with the first one highest. */
static inline uint64_t wb_path_big(uint64_t word)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap64(word) : word;
}

/* Total order by bytes: < 0, 0, > 0. Counted as paths_compared (core/base/cost.h). */
static inline int wb_path_compare(struct wb_view a, struct wb_view b)
{
    size_t len = a.len < b.len ? a.len : b.len, at = 0;
    uint64_t x = 0, y = 0;

    WB_COST(paths_compared, 1);
    if (a.data == b.data && a.len == b.len)
        return 0;
    for (; x == y && at + sizeof(x) <= len; at += sizeof(x)) {
        memcpy(&x, a.data + at, sizeof(x));
        memcpy(&y, b.data + at, sizeof(y));
    }
    if (x == y && at < len && len >= sizeof(x)) { /* back to bytes that are equal */
        memcpy(&x, a.data + len - sizeof(x), sizeof(x));
        memcpy(&y, b.data + len - sizeof(y), sizeof(y));
        at = len;
    }
    if (x != y)
        return wb_path_big(x) < wb_path_big(y) ? -1 : 1;
    for (; at < len; at++)
        if (a.data[at] != b.data[at])
            return a.data[at] < b.data[at] ? -1 : 1;
    return a.len < b.len ? -1 : a.len > b.len;
}
/*
 * The first eight bytes as a number, zeros behind the end: where two differ, so do the paths, in
 * the same order. Who keeps it beside a path compares most paths without looking at their bytes.
 */
static inline uint64_t wb_path_head(struct wb_view path)
{
    uint64_t head = 0;

    if (path.len >= sizeof(head))
        memcpy(&head, path.data, sizeof(head));
    else if (path.len > 0)
        memcpy(&head, path.data, path.len);
    return wb_path_big(head);
}
/* wb_path_compare, with what wb_path_head said of both, or of what follows a prefix of both. */
static inline int wb_path_compare_headed(uint64_t head_a, struct wb_view a, uint64_t head_b,
                                         struct wb_view b)
{
    if (head_a == head_b)
        return wb_path_compare(a, b);
    WB_COST(paths_compared, 1);
    return head_a < head_b ? -1 : 1;
}

/* FNV-1a-64, for ties: of path bytes, and of ids as eight little-endian bytes each. */
#define WB_FNV_BASIS UINT64_C(0xcbf29ce484222325)
uint64_t wb_fnv(uint64_t hash, struct wb_view bytes);
uint64_t wb_fnv_u64(uint64_t hash, uint64_t value);

#endif
