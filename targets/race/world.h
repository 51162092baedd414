/*
 * world.h: one frame, the thread that writes it and up to four that read it. A scenario's ops are
 * the threads' programs, and say where another thread goes on (ops.c). threads.c runs them, judge.c
 * says what must hold (FRM-020 and on).
 */
#ifndef RACE_WORLD_H
#define RACE_WORLD_H

#include "core/media/frame.h"
#include "sim/race_explore.h"
#include "targets/fuzz.h"

#define RACE_READERS   4
#define RACE_STEPS     24 /* of a thread's program */
#define RACE_STEERS    32 /* of each kind */
#define RACE_KEPT      4  /* slices that a reader keeps */
#define RACE_SIZE_MAX  96
#define RACE_CHAIN_MIN 4 /* all segments of a run are known to the simulator (SIM_RACE_BLOCKS) */

enum race_op {
    RACE_OPEN = SIM_OP_FIRST,
    RACE_WRITE,
    RACE_GIVE,
    RACE_FINISH,
    RACE_ABORT,
    RACE_READ,
    RACE_POLL,
    RACE_DROP,
    RACE_PAYLOAD,
    RACE_ASK,
    RACE_LEAVE,
    RACE_PREEMPT,
    RACE_HOLD,
    RACE_FAIL
};

enum race_mark {
    RACE_MARK_PREEMPTED, /* a thread that could go on did not */
    RACE_MARK_HELD,      /* a store was held back */
    RACE_MARK_GREW,      /* the head was replaced */
    RACE_MARK_PINNED,    /* ... and a pin kept the old one */
    RACE_MARK_CHAINED,
    RACE_MARK_SHARED,   /* the payload is the slice that the writer gave */
    RACE_MARK_WAITED,   /* a reader found nothing new */
    RACE_MARK_CROSSED,  /* a read while the writer was inside a call */
    RACE_MARK_OUTLIVED, /* a reader had a slice after the writer had left */
    RACE_MARK_CUT,      /* a reader met the end of an aborted frame */
    RACE_MARK_REFUSED   /* the allocator said no */
};

struct race_step {
    enum race_op op;
    uint16_t arg;
    uint8_t flags;
};

struct race_program {
    bool is_there;
    size_t count;
    struct race_step steps[RACE_STEPS];
};

struct race_kept {
    struct wb_slice slice;
    uint64_t at; /* position of its first byte */
};

struct race_reader {
    struct race_program program;
    struct wb_frame *frame; /* its own reference */
    struct wb_frame_reader reader;
    bool is_inside; /* a call of the core */
    bool has_joined, has_left;
    uint64_t at, reads;
    enum wb_err last; /* of its reads */
    size_t kept_count;
    struct race_kept kept[RACE_KEPT];
};

/* "At the n-th chance from here", one after the other; what an explorer did is noted so too. */
struct race_steer {
    size_t count, next;
    uint32_t seen; /* chances since the last one was taken */
    uint16_t at[RACE_STEERS];
    uint8_t thread[RACE_STEERS];
};

struct race_world {
    struct sim_run *run;
    struct sim_race *race;
    struct sim_race_explore *explore; /* NULL: the scenario steers */
    struct wb_frame_limits limits;
    uint64_t size, fail_at;
    bool is_opened;          /* the scenario said how large */
    struct wb_frame *frame;  /* the writer's, until it leaves */
    enum wb_frame_kind kind; /* when it left */
    struct race_program writer;
    bool writer_inside;
    uint64_t offered, published; /* bytes that a reader may see; that it must */
    enum wb_err ending, ended;   /* likewise: WB_OK, WB_END or the reason */
    enum wb_err outcome;
    uint64_t entered; /* calls that readers have begun */
    struct race_reader readers[RACE_READERS];
    struct race_steer preempts, holds;
};

extern const struct sim_ops race_ops;
extern const char *const race_marks[];

/* The programs and the steering of a scenario. Without ops the writer writes and finishes, and two
 * readers read. */
void race_load(struct race_world *w, struct sim_run *run, struct wb_view input);
/* Runs them, under the scenario's steering or the explorer's; all memory is back afterwards. */
void race_play(struct race_world *w);
/* The steering ops of a scenario that repeats what the explorer did; nothing else to add. */
void race_steering(const struct race_world *w, FILE *out);

/* ---- of the files to each other ---- */

uint8_t race_byte(uint64_t at);
void race_write_thread(void *arg, unsigned self);
void race_read_thread(void *arg, unsigned self);
unsigned race_pick(void *world, const struct sim_race_turn *turn);
bool race_hold(void *world, unsigned current);
void race_fault(void *world, enum sim_race_fault fault, unsigned thread);
void race_look(void *world);
/* One result of a read that began when so much was published. A reader told WB_MORE after the end
 * waits for ever (FRM-032). */
void race_judge_read(struct race_world *w, struct race_reader *r, enum wb_err err,
                     const struct wb_slice *got, uint64_t published);
void race_judge_slice(const struct race_kept *k);

#endif
