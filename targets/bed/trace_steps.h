/*
 * trace_steps.h: the text of a live trace as steps, one for each thing that happened; lines that
 * only add to the one before (state, pending, bytes …) are part of it.
 */
#ifndef BED_TRACE_STEPS_H
#define BED_TRACE_STEPS_H

#include "targets/fuzz.h"

#define TRACE_NUMBERS 4

enum trace_kind {
    TRACE_OTHER, /* a line nobody here knows: shown as it is */
    TRACE_OP,    /* record, slot, argument */
    TRACE_REQUEST,
    TRACE_WRITE, /* bytes, of, io */
    TRACE_READ,
    TRACE_WAIT, /* mask, ms */
    TRACE_WAKE, /* said, true */
    TRACE_READY,
    TRACE_SPURIOUS,
    TRACE_POLL,
    TRACE_UNIT, /* code, bytes */
    TRACE_END,  /* units, state */
    TRACE_CLOSE,
    TRACE_PROBE,
    TRACE_ABANDON,
    TRACE_ANSWER, /* bytes, offset */
    TRACE_RAW,
    TRACE_TAKEN,
    TRACE_FIN,
    TRACE_RESET,
    TRACE_OPENED,
    TRACE_CALM,
    TRACE_STATE,     /* from, to; where it has no step before it */
    TRACE_DELIVERY,  /* of wire targets: number, bytes */
    TRACE_WIRE_UNIT, /* end, code, bytes */
    TRACE_WIRE_END,
    TRACE_KINDS
};

struct trace_step {
    enum trace_kind kind;
    uint64_t time_us;
    uint32_t conn;
    unsigned long long n[TRACE_NUMBERS]; /* what the line states, in its order, without conn */
    struct wb_view line;                 /* without its time */
    struct wb_view status;               /* "WB_..." in it, may be empty */
    /* what the lines after it add; empty views and false where there were none */
    struct wb_view bytes;  /* its first bytes as text, in quotes */
    struct wb_view reason; /* of the state */
    bool has_state, has_pending, is_starved, is_nothing, has_poll;
    uint32_t state_conn, pending_conn;
    unsigned long long state, pending_first, pending, dropped, poll;
};

/* The step list of a text; `out` is malloc'd, the caller's to free, and borrows from the text. */
size_t trace_steps(struct wb_view text, struct trace_step **out);
/* Milliseconds of a step's time, "12.5 ms". */
void trace_time(uint64_t time_us, char out[32]);

#endif
