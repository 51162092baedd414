#include "sim/race_explore.h"

void sim_race_explore_init(struct sim_race_explore *e, unsigned max_preempts, unsigned max_held)
{
    e->max_preempts = max_preempts;
    e->max_held = max_held;
    e->runs = 0;
    e->at = e->depth = 0;
}

bool sim_race_explore_next(struct sim_race_explore *e)
{
    if (e->runs > 0) {
        e->depth = e->at;
        while (e->depth > 0 && e->taken[e->depth - 1] + 1 == e->ways[e->depth - 1])
            e->depth--;
        if (e->depth == 0)
            return false;
        e->taken[e->depth - 1]++;
    }
    e->runs++;
    e->at = 0;
    e->preempts = e->held = 0;
    return true;
}

/* The next choice among so many ways: the plan's, and beyond it the first. */
static unsigned choose(struct sim_race_explore *e, unsigned ways)
{
    if (ways == 1)
        return 0;
    WB_ASSERT(e->at < SIM_RACE_CHOICES);
    if (e->at >= e->depth)
        e->taken[e->at] = 0;
    e->ways[e->at] = (uint8_t)ways;
    WB_ASSERT(e->taken[e->at] < ways);
    return e->taken[e->at++];
}

unsigned sim_race_explore_pick(struct sim_race_explore *e, const struct sim_race_turn *turn)
{
    unsigned threads[SIM_RACE_THREADS], ways = 0, chosen;

    if (turn->can_stay)
        threads[ways++] = turn->current;
    for (unsigned t = 1; t < SIM_RACE_THREADS; t++) {
        if ((turn->ready >> t & 1) != 0 && (!turn->can_stay || e->preempts < e->max_preempts))
            threads[ways++] = t;
    }
    chosen = threads[choose(e, ways)];
    e->preempts += turn->can_stay && chosen != turn->current;
    return chosen;
}

bool sim_race_explore_hold(struct sim_race_explore *e)
{
    bool is_held = e->held < e->max_held && choose(e, 2) == 1;

    e->held += is_held;
    return is_held;
}
