#include "sim/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct text_asm {
    const struct sim_ops *ops;
    struct wb_view in;
    unsigned line;
    struct wb_buf *out;
    size_t begin;    /* out->len before the header */
    unsigned stated; /* bits of header lines seen; ASM_OPS once an op came */
    struct sim_text_error *error;
};

enum { ASM_VERSION = 1, ASM_PROFILE = 2, ASM_SWARM = 4, ASM_KNOB = 8, ASM_OPS = 128 };

static enum wb_err asm_fail(struct text_asm *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static enum wb_err asm_fail(struct text_asm *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(a->error->rule, sizeof(a->error->rule), format, args);
    va_end(args);
    a->error->line = a->line;
    return WB_E_VALUE;
}

static int asm_peek(const struct text_asm *a)
{
    return a->in.len > 0 ? a->in.data[0] : -1;
}

static void asm_step(struct text_asm *a, size_t n)
{
    a->in.data += n;
    a->in.len -= n;
}

static void asm_skip_blanks(struct text_asm *a)
{
    while (asm_peek(a) == ' ' || asm_peek(a) == '\t' || asm_peek(a) == '\r')
        asm_step(a, 1);
}

static bool asm_is_word(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

/* The word at the cursor, possibly empty; does not move. */
static struct wb_view asm_word(const struct text_asm *a)
{
    size_t n = 0;
    while (n < a->in.len && asm_is_word(a->in.data[n]))
        n++;
    return (struct wb_view){a->in.data, n};
}

static bool asm_word_is(struct wb_view word, const char *text)
{
    return wb_view_equal(word, wb_view_text(text));
}

/* For messages: a word's length, cut to what fits. */
static int asm_shown(struct wb_view word)
{
    return word.len < 40 ? (int)word.len : 40;
}

static bool asm_at_end(const struct text_asm *a)
{
    int c = asm_peek(a);
    return c < 0 || c == '\n' || c == ';' || c == '#';
}

static bool asm_parse_number(struct wb_view word, uint32_t *out)
{
    bool is_hex = word.len > 2 && word.data[0] == '0' && word.data[1] == 'x';
    uint64_t value = 0;
    if (word.len == 0)
        return false;
    for (size_t i = is_hex ? 2 : 0; i < word.len; i++) {
        int c = word.data[i], digit = 99;
        if (c >= '0' && c <= '9')
            digit = c - '0';
        else if (is_hex && c >= 'a' && c <= 'f')
            digit = c - 'a' + 10;
        else if (is_hex && c >= 'A' && c <= 'F')
            digit = c - 'A' + 10;
        if (digit == 99)
            return false;
        value = value * (is_hex ? 16 : 10) + (uint64_t)digit;
        if (value > UINT32_MAX)
            return false;
    }
    *out = (uint32_t)value;
    return true;
}

/* A number of at most `max` at the cursor. */
static enum wb_err asm_number(struct text_asm *a, const char *what, uint32_t max, uint32_t *out)
{
    asm_skip_blanks(a);
    struct wb_view word = asm_word(a);
    if (!asm_parse_number(word, out) || *out > max)
        return asm_fail(a, "%.40s: `%.*s' is no number up to %u", what, asm_shown(word),
                        (const char *)word.data, max);
    asm_step(a, word.len);
    return WB_OK;
}

/* The place of `word` in a NULL-terminated list of at most `max` names that may hold gaps up to
 * `max`, or -1. */
static int asm_index(const char *const *names, int max, bool has_gaps, struct wb_view word)
{
    for (int i = 0; names != NULL && i < max && (has_gaps || names[i] != NULL); i++) {
        if (names[i] != NULL && asm_word_is(word, names[i]))
            return i;
    }
    return -1;
}

static enum wb_err asm_swarm(struct text_asm *a)
{
    uint32_t mask = 0;
    for (;;) {
        asm_skip_blanks(a);
        struct wb_view word = asm_word(a);
        int i = asm_index(a->ops != NULL ? a->ops->classes : NULL, 16, false, word);
        uint32_t bits = 0;
        if (i >= 0)
            bits = 1u << i;
        else if (!asm_parse_number(word, &bits) || bits > UINT16_MAX)
            return asm_fail(a, "swarm: `%.*s' is no class of ops and no mask of 16 bits",
                            asm_shown(word), (const char *)word.data);
        mask |= bits;
        asm_step(a, word.len);
        asm_skip_blanks(a);
        if (asm_peek(a) != ',')
            break;
        asm_step(a, 1);
    }
    a->out->data[a->begin + 2] = (uint8_t)(mask & 0xff);
    a->out->data[a->begin + 3] = (uint8_t)(mask >> 8);
    return WB_OK;
}

static enum wb_err asm_knob(struct text_asm *a)
{
    uint32_t value = 0, number = 0;
    asm_skip_blanks(a);
    struct wb_view word = asm_word(a);
    int i = asm_index(a->ops != NULL ? a->ops->knobs : NULL, 4, true, word);
    if (i < 0 && asm_parse_number(word, &number) && number < 4)
        i = (int)number;
    if (i < 0)
        return asm_fail(a, "`%.*s' is no knob, by name or as 0 to 3", asm_shown(word),
                        (const char *)word.data);
    asm_step(a, word.len);
    if ((a->stated & (unsigned)(ASM_KNOB << i)) != 0)
        return asm_fail(a, "a knob is set twice");
    a->stated |= (unsigned)(ASM_KNOB << i);
    WB_TRY(asm_number(a, "knob", UINT8_MAX, &value));
    a->out->data[a->begin + 4 + (size_t)i] = (uint8_t)value;
    return WB_OK;
}

/* Version, profile, swarm, knob. *out_is tells whether it was one; its word is at the cursor. */
static enum wb_err asm_header(struct text_asm *a, struct wb_view word, bool *out_is)
{
    static const struct {
        const char *name;
        unsigned bit;
    } lines[] = {
        {"version", ASM_VERSION}, {"profile", ASM_PROFILE}, {"swarm", ASM_SWARM}, {"knob", 0}};
    uint32_t value = 0;
    size_t i = 0;
    while (i < 4 && !asm_word_is(word, lines[i].name))
        i++;
    *out_is = i < 4;
    if (i == 4)
        return WB_OK;
    if ((a->stated & ASM_OPS) != 0)
        return asm_fail(a, "%s: header lines come before the first op", lines[i].name);
    if ((a->stated & lines[i].bit) != 0)
        return asm_fail(a, "%s is stated twice", lines[i].name);
    a->stated |= lines[i].bit;
    asm_step(a, word.len);
    if (i == 2)
        return asm_swarm(a);
    if (i == 3)
        return asm_knob(a);
    WB_TRY(asm_number(a, lines[i].name, UINT8_MAX, &value));
    a->out->data[a->begin + i] = (uint8_t)value;
    return WB_OK;
}

static enum wb_err asm_raw(struct text_asm *a)
{
    size_t before = a->out->len;
    WB_TRY(sim_hex_parse_line(&a->in, a->line, a->out, a->error));
    size_t len = a->out->len - before;
    if (len != SIM_FIELDS && len != SIM_RECORD)
        return asm_fail(a, "raw takes %d bytes, not %zu", SIM_RECORD, len);
    for (; len < SIM_RECORD; len++)
        WB_TRY(wb_buf_add_u8(a->out, 0));
    return WB_OK;
}

/* The values of an op while its line is read. */
struct asm_op {
    const struct sim_op_desc *desc;
    uint32_t slot, arg, flags, ext;
    unsigned stated; /* 1 slot, 2 arg, 4 flags, 8 ext */
};

static enum wb_err asm_slot(struct text_asm *a, struct asm_op *op, struct wb_view word)
{
    uint32_t slot = 0;
    if (!op->desc->uses_slot)
        return asm_fail(a, "%.40s takes no slot", op->desc->name);
    if (!asm_parse_number(wb_view_sub(word, 1, word.len), &slot) || slot >= SIM_SLOTS)
        return asm_fail(a, "slots are s0 to s%d", SIM_SLOTS - 1);
    if ((op->stated & 1) != 0)
        return asm_fail(a, "%.40s has two slots", op->desc->name);
    op->stated |= 1;
    op->slot = slot;
    asm_step(a, word.len);
    return WB_OK;
}

/* name=value, the name being `word` at the cursor. */
static enum wb_err asm_field(struct text_asm *a, struct asm_op *op, struct wb_view word)
{
    const struct sim_op_desc *d = op->desc;
    const struct {
        enum sim_arg_kind kind;
        const char *name;
        uint32_t max;
        uint32_t *value;
    } fields[] = {{d->opcode == SIM_OP_LIT ? SIM_ARG_NONE : d->arg, d->arg_name, 0xffff, &op->arg},
                  {d->flags, d->flags_name, 0xf, &op->flags},
                  {d->ext, d->ext_name, 0xffffff, &op->ext}};
    for (size_t i = 0; i < 3; i++) {
        unsigned bit = 2u << i;
        if (fields[i].kind == SIM_ARG_NONE || !asm_word_is(word, fields[i].name))
            continue;
        if ((op->stated & bit) != 0)
            return asm_fail(a, "%.40s is given twice", fields[i].name);
        op->stated |= bit;
        asm_step(a, word.len + 1);
        struct wb_view value = asm_word(a);
        int choice = fields[i].kind == SIM_ARG_CHOICE
                         ? asm_index(d->choices, (int)fields[i].max + 1, false, value)
                         : -1;
        if (choice < 0)
            return asm_number(a, fields[i].name, fields[i].max, fields[i].value);
        *fields[i].value = (uint32_t)choice;
        asm_step(a, value.len);
        return WB_OK;
    }
    return asm_fail(a, "%.40s has no `%.*s'", d->name, asm_shown(word), (const char *)word.data);
}

static enum wb_err asm_record(struct text_asm *a, uint8_t opcode, uint32_t second, uint32_t third,
                              uint32_t fourth)
{
    uint8_t r[SIM_RECORD] = {opcode, (uint8_t)second, (uint8_t)third, (uint8_t)fourth};
    return wb_buf_add(a->out, wb_view_of(r, sizeof(r)));
}

/* The bytes of a LIT behind its record, whose length they give. */
static enum wb_err asm_lit(struct text_asm *a)
{
    size_t record = a->out->len - SIM_RECORD, begin = a->out->len;
    WB_TRY(sim_hex_parse_line(&a->in, a->line, a->out, a->error));
    size_t len = a->out->len - begin;
    if (len > UINT16_MAX)
        return asm_fail(a, "%zu raw bytes in one op; at most %u", len, (unsigned)UINT16_MAX);
    a->out->data[record + 2] = (uint8_t)(len & 0xff);
    a->out->data[record + 3] = (uint8_t)(len >> 8);
    for (; len % SIM_RECORD != 0; len++)
        WB_TRY(wb_buf_add_u8(a->out, 0));
    return WB_OK;
}

static enum wb_err asm_op(struct text_asm *a, const struct sim_op_desc *desc)
{
    struct asm_op op = {.desc = desc};
    for (;;) {
        asm_skip_blanks(a);
        if (asm_at_end(a))
            break;
        struct wb_view word = asm_word(a);
        bool is_field = word.len > 0 && word.len < a->in.len && word.data[word.len] == '=';
        if (is_field)
            WB_TRY(asm_field(a, &op, word));
        else if (word.len > 1 && word.data[0] == 's')
            WB_TRY(asm_slot(a, &op, word));
        else if (desc->opcode == SIM_OP_LIT)
            break;
        else
            return asm_fail(a, "%.40s: `%.*s' is no slot and no name=value", desc->name,
                            asm_shown(word), (const char *)word.data);
    }
    if (op.ext != 0)
        WB_TRY(asm_record(a, SIM_OP_EXT, op.ext & 0xff, op.ext >> 8 & 0xff, op.ext >> 16));
    WB_TRY(asm_record(a, desc->opcode, op.slot | op.flags << 4, op.arg & 0xff, op.arg >> 8));
    return desc->opcode == SIM_OP_LIT ? asm_lit(a) : WB_OK;
}

static enum wb_err asm_statement(struct text_asm *a)
{
    struct wb_view word = asm_word(a);
    bool is_header = false;
    if (word.len == 0)
        return asm_fail(a, "a line begins with a word or #");
    WB_TRY(asm_header(a, word, &is_header));
    if (is_header)
        return WB_OK;
    a->stated |= ASM_OPS;
    asm_step(a, word.len);
    if (asm_word_is(word, "raw"))
        return asm_raw(a);
    if (asm_word_is(word, "nop"))
        return asm_record(a, SIM_OP_NOP, 0, 0, 0);
    const struct sim_op_desc *desc = a->ops != NULL ? sim_ops_find_name(a->ops, word) : NULL;
    bool is_own_lit = desc == NULL && a->ops != NULL && asm_word_is(word, sim_text_lit.name) &&
                      sim_ops_find(a->ops, SIM_OP_LIT) == NULL;
    if (is_own_lit)
        desc = &sim_text_lit;
    if (desc == NULL)
        return asm_fail(a, "`%.*s' is no op", asm_shown(word), (const char *)word.data);
    return asm_op(a, desc);
}

/* What would not be run is refused, not cut. */
static enum wb_err asm_fits(struct text_asm *a)
{
    struct wb_view bytes = wb_view_sub(wb_buf_view(a->out), a->begin, a->out->len);
    if (sim_scenario_run(bytes).len < bytes.len)
        return asm_fail(a, "%zu records, raw bytes included; at most %u are run",
                        (bytes.len - SIM_HEADER) / SIM_RECORD, (unsigned)SIM_RECORDS_MAX);
    return WB_OK;
}

static enum wb_err asm_all(struct text_asm *a)
{
    static const uint8_t header[SIM_HEADER];
    WB_TRY(wb_buf_add(a->out, wb_view_of(header, sizeof(header))));
    for (;;) {
        asm_skip_blanks(a);
        int c = asm_peek(a);
        if (c < 0)
            return asm_fits(a);
        if (c == '\n' || c == ';') {
            a->line += c == '\n';
            asm_step(a, 1);
        } else if (c == '#') {
            while (asm_peek(a) >= 0 && asm_peek(a) != '\n')
                asm_step(a, 1);
        } else {
            WB_TRY(asm_statement(a));
            asm_skip_blanks(a);
            if (!asm_at_end(a))
                return asm_fail(a, "something is left over at the end of the line");
        }
    }
}

enum wb_err sim_text_asm(const struct sim_ops *ops, struct wb_view text, struct wb_buf *out,
                         struct sim_text_error *out_error)
{
    struct text_asm a = {ops, text, 1, out, out->len, 0, out_error};
    *out_error = (struct sim_text_error){0};
    enum wb_err err = asm_all(&a);
    if (err != WB_OK)
        wb_buf_truncate(out, a.begin);
    return err;
}
