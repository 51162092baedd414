/*
 * world_ops.c: the op table of reply scenarios. Opcodes are given once: each class has its own
 * range and grows at its end.
 */
#include "targets/reply/world_ops.h"

#include "targets/reply/world.h"

static const char *const classes[] = {"request", "server", "wrong",  "net",    "wait",
                                      "time",    "sched",  "memory", "client", NULL};
enum { REQUEST, SERVER, WRONG, NET, WAIT, TIME, SCHED, MEMORY, CLIENT };

static const char *const knobs[] = {"timeout", "drain", "deadline", "owed"};

const char *const world_profiles[] = {
    "bits 0-1: bytes of a read before and after one came back full: 0 8192 and 65536, 1 2112 and "
    "4096, 2 2049 always, 3 2049 and 65536",
    "bits 2-3: values: 0 and 3 in place where wholly buffered, 1 copied, 2 received directly",
    "0x10: TLS: bytes may be decrypted while the socket is silent",
    "0x20: the wait is a poll, so its word is final",
    "0x40: no recovery: the first timeout ends the connection",
    "0x80: who was idle for more than 1 ms, or was drained, is probed before it is written to",
    NULL};
const char *const world_knob_texts[] = {
    "timeout: of each wait, in 10 ms; 0 = 100 ms, 255 = none",
    "drain: bytes discarded in one recovery, in 100 bytes; 0 = 2 MiB and 2048",
    "deadline: of requests with how=0x8, in 10 ms; 0 = 100 ms",
    "owed: timeouts in a row that are survived; 0 = 3", NULL};

#define WRONG_NAME(name, text) text,
static const char *const wrongs[] = {WORLD_WRONG_LIST(WRONG_NAME) NULL};
#undef WRONG_NAME
/* In the order of enum wb_reply_want_kind, from WB_REPLY_WANT_NEXT on. */
static const char *const wants[] = {"next", "write", "read",  "wait",
                                    "poll", "probe", "space", NULL};
static const char *const hits[] = {"all", "odd", "none", "empty", NULL};

/* What every request has: whose connection, and how it is made. */
#define ASKED        ON(REQUEST), .flags = SIM_ARG_MASK, .flags_name = "how"
#define HOW          " how: 1 expect_reply, 2 opaque, 4 keys, 8 deadline"
#define COUNT(label) .arg = SIM_ARG_COUNT, .arg_name = label
#define SIZE(label)  .arg = SIM_ARG_SIZE, .arg_name = label
#define MS(label)    .arg = SIM_ARG_TIME, .arg_name = label
#define ON(room)     .op_class = room, .uses_slot = true

