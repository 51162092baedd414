/*
 * Tracks that share a pool, on virtual time: which groups are live, evicted, expired and delivered,
 * and every byte that is billed or lent, is what the model says.
 *
 * The input is a scenario (`bed list cache`). Profile: bit 0, tracks go before writers and readers
 * at the end; 255, and 256 groups are made, else 64. Knobs: capacity by 256 bytes, 0 is no limit;
 * most age of groups by 100 ms, 0 is none; limit of a group by 256 bytes, 0 is the default.
 */
#include "targets/cache/shelf.h"
#include "targets/fuzz.h"

static void one(struct wb_view input, struct sim_run *run)
{
    shelf_run(run, input);
}

FUZZ_TARGET(.kind = FUZZ_SCENARIO,
            .property = "a cache keeps, evicts, expires and delivers what its rules say",
            .one = one, .ops = &shelf_ops, .marks = shelf_marks);
