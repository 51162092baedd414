/*
 * unions.c: each op on a window and on its model. A refused one changes neither.
 */
#include "targets/window/unions.h"

#include "core/base/cost.h"
#include "targets/window/places.h"

#include <string.h>

#define UNIONS_TEETH 128u

void unions_ended(struct unions *w, enum wb_err err)
{
    if (err != WB_OK)
        w->last = err;
}

bool unions_was_refused(struct unions *w, enum wb_err err, uint64_t refused)
{
    bool was = w->run->alloc.refused != refused;

    FUZZ_CHECK(WIN_009, (err == WB_E_NOMEM) == was);
    if (was)
        sim_mark(w->run, UNIONS_MARK_REFUSED);
    return was;
}

/* ---- what the model makes of it -------------------------------------------------------------- */

size_t unions_steps(const struct sim_op *op)
{
    return op->opcode == UNIONS_COMB ? op->arg % (UNIONS_TEETH + 1) : 1;
}

struct wb_range unions_range(const struct sim_op *op, size_t step)
{
    struct wb_range range = places_range(op);
    size_t n = unions_steps(op);

    if (op->opcode == UNIONS_COMB) { /* every other group, upwards or downwards */
        range.start = (struct wb_position){op->ext + 2 * (op->flags & 2 ? n - 1 - step : step), 0};
        range.end = (struct wb_bound){true, {range.start.group, 8}};
    }
    return range;
}

static const struct ref_window *other_of(const struct unions *w, const struct sim_op *op)
{
    return w->models[op->flags % UNIONS_SLOTS];
}

enum unions_effect unions_want(struct unions *w, const struct sim_op *op, size_t step)
{
    struct wb_range range = unions_range(op, step);
    bool has_room = true;

    if (op->opcode > UNIONS_TRIM)
        return UNIONS_NONE;
    ref_window_copy(w->spare, w->models[op->slot % UNIONS_SLOTS]);
    switch (op->opcode) {
    case UNIONS_ADD:
    case UNIONS_REMOVE:
    case UNIONS_COMB:
        if (ref_range_status(&range) != WB_OK)
            return UNIONS_REFUSE;
        has_room = op->opcode == UNIONS_REMOVE || (op->opcode == UNIONS_COMB && op->flags & 1)
                       ? ref_window_remove(w->spare, &range)
                       : ref_window_add(w->spare, &range);
        break;
    case UNIONS_UNION:
        has_room = ref_window_union(w->spare, other_of(w, op));
        break;
    case UNIONS_INTERSECT:
        has_room = ref_window_intersect(w->spare, other_of(w, op));
        break;
    case UNIONS_SUBTRACT:
        has_room = ref_window_subtract(w->spare, other_of(w, op));
        break;
    case UNIONS_COPY:
        ref_window_copy(w->spare, other_of(w, op));
        break;
    case UNIONS_CLEAR:
        ref_window_init(w->spare);
        break;
    case UNIONS_WIDEN:
        ref_window_widen(w->spare);
        break;
    default: /* trim: the same set */
        break;
    }
    if (op->opcode >= UNIONS_UNION && op->opcode <= UNIONS_COPY &&
        op->flags % UNIONS_SLOTS == op->slot % UNIONS_SLOTS)
        return UNIONS_NONE;
    return has_room ? UNIONS_CHANGE : UNIONS_NONE;
}

void unions_settle(struct unions *w, size_t slot)
{
    struct ref_window *old = w->models[slot];

    w->models[slot] = w->spare;
    w->spare = old;
}

/* ---- what the core does ---------------------------------------------------------------------- */

static enum wb_err call(struct unions *w, const struct sim_op *op, const struct wb_range *range)
{
    struct wb_window *own = &w->windows[op->slot % UNIONS_SLOTS];
    const struct wb_window *other = &w->windows[op->flags % UNIONS_SLOTS];
    struct wb_mem *mem = sim_run_mem(w->run);

    switch (op->opcode) {
    case UNIONS_COMB:
        if (op->flags & 1)
            return wb_window_remove(own, mem, range);
        return wb_window_add(own, mem, range);
    case UNIONS_ADD:
        return wb_window_add(own, mem, range);
    case UNIONS_REMOVE:
        return wb_window_remove(own, mem, range);
    case UNIONS_UNION:
        return wb_window_union(own, mem, other);
    case UNIONS_INTERSECT:
        return wb_window_intersect(own, mem, other);
    case UNIONS_SUBTRACT:
        return wb_window_subtract(own, mem, other);
    case UNIONS_COPY:
        return wb_window_copy(own, other, mem);
    case UNIONS_CLEAR:
        wb_window_clear(own);
        return WB_OK;
    case UNIONS_WIDEN:
        wb_window_widen(own);
        return WB_OK;
    default:
        wb_window_trim(own, mem);
        return WB_OK;
    }
}

