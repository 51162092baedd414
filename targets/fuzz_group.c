/*
 * One group, its writer and up to sixteen readers: every call, every reader's next frame and every
 * bill is the model's; a read asks the allocator for nothing, and what a reader keeps outlives all.
 *
 * The input is a scenario (`bed list group`). Profile: the group's sequence; even, and readers go
 * before the writer at the end; 255, and one op may add 50,000 frames, else 64. Knobs: the group's
 * limit by 64 bytes; of frame storage what is trusted by 16, the first segment by 4, the largest by
 * 16; 0 is the default of each.
 */
#include "targets/cache/log.h"
#include "targets/fuzz.h"

static void one(struct wb_view input, struct sim_run *run)
{
    log_run(run, input);
}

FUZZ_TARGET(.kind = FUZZ_SCENARIO,
            .property = "a group gives each reader its frames, and a read costs no allocation",
            .one = one, .ops = &log_ops, .marks = log_marks);
