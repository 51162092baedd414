/*
 * wishes_check.c: what holds of the demand after every step.
 */
#include "targets/window/wishes.h"

static bool is_bound(struct wb_bound a, struct wb_bound b)
{
    return a.present == b.present && (!a.present || ref_position_order(a.at, b.at) == 0);
}

static bool run_is(const struct wb_run *a, const struct wb_run *b)
{
    return ref_position_order(a->first, b->first) == 0 && ref_position_order(a->last, b->last) == 0;
}

const struct ref_window *wishes_now(struct wishes *w)
{
    if (!w->is_stale)
        return &w->now;
    w->is_stale = false;
    if (ref_demand_cells(&w->model, &w->now.cells)) { /* the list is asked at observations */
        w->now.folded = true;
        w->now.count = ref_cells_runs(w->now.cells, w->now.runs);
    } else {
        WB_ASSERT(ref_demand_union(&w->model, &w->now)); /* 16 of 16 runs are no more than it has */
    }
    return &w->now;
}

/* Stretch by stretch, as a reader of the demand walks it. */
static void check_walk(struct wishes *w, const struct ref_window *now)
{
    struct wb_position from = WB_POSITION_FIRST;
    struct wb_run run;
    bool more = true;

    for (size_t i = 0; i < now->count; i++) {
        FUZZ_CHECK(DMD_001, more && wb_demand_next(w->demand, from, &run));
        FUZZ_CHECK(DMD_001, run_is(&run, &now->runs[i]));
        more = ref_position_next(run.last, &from);
    }
    FUZZ_CHECK(DMD_001, !more || !wb_demand_next(w->demand, from, &run));
}

static void check_fold(const struct wishes *w)
{
    const struct wb_fold *got = wb_demand_fold(w->demand);
    struct ref_fold want = ref_demand_fold(&w->model);

    FUZZ_CHECK(DMD_002, got->some == want.some && got->priority == want.wish.priority &&
                            got->ordered == want.wish.ordered &&
                            got->max_age_ns == want.wish.max_age_ns);
    FUZZ_CHECK(DMD_002, is_bound(got->start, want.start) && is_bound(got->end, want.end));
    if (want.some && !want.end.present)
        sim_mark(w->run, WISHES_MARK_UNBOUNDED);
    if (want.some && !want.start.present)
        sim_mark(w->run, WISHES_MARK_LIVE_EDGE);
}

void wishes_look(struct wishes *w, struct wb_position at)
{
    const struct ref_window *now = wishes_now(w);
    struct wb_position first = {7, 7};
    struct wb_run got = {{7, 7}, {7, 7}};
    bool has = wb_demand_next(w->demand, at, &got), wants = ref_window_next_in(now, at, &first);

    FUZZ_CHECK(DMD_006, has == wants && ref_position_order(got.first, first) == 0);
    for (size_t i = 0; has && i < now->count; i++) {
        if (ref_position_order(now->runs[i].first, first) <= 0 &&
            ref_position_order(first, now->runs[i].last) <= 0)
            FUZZ_CHECK(DMD_006, ref_position_order(got.last, now->runs[i].last) == 0);
    }
}

void wishes_age(struct wishes *w, uint64_t publisher_ns)
{
    struct ref_fold want = ref_demand_fold(&w->model);
    uint64_t age = want.wish.max_age_ns < publisher_ns ? want.wish.max_age_ns : publisher_ns;

    FUZZ_CHECK(DMD_012, wb_fold_age(wb_demand_fold(w->demand), publisher_ns) == age);
}

static void check_hull(const struct wishes *w, const struct ref_window *now)
{
    struct wb_run hull;
    bool has = wb_demand_hull(w->demand, &hull);

    FUZZ_CHECK(DMD_006, has == (now->count > 0));
    FUZZ_CHECK(DMD_006,
               !has || (ref_position_order(hull.first, now->runs[0].first) == 0 &&
                        ref_position_order(hull.last, now->runs[now->count - 1].last) == 0));
}

/* All that is lent is the demand's and the homes'; an owner of several ranges has a list besides.
 */
static void check_memory(const struct wishes *w)
{
    uint64_t bytes = w->track_bytes + wb_demand_held(w->demand);

    for (size_t i = 0; i < REF_DEMAND_SUBSCRIBERS; i++) {
        if (w->homes[i] != NULL && w->owned[i] && w->model.window[i].count > 1)
            return;
        if (w->homes[i] != NULL)
            bytes += sizeof(struct wishes_home);
    }
    FUZZ_CHECK(DMD_011, w->run->alloc.live_bytes == bytes);
}

/* A run is looked for in a tree of them, and so is each gap that it may open or close, of which
 * there are no more than runs. */
