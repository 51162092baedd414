/*
 * log_reader.c: what readers do: of the group, of a frame that they took from it, and the slices
 * that they keep.
 */
#include "targets/cache/log.h"

static uint64_t wide(const struct sim_op *op)
{
    return op->arg | (uint64_t)op->ext << 16;
}

static uint64_t place_of(const struct sim_op *op)
{
    if (op->flags & LOG_AT_MAX)
        return UINT64_MAX;
    return op->flags & LOG_AT_NEAR_MAX ? UINT64_MAX - 1 - wide(op) : wide(op);
}

void log_keep(struct log_world *w, uint8_t slot, uint32_t owner, uint64_t at,
              struct wb_slice *slice)
{
    struct log_kept kept = {.owner = owner, .at = at, .len = slice->view.len, .slot = slot};

    if (w->kept == LOG_KEPT || slice->view.len == 0) {
        wb_slice_drop(slice);
        return;
    }
    kept.slice = wb_slice_move(slice);
    w->keep[w->kept++] = kept;
}

void log_forget(struct log_world *w, size_t i)
{
    struct log_kept *k = &w->keep[i];

    FUZZ_CHECK(GRP_010, k->slice.view.len == k->len && payload_is(k->slice.view, k->owner, k->at));
    wb_slice_drop(&k->slice);
    *k = w->keep[--w->kept];
}

void log_shut(struct log_world *w, struct log_reader *r)
{
    (void)w;
    if (r->has_frame)
        wb_frame_reader_fini(&r->frame);
    r->has_frame = false;
}

void log_quit(struct log_world *w, struct log_reader *r)
{
    if (!r->on)
        return;
    wb_group_reader_fini(&r->reader);
    r->on = false;
    log_let_go(w);
}

static void check_place(const struct log_reader *r)
{
    FUZZ_CHECK(GRP_016, r->reader.index == r->index && r->reader.capped == r->capped);
    FUZZ_CHECK(GRP_016, !r->capped || r->reader.end == r->end);
}

static void join(struct log_world *w, struct log_reader *r)
{
    struct wb_group_reader made;

    wb_group_reader_init(&made, w->alive); /* first: the old one may be the last holder */
    w->holders++;
    log_quit(w, r);
    r->reader = made;
    r->on = true;
    r->index = 0;
    r->capped = false;
}

static void clone(struct log_world *w, struct log_reader *r, const struct log_reader *from)
{
    struct wb_group_reader made;

    wb_group_reader_clone(&made, &from->reader);
    w->holders++;
    if (r != from) {
        log_quit(w, r);
        r->reader = made;
        r->on = true;
        r->index = from->index;
        r->end = from->end;
        r->capped = from->capped;
    } else {
        wb_group_reader_fini(&made);
        log_let_go(w);
    }
}

static void mark_end(struct log_world *w, const struct log_reader *r, enum wb_err got)
{
    const struct ref_group *m = &w->model;

    if (got == WB_E_LAGGED)
        sim_mark(w->run, LOG_MARK_LAGGED);
    if (got == WB_END && r->capped && r->index > r->end)
        sim_mark(w->run, LOG_MARK_CAPPED);
    else if (got == WB_END && m->reason != WB_OK)
        sim_mark(w->run, LOG_MARK_DRAINED);
    if (m->finished && m->reason != WB_OK && got == m->reason)
        sim_mark(w->run, LOG_MARK_BEHIND);
}

/* A reader's next frame, held against the model; false when there is none. */
static bool next(struct log_world *w, struct log_reader *r, struct wb_group_frame *out)
{
    enum wb_err want = ref_group_read_status(&w->model, r->index, r->capped, r->end);
    const struct ref_group_run *run = ref_group_run_at(&w->model, r->index);
    enum wb_err got = wb_group_next(&r->reader, out);

    FUZZ_CHECK(GRP_001, got == want);
    log_ended(w, got);
    mark_end(w, r, got);
    if (got != WB_OK)
        return false;
    FUZZ_CHECK(GRP_001, out->index == r->index && out->size == run->size &&
                            out->timestamp == run->timestamp);
    r->index++;
    return true;
}

static void take(struct log_world *w, struct log_reader *r)
{
    const struct ref_group_run *run = ref_group_run_at(&w->model, r->index);
    struct wb_group_frame frame;

    if (!next(w, r, &frame))
        return;
    log_shut(w, r);
    r->frame = frame.reader;
    r->has_frame = true;
    r->owner = run->owner;
    r->at = 0;
}

static void skip(struct log_world *w, struct log_reader *r, uint64_t count)
{
    struct wb_group_frame frame;

    while (count-- > 0 && next(w, r, &frame))
        wb_frame_reader_fini(&frame.reader);
}

