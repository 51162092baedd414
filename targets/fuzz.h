/*
 * fuzz.h: what a target is. A target is one file, targets/fuzz_NAME.c: a property in its opening
 * comment, the code that checks it, and one FUZZ_TARGET line. Its name is its registration.
 *
 * A run depends on its input alone, gives back all memory of its allocator, says no with
 * FUZZ_CHECK only, and reports how it ended (sim_run_outcome). The driver does the rest once for
 * all.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "oracles/inv.h"
#include "sim/ops.h"
#include "sim/run.h"

enum fuzz_kind {
    FUZZ_WIRE,    /* byte 0 is the configuration, the rest protocol bytes */
    FUZZ_SCENARIO /* sim/scenario.h */
};

struct fuzz_target {
    const char *name; /* from the file's name */
    enum fuzz_kind kind;
    const char *property; /* one sentence */
    void (*one)(struct wb_view input, struct sim_run *run);
    const struct sim_ops *ops; /* scenario targets */
    const char *const *marks;  /* names of the "sometimes" marks, NULL-terminated; may be NULL */
    /* scenario targets: how things stand after the ops, as comment lines; may be NULL */
    void (*draw)(struct wb_view input, struct wb_buf *out);
    /* Lines for people, NULL-terminated. Wire targets: what byte 0 says; may be NULL. */
    const char *const *configs;
    /* Scenario targets: what the profile says; one line, FUZZ_UNUSED, where it says nothing. */
    const char *const *profiles;
    /* "NAME: unit and meaning", for each knob that the ops name, in their order; may be NULL */
    const char *const *knobs;
};

#define FUZZ_UNUSED "not used"

/* FUZZ_TARGET(.kind = FUZZ_WIRE, .property = "...", .one = one); FUZZ_NAME comes from the build. */
#define FUZZ_TARGET(...)                                                                           \
    static const struct fuzz_target fuzz_this = {.name = FUZZ_NAME, __VA_ARGS__};                  \
    static const struct fuzz_target *const fuzz_entry                                              \
        __attribute__((section("fuzz_targets"), used)) = &fuzz_this

/* The linked targets: one in a fuzzer, all in bed and test_corpus. In no particular order. */
size_t fuzz_target_count(void);
const struct fuzz_target *fuzz_target_at(size_t i);
const struct fuzz_target *fuzz_target_find(const char *name);
/* False for the canary, which must fail, so that only its name calls it. */
bool fuzz_target_is_listed(const struct fuzz_target *target);

/*
 * Runs one input: exact copy of the bytes, fresh run state, then the end checks (BED-*: all
 * memory back, allocation cap). A failed check does not return. The result is the driver's one
 * static run, valid until the next call.
 */
struct sim_run *fuzz_run(const struct fuzz_target *target, struct wb_view input);
/* The same with the n-th allocation refused, n >= 1. */
struct sim_run *fuzz_run_failing(const struct fuzz_target *target, struct wb_view input,
                                 uint64_t n);
/* The static run itself: for switching the story and the live trace on, and for clearing marks. */
struct sim_run *fuzz_run_state(void);

#endif
