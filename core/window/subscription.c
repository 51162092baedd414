/*
 * subscription.c: a subscription's life, and the groups it parks. moq-lite, subscriptions.
 */
#include "core/window/subscription.h"

#include "core/window/subscription_own.h"

static uint64_t sequence_of(const struct wb_parked *p)
{
    return wb_group_sequence(p->group);
}

static int compare(const struct wb_parked *a, const struct wb_parked *b)
{
    return sequence_of(a) < sequence_of(b) ? -1 : sequence_of(a) > sequence_of(b);
}

RB_PROTOTYPE(wb_parked_tree, wb_parked, by_sequence, compare)
RB_GENERATE(wb_parked_tree, wb_parked, by_sequence, compare)

/* ---- parked groups --------------------------------------------------------------------------- */

struct wb_parked *wb_parked_of(struct wb_group_watch *watch)
{
    return (struct wb_parked *)(void *)((char *)watch - offsetof(struct wb_parked, watch));
}

struct wb_parked *wb_parked_lowest(struct wb_subscription *s)
{
    return RB_MIN(wb_parked_tree, &s->parked);
}

struct wb_parked *wb_parked_after(struct wb_parked *p)
{
    return RB_NEXT(wb_parked_tree, NULL, p);
}

bool wb_parked_has(struct wb_subscription *s, uint64_t sequence)
{
    struct wb_parked *p = RB_ROOT(&s->parked);

    while (p != NULL && sequence_of(p) != sequence)
        p = sequence < sequence_of(p) ? RB_LEFT(p, by_sequence) : RB_RIGHT(p, by_sequence);
    return p != NULL;
}

enum wb_err wb_parked_add(struct wb_subscription *s, struct wb_group *g)
{
    struct wb_parked *p = wb_mem_take(s->mem, sizeof(*p)), *twin;

    if (p == NULL)
        return WB_E_NOMEM;
    *p = (struct wb_parked){.group = wb_group_share(g)};
    wb_group_watch(g, &p->watch, &s->gone);
    twin = RB_INSERT(wb_parked_tree, &s->parked, p);
    WB_ASSERT(twin == NULL);
    s->parked_count++;
    return WB_OK;
}

void wb_parked_remove(struct wb_subscription *s, struct wb_parked *p)
{
    if (!p->is_gone)
        RB_REMOVE(wb_parked_tree, &s->parked, p);
    wb_group_unwatch(&p->watch);
    wb_group_drop(p->group);
    wb_mem_give(s->mem, p, sizeof(*p));
    s->parked_count--;
}

void wb_parked_sort(struct wb_subscription *s)
{
    for (struct wb_group_watch *w = s->gone.first; w != NULL; w = w->next) {
        struct wb_parked *p = wb_parked_of(w);

        if (p->is_gone)
            continue;
        RB_REMOVE(wb_parked_tree, &s->parked, p);
        p->is_gone = true;
    }
}

void wb_parked_review(struct wb_subscription *s)
{
    struct wb_parked *p, *next;

    wb_parked_sort(s);
    for (p = wb_parked_lowest(s); p != NULL; p = next) {
        enum wb_place place = wb_subscription_place(s, sequence_of(p));

        if (place == WB_PLACE_PARKED)
            return; /* so are all above */
        next = wb_parked_after(p);
        if (place == WB_PLACE_WANTED)
            continue;
        s->has_passed = true;
        wb_parked_remove(s, p);
    }
}

/* ---- life ------------------------------------------------------------------------------------ */

/*
 * The live edge as of now, or NULL; until there is one, the first arrival from now on will be it.
 */
static const struct wb_group *look_live(struct wb_subscription *s)
{
    const struct wb_group *latest = wb_track_below(s->track, UINT64_MAX);

    s->live_from = wb_track_arrivals(s->track);
    if (latest != NULL)
        s->live = wb_bound_at(wb_position_group(wb_group_sequence(latest)));
    return latest;
}

/* Alone, it has no use for what arrived before the live edge: all of that is below it. */
static void start_live(struct wb_subscription *s)
{
    const struct wb_group *latest = look_live(s);
    uint64_t arrival;

    if (latest == NULL || s->asked.count > 1 || !wb_track_arrived(latest, &arrival))
        return;
    s->arrival = arrival;
    s->has_passed = arrival > 0;
}