/* What a reader of a frame gets now. */
static enum wb_err read_status(const struct log_owner *o, uint64_t at)
{
    if (o->end != WB_MORE && o->end != WB_END)
        return o->end;
    return at < o->written ? WB_OK : o->end;
}

static void mark_read(struct log_world *w, const struct log_reader *r, const struct wb_slice *got)
{
    const struct log_owner *o = &w->owner[r->owner];

    if (o->end == WB_MORE)
        sim_mark(w->run, LOG_MARK_TAILED);
    for (size_t i = 0; i < w->kept && o->opened; i++) {
        if (w->keep[i].owner == r->owner && w->keep[i].slice.owner != got->owner &&
            o->written <= w->storage.chain)
            sim_mark(w->run, LOG_MARK_GREW);
    }
}

/* One part of the frame; false when there is none. */
static bool read_part(struct log_world *w, struct log_reader *r, const struct sim_op *op)
{
    const struct log_owner *o = &w->owner[r->owner];
    enum wb_err want = read_status(o, r->at), got;
    struct wb_slice slice = {0};
    uint64_t at = r->at;

    got = wb_frame_read(&r->frame, &slice);
    FUZZ_CHECK(GRP_009, got == want);
    log_ended(w, got);
    if (got != WB_OK)
        return false;
    FUZZ_CHECK(GRP_009, slice.view.len > 0 && slice.view.len <= o->written - at);
    if (!o->chained)
        FUZZ_CHECK(GRP_009, slice.view.len == o->written - at);
    FUZZ_CHECK(GRP_008, payload_is(slice.view, r->owner, at));
    mark_read(w, r, &slice);
    r->at += slice.view.len;
    if (op->flags & LOG_READ_DISCARD)
        wb_slice_drop(&slice);
    else
        log_keep(w, op->slot, r->owner, at, &slice);
    return true;
}

static bool read_frame(struct log_world *w, struct log_reader *r, const struct sim_op *op)
{
    if (!r->has_frame)
        return false;
    while (read_part(w, r, op) && op->flags & LOG_READ_ALL)
        ;
    return true;
}

static bool copy(struct log_world *w, struct log_reader *r, const struct log_reader *from)
{
    struct wb_frame_reader made;

    if (!from->has_frame)
        return false;
    wb_frame_reader_clone(&made, &from->frame);
    log_shut(w, r);
    r->frame = made;
    r->has_frame = true;
    r->owner = from->owner;
    r->at = from->at;
    return true;
}

static bool forget(struct log_world *w, uint8_t slot)
{
    bool did = false;

    for (size_t i = w->kept; i-- > 0;) {
        if (w->keep[i].slot == slot) {
            log_forget(w, i);
            did = true;
        }
    }
    return did;
}

static void start_at(struct log_world *w, struct log_reader *r, const struct sim_op *op)
{
    uint64_t at = place_of(op);

    wb_group_reader_start_at(&r->reader, at);
    r->index = at;
    if (at < w->model.offset) {
        r->index = w->model.offset;
        sim_mark(w->run, LOG_MARK_CLAMPED);
    }
}

/* Ops of a reader that has joined. */
static bool joined(struct log_world *w, struct log_reader *r, const struct sim_op *op)
{
    switch (op->opcode) {
    case LOG_START_AT:
        start_at(w, r, op);
        return true;
    case LOG_END_AT:
        r->end = place_of(op);
        r->capped = true;
        wb_group_reader_end_at(&r->reader, r->end);
        return true;
    case LOG_LIFT:
        r->capped = false;
        wb_group_reader_lift(&r->reader);
        return true;
    case LOG_NEXT:
        take(w, r);
        return true;
    case LOG_SKIP:
        skip(w, r, log_many(w, op));
        return true;
    case LOG_QUIT:
        log_quit(w, r);
        return true;
    default:
        return false;
    }
}

static bool dispatch(struct log_world *w, struct log_reader *r, const struct sim_op *op)
{
    struct log_reader *from = &w->readers[op->flags];

    switch (op->opcode) {
    case LOG_JOIN:
        if (w->alive == NULL)
            return false;
        join(w, r);
        return true;
    case LOG_CLONE:
        if (!from->on)
            return false;
        clone(w, r, from);
        return true;
    case LOG_READ:
        return read_frame(w, r, op);
    case LOG_COPY:
        return copy(w, r, from);
    case LOG_SHUT:
        log_shut(w, r);
        return true;
    case LOG_FORGET:
        return forget(w, op->slot);
    default:
        return r->on && joined(w, r, op);
    }
}

bool log_read(struct log_world *w, const struct sim_op *op)
{
    struct log_reader *r = &w->readers[op->slot];
    uint64_t requests = w->run->alloc.requests;
    bool did = dispatch(w, r, op);

    FUZZ_CHECK(GRP_012, w->run->alloc.requests == requests);
    if (r->on)
        check_place(r);
    return did;
}
