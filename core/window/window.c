/*
 * window.c: one window: its list of runs, and changes by one range. Changes by another window are
 * in window_set.c. moq-lite, ranges and windows.
 */
#include "core/window/window.h"

#include "core/base/cost.h"
#include "core/window/window_list.h"

#include <string.h>

enum wb_err wb_range_run(const struct wb_range *range, bool *out_some, struct wb_run *out)
{
    struct wb_run run = {range->start, WB_POSITION_LAST};

    if (range->end.present) {
        if (wb_position_less(range->end.at, range->start))
            return WB_E_RANGE;
        if (wb_position_equal(range->end.at, range->start)) {
            *out_some = false;
            return WB_OK;
        }
        /* The end is past the start, so there is a position before it. */
        WB_ASSERT(wb_position_before(range->end.at, &run.last));
    }
    *out_some = true;
    *out = run;
    return WB_OK;
}

void wb_window_init(struct wb_window *w)
{
    w->count = w->capacity = 0;
}

void wb_window_fini(struct wb_window *w, struct wb_mem *mem)
{
    if (w->capacity > 0)
        wb_mem_give(mem, w->as.many, w->capacity * sizeof(struct wb_run));
    w->count = w->capacity = 0;
}

void wb_window_clear(struct wb_window *w)
{
    w->count = 0;
}

const struct wb_run *wb_window_runs(const struct wb_window *w, size_t *out_count)
{
    *out_count = w->count;
    return w->capacity > 0 ? w->as.many : &w->as.one;
}

/* ---- the list -------------------------------------------------------------------------------- */

struct wb_run *wb_window_list(struct wb_window *w)
{
    return w->capacity > 0 ? w->as.many : &w->as.one;
}

/* A search that goes on from a place looks near it first, in steps that double. */
size_t wb_runs_ending_from(const struct wb_run *runs, size_t begin, size_t end,
                           struct wb_position p)
{
    for (size_t step = begin > 0; step > 0 && step <= end - begin; step *= 2) {
        if (!wb_runs_less(runs[begin + step - 1].last, p)) {
            end = begin + step - 1;
            break;
        }
        begin += step;
    }
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;

        if (wb_runs_less(runs[middle].last, p))
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

size_t wb_runs_beginning_after(const struct wb_run *runs, size_t begin, size_t end,
                               struct wb_position p)
{
    for (size_t step = begin > 0; step > 0 && step <= end - begin; step *= 2) {
        if (wb_runs_less(p, runs[begin + step - 1].first)) {
            end = begin + step - 1;
            break;
        }
        begin += step;
    }
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;

        if (wb_runs_less(p, runs[middle].first))
            end = middle;
        else
            begin = middle + 1;
    }
    return begin;
}

void wb_runs_touching(const struct wb_run *runs, size_t begin, size_t end, const struct wb_run *run,
                      size_t *out_i, size_t *out_j)
{
    struct wb_position edge;
    bool inner = wb_position_before(run->first, &edge);

    *out_i = inner ? wb_runs_ending_from(runs, begin, end, edge) : begin;
    inner = wb_position_after(run->last, &edge);
    *out_j = inner ? wb_runs_beginning_after(runs, *out_i, end, edge) : end;
}

void wb_run_absorb(struct wb_run *run, const struct wb_run *other)
{
    if (wb_runs_less(other->first, run->first))
        run->first = other->first;
    if (wb_runs_less(run->last, other->last))
        run->last = other->last;
}

void wb_window_adopt(struct wb_window *w, struct wb_mem *mem, struct wb_run *runs, size_t count)
{
    wb_window_fini(w, mem);
    w->as.many = runs;
    w->count = w->capacity = (uint32_t)count;
}

/* A list that holds `count` runs; nothing moves to the heap for one. */
static size_t capacity_for(const struct wb_window *w, size_t count)
{
    size_t capacity = w->capacity > 0 ? w->capacity : 1;

    while (capacity < count)
        capacity *= 2;
    return capacity;
}

