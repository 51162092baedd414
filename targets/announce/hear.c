/*
 * hear.c: what a neighbour's subscriber makes of its bytes, told to the router and to the model.
 */
#include "targets/announce/ann.h"

static bool chain_of(const struct wb_hops *hops, struct ref_chain *out)
{
    *out = (struct ref_chain){0};
    if (hops == NULL || hops->count > REF_CHAIN)
        return false;
    for (uint8_t i = 0; i < hops->count; i++)
        out->id[out->count++] = hops->id[i];
    return true;
}

/* Can the model say it: our paths, epochs and nodes? */
static bool is_ours(const struct ann_neighbour *from, const struct wb_announce_event *e)
{
    bool has_path = e->kind == WB_ANNOUNCE_START || e->kind == WB_ANNOUNCE_END ||
                    e->kind == WB_ANNOUNCE_UPDATE || e->kind == WB_ANNOUNCE_RESTART;
    struct ref_chain chain;

    /* No epoch of ours, REF_NONE, is above 7, too. */
    if (has_path && (ann_path_number(e->path) == REF_NONE || ann_epoch_number(&e->epoch) > 7))
        return false;
    if (from->version != WB_LITE_07)
        return !has_path || e->kind == WB_ANNOUNCE_END || chain_of(e->hops, &chain);
    return e->kind == WB_ANNOUNCE_OK || e->kind == WB_ANNOUNCE_CLOSED ||
           (e->node >= 1 && e->node <= REF_NODES);
}

static uint64_t sat(uint64_t a, uint64_t b)
{
    return a > WB_NODE_MAX - b ? WB_NODE_MAX : a + b;
}

static void model_flat(struct ann *w, uint8_t n, const struct wb_announce_event *e)
{
    uint64_t link = w->model.neighbours[n].cost;
    struct ref_flat flat = {.warm = sat(e->warm, link), .cold = sat(e->cold, link)};
    uint8_t p = ann_path_number(e->path);

    if (e->kind == WB_ANNOUNCE_END) {
        ref_router_flat_end(&w->model, n, p);
    } else if (p != REF_NONE) {
        chain_of(e->hops, &flat.chain);
        ref_router_flat(&w->model, n, p, &flat, e->kind == WB_ANNOUNCE_RESTART);
    }
}

static void model_hear(struct ann *w, uint8_t n, const struct wb_announce_event *e)
{
    struct ref_router *m = &w->model;
    uint8_t k = (uint8_t)(e->node - 1), p = ann_path_number(e->path);
    uint8_t epoch = ann_epoch_number(&e->epoch);

    switch (e->kind) {
    case WB_ANNOUNCE_OK:
        break;
    case WB_ANNOUNCE_ROUTE_START:
    case WB_ANNOUNCE_ROUTE_UPDATE:
        ref_router_route(m, n, k, e->kind == WB_ANNOUNCE_ROUTE_START, e->seqno, e->metric,
                         e->flags);
        break;
    case WB_ANNOUNCE_ROUTE_END:
        ref_router_route_end(m, n, k);
        break;
    case WB_ANNOUNCE_FLOOR:
        ref_router_floor(m, n, k, e->revision);
        break;
    case WB_ANNOUNCE_CLOSED:
        ref_router_closed(m, n);
        break;
    case WB_ANNOUNCE_START:
    case WB_ANNOUNCE_RESTART:
    case WB_ANNOUNCE_UPDATE:
    case WB_ANNOUNCE_END:
        if (w->neighbours[n].version != WB_LITE_07)
            model_flat(w, n, e);
        else if (e->kind == WB_ANNOUNCE_END)
            ref_router_end(m, n, k, p);
        else if (e->kind == WB_ANNOUNCE_UPDATE)
            ref_router_reprice(m, n, k, p, e->warm);
        else
            ref_router_start(m, n, k, p, epoch, e->warm, e->kind == WB_ANNOUNCE_RESTART);
        break;
    }
}

/* Comparisons of one change of a claim: of a tree of all that is held, in each table and answer. */
static void check_cost(struct ann *w, const struct wb_announce_event *e, uint64_t compared)
{
    uint64_t answers = 0;

    if (e->kind != WB_ANNOUNCE_START && e->kind != WB_ANNOUNCE_END &&
        e->kind != WB_ANNOUNCE_UPDATE && e->kind != WB_ANNOUNCE_RESTART)
        return;
    for (size_t n = 0; n < ANN_NEIGHBOURS; n++)
        answers += w->answers[n].on + w->neighbours[n].on;
    FUZZ_CHECK(ANN_042, compared <= (1 + answers) * (4 * 7 + 16));
}

/* What a subscriber tells of a route, and that all of it ends before the route. */
static void note_heard(struct ann_neighbour *from, const struct wb_announce_event *e)
{
    uint16_t *heard = &from->heard[(e->node - 1) % REF_NODES];

    if (from->version != WB_LITE_07)
        return;
    if (e->kind == WB_ANNOUNCE_START)
        *heard |= (uint16_t)(1u << ann_path_number(e->path));
    else if (e->kind == WB_ANNOUNCE_END)
        *heard &= (uint16_t) ~(1u << ann_path_number(e->path));
    else if (e->kind == WB_ANNOUNCE_ROUTE_END)
        FUZZ_CHECK(ANN_026, *heard == 0);
}

