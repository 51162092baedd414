#include "targets/media/arrivals.h"

#include <inttypes.h>
#include <string.h>

#define TEXT_ALL (2 * ARRIVALS_TEXT + 64 * ARRIVALS_FRAMES)

/* What frames hold: one text, of which each frame is a part of its own. The same in every run. */
static uint8_t text[TEXT_ALL];
static bool text_is_there;

static void write_text(void)
{
    uint32_t x = 1;

    for (size_t i = 0; i < TEXT_ALL && !text_is_there; i++) {
        x = x * UINT32_C(1664525) + UINT32_C(1013904223);
        text[i] = (uint8_t)(x >> 24);
    }
    text_is_there = true;
}

/* Knobs: 0 stands for a small default, else one more than the limit; chain in units of 16. */
static struct ref_frame_limits limits_of(const struct sim_header *header)
{
    const uint8_t *knob = header->knob;
    struct ref_frame_limits limits = {.upfront = knob[0] == 0 ? 16 : knob[0] - 1u,
                                      .first = knob[1] == 0 ? 8 : knob[1],
                                      .chain = knob[2] == 0 ? 64 : knob[2] * 16u};

    if (header->profile & 1) {
        limits.upfront = wb_frame_limits_default.upfront;
        limits.first = wb_frame_limits_default.first;
        limits.chain = wb_frame_limits_default.chain;
    }
    if (limits.first > limits.chain)
        limits.first = limits.chain;
    return limits;
}

/* What the allocator lends for a segment besides its bytes. */
static uint64_t header_bytes(struct arrivals *w)
{
    struct wb_slice one;
    uint8_t *bytes;
    uint64_t header;

    while (wb_slice_new(sim_run_mem(w->run), 1, &one, &bytes) != WB_OK)
        w->last = WB_E_NOMEM; /* refused once at most: the next is another request */
    header = wb_slice_footprint(&one) - 1;
    wb_slice_drop(&one);
    return header;
}

void arrivals_init(struct arrivals *w, struct sim_run *run, const struct sim_header *header)
{
    write_text();
    w->run = run;
    w->limits = limits_of(header);
    w->core_limits = (struct wb_frame_limits){.upfront = (size_t)w->limits.upfront,
                                              .first = (size_t)w->limits.first,
                                              .chain = (size_t)w->limits.chain};
    w->reach = ARRIVALS_TEXT;
    if (w->reach / w->limits.chain >= REF_FRAME_SEGMENTS - 4)
        w->reach = (size_t)w->limits.chain * (REF_FRAME_SEGMENTS - 4);
    w->last = WB_OK;
    w->header = header_bytes(w);
    w->heap = w->frame_bytes = 0;
    w->frames = w->segments = w->kept_used = 0;
    w->kept_free = w->touched = ARRIVALS_NONE;
    w->live_count = 0;
    w->readers_live = 0;
    for (size_t i = 0; i < ARRIVALS_SLOTS; i++)
        w->slots[i] = ARRIVALS_NONE;
    for (size_t i = 0; i < ARRIVALS_READERS; i++)
        w->reader[i].is_live = false;
}

struct arrivals_frame *arrivals_at(struct arrivals *w, unsigned slot)
{
    uint16_t i = w->slots[slot % ARRIVALS_SLOTS];

    return i == ARRIVALS_NONE ? NULL : &w->frame[i];
}

uint64_t arrivals_footprint(const struct arrivals *w, const struct arrivals_frame *f)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < f->model.count; i++)
        sum += w->segment[f->segments[i]].footprint;
    return sum;
}

bool arrivals_judge(struct arrivals *w, const struct sim_alloc *before, enum wb_err want,
                    enum wb_err err)
{
    const struct sim_alloc *now = &w->run->alloc;

    if (now->refused != before->refused) {
        sim_mark(w->run, ARRIVALS_MARK_REFUSED);
        FUZZ_CHECK(FRM_002, err == WB_E_NOMEM);
    } else {
        FUZZ_CHECK(FRM_002, err == want);
    }
    if (want != WB_OK)
        FUZZ_CHECK(FRM_003, now->requests == before->requests);
    if (err == WB_OK)
        return true;
    FUZZ_CHECK(FRM_003, now->live_bytes == before->live_bytes);
    FUZZ_CHECK(FRM_003, now->live_blocks == before->live_blocks);
    w->last = err;
    return false;
}

/* ---- segments -------------------------------------------------------------------------------- */

uint16_t arrivals_segment_add(struct arrivals *w, const uint8_t *at, uint64_t footprint)
{
    uint16_t id = w->segments;

    if (id == ARRIVALS_SEGMENTS)
        return ARRIVALS_NONE;
    w->segments++;
    w->segment[id] = (struct arrivals_segment){.footprint = footprint,
                                               .text = at,
                                               .holders = 1,
                                               .kept = ARRIVALS_NONE,
                                               .place = w->live_count};
    w->live[w->live_count++] = id;
    w->heap += footprint;
    return id;
}

