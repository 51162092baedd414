/*
 * race_atomic.c: atomic operations under vector clocks and a store that may be held back.
 */
#include "core/base/race.h"
#include "sim/race_state.h"

#include <stdatomic.h>
#include <string.h>

static bool acquires(int order)
{
    return order == memory_order_acquire || order == memory_order_acq_rel ||
           order == memory_order_seq_cst;
}

static bool releases(int order)
{
    return order == memory_order_release || order == memory_order_acq_rel ||
           order == memory_order_seq_cst;
}

static void join(struct sim_race_clock *into, const struct sim_race_clock *from)
{
    for (unsigned i = 0; i < SIM_RACE_THREADS; i++) {
        if (from->at[i] > into->at[i])
            into->at[i] = from->at[i];
    }
}

/* One thread runs at a time, so eight bytes are copied like any others. */
static uint64_t peek(const void *at)
{
    uint64_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

static void poke(void *at, uint64_t value)
{
    memcpy(at, &value, sizeof value);
}

/* Lines of the trace, by what the order does: nothing, acquire, release, both, seq_cst. */
static size_t order_index(int order)
{
    if (order == memory_order_seq_cst)
        return 4;
    return (size_t)acquires(order) + 2 * (size_t)releases(order);
}

static const char *const load_lines[] = {"load rlx t%u %n of %u: %u", "load acq t%u %n of %u: %u",
                                         "load rlx t%u %n of %u: %u", "load acq t%u %n of %u: %u",
                                         "load seq t%u %n of %u: %u"};
static const char *const store_lines[] = {
    "store rlx t%u %n of %u: %u", "store rlx t%u %n of %u: %u", "store rel t%u %n of %u: %u",
    "store rel t%u %n of %u: %u", "store seq t%u %n of %u: %u"};
static const char *const add_lines[] = {"add rlx t%u %n of %u: %u", "add acq t%u %n of %u: %u",
                                        "add rel t%u %n of %u: %u", "add a+r t%u %n of %u: %u",
                                        "add seq t%u %n of %u: %u"};
static const char *const sub_lines[] = {"sub rlx t%u %n of %u: %u", "sub acq t%u %n of %u: %u",
                                        "sub rel t%u %n of %u: %u", "sub a+r t%u %n of %u: %u",
                                        "sub seq t%u %n of %u: %u"};
static const char held_line[] = "held back t%u %n of %u: %u";
static const char lands_line[] = "lands   t%u %n of %u: %u";

/* The block that a value is an address in; NULL for numbers. */
static struct sim_race_block *pointed_at(struct sim_race *r, uint64_t value)
{
    return value <= SIM_RACE_BYTES ? NULL : sim_race_block_of(r, (const void *)(uintptr_t)value);
}

/* Addresses differ from run to run: a value that is one shows as the number of its block. */
static uint64_t shown(struct sim_race *r, uint64_t value)
{
    const struct sim_race_block *b = pointed_at(r, value);

    return b == NULL ? value : sim_race_block_number(r, b);
}

struct sim_race_atomic *sim_race_atomic_of(struct sim_race *r, struct sim_race_block *b,
                                           const void *at)
{
    uint32_t offset = (uint32_t)((uintptr_t)at - b->begin);
    struct sim_race_atomic *a;

    for (unsigned i = 0; i < b->atomic_count; i++) {
        if (b->atomics[i].offset == offset)
            return &b->atomics[i];
    }
    if (b->atomic_count == SIM_RACE_ATOMICS) {
        sim_race_say(r, SIM_RACE_FULL);
        return NULL;
    }
    a = &b->atomics[b->atomic_count++];
    *a = (struct sim_race_atomic){.offset = offset};
    return a;
}

/* What one operation works on. Of memory that nobody knows, only the value counts. */
struct place {
    struct sim_race_block *block;
    struct sim_race_atomic *atomic;
};

static void note(struct sim_race *r, const char *line, const struct place *p, uint64_t value)
{
    if (p->atomic != NULL)
        sim_race_note(r, line, p->atomic->name, sim_race_block_number(r, p->block),
                      shown(r, value));
}

static struct place find(struct sim_race *r, const void *at)
{
    struct place p = {.block = sim_race_block_of(r, at)};

    if (p.block != NULL)
        p.atomic = sim_race_atomic_of(r, p.block, at);
    return p;
}

/* What lies there; 0 where nothing does any more. */
static uint64_t peek_at(const struct place *p, const void *at)
{
    return p->block != NULL && p->block->is_given ? 0 : peek(at);
}

/* A use by the current thread. One that is wrong stands in the trace before it is told. */
static void use(struct sim_race *r, const struct place *p, const char *line, uint64_t value)
{
    bool is_early = p->atomic != NULL && !sim_race_is_before(r, p->atomic->made);

    if (p->block == NULL)
        return;
    if (is_early || p->block->is_given)
        note(r, line, p, value);
    sim_race_block_use(r, p->block);
    if (is_early)
        sim_race_say(r, SIM_RACE_USE_EARLY);
}

/* ---- stores that are held back --------------------------------------------------------------- */

/* An addition's old value is the one right before it: a write of another thread comes after. */
static void land_others(struct sim_race *r, const void *at)
{
    for (unsigned t = 1; t < r->thread_count; t++) {
        if (t != r->current && r->threads[t].held.kind == SIM_RACE_HELD_SUM &&
            r->threads[t].held.at == at)
            sim_race_land(r, t);
    }
}

void sim_race_land(struct sim_race *r, unsigned t)
{
    struct sim_race_store s = r->threads[t].held;
    unsigned before = r->current;
    struct place p;

    if (s.kind == SIM_RACE_HELD_NONE)
        return;
    r->threads[t].held.kind = SIM_RACE_HELD_NONE;
    r->current = t;
    land_others(r, s.at);
    p = find(r, s.at);
    if (s.kind == SIM_RACE_HELD_ADD)
        s.value += peek_at(&p, s.at);
    /* It was used when it was made; one that lands as a whole is used now. */
    if (s.kind == SIM_RACE_HELD_ADD || (p.block != NULL && p.block->is_given))
        use(r, &p, lands_line, s.value);
    if (s.kind != SIM_RACE_HELD_ADD && p.atomic != NULL) {
        if (s.kind == SIM_RACE_HELD_STORE)
            p.atomic->clock = (struct sim_race_clock){0};
        if (releases(s.order))
            join(&p.atomic->clock, &s.clock);
    }
    poke(s.at, s.value);
    note(r, lands_line, &p, s.value);
    r->current = before;
}

/* Before a write of the current thread: what it holds back may not stay behind it. */
static void land_before_write(struct sim_race *r, const void *at, int order)
{
    const struct sim_race_store *held = &sim_race_self(r)->held;

    if (held->kind != SIM_RACE_HELD_NONE && (held->at == at || releases(order)))
        sim_race_settle(r);
    land_others(r, at);
}

/* True when the write is held back instead of done. */
static bool hold_back(struct sim_race *r, enum sim_race_held kind, void *at, uint64_t value,
                      int order, const struct place *p)
{
    struct sim_race_thread *self = sim_race_self(r);
    bool is_held;

    if (!r->is_running || self->held.kind != SIM_RACE_HELD_NONE || p->atomic == NULL)
        return false;
    wb_race_on = false;
    is_held = r->calls.hold(r->world, r->current);
    wb_race_on = true;
    if (!is_held)
        return false;
    self->held = (struct sim_race_store){
        .kind = kind, .at = at, .value = value, .order = order, .clock = self->clock};
    note(r, held_line, p, value);
    return true;
}

/* ---- operations ------------------------------------------------------------------------------ */

static void begin(struct sim_race *r)
{
    sim_race_turn(r);
    r->has_moved = true;
}

/* What the thread does from here on is later than what this operation released. */
static void end(struct sim_race *r)
{
    sim_race_self(r)->clock.at[r->current]++;
}

void wb_race_init(const void *at)
{
    struct sim_race *r = &sim_race_the;
    struct sim_race_block *b = sim_race_block_of(r, at);
    struct sim_race_atomic *a = b == NULL ? NULL : sim_race_atomic_of(r, b, at);

    if (a == NULL)
        return;
    sim_race_block_use(r, b);
    a->made.thread = (uint8_t)r->current;
    a->made.at = sim_race_self(r)->clock.at[r->current];
    a->clock = (struct sim_race_clock){0};
    end(r);
}

/* A relaxed load is no point: what it may see is decided by the points around it. */
uint64_t wb_race_load(const void *at, int order)
{
    struct sim_race *r = &sim_race_the;
    struct sim_race_thread *self;
    struct place p;
    uint64_t value;

    if (order != memory_order_relaxed)
        begin(r);
    self = sim_race_self(r);
    if ((self->held.kind == SIM_RACE_HELD_ADD && self->held.at == at) ||
        (self->held.order == memory_order_seq_cst && order == memory_order_seq_cst))
        sim_race_settle(r);
    p = find(r, at);
    value = self->held.kind != SIM_RACE_HELD_NONE && self->held.at == at ? self->held.value
                                                                         : peek_at(&p, at);
    use(r, &p, load_lines[order_index(order)], value);
    if (p.atomic != NULL && acquires(order))
        join(&self->clock, &p.atomic->clock);
    if (order != memory_order_relaxed)
        note(r, load_lines[order_index(order)], &p, value);
    if (pointed_at(r, value) != NULL)
        self->found = pointed_at(r, value);
    end(r);
    return value;
}

void wb_race_store(void *at, uint64_t value, int order)
{
    struct sim_race *r = &sim_race_the;
    struct place p;

    begin(r);
    land_before_write(r, at, order);
    p = find(r, at);
    use(r, &p, store_lines[order_index(order)], value);
    note(r, store_lines[order_index(order)], &p, value);
    if (!hold_back(r, SIM_RACE_HELD_STORE, at, value, order, &p)) {
        if (p.atomic != NULL)
            p.atomic->clock =
                releases(order) ? sim_race_self(r)->clock : (struct sim_race_clock){0};
        poke(at, value);
    }
    end(r);
}

uint64_t wb_race_add(void *at, uint64_t n, int order)
{
    struct sim_race *r = &sim_race_the;
    struct sim_race_thread *self;
    struct place p;
    uint64_t old;
    bool is_sub = n > INT64_MAX;
    const char *line;
    enum sim_race_held kind;

    begin(r);
    self = sim_race_self(r);
    land_before_write(r, at, order);
    p = find(r, at);
    old = peek_at(&p, at);
    line = (is_sub ? sub_lines : add_lines)[order_index(order)];
    use(r, &p, line, old + n);
    if (self->found == p.block)
        self->found = NULL;
    if (p.atomic != NULL && acquires(order))
        join(&self->clock, &p.atomic->clock);
    note(r, line, &p, old + n);
    kind = order == memory_order_relaxed && !is_sub ? SIM_RACE_HELD_ADD : SIM_RACE_HELD_SUM;
    if (!hold_back(r, kind, at, kind == SIM_RACE_HELD_ADD ? n : old + n, order, &p)) {
        if (p.atomic != NULL && releases(order))
            join(&p.atomic->clock, &self->clock);
        poke(at, old + n);
    }
    end(r);
    return old;
}
