/*
 * position.h: places in a track, and optional bounds.
 *
 * A position is {group, frame}, ordered as a pair; the very last one is {2^64-1, 2^64-1}. The place
 * after it does not exist, so what could step past it returns false and says what that means.
 *
 * A bound is a position or absent. Two families, never mixed:
 *   neutral     absent: the other side wins              (intersection)
 *   absorbing   absent: the result is absent, unbounded  (union over subscribers)
 *
 * Source: moq-lite, subscriptions and ranges.
 */
#ifndef WB_POSITION_H
#define WB_POSITION_H

#include "core/base/base.h"

struct wb_position {
    uint64_t group, frame;
};

#define WB_POSITION_FIRST ((struct wb_position){0, 0})
#define WB_POSITION_LAST  ((struct wb_position){UINT64_MAX, UINT64_MAX})

struct wb_bound {
    bool present;
    struct wb_position at;
};

static inline struct wb_position wb_position_group(uint64_t group)
{
    return (struct wb_position){group, 0};
}

static inline bool wb_position_less(struct wb_position a, struct wb_position b)
{
    return a.group < b.group || (a.group == b.group && a.frame < b.frame);
}

static inline bool wb_position_equal(struct wb_position a, struct wb_position b)
{
    return a.group == b.group && a.frame == b.frame;
}

/* The position just past p; false past everything, *out untouched. */
bool wb_position_after(struct wb_position p, struct wb_position *out);
/* The first of the next group; false after group 2^64-1. */
bool wb_position_after_group(uint64_t group, struct wb_position *out);
/* The position just before p: {1, 0} gives {0, 2^64-1}; false before {0, 0}. */
bool wb_position_before(struct wb_position p, struct wb_position *out);

/* Exclusive ends as bounds: absent past everything, which is unbounded. */
struct wb_bound wb_bound_after(struct wb_position p);
struct wb_bound wb_bound_after_group(uint64_t group);
struct wb_bound wb_bound_at(struct wb_position p);
bool wb_bound_equal(struct wb_bound a, struct wb_bound b);
struct wb_bound wb_bound_min_neutral(struct wb_bound a, struct wb_bound b);
struct wb_bound wb_bound_max_neutral(struct wb_bound a, struct wb_bound b);
struct wb_bound wb_bound_min_absorbing(struct wb_bound a, struct wb_bound b);
struct wb_bound wb_bound_max_absorbing(struct wb_bound a, struct wb_bound b);

#endif