enum wb_err wb_subscription_init(struct wb_subscription *s, struct wb_mem *mem,
                                 struct wb_track *track, struct wb_demand *demand,
                                 const struct wb_subscription_config *config)
{
    struct wb_wish wish;
    enum wb_err err;

    WB_TRY(wb_requests_take(&s->asked, mem, config));
    s->mem = mem;
    s->track = track;
    s->demand = demand;
    wb_window_init(&s->window);
    wb_window_init(&s->done);
    s->cap.present = s->live.present = false;
    s->live_from = WB_LIVE_UNASKED;
    s->arrival = s->learned = s->ascended = 0;
    RB_INIT(&s->parked);
    wb_group_watches_init(&s->gone);
    s->parked_count = 0;
    s->has_ascended_all = s->has_passed = s->is_unresolved = s->has_closed = false;
    s->done_max = config->done_max;
    if (s->asked.has_live)
        start_live(s);
    if (s->asked.has_time)
        (void)wb_requests_learn(&s->asked, track, &s->learned);
    err = wb_requests_resolve(&s->asked, s->live, mem, &s->window, &wish);
    if (err == WB_OK)
        err = wb_demand_join(demand, &s->subscriber, &wish, &s->window);
    if (err != WB_OK) {
        wb_window_fini(&s->window, mem);
        wb_requests_fini(&s->asked, mem);
    }
    return err;
}

void wb_subscription_fini(struct wb_subscription *s)
{
    struct wb_parked *p;

    wb_demand_leave(s->demand, &s->subscriber);
    if (s->parked_count > 0)
        wb_parked_sort(s);
    while (s->gone.first != NULL)
        wb_parked_remove(s, wb_parked_of(s->gone.first));
    while (s->parked_count > 0 && (p = wb_parked_lowest(s)) != NULL)
        wb_parked_remove(s, p);
    if (s->window.capacity > 0)
        wb_window_fini(&s->window, s->mem);
    if (s->done.capacity > 0)
        wb_window_fini(&s->done, s->mem);
    if (s->asked.count > 1)
        wb_requests_fini(&s->asked, s->mem);
}

enum wb_err wb_subscription_update(struct wb_subscription *s,
                                   const struct wb_subscription_config *config)
{
    struct wb_requests asked;
    struct wb_window window;
    struct wb_wish wish;
    struct wb_bound live = s->live;
    uint64_t live_from = s->live_from, learned = 0;
    enum wb_err err;

    WB_TRY(wb_requests_take(&asked, s->mem, config));
    if (asked.has_live && !s->live.present) {
        if (s->live_from == WB_LIVE_UNASKED)
            (void)look_live(s);
        else
            (void)wb_subscription_find_live(s);
    }
    if (asked.has_time)
        (void)wb_requests_learn(&asked, s->track, &learned);
    wb_window_init(&window);
    err = wb_requests_resolve(&asked, s->live, s->mem, &window, &wish);
    if (err == WB_OK) {
        err = wb_demand_update(s->demand, &s->subscriber, &wish, &window);
        if (err != WB_OK)
            wb_window_fini(&window, s->mem);
    }
    if (err != WB_OK) {
        wb_requests_fini(&asked, s->mem);
        s->live = live;
        s->live_from = live_from;
        return err;
    }
    wb_requests_fini(&s->asked, s->mem);
    s->asked = asked;
    s->learned = learned;
    s->is_unresolved = false;
    if (s->has_passed && !wb_window_equal(&window, &s->window)) {
        s->arrival = 0;
        s->has_passed = false;
    }
    wb_window_fini(&s->window, s->mem);
    s->window = window;
    wb_parked_review(s);
    return WB_OK;
}

void wb_subscription_cap(struct wb_subscription *s, struct wb_bound end_exclusive)
{
    s->cap = end_exclusive;
    wb_parked_review(s);
}

const struct wb_window *wb_subscription_window(const struct wb_subscription *s)
{
    return &s->window;
}

const struct wb_window *wb_subscription_done(const struct wb_subscription *s)
{
    return &s->done;
}

uint64_t wb_subscription_parked(const struct wb_subscription *s)
{
    return s->parked_count;
}

void wb_subscription_check(const struct wb_subscription *s)
{
    struct wb_subscription *own = (struct wb_subscription *)(uintptr_t)s;
    struct wb_parked *p, *last = NULL;
    uint64_t parked = 0;

    wb_window_check(&s->window);
    wb_window_check(&s->done);
    WB_ASSERT(s->done.count <= wb_subscription_done_max(s));
    WB_ASSERT(s->subscriber.demand == s->demand);
    WB_ASSERT(s->arrival <= wb_track_arrivals(s->track));
    WB_ASSERT(s->learned <= wb_track_arrivals(s->track));
    RB_FOREACH(p, wb_parked_tree, &own->parked)
    {
        WB_ASSERT(!p->is_gone);
        WB_ASSERT(p->watch.at != NULL);
        if (last != NULL)
            WB_ASSERT(sequence_of(last) < sequence_of(p));
        WB_ASSERT(s->has_closed ||
                  !wb_window_contains(&s->done, wb_position_group(sequence_of(p))));
        last = p;
        parked++;
    }
    for (const struct wb_group_watch *w = s->gone.first; w != NULL; w = w->next)
        parked += wb_parked_of((struct wb_group_watch *)(uintptr_t)w)->is_gone;
    WB_ASSERT(parked == s->parked_count);
}
