/*
 * ann.h: one router between up to four neighbours, whose announce streams are real bytes, and
 * the answers to them, whose bytes go through simulated streams into real subscribers.
 *
 *   ann_ops.c  the op table
 *   ann.c      ops, and what a run begins and ends with
 *   pen.c        bytes of announce messages, written here and nowhere else
 *   tell.c       what neighbours tell, as bytes; wrong.c  what no peer may tell
 *   hear.c       the subscribers of neighbours, the router and the model hear it
 *   view.c       answers: flushes, streams, subscribers, and what they must see
 *   base.c       the path bases of STARTs
 *   judge.c      the router beside the model
 *   cost.c       many claims, two viewers: what one change may cost
 *   chain.c      an origin, two relays and a viewer: ENDs and changes of next hop that cross
 *   show.c       what a person who reads a trace sees besides
 *
 * Node ids are 1 (the router) to 8; the neighbour in slot n is node 2 + n. oracles/ref_router is
 * told every event that the router is told.
 */
#ifndef ANNOUNCE_ANN_H
#define ANNOUNCE_ANN_H

#include "core/base/cost.h"
#include "core/route/router.h"
#include "oracles/inv.h"
#include "oracles/ref_router.h"
#include "sim/ops.h"
#include "sim/run.h"
#include "sim/stream.h"
#include "targets/announce/ann_ops.h"

#define ANN_NEIGHBOURS REF_NEIGHBOURS
#define ANN_PEER(n)    ((uint64_t)(n) + 2)
#define ANN_SELF       1u
#define ANN_COST_OVER  4095u /* the highest that an op can say stands for one too high */
#define ANN_STREAM     ((size_t)1 << 16)
#define ANN_PEN        512

struct ann_pen {
    bool ones; /* integers of lite-07 */
    size_t len;
    uint8_t bytes[ANN_PEN];
};

/* A route that a neighbour has on its stream. */
struct ann_route {
    bool on;
    uint64_t id, seqno, metric, highest;
    uint8_t flags;
    uint16_t claims;
    uint64_t claim[REF_PATHS];
};

struct ann_neighbour {
    bool on, raw; /* raw: it sent bytes that the script does not know the meaning of */
    enum wb_moq_version version;
    struct wb_neighbour *core;
    struct wb_announce_sub *sub; /* NULL: no stream */
    bool told_ok;
    uint64_t next_route, next_claim, ended_route, ended_claim; /* ended: + 1, 0 = none */
    struct ann_route routes[REF_NODES];
    uint16_t flats, visible; /* lite-05, -06; visible: not dropped by the receiver */
    uint64_t flat[REF_PATHS], first_hop[REF_PATHS];
    uint16_t heard[REF_NODES]; /* lite-07: claims that its subscriber told and did not end */
};

/* What a viewer has seen on the stream. */
struct ann_seen {
    bool on;
    uint64_t id, floor;
    uint16_t claims;
    uint64_t claim[REF_PATHS];
};

struct ann_answer {
    bool on, compress;
    uint8_t prefix; /* its path */
    struct wb_answer *core;
    struct wb_announce_sub *sub;
    struct sim_stream stream;
    size_t cut;                            /* bytes of one read, 0 = all */
    struct ref_events *queue;              /* not seen yet */
    uint8_t heard;                         /* ids of events since all had arrived */
    uint8_t flushed;                       /* ids of flushes since the judge looked */
    uint64_t claims, routes;               /* of `seen` */
    uint32_t flushes;                      /* since all had arrived; */
    uint16_t events[REF_NODES][REF_PATHS]; /* of claims, since then */
    struct ann_seen seen[REF_NODES];
};

/* The best that was sent of an id. */
struct ann_best {
    bool some;
    uint64_t seqno, metric;
};

struct ann {
    struct sim_run *run;
    struct sim_header header;
    struct wb_mem *mem;
    struct wb_router *core;
    struct ann_pen pen;
    struct wb_buf out;
    uint64_t serial; /* steps; stands for time in the trace */
    enum wb_err outcome;
    uint16_t withheld[ANN_NEIGHBOURS][REF_NODES]; /* as shown last */
    bool changed; /* by the op at hand: there is something to judge */
    struct ann_best best[REF_NODES];
    uint8_t next[REF_SCOPES][REF_NODES]; /* next hops at the last look, + 1 */
    struct ann_neighbour neighbours[ANN_NEIGHBOURS];
    /* From here on each part is cleared by whoever begins it. */
    struct ann_answer answers[ANN_NEIGHBOURS];
    struct ref_router model;
};

extern const struct sim_ops ann_ops;
extern const char *const ann_marks[], *const ann_profiles[], *const ann_knob_texts[];
extern const char *const ann_paths[REF_PATHS];

/* ann.c */
void ann_run(struct sim_run *run, struct wb_view input);
/* Carries the op out; false when it does nothing here. */
bool ann_apply(struct ann *w, const struct sim_op *op);
bool ann_need_neighbour(struct ann *w, uint8_t n);
void ann_leave(struct ann *w, uint8_t n);
/* Memory was refused where the core may be asked again: asks again, a few times. */
bool ann_again(struct ann *w, enum wb_err err, unsigned *tries);

