/*
 * run.h: the runner of mutants: what it holds, and what its files give each other.
 */
#ifndef MUTATE_RUN_H
#define MUTATE_RUN_H

#include "ci/mutate/schema.h"
#include "targets/driver/corpus.h"

#include <sys/types.h>

#define MUTATE_IDS  (128 * 4096) /* plant gives a file 4096 */
#define MUTATE_WORD 96

/* What was reached, by mutant, while mutate_map points here. */
extern unsigned char mutate_notes[MUTATE_IDS];

struct mutate_input {
    const struct fuzz_target *target;
    const struct corpus_file *file; /* what it states; NULL: nothing */
    uint8_t *bytes;
    size_t len;
    uint64_t hash, requests, ns; /* of mutant 0 */
    uint64_t
        marks[SIM_MARKS_MAX / 64]; /* that the file states and no other of its inputs reaches */
};

enum mutate_end { MUTATE_OPEN, MUTATE_UNREACHED, MUTATE_SAME, MUTATE_SURVIVED, MUTATE_KILLED };

struct mutant {
    unsigned id;
    char *file, *function, *hash, *name;
    size_t family;   /* mutants of one function: their killers are likely to be the same */
    uint8_t *inputs; /* a bit for each input that it can change */
    bool is_reached, has_effect;
    uint64_t passed; /* bits of steps */
    enum mutate_end end;
    const char *stage;
    char by[MUTATE_WORD], where[256];
};

struct mutate {
    struct mutant *mutants;
    size_t mutant_count, families;
    struct mutate_input *inputs;
    size_t input_count;
    struct corpus_file *files;
    size_t file_count;
    uint32_t *kills; /* by family and input */
    const char *world, *results;
    bool failed; /* a drawn input did with no mutant alive */
    FILE *out;
    size_t workers, fuzz_runs;
};

/* ---- run_inputs.c ---- */

/* Reads the corpus of all targets. False after a message. */
bool mutate_load(struct mutate *m);
/* Runs all of it with no mutant alive and notes what each input can show. */
void mutate_record(struct mutate *m);
/* One input in this process, which ends when something is wrong. True when the trace is another
 * than mutant 0's. `n` > 0: with the n-th allocation refused. */
bool mutate_try(const struct mutate_input *in, uint64_t n);
void mutate_now(const char *what, const char *path);
uint64_t mutate_ns(void);
void *mutate_take(size_t count, size_t size);

/* ---- run_jobs.c ---- */

/* What a child tells. */
struct mutate_told {
    uint32_t at; /* the input that runs */
    bool has_effect;
    char why[32]; /* set before it ends itself */
};

/* Steps that a mutant passes alive, as bits in the results: programs and targets are many. */
enum { MUTATE_STEP_CORPUS, MUTATE_STEP_SWEEP, MUTATE_STEP_PROGRAM, MUTATE_STEP_FUZZ = 8 };

struct mutate_stage {
    const char *name;
    unsigned step;
    /* In a child, mutant alive. Comes back when the mutant survives. */
    void (*live)(struct mutate *m, struct mutant *x, struct mutate_told *told, void *arg);
    /* Of the job in `told->at`, into x->where. */
    void (*where)(struct mutate *m, struct mutant *x, uint32_t at, void *arg);
    void *arg;
};

/* Every open mutant that `wants` names, in children side by side. */
void mutate_stage_run(struct mutate *m, const struct mutate_stage *stage,
                      bool (*wants)(struct mutate *m, const struct mutant *x, void *arg));
/* Neither killed, nor past this step. */
bool mutate_is_open(const struct mutant *x, unsigned step);
/* Nobody has to meet this step again. */
void mutate_pass(struct mutate *m, unsigned step);
/* On a terminal. */
void mutate_progress(const char *stage, size_t done, size_t of);
/* Makes a child the world of one mutant. */
void mutate_child(unsigned id);
void mutate_limit(uint64_t ns);
/* Runs two halves of a recording in two children at once; false when one of them failed. */
bool mutate_halves(size_t workers, void (*half)(size_t part, size_t of, void *arg), void *arg);
void *mutate_shared(size_t bytes);

/* ---- run_stage.c ---- */

void mutate_corpus(struct mutate *m);
void mutate_sweep(struct mutate *m);
/* The program and for whom it is: PATH, or PATH@WHAT,WHAT: kinds, or beginnings of paths. */
void mutate_program(struct mutate *m, const char *program, unsigned step);

/* ---- run_fuzz.c ---- */

void mutate_fuzz(struct mutate *m);

/* ---- run.c ---- */

void mutate_tell(struct mutate *m, const struct mutant *x);

#endif
