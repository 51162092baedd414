/*
 * ann_ops.c: the op table of announce scenarios. Opcodes are given once: each class has its own
 * range and grows at its end.
 */
#include "targets/announce/ann_ops.h"

#include "targets/announce/ann.h"

static const char *const classes[] = {"link", "tell", "own", "answer", "wrong", "memory", NULL};
enum { LINK, TELL, OWN, ANSWER, WRONG, MEMORY };

static const char *const knobs[] = {"kinds", "versions", "costs", "accepts"};

const char *const ann_profiles[] = {
    "bits 0-1: the answer that opens with a neighbour: 0 lite-07 for s0 to s2 and lite-06 for s3, "
    "1 lite-07, 2 lite-06, 3 none",
    "0x04: an answer arrives in reads of 1 byte, whatever flush says",
    "0x08: all answers are flushed and arrive after each op that did something",
    "0x40: the world of costs: one neighbour tells claims of node 6, two viewers see them. claim "
    "tells (path + as) mod 1025 more of the 1024 there are; unclaim, reprice and restart change "
    "the one of number path + as; floor is FLOOR, one higher; unroute is a ROUTE_START of node 6 "
    "by the first viewer and its ROUTE_END; all is flushed and arrives. Other ops do nothing",
    "0x80: the chain, whatever 0x40 says: origin O (node 8), relays A (2) and B (3), viewer V (9) "
    "of B. publish and withdraw are O's. flush and deliver take a link: s0 O to A, s1 O to B, s2 A "
    "to B, s3 B to A. join and leave take a session: s0 between O and A, s1 O and B, s2 A and B; "
    "all three are there at first, at costs 0, 4 and 0. Other ops but flush-all do nothing",
    NULL};
#define NOT_JOIN " when no join says it"
const char *const ann_knob_texts[] = {
    "kinds: 2 bits a slot" NOT_JOIN ": 1 client, 2 peer, 3 upstream, 0 by slot (peer, upstream, "
    "client, peer). In the world of costs 1 makes the second viewer lite-06, 2 the links of the "
    "neighbour and the second viewer upstream, 4 paths long and of up to six parts, 8 all claims "
    "of one path, each of a node of its own",
    "versions: 2 bits a slot" NOT_JOIN ": 0 and 3 lite-07, 1 lite-06, 2 lite-05",
    "costs: 2 bits a slot" NOT_JOIN ": its link's cost, 0 to 3",
    "accepts: 1 bit a slot" NOT_JOIN ": it accepts mounted claims", NULL};

#define WRONG_NAME(name, text, err) text,
static const char *const wrongs[] = {ANN_WRONG_LIST(WRONG_NAME) NULL};
#undef WRONG_NAME
static const char *const paths[] = {"root",    "dot-h",   "a",    "a-dot-p", "a-b", "a-b-c",
                                    "a-b-c-d", "a-b-e",   "a-bc", "ab",      "b",   "b-c",
                                    "b-c-x-1", "b-c-x-2", "cam",  "mic",     NULL};

#define ON(room) .op_class = room, .uses_slot = true
#define NODE     .flags = SIM_ARG_COUNT, .flags_name = "node"
#define PATH     .arg = SIM_ARG_CHOICE, .arg_name = "path", .choices = paths
#define EPOCH    .ext = SIM_ARG_COUNT, .ext_name = "as"
#define AS       " as: epoch 0 to 7, plus 16 times the cost; cost 4095 is one too high"
#define NODE_IS  " node: its id less 1; 0 is the router itself"

