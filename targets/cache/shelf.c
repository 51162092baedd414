/*
 * shelf.c: a run of tracks over one pool, and how everything goes at its end.
 */
#include "targets/cache/shelf.h"

#include <inttypes.h>

bool shelf_was_refused(struct shelf *s, enum wb_err err, uint64_t refused)
{
    bool was = s->run->alloc.refused != refused;

    FUZZ_CHECK(CCH_013, (err == WB_E_NOMEM) == was);
    if (was)
        sim_mark(s->run, SHELF_MARK_REFUSED);
    return was;
}

void shelf_ended(struct shelf *s, enum wb_err err)
{
    if (err != WB_OK && err != WB_MORE)
        s->last = err;
    sim_run_note(s->run, (uint64_t)err);
}

bool shelf_is_done(struct shelf *s, enum wb_err err, enum wb_err want, uint64_t refused)
{
    bool was_refused = shelf_was_refused(s, err, refused);

    shelf_ended(s, err);
    if (was_refused)
        FUZZ_CHECK(CCH_013, want == WB_OK);
    else
        FUZZ_CHECK(CCH_001, err == want);
    return err == WB_OK;
}

void shelf_gone(struct shelf *s, uint32_t id, enum wb_err reason)
{
    struct shelf_group *g = &s->group[id];

    ref_group_abort(g->log, reason);
    g->model = g->track = REF_POOL_NONE;
    g->open = NULL;
}

void shelf_let_go(struct shelf *s, uint32_t id)
{
    struct shelf_group *g = &s->group[id];

    if (--g->holds > 0 || g->track != REF_POOL_NONE || g->model == REF_POOL_NONE)
        return;
    ref_cache_gone(&s->model, g->model); /* its track went before */
    shelf_gone(s, id, WB_E_DROPPED);
}

void shelf_bill(struct shelf *s, uint32_t id)
{
    const struct shelf_group *g = &s->group[id];

    if (g->model != REF_POOL_NONE)
        s->model.pool.entries[g->model].billed = ref_group_billed(g->log);
}

void shelf_settle(struct shelf *s, struct ref_pool_settle *settle)
{
    int victim;

    while ((victim = ref_cache_victim(&s->model, settle)) != REF_POOL_NONE) {
        uint32_t id = s->of_model[victim];
        const struct shelf_group *g = &s->group[id];

        sim_mark(s->run, SHELF_MARK_EVICTED);
        if (g->open != NULL)
            sim_mark(s->run, SHELF_MARK_EVICTED_OPEN);
        if (g->holds == 0)
            sim_mark(s->run, SHELF_MARK_EVICTED_OTHER);
        for (int i = 0; i < SHELF_TRACKS; i++) {
            if (i != g->track && s->tracks[i].core != NULL && ref_cache_live(&s->model, i) > 0)
                sim_mark(s->run, SHELF_MARK_TWO_TRACKS);
        }
        sim_run_story(s->run, "evicted t%d.%" PRIu64 "; ", g->track, g->sequence);
        shelf_gone(s, id, WB_E_EVICTED);
    }
}

/* What one of each costs the allocator; false when it refuses. */
static bool learn(struct shelf *s)
{
    struct wb_mem *mem = sim_run_mem(s->run);
    struct wb_slice probe = {0};
    struct wb_group *group;
    struct wb_frame *frame;
    uint8_t *bytes;

    if (wb_slice_new(mem, 1, &probe, &bytes) != WB_OK)
        return false;
    s->storage.header = s->run->alloc.live_bytes - 1;
    wb_slice_drop(&probe);
    if (wb_group_new(mem, &s->limits, NULL, 0, &group) != WB_OK)
        return false;
    s->group_bytes = s->run->alloc.live_bytes;
    wb_group_drop(group);
    if (wb_frame_new(mem, &s->limits.frame, 1, &frame) != WB_OK)
        return false;
    s->frame_bytes = s->run->alloc.live_bytes;
    wb_frame_drop(frame);
    FUZZ_CHECK(CCH_012, s->group_bytes <= WB_GROUP_OVERHEAD && s->frame_bytes <= WB_GROUP_OPEN);
    return true;
}

