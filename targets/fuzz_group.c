/*
 * One group, its writer and up to sixteen readers: every call, every reader's next frame and every
 * bill is the model's; a read asks the allocator for nothing, and what a reader keeps outlives all.
 *
 * The input is a scenario (`bed list group`).
 */
#include "targets/cache/log.h"
#include "targets/fuzz.h"

static void one(struct wb_view input, struct sim_run *run)
{
    log_run(run, input);
}

static const char *const profiles[] = {"0 to 255: the sequence number of the group",
                                       "even: at the end readers go before the writer, else after",
                                       "255: one many adds up to 50000 frames, else 64", NULL};
static const char *const knob_texts[] = {
    "limit: of the group, in 64 bytes and 64 frames; 0 = 32 MiB and 2^20",
    "upfront: declared size that is trusted, in 16 bytes; 0 = 64 KiB",
    "first: segment of a growing frame, in 4 bytes; 0 = 4 KiB",
    "chain: largest segment, in 16 bytes; 0 = 1 MiB", NULL};

FUZZ_TARGET(.kind = FUZZ_SCENARIO,
            .property = "a group gives each reader its frames, and a read costs no allocation",
            .one = one, .ops = &log_ops, .marks = log_marks, .profiles = profiles,
            .knobs = knob_texts);
