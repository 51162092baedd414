/*
 * frame_read.c: what any thread may do that holds a frame: read it. Nothing here allocates or
 * copies.
 */
#include "core/media/frame_store.h"

uint64_t wb_frame_written(const struct wb_frame *f)
{
    return wb_frame_mark_written(wb_atomic_load_acquire(&f->mark));
}

uint64_t wb_frame_size(const struct wb_frame *f)
{
    return f->size;
}

enum wb_frame_kind wb_frame_kind(const struct wb_frame *f)
{
    uint64_t written = wb_frame_written(f);

    if (written == 0)
        return WB_FRAME_EMPTY;
    WB_RACE_READ(&f->is_shared, sizeof(f->is_shared));
    if (f->is_shared)
        return WB_FRAME_SHARED;
    if (f->is_fixed)
        return WB_FRAME_FIXED;
    return written > f->reach ? WB_FRAME_CHAIN : WB_FRAME_GROWING;
}

bool wb_frame_payload(const struct wb_frame *f, struct wb_slice *out)
{
    uint64_t mark = wb_atomic_load_acquire(&f->mark);

    if (wb_frame_mark_end(mark) != WB_END || f->size > f->reach)
        return false;
    WB_RACE_READ(&f->reach, sizeof(f->reach));
    WB_RACE_READ(&f->bytes, sizeof(f->bytes));
    *out = (struct wb_slice){0};
    if (f->size > 0)
        *out = (struct wb_slice){.owner = wb_segment_hold(wb_frame_head(f)),
                                 .view = {f->bytes, f->size}};
    return true;
}

void wb_frame_reader_init(struct wb_frame_reader *r, struct wb_frame *f)
{
    *r = (struct wb_frame_reader){.frame = wb_frame_share(f)};
}

void wb_frame_reader_of(struct wb_frame_reader *r, struct wb_slice *payload)
{
    *r = (struct wb_frame_reader){.payload = wb_slice_move(payload)};
}

void wb_frame_reader_clone(struct wb_frame_reader *out, const struct wb_frame_reader *r)
{
    struct wb_frame_reader clone = *r;

    if (r->frame != NULL)
        (void)wb_frame_share(r->frame);
    clone.payload = wb_slice_share(&r->payload);
    *out = clone;
}

void wb_frame_reader_fini(struct wb_frame_reader *r)
{
    if (r->frame != NULL)
        wb_frame_drop(r->frame);
    wb_slice_drop(&r->payload);
    *r = (struct wb_frame_reader){0};
}

static WB_NOINLINE enum wb_err read_payload(struct wb_frame_reader *r, struct wb_slice *out)
{
    size_t len = r->payload.view.len;

    if (r->at == len)
        return WB_END;
    *out = wb_slice_sub(&r->payload, (size_t)r->at, len);
    r->at = len;
    return WB_OK;
}

/*
 * The head of the mark that was seen, or a later one: what is published lies in both. The pin comes
 * before the load in the one order of seq_cst operations: the writer either sees it and keeps what
 * it replaces, or has stored the new head before this load. Unpinning needs the release of its
 * order: a writer that reads 0 finds the reference taken.
 */
static struct wb_segment *hold_moving(struct wb_frame *f)
{
    struct wb_segment *s;

    wb_atomic_add_seq_cst(&f->pins, 1);
    s = wb_segment_hold(wb_atomic_ptr_load_seq_cst(&f->head));
    wb_atomic_sub_seq_cst(&f->pins, 1);
    return s;
}

/* The segment of the reader's position, which is published and behind the head. */
static struct wb_segment *hold_chained(const struct wb_frame *f, struct wb_frame_reader *r,
                                       uint64_t inside)
{
    struct wb_segment *s = r->place;

    if (inside == 0) {
        s = s == NULL ? wb_frame_head(f) : s;
        WB_RACE_READ(&s->next, sizeof(s->next));
        r->place = s = s->next;
    }
    return wb_segment_hold(s);
}

enum wb_err wb_frame_read(struct wb_frame_reader *r, struct wb_slice *out)
{
    struct wb_frame *f = r->frame;
    struct wb_segment *s;
    const uint8_t *data;
    uint64_t mark, end, at = r->at;

    if (f == NULL)
        return read_payload(r, out);
    mark = wb_atomic_load_acquire(&f->mark); /* with the release of publish: all below is there */
    end = wb_frame_mark_written(mark);
    if (wb_frame_mark_end(mark) != WB_OK && (wb_frame_mark_end(mark) != WB_END || at == end))
        return wb_frame_mark_end(mark);
    if (at == end)
        return WB_MORE;
    WB_RACE_READ(&f->reach, sizeof(f->reach));
    if (at >= f->reach) {
        uint64_t inside = wb_frame_inside(f, at);

        s = hold_chained(f, r, inside);
        data = s->bytes + inside;
        end = wb_frame_smaller(end, at - inside + s->len);
    } else if (end > f->moving) {
        s = wb_segment_hold(wb_frame_head(f)); /* final, so the frame's reference keeps it */
        WB_RACE_READ(&f->bytes, sizeof(f->bytes));
        data = f->bytes + at;
        end = wb_frame_smaller(end, f->reach);
    } else {
        s = hold_moving(f);
        data = s->bytes + at;
    }
    *out = (struct wb_slice){.owner = s, .view = {data, (size_t)(end - at)}};
    r->at = end;
    return WB_OK;
}
