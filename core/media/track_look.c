/*
 * track_look.c: questions of those who deliver what a track holds.
 */
#include "core/media/track_own.h"

struct wb_group *wb_track_below(const struct wb_track *t, uint64_t sequence)
{
    struct wb_slot *slot = RB_ROOT(&t->slots.sequences), *best = NULL;

    if (t->slots.latest != NULL && t->slots.latest->sequence <= sequence)
        return wb_group_of_slot(t->slots.latest);
    while (slot != NULL) {
        bool fits = slot->sequence <= sequence;

        if (fits)
            best = slot;
        slot = fits ? RB_RIGHT(slot, by_sequence) : RB_LEFT(slot, by_sequence);
    }
    return best == NULL ? NULL : wb_group_of_slot(best);
}

bool wb_track_arrived(const struct wb_group *g, uint64_t *out)
{
    if (g->slot.arrival == WB_SLOT_NO_ARRIVAL)
        return false;
    *out = g->slot.arrival;
    return true;
}

uint64_t wb_track_touched_ns(const struct wb_group *g)
{
    return g->slot.touched_ns;
}

bool wb_track_highest(const struct wb_track *t, uint64_t *out)
{
    if (t->is_used)
        *out = t->highest;
    return t->is_used;
}

enum wb_err wb_track_aborted(const struct wb_track *t)
{
    return t->reason;
}
