/*
 * subs_check.c: what holds after every step: windows as resolved last, and the demand of them all.
 */
#include "targets/window/subs.h"

static bool run_is(const struct wb_run *a, const struct wb_run *b)
{
    return ref_position_order(a->first, b->first) == 0 && ref_position_order(a->last, b->last) == 0;
}

static bool is_bound(struct wb_bound a, struct wb_bound b)
{
    return a.present == b.present && (!a.present || ref_position_order(a.at, b.at) == 0);
}

void subs_check_window(struct subs *w, size_t slot)
{
    struct subs_slot *s = &w->slots[slot];
    const struct ref_window *want = &s->model.window;
    size_t n;
    const struct wb_run *runs = wb_window_runs(wb_subscription_window(&s->core), &n);

    FUZZ_CHECK(SUB_010, n == want->count);
    for (size_t i = 0; i < n; i++)
        FUZZ_CHECK(SUB_010, run_is(&runs[i], &want->runs[i]));
    wb_subscription_check(&s->core);
    ref_window_copy(&w->asks.window[slot], want);
    w->asks.wish[slot] = s->wish;
    w->asks.wish[slot].is_live = s->model.is_live;
}

static void check_demand(struct subs *w)
{
    const struct wb_fold *fold = wb_demand_fold(w->demand);
    struct ref_fold want = ref_demand_fold(&w->asks);
    struct wb_position from = WB_POSITION_FIRST;
    struct wb_run run;
    bool more = true;

    FUZZ_CHECK(SUB_011, wb_demand_subscribers(w->demand) == ref_demand_count(&w->asks));
    FUZZ_CHECK(SUB_011, fold->some == want.some && fold->priority == want.wish.priority &&
                            fold->ordered == want.wish.ordered &&
                            fold->max_age_ns == want.wish.max_age_ns);
    FUZZ_CHECK(SUB_011, is_bound(fold->start, want.start) && is_bound(fold->end, want.end));
    if (w->turn % 4 != 0)
        return;
    if (!ref_demand_union(&w->asks, &w->all))
        return;
    for (size_t i = 0; i < w->all.count; i++) {
        FUZZ_CHECK(SUB_011, more && wb_demand_next(w->demand, from, &run));
        FUZZ_CHECK(SUB_011, run_is(&run, &w->all.runs[i]));
        more = ref_position_next(run.last, &from);
    }
    FUZZ_CHECK(SUB_011, !more || !wb_demand_next(w->demand, from, &run));
}

void subs_check(struct subs *w)
{
    for (size_t i = 0; i < SUBS_SLOTS; i++)
        w->asks.joined[i] = w->slots[i].joined;
    check_demand(w);
    if (w->slots[w->turn % SUBS_SLOTS].joined)
        wb_subscription_check(&w->slots[w->turn % SUBS_SLOTS].core);
}
