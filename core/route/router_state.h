/*
 * router_state.h: what a router keeps. Private to router*.c.
 *
 *   node (scope, id)  ── claims: path -> claim {live?, held?, how many store it}
 *      │ heard by
 *   heard (neighbour, node)  ── stored: path -> stored claim
 *
 *   place (path)  ── candidates: claims of nodes, and paths of lite-05 and lite-06 neighbours
 *
 * A claim exists while somebody stores it or it is live: making one live never allocates.
 */
#ifndef WB_ROUTER_STATE_H
#define WB_ROUTER_STATE_H

#include "core/route/router.h"
#include "core/route/router_place.h"

#include <bsd/sys/queue.h>
#include <bsd/sys/tree.h>

struct wb_node;
struct wb_heard;

/* A claim of a node, whoever stores it. */
struct wb_node_claim {
    struct wb_candidate candidate; /* first */
    RB_ENTRY(wb_node_claim) by_path;
    uint32_t stores; /* neighbours that store it; own node: 1 while offered */
    bool marked;     /* some of them may have it as ended */
    bool held;       /* live, and the next hop lacks it */
    bool proxied;
    bool echo;          /* our own node's, only because neighbours without nodes tell the path */
    struct wb_own *own; /* our own node's have one, no other has */
};
RB_HEAD(wb_node_claims, wb_node_claim);

/* What is offered under a path of our own. */
struct wb_own {
    struct wb_node_claim *claim;
    bool has_own, has_mount;
    struct wb_offer own, mount;
    uint32_t flats; /* lite-05 and lite-06 neighbours that tell the path */
};

/* A claim as one neighbour stores it. */
struct wb_stored {
    RB_ENTRY(wb_stored) by_path;
    TAILQ_ENTRY(wb_stored) in_deferred;
    struct wb_node_claim *claim;
    struct wb_epoch epoch;
    uint64_t cost;
    bool ended;             /* known to have ended since: counts again from a floor above `past` */
    bool deferred, renewed; /* stored at the next hop, not taken as live yet; restarted meanwhile */
    uint64_t past;
    struct wb_heard *ended_by; /* who ended it, until it tells a floor; NULL = proven */
    TAILQ_ENTRY(wb_stored) in_ends;
};
RB_HEAD(wb_storeds, wb_stored);
TAILQ_HEAD(wb_deferred, wb_stored);
TAILQ_HEAD(wb_ends, wb_stored);

/* A node as one neighbour tells it. */
struct wb_heard {
    RB_ENTRY(wb_heard) by_node; /* of the neighbour */
    TAILQ_ENTRY(wb_heard) in_node;
    struct wb_neighbour *neighbour;
    struct wb_node *node;
    uint64_t seqno, metric; /* as heard */
    uint64_t judged;        /* the seqno at which its floor was held against an earlier life's */
    uint8_t flags;
    uint64_t floor, highest;       /* the last one told, the highest ever told */
    struct wb_ends ends;           /* what others store that it ended since its last floor */
    uint64_t ended_at;             /* its floor when it ended claims, until it tells a later one */
    bool floor_told, ahead;        /* ahead: STARTs, ENDs or RESTARTs since its last floor */
    TAILQ_ENTRY(wb_heard) in_asks; /* of the neighbour, while `ask` is not 0 */
    uint64_t ask;                  /* the seqno to ask it for */
    uint64_t asked;                /* the highest it was asked for since it last told the route */
    struct wb_storeds stored;
};
RB_HEAD(wb_heards, wb_heard);
TAILQ_HEAD(wb_asks, wb_heard);
TAILQ_HEAD(wb_heard_list, wb_heard);

struct wb_node {
    RB_ENTRY(wb_node) by_key;
    uint64_t scope, id;
    bool own;
    struct wb_distance fd; /* of the id: the same in each scope */
    struct wb_heard *next_hop;
    struct wb_heard_list heard;
    struct wb_node_claims claims;
    struct wb_deferred deferred;
    uint64_t highest, live, held; /* floor accepted; claims */
    uint64_t metric;              /* at which its claims were last shown */
    uint32_t ending;              /* of `heard`, those whose ended_at is not 0 */
    uint64_t wanted, wanted_by;   /* asked for by that neighbour when nobody else told the node */
    bool told;  /* answers of lite-07 know it: it has a next hop and is not shadowed */
    bool quiet; /* nobody tells it, nor its id in another scope: there is but its distance */
    TAILQ_ENTRY(wb_node) in_quiet;
};
RB_HEAD(wb_nodes, wb_node);
TAILQ_HEAD(wb_quiet, wb_node);

/* A path of a lite-05 or lite-06 neighbour. */
struct wb_flat {
    struct wb_candidate candidate; /* first */
    RB_ENTRY(wb_flat) by_path;
};
RB_HEAD(wb_flats, wb_flat);

struct wb_neighbour {
    TAILQ_ENTRY(wb_neighbour) in_router;
    struct wb_neighbour_config config;
    uint64_t number;
    struct wb_heards heards;
    struct wb_flats flats;
    struct wb_asks asks;
};
TAILQ_HEAD(wb_neighbours, wb_neighbour);

struct wb_answer {
    TAILQ_ENTRY(wb_answer) in_router;
    struct wb_router *router;
    struct wb_neighbour *neighbour;
    struct wb_announce_pub *pub;
    enum wb_moq_version version;
    bool lost;
};
TAILQ_HEAD(wb_answers, wb_answer);

struct wb_router {
    struct wb_mem *mem;
    struct wb_node *self;
    uint64_t seqno, revision, joined;
    struct wb_nodes nodes;
    struct wb_quiet quiet; /* of the nodes, the oldest first */
    uint32_t quiet_count, quiet_most;
    struct wb_places places;
    bool gathers; /* places that are due, instead of showing each at once */
    struct wb_due_places due;
    struct wb_neighbours neighbours;
    struct wb_answers answers;
};

