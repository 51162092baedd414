/*
 * ref_announce.h: a whole answer of an announce stream at once, as the events it means and what it
 * leaves behind. The second opinion on core/route/announce_sub.h; calls nothing of the core. Claims
 * are one list, sorted by route and path; nothing is found but by looking through it.
 */
#ifndef REF_ANNOUNCE_H
#define REF_ANNOUNCE_H

#include "core/base/bytes.h"
#include "core/base/err.h"

#define REF_ANNOUNCE_MESSAGES 4608 /* what comes after so many is not looked at */
#define REF_ANNOUNCE_EVENTS   (2 * REF_ANNOUNCE_MESSAGES + 1)
#define REF_ANNOUNCE_PARTS    32
#define REF_ANNOUNCE_HOPS     32
#define REF_ANNOUNCE_NODE_MAX ((UINT64_C(1) << 62) - 1)

struct ref_announce_rules {
    unsigned draft; /* 5 to 7: lite-05 to lite-07 */
    bool single_cost, hidden;
    uint64_t self, assigned;
    uint64_t max_claims, max_routes;
    uint64_t max_path_bytes; /* of all claims that are live, each with the prefix */
    struct wb_view prefix;   /* normalised; at most 32 parts */
};

/* Parts, in the bytes of the stream; of a claim: without the prefix. */
struct ref_announce_path {
    unsigned count;
    struct wb_view part[REF_ANNOUNCE_PARTS];
};

/* The chain as received, then the responder. */
struct ref_announce_hops {
    unsigned count;
    uint64_t id[REF_ANNOUNCE_HOPS + 1];
};

/* A message by its offsets, what it says, and what holds when it was applied. */
struct ref_announce_message {
    size_t begin, body, end;
    struct ref_announce_path path;
    struct ref_announce_hops hops;
    uint64_t warm, cold;
    struct wb_view epoch;          /* empty or 16 bytes */
    size_t events, claims, routes; /* events so far, live claims and routes */
    size_t ended;                  /* claims that it ended */
};

enum ref_announce_kind { /* in the order of core/route/announce.h */
                         REF_ANNOUNCE_OK,
                         REF_ANNOUNCE_START,
                         REF_ANNOUNCE_END,
                         REF_ANNOUNCE_UPDATE,
                         REF_ANNOUNCE_RESTART,
                         REF_ANNOUNCE_ROUTE_START,
                         REF_ANNOUNCE_ROUTE_UPDATE,
                         REF_ANNOUNCE_ROUTE_END,
                         REF_ANNOUNCE_FLOOR,
                         REF_ANNOUNCE_CLOSED
};

struct ref_announce_event {
    enum ref_announce_kind kind;
    bool abrupt;
    uint8_t flags;
    uint64_t id, route, node, seqno, metric, warm, cold, revision, count;
    const struct ref_announce_path *path; /* of a claim */
    struct wb_view epoch;
    const struct ref_announce_hops *hops; /* lite-05 and -06: START, UPDATE, RESTART */
};

struct ref_announce_claim {
    uint64_t id, route;
    bool is_shown;
    size_t start; /* the message that has its path */
    size_t last;  /* the one that has the rest */
};

struct ref_announce_route {
    bool is_live;
    uint8_t flags;
    uint64_t node, seqno, metric, floor, highest;
};

struct ref_announce {
    /* WB_OK: the answer may end here. WB_E_TRUNCATED: not here. Else the rule that is broken. */
    enum wb_err status;
    size_t judged; /* where a rule is broken: the byte before shows it; else the length looked at */
    uint64_t responder;
    size_t message_count; /* that were applied */
    size_t event_count;   /* of them */
    size_t end_count;     /* events when the stream has ended, too */
    size_t claim_count;   /* before it ended */
    size_t path_bytes;    /* of them */
    size_t route_count, live_routes;
    uint64_t next_id;
    struct ref_announce_message messages[REF_ANNOUNCE_MESSAGES];
    struct ref_announce_event events[REF_ANNOUNCE_EVENTS];
    struct ref_announce_claim claims[REF_ANNOUNCE_MESSAGES]; /* live ones by route and path */
    struct ref_announce_route routes[REF_ANNOUNCE_MESSAGES]; /* by id */
};

/* Fills *out; `clean`: the stream ends by FIN, else by a reset. */
void ref_announce_read(const struct ref_announce_rules *rules, struct wb_view stream, bool clean,
                       struct ref_announce *out);
/* Bytes of the prefix and these parts, with a '/' between. */
size_t ref_announce_path_len(struct wb_view prefix, const struct ref_announce_path *parts);
/* Is `path` the prefix and these parts, with a '/' between? */
bool ref_announce_path_is(struct wb_view prefix, const struct ref_announce_path *parts,
                          struct wb_view path);

/* The body of a request, or of a request for a newer seqno. */
struct ref_announce_request {
    enum wb_err status;
    struct ref_announce_path prefix;
    uint64_t exclude, node, seqno;
    bool hidden;
};
struct ref_announce_request ref_announce_request_read(unsigned draft, struct wb_view body);
struct ref_announce_request ref_announce_seqno_read(struct wb_view body);

#endif
