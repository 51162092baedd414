/*
 * judge.c: who goes on, and what must hold whoever does.
 */
#include "targets/race/world.h"

#include "core/base/atomic.h"

#include <stdio.h>

/* Byte `at` of the payload: no two near each other are the same. */
uint8_t race_byte(uint64_t at)
{
    return (uint8_t)(at * 37 + 11);
}

/* ---- steering -------------------------------------------------------------------------------- */

/* True when the next entry's chance is this one. */
static bool is_due(struct race_steer *s)
{
    s->seen++;
    if (s->next == s->count || s->at[s->next] == 0 || s->seen < s->at[s->next])
        return false;
    s->seen = 0;
    return true;
}

/* What the explorer chose, as the scenario would say it. */
static void record(struct race_steer *s, uint32_t at, unsigned thread)
{
    if (s->count == RACE_STEERS)
        return;
    s->at[s->count] = (uint16_t)at;
    s->thread[s->count++] = (uint8_t)thread;
    s->seen = 0;
}

static unsigned explore(struct race_world *w, const struct sim_race_turn *turn, unsigned first)
{
    unsigned chosen = sim_race_explore_pick(w->explore, turn);

    w->preempts.seen += turn->can_stay;
    if (chosen != (turn->can_stay ? turn->current : first))
        record(&w->preempts, turn->can_stay ? w->preempts.seen : 0, chosen);
    return chosen;
}

unsigned race_pick(void *world, const struct sim_race_turn *turn)
{
    struct race_world *w = world;
    struct race_steer *s = &w->preempts;
    unsigned wanted = 0, first = 1;

    while ((turn->ready >> first & 1) == 0)
        first++;
    if (w->explore != NULL)
        return explore(w, turn, first);
    if (turn->can_stay) {
        if (is_due(s))
            wanted = s->thread[s->next++];
    } else if (s->next < s->count && s->at[s->next] == 0) {
        wanted = s->thread[s->next++];
        s->seen = 0;
    }
    if ((turn->ready >> wanted & 1) == 0)
        return turn->can_stay ? turn->current : first;
    if (turn->can_stay)
        sim_mark(w->run, RACE_MARK_PREEMPTED);
    return wanted;
}

bool race_hold(void *world, unsigned current)
{
    struct race_world *w = world;

    (void)current;
    if (w->explore != NULL) {
        w->holds.seen++;
        if (!sim_race_explore_hold(w->explore))
            return false;
        record(&w->holds, w->holds.seen, 0);
        return true;
    }
    if (!is_due(&w->holds))
        return false;
    w->holds.next++;
    sim_mark(w->run, RACE_MARK_HELD);
    return true;
}

void race_steering(const struct race_world *w, FILE *out)
{
    for (size_t i = 0; i < w->preempts.count; i++)
        fprintf(out, "preempt s%u at=%u\n", w->preempts.thread[i] - 1U, w->preempts.at[i]);
    for (size_t i = 0; i < w->holds.count; i++)
        fprintf(out, "hold at=%u\n", w->holds.at[i]);
}

/* ---- what must hold -------------------------------------------------------------------------- */

void race_fault(void *world, enum sim_race_fault fault, unsigned thread)
{
    struct race_world *w = world;

    sim_trace_add(&w->run->trace, sim_race_points(w->race) * 1000, "fault   t%u", thread, 0, 0, 0);
    switch (fault) {
    case SIM_RACE_READ_EARLY:
        FUZZ_CHECK(FRM_020, fault != SIM_RACE_READ_EARLY);
        break;
    case SIM_RACE_READ_NOTHING:
        FUZZ_CHECK(FRM_021, fault != SIM_RACE_READ_NOTHING);
        break;
    case SIM_RACE_WRITE_EARLY:
        FUZZ_CHECK(FRM_022, fault != SIM_RACE_WRITE_EARLY);
        break;
    case SIM_RACE_USE_EARLY:
        FUZZ_CHECK(FRM_023, fault != SIM_RACE_USE_EARLY);
        break;
    case SIM_RACE_GIVE_EARLY:
        FUZZ_CHECK(FRM_024, fault != SIM_RACE_GIVE_EARLY);
        break;
    case SIM_RACE_GIVE_FOUND:
        FUZZ_CHECK(FRM_025, fault != SIM_RACE_GIVE_FOUND);
        break;
    case SIM_RACE_USE_LATE:
        FUZZ_CHECK(FRM_026, fault != SIM_RACE_USE_LATE);
        break;
    case SIM_RACE_STUCK:
        FUZZ_CHECK(FRM_032, fault != SIM_RACE_STUCK);
        break;
    case SIM_RACE_FULL:
        WB_UNREACHABLE();
    }
}

void race_judge_slice(const struct race_kept *k)
{
    for (size_t i = 0; i < k->slice.view.len; i++)
        FUZZ_CHECK(FRM_027, k->slice.view.data[i] == race_byte(k->at + i));
}

void race_judge_read(struct race_world *w, struct race_reader *r, enum wb_err err,
                     const struct wb_slice *got, uint64_t published)
{
    struct race_kept now = {.slice = *got, .at = r->at};

    r->last = err;
    if (err == WB_OK) {
        FUZZ_CHECK(FRM_021, got->view.len > 0);
        FUZZ_CHECK(FRM_021, got->view.len <= w->offered - r->at);
        WB_RACE_READ(got->view.data, got->view.len);
        race_judge_slice(&now);
        r->at += got->view.len;
        r->reads++;
        return;
    }
    if (err == WB_MORE) {
        FUZZ_CHECK(FRM_028, r->at >= published);
        return;
    }
    FUZZ_CHECK(FRM_028, err == w->ending);
    if (err == WB_END)
        FUZZ_CHECK(FRM_028, r->at == w->size);
    else
        sim_mark(w->run, RACE_MARK_CUT);
}

/*
 * A segment has as many references as slices of it are kept, and at most one more for the frame and
 * for each thread that is inside a call.
 */
static void judge_holders(const struct race_world *w, const struct wb_slice *slice, uint64_t inside)
{
    uint64_t held = 0, counted = wb_slice_holders(slice);

    for (size_t i = 0; i < RACE_READERS; i++) {
        for (size_t k = 0; k < w->readers[i].kept_count; k++)
            held += w->readers[i].kept[k].slice.owner == slice->owner;
    }
    FUZZ_CHECK(FRM_033, counted >= held);
    FUZZ_CHECK(FRM_033, counted <= held + inside + 1);
}

void race_look(void *world)
{
    const struct race_world *w = world;
    uint64_t inside = w->writer_inside;

    for (size_t i = 0; i < RACE_READERS; i++)
        inside += w->readers[i].is_inside;
    for (size_t i = 0; i < RACE_READERS; i++) {
        for (size_t k = 0; k < w->readers[i].kept_count; k++)
            judge_holders(w, &w->readers[i].kept[k].slice, inside);
    }
}
