/*
 * frame.c: the writer of a frame: where bytes go, when they are published, what is given back.
 */
#include "core/media/frame.h"

#include "core/media/frame_store.h"

#include <string.h>

const struct wb_frame_limits wb_frame_limits_default = {
    .upfront = (size_t)64 << 10, .first = (size_t)4 << 10, .chain = (size_t)1 << 20};

#define COUNT(f, counter, n)                                                                       \
    do {                                                                                           \
        if ((f)->cost != NULL)                                                                     \
            WB_COUNT((f)->cost->counter, n);                                                       \
    } while (0)

/* ---- segments of a frame --------------------------------------------------------------------- */

/* A kept payload's segment may be part of another frame's chain, so its link says nothing here. */
static struct wb_segment *segment_next(const struct wb_frame *f, const struct wb_segment *s)
{
    return f->is_shared ? NULL : s->next;
}

/* What the head has room for once `written` > 0 bytes are there: the first size, doubled. */
static uint64_t head_capacity(const struct wb_frame *f, uint64_t written)
{
    uint64_t capacity = f->first;

    if (written > f->moving)
        return f->reach;
    while (capacity < written)
        capacity *= 2;
    return capacity;
}

/* Gives back the frame's reference to each of a list that belongs to it alone. */
static void drop_list(struct wb_segment *s)
{
    while (s != NULL) {
        struct wb_segment *next = s->next;

        wb_segment_drop(s);
        s = next;
    }
}

/* Segments for positions begin..end and the rest of the last one. False when one is refused. */
static bool new_chain(struct wb_frame *f, uint64_t begin, uint64_t end, struct wb_segment **out)
{
    struct wb_segment *chain = NULL, **last = &chain;

    while (begin < end) {
        uint64_t capacity = wb_frame_smaller(f->reach, f->size - begin);

        *last = wb_segment_new(f->mem, (size_t)capacity);
        if (*last == NULL) {
            drop_list(chain);
            return false;
        }
        last = &(*last)->next;
        begin += capacity;
    }
    *out = chain;
    return true;
}

/* ---- the frame ------------------------------------------------------------------------------- */

static uint64_t reach_of(const struct wb_frame_limits *limits, uint64_t size)
{
    WB_ASSERT(limits->first > 0);
    WB_ASSERT(limits->chain > 0);
    return size <= limits->upfront ? size : wb_frame_smaller(size, limits->chain);
}

enum wb_err wb_frame_new(struct wb_mem *mem, const struct wb_frame_limits *limits, uint64_t size,
                         struct wb_frame **out)
{
    struct wb_frame *f;
    uint64_t reach, first, moving = 0;

    if (size > WB_MOQ_FRAME_MAX)
        return WB_E_FRAME_TOO_LARGE;
    reach = reach_of(limits, size);
    first = wb_frame_smaller(limits->first, reach);
    if (size > limits->upfront && first < reach)
        for (moving = first; moving * 2 < reach;)
            moving *= 2;
    f = wb_mem_take(mem, sizeof(*f));
    if (f == NULL)
        return WB_E_NOMEM;
    WB_RACE_NAME(f, "frame");
    *f = (struct wb_frame){.mem = mem,
                           .cost = limits->cost,
                           .moving = (uint32_t)moving,
                           .reach = (uint32_t)reach,
                           .size = (uint32_t)size,
                           .first = (uint32_t)first,
                           .is_fixed = size <= limits->upfront};
    wb_atomic_init(&f->mark, wb_frame_mark(0, WB_OK));
    wb_atomic_init(&f->pins, 0);
    wb_atomic_init(&f->references, 1);
    wb_atomic_ptr_init(&f->head, NULL);
    WB_RACE_NAME(&f->mark, "mark");
    WB_RACE_NAME(&f->pins, "pins");
    WB_RACE_NAME(&f->head, "head");
    WB_RACE_NAME(&f->references, "references");
    WB_RACE_WROTE(f, sizeof(*f));
    WB_CHECKED(wb_frame_check(f));
    *out = f;
    return WB_OK;
}

struct wb_frame *wb_frame_share(struct wb_frame *f)
{
    uint64_t before = wb_atomic_add_relaxed(&f->references, 1);