/* Runs [i, j) make way for `count` others. A list that grows is moved once, hole and all. */
static enum wb_err replace(struct wb_window *w, struct wb_mem *mem, size_t i, size_t j,
                           const struct wb_run *runs, size_t count)
{
    struct wb_run *list = wb_window_list(w);
    size_t tail = w->count - j, total = i + count + tail;
    size_t capacity = capacity_for(w, total);

    if (total > (w->capacity > 0 ? w->capacity : 1)) {
        struct wb_run *fresh =
            capacity > UINT32_MAX ? NULL : wb_mem_take(mem, capacity * sizeof(*fresh));

        if (fresh == NULL)
            return WB_E_NOMEM;
        memcpy(fresh, list, i * sizeof(*fresh));
        memcpy(fresh + i + count, list + j, tail * sizeof(*fresh));
        WB_COST(bytes_moved, (i + tail) * sizeof(*fresh));
        if (w->capacity > 0)
            wb_mem_give(mem, list, w->capacity * sizeof(*fresh));
        list = w->as.many = fresh;
        w->capacity = (uint32_t)capacity;
    } else if (tail > 0 && i + count != j) {
        memmove(list + i + count, list + j, tail * sizeof(*list));
        WB_COST(bytes_moved, tail * sizeof(*list));
    }
    for (size_t k = 0; k < count; k++)
        list[i + k] = runs[k];
    WB_COST(bytes_moved, count * sizeof(*list));
    w->count = (uint32_t)total;
    return WB_OK;
}

/* ---- changes by one run ---------------------------------------------------------------------- */

enum wb_err wb_window_add_run(struct wb_window *w, struct wb_mem *mem, const struct wb_run *run)
{
    struct wb_run *list = wb_window_list(w);
    struct wb_run merged = *run;
    size_t i, j;

    if (w->count == 0) { /* a place for one is always there */
        *list = *run;
        w->count = 1;
        WB_COST(bytes_moved, sizeof(*run));
        return WB_OK;
    }
    wb_runs_touching(list, 0, w->count, run, &i, &j);
    if (i < j) {
        wb_run_absorb(&merged, &list[i]);
        wb_run_absorb(&merged, &list[j - 1]);
    }
    return replace(w, mem, i, j, &merged, 1);
}

enum wb_err wb_window_remove_run(struct wb_window *w, struct wb_mem *mem, const struct wb_run *run)
{
    const struct wb_run *list = wb_window_list(w);
    size_t i = wb_runs_ending_from(list, 0, w->count, run->first);
    size_t j = wb_runs_beginning_after(list, i, w->count, run->last);
    struct wb_run rest[2];
    size_t count = 0;

    if (i == j)
        return WB_OK;
    if (wb_runs_less(list[i].first, run->first)) {
        rest[count].first = list[i].first;
        WB_ASSERT(wb_position_before(run->first, &rest[count].last));
        count++;
    }
    if (wb_runs_less(run->last, list[j - 1].last)) {
        rest[count].last = list[j - 1].last;
        WB_ASSERT(wb_position_after(run->last, &rest[count].first));
        count++;
    }
    return replace(w, mem, i, j, rest, count);
}

enum wb_err wb_window_add(struct wb_window *w, struct wb_mem *mem, const struct wb_range *range)
{
    struct wb_run run;
    bool some;

    WB_TRY(wb_range_run(range, &some, &run));
    return some ? wb_window_add_run(w, mem, &run) : WB_OK;
}

enum wb_err wb_window_remove(struct wb_window *w, struct wb_mem *mem, const struct wb_range *range)
{
    struct wb_run run;
    bool some;

    WB_TRY(wb_range_run(range, &some, &run));
    return some ? wb_window_remove_run(w, mem, &run) : WB_OK;
}

