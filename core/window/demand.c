/*
 * demand.c: who is joined, and the fold of their wishes. moq-lite, subscriptions: aggregate.
 */
#include "core/window/demand.h"

#include "core/window/span.h"
#include "core/window/window_list.h"

#define PRIORITIES 256u

struct wb_demand {
    struct wb_spans spans;
    uint64_t subscribers;
    uint64_t active; /* those who ask for something */
    uint64_t unordered;
    uint64_t lists_bytes;            /* of those with several spans */
    uint32_t priorities[PRIORITIES]; /* how many wish each */
    uint64_t present[PRIORITIES / 64];
    struct wb_fold fold, seen;
    bool is_touched; /* the fold may differ from `seen` */
};

enum wb_err wb_demand_new(struct wb_mem *mem, struct wb_demand **out)
{
    struct wb_demand *d = wb_mem_take(mem, sizeof(*d));

    if (d == NULL)
        return WB_E_NOMEM;
    *d = (struct wb_demand){.spans.mem = mem};
    *out = d;
    return WB_OK;
}

void wb_demand_free(struct wb_demand *d)
{
    struct wb_mem *mem = d->spans.mem;

    WB_ASSERT(d->subscribers == 0);
    wb_spans_fini(&d->spans);
    wb_mem_give(mem, d, sizeof(*d));
}

/* ---- a subscriber's spans -------------------------------------------------------------------- */

static struct wb_span **list_of(struct wb_subscriber *s)
{
    return s->count > 1 ? s->as.many : &s->as.one;
}

static void list_free(struct wb_demand *d, struct wb_span **list, uint32_t count)
{
    wb_mem_give(d->spans.mem, list, count * sizeof(struct wb_span *));
    d->lists_bytes -= count * sizeof(struct wb_span *);
}

/* One reference for each run; all or none. */
static enum wb_err take_runs(struct wb_demand *d, const struct wb_run *runs, size_t count,
                             bool is_live, struct wb_span **list)
{
    for (size_t i = 0; i < count; i++) {
        enum wb_err err = wb_span_get(&d->spans, &runs[i], i == 0 && !is_live, &list[i]);

        if (err == WB_OK)
            continue;
        while (i-- > 0)
            wb_span_put(&d->spans, list[i], i == 0 && !is_live);
        return err;
    }
    return WB_OK;
}

static enum wb_err take_many(struct wb_demand *d, struct wb_subscriber *s,
                             const struct wb_run *runs)
{
    enum wb_err err;

    s->as.many = wb_mem_take(d->spans.mem, s->count * sizeof(struct wb_span *));
    if (s->as.many == NULL)
        return WB_E_NOMEM;
    d->lists_bytes += s->count * sizeof(struct wb_span *);
    err = take_runs(d, runs, s->count, s->is_live, s->as.many);
    if (err != WB_OK)
        list_free(d, s->as.many, s->count);
    return err;
}

static void give_spans(struct wb_demand *d, struct wb_subscriber *s)
{
    struct wb_span **list = list_of(s);

    wb_span_put(&d->spans, list[0], !s->is_live);
    if (s->count == 1)
        return;
    for (uint32_t i = 1; i < s->count; i++)
        wb_span_put(&d->spans, list[i], false);
    list_free(d, list, s->count);
}

/* Everything but the fold; the union changes with it. */
static enum wb_err take(struct wb_demand *d, struct wb_subscriber *s, const struct wb_wish *wish,
                        const struct wb_window *window)
{
    size_t count;
    const struct wb_run *runs = wb_window_runs(window, &count);
    enum wb_err err;

    s->demand = d;
    s->count = (uint32_t)count;
    s->priority = wish->priority;
    s->ordered = wish->ordered;
    s->is_live = wish->is_live;
    if (count == 0)
        return WB_OK;
    err = count > 1 ? take_many(d, s, runs) : wb_span_get(&d->spans, runs, !s->is_live, &s->as.one);
    WB_TRY(err);
    err = wb_age_get(&d->spans, wish->max_age_ns, &s->age);
    if (err != WB_OK)
        give_spans(d, s);
    return err;
}

