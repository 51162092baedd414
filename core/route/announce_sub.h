/*
 * announce_sub.h: the receiver of an announce stream, lite-05, -06 and -07: bytes of the answer
 * become events. It keeps what the peer has on the stream, and only that: memory is O(live claims).
 *
 *   lite-05   untyped, by path; a second start of a live path is a restart
 *   lite-06   typed, implicit announce ids from 0, never used again; unknown types take no id
 *   lite-07   routes with their own ids; claims per route; path compression; floors
 *
 * What is kept: routes id -> {node, seqno, metric, flags, floor, claims: path -> announce id};
 * announce id -> {route, path}. Both are trees; nothing scans claims. A path base makes a long path
 * of few bytes: what all paths take is limited, too. A START that the receiver
 * drops (its own node in the chain or as the route's node, chain full, too many parts, hidden and
 * not asked for) still takes its id and counts as claimed: duplicates are judged by what the peer
 * sent. It gives no event, nor does its END; a RESTART of it is a START if it is no longer dropped.
 *
 * Every violation names its rule, closes the session, and nothing after it is applied; the events
 * before it stand. Of several broken rules the first is named: fields in their order, what is left
 * over, then ids, routes and bases, limits, duplicates. Limits are judged before anything is
 * allocated for the message; in lite-05 the path is looked up first, since it may be live.
 *
 * Source: moq-lite, announce stream of the receiver; issue 3050; design note on routed announces.
 */
#ifndef WB_ANNOUNCE_SUB_H
#define WB_ANNOUNCE_SUB_H

#include "core/base/message.h"
#include "core/route/announce.h"

struct wb_announce_sub; /* heap */

struct wb_announce_sub_config {
    enum wb_moq_version version; /* lite-05, -06, -07 */
    uint64_t self;               /* our node id; 0 = none */
    uint64_t assigned;           /* identity given to a peer that answers with 0; 0 = none */
    struct wb_view prefix;       /* as requested, normalised; copied */
    bool hidden;                 /* hidden claims were asked for */
    bool single_cost;            /* lite-06 of the JavaScript peer: one cost, not two */
    uint32_t max_claims;         /* 0 = 1,048,576 */
    uint32_t max_routes;         /* 0 = 65,536 */
    uint64_t max_path_bytes;     /* of all claims, each with the prefix; 0 = 268,435,456 */
};

WB_MUST_USE enum wb_err wb_announce_sub_new(struct wb_mem *mem,
                                            const struct wb_announce_sub_config *config,
                                            struct wb_announce_sub **out);
void wb_announce_sub_free(struct wb_announce_sub *s);
/*
 * The next event. Takes bytes off *in. WB_MORE: all were taken and no event is due. WB_E_NOMEM may
 * be repeated with the same bytes; any other error is for ever.
 */
WB_MUST_USE enum wb_err wb_announce_sub_next(struct wb_announce_sub *s, struct wb_view *in,
                                             struct wb_announce_event *out);
/*
 * FIN (clean) or a reset: all claims end by events of wb_announce_sub_next with an empty *in, route
 * by route and within each in path order, each route by its ROUTE_END, then CLOSED, then WB_END.
 * WB_E_TRUNCATED for a FIN inside a message: then all end abruptly. After a violation only a reset
 * is left, for the same events. The rule that was broken, and TRUNCATED, stand in WB_END's place.
 */
WB_MUST_USE enum wb_err wb_announce_sub_end(struct wb_announce_sub *s, bool clean);
/* What is kept, for oracles and for people: claims that count as claimed, dropped ones included. */
uint64_t wb_announce_sub_claims(const struct wb_announce_sub *s);
uint64_t wb_announce_sub_routes(const struct wb_announce_sub *s);
/* The accepted floor of a live route; false when the id is not live. */
bool wb_announce_sub_floor(const struct wb_announce_sub *s, uint64_t route, uint64_t *out);
/* The i-th live claim in announce-id order, dropped ones included; false past the last. */
bool wb_announce_sub_claim_at(const struct wb_announce_sub *s, uint64_t i,
                              struct wb_announce_event *out);
void wb_announce_sub_check(const struct wb_announce_sub *s);

#endif