static bool hear_event(struct ann *w, uint8_t n, const struct wb_announce_event *e)
{
    uint64_t compared = wb_cost.paths_compared;
    unsigned tries = 0;
    enum wb_err err;

    if (!is_ours(&w->neighbours[n], e))
        return false;
    ann_show_event(w, "hears", 'n', n, e);
    note_heard(&w->neighbours[n], e);
    while ((err = wb_router_hear(w->core, w->neighbours[n].core, e)) != WB_OK)
        if (!ann_again(w, err, &tries))
            return false;
    if (tries == 0)
        check_cost(w, e, wb_cost.paths_compared - compared);
    model_hear(w, n, e);
    sim_run_note(w->run, (uint64_t)e->kind << 32 | e->id << 8 | n);
    ann_answers_lost(w);
    return true;
}

/* A broken stream still ends: END of each claim it told, then CLOSED, and the session goes. */
static void break_off(struct ann *w, uint8_t n, int ends)
{
    struct ann_neighbour *from = &w->neighbours[n];
    struct wb_announce_event e;
    struct wb_view none = {0};
    unsigned tries = 0;
    int ended = 0;
    enum wb_err err;

    while ((err = wb_announce_sub_end(from->sub, false)) == WB_E_NOMEM)
        if (!ann_again(w, err, &tries))
            break;
    do {
        err = wb_announce_sub_next(from->sub, &none, &e);
        FUZZ_CHECK(ANN_040, err == WB_OK || err == WB_E_NOMEM);
        if (err == WB_OK)
            ended += e.kind == WB_ANNOUNCE_END && e.abrupt;
        else if (!ann_again(w, err, &tries))
            return;
    } while (err != WB_OK || e.kind != WB_ANNOUNCE_CLOSED);
    err = wb_announce_sub_next(from->sub, &none, &e);
    FUZZ_CHECK(ANN_040, err != WB_OK && err != WB_MORE);
    FUZZ_CHECK(ANN_040, ends < 0 || ended == ends);
}

static int visible_claims(const struct ann_neighbour *from)
{
    int claims = __builtin_popcount(from->visible);

    for (uint8_t k = 1; k < REF_NODES; k++)
        claims += __builtin_popcount(from->routes[k].claims);
    return from->raw ? -1 : claims;
}

void ann_hear(struct ann *w, uint8_t n, struct wb_view bytes, int expect, int events)
{
    struct ann_neighbour *from = &w->neighbours[n];
    struct wb_announce_event e;
    unsigned tries = 0;
    int heard = 0;
    enum wb_err err;

    for (;;) {
        err = wb_announce_sub_next(from->sub, &bytes, &e);
        if (err == WB_OK) {
            heard++;
            if (!hear_event(w, n, &e)) {
                ann_leave(w, n);
                return;
            }
        } else if (err != WB_E_NOMEM || !ann_again(w, err, &tries)) {
            break;
        }
    }
    FUZZ_CHECK(ANN_040, expect < 0 || (int)err == expect);
    FUZZ_CHECK(ANN_041, events < 0 || err != WB_MORE || heard == events);
    if (err == WB_MORE) {
        FUZZ_CHECK(ANN_041, bytes.len == 0);
        return;
    }
    w->outcome = err;
    sim_mark(w->run, ANN_MARK_VIOLATION);
    sim_run_story(w->run, "%sn%u %s", w->run->story_len > 0 ? " | " : "", (unsigned)n,
                  wb_err_name((int)err));
    ann_show(w, "broken   n%u %s", (unsigned)n, wb_err_name((int)err));
    break_off(w, n, visible_claims(from));
    ann_leave(w, n);
}

bool ann_hear_end(struct ann *w, uint8_t n, bool clean)
{
    struct ann_neighbour *from = &w->neighbours[n];
    struct wb_announce_event e;
    struct wb_view none = {0};
    unsigned tries = 0;
    enum wb_err err;

    if (from->sub == NULL)
        return false;
    err = wb_announce_sub_end(from->sub, clean);
    FUZZ_CHECK(ANN_040, err == WB_OK || (err == WB_E_TRUNCATED && clean && from->raw));
    sim_mark(w->run, ANN_MARK_FIN);
    do {
        err = wb_announce_sub_next(from->sub, &none, &e);
        FUZZ_CHECK(ANN_040, err == WB_OK || err == WB_E_NOMEM);
        if (err == WB_OK ? !hear_event(w, n, &e) : !ann_again(w, err, &tries)) {
            ann_leave(w, n);
            return true;
        }
    } while (err != WB_OK || e.kind != WB_ANNOUNCE_CLOSED);
    wb_announce_sub_free(from->sub);
    *from = (struct ann_neighbour){.on = true, .version = from->version, .core = from->core};
    return true;
}
