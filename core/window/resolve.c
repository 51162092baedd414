/*
 * resolve.c: from requests to spans. moq-lite, subscriptions and ranges.
 */
#include "core/window/subscription_own.h"
#include "core/window/window_list.h"

struct wb_request *wb_requests_list(struct wb_requests *asked)
{
    return asked->count > 1 ? asked->as.many : &asked->as.one;
}

static enum wb_err judge(const struct wb_request *r)
{
    switch (r->kind) {
    case WB_REQUEST_RANGE:
        return r->range.end.present && wb_position_less(r->range.end.at, r->range.start)
                   ? WB_E_RANGE
                   : WB_OK;
    case WB_REQUEST_TIME:
        return r->t1 < r->t0 ? WB_E_RANGE : WB_OK;
    case WB_REQUEST_LIVE:
        return WB_OK;
    }
    WB_UNREACHABLE();
}

enum wb_err wb_requests_take(struct wb_requests *out, struct wb_mem *mem,
                             const struct wb_subscription_config *config)
{
    static const struct wb_request live = {.kind = WB_REQUEST_LIVE};
    const struct wb_request *from = config->count > 0 ? config->requests : &live;
    size_t count = config->count > 0 ? config->count : 1;
    struct wb_request *list = &out->as.one;

    if (count > WB_REQUESTS_MAX)
        return WB_E_BOUNDS;
    for (size_t i = 0; i < count; i++)
        WB_TRY(judge(&from[i]));
    if (count > 1) {
        list = wb_mem_take(mem, count * sizeof(*list));
        if (list == NULL)
            return WB_E_NOMEM;
        out->as.many = list;
    }
    out->count = (uint8_t)count;
    out->priority = config->priority;
    out->ordered = config->ordered;
    out->has_live = out->has_time = false;
    out->max_age_ns = config->max_age_ns;
    out->timescale = config->timescale;
    for (size_t i = 0; i < count; i++) {
        list[i] = from[i];
        if (from[i].kind == WB_REQUEST_LIVE)
            out->has_live = true;
        if (from[i].kind != WB_REQUEST_TIME)
            continue;
        out->has_time = true;
        list[i].range = (struct wb_range){0}; /* nothing is learned yet */
    }
    return WB_OK;
}

void wb_requests_fini(struct wb_requests *asked, struct wb_mem *mem)
{
    if (asked->count > 1)
        wb_mem_give(mem, asked->as.many, asked->count * sizeof(*asked->as.many));
    asked->count = 0;
}

/* What the request is as of now; false when that is nothing. */
static bool run_of(const struct wb_request *r, struct wb_bound live, struct wb_run *out)
{
    struct wb_position start = r->range.start;

    if (r->kind == WB_REQUEST_LIVE)
        start = live.present ? live.at : WB_POSITION_FIRST;
    else if (r->kind == WB_REQUEST_TIME && r->t0 == r->t1)
        return false;
    out->first = start;
    out->last = WB_POSITION_LAST;
    if (!r->range.end.present)
        return true;
    if (!wb_position_less(start, r->range.end.at))
        return false;
    WB_ASSERT(wb_position_before(r->range.end.at, &out->last)); /* the start is before it */
    return true;
}

enum wb_err wb_requests_resolve(struct wb_requests *asked, struct wb_bound live, struct wb_mem *mem,
                                struct wb_window *out, struct wb_wish *out_wish)
{
    const struct wb_request *list = wb_requests_list(asked);
    bool is_live = true; /* also when nothing is asked for */

    for (uint8_t i = 0; i < asked->count; i++) {
        struct wb_run run;
        enum wb_err err;

        if (!run_of(&list[i], live, &run))
            continue;
        is_live = is_live && list[i].kind == WB_REQUEST_LIVE;
        err = wb_window_add_run(out, mem, &run);
        if (err != WB_OK) {
            wb_window_fini(out, mem);
            return err;
        }
    }
    *out_wish = (struct wb_wish){asked->priority, asked->ordered, is_live, asked->max_age_ns};
    return WB_OK;
}

/* ---- what the track tells -------------------------------------------------------------------- */

bool wb_subscription_find_live(struct wb_subscription *s)
{
    uint64_t arrival = s->live_from;
    const struct wb_group *g = wb_track_arrival(s->track, &arrival);

    if (g == NULL)
        return false;
    s->live = wb_bound_at(wb_position_group(wb_group_sequence(g)));
    return true;
}

static bool learn(struct wb_request *r, uint64_t timestamp, uint64_t sequence)
{
    struct wb_position at = wb_position_group(sequence);
    struct wb_range *span = &r->range;

    if (r->kind != WB_REQUEST_TIME || r->t0 == r->t1) /* no time at all asks for nothing */
        return false;
    if (timestamp <= r->t0 && wb_position_less(span->start, at)) {
        span->start = at;
        return true;
    }
    if (timestamp >= r->t1 && (!span->end.present || wb_position_less(at, span->end.at))) {
        span->end = wb_bound_at(at);
        return true;
    }
    return false;
}

bool wb_requests_learn(struct wb_requests *asked, const struct wb_track *track, uint64_t *learned)
{
    struct wb_request *list = wb_requests_list(asked);
    const struct wb_group *g;
    uint64_t timestamp, total;
    bool news = false;

    while ((g = wb_track_arrival(track, learned)) != NULL) {
        bool has_stamp = wb_group_first_timestamp(g, &timestamp);

        if (!has_stamp && !wb_group_finished(g, &total))
            return news;
        for (uint8_t i = 0; has_stamp && i < asked->count; i++)
            news = learn(&list[i], timestamp, wb_group_sequence(g)) || news;
        (*learned)++;
    }
    *learned = wb_track_arrivals(track);
    return news;
}

enum wb_err wb_subscription_resolve(struct wb_subscription *s)
{
    struct wb_window window;
    struct wb_wish wish;
    enum wb_err err;

    if (s->asked.has_live && !s->live.present && wb_subscription_find_live(s))
        s->is_unresolved = true;
    if (s->asked.has_time && wb_requests_learn(&s->asked, s->track, &s->learned))
        s->is_unresolved = true;
    if (!s->is_unresolved)
        return WB_OK;
    wb_window_init(&window);
    WB_TRY(wb_requests_resolve(&s->asked, s->live, s->mem, &window, &wish));
    err = wb_demand_update(s->demand, &s->subscriber, &wish, &window);
    if (err != WB_OK) {
        wb_window_fini(&window, s->mem);
        return err;
    }
    wb_window_fini(&s->window, s->mem);
    s->window = window;
    s->is_unresolved = false;
    wb_parked_review(s);
    return WB_OK;
}
