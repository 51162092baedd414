/*
 * log_writer.c: what the writer does, on the core and on the model.
 */
#include "targets/cache/log.h"

static struct wb_mem *mem_of(const struct log_world *w)
{
    return sim_run_mem(w->run);
}

static uint64_t wide(const struct sim_op *op)
{
    return op->arg | (uint64_t)op->ext << 16;
}

/* The call ended with `err` where the model says `want`, or the allocator refused. True on WB_OK.
 */
static bool is_done(struct log_world *w, enum wb_err err, enum wb_err want, uint64_t refused)
{
    bool was_refused = log_was_refused(w, err, refused);

    log_ended(w, err);
    if (was_refused)
        FUZZ_CHECK(GRP_013, want == WB_OK);
    else
        FUZZ_CHECK(GRP_002, err == want);
    return err == WB_OK;
}

static void mark_eviction(struct log_world *w)
{
    if (w->model.evicted > 0)
        sim_mark(w->run, LOG_MARK_EVICTED);
}

static bool start(struct log_world *w, const struct sim_op *op)
{
    uint64_t first = op->flags & LOG_AT_MAX        ? UINT64_MAX
                     : op->flags & LOG_AT_NEAR_MAX ? UINT64_MAX - 1 - wide(op)
                                                   : wide(op);
    uint64_t refused = w->run->alloc.refused;
    enum wb_err want = ref_group_start_status(&w->model, first);

    if (!is_done(w, wb_group_start_at(w->group, first), want, refused))
        return true;
    ref_group_start(&w->model, first);
    if (first > 0)
        sim_mark(w->run, LOG_MARK_STARTED);
    return true;
}

/* The payload of a fresh owner; false when memory was refused, and nothing happens then. */
static bool make_payload(struct log_world *w, uint32_t owner, size_t size, bool part,
                         struct wb_slice *out)
{
    struct wb_slice whole = {0};

    if (payload_slice(mem_of(w), owner, size + (part ? 16 : 0), &whole) != WB_OK)
        return false;
    w->owner[owner] = (struct log_owner){
        .size = size, .written = size, .footprint = wb_slice_footprint(&whole), .end = WB_END};
    *out = whole;
    if (part) { /* the bytes before the end: those of the owner up to `size` */
        *out = wb_slice_sub(&whole, 0, size);
        wb_slice_drop(&whole);
    }
    return true;
}

/* One frame that is whole: `count` times the same payload. */
static enum wb_err add_many(struct log_world *w, uint64_t stamp, uint64_t count, enum wb_err want,
                            struct wb_slice *payload)
{
    for (uint64_t i = 0; i < count; i++) {
        struct wb_slice one = wb_slice_share(payload);
        struct wb_segment *before = one.owner;
        uint64_t refused = w->run->alloc.refused;
        enum wb_err err = wb_group_add(w->group, stamp, &one);
        bool ok = is_done(w, err, want, refused);

        FUZZ_CHECK(GRP_017, ok ? one.owner == NULL : one.owner == before);
        wb_slice_drop(&one);
        if (!ok)
            return err;
    }
    return WB_OK;
}

static void added(struct log_world *w, const struct sim_op *op, uint32_t owner, uint64_t count)
{
    struct log_owner *o = &w->owner[owner];
    struct ref_group_run run = {.count = count,
                                .size = o->size,
                                .timestamp = op->ext,
                                .bill = ref_group_bill(&w->storage, o->size),
                                .owner = owner};

    ref_group_append(&w->model, run, false);
    if (o->size > w->limits.bytes)
        sim_mark(w->run, LOG_MARK_OVERSIZE);
    mark_eviction(w);
}

