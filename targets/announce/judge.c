/*
 * judge.c: the router beside the model. After every operation it is asked about the ids that the
 * facts of the operation are about, in every answer too, and each answer about those that it
 * flushed; about everything now and then, and at the end. So what changes beside its facts is
 * found, only later.
 */
#include "targets/announce/ann.h"

uint8_t ann_neighbour_slot(const struct ann *w, const struct wb_neighbour *core)
{
    for (uint8_t n = 0; n < ANN_NEIGHBOURS; n++)
        if (core != NULL && w->neighbours[n].on && w->neighbours[n].core == core)
            return n;
    return REF_NONE;
}

/* Operations between two looks at every node and route, and at who serves some path. */
#define EVERYTHING_EVERY 16
#define SERVER_EVERY     8

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
    struct ann_best *best = &w->best[k];
    const struct ref_heard *h;

    if (next == REF_NONE)
        return;
    FUZZ_CHECK(ANN_037, ref_scope_of(&w->model, next) == scope);
    h = &w->model.neighbours[next].heard[k];
    FUZZ_CHECK(ANN_035, !best->some || h->seqno > best->seqno ||
                            (h->seqno == best->seqno && h->metric < best->metric));
}

/* What was sent of an id binds nobody once it is forgotten, which ids that are told never are. */
static void forget_sent(struct ann *w)
{
    for (uint8_t k = 0; k < REF_NODES; k++)
        if (w->model.known[k] == 0 && !w->model.sent[k].some)
            w->best[k].some = false;
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
    if (scope != 0 && node->next != REF_NONE && w->model.noted[k].scope != scope)
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

static void check_node(struct ann *w, const struct wb_router_node *at, uint8_t place, uint8_t k)
{
    const struct ref_router *m = &w->model;
    const struct ref_node *node = &m->nodes[place][k];
    bool told = m->noted[k].scope == place;
    struct wb_route_state want = told ? m->noted[k].state : ref_router_state(m, place, k);
    uint8_t next = ann_neighbour_slot(w, at->next_hop);

    check_feasible(w, place, k, next);
    FUZZ_CHECK(ANN_034, next == node->next);
    FUZZ_CHECK(ANN_034, at->seqno == want.seqno && at->metric == want.metric);
    FUZZ_CHECK(ANN_034, at->flags == want.flags);
    FUZZ_CHECK(ANN_029, at->live == (uint64_t)__builtin_popcount(node->live));
    FUZZ_CHECK(ANN_029, at->held == (uint64_t)__builtin_popcount(node->held));
    if (node->next != REF_NONE) {
        FUZZ_CHECK(ANN_025,
                   at->floor == 0 || at->floor <= m->neighbours[node->next].heard[k].floor);
        FUZZ_CHECK(ANN_023, at->highest == node->highest);
    }
    FUZZ_CHECK(ANN_023, at->floor == want.floor);
    mark_node(w, node, place, k);
}

/*
 * The nodes of the ids in a set, by id and then by scope: those that somebody tells, and with `all`
 * no other. `before` is how many the router has at least in front of the next.
 */
static void check_nodes(struct ann *w, uint8_t ids, bool all)
{
    uint64_t before = 0;

    for (uint8_t k = 0; k < REF_NODES && ids >> k != 0; k++) {
        struct wb_router_node at;
        int known = __builtin_popcount(w->model.known[k]);

        if ((ids >> k & 1) == 0) {
            before += (uint64_t)known;
            continue;
        }
        for (; (known > 0 || all) && wb_router_node_at(w->core, before, &at); before++) {
            uint8_t place;

            if (at.node > k + 1u)
                break;
            if (at.node <= k)
                continue;
            place = scope_place(w, at.scope);
            known--;
            check_node(w, &at, place, k);
            if (all)
                check_live(w, at.scope, place, k);
        }
        FUZZ_CHECK(ANN_037, known == 0);
    }
}

static void check_route(struct ann *w, const struct ref_answer *a, uint8_t k,
                        const struct wb_announce_pub_route_view *at)
{
    const struct ref_sent *sent = &a->sent[k];
    uint8_t scope = w->model.noted[k].scope;
    uint16_t shown = 0, withheld = 0;

    if (scope != REF_NONE)
        ref_answer_split(&w->model, a, scope, k, &shown, &withheld);
    if (withheld != 0)
        sim_mark(w->run, ANN_MARK_WITHHELD);
    FUZZ_CHECK(ANN_020, at->withheld == (uint64_t)__builtin_popcount(withheld));
    FUZZ_CHECK(ANN_021, at->shown == (uint64_t)__builtin_popcount(shown));
    FUZZ_CHECK(ANN_021, at->on_stream == sent->on && (!sent->on || at->id == sent->id));
}

/*
 * The route of an id: one that is told, or is no more but not flushed yet. *before is how many the
 * answer has at least in front of it, and then how many with it.
 */
static bool find_route(const struct ann *w, uint8_t n, uint8_t k, uint64_t *before,
                       struct wb_announce_pub_route_view *out)
{
    const struct wb_announce_pub *pub = wb_answer_pub(w->answers[n].core);

    for (; wb_announce_pub_route_at(pub, *before, out) && out->node <= k + 1u; (*before)++)
        if (out->node == k + 1u) {
            (*before)++;
            return true;
        }
    return false;
}

static void check_answer(struct ann *w, uint8_t n, uint8_t ids)
{
    struct wb_announce_pub_route_view at;
    uint64_t before = 0;

    for (uint8_t k = 0; k < REF_NODES && ids >> k != 0; k++) {
        bool told = w->model.noted[k].scope != REF_NONE;

        if ((ids >> k & 1) == 0)
            before += told;
        else if (find_route(w, n, k, &before, &at))
            check_route(w, &w->model.answers[n], k, &at);
        else
            FUZZ_CHECK(ANN_021, !told);
    }
}

void ann_judge_floors(struct ann *w, uint8_t n, uint8_t ids)
{
    struct wb_announce_pub_route_view at;
    uint64_t before = 0;

    for (uint8_t k = 0; k < REF_NODES && ids >> k != 0; k++)
        if ((ids >> k & 1) == 0)
            before += w->model.noted[k].scope != REF_NONE;
        else if (find_route(w, n, k, &before, &at))
            FUZZ_CHECK(ANN_024, !at.on_stream || at.floor == 0 || at.withheld == 0);
}

static void check_server(struct ann *w, uint8_t p)
{
    const struct ref_server *want = ref_router_server(&w->model, p);
    struct wb_server got;
    bool some = wb_router_server(w->core, wb_view_text(ann_paths[p]), &got);

    FUZZ_CHECK(ANN_030, some == want->some);
    if (!some)
        return;
    FUZZ_CHECK(ANN_030, ann_path_number(got.prefix) == want->path);
    FUZZ_CHECK(ANN_030, got.node == want->node && got.cost == want->cost);
    FUZZ_CHECK(ANN_030, ann_neighbour_slot(w, got.via) == want->via);
    FUZZ_CHECK(ANN_030, ann_epoch_number(&got.epoch) == want->epoch);
}

static void check_asks(struct ann *w, uint8_t n)
{
    uint64_t node, seqno;

    if (!w->neighbours[n].on)
        return;
    while (wb_router_ask(w->core, w->neighbours[n].core, &node, &seqno)) {
        FUZZ_CHECK(ANN_036, node >= 2 && node <= REF_NODES);
        FUZZ_CHECK(ANN_036, w->model.asks[n][node - 1] == seqno);
        w->model.asks[n][node - 1] = 0;
        sim_mark(w->run, ANN_MARK_ASKED);
        ann_show(w, "asks     n%u node %llu seqno %llu", (unsigned)n, (unsigned long long)node,
                 (unsigned long long)seqno);
    }
    for (uint8_t k = 0; k < REF_NODES && (w->model.asking >> n & 1) != 0; k++)
        FUZZ_CHECK(ANN_036, w->model.asks[n][k] == 0);
    w->model.asking &= (uint8_t) ~(1u << n);
}

/* One path: of those that the facts bear on, else any. */
static void check_some_server(struct ann *w)
{
    uint8_t p = (uint8_t)(w->serial / SERVER_EVERY % REF_PATHS);
    uint16_t paths = w->model.changed_paths;

    if (paths != 0 && (paths >> p & 1) == 0)
        p = (uint8_t)__builtin_ctz(paths);
    check_server(w, p);
}

void ann_judge(struct ann *w, bool all)
{
    struct ref_router *m = &w->model;
    bool everything = all || w->serial % EVERYTHING_EVERY == 0;
    uint8_t ids = everything ? 0xff : m->changed;

    if (!all && !w->changed)
        return;
    forget_sent(w);
    FUZZ_CHECK(ANN_049, wb_router_seqno(w->core) == m->seqno);
    FUZZ_CHECK(ANN_049, wb_router_revision(w->core) == m->revision);
    if (ids != 0)
        check_nodes(w, ids, all);
    for (uint8_t n = 0; n < ANN_NEIGHBOURS; n++)
        if (everything || (m->asking >> n & 1) != 0 || w->serial % ANN_NEIGHBOURS == n)
            check_asks(w, n);
    for (uint16_t left = m->routed; left != 0;) {
        uint8_t n = ref_take(&left);

        check_answer(w, n, ids | w->answers[n].flushed);
        w->answers[n].flushed = 0;
    }
    if (w->serial % SERVER_EVERY == 0)
        check_some_server(w);
    for (uint8_t p = 0; p < REF_PATHS && all; p++)
        check_server(w, p);
    m->changed = 0;
    m->changed_paths = 0;
}
