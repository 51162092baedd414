/*
 * cost.c: one neighbour tells many claims of one node, two viewers see them, and each step of each
 * single change is held against what it may cost. The ops of the other worlds, read anew: claim
 * tells as many more as `path` and `as` say, unclaim, reprice and restart change the one of that
 * number, floor is FLOOR; every op is flushed and arrives. Knob 0: bit 0 the second viewer is of
 * lite-06, bit 1 the neighbour's link is upstream, and so is the second viewer's, bit 2 paths have
 * up to six parts, some of them long, bit 3 all claims are of one path, each of a node of its own.
 */
#include "targets/announce/ann.h"

#include <stdio.h>
#include <string.h>

#define CLAIMS   1024
#define NODE     6
#define VIEWERS  2
#define PATH     128
#define ONE_PATH "the-stage-that-each-of-a-thousand-cameras-of-this-hall-looks-at/live"

struct cost_viewer {
    struct wb_answer *answer;
    struct wb_announce_sub *sub;
    bool is_routed, opened;
    uint64_t next, id[CLAIMS]; /* by number: of those on the wire */
    bool on_wire[CLAIMS];
};

struct cost {
    struct sim_run *run;
    struct wb_mem *mem;
    struct wb_router *router;
    struct wb_neighbour *neighbours[1 + VIEWERS];
    struct wb_announce_sub *sub;
    struct cost_viewer viewers[VIEWERS];
    struct wb_buf out;
    struct ann_pen pen;
    uint64_t told, held, floor, hashed;
    bool live[CLAIMS]; /* by number, which is the place in the order of paths */
    bool one_path, broken;
};

static struct cost cost;
static char paths[CLAIMS][PATH];

/* Claims are told in an order that is not that of paths. */
static uint64_t number_of(uint64_t i)
{
    return (i + CLAIMS / 2) * 389 % CLAIMS;
}

/* Ascending with the number: deep ones have its digits to the base of 4, without zeros behind. */
static void make_paths(bool deep, bool one)
{
    static const char *const part[] = {"a", "a0", "a0camera-of-the-hall", "a0camera-of-the-room"};

    for (unsigned i = 0; i < CLAIMS; i++) {
        size_t len = (size_t)snprintf(paths[i], PATH, deep ? "c" : "c/%05u", i);

        if (one)
            len = (size_t)snprintf(paths[i], PATH, "c/%s", ONE_PATH);
        for (unsigned left = i; deep && !one && left != 0; left = left * 4 % CLAIMS)
            len += (size_t)snprintf(paths[i] + len, PATH - len, "/%s", part[left * 4 / CLAIMS]);
    }
}

/* ---- what a step may cost ---- */

struct bill {
    struct wb_cost cost;
    uint64_t requests;
};

static struct bill bill_of(const struct cost *c)
{
    return (struct bill){wb_cost, c->run->alloc.requests};
}

static uint64_t bound_of(const struct cost *c)
{
    uint64_t log = 0;

    while ((UINT64_C(1) << log) < c->held + 2)
        log++;
    return 4 * log + 16;
}

/* `changes` changes in each of `tables` places. */
static void check_bill(const struct cost *c, const struct bill *from, uint64_t changes,
                       uint64_t tables)
{
    FUZZ_CHECK(ANN_042, wb_cost.paths_compared - from->cost.paths_compared <=
                            changes * tables * bound_of(c));
    FUZZ_CHECK(ANN_043, c->run->alloc.requests - from->requests <= changes * tables * 4 + 8);
    FUZZ_CHECK(ANN_044, wb_cost.positions_compared - from->cost.positions_compared <= changes);
    FUZZ_CHECK(ANN_044, wb_cost.bytes_moved - from->cost.bytes_moved <= changes * 64);
    FUZZ_CHECK(ANN_052,
               wb_cost.servers_compared - from->cost.servers_compared <= changes * bound_of(c));
    FUZZ_CHECK(ANN_052,
               wb_cost.bytes_hashed - c->hashed <= (c->one_path ? sizeof ONE_PATH + 1 : 0));
}

/* ---- steps ---- */

/* True while all is well; memory that was refused ends the run in good order. */
static bool good(struct cost *c, enum wb_err err)
{
    if (err == WB_OK)
        return true;
    FUZZ_CHECK(ANN_047, err == WB_E_NOMEM && c->run->alloc.refused > 0);
    c->broken = true;
    return false;
}

static void see(struct cost *c, struct cost_viewer *v)
{
    struct wb_view in = wb_buf_view(&c->out);

    for (;;) {
        struct wb_announce_event e;
        struct bill bill = bill_of(c);
        enum wb_err err = wb_announce_sub_next(v->sub, &in, &e);

        if (err == WB_MORE || !good(c, err))
            return;
        check_bill(c, &bill, 1, 1);
        sim_run_note(c->run, (uint64_t)e.kind << 32 | e.id);
    }
}