static bool add(struct log_world *w, const struct sim_op *op)
{
    size_t size = op->arg < LOG_WRITE_MAX ? op->arg : LOG_WRITE_MAX;
    bool part = (op->flags & LOG_ADD_PART) != 0 && size > 0;
    uint64_t count = 1, begun = w->model.next;
    struct wb_slice payload = {0};
    enum wb_err want = ref_group_append_status(&w->model, size), err;
    uint32_t owner;

    if (op->opcode == LOG_MANY) {
        count = log_many(w, op);
        size = op->ext & 0xff;
        part = false;
    }
    if (!ref_group_has_room(&w->model) || (owner = log_owner_new(w)) == 0 || count == 0 ||
        (count > 1 && count > UINT64_MAX - begun))
        return false;
    if (!make_payload(w, owner, size, part, &payload))
        return true;
    err = add_many(w, op->ext, count, want, &payload);
    if (want == WB_OK) {
        uint64_t done = wb_group_next_index(w->group) - begun;

        FUZZ_CHECK(GRP_003, err == WB_OK ? done == count : done < count);
        if (done > 0)
            added(w, op, owner, done);
    }
    if (op->flags & LOG_ADD_KEEP && op->opcode == LOG_ADD)
        log_keep(w, op->slot, owner, 0, &payload);
    else
        wb_slice_drop(&payload);
    return true;
}

static bool open(struct log_world *w, const struct sim_op *op)
{
    uint64_t size = wide(op), refused = w->run->alloc.refused;
    struct wb_frame *before = (struct wb_frame *)&w->model; /* any address: it must stay */
    struct wb_frame *frame = before;
    enum wb_err want, err;
    uint32_t owner;

    if (op->flags & LOG_ADD_HUGE)
        size += REF_GROUP_FRAME_MAX;
    want = ref_group_append_status(&w->model, size);
    if (!ref_group_has_room(&w->model) || (owner = log_owner_new(w)) == 0)
        return false;
    err = wb_group_open(w->group, op->flags, size, &frame);
    if (!is_done(w, err, want, refused)) {
        FUZZ_CHECK(GRP_017, frame == before);
        return true;
    }
    w->open = frame;
    w->owner[owner] =
        (struct log_owner){.opened = true,
                           .chained = size > w->storage.upfront && size > w->storage.chain,
                           .size = size,
                           .footprint = ref_group_bill(&w->storage, size),
                           .end = WB_MORE};
    ref_group_append(&w->model,
                     (struct ref_group_run){.count = 1,
                                            .size = size,
                                            .timestamp = op->flags,
                                            .bill = ref_group_bill(&w->storage, size),
                                            .owner = owner},
                     true);
    if (size > w->limits.bytes)
        sim_mark(w->run, LOG_MARK_OVERSIZE);
    mark_eviction(w);
    return true;
}

/* The owner of the open frame. */
static struct log_owner *open_owner(struct log_world *w)
{
    return &w->owner[w->model.runs[w->model.count - 1].owner];
}

/* What a write op writes, and how it has to end. */
struct log_part {
    uint64_t at;
    size_t len;
    enum wb_err want;
};

static struct log_part part_of(const struct log_owner *o, const struct sim_op *op)
{
    struct log_part p = {
        .at = o->written, .len = op->arg < LOG_WRITE_MAX ? op->arg : LOG_WRITE_MAX, .want = WB_OK};

    if (op->flags & LOG_WRITE_AGAIN)
        p.at -= p.at < 16 ? p.at : 16;
    if (op->flags & LOG_WRITE_GAP && o->size - o->written > 1) {
        p.at = o->written + 1;
        p.want = WB_E_GAP;
    }
    if (p.len > o->size - p.at)
        p.len = (size_t)(o->size - p.at);
    if (op->flags & LOG_WRITE_OVER && p.want == WB_OK && o->size - p.at < LOG_WRITE_MAX) {
        p.len = (size_t)(o->size - p.at) + 1;
        p.want = WB_E_WRONG_SIZE;
    }
    return p;
}

/* As an owned slice; false when there is no memory for it, and nothing happens. */
static bool write_slice(struct log_world *w, uint32_t owner, const struct log_part *p,
                        enum wb_err *out)
{
    struct wb_slice slice = {0};
    uint8_t *bytes = NULL;

    if (wb_slice_new(mem_of(w), p->len, &slice, &bytes) != WB_OK)
        return false;
    for (size_t i = 0; i < p->len; i++)
        bytes[i] = *payload_bytes(owner, p->at + i, 1);
    *out = wb_frame_write_slice(w->open, p->at, &slice);
    FUZZ_CHECK(GRP_017, *out == WB_OK ? slice.owner == NULL : slice.view.len == p->len);
    wb_slice_drop(&slice);
    return true;
}

