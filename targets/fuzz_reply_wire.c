/*
 * Any bytes are a server's answer: however they are cut, the reader tells the story that the
 * grammar tells.
 *
 * Byte 0 is the configuration, the rest the server's stream, which ends in an end of file:
 *
 *   bits 0-3  the request (targets/reply/shapes.c); 0 = mg
 *   bits 4-5  read sizes: 8192 -> 65536, 2112 -> 4096, 2049, 8192 -> 65536 with values copied
 *   bit 6     a session: the request is repeated, each answered by the stream's next reply
 *   bit 7     TLS (reads come first), with values received in place
 *
 * The model reads the stream once. A fresh reader then gets it whole, byte by byte, and at four
 * cuts by its hash; each time units, their places and values, end, state and figures must be the
 * model's (targets/reply/wire.h). One difference is legal and foreseen to the byte: surplus that
 * one read takes together with the reply's last bytes is TRAILING, else unread.
 *
 * The story of a file is that of the whole delivery. A unit is its line; VA has the length glued
 * on, and its value between < and >. Then come the end and the connection's last state:
 *
 *   [VA3 s3 f30 <bar>, EN O2] ok; idle
 *   [401 units] ok; idle                      more than eight units
 *   [VA8182 <vvvvvvvv...(8182 B)>] ok; idle   over 40 bytes of a value or 120 of a line
 *   [] close:BAD_LEN; closed:BAD_LEN
 *   [EN] ok; [] close:EOF; [] closed; closed:EOF
 *
 * The last is a session: each request, then one more that the dead connection refuses.
 *
 * Source: memcached doc/protocol.txt, "Meta Commands".
 */
#include "targets/fuzz.h"
#include "targets/reply/wire.h"

/* Scratch of a run, written before it is read; too large for a stack under a sanitizer. */
static struct wire_case the_case;

static void one(struct wb_view input, struct sim_run *run)
{
    uint8_t config = input.len > 0 ? input.data[0] : 0;
    struct wb_view stream = input.len > 0 ? wb_view_sub(input, 1, input.len) : input;

    wire_case_init(&the_case, SHAPES_META, config, stream, run);
    for (unsigned number = 0; number < WIRE_DELIVERIES; number++)
        wire_deliver(&the_case, number);
}

static const char *const configs[] = {
    "bits 0-3: request (mg, ms, md, ma, me, mn, version, batches, opaque, counted)",
    "bits 4-5: read sizes (8192 -> 65536, 2112 -> 4096, 2049, copied values)",
    "bit 6: a session of replies",
    "bit 7: TLS, values received in place",
    NULL,
};

FUZZ_TARGET(.kind = FUZZ_WIRE,
            .property =
                "any bytes are a server's answer, and all cuts of it tell the model's story",
            .one = one, .configs = configs);
