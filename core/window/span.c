/*
 * span.c: the tree of spans. moq-lite, subscriptions: aggregate.
 */
#include "core/window/span.h"

#include "core/base/cost.h"

#define SPARE 4u /* kept beyond what was in use */

static inline bool less(struct wb_position a, struct wb_position b)
{
    WB_COST(positions_compared, 1);
    return wb_position_less(a, b);
}

/* Is anything between the end of one and the beginning of the other? */
static inline bool parts(const struct wb_span *front, const struct wb_span *back)
{
    struct wb_position end = front->run.last, begin = back->run.first;

    WB_COST(positions_compared, 1);
    if (end.group >= begin.group)
        return end.group == begin.group && end.frame < begin.frame && end.frame + 1 < begin.frame;
    return begin.frame > 0 || end.frame < UINT64_MAX || end.group + 1 < begin.group;
}

/* From the children; false when it is what it was. */
static bool aggregate(struct wb_span *n)
{
    const struct wb_span *left = RB_LEFT(n, tree), *right = RB_RIGHT(n, tree);
    struct wb_span *furthest = n, *behind = n;
    unsigned has_start = n->starts > 0;
    uintptr_t news;

    if (left != NULL) {
        furthest = left->furthest;
        has_start |= left->has_start;
        if (!parts(furthest, n))
            behind = left->behind;
        if (less(furthest->run.last, n->run.last))
            furthest = n;
    }
    n->head = furthest;
    if (right != NULL) {
        has_start |= right->has_start;
        if (parts(furthest, right->behind))
            behind = right->behind;
        if (less(furthest->run.last, right->furthest->run.last))
            furthest = right->furthest;
    }
    news = ((uintptr_t)n->furthest ^ (uintptr_t)furthest) |
           ((uintptr_t)n->behind ^ (uintptr_t)behind) | (n->has_start ^ has_start);
    n->furthest = furthest;
    n->behind = behind;
    n->has_start = has_start;
    return news != 0;
}

static int compare(const struct wb_span *a, const struct wb_span *b)
{
    if (!wb_position_equal(a->run.first, b->run.first))
        return less(a->run.first, b->run.first) ? -1 : 1;
    if (!wb_position_equal(a->run.last, b->run.last))
        return less(a->run.last, b->run.last) ? -1 : 1;
    return 0;
}

/* `to` hangs where n hung. */
static void replace(struct wb_span_tree *tree, const struct wb_span *n, struct wb_span *to)
{
    struct wb_span *parent = RB_PARENT(n, tree);

    if (parent == NULL)
        RB_ROOT(tree) = to;
    else if (RB_LEFT(parent, tree) == n)
        RB_LEFT(parent, tree) = to;
    else
        RB_RIGHT(parent, tree) = to;
    if (to != NULL)
        RB_PARENT(to, tree) = parent;
}

/* `top` takes the place of n, which is its child from now on. */
static void rotated(struct wb_span_tree *tree, struct wb_span *n, struct wb_span *top)
{
    replace(tree, n, top);
    RB_PARENT(n, tree) = top;
    top->furthest = n->furthest;
    top->behind = n->behind;
    top->has_start = n->has_start;
    (void)aggregate(n);
}

static struct wb_span *rotate_left(struct wb_span_tree *tree, struct wb_span *n)
{
    struct wb_span *top = RB_RIGHT(n, tree), *inner = RB_LEFT(top, tree);

    RB_RIGHT(n, tree) = inner;
    if (inner != NULL)
        RB_PARENT(inner, tree) = n;
    RB_LEFT(top, tree) = n;
    rotated(tree, n, top);
    top->head = less(n->furthest->run.last, top->run.last) ? top : n->furthest;
    return top;
}

static struct wb_span *rotate_right(struct wb_span_tree *tree, struct wb_span *n)
{
    struct wb_span *top = RB_LEFT(n, tree), *inner = RB_RIGHT(top, tree);

    RB_LEFT(n, tree) = inner;
    if (inner != NULL)
        RB_PARENT(inner, tree) = n;
    RB_RIGHT(top, tree) = n;
    rotated(tree, n, top);
    return top;
}

/*
 * Of tree.h: walks and colours. Its own rotations would ask three nodes for their aggregates, and
 * its own removal all up to the root.
 */
#undef RB_ROTATE_LEFT
#undef RB_ROTATE_RIGHT
#define RB_ROTATE_LEFT(head, elm, tmp, field)  ((tmp) = rotate_left(head, elm))
#define RB_ROTATE_RIGHT(head, elm, tmp, field) ((tmp) = rotate_right(head, elm))
RB_PROTOTYPE(wb_span_tree, wb_span, tree, compare)
RB_GENERATE(wb_span_tree, wb_span, tree, compare)

