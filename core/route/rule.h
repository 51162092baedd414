/*
 * rule.h: the next-hop rule, behind one small interface, so that another rule changes one file.
 * RFC 8966 3.5.1 and 3.7.3; the ties are our own choice.
 */
#ifndef WB_RULE_H
#define WB_RULE_H

#include "core/route/announce.h"

/* The best that was ever sent for a node: nothing worse may become a next hop. */
struct wb_distance {
    bool some;
    uint64_t seqno, metric;
};

/* A hop adds the link's cost and one more; sums stay at WB_NODE_MAX. */
uint64_t wb_rule_add(uint64_t metric, uint64_t link_cost);
/*
 * May a route heard with this seqno and metric, the link not yet added, be a next hop? Never at
 * WB_NODE_MAX: what is told of it would be no worse than it. RFC 8966 3.5.1 and 3.6.
 */
bool wb_rule_feasible(const struct wb_distance *fd, uint64_t seqno, uint64_t metric);
/* Before a route is sent: the distance follows what is sent. */
void wb_rule_sent(struct wb_distance *fd, uint64_t seqno, uint64_t metric);
/* Is a neighbour better than another, by metric with the link, hash of (node, neighbour), id? */
bool wb_rule_better(uint64_t node, uint64_t metric_a, uint64_t neighbour_a, uint64_t metric_b,
                    uint64_t neighbour_b);

#endif
