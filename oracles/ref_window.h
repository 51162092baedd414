/*
 * ref_window.h: sets of positions twice over. The runs are a naive sorted list over all positions.
 * The cells are a bitmap over a small universe in which the edges 0, 1, 2^62-1, 2^64-2 and 2^64-1
 * of groups and frames are folded in: every place a set may begin or end at is the first position
 * of a cell, so that a bit says all of its cell.
 *
 *   groups   0 1 2 3 4.. 2^62-1 2^62 (2^62+1).. 2^64-2 2^64-1      `..`: up to the next one, a cell
 *   frames   0 1 2.. 2^62-1 2^62.. 2^64-2 2^64-1                   of each other group
 *
 * A set that was made with other places has runs alone. Source: windows 1, 4.
 */
#ifndef REF_WINDOW_H
#define REF_WINDOW_H

#include "core/base/err.h"
#include "core/window/window.h" /* its plain types */

#define REF_WINDOW_RUNS  256
#define REF_WINDOW_CELLS 58u
#define REF_WINDOW_ALL   ((UINT64_C(1) << REF_WINDOW_CELLS) - 1)

struct ref_window {
    bool folded; /* the cells say the same */
    uint64_t cells;
    size_t count;
    struct wb_run runs[REF_WINDOW_RUNS]; /* ascending, disjoint, not touching */
};

/* ---- the small universe: plain bits */

struct wb_position ref_cell_first(unsigned cell);
/* The cell that begins there; REF_WINDOW_CELLS when none does. */
unsigned ref_cell_at(struct wb_position p);
/* The cells of [start, end); false when one of the two is no place of the universe. */
bool ref_cells_of(const struct wb_range *range, uint64_t *out);
uint64_t ref_cells_widened(uint64_t cells);
/* The runs of that set; returns how many. */
size_t ref_cells_runs(uint64_t cells, struct wb_run out[REF_WINDOW_CELLS]);

/* ---- sets */

void ref_window_init(struct ref_window *w);
void ref_window_copy(struct ref_window *out, const struct ref_window *w);
/* False when the model would be full: the set is not to be used then. */
bool ref_window_add(struct ref_window *w, const struct wb_range *range);
bool ref_window_remove(struct ref_window *w, const struct wb_range *range);
bool ref_window_union(struct ref_window *w, const struct ref_window *other);
bool ref_window_intersect(struct ref_window *w, const struct ref_window *other);
bool ref_window_subtract(struct ref_window *w, const struct ref_window *other);
void ref_window_widen(struct ref_window *w);
/* WB_E_RANGE when the end is before the start; else WB_OK, also for one that is empty. */
enum wb_err ref_range_status(const struct wb_range *range);

bool ref_window_contains(const struct ref_window *w, struct wb_position p);
bool ref_window_meets(const struct ref_window *w, uint64_t group);
bool ref_window_next_in(const struct ref_window *w, struct wb_position from,
                        struct wb_position *out);
bool ref_window_next_gap(const struct ref_window *w, struct wb_position from,
                         struct wb_position *out);
bool ref_window_equal(const struct ref_window *a, const struct ref_window *b);

/* ---- positions: a pair of digits to the base 2^64 */

int ref_position_order(struct wb_position a, struct wb_position b); /* < 0, 0, > 0 */
/* False past everything, and before everything. */
bool ref_position_next(struct wb_position p, struct wb_position *out);
bool ref_position_prior(struct wb_position p, struct wb_position *out);

#endif
