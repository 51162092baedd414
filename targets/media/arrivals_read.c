#include "targets/media/arrivals.h"

#include <inttypes.h>
#include <string.h>

#define READS_MAX 64 /* of one op */

static unsigned number_of(const struct sim_op *op)
{
    return op->slot + SIM_SLOTS * (op->flags & 7u);
}

static void leave(struct arrivals *w, struct arrivals_reader *r)
{
    wb_frame_reader_fini(&r->reader);
    FUZZ_CHECK(FRM_019, r->reader.frame == NULL && r->reader.payload.owner == NULL);
    r->is_live = false;
    w->readers_live--;
    if (r->frame != ARRIVALS_NONE)
        arrivals_frame_drop(w, &w->frame[r->frame]);
    else if (r->segment != ARRIVALS_NONE)
        arrivals_segment_drop(w, r->segment);
}

/* A reader that is new, in the place of an old one. */
static struct arrivals_reader *enter(struct arrivals *w, unsigned number)
{
    struct arrivals_reader *r = &w->reader[number];

    if (r->is_live)
        leave(w, r);
    r->is_live = true;
    r->at = 0;
    r->segment = ARRIVALS_NONE;
    if (++w->readers_live > 100)
        sim_mark(w->run, ARRIVALS_MARK_CROWDED);
    return r;
}

static void join(struct arrivals *w, unsigned number, uint16_t frame)
{
    struct arrivals_frame *f = &w->frame[frame];
    struct arrivals_reader *r;

    f->references++; /* first: the reader who left may have been the last holder */
    r = enter(w, number);
    r->frame = frame;
    r->text = f->model.payload;
    r->size = f->model.size;
    wb_frame_reader_init(&r->reader, f->frame);
}

/* Reads the payload instead of the frame, when there is one. */
static bool reopen(struct arrivals *w, unsigned number, uint16_t frame)
{
    struct arrivals_frame *f = &w->frame[frame];
    struct wb_slice payload = {0};

    if (!wb_frame_payload(f->frame, &payload))
        return false;
    FUZZ_CHECK(FRM_016, ref_frame_has_payload(&f->model));
    struct arrivals_reader *r = enter(w, number);
    r->frame = ARRIVALS_NONE;
    r->text = f->model.payload;
    r->size = f->model.size;
    if (r->size > 0) {
        r->segment = f->segments[0];
        w->segment[r->segment].holders++;
        arrivals_look(w, r->segment, &payload, r->text);
    }
    wb_frame_reader_of(&r->reader, &payload);
    FUZZ_CHECK(FRM_017, payload.owner == NULL && payload.view.len == 0);
    return true;
}

static bool clone(struct arrivals *w, unsigned number, unsigned from)
{
    const struct arrivals_reader *old = &w->reader[from];
    struct arrivals_reader *r;

    if (!old->is_live || from == number)
        return false;
    if (old->frame != ARRIVALS_NONE)
        w->frame[old->frame].references++;
    else if (old->segment != ARRIVALS_NONE)
        w->segment[old->segment].holders++;
    r = enter(w, number);
    wb_frame_reader_clone(&r->reader, &old->reader);
    r->frame = old->frame;
    r->segment = old->segment;
    r->text = old->text;
    r->size = old->size;
    r->at = old->at;
    return true;
}

static struct ref_frame_read expected(const struct arrivals *w, const struct arrivals_reader *r,
                                      uint16_t *out_segment)
{
    struct ref_frame_read want = {.status = WB_END};

    if (r->frame != ARRIVALS_NONE) {
        const struct arrivals_frame *f = &w->frame[r->frame];
        want = ref_frame_read(&f->model, r->at);
        if (want.status == WB_OK)
            *out_segment = f->segments[want.segment];
    } else if (r->at < r->size) {
        want.status = WB_OK;
        want.len = r->size - r->at;
        *out_segment = r->segment;
    }
    return want;
}

static void tell(const struct arrivals *w, enum wb_err err, uint64_t len)
{
    if (!w->run->story_on)
        return;
    if (err == WB_OK)
        sim_run_story(w->run, "read %" PRIu64 "; ", len);
    else
        sim_run_story(w->run, "read %s; ", wb_err_name((int)err));
}