/* The STARTs of the flush at hand, of what is live and not on the wire. */
static void check_bases(struct cost *c, struct cost_viewer *v)
{
    static struct ann_beside known[CLAIMS];
    struct wb_view bytes = wb_buf_view(&c->out), body;
    size_t count = 0, at = 0;
    bool first = !v->opened;

    v->opened = true;
    for (uint64_t i = 0; i < CLAIMS; i++)
        if (c->live[i])
            known[count++] = (struct ann_beside){wb_view_text(paths[i]), v->on_wire[i], v->id[i]};
    for (uint64_t i = 0; i < CLAIMS; at += c->live[i++]) {
        if (!c->live[i] || v->on_wire[i])
            continue;
        if (!ann_next_start(&bytes, first, &body))
            return;
        first = false;
        ann_check_base(body, known, count, at, v->next, true);
        v->on_wire[i] = known[at].on_wire = true;
        v->id[i] = known[at].id = v->next++;
    }
}

static void flush(struct cost *c, uint64_t changes)
{
    for (size_t i = 0; i < VIEWERS && !c->broken; i++) {
        struct bill bill = bill_of(c);

        wb_buf_truncate(&c->out, 0);
        if (!good(c, wb_answer_flush(c->viewers[i].answer, &c->out)))
            return;
        check_bill(c, &bill, changes, 1);
        sim_trace_mix_bytes(&c->run->trace, wb_buf_view(&c->out));
        if (c->viewers[i].is_routed && !c->one_path)
            check_bases(c, &c->viewers[i]);
        see(c, &c->viewers[i]);
    }
}

static void hear(struct cost *c, int type)
{
    struct wb_view in;
    struct wb_announce_event e;
    struct bill bill = bill_of(c);
    enum wb_err err;

    ann_pen_wrap(&c->pen, 0, type);
    in = wb_view_of(c->pen.bytes, c->pen.len);
    err = wb_announce_sub_next(c->sub, &in, &e);
    if (!good(c, err))
        return;
    check_bill(c, &bill, 1, 1);
    bill = bill_of(c);
    if (!good(c, wb_router_hear(c->router, c->neighbours[0], &e)))
        return;
    check_bill(c, &bill, 1, 2 + VIEWERS);
    for (size_t i = 0; i < VIEWERS; i++)
        c->broken |= wb_answer_lost(c->viewers[i].answer);
}

static void tell_route(struct cost *c, uint64_t node)
{
    ann_pen_begin(&c->pen, WB_LITE_07);
    ann_pen_v(&c->pen, node);
    ann_pen_v(&c->pen, 1);
    ann_pen_v(&c->pen, 1);
    ann_pen_u8(&c->pen, 0);
    hear(c, WB_ROUTED_ROUTE_START);
}

static void tell_claim(struct cost *c)
{
    uint64_t route = c->one_path ? c->told : 0, number = number_of(c->told++);

    if (route > 0)
        tell_route(c, NODE + route);
    if (c->broken)
        return;
    ann_pen_begin(&c->pen, WB_LITE_07);
    ann_pen_v(&c->pen, 0);
    ann_pen_v(&c->pen, 0);
    ann_pen_text(&c->pen, paths[number]);
    ann_pen_epoch(&c->pen, 0);
    ann_pen_v(&c->pen, route);
    ann_pen_v(&c->pen, 1);
    c->live[number] = true;
    c->held++;
    hear(c, WB_ROUTED_START);
}

static void claims(struct cost *c, uint64_t count)
{
    uint64_t told = 0;

    for (; told < count && c->told < CLAIMS && !c->broken; told++)
        tell_claim(c);
    if (told > 100)
        sim_mark(c->run, ANN_MARK_SCALE);
    flush(c, told);
}

static bool change(struct cost *c, uint64_t i, int type)
{
    if (i >= c->told || !c->live[number_of(i)])
        return false;
    ann_pen_begin(&c->pen, WB_LITE_07);
    ann_pen_v(&c->pen, i);
    if (type == WB_ROUTED_RESTART)
        ann_pen_epoch(&c->pen, 0);
    if (type != WB_ROUTED_END)
        ann_pen_v(&c->pen, c->floor + 7);
    hear(c, type);
    if (type == WB_ROUTED_END) {
        c->live[number_of(i)] = false;
        for (size_t v = 0; v < VIEWERS; v++)
            c->viewers[v].on_wire[number_of(i)] = false;
        c->held--;
    }
    if (!c->broken)
        flush(c, 1);
    if (c->held == 0)
        c->hashed = wb_cost.bytes_hashed; /* a path that nobody claims is forgotten */
    return true;
}

