/*
 * ann_ops.h: opcodes, breaches and marks of announce scenarios; opcodes are append-only within each
 * class's range.
 */
#ifndef ANNOUNCE_ANN_OPS_H
#define ANNOUNCE_ANN_OPS_H

enum ann_op {
    OP_JOIN = 0x10,
    OP_LEAVE,
    OP_FIN,
    OP_RESET,

    OP_ROUTE = 0x20,
    OP_UNROUTE,
    OP_CLAIM,
    OP_UNCLAIM,
    OP_REPRICE,
    OP_RESTART,
    OP_FLOOR,
    OP_ASK,

    OP_PUBLISH = 0x40,
    OP_WITHDRAW,
    OP_MOUNT,
    OP_UNMOUNT,
    OP_REBOOT,
    OP_REMEMBER,

    OP_OPEN = 0x50,
    OP_CLOSE,
    OP_FLUSH,
    OP_DELIVER,
    OP_FLUSH_ALL,

    OP_WRONG = 0x60,

    OP_REFUSE = 0x70
};

/* What no peer may tell: the rule that it breaks. */
#define ANN_WRONG_LIST(X)                                                                          \
    X(END_RETIRED, "end-retired", WB_E_UNKNOWN_ID)                                                 \
    X(UPDATE_RETIRED, "update-retired", WB_E_UNKNOWN_ID)                                           \
    X(END_UNASSIGNED, "end-unassigned", WB_E_UNKNOWN_ID)                                           \
    X(START_TWICE, "start-twice", WB_E_DUPLICATE)                                                  \
    X(START_ENDED, "start-on-ended-route", WB_E_UNKNOWN_ROUTE)                                     \
    X(START_UNROUTED, "start-on-no-route", WB_E_UNKNOWN_ROUTE)                                     \
    X(FLOOR_LOWER, "floor-lower", WB_E_FLOOR)                                                      \
    X(FLOOR_ENDED, "floor-of-ended-route", WB_E_UNKNOWN_ROUTE)                                     \
    X(ROUTE_TWICE, "route-twice", WB_E_NODE)                                                       \
    X(NODE_ZERO, "node-zero", WB_E_NODE)                                                           \
    X(FLAGS, "flags", WB_E_VALUE)                                                                  \
    X(EPOCH, "epoch-of-15", WB_E_EPOCH)                                                            \
    X(BASE_RETIRED, "base-retired", WB_E_BASE)                                                     \
    X(KEEP_LONG, "keep-too-long", WB_E_BASE)                                                       \
    X(LONG, "long", WB_E_LONG)                                                                     \
    X(SHORT, "short", WB_E_SHORT)                                                                  \
    X(METRIC, "metric-too-large", WB_E_BOUNDS)                                                     \
    X(HOPS, "hops-twice", WB_E_HOPS)                                                               \
    X(UNKNOWN_TYPE, "unknown-type", WB_OK)

enum ann_wrong {
#define ANN_WRONG_MEMBER(name, text, err) ANN_WRONG_##name,
    ANN_WRONG_LIST(ANN_WRONG_MEMBER)
#undef ANN_WRONG_MEMBER
        ANN_WRONG_COUNT
};

#define ANN_MARK_LIST(X)                                                                           \
    X(LITE_05, "lite-05-neighbour")                                                                \
    X(LITE_06, "lite-06-neighbour")                                                                \
    X(VIEW_06, "lite-06-answer")                                                                   \
    X(WITHHELD, "claim-withheld")                                                                  \
    X(FLOOR_ZERO, "floor-0-sent")                                                                  \
    X(FLOOR, "floor-sent")                                                                         \
    X(RESTART, "restart-sent")                                                                     \
    X(UPDATE, "update-sent")                                                                       \
    X(ROUTE_END, "route-end-sent")                                                                 \
    X(NOTHING, "changes-cancelled")                                                                \
    X(HELD, "claim-held")                                                                          \
    X(DEFERRED, "claim-deferred")                                                                  \
    X(MOVED, "next-hop-changed")                                                                   \
    X(STARVED, "no-feasible-route")                                                                \
    X(ASKED, "seqno-asked")                                                                        \
    X(ANSWERED, "seqno-raised")                                                                    \
    X(SCOPED, "client-scoped-node")                                                                \
    X(SHADOWED, "client-id-shadowed")                                                              \
    X(DROPPED, "start-dropped")                                                                    \
    X(VIOLATION, "violation")                                                                      \
    X(RAW, "raw-bytes-heard")                                                                      \
    X(CUT, "answer-cut")                                                                           \
    X(LOST, "answer-lost")                                                                         \
    X(REFUSED, "memory-refused")                                                                   \
    X(FIN, "stream-ended")                                                                         \
    X(SCALE, "many-claims")                                                                        \
    X(CROSSED, "end-and-next-hop-crossed")                                                         \
    X(CALM, "calm-reached")

enum ann_mark {
#define ANN_MARK_MEMBER(name, text) ANN_MARK_##name,
    ANN_MARK_LIST(ANN_MARK_MEMBER)
#undef ANN_MARK_MEMBER
        ANN_MARK_COUNT
};

#endif
