/*
 * wishes.c: each op on the demand and on the model. A refused one changes neither.
 */
#include "targets/window/wishes.h"

#include "targets/window/places.h"
#include "targets/window/unions.h"

#include <inttypes.h>
#include <string.h>

#define WISHES_MS UINT64_C(1000000)

static uint64_t age_of(const struct sim_op *op, uint32_t ms)
{
    (void)op;
    return ms == 0xffffff ? WB_DEMAND_NO_AGE : ms * WISHES_MS;
}

/* ---- the model alone ------------------------------------------------------------------------- */

bool wishes_pend(struct wishes *w, const struct sim_op *op)
{
    struct ref_window *own = &w->pending[op->slot];
    struct wb_range range = places_range(op);
    bool has_room;

    switch (op->opcode) {
    case WISHES_WISH:
        w->pending_wish[op->slot] = (struct ref_wish){.priority = (uint8_t)op->arg,
                                                      .ordered = op->flags & 1,
                                                      .is_live = op->flags & 2,
                                                      .max_age_ns = age_of(op, op->ext)};
        return true;
    case WISHES_SAME:
        ref_window_copy(own, &w->pending[op->flags]);
        w->pending_wish[op->slot] = w->pending_wish[op->flags];
        return op->slot != op->flags;
    case WISHES_SPAN:
    case WISHES_HOLE:
    case WISHES_ONLY:
        if (ref_range_status(&range) != WB_OK)
            return false;
        if (op->opcode == WISHES_ONLY)
            ref_window_init(own);
        ref_window_copy(&w->spare, own);
        has_room = op->opcode == WISHES_HOLE ? ref_window_remove(&w->spare, &range)
                                             : ref_window_add(&w->spare, &range);
        if (!has_room || w->spare.count > 16)
            return false;
        ref_window_copy(own, &w->spare);
        return true;
    default:
        return false;
    }
}

