/*
 * Any bytes are a server's answer to a request at the limits of its shape: keys of 8 to 250 bytes
 * and such that no answer has, the longest opaque, the least and the largest values, no units.
 *
 * Byte 0 is the configuration, the rest the server's stream, which ends in an end of file:
 *
 *   bits 0-3  the request (targets/reply/shapes.c, the limits); 0 = a batch of five keys
 *   bits 4-7  as in targets/fuzz_reply_wire.c, whose checks and stories these are
 *
 * Source: memcached doc/protocol.txt, "Keys", "Meta Commands"; sizes: core/reply/reply.h.
 */
#include "targets/fuzz.h"
#include "targets/reply/wire.h"

/* Scratch of a run, written before it is read; too large for a stack under a sanitizer. */
static struct wire_case the_case;

/* The largest size of a read that leaves room for a line is taken; it is allocated when needed. */
static void try_largest(struct sim_run *run)
{
    const struct subject_reply *subject = subject_reply();
    struct wb_reply_profile profile = wb_reply_profile_default();
    void *session = NULL;

    profile.large = SIZE_MAX - WB_REPLY_LINE_MAX;
    enum wb_err e = subject->open(&profile, sim_run_mem(run), 0, &session);
    FUZZ_CHECK(RPL_051, e == WB_OK || (e == WB_E_NOMEM && run->alloc.refused > 0));
    subject->close(session);
}

static void one(struct wb_view input, struct sim_run *run)
{
    uint8_t config = input.len > 0 ? input.data[0] : 0;
    struct wb_view stream = input.len > 0 ? wb_view_sub(input, 1, input.len) : input;

    try_largest(run);
    wire_case_init(&the_case, SHAPES_LIMITS, config, stream, run);
    for (unsigned number = 0; number < WIRE_DELIVERIES; number++)
        wire_deliver(&the_case, number);
}

static const char *const configs[] = {
    "bits 0-3: request (mg of 8 to 250, get of 8 to 250, 5 mg of 8 to 250, mg with an opaque of 31,"
    " keys and opaque, mg up to 100, 3 mg up to 100, get k up to 100, mg up to 0, mg up to 2^64 - 1"
    ", 0 mg until mn, get of 0, mg of 3 with a blank, mg of 8 with a blank, mg of no bytes"
    ", stats of 2)",
    "bits 4-5: read sizes (8192 -> 65536, 2112 -> 4096, 2049, copied values)",
    "bit 6: a session of replies",
    "bit 7: TLS, values received in place",
    NULL,
};

FUZZ_TARGET(.kind = FUZZ_WIRE,
            .property = "any bytes are a server's answer to a request at the limits, told as the "
                        "model's",
            .one = one, .configs = configs);
