/*
 * demand_node.h: what a subscriber is inside a demand. Included by demand.h only.
 */
#ifndef WB_DEMAND_NODE_H
#define WB_DEMAND_NODE_H

#include "core/window/window.h"

struct wb_span; /* a node of the demand */

struct wb_subscriber {
    struct wb_demand *demand; /* NULL: not joined */
    union {
        struct wb_span *one;
        struct wb_span **many;
    } as;
    struct wb_span *age;
    uint32_t count; /* spans; 0: asks for nothing; 1 lies inline */
    uint8_t priority;
    bool ordered, is_live;
};

#endif