static void aggregate_up(struct wb_span *n)
{
    while (n != NULL && aggregate(n))
        n = RB_PARENT(n, tree);
}

/* After `starts` changed from or to 0. */
static void mark(struct wb_span *n)
{
    aggregate_up(n);
}

/* ---- what comes and goes --------------------------------------------------------------------- */

/* Where a run is in the tree, or where it belongs. */
struct place {
    struct wb_span **link, *parent;
};

static inline struct place look_up(struct wb_span_tree *tree, const struct wb_run *run)
{
    struct place at = {&RB_ROOT(tree), NULL};
    struct wb_span *n;

    while ((n = *at.link) != NULL) {
        bool right;

        WB_COST(positions_compared, 1);
        if (run->first.group != n->run.first.group)
            right = run->first.group > n->run.first.group;
        else if (run->first.frame != n->run.first.frame)
            right = run->first.frame > n->run.first.frame;
        else if (wb_position_equal(run->last, n->run.last))
            break;
        else
            right = less(n->run.last, run->last);
        at.parent = n;
        at.link = right ? &RB_RIGHT(n, tree) : &RB_LEFT(n, tree);
    }
    return at;
}

static inline void link_leaf(struct place at, struct wb_span *n)
{
    RB_SET(n, at.parent, tree);
    *at.link = n;
}

