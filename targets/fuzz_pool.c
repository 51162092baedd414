/*
 * Sixteen entries in the accounts of one pool: bill, mean and debt are the model's after every op,
 * and a settle names the model's victims in the model's order.
 *
 * The input is a scenario (`bed list pool`).
 */
#include "targets/cache/ledger.h"
#include "targets/fuzz.h"

static void one(struct wb_view input, struct sim_run *run)
{
    ledger_run(run, input);
}

static const char *const profiles[] = {FUZZ_UNUSED, NULL};
static const char *const knob_texts[] = {"capacity: of the pool, in 64 bytes; 0 = no limit", NULL};

FUZZ_TARGET(.kind = FUZZ_SCENARIO,
            .property = "a pool bills what it is told and evicts whom its rules name", .one = one,
            .ops = &ledger_ops, .marks = ledger_marks, .profiles = profiles, .knobs = knob_texts);