static const struct sim_op_desc ops[] = {
    {OP_GET, .weight = 20, .name = "get", ASKED, SIZE("size"), .ext = SIM_ARG_SIZE,
     .ext_name = "more", .text = "mg: one value of size + more bytes." HOW},
    {OP_SET, .weight = 6, .name = "set", ASKED, SIZE("size"), .text = "ms of a value." HOW},
    {OP_DELETE, .weight = 3, .name = "delete", ASKED, .text = "md." HOW},
    {OP_ARITH, .weight = 3, .name = "arith", ASKED, .text = "ma, the new number as value." HOW},
    {OP_DEBUG, .weight = 2, .name = "debug", ASKED, .text = "me." HOW},
    {OP_NOOP, .weight = 2, .name = "noop", ASKED, .text = "mn." HOW},
    {OP_VERSION, .weight = 1, .name = "ask-version", ASKED, .text = "version." HOW},
    {OP_BATCH, .weight = 8, .name = "batch", ASKED, COUNT("count"), .ext = SIM_ARG_SIZE,
     .ext_name = "size", .text = "quiet mg, count times, closed by mn." HOW},
    {OP_BATCH_SET, .weight = 4, .name = "batch-set", ASKED, COUNT("count"),
     .text = "quiet ms, count times, closed by mn." HOW},
    {OP_COUNTED, .weight = 4, .name = "counted", ASKED, COUNT("count"), .ext = SIM_ARG_SIZE,
     .ext_name = "size", .text = "mg that all speak, count of them, no mn." HOW},
    {OP_CLASSIC_GET, .weight = 8, .name = "classic-get", ASKED, COUNT("count"), .ext = SIM_ARG_SIZE,
     .ext_name = "size", .text = "get of so many keys, up to END." HOW},
    {OP_CLASSIC_GETS, .weight = 3, .name = "classic-gets", ASKED, COUNT("count"),
     .ext = SIM_ARG_SIZE, .ext_name = "size", .text = "gets: the same with a cas." HOW},
    {OP_CLASSIC_SET, .weight = 2, .name = "classic-set", ASKED, SIZE("size"),
     .text = "set of a value." HOW},
    {OP_CLASSIC_DELETE, .weight = 1, .name = "classic-delete", ASKED, .text = "delete." HOW},
    {OP_CLASSIC_INCR, .weight = 2, .name = "classic-incr", ASKED,
     .text = "incr, answered by a line that is a number." HOW},
    {OP_CLASSIC_TOUCH, .weight = 1, .name = "classic-touch", ASKED, .text = "touch." HOW},
    {OP_CLASSIC_STATS, .weight = 2, .name = "classic-stats", ASKED, COUNT("lines"),
     .text = "stats of so many lines, up to END." HOW},

    {OP_HITS, .weight = 4, .name = "hits", ON(SERVER), .arg = SIM_ARG_CHOICE, .arg_name = "which",
     .choices = hits, .text = "which commands of the next request hit"},
    {OP_HOLD, .weight = 8, .name = "hold", ON(SERVER), SIZE("bytes"),
     .text = "the next answer stops after so many bytes until it is released"},
    {OP_RELEASE, .weight = 8, .name = "release", ON(SERVER), .text = "what is held goes out"},
    {OP_MUTE, .weight = 2, .name = "mute", ON(SERVER),
     .text = "the server answers nothing by itself from now on; lit answers for it"},
    {OP_DELAY, .weight = 4, .name = "delay", ON(SERVER), MS("ms"),
     .text = "everything the server writes takes so long"},
    {OP_AFTER, .weight = 2, .name = "release-in", ON(SERVER), MS("ms"),
     .text = "what is held goes out so much later"},

    {OP_WRONG, .weight = 6, .name = "wrong", ON(WRONG), .arg = SIM_ARG_CHOICE, .arg_name = "how",
     .choices = wrongs, .text = "how the next answer is wrong"},
    {SIM_OP_LIT, .weight = 0, .name = "lit", ON(WRONG),
     .text = "raw bytes that the server sends now"},

    {OP_SPLIT, .weight = 5, .name = "split", ON(NET), SIZE("bytes"), .ext = SIM_ARG_TIME,
     .ext_name = "gap", .text = "the next write arrives in pieces, gap ms apart"},
    {OP_MERGE, .weight = 2, .name = "merge", ON(NET), COUNT("writes"),
     .text = "so many writes arrive with the one after them"},
    {OP_STALL, .weight = 4, .name = "stall", ON(NET), MS("ms"),
     .text = "nothing new reaches the client for so long"},
    {OP_STALL_UP, .weight = 3, .name = "stall-up", ON(NET), MS("ms"),
     .text = "nothing new reaches the server for so long"},
    {OP_WINDOW, .weight = 2, .name = "window", ON(NET), SIZE("bytes"),
     .text = "the server can have so many bytes (256 or more) in flight; 0 = no limit"},
    {OP_WINDOW_UP, .weight = 3, .name = "window-up", ON(NET), SIZE("bytes"),
     .text = "the client can have so many bytes (16 or more) in flight; 0 = no limit"},
    {OP_AGAIN, .weight = 3, .name = "again", ON(NET), COUNT("reads"),
     .text = "so many reads say EAGAIN though bytes are there"},
    {OP_INTR, .weight = 2, .name = "intr", ON(NET), COUNT("reads"),
     .text = "so many reads are interrupted"},
    {OP_CHUNK, .weight = 4, .name = "chunk", ON(NET), SIZE("bytes"), .ext = SIM_ARG_COUNT,
     .ext_name = "more", .text = "one read and so many more give at most so many bytes"},
    {OP_SHORT_WRITE, .weight = 3, .name = "short-write", ON(NET), SIZE("bytes"),
     .text = "the next write takes at most so many bytes"},
    {OP_WRITE_AGAIN, .weight = 2, .name = "write-again", ON(NET), COUNT("writes"),
     .text = "so many writes say EAGAIN"},
    {OP_HIDE, .weight = 2, .name = "hide", ON(NET),
     .text = "TLS: what has arrived is decrypted already, the socket is silent"},
    {OP_END, .weight = 3, .name = "end", ON(NET), .text = "the server closes after what it wrote"},
    {OP_RESET, .weight = 2, .name = "reset", ON(NET), .text = "the connection is reset"},
    {OP_WRITE_INTR, .weight = 1, .name = "write-intr", ON(NET), COUNT("steps"),
     .text = "so many writes and probes are interrupted"},
    {OP_RECORD, .weight = 2, .name = "record", ON(NET), SIZE("bytes"),
     .text = "TLS: what comes next is one record of so many bytes, told when all have come"},

    {OP_STARVE, .weight = 3, .name = "starve", ON(WAIT), COUNT("waits"),
     .text = "so many waits sleep their full time and say timeout"},
    {OP_SPURIOUS, .weight = 3, .name = "spurious", ON(WAIT), COUNT("waits"),
     .text = "so many waits say ready when nothing is; at once when one is parked"},
    {OP_TIME, .op_class = TIME, .weight = 10, .name = "time", MS("ms"), .text = "time passes"},
    {OP_PICK, .op_class = SCHED, .weight = 3, .name = "pick", COUNT("k"),
     .text = "the k-th of the events due runs next, not the first"},
    {OP_REFUSE, .op_class = MEMORY, .weight = 2, .name = "refuse", COUNT("nth"),
     .text = "the nth allocation from here is refused"},

    {OP_ABANDON, .weight = 4, .name = "abandon", ON(CLIENT), .text = "the request is given up"},
    {OP_RECONNECT, .weight = 3, .name = "reconnect", ON(CLIENT),
     .text = "a fresh connection takes the place of the old one"},
    {OP_SLOW, .weight = 2, .name = "slow", ON(CLIENT),
     .text = "events are taken one by one, by pull"},
    {OP_PULL, .weight = 4, .name = "pull", ON(CLIENT), .text = "one event is taken"},
    {OP_GIVE_UP, .weight = 3, .name = "give-up", ON(CLIENT), .arg = SIM_ARG_CHOICE,
     .arg_name = "at", .choices = wants,
     .text = "the request in flight, or the next one, is given up where it wants that"},
    {OP_OPAQUE, .weight = 1, .name = "opaque", ON(CLIENT), COUNT("more"),
     .text = "opaques from now on have 4 bytes and so many more, at most 27"},
};

