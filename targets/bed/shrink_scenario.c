/*
 * shrink_scenario.c: a scenario gets smaller by ops, then by their fields, then by its header, then
 * by the raw bytes it carries.
 */
#include "sim/scenario.h"
#include "targets/bed/bed.h"
#include "targets/bed/shrink.h"

#include <stdlib.h>
#include <string.h>

static size_t record_offset(size_t record)
{
    return SIM_HEADER + record * SIM_RECORD;
}

/* Pieces are whole ops with their EXT and raw bytes; what follows the last op is its own piece. */
static size_t cut_ops(struct wb_view input, size_t *ends, size_t max)
{
    struct sim_scenario scenario = sim_scenario_of(input);
    struct sim_op op;
    size_t count = 0;

    while (count + 1 < max && sim_scenario_next(&scenario, &op)) {
        size_t end = record_offset(scenario.record);
        ends[count++] = end < input.len ? end : input.len;
    }
    size_t done = count > 0 ? ends[count - 1] : SIM_HEADER;
    if (done < input.len)
        ends[count++] = input.len;
    return count;
}

/* The i-th op of the best input; *out_main is the offset of its record behind its EXT. False at the
 * end, or when no attempt is left. */
static bool op_at(const struct bed_shrink *s, size_t index, struct sim_op *out, size_t *out_main)
{
    struct sim_scenario scenario = sim_scenario_of(wb_view_of(s->best, s->len));

    if (s->attempts >= s->attempts_max)
        return false;
    for (size_t i = 0; sim_scenario_next(&scenario, out); i++) {
        if (i < index)
            continue;
        size_t record = out->record;
        while (record_offset(record) < s->len && s->best[record_offset(record)] == SIM_OP_EXT)
            record++;
        *out_main = record_offset(record);
        return true;
    }
    return false;
}

static bool drop_ext(struct bed_shrink *s, size_t at)
{
    if (at + SIM_RECORD > s->len || s->best[at] != SIM_OP_EXT)
        return false;
    memcpy(s->candidate, s->best, at);
    memcpy(s->candidate + at, s->best + at + SIM_RECORD, s->len - at - SIM_RECORD);
    return bed_shrink_try(s, s->len - SIM_RECORD);
}

static bool shrink_fields(struct bed_shrink *s)
{
    struct sim_op op;
    size_t at;
    bool changed = false;

    for (size_t i = 0; op_at(s, i, &op, &at); i++) {
        if (drop_ext(s, record_offset(op.record))) {
            changed = true;
            if (!op_at(s, i, &op, &at))
                break;
        } else if (record_offset(op.record) < at) {
            changed = bed_shrink_number(s, record_offset(op.record) + 1, 3, 0, 0xffffff) || changed;
        }
        changed = bed_shrink_number(s, at + 1, 1, 4, 0x0f) || changed;
        changed = bed_shrink_number(s, at + 1, 1, 0, 0x0f) || changed;
        if (op.opcode != SIM_OP_LIT)
            changed = bed_shrink_number(s, at + 2, 2, 0, 0xffff) || changed;
    }
    return changed;
}

/* Slots mean something together: one name is changed everywhere at once. */
static bool relabel(struct bed_shrink *s, uint8_t from, uint8_t to)
{
    struct sim_op op;
    size_t at;
    bool found = false;

    bed_shrink_copy(s);
    for (size_t i = 0; op_at(s, i, &op, &at); i++) {
        if (op.slot != from || at + 1 >= s->len)
            continue;
        s->candidate[at + 1] = (uint8_t)((s->candidate[at + 1] & 0xf0) | to);
        found = true;
    }
    return found && bed_shrink_try(s, s->len);
}

static bool shrink_slots(struct bed_shrink *s)
{
    bool changed = false;

    for (uint8_t from = SIM_SLOTS - 1; from > 0; from--) {
        for (uint8_t to = 0; to < from; to++) {
            if (!relabel(s, from, to))
                continue;
            changed = true;
            break;
        }
    }
    return changed;
}

