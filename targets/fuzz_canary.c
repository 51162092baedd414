/*
 * The canary must fail: an input whose protocol bytes begin with "fail" breaks BED-006, any other
 * passes. It proves that a broken invariant reaches the engine, the replay and the person; listings
 * leave it out.
 */
#include "targets/fuzz.h"

#include <string.h>

static const char canary_word[] = {'f', 'a', 'i', 'l'};

static void one(struct wb_view input, struct sim_run *run)
{
    bool is_asked_to_fail = input.len > sizeof canary_word &&
                            memcmp(input.data + 1, canary_word, sizeof canary_word) == 0;

    sim_run_note(run, input.len);
    sim_run_outcome(run, WB_OK);
    FUZZ_CHECK(BED_006, !is_asked_to_fail);
}

FUZZ_TARGET(.kind = FUZZ_WIRE, .property = "this target fails when it is asked to", .one = one);
