/*
 * chain.c: an origin O, two relays A and B that both hear it and each other, and a viewer V of B.
 * Every link is an announce stream of real bytes that arrives when an op says so, so that an END
 * and a change of next hop cross in either order. Each publication at the origin costs its own
 * number, so that a viewer can tell a claim that ended from the one that came after it.
 *
 * Slots are links: 0 O to A, 1 O to B, 2 A to B, 3 B to A; sessions are 0 OA, 1 OB, 2 AB (ops join
 * and leave, with the cost of both directions). V sees B at once.
 */
#include "targets/announce/ann.h"

#include <string.h>

#define LINKS    4
#define SESSIONS 3
#define ROUTERS  3 /* O, A, B */
#define ORIGIN   8u
#define STREAM   ((size_t)1 << 15)

struct chain_link {
    uint8_t from, to, session;
    bool on;
    struct wb_answer *answer;
    struct wb_announce_sub *sub;
    struct sim_stream stream;
};

/* What V knows of a path. */
struct chain_path {
    uint64_t alive;       /* the number at the origin; 0 = not published */
    uint64_t seen, ended; /* at V: shown; the highest that ended there while dead at the origin */
    uint8_t ended_by;     /* the link that B heard then, until its floor confirms it */
    bool unproven;
};

struct chain {
    struct sim_run *run;
    struct wb_mem *mem;
    struct wb_router *routers[ROUTERS];
    struct wb_neighbour *neighbours[ROUTERS][ROUTERS]; /* [at][toward] */
    struct wb_neighbour *toward_v;
    struct wb_answer *to_v;
    struct wb_announce_sub *v;
    struct chain_link links[LINKS];
    struct chain_path paths[REF_PATHS];
    struct wb_buf out;
    uint64_t serial, number;
    uint8_t hearing; /* the link whose event B hears */
    bool broken, crossed;
    char shown[ROUTERS][ANN_RELAY]; /* of relays, while somebody looks */
};

static struct chain chain;
static uint8_t streams[LINKS][STREAM];
static const uint64_t ids[ROUTERS] = {ORIGIN, 2, 3};

/* Next hops never lead back; and what a person who reads a trace sees of relays. */
static void look(struct chain *c)
{
    FUZZ_CHECK(ANN_054, ann_relay_next(c->routers[1], ORIGIN, c->neighbours[1]) != 2 ||
                            ann_relay_next(c->routers[2], ORIGIN, c->neighbours[2]) != 1);
    for (size_t at = 1; c->run->trace.live != NULL && at < ROUTERS; at++) {
        char text[ANN_RELAY];

        ann_put_relay(c->routers[at], ORIGIN, c->neighbours[at], text);
        if (strcmp(text, c->shown[at]) == 0)
            continue;
        memcpy(c->shown[at], text, sizeof text);
        ann_show_line(c->run, c->serial, "relay    r%zu %s", at, text);
    }
}

static bool good(struct chain *c, enum wb_err err)
{
    FUZZ_CHECK(ANN_047, err == WB_OK || (err == WB_E_NOMEM && c->run->alloc.refused > 0));
    c->broken |= err != WB_OK;
    return err == WB_OK;
}

/* ---- the viewer ---- */

static void see(struct chain *c, const struct wb_announce_event *e)
{
    uint8_t p = ann_path_number(e->path);
    struct chain_path *path = &c->paths[p & 15];

    if (p == REF_NONE || e->node != ORIGIN)
        return;
    if (e->kind == WB_ANNOUNCE_END) {
        /* A lost session ends what it cannot reach, and says nothing of what is dead. */
        if (path->alive == path->seen || c->hearing == REF_NONE)
            return;
        path->ended = path->seen > path->ended ? path->seen : path->ended;
        path->ended_by = c->hearing;
        path->unproven = true;
    } else if (e->kind == WB_ANNOUNCE_START || e->kind == WB_ANNOUNCE_UPDATE ||
               e->kind == WB_ANNOUNCE_RESTART) {
        FUZZ_CHECK(ANN_045, e->warm > path->ended);
        path->seen = e->warm;
    }
}

static void show_viewer(struct chain *c)
{
    struct wb_announce_event e;
    struct wb_view in;
    enum wb_err err;

    wb_buf_truncate(&c->out, 0);
    if (c->broken || !good(c, wb_answer_flush(c->to_v, &c->out)))
        return;
    in = wb_buf_view(&c->out);
    while ((err = wb_announce_sub_next(c->v, &in, &e)) == WB_OK) {
        sim_trace_add(&c->run->trace, c->serial, "viewer   kind %u id %u node %u cost %u",
                      (uint64_t)e.kind, e.id, e.node, e.warm);
        ann_show_told(c->run, c->serial, 'v', 0, &e);
        see(c, &e);
    }
    if (err != WB_MORE)
        good(c, err);
}

