/*
 * shelf_track.c: ops that name a track: making and finding groups, numbers, boundary, ends.
 */
#include "targets/cache/shelf.h"

#include <inttypes.h>

#define SHELF_SEQUENCE_MAX 4u /* flag beside the track: counted back from 2^64-1 */

static uint64_t sequence_of(const struct sim_op *op)
{
    uint64_t n = op->arg | (uint64_t)op->ext << 16;

    return op->flags & SHELF_SEQUENCE_MAX ? UINT64_MAX - n : n;
}

/* The track, made when it is first named; false when the allocator refuses. */
static bool have(struct shelf *s, int track)
{
    struct shelf_track *t = &s->tracks[track];
    struct wb_track_config config = {
        .pool = &s->pool, .max_age_ns = t->max_age_ns, .group = &s->limits};
    uint64_t refused = s->run->alloc.refused, live = s->run->alloc.live_bytes;
    enum wb_err err;

    if (t->core != NULL)
        return true;
    err = wb_track_new(sim_run_mem(s->run), &config, &t->core);
    if (!shelf_is_done(s, err, WB_OK, refused)) {
        FUZZ_CHECK(CCH_013, t->core == NULL);
        return false;
    }
    live = s->run->alloc.live_bytes - live;
    FUZZ_CHECK(CCH_012, s->track_bytes == 0 || s->track_bytes == live);
    s->track_bytes = live;
    t->holds = 1;
    t->arrival = 0;
    ref_cache_open(&s->model, track, config.max_age_ns);
    return true;
}

/* Whether a group of that number was there before. */
static bool was_there(const struct shelf *s, uint64_t sequence)
{
    for (uint32_t i = 1; i <= s->groups; i++) {
        if (s->group[i].sequence == sequence && s->group[i].track == REF_POOL_NONE)
            return true;
    }
    return false;
}

static void mark_made(struct shelf *s, int track, uint64_t sequence, const struct sim_op *op)
{
    int latest = ref_cache_latest(&s->model, track);

    if (was_there(s, sequence))
        sim_mark(s->run, SHELF_MARK_AGAIN);
    if (latest >= 0 && s->model.groups[latest].sequence > sequence)
        sim_mark(s->run, SHELF_MARK_LATE);
    if (op->opcode == SHELF_BACKFILL)
        sim_mark(s->run, SHELF_MARK_BACKFILLED);
}

static void mark_refusal(struct shelf *s, enum wb_err want)
{
    if (want == WB_E_DUPLICATE)
        sim_mark(s->run, SHELF_MARK_DUPLICATE);
    if (want == WB_E_FINISHED)
        sim_mark(s->run, SHELF_MARK_PAST_END);
}

/* The slot writes the group from now on. */
static void made(struct shelf *s, int track, const struct sim_op *op, uint64_t sequence,
                 struct wb_group *core)
{
    uint32_t id = ++s->groups;
    struct shelf_group *g = &s->group[id];
    struct ref_pool_settle settle;
    int model;

    mark_made(s, track, sequence, op);
    model = ref_cache_insert(&s->model, track, sequence, op->opcode != SHELF_BACKFILL, s->now_ns,
                             &settle);
    WB_ASSERT(model >= 0);
    g->core = core;
    g->log = &s->logs[id];
    g->model = model;
    g->track = track;
    g->sequence = sequence;
    g->holds = 1;
    g->open = NULL;
    g->is_delivered = false;
    ref_group_init(g->log, sequence, s->limits.bytes, s->limits.frames);
    s->of_model[model] = id;
    shelf_settle(s, &settle);
    ref_cache_join(&s->model, model);
    shelf_group_leave(s, op->slot);
    s->writers[op->slot] = id;
}

