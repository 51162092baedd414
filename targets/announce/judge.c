/*
 * judge.c: the router beside the model, after every operation.
 */
#include "targets/announce/ann.h"

uint8_t ann_neighbour_slot(const struct ann *w, const struct wb_neighbour *core)
{
    for (uint8_t n = 0; n < ANN_NEIGHBOURS; n++)
        if (core != NULL && w->neighbours[n].on && w->neighbours[n].core == core)
            return n;
    return REF_NONE;
}

static bool is_known(const struct ref_router *m, uint8_t scope, uint8_t k)
{
    return (scope == 0 && k == 0) || ref_router_known(m, scope, k);
}

/* The place of a scope in the model, by the number of its neighbour. */
static uint8_t scope_place(const struct ann *w, uint64_t scope)
{
    for (uint8_t n = 0; n < ANN_NEIGHBOURS && scope != 0; n++)
        if (w->neighbours[n].on && wb_neighbour_number(w->neighbours[n].core) == scope)
            return (uint8_t)(n + 1);
    FUZZ_CHECK(ANN_037, scope == 0);
    return 0;
}

/* RFC 8966 3.5.1: strictly better than all that was sent of it. */
static void check_feasible(struct ann *w, uint8_t scope, uint8_t k, uint8_t next)
{
    struct ann_best *best = &w->best[scope][k];
    const struct ref_heard *h;

    if (next == REF_NONE)
        return;
    FUZZ_CHECK(ANN_037, ref_scope_of(&w->model, next) == scope);
    h = &w->model.neighbours[next].heard[k];
    FUZZ_CHECK(ANN_035, !best->some || h->seqno > best->seqno ||
                            (h->seqno == best->seqno && h->metric < best->metric));
}

/* What was sent of a node binds nobody once all forgot it. */
static void forget_sent(struct ann *w)
{
    for (uint8_t s = 0; s < REF_SCOPES; s++)
        for (uint8_t k = 0; k < REF_NODES; k++)
            if (!w->model.nodes[s][k].has_fd)
                w->best[s][k].some = false;
}

static void mark_node(struct ann *w, const struct ref_node *node, uint8_t scope, uint8_t k)
{
    if (w->next[scope][k] != node->next + 1 && w->next[scope][k] != 0 && node->next != REF_NONE)
        sim_mark(w->run, ANN_MARK_MOVED);
    w->next[scope][k] = node->next == REF_NONE ? 0 : (uint8_t)(node->next + 1);
    if (w->model.seqno > 1)
        sim_mark(w->run, ANN_MARK_ANSWERED);
    if (node->held != 0)
        sim_mark(w->run, ANN_MARK_HELD);
    if (node->next == REF_NONE && !(scope == 0 && k == 0))
        sim_mark(w->run, ANN_MARK_STARVED);
    if (scope != 0)
        sim_mark(w->run, ANN_MARK_SCOPED);
    if (scope != 0 && node->next != REF_NONE && !ref_router_told(&w->model, scope, k))
        sim_mark(w->run, ANN_MARK_SHADOWED);
    if (node->next != REF_NONE &&
        (w->model.neighbours[node->next].heard[k].stored & ~node->live) != 0)
        sim_mark(w->run, ANN_MARK_DEFERRED);
}

static void check_live(struct ann *w, uint64_t scope, uint8_t place, uint8_t k)
{
    const struct ref_node *node = &w->model.nodes[place][k];
    uint16_t live = 0, held = 0;
    struct wb_view path;
    bool is_held;

    for (uint64_t i = 0; wb_router_live_at(w->core, scope, k + 1u, i, &path, &is_held); i++) {
        uint8_t p = ann_path_number(path);

        FUZZ_CHECK(ANN_029, p != REF_NONE);
        live |= (uint16_t)(1u << p);
        held |= is_held ? (uint16_t)(1u << p) : 0;
    }
    FUZZ_CHECK(ANN_029, live == node->live);
    FUZZ_CHECK(ANN_029, held == node->held);
}

/* Of the nodes that somebody tells, the router has `count`: all; the others are forgotten. */
static void check_missing(struct ann *w, uint64_t count)
{
    for (uint8_t s = 0; s < REF_SCOPES; s++)
        for (uint8_t k = 0; k < REF_NODES; k++)
            count -= is_known(&w->model, s, k);
    FUZZ_CHECK(ANN_037, count == 0);
}

