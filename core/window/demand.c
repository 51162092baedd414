/*
 * demand.c: who is joined, and the fold of their wishes. moq-lite, subscriptions: aggregate.
 */
#include "core/window/demand.h"

#include "core/window/demand_tree.h"
#include "core/window/window_list.h"

#define PRIORITIES   256u
#define REFS_MAX     ((uint64_t)1 << 30)
#define REFS_OF_WISH 3u

struct wb_demand {
    struct wb_mem *mem;
    struct wb_demand_nodes nodes;
    uint64_t subscribers;
    uint64_t active; /* those who ask for something */
    uint64_t unordered, endless;
    uint64_t refs;                   /* boundaries, explicit bounds, ages: of all subscribers */
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
    *d = (struct wb_demand){.mem = mem, .nodes.mem = mem};
    *out = d;
    return WB_OK;
}

void wb_demand_free(struct wb_demand *d)
{
    WB_ASSERT(d->subscribers == 0);
    wb_demand_nodes_fini(&d->nodes);
    wb_mem_give(d->mem, d, sizeof(*d));
}

/* ---- a subscriber's places ------------------------------------------------------------------- */

static struct wb_demand_span *spans_of(struct wb_subscriber *s)
{
    return s->count > 1 ? s->as.many : &s->as.one;
}

/* Gives all references back; what has no place yet is NULL. */
static void release(struct wb_demand *d, struct wb_subscriber *s)
{
    struct wb_demand_span *spans = spans_of(s);

    for (uint32_t i = 0; i < s->count; i++) {
        wb_demand_node_put(&d->nodes, &d->nodes.places, spans[i].first);
        wb_demand_node_put(&d->nodes, &d->nodes.places, spans[i].past);
    }
    wb_demand_node_put(&d->nodes, &d->nodes.places, s->start);
    wb_demand_node_put(&d->nodes, &d->nodes.places, s->end);
    wb_demand_node_put(&d->nodes, &d->nodes.ages, s->age);
    if (s->count > 1)
        wb_mem_give(d->mem, s->as.many, s->count * sizeof(*spans));
}

static enum wb_err acquire_spans(struct wb_demand *d, struct wb_subscriber *s,
                                 const struct wb_run *runs)
{
    struct wb_demand_span *spans = spans_of(s);

    for (uint32_t i = 0; i < s->count; i++) {
        struct wb_position past;

        WB_TRY(wb_demand_node_get(&d->nodes, &d->nodes.places, runs[i].first, &spans[i].first));
        if (wb_position_after(runs[i].last, &past))
            WB_TRY(wb_demand_node_get(&d->nodes, &d->nodes.places, past, &spans[i].past));
    }
    return WB_OK;
}

/* The node of an explicit bound: as a rule the one of the window's own edge. */
static enum wb_err acquire_bound(struct wb_demand *d, struct wb_bound bound,
                                 struct wb_demand_node *edge, struct wb_demand_node **out)
{
    if (!bound.present)
        return WB_OK;
    if (edge == NULL || !wb_position_equal(edge->key, bound.at))
        return wb_demand_node_get(&d->nodes, &d->nodes.places, bound.at, out);
    edge->refs++;
    *out = edge;
    return WB_OK;
}

static enum wb_err acquire(struct wb_demand *d, struct wb_subscriber *s, const struct wb_wish *wish,
                           const struct wb_window *window)
{
    size_t count;
    const struct wb_run *runs = wb_window_runs(window, &count);
    struct wb_demand_span *spans;
    enum wb_err err;

    *s = (struct wb_subscriber){.demand = d,
                                .priority = wish->priority,
                                .ordered = wish->ordered,
                                .count = (uint32_t)count};
    if (count == 0)
        return WB_OK;
    if (2 * (uint64_t)count + REFS_OF_WISH > REFS_MAX - d->refs)
        return WB_E_BOUNDS;
    if (count > 1) {
        s->as.many = wb_mem_take(d->mem, count * sizeof(*s->as.many));
        if (s->as.many == NULL)
            return WB_E_NOMEM;
        for (size_t i = 0; i < count; i++)
            s->as.many[i] = (struct wb_demand_span){0};
    }
    spans = spans_of(s);
    err = acquire_spans(d, s, runs);
    if (err == WB_OK)
        err = acquire_bound(d, wish->start, spans[0].first, &s->start);
    if (err == WB_OK)
        err = acquire_bound(d, wish->end, spans[count - 1].past, &s->end);
    if (err == WB_OK)
        err = wb_demand_node_get(&d->nodes, &d->nodes.ages,
                                 (struct wb_position){wish->max_age_ns, 0}, &s->age);
    if (err != WB_OK)
        release(d, s);
    return err;
}

