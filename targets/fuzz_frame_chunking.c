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

FUZZ_TARGET(.kind = FUZZ_SCENARIO, .property = "readers get the payload, memory is what is held",
            .one = one, .ops = &arrivals_ops, .marks = arrivals_marks);
