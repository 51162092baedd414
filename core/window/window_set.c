/*
 * window_set.c: two windows. The shorter list leads, the other is searched; runs that no run of the
 * leader meets are copied in blocks, not compared. Each result is built twice: once to be counted,
 * once into an allocation of that size. moq-lite, ranges and windows.
 */
#include "core/base/cost.h"
#include "core/window/window_list.h"

#include <string.h>

struct list {
    const struct wb_run *runs;
    size_t count;
};

/* Where a result goes; NULL counts only. The first run is kept for results of one. */
struct result {
    struct wb_run *to;
    struct wb_run first;
    size_t count;
};

static struct list list_of(const struct wb_window *w)
{
    struct list l;

    l.runs = wb_window_runs(w, &l.count);
    return l;
}

static void emit(struct result *r, const struct wb_run *runs, size_t count)
{
    if (count == 0)
        return;
    if (r->count == 0)
        r->first = runs[0];
    if (r->to != NULL) {
        memcpy(r->to + r->count, runs, count * sizeof(*runs));
        WB_COST(bytes_moved, count * sizeof(*runs));
    }
    r->count += count;
}

/* ---- the three operations: `lead` is walked, `in` is searched -------------------------------- */

static void unite(struct result *r, struct list in, struct list lead)
{
    size_t cursor = 0; /* runs of `in` before it are dealt with */
    struct wb_run merged = {0};
    bool pending = false;

    for (size_t k = 0; k < lead.count; k++) {
        struct wb_run run = lead.runs[k];
        size_t i, j;

        /* A run of `in` may reach from the last merged run into this one. */
        if (pending && !wb_runs_less(merged.last, run.first)) {
            wb_run_absorb(&merged, &run);
            run = merged;
            pending = false;
        }
        wb_runs_touching(in.runs, cursor, in.count, &run, &i, &j);
        if (pending) {
            struct wb_position past;

            if (wb_position_after(merged.last, &past) && wb_runs_less(past, run.first))
                emit(r, &merged, 1);
            else
                wb_run_absorb(&run, &merged);
        }
        emit(r, in.runs + cursor, i - cursor);
        if (i < j) {
            wb_run_absorb(&run, &in.runs[i]);
            wb_run_absorb(&run, &in.runs[j - 1]);
        }
        cursor = j;
        merged = run;
        pending = true;
    }
    if (pending)
        emit(r, &merged, 1);
    emit(r, in.runs + cursor, in.count - cursor);
}

static void meet(struct result *r, struct list in, struct list lead)
{
    size_t cursor = 0;

    for (size_t k = 0; k < lead.count; k++) {
        const struct wb_run *run = &lead.runs[k];
        size_t i = wb_runs_ending_from(in.runs, cursor, in.count, run->first);
        size_t j = wb_runs_beginning_after(in.runs, i, in.count, run->last);
        struct wb_run edge;

        cursor = i; /* the last run may meet the next leader too */
        if (i == j)
            continue;
        edge = in.runs[i];
        if (wb_runs_less(edge.first, run->first))
            edge.first = run->first;
        if (i + 1 == j && wb_runs_less(run->last, edge.last))
            edge.last = run->last;
        emit(r, &edge, 1);
        if (i + 1 == j)
            continue;
        emit(r, in.runs + i + 1, j - i - 2);
        edge = in.runs[j - 1];
        if (wb_runs_less(run->last, edge.last))
            edge.last = run->last;
        emit(r, &edge, 1);
        cursor = j - 1;
    }
}

/* *rest and the cut overlap: what lies before the cut goes out; true while some lies behind it. */
static bool cut_off(struct result *r, struct wb_run *rest, const struct wb_run *cut)
{
    struct wb_run before = {.first = rest->first};

    if (wb_runs_less(rest->first, cut->first)) {
        WB_ASSERT(wb_position_before(cut->first, &before.last));
        emit(r, &before, 1);
    }
    if (!wb_runs_less(cut->last, rest->last))
        return false;
    WB_ASSERT(wb_position_after(cut->last, &rest->first));
    return true;
}

