/*
 * Tracks that share a pool, on virtual time: which groups are live, evicted, expired and delivered,
 * and every byte that is billed or lent, is what the model says.
 *
 * The input is a scenario (`bed list cache`).
 */
#include "targets/cache/shelf.h"
#include "targets/fuzz.h"

static void one(struct wb_view input, struct sim_run *run)
{
    shelf_run(run, input);
}

static const char *const profiles[] = {
    "bit 0: at the end tracks go before writers and readers, else after",
    "255: 256 groups can be made, else 64", NULL};
static const char *const knob_texts[] = {
    "capacity: of the pool, in 256 bytes; 0 = no limit",
    "age: the most that groups reach, in 100 ms; 0 = no limit",
    "limit: of a group, in 256 bytes and 256 frames; 0 = 32 MiB and 2^20", NULL};

FUZZ_TARGET(.kind = FUZZ_SCENARIO,
            .property = "a cache keeps, evicts, expires and delivers what its rules say",
            .one = one, .ops = &shelf_ops, .marks = shelf_marks, .profiles = profiles,
            .knobs = knob_texts);
