/*
 * ops.h: the op table of a target, the single source: it decodes, prints, assembles, mutates by
 * kind, documents, and counts what a corpus reaches.
 */
#ifndef SIM_OPS_H
#define SIM_OPS_H

#include "sim/run.h"
#include "sim/scenario.h"

/* How an argument is printed, parsed and mutated. */
enum sim_arg_kind {
    SIM_ARG_NONE,   /* not used, must print and parse as nothing */
    SIM_ARG_COUNT,  /* a small number */
    SIM_ARG_SIZE,   /* bytes; mutates around powers of two and buffer sizes */
    SIM_ARG_TIME,   /* milliseconds */
    SIM_ARG_CHOICE, /* an index into `choices`; printed by name where there is one */
    SIM_ARG_MASK    /* bits, printed in hex */
};

struct sim_op_desc {
    uint8_t opcode;   /* SIM_OP_LIT, or SIM_OP_FIRST and up; append-only within its class */
    uint8_t op_class; /* bit of the swarm mask, 0 to 15 */
    uint8_t weight;   /* share among generated ops; 0 = never generated */
    const char *name; /* one lower-case word, [a-z0-9-] */
    bool uses_slot;
    enum sim_arg_kind arg;   /* the 16-bit argument */
    const char *arg_name;    /* NULL when SIM_ARG_NONE */
    enum sim_arg_kind flags; /* the 4 bits beside the slot */
    const char *flags_name;
    enum sim_arg_kind ext; /* the 24 bits of a preceding EXT */
    const char *ext_name;
    const char *const *choices; /* names for SIM_ARG_CHOICE, NULL-terminated */
    const char *text;           /* one line for people */
};

struct sim_ops {
    const char *const *classes; /* names of the op classes by number, NULL-terminated */
    const char *const *knobs;   /* names of the four knobs; NULL where unused */
    const struct sim_op_desc *ops;
    size_t count;
    const char *const
        *macros; /* op sequences as text lines, NULL-terminated: what the mutator inserts whole */
};

/* NULL when no op has that opcode or name. */
const struct sim_op_desc *sim_ops_find(const struct sim_ops *ops, uint8_t opcode);
const struct sim_op_desc *sim_ops_find_name(const struct sim_ops *ops, struct wb_view name);
/*
 * The op's description when it exists and its class is on: counted as live. NULL otherwise: counted
 * as dead, but for NOP.
 */
const struct sim_op_desc *sim_ops_enter(const struct sim_ops *ops, struct sim_run *run,
                                        const struct sim_header *header, const struct sim_op *op);
/* The op just entered found nothing to do in this state: it counts as dead. */
void sim_ops_dead(struct sim_run *run);

#endif
