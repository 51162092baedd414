/*
 * demand_tree.h: the places of a demand, shared by demand.c and demand_tree.c. Private to
 * core/window.
 *
 * Weights are spans that begin at a place less those that end there, so that the sum of all weights
 * up to a place is how many spans lie behind it. A place that no span or wish has any more stays as
 * a ghost while the union had a boundary there at the last observation and has none now.
 */
#ifndef WB_DEMAND_TREE_H
#define WB_DEMAND_TREE_H

#include "core/window/demand.h"

#include <bsd/sys/queue.h>
#include <bsd/sys/tree.h>

#define WB_DEMAND_STARTS 1u
#define WB_DEMAND_ENDS   2u

struct wb_demand_node {
    RB_ENTRY(wb_demand_node) tree;
    struct wb_position key;
    int32_t weight;        /* 0 in the trees of ages and ghosts */
    int32_t sum, low;      /* of the subtree's weights; lowest prefix, the empty one is 0 */
    uint32_t refs;         /* boundaries of spans, explicit bounds, or ages */
    uint32_t starts, ends; /* explicit ones */
    uint8_t has;           /* WB_DEMAND_STARTS, WB_DEMAND_ENDS: somewhere in the subtree */
    bool differs;          /* the union has a boundary here now or at the last observation */
    LIST_ENTRY(wb_demand_node) link; /* of differing ones, or of spare ones */
};

RB_HEAD(wb_demand_tree, wb_demand_node);
LIST_HEAD(wb_demand_list, wb_demand_node);

struct wb_demand_nodes {
    struct wb_mem *mem;
    struct wb_demand_tree places, ghosts, ages;
    struct wb_demand_list differing, spare;
    uint64_t spare_count, spare_low; /* low: fewest since the last trim */
    uint64_t count;                  /* of all, spare ones too */
};

void wb_demand_nodes_fini(struct wb_demand_nodes *all);
/* One more reference to the node of `key`, made when there is none. WB_E_NOMEM. */
WB_MUST_USE enum wb_err wb_demand_node_get(struct wb_demand_nodes *all, struct wb_demand_tree *tree,
                                           struct wb_position key, struct wb_demand_node **out);
/* One less; NULL is harmless. Weight and explicit counts were taken back before the last. */
void wb_demand_node_put(struct wb_demand_nodes *all, struct wb_demand_tree *tree,
                        struct wb_demand_node *n);
void wb_demand_node_weigh(struct wb_demand_node *n, int32_t by);
/* After a change of the explicit counts from or to 0. */
void wb_demand_node_mark(struct wb_demand_node *n);
/*
 * A span comes or goes and has no weight now: what nobody else covers of it changes sides. `past`
 * is NULL when it is unbounded.
 */
void wb_demand_nodes_flip(struct wb_demand_nodes *all, struct wb_demand_node *first,
                          struct wb_demand_node *past);
/* The union is now what it was observed to be; spare nodes that nobody needed since are freed. */
void wb_demand_nodes_observe(struct wb_demand_nodes *all);
/* The lowest explicit start, the highest explicit end; NULL when there is none. */
const struct wb_demand_node *wb_demand_nodes_start(const struct wb_demand_nodes *all);
const struct wb_demand_node *wb_demand_nodes_end(const struct wb_demand_nodes *all);
const struct wb_demand_node *wb_demand_nodes_oldest(const struct wb_demand_nodes *all);
bool wb_demand_nodes_next(const struct wb_demand_nodes *all, struct wb_position from,
                          struct wb_run *out);
bool wb_demand_nodes_hull(const struct wb_demand_nodes *all, struct wb_run *out);
void wb_demand_nodes_check(const struct wb_demand_nodes *all);

#endif
