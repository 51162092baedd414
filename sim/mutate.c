#include "sim/mutate.h"

#include "sim/mutate_op.h"
#include "sim/text.h"

#include <string.h>

#define MUTATE_COPY_MAX  4096 /* bytes that one move copies */
#define MUTATE_MACRO_MAX 4096
#define MUTATE_RANGE_MAX 12 /* ops that one move takes, unless it takes all */
#define MUTATE_MOVES_MAX 4  /* moves of one mutation */

struct mutate {
    const struct sim_ops *ops;
    sim_mutate_bytes_fn bytes;
    struct sim_random random;
    uint8_t *buf;
    size_t len, max; /* both a header and whole records */
    struct sim_mutate_index index;
};

static uint32_t below(struct mutate *m, size_t n)
{
    return sim_random_below(&m->random, n);
}

static bool one_in(struct mutate *m, size_t n)
{
    return sim_random_one_in(&m->random, n);
}

/* The record of the i-th op itself, behind its EXT. */
static uint8_t *op_record(struct mutate *m, size_t i)
{
    size_t at = m->index.begin[i];
    while (m->buf[at] == SIM_OP_EXT && at + SIM_RECORD < m->index.begin[i + 1])
        at += SIM_RECORD;
    return m->buf + at;
}

static bool insert_bytes(struct mutate *m, size_t at, const uint8_t *data, size_t len)
{
    if (len == 0 || len > m->max - m->len)
        return false;
    memmove(m->buf + at + len, m->buf + at, m->len - at);
    memcpy(m->buf + at, data, len);
    m->len += len;
    return true;
}

static void erase_bytes(struct mutate *m, size_t begin, size_t end)
{
    memmove(m->buf + begin, m->buf + end, m->len - end);
    m->len -= end - begin;
}

static size_t any_boundary(struct mutate *m)
{
    return m->index.begin[below(m, m->index.count + 1)];
}

/* A random range of ops; false when there is none. */
static bool any_range(struct mutate *m, size_t *out_first, size_t *out_count)
{
    if (m->index.count == 0)
        return false;
    size_t first = below(m, m->index.count), left = m->index.count - first;
    *out_first = first;
    *out_count = 1 + below(m, left < MUTATE_RANGE_MAX ? left : MUTATE_RANGE_MAX);
    if (one_in(m, 8)) {
        *out_first = 0;
        *out_count = m->index.count;
    }
    return true;
}

static void relabel(struct mutate *m, uint8_t *record, uint32_t shift)
{
    if (sim_mutate_op_has_slot(m->ops, record[0]))
        record[1] = (uint8_t)((record[1] & 0xf0) | ((record[1] + shift) & 0xf));
}

/*
 * "Do the same to another stream": copies a range with all its slots shifted, or only what it did
 * to one slot. Of all moves the one that pays most.
 */
static bool move_repeat(struct mutate *m)
{
    uint8_t copy[MUTATE_COPY_MAX];
    size_t first = 0, count = 0, len = 0;
    if (!any_range(m, &first, &count))
        return false;
    uint32_t shift = one_in(m, 2) ? 1 : 1 + below(m, SIM_SLOTS - 1);
    bool one_slot = one_in(m, 2);
    uint8_t slot = op_record(m, first + below(m, count))[1] & 0xf;
    for (size_t i = first; i < first + count; i++) {
        size_t begin = m->index.begin[i], size = m->index.begin[i + 1] - begin;
        const uint8_t *record = op_record(m, i);
        if (size > sizeof(copy) - len)
            break;
        if (one_slot && (!sim_mutate_op_has_slot(m->ops, record[0]) || (record[1] & 0xf) != slot))
            continue;
        memcpy(copy + len, m->buf + begin, size);
        relabel(m, copy + len + (size_t)(record - (m->buf + begin)), shift);
        len += size;
    }
    size_t at = m->index.begin[first + count];
    if (one_in(m, 2))
        at = one_in(m, 2) ? m->len : any_boundary(m);
    return insert_bytes(m, at, copy, len);
}

