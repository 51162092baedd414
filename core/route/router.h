/*
 * router.h: one router: nodes, what each neighbour tells of them, who serves a path, and the
 * answers that tell neighbours.
 *
 * Nodes. Every neighbour's routes and claims are stored; only those of a node's next hop are live.
 * A new next hop's set is authoritative at once when its floor is at least the highest floor that
 * was accepted for the node; otherwise claims that it lacks are held (not ended), claims known to
 * have ended are not revived, and the difference is settled when its floor reaches that height.
 * FLOOR 0 alone neither ends nor revives: under it the neighbour's STARTs and ENDs count. A held
 * claim ends when it is settled, when the last neighbour that stores it ends it, or with the last
 * feasible route to its node. An END by a next hop that is behind holds the claim while another
 * neighbour stores it; any other END, and a floor that lacks the claim, makes what others store
 * known as ended, until their floors are past it or the claim is live again. No floor from before
 * an END that counts is high enough, whoever tells it. ENDs that no floor follows, but a ROUTE_END
 * or the loss of the session, took the route back, and make nothing known. A node without a
 * feasible route has no live claims; a SEQNO_REQUEST goes toward the best infeasible neighbour,
 * once until that tells the route anew, and to each other one that becomes the best.
 *
 * Ids heard on a client link are scoped to that session, and are never told on while a trusted
 * neighbour, or an older client, has a route to the same id. Receivers know no scopes, so what was
 * sent of an id bounds its next hops in all of them, and a newer seqno is asked for when none has a
 * feasible route: of the best neighbour in each. It does so still when nobody tells the id any
 * more (wb_router_remember): what others made of our route may yet come back to us.
 *
 * lite-05 and lite-06 neighbours tell paths with chains. Such a path is told on to lite-06 answers
 * with its chain, and to lite-07 answers as a claim of this router's own node that is mounted from
 * elsewhere (proxied).
 *
 * Who serves a path: longest claimed prefix, newest epoch, link of the next hop (own, client, peer,
 * upstream), metric + cost, lowest FNV-1a-64 of path and node, node id, oldest neighbour. lite-06
 * answers show that route: its chain names the node and, when it is another, the next hop. A change
 * of it without an epoch in common is END and START there.
 *
 * Batches: changes reach an answer's collector as they are heard; what a flush writes is their net
 * effect. One change costs O(log) of what is held, per answer that sees it.
 *
 * Source: design note on routed announces (October 2026); RFC 8966; moq-lite, routing.
 */
#ifndef WB_ROUTER_H
#define WB_ROUTER_H

#include "core/route/announce_pub.h"
#include "core/route/announce_sub.h"
#include "core/route/rule.h"

struct wb_router;
struct wb_neighbour; /* of one router */
struct wb_answer;    /* of one router, to one neighbour */

struct wb_neighbour_config {
    uint64_t peer; /* node id; 0 = unknown */
    enum wb_link_kind kind;
    uint64_t cost; /* of the link */
    bool accepts_proxied;
};

/* What is offered under a path of our own. */
struct wb_offer {
    struct wb_epoch epoch;
    uint64_t cost;
};

/*
 * `self` is this router's node id, not 0; `seqno` what it starts with: any, since who remembers an
 * earlier life with the same id asks for a newer one.
 */
WB_MUST_USE enum wb_err wb_router_new(struct wb_mem *mem, uint64_t self, uint64_t seqno,
                                      struct wb_router **out);
/* Neighbours and answers go with it. */
void wb_router_free(struct wb_router *r);

/*
 * Our own claims. `mounted` ones come from elsewhere and are proxied; a path may have both, its own
 * counts. Again with another offer: re-prices, or replaces when the epoch differs. Content without
 * an epoch is replaced by withdrawing it first.
 * WB_E_BOUNDS for a cost over WB_NODE_MAX; WB_E_NOMEM leaves all as it was. The slice is shared.
 */
WB_MUST_USE enum wb_err wb_router_publish(struct wb_router *r, const struct wb_slice *path,
                                          bool mounted, const struct wb_offer *offer);
