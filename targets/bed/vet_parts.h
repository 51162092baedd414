/*
 * vet_parts.h: what a vet looks at behind the inputs: entries of the corpus that lost their
 * purpose, connections between the two cores, and bench cases; and what its two reports share.
 */
#ifndef BED_VET_PARTS_H
#define BED_VET_PARTS_H

#include "targets/bed/vet.h"

/* A figure of a bench case; the same each time. */
struct vet_figure {
    char *name, *metric, *unit;
    double value[VET_SIDES];
    enum vet_kind kind; /* VET_ALIKE, VET_MORE or VET_LESS beyond the bound */
};

/* What a bench case took, in nanoseconds of processor time: median, and what most rounds lie
 * within. */
struct vet_time {
    char *name;
    uint64_t rounds, median[VET_SIDES], least[VET_SIDES], most[VET_SIDES];
    enum vet_kind kind;
};

/* An entry of the corpus and the purpose that it lost. */
struct vet_lost {
    char *path, *what;
};

/* The two cores at the ends of one connection. */
struct vet_joint {
    char *protocol;
    int writer; /* the other side reads */
    uint64_t runs, parts;
    uint64_t first; /* the first input that parts */
    char *not_run;  /* why, or NULL */
};

/* ---- parts of the work behind the inputs: each appends lines of the journal ---- */

void vet_purpose(struct vet *v, struct wb_buf *out); /* vet_purpose.c */
void vet_joint(struct vet *v, struct wb_buf *out);   /* vet_joint.c */
void vet_bench(struct vet *v, struct wb_buf *out);   /* vet_bench.c: exact figures */
void vet_times(struct vet *v, struct wb_buf *out);   /* vet_time.c */
/* Lines of a joined group's witness: with its writer's own reader, and with the other side's. */
void vet_joint_steps(struct vet *v, const struct vet_group *group, struct wb_buf steps[VET_SIDES]);
/* Runs a bench program of one side. False when it does not end well, though it may have printed
 * something; *out_ns is its processor time. */
bool vet_program_run(const struct vet *v, int side, size_t i, struct wb_buf *out, uint64_t *out_ns);
/* The i-th program, "announce/change", NULL past the last; which target a name that opens like one
 * is of. */
const char *vet_program_name(size_t i);
const char *vet_program_target(const char *name);
/* Files of a bench case as inputs, malloc'd; false when there are none. */
bool vet_bench_inputs(const struct vet *v, const char *name, size_t target, struct vet_input **out,
                      size_t *out_count);
/* Calls `take` for each case of bench inputs whose target is vetted. */
void vet_bench_cases(struct vet *v,
                     void (*take)(struct vet *v, const char *name, size_t target,
                                  struct wb_buf *out),
                     struct wb_buf *out);

/* Whether a group is about that figure, among others. */
bool vet_bench_is_of(const struct vet_figure *f, const struct vet_group *group);

/* ---- vet_tell.c, vet_json.c ---- */

struct vet_sums {
    uint64_t runs, alike, failing, unrun;
    size_t reviewed, unreviewed, cheaper, both, stale;
    size_t slower; /* where time matters */
    int status;    /* what the vet exits with */
};
const char *vet_state_word(const struct vet_group *group);
/* The sentence of the invariant that a group names, or NULL. */
const char *vet_sentence(const struct vet *v, const struct vet_group *group);
/* The place of a cost in the lists of its target, or VET_COSTS. */
size_t vet_cost_of(const struct vet_group *group);
/* Keeps the witness as a file in the state folder, and appends the command that runs it through
 * both sides again; nothing after a message. */
void vet_tell_again(const struct vet *v, const struct vet_group *group, struct wb_buf *out);
/* Lines of both runs of a witness. */
void vet_tell_steps(struct vet *v, const struct vet_group *group, struct wb_buf steps[VET_SIDES]);
void vet_json(struct vet *v, const struct vet_sums *s, FILE *out);

#endif
