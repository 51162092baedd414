/*
 * subs_draw.c: a scenario of subscriptions on a number line: the groups of the track, what each
 * subscriber asks for, and below its cap what it may be given. By the ops alone: calls that were
 * refused for memory, evictions and requests for times are not in it.
 */
#include "targets/window/places.h"
#include "targets/window/subs.h"
#include "targets/window/unions.h"

#define ROWS (1 + 2 * SUBS_SLOTS)

struct sketch {
    struct ref_window rows[ROWS]; /* the track; then of each slot what it asks for, and its cap */
    struct ref_window pending[SUBS_SLOTS];
    bool has_said[SUBS_SLOTS], is_on[SUBS_SLOTS];
    bool has_highest;
    uint64_t highest;
    struct wb_bound live_end[SUBS_SLOTS];
    bool is_live[SUBS_SLOTS];
    bool has_group[SIM_SLOTS];
    uint64_t group[SIM_SLOTS]; /* that the slot writes */
};

static uint64_t number_of(const struct sim_op *op, uint64_t n)
{
    return op->flags & 1 ? UINT64_MAX - n : n;
}

static struct wb_range whole_group(uint64_t group)
{
    return (struct wb_range){{group, 0}, {group < UINT64_MAX, {group + 1, 0}}};
}

static void make(struct sketch *s, const struct sim_op *op)
{
    uint64_t group = op->opcode != SUBS_APPEND ? number_of(op, op->arg)
                     : s->has_highest          ? s->highest + 1
                                               : 0;
    struct wb_range range = whole_group(group);

    (void)ref_window_add(&s->rows[0], &range);
    if (!s->has_highest || group > s->highest)
        s->highest = group;
    s->has_highest = s->has_group[op->slot] = true;
    s->group[op->slot] = group;
}

static void forget(struct sketch *s, const struct sim_op *op)
{
    struct wb_range range = whole_group(s->group[op->slot]);

    if (s->has_group[op->slot])
        (void)ref_window_remove(&s->rows[0], &range);
    s->has_group[op->slot] = false;
}

static void say(struct sketch *s, const struct sim_op *op, size_t slot)
{
    struct wb_range range = places_range(op);

    if (op->opcode == SUBS_ASK)
        range = (struct wb_range){{number_of(op, op->arg), 0},
                                  {op->ext != 0, {number_of(op, op->ext), 0}}};
    s->has_said[slot] = true;
    if (op->opcode == SUBS_LIVE) {
        s->is_live[slot] = true;
        s->live_end[slot] = (struct wb_bound){op->arg != 0, {op->arg, 0}};
    } else if (ref_range_status(&range) == WB_OK) {
        (void)ref_window_add(&s->pending[slot], &range);
    }
}

/* What was said is asked for; the live edge is where the track is now. */
static void take(struct sketch *s, size_t slot)
{
    struct ref_window *row = &s->rows[1 + 2 * slot];
    struct wb_range live = {{s->has_highest ? s->highest : 0, 0}, s->live_end[slot]};

    ref_window_copy(row, &s->pending[slot]);
    if ((s->is_live[slot] || !s->has_said[slot]) && ref_range_status(&live) == WB_OK)
        (void)ref_window_add(row, &live);
    s->is_on[slot] = true;
}

static void cap(struct sketch *s, size_t slot, struct wb_bound at)
{
    struct ref_window *row = &s->rows[2 + 2 * slot];
    struct wb_range range = {{0, 0}, at};

    ref_window_init(row);
    if (at.present && s->is_on[slot])
        (void)ref_window_add(row, &range);
}

static void unsay(struct sketch *s, size_t slot)
{
    ref_window_init(&s->pending[slot]);
    s->has_said[slot] = s->is_live[slot] = false;
    s->live_end[slot].present = false;
}

static void apply(struct sketch *s, const struct sim_op *op)
{
    size_t slot = op->slot % SUBS_SLOTS;

    if (op->opcode >= SUBS_CREATE && op->opcode <= SUBS_BACKFILL)
        make(s, op);
    else if (op->opcode == SUBS_ABORT)
        forget(s, op);
    else if (op->opcode == SUBS_ABORT_TRACK)
        ref_window_init(&s->rows[0]);
    else if (op->opcode >= SUBS_ASK && op->opcode <= SUBS_LIVE)
        say(s, op, slot);
    else if (op->opcode == SUBS_TIMES)
        s->has_said[slot] = true;
    else if (op->opcode == SUBS_NOTHING)
        unsay(s, slot);
    else if (op->opcode == SUBS_JOIN ? !s->is_on[slot]
                                     : op->opcode == SUBS_UPDATE && s->is_on[slot])
        take(s, slot);
    else if (op->opcode == SUBS_CAP)
        cap(s, slot, (struct wb_bound){true, {number_of(op, op->arg), 0}});
    else if (op->opcode == SUBS_CAP_AT)
        cap(s, slot, places_bound(op->arg));
    else if (op->opcode == SUBS_LIFT || op->opcode == SUBS_QUIT)
        cap(s, slot, (struct wb_bound){.present = false});
    if (op->opcode == SUBS_QUIT) {
        ref_window_init(&s->rows[1 + 2 * slot]);
        s->is_on[slot] = false;
    }
}

void subs_draw(struct wb_view input, struct wb_buf *out)
{
    static const char *const names[ROWS] = {"track",  "s0", "s0.cap", "s1", "s1.cap", "s2",
                                            "s2.cap", "s3", "s3.cap", "s4", "s4.cap", "s5",
                                            "s5.cap", "s6", "s6.cap", "s7", "s7.cap"};
    static struct sketch sketch;
    static struct sim_run run;
    const struct ref_window *lines[ROWS];
    struct sim_scenario scenario = sim_scenario_of(input);
    struct sim_op op;

    sim_run_reset(&run);
    sketch.has_highest = false;
    for (size_t i = 0; i < ROWS; i++) {
        ref_window_init(&sketch.rows[i]);
        lines[i] = &sketch.rows[i];
    }
    for (size_t i = 0; i < SUBS_SLOTS; i++) {
        unsay(&sketch, i);
        sketch.is_on[i] = false;
    }
    for (size_t i = 0; i < SIM_SLOTS; i++)
        sketch.has_group[i] = false;
    while (sim_scenario_next(&scenario, &op)) {
        if (sim_ops_enter(&subs_ops, &run, &scenario.header, &op) != NULL)
            apply(&sketch, &op);
    }
    unions_draw_lines(lines, names, ROWS, out);
}
