/*
 * cost.h: counted work that belongs to no object: comparisons in ordered lists and trees, bytes
 * moved to keep them or hashed. Users read it before and after an operation.
 */
#ifndef WB_COST_H
#define WB_COST_H

#include "core/base/base.h"

struct wb_cost {
    uint64_t paths_compared;
    uint64_t positions_compared;
    uint64_t bytes_moved;
    uint64_t servers_compared; /* of those who may serve one path */
    uint64_t bytes_hashed;     /* of paths */
    uint64_t stores_walked;    /* claims of neighbours, as a route is taken back */
};

extern _Thread_local struct wb_cost wb_cost; /* stays zero in builds that do not count */

#ifdef WB_COUNTED
#define WB_COST(field, n) ((void)(wb_cost.field += (n)))
#else
#define WB_COST(field, n) ((void)(n))
#endif

#endif
