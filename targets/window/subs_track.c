/*
 * subs_track.c: what happens to the track: groups come and go, numbers are taken, it ends. What its
 * calls say is another target's; here the model is told.
 */
#include "targets/window/subs.h"

#include <string.h>

#define SUBS_FRAMES_MAX 64u

static uint64_t sequence_of(const struct sim_op *op)
{
    return op->flags & 1 ? UINT64_MAX - op->arg : op->arg;
}

static void use(struct subs *w, uint64_t sequence)
{
    if (!w->model.has_highest || sequence > w->model.highest)
        w->model.highest = sequence;
    w->model.has_highest = true;
}

static bool is_told(const struct subs *w, const struct wb_group_watch *watch)
{
    const struct wb_group_watch *at = w->told.first;

    while (at != NULL && at != watch)
        at = at->next;
    return at != NULL;
}

/* Who watches an aborted group is told at once, and a watch that hangs nowhere may go again. */
static void watch_again(struct subs *w, struct subs_group *g)
{
    FUZZ_CHECK(GRP_018, !is_told(w, &g->watch));
    memset(&g->watch, SUBS_GARBAGE, sizeof(g->watch));
    wb_group_watch(g->core, &g->watch, &w->told);
    FUZZ_CHECK(GRP_018, is_told(w, &g->watch));
    wb_group_unwatch(&g->watch);
    FUZZ_CHECK(GRP_018, !is_told(w, &g->watch));
    FUZZ_CHECK(GRP_018, g->watch.at == NULL);
    wb_group_unwatch(&g->watch);
}

void subs_settle(struct subs *w)
{
    struct wb_group_watch *watch;

    while ((watch = w->told.first) != NULL) {
        size_t id = 0;
        struct subs_group *g;

        while (watch != &w->groups[id].watch)
            id++;
        g = &w->groups[id];
        wb_group_unwatch(watch);
        watch_again(w, g);
        w->model.groups[id].live = false;
        w->model.groups[id].reason = wb_group_aborted(g->core);
        if (w->model.groups[id].reason == WB_E_EVICTED)
            sim_mark(w->run, SUBS_MARK_EVICTED);
        for (size_t i = 0; i < SUBS_SLOTS; i++) {
            struct subs_slot *s = &w->slots[i];

            if (s->joined && s->model.place[id] == REF_SUB_UNSEEN)
                sim_mark(w->run, SUBS_MARK_NEVER);
            if (s->joined)
                ref_sub_gone(&s->model, id);
        }
        wb_group_drop(g->core);
        g->core = NULL;
    }
}

void subs_leave(struct subs *w, size_t slot)
{
    size_t id = w->writers[slot];

    if (id == REF_SUB_GROUPS)
        return;
    w->writers[slot] = REF_SUB_GROUPS;
    wb_group_leave(w->groups[id].writer);
    subs_settle(w);
}

static void made(struct subs *w, const struct sim_op *op, struct wb_group *core)
{
    size_t id = w->model.count++;
    struct ref_sub_group *m = &w->model.groups[id];
    struct subs_group *g = &w->groups[id];
    bool arrives = op->opcode != SUBS_BACKFILL;
    uint64_t sequence = wb_group_sequence(core);

    for (size_t i = 0; i < id; i++) {
        if (w->model.groups[i].sequence == sequence)
            sim_mark(w->run, SUBS_MARK_TWICE);
    }
    *m = (struct ref_sub_group){.sequence = sequence,
                                .live = true,
                                .arrived = arrives,
                                .arrival = arrives ? w->model.arrivals++ : 0,
                                .touched_ns = w->now_ns,
                                .reason = WB_OK};
    *g = (struct subs_group){.core = wb_group_share(core), .writer = core};
    use(w, sequence);
    subs_settle(w); /* who made room for it went before */
    wb_group_watch(core, &g->watch, &w->told);
    subs_leave(w, op->slot);
    w->writers[op->slot] = id;
    subs_settle(w);
}

static bool make(struct subs *w, const struct sim_op *op)
{
    struct wb_group *core;
    enum wb_err err;

    if (w->model.count == REF_SUB_GROUPS)
        return false;
    err = op->opcode == SUBS_APPEND ? wb_track_append(w->track, w->now_ns, &core)
          : op->opcode == SUBS_CREATE
              ? wb_track_create(w->track, sequence_of(op), w->now_ns, &core)
              : wb_track_backfill(w->track, sequence_of(op), w->now_ns, &core);
    subs_ended(w, err);
    if (err == WB_OK)
        made(w, op, core);
    subs_settle(w);
    return err == WB_OK;
}

