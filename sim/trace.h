/*
 * trace.h: everything observable of a run, as a rolling hash and a ring of the last lines.
 * Formatting is put off until somebody reads: recording a line costs a few stores.
 */
#ifndef SIM_TRACE_H
#define SIM_TRACE_H

#include "core/base/bytes.h"

#include <stdio.h>

#define SIM_TRACE_ARGS 4
#define SIM_TRACE_RING 256

struct sim_ops;

struct sim_trace_line {
    const char *format; /* static text; its first 8 bytes are the line's kind and enter the hash */
    uint64_t time_ns;
    uint64_t arg[SIM_TRACE_ARGS];
};

struct sim_trace {
    uint64_t hash;
    uint64_t count;            /* lines since the reset; the ring keeps the last SIM_TRACE_RING */
    FILE *live;                /* when set, each line is printed as it comes (`bed trace`) */
    const char *const *names;  /* what %n counts; a world's, set anew in each run */
    const struct sim_ops *ops; /* what %o names: the op table of the ops that were entered last */
    struct sim_trace_line ring[SIM_TRACE_RING];
};

/* Keeps `live` and `ops`. */
void sim_trace_reset(struct sim_trace *t);

/*
 * Records a line. `format` is a literal of at least 8 bytes that holds up to four of %u (decimal),
 * %x (hex), %e (status name), %t (ns as ms), %n (a name by number) and %o (an op's name by its
 * opcode), filled in order from a to d.
 */
void sim_trace_add(struct sim_trace *t, uint64_t time_ns, const char *format, uint64_t a,
                   uint64_t b, uint64_t c, uint64_t d);
/* Mixes bytes or a number into the hash alone. */
void sim_trace_mix(struct sim_trace *t, uint64_t value);
void sim_trace_mix_bytes(struct sim_trace *t, struct wb_view bytes);
/* Prints the last `lines` lines of the ring, oldest first. */
void sim_trace_print(const struct sim_trace *t, size_t lines, FILE *out);
/* A 64-bit hash of bytes, the same everywhere; also for payload comparisons. */
uint64_t sim_hash(struct wb_view bytes, uint64_t seed);

#endif
