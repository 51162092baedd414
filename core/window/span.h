/*
 * span.h: the nodes of a demand, shared by demand.c, span.c, span_gap.c and edge.c. Private to
 * core/window.
 */
#ifndef WB_SPAN_H
#define WB_SPAN_H

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/window/window.h"

#include <bsd/sys/tree.h>

/*
 * One span that somebody asks for. In the tree of ages the first group is the age, and nothing else
 * counts.
 */
struct wb_span {
    RB_ENTRY(wb_span) tree; /* a spare one is chained by its left */
    struct wb_run run;
    /*
     * Of the subtree: the span that reaches furthest (the first of equals), and the last one that
     * begins behind a gap; the subtree's first does, whatever is in front of it. `head` is the
     * furthest without the right subtree.
     */
    struct wb_span *furthest, *behind, *head;
    uint32_t refs;
    uint32_t starts;    /* subscribers for whom it is the explicit start */
    uint64_t born;      /* how many observations there were */
    uint32_t has_start; /* 1: `starts` somewhere in the subtree */
};
RB_HEAD(wb_span_tree, wb_span);

/* A place where the union has a boundary now or had one when it was observed, but not both. */
struct wb_edge {
    RB_ENTRY(wb_edge) tree; /* a spare one is chained by its left */
    struct wb_position at;
};
RB_HEAD(wb_edge_tree, wb_edge);

#define WB_EDGES_FEW 8u

/*
 * Places that differ are boundaries of spans that live or lived at the last observation, so two
 * edges for each of these are enough: they are there before they are needed, and a span goes
 * without a question to the allocator.
 */
struct wb_spans {
    struct wb_mem *mem;
    struct wb_span_tree tree, ages;
    struct wb_position few[WB_EDGES_FEW]; /* of what differs */
    uint32_t few_count;
    struct wb_edge_tree differing; /* what is more; grows only while `few` is full */
    struct wb_span *spare_spans;
    struct wb_edge *spare_edges;
    uint64_t spans, edges;       /* allocated, spare ones too */
    uint64_t used;               /* nodes of both trees */
    uint64_t owed;               /* spans that edges are held for: live ones, and gone ones */
    uint64_t gone;               /* those that lived at the last observation */
    uint64_t used_max, owed_max; /* since the last observation */
    uint64_t observations;       /* of those that found something moved */
    bool has_moved;              /* nodes came or went, or may be freed */
};

void wb_spans_fini(struct wb_spans *all);
/*
 * One more who asks for the run, as its explicit start or not; a gap that it closes is counted as a
 * change. WB_E_NOMEM.
 */
WB_MUST_USE enum wb_err wb_span_get(struct wb_spans *all, const struct wb_run *run, bool is_start,
                                    struct wb_span **out);
/* One less, who got it with the same is_start. */
void wb_span_put(struct wb_spans *all, struct wb_span *n, bool is_start);
WB_MUST_USE enum wb_err wb_age_get(struct wb_spans *all, uint64_t age, struct wb_span **out);
void wb_age_put(struct wb_spans *all, struct wb_span *n);
void wb_spans_observe_moved(struct wb_spans *all);
/* The union is what it was observed to be from now on; what nobody needed since is freed. */
static inline void wb_spans_observe(struct wb_spans *all)
{
    if (all->has_moved)
        wb_spans_observe_moved(all);
}
/* The lowest explicit start, or NULL. */
const struct wb_span *wb_spans_start(const struct wb_spans *all);
/* The highest age; asserts that there is one. */
uint64_t wb_spans_age(const struct wb_spans *all);
void wb_spans_check(const struct wb_spans *all);

/* ---- span_gap.c ---- */

/* The only one for this run comes or goes: what nobody else covers of it changes sides. */
void wb_spans_flip(struct wb_spans *all, struct wb_span *n);
bool wb_spans_next(const struct wb_spans *all, struct wb_position from, struct wb_run *out);

/* ---- edge.c ---- */

/* Room for the edges of so many spans. WB_E_NOMEM. */
WB_MUST_USE enum wb_err wb_edges_reserve(struct wb_spans *all, uint64_t spans);
static inline bool wb_edges_some(const struct wb_spans *all)
{
    return all->few_count > 0 || !RB_EMPTY(&all->differing);
}
/* How many of the tree so many spans may need. */
static inline uint64_t wb_edges_for(uint64_t spans)
{
    return 2 * spans > WB_EDGES_FEW ? 2 * spans - WB_EDGES_FEW : 0;
}
/* The union gained or lost a boundary there. */
void wb_edge_toggle(struct wb_spans *all, struct wb_position at);
/* Nothing differs from now on. */
void wb_edges_clear(struct wb_spans *all);
/* Keeps edges for so many spans, if there are more. */
void wb_edges_trim(struct wb_spans *all, uint64_t spans);
void wb_edges_check(const struct wb_spans *all);

#endif
