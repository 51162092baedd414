/*
 * require.h: the requirements, oracles/requirements.tsv: what the protocols and this project
 * demand, each tied to the invariants and corpus files that check it and to planted bugs that break
 * it.
 *
 * One requirement a line, tabs between: id, level, source, section, statement, invariants, cases
 * (paths below corpus/), mutants (paths below ci/mutants/ without .patch, or a test that plants
 * bugs itself); the last three are words parted by single blanks, `-` for none. A line that opens
 * with # is a comment; one of the form
 *
 *   # ratchet: NAME N      at most N of what NAME counts, see require_ratchet_names
 *
 * bounds a count. Ids are given once: one whose statement opens with "retired" stays, and counts
 * nowhere.
 */
#ifndef BED_REQUIRE_H
#define BED_REQUIRE_H

#include "targets/bed/bed.h"

#define REQUIRE_PATH "oracles/requirements.tsv"

enum require_list { REQUIRE_INVARIANTS, REQUIRE_CASES, REQUIRE_MUTANTS, REQUIRE_LISTS };

enum require_ratchet {
    REQUIRE_UNTIED,     /* tied to no invariant, case or mutant */
    REQUIRE_NO_CASE,    /* tied to no corpus file */
    REQUIRE_NO_MUTANT,  /* tied to no planted bug */
    REQUIRE_UNSHOWN,    /* ties to a planted bug that falls to no invariant or case named there */
    REQUIRE_UNKILLED,   /* invariants that kill no planted bug */
    REQUIRE_UNREQUIRED, /* invariants that no requirement names */
    REQUIRE_RATCHETS
};

struct require_words {
    const char **at;
    size_t count;
};

struct require {
    const char *id;      /* "R-RPL-014" */
    const char *level;   /* "MUST", "SHOULD" or "MAY" */
    const char *source;  /* a public document, or "wirebed" for what this project asks of itself */
    const char *section; /* of the source */
    const char *text;    /* the statement */
    struct require_words lists[REQUIRE_LISTS];
    unsigned line;
    bool is_retired;
};

struct require_table {
    const char *path;
    struct require *at; /* in the order of the file */
    size_t count;
    uint64_t most[REQUIRE_RATCHETS]; /* UINT64_MAX where the file states none */
    char *text;                      /* what all strings point into */
};

/* The name of a ratchet, "untied", "no-case", ... */
const char *require_ratchet_name(enum require_ratchet ratchet);

/*
 * Reads and checks the file; `path` must outlive the table. Invariants must exist and not be
 * retired; whether cases and mutants exist is require_paths_check's to say. False after a message
 * `bed: file:line: rule`; then there is nothing to free.
 */
bool require_read(const char *path, struct require_table *out);
void require_free(struct require_table *table);
/* True when every case and mutant that is named is a file; false after a message. */
bool require_paths_check(const struct require_table *table);

/* The requirement of that id, or NULL. */
const struct require *require_find(const struct require_table *table, const char *id);
/*
 * The next requirement whose list names `word`, behind `after` (NULL: from the first), or NULL:
 *
 *   for (r = NULL; (r = require_next(&table, r, REQUIRE_INVARIANTS, "RPL-021")) != NULL;)
 *
 * Cases may be given with "corpus/" before them. Retired ones are passed over.
 */
const struct require *require_next(const struct require_table *table, const struct require *after,
                                   enum require_list list, const char *word);
/* Whether a list names the word. */
bool require_names(const struct require_words *words, const char *word);

#endif
