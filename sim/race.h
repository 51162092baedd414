/*
 * race.h: threads as coroutines, and every interleaving of them that somebody picks. Each atomic
 * operation of the core is a point where another thread may go on instead.
 *
 * What is judged does not depend on luck. Vector clocks say which operation is ordered before
 * which: of each thread, of each atomic, of each byte that was written. And since one thread alone
 * cannot show what a store buffer does, a store may be held back behind later operations of its own
 * thread, where C11 allows it:
 *
 *   a store, of any order     behind a load of another atomic, unless both are seq_cst
 *   the same                  behind a store or addition of another atomic that does not release
 *   an addition               its old value is the one right before it, whenever it lands
 *   one that is relaxed       lands as a whole: what it returned was a guess
 *
 * One store a thread is held back at a time; it lands before all else.
 */
#ifndef SIM_RACE_H
#define SIM_RACE_H

#include "core/base/bytes.h"
#include "sim/trace.h"

#define SIM_RACE_THREADS 6    /* number 0 sets up and tears down, while no other runs */
#define SIM_RACE_BLOCKS  128  /* of memory that are known; what lies elsewhere is not judged */
#define SIM_RACE_ATOMICS 6    /* in a block */
#define SIM_RACE_BYTES   8192 /* in all blocks of a run */
#define SIM_RACE_NAMES   16

/* What is wrong; a world turns each into an invariant of its own. */
enum sim_race_fault {
    SIM_RACE_READ_EARLY,   /* a byte is read, and its write is not ordered before */
    SIM_RACE_READ_NOTHING, /* a byte is read that nobody wrote */
    SIM_RACE_WRITE_EARLY,  /* a byte is written, and what was done to it is not ordered before */
    SIM_RACE_USE_EARLY,    /* an atomic is used, and its initialisation is not ordered before */
    SIM_RACE_GIVE_EARLY,   /* memory is given back, and a use of it is not ordered before */
    SIM_RACE_GIVE_FOUND,   /* ... while a thread has loaded its address, to take a reference next */
    SIM_RACE_USE_LATE,     /* memory is used after it was given back */
    SIM_RACE_STUCK,        /* threads are left, and none can go on */
    SIM_RACE_FULL          /* more blocks, atomics or bytes than there is room for */
};

/* A point where one of several threads goes on. Bit t of `ready` is thread t. */
struct sim_race_turn {
    uint32_t ready; /* without the current one */
    unsigned current;
    bool can_stay; /* the current one can go on too */
};

struct sim_race_calls {
    /* The thread that goes on. */
    unsigned (*pick)(void *world, const struct sim_race_turn *turn);
    /* Whether the store that thread `current` makes is held back. */
    bool (*hold)(void *world, unsigned current);
    void (*fault)(void *world, enum sim_race_fault fault, unsigned thread);
    /* At every point, with the atomics unwatched: for invariants. NULL: nothing. */
    void (*look)(void *world);
};

struct sim_race_clock {
    uint32_t at[SIM_RACE_THREADS];
};

struct sim_race; /* there is one, for one run at a time */

/* Starts a run: from here on the caller is thread 0. Memory comes from `inner`. */
struct sim_race *sim_race_begin(struct wb_mem *inner, struct sim_trace *trace,
                                const struct sim_race_calls *calls, void *world);
void sim_race_end(struct sim_race *r);
/* For what the threads share: its blocks are known. */
struct wb_mem *sim_race_mem(struct sim_race *r);
/* A block that is known without having come from there. */
void sim_race_watch(struct sim_race *r, const void *data, size_t size);
/* One more thread, from 1; it sees all that thread 0 has done. */
unsigned sim_race_spawn(struct sim_race *r, void (*fn)(void *arg, unsigned self), void *arg);
/* Runs the threads until all have ended; thread 0 then sees all they did. */
void sim_race_run(struct sim_race *r);

/* ---- for the threads ---- */

/* What the thread holds back lands; before that another one may still go on. */
void sim_race_settle(struct sim_race *r);
/* Between two operations: what was held back lands, what was found is forgotten; a point. */
void sim_race_point(struct sim_race *r);
/* Changes with each sim_race_wake. */
uint64_t sim_race_wakes(const struct sim_race *r);
/* Parks until there is another wake than number `seen`. Orders nothing. */
void sim_race_wait(struct sim_race *r, uint64_t seen);
void sim_race_wake(struct sim_race *r);
/* Between the two, atomics are what they are, no points: for looks of the world's own. */
void sim_race_hide(struct sim_race *r);
void sim_race_show(struct sim_race *r);
/* Points of this run so far; the time of its trace lines in microseconds. */
uint64_t sim_race_points(const struct sim_race *r);

#endif
