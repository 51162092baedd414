/*
 * rule.c: feasibility and choice of the next hop. RFC 8966 3.5.1, 3.7.3.
 */
#include "core/route/rule.h"

static bool beats(const struct wb_distance *fd, uint64_t seqno, uint64_t metric)
{
    return !fd->some || seqno > fd->seqno || (seqno == fd->seqno && metric < fd->metric);
}

uint64_t wb_rule_add(uint64_t metric, uint64_t link_cost)
{
    uint64_t hop = link_cost < WB_NODE_MAX ? link_cost + 1 : WB_NODE_MAX;

    return metric > WB_NODE_MAX - hop ? WB_NODE_MAX : metric + hop;
}

bool wb_rule_feasible(const struct wb_distance *fd, uint64_t seqno, uint64_t metric)
{
    return metric < WB_NODE_MAX && beats(fd, seqno, metric);
}

void wb_rule_sent(struct wb_distance *fd, uint64_t seqno, uint64_t metric)
{
    if (beats(fd, seqno, metric))
        *fd = (struct wb_distance){true, seqno, metric};
}

bool wb_rule_better(uint64_t node, uint64_t metric_a, uint64_t neighbour_a, uint64_t metric_b,
                    uint64_t neighbour_b)
{
    uint64_t hash_a, hash_b;

    if (metric_a != metric_b)
        return metric_a < metric_b;
    hash_a = wb_fnv_u64(wb_fnv_u64(WB_FNV_BASIS, node), neighbour_a);
    hash_b = wb_fnv_u64(wb_fnv_u64(WB_FNV_BASIS, node), neighbour_b);
    return hash_a != hash_b ? hash_a < hash_b : neighbour_a < neighbour_b;
}