/* cost.c, chain.c: other worlds with the same ops. */
void ann_cost_run(struct sim_run *run, struct wb_view input);
void ann_chain_run(struct sim_run *run, struct wb_view input);

/* pen.c: messages of the version of a neighbour. */
void ann_pen_begin(struct ann_pen *pen, enum wb_moq_version version);
void ann_pen_v(struct ann_pen *pen, uint64_t value);
void ann_pen_u8(struct ann_pen *pen, uint8_t byte);
void ann_pen_text(struct ann_pen *pen, const char *text);
void ann_pen_epoch(struct ann_pen *pen, uint8_t epoch);
/* Bytes of an epoch number; its number, REF_NONE when it is none of ours. */
struct wb_epoch ann_epoch(uint8_t epoch);
uint8_t ann_epoch_number(const struct wb_epoch *epoch);
/* What was written since `from` becomes the body of a message of that type; plain: type < 0. */
void ann_pen_wrap(struct ann_pen *pen, size_t from, int type);
/* The number of a path, REF_NONE when it is none of ours. */
uint8_t ann_path_number(struct wb_view path);

/* tell.c */
bool ann_tell(struct ann *w, const struct sim_op *op);
/* Opens the neighbour's stream when it has none, and writes ANNOUNCE_OK. */
bool ann_tell_open(struct ann *w, uint8_t n);
/* wrong.c */
bool ann_wrong(struct ann *w, const struct sim_op *op);

/* hear.c: hands the pen's bytes to the neighbour's subscriber. `expect`: how that must end, WB_MORE
 * when all is well, or -1 when nobody knows; `events`: how many must come, -1 likewise. */
void ann_hear(struct ann *w, uint8_t n, struct wb_view bytes, int expect, int events);
bool ann_hear_end(struct ann *w, uint8_t n, bool clean);

/* view.c */
bool ann_answer_open(struct ann *w, uint8_t n, enum wb_moq_version version, uint8_t prefix,
                     bool hidden, bool compress);
bool ann_answer_close(struct ann *w, uint8_t n);
bool ann_flush(struct ann *w, uint8_t n);
bool ann_deliver(struct ann *w, uint8_t n, size_t max);
/* All that was flushed has arrived: of those ids the subscriber holds what the model has sent. */
void ann_settled(struct ann *w, uint8_t n, uint8_t ids);
/* Answers that the core gave up are closed. */
void ann_answers_lost(struct ann *w);

/* base.c: a claim that an answer of lite-07 knows, by path and then node; it may be withheld. */
struct ann_beside {
    struct wb_view path; /* behind the answer's prefix */
    bool on_wire;
    uint64_t id; /* on the wire */
};
/* The body of the next START of what is left of a flush; `first`: ANNOUNCE_OK is in front. */
bool ann_next_start(struct wb_view *flush, bool first, struct wb_view *out_body);
/* The START of all[at], which takes the id `next`, names the base that it should. */
void ann_check_base(struct wb_view body, const struct ann_beside *all, size_t count, size_t at,
                    uint64_t next, bool compress);
/* So does each of the flush at hand, whose events are those of the queue `from` on. */
void ann_check_bases(const struct ann *w, uint8_t n, size_t from, bool first);

/* judge.c: after every operation, what its facts bear on; `all`: every table. */
void ann_judge(struct ann *w, bool all);
/* The floors of an answer of lite-07, just flushed, of the ids in a set. */
void ann_judge_floors(struct ann *w, uint8_t n, uint8_t ids);
uint8_t ann_neighbour_slot(const struct ann *w, const struct wb_neighbour *n);

/* show.c */
void ann_show(const struct ann *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* For other worlds. */
void ann_show_line(const struct sim_run *run, uint64_t serial, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void ann_show_told(const struct sim_run *run, uint64_t serial, char side, uint8_t n,
                   const struct wb_announce_event *e);
/* The next hop of a relay of chain.c, a number; REF_NONE: it has none. */
uint8_t ann_relay_next(const struct wb_router *r, uint64_t origin,
                       struct wb_neighbour *const ways[3]);
/* What a relay of chain.c makes of the origin: "by O seqno 1 metric 1 floor 0 /a held:/b". */
#define ANN_RELAY 200
void ann_put_relay(const struct wb_router *r, uint64_t origin, struct wb_neighbour *const ways[3],
                   char out[ANN_RELAY]);
/* "hears    n0 START …", "shows    a0 …" */
void ann_show_event(const struct ann *w, const char *what, char side, uint8_t n,
                    const struct wb_announce_event *e);
/* What answers withhold, and why, since the last time. */
void ann_show_withheld(struct ann *w);
const char *ann_kind_name(enum wb_announce_kind kind);
static inline bool ann_is_shown(const struct ann *w)
{
    return w->run->trace.live != NULL;
}

#endif
