/*
 * deliver.c: what a subscription gives, in which order, and when it ends. moq-lite, subscriptions;
 * cases of groups and cursors.
 */
#include "core/window/subscription_own.h"
#include "core/window/window_list.h"

#define SECOND UINT64_C(1000000000)

/* ---- where a group is ------------------------------------------------------------------------ */

enum wb_place wb_subscription_place(const struct wb_subscription *s, uint64_t sequence)
{
    struct wb_position at = wb_position_group(sequence), in;
    bool meets;

    if (wb_window_is_empty(&s->window))
        return WB_PLACE_OUTSIDE;
    if (!wb_window_next_in(&s->window, at, &in))
        return WB_PLACE_PARKED; /* past the end */
    meets = in.group == sequence;
    if (s->cap.present && !wb_position_less(meets ? in : at, s->cap.at))
        return WB_PLACE_PARKED;
    return meets ? WB_PLACE_WANTED : WB_PLACE_OUTSIDE;
}

/* The first and the last position of a wanted group that are to be given. */
static struct wb_run part_of(const struct wb_subscription *s, uint64_t sequence)
{
    const struct wb_position end = {sequence, UINT64_MAX};
    struct wb_run part = {.last = end};
    struct wb_position before;
    size_t count, i;
    const struct wb_run *runs = wb_window_runs(&s->window, &count);

    WB_ASSERT(wb_window_next_in(&s->window, wb_position_group(sequence), &part.first));
    i = wb_runs_beginning_after(runs, 0, count, end);
    WB_ASSERT(i > 0);
    if (wb_position_less(runs[i - 1].last, part.last))
        part.last = runs[i - 1].last;
    if (s->cap.present && wb_position_before(s->cap.at, &before) &&
        wb_position_less(before, part.last))
        part.last = before;
    return part;
}

/* ---- age ------------------------------------------------------------------------------------- */

static void multiply(uint64_t a, uint64_t b, uint64_t out[2])
{
    uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
    uint64_t one = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    uint64_t two = (a & UINT32_MAX) * (b >> 32) + (one & UINT32_MAX);

    out[0] = (a >> 32) * (b >> 32) + (one >> 32) + (two >> 32);
    out[1] = two << 32 | (low & UINT32_MAX);
}

/* Are so many units of a second's `timescale` at least `age_ns`? */
static bool reaches(uint64_t units, uint64_t timescale, uint64_t age_ns)
{
    uint64_t a[2], b[2];

    multiply(units, SECOND, a);
    multiply(age_ns, timescale, b);
    return a[0] > b[0] || (a[0] == b[0] && a[1] >= b[1]);
}

/* The live edge, when it is above the group. */
static const struct wb_group *edge_above(const struct wb_subscription *s, const struct wb_group *g)
{
    struct wb_position last = WB_POSITION_LAST;
    const struct wb_group *edge;

    if (s->cap.present && !wb_position_before(s->cap.at, &last))
        return NULL;
    edge = wb_track_below(s->track, last.group);
    return edge != NULL && wb_group_sequence(edge) > wb_group_sequence(g) ? edge : NULL;
}

/* By its timestamps alone. */
static bool lags(const struct wb_subscription *s, const struct wb_group *g,
                 const struct wb_group *edge)
{
    const struct wb_group *next = wb_track_above(s->track, wb_group_sequence(g), false);
    uint64_t reach, now;

    if (s->asked.timescale == 0 || next == NULL || !wb_group_first_timestamp(next, &reach) ||
        !wb_group_first_timestamp(edge, &now))
        return false;
    return now >= reach && reaches(now - reach, s->asked.timescale, s->asked.max_age_ns);
}

uint64_t wb_subscription_deadline(const struct wb_subscription *s, const struct wb_group *g)
{
    const struct wb_group *edge;
    uint64_t touched = wb_track_touched_ns(g);

    if (s->asked.max_age_ns == WB_DEMAND_NO_AGE)
        return UINT64_MAX;
    edge = edge_above(s, g);
    if (edge == NULL)
        return UINT64_MAX;
    if (lags(s, g, edge))
        return 0;
    return s->asked.max_age_ns > UINT64_MAX - touched ? UINT64_MAX : touched + s->asked.max_age_ns;
}

static bool is_stale(const struct wb_subscription *s, const struct wb_group *g, uint64_t now_ns)
{
    uint64_t deadline = wb_subscription_deadline(s, g);

    return deadline != UINT64_MAX && now_ns >= deadline;
}

