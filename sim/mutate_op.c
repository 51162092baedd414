#include "sim/mutate_op.h"

#include <string.h>

struct sim_random sim_random_of(uint64_t seed)
{
    return (struct sim_random){seed};
}

/* splitmix64: any seed will do, neighbours included. */
uint32_t sim_random_next(struct sim_random *r)
{
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ (z >> 31)) >> 32);
}

uint32_t sim_random_below(struct sim_random *r, size_t n)
{
    WB_ASSERT(n > 0);
    WB_ASSERT(n <= UINT32_MAX);
    return (uint32_t)((uint64_t)sim_random_next(r) * n >> 32);
}

bool sim_random_one_in(struct sim_random *r, size_t n)
{
    return sim_random_below(r, n) == 0;
}

void sim_mutate_index_fill(struct sim_mutate_index *index, const uint8_t *buf, size_t len)
{
    size_t at = SIM_HEADER;
    index->count = 0;
    while (at + SIM_RECORD <= len && index->count < SIM_RECORDS_MAX) {
        index->begin[index->count++] = (uint32_t)at;
        while (buf[at] == SIM_OP_EXT && at + 2 * SIM_RECORD <= len)
            at += SIM_RECORD;
        size_t lit = buf[at] == SIM_OP_LIT ? (size_t)(buf[at + 2] | buf[at + 3] << 8) : 0;
        at += SIM_RECORD + (lit + SIM_RECORD - 1) / SIM_RECORD * SIM_RECORD;
        if (at > len)
            at = len;
    }
    index->begin[index->count] = (uint32_t)at;
}

#define PICK(r, table) ((table)[sim_random_below(r, sizeof(table) / sizeof((table)[0]))])

/* Where buffers, lines and lengths have their edges. */
static const uint32_t op_sizes[] = {
    1,    2,    3,    4,    8,    16,    32,    64,    100,   128,   256,   512,     1000,    1024,
    2047, 2048, 4096, 8192, 9216, 10000, 10240, 16384, 32768, 65535, 65536, 1 << 20, 0xffffff};
static const uint32_t op_times[] = {1,   2,   5,    10,   20,   50,   100,   150,   200,
                                    250, 500, 1000, 1500, 2000, 5000, 10000, 30000, 60000};
static const uint8_t op_bytes[] = {0x00, 0x01, 0x0a, 0x0d, 0x20, 0x30, 0x39, 0x3f,
                                   0x40, 0x7f, 0x80, 0xbf, 0xc0, 0xfe, 0xff};

static size_t op_choices(const struct sim_op_desc *desc)
{
    size_t n = 0;
    while (desc->choices != NULL && desc->choices[n] != NULL)
        n++;
    return n;
}

/* A new value for a field of that kind, at most `max`, which is a power of two less one. */
static uint32_t op_value_fresh(struct sim_random *r, const struct sim_op_desc *desc,
                               enum sim_arg_kind kind, uint32_t max)
{
    uint32_t value = 0;
    switch (kind) {
    case SIM_ARG_NONE:
        return 0;
    case SIM_ARG_COUNT:
        value = sim_random_below(r, sim_random_one_in(r, 4) ? 33 : 5);
        break;
    case SIM_ARG_SIZE:
        value = PICK(r, op_sizes) + sim_random_below(r, 3) - 1;
        break;
    case SIM_ARG_TIME:
        value = PICK(r, op_times) + (sim_random_one_in(r, 4) ? sim_random_below(r, 3) - 1 : 0);
        break;
    case SIM_ARG_CHOICE:
        value = sim_random_below(r, op_choices(desc) > 0 ? op_choices(desc) : 4);
        break;
    case SIM_ARG_MASK:
        value = sim_random_next(r) & sim_random_next(r);
        break;
    }
    return value & max;
}

/* A changed value: near the old one, at an edge, or new. Never the old one where another is
 * possible. */
static uint32_t op_value_change(struct sim_random *r, const struct sim_op_desc *desc,
                                enum sim_arg_kind kind, uint32_t max, uint32_t old)
{
    for (int tries = 0; tries < 8; tries++) {
        uint32_t value = old;
        switch (sim_random_below(r, 6)) {
        case 0:
            value = old + 1 + sim_random_below(r, sim_random_one_in(r, 2) ? 1 : 8);
            break;
        case 1:
            value = old - 1 - sim_random_below(r, sim_random_one_in(r, 2) ? 1 : 8);
            break;
        case 2:
            value = old ^ 1u << sim_random_below(r, 24);
            break;
        case 3:
            value = sim_random_one_in(r, 2) ? 0 : old * 2;
            break;
        default:
            value = op_value_fresh(r, desc, kind, max);
            break;
        }
        if (kind == SIM_ARG_CHOICE && value >= op_choices(desc) && !sim_random_one_in(r, 8))
            continue;
        if ((value & max) != old)
            return value & max;
    }
    return op_value_fresh(r, desc, kind, max);
}

static const struct sim_op_desc *op_draw(const struct sim_ops *ops, struct sim_random *r)
{
    uint32_t total = 0;
    for (size_t i = 0; i < ops->count; i++)
        total += ops->ops[i].weight;
    if (total == 0)
        return NULL;
    uint32_t at = sim_random_below(r, total);
    size_t i = 0;
    for (; at >= ops->ops[i].weight; i++)
        at -= ops->ops[i].weight;
    return &ops->ops[i];
}

