/*
 * group_watch.c: who is told when a group is aborted.
 */
#include "core/media/group.h"

#include "core/media/group_own.h"

void wb_group_watches_init(struct wb_group_watches *list)
{
    *list = (struct wb_group_watches){.last = &list->first};
}

static void append(struct wb_group_watches *list, struct wb_group_watch *w)
{
    w->next = NULL;
    w->at = list->last;
    *list->last = w;
    list->last = &w->next;
}

void wb_group_watch(struct wb_group *g, struct wb_group_watch *w, struct wb_group_watches *told)
{
    w->told = told;
    if (g->reason != WB_OK) {
        append(told, w);
        return;
    }
    w->next = g->watches;
    w->at = &g->watches;
    if (w->next != NULL)
        w->next->at = &w->next;
    g->watches = w;
}

void wb_group_unwatch(struct wb_group_watch *w)
{
    if (w->at == NULL)
        return;
    *w->at = w->next;
    if (w->next != NULL)
        w->next->at = w->at;
    else if (w->told->last == &w->next)
        w->told->last = w->at;
    w->at = NULL;
}

void wb_group_tell(struct wb_group *g)
{
    while (g->watches != NULL) {
        struct wb_group_watch *w = g->watches;

        wb_group_unwatch(w);
        append(w->told, w);
    }
}