/* ---- links ---- */

/* B knows nothing of the origin any more: what it hears next it cannot know to be old. */
static void forget(struct chain *c)
{
    struct wb_router_node at;

    for (uint64_t i = 0; wb_router_node_at(c->routers[2], i, &at); i++)
        if (at.node == ORIGIN)
            return;
    for (size_t p = 0; p < REF_PATHS; p++)
        c->paths[p].ended = 0;
}

/* ENDs that no floor has proven, before a ROUTE_END or a loss, took the route back, not claims. */
static void take_back(struct chain *c, uint8_t l)
{
    for (size_t p = 0; p < REF_PATHS; p++)
        if (c->paths[p].unproven && c->paths[p].ended_by == l)
            c->paths[p] = (struct chain_path){.alive = c->paths[p].alive, .seen = c->paths[p].seen};
}

/* A floor behind an END proves it. */
static void prove(struct chain *c, uint8_t l, const struct wb_announce_event *e)
{
    if (e->kind == WB_ANNOUNCE_ROUTE_END)
        take_back(c, l);
    for (size_t p = 0; p < REF_PATHS && e->kind == WB_ANNOUNCE_FLOOR; p++)
        if (c->paths[p].ended_by == l)
            c->paths[p].unproven = false;
}

/* SEQNO_REQUESTs go at once. */
static void ask(struct chain *c)
{
    uint64_t node, seqno;
    bool any = true;

    while (any) {
        any = false;
        for (size_t at = 0; at < ROUTERS; at++)
            for (size_t to = 0; to < ROUTERS; to++) {
                struct wb_neighbour *n = c->neighbours[at][to];

                if (n == NULL || !wb_router_ask(c->routers[at], n, &node, &seqno))
                    continue;
                any = true;
                sim_mark(c->run, ANN_MARK_ASKED);
                sim_trace_add(&c->run->trace, c->serial, "asks     r%u of r%u node %u seqno %u", at,
                              to, node, seqno);
                wb_router_asked(c->routers[to], c->neighbours[to][at], node, seqno);
            }
    }
}

static void hear(struct chain *c, uint8_t l, struct wb_view in)
{
    struct chain_link *link = &c->links[l];
    struct wb_router *r = c->routers[link->to];
    struct wb_announce_event e;
    enum wb_err err;

    while ((err = wb_announce_sub_next(link->sub, &in, &e)) == WB_OK) {
        sim_trace_add(&c->run->trace, c->serial, "link     l%u kind %u id %u node %u", l,
                      (uint64_t)e.kind, e.id, e.node);
        ann_show_told(c->run, c->serial, 'l', l, &e);
        c->hearing = l;
        if (link->to == 2)
            prove(c, l, &e);
        if (!good(c, wb_router_hear(r, c->neighbours[link->to][link->from], &e)))
            return;
        ask(c);
        if (link->to == 2) {
            show_viewer(c);
            forget(c);
        }
        look(c);
    }
    FUZZ_CHECK(ANN_028, err == WB_MORE || err == WB_E_NOMEM);
    if (err != WB_MORE)
        good(c, err);
}

static bool deliver(struct chain *c, uint8_t l, size_t max)
{
    struct chain_link *link = &c->links[l];
    uint8_t bytes[256];
    size_t len, done = 0;

    if (!link->on || c->broken)
        return false;
    while (done < max && !c->broken &&
           sim_stream_read(&link->stream, 0, bytes,
                           max - done < sizeof bytes ? max - done : sizeof bytes,
                           &len) == SIM_IO_BYTES) {
        done += len;
        hear(c, l, wb_view_of(bytes, len));
    }
    return done > 0;
}

static bool flush(struct chain *c, uint8_t l)
{
    struct chain_link *link = &c->links[l];
    enum sim_io io;

    if (!link->on || c->broken)
        return false;
    if (link->stream.written > STREAM / 2) {
        deliver(c, l, SIZE_MAX);
        sim_stream_init(&link->stream, streams[l], STREAM);
    }
    wb_buf_truncate(&c->out, 0);
    if (c->broken || !good(c, wb_answer_flush(link->answer, &c->out)))
        return false;
    if (c->out.len > 0)
        FUZZ_CHECK(ANN_033,
                   sim_stream_write(&link->stream, 0, wb_buf_view(&c->out), &io) == c->out.len);
    return c->out.len > 0;
}

/* ---- sessions ---- */

