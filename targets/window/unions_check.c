/*
 * unions_check.c: what holds of a window after every step: its runs are the list's and the
 * bitmap's, and what it says of places is the model's.
 */
#include "targets/window/unions.h"

static bool run_is(const struct wb_run *a, const struct wb_run *b)
{
    return ref_position_order(a->first, b->first) == 0 && ref_position_order(a->last, b->last) == 0;
}

bool unions_is_same(const struct wb_window *a, const struct ref_window *model)
{
    size_t n;
    const struct wb_run *runs = wb_window_runs(a, &n);

    for (size_t i = 0; i < n && n == model->count; i++) {
        if (!run_is(&runs[i], &model->runs[i]))
            return false;
    }
    return n == model->count;
}

/* Ascending, disjoint, and at least one position between two runs. */
static void check_canonical(const struct wb_run *runs, size_t n)
{
    struct wb_position after;

    for (size_t i = 0; i < n; i++) {
        FUZZ_CHECK(WIN_001, ref_position_order(runs[i].first, runs[i].last) <= 0);
        if (i > 0)
            FUZZ_CHECK(WIN_001, ref_position_next(runs[i - 1].last, &after) &&
                                    ref_position_order(after, runs[i].first) < 0);
    }
}

static void check_cells(const struct ref_window *model, const struct wb_run *runs, size_t n)
{
    struct wb_run want[REF_WINDOW_CELLS];
    size_t count = ref_cells_runs(model->cells, want);

    FUZZ_CHECK(WIN_003, n == count);
    for (size_t i = 0; i < n; i++)
        FUZZ_CHECK(WIN_003, run_is(&runs[i], &want[i]));
}

void unions_look(const struct unions *w, size_t slot, struct wb_position at)
{
    const struct wb_window *core = &w->windows[slot];
    const struct ref_window *model = w->models[slot];
    struct wb_position got = {7, 7}, want = {7, 7};
    bool has, wants;

    FUZZ_CHECK(WIN_005, wb_window_contains(core, at) == ref_window_contains(model, at));
    FUZZ_CHECK(WIN_005, wb_window_meets_group(core, at.group) == ref_window_meets(model, at.group));
    has = wb_window_next_in(core, at, &got);
    wants = ref_window_next_in(model, at, &want);
    FUZZ_CHECK(WIN_006, has == wants && ref_position_order(got, want) == 0);
    got = want = (struct wb_position){7, 7};
    has = wb_window_next_gap(core, at, &got);
    wants = ref_window_next_gap(model, at, &want);
    FUZZ_CHECK(WIN_006, has == wants && ref_position_order(got, want) == 0);
}

void unions_check_slot(struct unions *w, size_t slot)
{
    const struct wb_window *core = &w->windows[slot];
    const struct ref_window *model = w->models[slot];
    uint64_t requests = w->run->alloc.requests;
    size_t n;
    const struct wb_run *runs = wb_window_runs(core, &n);

    check_canonical(runs, n);
    if (model->folded)
        check_cells(model, runs, n);
    FUZZ_CHECK(WIN_002, unions_is_same(core, model));
    FUZZ_CHECK(WIN_002, wb_window_is_empty(core) == (n == 0));
    if (n > 0) {
        struct wb_run hull = wb_window_hull(core);

        FUZZ_CHECK(WIN_007, ref_position_order(hull.first, model->runs[0].first) == 0 &&
                                ref_position_order(hull.last, model->runs[n - 1].last) == 0);
        unions_look(w, slot, model->runs[w->turn % n].last);
    }
    unions_look(w, slot, ref_cell_first(w->turn % REF_WINDOW_CELLS));
    if (w->turn % 4 == 0)
        wb_window_check(core);
    FUZZ_CHECK(WIN_010, w->run->alloc.requests == requests);
}

void unions_check_memory(const struct unions *w)
{
    uint64_t bytes = w->buf.capacity;

    for (size_t i = 0; i < UNIONS_SLOTS; i++) {
        const struct wb_window *core = &w->windows[i];

        FUZZ_CHECK(WIN_011, core->capacity == 0 ? core->count <= 1 : core->capacity >= core->count);
        bytes += (uint64_t)core->capacity * sizeof(struct wb_run);
    }
    FUZZ_CHECK(WIN_011, w->run->alloc.live_bytes == bytes);
}
