/*
 * demand_node.h: what a subscriber is inside a demand. Included by demand.h only.
 */
#ifndef WB_DEMAND_NODE_H
#define WB_DEMAND_NODE_H

#include "core/window/window.h"

/* A subscriber's own node at one boundary or value; the first of equals stands in the tree. */
struct wb_demand_node {
    struct wb_demand_node *left, *right, *parent;
    struct wb_demand_node *prev, *next; /* equals */
    struct wb_position key;
    int64_t weight, sum, low; /* augmented; private */
    int color;
};

struct wb_subscriber {
    struct wb_demand *demand; /* NULL: not joined */
};

#endif
