/*
 * Whatever neighbours tell a router, in any order and batches, each answer shows its peer exactly
 * what the peer may see of what is live, and nothing that ended comes back.
 *
 * The input is a scenario (sim/scenario.h, `bed list announce`).
 */
#include "targets/announce/ann.h"
#include "targets/fuzz.h"

static void one(struct wb_view input, struct sim_run *run)
{
    uint8_t profile = sim_scenario_of(input).header.profile;

    if ((profile & 0x80) != 0)
        ann_chain_run(run, input);
    else if ((profile & 0x40) != 0)
        ann_cost_run(run, input);
    else
        ann_run(run, input);
}

FUZZ_TARGET(.kind = FUZZ_SCENARIO,
            .property = "an answer shows its peer what it may see of what is live", .one = one,
            .ops = &ann_ops, .marks = ann_marks, .profiles = ann_profiles, .knobs = ann_knob_texts);
