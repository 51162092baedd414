/*
 * ref_router.h: a router of announces, from the specification: every fact that was told is kept in
 * plain tables, and whatever follows from facts is worked out anew. The second opinion on
 * core/route/router and announce_pub; calls nothing of the core.
 *
 * A fact is about some ids, and bears on them and on the paths that they claim before or after it;
 * only of those it is worked out anew what answers may be told and who serves. That this is all is
 * a claim of its own: ref_router_is_whole and ref_answer_is_whole recount everything from the
 * facts.
 *
 * The world is small: 4 neighbours, 8 node ids (1 is the router's own), 16 paths in byte order, so
 * that a set of paths is 16 bits. Epochs are small numbers, 0 = none; larger is newer.
 *
 * What cannot be recomputed is history, and stands in the tables as such: the feasibility distance
 * (what was sent), the highest floor accepted, which claims are live, held or known to have ended,
 * and what each answer was sent.
 */
#ifndef REF_ROUTER_H
#define REF_ROUTER_H

#include "core/route/announce.h"
#include "core/route/announce_pub.h"

#define REF_NEIGHBOURS 4
#define REF_NODES      8
#define REF_PATHS      16
#define REF_SCOPES     (REF_NEIGHBOURS + 1) /* 0: trusted; else neighbour + 1, a client */
#define REF_CHAIN      4
#define REF_NONE       0xff

struct ref_path_table {
    bool made;
    const char *text[REF_PATHS]; /* ascending by bytes */
    size_t len[REF_PATHS];
    uint16_t under[REF_PATHS]; /* those that path i is a prefix of, itself included */
    uint16_t over[REF_PATHS];  /* those that are a prefix of path i, itself included */
    uint16_t hidden;
    uint64_t hash[REF_PATHS]; /* FNV-1a-64 */
};

struct ref_chain {
    uint8_t count;
    uint64_t id[REF_CHAIN];
};

/* A node as a neighbour tells it. */
struct ref_heard {
    bool on, floor_told;
    uint8_t flags;
    uint64_t seqno, metric, floor, highest; /* the highest floor told */
    uint64_t floored;                       /* the highest seqno at which it told a floor above 0 */
    uint64_t asked;    /* the highest seqno it was asked for since it told the route */
    uint64_t ended_at; /* 0, or: it ended claims of that floor, and has told no later one since */
    uint16_t stored;
    uint16_t ended;     /* of the stored: known to have ended since, until the floor says else */
    uint16_t touched;   /* claims that it started, ended or replaced since its last FLOOR */
    uint16_t restarted; /* as the next hop, and not taken yet: it was behind */
    uint16_t unproven;  /* of the not stored any more: its ENDs since its last FLOOR */
    uint8_t epoch[REF_PATHS];
    uint64_t cost[REF_PATHS];
    uint64_t past[REF_PATHS]; /* of the ended: the last revision at which it may have been there */
};

/* A path of a lite-05 or lite-06 neighbour. */
struct ref_flat {
    uint64_t warm, cold; /* with the link */
    struct ref_chain chain;
};

struct ref_neighbour {
    bool on;
    enum wb_link_kind kind;
    bool accepts_proxied;
    uint64_t peer; /* 0: unknown */
    uint64_t cost;
    uint64_t number; /* in the order of joining */
    uint16_t flats;
    uint16_t renewed; /* of the flats, by the fact at hand */
    struct ref_flat flat[REF_PATHS];
    struct ref_heard heard[REF_NODES];
};

/* The best route that was ever sent of an id, until it is forgotten. */
struct ref_distance {
    bool some;
    uint64_t seqno, metric;
    uint64_t quiet; /* nobody tells the id since this fall; 0 = somebody does */
};

