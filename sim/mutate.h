/*
 * mutate.h: mutation of scenarios by ops. Pure: the same seed gives the same bytes. Serves
 * libFuzzer (and Centipede, which calls the same symbols) and AFL++ (as a shared object) through
 * targets/driver/mutate_engine.c.
 *
 * Whatever comes in, what goes out is a header and whole records, as far as `max` allows; what lies
 * beyond SIM_RECORDS_MAX is dropped.
 */
#ifndef SIM_MUTATE_H
#define SIM_MUTATE_H

#include "sim/ops.h"

/* An engine's own mutator of plain bytes: changes data[0..len) in place, returns the new length <=
 * max. */
typedef size_t (*sim_mutate_bytes_fn)(uint8_t *data, size_t len, size_t max);

/* Changes buf[0..len) in place, never beyond max; returns the new length. `ops` may be NULL: then
 * fields are raw. */
size_t sim_mutate(const struct sim_ops *ops, uint8_t *buf, size_t len, size_t max, uint32_t seed);
/* The same with an engine's help for plain bytes; `bytes` NULL = none. */
size_t sim_mutate_using(const struct sim_ops *ops, sim_mutate_bytes_fn bytes, uint8_t *buf,
                        size_t len, size_t max, uint32_t seed);
/* Joins a head of `a` and a tail of `b`, or puts a part of `b` into `a`, at boundaries of ops. */
size_t sim_cross(struct wb_view a, struct wb_view b, uint8_t *out, size_t max, uint32_t seed);
/* A whole new scenario of about `records` ops from the table's weights (`bed gen`, AFL++ start). */
size_t sim_generate(const struct sim_ops *ops, uint8_t *out, size_t max, size_t records,
                    uint32_t seed);

/* Ops of a scenario, an EXT or LIT bytes counted with theirs. */
size_t sim_trim_count(struct wb_view bytes);
/* Copies `bytes` without the i-th op to `out`, which is as large, and returns the length; asserts i
 * < count. */
size_t sim_trim(struct wb_view bytes, size_t i, uint8_t *out);

#endif
