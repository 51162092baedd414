#include "targets/media/arrivals.h"

#include <inttypes.h>
#include <string.h>

#define PIECES_MAX 64 /* of one FILL */
#define PAD        8  /* bytes of a larger segment on either side of a part */

/* One delivery. */
struct delivery {
    uint64_t offset;
    struct wb_view bytes;
    struct wb_slice slice;
    uint64_t footprint; /* of the slice's segment */
    bool is_slice;
};

/* Bytes lie at its end, so that a read past theirs leaves it; the core must not keep them. */
static uint8_t scratch[ARRIVALS_TEXT];

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void tell(const struct arrivals *w, const char *what, uint64_t n, enum wb_err err)
{
    if (!w->run->story_on)
        return;
    if (err == WB_OK)
        sim_run_story(w->run, "%s %" PRIu64 "; ", what, n);
    else
        sim_run_story(w->run, "%s %" PRIu64 " %s; ", what, n, wb_err_name((int)err));
}

/* Where a delivery begins, and its bytes in `scratch`. */
static void prepare(const struct arrivals *w, const struct arrivals_frame *f,
                    const struct sim_op *op, struct delivery *d)
{
    uint64_t written = f->model.written, len = smaller(op->arg, w->reach);
    uint64_t overlap;

    if (op->flags & ARRIVALS_GAP) {
        d->offset = op->ext == 0xffffff ? UINT64_MAX : written + 1 + op->ext;
        d->bytes = wb_view_of(scratch + sizeof scratch - len, (size_t)len);
        return;
    }
    d->offset = written - smaller(op->ext, written);
    len = smaller(len, w->reach - d->offset);
    uint8_t *at = scratch + sizeof scratch - len;
    memcpy(at, f->model.payload + d->offset, (size_t)len);
    overlap = smaller(len, written - d->offset);
    if ((op->flags & ARRIVALS_WRONG) && overlap > 0)
        at[(op->arg * 7u + op->ext) % overlap] ^= 0x10;
    d->bytes = wb_view_of(at, (size_t)len);
}

/* The same bytes as an owned slice, whole or part of its segment; false when refused. */
static bool own(struct arrivals *w, const struct sim_op *op, struct delivery *d)
{
    size_t pad = op->flags & ARRIVALS_PART ? PAD : 0;
    struct wb_slice whole;
    uint8_t *bytes;
    enum wb_err err = d->bytes.len == 0 ? wb_slice_new(sim_run_mem(w->run), 0, &whole, &bytes)
                                        : wb_slice_new(sim_run_mem(w->run), d->bytes.len + 2 * pad,
                                                       &whole, &bytes);

    if (err != WB_OK) {
        w->last = err;
        sim_mark(w->run, ARRIVALS_MARK_REFUSED);
        return false;
    }
    if (d->bytes.len == 0) {
        d->slice = whole;
        return true;
    }
    memcpy(bytes + pad, d->bytes.data, d->bytes.len);
    memset(bytes, 0xee, pad);
    memset(bytes + pad + d->bytes.len, 0xee, pad);
    d->slice = wb_slice_sub(&whole, pad, pad + d->bytes.len);
    wb_slice_drop(&whole);
    d->footprint = wb_slice_footprint(&d->slice);
    return true;
}

/* The segments of the frame as the model has them now: those that stay, and new ones. */
static void replace_segments(struct arrivals *w, struct arrivals_frame *f, size_t before,
                             const struct ref_frame_change *change, const struct delivery *d)
{
    const struct ref_frame *m = &f->model;

    for (size_t i = change->kept; i < before; i++) {
        if (w->segment[f->segments[i]].holders > 1)
            sim_mark(w->run, ARRIVALS_MARK_MOVED);
        arrivals_segment_drop(w, f->segments[i]);
        f->want.freed++;
    }
    for (size_t i = change->kept; i < m->count; i++) {
        uint64_t footprint = m->segments[i].capacity + w->header;

        if (m->kind == REF_FRAME_SHARED)
            footprint = d->footprint;
        else
            f->want.segments++;
        f->segments[i] = arrivals_segment_add(w, m->payload + m->segments[i].begin, footprint);
    }
    f->want.copied += change->copied;
    f->want.grown += change->grown;
}

