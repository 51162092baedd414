/*
 * shelf_ops.c: the op table of scenarios of tracks over one pool.
 */
#include "targets/cache/shelf.h"

static const char *const classes[] = {"make", "find", "write", "end", "read",
                                      "pool", "time", "fault", NULL};
enum { MAKE, FIND, WRITE, END, READ, POOL, TIME, FAULT };

static const char *const knobs[4] = {"capacity", "age", "limit"};
static const char *const reasons[] = {"cancel", "old", "remote", "other", NULL};

#define SLOT     .uses_slot = true
#define TRACK    .flags = SIM_ARG_COUNT, .flags_name = "track"
#define SEQUENCE .arg = SIM_ARG_COUNT, .arg_name = "seq"
#define SIZE     .arg = SIM_ARG_SIZE, .arg_name = "size"
#define REASON   .arg = SIM_ARG_CHOICE, .arg_name = "reason", .choices = reasons
#define MORE     .ext = SIM_ARG_COUNT, .ext_name = "more"
#define FROM_MAX "; track + 4: counted back from 2^64-1"

static const struct sim_op_desc ops[] = {
    {SHELF_CREATE, MAKE, 8, "create", SLOT, SEQUENCE, TRACK, MORE,
     .text = "a group of that number, which the slot writes" FROM_MAX},
    {SHELF_APPEND, MAKE, 12, "append", SLOT, TRACK, .text = "the group after the highest number"},
    {SHELF_BACKFILL, MAKE, 3, "backfill", SLOT, SEQUENCE, TRACK, MORE,
     .text = "a group fetched from elsewhere" FROM_MAX},
    {SHELF_FETCH, FIND, 8, "fetch", SLOT, SEQUENCE, TRACK, MORE,
     .text = "an access; the slot reads the group" FROM_MAX},
    {SHELF_ABOVE, FIND, 2, "above", SLOT, SEQUENCE, TRACK, MORE,
     .text = "the next one above, odd slots: or at" FROM_MAX},
    {SHELF_DELIVER, FIND, 6, "deliver", TRACK, .text = "the next arrival"},
    {SHELF_TAKE, MAKE, 3, "datagram", SEQUENCE, TRACK, MORE,
     .text = "a datagram takes a number" FROM_MAX},

    {SHELF_ADD, WRITE, 16, "add", SLOT, SIZE, .text = "a whole frame into the slot's group"},
    {SHELF_OPEN, WRITE, 6, "open", SLOT, SIZE, MORE,
     .text = "a frame in parts, of more * 65536 + size bytes"},
    {SHELF_WRITE, WRITE, 6, "write", SLOT, SIZE, .text = "a part, at most what is missing"},
    {SHELF_CLOSE, WRITE, 4, "close", SLOT, .text = "the open frame is finished"},
    {SHELF_FINISH, END, 6, "finish", SLOT, .text = "no frame more in the slot's group"},
    {SHELF_ABORT, END, 3, "abort", SLOT, REASON, .text = "the slot's group is given up"},
    {SHELF_LEAVE, END, 3, "leave", SLOT, .text = "the writer goes"},
    {SHELF_TOUCH, WRITE, 4, "touch", SLOT, SIZE, TRACK,
     .text = "the track is told of a write; of a gone group, any track"},

    {SHELF_JOIN, READ, 4, "join", SLOT, .flags = SIM_ARG_COUNT, .flags_name = "from",
     .text = "the slot reads the group that another slot writes"},
    {SHELF_NEXT, READ, 8, "next", SLOT, .text = "the reader's next frame"},
    {SHELF_QUIT, READ, 2, "quit", SLOT, .text = "the reader goes"},

    {SHELF_END, END, 2, "end", TRACK, .text = "the track ends after the highest number"},
    {SHELF_END_AT, END, 2, "end-at", SEQUENCE, TRACK, MORE,
     .text = "the track ends before that number" FROM_MAX},
    {SHELF_ABORT_TRACK, END, 1, "abort-track", REASON, TRACK, .text = "all groups are given up"},
    {SHELF_DROP_TRACK, END, 2, "drop-track", TRACK, .text = "one reference to the track goes"},
    {SHELF_HOLD_TRACK, END, 1, "hold-track", TRACK, .text = "one more reference to the track"},
    {SHELF_AGE, TIME, 2, "age", .arg = SIM_ARG_TIME, .arg_name = "ms", TRACK, MORE,
     .text = "the most age of the track's groups when it is next made; 65535: none"},
    {SHELF_RESIZE, POOL, 4, "resize", SIZE, MORE, .text = "the pool's capacity"},

    {SHELF_TIME, TIME, 10, "time", .arg = SIM_ARG_TIME, .arg_name = "ms", MORE,
     .text = "time passes"},
    {SHELF_FAIL, FAULT, 2, "fail", .arg = SIM_ARG_COUNT, .arg_name = "nth",
     .text = "the nth allocation from here is refused"},
};

static const char *const macros[] = {
    "append s0; add s0 size=1000; finish s0; append s1; add s1 size=1000; finish s1",
    "resize size=2000; append s0; add s0 size=1500; finish s0; append s0; add s0 size=1500",
    "age ms=500; append s0; add s0 size=10; append s1; time ms=600; add s1 size=10",
    "append s0; open s0 size=100; write s0 size=50; join s1 from=0; next s1; write s0 size=50",
    "deliver; deliver; deliver",
    NULL};

const struct sim_ops shelf_ops = {.classes = classes,
                                  .knobs = knobs,
                                  .ops = ops,
                                  .count = sizeof ops / sizeof *ops,
                                  .macros = macros};

#define MARK_NAME(name, text) text,
const char *const shelf_marks[] = {SHELF_MARK_LIST(MARK_NAME) NULL};
#undef MARK_NAME