static bool shrink_header(struct bed_shrink *s)
{
    bool changed = bed_shrink_number(s, 2, 2, 0, 0xffff);

    for (unsigned bit = 0; bit < 16; bit++)
        changed = bed_shrink_number(s, 2, 2, bit, 1) || changed;
    for (size_t knob = 4; knob < SIM_HEADER; knob++)
        changed = bed_shrink_number(s, knob, 1, 0, 0xff) || changed;
    changed = bed_shrink_number(s, 1, 1, 0, 0xff) || changed;
    return bed_shrink_number(s, 0, 1, 0, 0xff) || changed;
}

/* ---- the raw bytes of LIT ---- */

/* Tries the op at `at`, whose raw bytes fill `held` bytes, with the `len` bytes of `lit` instead.
 */
static bool try_lit(struct bed_shrink *s, size_t at, size_t held, const uint8_t *lit, size_t len)
{
    size_t padded = (len + SIM_RECORD - 1) / SIM_RECORD * SIM_RECORD;
    size_t body = at + SIM_RECORD, after = body + held;

    if (after > s->len)
        after = s->len;
    if (body + padded + (s->len - after) > s->capacity)
        return false;
    memcpy(s->candidate, s->best, body);
    s->candidate[at + 2] = (uint8_t)len;
    s->candidate[at + 3] = (uint8_t)(len >> 8);
    memset(s->candidate + body, 0, padded);
    memcpy(s->candidate + body, lit, len);
    memcpy(s->candidate + body + padded, s->best + after, s->len - after);
    return bed_shrink_try(s, body + padded + (s->len - after));
}

static bool shrink_lit(struct bed_shrink *s, size_t index)
{
    struct sim_op op;
    size_t at;
    bool changed = false;

    if (!op_at(s, index, &op, &at) || op.opcode != SIM_OP_LIT || op.lit.len == 0)
        return false;
    uint8_t *shorter = bed_take(op.lit.len);
    for (size_t run = op.lit.len; run > 0; run /= 2) {
        for (size_t end = op.lit.len; end > 0;) {
            size_t first = end > run ? end - run : 0;
            size_t held = (op.lit.len + SIM_RECORD - 1) / SIM_RECORD * SIM_RECORD;
            memcpy(shorter, op.lit.data, first);
            memcpy(shorter + first, op.lit.data + end, op.lit.len - end);
            if (try_lit(s, at, held, shorter, op.lit.len - (end - first))) {
                changed = true;
                if (!op_at(s, index, &op, &at))
                    break;
            }
            end = first;
        }
    }
    free(shorter);
    if (op_at(s, index, &op, &at) && op.lit.len > 0) {
        size_t begin = (size_t)(op.lit.data - s->best);
        changed = bed_shrink_plain(s, begin, begin + op.lit.len) || changed;
    }
    return changed;
}

static bool shrink_lits(struct bed_shrink *s)
{
    struct sim_op op;
    size_t at;
    bool changed = false;

    for (size_t i = 0; op_at(s, i, &op, &at); i++)
        changed = shrink_lit(s, i) || changed;
    return changed;
}

/* A short header or record means zeros: with them written out, every field has its place. */
static void fill_up(struct bed_shrink *s)
{
    size_t whole =
        s->len < SIM_HEADER ? SIM_HEADER : (s->len + SIM_RECORD - 1) / SIM_RECORD * SIM_RECORD;

    bed_shrink_copy(s);
    memset(s->candidate + s->len, 0, whole - s->len);
    (void)bed_shrink_try(s, whole);
}

bool bed_shrink_scenario(struct bed_shrink *s)
{
    fill_up(s);
    bool changed = bed_shrink_pieces(s, SIM_HEADER, cut_ops);
    changed = shrink_fields(s) || changed;
    changed = shrink_slots(s) || changed;
    changed = shrink_header(s) || changed;
    return shrink_lits(s) || changed;
}
