#include "sim/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SHOW_PIECE 128 /* no piece of a line that is not a name is longer */

const struct sim_op_desc sim_text_lit = {
    .opcode = SIM_OP_LIT, .name = "lit", .uses_slot = true, .text = "raw bytes"};

static enum wb_err show_add(struct wb_buf *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static enum wb_err show_add(struct wb_buf *out, const char *format, ...)
{
    char piece[SHOW_PIECE];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(piece, sizeof(piece), format, args);
    va_end(args);
    WB_ASSERT(n >= 0);
    WB_ASSERT((size_t)n < sizeof(piece));
    return wb_buf_add(out, wb_view_of(piece, (size_t)n));
}

static enum wb_err show_raw(const uint8_t r[SIM_RECORD], struct wb_buf *out)
{
    WB_TRY(show_add(out, "raw %02x %02x ", r[0], r[1]));
    for (size_t i = 2; i < SIM_RECORD; i++)
        WB_TRY(show_add(out, "%02x", r[i]));
    return WB_OK;
}

static const struct sim_op_desc *show_find(const struct sim_ops *ops, uint8_t opcode)
{
    const struct sim_op_desc *desc = ops != NULL ? sim_ops_find(ops, opcode) : NULL;
    if (desc == NULL && opcode == SIM_OP_LIT && ops != NULL)
        return &sim_text_lit;
    return desc;
}

/* True when the named form of the op says all that it holds. */
static bool show_has_names(const struct sim_op_desc *desc, const struct sim_op *op)
{
    if (desc == NULL)
        return op->opcode == SIM_OP_NOP && op->slot == 0 && op->flags == 0 && op->arg == 0 &&
               op->ext == 0;
    if (op->slot != 0 && !desc->uses_slot)
        return false;
    if (op->flags != 0 && desc->flags == SIM_ARG_NONE)
        return false;
    if (op->ext != 0 && desc->ext == SIM_ARG_NONE)
        return false;
    if (op->opcode == SIM_OP_LIT)
        return op->lit.len == op->arg;
    return op->arg == 0 || desc->arg != SIM_ARG_NONE;
}

static enum wb_err show_value(const struct sim_op_desc *desc, enum sim_arg_kind kind,
                              const char *name, uint32_t value, struct wb_buf *out)
{
    if (kind == SIM_ARG_NONE || value == 0)
        return WB_OK;
    WB_TRY(show_add(out, " %s=", name));
    if (kind == SIM_ARG_MASK)
        return show_add(out, "0x%x", value);
    if (kind == SIM_ARG_CHOICE && desc->choices != NULL) {
        uint32_t i = 0;
        while (desc->choices[i] != NULL && i < value)
            i++;
        if (desc->choices[i] != NULL)
            return wb_buf_add(out, wb_view_text(desc->choices[i]));
    }
    return show_add(out, "%u", value);
}

static enum wb_err show_op_raw(const struct sim_op *op, struct wb_buf *out)
{
    if (op->ext != 0)
        WB_TRY(show_add(out, "raw %02x %02x %02x%02x; ", SIM_OP_EXT, op->ext & 0xff,
                        op->ext >> 8 & 0xff, op->ext >> 16 & 0xff));
    uint8_t r[SIM_RECORD] = {op->opcode, (uint8_t)(op->slot | op->flags << 4),
                             (uint8_t)(op->arg & 0xff), (uint8_t)(op->arg >> 8)};
    WB_TRY(show_raw(r, out));
    for (size_t i = 0; i < op->lit.len; i += SIM_RECORD) {
        size_t len = op->lit.len - i < SIM_RECORD ? op->lit.len - i : SIM_RECORD;
        memset(r, 0, sizeof(r));
        memcpy(r, op->lit.data + i, len);
        WB_TRY(show_add(out, "; "));
        WB_TRY(show_raw(r, out));
    }
    return WB_OK;
}

enum wb_err sim_text_show_op(const struct sim_ops *ops, const struct sim_op *op, struct wb_buf *out)
{
    const struct sim_op_desc *desc = show_find(ops, op->opcode);
    if (!show_has_names(desc, op))
        return show_op_raw(op, out);
    if (desc == NULL)
        return show_add(out, "nop");
    WB_TRY(wb_buf_add(out, wb_view_text(desc->name)));
    if (desc->uses_slot)
        WB_TRY(show_add(out, " s%u", op->slot));
    if (op->opcode != SIM_OP_LIT)
        WB_TRY(show_value(desc, desc->arg, desc->arg_name, op->arg, out));
    WB_TRY(show_value(desc, desc->flags, desc->flags_name, op->flags, out));
    WB_TRY(show_value(desc, desc->ext, desc->ext_name, op->ext, out));
    if (op->lit.len > 0) {
        WB_TRY(wb_buf_add_u8(out, ' '));
        WB_TRY(sim_hex_show(op->lit, out));
    }
    return WB_OK;
}

static enum wb_err show_swarm(const struct sim_ops *ops, uint16_t swarm, struct wb_buf *out)
{
    const char *separator = "swarm ";
    size_t classes = 0;
    unsigned unnamed = swarm;
    while (ops != NULL && ops->classes != NULL && classes < 16 && ops->classes[classes] != NULL)
        classes++;
    for (size_t i = 0; i < classes; i++) {
        if ((swarm >> i & 1) == 0)
            continue;
        WB_TRY(show_add(out, "%s", separator));
        WB_TRY(wb_buf_add(out, wb_view_text(ops->classes[i])));
        unnamed &= ~(1u << i);
        separator = ",";
    }
    if (unnamed != 0)
        WB_TRY(show_add(out, "%s0x%04x", separator, unnamed));
    return wb_buf_add_u8(out, '\n');
}

static enum wb_err show_header(const struct sim_ops *ops, const uint8_t h[SIM_HEADER],
                               struct wb_buf *out)
{
    uint16_t swarm = (uint16_t)(h[2] | h[3] << 8);
    if (h[0] != 0)
        WB_TRY(show_add(out, "version %u\n", h[0]));
    if (h[1] != 0)
        WB_TRY(show_add(out, "profile %u\n", h[1]));
    if (swarm != 0)
        WB_TRY(show_swarm(ops, swarm, out));
    for (unsigned i = 0; i < 4; i++) {
        const char *name = ops != NULL && ops->knobs != NULL ? ops->knobs[i] : NULL;
        if (h[4 + i] == 0)
            continue;
        if (name == NULL) {
            WB_TRY(show_add(out, "knob %u %u\n", i, h[4 + i]));
            continue;
        }
        WB_TRY(show_add(out, "knob "));
        WB_TRY(wb_buf_add(out, wb_view_text(name)));
        WB_TRY(show_add(out, " %u\n", h[4 + i]));
    }
    return WB_OK;
}

/* Copies up to `n` bytes from `at` on and fills up with zeros. */
static void show_fetch(struct wb_view bytes, size_t at, uint8_t *out, size_t n)
{
    memset(out, 0, n);
    if (at < bytes.len)
        memcpy(out, bytes.data + at, bytes.len - at < n ? bytes.len - at : n);
}

/* True when LIT bytes at `at` are all there and followed by zeros up to the next record. */
static bool show_lit_is_whole(struct wb_view bytes, size_t at, size_t len)
{
    if (at > bytes.len || len > bytes.len - at)
        return false;
    for (size_t i = len; i % SIM_RECORD != 0 && at + i < bytes.len; i++) {
        if (bytes.data[at + i] != 0)
            return false;
    }
    return true;
}

/* Shows what begins at `at`: one op with its EXT and bytes, or one record. Returns where the next
 * one begins. */
static enum wb_err show_next(const struct sim_ops *ops, struct wb_view bytes, size_t *at,
                             struct wb_buf *out)
{
    uint8_t r[SIM_RECORD], next[SIM_RECORD];
    struct sim_op op = {0};
    show_fetch(bytes, *at, r, SIM_RECORD);
    show_fetch(bytes, *at + SIM_RECORD, next, SIM_RECORD);
    uint32_t ext = (uint32_t)r[1] | (uint32_t)r[2] << 8 | (uint32_t)r[3] << 16;
    bool is_last = *at + SIM_RECORD >= bytes.len;
    if (r[0] == SIM_OP_EXT && ext != 0 && !is_last && next[0] != SIM_OP_EXT) {
        op.ext = ext;
        *at += SIM_RECORD;
        memcpy(r, next, sizeof(r));
    }
    *at += SIM_RECORD;
    op.opcode = r[0];
    op.slot = r[1] & (SIM_SLOTS - 1);
    op.flags = r[1] >> 4;
    op.arg = (uint16_t)(r[2] | r[3] << 8);
    if (op.opcode == SIM_OP_LIT && show_lit_is_whole(bytes, *at, op.arg)) {
        op.lit = wb_view_sub(bytes, *at, *at + op.arg);
        *at += ((size_t)op.arg + SIM_RECORD - 1) / SIM_RECORD * SIM_RECORD;
        return sim_text_show_op(ops, &op, out);
    }
    if (op.opcode != SIM_OP_LIT)
        return sim_text_show_op(ops, &op, out);
    /* A LIT that the named form cannot say: its bytes stay records, and must not be read as ops. */
    WB_TRY(show_op_raw(&op, out));
    for (size_t end = *at + op.arg; *at < end && *at < bytes.len; *at += SIM_RECORD) {
        show_fetch(bytes, *at, r, SIM_RECORD);
        WB_TRY(show_add(out, "; "));
        WB_TRY(show_raw(r, out));
    }
    return WB_OK;
}

enum wb_err sim_text_show(const struct sim_ops *ops, struct wb_view bytes, struct wb_buf *out)
{
    uint8_t header[SIM_HEADER];
    struct wb_view run = sim_scenario_run(bytes);
    show_fetch(bytes, 0, header, SIM_HEADER);
    WB_TRY(show_header(ops, header, out));
    for (size_t at = SIM_HEADER; at < run.len;) {
        WB_TRY(show_next(ops, run, &at, out));
        WB_TRY(wb_buf_add_u8(out, '\n'));
    }
    if (run.len < bytes.len)
        WB_TRY(show_add(out, "# %zu bytes more, which are not run\n", bytes.len - run.len));
    return WB_OK;
}