/* A reader at its end takes it anew: to where the window ends in its group now, if that is later.
 */
static void raise_end(const struct wb_subscription *s, struct wb_group_reader *r)
{
    uint64_t sequence = wb_group_sequence(r->group);
    struct wb_run part;

    if (wb_subscription_place(s, sequence) != WB_PLACE_WANTED)
        return;
    part = part_of(s, sequence);
    if (part.last.frame <= r->end)
        return;
    if (part.last.frame == UINT64_MAX)
        wb_group_reader_lift(r);
    else
        wb_group_reader_end_at(r, part.last.frame);
    if (part.first.frame > r->index)
        wb_group_reader_start_at(r, part.first.frame);
}

enum wb_err wb_subscription_read(const struct wb_subscription *s, struct wb_group_reader *r,
                                 uint64_t now_ns, struct wb_group_frame *out)
{
    enum wb_err err;

    if (r->capped && r->index > r->end)
        raise_end(s, r);
    err = wb_group_next(r, out);
    return err == WB_MORE && is_stale(s, r->group, now_ns) ? WB_E_OLD : err;
}

/* ---- the next one ---------------------------------------------------------------------------- */

struct found {
    struct wb_group *group;   /* NULL: nothing; borrowed */
    struct wb_parked *parked; /* NULL: an arrival */
    enum wb_err reason;       /* WB_OK: it is delivered */
};

/* How the track stands when it has nothing to deliver. */
static enum wb_err ending(const struct wb_subscription *s)
{
    uint64_t boundary, highest;

    WB_TRY(wb_track_aborted(s->track));
    if (!wb_track_finished(s->track, &boundary))
        return WB_MORE;
    if (boundary == 0)
        return WB_END;
    return wb_track_highest(s->track, &highest) && highest >= boundary - 1 ? WB_END : WB_MORE;
}

static bool is_done(const struct wb_subscription *s, uint64_t sequence)
{
    return wb_window_contains(&s->done, wb_position_group(sequence));
}

/* Does it wait for its first frame, or behind one that does? */
static bool is_unjudged(const struct wb_subscription *s, uint64_t arrival)
{
    return s->asked.has_time && arrival >= s->learned;
}

/* From the arrival at hand on. WB_END: there is none; WB_MORE: the next is not judged yet. */
static enum wb_err find_arrival(struct wb_subscription *s, struct found *out)
{
    struct wb_group *g;

    while ((g = wb_track_arrival(s->track, &s->arrival)) != NULL) {
        uint64_t sequence = wb_group_sequence(g);
        enum wb_place place;

        if (is_unjudged(s, s->arrival) && !is_done(s, sequence))
            return WB_MORE;
        place = is_done(s, sequence) || wb_parked_has(s, sequence)
                    ? WB_PLACE_OUTSIDE
                    : wb_subscription_place(s, sequence);
        if (place == WB_PLACE_WANTED) {
            out->group = g;
            return WB_OK;
        }
        if (place == WB_PLACE_PARKED)
            WB_TRY(wb_parked_add(s, g));
        else
            s->has_passed = true;
        s->arrival++;
    }
    s->arrival = wb_track_arrivals(s->track);
    return WB_END;
}

/* The lowest parked group, when it is wanted now. */
static struct wb_parked *find_parked(struct wb_subscription *s)
{
    struct wb_parked *p = wb_parked_lowest(s);
    uint64_t arrival;

    if (p == NULL || wb_subscription_place(s, wb_group_sequence(p->group)) != WB_PLACE_WANTED)
        return NULL;
    return wb_track_arrived(p->group, &arrival) && is_unjudged(s, arrival) ? NULL : p;
}

static enum wb_err find(struct wb_subscription *s, uint64_t now_ns, struct found *out)
{
    enum wb_err err = WB_OK;

    *out = (struct found){0};
    WB_TRY(wb_subscription_resolve(s));
    if (s->gone.first != NULL) {
        wb_parked_sort(s);
        out->parked = wb_parked_of(s->gone.first);
        out->group = out->parked->group;
        out->reason = wb_group_aborted(out->group);
        return WB_OK;
    }
    out->parked = find_parked(s);
    if (out->parked != NULL)
        out->group = out->parked->group;
    else
        err = find_arrival(s, out);
    if (err == WB_END)
        return s->parked_count > 0 ? WB_MORE : ending(s);
    if (err == WB_OK && is_stale(s, out->group, now_ns))
        out->reason = WB_E_OLD;
    return err;
}

