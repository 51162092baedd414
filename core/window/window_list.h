/*
 * window_list.h: lists of runs, as window.c and window_set.c share them. Private to core/window.
 */
#ifndef WB_WINDOW_LIST_H
#define WB_WINDOW_LIST_H

#include "core/base/cost.h"
#include "core/window/window.h"

/* Comparisons of lists are counted. */
static inline bool wb_runs_less(struct wb_position a, struct wb_position b)
{
    WB_COST(positions_compared, 1);
    return wb_position_less(a, b);
}
struct wb_run *wb_window_list(struct wb_window *w);
/* The first of runs [begin, end) whose last position is at or past p; `end` when there is none. */
size_t wb_runs_ending_from(const struct wb_run *runs, size_t begin, size_t end,
                           struct wb_position p);
/* The first of runs [begin, end) that begins past p; `end` when there is none. */
size_t wb_runs_beginning_after(const struct wb_run *runs, size_t begin, size_t end,
                               struct wb_position p);
/* Runs [*out_i, *out_j) overlap or touch `run`. */
void wb_runs_touching(const struct wb_run *runs, size_t begin, size_t end, const struct wb_run *run,
                      size_t *out_i, size_t *out_j);
/* *run becomes the hull of both. */
void wb_run_absorb(struct wb_run *run, const struct wb_run *other);
/* The window's list is this block of exactly `count` > 1 runs now. */
void wb_window_adopt(struct wb_window *w, struct wb_mem *mem, struct wb_run *runs, size_t count);
WB_MUST_USE enum wb_err wb_window_add_run(struct wb_window *w, struct wb_mem *mem,
                                          const struct wb_run *run);
WB_MUST_USE enum wb_err wb_window_remove_run(struct wb_window *w, struct wb_mem *mem,
                                             const struct wb_run *run);

#endif
