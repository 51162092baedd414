/*
 * race_fiber.h: coroutines on static stacks. Number 0 is whoever called first; the others are
 * started once each and then run one function after another, so that a switch makes no system call.
 */
#ifndef SIM_RACE_FIBER_H
#define SIM_RACE_FIBER_H

#include "core/base/base.h"

#define SIM_RACE_FIBERS 6

/* Returns the fiber that goes on when this one is done. */
typedef unsigned (*sim_race_fiber_fn)(void *arg);

/* The next switch to `fiber`, which is done or new, calls `fn`. */
void sim_race_fiber_start(unsigned fiber, sim_race_fiber_fn fn, void *arg);
/* Goes on in `fiber`, and comes back when somebody switches to the one that called. */
void sim_race_fiber_switch(unsigned fiber);
/* The one that runs. */
unsigned sim_race_fiber_now(void);
/* It is left where it stands: its next start is on an empty stack. Not the one that runs. */
void sim_race_fiber_forget(unsigned fiber);

#endif
