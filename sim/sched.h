/*
 * sched.h: virtual time and what is due when. Events run by (time, sequence): at one instant, first
 * in, first out. A scenario may override single choices (`run the k-th that is due`); there is no
 * other nondeterminism.
 */
#ifndef SIM_SCHED_H
#define SIM_SCHED_H

#include "core/base/base.h"

#define SIM_SCHED_MAX 256

struct sim_event {
    uint64_t time_ns;
    uint64_t sequence;
    uint32_t kind; /* the world's own */
    uint32_t who;  /* the world's own */
    uint64_t arg;
};

struct sim_sched {
    uint64_t now_ns;
    uint64_t next_sequence;
    uint64_t steps; /* events taken since init */
    uint32_t skip;  /* the next take passes over so many due events */
    size_t count;
    struct sim_event events[SIM_SCHED_MAX]; /* ascending by (time, sequence) */
};

void sim_sched_init(struct sim_sched *s);
/* Puts an event at now + delay (saturating). False when the table is full: the world's limits must
 * rule that out. */
WB_MUST_USE bool sim_sched_at(struct sim_sched *s, uint64_t delay_ns, uint32_t kind, uint32_t who,
                              uint64_t arg);
/* Removes all events of that kind and who. */
void sim_sched_cancel(struct sim_sched *s, uint32_t kind, uint32_t who);
/*
 * The next take runs the k-th (from 0) of the events due at its instant instead of the first; k
 * past the last means the last.
 */
void sim_sched_override(struct sim_sched *s, uint32_t k);
/* Takes the next event due at `until_ns` or before and moves the clock to it. False: none, the
 * clock stands. */
bool sim_sched_take(struct sim_sched *s, uint64_t until_ns, struct sim_event *out);
/* Moves the clock forward; asserts that nothing due is passed over. */
void sim_sched_advance(struct sim_sched *s, uint64_t to_ns);

#endif
