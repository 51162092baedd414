/*
 * subs.c: a run of subscriptions, and how everything goes at its end.
 */
#include "targets/window/subs.h"

#include <inttypes.h>
#include <string.h>

void subs_ended(struct subs *w, enum wb_err err)
{
    if (err != WB_OK && err != WB_MORE && (err != WB_END || w->last == WB_OK))
        w->last = err;
    sim_run_note(w->run, (uint64_t)err);
}

bool subs_was_refused(struct subs *w, uint64_t refused)
{
    if (w->run->alloc.refused == refused)
        return false;
    sim_mark(w->run, SUBS_MARK_REFUSED);
    return true;
}

static bool init(struct subs *w, struct sim_run *run, const struct sim_header *h)
{
    struct wb_track_config config = {.pool = &w->pool,
                                     .max_age_ns = h->knob[1] == 0 ? WB_TRACK_NO_AGE
                                                                   : h->knob[1] * 100 * SUBS_MS};

    /* What the core must set up itself is found as garbage, not as an earlier run left it. */
    memset(&w->told, SUBS_GARBAGE, sizeof(w->told));
    memset(w->groups, SUBS_GARBAGE, sizeof(w->groups));
    w->run = run;
    w->now_ns = 0;
    w->last = WB_OK;
    w->turn = 0;
    w->done_max = h->knob[2];
    w->model.count = 0;
    w->model.arrivals = w->model.highest = w->model.boundary = 0;
    w->model.has_highest = w->model.finished = false;
    w->model.reason = WB_OK;
    wb_group_watches_init(&w->told);
    for (size_t i = 0; i < SIM_SLOTS; i++)
        w->writers[i] = REF_SUB_GROUPS;
    ref_demand_init(&w->asks);
    for (size_t i = 0; i < SUBS_SLOTS; i++) {
        struct subs_slot *s = &w->slots[i];

        s->joined = s->reader.on = s->ordered = false;
        s->priority = 0;
        s->asked = 0;
        s->pending.max_age_ns = REF_SUB_NO_AGE;
        s->pending.timescale = 1000;
    }
    wb_pool_init(&w->pool, h->knob[0] == 0 ? UINT64_MAX : h->knob[0] * UINT64_C(256));
    if (wb_track_new(sim_run_mem(run), &config, &w->track) != WB_OK) {
        wb_pool_fini(&w->pool);
        return false;
    }
    if (wb_demand_new(sim_run_mem(run), &w->demand) == WB_OK)
        return true;
    wb_track_drop(w->track);
    wb_pool_fini(&w->pool);
    return false;
}

static bool apply(struct subs *w, const struct sim_op *op)
{
    if (op->opcode == SUBS_FAIL) {
        sim_alloc_fail_next(&w->run->alloc, op->arg == 0 ? 1 : op->arg);
        return true;
    }
    if (op->opcode == SUBS_TIME) {
        w->now_ns += op->arg * SUBS_MS;
        return true;
    }
    if (op->opcode < SUBS_TIME)
        return subs_track(w, op);
    return op->opcode < SUBS_NEXT ? subs_ask(w, op) : subs_next(w, op);
}

/* Everything drains, then nothing may be left out; then all go, writers before or after. */
static void end(struct subs *w, bool writers_first)
{
    w->run->alloc.fail_at[SIM_ALLOC_OP] = 0;
    for (size_t i = 0; i < SUBS_SLOTS; i++) {
        if (w->slots[i].joined) {
            sim_run_story(w->run, "s%zu", i);
            subs_drain(w, i);
            sim_run_story(w->run, "; ");
        }
    }
    sim_run_story(w->run, "%s", wb_err_name((int)w->last));
    sim_run_outcome(w->run, w->last);
    for (size_t i = 0; i < SIM_SLOTS && writers_first; i++)
        subs_leave(w, i);
    for (size_t i = 0; i < SUBS_SLOTS; i++)
        subs_quit(w, i);
    for (size_t i = 0; i < SIM_SLOTS; i++)
        subs_leave(w, i);
    subs_check(w);
    wb_demand_free(w->demand);
    for (size_t i = 0; i < w->model.count; i++) {
        wb_group_unwatch(&w->groups[i].watch);
        if (w->groups[i].core != NULL)
            wb_group_drop(w->groups[i].core);
    }
    wb_track_drop(w->track);
    wb_pool_fini(&w->pool);
}

void subs_run(struct sim_run *run, struct wb_view input)
{
    static struct subs world; /* large; init sets up what a run reads */
    struct subs *w = &world;
    struct sim_scenario scenario = sim_scenario_of(input);
    struct sim_op op;

    if (!init(w, run, &scenario.header)) {
        sim_run_outcome(run, WB_E_NOMEM);
        return;
    }
    while (sim_scenario_next(&scenario, &op)) {
        if (sim_ops_enter(&subs_ops, run, &scenario.header, &op) == NULL)
            continue;
        sim_trace_add(&run->trace, w->now_ns, "op       %u: %o s%u arg %u", op.record, op.opcode,
                      op.slot, op.arg);
        if (!apply(w, &op))
            sim_ops_dead(run);
        subs_check(w);
        w->turn++;
    }
    end(w, scenario.header.profile & 1);
}
