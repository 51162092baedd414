/*
 * report.h: the state of everything on one page. Each section is one function of one file; what it
 * shows was measured before (ci/report/report.sh gathers it), and what was not is said so.
 */
#ifndef BED_REPORT_H
#define BED_REPORT_H

#include "targets/bed/bed.h"
#include "targets/bed/require.h"

/* ---- report_data.c: what was gathered ---- */

/* Lines of fields; comments that open with # are left out. */
struct report_table {
    char *text;         /* what all fields point into */
    const char **cells; /* rows of `width` fields, "" where a line had fewer */
    size_t count, width;
};

enum report_table_id {
    REPORT_FACTS,   /* name, value */
    REPORT_FUZZ,    /* "run", target, origin, executions, a second, coverage, units; or "step",
                       target, origin, executions, coverage */
    REPORT_SOAK,    /* target, executions, coverage */
    REPORT_PLANTED, /* mutants/TARGET/NAME or hunt/TARGET/NAME, sentence */
    REPORT_KILLS,   /* TARGET/NAME, killer, file, inputs */
    REPORT_MUTATE,  /* file, *, mutants, killed, score; or file, function, hash, mutants, killed,
                       apart, killed by modes only, alive: lists */
    REPORT_COVERED, /* file, lines, hit, branches, hit */
    REPORT_FLOORS,  /* file, per cent of lines, of branches */
    REPORT_BENCH,   /* bench, case, metric, value, unit, bar, ok or short */
    REPORT_HISTORY, /* date, revision, bench, "case metric", value, bar, unit */
    REPORT_TABLES
};

enum report_folder { REPORT_SEEDS, REPORT_CASES, REPORT_REGRESS, REPORT_FOLDERS };

/* A target with its corpus as it replays now. */
struct report_target {
    const struct fuzz_target *target;
    struct corpus_file *files; /* by path */
    size_t file_count, folder_counts[REPORT_FOLDERS];
    uint64_t marks[SIM_MARKS_MAX], op_counts[SIM_OPCODES];
};

struct report {
    const char *data; /* the folder */
    struct report_table tables[REPORT_TABLES];
    struct require_table requirements;
    bool has_requirements;
    struct report_target *targets; /* by name */
    size_t target_count;
};

/* `only` names one target to show, NULL: all. False after a message; then there is nothing to give
 * back. */
bool report_read(const char *data, const char *only, struct report *out);
void report_free(struct report *r);
/* A field, "" where there is none. */
const char *report_cell(const struct report_table *t, size_t row, size_t column);
/* A number at the front of a field, 0 when there is none; thousandths of it. */
uint64_t report_number(const char *text);
uint64_t report_thousandths(const char *text);
/* A fact by its name, "" when it was not gathered. */
const char *report_fact(const struct report *r, const char *name);
enum report_folder report_folder_of(const struct corpus_file *file);
/* Whether the run with these marks has reached the n-th one. */
bool report_has_mark(const struct report_target *t, size_t n);
/* The row of the last run of that target and origin in REPORT_FUZZ; false when there is none. */
bool report_find_run(const struct report *r, const char *target, const char *origin, size_t *out);
/* The row of REPORT_KILLS of that mutant; false when there is none. */
bool report_find_kill(const struct report *r, const char *mutant, size_t *out);

/* Whether ci/mutants/NAME.patch was there when the page's data was gathered. */
bool report_has_planted(const struct report *r, const char *name);
/* Whether that path below corpus/ is a regression. */
bool report_has_regression(const struct report *r, const char *path);

/* ---- report_page.c: what sections share ---- */

void report_style(struct wb_buf *out);
void report_script(struct wb_buf *out);
/* Opens a section; `lead` is markup. It ends with report_section_end. */
void report_section(const char *id, const char *title, const char *lead, struct wb_buf *out);
void report_section_end(struct wb_buf *out);
/* "Not measured yet: `make X`", for a section or a part of one. */
void report_missing(const char *what, const char *command, struct wb_buf *out);
/* A number with a thin gap between thousands. */
void report_put_number(uint64_t n, struct wb_buf *out);
/* Per cent with one decimal. */
void report_put_percent(uint64_t part, uint64_t whole, struct wb_buf *out);
/* An anchor's name for any text: what is no letter, digit or - becomes -. */
void report_put_anchor(const char *prefix, const char *text, struct wb_buf *out);
/* A search field for the rows that match the CSS selector; shown where scripts run. `kinds` are
 * pairs of a word in data-k and what it is called, up to NULL. */
void report_filter(const char *id, const char *rows, const char *hint, const char *const *kinds,
                   struct wb_buf *out);

/* ---- sections, in the order of the page ---- */

void report_glance(const struct report *r, struct wb_buf *out);
void report_targets(const struct report *r, struct wb_buf *out);
void report_core(const struct report *r, struct wb_buf *out);
void report_requirements(const struct report *r, struct wb_buf *out);
void report_oracles(const struct report *r, struct wb_buf *out);
void report_mutants(const struct report *r, struct wb_buf *out); /* report_oracles calls it */
/* Returns the CSS of its drawings in `style`. */
void report_regressions(const struct report *r, struct wb_buf *style, struct wb_buf *out);
void report_bench(const struct report *r, struct wb_buf *out);
void report_vet(const struct report *r, struct wb_buf *out);

#endif
