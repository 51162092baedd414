#include "oracles/ref_subscription.h"

__extension__ typedef unsigned __int128 wide; /* parts of a second by a timescale */

#define MAX       UINT64_MAX
#define SECOND_NS UINT64_C(1000000000)
#define NONE      SIZE_MAX

static size_t next_live(const struct ref_sub_track *t, uint64_t above)
{
    size_t best = NONE;

    for (size_t i = 0; i < t->count; i++) {
        const struct ref_sub_group *g = &t->groups[i];

        if (g->live && g->sequence > above &&
            (best == NONE || g->sequence < t->groups[best].sequence))
            best = i;
    }
    return best;
}

/* The live edge, when it is above the group. */
static size_t edge_above(const struct ref_sub *s, const struct ref_sub_track *t,
                         const struct ref_sub_group *g)
{
    size_t edge = ref_sub_highest(t, s->cap);

    return edge != NONE && t->groups[edge].sequence > g->sequence ? edge : NONE;
}

/* The edge's first timestamp is at least so much past where the next group begins. */
static bool is_behind(const struct ref_sub *s, const struct ref_sub_track *t,
                      const struct ref_sub_group *g, const struct ref_sub_group *edge)
{
    const struct ref_sub_group *next = &t->groups[next_live(t, g->sequence)];
    uint64_t units, seconds, age;

    if (s->asked.timescale == 0 || !edge->has_first || !next->has_first ||
        next->first_stamp > edge->first_stamp)
        return false;
    units = edge->first_stamp - next->first_stamp;
    seconds = units / s->asked.timescale;
    age = s->asked.max_age_ns / SECOND_NS;
    if (seconds != age)
        return seconds > age;
    return (wide)(units % s->asked.timescale) * SECOND_NS >=
           (wide)(s->asked.max_age_ns % SECOND_NS) * s->asked.timescale;
}

bool ref_sub_is_stale(const struct ref_sub *s, const struct ref_sub_track *t, size_t group,
                      uint64_t now_ns)
{
    uint64_t deadline = ref_sub_deadline(s, t, group);

    return deadline == 0 || (deadline != MAX && now_ns >= deadline);
}

uint64_t ref_sub_deadline(const struct ref_sub *s, const struct ref_sub_track *t, size_t group)
{
    const struct ref_sub_group *g = &t->groups[group];
    size_t edge = edge_above(s, t, g);

    if (s->asked.max_age_ns == REF_SUB_NO_AGE || edge == NONE)
        return MAX;
    if (is_behind(s, t, g, &t->groups[edge]))
        return 0;
    return s->asked.max_age_ns > MAX - g->touched_ns ? MAX : g->touched_ns + s->asked.max_age_ns;
}