    WB_ASSERT(before > 0);
    WB_ASSERT(before < WB_HOLDERS_MAX);
    return f;
}

/* Nobody else has the frame, so no reader is between its pin and its reference. */
static WB_NOINLINE void frame_free(struct wb_frame *f)
{
    WB_ASSERT(wb_atomic_load_relaxed(&f->pins) == 0);
    COUNT(f, freed, wb_frame_superseded(f));
    drop_list(f->superseded);
    if (f->is_shared)
        wb_segment_drop(wb_frame_head(f));
    else
        drop_list(wb_frame_head(f));
    wb_mem_give(f->mem, f, sizeof(*f));
}

void wb_frame_drop(struct wb_frame *f)
{
    uint64_t before = wb_atomic_sub_acq_rel(&f->references, 1);

    WB_ASSERT(before > 0);
    WB_ASSERT(before < WB_HOLDERS_MAX);
    if (before == 1)
        frame_free(f);
}

/* ---- the writer ------------------------------------------------------------------------------ */

/*
 * Gives superseded segments back unless a reader may be about to take one. The load has to come
 * after the store of the new head in the one order of seq_cst operations: a reader whose pin it
 * does not see comes later in that order, so its load of the head gives the new one. Release and
 * acquire do not order a store before a later load.
 */
static void reclaim(struct wb_frame *f)
{
    if (f->superseded == NULL || wb_atomic_load_seq_cst(&f->pins) != 0)
        return;
    COUNT(f, freed, wb_frame_superseded(f));
    drop_list(f->superseded);
    f->superseded = NULL;
}

/* The head becomes `grown`, with a copy of what is published in it. */
static void replace_head(struct wb_frame *f, struct wb_segment *grown, uint64_t written)
{
    struct wb_segment *old = wb_frame_head(f);

    f->open = grown;
    if (grown->len == f->reach)
        f->bytes = grown->bytes;
    WB_RACE_WROTE(&f->bytes, sizeof(f->bytes));
    if (old == NULL) {
        wb_atomic_ptr_store_relaxed(&f->head, grown); /* no mark leads a reader to it yet */
        return;
    }
    WB_RACE_READ(old->bytes, written);
    memcpy(grown->bytes, old->bytes, (size_t)written);
    WB_RACE_WROTE(grown->bytes, written);
    COUNT(f, copied, written);
    COUNT(f, grown, written);
    /* Releases the copy to readers; seq_cst for the look at the pins that follows: see reclaim. */
    wb_atomic_ptr_store_seq_cst(&f->head, grown);
    old->next = f->superseded;
    f->superseded = old;
    reclaim(f);
}

/* Storage for the first `needed` bytes, of which `written` are there; all of it or nothing. */
static enum wb_err make_room(struct wb_frame *f, uint64_t written, uint64_t needed)
{
    struct wb_segment *grown = NULL, *chain = NULL;
    uint64_t capacity = head_capacity(f, needed), end;

    if (written == 0 || (written <= f->moving && f->open->len < capacity)) {
        grown = wb_segment_new(f->mem, (size_t)capacity);
        if (grown == NULL)
            return WB_E_NOMEM;
        end = capacity;
    } else {
        end = (written - 1) / f->reach * f->reach + f->open->len;
    }
    if (end < needed && !new_chain(f, end, needed, &chain)) {
        drop_list(grown);
        return WB_E_NOMEM;
    }
    if (grown != NULL) {
        replace_head(f, grown, written);
        COUNT(f, segments, 1);
    }
    if (chain != NULL) {
        f->open->next = chain;
        WB_RACE_WROTE(&f->open->next, sizeof(chain));
    }
    for (; chain != NULL; chain = chain->next)
        COUNT(f, segments, 1);
    return WB_OK;
}

/* Copies behind the mark, where there is room, and leaves `open` at the last segment used. */
static void put(struct wb_frame *f, uint64_t at, struct wb_view bytes)
{
    COUNT(f, copied, bytes.len);
    while (bytes.len > 0) {
        uint64_t inside = wb_frame_inside(f, at);
        size_t n;

        if (inside == 0 && at > 0)
            f->open = f->open->next;
        n = (size_t)wb_frame_smaller(bytes.len, f->open->len - inside);
        memcpy(f->open->bytes + inside, bytes.data, n);
        WB_RACE_WROTE(f->open->bytes + inside, n);
        bytes = wb_view_sub(bytes, n, bytes.len);
        at += n;
    }
}