struct ref_node {
    uint64_t highest;
    uint64_t wanted,
        wanted_by; /* a seqno; by number, who asked for it when no other told the node */
    uint8_t next;  /* neighbour, or REF_NONE */
    uint16_t live, held;
    uint8_t epoch[REF_PATHS];
    uint64_t cost[REF_PATHS];
    uint16_t proxied; /* own node */
    uint16_t echo;    /* own node: proxied, since neighbours without nodes tell them */
    uint16_t renewed; /* by the fact at hand: the same place, another content */
    bool repriced;    /* by the fact at hand: a live claim was told again */
};

/* What answers could be told of an id when they were last looked at. */
struct ref_noted {
    uint8_t scope; /* REF_NONE: nothing */
    uint8_t next;
    struct wb_route_state state;
    uint16_t live, held;
};

/* What an answer of lite-07 was told of a node; of lite-06: of all, in place 0. */
struct ref_sent {
    bool on;
    uint64_t id, seqno, metric, highest, floor;
    uint8_t flags;
    uint16_t shown;
    uint16_t withheld; /* at the last flush */
    uint16_t gone;     /* of the shown: not shown at some time since the flush, or replaced */
    uint64_t claim[REF_PATHS];
    uint8_t epoch[REF_PATHS];
    uint64_t warm[REF_PATHS];
};

/* One row of who could serve a path. */
struct ref_server {
    bool some;
    uint8_t path, epoch, via; /* via: neighbour, or REF_NONE for here */
    uint8_t scope, slot;      /* of its node; slot REF_NONE: a path of lite-05 or lite-06 */
    uint64_t node, cost, cold;
};

struct ref_answer {
    bool on, opened, lost;
    enum wb_moq_version version;
    uint8_t neighbour;
    uint16_t scope;
    uint64_t next_claim, next_route;
    uint8_t ids;    /* lite-07: whose route or claims facts since the last flush have changed */
    uint16_t paths; /* lite-06: those that facts since the last flush bear on */
    struct ref_sent sent[REF_NODES];
    /* lite-06: what was told of a path besides */
    uint64_t cold[REF_PATHS];
    struct ref_chain chain[REF_PATHS];
};

/* One event that a subscriber of an answer must see. */
struct ref_event {
    enum wb_announce_kind kind;
    bool optional; /* nothing says that it must come */
    uint8_t flags, path, epoch;
    uint64_t id, route, node, seqno, metric, warm, cold, revision;
    struct ref_chain chain;
};

/* Events that a viewer has not seen yet, each in place number % REF_EVENTS; a flush has half. */
#define REF_EVENTS 1024
struct ref_events {
    size_t begin, end;
    struct ref_event at[REF_EVENTS];
};

struct ref_router {
    const struct ref_path_table *paths;
    uint64_t seqno, revision, joined;
    uint64_t falls, remember; /* of ids that were sent: into silence; how many keep a distance */
    uint16_t own, mount;      /* offered here */
    uint8_t own_epoch[REF_PATHS], mount_epoch[REF_PATHS];
    uint64_t own_cost[REF_PATHS], mount_cost[REF_PATHS];
    struct ref_neighbour neighbours[REF_NEIGHBOURS];
    struct ref_node nodes[REF_SCOPES][REF_NODES];
    struct ref_distance sent[REF_NODES]; /* receivers know an id, and no scope */
    struct ref_noted noted[REF_NODES];
    uint8_t known[REF_NODES];        /* scopes in which somebody tells the id, a bit each */
    uint16_t served;                 /* paths that somebody serves, ... */
    struct ref_server by[REF_PATHS]; /* ... and who: itself, not a prefix of it */
    /* What the fact at hand bears on, and the facts since a reader set `changed` to 0. */
    uint8_t ids, changed;
    uint16_t claims, changed_paths;
    uint8_t routed, flat; /* answers that are open, of lite-07 and of lite-06: a bit each */
    struct ref_answer answers[REF_NEIGHBOURS];
    /* what was to be asked of a neighbour: by node, the seqno; 0 = nothing */
    uint64_t asks[REF_NEIGHBOURS][REF_NODES];
    uint8_t asking; /* neighbours that it is for, a bit each */
};

