#include "oracles/ref_subscription.h"

#define MAX  UINT64_MAX
#define NONE SIZE_MAX

/* ---- groups of the track --------------------------------------------------------------------- */

/* The live arrival with the lowest number at or past `from`. */
static size_t arrival_from(const struct ref_sub_track *t, uint64_t from)
{
    size_t best = NONE;

    for (size_t i = 0; i < t->count; i++) {
        const struct ref_sub_group *g = &t->groups[i];

        if (g->live && g->arrived && g->arrival >= from &&
            (best == NONE || g->arrival < t->groups[best].arrival))
            best = i;
    }
    return best;
}

size_t ref_sub_highest(const struct ref_sub_track *t, struct wb_bound cap)
{
    size_t best = NONE;

    for (size_t i = 0; i < t->count; i++) {
        const struct ref_sub_group *g = &t->groups[i];
        struct wb_position first = {g->sequence, 0};

        if (g->live && (!cap.present || ref_position_order(first, cap.at) < 0) &&
            (best == NONE || g->sequence > t->groups[best].sequence))
            best = i;
    }
    return best;
}

/* ---- requests -------------------------------------------------------------------------------- */

enum wb_err ref_sub_status(const struct ref_sub_asked *asked)
{
    for (size_t i = 0; i < asked->count; i++) {
        const struct ref_sub_request *r = &asked->requests[i];

        if (r->kind == REF_SUB_RANGE && ref_range_status(&r->range) != WB_OK)
            return WB_E_RANGE;
        if (r->kind == REF_SUB_TIME && r->t1 < r->t0)
            return WB_E_RANGE;
    }
    return WB_OK;
}

static bool has_kind(const struct ref_sub *s, enum ref_sub_kind kind)
{
    for (size_t i = 0; i < s->asked.count; i++) {
        if (s->asked.requests[i].kind == kind)
            return true;
    }
    return s->asked.count == 0 && kind == REF_SUB_LIVE;
}

/* What a request resolves to; false when that is nothing. */
static bool span_of(const struct ref_sub *s, const struct ref_sub_request *r, struct wb_range *out)
{
    *out = r->range;
    if (r->kind == REF_SUB_LIVE) {
        out->start = (struct wb_position){s->has_live ? s->live : 0, 0};
    } else if (r->kind == REF_SUB_TIME) {
        if (r->t0 == r->t1)
            return false;
        out->start = (struct wb_position){r->begin, 0};
        out->end = (struct wb_bound){r->has_end, {r->end, 0}};
    }
    return !out->end.present || ref_position_order(out->start, out->end.at) < 0;
}

static void learn(struct ref_sub *s, const struct ref_sub_track *t)
{
    size_t i;

    while (has_kind(s, REF_SUB_TIME) && (i = arrival_from(t, s->learned)) != NONE) {
        const struct ref_sub_group *g = &t->groups[i];

        if (!g->has_first && !g->finished)
            return;
        for (size_t k = 0; k < s->asked.count; k++) {
            struct ref_sub_request *r = &s->asked.requests[k];

            if (r->kind != REF_SUB_TIME || !g->has_first) /* no first timestamp: it begins never */
                continue;
            if (g->first_stamp <= r->t0 && g->sequence > r->begin)
                r->begin = g->sequence;
            if (g->first_stamp >= r->t1 && (!r->has_end || g->sequence < r->end)) {
                r->has_end = true;
                r->end = g->sequence;
            }
        }
        s->learned = g->arrival + 1;
    }
}

static void resolve(struct ref_sub *s, const struct ref_sub_track *t)
{
    static const struct ref_sub_request live = {.kind = REF_SUB_LIVE};
    size_t first = arrival_from(t, s->live_from);
    struct wb_range span;

    if (has_kind(s, REF_SUB_LIVE) && !s->has_live && first != NONE) {
        s->has_live = true;
        s->live = t->groups[first].sequence;
    }
    learn(s, t);
    ref_window_init(&s->window);
    s->is_live = true;
    for (size_t i = 0; i < s->asked.count || i == 0; i++) {
        const struct ref_sub_request *r = s->asked.count == 0 ? &live : &s->asked.requests[i];

        if (!span_of(s, r, &span))
            continue;
        (void)ref_window_add(&s->window, &span); /* 64 requests are never too many */
        s->is_live = s->is_live && r->kind == REF_SUB_LIVE;
    }
}

