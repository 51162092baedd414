/*
 * pub_state.h: what a sender of announces keeps of one answer. Private to announce_pub.c and
 * pub_flush.c.
 *
 * A claim is kept twice: as the router wants it, and as it is on the wire. A change touches only
 * the first; a flush makes the second follow.
 */
#ifndef WB_PUB_STATE_H
#define WB_PUB_STATE_H

#include "core/route/announce_pub.h"

#include <bsd/sys/tree.h>
#include <string.h>

/* What the link sees of a claim. */
enum wb_pub_view { WB_PUB_ABSENT, WB_PUB_WITHHELD, WB_PUB_SHOWN };

struct wb_pub_route;

struct wb_pub_claim {
    RB_ENTRY(wb_pub_claim) by_path; /* of its route */
    RB_ENTRY(wb_pub_claim) by_due;  /* of all that a flush must look at: path, then node */
    RB_ENTRY(wb_pub_claim) by_wire; /* of all on the wire, for path bases: path, then node */
    struct wb_pub_route *route;
    struct wb_slice path;
    enum wb_pub_view view;
    bool due;
    bool renewed; /* withdrawn and announced again since the last flush */
    bool on_wire;
    uint64_t id; /* on the wire */
    bool proxied;
    struct wb_epoch epoch, sent_epoch;
    uint64_t warm, cold, sent_warm, sent_cold;
    struct wb_hops *hops;      /* lite-06; of hops->count ids */
    struct wb_hops *sent_hops; /* when others have come since they were sent */
    bool hops_changed;         /* they are not those on the wire */
};
RB_HEAD(wb_pub_by_path, wb_pub_claim);
RB_HEAD(wb_pub_by_due, wb_pub_claim);
RB_HEAD(wb_pub_by_wire, wb_pub_claim);

struct wb_pub_route {
    RB_ENTRY(wb_pub_route) by_node, by_touch;
    struct wb_route_state state, sent;
    struct wb_pub_by_path claims;
    uint64_t withheld, shown; /* claims by what the link sees of them */
    uint64_t id;              /* on the stream */
    uint64_t highest;         /* non-zero floor sent under this id */
    uint64_t last_floor;
    bool on_stream;
    bool touched;   /* a flush must look at it */
    bool floor_due; /* its FLOOR is due when it is on the stream */
    bool gone;      /* the router has no route to the node any more */
};
RB_HEAD(wb_pub_by_node, wb_pub_route);
RB_HEAD(wb_pub_by_touch, wb_pub_route);

struct wb_announce_pub {
    struct wb_mem *mem;
    struct wb_announce_pub_config config;
    struct wb_slice prefix;
    struct wb_pub_by_node routes;
    struct wb_pub_by_touch touched;
    struct wb_pub_by_due due;
    struct wb_pub_by_wire wire;
    struct wb_pub_route flat; /* lite-06: the one that all claims are under */
    uint64_t next_claim, next_route;
    uint64_t claim_count;
    bool opened; /* ANNOUNCE_OK was sent */
};

RB_PROTOTYPE(wb_pub_by_path, wb_pub_claim, by_path, wb_pub_path_order)
RB_PROTOTYPE(wb_pub_by_due, wb_pub_claim, by_due, wb_pub_due_order)
RB_PROTOTYPE(wb_pub_by_wire, wb_pub_claim, by_wire, wb_pub_wire_order)
RB_PROTOTYPE(wb_pub_by_node, wb_pub_route, by_node, wb_pub_node_order)
RB_PROTOTYPE(wb_pub_by_touch, wb_pub_route, by_touch, wb_pub_touch_order)

void wb_pub_hops_free(struct wb_announce_pub *p, struct wb_hops *hops);
/* The claim is neither wanted nor on the wire. */
void wb_pub_claim_free(struct wb_announce_pub *p, struct wb_pub_claim *c);
/* The route is gone, has no claim and is not on the stream. */
void wb_pub_route_free(struct wb_announce_pub *p, struct wb_pub_route *r);

#endif
