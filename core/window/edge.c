/*
 * edge.c: where the union differs from what was observed. moq-lite, subscriptions: aggregate.
 */
#include "core/base/cost.h"
#include "core/window/span.h"

static int compare(const struct wb_edge *a, const struct wb_edge *b)
{
    WB_COST(positions_compared, 1);
    if (wb_position_less(a->at, b->at))
        return -1;
    return wb_position_less(b->at, a->at);
}

RB_PROTOTYPE(wb_edge_tree, wb_edge, tree, compare)
RB_GENERATE(wb_edge_tree, wb_edge, tree, compare)

static void set_aside(struct wb_spans *all, struct wb_edge *e)
{
    RB_LEFT(e, tree) = all->spare_edges;
    all->spare_edges = e;
}

enum wb_err wb_edges_reserve(struct wb_spans *all)
{
    while (all->edges < 2 * (all->owed + 1)) {
        struct wb_edge *e = wb_mem_take(all->mem, sizeof(*e));

        if (e == NULL)
            return WB_E_NOMEM;
        all->edges++;
        set_aside(all, e);
    }
    return WB_OK;
}

void wb_edge_toggle(struct wb_spans *all, struct wb_position at)
{
    struct wb_edge *e = all->spare_edges, *twin;

    /* One is spare: before there are twice as many as are owed, one of them is its twin. */
    if (e == NULL) {
        struct wb_edge key = {.at = at};

        e = RB_FIND(wb_edge_tree, &all->differing, &key);
        WB_ASSERT(e != NULL);
        RB_REMOVE(wb_edge_tree, &all->differing, e);
        set_aside(all, e);
        return;
    }
    all->spare_edges = RB_LEFT(e, tree);
    e->at = at;
    twin = RB_INSERT(wb_edge_tree, &all->differing, e);
    if (twin == NULL)
        return;
    RB_REMOVE(wb_edge_tree, &all->differing, twin);
    set_aside(all, twin);
    set_aside(all, e);
}

void wb_edges_clear(struct wb_spans *all)
{
    struct wb_edge *e;

    while ((e = RB_ROOT(&all->differing)) != NULL) {
        RB_REMOVE(wb_edge_tree, &all->differing, e);
        set_aside(all, e);
    }
}

void wb_edges_trim(struct wb_spans *all, uint64_t spans)
{
    while (all->edges > 2 * spans && all->spare_edges != NULL) {
        struct wb_edge *e = all->spare_edges;

        all->spare_edges = RB_LEFT(e, tree);
        wb_mem_give(all->mem, e, sizeof(*e));
        all->edges--;
    }
}

void wb_edges_check(const struct wb_spans *all)
{
    struct wb_spans *own = (struct wb_spans *)(uintptr_t)all; /* tree.h has no const */
    const struct wb_edge *last = NULL;
    struct wb_edge *e;
    uint64_t edges = 0;

    RB_FOREACH(e, wb_edge_tree, &own->differing)
    {
        if (last != NULL)
            WB_ASSERT(wb_position_less(last->at, e->at));
        last = e;
        edges++;
    }
    WB_ASSERT(edges <= 2 * all->owed);
    for (e = all->spare_edges; e != NULL; e = RB_LEFT(e, tree))
        edges++;
    WB_ASSERT(edges == all->edges);
    WB_ASSERT(edges >= 2 * all->owed);
}