/* The edge is looked for by the first request that follows it, and found at once or with the first
   arrival from then on. */
static void ask(struct ref_sub *s, const struct ref_sub_track *t, const struct ref_sub_asked *asked)
{
    size_t latest = ref_sub_highest(t, (struct wb_bound){0});

    s->asked.count = asked->count;
    s->asked.max_age_ns = asked->max_age_ns;
    s->asked.timescale = asked->timescale;
    s->learned = 0;
    for (size_t i = 0; i < s->asked.count; i++) {
        s->asked.requests[i] = asked->requests[i];
        s->asked.requests[i].begin = 0;
        s->asked.requests[i].has_end = false;
    }
    if (has_kind(s, REF_SUB_LIVE) && !s->wants_live) {
        s->wants_live = true;
        s->has_live = latest != NONE;
        s->live = latest != NONE ? t->groups[latest].sequence : 0;
        s->live_from = t->arrivals;
    }
}

/* ---- what a group is ------------------------------------------------------------------------- */

/* Its first position in the window, if it has one. */
static bool first_in(const struct ref_sub *s, uint64_t sequence, struct wb_position *out)
{
    return ref_window_next_in(&s->window, (struct wb_position){sequence, 0}, out) &&
           out->group == sequence;
}

/* The lower of the cap and the end of the window; false when there is neither. */
static bool limit_of(const struct ref_sub *s, struct wb_position *out)
{
    bool has =
        s->window.count > 0 && ref_position_next(s->window.runs[s->window.count - 1].last, out);

    if (s->cap.present && (!has || ref_position_order(s->cap.at, *out) < 0)) {
        *out = s->cap.at;
        has = true;
    }
    return has;
}

enum ref_sub_view ref_sub_view(const struct ref_sub *s, uint64_t sequence)
{
    struct wb_position first = {sequence, 0}, limit;
    bool is_in = first_in(s, sequence, &first), has_limit = limit_of(s, &limit);

    if (s->window.count == 0)
        return REF_SUB_OUTSIDE;
    if (!is_in)
        first = (struct wb_position){sequence, 0};
    if (has_limit && ref_position_order(first, limit) >= 0)
        return REF_SUB_PAST;
    return is_in ? REF_SUB_WANTED : REF_SUB_OUTSIDE;
}

/* The last position of the group that is in the window and below the limit; it has one. */
static uint64_t last_frame(const struct ref_sub *s, uint64_t sequence)
{
    struct wb_position at = {sequence, MAX}, limit;

    if (limit_of(s, &limit) && ref_position_order(limit, at) <= 0)
        (void)ref_position_prior(limit, &at);
    for (size_t i = s->window.count; i-- > 0;) {
        const struct wb_run *run = &s->window.runs[i];

        if (ref_position_order(run->first, at) > 0)
            continue;
        return ref_position_order(run->last, at) < 0 ? run->last.frame : at.frame;
    }
    return at.frame;
}

bool ref_sub_part(const struct ref_sub *s, uint64_t sequence, uint64_t *out_first,
                  uint64_t *out_last)
{
    struct wb_position first;

    if (ref_sub_view(s, sequence) != REF_SUB_WANTED || !first_in(s, sequence, &first))
        return false;
    *out_first = first.frame;
    *out_last = last_frame(s, sequence);
    return true;
}

bool ref_sub_waits(const struct ref_sub *s, const struct ref_sub_group *g)
{
    return has_kind(s, REF_SUB_TIME) && g->arrival >= s->learned;
}

bool ref_sub_is_done(const struct ref_sub *s, uint64_t sequence)
{
    for (size_t i = 0; i < s->done_count; i++) {
        if (s->done[i] == sequence)
            return true;
    }
    return false;
}

bool ref_sub_is_remembered(const struct ref_sub *s, uint64_t sequence)
{
    return ref_window_contains(&s->remembered, (struct wb_position){sequence, 0});
}

/* ---- what comes next ------------------------------------------------------------------------- */