static bool add(struct subs *w, size_t id, uint64_t stamp)
{
    struct ref_sub_group *m = &w->model.groups[id];
    struct subs_group *g = &w->groups[id];
    struct wb_slice payload = {0};
    uint8_t *bytes;
    enum wb_err err;

    if (!m->live || g->finished || g->frames == SUBS_FRAMES_MAX ||
        wb_slice_new(sim_run_mem(w->run), 8, &payload, &bytes) != WB_OK)
        return false;
    for (size_t i = 0; i < 8; i++)
        bytes[i] = 0;
    err = wb_group_add(g->core, stamp, &payload);
    wb_slice_drop(&payload);
    subs_ended(w, err);
    if (err != WB_OK)
        return true;
    g->frames++;
    if (!m->has_first)
        m->first_stamp = stamp;
    m->has_first = true;
    m->touched_ns = w->now_ns;
    wb_track_wrote(w->track, g->core, 8, w->now_ns);
    subs_settle(w);
    return true;
}

static uint64_t stamp_of(const struct sim_op *op)
{
    uint64_t stamp = op->flags & 2 ? (uint64_t)op->arg << 40 | op->arg : op->arg;

    return op->flags & 1 ? UINT64_MAX - stamp : stamp;
}

static bool on_group(struct subs *w, size_t id, const struct sim_op *op)
{
    static const enum wb_err reasons[] = {WB_E_CANCEL, WB_E_REMOTE, WB_E_EVICTED, WB_E_TRUNCATED};
    struct subs_group *g = &w->groups[id];
    bool live = w->model.groups[id].live;

    switch (op->opcode) {
    case SUBS_START:
        if (!live || g->frames > 0 || g->finished || wb_group_start_at(g->core, op->arg) != WB_OK)
            return false;
        w->model.groups[id].first_kept = op->arg;
        return true;
    case SUBS_ADD:
        return add(w, id, stamp_of(op));
    case SUBS_FINISH:
        g->finished = g->finished || (live && wb_group_finish(g->core) == WB_OK);
        w->model.groups[id].finished = g->finished;
        return live;
    case SUBS_ABORT:
        if (live)
            wb_group_abort(g->core, reasons[op->arg % 4]);
        subs_settle(w);
        return live;
    default:
        subs_leave(w, op->slot);
        return true;
    }
}

static bool fetch(struct subs *w, uint64_t sequence)
{
    struct wb_group *g = wb_track_fetch(w->track, sequence, w->now_ns);

    if (g == NULL)
        return false;
    for (size_t i = 0; i < w->model.count; i++) {
        if (w->groups[i].core == g)
            w->model.groups[i].touched_ns = w->now_ns;
    }
    wb_group_drop(g);
    return true;
}

static bool finish(struct subs *w, const struct sim_op *op)
{
    enum wb_err err = op->opcode == SUBS_END ? wb_track_finish(w->track)
                                             : wb_track_finish_at(w->track, sequence_of(op));

    subs_ended(w, err);
    w->model.finished = wb_track_finished(w->track, &w->model.boundary);
    return err == WB_OK;
}

bool subs_track(struct subs *w, const struct sim_op *op)
{
    static const enum wb_err reasons[] = {WB_E_CANCEL, WB_E_REMOTE, WB_E_EVICTED, WB_E_DROPPED};
    enum wb_err err;

    switch (op->opcode) {
    case SUBS_CREATE:
    case SUBS_APPEND:
    case SUBS_BACKFILL:
        return make(w, op);
    case SUBS_FETCH:
        return fetch(w, sequence_of(op));
    case SUBS_DATAGRAM:
        err = wb_track_take(w->track, sequence_of(op));
        subs_ended(w, err);
        if (err == WB_OK)
            use(w, sequence_of(op));
        return err == WB_OK;
    case SUBS_END:
    case SUBS_END_AT:
        return finish(w, op);
    case SUBS_ABORT_TRACK:
        wb_track_abort(w->track, reasons[op->arg % 4]);
        w->model.reason = wb_track_aborted(w->track);
        subs_settle(w);
        return true;
    case SUBS_RESIZE:
        wb_pool_resize(&w->pool, op->arg);
        return true;
    default:
        return w->writers[op->slot] != REF_SUB_GROUPS && on_group(w, w->writers[op->slot], op);
    }
}