static bool leave(struct chain *c, uint8_t session)
{
    bool was = false;

    for (uint8_t l = 0; l < LINKS; l++) {
        struct chain_link *link = &c->links[l];

        if (link->session != session || !link->on)
            continue;
        link->on = false;
        was = true;
        take_back(c, l);
        wb_announce_sub_free(link->sub);
        wb_router_leave(c->routers[link->from], c->neighbours[link->from][link->to]);
        c->neighbours[link->from][link->to] = NULL;
        if (c->neighbours[link->to][link->from] != NULL && l < 2) {
            wb_router_leave(c->routers[link->to], c->neighbours[link->to][link->from]);
            c->neighbours[link->to][link->from] = NULL;
        }
    }
    for (size_t p = 0; p < REF_PATHS && was; p++)
        if (c->paths[p].seen != 0 && c->paths[p].alive != c->paths[p].seen)
            sim_mark(c->run, ANN_MARK_CROSSED);
    if (!was)
        return false;
    ann_show_line(c->run, c->serial, "lost     s%u", session);
    ask(c);
    c->hearing = REF_NONE;
    show_viewer(c);
    forget(c);
    return true;
}

static bool meet(struct chain *c, uint8_t at, uint8_t to, uint64_t cost)
{
    struct wb_neighbour_config config = {.peer = ids[to], .kind = WB_LINK_PEER, .cost = cost};

    return good(c, wb_router_join(c->routers[at], &config, &c->neighbours[at][to]));
}

static bool join(struct chain *c, uint8_t session, uint64_t cost)
{
    static const uint8_t ends[SESSIONS][2] = {{0, 1}, {0, 2}, {1, 2}};
    uint8_t a = ends[session][0], b = ends[session][1];

    if (c->broken || c->neighbours[a][b] != NULL)
        return false;
    if (!meet(c, a, b, cost) || !meet(c, b, a, cost))
        return false;
    ann_show_line(c->run, c->serial, "linked   s%u cost %llu", session, (unsigned long long)cost);
    for (uint8_t l = 0; l < LINKS; l++) {
        struct chain_link *link = &c->links[l];
        struct wb_announce_sub_config config = {
            .version = WB_LITE_07, .self = ids[link->to], .hidden = true};

        if (link->session != session)
            continue;
        if (!good(c, wb_announce_sub_new(c->mem, &config, &link->sub)))
            return false;
        if (!good(c, wb_answer_open(c->routers[link->from], c->neighbours[link->from][link->to],
                                    WB_LITE_07, (struct wb_view){0}, true, true, &link->answer))) {
            wb_announce_sub_free(link->sub);
            return false;
        }
        sim_stream_init(&link->stream, streams[l], STREAM);
        link->on = true;
    }
    return true;
}

/* ---- the origin ---- */

static bool publish(struct chain *c, uint8_t p, uint8_t epoch)
{
    struct wb_offer offer = {.epoch = ann_epoch(epoch), .cost = c->number + 1};
    struct wb_slice path = {0};

    if (c->broken || c->paths[p].alive != 0 ||
        !good(c, wb_slice_copy(c->mem, wb_view_text(ann_paths[p]), &path)))
        return false;
    if (good(c, wb_router_publish(c->routers[0], &path, false, &offer)))
        c->paths[p].alive = ++c->number;
    if (c->paths[p].alive != 0)
        ann_show_line(c->run, c->serial, "offers   r0 /%s cost %llu", ann_paths[p],
                      (unsigned long long)c->number);
    wb_slice_drop(&path);
    return true;
}

static bool withdraw(struct chain *c, uint8_t p)
{
    if (c->paths[p].alive == 0)
        return false;
    wb_router_withdraw(c->routers[0], wb_view_text(ann_paths[p]), false);
    c->paths[p].alive = 0;
    ann_show_line(c->run, c->serial, "takes    r0 /%s back", ann_paths[p]);
    return true;
}

/* Another life of the origin: the same id, nothing known, nothing published. */
static bool reboot(struct chain *c)
{
    struct wb_router *before = c->routers[0];

    leave(c, 0);
    leave(c, 1);
    if (c->broken || !good(c, wb_router_new(c->mem, ids[0], 1, &c->routers[0])))
        return false;
    wb_router_free(before);
    for (size_t p = 0; p < REF_PATHS; p++)
        c->paths[p].alive = 0;
    ann_show_line(c->run, c->serial, "begins   r0 anew");
    return true;
}

static bool flush_all(struct chain *c)
{
    bool any = false;

    for (uint8_t l = 0; l < LINKS; l++) {
        any |= flush(c, l);
        any |= deliver(c, l, SIZE_MAX);
    }
    return any;
}

