/*
 * shelf_group.c: what writers and readers of groups do; each write is told to the track.
 */
#include "targets/cache/shelf.h"

#include <inttypes.h>

/* The writer's reference goes; an unfinished group goes with it. */
void shelf_group_leave(struct shelf *s, size_t slot)
{
    uint32_t id = s->writers[slot];
    struct shelf_group *g = &s->group[id];

    if (id == 0)
        return;
    s->writers[slot] = 0;
    wb_group_leave(g->core);
    if (!g->log->finished && g->model != REF_POOL_NONE) {
        ref_cache_gone(&s->model, g->model);
        shelf_gone(s, id, WB_E_DROPPED);
    }
    shelf_let_go(s, id);
}

void shelf_group_quit(struct shelf *s, size_t slot)
{
    struct shelf_reader *r = &s->readers[slot];

    if (!r->on)
        return;
    r->on = false;
    wb_group_reader_fini(&r->reader);
    shelf_let_go(s, r->group);
}

static void expire(struct shelf *s, int track)
{
    int old[REF_CACHE_LOOKS];
    size_t n = ref_cache_expire(&s->model, track, s->now_ns, old);

    for (size_t i = 0; i < n; i++) {
        uint32_t id = s->of_model[old[i]];

        sim_mark(s->run, SHELF_MARK_EXPIRED);
        sim_run_story(s->run, "old t%d.%" PRIu64 "; ", track, s->group[id].sequence);
        shelf_gone(s, id, WB_E_OLD);
    }
}

static void mark_ages(struct shelf *s, int track)
{
    int latest = ref_cache_latest(&s->model, track);
    uint64_t age = s->model.tracks[track].max_age_ns;

    if (ref_cache_live(&s->model, track) > REF_CACHE_LOOKS)
        sim_mark(s->run, SHELF_MARK_LOOKED_ROUND);
    if (latest >= 0 && age != REF_CACHE_NO_AGE &&
        s->now_ns - s->model.groups[latest].touched_ns > age)
        sim_mark(s->run, SHELF_MARK_SPARED);
}

/* Tells the track of a write, which may be the end of any of its groups. */
static void wrote(struct shelf *s, uint32_t id, uint64_t bytes)
{
    struct shelf_group *g = &s->group[id];
    uint64_t requests = s->run->alloc.requests;
    struct ref_pool_settle settle;
    int track = g->track;

    if (track == REF_POOL_NONE)
        return;
    wb_track_wrote(s->tracks[track].core, g->core, bytes, s->now_ns);
    FUZZ_CHECK(CCH_014, s->run->alloc.requests == requests);
    mark_ages(s, track);
    if (ref_cache_wrote(&s->model, g->model, bytes, s->now_ns, &settle))
        shelf_settle(s, &settle);
    expire(s, track);
}

/* A write to a group that is gone changes nothing, whatever track is told of it. */
static bool touch(struct shelf *s, uint32_t id, const struct sim_op *op)
{
    struct shelf_group *g = &s->group[id];

    if (g->track != REF_POOL_NONE) {
        wrote(s, id, op->arg);
        return true;
    }
    if (s->tracks[op->flags % SHELF_TRACKS].core == NULL || g->model != REF_POOL_NONE)
        return false;
    wb_track_wrote(s->tracks[op->flags % SHELF_TRACKS].core, g->core, op->arg, s->now_ns);
    sim_mark(s->run, SHELF_MARK_NOT_LIVE);
    return true;
}

static bool add(struct shelf *s, uint32_t id, const struct sim_op *op)
{
    struct shelf_group *g = &s->group[id];
    size_t size = op->arg < SHELF_BODY_MAX ? op->arg : SHELF_BODY_MAX;
    enum wb_err want = ref_group_append_status(g->log, size);
    struct wb_slice payload = {0};
    uint8_t *bytes = NULL;
    uint64_t refused;
    bool ok;

    if (!ref_group_has_room(g->log))
        return false;
    if (wb_slice_new(sim_run_mem(s->run), size, &payload, &bytes) != WB_OK)
        return true;
    refused = s->run->alloc.refused;
    ok = shelf_is_done(s, wb_group_add(g->core, s->now_ns, &payload), want, refused);
    wb_slice_drop(&payload);
    if (!ok)
        return true;
    ref_group_append(g->log,
                     (struct ref_group_run){.count = 1,
                                            .size = size,
                                            .timestamp = s->now_ns,
                                            .bill = ref_group_bill(&s->storage, size)},
                     false);
    shelf_bill(s, id);
    wrote(s, id, size);
    return true;
}

static bool open(struct shelf *s, uint32_t id, const struct sim_op *op)
{
    struct shelf_group *g = &s->group[id];
    uint64_t size = op->arg | (uint64_t)op->ext << 16, refused = s->run->alloc.refused;
    enum wb_err want = ref_group_append_status(g->log, size), err;
    struct wb_frame *frame = NULL;

    if (!ref_group_has_room(g->log))
        return false;
    err = wb_group_open(g->core, s->now_ns, size, &frame);
    if (!shelf_is_done(s, err, want, refused))
        return true;
    g->open = frame;
    ref_group_append(g->log,
                     (struct ref_group_run){.count = 1,
                                            .size = size,
                                            .timestamp = s->now_ns,
                                            .bill = ref_group_bill(&s->storage, size)},
                     true);
    shelf_bill(s, id);
    wrote(s, id, size);
    return true;
}