/* Runs of one list that the other has not. */
static uint64_t changed(const struct ref_window *a, const struct ref_window *b)
{
    uint64_t n = 0;
    size_t i = 0, k = 0;

    while (i < a->count || k < b->count) {
        int order = i == a->count   ? 1
                    : k == b->count ? -1
                                    : ref_position_order(a->runs[i].first, b->runs[k].first);

        if (order == 0)
            n += 2u * (ref_position_order(a->runs[i].last, b->runs[k].last) != 0);
        else
            n++;
        i += order <= 0;
        k += order >= 0;
    }
    return n;
}

static uint64_t log2_of(uint64_t n)
{
    uint64_t bits = 0;

    for (; n > 0; n >>= 1)
        bits++;
    return bits;
}

/*
 * Of two windows the shorter list leads, twice: each of its runs is searched in the other, and
 * compared with what it meets there. What lies between is not looked at, but for runs cut out.
 */
static uint64_t compared_most(const struct unions *w, const struct sim_op *op,
                              const struct ref_window *old, const struct ref_window *now)
{
    uint64_t n = old->count, m = op->opcode == UNIONS_WIDEN ? n : 1; /* widen looks at each */

    if (op->opcode == UNIONS_COPY)
        return 0;
    if (op->opcode >= UNIONS_UNION && op->opcode <= UNIONS_SUBTRACT) {
        uint64_t o = other_of(w, op)->count, few = n < o ? n : o, many = n < o ? o : n;

        return (few + 1) * (8 * log2_of(many + 1) + 24) +
               (op->opcode == UNIONS_SUBTRACT ? 4 * changed(old, now) : 0);
    }
    return 4 * (m + 1) * log2_of(n + 1) + 4 * (m + changed(old, now)) + 8;
}

/* windows 4: comparisons O(log runs + changed runs), bytes moved at most 32 a run. */
static void check_cost(const struct unions *w, const struct sim_op *op, const struct wb_cost *cost)
{
    const struct ref_window *old = w->models[op->slot % UNIONS_SLOTS], *now = w->spare;
    uint64_t n = old->count, m = 1, runs = n > now->count ? n : now->count;

    if (op->opcode >= UNIONS_UNION && op->opcode <= UNIONS_COPY)
        m = other_of(w, op)->count;
    if (op->opcode == UNIONS_WIDEN)
        m = n;
    if (m > 1)
        runs = n + m > now->count ? n + m : now->count;
    FUZZ_CHECK(WIN_012, cost->positions_compared <= compared_most(w, op, old, now));
    FUZZ_CHECK(WIN_013, cost->bytes_moved <= UNIONS_RUN * runs);
}

static void mark(const struct unions *w, const struct sim_op *op)
{
    const struct ref_window *old = w->models[op->slot % UNIONS_SLOTS], *now = w->spare;

    if (op->opcode == UNIONS_ADD && now->count < old->count)
        sim_mark(w->run, UNIONS_MARK_MERGED);
    if (op->opcode == UNIONS_ADD && now->count == old->count && now->count > 0 &&
        ref_position_order(now->runs[now->count - 1].last, WB_POSITION_LAST) == 0 &&
        old->runs[now->count - 1].last.group >= UINT64_MAX - 1 &&
        ref_position_order(old->runs[now->count - 1].last, WB_POSITION_LAST) < 0)
        sim_mark(w->run, UNIONS_MARK_MERGED_AT_END);
    if (op->opcode == UNIONS_REMOVE && now->count > old->count)
        sim_mark(w->run, UNIONS_MARK_SPLIT);
    if (old->count <= 1 && now->count > 1)
        sim_mark(w->run, UNIONS_MARK_SPILLED);
    if (old->count > 1 && now->count <= 1)
        sim_mark(w->run, UNIONS_MARK_INLINE_AGAIN);
    if (op->opcode == UNIONS_WIDEN && !ref_window_equal(old, now))
        sim_mark(w->run, UNIONS_MARK_WIDENED);
    if (now->count >= 64)
        sim_mark(w->run, UNIONS_MARK_LARGE);
}

/* One change; false when there was nothing to do. */
static bool change(struct unions *w, const struct sim_op *op, size_t step)
{
    size_t slot = op->slot % UNIONS_SLOTS;
    struct wb_range range = unions_range(op, step);
    enum unions_effect effect = unions_want(w, op, step);
    uint64_t requests = w->run->alloc.requests, refused = w->run->alloc.refused;
    uint32_t capacity = w->windows[slot].capacity;
    struct wb_cost cost = {0};
    enum wb_err err;

    if (effect == UNIONS_NONE)
        return false;
#ifdef WB_COUNTED
    wb_cost = cost;
#endif
    err = call(w, op, &range);
#ifdef WB_COUNTED
    cost = wb_cost;
#endif
    unions_ended(w, err);
    sim_run_note(w->run, (uint64_t)err << 32 | w->windows[slot].count);
    if (effect == UNIONS_REFUSE)
        sim_mark(w->run, UNIONS_MARK_INVERTED);
    FUZZ_CHECK(WIN_008, (err == WB_E_RANGE) == (effect == UNIONS_REFUSE));
    if (op->opcode == UNIONS_TRIM) {
        FUZZ_CHECK(WIN_025, w->windows[slot].capacity <= capacity);
        FUZZ_CHECK(WIN_025,
                   w->run->alloc.refused != refused ||
                       w->windows[slot].capacity == (w->spare->count > 1 ? w->spare->count : 0));
    } else {
        if (op->opcode == UNIONS_CLEAR)
            FUZZ_CHECK(WIN_025, w->windows[slot].capacity == capacity);
        if (unions_was_refused(w, err, refused) || err != WB_OK)
            return true; /* the check that follows sees that nothing changed */
        if (w->spare->count <= 1)
            FUZZ_CHECK(WIN_010, w->run->alloc.requests == requests);
    }
    if (op->opcode == UNIONS_ADD && range.end.present &&
        ref_position_order(range.start, range.end.at) == 0)
        sim_mark(w->run, UNIONS_MARK_EMPTY);
    check_cost(w, op, &cost);
    mark(w, op);
    unions_settle(w, slot);
    return true;
}