RB_PROTOTYPE(wb_nodes, wb_node, by_key, wb_node_order)
RB_PROTOTYPE(wb_places, wb_place, by_path, wb_place_order)
RB_PROTOTYPE(wb_node_claims, wb_node_claim, by_path, wb_node_claim_order)
RB_PROTOTYPE(wb_storeds, wb_stored, by_path, wb_stored_order)
RB_PROTOTYPE(wb_heards, wb_heard, by_node, wb_heard_order)
RB_PROTOTYPE(wb_flats, wb_flat, by_path, wb_flat_order)

/* ---- router_keep.c: finding, making and freeing; WB_E_NOMEM changes nothing ---- */

struct wb_node *wb_node_find(struct wb_router *r, uint64_t scope, uint64_t id);
/* The nodes of an id: trusted first, then the oldest client; NULL past the last. */
struct wb_node *wb_node_first(struct wb_router *r, uint64_t id);
struct wb_node *wb_node_next(struct wb_node *node);
WB_MUST_USE enum wb_err wb_node_need(struct wb_router *r, uint64_t scope, uint64_t id,
                                     struct wb_node **out);
/* When nobody tells it, what is left is its distance, if there is one. Never our own. */
void wb_node_release(struct wb_router *r, struct wb_node *node);
void wb_node_free(struct wb_router *r, struct wb_node *node);
struct wb_heard *wb_heard_find(struct wb_neighbour *n, uint64_t node);
struct wb_node_claim *wb_node_claim_find(struct wb_node *node, struct wb_view path);
/* The claim, with one more that stores it. */
WB_MUST_USE enum wb_err wb_node_claim_store(struct wb_router *r, struct wb_node *node,
                                            const struct wb_slice *path,
                                            struct wb_node_claim **out);
/* One less; freed when nobody stores it and it is not live. */
void wb_node_claim_unstore(struct wb_router *r, struct wb_node_claim *c);
void wb_node_claim_release(struct wb_router *r, struct wb_node_claim *c);
struct wb_stored *wb_stored_find(struct wb_heard *h, struct wb_view path);
WB_MUST_USE enum wb_err wb_place_enter(struct wb_router *r, const struct wb_slice *path,
                                       struct wb_candidate *c);
void wb_place_leave(struct wb_router *r, struct wb_candidate *c);
void wb_place_release(struct wb_router *r, struct wb_place *place);
struct wb_place *wb_place_find(const struct wb_router *r, struct wb_view path);

/* The offers of an own path changed: tells it, re-tells it or withdraws it. *o may be freed. */
void wb_own_settle(struct wb_router *r, struct wb_own *o, bool renewed);
/* An own path's entry, with what it needs to be told; WB_E_NOMEM changes nothing. */
WB_MUST_USE enum wb_err wb_own_need(struct wb_router *r, const struct wb_slice *path,
                                    struct wb_own **out);
struct wb_own *wb_own_find(struct wb_router *r, struct wb_view path);

/* ---- router_live.c: which claims of a node are live ---- */

/* Its best feasible neighbour is its next hop. */
void wb_node_select(struct wb_router *r, struct wb_node *node);
/* Before a route of an id is sent: what may be a next hop is bounded in each scope. */
void wb_node_sent(struct wb_router *r, uint64_t id, uint64_t seqno, uint64_t metric);
void wb_node_started(struct wb_router *r, struct wb_heard *h, struct wb_stored *s, bool restarted);
/* The neighbour ended it; *s is not stored any more, and is freed by the caller. */
void wb_node_ended(struct wb_router *r, struct wb_heard *h, struct wb_stored *s);
void wb_node_floor(struct wb_router *r, struct wb_heard *h);
/* Its route is gone: the ENDs since its last floor took the route back, and ended no claim. */
void wb_node_retracted(struct wb_router *r, struct wb_node *node, struct wb_heard *by);
/* Another ended the claim, which is past what this neighbour stores; NULL: nobody, or proven. */
void wb_stored_ended_by(struct wb_stored *s, struct wb_heard *by);
/* A SEQNO_REQUEST is due there; not when it was asked for as much since its route, or is NULL. */
void wb_heard_ask(struct wb_heard *h, uint64_t seqno);
/* The best neighbour of a node besides that one: of the feasible ones, else of all. */
struct wb_heard *wb_node_way(const struct wb_node *node, const struct wb_neighbour *besides);
/* What the router tells of a node's route now; false: nothing. */
bool wb_node_route(const struct wb_router *r, const struct wb_node *node,
                   struct wb_route_state *out);

/* ---- router_show.c: what answers are told ---- */

/* A claim became live, changed, or is no longer live; `renewed`: its content may be another. */
void wb_show_claim(struct wb_router *r, struct wb_node_claim *c, bool renewed);
/* The node's route changed; called before its claims are shown, after they are withdrawn. */
void wb_show_route(struct wb_router *r, struct wb_node *node);
/* Who serves the place may have changed; `renewed`: this one's content may be another, or NULL. */
void wb_show_place(struct wb_router *r, struct wb_place *place, const struct wb_candidate *renewed);
/* A neighbour leaves with many claims: between these two places are gathered. */
void wb_show_gather(struct wb_router *r);
void wb_show_due(struct wb_router *r);
/* Which of the nodes with this id is told on may have changed. */
void wb_show_ids(struct wb_router *r, uint64_t id);
/* All that is live, for an answer that was just opened. */
WB_MUST_USE enum wb_err wb_show_all(struct wb_router *r, struct wb_answer *a);

#endif