/* Whether the published bytes from `at` on are these. */
static bool is_there(const struct wb_frame *f, uint64_t at, struct wb_view bytes)
{
    struct wb_segment *s = wb_frame_head(f);

    if (bytes.len == 0)
        return true;
    if (f->is_shared)
        return memcmp(f->bytes + at, bytes.data, bytes.len) == 0;
    for (uint64_t i = at / f->reach; i > 0; i--)
        s = s->next;
    for (;; s = s->next) {
        uint64_t inside = wb_frame_inside(f, at);
        size_t n = (size_t)wb_frame_smaller(bytes.len, s->len - inside);

        if (memcmp(s->bytes + inside, bytes.data, n) != 0)
            return false;
        if (n == bytes.len)
            return true;
        bytes = wb_view_sub(bytes, n, bytes.len);
        at += n;
    }
}

/* The refusals, before anything is allocated; *out_known bytes are there already. */
static enum wb_err judge(const struct wb_frame *f, uint64_t offset, struct wb_view bytes,
                         size_t *out_known)
{
    uint64_t mark = wb_atomic_load_relaxed(&f->mark), written = wb_frame_mark_written(mark);
    size_t known;

    if (wb_frame_mark_end(mark) != WB_OK)
        return WB_E_FINISHED;
    if (offset > written)
        return WB_E_GAP;
    if (bytes.len > f->size - offset)
        return WB_E_WRONG_SIZE;
    known = (size_t)wb_frame_smaller(bytes.len, written - offset);
    if (!is_there(f, offset, wb_view_sub(bytes, 0, known)))
        return WB_E_OVERLAP;
    *out_known = known;
    return WB_OK;
}

/* The one place where bytes become visible. Release: who sees the mark sees what is below it. */
static void publish(struct wb_frame *f, uint64_t written, enum wb_err end)
{
    wb_atomic_store_release(&f->mark, wb_frame_mark(written, end));
    WB_CHECKED(wb_frame_check(f));
}

/*
 * Most writes by far: the bytes that come next in an open frame, for which the final head has room.
 * False, and nothing done, for all others. An open frame's mark is what was written, no more.
 */
static bool append(struct wb_frame *f, uint64_t offset, struct wb_view bytes)
{
    if (offset != wb_atomic_load_relaxed(&f->mark) || offset <= f->moving || bytes.len == 0 ||
        offset + bytes.len > f->reach)
        return false;
    memcpy(f->open->bytes + offset, bytes.data, bytes.len);
    WB_RACE_WROTE(f->open->bytes + offset, bytes.len);
    COUNT(f, copied, bytes.len);
    publish(f, offset + bytes.len, WB_OK);
    return true;
}

enum wb_err wb_frame_write(struct wb_frame *f, uint64_t offset, struct wb_view bytes)
{
    size_t known;

    WB_CHECKED(wb_frame_check(f));
    if (append(f, offset, bytes))
        return WB_OK;
    WB_TRY(judge(f, offset, bytes, &known));
    if (known == bytes.len)
        return WB_OK;
    offset += known;
    bytes = wb_view_sub(bytes, known, bytes.len);
    WB_TRY(make_room(f, offset, offset + bytes.len));
    put(f, offset, bytes);
    publish(f, offset + bytes.len, WB_OK);
    return WB_OK;
}

enum wb_err wb_frame_write_slice(struct wb_frame *f, uint64_t offset, struct wb_slice *bytes)
{
    size_t known;

    WB_CHECKED(wb_slice_check(bytes));
    if (bytes->view.len == 0 || bytes->view.len != f->size || wb_frame_written(f) > 0) {
        WB_TRY(wb_frame_write(f, offset, bytes->view));
        wb_slice_drop(bytes);
        return WB_OK;
    }
    WB_CHECKED(wb_frame_check(f));
    WB_TRY(judge(f, offset, bytes->view, &known));
    f->is_shared = true;
    f->reach = f->size;
    f->bytes = bytes->view.data;
    f->open = bytes->owner;
    WB_RACE_WROTE(&f->bytes, sizeof(f->bytes));
    WB_RACE_WROTE(&f->is_shared, sizeof(f->is_shared));
    WB_RACE_WROTE(&f->reach, sizeof(f->reach));
    wb_atomic_ptr_store_relaxed(&f->head, bytes->owner);
    (void)wb_slice_move(bytes); /* its reference is the frame's now */
    publish(f, f->size, WB_OK);
    return WB_OK;
}