void wishes_check_cost(const struct wishes *w, size_t slot, uint64_t compared_before)
{
    uint64_t compared = wb_cost.positions_compared - compared_before, logarithm = 1;
    size_t all = w->pending[slot].count;

    for (size_t i = 0; i < REF_DEMAND_SUBSCRIBERS; i++)
        all += w->model.joined[i] ? w->model.window[i].count : 0;
    for (size_t n = all; n > 0; n /= 2)
        logarithm++;
    FUZZ_CHECK(DMD_013, compared <= WISHES_COMPARED * (all + 1) * logarithm);
}

/* A node for each run, and one for an age that nobody else has; of a run both edges may come to
 * differ from what was last seen. Several runs are in a list. */
void wishes_check_asked(const struct wishes *w, size_t slot, uint64_t requests_before)
{
    uint64_t asked = w->run->alloc.requests - requests_before;
    size_t runs = w->pending[slot].count;
    bool is_new = runs > 0;

    for (size_t i = 0; i < REF_DEMAND_SUBSCRIBERS; i++) {
        if (w->model.joined[i] && w->model.window[i].count > 0 &&
            w->model.wish[i].max_age_ns == w->pending_wish[slot].max_age_ns)
            is_new = false;
    }
    FUZZ_CHECK(DMD_014, asked <= 3 * runs + is_new + (runs > 1));
}

void wishes_check(struct wishes *w)
{
    const struct ref_window *now = wishes_now(w);
    size_t count = ref_demand_count(&w->model);
    uint64_t requests = w->run->alloc.requests;

    FUZZ_CHECK(DMD_005, wb_demand_subscribers(w->demand) == count);
    check_walk(w, now);
    check_fold(w);
    check_hull(w, now);
    wishes_look(w, ref_cell_first(w->turn % REF_WINDOW_CELLS));
    if (w->turn % 4 == 0)
        wb_demand_check(w->demand);
    check_memory(w);
    FUZZ_CHECK(DMD_007, w->run->alloc.requests == requests);
    if (now->count > 1)
        sim_mark(w->run, WISHES_MARK_SEVERAL);
    if (count >= 10)
        sim_mark(w->run, WISHES_MARK_CROWD);
}

/* The union as a window of its own, held against the list, where every step asks the bitmap. */
static void check_window(struct wishes *w)
{
    uint64_t refused = w->run->alloc.refused;
    struct wb_window window;
    const struct wb_run *runs;
    enum wb_err err;
    size_t n;

    wb_window_init(&window);
    err = wb_demand_window(w->demand, sim_run_mem(w->run), &window);
    FUZZ_CHECK(DMD_004, (err == WB_E_NOMEM) == (w->run->alloc.refused != refused));
    runs = wb_window_runs(&window, &n);
    if (err != WB_OK) {
        FUZZ_CHECK(DMD_004, n == 0 && window.capacity == 0);
        sim_mark(w->run, WISHES_MARK_REFUSED);
        return;
    }
    WB_ASSERT(ref_demand_union(&w->model, &w->spare));
    FUZZ_CHECK(DMD_001, n == w->spare.count);
    for (size_t i = 0; i < n; i++)
        FUZZ_CHECK(DMD_001, run_is(&runs[i], &w->spare.runs[i]));
    wb_window_fini(&window, sim_run_mem(w->run));
}

void wishes_observe(struct wishes *w)
{
    struct ref_fold fold = ref_demand_fold(&w->model);
    bool differs, has_changed;
    uint64_t requests;

    check_window(w);
    differs = !ref_window_equal(wishes_now(w), &w->seen) || !ref_fold_equal(&fold, &w->seen_fold);
    requests = w->run->alloc.requests;
    has_changed = wb_demand_changed(w->demand);
    FUZZ_CHECK(DMD_003, has_changed == differs);
    FUZZ_CHECK(DMD_007, w->run->alloc.requests == requests);
    sim_run_note(w->run, has_changed);
    if (!w->is_over)
        sim_run_story(w->run, has_changed ? "changed " : "same ");
    if (has_changed)
        sim_mark(w->run, WISHES_MARK_CHANGED);
    else if (w->has_moved)
        sim_mark(w->run, WISHES_MARK_SAME);
    w->quiet = w->has_moved ? 0 : w->quiet + 1;
    w->has_moved = false;
    ref_window_copy(&w->seen, wishes_now(w));
    w->seen_fold = fold;
    if (w->quiet >= 2 && ref_demand_count(&w->model) == 0) {
        FUZZ_CHECK(DMD_009, w->run->alloc.live_bytes <= w->baseline + WISHES_SPARE);
        sim_mark(w->run, WISHES_MARK_BASELINE);
    }
}
