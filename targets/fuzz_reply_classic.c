/*
 * Any bytes are a server's answer to a classic command: however they are cut, the reader tells the
 * story that the grammar tells.
 *
 * Byte 0 is the configuration, the rest the server's stream, which ends in an end of file:
 *
 *   bits 0-3  the request (targets/reply/shapes.c, the classic family); 0 = a get of 400 keys
 *   bits 4-7  as in targets/fuzz_reply_wire.c, whose checks these are
 *
 * A get or stats is over at END, or at one error line of any kind, in place of what is left of it;
 * the other commands are answered by one line. Units are told like this:
 *
 *   [VALUE2 kg f7 <hi>, VALUE0 kh f0 c38 <>, END] ok; idle
 *   [NUM 8] ok; idle                          a line that is a number
 *   [STAT pid 1, END] ok; idle                all others: the line
 *
 * Source: memcached doc/protocol.txt, "Retrieval command", "Storage commands", "Increment/
 * Decrement", "Statistics".
 */
#include "targets/fuzz.h"
#include "targets/reply/wire.h"

/* Scratch of a run, written before it is read; too large for a stack under a sanitizer. */
static struct wire_case the_case;

static void one(struct wb_view input, struct sim_run *run)
{
    uint8_t config = input.len > 0 ? input.data[0] : 0;
    struct wb_view stream = input.len > 0 ? wb_view_sub(input, 1, input.len) : input;

    wire_case_init(&the_case, SHAPES_CLASSIC, config, stream, run);
    for (unsigned number = 0; number < WIRE_DELIVERIES; number++)
        wire_deliver(&the_case, number);
}

static const char *const configs[] = {
    "bits 0-3: request (get of 400, 1, 2, 3; get k, get g nokey h, gets g nokey g, get k000 to k399"
    "; set, delete, incr, touch, stats, flush_all, stats reset, 3 set)",
    "bits 4-5: read sizes (8192 -> 65536, 2112 -> 4096, 2049, copied values)",
    "bit 6: a session of replies",
    "bit 7: TLS, values received in place",
    NULL,
};

FUZZ_TARGET(.kind = FUZZ_WIRE,
            .property = "any bytes are a server's answer to a classic command, told as the model's",
            .one = one, .configs = configs);
