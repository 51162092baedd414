/*
 * ref_frame.c: the four kinds of storage, sentence by sentence. Source: frames, storage.
 */
#include "oracles/ref_frame.h"

#include <string.h>

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

enum wb_err ref_frame_init(struct ref_frame *f, const struct ref_frame_limits *limits,
                           const uint8_t *payload, uint64_t size)
{
    if (size > REF_FRAME_MAX)
        return WB_E_FRAME_TOO_LARGE;
    f->limits = *limits;
    f->payload = payload;
    f->size = size;
    f->written = 0;
    f->kind = REF_FRAME_EMPTY;
    f->end = REF_FRAME_OPEN;
    f->reason = WB_OK;
    f->count = 0;
    return WB_OK;
}

enum wb_err ref_frame_judge(const struct ref_frame *f, uint64_t offset, struct wb_view bytes)
{
    uint64_t overlap;

    if (f->end != REF_FRAME_OPEN)
        return WB_E_FINISHED;
    if (offset > f->written)
        return WB_E_GAP;
    if (bytes.len > f->size - offset)
        return WB_E_WRONG_SIZE;
    overlap = smaller(bytes.len, f->written - offset);
    if (overlap > 0 && memcmp(f->payload + offset, bytes.data, (size_t)overlap) != 0)
        return WB_E_OVERLAP;
    return WB_OK;
}

bool ref_frame_is_kept(const struct ref_frame *f, uint64_t offset, uint64_t len)
{
    return f->kind == REF_FRAME_EMPTY && offset == 0 && len == f->size && len > 0;
}

/* Capacity of a growing segment of at least `need` bytes: doubled, never above what it may hold. */
static uint64_t grown_capacity(const struct ref_frame *f, uint64_t capacity, uint64_t need)
{
    uint64_t max = smaller(f->size, f->limits.chain);

    if (capacity == 0)
        capacity = f->limits.first;
    while (capacity < need)
        capacity *= 2;
    return smaller(capacity, max);
}

static void add_segment(struct ref_frame *f, uint64_t begin, uint64_t capacity)
{
    f->segments[f->count].begin = begin;
    f->segments[f->count].capacity = capacity;
    f->count++;
}

/* The first segment of a frame whose size is only a promise holds `need` bytes or all it may. */
static void grow_first(struct ref_frame *f, uint64_t need, struct ref_frame_change *change)
{
    uint64_t have = f->count == 0 ? 0 : f->segments[0].capacity;
    uint64_t capacity = grown_capacity(f, have, smaller(need, f->limits.chain));

    if (f->count > 1 || capacity == have)
        return;
    change->grown = f->written;
    change->kept = 0;
    f->count = 0;
    add_segment(f, 0, capacity);
}

struct ref_frame_change ref_frame_write(struct ref_frame *f, uint64_t offset, uint64_t len,
                                        bool is_slice)
{
    uint64_t end = offset + len;
    struct ref_frame_change change = {.kept = f->count};

    if (end <= f->written)
        return change;
    if (is_slice && ref_frame_is_kept(f, offset, len)) {
        f->kind = REF_FRAME_SHARED;
        add_segment(f, 0, f->size);
    } else if (f->size <= f->limits.upfront) {
        f->kind = REF_FRAME_FIXED;
        if (f->count == 0)
            add_segment(f, 0, f->size);
        change.copied = end - f->written;
    } else {
        uint64_t covered;

        grow_first(f, end, &change);
        covered = f->segments[f->count - 1].begin + f->segments[f->count - 1].capacity;
        for (; covered < end; covered += f->segments[f->count - 1].capacity)
            add_segment(f, covered, smaller(f->limits.chain, f->size - covered));
        f->kind = f->count > 1 ? REF_FRAME_CHAIN : REF_FRAME_GROWING;
        change.copied = end - f->written + change.grown;
    }
    f->written = end;
    return change;
}

enum wb_err ref_frame_finish(struct ref_frame *f)
{
    if (f->end != REF_FRAME_OPEN)
        return WB_E_FINISHED;
    if (f->written < f->size)
        return WB_E_WRONG_SIZE;
    f->end = REF_FRAME_FINISHED;
    return WB_OK;
}

void ref_frame_abort(struct ref_frame *f, enum wb_err reason)
{
    if (f->end != REF_FRAME_OPEN)
        return;
    f->end = REF_FRAME_ABORTED;
    f->reason = reason;
}

struct ref_frame_read ref_frame_read(const struct ref_frame *f, uint64_t at)
{
    struct ref_frame_read read = {.status = WB_MORE};

    if (f->end == REF_FRAME_ABORTED) {
        read.status = f->reason;
    } else if (at < f->written) {
        const struct ref_frame_segment *s = f->segments;

        while (at >= s->begin + s->capacity)
            s++;
        read.status = WB_OK;
        read.len = smaller(f->written, s->begin + s->capacity) - at;
        read.segment = (size_t)(s - f->segments);
    } else if (f->end == REF_FRAME_FINISHED) {
        read.status = WB_END;
    }
    return read;
}

bool ref_frame_has_payload(const struct ref_frame *f)
{
    return f->end == REF_FRAME_FINISHED && f->kind != REF_FRAME_CHAIN;
}

uint64_t ref_frame_bill(const struct ref_frame_limits *limits, uint64_t size, uint64_t header)
{
    uint64_t segments = 1;

    if (size == 0)
        return 0;
    if (size > limits->upfront)
        segments = (size + limits->chain - 1) / limits->chain;
    return size + segments * header;
}
