/*
 * holders.h: slices in sixteen slots and one buffer, beside a model of who holds what (BYT-*).
 */
#ifndef BASE_HOLDERS_H
#define BASE_HOLDERS_H

#include "targets/fuzz.h"

#define HOLDERS_LEN_MAX 256 /* of a fresh slice */
#define HOLDERS_BUF_MAX 4096

enum holders_op {
    HOLDERS_NEW = SIM_OP_FIRST,
    HOLDERS_COPY,
    HOLDERS_SHARE,
    HOLDERS_SUB,
    HOLDERS_MOVE,
    HOLDERS_DROP,
    HOLDERS_EQUAL,
    HOLDERS_ADD,
    HOLDERS_BYTE,
    HOLDERS_RESERVE,
    HOLDERS_TRUNCATE,
    HOLDERS_CLEAR,
    HOLDERS_FAIL
};

/* Things that happen sometimes, by index into the target's names of marks. */
enum holders_mark {
    HOLDERS_MARK_SHARED,   /* one segment, several holders */
    HOLDERS_MARK_OUTLIVED, /* a part lives on after the slice it came from */
    HOLDERS_MARK_REFUSED,  /* the allocator said no */
    HOLDERS_MARK_MOVED,    /* a buffer with bytes in it grew */
    HOLDERS_MARK_FULL      /* an addition over the buffer's max */
};

/* What the model knows of a slot. Byte i of a segment is a function of its pattern and i. */
struct holders_slot {
    struct wb_slice slice;
    uint32_t segment; /* 0 = empty; numbered from 1 */
    uint32_t pattern; /* the segment whose bytes these first were: a copy keeps it */
    size_t begin, len;
};

struct holders {
    struct sim_run *run;
    uint32_t segments; /* made so far */
    enum wb_err last;  /* of the last op that did not end WB_OK */
    struct holders_slot slots[SIM_SLOTS];
    struct wb_buf buf;
    size_t room; /* bytes up to here were reserved */
    size_t text_len;
    uint8_t text[HOLDERS_BUF_MAX]; /* what the buffer must hold */
};

/* buf_max 0 means HOLDERS_BUF_MAX. */
void holders_init(struct holders *h, struct sim_run *run, size_t buf_max);
/* Tells the story of what is left, then gives everything back. */
void holders_fini(struct holders *h);
void holders_do(struct holders *h, const struct sim_op *op);
/* Every law that holds between any two ops. */
void holders_check(const struct holders *h);

#endif