static bool move_erase(struct mutate *m)
{
    size_t first = 0, count = 0;
    if (!any_range(m, &first, &count))
        return false;
    if (one_in(m, 2) || count == m->index.count)
        count = 1;
    erase_bytes(m, m->index.begin[first], m->index.begin[first + count]);
    return true;
}

static bool move_double(struct mutate *m)
{
    uint8_t copy[MUTATE_COPY_MAX];
    if (m->index.count == 0)
        return false;
    size_t i = below(m, m->index.count), begin = m->index.begin[i];
    size_t len = m->index.begin[i + 1] - begin;
    if (len > sizeof(copy))
        return false;
    memcpy(copy, m->buf + begin, len);
    return insert_bytes(m, one_in(m, 2) ? begin : any_boundary(m), copy, len);
}

/* Takes a range out and puts it elsewhere, or past the op behind it. */
static bool move_range(struct mutate *m)
{
    uint8_t copy[MUTATE_COPY_MAX];
    if (m->index.count < 2)
        return false;
    size_t first = below(m, m->index.count - 1), count = 1;
    bool is_swap = one_in(m, 2);
    if (!is_swap)
        count += below(m, m->index.count - first < 4 ? m->index.count - first : 4);
    size_t begin = m->index.begin[first], end = m->index.begin[first + count];
    size_t len = end - begin;
    size_t at = is_swap ? m->index.begin[first + 2] : any_boundary(m);
    if (len > sizeof(copy) || (at >= begin && at <= end))
        return false;
    memcpy(copy, m->buf + begin, len);
    erase_bytes(m, begin, end);
    return insert_bytes(m, at > begin ? at - len : at, copy, len);
}

/* Gives an op the slot of another, or, between ops of one kind, its argument. */
static bool move_copy_field(struct mutate *m)
{
    if (m->index.count < 2)
        return false;
    uint8_t *to = op_record(m, below(m, m->index.count));
    const uint8_t *from = op_record(m, below(m, m->index.count));
    uint8_t before[SIM_RECORD];
    memcpy(before, to, SIM_RECORD);
    if (to[0] == from[0] && to[0] != SIM_OP_LIT && one_in(m, 2))
        memcpy(to + 2, from + 2, 2);
    else if (sim_mutate_op_has_slot(m->ops, to[0]) && sim_mutate_op_has_slot(m->ops, from[0]))
        to[1] = (uint8_t)((to[1] & 0xf0) | (from[1] & 0xf));
    return memcmp(before, to, SIM_RECORD) != 0;
}

static bool move_insert(struct mutate *m)
{
    uint8_t op[SIM_MUTATE_OP_MAX];
    size_t len = sim_mutate_op_fresh(m->ops, &m->random, op);
    /* Half of them go on with a slot that is in use. */
    if (len == SIM_RECORD && m->index.count > 0 && one_in(m, 2)) {
        uint8_t slot = op_record(m, below(m, m->index.count))[1] & 0xf;
        if (sim_mutate_op_has_slot(m->ops, op[0]))
            op[1] = (uint8_t)((op[1] & 0xf0) | slot);
    }
    return insert_bytes(m, one_in(m, 3) ? m->len : any_boundary(m), op, len);
}