void wb_window_widen(struct wb_window *w)
{
    struct wb_run *list = wb_window_list(w);
    size_t kept = 0;

    for (size_t i = 0; i < w->count; i++) {
        struct wb_run wide = {{list[i].first.group, 0}, {list[i].last.group, UINT64_MAX}};
        struct wb_position past;

        /* Whole groups touch when they are neighbours, and overlap when they share one. */
        if (kept > 0 &&
            (!wb_position_after(list[kept - 1].last, &past) || !wb_runs_less(past, wide.first)))
            list[kept - 1].last = wide.last;
        else
            list[kept++] = wide;
    }
    w->count = (uint32_t)kept;
}

void wb_window_trim(struct wb_window *w, struct wb_mem *mem)
{
    struct wb_run *fresh;

    if (w->capacity == 0 || w->count == w->capacity)
        return;
    if (w->count <= 1) {
        struct wb_window small = {.count = w->count};

        if (w->count == 1)
            small.as.one = w->as.many[0];
        wb_window_fini(w, mem);
        *w = small;
        return;
    }
    fresh = wb_mem_take(mem, w->count * sizeof(*fresh));
    if (fresh == NULL)
        return;
    memcpy(fresh, w->as.many, w->count * sizeof(*fresh));
    wb_window_adopt(w, mem, fresh, w->count);
}

/* ---- questions ------------------------------------------------------------------------------- */

bool wb_window_contains(const struct wb_window *w, struct wb_position p)
{
    size_t count;
    const struct wb_run *runs = wb_window_runs(w, &count);
    size_t i = wb_runs_ending_from(runs, 0, count, p);

    return i < count && !wb_runs_less(p, runs[i].first);
}

bool wb_window_meets_group(const struct wb_window *w, uint64_t group)
{
    size_t count;
    const struct wb_run *runs = wb_window_runs(w, &count);
    size_t i = wb_runs_ending_from(runs, 0, count, wb_position_group(group));

    return i < count && runs[i].first.group <= group;
}

bool wb_window_next_gap(const struct wb_window *w, struct wb_position from, struct wb_position *out)
{
    size_t count;
    const struct wb_run *runs = wb_window_runs(w, &count);
    size_t i = wb_runs_ending_from(runs, 0, count, from);

    if (i < count && !wb_runs_less(from, runs[i].first))
        return wb_position_after(runs[i].last, out); /* runs do not touch: a gap follows */
    *out = from;
    return true;
}

bool wb_window_next_in(const struct wb_window *w, struct wb_position from, struct wb_position *out)
{
    size_t count;
    const struct wb_run *runs = wb_window_runs(w, &count);
    size_t i = wb_runs_ending_from(runs, 0, count, from);

    if (i == count)
        return false;
    *out = wb_runs_less(from, runs[i].first) ? runs[i].first : from;
    return true;
}

bool wb_window_equal(const struct wb_window *a, const struct wb_window *b)
{
    size_t count_a, count_b;
    const struct wb_run *x = wb_window_runs(a, &count_a);
    const struct wb_run *y = wb_window_runs(b, &count_b);

    if (count_a != count_b)
        return false;
    for (size_t i = 0; i < count_a; i++)
        if (!wb_position_equal(x[i].first, y[i].first) || !wb_position_equal(x[i].last, y[i].last))
            return false;
    return true;
}

struct wb_run wb_window_hull(const struct wb_window *w)
{
    size_t count;
    const struct wb_run *runs = wb_window_runs(w, &count);

    WB_ASSERT(count > 0);
    return (struct wb_run){runs[0].first, runs[count - 1].last};
}

void wb_window_check(const struct wb_window *w)
{
    size_t count;
    const struct wb_run *runs = wb_window_runs(w, &count);

    WB_ASSERT(count <= (w->capacity > 0 ? w->capacity : 1));
    for (size_t i = 0; i < count; i++) {
        struct wb_position past;

        WB_ASSERT(!wb_position_less(runs[i].last, runs[i].first));
        if (i == 0)
            continue;
        WB_ASSERT(wb_position_after(runs[i - 1].last, &past));
        WB_ASSERT(wb_position_less(past, runs[i].first));
    }
}