/* ---- the fold -------------------------------------------------------------------------------- */

static uint8_t highest_priority(const struct wb_demand *d)
{
    unsigned word = PRIORITIES / 64 - 1;

    while (word > 0 && d->present[word] == 0)
        word--;
    WB_ASSERT(d->present[word] != 0);
    return (uint8_t)(word * 64 + 63 - (unsigned)__builtin_clzll(d->present[word]));
}

static struct wb_bound start_of(const struct wb_demand *d)
{
    const struct wb_span *n = wb_spans_start(&d->spans);

    return n == NULL ? (struct wb_bound){0} : wb_bound_at(n->run.first);
}

/* The fold anew, from what is counted. */
static WB_NOINLINE void refold(struct wb_demand *d)
{
    struct wb_fold *fold = &d->fold;

    d->is_touched = true;
    if (d->active == 0) {
        *fold = (struct wb_fold){0};
        return;
    }
    fold->some = true;
    fold->priority = highest_priority(d);
    fold->ordered = d->unordered == 0;
    fold->max_age_ns = wb_spans_age(&d->spans);
    fold->start = start_of(d);
    fold->end = wb_bound_after(RB_ROOT(&d->spans.tree)->furthest->run.last);
}

/* Does it ask for more than the fold says? */
static bool exceeds(const struct wb_fold *fold, const struct wb_subscriber *s,
                    const struct wb_span *first, const struct wb_span *last)
{
    if (!fold->some || s->priority > fold->priority || (fold->ordered && !s->ordered) ||
        s->age->run.first.group > fold->max_age_ns)
        return true;
    if (!s->is_live && (!fold->start.present || wb_position_less(first->run.first, fold->start.at)))
        return true;
    return fold->end.present && !wb_position_less(last->run.last, fold->end.at);
}

/* ---- who comes and goes ---------------------------------------------------------------------- */

static void enter(struct wb_demand *d, struct wb_subscriber *s)
{
    struct wb_span **list = list_of(s);

    d->subscribers++;
    if (s->count == 0)
        return;
    d->active++;
    if (d->priorities[s->priority]++ == 0)
        d->present[s->priority / 64] |= (uint64_t)1 << s->priority % 64;
    d->unordered += !s->ordered;
    if (exceeds(&d->fold, s, list[0], list[s->count - 1]))
        refold(d);
}

/* True when it may have been the only one that asked for so much. Its spans are still there. */
static bool count_out(struct wb_demand *d, struct wb_subscriber *s)
{
    struct wb_span **list = list_of(s);
    const struct wb_fold *fold = &d->fold;
    bool is_edge = s->age->refs == 1 && s->age->run.first.group == fold->max_age_ns;

    d->active--;
    if (--d->priorities[s->priority] == 0) {
        d->present[s->priority / 64] &= ~((uint64_t)1 << s->priority % 64);
        is_edge = is_edge || s->priority == fold->priority;
    }
    d->unordered -= !s->ordered;
    is_edge = is_edge || fold->ordered != (d->unordered == 0);
    if (!s->is_live && list[0]->starts == 1)
        is_edge = is_edge || wb_position_equal(list[0]->run.first, fold->start.at);
    return is_edge || (list[s->count - 1]->refs == 1 &&
                       RB_ROOT(&d->spans.tree)->furthest == list[s->count - 1]);
}

static void withdraw(struct wb_demand *d, struct wb_subscriber *s)
{
    bool is_edge;

    d->subscribers--;
    if (s->count == 0)
        return;
    is_edge = count_out(d, s);
    give_spans(d, s);
    wb_age_put(&d->spans, s->age);
    if (is_edge || d->active == 0)
        refold(d);
}

enum wb_err wb_demand_join(struct wb_demand *d, struct wb_subscriber *s, const struct wb_wish *wish,
                           const struct wb_window *window)
{
    enum wb_err err = take(d, s, wish, window);

    if (err == WB_OK)
        enter(d, s);
    else
        s->demand = NULL;
    return err;
}