/* Growth at least doubles a segment, or gives it all that it may ever hold. */
static void check_growth(const struct arrivals *w, const struct arrivals_frame *f, uint64_t before)
{
    uint64_t capacity = wb_frame_footprint(f->frame) - w->header;
    uint64_t most = smaller(f->model.size, w->limits.chain);

    if (f->model.count == 1)
        FUZZ_CHECK(FRM_013, capacity >= smaller(2 * before, most));
}

static void accept(struct arrivals *w, struct arrivals_frame *f, const struct delivery *d,
                   uint64_t requests)
{
    static const uint8_t marks[] = {[REF_FRAME_SHARED] = ARRIVALS_MARK_SHARED,
                                    [REF_FRAME_FIXED] = ARRIVALS_MARK_FIXED,
                                    [REF_FRAME_GROWING] = ARRIVALS_MARK_GROWING,
                                    [REF_FRAME_CHAIN] = ARRIVALS_MARK_CHAIN};
    struct ref_frame *m = &f->model;
    size_t before = m->count;
    uint64_t written = m->written, capacity = before > 0 ? m->segments[0].capacity : 0;
    enum ref_frame_kind kind = m->kind;
    struct ref_frame_change change = ref_frame_write(m, d->offset, d->bytes.len, d->is_slice);
    bool was_kept = m->kind == REF_FRAME_SHARED && kind != m->kind;

    if (d->is_slice) {
        FUZZ_CHECK(FRM_017, d->slice.owner == NULL);
        FUZZ_CHECK(FRM_017, d->slice.view.len == 0);
    }
    FUZZ_CHECK(FRM_017,
               (wb_frame_kind(f->frame) == WB_FRAME_SHARED) == (m->kind == REF_FRAME_SHARED));
    if (change.grown > 0)
        check_growth(w, f, capacity);
    FUZZ_CHECK(FRM_008, requests == (was_kept ? 0 : m->count - change.kept));
    replace_segments(w, f, before, &change, d);
    if (m->kind != kind)
        sim_mark(w->run, marks[m->kind]);
    if (d->offset < written && written < m->written)
        sim_mark(w->run, ARRIVALS_MARK_OVERLAP);
    if (m->size > (uint64_t)1 << 20 && m->written > 0)
        sim_mark(w->run, ARRIVALS_MARK_LYING);
}

/* True when the bytes were taken. */
static bool do_write(struct arrivals *w, struct arrivals_frame *f, const struct sim_op *op)
{
    struct delivery d = {.is_slice = (op->flags & ARRIVALS_SLICE) != 0};

    if (w->segments + REF_FRAME_SEGMENTS > ARRIVALS_SEGMENTS)
        return false; /* the table of a run is full */

    prepare(w, f, op, &d);
    if (d.is_slice && !own(w, op, &d))
        return false;
    const struct sim_alloc before = w->run->alloc;
    const struct wb_slice lent = d.slice;
    enum wb_err want = ref_frame_judge(&f->model, d.offset, d.bytes);
    enum wb_err err = d.is_slice ? wb_frame_write_slice(f->frame, d.offset, &d.slice)
                                 : wb_frame_write(f->frame, d.offset, d.bytes);

    tell(w, "write", d.bytes.len, err);
    if (err != WB_OK && d.is_slice) {
        FUZZ_CHECK(FRM_017, d.slice.owner == lent.owner);
        FUZZ_CHECK(FRM_017, d.slice.view.data == lent.view.data);
        FUZZ_CHECK(FRM_017, d.slice.view.len == lent.view.len);
        FUZZ_CHECK(FRM_017, d.slice.owner == NULL || wb_slice_holders(&d.slice) == 1);
    }
    bool was_taken = arrivals_judge(w, &before, want, err);
    if (was_taken)
        accept(w, f, &d, w->run->alloc.requests - before.requests);
    wb_slice_drop(&d.slice);
    if (d.bytes.len > 0) /* nobody may have kept a view of them */
        memset(scratch + sizeof scratch - d.bytes.len, 0xaa, d.bytes.len);
    return was_taken;
}

/* The rest, piece by piece. */
static void do_fill(struct arrivals *w, struct arrivals_frame *f, const struct sim_op *op)
{
    struct sim_op piece = *op;
    const struct ref_frame *m = &f->model;

    piece.ext = 0;
    piece.flags &= ARRIVALS_SLICE | ARRIVALS_PART;
    for (unsigned i = 0; i < PIECES_MAX && m->written < smaller(m->size, w->reach); i++) {
        uint64_t rest = m->size - m->written;

        piece.arg = (uint16_t)smaller(op->arg == 0 ? 1 : op->arg, rest);
        if (!do_write(w, f, &piece))
            return;
        arrivals_check(w);
    }
}

