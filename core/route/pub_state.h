/*
 * pub_state.h: what a sender of announces keeps of one answer. Private to announce_pub.c and
 * pub_*.c.
 *
 * A claim is kept twice: as the router wants it, and as it is on the wire. A change touches only
 * the first; a flush makes the second follow. All claims of an answer are in one tree, by path and
 * then node, so that a change goes down a tree once: neighbours in it are what path bases are taken
 * from, and what is due is a list that is sorted when it is flushed, if need be.
 */
#ifndef WB_PUB_STATE_H
#define WB_PUB_STATE_H

#include "core/route/announce_pub.h"

#include <bsd/sys/queue.h>
#include <bsd/sys/tree.h>
#include <string.h>

/* What the link sees of a claim. */
enum wb_pub_view { WB_PUB_ABSENT, WB_PUB_WITHHELD, WB_PUB_SHOWN };

struct wb_pub_route;

struct wb_pub_claim {
    RB_ENTRY(wb_pub_claim) by_path; /* of the answer: path, then node */
    TAILQ_ENTRY(wb_pub_claim) in_route;
    TAILQ_ENTRY(wb_pub_claim) in_due; /* of all that a flush must look at */
    struct wb_pub_route *route;
    struct wb_slice path;
    uint64_t head; /* of the path behind the prefix */
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
TAILQ_HEAD(wb_pub_claims, wb_pub_claim);
TAILQ_HEAD(wb_pub_due, wb_pub_claim);

struct wb_pub_route {
    RB_ENTRY(wb_pub_route) by_node, by_touch;
    struct wb_route_state state, sent;
    struct wb_pub_claims claims; /* in no order */
    uint64_t withheld, shown;    /* claims by what the link sees of them */
    uint64_t id;                 /* on the stream */
    uint64_t highest;            /* non-zero floor sent under this id */
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
    struct wb_pub_by_path claims;
    struct wb_pub_due due;
    bool due_unsorted;        /* it did not come by path and node */
    bool routes_due;          /* a touched route may begin, differ or end */
    struct wb_pub_route flat; /* lite-06: the one that all claims are under */
    uint64_t next_claim, next_route;
    uint64_t touch_count;
    bool opened; /* ANNOUNCE_OK was sent */
};

RB_PROTOTYPE(wb_pub_by_path, wb_pub_claim, by_path, wb_pub_order)
RB_PROTOTYPE(wb_pub_by_node, wb_pub_route, by_node, wb_pub_node_order)
RB_PROTOTYPE(wb_pub_by_touch, wb_pub_route, by_touch, wb_pub_touch_order)

/* < 0 when a is before b: by path, then by node. */
static inline int wb_pub_order(const struct wb_pub_claim *a, const struct wb_pub_claim *b)
{
    int by_path = wb_path_compare(a->path.view, b->path.view);

    if (by_path != 0)
        return by_path;
    return a->route->state.node < b->route->state.node
               ? -1
               : a->route->state.node > b->route->state.node;
}

void wb_pub_hops_free(struct wb_announce_pub *p, struct wb_hops *hops);
/* The claim is neither wanted nor on the wire. */
void wb_pub_claim_free(struct wb_announce_pub *p, struct wb_pub_claim *c);
/* The route is gone, has no claim and is not on the stream. */
void wb_pub_route_free(struct wb_announce_pub *p, struct wb_pub_route *r);

/* Do its ROUTE_START and updates say otherwise? */
static inline bool wb_pub_route_differs(const struct wb_pub_route *r)
{
    return r->state.seqno != r->sent.seqno || r->state.metric != r->sent.metric ||
           r->state.flags != r->sent.flags;
}

/* Does the next flush begin or update it? */
static inline bool wb_pub_route_is_due(const struct wb_pub_route *r)
{
    return r->shown > 0 && (!r->on_stream || wb_pub_route_differs(r));
}

/* Bytes of an integer: most are one, in both forms. */
static inline size_t wb_pub_size(const struct wb_announce_pub *p, uint64_t value)
{
    return value < 0x40 ? 1 : wb_moq_size(p->config.version, value);
}

/* A path in scope as the peer asked for it. */
static inline struct wb_view wb_pub_suffix(const struct wb_announce_pub *p, struct wb_view path)
{
    size_t skipped = p->prefix.view.len + (p->prefix.view.len > 0);

    return wb_view_sub(path, skipped < path.len ? skipped : path.len, path.len);
}

/* ---- pub_order.c ----------------------------------------------------------------------------- */

/* Brings what is due in order, by path and then node: O(n log n) comparisons. */
void wb_pub_due_sort(struct wb_announce_pub *p);

/* Leading parts of a claim on the wire that a START need not repeat. */
struct wb_pub_base {
    uint64_t back; /* from the next id; 0 = none */
    uint32_t keep;
    struct wb_view rest;
};
struct wb_pub_base wb_pub_base_of(const struct wb_announce_pub *p, struct wb_pub_claim *c);

#endif