enum wb_err wb_frame_finish(struct wb_frame *f)
{
    uint64_t mark = wb_atomic_load_relaxed(&f->mark);

    if (wb_frame_mark_end(mark) != WB_OK)
        return WB_E_FINISHED;
    if (wb_frame_mark_written(mark) < f->size)
        return WB_E_WRONG_SIZE;
    reclaim(f);
    publish(f, f->size, WB_END);
    return WB_OK;
}

void wb_frame_abort(struct wb_frame *f, enum wb_err reason)
{
    uint64_t mark = wb_atomic_load_relaxed(&f->mark);

    WB_ASSERT(reason != WB_OK);
    WB_ASSERT(reason != WB_MORE);
    WB_ASSERT(reason != WB_END);
    if (wb_frame_mark_end(mark) != WB_OK)
        return;
    reclaim(f);
    publish(f, wb_frame_mark_written(mark), reason);
}

/* ---- what the writer may ask ----------------------------------------------------------------- */

uint64_t wb_frame_footprint(const struct wb_frame *f)
{
    uint64_t sum = 0;

    for (const struct wb_segment *s = wb_frame_head(f); s != NULL; s = segment_next(f, s))
        sum += wb_segment_size(s);
    for (const struct wb_segment *s = f->superseded; s != NULL; s = s->next)
        sum += wb_segment_size(s);
    return sum;
}

uint64_t wb_frame_bill(const struct wb_frame_limits *limits, uint64_t size)
{
    uint64_t reach = reach_of(limits, size);

    return size == 0 ? 0 : size + (size + reach - 1) / reach * sizeof(struct wb_segment);
}

size_t wb_frame_superseded(const struct wb_frame *f)
{
    size_t n = 0;

    for (const struct wb_segment *s = f->superseded; s != NULL; s = s->next)
        n++;
    return n;
}

static void check_segments(const struct wb_frame *f, uint64_t written)
{
    const struct wb_segment *s = wb_frame_head(f);
    uint64_t end = 0;

    for (; segment_next(f, s) != NULL; s = s->next) {
        WB_ASSERT(s->len == f->reach);
        WB_ASSERT(wb_atomic_load_relaxed(&s->references) > 0);
        end += s->len;
    }
    WB_ASSERT(s == f->open);
    WB_ASSERT(wb_atomic_load_relaxed(&s->references) > 0);
    WB_ASSERT(end < written);
    end += f->is_shared ? f->size : s->len;
    WB_ASSERT(written <= end);
    WB_ASSERT(end <= f->size);
    if (written <= f->reach)
        WB_ASSERT(end == head_capacity(f, written));
    for (s = f->superseded; s != NULL; s = s->next) {
        WB_ASSERT(s->len < wb_frame_head(f)->len);
        WB_ASSERT(wb_atomic_load_relaxed(&s->references) > 0);
    }
}

void wb_frame_check(const struct wb_frame *f)
{
    uint64_t mark = wb_atomic_load_relaxed(&f->mark), written = wb_frame_mark_written(mark);

    WB_ASSERT(wb_atomic_load_relaxed(&f->references) > 0);
    WB_ASSERT(written <= f->size);
    WB_ASSERT(f->reach <= f->size);
    WB_ASSERT(f->first <= f->reach);
    WB_ASSERT(f->moving < f->reach || f->size == 0);
    WB_ASSERT(written == f->size || wb_frame_mark_end(mark) != WB_END);
    if (written == 0) {
        WB_ASSERT(wb_frame_head(f) == NULL);
        WB_ASSERT(f->superseded == NULL);
        return;
    }
    if (written > f->moving && !f->is_shared)
        WB_ASSERT(f->bytes == wb_frame_head(f)->bytes);
    check_segments(f, written);
}