bool wb_subscription_awake(struct wb_subscription *s, uint64_t now_ns)
{
    struct found found;

    return find(s, now_ns, &found) != WB_MORE;
}

/* The group is delivered or dropped; of too many runs the two lowest become one. */
static enum wb_err mark_done(struct wb_subscription *s, uint64_t sequence)
{
    const struct wb_run whole = {{sequence, 0}, {sequence, UINT64_MAX}};
    const struct wb_run *runs;
    struct wb_run closed;
    size_t count;

    WB_TRY(wb_window_add_run(&s->done, s->mem, &whole));
    runs = wb_window_runs(&s->done, &count);
    if (count <= wb_subscription_done_max(s))
        return WB_OK;
    closed = (struct wb_run){runs[0].first, runs[1].last};
    s->has_closed = true;
    return wb_window_add_run(&s->done, s->mem, &closed); /* one run less: nothing is asked for */
}

enum wb_err wb_subscription_next(struct wb_subscription *s, uint64_t now_ns,
                                 struct wb_delivery *out)
{
    struct wb_delivery delivery = {0};
    struct found found;

    WB_TRY(find(s, now_ns, &found));
    delivery.sequence = wb_group_sequence(found.group);
    delivery.reason = found.reason;
    delivery.kind = found.reason == WB_OK ? WB_DELIVER_GROUP : WB_DELIVER_DROPPED;
    WB_TRY(mark_done(s, delivery.sequence));
    if (found.reason == WB_OK) {
        struct wb_run part = part_of(s, delivery.sequence);

        wb_group_reader_init(&delivery.reader, found.group);
        wb_group_reader_start_at(&delivery.reader, part.first.frame);
        if (part.last.frame < UINT64_MAX)
            wb_group_reader_end_at(&delivery.reader, part.last.frame);
    }
    if (found.parked != NULL)
        wb_parked_remove(s, found.parked);
    else
        s->arrival++;
    *out = delivery;
    return WB_OK;
}

/* ---- in ascending order ---------------------------------------------------------------------- */

/* The first group behind a hole of the window; one that is past the cap is not in the hole. */
static uint64_t behind_hole(const struct wb_subscription *s, struct wb_position in)
{
    uint64_t group = in.group;

    if (s->cap.present && s->cap.at.frame == 0 && s->cap.at.group < group)
        group = s->cap.at.group;
    else if (s->cap.present && s->cap.at.frame > 0 && s->cap.at.group < group)
        group = s->cap.at.group + 1;
    return group;
}

/*
 * The lowest live arrival from a sequence on that is wanted. WB_MORE: one is past the limit;
 * WB_END: no other will be.
 */
static enum wb_err climb(const struct wb_subscription *s, uint64_t from, struct wb_group **out)
{
    struct wb_group *g = wb_track_above(s->track, from, true);
    struct wb_position in;
    uint64_t arrival;

    while (g != NULL) {
        uint64_t sequence = wb_group_sequence(g);
        bool arrived = wb_track_arrived(g, &arrival);

        switch (wb_subscription_place(s, sequence)) {
        case WB_PLACE_WANTED:
            *out = g;
            if (arrived)
                return WB_OK;
            break;
        case WB_PLACE_PARKED:
            if (arrived)
                return WB_MORE;
            break;
        case WB_PLACE_OUTSIDE: /* a hole: on behind it */
            if (!wb_window_next_in(&s->window, wb_position_group(sequence), &in))
                return WB_END;
            g = wb_track_above(s->track, behind_hole(s, in), true);
            continue;
        }
        g = wb_track_above(s->track, sequence, false);
    }
    return WB_END;
}

enum wb_err wb_subscription_ascend(struct wb_subscription *s, struct wb_group **out)
{
    struct wb_group *g = NULL;
    uint64_t sequence;
    enum wb_err err;

    WB_TRY(wb_subscription_resolve(s));
    err = s->has_ascended_all ? WB_END : climb(s, s->ascended, &g);
    if (err == WB_END)
        return ending(s);
    WB_TRY(err);
    sequence = wb_group_sequence(g);
    s->has_ascended_all = sequence == UINT64_MAX;
    s->ascended = s->has_ascended_all ? sequence : sequence + 1;
    *out = g;
    return WB_OK;
}
