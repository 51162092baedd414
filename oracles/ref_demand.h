/*
 * ref_demand.h: what the live subscribers of a track ask for, folded anew each time, as moq-lite 4
 * (aggregate) and windows 2 tell it.
 */
#ifndef REF_DEMAND_H
#define REF_DEMAND_H

#include "oracles/ref_window.h"

#define REF_DEMAND_SUBSCRIBERS 16u

struct ref_wish {
    uint8_t priority;
    bool ordered;
    bool is_live; /* follows the live edge: no start of its own */
    uint64_t max_age_ns;
};

struct ref_fold {
    bool some; /* somebody asks for something; else all is zero */
    struct ref_wish wish;
    struct wb_bound start, end;
};

struct ref_demand {
    bool joined[REF_DEMAND_SUBSCRIBERS];
    struct ref_wish wish[REF_DEMAND_SUBSCRIBERS];
    struct ref_window window[REF_DEMAND_SUBSCRIBERS];
};

void ref_demand_init(struct ref_demand *d);
size_t ref_demand_count(const struct ref_demand *d);
/* The union of all who are joined; `out` is made anew. False when the model is full. */
bool ref_demand_union(const struct ref_demand *d, struct ref_window *out);
/* The same by the bitmap alone; false when somebody asks for places off the universe. */
bool ref_demand_cells(const struct ref_demand *d, uint64_t *out);
struct ref_fold ref_demand_fold(const struct ref_demand *d);
bool ref_fold_equal(const struct ref_fold *a, const struct ref_fold *b);

#endif