static bool write_part(struct log_world *w, const struct sim_op *op)
{
    bool as_slice = (op->flags & LOG_WRITE_SLICE) != 0;
    uint64_t refused = w->run->alloc.refused;
    struct log_owner *o;
    struct log_part p;
    enum wb_err err;
    uint32_t owner;

    if (w->open == NULL)
        return false;
    owner = w->model.runs[w->model.count - 1].owner;
    o = open_owner(w);
    p = part_of(o, op);
    if (!as_slice)
        err = wb_frame_write(w->open, p.at, wb_view_of(payload_bytes(owner, p.at, p.len), p.len));
    else if (!write_slice(w, owner, &p, &err))
        return true;
    if (!is_done(w, err, p.want, refused))
        return true;
    if (as_slice && o->written == 0 && p.len > 0 && p.len == o->size) {
        o->shared = true;
        o->chained = false;
        o->footprint = w->storage.header + o->size; /* whatever it was billed as */
        sim_mark(w->run, LOG_MARK_SHARED);
    }
    if (p.at + p.len > o->written)
        w->model.written = o->written = p.at + p.len;
    FUZZ_CHECK(GRP_009, wb_frame_written(w->open) == o->written);
    return true;
}

static bool close_frame(struct log_world *w)
{
    uint64_t refused = w->run->alloc.refused;
    enum wb_err want = ref_group_close_status(&w->model);
    struct log_owner *o;

    if (!is_done(w, wb_group_close(w->group), want, refused))
        return true;
    o = open_owner(w);
    if (o->chained && o->written > w->storage.chain)
        sim_mark(w->run, LOG_MARK_CHAINED);
    o->end = WB_END;
    w->open = NULL;
    ref_group_close(&w->model);
    mark_eviction(w);
    return true;
}

static bool finish(struct log_world *w)
{
    uint64_t refused = w->run->alloc.refused;
    enum wb_err want = ref_group_finish_status(&w->model);

    if (is_done(w, wb_group_finish(w->group), want, refused))
        ref_group_finish(&w->model);
    return true;
}

/* Readers of the open frame hear of it too. */
static void aborted(struct log_world *w, enum wb_err reason)
{
    if (w->model.has_open && w->model.reason == WB_OK) {
        struct log_owner *o = open_owner(w);

        o->end = reason;
        for (size_t i = 0; i < SIM_SLOTS; i++) {
            if (w->readers[i].has_frame && &w->owner[w->readers[i].owner] == o)
                sim_mark(w->run, LOG_MARK_ABORTED_OPEN);
        }
    }
    ref_group_abort(&w->model, reason);
    w->open = NULL;
}

void log_abort(struct log_world *w, enum wb_err reason)
{
    uint64_t requests = w->run->alloc.requests;
    bool is_held = false;

    aborted(w, reason);
    wb_group_abort(w->group, reason);
    for (size_t i = 0; i < SIM_SLOTS; i++)
        is_held = is_held || w->readers[i].has_frame;
    FUZZ_CHECK(GRP_012, w->run->alloc.requests == requests);
    if (!is_held)
        FUZZ_CHECK(GRP_014, w->run->alloc.live_bytes == w->group_bytes + log_kept_bytes(w));
}

static bool leave(struct log_world *w)
{
    if (!w->model.finished)
        aborted(w, WB_E_DROPPED);
    wb_group_leave(w->group);
    w->group = NULL;
    log_let_go(w);
    return true;
}

bool log_write(struct log_world *w, const struct sim_op *op)
{
    static const enum wb_err reasons[] = {WB_E_CANCEL,  WB_E_OLD,    WB_E_EVICTED,
                                          WB_E_DROPPED, WB_E_REMOTE, WB_E_TRUNCATED};

    if (w->group == NULL)
        return false;
    switch (op->opcode) {
    case LOG_START:
        return start(w, op);
    case LOG_ADD:
    case LOG_MANY:
        return add(w, op);
    case LOG_OPEN:
        return open(w, op);
    case LOG_WRITE:
        return write_part(w, op);
    case LOG_CLOSE:
        return close_frame(w);
    case LOG_FINISH:
        return finish(w);
    case LOG_ABORT:
        log_abort(w, reasons[op->arg % (sizeof reasons / sizeof *reasons)]);
        return true;
    case LOG_LEAVE:
        return leave(w);
    default:
        return false;
    }
}
