/*
 * ann.c: ops, and what a run begins and ends with. Profile and knobs: ann_ops.c.
 */
#include "targets/announce/ann.h"

#include <string.h>

static struct ann the;
static struct ref_path_table paths;

bool ann_again(struct ann *w, enum wb_err err, unsigned *tries)
{
    FUZZ_CHECK(ANN_047, err == WB_E_NOMEM && w->run->alloc.refused > 0);
    sim_mark(w->run, ANN_MARK_REFUSED);
    return ++*tries < 4;
}

static bool join(struct ann *w, uint8_t n, uint64_t peer, enum wb_link_kind kind,
                 enum wb_moq_version version, uint64_t cost, bool accepts)
{
    struct ann_neighbour *to = &w->neighbours[n];
    struct wb_neighbour_config config = {
        .peer = peer, .kind = kind, .cost = cost, .accepts_proxied = accepts};
    unsigned answers = w->header.profile & 3, tries = 0;
    enum wb_err err;

    if (to->on)
        return false;
    *to = (struct ann_neighbour){.version = version};
    while ((err = wb_router_join(w->core, &config, &to->core)) != WB_OK)
        if (!ann_again(w, err, &tries))
            return false;
    to->on = true;
    ref_router_join(&w->model, n, kind, peer, cost, accepts);
    if (version != WB_LITE_07)
        sim_mark(w->run, version == WB_LITE_06 ? ANN_MARK_LITE_06 : ANN_MARK_LITE_05);
    ann_show(w, "joined   n%u kind %u version %u cost %llu", (unsigned)n, (unsigned)kind,
             (unsigned)version + 4, (unsigned long long)cost);
    if (answers != 3)
        ann_answer_open(w, n,
                        answers == 2 || (answers == 0 && n == ANN_NEIGHBOURS - 1) ? WB_LITE_06
                                                                                  : WB_LITE_07,
                        0, false, true);
    return true;
}

static enum wb_link_kind kind_of(unsigned bits, uint8_t n)
{
    static const enum wb_link_kind by_slot[] = {WB_LINK_PEER, WB_LINK_UPSTREAM, WB_LINK_CLIENT,
                                                WB_LINK_PEER};
    return bits == 0 ? by_slot[n] : (enum wb_link_kind)(bits - 1);
}

static enum wb_moq_version version_of(unsigned bits)
{
    return bits == 1 ? WB_LITE_06 : bits == 2 ? WB_LITE_05 : WB_LITE_07;
}

bool ann_need_neighbour(struct ann *w, uint8_t n)
{
    const uint8_t *knob = w->header.knob;

    if (w->neighbours[n].on)
        return true;
    return join(w, n, ANN_PEER(n), kind_of(knob[0] >> (2 * n) & 3, n),
                version_of(knob[1] >> (2 * n) & 3), knob[2] >> (2 * n) & 3,
                (knob[3] >> n & 1) != 0);
}

void ann_leave(struct ann *w, uint8_t n)
{
    struct ann_neighbour *gone = &w->neighbours[n];

    if (!gone->on)
        return;
    wb_router_leave(w->core, gone->core);
    if (gone->sub != NULL)
        wb_announce_sub_free(gone->sub);
    if (w->answers[n].on) {
        wb_announce_sub_free(w->answers[n].sub);
        w->answers[n].sub = NULL;
        w->answers[n].on = false;
    }
    *gone = (struct ann_neighbour){0};
    ref_router_leave(&w->model, n);
    ann_show(w, "left     n%u", (unsigned)n);
    ann_answers_lost(w);
}