/* Nothing when it is not there. */
void wb_router_withdraw(struct wb_router *r, struct wb_view path, bool mounted);
/*
 * Our node's counter: one more with each change of an own claim, and at least 2^32 (seqno - 1), so
 * that a newer life is ahead of those before it; from seqno 2^32 on no more.
 */
uint64_t wb_router_revision(const struct wb_router *r);
uint64_t wb_router_seqno(const struct wb_router *r);

/*
 * How many ids keep the best that was sent of them when nobody tells them any more, 1,024 unless
 * this says another number; those that fell silent first are forgotten first. RFC 8966 3.7.3 keeps
 * them for minutes: who has a clock may forget all by 0 now and then. A relay that forgets too
 * early can take its own route from those it told.
 */
#define WB_ROUTER_REMEMBERS 1024u
void wb_router_remember(struct wb_router *r, uint32_t ids);

WB_MUST_USE enum wb_err wb_router_join(struct wb_router *r,
                                       const struct wb_neighbour_config *config,
                                       struct wb_neighbour **out);
/* The session is gone: its answers close, what it told is forgotten. */
void wb_router_leave(struct wb_router *r, struct wb_neighbour *n);
/*
 * An event of the neighbour's announce stream, in order. WB_E_NOMEM: nothing changed, may be
 * repeated. An answer that runs out of memory when it is told is lost (wb_answer_lost).
 */
WB_MUST_USE enum wb_err wb_router_hear(struct wb_router *r, struct wb_neighbour *n,
                                       const struct wb_announce_event *event);
/* The neighbour asks for a newer seqno of a node. */
void wb_router_asked(struct wb_router *r, struct wb_neighbour *n, uint64_t node, uint64_t seqno);
/* The next SEQNO_REQUEST to send to that neighbour; false when there is none. */
bool wb_router_ask(struct wb_router *r, struct wb_neighbour *n, uint64_t *out_node,
                   uint64_t *out_seqno);

/*
 * The neighbour opened an announce stream. `prefix` is normalised and copied. All that is live is
 * due in the first flush. WB_E_NOMEM.
 */
WB_MUST_USE enum wb_err wb_answer_open(struct wb_router *r, struct wb_neighbour *n,
                                       enum wb_moq_version version, struct wb_view prefix,
                                       bool hidden, bool compress, struct wb_answer **out);
void wb_answer_close(struct wb_answer *a);
/* Appends what is due; errors as wb_announce_pub_flush, and WB_E_NOMEM for ever once it is lost. */
WB_MUST_USE enum wb_err wb_answer_flush(struct wb_answer *a, struct wb_buf *out);
bool wb_answer_dirty(const struct wb_answer *a);
bool wb_answer_lost(const struct wb_answer *a);
/* For oracles. */
const struct wb_announce_pub *wb_answer_pub(const struct wb_answer *a);

/* Who serves a path now. */
struct wb_server {
    struct wb_view prefix;          /* the claimed one; lent */
    uint64_t node;                  /* 0: unknown first hop of lite-05 or lite-06 */
    const struct wb_neighbour *via; /* NULL: here */
    struct wb_epoch epoch;
    uint64_t cost; /* metric + claim cost, saturating */
};
bool wb_router_server(const struct wb_router *r, struct wb_view path, struct wb_server *out);

/* For oracles: nodes in order of (scope, id), live claims of one in path order. */
struct wb_router_node {
    uint64_t scope, node;                /* scope 0 = trusted, else the neighbour's number */
    const struct wb_neighbour *next_hop; /* NULL: none, or our own node */
    uint64_t seqno, metric;              /* as told on; 0 without a next hop */
    uint8_t flags;
    uint64_t floor;   /* as told on */
    uint64_t highest; /* floor accepted */
    uint64_t live, held;
};
bool wb_router_node_at(const struct wb_router *r, uint64_t i, struct wb_router_node *out);
/* false past the last; *out_held tells whether the next hop lacks it. */
bool wb_router_live_at(const struct wb_router *r, uint64_t scope, uint64_t node, uint64_t i,
                       struct wb_view *out_path, bool *out_held);
/* Neighbours are numbered from 1 in the order in which they join, never again the same. */
uint64_t wb_neighbour_number(const struct wb_neighbour *n);
void wb_router_check(const struct wb_router *r);

#endif
