/*
 * vet.h: what the files of `bed vet` share: two sides (targets/vet/side.h), the same inputs through
 * both, and what differs.
 */
#ifndef BED_VET_H
#define BED_VET_H

#include "targets/bed/bed.h"
#include "targets/bed/require.h"
#include "targets/vet/side.h"

#define VET_BATCH    256
#define VET_ID_MAX   192
#define VET_PATHS    16 /* entries of the corpus that a difference names */
#define VET_REQUIRES 8
#define VET_TIMEOUTS 4 /* of a target, before the rest of it is not run */

enum { VET_OLD, VET_NEW, VET_SIDES };

enum vet_kind {
    VET_ALIKE,
    VET_BOTH_FAIL, /* in the same way: no difference, but worth knowing */
    VET_NEWLY_FAILS,
    VET_NEWLY_HOLDS,
    VET_FAILS_OTHERWISE,
    VET_OUTCOME,
    VET_STORY,
    VET_TRACE,
    VET_JOINED, /* one side reads what the other writes otherwise than its writer does */
    VET_MORE,   /* of a cost */
    VET_LESS
};

struct vet_target {
    const struct fuzz_target *target;
    size_t at[VET_SIDES]; /* its place in each side */
    bool is_loose;        /* the beds differ, so that only verdicts, outcomes and stories count */
    uint64_t runs, alike, failing, timeouts, unrun;
    uint64_t costed; /* runs that behave alike and came to their end: what `cost` is the sum of */
    uint64_t cost[VET_SIDES][VET_COSTS];
    uint64_t moved[VET_COSTS]; /* runs in which a cost differs, and its sums in those alone */
    uint64_t moved_cost[VET_SIDES][VET_COSTS];
    uint64_t most[VET_COSTS], most_at[VET_COSTS]; /* largest difference, and of which input */
    uint64_t marks[VET_SIDES][VET_MARK_WORDS];
};

struct vet_input {
    size_t target; /* index into vet.targets */
    uint8_t *bytes;
    size_t len;
    char *from; /* a path, or which fuzz run */
};

/* Inputs that differ in the same way. */
struct vet_group {
    char id[VET_ID_MAX]; /* TARGET:KIND:WHAT, the same in each vet */
    size_t target;
    enum vet_kind kind;
    uint64_t count;
    struct vet_input witness; /* the smallest; owned */
    int writer; /* whose bytes these are, a side; VET_SIDES for inputs that nobody wrote */
    bool is_least, is_reviewed;
    const char *paths[VET_PATHS]; /* entries of the corpus that show it; of their inputs */
    size_t path_count;
    const struct require *requires[VET_REQUIRES];
    size_t require_count;
};

/* A difference that is meant, from the file of those (vet_expect.c). */
struct vet_expected {
    char *id, *about, *reason, *witness;
    unsigned line;
    bool has_occurred;
};

struct vet {
    const char *paths[VET_SIDES], *corpus, *expected_path, *state_dir, *only, *loose;
    const char *input, *seeds; /* a file in place of the corpus; where to leave inputs as bytes */
    const char *base, *revision, *head; /* as ci/vet.sh hands them over, or "" */
    const char *bench;                  /* the folder of bench inputs */
    char *pace[VET_SIDES];              /* sides without counters, for time; or NULL */
    char *programs[VET_SIDES];          /* folders with the bench programs, or NULL */
    uint64_t fuzz_runs, seed, attempts, rounds;
    bool is_json, has_instructions, is_live, does_time_matter;
    const struct vet_side *side[VET_SIDES];
    struct vet_target *targets;
    size_t target_count;
    struct vet_input *inputs; /* of the corpus */
    size_t input_count, input_room;
    uint64_t stated; /* hash of what files of the corpus state of their runs */
    struct vet_group *groups;
    size_t group_count;
    struct vet_expected *expected;
    size_t expected_count;
    struct vet_told *told[VET_SIDES];  /* VET_BATCH of each, shared with the children */
    uint8_t *cover[VET_SIDES];         /* VET_COVER_BYTES, a bit for each address of a block */
    struct wb_buf notes;               /* lines that a reader must know */
    struct wb_buf coverage[VET_SIDES]; /* lines: functions that this side alone entered */
    size_t functions[VET_SIDES];       /* that were entered */
    struct require_table requires;     /* count 0: there are none */
    struct vet_figure *figures;
    struct vet_time *times;
    struct vet_lost *lost;
    struct vet_joint *joints;
    size_t figure_count, time_count, lost_count, joint_count;
    /* How inputs are run in place of side->run, or NULL; `lane` is the side whose turn it is. */
    void (*world)(const struct vet *v, int lane, size_t i, const struct vet_input *input,
                  FILE *steps, struct vet_told *out);
    bool is_joined;              /* a world's: the other side reads */
    uint32_t *owners[VET_SIDES]; /* a world's: which input entered a block */
    size_t first;                /* a world's: number of the first input of the batch */
};

