/*
 * Whatever the server, the network, the scheduler and the allocator do, every request of a client
 * with two connections gets its own reply, or an error, and never another's.
 *
 * The input is a scenario (sim/scenario.h, `bed list reply_boundary`).
 */
#include "targets/fuzz.h"
#include "targets/reply/world.h"

static void one(struct wb_view input, struct sim_run *run)
{
    world_run(run, input);
}

FUZZ_TARGET(.kind = FUZZ_SCENARIO,
            .property = "every request gets its own reply or an error, never another's", .one = one,
            .ops = &world_ops, .marks = world_marks, .profiles = world_profiles,
            .knobs = world_knob_texts);
