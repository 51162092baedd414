/*
 * race_state.h: the inside of a race run. race.c runs the threads, race_atomic.c their atomics,
 * race_bytes.c knows the memory.
 */
#ifndef SIM_RACE_STATE_H
#define SIM_RACE_STATE_H

#include "sim/race.h"

struct sim_race_epoch {
    uint8_t thread;
    uint32_t at; /* 0: never */
};

struct sim_race_atomic {
    uint32_t offset;
    uint8_t name;
    struct sim_race_epoch made;
    struct sim_race_clock clock; /* what an acquiring load of it learns */
};

struct sim_race_byte {
    struct sim_race_epoch wrote, read; /* the last of each */
};

struct sim_race_block {
    uintptr_t begin;
    size_t size;
    uint32_t first_byte; /* in the run's table */
    bool is_given;
    uint8_t name;
    uint8_t atomic_count;
    uint32_t used[SIM_RACE_THREADS]; /* last use by each thread */
    struct sim_race_atomic atomics[SIM_RACE_ATOMICS];
};

enum sim_race_held {
    SIM_RACE_HELD_NONE,
    SIM_RACE_HELD_STORE,
    SIM_RACE_HELD_SUM,
    SIM_RACE_HELD_ADD
};

struct sim_race_store {
    enum sim_race_held kind; /* SUM: an addition whose old value is read; ADD: one as a whole */
    void *at;
    uint64_t value; /* what is stored, or for ADD what is added */
    int order;
    struct sim_race_clock clock; /* of its thread, when it was made */
};

enum sim_race_life { SIM_RACE_NONE, SIM_RACE_READY, SIM_RACE_PARKED, SIM_RACE_ENDED };

struct sim_race_thread {
    enum sim_race_life life;
    void (*fn)(void *arg, unsigned self);
    void *arg;
    struct sim_race_clock clock;
    struct sim_race_store held;
    struct sim_race_block *found; /* whose address it has loaded, and not held */
};

struct sim_race {
    struct wb_mem mem; /* first */
    struct wb_mem *inner;
    struct sim_trace *trace;
    struct sim_race_calls calls;
    void *world;
    uint64_t points, wakes;
    unsigned current, thread_count;
    bool is_running; /* the threads are, not number 0 alone */
    bool has_moved;  /* the current thread made a step since its last turn: before, a switch away
                        would only repeat another interleaving */
    struct sim_race_thread threads[SIM_RACE_THREADS];
    size_t block_count, byte_count, name_count;
    const char *names[SIM_RACE_NAMES]; /* 0 is "?" */
    struct sim_race_block blocks[SIM_RACE_BLOCKS];
    struct sim_race_byte bytes[SIM_RACE_BYTES];
};

extern struct sim_race sim_race_the;

static inline struct sim_race_thread *sim_race_self(struct sim_race *r)
{
    return &r->threads[r->current];
}

/* Says it to the world, which may not come back. */
void sim_race_say(struct sim_race *r, enum sim_race_fault fault);
void sim_race_note(struct sim_race *r, const char *format, uint64_t a, uint64_t b, uint64_t c);
/* Another thread may go on here. */
void sim_race_turn(struct sim_race *r);
/* The store that thread `t` holds back lands, if there is one. */
void sim_race_land(struct sim_race *r, unsigned t);
/* The one that `at` lies in, the newest; NULL. */
struct sim_race_block *sim_race_block_of(struct sim_race *r, const void *at);
/* From 1; 0 = none. */
unsigned sim_race_block_number(const struct sim_race *r, const struct sim_race_block *b);
struct sim_race_block *sim_race_block_add(struct sim_race *r, const void *data, size_t size);
/* A use of it by the current thread: judged, and remembered. */
void sim_race_block_use(struct sim_race *r, struct sim_race_block *b);
/* What is stored there; NULL when there is no room. */
struct sim_race_atomic *sim_race_atomic_of(struct sim_race *r, struct sim_race_block *b,
                                           const void *at);
void sim_race_mem_init(struct sim_race *r);

static inline bool sim_race_is_before(const struct sim_race *r, struct sim_race_epoch e)
{
    return e.at <= r->threads[r->current].clock.at[e.thread];
}

#endif
