#include "oracles/ref_window.h"

#include <string.h>

#define MAX UINT64_MAX
#define P62 (UINT64_C(1) << 62)

static const uint64_t frames[] = {0, 1, 2, P62 - 1, P62, MAX - 1, MAX};
/* The groups of the universe; those that stand for others up to the next have one cell. */
static const struct {
    uint64_t group;
    unsigned cells;
} groups[] = {{0, 7},       {1, 7},   {2, 7},       {3, 7},       {4, 1},
              {P62 - 1, 7}, {P62, 7}, {P62 + 1, 1}, {MAX - 1, 7}, {MAX, 7}};
#define GROUPS (sizeof groups / sizeof *groups)

/* ---- positions */

int ref_position_order(struct wb_position a, struct wb_position b)
{
    if (a.group != b.group)
        return a.group < b.group ? -1 : 1;
    return a.frame == b.frame ? 0 : a.frame < b.frame ? -1 : 1;
}

bool ref_position_next(struct wb_position p, struct wb_position *out)
{
    if (p.frame == MAX && p.group == MAX)
        return false;
    out->group = p.frame == MAX ? p.group + 1 : p.group;
    out->frame = p.frame == MAX ? 0 : p.frame + 1;
    return true;
}

bool ref_position_prior(struct wb_position p, struct wb_position *out)
{
    if (p.frame == 0 && p.group == 0)
        return false;
    out->group = p.frame == 0 ? p.group - 1 : p.group;
    out->frame = p.frame == 0 ? MAX : p.frame - 1;
    return true;
}

static bool is_less(struct wb_position a, struct wb_position b)
{
    return ref_position_order(a, b) < 0;
}

static struct wb_position lower(struct wb_position a, struct wb_position b)
{
    return is_less(a, b) ? a : b;
}

static struct wb_position higher(struct wb_position a, struct wb_position b)
{
    return is_less(a, b) ? b : a;
}

/* ---- the small universe */

struct wb_position ref_cell_first(unsigned cell)
{
    for (size_t i = 0; i < GROUPS; i++) {
        if (cell < groups[i].cells)
            return (struct wb_position){groups[i].group, frames[cell]};
        cell -= groups[i].cells;
    }
    return (struct wb_position){MAX, MAX};
}

unsigned ref_cell_at(struct wb_position p)
{
    unsigned cell = 0;

    for (size_t i = 0; i < GROUPS; i++) {
        for (unsigned k = 0; groups[i].group == p.group && k < groups[i].cells; k++) {
            if (frames[k] == p.frame)
                return cell + k;
        }
        cell += groups[i].cells;
    }
    return REF_WINDOW_CELLS;
}

bool ref_cells_of(const struct wb_range *range, uint64_t *out)
{
    unsigned start = ref_cell_at(range->start);
    unsigned end = range->end.present ? ref_cell_at(range->end.at) : REF_WINDOW_CELLS;

    if (start == REF_WINDOW_CELLS || (range->end.present && end == REF_WINDOW_CELLS))
        return false;
    *out = 0;
    for (unsigned i = start; i < end; i++)
        *out |= UINT64_C(1) << i;
    return true;
}

uint64_t ref_cells_widened(uint64_t cells)
{
    uint64_t widened = 0;
    unsigned first = 0;

    for (size_t i = 0; i < GROUPS; i++) {
        uint64_t row = ((UINT64_C(1) << groups[i].cells) - 1) << first;

        if (cells & row)
            widened |= row;
        first += groups[i].cells;
    }
    return widened;
}

size_t ref_cells_runs(uint64_t cells, struct wb_run out[REF_WINDOW_CELLS])
{
    size_t n = 0;

    for (unsigned i = 0; i < REF_WINDOW_CELLS; i++) {
        bool is_in = cells >> i & 1, was_in = i > 0 && (cells >> (i - 1) & 1);

        if (is_in && !was_in)
            out[n++] = (struct wb_run){ref_cell_first(i), {MAX, MAX}};
        else if (!is_in && was_in)
            (void)ref_position_prior(ref_cell_first(i), &out[n - 1].last);
    }
    return n;
}

/* ---- sets */

void ref_window_init(struct ref_window *w)
{
    w->folded = true;
    w->cells = 0;
    w->count = 0;
}

void ref_window_copy(struct ref_window *out, const struct ref_window *w)
{
    out->folded = w->folded;
    out->cells = w->cells;
    out->count = w->count;
    memcpy(out->runs, w->runs, w->count * sizeof *w->runs);
}

enum wb_err ref_range_status(const struct wb_range *range)
{
    return range->end.present && is_less(range->end.at, range->start) ? WB_E_RANGE : WB_OK;
}

/* The range as a run, both ends inside; false when nothing is in it. */
static bool run_of(const struct wb_range *range, struct wb_run *out)
{
    out->first = range->start;
    out->last = (struct wb_position){MAX, MAX};
    if (!range->end.present)
        return true;
    return is_less(range->start, range->end.at) && ref_position_prior(range->end.at, &out->last);
}

/* No position is between the two. */
static bool touches(const struct wb_run *a, const struct wb_run *b)
{
    struct wb_position after;

    if (is_less(a->last, b->first) &&
        (!ref_position_next(a->last, &after) || is_less(after, b->first)))
        return false;
    return !is_less(b->last, a->first) ||
           (ref_position_next(b->last, &after) && !is_less(after, a->first));
}

