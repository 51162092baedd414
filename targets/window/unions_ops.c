/*
 * unions_ops.c: the op table of scenarios of windows.
 */
#include "targets/window/places.h"
#include "targets/window/unions.h"

static const char *const classes[] = {"range", "set", "look", "law", "wire", "fault", NULL};
enum { RANGE, SET, LOOK, LAW, WIRE, FAULT };

static const char *const messages[] = {"range",    "subscribe", "update", "answer-0", "answer-1",
                                       "answer-2", "answer-3",  "fetch",  NULL};

#define SLOT .uses_slot = true
#define FROM .flags = SIM_ARG_COUNT, .flags_name = "with"
#define LITE .flags = SIM_ARG_COUNT, .flags_name = "lite"

static const struct sim_op_desc ops[] = {
    {SIM_OP_LIT, WIRE, 1, "lit", .text = "raw bytes, for get"},
    {UNIONS_ADD, RANGE, 24, "add", SLOT, PLACES_RANGE, .text = "a range into the slot's window"},
    {UNIONS_REMOVE, RANGE, 14, "remove", SLOT, PLACES_RANGE, .text = "a range out of it"},
    {UNIONS_COMB, RANGE, 2, "comb", SLOT, .arg = SIM_ARG_COUNT, .arg_name = "n",
     .ext = SIM_ARG_COUNT, .ext_name = "group", .flags = SIM_ARG_MASK, .flags_name = "how",
     .text = "frames 0 to 7 of every other group; how: 1 removes them, 2 goes downwards"},
    {UNIONS_UNION, SET, 8, "union", SLOT, FROM, .text = "what either slot has"},
    {UNIONS_INTERSECT, SET, 6, "intersect", SLOT, FROM, .text = "what both have"},
    {UNIONS_SUBTRACT, SET, 6, "subtract", SLOT, FROM, .text = "what the other has not"},
    {UNIONS_COPY, SET, 4, "copy", SLOT, FROM, .text = "what the other has"},
    {UNIONS_CLEAR, SET, 1, "clear", SLOT, .text = "nothing"},
    {UNIONS_WIDEN, SET, 2, "widen", SLOT, .text = "whole groups"},
    {UNIONS_TRIM, SET, 2, "trim", SLOT, .text = "capacity that is not needed goes"},
    {UNIONS_LOOK, LOOK, 6, "look", SLOT, PLACES_AT, .text = "what is there, and next"},
    {UNIONS_EQUAL, LOOK, 3, "equal", SLOT, FROM, .text = "the two are compared"},
    {UNIONS_LAWS, LAW, 2, "laws", SLOT, FROM, .arg = SIM_ARG_COUNT, .arg_name = "and",
     .text = "the algebra of three windows of a few runs"},
    {UNIONS_BOUNDS, LAW, 2, "bounds", PLACES_RANGE, .text = "two bounds: lower, higher, next"},
    {UNIONS_SEND, WIRE, 3, "send", SLOT, LITE, .text = "the hull to the wire and back"},
    {UNIONS_PUT, WIRE, 3, "put", LITE, PLACES_RANGE, .text = "a range to the wire and back"},
    {UNIONS_GET, WIRE, 2, "get", LITE, .arg = SIM_ARG_CHOICE, .arg_name = "message",
     .choices = messages, .text = "the raw bytes as a range, or as a message's body"},
    {UNIONS_SAY_SUBSCRIBE, WIRE, 1, "subscribe", LITE, PLACES_RANGE, .text = "SUBSCRIBE"},
    {UNIONS_SAY_UPDATE, WIRE, 1, "update", LITE, PLACES_RANGE, .text = "SUBSCRIBE_UPDATE"},
    {UNIONS_SAY_START, WIRE, 1, "start", LITE, PLACES_RANGE, .text = "SUBSCRIBE_START"},
    {UNIONS_SAY_END, WIRE, 1, "end", LITE, PLACES_RANGE, .text = "SUBSCRIBE_END"},
    {UNIONS_SAY_DROP, WIRE, 1, "drop", LITE, PLACES_RANGE, .text = "DROP, both groups inside"},
    {UNIONS_SAY_FETCH, WIRE, 1, "fetch", LITE, PLACES_RANGE,
     .text = "FETCH of the group, from one frame to the other"},
    {UNIONS_FAIL, FAULT, 1, "fail", .arg = SIM_ARG_COUNT, .arg_name = "nth",
     .text = "the nth allocation from here is refused"},
    {UNIONS_NAMES, WIRE, 1, "names", .arg = SIM_ARG_COUNT, .arg_name = "first",
     .text = "so many of the raw bytes are the broadcast of messages that are written, the others "
             "the track; none: room and video"},
};

static const char *const macros[] = {
    "add s0 from=0.0 to=1.0; add s0 from=2.0 to=3.0; add s0 from=1.0 to=2.0",
    "add s0 from=z.0; add s0 from=y.0 to=z.0",
    "add s0 to=2.0; add s0 from=3.0; union s1 with=0; laws s0 with=1 and=2",
    "lit 01 00 00 00; get message=range lite=6",
    "lit \"room\" ff; names first=4; subscribe lite=5; lit c0; names first=1; fetch lite=6",
    NULL};

const struct sim_ops unions_ops = {.classes = classes,
                                   .knobs = NULL,
                                   .ops = ops,
                                   .count = sizeof ops / sizeof *ops,
                                   .macros = macros};

#define MARK_NAME(name, text) text,
const char *const unions_marks[] = {UNIONS_MARK_LIST(MARK_NAME) NULL};
#undef MARK_NAME
