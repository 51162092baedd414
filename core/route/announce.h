/*
 * announce.h: what both ends of an announce stream share: ids, claims, events, and the numbers of
 * the wire.
 *
 * A route says: this node can be reached through me (node, seqno, metric). A claim says: this path
 * prefix lives at that route's node. lite-05 and lite-06 have no routes: an announcement carries
 * the chain of hops and a cost. The wire of lite-07 is not published as a specification; its
 * numbers that are our own choice stand in one table below, marked provisional.
 *
 * Source: moq-lite, announce streams; design note on routed announces (October 2026); issue 8397.
 */
#ifndef WB_ANNOUNCE_H
#define WB_ANNOUNCE_H

#include "core/base/wire.h"
#include "core/route/path.h"

#define WB_HOPS_MAX 32u
#define WB_NODE_MAX WB_VARINT_MAX /* ids, metrics and costs are at most this; 0 is no node */

struct wb_hops {
    uint8_t count;
    uint64_t id[WB_HOPS_MAX]; /* the first is the origin; 0 = unknown */
};

/* Content generation: none, or a UUIDv7. Newer = larger bytes; none is oldest. */
struct wb_epoch {
    bool some;
    uint8_t bytes[16];
};

/* Provisional: lite-07's message types and flags, our choice until they are published. */
#define WB_ROUTED_LIST(X)                                                                          \
    X(START, 0)                                                                                    \
    X(END, 1)                                                                                      \
    X(UPDATE, 2)                                                                                   \
    X(RESTART, 3)                                                                                  \
    X(ROUTE_START, 4)                                                                              \
    X(ROUTE_UPDATE, 5)                                                                             \
    X(ROUTE_END, 6)                                                                                \
    X(FLOOR, 7)
enum wb_routed_type {
#define WB_ROUTED_MEMBER(name, number) WB_ROUTED_##name = (number),
    WB_ROUTED_LIST(WB_ROUTED_MEMBER)
#undef WB_ROUTED_MEMBER
};
#define WB_ROUTED_SEQNO_REQUEST 0u /* from the subscriber */
#define WB_ROUTED_DOWN_ONLY     0x01u

/* lite-06's types. */
#define WB_ANNOUNCED_LIST(X) X(START, 0) X(END, 1) X(RESTART, 2)
enum wb_announced_type {
#define WB_ANNOUNCED_MEMBER(name, number) WB_ANNOUNCED_##name = (number),
    WB_ANNOUNCED_LIST(WB_ANNOUNCED_MEMBER)
#undef WB_ANNOUNCED_MEMBER
};

enum wb_announce_kind {
    WB_ANNOUNCE_OK,          /* node = the responder, count: claims that follow, informational */
    WB_ANNOUNCE_START,       /* a path is claimed */
    WB_ANNOUNCE_END,         /* no longer */
    WB_ANNOUNCE_UPDATE,      /* only its cost, or (05, 06) its hops with the same first hop */
    WB_ANNOUNCE_RESTART,     /* content replaced, the id stays */
    WB_ANNOUNCE_ROUTE_START, /* lite-07 from here on */
    WB_ANNOUNCE_ROUTE_UPDATE,
    WB_ANNOUNCE_ROUTE_END, /* after an END of each of its claims */
    WB_ANNOUNCE_FLOOR,
    WB_ANNOUNCE_CLOSED, /* after an END of each claim; the stream is over */
};

/* One kind of event for all versions; what a kind or version has not is 0. */
struct wb_announce_event {
    enum wb_announce_kind kind;
    bool abrupt;    /* END, ROUTE_END, CLOSED: the stream was reset */
    uint8_t flags;  /* ROUTE_* */
    uint64_t id;    /* announce id: START, END, UPDATE, RESTART; lite-05: 0 */
    uint64_t route; /* route id: ROUTE_*, FLOOR, and lite-07's START, END, UPDATE, RESTART */
    uint64_t node;  /* OK: as told, 0 too; ROUTE_*; of the claim's route in lite-07 */
    uint64_t seqno, metric;
    uint64_t warm, cold; /* lite-06; lite-07 has one cost: warm */
    uint64_t revision;   /* FLOOR */
    uint64_t count;      /* OK */
    struct wb_view path; /* with the request's prefix in front; lent until the next call */
    struct wb_epoch epoch;
    const struct wb_hops *hops; /* 05, 06: the chain with the responder appended; lent */
};

/* Bytes of the first message of a subscriber, with stream type 1 in front of it. */
struct wb_announce_request {
    struct wb_view prefix; /* normalised */
    uint64_t exclude_hop;  /* lite-05: 0 = none */
    bool hidden;           /* lite-07 */
};
/* After the stream type. WB_E_VALUE for hidden not 0 or 1; body errors as wire.h; WB_E_BOUNDS. */
WB_MUST_USE enum wb_err wb_announce_request_get(enum wb_moq_version version, struct wb_view body,
                                                uint8_t *path_room, size_t room,
                                                struct wb_announce_request *out);
/* Stream type, size and body. */
WB_MUST_USE enum wb_err wb_announce_request_put(enum wb_moq_version version, struct wb_buf *out,
                                                const struct wb_announce_request *request);

/* The body of a SEQNO_REQUEST, which a subscriber of lite-07 sends after its request. WB_E_NODE for
   node 0. Put writes type, size and body. */
WB_MUST_USE enum wb_err wb_announce_seqno_request_get(struct wb_view body, uint64_t *out_node,
                                                      uint64_t *out_seqno);
WB_MUST_USE enum wb_err wb_announce_seqno_request_put(struct wb_buf *out, uint64_t node,
                                                      uint64_t seqno);
/* An integer field of a complete body: WB_E_SHORT when cut, WB_E_BOUNDS over max; 0 on errors. */
uint64_t wb_announce_field_any(enum wb_moq_version version, struct wb_wire *w, uint64_t max);
/* The same; most are one byte, which is its value in both forms. */
static inline uint64_t wb_announce_field(enum wb_moq_version version, struct wb_wire *w,
                                         uint64_t max)
{
    uint64_t value;

    if (w->err != WB_OK || w->left.len == 0 || w->left.data[0] >= 0x40 || w->left.data[0] > max)
        return wb_announce_field_any(version, w, max);
    value = w->left.data[0];
    w->left = wb_view_sub(w->left, 1, w->left.len);
    return value;
}

#endif
