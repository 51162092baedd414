/*
 * mutate.h: mutation of scenarios by ops. Pure: the same seed gives the same bytes. One file for
 * libFuzzer (and Centipede, which calls the same symbols) and AFL++ (as a shared object).
 */
#ifndef SIM_MUTATE_H
#define SIM_MUTATE_H

#include "sim/ops.h"

/* Changes buf[0..len) in place, never beyond max; returns the new length. `ops` may be NULL: then
 * fields are raw. */
size_t sim_mutate(const struct sim_ops *ops, uint8_t *buf, size_t len, size_t max, uint32_t seed);
/* Joins a head of `a` and a tail of `b` at record boundaries. */
size_t sim_cross(struct wb_view a, struct wb_view b, uint8_t *out, size_t max, uint32_t seed);
/* A whole new scenario of about `records` ops from the table's weights (`bed gen`, AFL++ start). */
size_t sim_generate(const struct sim_ops *ops, uint8_t *out, size_t max, size_t records,
                    uint32_t seed);

#endif