/* The lowest hole between what is remembered is filled, as often as there are too many. */
static void over(struct ref_sub *s, const struct ref_sub_track *t, size_t group)
{
    uint64_t sequence = t->groups[group].sequence;
    struct wb_range whole = {{sequence, 0}, {sequence < MAX, {sequence + 1, 0}}};

    s->place[group] = REF_SUB_OVER;
    s->done[s->done_count++] = sequence;
    (void)ref_window_add(&s->remembered, &whole); /* no more runs than entries */
    while (s->remembered.count > s->done_max) {
        struct wb_range hole = {.end = {true, s->remembered.runs[1].first}};

        (void)ref_position_next(s->remembered.runs[0].last, &hole.start);
        (void)ref_window_add(&s->remembered, &hole);
    }
}

/* A group that is wanted: delivered, or dropped when it is stale. */
static struct ref_sub_next give(struct ref_sub *s, const struct ref_sub_track *t, size_t group,
                                uint64_t now_ns, bool take)
{
    struct ref_sub_next out = {.status = WB_OK, .group = group};
    const struct ref_sub_group *g = &t->groups[group];

    if (ref_sub_is_stale(s, t, group, now_ns))
        out.reason = WB_E_OLD;
    else if (ref_sub_part(s, g->sequence, &out.first, &out.last) && out.first < g->first_kept)
        out.first = g->first_kept;
    if (take)
        over(s, t, group);
    return out;
}

/* The parked one with the lowest number that is live. */
static size_t lowest_parked(const struct ref_sub *s, const struct ref_sub_track *t)
{
    size_t best = NONE;

    for (size_t i = 0; i < t->count; i++) {
        if (s->place[i] == REF_SUB_PARKED &&
            (best == NONE || t->groups[i].sequence < t->groups[best].sequence))
            best = i;
    }
    return best;
}

/* Those of whom nothing is wanted any more are passed over, and seen again like any other. */
static void forget(struct ref_sub *s, const struct ref_sub_track *t)
{
    for (size_t i = 0; i < t->count; i++) {
        if (s->place[i] == REF_SUB_PARKED &&
            ref_sub_view(s, t->groups[i].sequence) == REF_SUB_OUTSIDE) {
            s->place[i] = REF_SUB_PASSED;
            s->has_passed = true;
        }
    }
}

static struct ref_sub_next take_gone(struct ref_sub *s, const struct ref_sub_track *t, bool take)
{
    size_t group = s->gone[0];
    struct ref_sub_next out = {.status = WB_OK, .group = group, .reason = t->groups[group].reason};

    if (!take)
        return out;
    over(s, t, group);
    s->gone_count--;
    for (size_t i = 0; i < s->gone_count; i++)
        s->gone[i] = s->gone[i + 1];
    return out;
}

/* The track is finished, and the last number below its boundary was used. */
static bool is_used_up(const struct ref_sub_track *t)
{
    return t->finished && (t->boundary == 0 || (t->has_highest && t->highest >= t->boundary - 1));
}

static struct ref_sub_next nothing(const struct ref_sub *s, const struct ref_sub_track *t,
                                   bool is_waiting)
{
    if (t->reason != WB_OK)
        return (struct ref_sub_next){.status = t->reason};
    if (is_used_up(t) && !is_waiting && ref_sub_parked(s) == 0)
        return (struct ref_sub_next){.status = WB_END};
    return (struct ref_sub_next){.status = WB_MORE};
}

struct ref_sub_next ref_sub_next(struct ref_sub *s, const struct ref_sub_track *t, uint64_t now_ns,
                                 bool take)
{
    size_t i;

    resolve(s, t);
    forget(s, t);
    if (s->gone_count > 0)
        return take_gone(s, t, take);
    i = lowest_parked(s, t);
    if (i != NONE && !ref_sub_waits(s, &t->groups[i]) &&
        ref_sub_view(s, t->groups[i].sequence) == REF_SUB_WANTED)
        return give(s, t, i, now_ns, take);
    while ((i = arrival_from(t, s->seen)) != NONE) {
        const struct ref_sub_group *g = &t->groups[i];
        enum ref_sub_view view = ref_sub_view(s, g->sequence);

        if (ref_sub_is_remembered(s, g->sequence))
            view = REF_SUB_OUTSIDE;
        else if (ref_sub_waits(s, g))
            return nothing(s, t, true);
        if (s->place[i] == REF_SUB_PARKED)
            view = REF_SUB_OUTSIDE;
        if (view != REF_SUB_WANTED || take)
            s->seen = g->arrival + 1;
        if (view == REF_SUB_WANTED)
            return give(s, t, i, now_ns, take);
        if (s->place[i] != REF_SUB_PARKED)
            s->place[i] = view == REF_SUB_PAST ? REF_SUB_PARKED : REF_SUB_PASSED;
        s->has_passed = s->has_passed || view == REF_SUB_OUTSIDE;
    }
    return nothing(s, t, false);
}