static bool move_macro(struct mutate *m)
{
    size_t count = 0;
    while (m->ops != NULL && m->ops->macros != NULL && m->ops->macros[count] != NULL)
        count++;
    if (count == 0)
        return false;
    struct wb_buf text;
    struct sim_text_error error;
    wb_buf_init(&text, wb_mem_libc(), MUTATE_MACRO_MAX);
    const char *macro = m->ops->macros[below(m, count)];
    enum wb_err err = sim_text_asm(m->ops, wb_view_text(macro), &text, &error);
    bool macro_is_text = err == WB_OK;
    WB_ASSERT(macro_is_text);
    uint32_t shift = one_in(m, 2) ? 0 : below(m, SIM_SLOTS);
    struct sim_mutate_index index;
    sim_mutate_index_fill(&index, text.data, text.len);
    for (size_t i = 0; i < index.count; i++) {
        size_t at = index.begin[i];
        while (text.data[at] == SIM_OP_EXT && at + SIM_RECORD < index.begin[i + 1])
            at += SIM_RECORD;
        relabel(m, text.data + at, shift);
    }
    size_t at = one_in(m, 2) ? m->len : any_boundary(m);
    bool done = insert_bytes(m, at, text.data + SIM_HEADER, text.len - SIM_HEADER);
    wb_buf_fini(&text);
    return done;
}

static bool move_field(struct mutate *m)
{
    if (m->index.count == 0)
        return false;
    size_t i = below(m, m->index.count);
    uint8_t *record = op_record(m, i), before[SIM_RECORD], before_ext[SIM_RECORD] = {0};
    uint8_t *ext = record > m->buf + m->index.begin[i] ? record - SIM_RECORD : NULL;
    const struct sim_op_desc *desc = m->ops != NULL ? sim_ops_find(m->ops, record[0]) : NULL;
    if (ext == NULL && desc != NULL && desc->ext != SIM_ARG_NONE && one_in(m, 4)) {
        const uint8_t fresh[SIM_RECORD] = {SIM_OP_EXT, (uint8_t)(1 + below(m, 255)), 0, 0};
        return insert_bytes(m, m->index.begin[i], fresh, SIM_RECORD);
    }
    memcpy(before, record, SIM_RECORD);
    if (ext != NULL)
        memcpy(before_ext, ext, SIM_RECORD);
    sim_mutate_op_field(m->ops, &m->random, record, ext);
    return memcmp(before, record, SIM_RECORD) != 0 ||
           (ext != NULL && memcmp(before_ext, ext, SIM_RECORD) != 0);
}

static bool move_header(struct mutate *m)
{
    size_t classes = 0;
    while (m->ops != NULL && m->ops->classes != NULL && classes < 16 &&
           m->ops->classes[classes] != NULL)
        classes++;
    if (one_in(m, 2)) {
        uint32_t bit = below(m, classes > 0 ? classes : 16);
        m->buf[2 + bit / 8] ^= (uint8_t)(1u << bit % 8);
        return true;
    }
    if (one_in(m, 3)) { /* profiles are bits */
        m->buf[1] ^= (uint8_t)(1u << below(m, 8));
        return true;
    }
    uint8_t *byte = &m->buf[4 + below(m, 4)]; /* of knobs small ones mean most */
    uint8_t before = *byte;
    *byte = (uint8_t)(one_in(m, 4) ? sim_random_next(&m->random) : below(m, 8));
    return *byte != before;
}

/* Changes the raw bytes of a LIT, in length too where the engine does. */
static bool move_lit(struct mutate *m)
{
    uint8_t copy[MUTATE_COPY_MAX + SIM_RECORD] = {0};
    size_t lits = 0, i = 0;
    for (size_t k = 0; k < m->index.count; k++) {
        if (op_record(m, k)[0] == SIM_OP_LIT && one_in(m, ++lits))
            i = k;
    }
    if (lits == 0)
        return false;
    uint8_t *record = op_record(m, i);
    size_t begin = (size_t)(record - m->buf) + SIM_RECORD, end = m->index.begin[i + 1];
    size_t len = (size_t)(record[2] | record[3] << 8);
    if (len > end - begin)
        len = end - begin;
    if (len > MUTATE_COPY_MAX)
        return false;
    memcpy(copy, m->buf + begin, len);
    size_t room = m->max - m->len + (end - begin);
    if (m->bytes != NULL && room > 0) {
        len = m->bytes(copy, len, room < MUTATE_COPY_MAX ? room : MUTATE_COPY_MAX);
        sim_unpoison(copy,
                     len); /* the engine is not instrumented, so its stores count for nothing */
    } else {
        if (len > 0 && one_in(m, 4))
            len--;
        else if (len < room && len < MUTATE_COPY_MAX && (len == 0 || one_in(m, 4)))
            copy[len++] = (uint8_t)sim_random_next(&m->random);
        sim_mutate_op_bytes(&m->random, copy, len);
    }
    size_t filled = (len + SIM_RECORD - 1) / SIM_RECORD * SIM_RECORD;
    memset(copy + len, 0, filled - len);
    record[2] = (uint8_t)(len & 0xff);
    record[3] = (uint8_t)(len >> 8);
    erase_bytes(m, begin, end);
    return filled == 0 || insert_bytes(m, begin, copy, filled);
}

