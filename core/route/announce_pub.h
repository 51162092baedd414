/*
 * announce_pub.h: the sender of an announce stream, lite-06 and lite-07: changes of what a router
 * knows become the bytes of one answer. Changes are collected; a flush writes their net effect.
 *
 * lite-07. Per route: claims path -> {announce id it is shown under | withheld}, and the count
 * `withheld`. One setter inserts, replaces and removes, and keeps the count; nothing else touches
 * it. The predicate that withholds is fixed when the answer opens. A claim is withheld when
 *   - its node is the peer's own,
 *   - its route is down-only, or was learned on an upstream link, and this link is upstream,
 *   - it is proxied, and this link does not accept proxied claims.
 * A claim outside the prefix, or hidden when hidden was not asked for, is out of scope: not kept,
 * not counted.
 *
 * A route is on the stream only while a shown claim needs it. A flush writes: ENDs, ROUTE_ENDs,
 * ROUTE_STARTs and ROUTE_UPDATEs, STARTs, UPDATEs and RESTARTs, then one FLOOR for each touched
 * route that is on the stream: its revision when nothing of it is withheld and that is not below a
 * non-zero floor sent before on this route, else 0. Within each kind in path order. A change that
 * this link does not see still touches the route.
 *
 * Announce then withdraw before a flush is nothing. Withdraw then announce: RESTART when the epoch
 * differs or is absent, UPDATE when only the cost differs, else nothing; in lite-06 END then START.
 *
 * lite-06. One announcement a path: the serving route's chain without us, and the costs; a route
 * whose chain holds the peer is not shown, takes no id and gets no END. No second-best route is
 * shown in its place: an announcement is of who serves the path here, and is told once that one is
 * clean (case 48). There is no link policy: down-only and proxied are said of routes and claims of
 * lite-07 alone, and a chain carries neither on.
 *
 * Cost of one change: O(log claims held), the floor O(1). Source: as announce_sub.h.
 */
#ifndef WB_ANNOUNCE_PUB_H
#define WB_ANNOUNCE_PUB_H

#include "core/route/announce.h"

enum wb_link_kind { WB_LINK_CLIENT, WB_LINK_PEER, WB_LINK_UPSTREAM };

struct wb_announce_pub; /* heap */

/* Fixed while the answer lives. */
struct wb_announce_pub_config {
    enum wb_moq_version version; /* lite-06, lite-07 */
    uint64_t self;               /* responder id */
    uint64_t peer;               /* the peer's node id; 0 = unknown */
    enum wb_link_kind link;
    bool accepts_proxied;
    struct wb_view prefix; /* normalised; copied */
    bool hidden;           /* asked for */
    bool compress;         /* lite-07: use path bases */
};

/* A route as the router has it now. */
struct wb_route_state {
    uint64_t node, seqno, metric;
    uint8_t flags;
    bool from_upstream; /* learned on an upstream link */
    uint64_t
        floor; /* the origin's own revision, or the floor held from the next hop; 0: cannot vouch */
};

/* A claim as the router has it now. */
struct wb_claim_state {
    struct wb_epoch epoch;
    uint64_t warm, cold; /* lite-07 sends warm only */
    bool proxied;
    const struct wb_hops *hops; /* lite-06: chain without us; borrowed for the call */
};

WB_MUST_USE enum wb_err wb_announce_pub_new(struct wb_mem *mem,
                                            const struct wb_announce_pub_config *config,
                                            struct wb_announce_pub **out);
void wb_announce_pub_free(struct wb_announce_pub *p);

/*
 * lite-07: the route toward a node is so now, or is gone (NULL: asserts that its claims are gone).
 * A route must be set before its first claim. WB_E_NOMEM leaves all as it was.
 */
WB_MUST_USE enum wb_err wb_announce_pub_route(struct wb_announce_pub *p, uint64_t node,
                                              const struct wb_route_state *state);
/*
 * A claim of that node is so now, or is gone (NULL). lite-06: node 0, and the state is that of the
 * path's serving route. The slice is shared, not taken. WB_E_NOMEM leaves all as it was.
 */
WB_MUST_USE enum wb_err wb_announce_pub_claim(struct wb_announce_pub *p, uint64_t node,
                                              const struct wb_slice *path,
                                              const struct wb_claim_state *state);
/*
 * The next route past node `after`, by node id, whose ROUTE_START or ROUTE_UPDATE the next flush
 * writes, as it will be written: the caller's feasibility distance follows before. False: none.
 */
bool wb_announce_pub_route_due(const struct wb_announce_pub *p, uint64_t after,
                               struct wb_route_state *out);
/* True when a flush would write something. */
bool wb_announce_pub_dirty(const struct wb_announce_pub *p);
/*
 * Appends what is due. The first flush begins with ANNOUNCE_OK and the claims in one write. All or
 * nothing: on WB_E_NOMEM or a buffer's bound nothing was written and all is still due.
 */
WB_MUST_USE enum wb_err wb_announce_pub_flush(struct wb_announce_pub *p, struct wb_buf *out);

/* For oracles. */
struct wb_announce_pub_route_view {
    uint64_t node, id, withheld, shown, floor;
    bool on_stream;
};
/* The i-th route by node id, as of the last change; false past the last. */
bool wb_announce_pub_route_at(const struct wb_announce_pub *p, uint64_t i,
                              struct wb_announce_pub_route_view *out);
void wb_announce_pub_check(const struct wb_announce_pub *p);

#endif
