/*
 * router_place.h: paths, and who may serve each. Private to router*.c.
 */
#ifndef WB_ROUTER_PLACE_H
#define WB_ROUTER_PLACE_H

#include "core/route/announce.h"

#include <bsd/sys/queue.h>
#include <bsd/sys/tree.h>

struct wb_place;
struct wb_node;
struct wb_neighbour;

/* Somebody who may serve a place: a claim of a node, or a path of a neighbour without nodes. */
struct wb_candidate {
    TAILQ_ENTRY(wb_candidate) in_place;
    RB_ENTRY(wb_candidate) by_rank;
    bool ranked; /* it may serve, and stands in its place's order */
    struct wb_place *place;
    struct wb_node *node;    /* NULL: of lite-05 or lite-06 */
    struct wb_neighbour *of; /* lite-05, -06 */
    struct wb_hops *hops;    /* lite-05, -06; of hops->count ids, as received */
    bool live;
    struct wb_epoch epoch;
    uint64_t cost, cold; /* of the claim; lite-05 and -06 with the link */
};
TAILQ_HEAD(wb_candidates, wb_candidate);
RB_HEAD(wb_ranks, wb_candidate);

/* What the lite-06 answers were last told of a place. */
struct wb_shown {
    const struct wb_candidate *by; /* identity only: it may be gone */
    const struct wb_neighbour *via;
    struct wb_epoch epoch;
};

struct wb_place {
    RB_ENTRY(wb_place) by_path;
    struct wb_slice path;
    struct wb_candidates candidates; /* those without nodes first */
    struct wb_ranks ranks;           /* of those who may serve, the best first */
    bool hashed;
    uint64_t hash; /* of the path, from the first tie on */
    struct wb_shown shown;
    TAILQ_ENTRY(wb_place) in_due; /* while it is due, it stays */
    bool due;
    const struct wb_candidate *renewed;
};
RB_HEAD(wb_places, wb_place);
TAILQ_HEAD(wb_due_places, wb_place);

RB_PROTOTYPE(wb_ranks, wb_candidate, by_rank, wb_rank_order)

/* What c's place in the order of those who serve depends on has changed: before it is shown. */
void wb_candidate_rank(struct wb_candidate *c);
/* Who serves it: the best that is live, or NULL. */
struct wb_candidate *wb_place_best(const struct wb_place *place);
/* Who may serve stands in order. */
void wb_place_check(const struct wb_place *place);
/* Metric and cost of the claim, saturating. */
uint64_t wb_candidate_cost(const struct wb_candidate *c);
/* The neighbour that leads to it; NULL: it is here. */
const struct wb_neighbour *wb_candidate_via(const struct wb_candidate *c);

#endif