/* Makes `len` bytes a header and whole records of at most m->max, which is at least a header. */
static void settle(struct mutate *m, size_t len)
{
    size_t whole = SIM_HEADER;
    if (len > SIM_HEADER)
        whole += (len - SIM_HEADER + SIM_RECORD - 1) / SIM_RECORD * SIM_RECORD;
    if (whole > m->max)
        whole = m->max;
    if (len < whole)
        memset(m->buf + len, 0, whole - len);
    m->len = whole;
}

static bool move_plain(struct mutate *m)
{
    if (m->bytes == NULL) {
        sim_mutate_op_bytes(&m->random, m->buf, m->len);
        return true;
    }
    size_t len = m->bytes(m->buf, m->len, m->max);
    sim_unpoison(m->buf, len);
    settle(m, len);
    return true;
}

static bool move_any(struct mutate *m)
{
    static const struct {
        uint32_t weight;
        bool (*move)(struct mutate *m);
    } moves[] = {{24, move_repeat},    {12, move_erase},  {4, move_double}, {8, move_range},
                 {6, move_copy_field}, {14, move_insert}, {8, move_macro},  {14, move_field},
                 {4, move_header},     {6, move_lit}};
    uint32_t at = below(m, 100);
    size_t i = 0;
    for (; at >= moves[i].weight; i++)
        at -= moves[i].weight;
    return moves[i].move(m);
}

/* Too small for a header: bytes are just bytes. */
static size_t mutate_short(struct mutate *m, size_t max)
{
    size_t len = m->len < max ? m->len : max;
    if (m->bytes != NULL && max > 0)
        return m->bytes(m->buf, len, max);
    if (len == 0 && max > 0)
        m->buf[len++] = 0;
    sim_mutate_op_bytes(&m->random, m->buf, len);
    return len;
}

size_t sim_mutate_using(const struct sim_ops *ops, sim_mutate_bytes_fn bytes, uint8_t *buf,
                        size_t len, size_t max, uint32_t seed)
{
    struct mutate m;
    m.ops = ops;
    m.bytes = bytes;
    m.random = sim_random_of(seed);
    m.buf = buf;
    m.len = len;
    if (max < SIM_HEADER)
        return mutate_short(&m, max);
    if (max > SIM_MUTATE_BYTES_MAX)
        max = SIM_MUTATE_BYTES_MAX;
    m.max = SIM_HEADER + (max - SIM_HEADER) / SIM_RECORD * SIM_RECORD;
    settle(&m, len < m.max ? len : m.max);
    if (sim_random_one_in(&m.random, 7)) {
        (void)move_plain(&m);
        return m.len;
    }
    uint32_t moves = 1;
    while (moves < MUTATE_MOVES_MAX && sim_random_one_in(&m.random, 2))
        moves++;
    for (uint32_t tries = 0; moves > 0 && tries < 16; tries++) {
        sim_mutate_index_fill(&m.index, m.buf, m.len);
        if (move_any(&m))
            moves--;
    }
    return m.len;
}

size_t sim_mutate(const struct sim_ops *ops, uint8_t *buf, size_t len, size_t max, uint32_t seed)
{
    return sim_mutate_using(ops, NULL, buf, len, max, seed);
}
