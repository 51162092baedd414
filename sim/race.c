/*
 * race.c: the threads of a race run: who runs, who waits, who goes on.
 */
#include "sim/race.h"

#include "core/base/race.h"
#include "sim/race_fiber.h"
#include "sim/race_state.h"

bool wb_race_on;

struct sim_race sim_race_the;

_Static_assert(SIM_RACE_THREADS == SIM_RACE_FIBERS, "a thread is a coroutine");

struct sim_race *sim_race_begin(struct wb_mem *inner, struct sim_trace *trace,
                                const struct sim_race_calls *calls, void *world)
{
    struct sim_race *r = &sim_race_the;

    WB_ASSERT(!wb_race_on);
    WB_ASSERT(sim_race_fiber_now() == 0);
    r->inner = inner;
    r->trace = trace;
    r->calls = *calls;
    r->world = world;
    r->points = r->wakes = 0;
    r->current = 0;
    r->thread_count = 1;
    r->is_running = r->has_moved = false;
    r->block_count = r->byte_count = 0;
    r->name_count = 1;
    r->names[0] = "memory";
    r->threads[0] = (struct sim_race_thread){.clock.at[0] = 1};
    sim_race_mem_init(r);
    if (trace != NULL)
        trace->names = r->names;
    wb_race_on = true;
    return r;
}

void sim_race_end(struct sim_race *r)
{
    WB_ASSERT(r->current == 0);
    wb_race_on = false;
}

struct wb_mem *sim_race_mem(struct sim_race *r)
{
    return &r->mem;
}

void sim_race_say(struct sim_race *r, enum sim_race_fault fault)
{
    wb_race_on = false;
    r->calls.fault(r->world, fault, r->current);
    wb_race_on = true;
}

void sim_race_note(struct sim_race *r, const char *format, uint64_t a, uint64_t b, uint64_t c)
{
    if (r->trace != NULL)
        sim_trace_add(r->trace, r->points * 1000, format, r->current, a, b, c);
}

void sim_race_settle(struct sim_race *r)
{
    if (sim_race_self(r)->held.kind == SIM_RACE_HELD_NONE)
        return;
    sim_race_turn(r);
    r->has_moved = true;
    sim_race_land(r, r->current);
}

uint64_t sim_race_points(const struct sim_race *r)
{
    return r->points;
}

/* ---- turns ----------------------------------------------------------------------------------- */

static uint32_t ready_of(const struct sim_race *r)
{
    uint32_t ready = 0;

    for (unsigned t = 1; t < r->thread_count; t++) {
        if (t != r->current && r->threads[t].life == SIM_RACE_READY)
            ready |= UINT32_C(1) << t;
    }
    return ready;
}

static unsigned pick(struct sim_race *r, uint32_t ready, bool can_stay)
{
    struct sim_race_turn turn = {.ready = ready, .current = r->current, .can_stay = can_stay};
    unsigned next;

    wb_race_on = false;
    next = r->calls.pick(r->world, &turn);
    wb_race_on = true;
    WB_ASSERT(next < r->thread_count);
    WB_ASSERT((ready >> next & 1) != 0 || (can_stay && next == r->current));
    return next;
}

void sim_race_turn(struct sim_race *r)
{
    uint32_t ready;
    unsigned next;

    if (!r->is_running)
        return;
    r->points++;
    if (r->calls.look != NULL) {
        wb_race_on = false;
        r->calls.look(r->world);
        wb_race_on = true;
    }
    ready = ready_of(r);
    if (ready == 0 || !r->has_moved)
        return;
    next = pick(r, ready, true);
    r->has_moved = false;
    if (next == r->current)
        return;
    sim_race_note(r, "preempt t%u for t%u", next, 0, 0);
    r->current = next;
    sim_race_fiber_switch(next);
}

/* The thread that goes on when the current one cannot; 0 when none can. */
static unsigned next_of(struct sim_race *r)
{
    uint32_t ready = ready_of(r);
    unsigned next = ready == 0 ? 0 : pick(r, ready, false);

    if (next != 0 && r->current != 0)
        sim_race_note(r, "after t%u comes t%u", next, 0, 0);
    r->current = next;
    r->has_moved = false;
    return next;
}

static unsigned thread_main(void *arg)
{
    struct sim_race *r = arg;
    unsigned self = r->current;
    struct sim_race_thread *t = &r->threads[self];

    t->fn(t->arg, self);
    sim_race_settle(r);
    t->found = NULL;
    t->life = SIM_RACE_ENDED;
    sim_race_note(r, "ends    t%u", 0, 0, 0);
    return next_of(r);
}

unsigned sim_race_spawn(struct sim_race *r, void (*fn)(void *arg, unsigned self), void *arg)
{
    unsigned t = r->thread_count;

    WB_ASSERT(r->current == 0);
    WB_ASSERT(t < SIM_RACE_THREADS);
    r->threads[t] = (struct sim_race_thread){
        .life = SIM_RACE_READY, .fn = fn, .arg = arg, .clock = r->threads[0].clock};
    r->threads[t].clock.at[t] = 1;
    r->thread_count = t + 1;
    r->threads[0].clock.at[0]++;
    return t;
}

void sim_race_run(struct sim_race *r)
{
    bool is_stuck = false;

    WB_ASSERT(r->current == 0);
    if (r->thread_count == 1)
        return;
    for (unsigned t = 1; t < r->thread_count; t++)
        sim_race_fiber_start(t, thread_main, r);
    r->is_running = true;
    sim_race_fiber_switch(next_of(r));
    r->is_running = false;
    for (unsigned t = 1; t < r->thread_count; t++) {
        struct sim_race_thread *thread = &r->threads[t];

        if (thread->life != SIM_RACE_ENDED) {
            is_stuck = true;
            sim_race_fiber_forget(t);
        }
        for (unsigned i = 0; i < SIM_RACE_THREADS; i++) {
            if (thread->clock.at[i] > r->threads[0].clock.at[i])
                r->threads[0].clock.at[i] = thread->clock.at[i];
        }
    }
    if (is_stuck)
        sim_race_say(r, SIM_RACE_STUCK);
}

/* ---- for the threads ------------------------------------------------------------------------- */

void sim_race_point(struct sim_race *r)
{
    sim_race_settle(r);
    sim_race_self(r)->found = NULL;
    sim_race_turn(r);
}

uint64_t sim_race_wakes(const struct sim_race *r)
{
    return r->wakes;
}

void sim_race_wait(struct sim_race *r, uint64_t seen)
{
    unsigned next;

    sim_race_settle(r);
    sim_race_self(r)->found = NULL;
    if (r->wakes != seen || !r->is_running)
        return;
    sim_race_note(r, "waits   t%u", 0, 0, 0);
    sim_race_self(r)->life = SIM_RACE_PARKED;
    next = next_of(r);
    sim_race_fiber_switch(next);
}

void sim_race_wake(struct sim_race *r)
{
    sim_race_settle(r);
    r->wakes++;
    for (unsigned t = 1; t < r->thread_count; t++) {
        if (r->threads[t].life == SIM_RACE_PARKED)
            r->threads[t].life = SIM_RACE_READY;
    }
}

void sim_race_hide(struct sim_race *r)
{
    (void)r;
    wb_race_on = false;
}

void sim_race_show(struct sim_race *r)
{
    (void)r;
    wb_race_on = true;
}
