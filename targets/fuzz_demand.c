/*
 * Sixteen subscribers join, change their minds, leave and die: after every step the demand is the
 * union and the fold of those who live, computed anew, and its memory theirs.
 */
#include "targets/window/wishes.h"

static void one(struct wb_view input, struct sim_run *run)
{
    wishes_run(run, input);
}

static const char *const profiles[] = {FUZZ_UNUSED, NULL};

FUZZ_TARGET(.kind = FUZZ_SCENARIO,
            .property = "the demand is what its live subscribers ask for, and told when it changes",
            .one = one, .ops = &wishes_ops, .marks = wishes_marks, .profiles = profiles,
            .draw = wishes_draw);