static void check_nodes(struct ann *w, bool all)
{
    struct ref_router *m = &w->model;
    struct wb_router_node at;
    uint64_t count = 0;

    for (uint64_t i = 0; wb_router_node_at(w->core, i, &at); i++) {
        uint8_t place = scope_place(w, at.scope), k = (uint8_t)(at.node - 1);
        const struct ref_node *node = &m->nodes[place][k % REF_NODES];
        struct wb_route_state want;

        FUZZ_CHECK(ANN_037, k < REF_NODES);
        count++;
        want = ref_router_state(m, place, k);
        check_feasible(w, place, k, ann_neighbour_slot(w, at.next_hop));
        FUZZ_CHECK(ANN_034, ann_neighbour_slot(w, at.next_hop) == node->next);
        FUZZ_CHECK(ANN_034, at.seqno == want.seqno && at.metric == want.metric);
        FUZZ_CHECK(ANN_034, at.flags == want.flags);
        FUZZ_CHECK(ANN_029, at.live == (uint64_t)__builtin_popcount(node->live));
        FUZZ_CHECK(ANN_029, at.held == (uint64_t)__builtin_popcount(node->held));
        if (node->next != REF_NONE) {
            FUZZ_CHECK(ANN_025,
                       at.floor == 0 || at.floor <= m->neighbours[node->next].heard[k].floor);
            FUZZ_CHECK(ANN_023, at.highest == node->highest);
        }
        FUZZ_CHECK(ANN_023, at.floor == want.floor);
        mark_node(w, node, place, k);
        if (all)
            check_live(w, at.scope, place, k);
    }
    if (all)
        check_missing(w, count);
}

static void check_answer(struct ann *w, uint8_t n)
{
    const struct wb_announce_pub *pub = wb_answer_pub(w->answers[n].core);
    const struct ref_answer *a = &w->model.answers[n];
    struct wb_announce_pub_route_view at;

    for (uint64_t i = 0; wb_announce_pub_route_at(pub, i, &at); i++) {
        uint8_t k = (uint8_t)(at.node - 1), scope = REF_NONE;
        const struct ref_sent *sent = &a->sent[k % REF_NODES];
        uint16_t shown = 0, withheld = 0;

        FUZZ_CHECK(ANN_021, k < REF_NODES);
        for (uint8_t s = 0; s < REF_SCOPES && scope == REF_NONE; s++)
            if (ref_router_told(&w->model, s, k))
                scope = s;
        if (scope != REF_NONE)
            ref_answer_split(&w->model, a, scope, k, &shown, &withheld);
        if (withheld != 0)
            sim_mark(w->run, ANN_MARK_WITHHELD);
        FUZZ_CHECK(ANN_020, at.withheld == (uint64_t)__builtin_popcount(withheld));
        FUZZ_CHECK(ANN_021, at.shown == (uint64_t)__builtin_popcount(shown));
        FUZZ_CHECK(ANN_021, at.on_stream == sent->on && (!sent->on || at.id == sent->id));
    }
}

static void check_server(struct ann *w, uint8_t p)
{
    struct ref_server want = ref_router_server(&w->model, p, false);
    struct wb_server got;
    bool some = wb_router_server(w->core, wb_view_text(ann_paths[p]), &got);

    FUZZ_CHECK(ANN_030, some == want.some);
    if (!some)
        return;
    FUZZ_CHECK(ANN_030, ann_path_number(got.prefix) == want.path);
    FUZZ_CHECK(ANN_030, got.node == want.node && got.cost == want.cost);
    FUZZ_CHECK(ANN_030, ann_neighbour_slot(w, got.via) == want.via);
    FUZZ_CHECK(ANN_030, ann_epoch_number(&got.epoch) == want.epoch);
}

static void check_asks(struct ann *w)
{
    for (uint8_t n = 0; n < ANN_NEIGHBOURS; n++) {
        uint64_t node, seqno;

        if (!w->neighbours[n].on)
            continue;
        while (wb_router_ask(w->core, w->neighbours[n].core, &node, &seqno)) {
            FUZZ_CHECK(ANN_036, node >= 2 && node <= REF_NODES);
            FUZZ_CHECK(ANN_036, w->model.asks[n][node - 1] == seqno);
            w->model.asks[n][node - 1] = 0;
            sim_mark(w->run, ANN_MARK_ASKED);
            ann_show(w, "asks     n%u node %llu seqno %llu", (unsigned)n, (unsigned long long)node,
                     (unsigned long long)seqno);
        }
        for (uint8_t k = 0; k < REF_NODES; k++)
            FUZZ_CHECK(ANN_036, w->model.asks[n][k] == 0);
    }
}

void ann_judge(struct ann *w, bool all)
{
    if (!all && !w->changed)
        return;
    forget_sent(w);
    FUZZ_CHECK(ANN_049, wb_router_seqno(w->core) == w->model.seqno);
    FUZZ_CHECK(ANN_049, wb_router_revision(w->core) == w->model.revision);
    check_nodes(w, all);
    check_asks(w);
    for (uint8_t n = 0; n < ANN_NEIGHBOURS; n++)
        if (w->answers[n].on && w->model.answers[n].version == WB_LITE_07)
            check_answer(w, n);
    if (w->serial % 4 == 0)
        check_server(w, (uint8_t)(w->serial / 4 % REF_PATHS));
    for (uint8_t p = 0; p < REF_PATHS && all; p++)
        check_server(w, p);
}