static const char *const macros[] = {
    "hold s0 bytes=0; get s0 size=3; time ms=101; release s0; get s0 size=4",
    "hold s0 bytes=5; get s0 size=20; time ms=101; release s0; get s0 size=4",
    "hold s0 bytes=40; batch s0 count=4 size=16; time ms=101; release s0; batch s0 count=2 size=3",
    "window-up s0 bytes=64; batch s0 count=20 size=8; time ms=10",
    "chunk s0 bytes=1 more=40; get s0 size=12",
    "wrong s0 how=never; get s0; time ms=101; get s0; time ms=101",
    "reconnect s0; get s0 size=1",
    "hold s0 bytes=60; classic-get s0 count=4 size=16; time ms=101; release s0; get s0 size=3",
    "starve s0 waits=1; delay s0 ms=20; get s0 size=2; time ms=101",
    "time ms=2; give-up s0 at=probe; get s0 size=3; get s0 size=4",
    "give-up s0 at=space; get s0 size=9000; get s0 size=3",
    NULL};

const struct sim_ops world_ops = {.classes = classes,
                                  .knobs = knobs,
                                  .ops = ops,
                                  .count = sizeof ops / sizeof *ops,
                                  .macros = macros};

#define MARK_NAME(name, text) text,
const char *const world_marks[] = {WORLD_MARK_LIST(MARK_NAME) NULL};
#undef MARK_NAME
