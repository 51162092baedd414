#include "sim/mutate.h"

#include "sim/mutate_op.h"
#include "sim/text.h"

#include <string.h>

/* A parent: a header and whole records, zeros where it was shorter, and where its ops begin. */
struct parent {
    uint8_t header[SIM_HEADER];
    struct wb_view bytes;
    struct sim_mutate_index index;
};

static void parent_init(struct parent *p, struct wb_view bytes)
{
    memset(p->header, 0, SIM_HEADER);
    if (bytes.len > 0)
        memcpy(p->header, bytes.data, bytes.len < SIM_HEADER ? bytes.len : SIM_HEADER);
    p->bytes = bytes;
    sim_mutate_index_fill(&p->index, bytes.data, bytes.len);
}

/* Appends the ops [first, last) as far as they fit whole; returns the new length. */
static size_t append_ops(const struct parent *p, size_t first, size_t last, uint8_t *out,
                         size_t len, size_t max)
{
    for (size_t i = first; i < last; i++) {
        size_t begin = p->index.begin[i], size = p->index.begin[i + 1] - begin;
        if (size > max - len)
            break;
        memcpy(out + len, p->bytes.data + begin, size);
        len += size;
    }
    return len;
}

size_t sim_cross(struct wb_view a, struct wb_view b, uint8_t *out, size_t max, uint32_t seed)
{
    struct sim_random r = sim_random_of(seed);
    struct parent first, second;
    parent_init(&first, a);
    parent_init(&second, b);
    if (max < SIM_HEADER) {
        memcpy(out, first.header, max);
        return max;
    }
    if (max > SIM_MUTATE_BYTES_MAX)
        max = SIM_MUTATE_BYTES_MAX;
    memcpy(out, sim_random_one_in(&r, 4) ? second.header : first.header, SIM_HEADER);
    size_t cut = sim_random_below(&r, first.index.count + 1);
    size_t from = sim_random_below(&r, second.index.count + 1), to = second.index.count;
    size_t len = append_ops(&first, 0, cut, out, SIM_HEADER, max);
    if (sim_random_one_in(&r, 2))
        return append_ops(&second, from, to, out, len, max);
    to = from + sim_random_below(&r, to - from + 1);
    len = append_ops(&second, from, to, out, len, max);
    return append_ops(&first, cut, first.index.count, out, len, max);
}

static size_t count_names(const char *const *names)
{
    size_t n = 0;
    while (names != NULL && names[n] != NULL)
        n++;
    return n;
}

/* Appends a macro of the table; the same length when it does not fit. */
static size_t append_macro(const struct sim_ops *ops, const char *macro, uint8_t *out, size_t len,
                           size_t max)
{
    struct wb_buf text;
    struct sim_text_error error;
    wb_buf_init(&text, wb_mem_libc(), SIM_MUTATE_BYTES_MAX);
    enum wb_err err = sim_text_asm(ops, wb_view_text(macro), &text, &error);
    bool macro_is_text = err == WB_OK;
    WB_ASSERT(macro_is_text);
    size_t size = text.len - SIM_HEADER;
    if (size <= max - len) {
        memcpy(out + len, text.data + SIM_HEADER, size);
        len += size;
    }
    wb_buf_fini(&text);
    return len;
}

size_t sim_generate(const struct sim_ops *ops, uint8_t *out, size_t max, size_t records,
                    uint32_t seed)
{
    struct sim_random r = sim_random_of(seed);
    uint8_t header[SIM_HEADER] = {0};
    size_t classes = ops != NULL ? count_names(ops->classes) : 0;
    size_t macros = ops != NULL ? count_names(ops->macros) : 0;
    if (max > SIM_MUTATE_BYTES_MAX)
        max = SIM_MUTATE_BYTES_MAX;
    if (sim_random_one_in(&r, 2))
        header[1] = (uint8_t)sim_random_below(&r, 256);
    /* Swarm: leaving whole classes out lets the others pile up. */
    for (size_t i = 0; i < classes && i < 16; i++) {
        if (sim_random_one_in(&r, 4))
            header[2 + i / 8] |= (uint8_t)(1u << i % 8);
    }
    for (size_t i = 4; i < SIM_HEADER; i++) {
        if (sim_random_one_in(&r, 3))
            header[i] = (uint8_t)sim_random_below(&r, sim_random_one_in(&r, 4) ? 256 : 8);
    }
    size_t len = max < SIM_HEADER ? max : SIM_HEADER;
    memcpy(out, header, len);
    for (size_t i = 0; i < records && len >= SIM_HEADER; i++) {
        uint8_t op[SIM_MUTATE_OP_MAX];
        if (macros > 0 && sim_random_one_in(&r, 8)) {
            len = append_macro(ops, ops->macros[sim_random_below(&r, macros)], out, len, max);
            continue;
        }
        size_t size = sim_mutate_op_fresh(ops, &r, op);
        if (size == 0 || size > max - len)
            break;
        memcpy(out + len, op, size);
        len += size;
    }
    return len;
}

size_t sim_trim_count(struct wb_view bytes)
{
    struct sim_mutate_index index;
    sim_mutate_index_fill(&index, bytes.data, bytes.len);
    return index.count;
}

size_t sim_trim(struct wb_view bytes, size_t i, uint8_t *out)
{
    struct sim_mutate_index index;
    sim_mutate_index_fill(&index, bytes.data, bytes.len);
    WB_ASSERT(i < index.count);
    size_t begin = index.begin[i], end = index.begin[i + 1];
    memcpy(out, bytes.data, begin);
    memcpy(out + begin, bytes.data + end, bytes.len - end);
    return begin + (bytes.len - end);
}