enum wb_err wb_demand_update(struct wb_demand *d, struct wb_subscriber *s,
                             const struct wb_wish *wish, const struct wb_window *window)
{
    struct wb_subscriber fresh = {0};

    WB_ASSERT(s->demand == d);
    WB_TRY(take(d, &fresh, wish, window));
    withdraw(d, s);
    *s = fresh;
    enter(d, s);
    return WB_OK;
}

void wb_demand_leave(struct wb_demand *d, struct wb_subscriber *s)
{
    if (s->demand == NULL)
        return;
    WB_ASSERT(s->demand == d);
    withdraw(d, s);
    s->demand = NULL;
}

/* ---- observers ------------------------------------------------------------------------------- */

static bool is_same(const struct wb_fold *a, const struct wb_fold *b)
{
    return a->some == b->some && a->priority == b->priority && a->ordered == b->ordered &&
           a->max_age_ns == b->max_age_ns && wb_bound_equal(a->start, b->start) &&
           wb_bound_equal(a->end, b->end);
}

bool wb_demand_changed(struct wb_demand *d)
{
    bool changed = wb_edges_some(&d->spans);

    if (d->is_touched && !is_same(&d->fold, &d->seen)) {
        changed = true;
        d->seen = d->fold;
    }
    d->is_touched = false;
    wb_spans_observe(&d->spans);
    return changed;
}

const struct wb_fold *wb_demand_fold(const struct wb_demand *d)
{
    return &d->fold;
}

bool wb_demand_next(const struct wb_demand *d, struct wb_position from, struct wb_run *out)
{
    return wb_spans_next(&d->spans, from, out);
}

bool wb_demand_hull(const struct wb_demand *d, struct wb_run *out)
{
    if (!wb_spans_next(&d->spans, WB_POSITION_FIRST, out))
        return false;
    out->last = RB_ROOT(&d->spans.tree)->furthest->run.last;
    return true;
}

enum wb_err wb_demand_window(const struct wb_demand *d, struct wb_mem *mem, struct wb_window *out)
{
    struct wb_position from = WB_POSITION_FIRST;
    struct wb_window built;
    struct wb_run run;

    wb_window_init(&built);
    while (wb_demand_next(d, from, &run)) {
        enum wb_err err = wb_window_add_run(&built, mem, &run);

        if (err != WB_OK) {
            wb_window_fini(&built, mem);
            return err;
        }
        if (!wb_position_after(run.last, &from))
            break;
    }
    wb_window_fini(out, mem);
    *out = built;
    return WB_OK;
}

uint64_t wb_demand_subscribers(const struct wb_demand *d)
{
    return d->subscribers;
}

uint64_t wb_demand_held(const struct wb_demand *d)
{
    return sizeof(*d) + d->spans.spans * sizeof(struct wb_span) +
           d->spans.edges * sizeof(struct wb_edge) + d->lists_bytes;
}

void wb_demand_check(const struct wb_demand *d)
{
    uint64_t active = 0;

    wb_spans_check(&d->spans);
    for (unsigned i = 0; i < PRIORITIES; i++) {
        active += d->priorities[i];
        WB_ASSERT((d->present[i / 64] >> i % 64 & 1) == (d->priorities[i] > 0));
    }
    WB_ASSERT(active == d->active);
    WB_ASSERT(active <= d->subscribers);
    WB_ASSERT(d->unordered <= active);
    WB_ASSERT(d->fold.some == (active > 0));
    if (active == 0) {
        WB_ASSERT(RB_EMPTY(&d->spans.tree));
        WB_ASSERT(RB_EMPTY(&d->spans.ages));
        return;
    }
    WB_ASSERT(d->fold.priority == highest_priority(d));
    WB_ASSERT(d->fold.ordered == (d->unordered == 0));
    WB_ASSERT(d->fold.max_age_ns == wb_spans_age(&d->spans));
    WB_ASSERT(wb_bound_equal(d->fold.start, start_of(d)));
    WB_ASSERT(
        wb_bound_equal(d->fold.end, wb_bound_after(RB_ROOT(&d->spans.tree)->furthest->run.last)));
}
