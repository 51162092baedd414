/*
 * matrix.h: mutant by invariant by requirement: which planted bug fell to which check after how
 * many inputs, from ci/mutants/kills.tsv, beside the requirements.
 *
 * A line of that file: patch below ci/mutants/ without its ending, what fell on it, the file below
 * corpus/, how many inputs had been replayed, with tabs between. `KEEP=1 ci/mutants.sh` writes it.
 * Where a test of its own plants the bugs, the line has the test's source in place of the patch,
 * the name of the test in place of the file, and 1. A line that opens with # is a comment.
 */
#ifndef BED_MATRIX_H
#define BED_MATRIX_H

#include "targets/bed/require.h"

#define MATRIX_KILLS_PATH "ci/mutants/kills.tsv"

struct matrix_kill {
    const char *mutant;
    const char *killer; /* an invariant, or what a file states: "another story" */
    const char *file;
    uint64_t inputs; /* run until it fell */
    bool is_of_test;
};

struct matrix {
    struct require_table table;
    struct matrix_kill *kills; /* in the order of the file */
    size_t kill_count;
    char *text;     /* what the kills point into */
    char **mutants; /* paths of all patches */
    size_t mutant_count;
    size_t unrecorded; /* patches without a kill on record */
    uint64_t counts[REQUIRE_RATCHETS];
};

/* Reads requirements, kills and the names of patches, and counts. False after a message; then
 * there is nothing to free. */
bool matrix_read(struct matrix *out);
void matrix_free(struct matrix *m);
/*
 * The kill on record of a mutant, NULL when there is none; where there are several, as of a test,
 * the first by an invariant or case of `r`.
 */
const struct matrix_kill *matrix_kill_of(const struct matrix *m, const struct require *r,
                                         const char *mutant);
/* The next kill by that invariant behind `after` (NULL: from the first), or NULL. */
const struct matrix_kill *matrix_kill_by(const struct matrix *m, const struct matrix_kill *after,
                                         const char *killer);
/* Whether what killed the mutant is an invariant or a case of the requirement. */
bool matrix_is_shown(const struct matrix *m, const struct require *r, const char *mutant);
/* Whether it no longer counts: its sentence opens with "retired". */
bool matrix_is_retired(const struct inv_desc *inv);
/* How many counts are above their ratchet. */
size_t matrix_over(const struct matrix *m);

/* ---- matrix_tell.c ---- */

void matrix_tell_requirement(const struct matrix *m, const struct require *r);
void matrix_tell_invariant(const struct matrix *m, const struct inv_desc *inv);
/* What the counts are of, then the counts. */
void matrix_tell_counts(const struct matrix *m);

/* ---- matrix_json.c ---- */

/* The whole, or one requirement, or one invariant when they are not NULL; a JSON object. */
void matrix_json(const struct matrix *m, const struct require *r, const struct inv_desc *inv);

#endif
