/*
 * sub_state.h: what a receiver of announces keeps. Private to announce_sub*.c.
 */
#ifndef WB_SUB_STATE_H
#define WB_SUB_STATE_H

#include "core/route/announce_sub.h"

#include <bsd/sys/tree.h>

struct wb_sub_route;

/* One claim as the peer sent it. */
struct wb_sub_claim {
    RB_ENTRY(wb_sub_claim) by_id, by_path;
    struct wb_sub_route *route;
    uint64_t id;
    struct wb_epoch epoch;
    uint64_t warm, cold;
    uint64_t first_hop;  /* lite-05, -06 */
    bool dropped;        /* ours to ignore; still counts as claimed */
    struct wb_view path; /* in `bytes`, with the prefix in front */
    uint64_t head;       /* of the path behind the prefix */
    uint8_t bytes[];
};
RB_HEAD(wb_sub_by_id, wb_sub_claim);
RB_HEAD(wb_sub_by_path, wb_sub_claim);

struct wb_sub_route {
    RB_ENTRY(wb_sub_route) by_id, by_node;
    uint64_t id, node, seqno, metric;
    uint64_t floor;   /* the last one told; 0: the peer cannot vouch */
    uint64_t highest; /* the highest ever told */
    uint8_t flags;
    struct wb_sub_by_path claims;
};
RB_HEAD(wb_sub_routes_by_id, wb_sub_route);
RB_HEAD(wb_sub_routes_by_node, wb_sub_route);

struct wb_announce_sub {
    struct wb_mem *mem;
    struct wb_announce_sub_config config;
    struct wb_slice prefix;
    struct wb_message_reader reader;
    enum wb_err err; /* first fatal one */
    bool has_ok;
    bool again; /* `message` was read, and waits for memory */
    struct wb_message message;
    uint64_t responder; /* or the identity assigned to it */
    uint64_t next_claim, next_route;
    uint64_t claim_count, route_count;
    uint64_t path_bytes; /* of all claims that are kept */
    struct wb_sub_by_id claims;
    struct wb_sub_routes_by_id routes;
    struct wb_sub_routes_by_node nodes;
    struct wb_sub_route flat;    /* lite-05, -06: the one that all claims are under */
    struct wb_sub_route *ending; /* its ENDs are under way */
    bool closing, closed, abrupt;
    struct wb_sub_claim *gone; /* of an END just told, which has its path; or NULL */
    struct wb_hops hops;       /* of the event at hand */
};

RB_PROTOTYPE(wb_sub_by_id, wb_sub_claim, by_id, wb_sub_claim_id_order)
RB_PROTOTYPE(wb_sub_by_path, wb_sub_claim, by_path, wb_sub_claim_path_order)
RB_PROTOTYPE(wb_sub_routes_by_id, wb_sub_route, by_id, wb_sub_route_id_order)
RB_PROTOTYPE(wb_sub_routes_by_node, wb_sub_route, by_node, wb_sub_route_node_order)

/* NULL when it is not live. */
struct wb_sub_claim *wb_sub_claim_find(struct wb_announce_sub *s, uint64_t id);
struct wb_sub_claim *wb_sub_claim_on(struct wb_sub_route *route, struct wb_sub_claim *same_path);
struct wb_sub_route *wb_sub_route_find(struct wb_announce_sub *s, uint64_t id);
/* The path without the request's prefix, as the peer sent it. */
struct wb_view wb_sub_claim_suffix(const struct wb_announce_sub *s, const struct wb_sub_claim *c);
/* A path as a field has it, and the length of its normal form. */
struct wb_sub_raw {
    struct wb_view bytes;
    size_t len;
};
/* Judged where it stands: WB_E_STRING, WB_E_BOUNDS over 32 parts. */
struct wb_sub_raw wb_sub_raw_field(const struct wb_announce_sub *s, struct wb_wire *w);
/*
 * A claim that is not kept yet, on a path of the stream with the prefix in front: `kept` is normal,
 * `raw` follows it. WB_E_BOUNDS when kept and raw have over 32 parts, WB_E_LIMIT for more bytes of
 * paths than there may be (in lite-05 when it is kept), before anything is taken; WB_E_NOMEM.
 */
WB_MUST_USE enum wb_err wb_sub_claim_new(struct wb_announce_sub *s, struct wb_sub_route *route,
                                         struct wb_view kept, const struct wb_sub_raw *raw,
                                         struct wb_sub_claim **out);
/* Of one that is not kept, or not any more; NULL does nothing. */
void wb_sub_claim_free(struct wb_announce_sub *s, struct wb_sub_claim *c);
/* No room for one more claim: looked at before anything is allocated for it. */
bool wb_sub_is_full(const struct wb_announce_sub *s);
/* Keeps a new claim, which takes the next id. WB_E_LIMIT, WB_E_DUPLICATE: it is freed. */
WB_MUST_USE enum wb_err wb_sub_claim_add(struct wb_announce_sub *s, struct wb_sub_claim *c);
/* Retires it and fills in its END; false when the receiver had dropped it and no event is due. */
bool wb_sub_claim_end(struct wb_announce_sub *s, struct wb_sub_claim *c,
                      struct wb_announce_event *out);
/* The next event of the end of the route s->ending: an END of a claim, or at last its ROUTE_END. */
WB_MUST_USE enum wb_err wb_sub_route_end_next(struct wb_announce_sub *s,
                                              struct wb_announce_event *out);
/* An event about a live claim. */
void wb_sub_claim_event(const struct wb_announce_sub *s, enum wb_announce_kind kind,
                        const struct wb_sub_claim *c, struct wb_announce_event *out);
/* Is a claim on this path dropped for its parts or, in lite-07, for being hidden? */
bool wb_sub_path_dropped(const struct wb_announce_sub *s, struct wb_view path);

/* One message: WB_OK and *out_event, or WB_MORE when it gives none; errors are fatal but NOMEM. */
WB_MUST_USE enum wb_err wb_sub_hops_message(struct wb_announce_sub *s,
                                            const struct wb_message *message,
                                            struct wb_announce_event *out_event);
WB_MUST_USE enum wb_err wb_sub_routed_message(struct wb_announce_sub *s,
                                              const struct wb_message *message,
                                              struct wb_announce_event *out_event);

#endif
