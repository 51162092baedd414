/*
 * demand_tree.c: places, their weights, and where nobody is. moq-lite, subscriptions: aggregate.
 */
#include "core/window/demand_tree.h"

#include "core/base/cost.h"

#define SPARE 8u /* always kept */

static int32_t sum_of(const struct wb_demand_node *n)
{
    return n == NULL ? 0 : n->sum;
}

static int32_t low_of(const struct wb_demand_node *n)
{
    return n == NULL ? 0 : n->low;
}

static uint8_t has_of(const struct wb_demand_node *n)
{
    return n == NULL ? 0 : n->has;
}

static uint8_t own_marks(const struct wb_demand_node *n)
{
    return (uint8_t)((n->starts > 0 ? WB_DEMAND_STARTS : 0) | (n->ends > 0 ? WB_DEMAND_ENDS : 0));
}

static void lowest(struct wb_demand_node *n)
{
    const struct wb_demand_node *left = RB_LEFT(n, tree), *right = RB_RIGHT(n, tree);
    int32_t before = low_of(left), behind = sum_of(left) + n->weight + low_of(right);

    n->low = behind < before ? behind : before;
}

static uint8_t marks(const struct wb_demand_node *n)
{
    return own_marks(n) | has_of(RB_LEFT(n, tree)) | has_of(RB_RIGHT(n, tree));
}

static void aggregate(struct wb_demand_node *n)
{
    n->sum = sum_of(RB_LEFT(n, tree)) + n->weight + sum_of(RB_RIGHT(n, tree));
    lowest(n);
    n->has = marks(n);
}

static int compare(const struct wb_demand_node *a, const struct wb_demand_node *b)
{
    if (wb_position_less(a->key, b->key))
        return -1;
    return wb_position_less(b->key, a->key);
}

/*
 * tree.h tells of each node whose children change, and of all above one that a removal moved. Nodes
 * come and go with weight 0 and no marks, so that the rest of the way up stays as it is.
 */
#undef RB_AUGMENT
#define RB_AUGMENT(n) aggregate(n)
RB_PROTOTYPE(wb_demand_tree, wb_demand_node, tree, compare)
RB_GENERATE(wb_demand_tree, wb_demand_node, tree, compare)