struct ref_sub_next ref_sub_ascend(struct ref_sub *s, const struct ref_sub_track *t)
{
    size_t best = NONE;

    for (size_t i = 0; i < t->count; i++) {
        const struct ref_sub_group *g = &t->groups[i];

        if (g->live && g->arrived && (!s->has_ascended || g->sequence > s->ascended) &&
            ref_sub_view(s, g->sequence) == REF_SUB_WANTED &&
            (best == NONE || g->sequence < t->groups[best].sequence))
            best = i;
    }
    if (best != NONE) {
        s->has_ascended = true;
        s->ascended = t->groups[best].sequence;
        return (struct ref_sub_next){.status = WB_OK, .group = best};
    }
    if (t->reason != WB_OK)
        return (struct ref_sub_next){.status = t->reason};
    for (size_t i = 0; i < t->count; i++) {
        const struct ref_sub_group *g = &t->groups[i];

        if (g->live && g->arrived && (!s->has_ascended || g->sequence > s->ascended) &&
            ref_sub_view(s, g->sequence) == REF_SUB_PAST)
            return (struct ref_sub_next){.status = WB_MORE};
    }
    return (struct ref_sub_next){.status = is_used_up(t) ? WB_END : WB_MORE};
}

uint64_t ref_sub_parked(const struct ref_sub *s)
{
    uint64_t n = s->gone_count;

    for (size_t i = 0; i < REF_SUB_GROUPS; i++)
        n += s->place[i] == REF_SUB_PARKED;
    return n;
}

/* ---- changes --------------------------------------------------------------------------------- */

/* The live edge alone: what arrived before it is passed over, whatever the cap will be. */
static void pass_to_live(struct ref_sub *s, const struct ref_sub_track *t)
{
    size_t edge = ref_sub_highest(t, (struct wb_bound){0});

    if (s->asked.count > 1 || !has_kind(s, REF_SUB_LIVE) || edge == NONE ||
        !t->groups[edge].arrived)
        return;
    s->seen = t->groups[edge].arrival;
    s->has_passed = s->seen > 0;
}

void ref_sub_init(struct ref_sub *s, const struct ref_sub_track *t,
                  const struct ref_sub_asked *asked, size_t done_max)
{
    s->done_max = done_max;
    ref_window_init(&s->remembered);
    s->wants_live = s->has_live = s->has_ascended = false;
    s->live_from = s->live = s->seen = 0;
    s->has_passed = false;
    s->cap = (struct wb_bound){.present = false};
    s->gone_count = s->done_count = 0;
    for (size_t i = 0; i < REF_SUB_GROUPS; i++)
        s->place[i] = REF_SUB_UNSEEN;
    ask(s, t, asked);
    resolve(s, t);
    pass_to_live(s, t);
}

void ref_sub_update(struct ref_sub *s, const struct ref_sub_track *t,
                    const struct ref_sub_asked *asked)
{
    static struct ref_window before;
    bool has_changed;

    ref_window_copy(&before, &s->window);
    ask(s, t, asked);
    resolve(s, t);
    has_changed = !ref_window_equal(&before, &s->window);
    if (has_changed && s->has_passed) {
        s->seen = 0;
        s->has_passed = false;
    }
    forget(s, t);
}

void ref_sub_cap(struct ref_sub *s, const struct ref_sub_track *t, struct wb_bound cap)
{
    s->cap = cap;
    forget(s, t);
}

void ref_sub_gone(struct ref_sub *s, size_t group)
{
    if (s->place[group] != REF_SUB_PARKED)
        return;
    s->place[group] = REF_SUB_TOLD;
    s->gone[s->gone_count++] = group;
}
