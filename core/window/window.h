/*
 * window.h: a set of positions, kept as disjoint, ascending runs that do not touch.
 *
 * A run is [first, last], both inside, so that nothing computes end + 1: a run up to
 * {2^64-1, 2^64-1} is unbounded. Two runs touch when the second begins just after the first ends;
 * they merge, also at the very last group. Equal sets have equal run lists.
 *
 * Ranges come in with an exclusive end; an absent end is unbounded. An inverted range is
 * WB_E_RANGE, an empty one adds nothing and is WB_OK. One run lies inline and never allocates.
 *
 * Cost: comparisons O(log runs + changed runs), bytes moved at most 32 a run (core/base/cost.h).
 * Nothing is allocated for a result of one run. Add and remove allocate when the capacity is
 * outgrown; union, intersect and subtract with an `other` of several runs build the result in one
 * allocation of its size.
 *
 * Source: moq-lite, ranges and windows.
 */
#ifndef WB_WINDOW_H
#define WB_WINDOW_H

#include "core/base/buf.h"
#include "core/base/moq.h"
#include "core/window/position.h"

struct wb_run {
    struct wb_position first, last;
};

struct wb_range {
    struct wb_position start;
    struct wb_bound end; /* exclusive; absent = unbounded */
};

/* Open on purpose; the zero window is empty. Not to be copied by assignment. */
struct wb_window {
    union {
        struct wb_run one;
        struct wb_run *many;
    } as;
    uint32_t count;
    uint32_t capacity; /* of `many`; 0 = inline */
};

/* WB_OK and true when the range holds something; WB_E_RANGE when its end is before its start. */
WB_MUST_USE enum wb_err wb_range_run(const struct wb_range *range, bool *out_some,
                                     struct wb_run *out);

void wb_window_init(struct wb_window *w);
void wb_window_fini(struct wb_window *w, struct wb_mem *mem);
/* Empty again; keeps the capacity. */
void wb_window_clear(struct wb_window *w);
WB_MUST_USE enum wb_err wb_window_copy(struct wb_window *out, const struct wb_window *w,
                                       struct wb_mem *mem);
/* All of these leave *w as it was on WB_E_NOMEM and WB_E_RANGE. */
WB_MUST_USE enum wb_err wb_window_add(struct wb_window *w, struct wb_mem *mem,
                                      const struct wb_range *range);
WB_MUST_USE enum wb_err wb_window_remove(struct wb_window *w, struct wb_mem *mem,
                                         const struct wb_range *range);
/* *w becomes the union, intersection, or what is in *w and not in *other. w != other. */
WB_MUST_USE enum wb_err wb_window_union(struct wb_window *w, struct wb_mem *mem,
                                        const struct wb_window *other);
WB_MUST_USE enum wb_err wb_window_intersect(struct wb_window *w, struct wb_mem *mem,
                                            const struct wb_window *other);
WB_MUST_USE enum wb_err wb_window_subtract(struct wb_window *w, struct wb_mem *mem,
                                           const struct wb_window *other);
/* All positions of every group that *w meets: for peers without frame bounds. */
void wb_window_widen(struct wb_window *w);
/* Gives back capacity that is not needed; what cannot be had smaller now stays. */
void wb_window_trim(struct wb_window *w, struct wb_mem *mem);
bool wb_window_contains(const struct wb_window *w, struct wb_position p);
/* Does it hold any position of the group? */
bool wb_window_meets_group(const struct wb_window *w, uint64_t group);
/* The first position at or after `from` that is not inside; false when there is none. */
bool wb_window_next_gap(const struct wb_window *w, struct wb_position from,
                        struct wb_position *out);
/* The first position at or after `from` that is inside; false when there is none. */
bool wb_window_next_in(const struct wb_window *w, struct wb_position from, struct wb_position *out);
bool wb_window_equal(const struct wb_window *a, const struct wb_window *b);
static inline bool wb_window_is_empty(const struct wb_window *w)
{
    return w->count == 0;
}
/* Borrowed until the next change; ascending. */
const struct wb_run *wb_window_runs(const struct wb_window *w, size_t *out_count);
/* From the first to the last position; asserts that it is not empty. */
struct wb_run wb_window_hull(const struct wb_window *w);
void wb_window_check(const struct wb_window *w);

/*
 * The wire's form of one range, as SUBSCRIBE has it: start group, end group, from lite-06 also
 * start frame and end frame. Groups and the end frame are optional (0 = absent, else value + 1),
 * the end is inclusive: an end {g, 0} is group g-1 whole. What the version cannot say widens
 * outward: to whole groups without frame bounds, to no end when the end's number does not fit its
 * form.
 *
 * An absent start is the live edge, and counts as {0, 0} when the range is judged. An empty or
 * inverted range is WB_E_RANGE and never written; WB_E_BOUNDS when the start does not fit.
 */
WB_MUST_USE enum wb_err wb_range_put(enum wb_moq_version version, struct wb_buf *out,
                                     struct wb_bound start, struct wb_bound end);
/*
 * Takes the fields off *in: WB_MORE when cut (nothing taken), WB_E_RANGE when the end is before the
 * start, WB_E_VALUE for a start frame without a start group or an end frame without an end group.
 */
WB_MUST_USE enum wb_err wb_range_get(enum wb_moq_version version, struct wb_view *in,
                                     struct wb_bound *out_start, struct wb_bound *out_end);

#endif