static bool offer(struct ann *w, const struct sim_op *op)
{
    uint8_t p = op->arg % REF_PATHS, epoch = op->ext & 7;
    bool mounted = op->opcode == OP_MOUNT;
    struct wb_offer what = {.epoch = ann_epoch(epoch), .cost = op->ext >> 4};
    struct wb_slice path = {0};
    unsigned tries = 0;
    enum wb_err err;

    if (what.cost == ANN_COST_OVER)
        what.cost = WB_NODE_MAX + 1;
    while ((err = wb_slice_copy(w->mem, wb_view_text(ann_paths[p]), &path)) != WB_OK)
        if (!ann_again(w, err, &tries))
            return false;
    while ((err = wb_router_publish(w->core, &path, mounted, &what)) != WB_OK && err != WB_E_BOUNDS)
        if (!ann_again(w, err, &tries)) {
            wb_slice_drop(&path);
            return false;
        }
    wb_slice_drop(&path);
    FUZZ_CHECK(ANN_049, (err == WB_E_BOUNDS) == (what.cost > WB_NODE_MAX));
    if (err != WB_OK)
        return true;
    ref_router_offer(&w->model, p, mounted, epoch, what.cost);
    ann_answers_lost(w);
    return true;
}

static bool withdraw(struct ann *w, const struct sim_op *op)
{
    uint8_t p = op->arg % REF_PATHS;
    bool mounted = op->opcode == OP_UNMOUNT;

    wb_router_withdraw(w->core, wb_view_text(ann_paths[p]), mounted);
    if (((mounted ? w->model.mount : w->model.own) >> p & 1) == 0)
        return false;
    ref_router_withdraw(&w->model, p, mounted);
    ann_answers_lost(w);
    return true;
}

static bool raw(struct ann *w, const struct sim_op *op)
{
    uint8_t n = op->slot % ANN_NEIGHBOURS;

    if (op->lit.len == 0 || !ann_need_neighbour(w, n))
        return false;
    if (!w->neighbours[n].raw && !ann_tell_open(w, n))
        return false;
    w->neighbours[n].raw = true;
    sim_mark(w->run, ANN_MARK_RAW);
    ann_hear(w, n, op->lit, -1, -1);
    return true;
}

static bool flush(struct ann *w, uint8_t n, bool hold, uint16_t cut)
{
    if (!ann_flush(w, n))
        return false;
    w->answers[n].cut = (w->header.profile & 4) != 0 ? 1 : cut;
    if (!hold)
        ann_deliver(w, n, SIZE_MAX);
    return true;
}

static bool answer(struct ann *w, const struct sim_op *op)
{
    uint8_t n = op->slot % ANN_NEIGHBOURS;

    switch (op->opcode) {
    case OP_OPEN:
        return ann_need_neighbour(w, n) &&
               ann_answer_open(w, n, (op->flags & 1) != 0 ? WB_LITE_06 : WB_LITE_07,
                               op->arg % REF_PATHS, (op->flags & 2) != 0, (op->flags & 4) == 0);
    case OP_CLOSE:
        return ann_answer_close(w, n);
    case OP_FLUSH:
        return flush(w, n, (op->flags & 1) != 0, op->arg);
    case OP_DELIVER:
        return ann_deliver(w, n, op->arg == 0 ? SIZE_MAX : op->arg);
    default:
        for (n = 0; n < ANN_NEIGHBOURS; n++)
            flush(w, n, false, 0);
        return true;
    }
}

static bool link(struct ann *w, const struct sim_op *op)
{
    uint8_t n = op->slot % ANN_NEIGHBOURS;

    switch (op->opcode) {
    case OP_JOIN:
        return join(w, n, (op->ext & 2) != 0 ? 0 : ANN_PEER(n), kind_of(op->flags & 3, n),
                    version_of(op->flags >> 2), op->arg == UINT16_MAX ? WB_NODE_MAX : op->arg,
                    (op->ext & 1) != 0);
    case OP_LEAVE:
        if (!w->neighbours[n].on)
            return false;
        ann_leave(w, n);
        return true;
    default:
        return w->neighbours[n].on && ann_hear_end(w, n, op->opcode == OP_FIN);
    }
}

static bool remember(struct ann *w, uint16_t ids)
{
    wb_router_remember(w->core, ids);
    ref_router_remember(&w->model, ids);
    return true;
}

