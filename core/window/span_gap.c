/*
 * span_gap.c: what spans cover, and the gaps between them. moq-lite, subscriptions: aggregate.
 */
#include "core/base/cost.h"
#include "core/window/span.h"

static inline bool less(struct wb_position a, struct wb_position b)
{
    WB_COST(positions_compared, 1);
    return wb_position_less(a, b);
}

/* How far a run is covered while its spans are walked in their order. */
struct walk {
    struct wb_position at; /* the first position of the run that may be bare */
    struct wb_position last;
    bool is_over; /* covered to its end */
};

static inline void cover(struct walk *w, const struct wb_span *n)
{
    struct wb_position past = n->run.last;

    if (!less(past, w->last)) {
        w->is_over = true;
        return;
    }
    if (less(past, w->at))
        return;
    if (past.frame < UINT64_MAX)
        past.frame++;
    else
        past = wb_position_group(past.group + 1); /* it is less than another */
    w->at = past;
}

#define NEARBY 1u
#define ALL    UINT32_MAX

static inline const struct wb_span *further(const struct wb_span *a, const struct wb_span *b)
{
    return a == NULL || less(a->run.last, b->run.last) ? b : a;
}

/*
 * The one that reaches furthest of those in front of n, or any of them that reaches as far as
 * `last`: of those found in the first `turns` subtrees on the way to the root.
 */
static inline const struct wb_span *front_of(const struct wb_span *n, struct wb_position last,
                                             unsigned turns)
{
    const struct wb_span *left = RB_LEFT(n, tree), *p, *best = NULL;

    if (left != NULL)
        best = left->furthest;
    for (; (p = RB_PARENT(n, tree)) != NULL; n = p) {
        if (n == RB_LEFT(p, tree))
            continue;
        best = further(best, p->head);
        if (--turns == 0 || !less(best->run.last, last))
            break;
    }
    return best;
}

/* The first of the subtree that begins behind a gap; there is one, or the walk is over. */
static struct wb_span *gap_in(struct walk *w, struct wb_span *n)
{
    for (;;) {
        struct wb_span *left = RB_LEFT(n, tree);

        if (left != NULL && less(w->at, left->behind->run.first)) {
            n = left;
            continue;
        }
        if (left != NULL)
            cover(w, left->furthest);
        if (w->is_over || less(w->at, n->run.first))
            return n;
        cover(w, n);
        if (w->is_over)
            return n;
        n = RB_RIGHT(n, tree);
    }
}

/* The first after n that begins behind a gap; NULL when there is none, or the walk is over. */
static struct wb_span *gap_after(struct walk *w, struct wb_span *n)
{
    while (!w->is_over) {
        struct wb_span *right = RB_RIGHT(n, tree), *p;

        if (right != NULL) {
            if (less(w->at, right->behind->run.first))
                return gap_in(w, right);
            cover(w, right->furthest);
        }
        while ((p = RB_PARENT(n, tree)) != NULL && n == RB_RIGHT(p, tree))
            n = p;
        if (p == NULL || w->is_over)
            return NULL;
        n = p;
        if (less(w->at, n->run.first))
            return n;
        cover(w, n);
    }
    return NULL;
}

void wb_spans_flip(struct wb_spans *all, struct wb_span *n)
{
    struct walk w = {n->run.first, n->run.last, false};
    const struct wb_span *front = front_of(n, n->run.last, NEARBY);
    struct wb_span *next;

    /* As a rule the neighbours will do. */
    if (front != NULL)
        cover(&w, front);
    if (!w.is_over)
        (void)gap_after(&w, n);
    if (w.is_over)
        return;
    w.at = n->run.first;
    front = front_of(n, n->run.last, ALL);
    if (front != NULL)
        cover(&w, front);
    next = gap_after(&w, n);
    while (!w.is_over) {
        struct wb_position past;

        wb_edge_toggle(all, w.at);
        if (next == NULL || less(w.last, next->run.first)) {
            if (wb_position_after(w.last, &past))
                wb_edge_toggle(all, past);
            return;
        }
        wb_edge_toggle(all, next->run.first);
        w.at = next->run.first;
        cover(&w, next);
        next = gap_after(&w, next);
    }
}

bool wb_spans_next(const struct wb_spans *all, struct wb_position from, struct wb_run *out)
{
    struct wb_span *n = RB_ROOT(&all->tree), *behind = NULL, *front = NULL;
    struct walk w = {from, WB_POSITION_LAST, false};

    /* The last one that begins at or before `from`, and the first one past it. */
    while (n != NULL) {
        bool is_past = less(from, n->run.first);

        if (is_past)
            behind = n;
        else
            front = n;
        n = is_past ? RB_LEFT(n, tree) : RB_RIGHT(n, tree);
    }
    if (front != NULL)
        cover(&w, further(front_of(front, WB_POSITION_LAST, ALL), front));
    if (!w.is_over && wb_position_equal(w.at, from)) { /* bare */
        if (behind == NULL)
            return false;
        front = behind;
        w.at = from = behind->run.first;
        cover(&w, behind);
    }
    if (!w.is_over)
        (void)gap_after(&w, front);
    *out = (struct wb_run){from, WB_POSITION_LAST};
    if (!w.is_over)
        WB_ASSERT(wb_position_before(w.at, &out->last));
    return true;
}
