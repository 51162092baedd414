/*
 * arrivals_ops.c: what can be done with frames and their readers.
 */
#include "targets/media/arrivals.h"

static const char *const classes[] = {"frame", "write", "end", "reader", "crowd", "fault", NULL};
static const char *const knobs[4] = {"upfront", "first", "chain"};
static const char *const reasons[] = {"cancel", "dropped", "old", "evicted", "remote", NULL};
const char *const arrivals_marks[] = {"shared",  "fixed",     "growing", "chain",   "moved",
                                      "overlap", "outlived",  "refused", "crowded", "large",
                                      "lying",   "forwarded", NULL};

enum { FRAME, WRITE, END, READER, CROWD, FAULT };

#define SLOT              .uses_slot = true
#define ARG(kind_, name_) .arg = kind_, .arg_name = name_
#define HOW               .flags = SIM_ARG_MASK, .flags_name = "how"
#define BANK              .flags = SIM_ARG_COUNT, .flags_name = "bank"

static const struct sim_op_desc descs[] = {
    {ARRIVALS_OPEN, FRAME, 4, "open", SLOT, ARG(SIM_ARG_SIZE, "size"), .ext = SIM_ARG_COUNT,
     .ext_name = "high", .text = "a frame of that size, in place of the slot's (slots 0 to 3)"},
    {ARRIVALS_WRITE, WRITE, 9, "write", SLOT, ARG(SIM_ARG_SIZE, "len"), HOW, .ext = SIM_ARG_SIZE,
     .ext_name = "back", .text = "from `back` before the end; 1 wrong, 2 gap, 4 slice, 8 part"},
    {ARRIVALS_FILL, WRITE, 3, "fill", SLOT, ARG(SIM_ARG_SIZE, "piece"), HOW,
     .text = "the rest in pieces, 64 at most"},
    {ARRIVALS_FINISH, END, 4, "finish", SLOT, .text = "no more bytes"},
    {ARRIVALS_ABORT, END, 1, "abort", SLOT, ARG(SIM_ARG_CHOICE, "reason"), .choices = reasons,
     .text = "the frame ends for its readers"},
    {ARRIVALS_DROP, END, 2, "drop", SLOT, .text = "the writer leaves"},
    {ARRIVALS_SHARE, FRAME, 1, "share", SLOT, ARG(SIM_ARG_COUNT, "back"),
     .text = "one more holder of the frame, or one less"},
    {ARRIVALS_PAYLOAD, END, 2, "payload", SLOT, .text = "a finished frame's payload is kept"},
    {ARRIVALS_JOIN, READER, 4, "join", SLOT, ARG(SIM_ARG_COUNT, "frame"), BANK,
     .text = "reader slot + 16 bank starts at the front of a slot's frame"},
    {ARRIVALS_REOPEN, READER, 2, "reopen", SLOT, ARG(SIM_ARG_COUNT, "frame"), BANK,
     .text = "the reader gets the payload of a slot's finished frame"},
    {ARRIVALS_CLONE, READER, 2, "clone", SLOT, ARG(SIM_ARG_COUNT, "from"), BANK,
     .text = "the reader starts where another is"},
    {ARRIVALS_READ, READER, 8, "read", SLOT, ARG(SIM_ARG_COUNT, "times"), BANK,
     .text = "the reader keeps what it gets"},
    {ARRIVALS_GLANCE, READER, 2, "glance", SLOT, ARG(SIM_ARG_COUNT, "times"), BANK,
     .text = "the reader gives back what it gets"},
    {ARRIVALS_FORGET, READER, 2, "forget", SLOT, BANK, .text = "the reader gives back all it kept"},
    {ARRIVALS_LEAVE, READER, 2, "leave", SLOT, BANK, .text = "the reader goes, its slices stay"},
    {ARRIVALS_CROWD, CROWD, 1, "crowd", SLOT, ARG(SIM_ARG_COUNT, "readers"),
     .text = "readers 0 and up start on the slot's frame; 0 = all 128"},
    {ARRIVALS_ALL, CROWD, 1, "all", SLOT, .flags = SIM_ARG_MASK, .flags_name = "how",
     .text = "all readers of the slot's frame read what there is; 1 gives it back"},
    {ARRIVALS_FAIL, FAULT, 1, "fail", ARG(SIM_ARG_COUNT, "nth"),
     .text = "the nth allocation from here is refused"},
    {ARRIVALS_FORWARD, FRAME, 2, "forward", SLOT, ARG(SIM_ARG_COUNT, "kept"),
     .text = "a frame whose payload is the slice that somebody kept as the n-th"},
};

static const char *const macros[] = {
    "open s0 size=100\njoin s0 frame=0\nwrite s0 len=9\nread s0\nwrite s0 len=40\nread s0\n",
    "fill s0 piece=7\nfinish s0\npayload s0\nreopen s1 frame=0\nread s1\n",
    "fail nth=1\nwrite s0 len=30\nwrite s0 len=30\n",
    NULL,
};

const struct sim_ops arrivals_ops = {.classes = classes,
                                     .knobs = knobs,
                                     .ops = descs,
                                     .count = sizeof descs / sizeof descs[0],
                                     .macros = macros};