static void op_put_ext(uint8_t record[SIM_RECORD], uint32_t ext)
{
    record[0] = SIM_OP_EXT;
    record[1] = (uint8_t)(ext & 0xff);
    record[2] = (uint8_t)(ext >> 8 & 0xff);
    record[3] = (uint8_t)(ext >> 16 & 0xff);
}

size_t sim_mutate_op_fresh(const struct sim_ops *ops, struct sim_random *r,
                           uint8_t out[SIM_MUTATE_OP_MAX])
{
    size_t len = 0;
    memset(out, 0, SIM_MUTATE_OP_MAX);
    const struct sim_op_desc *desc = ops != NULL ? op_draw(ops, r) : NULL;
    if (ops != NULL && desc == NULL)
        return 0;
    if (desc == NULL) {
        for (size_t i = 0; i < SIM_FIELDS; i++)
            out[i] = (uint8_t)sim_random_below(r, i == 0 || sim_random_one_in(r, 2) ? 256 : 4);
        return SIM_RECORD;
    }
    if (desc->ext != SIM_ARG_NONE && sim_random_one_in(r, 4)) {
        op_put_ext(out, op_value_fresh(r, desc, desc->ext, 0xffffff));
        len += SIM_RECORD;
    }
    uint32_t slot = desc->uses_slot ? sim_random_below(r, sim_random_one_in(r, 4) ? 16 : 3) : 0;
    uint32_t flags = sim_random_one_in(r, 3) ? op_value_fresh(r, desc, desc->flags, 0xf) : 0;
    uint32_t arg = sim_random_one_in(r, 4) ? 0 : op_value_fresh(r, desc, desc->arg, 0xffff);
    size_t lit = 0;
    if (desc->opcode == SIM_OP_LIT) {
        lit = 1 + sim_random_below(r, SIM_MUTATE_OP_MAX - 2 * SIM_RECORD);
        arg = (uint32_t)lit;
    }
    out[len] = desc->opcode;
    out[len + 1] = (uint8_t)(slot | flags << 4);
    out[len + 2] = (uint8_t)(arg & 0xff);
    out[len + 3] = (uint8_t)(arg >> 8);
    len += SIM_RECORD;
    for (size_t i = 0; i < lit; i++)
        out[len++] = sim_random_one_in(r, 2) ? PICK(r, op_bytes) : (uint8_t)sim_random_next(r);
    return (len + SIM_RECORD - 1) / SIM_RECORD * SIM_RECORD;
}

static void op_field_slot(struct sim_random *r, uint8_t record[SIM_RECORD])
{
    uint8_t slot = (uint8_t)((record[1] + 1 + sim_random_below(r, SIM_SLOTS - 1)) & 0xf);
    record[1] = (uint8_t)((record[1] & 0xf0) | slot);
}

void sim_mutate_op_field(const struct sim_ops *ops, struct sim_random *r,
                         uint8_t record[SIM_RECORD], uint8_t *ext)
{
    const struct sim_op_desc *desc = ops != NULL ? sim_ops_find(ops, record[0]) : NULL;
    unsigned fields[4], count = 0;
    if (desc == NULL) {
        sim_mutate_op_bytes(r, record + (ops == NULL ? 0 : 1), SIM_FIELDS - (ops == NULL ? 0 : 1));
        return;
    }
    if (desc->uses_slot)
        fields[count++] = 0;
    if (desc->arg != SIM_ARG_NONE && desc->opcode != SIM_OP_LIT)
        fields[count++] = 1;
    if (desc->flags != SIM_ARG_NONE)
        fields[count++] = 2;
    if (desc->ext != SIM_ARG_NONE && ext != NULL)
        fields[count++] = 3;
    if (count == 0)
        return;
    uint32_t value = (uint32_t)(record[2] | record[3] << 8);
    switch (fields[sim_random_below(r, count)]) {
    case 0:
        op_field_slot(r, record);
        break;
    case 1:
        value = op_value_change(r, desc, desc->arg, 0xffff, value);
        record[2] = (uint8_t)(value & 0xff);
        record[3] = (uint8_t)(value >> 8);
        break;
    case 2:
        value = op_value_change(r, desc, desc->flags, 0xf, record[1] >> 4);
        record[1] = (uint8_t)((record[1] & 0xf) | value << 4);
        break;
    default:
        value = (uint32_t)ext[1] | (uint32_t)ext[2] << 8 | (uint32_t)ext[3] << 16;
        op_put_ext(ext, op_value_change(r, desc, desc->ext, 0xffffff, value));
        break;
    }
}

void sim_mutate_op_bytes(struct sim_random *r, uint8_t *data, size_t len)
{
    for (uint32_t n = len > 0 ? 1 + sim_random_below(r, 3) : 0; n > 0; n--) {
        uint8_t *byte = &data[sim_random_below(r, len)];
        switch (sim_random_below(r, 5)) {
        case 0:
            *byte ^= (uint8_t)(1u << sim_random_below(r, 8));
            break;
        case 1:
            *byte = (uint8_t)(*byte + sim_random_below(r, 9) - 4);
            break;
        case 2:
            *byte = PICK(r, op_bytes);
            break;
        case 3:
            *byte = data[sim_random_below(r, len)];
            break;
        default:
            *byte = (uint8_t)sim_random_next(r);
            break;
        }
    }
}

bool sim_mutate_op_has_slot(const struct sim_ops *ops, uint8_t opcode)
{
    if (ops == NULL)
        return true;
    const struct sim_op_desc *desc = sim_ops_find(ops, opcode);
    return desc != NULL && desc->uses_slot;
}
