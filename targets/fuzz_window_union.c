/*
 * Windows in eight slots: after every step their runs are those of a naive list and, over a small
 * universe with the edges folded in, those of a bitmap, in canonical form, at their price; what
 * goes to the wire comes back the same or wider.
 */
#include "targets/window/unions.h"

static void one(struct wb_view input, struct sim_run *run)
{
    unions_run(run, input);
}

static const char *const profiles[] = {FUZZ_UNUSED, NULL};

FUZZ_TARGET(.kind = FUZZ_SCENARIO,
            .property = "a window is the set that the model says, canonical and cheap", .one = one,
            .ops = &unions_ops, .marks = unions_marks, .profiles = profiles, .draw = unions_draw);
