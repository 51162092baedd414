/*
 * path.h: paths of broadcasts, normalised: parts with one '/' between, none at either end, at most
 * 32 parts; the empty path is the root. Prefixes are whole parts: `fo` is none of `foo/bar`.
 * Source: moq-lite, primitives.
 */
#ifndef WB_PATH_H
#define WB_PATH_H

#include "core/base/moq.h"

/*
 * Bytes of the normal form of `raw`, never more than it has. WB_E_STRING when it is not UTF-8,
 * WB_E_BOUNDS over 32 parts.
 */
WB_MUST_USE enum wb_err wb_path_measure(struct wb_view raw, size_t *out_len);
/* Writes the normal form of a path that was measured; `out` may be raw's own bytes. */
size_t wb_path_write(struct wb_view raw, uint8_t *out);
/* The functions below take normal forms. */
uint32_t wb_path_parts(struct wb_view path);
bool wb_path_has_prefix(struct wb_view path, struct wb_view prefix);
/* What follows the prefix, without a leading '/'; asserts the prefix. */
struct wb_view wb_path_rest(struct wb_view path, struct wb_view prefix);
/* The leading `parts` parts; asserts that there are so many. */
struct wb_view wb_path_keep(struct wb_view path, uint32_t parts);
/* How many whole leading parts two paths share. */
uint32_t wb_path_common(struct wb_view a, struct wb_view b);
/* A new slice: prefix and suffix joined. WB_E_BOUNDS over 32 parts, WB_E_NOMEM. */
WB_MUST_USE enum wb_err wb_path_join(struct wb_mem *mem, struct wb_view prefix,
                                     struct wb_view suffix, struct wb_slice *out);
/* Does a part begin with '.'? */
bool wb_path_is_hidden(struct wb_view path);
/* Total order by bytes: < 0, 0, > 0. Counted as paths_compared (core/base/cost.h). */
int wb_path_compare(struct wb_view a, struct wb_view b);
/* FNV-1a-64, for ties: of path bytes, and of ids as eight little-endian bytes each. */
#define WB_FNV_BASIS UINT64_C(0xcbf29ce484222325)
uint64_t wb_fnv(uint64_t hash, struct wb_view bytes);
uint64_t wb_fnv_u64(uint64_t hash, uint64_t value);

#endif