static const struct sim_op_desc ops[] = {
    {OP_JOIN, .weight = 2, .name = "join", ON(LINK), .flags = SIM_ARG_MASK, .flags_name = "as",
     .arg = SIM_ARG_COUNT, .arg_name = "cost", .ext = SIM_ARG_MASK, .ext_name = "accepts",
     .text =
         "a neighbour. as: 1 client, 2 peer, 3 upstream, 0 by slot; 4 lite-06, 8 lite-05. cost: "
         "65535 is the most there is. accepts: 1 proxied claims; 2 its id is unknown"},
    {OP_LEAVE, .weight = 2, .name = "leave", ON(LINK), .text = "its session is lost"},
    {OP_FIN, .weight = 1, .name = "fin", ON(LINK), .text = "its announce stream ends"},
    {OP_RESET, .weight = 1, .name = "reset", ON(LINK), .text = "its announce stream is reset"},

    {OP_ROUTE, .weight = 10, .name = "route", ON(TELL), NODE, .arg = SIM_ARG_COUNT,
     .arg_name = "metric", .ext = SIM_ARG_COUNT, .ext_name = "seqno",
     .text = "ROUTE_START or ROUTE_UPDATE. seqno: plus 65536 for down-only." NODE_IS},
    {OP_UNROUTE, .weight = 4, .name = "unroute", ON(TELL), NODE, .text = "ROUTE_END"},
    {OP_CLAIM, .weight = 20, .name = "claim", ON(TELL), NODE, PATH, EPOCH,
     .text = "START, with its route in front when there is none. Of lite-05 and -06, node is the "
             "first hop, 8 an unknown one." AS},
    {OP_UNCLAIM, .weight = 10, .name = "unclaim", ON(TELL), NODE, PATH, .text = "END"},
    {OP_REPRICE, .weight = 3, .name = "reprice", ON(TELL), NODE, PATH, EPOCH, .text = "UPDATE." AS},
    {OP_RESTART, .weight = 4, .name = "restart", ON(TELL), NODE, PATH, EPOCH,
     .text = "RESTART." AS},
    {OP_FLOOR, .weight = 8, .name = "floor", ON(TELL), NODE, .arg = SIM_ARG_COUNT,
     .arg_name = "revision", .text = "FLOOR"},
    {OP_ASK, .weight = 2, .name = "ask", ON(TELL), NODE, .arg = SIM_ARG_COUNT, .arg_name = "seqno",
     .ext = SIM_ARG_COUNT, .ext_name = "more",
     .text = "SEQNO_REQUEST, of seqno plus 65536 times more"},

    {OP_PUBLISH, .weight = 4, .name = "publish", .op_class = OWN, PATH, EPOCH,
     .text = "the router's own claim." AS},
    {OP_WITHDRAW, .weight = 3, .name = "withdraw", .op_class = OWN, PATH,
     .text = "it is no longer"},
    {OP_MOUNT, .weight = 3, .name = "mount", .op_class = OWN, PATH, EPOCH,
     .text = "a claim mounted from elsewhere." AS},
    {OP_UNMOUNT, .weight = 3, .name = "unmount", .op_class = OWN, PATH, .text = "it is withdrawn"},
    {OP_REBOOT, .weight = 1, .name = "reboot", .op_class = OWN,
     .text = "the origin of a chain loses its sessions and all it knew, and begins again"},
    {OP_REMEMBER, .weight = 1, .name = "remember", .op_class = OWN, .arg = SIM_ARG_COUNT,
     .arg_name = "ids",
     .text = "so many ids that nobody tells keep what was sent of them, not 1024"},

    {OP_OPEN, .weight = 3, .name = "open", ON(ANSWER), .flags = SIM_ARG_MASK, .flags_name = "as",
     PATH, .text = "an answer under a prefix. as: 1 lite-06, 2 hidden, 4 no path bases"},
    {OP_CLOSE, .weight = 1, .name = "close", ON(ANSWER), .text = "the answer is closed"},
    {OP_FLUSH, .weight = 8, .name = "flush", ON(ANSWER), .flags = SIM_ARG_MASK,
     .flags_name = "hold", .arg = SIM_ARG_SIZE, .arg_name = "cut",
     .text = "what is due is written, and arrives in reads of cut bytes unless held"},
    {OP_DELIVER, .weight = 3, .name = "deliver", ON(ANSWER), .arg = SIM_ARG_SIZE,
     .arg_name = "bytes", .text = "so many bytes of what is held arrive; 0 = all"},
    {OP_FLUSH_ALL, .weight = 6, .name = "flush-all", .op_class = ANSWER,
     .text = "all answers are flushed and arrive"},

    {OP_WRONG, .weight = 3, .name = "wrong", ON(WRONG), .arg = SIM_ARG_CHOICE, .arg_name = "how",
     .choices = wrongs, .text = "what no peer may tell"},
    {SIM_OP_LIT, .weight = 0, .name = "lit", ON(WRONG),
     .text = "raw bytes on the neighbour's stream, behind its ANNOUNCE_OK"},

    {OP_REFUSE, .weight = 2, .name = "refuse", .op_class = MEMORY, .arg = SIM_ARG_COUNT,
     .arg_name = "nth", .text = "the nth allocation from here is refused"},
};

static const char *const macros[] = {
    "claim s0 node=5 path=a\nfloor s0 node=5 revision=1\nflush-all\n",
    "unclaim s0 node=5 path=a\nfloor s0 node=5 revision=2\nroute s3 node=5\nflush-all\n",
    "mount path=b\nflush-all\nunmount path=b\nflush-all\n",
    "unclaim s0 node=5 path=a\nclaim s0 node=5 path=a\nflush-all\n",
    NULL,
};

const struct sim_ops ann_ops = {.classes = classes,
                                .knobs = knobs,
                                .ops = ops,
                                .count = sizeof(ops) / sizeof(ops[0]),
                                .macros = macros};

#define MARK_NAME(name, text) text,
const char *const ann_marks[] = {ANN_MARK_LIST(MARK_NAME) NULL};
#undef MARK_NAME
