/*
 * A track whose groups come late, early, twice or never, and eight who ask for parts of it: each is
 * given what the model says, in its order, once, and is told when there is something.
 */
#include "targets/window/subs.h"

static void one(struct wb_view input, struct sim_run *run)
{
    subs_run(run, input);
}

static const char *const profiles[] = {
    "bit 0: at the end writers go before those who ask, else after", NULL};
static const char *const knob_texts[] = {"capacity: of the pool, in 256 bytes; 0 = no limit",
                                         "age: the most that groups reach, in 100 ms; 0 = no limit",
                                         "done: runs of numbers that are remembered; 0 = as usual",
                                         NULL};

FUZZ_TARGET(.kind = FUZZ_SCENARIO,
            .property = "every group is delivered, parked or dropped as the model says, once",
            .one = one, .ops = &subs_ops, .marks = subs_marks, .profiles = profiles,
            .knobs = knob_texts, .draw = subs_draw);
