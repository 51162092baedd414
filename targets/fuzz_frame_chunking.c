/*
 * However the bytes of a frame arrive and whoever reads them, readers get its payload, and memory
 * is what kind and holders imply (FRM-*; targets/media/arrivals.h).
 */
#include "targets/media/arrivals.h"

static struct arrivals world; /* too large for a stack; a run reads nothing of an earlier one */

static void one(struct wb_view input, struct sim_run *run)
{
    struct sim_scenario scenario = sim_scenario_of(input);
    struct sim_op op;

    arrivals_init(&world, run, &scenario.header);
    while (sim_scenario_next(&scenario, &op)) {
        if (sim_ops_enter(&arrivals_ops, run, &scenario.header, &op) == NULL)
            continue;
        arrivals_do(&world, &op);
        arrivals_check(&world);
    }
    arrivals_fini(&world, &scenario.header);
}

static const char *const profiles[] = {
    "bit 0: the limits are the core's defaults, knobs say nothing",
    "bit 1: at the end writers and shares of frames go before readers, else after", NULL};
static const char *const knob_texts[] = {
    "upfront: declared size that is trusted, in bytes, less 1; 0 = 16 bytes",
    "first: segment of a growing frame, in bytes, at most chain; 0 = 8 bytes",
    "chain: largest segment, in 16 bytes; 0 = 64 bytes", NULL};

FUZZ_TARGET(.kind = FUZZ_SCENARIO, .property = "readers get the payload, memory is what is held",
            .one = one, .ops = &arrivals_ops, .marks = arrivals_marks, .profiles = profiles,
            .knobs = knob_texts);