/* Takes the least of a set that is not empty. */
static inline uint8_t ref_take(uint16_t *set)
{
    uint8_t least = (uint8_t)__builtin_ctz(*set);

    *set &= (uint16_t)(*set - 1u);
    return least;
}

/* Both tables must live as long as the router; `paths` is filled in when it is empty. */
void ref_router_init(struct ref_router *r, struct ref_path_table *paths,
                     const char *const text[REF_PATHS], uint64_t seqno);

/* ---- facts ---- */
void ref_router_join(struct ref_router *r, uint8_t n, enum wb_link_kind kind, uint64_t peer,
                     uint64_t cost, bool accepts_proxied);
void ref_router_leave(struct ref_router *r, uint8_t n);
void ref_router_offer(struct ref_router *r, uint8_t path, bool mounted, uint8_t epoch,
                      uint64_t cost);
void ref_router_withdraw(struct ref_router *r, uint8_t path, bool mounted);
/* An event of a neighbour of lite-07; `node` is its place, id - 1. */
void ref_router_route(struct ref_router *r, uint8_t n, uint8_t node, bool fresh, uint64_t seqno,
                      uint64_t metric, uint8_t flags);
void ref_router_route_end(struct ref_router *r, uint8_t n, uint8_t node);
void ref_router_start(struct ref_router *r, uint8_t n, uint8_t node, uint8_t path, uint8_t epoch,
                      uint64_t cost, bool restarted);
void ref_router_reprice(struct ref_router *r, uint8_t n, uint8_t node, uint8_t path, uint64_t cost);
void ref_router_end(struct ref_router *r, uint8_t n, uint8_t node, uint8_t path);
void ref_router_floor(struct ref_router *r, uint8_t n, uint8_t node, uint64_t floor);
/* An event of a neighbour of lite-05 or lite-06. */
void ref_router_flat(struct ref_router *r, uint8_t n, uint8_t path, const struct ref_flat *flat,
                     bool restarted);
void ref_router_flat_end(struct ref_router *r, uint8_t n, uint8_t path);
/* Its announce stream is over. */
void ref_router_closed(struct ref_router *r, uint8_t n);
void ref_router_asked(struct ref_router *r, uint8_t n, uint64_t node, uint64_t seqno);
void ref_router_remember(struct ref_router *r, uint64_t ids);

/* ---- what follows ---- */
/* The scope of the ids that a neighbour tells. */
uint8_t ref_scope_of(const struct ref_router *r, uint8_t n);
uint64_t ref_router_add(uint64_t metric, uint64_t cost); /* one hop, saturating */
/* Is the node told to answers of lite-07: it has a next hop, and no better one has its id. */
bool ref_router_told(const struct ref_router *r, uint8_t scope, uint8_t node);
/* What is told of it. */
struct wb_route_state ref_router_state(const struct ref_router *r, uint8_t scope, uint8_t node);
/* Who serves a path: the best of the claims on its longest prefix that has one. */
const struct ref_server *ref_router_server(const struct ref_router *r, uint8_t path);
/* Is who serves each path, and what of each id was noted, what a recount of all facts says? */
bool ref_router_is_whole(const struct ref_router *r);

/* ---- answers ---- */
void ref_answer_open(struct ref_router *r, uint8_t n, enum wb_moq_version version, uint8_t prefix,
                     bool hidden);
void ref_answer_close(struct ref_router *r, uint8_t n);
/* Claims of a node that the link of an answer sees, and those that are withheld from it. */
void ref_answer_split(const struct ref_router *r, const struct ref_answer *a, uint8_t scope,
                      uint8_t node, uint16_t *out_shown, uint16_t *out_withheld);
/* Appends what a flush now must write, in order; the distances and what is sent follow. */
void ref_answer_flush(struct ref_router *r, uint8_t n, struct ref_events *out);
/* After a flush: is what was sent what a recount of all facts shows the peer? */
bool ref_answer_is_whole(const struct ref_router *r, uint8_t n);

#endif