/* What the neighbour of the first viewer tells of the node, too, and takes back, bears on none. */
static void unroute(struct cost *c)
{
    struct wb_announce_event e = {
        .kind = WB_ANNOUNCE_ROUTE_START, .node = NODE, .seqno = 1, .metric = 9};
    struct bill bill = bill_of(c);

    if (!good(c, wb_router_hear(c->router, c->neighbours[1], &e)))
        return;
    e.kind = WB_ANNOUNCE_ROUTE_END;
    if (!good(c, wb_router_hear(c->router, c->neighbours[1], &e)))
        return;
    check_bill(c, &bill, 1, 2 + VIEWERS);
    FUZZ_CHECK(ANN_053, wb_cost.stores_walked == bill.cost.stores_walked);
}

static bool apply(struct cost *c, const struct sim_op *op)
{
    uint64_t number = op->arg + (uint64_t)op->ext;

    switch (op->opcode) {
    case OP_CLAIM:
        claims(c, number % (CLAIMS + 1));
        return true;
    case OP_UNCLAIM:
        return change(c, number, WB_ROUTED_END);
    case OP_REPRICE:
        return change(c, number, WB_ROUTED_UPDATE);
    case OP_RESTART:
        return change(c, number, WB_ROUTED_RESTART);
    case OP_FLOOR:
        ann_pen_begin(&c->pen, WB_LITE_07);
        ann_pen_v(&c->pen, 0);
        ann_pen_v(&c->pen, ++c->floor);
        hear(c, WB_ROUTED_FLOOR);
        if (!c->broken)
            flush(c, 1);
        return true;
    case OP_UNROUTE:
        unroute(c);
        return true;
    default:
        return false;
    }
}

/* ---- a run ---- */

static bool begin(struct cost *c, uint8_t knob)
{
    struct wb_announce_sub_config config = {.version = WB_LITE_07, .self = ANN_SELF};

    if (!good(c, wb_router_new(c->mem, ANN_SELF, 1, &c->router)) ||
        !good(c, wb_announce_sub_new(c->mem, &config, &c->sub)))
        return false;
    config.self = 0;
    for (size_t i = 0; i < 1 + VIEWERS; i++) {
        bool up = (knob & 2) != 0 && i != 1;
        struct wb_neighbour_config to = {.peer = i + 2,
                                         .kind = up ? WB_LINK_UPSTREAM : WB_LINK_PEER};

        if (!good(c, wb_router_join(c->router, &to, &c->neighbours[i])))
            return false;
    }
    for (size_t i = 0; i < VIEWERS; i++) {
        struct cost_viewer *v = &c->viewers[i];

        v->is_routed = i == 0 || (knob & 1) == 0;
        config.version = v->is_routed ? WB_LITE_07 : WB_LITE_06;
        if (!good(c, wb_announce_sub_new(c->mem, &config, &v->sub)) ||
            !good(c, wb_answer_open(c->router, c->neighbours[1 + i], config.version,
                                    (struct wb_view){0}, false, true, &v->answer)))
            return false;
    }
    ann_pen_begin(&c->pen, WB_LITE_07);
    ann_pen_v(&c->pen, 2);
    ann_pen_v(&c->pen, 0);
    hear(c, -1);
    if (!c->broken)
        tell_route(c, NODE);
    return !c->broken;
}

void ann_cost_run(struct sim_run *run, struct wb_view input)
{
    struct sim_scenario scenario = sim_scenario_of(input);
    struct cost *c = &cost;
    struct sim_op op;

    memset(c, 0, sizeof *c);
    c->run = run;
    c->mem = sim_run_mem(run);
    c->one_path = (scenario.header.knob[0] & 8) != 0;
    c->hashed = wb_cost.bytes_hashed;
    make_paths((scenario.header.knob[0] & 4) != 0, c->one_path);
    wb_buf_init(&c->out, c->mem, (size_t)1 << 20);
    if (begin(c, scenario.header.knob[0]))
        while (!c->broken && sim_scenario_next(&scenario, &op))
            if (sim_ops_enter(&ann_ops, run, &scenario.header, &op) != NULL && !apply(c, &op))
                sim_ops_dead(run);
    if (c->router != NULL && !c->broken)
        wb_router_check(c->router);
    if (c->router != NULL)
        wb_router_free(c->router);
    if (c->sub != NULL)
        wb_announce_sub_free(c->sub);
    for (size_t i = 0; i < VIEWERS; i++)
        if (c->viewers[i].sub != NULL)
            wb_announce_sub_free(c->viewers[i].sub);
    wb_buf_fini(&c->out);
    FUZZ_CHECK(ANN_039, run->alloc.live_blocks == 0);
    sim_run_outcome(run, WB_OK);
}
