/*
 * world_ops.h: the opcodes of reply scenarios; append-only within each class's range.
 */
#ifndef REPLY_WORLD_OPS_H
#define REPLY_WORLD_OPS_H

enum world_op {
    OP_GET = 0x10,
    OP_SET,
    OP_DELETE,
    OP_ARITH,
    OP_DEBUG,
    OP_NOOP,
    OP_VERSION,
    OP_BATCH,
    OP_BATCH_SET,
    OP_COUNTED,
    OP_CLASSIC_GET,
    OP_CLASSIC_GETS,
    OP_CLASSIC_SET,
    OP_CLASSIC_DELETE,
    OP_CLASSIC_INCR,
    OP_CLASSIC_TOUCH,
    OP_CLASSIC_STATS,

    OP_HITS = 0x30,
    OP_HOLD,
    OP_RELEASE,
    OP_MUTE,
    OP_DELAY,
    OP_AFTER,

    OP_WRONG = 0x50,

    OP_SPLIT = 0x60,
    OP_MERGE,
    OP_STALL,
    OP_STALL_UP,
    OP_WINDOW,
    OP_WINDOW_UP,
    OP_AGAIN,
    OP_INTR,
    OP_CHUNK,
    OP_SHORT_WRITE,
    OP_WRITE_AGAIN,
    OP_HIDE,
    OP_END,
    OP_RESET,
    OP_WRITE_INTR,
    OP_RECORD,

    OP_STARVE = 0x80,
    OP_SPURIOUS,

    OP_TIME = 0x90,
    OP_PICK = 0x98,
    OP_REFUSE = 0xa0,

    OP_ABANDON = 0xb0,
    OP_RECONNECT,
    OP_SLOW,
    OP_PULL,
    OP_GIVE_UP,
    OP_OPAQUE
};

#endif