static bool less(struct wb_position a, struct wb_position b)
{
    WB_COST(positions_compared, 1);
    return wb_position_less(a, b);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static void give(struct wb_demand_nodes *all, struct wb_demand_node *n)
{
    wb_mem_give(all->mem, n, sizeof(*n));
    all->count--;
}

static void trim(struct wb_demand_nodes *all, uint64_t keep)
{
    while (all->spare_count > keep) {
        struct wb_demand_node *n = LIST_FIRST(&all->spare);

        LIST_REMOVE(n, link);
        all->spare_count--;
        give(all, n);
    }
}

static void set_aside(struct wb_demand_nodes *all, struct wb_demand_node *n)
{
    LIST_INSERT_HEAD(&all->spare, n, link);
    all->spare_count++;
}

void wb_demand_nodes_fini(struct wb_demand_nodes *all)
{
    WB_ASSERT(RB_EMPTY(&all->places));
    wb_demand_nodes_observe(all);
    trim(all, 0);
    WB_ASSERT(all->count == 0);
}

/* The node of `key`, or NULL and where it belongs. */
static struct wb_demand_node *look_up(struct wb_demand_tree *tree, struct wb_position key,
                                      struct wb_demand_node **out_parent, bool *out_right)
{
    struct wb_demand_node *n = RB_ROOT(tree), *parent = NULL;
    bool right = false;

    while (n != NULL) {
        WB_COST(positions_compared, 1);
        if (key.group != n->key.group)
            right = key.group > n->key.group;
        else if (key.frame != n->key.frame)
            right = key.frame > n->key.frame;
        else
            break;
        parent = n;
        n = right ? RB_RIGHT(n, tree) : RB_LEFT(n, tree);
    }
    *out_parent = parent;
    *out_right = right;
    return n;
}

static struct wb_demand_node *ghost(struct wb_demand_nodes *all, struct wb_position key)
{
    struct wb_demand_node *parent, *n;
    bool right;

    n = look_up(&all->ghosts, key, &parent, &right);
    if (n != NULL)
        RB_REMOVE(wb_demand_tree, &all->ghosts, n);
    return n;
}

static struct wb_demand_node *fresh(struct wb_demand_nodes *all, struct wb_position key)
{
    struct wb_demand_node *n = LIST_FIRST(&all->spare);

    if (n != NULL) {
        LIST_REMOVE(n, link);
        all->spare_count--;
        if (all->spare_count < all->spare_low)
            all->spare_low = all->spare_count;
    } else {
        n = wb_mem_take(all->mem, sizeof(*n));
        if (n == NULL)
            return NULL;
        all->count++;
    }
    *n = (struct wb_demand_node){.key = key};
    return n;
}

enum wb_err wb_demand_node_get(struct wb_demand_nodes *all, struct wb_demand_tree *tree,
                               struct wb_position key, struct wb_demand_node **out)
{
    struct wb_demand_node *parent, *n;
    bool right;

    n = look_up(tree, key, &parent, &right);
    if (n == NULL) {
        if (tree == &all->places && !RB_EMPTY(&all->ghosts))
            n = ghost(all, key);
        if (n == NULL)
            n = fresh(all, key);
        if (n == NULL)
            return WB_E_NOMEM;
        RB_SET(n, parent, tree);
        if (parent == NULL)
            RB_ROOT(tree) = n;
        else if (right)
            RB_RIGHT(parent, tree) = n;
        else
            RB_LEFT(parent, tree) = n;
        wb_demand_tree_RB_INSERT_COLOR(tree, n);
    }
    n->refs++;
    *out = n;
    return WB_OK;
}

void wb_demand_node_put(struct wb_demand_nodes *all, struct wb_demand_tree *tree,
                        struct wb_demand_node *n)
{
    if (n == NULL)
        return;
    WB_ASSERT(n->refs > 0);
    if (--n->refs > 0)
        return;
    WB_ASSERT(n->weight == 0);
    RB_REMOVE(wb_demand_tree, tree, n);
    if (n->differs) {
        n->sum = n->low = 0;
        n->has = 0;
        RB_INSERT(wb_demand_tree, &all->ghosts, n);
    } else {
        set_aside(all, n);
    }
}

void wb_demand_node_weigh(struct wb_demand_node *n, int32_t by)
{
    n->weight += by;
    for (; n != NULL; n = RB_PARENT(n, tree)) {
        n->sum += by;
        lowest(n);
    }
}

void wb_demand_node_mark(struct wb_demand_node *n)
{
    for (; n != NULL; n = RB_PARENT(n, tree)) {
        uint8_t has = marks(n);

        if (n->has == has)
            return;
        n->has = has;
    }
}

/* ---- where nobody is ------------------------------------------------------------------------- */

/* How many spans cover what lies between the node and the next. */
static int32_t depth(const struct wb_demand_node *n)
{
    int32_t d = sum_of(RB_LEFT(n, tree)) + n->weight;

    for (const struct wb_demand_node *p = RB_PARENT(n, tree); p != NULL;
         n = p, p = RB_PARENT(n, tree))
        if (n == RB_RIGHT(p, tree))
            d += sum_of(RB_LEFT(p, tree)) + p->weight;
    return d;
}

/* The first of the subtree with nobody behind it; `before`, more than 0, is the depth in front. */
static struct wb_demand_node *first_bare(struct wb_demand_node *n, int32_t before)
{
    for (;;) {
        struct wb_demand_node *left = RB_LEFT(n, tree);

        if (before + low_of(left) == 0) {
            n = left;
            continue;
        }
        before += sum_of(left) + n->weight;
        if (before == 0)
            return n;
        n = RB_RIGHT(n, tree);
    }
}

/* The first from n on, and before `past`, with nobody behind it. */
static struct wb_demand_node *bare_from(struct wb_demand_node *n, const struct wb_demand_node *past)
{
    int32_t d = depth(n);
    struct wb_demand_node *found = NULL;

    if (d == 0)
        return n;
    if (d + low_of(RB_RIGHT(n, tree)) == 0)
        found = first_bare(RB_RIGHT(n, tree), d);
    d += sum_of(RB_RIGHT(n, tree));
    for (struct wb_demand_node *p = RB_PARENT(n, tree); found == NULL && p != NULL;
         n = p, p = RB_PARENT(n, tree)) {
        if (n == RB_RIGHT(p, tree))
            continue;
        if (past != NULL && !less(p->key, past->key))
            return NULL;
        d += p->weight;
        if (d == 0)
            found = p;
        else if (d + low_of(RB_RIGHT(p, tree)) == 0)
            found = first_bare(RB_RIGHT(p, tree), d);
        d += sum_of(RB_RIGHT(p, tree));
    }
    return found != NULL && past != NULL && !less(found->key, past->key) ? NULL : found;
}

static void toggle(struct wb_demand_nodes *all, struct wb_demand_node *n)
{
    n->differs = !n->differs;
    if (n->differs)
        LIST_INSERT_HEAD(&all->differing, n, link);
    else
        LIST_REMOVE(n, link);
}

/*
 * Where a stretch changes sides, the union gains or loses a boundary at both of its ends. Two
 * neighbours that change do so twice at their common end, which is no change.
 */
void wb_demand_nodes_flip(struct wb_demand_nodes *all, struct wb_demand_node *first,
                          struct wb_demand_node *past)
{
    struct wb_demand_node *n = bare_from(first, past);

    while (n != NULL) {
        struct wb_demand_node *next = RB_NEXT(wb_demand_tree, &all->places, n);

        toggle(all, n);
        if (next == NULL)
            return;
        toggle(all, next);
        n = next == past ? NULL : bare_from(next, past);
    }
}

void wb_demand_nodes_observe(struct wb_demand_nodes *all)
{
    struct wb_demand_node *n;

    while ((n = LIST_FIRST(&all->differing)) != NULL) {
        toggle(all, n);
        if (n->refs > 0)
            continue;
        RB_REMOVE(wb_demand_tree, &all->ghosts, n);
        set_aside(all, n);
    }
    if (all->spare_low > SPARE)
        trim(all, all->spare_count - (all->spare_low - SPARE));
    all->spare_low = all->spare_count;
}

/* ---- questions ------------------------------------------------------------------------------- */

const struct wb_demand_node *wb_demand_nodes_start(const struct wb_demand_nodes *all)
{
    const struct wb_demand_node *n = RB_ROOT(&all->places);

    if ((has_of(n) & WB_DEMAND_STARTS) == 0)
        return NULL;
    for (;;) {
        if ((has_of(RB_LEFT(n, tree)) & WB_DEMAND_STARTS) != 0)
            n = RB_LEFT(n, tree);
        else if (n->starts > 0)
            return n;
        else
            n = RB_RIGHT(n, tree);
    }
}

const struct wb_demand_node *wb_demand_nodes_end(const struct wb_demand_nodes *all)
{
    const struct wb_demand_node *n = RB_ROOT(&all->places);

    if ((has_of(n) & WB_DEMAND_ENDS) == 0)
        return NULL;
    for (;;) {
        if ((has_of(RB_RIGHT(n, tree)) & WB_DEMAND_ENDS) != 0)
            n = RB_RIGHT(n, tree);
        else if (n->ends > 0)
            return n;
        else
            n = RB_LEFT(n, tree);
    }
}

/* tree.h has no const. */
static struct wb_demand_nodes *mutable(const struct wb_demand_nodes *all)
{
    return (struct wb_demand_nodes *)(uintptr_t)all;
}

const struct wb_demand_node *wb_demand_nodes_oldest(const struct wb_demand_nodes *all)
{
    return RB_MAX(wb_demand_tree, &mutable(all)->ages);
}

bool wb_demand_nodes_next(const struct wb_demand_nodes *all, struct wb_position from,
                          struct wb_run *out)
{
    struct wb_demand_node *n = RB_ROOT(&mutable(all)->places), *at = NULL;

    while (n != NULL) {
        bool after = less(from, n->key);

        if (!after)
            at = n;
        n = after ? RB_LEFT(n, tree) : RB_RIGHT(n, tree);
    }
    if (at == NULL || depth(at) == 0) {
        at = at == NULL ? RB_MIN(wb_demand_tree, &mutable(all)->places)
                        : RB_NEXT(wb_demand_tree, NULL, at);
        while (at != NULL && depth(at) == 0)
            at = RB_NEXT(wb_demand_tree, NULL, at);
        if (at == NULL)
            return false;
        from = at->key;
    }
    at = bare_from(at, NULL);
    *out = (struct wb_run){from, WB_POSITION_LAST};
    if (at != NULL)
        WB_ASSERT(wb_position_before(at->key, &out->last));
    return true;
}

bool wb_demand_nodes_hull(const struct wb_demand_nodes *all, struct wb_run *out)
{
    struct wb_demand_node *n;

    if (!wb_demand_nodes_next(all, WB_POSITION_FIRST, out))
        return false;
    out->last = WB_POSITION_LAST;
    if (RB_ROOT(&all->places)->sum > 0)
        return true;
    n = RB_MAX(wb_demand_tree, &mutable(all)->places);
    while (n->weight == 0)
        n = RB_PREV(wb_demand_tree, NULL, n);
    WB_ASSERT(wb_position_before(n->key, &out->last));
    return true;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static uint64_t check_tree(struct wb_demand_tree *tree, bool is_places)
{
    struct wb_demand_node *n, *last = NULL;
    uint64_t count = 0;
    int64_t d = 0;

    RB_FOREACH(n, wb_demand_tree, tree)
    {
        struct wb_demand_node want = *n;

        if (last != NULL)
            WB_ASSERT(wb_position_less(last->key, n->key));
        aggregate(&want);
        WB_ASSERT(want.sum == n->sum);
        WB_ASSERT(want.low == n->low);
        WB_ASSERT(want.has == n->has);
        WB_ASSERT(is_places || n->weight == 0);
        WB_ASSERT(n->starts <= n->refs);
        WB_ASSERT(n->ends <= n->refs);
        d += n->weight;
        WB_ASSERT(d >= 0);
        count++;
        last = n;
    }
    return count;
}

void wb_demand_nodes_check(const struct wb_demand_nodes *all)
{
    struct wb_demand_nodes *own = mutable(all);
    uint64_t spare = 0, ghosts = 0, count = 0;
    struct wb_demand_node *n;

    count += check_tree(&own->places, true);
    count += check_tree(&own->ages, false);
    RB_FOREACH(n, wb_demand_tree, &own->places)
    WB_ASSERT(n->refs > 0);
    LIST_FOREACH(n, &own->differing, link)
    {
        WB_ASSERT(n->differs);
        ghosts += n->refs == 0;
    }
    WB_ASSERT(check_tree(&own->ghosts, false) == ghosts);
    LIST_FOREACH(n, &own->spare, link)
    spare++;
    WB_ASSERT(spare == all->spare_count);
    WB_ASSERT(all->spare_low <= spare);
    WB_ASSERT(count + ghosts + spare == all->count);
}
