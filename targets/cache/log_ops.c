/*
 * log_ops.c: the op table of scenarios of one group.
 */
#include "targets/cache/log.h"

static const char *const classes[] = {"writer", "end", "reader", "frame", "fault", NULL};
enum { WRITER, END, READER, FRAME, FAULT };

static const char *const knobs[] = {"limit", "upfront", "first", "chain"};
static const char *const reasons[] = {"cancel", "old",       "evicted", "dropped",
                                      "remote", "truncated", NULL};

#define SLOT         .uses_slot = true
#define SIZE(name)   .arg = SIM_ARG_SIZE, .arg_name = name
#define COUNT(name)  .arg = SIM_ARG_COUNT, .arg_name = name
#define HOW(name)    .flags = SIM_ARG_MASK, .flags_name = name
#define FROM         .flags = SIM_ARG_COUNT, .flags_name = "from"
#define EXT(k, name) .ext = k, .ext_name = name

static const struct sim_op_desc ops[] = {
    {LOG_START, WRITER, 2, "start", COUNT("at"), HOW("max"), EXT(SIM_ARG_COUNT, "more"),
     .text = "the first frame's number; max: 1 is 2^64-1, 2 so far before it"},
    {LOG_ADD, WRITER, 12, "add", SLOT, SIZE("size"), HOW("how"), EXT(SIM_ARG_COUNT, "stamp"),
     .text = "a whole frame. how: 1 the slot keeps a share, 2 it is a part of a larger segment"},
    {LOG_MANY, WRITER, 2, "many", COUNT("count"), EXT(SIM_ARG_COUNT, "size"),
     .text = "so many whole frames alike, of at most 255 bytes"},
    {LOG_OPEN, WRITER, 10, "open", SIZE("size"), HOW("how"), EXT(SIM_ARG_COUNT, "more"),
     .text = "a frame in parts, of more * 65536 + size bytes. how: 4 and 32 MiB"},
    {LOG_WRITE, WRITER, 16, "write", SIZE("size"), HOW("how"),
     .text = "a part. how: 1 past the end, 2 again from before, 4 after a gap, 8 an owned slice"},
    {LOG_CLOSE, WRITER, 8, "close", .text = "the open frame is finished"},
    {LOG_FINISH, END, 2, "finish", .text = "no frame more"},
    {LOG_ABORT, END, 2, "abort", .arg = SIM_ARG_CHOICE, .arg_name = "reason", .choices = reasons,
     .text = "frames are released, readers get the reason"},
    {LOG_LEAVE, END, 1, "leave", .text = "the writer goes"},

    {LOG_JOIN, READER, 6, "join", SLOT, .text = "a reader from the start"},
    {LOG_CLONE, READER, 3, "clone", SLOT, FROM, .text = "a reader where another is"},
    {LOG_START_AT, READER, 3, "start-at", SLOT, COUNT("at"), HOW("max"), EXT(SIM_ARG_COUNT, "more"),
     .text = "the reader goes there; max as in start"},
    {LOG_END_AT, READER, 3, "end-at", SLOT, COUNT("at"), HOW("max"), EXT(SIM_ARG_COUNT, "more"),
     .text = "the last frame that the reader gets; max as in start"},
    {LOG_LIFT, READER, 2, "lift", SLOT, .text = "no last frame"},
    {LOG_NEXT, READER, 14, "next", SLOT, .text = "the reader's next frame, for the slot to read"},
    {LOG_SKIP, READER, 3, "skip", SLOT, COUNT("count"), .text = "so many frames pass unread"},
    {LOG_QUIT, READER, 2, "quit", SLOT, .text = "the reader goes, its frame and slices stay"},

    {LOG_READ, FRAME, 16, "read", SLOT, HOW("how"),
     .text = "the slot's frame: one part, kept. how: 1 all there is, 2 not kept"},
    {LOG_COPY, FRAME, 2, "copy", SLOT, FROM, .text = "another slot's frame, read from there on"},
    {LOG_SHUT, FRAME, 2, "shut", SLOT, .text = "the slot's frame is given up"},
    {LOG_FORGET, FRAME, 2, "forget", SLOT, .text = "the slices that the slot keeps are given back"},

    {LOG_FAIL, FAULT, 2, "fail", COUNT("nth"), .text = "the nth allocation from here is refused"},
};

static const char *const macros[] = {
    "join s0; open size=10; write size=5; next s0; read s0; write size=5; close; read s0",
    "add s0 size=32 how=0x1; add s0 size=33; add s0 size=34; finish; abort reason=old",
    "join s0; next s0; read s0 how=0x1; next s0",
    "open size=300; write size=40; write size=80; write size=180; close", NULL};

const struct sim_ops log_ops = {.classes = classes,
                                .knobs = knobs,
                                .ops = ops,
                                .count = sizeof ops / sizeof *ops,
                                .macros = macros};

#define MARK_NAME(name, text) text,
const char *const log_marks[] = {LOG_MARK_LIST(MARK_NAME) NULL};
#undef MARK_NAME