static void unlink_node(struct wb_span_tree *tree, struct wb_span *n)
{
    struct wb_span *heir = n, *child, *from;
    int color;

    if (RB_LEFT(n, tree) != NULL && RB_RIGHT(n, tree) != NULL)
        for (heir = RB_RIGHT(n, tree); RB_LEFT(heir, tree) != NULL;)
            heir = RB_LEFT(heir, tree);
    child = RB_LEFT(heir, tree) != NULL ? RB_LEFT(heir, tree) : RB_RIGHT(heir, tree);
    from = RB_PARENT(heir, tree);
    color = RB_COLOR(heir, tree);
    replace(tree, heir, child);
    if (heir != n) {
        if (from == n)
            from = heir;
        replace(tree, n, heir);
        heir->tree = n->tree;
        RB_PARENT(RB_LEFT(heir, tree), tree) = heir;
        if (RB_RIGHT(heir, tree) != NULL)
            RB_PARENT(RB_RIGHT(heir, tree), tree) = heir;
        /* What the heir left behind, up to its new place; above it as for any other. */
        for (struct wb_span *p = from; p != heir; p = RB_PARENT(p, tree))
            (void)aggregate(p);
        (void)aggregate(heir);
        aggregate_up(RB_PARENT(heir, tree));
    } else {
        aggregate_up(from);
    }
    if (color == RB_BLACK)
        wb_span_tree_RB_REMOVE_COLOR(tree, from, child);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static struct wb_span *fresh(struct wb_spans *all, const struct wb_run *run)
{
    struct wb_span *n = all->spare_spans;

    if (n != NULL) {
        all->spare_spans = RB_LEFT(n, tree);
    } else {
        n = wb_mem_take(all->mem, sizeof(*n));
        if (n == NULL)
            return NULL;
        all->spans++;
    }
    n->run = *run;
    n->head = n->furthest = n->behind = n;
    n->refs = 1;
    n->starts = 0;
    n->born = all->observations;
    n->has_start = false;
    if (++all->used > all->used_max)
        all->used_max = all->used;
    all->has_moved = true;
    return n;
}

static void set_aside(struct wb_spans *all, struct wb_span *n)
{
    RB_LEFT(n, tree) = all->spare_spans;
    all->spare_spans = n;
    all->used--;
    all->has_moved = true;
}

static void trim(struct wb_spans *all, uint64_t keep)
{
    while (all->spans > keep && all->spare_spans != NULL) {
        struct wb_span *n = all->spare_spans;

        all->spare_spans = RB_LEFT(n, tree);
        wb_mem_give(all->mem, n, sizeof(*n));
        all->spans--;
    }
}

void wb_spans_fini(struct wb_spans *all)
{
    WB_ASSERT(all->used == 0);
    wb_edges_clear(all);
    wb_edges_trim(all, 0);
    trim(all, 0);
    WB_ASSERT(all->edges == 0 && all->spans == 0);
}

enum wb_err wb_span_get(struct wb_spans *all, const struct wb_run *run, bool is_start,
                        struct wb_span **out)
{
    struct place at = look_up(&all->tree, run);
    struct wb_span *n = *at.link;

    if (n != NULL) {
        n->refs++;
        if (is_start && n->starts++ == 0)
            mark(n);
        *out = n;
        return WB_OK;
    }
    if (all->edges < wb_edges_for(all->owed + 1))
        WB_TRY(wb_edges_reserve(all, all->owed + 1));
    n = fresh(all, run);
    if (n == NULL)
        return WB_E_NOMEM;
    if (++all->owed > all->owed_max)
        all->owed_max = all->owed;
    n->has_start = n->starts = is_start;
    link_leaf(at, n);
    wb_spans_flip(all, n);
    aggregate_up(at.parent);
    wb_span_tree_RB_INSERT_COLOR(&all->tree, n);
    *out = n;
    return WB_OK;
}

void wb_span_put(struct wb_spans *all, struct wb_span *n, bool is_start)
{
    WB_ASSERT(n->refs > 0);
    if (--n->refs > 0) {
        if (is_start && --n->starts == 0)
            mark(n);
        return;
    }
    wb_spans_flip(all, n);
    unlink_node(&all->tree, n);
    if (n->born < all->observations)
        all->gone++;
    else
        all->owed--;
    set_aside(all, n);
}

enum wb_err wb_age_get(struct wb_spans *all, uint64_t age, struct wb_span **out)
{
    const struct wb_run run = {{age, 0}, {age, 0}};
    struct place at = look_up(&all->ages, &run);
    struct wb_span *n = *at.link;

    if (n != NULL) {
        n->refs++;
        *out = n;
        return WB_OK;
    }
    n = fresh(all, &run);
    if (n == NULL)
        return WB_E_NOMEM;
    link_leaf(at, n);
    aggregate_up(at.parent);
    wb_span_tree_RB_INSERT_COLOR(&all->ages, n);
    *out = n;
    return WB_OK;
}

void wb_age_put(struct wb_spans *all, struct wb_span *n)
{
    WB_ASSERT(n->refs > 0);
    if (--n->refs > 0)
        return;
    unlink_node(&all->ages, n);
    set_aside(all, n);
}

void wb_spans_observe_moved(struct wb_spans *all)
{
    /* What was needed until now is freed by the next one. */
    all->has_moved = all->used_max > all->used || all->owed_max > all->owed - all->gone;
    if (wb_edges_some(all))
        wb_edges_clear(all);
    all->observations++;
    all->owed -= all->gone;
    all->gone = 0;
    if (all->edges > wb_edges_for(all->owed_max + SPARE))
        wb_edges_trim(all, all->owed_max + SPARE);
    if (all->spans > all->used_max + SPARE)
        trim(all, all->used_max + SPARE);
    all->owed_max = all->owed;
    all->used_max = all->used;
}

/* ---- questions ------------------------------------------------------------------------------- */

const struct wb_span *wb_spans_start(const struct wb_spans *all)
{
    const struct wb_span *n = RB_ROOT(&all->tree);

    if (n == NULL || !n->has_start)
        return NULL;
    for (;;) {
        const struct wb_span *left = RB_LEFT(n, tree);

        if (left != NULL && left->has_start)
            n = left;
        else if (n->starts > 0)
            return n;
        else
            n = RB_RIGHT(n, tree);
    }
}

uint64_t wb_spans_age(const struct wb_spans *all)
{
    WB_ASSERT(!RB_EMPTY(&all->ages));
    return RB_ROOT(&all->ages)->furthest->run.last.group;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static uint64_t check_tree(const struct wb_span_tree *tree, uint64_t observations)
{
    struct wb_span_tree *own = (struct wb_span_tree *)(uintptr_t)tree; /* tree.h has no const */
    struct wb_span *n, *head, *last = NULL;
    uint64_t count = 0;

    RB_FOREACH(n, wb_span_tree, own)
    {
        if (last != NULL)
            WB_ASSERT(compare(last, n) < 0);
        head = n->head;
        WB_ASSERT(!aggregate(n));
        WB_ASSERT(n->head == head);
        WB_ASSERT(n->refs > 0);
        WB_ASSERT(n->starts <= n->refs);
        WB_ASSERT(n->born <= observations);
        count++;
        last = n;
    }
    return count;
}

void wb_spans_check(const struct wb_spans *all)
{
    uint64_t spans = check_tree(&all->tree, all->observations), used;

    WB_ASSERT(all->owed == spans + all->gone);
    used = spans + check_tree(&all->ages, all->observations);
    WB_ASSERT(used == all->used);
    for (const struct wb_span *n = all->spare_spans; n != NULL; n = RB_LEFT(n, tree))
        used++;
    WB_ASSERT(used == all->spans);
    wb_edges_check(all);
}