static bool make(struct shelf *s, int track, const struct sim_op *op)
{
    struct wb_track *t = s->tracks[track].core;
    struct wb_group *before = (struct wb_group *)s, *core = before;
    uint64_t sequence = sequence_of(op), refused = s->run->alloc.refused;
    enum wb_err want, err;

    if (s->groups == s->groups_max)
        return false;
    if (op->opcode == SHELF_APPEND) {
        want = ref_cache_append_status(&s->model, track, &sequence);
        err = wb_track_append(t, s->now_ns, &core);
    } else {
        want = ref_cache_create_status(&s->model, track, sequence);
        err = op->opcode == SHELF_CREATE ? wb_track_create(t, sequence, s->now_ns, &core)
                                         : wb_track_backfill(t, sequence, s->now_ns, &core);
    }
    mark_refusal(s, want);
    if (!shelf_is_done(s, err, want, refused)) {
        FUZZ_CHECK(CCH_001, core == before);
        return true;
    }
    FUZZ_CHECK(CCH_006, wb_group_sequence(core) == sequence);
    made(s, track, op, sequence, core);
    return true;
}

/* The slot's reader takes what was fetched. */
static bool fetch(struct shelf *s, int track, const struct sim_op *op)
{
    uint64_t sequence = sequence_of(op), requests = s->run->alloc.requests;
    int model = ref_cache_find(&s->model, track, sequence);
    struct wb_group *core = wb_track_fetch(s->tracks[track].core, sequence, s->now_ns);
    struct shelf_reader *r = &s->readers[op->slot];
    uint32_t id;

    FUZZ_CHECK(CCH_014, s->run->alloc.requests == requests);
    if (model == REF_POOL_NONE) {
        FUZZ_CHECK(CCH_005, core == NULL);
        sim_mark(s->run, was_there(s, sequence) ? SHELF_MARK_MISS_GONE : SHELF_MARK_MISS);
        return true;
    }
    id = s->of_model[model];
    FUZZ_CHECK(CCH_006, core == s->group[id].core);
    sim_mark(s->run, SHELF_MARK_HIT);
    ref_cache_fetched(&s->model, model, s->now_ns);
    shelf_group_quit(s, op->slot);
    wb_group_reader_init(&r->reader, core);
    wb_group_drop(core);
    s->group[id].holds++;
    r->on = true;
    r->group = id;
    r->index = 0;
    return true;
}

static bool above(struct shelf *s, int track, const struct sim_op *op)
{
    bool at_or_above = op->slot & 1;
    int model = ref_cache_above(&s->model, track, sequence_of(op), at_or_above);
    const struct wb_group *core =
        wb_track_above(s->tracks[track].core, sequence_of(op), at_or_above);

    FUZZ_CHECK(CCH_005, model != REF_POOL_NONE || core == NULL);
    FUZZ_CHECK(CCH_006, model == REF_POOL_NONE || core == s->group[s->of_model[model]].core);
    return true;
}

/* The next arrival of the track's one delivery. */
static bool deliver(struct shelf *s, int track)
{
    uint64_t at = s->tracks[track].arrival;
    int model = ref_cache_arrival(&s->model, track, at);
    const struct wb_group *core = wb_track_arrival(s->tracks[track].core, &at);
    struct shelf_group *g;

    if (model == REF_POOL_NONE) {
        FUZZ_CHECK(CCH_008, core == NULL && at == s->tracks[track].arrival);
        return false;
    }
    g = &s->group[s->of_model[model]];
    FUZZ_CHECK(CCH_008, core == g->core && at == s->model.groups[model].arrival);
    FUZZ_CHECK(CCH_008, !g->is_delivered && s->model.groups[model].arrived);
    g->is_delivered = true;
    sim_mark(s->run, SHELF_MARK_DELIVERED);
    if (at > s->tracks[track].arrival)
        sim_mark(s->run, SHELF_MARK_SKIPPED);
    s->tracks[track].arrival = at + 1;
    sim_run_story(s->run, "got t%d.%" PRIu64 "; ", track, g->sequence);
    return true;
}

static bool take(struct shelf *s, int track, const struct sim_op *op)
{
    uint64_t sequence = sequence_of(op), refused = s->run->alloc.refused;
    enum wb_err want = ref_cache_take_status(&s->model, track, sequence);

    if (!shelf_is_done(s, wb_track_take(s->tracks[track].core, sequence), want, refused))
        return true;
    ref_cache_take(&s->model, track, sequence);
    sim_mark(s->run, SHELF_MARK_TAKEN);
    return true;
}