/* One read; true when it gave bytes. */
static bool read_once(struct arrivals *w, unsigned number, bool keeps)
{
    struct arrivals_reader *r = &w->reader[number];
    struct wb_slice slice = {0};
    uint16_t segment = ARRIVALS_NONE;
    struct ref_frame_read want = expected(w, r, &segment);
    enum wb_err err = wb_frame_read(&r->reader, &slice);

    tell(w, err, slice.view.len);
    FUZZ_CHECK(FRM_004, err == want.status);
    if (err != WB_OK) {
        FUZZ_CHECK(FRM_004, slice.owner == NULL && slice.view.len == 0);
        FUZZ_CHECK(FRM_004, r->reader.at == r->at);
        if (err != WB_MORE && err != WB_END)
            w->last = err;
        return false;
    }
    const uint8_t *text = r->text + r->at;
    FUZZ_CHECK(FRM_001, slice.view.len <= r->size - r->at);
    FUZZ_CHECK(FRM_005, slice.view.len == want.len);
    FUZZ_CHECK(FRM_001, memcmp(slice.view.data, text, slice.view.len) == 0);
    r->at += slice.view.len;
    FUZZ_CHECK(FRM_005, r->reader.at == r->at);
    w->segment[segment].holders++;
    arrivals_look(w, segment, &slice, text);
    if (keeps) {
        arrivals_keep(w, segment, &slice, text, number);
    } else {
        wb_slice_drop(&slice);
        arrivals_segment_drop(w, segment);
    }
    return true;
}

static bool read_some(struct arrivals *w, unsigned number, unsigned times, bool keeps)
{
    uint64_t requests = w->run->alloc.requests;

    if (!w->reader[number].is_live)
        return false;
    w->touched = w->reader[number].frame;
    while (times > 0 && read_once(w, number, keeps))
        times--;
    FUZZ_CHECK(FRM_009, w->run->alloc.requests == requests);
    return true;
}

static bool forget(struct arrivals *w, unsigned number)
{
    bool any = false;

    for (uint16_t i = 0; i < w->kept_used; i++) {
        if (w->kept[i].is_live && w->kept[i].reader == number) {
            arrivals_forget(w, i);
            any = true;
        }
    }
    return any;
}

/* All readers of the slot's frame read what there is. */
static bool read_all(struct arrivals *w, const struct sim_op *op, uint16_t frame)
{
    bool any = false;

    for (unsigned i = 0; i < ARRIVALS_READERS; i++)
        if (w->reader[i].is_live && w->reader[i].frame == frame)
            any |= read_some(w, i, READS_MAX, (op->flags & 1) == 0);
    return any;
}

/* An op of a reader; false when it does nothing here. */
static bool apply(struct arrivals *w, const struct sim_op *op)
{
    unsigned number = number_of(op), times = op->arg == 0 ? 1 : op->arg;
    bool is_crowd = op->opcode == ARRIVALS_CROWD || op->opcode == ARRIVALS_ALL;
    uint16_t frame = w->slots[(is_crowd ? op->slot : op->arg) % ARRIVALS_SLOTS];

    if (times > READS_MAX)
        times = READS_MAX;
    if (op->opcode == ARRIVALS_READ || op->opcode == ARRIVALS_GLANCE)
        return read_some(w, number, times, op->opcode == ARRIVALS_READ);
    if (op->opcode == ARRIVALS_FORGET)
        return forget(w, number);
    if (op->opcode == ARRIVALS_CLONE)
        return clone(w, number, op->arg % ARRIVALS_READERS);
    if (op->opcode == ARRIVALS_LEAVE) {
        if (w->reader[number].is_live)
            leave(w, &w->reader[number]);
        else
            return false;
        return true;
    }
    if (frame == ARRIVALS_NONE)
        return false;
    w->touched = frame;
    if (op->opcode == ARRIVALS_JOIN)
        join(w, number, frame);
    else if (op->opcode == ARRIVALS_REOPEN)
        return reopen(w, number, frame);
    else if (op->opcode == ARRIVALS_ALL)
        return read_all(w, op, frame);
    else
        for (unsigned i = 0; i < ARRIVALS_READERS && (op->arg == 0 || i < op->arg); i++)
            join(w, i, frame);
    return true;
}

void arrivals_do_read(struct arrivals *w, const struct sim_op *op)
{
    uint64_t requests = w->run->alloc.requests;

    if (!apply(w, op))
        sim_ops_dead(w->run);
    FUZZ_CHECK(FRM_009, w->run->alloc.requests == requests);
}