/* ---- the fold -------------------------------------------------------------------------------- */

static uint8_t highest_priority(const struct wb_demand *d)
{
    unsigned word = PRIORITIES / 64;

    do
        word--;
    while (word > 0 && d->present[word] == 0);
    WB_ASSERT(d->present[word] != 0);
    return (uint8_t)(word * 64 + 63 - (unsigned)__builtin_clzll(d->present[word]));
}

static struct wb_bound bound_of(const struct wb_demand_node *n)
{
    return n == NULL ? (struct wb_bound){0} : wb_bound_at(n->key);
}

static void fold_in(struct wb_demand *d, const struct wb_subscriber *s)
{
    struct wb_wish *wish = &d->fold.wish;
    bool is_first = d->active++ == 0;
    unsigned priority = s->priority;

    if (d->priorities[priority]++ == 0)
        d->present[priority / 64] |= (uint64_t)1 << priority % 64;
    d->unordered += !s->ordered;
    d->endless += s->end == NULL;
    if (s->start != NULL && s->start->starts++ == 0)
        wb_demand_node_mark(s->start);
    if (s->end != NULL && s->end->ends++ == 0)
        wb_demand_node_mark(s->end);
    if (is_first) {
        d->fold = (struct wb_fold){
            true,
            {s->priority, s->ordered, s->age->key.group, bound_of(s->start), bound_of(s->end)}};
        d->is_touched = true;
        return;
    }
    if (priority > wish->priority || s->age->key.group > wish->max_age_ns ||
        (wish->ordered && !s->ordered)) {
        wish->priority = highest_priority(d);
        wish->ordered = d->unordered == 0;
        wish->max_age_ns = wb_demand_nodes_oldest(&d->nodes)->key.group;
        d->is_touched = true;
    }
    if (s->start != NULL &&
        (!wish->start.present || wb_position_less(s->start->key, wish->start.at))) {
        wish->start = wb_bound_at(s->start->key);
        d->is_touched = true;
    }
    if (wish->end.present && (s->end == NULL || wb_position_less(wish->end.at, s->end->key))) {
        wish->end = bound_of(s->end);
        d->is_touched = true;
    }
}

/* Takes the counts back; fold_out follows once the nodes are released. */
static void uncount(struct wb_demand *d, struct wb_subscriber *s)
{
    unsigned priority = s->priority;

    d->active--;
    if (--d->priorities[priority] == 0)
        d->present[priority / 64] &= ~((uint64_t)1 << priority % 64);
    d->unordered -= !s->ordered;
    d->endless -= s->end == NULL;
    if (s->start != NULL && --s->start->starts == 0)
        wb_demand_node_mark(s->start);
    if (s->end != NULL && --s->end->ends == 0)
        wb_demand_node_mark(s->end);
}

/* What the one who left alone had given to the fold is looked for among the others. */
static void fold_out(struct wb_demand *d, const struct wb_wish *left)
{
    struct wb_wish *wish = &d->fold.wish;

    if (d->active == 0) {
        d->fold = (struct wb_fold){0};
        d->is_touched = true;
        return;
    }
    if ((left->priority == wish->priority && d->priorities[left->priority] == 0) ||
        left->max_age_ns == wish->max_age_ns || (!wish->ordered && d->unordered == 0)) {
        wish->priority = highest_priority(d);
        wish->ordered = d->unordered == 0;
        wish->max_age_ns = wb_demand_nodes_oldest(&d->nodes)->key.group;
        d->is_touched = true;
    }
    if (left->start.present && wb_position_equal(left->start.at, wish->start.at)) {
        wish->start = bound_of(wb_demand_nodes_start(&d->nodes));
        d->is_touched = true;
    }
    if (d->endless == 0 && (!wish->end.present || wb_bound_equal(left->end, wish->end))) {
        wish->end = bound_of(wb_demand_nodes_end(&d->nodes));
        d->is_touched = true;
    }
}

/* ---- who comes and goes ---------------------------------------------------------------------- */

static void enter(struct wb_demand *d, struct wb_subscriber *s)
{
    const struct wb_demand_span *spans = spans_of(s);

    d->subscribers++;
    if (s->count == 0)
        return;
    d->refs += 2 * (uint64_t)s->count + REFS_OF_WISH;
    for (uint32_t i = 0; i < s->count; i++) {
        wb_demand_nodes_flip(&d->nodes, spans[i].first, spans[i].past);
        wb_demand_node_weigh(spans[i].first, 1);
        if (spans[i].past != NULL)
            wb_demand_node_weigh(spans[i].past, -1);
    }
    fold_in(d, s);
}