static bool init(struct shelf *s, struct sim_run *run, const struct sim_header *h)
{
    uint64_t capacity = h->knob[0] == 0 ? UINT64_MAX : h->knob[0] * UINT64_C(256);

    s->run = run;
    s->limits = wb_group_limits_default;
    if (h->knob[2])
        s->limits.bytes = s->limits.frames = h->knob[2] * UINT64_C(256);
    s->storage = (struct ref_group_storage){.upfront = s->limits.frame.upfront,
                                            .chain = s->limits.frame.chain};
    s->now_ns = 0;
    s->age_ns = h->knob[1] == 0 ? WB_TRACK_NO_AGE : h->knob[1] * 100 * SHELF_MS;
    s->last = WB_OK;
    s->groups = 0;
    s->groups_max = h->profile == 255 ? SHELF_GROUPS : SHELF_GROUPS_MAX;
    s->turn = 0;
    s->track_bytes = 0;
    for (size_t i = 0; i < SIM_SLOTS; i++) {
        s->writers[i] = 0;
        s->readers[i].on = false;
    }
    for (size_t i = 0; i < SHELF_TRACKS; i++)
        s->tracks[i] = (struct shelf_track){.max_age_ns = s->age_ns};
    ref_cache_init(&s->model, capacity);
    wb_pool_init(&s->pool, capacity);
    return learn(s);
}

static bool apply(struct shelf *s, const struct sim_op *op)
{
    if (op->opcode == SHELF_FAIL) {
        sim_alloc_fail_next(&s->run->alloc, op->arg == 0 ? 1 : op->arg);
        return true;
    }
    if (op->opcode == SHELF_TIME) {
        s->now_ns += (op->arg | (uint64_t)op->ext << 16) * SHELF_MS;
        return true;
    }
    if (op->opcode >= SHELF_ADD && op->opcode < SHELF_END)
        return shelf_group(s, op);
    return shelf_track(s, op);
}

static void tell(struct shelf *s)
{
    for (int i = 0; i < SHELF_TRACKS; i++) {
        uint64_t above = 0;
        struct wb_group *g;

        if (s->tracks[i].core == NULL)
            continue;
        sim_run_story(s->run, "t%d", i);
        for (bool first = true; (g = wb_track_above(s->tracks[i].core, above, first)) != NULL;
             first = false) {
            above = wb_group_sequence(g);
            sim_run_story(s->run, " %" PRIu64, above);
        }
        sim_run_story(s->run, "; ");
    }
    sim_run_story(s->run, "used %" PRIu64 "; %s", wb_pool_used(&s->pool),
                  wb_err_name((int)s->last));
}

/* Writers and readers go before their tracks or after, as the profile says. */
static void end(struct shelf *s, bool tracks_first)
{
    s->run->alloc.fail_at[SIM_ALLOC_OP] = 0;
    tell(s);
    sim_run_outcome(s->run, s->last);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < SIM_SLOTS && (round == 1) == tracks_first; i++) {
            shelf_group_quit(s, i);
            shelf_group_leave(s, i);
        }
        for (int i = 0; i < SHELF_TRACKS && (round == 0) == tracks_first; i++) {
            while (s->tracks[i].core != NULL)
                shelf_track_drop(s, i);
        }
        if (round == 0)
            shelf_check(s);
    }
    FUZZ_CHECK(CCH_011, wb_pool_used(&s->pool) == 0 && s->pool.entries == 0);
    FUZZ_CHECK(CCH_012, s->run->alloc.live_bytes == 0);
    wb_pool_fini(&s->pool);
}

void shelf_run(struct sim_run *run, struct wb_view input)
{
    static struct shelf shelf; /* large; init sets up what a run reads */
    struct shelf *s = &shelf;
    struct sim_scenario scenario = sim_scenario_of(input);
    struct sim_op op;

    if (!init(s, run, &scenario.header)) {
        sim_run_outcome(run, WB_E_NOMEM);
        return;
    }
    while (sim_scenario_next(&scenario, &op)) {
        if (sim_ops_enter(&shelf_ops, run, &scenario.header, &op) == NULL)
            continue;
        sim_trace_add(&run->trace, s->now_ns, "op       %u: %o s%u arg %u", op.record, op.opcode,
                      op.slot, op.arg);
        if (!apply(s, &op))
            sim_ops_dead(run);
        shelf_check(s);
    }
    end(s, scenario.header.profile & 1);
}
