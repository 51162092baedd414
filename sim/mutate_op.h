/*
 * mutate_op.h: the parts of mutation: chance, where ops begin, and what happens to one of them. The
 * inside of mutate.h.
 */
#ifndef SIM_MUTATE_OP_H
#define SIM_MUTATE_OP_H

#include "sim/ops.h"

#define SIM_MUTATE_BYTES_MAX (SIM_HEADER + SIM_RECORDS_MAX * SIM_RECORD)
#define SIM_MUTATE_OP_MAX    32 /* bytes of a fresh op at most */

/* Numbers from a seed; good enough to choose, and the same everywhere. */
struct sim_random {
    uint64_t state;
};

/* Where the ops of a scenario begin: each with its EXT before and its raw bytes behind. */
struct sim_mutate_index {
    size_t count;
    uint32_t begin[SIM_RECORDS_MAX + 1]; /* the last one is the end */
};

struct sim_random sim_random_of(uint64_t seed);
uint32_t sim_random_next(struct sim_random *r);
/* 0 to n - 1; asserts n > 0. */
uint32_t sim_random_below(struct sim_random *r, size_t n);
/* True in one of n cases. */
bool sim_random_one_in(struct sim_random *r, size_t n);

/* Only whole records of `buf` count. */
void sim_mutate_index_fill(struct sim_mutate_index *index, const uint8_t *buf, size_t len);

/* Writes a fresh op, drawn by weight, with its EXT or raw bytes; returns its length, 0 when nothing
 * can be drawn. */
size_t sim_mutate_op_fresh(const struct sim_ops *ops, struct sim_random *r,
                           uint8_t out[SIM_MUTATE_OP_MAX]);
/* Changes one field of the op in `record` by its kind; `ext` is the record of its EXT, or NULL. */
void sim_mutate_op_field(const struct sim_ops *ops, struct sim_random *r,
                         uint8_t record[SIM_RECORD], uint8_t *ext);
/* Changes some bytes in place, without regard to what they mean. */
void sim_mutate_op_bytes(struct sim_random *r, uint8_t *data, size_t len);
/* True when the op of that code names a slot; without a table all do. */
bool sim_mutate_op_has_slot(const struct sim_ops *ops, uint8_t opcode);

#endif
