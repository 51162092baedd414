/*
 * Any bytes are a stream of media: however they are cut, and wherever a transport puts them, the
 * subject tells the story that the specification tells.
 *
 * Byte 0 is the configuration, the rest the stream:
 *
 *   bits 0-1  the version: lite-05, lite-04, lite-06, lite-07
 *   bits 2-4  what the bytes are: a group stream, a fetch answer, messages, typed messages of at
 *             most 64 bytes, one datagram
 *   bits 5-7  how the stream ends: FIN, a reset with code 0, 1, 5 or 31, its user cancels (as
 *             OLD), the writer leaves, FIN and one more byte
 *
 * The story of a file is that of the delivery byte by byte. A frame is its number, timestamp and
 * payload; of a payload that never became whole, how much of it came:
 *
 *   group 7 of 1 from 0; 0@100 <hello>; 1@133 2 of 3 B; WB_E_TRUNCATED
 *   12 units; WB_END                           more than eight
 *   7 42 @1000 <hello>                         a datagram: subscription, sequence, timestamp
 *
 * Source: moq-lite, messages, GROUP, FRAME, DATAGRAM, group stream.
 */
#include "targets/fuzz.h"
#include "targets/media/intake.h"

/* Scratch of a run, written before it is read; too large for a stack. */
static struct intake the_intake;

static void one(struct wb_view input, struct sim_run *run)
{
    uint8_t config = input.len > 0 ? input.data[0] : 0;
    struct wb_view stream = input.len > 0 ? wb_view_sub(input, 1, input.len) : input;

    intake_init(&the_intake, config, stream, run);
    if (the_intake.mode == INTAKE_DATAGRAM) {
        intake_datagram(&the_intake);
        return;
    }
    intake_put(&the_intake);
    for (unsigned number = 0; number < INTAKE_DELIVERIES; number++)
        intake_deliver(&the_intake, number);
}

static const char *const configs[] = {
    "bits 0-1: version (lite-05, lite-04, lite-06, lite-07)",
    "bits 2-4: group stream, frames, messages, typed messages, datagram",
    "bits 5-7: end (FIN, resets 0, 1, 5 and 31, cancel, leave, FIN and more)",
    NULL,
};

static const char *const marks[] = {"copied", "shared", "assembled", "empty",  "cut-header", "open",
                                    "lost",   "reused", "refused",   "failed", "truncated",  NULL};

FUZZ_TARGET(.kind = FUZZ_WIRE,
            .property = "any cutting of any bytes over any backing tells the model's story",
            .one = one, .configs = configs, .marks = marks);