void wishes_take(struct wishes *w, size_t slot, bool is_owned)
{
    w->model.joined[slot] = true;
    w->model.wish[slot] = w->pending_wish[slot];
    if (is_owned)
        w->model.wish[slot].is_live = false; /* it asks for ranges */
    ref_window_copy(&w->model.window[slot], &w->pending[slot]);
    w->is_stale = true;
    if (w->run != NULL && w->pending[slot].count == 0)
        sim_mark(w->run, WISHES_MARK_EMPTY);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* The pending window in the core; false when the allocator refused. */
static bool build(struct wishes *w, size_t slot, struct wb_window *out)
{
    const struct ref_window *from = &w->pending[slot];

    wb_window_init(out);
    for (size_t i = 0; i < from->count; i++) {
        struct wb_range range = {.start = from->runs[i].first};

        range.end.present = ref_position_next(from->runs[i].last, &range.end.at);
        if (wb_window_add(out, sim_run_mem(w->run), &range) != WB_OK) {
            wb_window_fini(out, sim_run_mem(w->run));
            return false;
        }
    }
    return true;
}

static struct wb_wish wish_of(const struct ref_wish *wish)
{
    return (struct wb_wish){.priority = wish->priority,
                            .ordered = wish->ordered,
                            .is_live = wish->is_live,
                            .max_age_ns = wish->max_age_ns};
}

/* Somebody else is there who asks for the same run with the same age. */
static bool is_shared(const struct wishes *w, size_t slot)
{
    for (size_t i = 0; i < REF_DEMAND_SUBSCRIBERS; i++) {
        if (i != slot && w->model.joined[i] && w->pending[slot].count == 1 &&
            w->model.wish[i].max_age_ns == w->pending_wish[slot].max_age_ns &&
            ref_window_equal(&w->model.window[i], &w->pending[slot]))
            return true;
    }
    return false;
}

/* The status of a call, and what it may have cost; true when it is done. */
static bool is_done(struct wishes *w, enum wb_err err, uint64_t refused)
{
    bool was_refused = w->run->alloc.refused != refused;

    FUZZ_CHECK(DMD_004, err == (was_refused ? WB_E_NOMEM : WB_OK));
    if (err != WB_OK)
        w->last = err;
    if (was_refused)
        sim_mark(w->run, WISHES_MARK_REFUSED);
    return err == WB_OK;
}

static bool join_self(struct wishes *w, size_t slot, bool update)
{
    struct wb_wish wish = wish_of(&w->pending_wish[slot]);
    struct wishes_home *home = w->homes[slot];
    uint64_t refused, requests;
    struct wb_window window;
    uint64_t compared;
    enum wb_err err;
    bool done;

    if (!build(w, slot, &window))
        return false;
    refused = w->run->alloc.refused;
    requests = w->run->alloc.requests;
    compared = wb_cost.positions_compared;
    err = update ? wb_demand_update(w->demand, &home->part, &wish, &window)
                 : wb_demand_join(w->demand, &home->part, &wish, &window);
    wishes_check_cost(w, slot, compared);
    wishes_check_asked(w, slot, requests);
    if (is_shared(w, slot)) {
        FUZZ_CHECK(DMD_008, w->run->alloc.requests == requests);
        sim_mark(w->run, WISHES_MARK_SHARED);
    }
    done = is_done(w, err, refused);
    if (!done && !update)
        wb_demand_leave(w->demand, &home->part); /* harmless when it did not join */
    wb_window_fini(&window, sim_run_mem(w->run));
    return done;
}

/* As ranges of a subscription; none would be the live edge, so nothing is an empty one. */
static bool join_owner(struct wishes *w, size_t slot, bool update)
{
    const struct ref_window *from = &w->pending[slot];
    const struct ref_wish *wish = &w->pending_wish[slot];
    struct wb_request requests[16] = {{.range = {{5, 0}, {true, {5, 0}}}}};
    struct wb_subscription_config config = {.priority = wish->priority,
                                            .ordered = wish->ordered,
                                            .max_age_ns = wish->max_age_ns,
                                            .requests = requests,
                                            .count = from->count > 0 ? from->count : 1};
    struct wb_subscription *s = &w->homes[slot]->owner;
    uint64_t refused = w->run->alloc.refused, compared = wb_cost.positions_compared;
    enum wb_err err;

    for (size_t i = 0; i < from->count; i++) {
        requests[i].range.start = from->runs[i].first;
        requests[i].range.end.present =
            ref_position_next(from->runs[i].last, &requests[i].range.end.at);
    }
    err = update ? wb_subscription_update(s, &config)
                 : wb_subscription_init(s, sim_run_mem(w->run), w->track, w->demand, &config);
    wishes_check_cost(w, slot, compared);
    return is_done(w, err, refused);
}

static void give_home(struct wishes *w, size_t slot)
{
    wb_mem_give(sim_run_mem(w->run), w->homes[slot], sizeof(struct wishes_home));
    w->homes[slot] = NULL;
}

static bool join(struct wishes *w, size_t slot, bool is_owned)
{
    if (w->homes[slot] != NULL)
        return false;
    w->homes[slot] = wb_mem_take(sim_run_mem(w->run), sizeof(struct wishes_home));
    if (w->homes[slot] == NULL)
        return true;
    memset(w->homes[slot], WISHES_GARBAGE, sizeof(struct wishes_home));
    w->owned[slot] = is_owned;
    if (!(is_owned ? join_owner(w, slot, false) : join_self(w, slot, false))) {
        give_home(w, slot);
        return true;
    }
    wishes_take(w, slot, is_owned);
    w->has_moved = true;
    return true;
}

/* An owner says no word: its part must go with it. */
static bool leave(struct wishes *w, size_t slot)
{
    uint64_t requests = w->run->alloc.requests, compared = wb_cost.positions_compared;

    if (w->homes[slot] == NULL)
        return false;
    if (w->owned[slot]) {
        wb_subscription_fini(&w->homes[slot]->owner);
        sim_mark(w->run, WISHES_MARK_DIED);
    } else {
        wb_demand_leave(w->demand, &w->homes[slot]->part);
        wb_demand_leave(w->demand, &w->homes[slot]->part); /* harmless when it is not joined */
    }
    FUZZ_CHECK(DMD_007, w->run->alloc.requests == requests);
    wishes_check_cost(w, slot, compared);
    give_home(w, slot);
    w->model.joined[slot] = false;
    w->is_stale = w->has_moved = true;
    if (ref_demand_count(&w->model) == 0)
        sim_mark(w->run, WISHES_MARK_LAST_LEFT);
    return true;
}

static bool update(struct wishes *w, size_t slot)
{
    if (w->homes[slot] == NULL)
        return false;
    if (w->owned[slot] ? join_owner(w, slot, true) : join_self(w, slot, true)) {
        wishes_take(w, slot, w->owned[slot]);
        w->has_moved = true;
    }
    return true;
}

/*
 * One who asks for one run goes and comes back, twice, and the second time for nothing; false when
 * the first was refused.
 */
static bool come_back(struct wishes *w, size_t slot, bool is_observed, bool is_free)
{
    struct wb_wish wish = wish_of(&w->model.wish[slot]);
    uint64_t requests, refused;
    struct wb_window window;
    bool done;

    wb_window_init(&window);
    window.count = 1;
    window.as.one = w->model.window[slot].runs[0];
    if (is_observed)
        wishes_observe(w);
    wb_demand_leave(w->demand, &w->homes[slot]->part);
    w->model.joined[slot] = false;
    w->is_stale = w->has_moved = true;
    if (is_observed)
        wishes_observe(w);
    requests = w->run->alloc.requests;
    refused = w->run->alloc.refused;
    done = is_done(w, wb_demand_join(w->demand, &w->homes[slot]->part, &wish, &window), refused);
    FUZZ_CHECK(DMD_010, !is_free || w->run->alloc.requests == requests);
    w->model.joined[slot] = done;
    w->is_stale = w->has_moved = true;
    if (!done)
        give_home(w, slot);
    return done;
}

static bool again(struct wishes *w, size_t slot, bool is_observed)
{
    if (w->homes[slot] == NULL || w->owned[slot] || w->model.window[slot].count != 1)
        return false;
    (void)(come_back(w, slot, is_observed, false) && come_back(w, slot, is_observed, true));
    return true;
}

static bool apply(struct wishes *w, const struct sim_op *op)
{
    switch (op->opcode) {
    case WISHES_JOIN:
    case WISHES_OWN:
        return join(w, op->slot, op->opcode == WISHES_OWN);
    case WISHES_UPDATE:
        return update(w, op->slot);
    case WISHES_LEAVE:
        return leave(w, op->slot);
    case WISHES_AGAIN:
    case WISHES_VISIT:
        return again(w, op->slot, op->opcode == WISHES_VISIT);
    case WISHES_OBSERVE:
        wishes_observe(w);
        return true;
    case WISHES_LOOK:
        wishes_look(w, places_position(op->arg));
        return true;
    case WISHES_AGE:
        wishes_age(w, age_of(op, op->ext));
        return true;
    case WISHES_FAIL:
        sim_alloc_fail_next(&w->run->alloc, op->arg == 0 ? 1 : op->arg);
        return true;
    default:
        return wishes_pend(w, op);
    }
}

/* ---- a run ----------------------------------------------------------------------------------- */

static bool init(struct wishes *w, struct sim_run *run)
{
    static const struct wb_track_config config = {.max_age_ns = WB_TRACK_NO_AGE};

    w->run = run;
    w->last = WB_OK;
    w->turn = w->quiet = 0;
    w->is_stale = true;
    w->has_moved = w->is_over = false;
    ref_window_init(&w->seen);
    memset(&w->seen_fold, 0, sizeof w->seen_fold);
    ref_demand_init(&w->model);
    for (size_t i = 0; i < REF_DEMAND_SUBSCRIBERS; i++) {
        w->homes[i] = NULL;
        ref_window_init(&w->pending[i]);
        w->pending_wish[i] = (struct ref_wish){0};
    }
    if (wb_track_new(sim_run_mem(run), &config, &w->track) != WB_OK)
        return false;
    w->track_bytes = run->alloc.live_bytes;
    if (wb_demand_new(sim_run_mem(run), &w->demand) != WB_OK) {
        wb_track_drop(w->track);
        return false;
    }
    w->baseline = run->alloc.live_bytes;
    return true;
}

static void tell(struct wishes *w)
{
    struct ref_fold fold = ref_demand_fold(&w->model);
    char name[UNIONS_NAME];

    if (!w->run->story_on)
        return;
    unions_tell(w->run, wishes_now(w));
    if (fold.some) {
        sim_run_story(w->run, "priority %u%s age ", fold.wish.priority,
                      fold.wish.ordered ? " ordered" : "");
        if (fold.wish.max_age_ns == WB_DEMAND_NO_AGE)
            sim_run_story(w->run, "any");
        else
            sim_run_story(w->run, "%" PRIu64, fold.wish.max_age_ns / WISHES_MS);
        if (fold.start.present && unions_name(fold.start.at, name) > 0)
            sim_run_story(w->run, " from %s", name);
        if (fold.end.present && unions_name(fold.end.at, name) > 0)
            sim_run_story(w->run, " to %s", name);
    } else {
        sim_run_story(w->run, "nothing");
    }
    sim_run_story(w->run, "; %s", wb_err_name((int)w->last));
}

static void end(struct wishes *w)
{
    w->run->alloc.fail_at[SIM_ALLOC_OP] = 0;
    tell(w);
    w->is_over = true;
    sim_run_outcome(w->run, w->last);
    for (size_t i = 0; i < REF_DEMAND_SUBSCRIBERS; i++)
        (void)leave(w, i);
    wishes_check(w);
    for (int i = 0; i < 3; i++)
        wishes_observe(w);
    wb_demand_free(w->demand);
    wb_track_drop(w->track);
    FUZZ_CHECK(DMD_009, w->run->alloc.live_bytes == 0);
}

void wishes_run(struct sim_run *run, struct wb_view input)
{
    static struct wishes world;
    struct wishes *w = &world;
    struct sim_scenario scenario = sim_scenario_of(input);
    struct sim_op op;

    if (!init(w, run)) {
        sim_run_outcome(run, WB_E_NOMEM);
        return;
    }
    while (sim_scenario_next(&scenario, &op)) {
        if (sim_ops_enter(&wishes_ops, run, &scenario.header, &op) == NULL)
            continue;
        sim_trace_add(&run->trace, 0, "op       %u: %o s%u arg %u", op.record, op.opcode, op.slot,
                      op.arg);
        if (!apply(w, &op))
            sim_ops_dead(run);
        wishes_check(w);
        w->turn++;
    }
    end(w);
}

void wishes_draw(struct wb_view input, struct wb_buf *out)
{
    static const char *const names[] = {"s0", "s1",  "s2",  "s3",  "s4",  "s5",  "s6",  "s7", "s8",
                                        "s9", "s10", "s11", "s12", "s13", "s14", "s15", "all"};
    static struct wishes world;
    static struct sim_run run;
    const struct ref_window *lines[REF_DEMAND_SUBSCRIBERS + 1];
    struct sim_scenario scenario = sim_scenario_of(input);
    struct wishes *w = &world;
    struct sim_op op;

    sim_run_reset(&run);
    ref_demand_init(&w->model);
    for (size_t i = 0; i < REF_DEMAND_SUBSCRIBERS; i++)
        ref_window_init(&w->pending[i]);
    while (sim_scenario_next(&scenario, &op)) {
        if (sim_ops_enter(&wishes_ops, &run, &scenario.header, &op) == NULL)
            continue;
        if (op.opcode == WISHES_LEAVE)
            w->model.joined[op.slot] = false;
        else if (w->model.joined[op.slot] ? op.opcode == WISHES_UPDATE
                                          : op.opcode == WISHES_JOIN || op.opcode == WISHES_OWN)
            wishes_take(w, op.slot, false);
        else
            (void)wishes_pend(w, &op);
    }
    (void)ref_demand_union(&w->model, &w->now);
    for (size_t i = 0; i < REF_DEMAND_SUBSCRIBERS; i++) {
        lines[i] = &w->model.window[i];
        if (!w->model.joined[i])
            ref_window_init(&w->model.window[i]);
    }
    lines[REF_DEMAND_SUBSCRIBERS] = &w->now;
    unions_draw_lines(lines, names, REF_DEMAND_SUBSCRIBERS + 1, out);
}
