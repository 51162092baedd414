/*
 * fuzz.c: the linked targets, and the one run. What a target may not keep from run to run is kept
 * here, and reset here.
 */
#include "targets/fuzz.h"

#include "core/base/probe.h"

#include <stdlib.h>
#include <string.h>

#define RUN_EXACT_MAX  ((size_t)65536)
#define RUN_FENCE      ((size_t)64)
#define RUN_CAP_BYTES  ((uint64_t)64 << 20)
#define RUN_LAST_LINES 24

/* The linker's names for the ends of the section; absent when no target is linked. */
extern const struct fuzz_target *const __start_fuzz_targets[] __attribute__((weak));
extern const struct fuzz_target *const __stop_fuzz_targets[] __attribute__((weak));

static struct sim_run the_run;

/* Where inputs lie: everything but the current input is poisoned, so that a read past either end
 * shows to the byte. */
static _Alignas(64) uint8_t block[RUN_FENCE + RUN_EXACT_MAX + RUN_FENCE];
static bool block_is_fenced;

size_t fuzz_target_count(void)
{
    if (__start_fuzz_targets == NULL)
        return 0;
    return (size_t)(__stop_fuzz_targets - __start_fuzz_targets);
}

const struct fuzz_target *fuzz_target_at(size_t i)
{
    size_t count = fuzz_target_count();
    WB_ASSERT(i < count);

    /* The i-th by name is the one with i names before its own: the linker's order is nobody's. */
    for (size_t k = 0; k < count; k++) {
        size_t before = 0;
        for (size_t other = 0; other < count; other++)
            before += strcmp(__start_fuzz_targets[other]->name, __start_fuzz_targets[k]->name) < 0;
        if (before == i)
            return __start_fuzz_targets[k];
    }
    WB_UNREACHABLE();
}

const struct fuzz_target *fuzz_target_find(const char *name)
{
    for (size_t k = 0; k < fuzz_target_count(); k++) {
        if (strcmp(__start_fuzz_targets[k]->name, name) == 0)
            return __start_fuzz_targets[k];
    }
    return NULL;
}

bool fuzz_target_is_listed(const struct fuzz_target *target)
{
    return strcmp(target->name, "canary") != 0;
}

static struct wb_view exact_copy(struct wb_view input)
{
    uint8_t *to = block + RUN_FENCE;

    if (input.len > RUN_EXACT_MAX) {
        to = malloc(input.len);
        WB_ASSERT(to != NULL);
    } else {
        if (!block_is_fenced)
            sim_poison(block, sizeof block);
        block_is_fenced = true;
        sim_unpoison(to, input.len);
    }
    if (input.len > 0)
        memcpy(to, input.data, input.len);
    return wb_view_of(to, input.len);
}

static void exact_drop(struct wb_view copy)
{
    if (copy.len > RUN_EXACT_MAX)
        free((void *)(uintptr_t)copy.data);
    else
        sim_poison(copy.data, copy.len);
}

static void last_words(void)
{
    sim_trace_print(&the_run.trace, RUN_LAST_LINES, stderr);
}

static struct sim_run *run_with(const struct fuzz_target *target, struct wb_view input,
                                uint64_t refused)
{
    struct sim_run *run = &the_run;
    struct wb_view copy = exact_copy(input);

    inv_on_failure(last_words);
    sim_run_reset(run);
    run->alloc.max_bytes = RUN_CAP_BYTES;
    run->alloc.fail_at[SIM_ALLOC_SWEEP] = refused;
    WB_PROBE1(run, target);
    sim_mark_run();
    target->one(copy, run);
    WB_PROBE1(ran, target);
    FUZZ_CHECK(BED_001, run->alloc.live_blocks == 0);
    FUZZ_CHECK(BED_001, run->alloc.live_bytes == 0);
    FUZZ_CHECK(BED_002, run->alloc.over == 0);
    exact_drop(copy);
    return run;
}

struct sim_run *fuzz_run(const struct fuzz_target *target, struct wb_view input)
{
    return run_with(target, input, 0);
}

struct sim_run *fuzz_run_failing(const struct fuzz_target *target, struct wb_view input, uint64_t n)
{
    WB_ASSERT(n >= 1);
    return run_with(target, input, n);
}

struct sim_run *fuzz_run_state(void)
{
    return &the_run;
}