bool ann_apply(struct ann *w, const struct sim_op *op)
{
    if (op->opcode == SIM_OP_LIT)
        return raw(w, op);
    if (op->opcode == OP_REFUSE) {
        sim_alloc_fail_next(&w->run->alloc, op->arg == 0 ? 1 : op->arg);
        return true;
    }
    if (op->opcode == OP_WRONG)
        return ann_wrong(w, op);
    if (op->opcode < OP_ROUTE)
        return link(w, op);
    if (op->opcode < OP_PUBLISH)
        return ann_tell(w, op);
    if (op->opcode == OP_REBOOT)
        return false; /* of chains */
    if (op->opcode == OP_REMEMBER)
        return remember(w, op->arg);
    if (op->opcode < OP_OPEN)
        return op->opcode == OP_PUBLISH || op->opcode == OP_MOUNT ? offer(w, op) : withdraw(w, op);
    return answer(w, op);
}

static bool is_any_dirty(const struct ann *w)
{
    for (uint8_t n = 0; n < ANN_NEIGHBOURS; n++)
        if (w->answers[n].on && wb_answer_dirty(w->answers[n].core))
            return true;
    return false;
}

/*
 * All is flushed and arrives, then all goes, one after the other. What one answer sends may be as
 * good as a next hop elsewhere, which is none any more: then others are flushed again.
 */
static void calm_down(struct ann *w)
{
    unsigned rounds = 0;

    w->run->alloc.fail_at[SIM_ALLOC_OP] = 0;
    do {
        FUZZ_CHECK(ANN_048, rounds++ <= REF_NODES);
        for (uint8_t n = 0; n < ANN_NEIGHBOURS; n++)
            flush(w, n, false, 0);
    } while (is_any_dirty(w));
    FUZZ_CHECK(ANN_029, ref_router_is_whole(&w->model));
    for (uint8_t n = 0; n < ANN_NEIGHBOURS; n++) {
        if (!w->answers[n].on)
            continue;
        FUZZ_CHECK(ANN_033, ref_answer_is_whole(&w->model, n));
        ann_settled(w, n, 0xff);
    }
    ann_judge(w, true);
    wb_router_check(w->core);
    sim_mark(w->run, ANN_MARK_CALM);
}

static void end(struct ann *w)
{
    struct wb_router_node at;

    for (uint8_t n = 0; n < ANN_NEIGHBOURS; n++)
        ann_leave(w, n);
    ann_judge(w, false);
    FUZZ_CHECK(ANN_039, !wb_router_node_at(w->core, 1, &at));
    wb_router_free(w->core);
    wb_buf_fini(&w->out);
    FUZZ_CHECK(ANN_039, w->run->alloc.live_blocks == 0);
    sim_run_outcome(w->run, w->outcome);
}

void ann_run(struct sim_run *run, struct wb_view input)
{
    struct sim_scenario scenario = sim_scenario_of(input);
    struct ann *w = &the;
    struct sim_op op;
    unsigned tries = 0;
    enum wb_err err;

    memset(w, 0, offsetof(struct ann, answers));
    for (uint8_t n = 0; n < ANN_NEIGHBOURS; n++)
        w->answers[n].on = false;
    w->run = run;
    w->header = scenario.header;
    w->mem = sim_run_mem(run);
    wb_buf_init(&w->out, w->mem, 16384);
    ref_router_init(&w->model, &paths, ann_paths, 1);
    while ((err = wb_router_new(w->mem, ANN_SELF, 1, &w->core)) != WB_OK)
        if (!ann_again(w, err, &tries))
            return;
    while (sim_scenario_next(&scenario, &op)) {
        if (sim_ops_enter(&ann_ops, run, &scenario.header, &op) == NULL)
            continue;
        w->serial++;
        sim_trace_add(&run->trace, w->serial, "op       %u: %o s%u arg %u", op.record, op.opcode,
                      op.slot, op.arg);
        uint64_t joined = w->model.joined;
        bool did = ann_apply(w, &op);
        w->changed = did || joined != w->model.joined;
        if (!did)
            sim_ops_dead(run);
        else if ((scenario.header.profile & 8) != 0)
            for (uint8_t n = 0; n < ANN_NEIGHBOURS; n++)
                flush(w, n, false, 0);
        ann_judge(w, false);
        ann_show_withheld(w);
    }
    calm_down(w);
    end(w);
}
