/*
 * race_explore.h: all interleavings of a race run with at most so many preemptions and so many
 * stores held back. Runs are repeated from the start, each with the choices of the one before up to
 * the last that had another way to go.
 */
#ifndef SIM_RACE_EXPLORE_H
#define SIM_RACE_EXPLORE_H

#include "sim/race.h"

#define SIM_RACE_CHOICES 2048 /* in one run */

struct sim_race_explore {
    unsigned max_preempts, max_held;
    uint64_t runs; /* begun so far */
    unsigned preempts, held;
    size_t at, depth; /* choices of this run; of the plan */
    uint8_t taken[SIM_RACE_CHOICES], ways[SIM_RACE_CHOICES];
};

void sim_race_explore_init(struct sim_race_explore *e, unsigned max_preempts, unsigned max_held);
/* Before each run; false when there is none left. */
bool sim_race_explore_next(struct sim_race_explore *e);
/* What a world's calls of the same name pass on. */
unsigned sim_race_explore_pick(struct sim_race_explore *e, const struct sim_race_turn *turn);
bool sim_race_explore_hold(struct sim_race_explore *e);

#endif
