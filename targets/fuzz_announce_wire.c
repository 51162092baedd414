/*
 * Any bytes are the answer of an announce stream: however they are cut, the subscriber tells the
 * events that the specification tells, and keeps what it keeps.
 *
 * Byte 0 is the configuration, the rest the stream:
 *
 *   bits 0-1  the version: lite-05, lite-06, lite-06 with one cost, lite-07
 *   bit 2     hidden claims were asked for (lite-07)
 *   bit 3     we are node 9, and an anonymous peer is given 11
 *   bit 4     the prefix "room" was requested
 *   bit 5     the bytes are what the subscriber sends, from its stream type on
 *   bit 6     at most 3 claims, 2 routes and 200 bytes of paths
 *   bit 7     the stream ends by a reset, not by FIN
 *
 * The story of a file is that of the delivery byte by byte:
 *
 *   ok 7 count 1; start 0 room/cam by 5,7 cost 1/12; end 0 room/cam; closed; WB_END
 *   ok 7 count 0; route 0 to 5 seqno 1 metric 2; start 0 of route 0 a/b cost 3; ...
 *   1204 events, 0 live at the end; WB_END            more than 24
 *   request room exclude 42; WB_END                   bit 5
 *
 * A claim or route whose stream was reset is lost. Source: moq-lite, announces, announce stream;
 * design note on routed announces (October 2026).
 */
#include "targets/answer/answer.h"
#include "targets/fuzz.h"

/* Scratch of a run, written before it is read; too large for a stack. */
static struct answer the_answer;

static void one(struct wb_view input, struct sim_run *run)
{
    uint8_t config = input.len > 0 ? input.data[0] : 0;
    struct wb_view stream = input.len > 0 ? wb_view_sub(input, 1, input.len) : input;
    uint64_t first_hash = 0;

    answer_init(&the_answer, config, stream, run);
    if (the_answer.is_request) {
        answer_request(&the_answer);
        return;
    }
    for (unsigned number = 0; number < ANSWER_DELIVERIES; number++)
        answer_deliver(&the_answer, number, &first_hash);
}

static const char *const configs[] = {
    "bits 0-1: version (lite-05, lite-06, lite-06 with one cost, lite-07)",
    "bit 2: hidden claims asked for",
    "bit 3: own node 9, 11 for an anonymous peer",
    "bit 4: prefix room",
    "bit 5: the subscriber's side",
    "bit 6: at most 3 claims, 2 routes and 200 bytes of paths",
    "bit 7: reset",
    NULL,
};

static const char *const marks[] = {"dropped", "quiet", "cut", "failed", "ended", NULL};

FUZZ_TARGET(.kind = FUZZ_WIRE,
            .property = "any cutting of any answer tells the model's events and keeps its claims",
            .one = one, .configs = configs, .marks = marks);
