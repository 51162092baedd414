/*
 * corpus_gate.c: the promises of entries and of corpora.
 */
#include "targets/driver/corpus_gate.h"

#include "core/base/buf.h"
#include "sim/text.h"

#include <stdlib.h>
#include <string.h>

#define GATE_TEXT_MAX  ((size_t)256 << 20)
#define GATE_KINDS_MAX 32 /* longer lists name places and are no kinds of anything */

static enum wb_err show(const struct fuzz_target *target, struct wb_view bytes, struct wb_buf *text)
{
    return target->kind == FUZZ_WIRE ? sim_hex_show_lines(bytes, text)
                                     : sim_text_show(target->ops, bytes, text);
}

static enum wb_err parse(const struct fuzz_target *target, struct wb_view text,
                         struct wb_buf *bytes, struct sim_text_error *error)
{
    return target->kind == FUZZ_WIRE ? sim_hex_parse(text, bytes, error)
                                     : sim_text_asm(target->ops, text, bytes, error);
}

/* Equal, but for zeros behind what a scenario's header and records are filled up with. */
static bool is_filled_up(const struct fuzz_target *target, struct wb_view bytes,
                         struct wb_view again)
{
    size_t records = bytes.len > SIM_HEADER ? bytes.len - SIM_HEADER : 0;
    size_t whole = SIM_HEADER + (records + SIM_RECORD - 1) / SIM_RECORD * SIM_RECORD;

    if (target->kind == FUZZ_WIRE)
        return wb_view_equal(bytes, again);
    if (again.len < bytes.len || again.len > whole ||
        !wb_view_equal(bytes, wb_view_sub(again, 0, bytes.len)))
        return false;
    for (size_t i = bytes.len; i < again.len; i++) {
        if (again.data[i] != 0)
            return false;
    }
    return true;
}

bool corpus_gate_prints(const struct corpus_file *file, FILE *out)
{
    struct wb_view bytes = wb_view_of(file->bytes, file->len);
    struct wb_buf text, again, twice;
    struct sim_text_error error = {0};

    wb_buf_init(&text, wb_mem_libc(), GATE_TEXT_MAX);
    wb_buf_init(&again, wb_mem_libc(), GATE_TEXT_MAX);
    wb_buf_init(&twice, wb_mem_libc(), GATE_TEXT_MAX);
    enum wb_err err = show(file->target, bytes, &text);
    if (err == WB_OK)
        err = parse(file->target, wb_buf_view(&text), &again, &error);
    if (err == WB_OK)
        err = show(file->target, wb_buf_view(&again), &twice);
    bool ok = err == WB_OK;
    if (!ok)
        fprintf(out, "%s: what it prints as cannot be read: line %u, %s\n", file->path, error.line,
                err == WB_E_VALUE ? error.rule : wb_err_text((int)err));
    if (ok && !is_filled_up(file->target, bytes, wb_buf_view(&again))) {
        fprintf(out, "%s: what it prints as is another input\n", file->path);
        ok = false;
    }
    if (ok && !wb_view_equal(wb_buf_view(&text), wb_buf_view(&twice))) {
        fprintf(out, "%s: what it prints as prints otherwise\n", file->path);
        ok = false;
    }
    wb_buf_fini(&text);
    wb_buf_fini(&again);
    wb_buf_fini(&twice);
    return ok;
}

bool corpus_gate_is_lively(uint64_t live, uint64_t dead)
{
    return dead == 0 || dead < live;
}

bool corpus_gate_lives(const struct corpus_file *file, const struct replay_verdict *runs, FILE *out)
{
    bool ok = corpus_gate_is_lively(runs->ops_live, runs->ops_dead);

    if (!ok)
        fprintf(out, "%s: %llu of its %llu ops find nothing to do\n", file->path,
                (unsigned long long)runs->ops_dead,
                (unsigned long long)(runs->ops_dead + runs->ops_live));
    return ok;
}

