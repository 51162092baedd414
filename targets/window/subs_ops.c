/*
 * subs_ops.c: the op table of scenarios of subscriptions.
 */
#include "targets/window/places.h"
#include "targets/window/subs.h"

static const char *const classes[] = {"make", "write", "end",  "ask",   "cap",
                                      "next", "read",  "time", "fault", NULL};
enum { MAKE, WRITE, END, ASK, CAP, NEXT, READ, TIME, FAULT };

static const char *const knobs[4] = {"capacity", "age", "done"};
static const char *const reasons[] = {"cancel", "remote", "evicted", "truncated", NULL};

#define SLOT     .uses_slot = true
#define SEQUENCE .arg = SIM_ARG_COUNT, .arg_name = "seq"
#define FROM_MAX .flags = SIM_ARG_MASK, .flags_name = "how"
#define BACK     "; how 1: counted back from 2^64-1"
#define MS(name) .arg = SIM_ARG_TIME, .arg_name = name

static const struct sim_op_desc ops[] = {
    {SUBS_CREATE, MAKE, 14, "create", SLOT, SEQUENCE, FROM_MAX,
     .text = "a group of that number, which the slot writes" BACK},
    {SUBS_APPEND, MAKE, 12, "append", SLOT, .text = "the group after the highest number"},
    {SUBS_BACKFILL, MAKE, 2, "backfill", SLOT, SEQUENCE, FROM_MAX,
     .text = "a group fetched from elsewhere, which is no arrival" BACK},
    {SUBS_START, WRITE, 1, "start", SLOT, .arg = SIM_ARG_COUNT, .arg_name = "frame",
     .text = "the number of the group's first frame"},
    {SUBS_ADD, WRITE, 14, "add", SLOT, MS("stamp"), FROM_MAX,
     .text = "a frame of that timestamp; how: 1 below the highest one, 2 times 2^40 + 1"},
    {SUBS_FINISH, END, 5, "finish", SLOT, .text = "no frame more in the slot's group"},
    {SUBS_ABORT, END, 6, "abort", SLOT, .arg = SIM_ARG_CHOICE, .arg_name = "reason",
     .choices = reasons, .text = "the slot's group is given up"},
    {SUBS_LEAVE, END, 2, "leave", SLOT, .text = "the writer goes"},
    {SUBS_FETCH, READ, 1, "fetch", SEQUENCE, FROM_MAX, .text = "an access to a group" BACK},
    {SUBS_DATAGRAM, MAKE, 2, "datagram", SEQUENCE, FROM_MAX, .text = "takes that number" BACK},
    {SUBS_END, END, 2, "end", .text = "the track ends after the highest number"},
    {SUBS_END_AT, END, 2, "end-at", SEQUENCE, FROM_MAX,
     .text = "the track ends before that number" BACK},
    {SUBS_ABORT_TRACK, END, 1, "abort-track", .arg = SIM_ARG_CHOICE, .arg_name = "reason",
     .choices = reasons, .text = "all groups are given up"},
    {SUBS_RESIZE, FAULT, 1, "resize", .arg = SIM_ARG_SIZE, .arg_name = "size",
     .text = "the pool's capacity"},
    {SUBS_TIME, TIME, 6, "time", MS("ms"), .text = "time passes"},

    {SUBS_ASK, ASK, 10, "ask", SLOT, .arg = SIM_ARG_COUNT, .arg_name = "from", .ext = SIM_ARG_COUNT,
     .ext_name = "to", FROM_MAX,
     .text = "groups from one up to another, 0: open; how 1: both counted back from 2^64-1"},
    {SUBS_PART, ASK, 5, "part", SLOT, PLACES_RANGE, .text = "positions from one up to another"},
    {SUBS_LIVE, ASK, 4, "live", SLOT, .arg = SIM_ARG_COUNT, .arg_name = "to",
     .text = "from the live edge up to a group, 0: open"},
    {SUBS_TIMES, ASK, 4, "times", SLOT, MS("from"), .ext = SIM_ARG_TIME, .ext_name = "to",
     .text = "groups of that time"},
    {SUBS_NOTHING, ASK, 4, "nothing", SLOT, .text = "no request: the live edge, when it joins so"},
    {SUBS_MANY, ASK, 1, "many", SLOT, .arg = SIM_ARG_COUNT, .arg_name = "n",
     .text = "the last request so many times more"},
    {SUBS_WISH, ASK, 5, "wish", SLOT, MS("age"), .ext = SIM_ARG_COUNT, .ext_name = "scale",
     .flags = SIM_ARG_COUNT, .flags_name = "priority",
     .text = "age 0: any, else one less in ms; scale of timestamps: 0: ms, 1: none, 2: s, 3: ns, "
             "4: 2^40 + 1, 5: 2^64 - 1; odd priorities are ordered"},
    {SUBS_JOIN, ASK, 12, "join", SLOT, .text = "subscribes with what it said"},
    {SUBS_UPDATE, ASK, 6, "update", SLOT, .text = "asks for what it said since"},
    {SUBS_QUIT, ASK, 2, "quit", SLOT, .text = "goes"},
    {SUBS_CAP, CAP, 8, "cap", SLOT, SEQUENCE, FROM_MAX, .text = "no group from that on" BACK},
    {SUBS_CAP_AT, CAP, 2, "cap-at", SLOT, PLACES_AT, .text = "nothing from that place on"},
    {SUBS_LIFT, CAP, 4, "lift", SLOT, .text = "no cap"},
    {SUBS_NEXT, NEXT, 12, "next", SLOT, .text = "what comes next"},
    {SUBS_DRAIN, NEXT, 8, "drain", SLOT, .text = "all that comes now"},
    {SUBS_AWAKE, NEXT, 5, "awake", SLOT, .text = "is there anything to say?"},
    {SUBS_ASCEND, NEXT, 4, "ascend", SLOT, .text = "the next higher group"},
    {SUBS_READ, READ, 6, "read", SLOT, .text = "a frame of the group delivered last"},
    {SUBS_FAIL, FAULT, 1, "fail", .arg = SIM_ARG_COUNT, .arg_name = "nth",
     .text = "the nth allocation from here is refused"},
};

static const char *const macros[] = {
    "ask s0; join s0; cap s0 seq=1; append s0; append s1; drain s0; abort s1; awake s0; drain s0",
    "ask s0; join s0; create s0 seq=2; create s1 seq=1; drain s0; end; drain s0",
    "ask s0; wish s0 age=1; join s0; append s0; add s0; append s1; add s1 stamp=5; drain s0",
    "times s0 from=10 to=20; join s0; append s0; add s0 stamp=10; append s1; drain s0",
    "nothing s0; join s0; append s0; add s0; next s0; read s0; read s0",
    NULL};

const struct sim_ops subs_ops = {.classes = classes,
                                 .knobs = knobs,
                                 .ops = ops,
                                 .count = sizeof ops / sizeof *ops,
                                 .macros = macros};

#define MARK_NAME(name, text) text,
const char *const subs_marks[] = {SUBS_MARK_LIST(MARK_NAME) NULL};
#undef MARK_NAME
