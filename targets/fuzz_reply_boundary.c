/*
 * Whatever the server, the network, the scheduler and the allocator do, every request of a client
 * with two connections gets its own reply, or an error, and never another's.
 *
 * The input is a scenario (sim/scenario.h, `bed list reply_boundary`). Profile: bits 0-1 read
 * sizes 8192 to 65536, 2112 to 4096, 2049, 2049 to 65536; bits 2-3 values in place, copied,
 * direct; 0x10 TLS; 0x20 the wait is a poll; 0x40 no recovery; 0x80 probe after 1 ms. Knobs:
 * timeout and deadline in 10 ms, drain budget in 100 bytes, timeouts in a row; 0 = the
 * default, a timeout of 255 none.
 */
#include "targets/fuzz.h"
#include "targets/reply/world.h"

static void one(struct wb_view input, struct sim_run *run)
{
    world_run(run, input);
}

FUZZ_TARGET(.kind = FUZZ_SCENARIO,
            .property = "every request gets its own reply or an error, never another's", .one = one,
            .ops = &world_ops, .marks = world_marks);
