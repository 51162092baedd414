/*
 * holders.c: each op on the core and on the model. A refused allocation changes neither.
 */
#include "targets/base/holders.h"

#include <inttypes.h>
#include <string.h>

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static uint8_t pattern_at(uint32_t pattern, size_t i)
{
    return (uint8_t)(pattern * 37 + i * 11 + (i >> 5));
}

static struct wb_mem *mem_of(struct holders *h)
{
    return sim_run_mem(h->run);
}

/* Holds the status of an op against what the allocator did since `refused`. */
static void check_status(struct holders *h, enum wb_err err, uint64_t refused)
{
    bool was_refused = h->run->alloc.refused != refused;

    FUZZ_CHECK(BYT_006, (err == WB_E_NOMEM) == was_refused);
    if (was_refused)
        sim_mark(h->run, HOLDERS_MARK_REFUSED);
    if (err != WB_OK)
        h->last = err;
}

/* Puts what an op made into a slot; what was there goes first. */
static void settle(struct holders *h, size_t slot, const struct holders_slot *made)
{
    struct holders_slot old = h->slots[slot];

    h->slots[slot] = *made;
    wb_slice_drop(&old.slice);
    FUZZ_CHECK(BYT_004, old.slice.owner == NULL && old.slice.view.len == 0);
    for (size_t i = 0; i < SIM_SLOTS && old.segment != 0; i++)
        if (h->slots[i].segment == old.segment && h->slots[i].len < old.len)
            sim_mark(h->run, HOLDERS_MARK_OUTLIVED);
}

static void do_new(struct holders *h, const struct sim_op *op)
{
    struct holders_slot made = {.len = smaller(op->arg, HOLDERS_LEN_MAX)};
    uint64_t refused = h->run->alloc.refused;
    uint8_t *bytes = h->text; /* any address: it must stay when nothing was made */
    enum wb_err err = wb_slice_new(mem_of(h), made.len, &made.slice, &bytes);

    check_status(h, err, refused);
    if (err != WB_OK) {
        FUZZ_CHECK(BYT_006, bytes == h->text && made.slice.owner == NULL);
        return;
    }
    if (made.len > 0)
        made.segment = made.pattern = ++h->segments;
    for (size_t i = 0; i < made.len; i++)
        bytes[i] = pattern_at(made.pattern, i);
    settle(h, op->slot, &made);
}

static void do_copy(struct holders *h, const struct sim_op *op)
{
    struct holders_slot made = h->slots[op->flags];
    struct wb_segment *before = made.slice.owner;
    uint64_t refused = h->run->alloc.refused;
    enum wb_err err = wb_slice_copy(mem_of(h), made.slice.view, &made.slice);

    check_status(h, err, refused);
    if (err != WB_OK) {
        FUZZ_CHECK(BYT_006, made.slice.owner == before);
        return;
    }
    if (made.len > 0)
        made.segment = ++h->segments;
    settle(h, op->slot, &made);
}

/* share, sub and move: no bytes of their own, so no allocator. */
static void do_hold(struct holders *h, const struct sim_op *op)
{
    struct holders_slot *from = &h->slots[op->flags];
    struct holders_slot made = *from;
    uint64_t requests = h->run->alloc.requests;
    size_t end = made.len - smaller(op->ext, made.len), begin = smaller(op->arg, end);

    if (op->opcode == HOLDERS_MOVE) {
        made.slice = wb_slice_move(&from->slice);
        *from = (struct holders_slot){.slice = from->slice};
    } else if (op->opcode == HOLDERS_SHARE) {
        made.slice = wb_slice_share(&from->slice);
    } else {
        made.slice = wb_slice_sub(&from->slice, begin, end);
        made.begin += begin;
        made.len = end - begin;
        if (made.len == 0)
            made.segment = 0;
    }
    settle(h, op->slot, &made);
    FUZZ_CHECK(BYT_005, h->run->alloc.requests == requests);
}