static bool finish(struct shelf *s, int track, const struct sim_op *op)
{
    uint64_t boundary = sequence_of(op), refused = s->run->alloc.refused;
    enum wb_err want, err;

    if (op->opcode == SHELF_END) {
        want = ref_cache_finish_status(&s->model, track, &boundary);
        err = wb_track_finish(s->tracks[track].core);
    } else {
        want = ref_cache_finish_at_status(&s->model, track, boundary);
        err = wb_track_finish_at(s->tracks[track].core, boundary);
    }
    if (shelf_is_done(s, err, want, refused))
        ref_cache_finish(&s->model, track, boundary);
    return true;
}

static bool abort_track(struct shelf *s, int track, enum wb_err reason)
{
    wb_track_abort(s->tracks[track].core, reason);
    for (uint32_t i = 1; i <= s->groups; i++) {
        if (s->group[i].track != track)
            continue;
        ref_cache_gone(&s->model, s->group[i].model);
        shelf_gone(s, i, reason);
    }
    if (s->model.tracks[track].reason == WB_OK)
        s->model.tracks[track].reason = reason;
    return true;
}

void shelf_track_drop(struct shelf *s, int track)
{
    bool is_held[REF_CACHE_GROUPS] = {false};

    wb_track_drop(s->tracks[track].core);
    if (--s->tracks[track].holds > 0)
        return;
    s->tracks[track].core = NULL;
    for (uint32_t i = 1; i <= s->groups; i++) {
        struct shelf_group *g = &s->group[i];

        if (g->track != track)
            continue;
        is_held[g->model] = g->holds > 0;
        g->track = REF_POOL_NONE;
        if (g->holds == 0)
            g->model = REF_POOL_NONE;
        else
            sim_mark(s->run, SHELF_MARK_ORPHANED);
    }
    ref_cache_close(&s->model, track, is_held);
}

static bool hold(struct shelf *s, int track)
{
    if (s->tracks[track].holds == 8)
        return false;
    FUZZ_CHECK(CCH_001, wb_track_share(s->tracks[track].core) == s->tracks[track].core);
    s->tracks[track].holds++;
    return true;
}

/* Ops on a track that is there. */
static bool on_track(struct shelf *s, int track, const struct sim_op *op)
{
    static const enum wb_err reasons[] = {WB_E_CANCEL, WB_E_OLD, WB_E_REMOTE, WB_E_DROPPED};

    switch (op->opcode) {
    case SHELF_CREATE:
    case SHELF_APPEND:
    case SHELF_BACKFILL:
        return make(s, track, op);
    case SHELF_FETCH:
        return fetch(s, track, op);
    case SHELF_ABOVE:
        return above(s, track, op);
    case SHELF_DELIVER:
        return deliver(s, track);
    case SHELF_TAKE:
        return take(s, track, op);
    case SHELF_END:
    case SHELF_END_AT:
        return finish(s, track, op);
    case SHELF_ABORT_TRACK:
        return abort_track(s, track, reasons[op->arg % 4]);
    case SHELF_HOLD_TRACK:
        return hold(s, track);
    default:
        return false;
    }
}

bool shelf_track(struct shelf *s, const struct sim_op *op)
{
    int track = op->flags % SHELF_TRACKS;

    if (op->opcode == SHELF_RESIZE) {
        s->model.pool.capacity = op->arg | (uint64_t)op->ext << 16;
        wb_pool_resize(&s->pool, s->model.pool.capacity);
        return true;
    }
    if (op->opcode == SHELF_AGE) { /* of the track when it is next made */
        s->tracks[track].max_age_ns =
            op->arg == 0xffff ? WB_TRACK_NO_AGE : (op->arg | (uint64_t)op->ext << 16) * SHELF_MS;
        return true;
    }
    if (op->opcode == SHELF_DROP_TRACK) {
        if (s->tracks[track].core == NULL)
            return false;
        shelf_track_drop(s, track);
        return true;
    }
    return have(s, track) && on_track(s, track, op);
}