static bool apply(struct chain *c, const struct sim_op *op)
{
    uint8_t l = op->slot % LINKS, p = op->arg % REF_PATHS;

    switch (op->opcode) {
    case OP_JOIN:
        return join(c, op->slot % SESSIONS, op->arg);
    case OP_LEAVE:
        return leave(c, op->slot % SESSIONS);
    case OP_PUBLISH:
        return publish(c, p, op->ext & 7);
    case OP_WITHDRAW:
        return withdraw(c, p);
    case OP_REBOOT:
        return reboot(c);
    case OP_FLUSH:
        return flush(c, l);
    case OP_DELIVER:
        return deliver(c, l, op->arg == 0 ? SIZE_MAX : op->arg);
    case OP_FLUSH_ALL:
        return flush_all(c);
    default:
        return false;
    }
}

/* ---- a run ---- */

/* A relay that is linked to the origin, be it through the other one. */
static bool reaches(const struct chain *c, size_t at)
{
    return c->neighbours[at][0] != NULL ||
           (c->neighbours[at][3 - at] != NULL && c->neighbours[3 - at][0] != NULL);
}

static void check_calm(struct chain *c, size_t at)
{
    struct wb_view path;
    uint16_t live = 0, want = 0;
    bool held;

    for (uint64_t i = 0; wb_router_live_at(c->routers[at], 0, ORIGIN, i, &path, &held); i++) {
        FUZZ_CHECK(ANN_046, !held && ann_path_number(path) != REF_NONE);
        live |= (uint16_t)(1u << ann_path_number(path));
    }
    for (uint8_t p = 0; p < REF_PATHS && reaches(c, at); p++)
        want |= c->paths[p].alive != 0 ? (uint16_t)(1u << p) : 0;
    FUZZ_CHECK(ANN_046, live == want);
}

static void calm_down(struct chain *c)
{
    unsigned rounds = 0;

    c->run->alloc.fail_at[SIM_ALLOC_OP] = 0;
    while (flush_all(c))
        FUZZ_CHECK(ANN_046, ++rounds < 64);
    for (size_t at = 1; at < ROUTERS && !c->broken; at++) {
        check_calm(c, at);
        wb_router_check(c->routers[at]);
    }
    if (!c->broken)
        sim_mark(c->run, ANN_MARK_CALM);
}

static bool begin(struct chain *c)
{
    static const uint8_t ways[LINKS][3] = {{0, 1, 0}, {0, 2, 1}, {1, 2, 2}, {2, 1, 2}};
    struct wb_announce_sub_config config = {.version = WB_LITE_07, .hidden = true};
    struct wb_neighbour_config v = {.peer = 9, .kind = WB_LINK_PEER};

    for (size_t l = 0; l < LINKS; l++) {
        c->links[l].from = ways[l][0];
        c->links[l].to = ways[l][1];
        c->links[l].session = ways[l][2];
    }
    for (size_t i = 0; i < ROUTERS; i++)
        if (!good(c, wb_router_new(c->mem, ids[i], 1, &c->routers[i])))
            return false;
    return good(c, wb_announce_sub_new(c->mem, &config, &c->v)) &&
           good(c, wb_router_join(c->routers[2], &v, &c->toward_v)) &&
           good(c, wb_answer_open(c->routers[2], c->toward_v, WB_LITE_07, (struct wb_view){0}, true,
                                  true, &c->to_v)) &&
           join(c, 0, 0) && join(c, 1, 4) && join(c, 2, 0);
}

static void end(struct chain *c)
{
    for (uint8_t l = 0; l < LINKS; l++)
        if (c->links[l].on)
            wb_announce_sub_free(c->links[l].sub);
    for (size_t i = 0; i < ROUTERS; i++)
        if (c->routers[i] != NULL)
            wb_router_free(c->routers[i]);
    if (c->v != NULL)
        wb_announce_sub_free(c->v);
    wb_buf_fini(&c->out);
    FUZZ_CHECK(ANN_039, c->run->alloc.live_blocks == 0);
}

void ann_chain_run(struct sim_run *run, struct wb_view input)
{
    struct sim_scenario scenario = sim_scenario_of(input);
    struct chain *c = &chain;
    struct sim_op op;

    *c = (struct chain){.run = run,
                        .mem = sim_run_mem(run),
                        .hearing = REF_NONE,
                        .shown = {"", "by nobody", "by nobody"}};
    wb_buf_init(&c->out, c->mem, STREAM / 4);
    if (begin(c))
        while (!c->broken && sim_scenario_next(&scenario, &op)) {
            const struct sim_op_desc *desc = sim_ops_enter(&ann_ops, run, &scenario.header, &op);
            if (desc == NULL)
                continue;
            c->serial++;
            ann_show_line(run, c->serial, "op       %u: %s s%u arg %u", (unsigned)op.record,
                          desc->name, op.slot, op.arg);
            if (!apply(c, &op))
                sim_ops_dead(run);
            look(c);
        }
    if (!c->broken)
        calm_down(c);
    end(c);
    sim_run_outcome(run, WB_OK);
}
