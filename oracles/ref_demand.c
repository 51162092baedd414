#include "oracles/ref_demand.h"

void ref_demand_init(struct ref_demand *d)
{
    for (size_t i = 0; i < REF_DEMAND_SUBSCRIBERS; i++) {
        d->joined[i] = false;
        ref_window_init(&d->window[i]);
    }
}

size_t ref_demand_count(const struct ref_demand *d)
{
    size_t n = 0;

    for (size_t i = 0; i < REF_DEMAND_SUBSCRIBERS; i++)
        n += d->joined[i];
    return n;
}

bool ref_demand_union(const struct ref_demand *d, struct ref_window *out)
{
    ref_window_init(out);
    for (size_t i = 0; i < REF_DEMAND_SUBSCRIBERS; i++) {
        if (d->joined[i] && !ref_window_union(out, &d->window[i]))
            return false;
    }
    return true;
}

bool ref_demand_cells(const struct ref_demand *d, uint64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < REF_DEMAND_SUBSCRIBERS; i++) {
        if (d->joined[i] && !d->window[i].folded)
            return false;
        if (d->joined[i])
            *out |= d->window[i].cells;
    }
    return true;
}

struct ref_fold ref_demand_fold(const struct ref_demand *d)
{
    struct ref_fold f = {.some = false};

    for (size_t i = 0; i < REF_DEMAND_SUBSCRIBERS; i++) {
        const struct ref_wish *wish = &d->wish[i];
        const struct ref_window *w = &d->window[i];
        struct wb_position past = {0, 0};
        bool has_end;

        if (!d->joined[i] || w->count == 0)
            continue;
        has_end = ref_position_next(w->runs[w->count - 1].last, &past);
        if (!f.some)
            f = (struct ref_fold){
                .some = true, .wish = {.priority = 0, .ordered = true}, .end = {has_end, past}};
        if (wish->priority > f.wish.priority)
            f.wish.priority = wish->priority;
        f.wish.ordered = f.wish.ordered && wish->ordered;
        if (wish->max_age_ns > f.wish.max_age_ns)
            f.wish.max_age_ns = wish->max_age_ns;
        /* A live edge loses to any start that is explicit; no end absorbs all others. */
        if (!wish->is_live &&
            (!f.start.present || ref_position_order(w->runs[0].first, f.start.at) < 0))
            f.start = (struct wb_bound){true, w->runs[0].first};
        if (!has_end)
            f.end = (struct wb_bound){.present = false};
        else if (f.end.present && ref_position_order(f.end.at, past) < 0)
            f.end.at = past;
    }
    return f;
}

static bool is_bound(struct wb_bound a, struct wb_bound b)
{
    return a.present == b.present && (!a.present || ref_position_order(a.at, b.at) == 0);
}

bool ref_fold_equal(const struct ref_fold *a, const struct ref_fold *b)
{
    return a->some == b->some && a->wish.priority == b->wish.priority &&
           a->wish.ordered == b->wish.ordered && a->wish.max_age_ns == b->wish.max_age_ns &&
           is_bound(a->start, b->start) && is_bound(a->end, b->end);
}