static void do_drop(struct holders *h, const struct sim_op *op)
{
    struct holders_slot empty = {0};
    uint64_t requests = h->run->alloc.requests;

    if (h->slots[op->slot].segment == 0)
        sim_ops_dead(h->run);
    settle(h, op->slot, &empty);
    FUZZ_CHECK(BYT_005, h->run->alloc.requests == requests);
}

static void do_equal(struct holders *h, const struct sim_op *op)
{
    const struct holders_slot *a = &h->slots[op->slot], *b = &h->slots[op->flags];
    bool want = a->len == b->len;

    for (size_t i = 0; want && i < a->len; i++)
        want = pattern_at(a->pattern, a->begin + i) == pattern_at(b->pattern, b->begin + i);
    FUZZ_CHECK(BYT_011, wb_view_equal(a->slice.view, b->slice.view) == want);
}

/* The laws of a call that wants `n` more bytes of room; true when it had to end well and did. */
static bool check_room(struct holders *h, enum wb_err err, size_t n, const struct wb_buf *before,
                       const struct sim_alloc *alloc)
{
    bool has_grown = h->buf.capacity != before->capacity;

    check_status(h, err, alloc->refused);
    if (n > before->max - before->len) {
        FUZZ_CHECK(BYT_008, err == WB_E_BOUNDS);
        sim_mark(h->run, HOLDERS_MARK_FULL);
    }
    if (before->len + n <= h->room)
        FUZZ_CHECK(BYT_010, h->run->alloc.requests == alloc->requests);
    if (err != WB_OK) {
        FUZZ_CHECK(BYT_008, err == WB_E_NOMEM || n > before->max - before->len);
        FUZZ_CHECK(BYT_006, h->buf.data == before->data && !has_grown && h->buf.len == before->len);
        return false;
    }
    if (has_grown) {
        FUZZ_CHECK(BYT_009, h->buf.capacity >= smaller(before->max, before->capacity * 2));
        if (before->len > 0)
            sim_mark(h->run, HOLDERS_MARK_MOVED);
    }
    return true;
}

static void do_add(struct holders *h, const struct sim_op *op)
{
    struct wb_buf before = h->buf;
    struct sim_alloc alloc = h->run->alloc;
    uint8_t byte = (uint8_t)op->arg;
    struct wb_view added = h->slots[op->slot].slice.view;
    enum wb_err err;

    if (op->opcode == HOLDERS_BYTE) {
        added = wb_view_of(&byte, 1);
        err = wb_buf_add_u8(&h->buf, byte);
    } else {
        err = wb_buf_add(&h->buf, added);
    }
    if (!check_room(h, err, added.len, &before, &alloc))
        return;
    if (added.len > 0)
        memcpy(h->text + h->text_len, added.data, added.len);
    h->text_len += added.len;
}

static void do_reserve(struct holders *h, const struct sim_op *op)
{
    struct wb_buf before = h->buf;
    struct sim_alloc alloc = h->run->alloc;

    if (check_room(h, wb_buf_reserve(&h->buf, op->arg), op->arg, &before, &alloc) &&
        h->room < h->buf.len + op->arg)
        h->room = h->buf.len + op->arg;
}

static void do_shrink(struct holders *h, const struct sim_op *op)
{
    size_t max = h->buf.max;

    if (op->opcode == HOLDERS_TRUNCATE) {
        h->text_len = smaller(op->arg, h->text_len);
        wb_buf_truncate(&h->buf, h->text_len);
        return;
    }
    wb_buf_fini(&h->buf);
    wb_buf_init(&h->buf, mem_of(h), max);
    h->text_len = h->room = 0;
}

void holders_init(struct holders *h, struct sim_run *run, size_t buf_max)
{
    *h = (struct holders){.run = run};
    wb_buf_init(&h->buf, mem_of(h), buf_max == 0 ? HOLDERS_BUF_MAX : buf_max);
}