/* Zeros; the declared size was counted as written when the frame was opened. */
static bool write_part(struct shelf *s, uint32_t id, const struct sim_op *op)
{
    static const uint8_t zeros[SHELF_BODY_MAX];
    struct shelf_group *g = &s->group[id];
    size_t len = op->arg < SHELF_BODY_MAX ? op->arg : SHELF_BODY_MAX;
    uint64_t size, refused = s->run->alloc.refused;
    enum wb_err err;

    if (g->open == NULL)
        return false;
    size = g->log->runs[g->log->count - 1].size;
    if (size > SHELF_WRITE_MAX)
        return false;
    if (len > size - g->log->written)
        len = (size_t)(size - g->log->written);
    err = wb_frame_write(g->open, g->log->written, wb_view_of(zeros, len));
    if (!shelf_is_done(s, err, WB_OK, refused))
        return true;
    g->log->written += len;
    wrote(s, id, 0);
    return true;
}

static bool close_frame(struct shelf *s, uint32_t id)
{
    struct shelf_group *g = &s->group[id];
    uint64_t refused = s->run->alloc.refused;
    enum wb_err want = ref_group_close_status(g->log);

    if (!shelf_is_done(s, wb_group_close(g->core), want, refused))
        return true;
    ref_group_close(g->log);
    g->open = NULL;
    shelf_bill(s, id);
    return true;
}

static bool finish(struct shelf *s, uint32_t id)
{
    struct shelf_group *g = &s->group[id];
    uint64_t refused = s->run->alloc.refused;
    enum wb_err want = ref_group_finish_status(g->log);

    if (shelf_is_done(s, wb_group_finish(g->core), want, refused))
        ref_group_finish(g->log);
    return true;
}

static bool abort_group(struct shelf *s, uint32_t id, enum wb_err reason)
{
    struct shelf_group *g = &s->group[id];

    wb_group_abort(g->core, reason);
    if (g->model == REF_POOL_NONE)
        return true;
    if (g->track != REF_POOL_NONE && ref_cache_latest(&s->model, g->track) == g->model &&
        ref_cache_live(&s->model, g->track) > 1)
        sim_mark(s->run, SHELF_MARK_PROMOTED);
    ref_cache_gone(&s->model, g->model);
    shelf_gone(s, id, reason);
    return true;
}

/* The reader of the slot, at the group that another slot writes. */
static bool join(struct shelf *s, const struct sim_op *op)
{
    uint32_t id = s->writers[op->flags];
    struct shelf_reader *r = &s->readers[op->slot];

    if (id == 0)
        return false;
    shelf_group_quit(s, op->slot);
    wb_group_reader_init(&r->reader, s->group[id].core);
    s->group[id].holds++;
    r->on = true;
    r->group = id;
    r->index = 0;
    return true;
}

static bool next(struct shelf *s, struct shelf_reader *r)
{
    const struct ref_group *log = s->group[r->group].log;
    struct wb_group_frame frame;
    enum wb_err want, got;

    if (!r->on)
        return false;
    want = ref_group_read_status(log, r->index, false, 0);
    got = wb_group_next(&r->reader, &frame);
    FUZZ_CHECK(CCH_016, got == want);
    shelf_ended(s, got);
    if (got == WB_END)
        sim_mark(s->run, SHELF_MARK_READ_END);
    if (got != WB_OK)
        return true;
    FUZZ_CHECK(CCH_016,
               frame.index == r->index && frame.size == ref_group_run_at(log, r->index)->size);
    wb_frame_reader_fini(&frame.reader);
    r->index++;
    return true;
}

/* Ops of the slot's writer. */
static bool on_group(struct shelf *s, uint32_t id, const struct sim_op *op)
{
    static const enum wb_err reasons[] = {WB_E_CANCEL, WB_E_OLD, WB_E_REMOTE, WB_E_TRUNCATED};

    switch (op->opcode) {
    case SHELF_ADD:
        return add(s, id, op);
    case SHELF_OPEN:
        return open(s, id, op);
    case SHELF_WRITE:
        return write_part(s, id, op);
    case SHELF_CLOSE:
        return close_frame(s, id);
    case SHELF_FINISH:
        return finish(s, id);
    case SHELF_ABORT:
        return abort_group(s, id, reasons[op->arg % 4]);
    case SHELF_TOUCH:
        return touch(s, id, op);
    case SHELF_LEAVE:
        shelf_group_leave(s, op->slot);
        return true;
    default:
        return false;
    }
}

bool shelf_group(struct shelf *s, const struct sim_op *op)
{
    switch (op->opcode) {
    case SHELF_JOIN:
        return join(s, op);
    case SHELF_NEXT:
        return next(s, &s->readers[op->slot]);
    case SHELF_QUIT:
        if (!s->readers[op->slot].on)
            return false;
        shelf_group_quit(s, op->slot);
        return true;
    default:
        return s->writers[op->slot] != 0 && on_group(s, s->writers[op->slot], op);
    }
}
