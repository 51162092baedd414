/*
 * corpus_migrate.h: inputs of an older version of the scenario format as inputs of the current one.
 * Bytes of a version keep their meaning for ever (sim/scenario.h); what is migrated is read faster
 * and mutates as what is new.
 */
#ifndef DRIVER_CORPUS_MIGRATE_H
#define DRIVER_CORPUS_MIGRATE_H

#include "targets/driver/corpus.h"

#include "core/base/buf.h"

/* Turns bytes of the version `from` into those of the version after it, header included. */
struct corpus_step {
    uint8_t from;
    enum wb_err (*take)(struct wb_view bytes, struct wb_buf *out);
};

struct corpus_steps {
    uint8_t current;
    const struct corpus_step *list; /* one for each version before the current one */
    size_t count;
};

/* Those of the format as it is: none yet, version 1 is the first and the current one. */
extern const struct corpus_steps corpus_steps;

/*
 * Appends the bytes as the current version, which they say in their header. Bytes that say no
 * version are of `unsaid`, 1 or more. *out_from is set to the version that they were of.
 * WB_E_VERSION: there is no way from their version; other errors are the buffer's and the steps'.
 * `out` is unchanged on every error.
 */
WB_MUST_USE enum wb_err corpus_migrate(const struct corpus_steps *steps, uint8_t unsaid,
                                       struct wb_view bytes, struct wb_buf *out, uint8_t *out_from);
/* True when both run to one trace; else prints both hashes on `out`. */
bool corpus_migrate_agrees(const struct fuzz_target *target, struct wb_view before,
                           struct wb_view after, FILE *out);

#endif