void arrivals_segment_drop(struct arrivals *w, uint16_t segment)
{
    struct arrivals_segment *s = &w->segment[segment];

    if (--s->holders > 0)
        return;
    w->heap -= s->footprint;
    w->live[s->place] = w->live[--w->live_count];
    w->segment[w->live[s->place]].place = s->place;
}

void arrivals_frame_drop(struct arrivals *w, struct arrivals_frame *f)
{
    if (--f->references > 0)
        return;
    w->heap -= w->frame_bytes;
    for (size_t i = 0; i < f->model.count; i++) {
        if (w->segment[f->segments[i]].holders > 1)
            sim_mark(w->run, ARRIVALS_MARK_OUTLIVED);
        arrivals_segment_drop(w, f->segments[i]);
    }
    FUZZ_CHECK(FRM_019, w->run->alloc.live_bytes == w->heap);
}

/* ---- what readers keep ----------------------------------------------------------------------- */

void arrivals_look(struct arrivals *w, uint16_t segment, const struct wb_slice *slice,
                   const uint8_t *at)
{
    struct arrivals_segment *s = &w->segment[segment];
    const uint8_t *base = slice->view.data - (at - s->text);

    if (s->owner == NULL) {
        for (size_t i = 0; i < w->live_count; i++)
            FUZZ_CHECK(FRM_011, w->segment[w->live[i]].owner != slice->owner);
        s->owner = slice->owner;
        s->base = base;
    }
    FUZZ_CHECK(FRM_011, slice->owner == s->owner);
    FUZZ_CHECK(FRM_011, base == s->base);
    FUZZ_CHECK(FRM_007, wb_slice_holders(slice) == s->holders);
}

void arrivals_keep(struct arrivals *w, uint16_t segment, struct wb_slice *slice, const uint8_t *at,
                   unsigned reader)
{
    struct arrivals_segment *s = &w->segment[segment];
    uint16_t id = w->kept_free;

    if (id != ARRIVALS_NONE) {
        w->kept_free = w->kept[id].next;
    } else if (w->kept_used < ARRIVALS_KEPT) {
        id = w->kept_used++;
    } else {
        wb_slice_drop(slice);
        arrivals_segment_drop(w, segment);
        return;
    }
    w->kept[id] = (struct arrivals_kept){.slice = wb_slice_move(slice),
                                         .text = at,
                                         .segment = segment,
                                         .next = s->kept,
                                         .before = ARRIVALS_NONE,
                                         .reader = (uint8_t)reader,
                                         .is_live = true};
    if (s->kept != ARRIVALS_NONE)
        w->kept[s->kept].before = id;
    s->kept = id;
}

