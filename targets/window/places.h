/*
 * places.h: positions as arguments of ops. A code is
 *
 *   0           no place: the start of everything, or no end
 *   1 .. 58     a cell's first position (ref_window.h), named as group.frame: 0 1 2 3 4, p =
 * 2^62-1, q = 2^62, r = 2^62+1, y = 2^64-2, z = 2^64-1 64 and up   anywhere: bits 0-3 the frame,
 * 4-14 the group; from 32768 on groups, and frames from 8 on, count back from 2^64-1
 */
#ifndef TARGETS_WINDOW_PLACES_H
#define TARGETS_WINDOW_PLACES_H

#include "oracles/ref_window.h"
#include "sim/ops.h"

extern const char *const places_names[]; /* for SIM_ARG_CHOICE */

#define PLACES_RANGE                                                                               \
    .arg = SIM_ARG_CHOICE, .arg_name = "from", .ext = SIM_ARG_CHOICE, .ext_name = "to",            \
    .choices = places_names
#define PLACES_AT .arg = SIM_ARG_CHOICE, .arg_name = "at", .choices = places_names

struct wb_bound places_bound(uint32_t code);
/* {0, 0} for none. */
struct wb_position places_position(uint32_t code);
/* Of an op with PLACES_RANGE. */
struct wb_range places_range(const struct sim_op *op);

#endif