void corpus_gate_add(struct corpus_sum *sum, const struct corpus_file *file,
                     const struct replay_verdict *runs)
{
    replay_add(&sum->runs, runs);
    if (file->target->kind == FUZZ_SCENARIO)
        sum->swarm |= sim_scenario_of(wb_view_of(file->bytes, file->len)).header.swarm;
}

bool corpus_gate_marks(const struct fuzz_target *target, const struct corpus_sum *sum,
                       const char *where, FILE *out)
{
    bool ok = true;

    for (size_t i = 0; target->marks != NULL && target->marks[i] != NULL; i++) {
        if (sum->runs.marks[i] > 0)
            continue;
        fprintf(out, "%s: no file reaches the mark `%s'\n", where, target->marks[i]);
        ok = false;
    }
    return ok;
}

bool corpus_gate_ops(const struct fuzz_target *target, const struct corpus_sum *sum,
                     const char *where, FILE *out)
{
    bool ok = true;

    for (size_t i = 0; target->ops != NULL && i < target->ops->count; i++) {
        const struct sim_op_desc *op = &target->ops->ops[i];
        if (sum->runs.op_counts[op->opcode] > 0)
            continue;
        fprintf(out, "%s: in no file the op `%s' does something\n", where, op->name);
        ok = false;
    }
    return ok;
}

/* Ops that share a list of names share what they said of it: the first of them answers for all. */
static bool is_first(const struct sim_ops *ops, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (ops->ops[k].choices == ops->ops[i].choices)
            return false;
    }
    return true;
}

static uint64_t said(const struct sim_ops *ops, const struct corpus_sum *sum,
                     const char *const *choices, size_t choice)
{
    uint64_t count = 0;

    for (size_t i = 0; i < ops->count; i++) {
        if (ops->ops[i].choices == choices)
            count += sum->runs.choice_counts[ops->ops[i].opcode][choice];
    }
    return count;
}

bool corpus_gate_choices(const struct fuzz_target *target, const struct corpus_sum *sum,
                         const char *where, FILE *out)
{
    bool ok = true;

    for (size_t i = 0; target->ops != NULL && i < target->ops->count; i++) {
        const struct sim_op_desc *op = &target->ops->ops[i];
        size_t names = 0;
        if (op->arg != SIM_ARG_CHOICE || op->choices == NULL || !is_first(target->ops, i))
            continue;
        while (op->choices[names] != NULL)
            names++;
        for (size_t k = 0; names <= GATE_KINDS_MAX && k < names; k++) {
            if (said(target->ops, sum, op->choices, k) > 0)
                continue;
            fprintf(out, "%s: in no file `%s %s=%s' does something\n", where, op->name,
                    op->arg_name, op->choices[k]);
            ok = false;
        }
    }
    return ok;
}

bool corpus_gate_swarm(const struct fuzz_target *target, const struct corpus_sum *sum,
                       const char *where, FILE *out)
{
    bool ok = true;

    for (size_t i = 0; target->ops != NULL && target->ops->classes[i] != NULL; i++) {
        if (sum->swarm >> i & 1)
            continue;
        fprintf(out, "%s: no file switches the class `%s' off\n", where, target->ops->classes[i]);
        ok = false;
    }
    return ok;
}

/* Whose words say that it has an allocation refused. */
static const struct sim_op_desc *refuser(const struct sim_ops *ops)
{
    for (size_t i = 0; i < ops->count; i++) {
        if (strcmp(ops->ops[i].name, "fail") == 0 || strcmp(ops->ops[i].name, "refuse") == 0)
            return &ops->ops[i];
    }
    return NULL;
}

bool corpus_gate_refused(const struct fuzz_target *target, const struct corpus_sum *sum,
                         const char *where, FILE *out)
{
    const struct sim_op_desc *op = target->ops == NULL ? NULL : refuser(target->ops);

    if (sum->runs.requests == 0)
        return true; /* nothing is asked for that could be refused */
    if (op == NULL || sum->runs.refused > 0)
        return true;
    fprintf(out, "%s: in no file `%s' has memory refused\n", where, op->name);
    return false;
}
