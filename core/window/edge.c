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

enum wb_err wb_edges_reserve(struct wb_spans *all, uint64_t spans)
{
    while (all->edges < wb_edges_for(spans)) {
        struct wb_edge *e = wb_mem_take(all->mem, sizeof(*e));

        if (e == NULL)
            return WB_E_NOMEM;
        all->edges++;
        set_aside(all, e);
    }
    return WB_OK;
}

static void drop(struct wb_spans *all, struct wb_edge *e)
{
    RB_REMOVE(wb_edge_tree, &all->differing, e);
    set_aside(all, e);
}

void wb_edge_toggle(struct wb_spans *all, struct wb_position at)
{
    struct wb_edge *e = NULL, key;

    for (uint32_t i = 0; i < all->few_count; i++)
        if (wb_position_equal(all->few[i], at)) {
            all->few[i] = all->few[--all->few_count];
            return;
        }
    if (!RB_EMPTY(&all->differing)) {
        key.at = at;
        e = RB_FIND(wb_edge_tree, &all->differing, &key);
    }
    if (e != NULL) {
        drop(all, e);
    } else if (all->few_count < WB_EDGES_FEW) {
        all->few[all->few_count++] = at;
    } else {
        e = all->spare_edges;
        WB_ASSERT(e != NULL);
        all->spare_edges = RB_LEFT(e, tree);
        e->at = at;
        RB_INSERT(wb_edge_tree, &all->differing, e);
    }
}

void wb_edges_clear(struct wb_spans *all)
{
    struct wb_edge *e;

    all->few_count = 0;
    while ((e = RB_ROOT(&all->differing)) != NULL)
        drop(all, e);
}

void wb_edges_trim(struct wb_spans *all, uint64_t spans)
{
    while (all->edges > wb_edges_for(spans) && all->spare_edges != NULL) {
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
    WB_ASSERT(edges + all->few_count <= 2 * all->owed);
    for (e = all->spare_edges; e != NULL; e = RB_LEFT(e, tree))
        edges++;
    WB_ASSERT(edges == all->edges);
    WB_ASSERT(edges >= wb_edges_for(all->owed));
}
