/*
 * bytes.c: views, slices, and how the segments behind them are made.
 */
#include "core/base/bytes.h"

#include "core/base/probe.h"
#include "core/base/segment.h"

#include <string.h>

struct wb_segment *wb_segment_new(struct wb_mem *mem, size_t len)
{
    struct wb_segment *segment;

    if (len > SIZE_MAX - sizeof(*segment))
        return NULL;
    segment = wb_mem_take(mem, sizeof(*segment) + len);
    if (segment == NULL)
        return NULL;
    WB_RACE_NAME(segment, "segment");
    segment->mem = mem;
    segment->len = len;
    segment->next = NULL;
    WB_RACE_WROTE(segment, sizeof(*segment));
    wb_atomic_init(&segment->references, 1);
    WB_RACE_NAME(&segment->references, "holders");
    WB_PROBE1(segment_new, segment);
    return segment;
}

void wb_segment_free(struct wb_segment *segment)
{
    WB_PROBE1(segment_free, segment);
    WB_RACE_READ(&segment->mem, sizeof(segment->mem));
    wb_mem_give(segment->mem, segment, wb_segment_size(segment));
}

struct wb_view wb_view_text(const char *text)
{
    return wb_view_of(text, strlen(text));
}

bool wb_view_equal(struct wb_view a, struct wb_view b)
{
    if (a.len != b.len)
        return false;
    return a.len == 0 || memcmp(a.data, b.data, a.len) == 0;
}

enum wb_err wb_slice_new(struct wb_mem *mem, size_t len, struct wb_slice *out, uint8_t **out_bytes)
{
    struct wb_segment *segment;

    if (len == 0) {
        *out = (struct wb_slice){0};
        *out_bytes = NULL;
        return WB_OK;
    }
    segment = wb_segment_new(mem, len);
    if (segment == NULL)
        return WB_E_NOMEM;
    *out = (struct wb_slice){.owner = segment, .view = {segment->bytes, len}};
    *out_bytes = segment->bytes;
    return WB_OK;
}

enum wb_err wb_slice_copy(struct wb_mem *mem, struct wb_view bytes, struct wb_slice *out)
{
    struct wb_slice fresh;
    uint8_t *data;

    WB_TRY(wb_slice_new(mem, bytes.len, &fresh, &data));
    if (bytes.len > 0)
        memcpy(data, bytes.data, bytes.len);
    *out = fresh;
    return WB_OK;
}

struct wb_slice wb_slice_share(const struct wb_slice *s)
{
    return wb_slice_sub(s, 0, s->view.len);
}

struct wb_slice wb_slice_sub(const struct wb_slice *s, size_t begin, size_t end)
{
    struct wb_view part = wb_view_sub(s->view, begin, end);

    WB_CHECKED(wb_slice_check(s));
    if (part.len == 0)
        return (struct wb_slice){0};
    return (struct wb_slice){.owner = wb_segment_hold(s->owner), .view = part};
}

struct wb_slice wb_slice_move(struct wb_slice *s)
{
    struct wb_slice moved = *s;

    WB_CHECKED(wb_slice_check(s));
    *s = (struct wb_slice){0};
    return moved;
}

void wb_slice_drop(struct wb_slice *s)
{
    struct wb_slice last = wb_slice_move(s);

    if (last.owner != NULL)
        wb_segment_drop(last.owner);
}

uint64_t wb_slice_holders(const struct wb_slice *s)
{
    return s->owner == NULL ? 0 : wb_atomic_load_relaxed(&s->owner->references);
}

size_t wb_slice_footprint(const struct wb_slice *s)
{
    return s->owner == NULL ? 0 : wb_segment_size(s->owner);
}

void wb_slice_check(const struct wb_slice *s)
{
    if (s->owner == NULL) {
        WB_ASSERT(s->view.len == 0);
        return;
    }
    WB_ASSERT(s->view.len > 0);
    WB_ASSERT(s->view.len <= s->owner->len);
    WB_ASSERT(s->view.data >= s->owner->bytes);
    WB_ASSERT(s->view.data + s->view.len <= s->owner->bytes + s->owner->len);
    WB_ASSERT(wb_atomic_load_relaxed(&s->owner->references) > 0);
}