static void subtract(struct result *r, struct list from, struct list cuts)
{
    size_t cursor = 0;
    struct wb_run rest = {0};
    bool pending = false;

    for (size_t k = 0; k < cuts.count; k++) {
        const struct wb_run *cut = &cuts.runs[k];
        size_t i, j;

        if (pending && wb_runs_less(cut->last, rest.first))
            continue;
        if (pending && !wb_runs_less(rest.last, cut->first)) {
            pending = cut_off(r, &rest, cut);
            if (pending)
                continue;
        }
        if (pending)
            emit(r, &rest, 1);
        pending = false;
        i = wb_runs_ending_from(from.runs, cursor, from.count, cut->first);
        j = wb_runs_beginning_after(from.runs, i, from.count, cut->last);
        emit(r, from.runs + cursor, i - cursor);
        cursor = j;
        if (i == j)
            continue;
        rest = from.runs[i];
        pending = cut_off(r, &rest, cut);
        if (i + 1 < j) {
            rest = from.runs[j - 1];
            pending = cut_off(r, &rest, cut);
        }
    }
    if (pending)
        emit(r, &rest, 1);
    emit(r, from.runs + cursor, from.count - cursor);
}

/* The same where what is cut leads: each of its runs looks for its cuts. */
static void subtract_each(struct result *r, struct list cuts, struct list from)
{
    size_t cursor = 0;

    for (size_t k = 0; k < from.count; k++) {
        struct wb_run rest = from.runs[k];
        size_t i = wb_runs_ending_from(cuts.runs, cursor, cuts.count, rest.first);
        size_t j = wb_runs_beginning_after(cuts.runs, i, cuts.count, rest.last);
        bool pending = true;

        cursor = i < j ? j - 1 : i; /* the last cut may reach into the next run */
        for (; i < j; i++)
            pending = cut_off(r, &rest, &cuts.runs[i]);
        if (pending)
            emit(r, &rest, 1);
    }
}

/* ---- from lists to windows ------------------------------------------------------------------- */

typedef void (*combine_fn)(struct result *r, struct list in, struct list lead);

static enum wb_err combine(struct wb_window *w, struct wb_mem *mem, combine_fn fn, struct list in,
                           struct list lead)
{
    struct result result = {0};
    size_t count;

    fn(&result, in, lead);
    count = result.count;
    if (count <= 1) {
        struct wb_run *own = wb_window_list(w);

        if (count == 1)
            own[0] = result.first;
        w->count = (uint32_t)count;
        return WB_OK;
    }
    if (count > UINT32_MAX)
        return WB_E_NOMEM;
    result = (struct result){.to = wb_mem_take(mem, count * sizeof(struct wb_run))};
    if (result.to == NULL)
        return WB_E_NOMEM;
    fn(&result, in, lead);
    WB_ASSERT(result.count == count);
    wb_window_adopt(w, mem, result.to, count);
    return WB_OK;
}

enum wb_err wb_window_union(struct wb_window *w, struct wb_mem *mem, const struct wb_window *other)
{
    struct list a = list_of(w), b = list_of(other);

    WB_ASSERT(w != other);
    if (b.count == 0)
        return WB_OK;
    if (b.count == 1)
        return wb_window_add_run(w, mem, &b.runs[0]);
    return a.count < b.count ? combine(w, mem, unite, b, a) : combine(w, mem, unite, a, b);
}

enum wb_err wb_window_intersect(struct wb_window *w, struct wb_mem *mem,
                                const struct wb_window *other)
{
    struct list a = list_of(w), b = list_of(other);

    WB_ASSERT(w != other);
    return a.count < b.count ? combine(w, mem, meet, b, a) : combine(w, mem, meet, a, b);
}

enum wb_err wb_window_subtract(struct wb_window *w, struct wb_mem *mem,
                               const struct wb_window *other)
{
    struct list a = list_of(w), b = list_of(other);

    WB_ASSERT(w != other);
    if (a.count == 0 || b.count == 0)
        return WB_OK;
    if (b.count == 1)
        return wb_window_remove_run(w, mem, &b.runs[0]);
    return a.count < b.count ? combine(w, mem, subtract_each, b, a)
                             : combine(w, mem, subtract, a, b);
}

enum wb_err wb_window_copy(struct wb_window *out, const struct wb_window *w, struct wb_mem *mem)
{
    struct list l = list_of(w);
    struct wb_run *fresh;

    WB_ASSERT(w != out);
    if (l.count > 1) {
        fresh = wb_mem_take(mem, l.count * sizeof(*fresh));
        if (fresh == NULL)
            return WB_E_NOMEM;
        memcpy(fresh, l.runs, l.count * sizeof(*fresh));
        wb_window_adopt(out, mem, fresh, l.count);
        return WB_OK;
    }
    if (l.count == 1)
        wb_window_list(out)[0] = l.runs[0];
    out->count = (uint32_t)l.count;
    return WB_OK;
}