static void do_end(struct arrivals *w, struct arrivals_frame *f, const struct sim_op *op)
{
    static const enum wb_err reasons[] = {WB_E_CANCEL, WB_E_DROPPED, WB_E_OLD, WB_E_EVICTED,
                                          WB_E_REMOTE};
    const struct sim_alloc before = w->run->alloc;

    if (op->opcode == ARRIVALS_ABORT) {
        enum wb_err reason = reasons[op->arg % (sizeof reasons / sizeof reasons[0])];
        wb_frame_abort(f->frame, reason);
        ref_frame_abort(&f->model, reason);
        sim_run_story(w->run, "abort %s; ", wb_err_name((int)reason));
    } else {
        enum wb_err want = ref_frame_finish(&f->model);
        enum wb_err err = wb_frame_finish(f->frame);
        tell(w, "finish at", f->model.written, err);
        arrivals_judge(w, &before, want, err);
    }
    FUZZ_CHECK(FRM_009, w->run->alloc.requests == before.requests);
}

/* Holders of the frame besides writer and readers. */
static void do_share(struct arrivals *w, struct arrivals_frame *f, const struct sim_op *op)
{
    uint64_t requests = w->run->alloc.requests;

    if (op->arg & 1) {
        if (f->shares == 0) {
            sim_ops_dead(w->run);
            return;
        }
        f->shares--;
        wb_frame_drop(f->frame);
        arrivals_frame_drop(w, f);
    } else {
        struct wb_frame *same = wb_frame_share(f->frame);
        FUZZ_CHECK(FRM_019, same == f->frame);
        f->shares++;
        f->references++;
    }
    FUZZ_CHECK(FRM_009, w->run->alloc.requests == requests);
}

/* The writer, or whoever is last, takes the payload of a finished frame. */
static void do_payload(struct arrivals *w, struct arrivals_frame *f, const struct sim_op *op)
{
    struct wb_slice payload = {0};
    uint64_t requests = w->run->alloc.requests;
    const struct ref_frame *m = &f->model;
    bool is_there = wb_frame_payload(f->frame, &payload);

    FUZZ_CHECK(FRM_009, w->run->alloc.requests == requests);
    FUZZ_CHECK(FRM_016, is_there == ref_frame_has_payload(m));
    sim_run_story(w->run, is_there ? "payload %zu; " : "no payload; ", payload.view.len);
    if (!is_there || m->size == 0) {
        FUZZ_CHECK(FRM_016, payload.owner == NULL);
        FUZZ_CHECK(FRM_016, payload.view.len == 0);
        return;
    }
    FUZZ_CHECK(FRM_016, payload.view.len == m->size);
    FUZZ_CHECK(FRM_016, memcmp(payload.view.data, m->payload, (size_t)m->size) == 0);
    w->segment[f->segments[0]].holders++;
    arrivals_look(w, f->segments[0], &payload, m->payload);
    arrivals_keep(w, f->segments[0], &payload, m->payload, op->slot);
}

void arrivals_do_write(struct arrivals *w, const struct sim_op *op)
{
    struct arrivals_frame *f = arrivals_at(w, op->slot);

    if (f == NULL) {
        sim_ops_dead(w->run);
        return;
    }
    w->touched = w->slots[op->slot % ARRIVALS_SLOTS];
    if (op->opcode == ARRIVALS_WRITE) {
        do_write(w, f, op);
    } else if (op->opcode == ARRIVALS_FILL) {
        do_fill(w, f, op);
    } else if (op->opcode == ARRIVALS_SHARE) {
        do_share(w, f, op);
    } else if (op->opcode == ARRIVALS_PAYLOAD) {
        do_payload(w, f, op);
    } else if (op->opcode == ARRIVALS_DROP) {
        f->has_writer = false;
        w->slots[op->slot % ARRIVALS_SLOTS] = ARRIVALS_NONE;
        sim_run_story(w->run, "drop; ");
        wb_frame_drop(f->frame);
        arrivals_frame_drop(w, f);
    } else {
        do_end(w, f, op);
    }
}