void holders_fini(struct holders *h)
{
    struct sim_op drop = {.opcode = HOLDERS_DROP};

    for (size_t i = 0; i < SIM_SLOTS; i++) {
        const struct holders_slot *s = &h->slots[i];

        if (s->segment != 0)
            sim_run_story(h->run, "s%zu: %zu of segment %" PRIu32 ", %" PRIu64 " holders; ", i,
                          s->len, s->segment, wb_slice_holders(&s->slice));
    }
    sim_run_story(h->run, "buffer: %zu; %s", h->buf.len, wb_err_name((int)h->last));
    sim_run_outcome(h->run, h->last);
    wb_buf_fini(&h->buf);
    h->text_len = 0;
    for (; drop.slot < SIM_SLOTS; drop.slot++) {
        struct holders_slot empty = {0};

        settle(h, drop.slot, &empty);
        holders_check(h);
    }
}

void holders_do(struct holders *h, const struct sim_op *op)
{
    switch ((enum holders_op)op->opcode) {
    case HOLDERS_NEW:
        do_new(h, op);
        break;
    case HOLDERS_COPY:
        do_copy(h, op);
        break;
    case HOLDERS_SHARE:
    case HOLDERS_SUB:
    case HOLDERS_MOVE:
        do_hold(h, op);
        break;
    case HOLDERS_DROP:
        do_drop(h, op);
        break;
    case HOLDERS_EQUAL:
        do_equal(h, op);
        break;
    case HOLDERS_ADD:
    case HOLDERS_BYTE:
        do_add(h, op);
        break;
    case HOLDERS_RESERVE:
        do_reserve(h, op);
        break;
    case HOLDERS_TRUNCATE:
    case HOLDERS_CLEAR:
        do_shrink(h, op);
        break;
    case HOLDERS_FAIL:
        sim_alloc_fail_next(&h->run->alloc, op->arg == 0 ? 1 : op->arg);
        break;
    }
    sim_run_note(h->run, (uint64_t)h->last << 32 | h->buf.len);
}

/* The law of references: what the core counts is what the model sees. Returns the bytes to its
 * name. */
static size_t check_slot(const struct holders *h, size_t slot)
{
    const struct holders_slot *s = &h->slots[slot];
    uint64_t holders = 0;
    bool is_first = true;

    wb_slice_check(&s->slice);
    FUZZ_CHECK(BYT_002, s->slice.view.len == s->len);
    for (size_t i = 0; i < s->len; i++)
        FUZZ_CHECK(BYT_002, s->slice.view.data[i] == pattern_at(s->pattern, s->begin + i));
    if (s->segment == 0) {
        FUZZ_CHECK(BYT_004, s->slice.owner == NULL && s->len == 0);
        FUZZ_CHECK(BYT_004, wb_slice_holders(&s->slice) == 0);
        return wb_slice_footprint(&s->slice);
    }
    for (size_t i = 0; i < SIM_SLOTS; i++) {
        holders += h->slots[i].segment == s->segment;
        is_first = is_first && !(i < slot && h->slots[i].segment == s->segment);
    }
    FUZZ_CHECK(BYT_001, wb_slice_holders(&s->slice) == holders);
    FUZZ_CHECK(BYT_003, wb_slice_footprint(&s->slice) >= s->len);
    if (holders > 1)
        sim_mark(h->run, HOLDERS_MARK_SHARED);
    return is_first ? wb_slice_footprint(&s->slice) : 0;
}

void holders_check(const struct holders *h)
{
    size_t bytes = h->buf.capacity;
    struct wb_view text = wb_buf_view(&h->buf);

    for (size_t i = 0; i < SIM_SLOTS; i++)
        bytes += check_slot(h, i);
    FUZZ_CHECK(BYT_003, h->run->alloc.live_bytes == bytes);
    wb_buf_check(&h->buf);
    FUZZ_CHECK(BYT_007, text.len == h->text_len);
    FUZZ_CHECK(BYT_007, text.len == 0 || memcmp(text.data, h->text, text.len) == 0);
}