static bool apply(struct unions *w, const struct sim_op *op)
{
    size_t slot = op->slot % UNIONS_SLOTS, other = op->flags % UNIONS_SLOTS;
    bool done = false;

    if (op->opcode <= UNIONS_TRIM && op->opcode != SIM_OP_LIT) {
        for (size_t i = 0; i < unions_steps(op); i++)
            done = change(w, op, i) || done;
        unions_check_slot(w, slot);
        return done;
    }
    switch (op->opcode) {
    case UNIONS_LOOK:
        unions_look(w, slot, places_position(op->arg));
        return true;
    case UNIONS_EQUAL:
        done = ref_window_equal(w->models[slot], w->models[other]);
        FUZZ_CHECK(WIN_004, wb_window_equal(&w->windows[slot], &w->windows[other]) == done);
        FUZZ_CHECK(WIN_004, unions_is_same(&w->windows[slot], w->models[other]) == done);
        if (done && slot != other && w->models[slot]->count > 1)
            sim_mark(w->run, UNIONS_MARK_EQUAL);
        return true;
    case UNIONS_LAWS:
        unions_laws(w, op);
        return true;
    case UNIONS_BOUNDS:
        unions_bounds(w, op);
        return true;
    case UNIONS_SEND:
    case UNIONS_PUT:
        unions_wire(w, op);
        return true;
    case UNIONS_GET:
        unions_hear(w, op);
        return true;
    case UNIONS_FAIL:
        sim_alloc_fail_next(&w->run->alloc, op->arg == 0 ? 1 : op->arg);
        return true;
    case UNIONS_NAMES:
        w->names_len = w->raw_len;
        w->broadcast_len = op->arg < w->raw_len ? op->arg : w->raw_len;
        memcpy(w->names, w->raw, w->raw_len);
        return true;
    default:
        unions_say(w, op);
        return true;
    }
}

void unions_init(struct unions *w, struct sim_run *run)
{
    static struct ref_window storage[UNIONS_SLOTS + 1];

    w->run = run;
    w->last = WB_OK;
    w->turn = 0;
    w->raw_len = w->names_len = w->broadcast_len = 0;
    for (size_t i = 0; i < UNIONS_SLOTS; i++) {
        wb_window_init(&w->windows[i]);
        w->models[i] = &storage[i];
        ref_window_init(w->models[i]);
    }
    w->spare = &storage[UNIONS_SLOTS];
    wb_buf_init(&w->buf, sim_run_mem(run), 4096);
}

static void end(struct unions *w)
{
    w->run->alloc.fail_at[SIM_ALLOC_OP] = 0;
    for (size_t i = 0; i < UNIONS_SLOTS; i++) {
        if (w->run->story_on && w->models[i]->count > 0) {
            sim_run_story(w->run, "s%zu ", i);
            unions_tell(w->run, w->models[i]);
        }
        unions_check_slot(w, i);
        wb_window_fini(&w->windows[i], sim_run_mem(w->run));
        FUZZ_CHECK(WIN_011, w->windows[i].count == 0 && w->windows[i].capacity == 0);
    }
    wb_buf_fini(&w->buf);
    FUZZ_CHECK(WIN_011, w->run->alloc.live_bytes == 0);
    sim_run_story(w->run, "%s", wb_err_name((int)w->last));
    sim_run_outcome(w->run, w->last);
}

void unions_run(struct sim_run *run, struct wb_view input)
{
    static struct unions world;
    struct unions *w = &world;
    struct sim_scenario scenario = sim_scenario_of(input);
    struct sim_op op;

    unions_init(w, run);
    while (sim_scenario_next(&scenario, &op)) {
        if (sim_ops_enter(&unions_ops, run, &scenario.header, &op) == NULL)
            continue;
        sim_trace_add(&run->trace, 0, "op       %u: %o s%u arg %u", op.record, op.opcode, op.slot,
                      op.arg);
        if (op.opcode == SIM_OP_LIT) {
            w->raw_len = op.lit.len < UNIONS_RAW ? op.lit.len : UNIONS_RAW;
            for (size_t i = 0; i < w->raw_len; i++)
                w->raw[i] = op.lit.data[i];
        } else if (!apply(w, &op)) {
            sim_ops_dead(run);
        }
        unions_check_memory(w);
        w->turn++;
    }
    end(w);
}
