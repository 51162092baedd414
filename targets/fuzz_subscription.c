/*
 * A track whose groups come late, early, twice or never, and eight who ask for parts of it: each is
 * given what the model says, in its order, once, and is told when there is something.
 */
#include "targets/window/subs.h"

static void one(struct wb_view input, struct sim_run *run)
{
    subs_run(run, input);
}

FUZZ_TARGET(.kind = FUZZ_SCENARIO,
            .property = "every group is delivered, parked or dropped as the model says, once",
            .one = one, .ops = &subs_ops, .marks = subs_marks, .draw = subs_draw);