static void withdraw(struct wb_demand *d, struct wb_subscriber *s)
{
    const struct wb_demand_span *spans = spans_of(s);
    struct wb_wish left;

    d->subscribers--;
    if (s->count == 0)
        return;
    d->refs -= 2 * (uint64_t)s->count + REFS_OF_WISH;
    left = (struct wb_wish){s->priority, s->ordered, s->age->key.group, bound_of(s->start),
                            bound_of(s->end)};
    for (uint32_t i = 0; i < s->count; i++) {
        wb_demand_node_weigh(spans[i].first, -1);
        if (spans[i].past != NULL)
            wb_demand_node_weigh(spans[i].past, 1);
        wb_demand_nodes_flip(&d->nodes, spans[i].first, spans[i].past);
    }
    uncount(d, s);
    release(d, s);
    fold_out(d, &left);
}

enum wb_err wb_demand_join(struct wb_demand *d, struct wb_subscriber *s, const struct wb_wish *wish,
                           const struct wb_window *window)
{
    struct wb_subscriber fresh;

    WB_TRY(acquire(d, &fresh, wish, window));
    *s = fresh;
    enter(d, s);
    return WB_OK;
}

enum wb_err wb_demand_update(struct wb_demand *d, struct wb_subscriber *s,
                             const struct wb_wish *wish, const struct wb_window *window)
{
    struct wb_subscriber fresh;

    WB_ASSERT(s->demand == d);
    WB_TRY(acquire(d, &fresh, wish, window));
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
    *s = (struct wb_subscriber){0};
}

/* ---- observers ------------------------------------------------------------------------------- */

static bool is_same(const struct wb_fold *a, const struct wb_fold *b)
{
    return a->some == b->some && a->wish.priority == b->wish.priority &&
           a->wish.ordered == b->wish.ordered && a->wish.max_age_ns == b->wish.max_age_ns &&
           wb_bound_equal(a->wish.start, b->wish.start) && wb_bound_equal(a->wish.end, b->wish.end);
}

bool wb_demand_changed(struct wb_demand *d)
{
    bool changed = !LIST_EMPTY(&d->nodes.differing);

    if (d->is_touched) {
        changed = changed || !is_same(&d->fold, &d->seen);
        d->seen = d->fold;
        d->is_touched = false;
    }
    wb_demand_nodes_observe(&d->nodes);
    return changed;
}

const struct wb_fold *wb_demand_fold(const struct wb_demand *d)
{
    return &d->fold;
}

bool wb_demand_next(const struct wb_demand *d, struct wb_position from, struct wb_run *out)
{
    return wb_demand_nodes_next(&d->nodes, from, out);
}

bool wb_demand_hull(const struct wb_demand *d, struct wb_run *out)
{
    return wb_demand_nodes_hull(&d->nodes, out);
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

uint64_t wb_demand_nodes(const struct wb_demand *d)
{
    return d->nodes.count;
}

void wb_demand_check(const struct wb_demand *d)
{
    uint64_t active = 0;

    wb_demand_nodes_check(&d->nodes);
    for (unsigned i = 0; i < PRIORITIES; i++) {
        active += d->priorities[i];
        WB_ASSERT((d->present[i / 64] >> i % 64 & 1) == (d->priorities[i] > 0));
    }
    WB_ASSERT(active == d->active);
    WB_ASSERT(active <= d->subscribers);
    WB_ASSERT(d->unordered <= active);
    WB_ASSERT(d->endless <= active);
    WB_ASSERT(d->fold.some == (active > 0));
    if (active == 0) {
        WB_ASSERT(d->refs == 0);
        return;
    }
    WB_ASSERT(d->fold.wish.priority == highest_priority(d));
    WB_ASSERT(d->fold.wish.ordered == (d->unordered == 0));
    WB_ASSERT(d->fold.wish.max_age_ns == wb_demand_nodes_oldest(&d->nodes)->key.group);
    WB_ASSERT(wb_bound_equal(d->fold.wish.start, bound_of(wb_demand_nodes_start(&d->nodes))));
    WB_ASSERT(d->fold.wish.end.present == (d->endless == 0));
    if (d->endless == 0)
        WB_ASSERT(wb_bound_equal(d->fold.wish.end, bound_of(wb_demand_nodes_end(&d->nodes))));
}
