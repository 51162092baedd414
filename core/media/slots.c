/*
 * slots.c: the two trees of a track.
 */
#include "core/media/group_own.h"

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_sequences(const struct wb_slot *a, const struct wb_slot *b)
{
    return compare(a->sequence, b->sequence);
}

static int compare_arrivals(const struct wb_slot *a, const struct wb_slot *b)
{
    return compare(a->arrival, b->arrival);
}

RB_PROTOTYPE(wb_slots_sequences, wb_slot, by_sequence, compare_sequences)
RB_PROTOTYPE(wb_slots_arrivals, wb_slot, by_arrival, compare_arrivals)
RB_GENERATE(wb_slots_sequences, wb_slot, by_sequence, compare_sequences)
RB_GENERATE(wb_slots_arrivals, wb_slot, by_arrival, compare_arrivals)

static struct wb_pool_entry *entry_of(struct wb_slot *slot)
{
    return wb_group_entry(wb_group_of_slot(slot));
}

void wb_slots_init(struct wb_slots *s)
{
    *s = (struct wb_slots){0};
}

void wb_slots_insert(struct wb_slots *s, struct wb_slot *slot)
{
    struct wb_slot *before;

    WB_ASSERT(slot->home == NULL);
    before = RB_INSERT(wb_slots_sequences, &s->sequences, slot);
    WB_ASSERT(before == NULL);
    if (slot->arrival != WB_SLOT_NO_ARRIVAL) {
        before = RB_INSERT(wb_slots_arrivals, &s->arrivals, slot);
        WB_ASSERT(before == NULL);
    }
    slot->home = s;
    s->live++;
    if (s->latest != NULL && s->latest->sequence > slot->sequence)
        return;
    if (s->latest != NULL)
        wb_pool_demote(entry_of(s->latest));
    s->latest = slot;
}

void wb_slots_remove(struct wb_slot *slot)
{
    struct wb_slots *s = slot->home;

    WB_ASSERT(s != NULL);
    WB_ASSERT(s->live > 0);
    RB_REMOVE(wb_slots_sequences, &s->sequences, slot);
    if (slot->arrival != WB_SLOT_NO_ARRIVAL)
        RB_REMOVE(wb_slots_arrivals, &s->arrivals, slot);
    slot->home = NULL;
    s->live--;
    if (s->latest != slot)
        return;
    s->latest = RB_MAX(wb_slots_sequences, &s->sequences);
    if (s->latest != NULL)
        wb_pool_promote(entry_of(s->latest));
}

/* The lookups of tree.h take a whole element as key and a head that is not const. */
static struct wb_slots_sequences *sequences_of(const struct wb_slots *s)
{
    return (struct wb_slots_sequences *)(uintptr_t)&s->sequences;
}

static struct wb_slots_arrivals *arrivals_of(const struct wb_slots *s)
{
    return (struct wb_slots_arrivals *)(uintptr_t)&s->arrivals;
}

struct wb_slot *wb_slots_find(const struct wb_slots *s, uint64_t sequence)
{
    struct wb_slot key;

    if (s->latest == NULL || sequence > s->latest->sequence)
        return NULL; /* what each new group asks */
    key.sequence = sequence;
    return RB_FIND(wb_slots_sequences, sequences_of(s), &key);
}

struct wb_slot *wb_slots_from(const struct wb_slots *s, uint64_t sequence)
{
    struct wb_slot key;

    key.sequence = sequence;
    return RB_NFIND(wb_slots_sequences, sequences_of(s), &key);
}

struct wb_slot *wb_slots_after(struct wb_slot *slot)
{
    return RB_NEXT(wb_slots_sequences, sequences_of(slot->home), slot);
}

struct wb_slot *wb_slots_arrived(const struct wb_slots *s, uint64_t arrival)
{
    struct wb_slot key;

    key.arrival = arrival;
    return RB_NFIND(wb_slots_arrivals, arrivals_of(s), &key);
}

static void check_slot(const struct wb_slots *s, struct wb_slot *slot)
{
    struct wb_pool_entry *entry = entry_of(slot);

    WB_ASSERT(slot->home == s);
    WB_ASSERT(entry->link.next != NULL);
    WB_ASSERT(entry->evictable == (slot != s->latest));
    WB_ASSERT(wb_group_aborted(wb_group_of_slot(slot)) == WB_OK);
    if (slot->arrival != WB_SLOT_NO_ARRIVAL)
        WB_ASSERT(wb_slots_arrived(s, slot->arrival) == slot);
    wb_group_check(wb_group_of_slot(slot));
}

void wb_slots_check(const struct wb_slots *s)
{
    struct wb_slot *slot, *last = NULL;
    uint64_t live = 0, arrivals = 0;

    RB_FOREACH(slot, wb_slots_sequences, sequences_of(s))
    {
        if (last != NULL)
            WB_ASSERT(last->sequence < slot->sequence);
        check_slot(s, slot);
        arrivals += slot->arrival != WB_SLOT_NO_ARRIVAL;
        live++;
        last = slot;
    }
    WB_ASSERT(last == s->latest);
    WB_ASSERT(live == s->live);
    RB_FOREACH(slot, wb_slots_arrivals, arrivals_of(s))
    {
        WB_ASSERT(arrivals > 0);
        arrivals--;
    }
    WB_ASSERT(arrivals == 0);
}