void arrivals_forget(struct arrivals *w, uint16_t kept)
{
    struct arrivals_kept *k = &w->kept[kept];

    FUZZ_CHECK(FRM_006, memcmp(k->slice.view.data, k->text, k->slice.view.len) == 0);
    if (k->before != ARRIVALS_NONE)
        w->kept[k->before].next = k->next;
    else
        w->segment[k->segment].kept = k->next;
    if (k->next != ARRIVALS_NONE)
        w->kept[k->next].before = k->before;
    wb_slice_drop(&k->slice);
    arrivals_segment_drop(w, k->segment);
    k->is_live = false;
    k->next = w->kept_free;
    w->kept_free = kept;
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Opens a frame in place of the slot's. NULL when there are too many, or it was refused. */
static struct arrivals_frame *open_frame(struct arrivals *w, const struct sim_op *op, uint64_t size,
                                         const uint8_t *payload)
{
    struct sim_op drop = {.opcode = ARRIVALS_DROP, .slot = op->slot};
    struct arrivals_frame *f = &w->frame[w->frames];
    struct wb_frame_limits limits = w->core_limits;

    if (arrivals_at(w, op->slot) != NULL)
        arrivals_do_write(w, &drop);
    const struct sim_alloc before = w->run->alloc;
    f->frame = NULL;
    f->cost = f->want = (struct wb_frame_cost){0};
    limits.cost = &f->cost;
    enum wb_err want = ref_frame_init(&f->model, &w->limits, payload, size);
    enum wb_err err = wb_frame_new(sim_run_mem(w->run), &limits, size, &f->frame);
    sim_run_story(w->run, "open %" PRIu64 "%s%s; ", size, err == WB_OK ? "" : " ",
                  err == WB_OK ? "" : wb_err_name((int)err));
    if (want == WB_E_FRAME_TOO_LARGE)
        sim_mark(w->run, ARRIVALS_MARK_LARGE);
    if (!arrivals_judge(w, &before, want, err)) {
        FUZZ_CHECK(FRM_003, f->frame == NULL);
        return NULL;
    }
    uint64_t bytes = w->run->alloc.live_bytes - before.live_bytes;
    FUZZ_CHECK(FRM_008, w->frame_bytes == 0 || w->frame_bytes == bytes);
    w->frame_bytes = bytes;
    w->heap += bytes;
    f->has_writer = true;
    f->references = 1;
    f->shares = 0;
    w->slots[op->slot % ARRIVALS_SLOTS] = w->touched = w->frames++;
    return f;
}

/* A frame whose payload is a slice that somebody kept of another one. */
static void forward(struct arrivals *w, const struct sim_op *op, const struct arrivals_kept *kept)
{
    const struct arrivals_kept k = *kept; /* its segment stays: the slice is held */
    struct arrivals_frame *f = open_frame(w, op, k.slice.view.len, k.text);
    struct wb_slice slice;

    if (f == NULL)
        return;
    uint64_t requests = w->run->alloc.requests;
    slice = wb_slice_share(&k.slice);
    enum wb_err err = wb_frame_write_slice(f->frame, 0, &slice);
    FUZZ_CHECK(FRM_002, err == WB_OK);
    FUZZ_CHECK(FRM_017, slice.owner == NULL);
    FUZZ_CHECK(FRM_008, w->run->alloc.requests == requests);
    ref_frame_write(&f->model, 0, k.slice.view.len, true);
    f->segments[0] = k.segment;
    w->segment[k.segment].holders++;
    sim_mark(w->run, ARRIVALS_MARK_FORWARDED);
}

static void do_open(struct arrivals *w, const struct sim_op *op)
{
    if (w->frames == ARRIVALS_FRAMES)
        sim_ops_dead(w->run);
    else if (op->opcode == ARRIVALS_OPEN)
        open_frame(w, op, (uint64_t)op->ext << 16 | op->arg, text + 61 * (size_t)w->frames);
    else if (op->arg < w->kept_used && w->kept[op->arg].is_live)
        forward(w, op, &w->kept[op->arg]);
    else
        sim_ops_dead(w->run);
}

void arrivals_do(struct arrivals *w, const struct sim_op *op)
{
    switch ((enum arrivals_op)op->opcode) {
    case ARRIVALS_OPEN:
    case ARRIVALS_FORWARD:
        do_open(w, op);
        break;
    case ARRIVALS_WRITE:
    case ARRIVALS_FILL:
    case ARRIVALS_FINISH:
    case ARRIVALS_ABORT:
    case ARRIVALS_DROP:
    case ARRIVALS_SHARE:
    case ARRIVALS_PAYLOAD:
        arrivals_do_write(w, op);
        break;
    case ARRIVALS_JOIN:
    case ARRIVALS_REOPEN:
    case ARRIVALS_CLONE:
    case ARRIVALS_READ:
    case ARRIVALS_GLANCE:
    case ARRIVALS_FORGET:
    case ARRIVALS_LEAVE:
    case ARRIVALS_CROWD:
    case ARRIVALS_ALL:
        arrivals_do_read(w, op);
        break;
    case ARRIVALS_FAIL:
        sim_alloc_fail_next(&w->run->alloc, op->arg == 0 ? 1 : op->arg);
        break;
    }
    sim_run_note(w->run, (uint64_t)w->last << 32 | w->run->alloc.live_bytes);
}

static void leave_all(struct arrivals *w)
{
    struct sim_op leave = {.opcode = ARRIVALS_LEAVE};

    for (unsigned i = 0; i < ARRIVALS_READERS && w->readers_live > 0; i++) {
        leave.slot = i % SIM_SLOTS;
        leave.flags = (uint8_t)(i / SIM_SLOTS);
        if (w->reader[i].is_live)
            arrivals_do_read(w, &leave);
    }
}

static void drop_all(struct arrivals *w)
{
    for (size_t i = 0; i < w->frames; i++) {
        struct arrivals_frame *f = &w->frame[i];

        for (; f->shares > 0; f->shares--) {
            wb_frame_drop(f->frame);
            arrivals_frame_drop(w, f);
        }
        if (f->has_writer) {
            wb_frame_drop(f->frame);
            f->has_writer = false;
            arrivals_frame_drop(w, f);
        }
    }
}

void arrivals_fini(struct arrivals *w, const struct sim_header *header)
{
    sim_run_outcome(w->run, w->last);
    w->touched = ARRIVALS_NONE;
    if (header->profile & 2) {
        drop_all(w);
        leave_all(w);
    } else {
        leave_all(w);
        drop_all(w);
    }
    arrivals_check(w);
    for (uint16_t i = 0; i < w->kept_used; i++)
        if (w->kept[i].is_live)
            arrivals_forget(w, i);
    arrivals_check(w);
}
