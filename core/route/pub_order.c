/*
 * pub_order.c: the order of what is due, and the claims beside a claim, which lend it their leading
 * parts. Design note on routed announces.
 */
#include "core/route/pub_state.h"

/* ---- what is due ----------------------------------------------------------------------------- */

#define RUNS 64u /* the k-th has 2^k claims, or none */

/* `more` into `due`; both are sorted, and `more` is left empty. */
static void merge(struct wb_pub_due *due, struct wb_pub_due *more)
{
    struct wb_pub_due all;

    TAILQ_INIT(&all);
    while (!TAILQ_EMPTY(due) && !TAILQ_EMPTY(more)) {
        struct wb_pub_claim *a = TAILQ_FIRST(due), *b = TAILQ_FIRST(more);
        bool first = wb_pub_order(a, b) < 0;

        TAILQ_REMOVE(first ? due : more, first ? a : b, in_due);
        TAILQ_INSERT_TAIL(&all, first ? a : b, in_due);
    }
    TAILQ_CONCAT(&all, due, in_due);
    TAILQ_CONCAT(&all, more, in_due);
    TAILQ_CONCAT(due, &all, in_due);
}

void wb_pub_due_sort(struct wb_announce_pub *p)
{
    struct wb_pub_due run[RUNS], next;
    struct wb_pub_claim *c;
    unsigned k, used = 0;

    TAILQ_INIT(&next);
    while ((c = TAILQ_FIRST(&p->due)) != NULL) {
        TAILQ_REMOVE(&p->due, c, in_due);
        TAILQ_INSERT_TAIL(&next, c, in_due);
        for (k = 0; k < used && !TAILQ_EMPTY(&run[k]); k++)
            merge(&next, &run[k]);
        WB_ASSERT(k < RUNS);
        if (k == used)
            used++;
        TAILQ_INIT(&run[k]);
        TAILQ_CONCAT(&run[k], &next, in_due);
    }
    for (k = 0; k < used; k++)
        merge(&p->due, &run[k]);
    p->due_unsorted = false;
}

/* ---- path bases ------------------------------------------------------------------------------ */

#define NEAR 4u /* claims looked at on each side: some may not be on the wire */

static struct wb_pub_claim *near_on_wire(struct wb_pub_claim *c, bool after)
{
    for (unsigned i = 0; i < NEAR && c != NULL; i++) {
        c = after ? wb_pub_by_path_RB_NEXT(c) : wb_pub_by_path_RB_PREV(c);
        if (c != NULL && c->on_wire)
            return c;
    }
    return NULL;
}

/*
 * The claim on the wire that shares most leading parts is beside it in path order; the newer one
 * when both share as many. Taken when it makes the message shorter.
 */
struct wb_pub_base wb_pub_base_of(const struct wb_announce_pub *p, struct wb_pub_claim *c)
{
    struct wb_view suffix = wb_pub_suffix(p, c->path.view), kept = {0};
    struct wb_pub_base none = {.rest = suffix}, found;
    const struct wb_pub_claim *best = NULL;

    if (!p->config.compress || p->config.version < WB_LITE_07)
        return none;
    for (unsigned i = 0; i < 2; i++) {
        const struct wb_pub_claim *beside = near_on_wire(c, i == 0);
        struct wb_view common;

        if (beside == NULL)
            continue;
        common = wb_path_common(suffix, wb_pub_suffix(p, beside->path.view));
        if (common.len > kept.len ||
            (best != NULL && common.len == kept.len && beside->id > best->id)) {
            best = beside;
            kept = common;
        }
    }
    if (best == NULL)
        return none;
    found = (struct wb_pub_base){p->next_claim - best->id, wb_path_parts(kept), {0}};
    found.rest = wb_path_rest(suffix, kept);
    if (wb_pub_size(p, found.back) + wb_pub_size(p, found.keep) + wb_pub_size(p, found.rest.len) +
            found.rest.len >=
        2 + wb_pub_size(p, suffix.len) + suffix.len)
        return none;
    return found;
}
