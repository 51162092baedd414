/*
 * demand_node.h: what a subscriber is inside a demand. Included by demand.h only.
 */
#ifndef WB_DEMAND_NODE_H
#define WB_DEMAND_NODE_H

#include "core/window/window.h"

struct wb_demand_node;

/* One span: where it begins and the place just past it, NULL when it is unbounded. */
struct wb_demand_span {
    struct wb_demand_node *first, *past;
};

struct wb_subscriber {
    struct wb_demand *demand; /* NULL: not joined */
    union {
        struct wb_demand_span one;
        struct wb_demand_span *many;
    } as;
    struct wb_demand_node *age;
    struct wb_demand_node *start, *end; /* explicit ones, or NULL */
    uint32_t count;                     /* spans; 0: asks for nothing; 1 lies inline */
    uint8_t priority;
    bool ordered;
};

#endif
