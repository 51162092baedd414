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

FUZZ_TARGET(.kind = FUZZ_SCENARIO, .property = "readers of a frame and its writer never race",
            .one = one, .ops = &race_ops, .marks = race_marks);
