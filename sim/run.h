/*
 * run.h: what one execution of a target owns. The driver holds the only one, resets it, and reads
 * it afterwards; targets and worlds get it as an argument and keep nothing elsewhere.
 */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include "core/base/buf.h"
#include "sim/alloc.h"
#include "sim/trace.h"

#define SIM_MARKS_MAX 512
#define SIM_STORY_MAX 65536
#define SIM_OPCODES   256
#define SIM_CHOICES   64 /* names of an argument that are counted */

struct sim_ops;

struct sim_run {
    struct sim_alloc alloc;
    struct sim_trace trace;
    enum wb_err outcome;             /* how the run ended; WB_OK unless told */
    uint64_t marks[SIM_MARKS_MAX];   /* times each "sometimes" mark was reached, over all runs since
                                        cleared */
    uint64_t op_counts[SIM_OPCODES]; /* ops that did something by opcode, over all runs since
                                        cleared */
    /* Of those whose argument is a choice, by opcode and argument; over all runs since cleared. */
    uint32_t choice_counts[SIM_OPCODES][SIM_CHOICES];
    uint8_t entered; /* the op at hand, and its choice; SIM_CHOICES: none that is counted */
    uint8_t entered_choice;
    const struct sim_ops *index_of; /* the op table that `index` is of; kept over runs */
    uint8_t index[SIM_OPCODES];     /* place of each opcode in that table, plus 1; 0 = none */
    uint64_t ops_live, ops_dead;    /* ops of this run that did something, that did not */
    bool story_on;                  /* the driver wants the story in words */
    size_t story_len;
    char story[SIM_STORY_MAX]; /* what was delivered, one line of text; compared with a case's `#
                                  story:` */
};

/* The allocator for the subject of the run. */
struct wb_mem *sim_run_mem(struct sim_run *run);
/* Ready for the next run. Keeps story_on, the live trace, alloc.max_bytes, and the counts over all
 * runs. */
void sim_run_reset(struct sim_run *run);
/* How the run ended: compared with `# expect:`. The last one counts. */
void sim_run_outcome(struct sim_run *run, enum wb_err outcome);
/* Mixes a number into the trace hash. */
void sim_run_note(struct sim_run *run, uint64_t value);
/* Appends to the story, cut at SIM_STORY_MAX - 1; free of cost while nobody asked for it. */
void sim_run_story(struct sim_run *run, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * A "sometimes" mark: counts it, and is one real block of code per mark, so that coverage sees
 * protocol state. `mark` is an index into the target's list of names.
 */
void sim_mark(struct sim_run *run, unsigned mark);
/*
 * The block that every run enters: an engine that sees no coverage at all of its first input takes
 * the program for one that was built without, and some inputs never reach the core.
 */
void sim_mark_run(void);

#endif
