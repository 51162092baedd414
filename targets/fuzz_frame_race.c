/*
 * One thread writes a frame and others read it, in whatever order their operations interleave:
 * every read is ordered after what it reads, and memory goes when nobody can reach it
 * (FRM-020 and on; targets/race/world.h).
 */
#include "targets/race/world.h"

static struct race_world world; /* too large for a stack; a run reads nothing of an earlier one */

static void one(struct wb_view input, struct sim_run *run)
{
    race_load(&world, run, input);
    race_play(&world);
}

static const char *const profiles[] = {FUZZ_UNUSED, NULL};
static const char *const knob_texts[] = {
    "upfront: declared size that is trusted, in bytes; 0 = 4 bytes",
    "first: segment of a growing frame, in bytes; 0 = 4 bytes",
    "chain: largest segment, in bytes, at least 4; 0 = 64 bytes", NULL};

FUZZ_TARGET(.kind = FUZZ_SCENARIO, .property = "readers of a frame and its writer never race",
            .one = one, .ops = &race_ops, .marks = race_marks, .profiles = profiles,
            .knobs = knob_texts);