static bool add_run(struct ref_window *w, struct wb_run run)
{
    size_t n = 0, at = 0;

    for (size_t i = 0; i < w->count; i++) {
        if (touches(&w->runs[i], &run)) {
            run.first = lower(run.first, w->runs[i].first);
            run.last = higher(run.last, w->runs[i].last);
        } else {
            w->runs[n++] = w->runs[i];
        }
    }
    while (at < n && is_less(w->runs[at].first, run.first))
        at++;
    if (n == REF_WINDOW_RUNS)
        return false;
    memmove(w->runs + at + 1, w->runs + at, (n - at) * sizeof *w->runs);
    w->runs[at] = run;
    w->count = n + 1;
    return true;
}

static bool remove_run(struct ref_window *w, struct wb_run run)
{
    size_t n = 0, at;
    struct wb_run right = run;
    bool has_right = false;

    for (size_t i = 0; i < w->count; i++) {
        struct wb_run old = w->runs[i];

        if (is_less(old.last, run.first) || is_less(run.last, old.first)) {
            w->runs[n++] = old;
            continue;
        }
        if (is_less(old.first, run.first)) {
            w->runs[n] = old;
            (void)ref_position_prior(run.first, &w->runs[n++].last);
        }
        if (is_less(run.last, old.last)) { /* at most one of them all: put once there is room */
            right.last = old.last;
            has_right = ref_position_next(run.last, &right.first);
        }
    }
    w->count = n;
    if (!has_right)
        return true;
    if (n == REF_WINDOW_RUNS)
        return false;
    for (at = n; at > 0 && is_less(right.first, w->runs[at - 1].first); at--)
        w->runs[at] = w->runs[at - 1];
    w->runs[at] = right;
    w->count++;
    return true;
}

bool ref_window_add(struct ref_window *w, const struct wb_range *range)
{
    uint64_t cells = 0;
    struct wb_run run;

    w->folded = ref_cells_of(range, &cells) && w->folded;
    w->cells |= cells;
    return !run_of(range, &run) || add_run(w, run);
}

bool ref_window_remove(struct ref_window *w, const struct wb_range *range)
{
    uint64_t cells = 0;
    struct wb_run run;

    w->folded = ref_cells_of(range, &cells) && w->folded;
    w->cells &= ~cells;
    return !run_of(range, &run) || remove_run(w, run);
}

bool ref_window_union(struct ref_window *w, const struct ref_window *other)
{
    w->folded = w->folded && other->folded;
    w->cells |= other->cells;
    for (size_t i = 0; i < other->count; i++) {
        if (!add_run(w, other->runs[i]))
            return false;
    }
    return true;
}

bool ref_window_intersect(struct ref_window *w, const struct ref_window *other)
{
    struct wb_run met[REF_WINDOW_RUNS];
    size_t n = 0;

    w->folded = w->folded && other->folded;
    w->cells &= other->cells;
    for (size_t i = 0; i < w->count; i++) {
        for (size_t k = 0; k < other->count; k++) {
            struct wb_position first = higher(w->runs[i].first, other->runs[k].first);
            struct wb_position last = lower(w->runs[i].last, other->runs[k].last);

            if (is_less(last, first))
                continue;
            if (n == REF_WINDOW_RUNS)
                return false;
            met[n++] = (struct wb_run){first, last};
        }
    }
    memcpy(w->runs, met, n * sizeof *met);
    w->count = n;
    return true;
}

bool ref_window_subtract(struct ref_window *w, const struct ref_window *other)
{
    w->folded = w->folded && other->folded;
    w->cells &= ~other->cells;
    for (size_t i = 0; i < other->count; i++) {
        if (!remove_run(w, other->runs[i]))
            return false;
    }
    return true;
}

void ref_window_widen(struct ref_window *w)
{
    size_t n = w->count;

    w->cells = ref_cells_widened(w->cells);
    w->count = 0;
    for (size_t i = 0; i < n; i++) { /* what is added never lies past what is still to be read */
        struct wb_run wide = {{w->runs[i].first.group, 0}, {w->runs[i].last.group, MAX}};

        (void)add_run(w, wide);
    }
}

bool ref_window_contains(const struct ref_window *w, struct wb_position p)
{
    for (size_t i = 0; i < w->count; i++) {
        if (!is_less(p, w->runs[i].first) && !is_less(w->runs[i].last, p))
            return true;
    }
    return false;
}

bool ref_window_meets(const struct ref_window *w, uint64_t group)
{
    for (size_t i = 0; i < w->count; i++) {
        if (w->runs[i].first.group <= group && group <= w->runs[i].last.group)
            return true;
    }
    return false;
}

bool ref_window_next_in(const struct ref_window *w, struct wb_position from,
                        struct wb_position *out)
{
    for (size_t i = 0; i < w->count; i++) {
        if (!is_less(w->runs[i].last, from)) {
            *out = higher(from, w->runs[i].first);
            return true;
        }
    }
    return false;
}

bool ref_window_next_gap(const struct ref_window *w, struct wb_position from,
                         struct wb_position *out)
{
    for (size_t i = 0; i < w->count; i++) {
        if (!is_less(from, w->runs[i].first) && !is_less(w->runs[i].last, from))
            return ref_position_next(w->runs[i].last, out);
    }
    *out = from;
    return true;
}

bool ref_window_equal(const struct ref_window *a, const struct ref_window *b)
{
    for (size_t i = 0; i < a->count && a->count == b->count; i++) {
        if (ref_position_order(a->runs[i].first, b->runs[i].first) != 0 ||
            ref_position_order(a->runs[i].last, b->runs[i].last) != 0)
            return false;
    }
    return a->count == b->count;
}