/* Another element at the end of a list, cleared. */
#define VET_ADD(list, count)                                                                       \
    ((list) = realloc((list), ((count) + 1) * sizeof(*(list))),                                    \
     bed_must((list) != NULL ? WB_OK : WB_E_NOMEM), memset(&(list)[count], 0, sizeof(*(list))),    \
     &(list)[(count)++])

/* ---- vet_side.c ---- */

/* A side, for good. NULL after a message. */
const struct vet_side *vet_side_load(const char *path);
/* The place of a target in a side, or side->count(). */
size_t vet_side_find(const struct vet_side *side, const char *name);
/* Loads both sides and finds their common targets. False after a message. */
bool vet_load(struct vet *v);
/*
 * Runs `count` inputs, at most VET_BATCH, through both sides, each in a child process; what they
 * did is in v->told, with the id of what killed a run. With `steps` the one input's lines are
 * appended to steps[side].
 */
void vet_run(struct vet *v, const struct vet_input *inputs, size_t count,
             struct wb_buf steps[VET_SIDES]);

/* ---- vet_input.c ---- */

/* Reads the corpus of every common target, or the one input. False after a message. */
bool vet_inputs(struct vet *v);
void vet_input_add(struct vet *v, size_t target, struct wb_view bytes, const char *from);
/* The i-th input of the whole vet, a copy: of the corpus, then fuzz runs; a function of corpus,
 * seed and i. */
struct vet_input vet_input_at(const struct vet *v, uint64_t i);
void vet_input_free(struct vet_input *input);
uint64_t vet_input_total(const struct vet *v);

/* ---- vet_part.c ---- */

/* Where two runs part: number of the line from 1, views into the two texts; an ended one is empty.
 */
struct vet_part {
    uint64_t line;
    struct wb_view side[VET_SIDES];
    struct wb_view before; /* up to three lines that both have */
};

/* False when the texts are equal. */
bool vet_part_find(struct wb_view old_text, struct wb_view new_text, struct vet_part *out);
/* How two runs of an input differ, by v->told[side][i], and the id of it, "" when they do not.
 * Those whose stories or traces differ are run once more for their lines. */
enum vet_kind vet_part_kind(struct vet *v, const struct vet_input *input, size_t i,
                            char id[VET_ID_MAX]);
/* The same id for bytes that one side's core wrote, and both read. */
void vet_part_written(char id[VET_ID_MAX], int writer);
/* Makes the group's witness as small as it goes. */
void vet_part_least(struct vet *v, struct vet_group *group);

/* ---- vet_written.c ---- */

/* Gives what the cores wrote otherwise in these runs, told[i] each, to both sides' readers; appends
 * what differs as lines of the journal. */
void vet_written(struct vet *v, struct vet_told (*told)[VET_SIDES], size_t count,
                 struct wb_buf *out);

/* Appends the line of an input that differs and has no number: `writer` as in a group. */
void vet_written_put(const struct vet *v, const struct vet_input *input, int writer,
                     enum vet_kind kind, const char *id, struct wb_buf *out);

/* ---- vet_count.c ---- */

/* Counts lines of the journal. */
void vet_count_text(struct vet *v, struct wb_view text);
/* Gives back what the parts behind the inputs left. */
void vet_count_free(struct vet *v);
struct vet_group *vet_group_find(struct vet *v, const char *id);
struct vet_group *vet_group_add(struct vet *v, const char *id, size_t target, enum vet_kind kind);
/* The target of that name, or target_count. */
size_t vet_target_find(const struct vet *v, const char *name, size_t len);

/* ---- vet_state.c ---- */

/* Runs what the state does not hold yet and keeps it there. False after a message. */
bool vet_work(struct vet *v);

/* ---- vet_cost.c ---- */

/* Makes a group of each cost that differs by more than 2 %. */
void vet_cost_groups(struct vet *v);
const char *vet_cost_word(enum vet_cost cost);
/* Instructions of the corpus on each side, by callgrind. False after a message. */
bool vet_cost_instructions(struct vet *v, size_t target, uint64_t out[VET_SIDES]);

/* ---- vet_bench.c ---- */

/* Judges figures and times, and makes groups of what no target's own cost says. */
void vet_bench_groups(struct vet *v);

/* ---- vet_cover.c ---- */

/* Files beside the journal that both sides mark their blocks in. False after a message. */
bool vet_cover_open(struct vet *v, const char *journal);
/* Adds to the notes which functions only one side entered. */
void vet_cover_tell(struct vet *v);

/* ---- vet_expect.c ---- */

bool vet_expect_read(struct vet *v);
/* Marks groups as reviewed and expectations as met. */
void vet_expect_judge(struct vet *v);

/* ---- vet_require.c ---- */

/* Ties each difference in behaviour to requirements. */
void vet_require(struct vet *v);

/* ---- vet_tell.c ---- */

/* The report; returns what the program exits with. Leaves last.json in the state folder. */
int vet_tell(struct vet *v);

#endif
