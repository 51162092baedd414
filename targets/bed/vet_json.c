/*
 * vet_json.c: what a vet found, for machines. ci/vet/README.md has the form.
 */
#include "targets/bed/vet_parts.h"

#include "core/base/wire.h"

#include <string.h>

#define FORM 2

/* Bytes that are no text come as one character each. */
static void put_text(struct wb_view text, FILE *out)
{
    bool is_text = wb_utf8_is_valid(text);

    fputc('"', out);
    for (size_t i = 0; i < text.len; i++) {
        uint8_t byte = text.data[i];
        if (byte == '"' || byte == '\\')
            fprintf(out, "\\%c", byte);
        else if (byte == '\n')
            fputs("\\n", out);
        else if (byte < 0x20 || byte == 0x7f || (byte > 0x7f && !is_text))
            fprintf(out, "\\u%04x", byte);
        else
            fputc(byte, out);
    }
    fputc('"', out);
}

/* A member, with a comma behind it. */
static void put_named(const char *name, const char *text, FILE *out)
{
    fprintf(out, "\"%s\":", name);
    put_text(wb_view_text(text != NULL ? text : ""), out);
    fputc(',', out);
}

static void put_number(const char *name, uint64_t value, FILE *out)
{
    fprintf(out, "\"%s\":%llu,", name, (unsigned long long)value);
}

/* Lines as a list of texts. */
static void put_lines(struct wb_view text, FILE *out)
{
    fputc('[', out);
    for (bool is_first = true; text.len > 0; is_first = false) {
        const uint8_t *end = memchr(text.data, '\n', text.len);
        size_t len = end != NULL ? (size_t)(end - text.data) : text.len;
        fputs(is_first ? "" : ",", out);
        put_text(wb_view_sub(text, 0, len), out);
        text = wb_view_sub(text, end != NULL ? len + 1 : len, text.len);
    }
    fputc(']', out);
}

static void put_targets(const struct vet *v, FILE *out)
{
    fputs("\"targets\":[", out);
    for (size_t i = 0; i < v->target_count; i++) {
        const struct vet_target *t = &v->targets[i];
        fprintf(out, "%s\n{", i > 0 ? "," : "");
        put_named("name", t->target->name, out);
        fprintf(out, "\"loose\":%s,", t->is_loose ? "true" : "false");
        put_number("runs", t->runs, out);
        put_number("alike", t->alike, out);
        put_number("failing", t->failing, out);
        put_number("timeouts", t->timeouts, out);
        put_number("costed", t->costed, out);
        fputs("\"cost\":{", out);
        for (size_t c = 0; c < VET_COSTS; c++)
            fprintf(out, "%s\"%s\":[%llu,%llu]", c > 0 ? "," : "", vet_cost_word((enum vet_cost)c),
                    (unsigned long long)t->cost[VET_OLD][c],
                    (unsigned long long)t->cost[VET_NEW][c]);
        fputs("}}", out);
    }
    fputs("],\n", out);
}

/* ---- differences ---- */

static const char *const kinds[] = {
    [VET_ALIKE] = "alike",
    [VET_BOTH_FAIL] = "fails",
    [VET_NEWLY_FAILS] = "newly-fails",
    [VET_NEWLY_HOLDS] = "newly-holds",
    [VET_FAILS_OTHERWISE] = "fails-otherwise",
    [VET_OUTCOME] = "outcome",
    [VET_STORY] = "story",
    [VET_TRACE] = "trace",
    [VET_JOINED] = "joined",
    [VET_MORE] = "more",
    [VET_LESS] = "less",
};

static void put_part(struct vet *v, const struct vet_group *group, FILE *out)
{
    struct wb_buf text = bed_buf(), again = bed_buf(), steps[VET_SIDES] = {bed_buf(), bed_buf()};
    struct vet_part part = {0};

    if (group->count > 0) {
        vet_tell_again(v, group, &again);
        bed_text_input(v->targets[group->target].target,
                       wb_view_of(group->witness.bytes, group->witness.len), &text);
        vet_tell_steps(v, group, steps);
        vet_part_find(wb_buf_view(&steps[VET_OLD]), wb_buf_view(&steps[VET_NEW]), &part);
    }
    fputs("\"witness\":", out);
    put_text(wb_buf_view(&text), out);
    fputc(',', out);
    put_named("from", group->witness.from, out);
    fputs("\"again\":", out);
    put_text(wb_buf_view(&again), out);
    fputc(',', out);
    put_number("line", part.line, out);
    fputs("\"before\":", out);
    put_text(part.before, out);
    fputs(",\"old\":", out);
    put_text(part.side[VET_OLD], out);
    fputs(",\"new\":", out);
    put_text(part.side[VET_NEW], out);
    fputc(',', out);
    wb_buf_fini(&again);
    wb_buf_fini(&text);
    for (int s = 0; s < VET_SIDES; s++)
        wb_buf_fini(&steps[s]);
}

static void put_cost(const struct vet *v, const struct vet_group *group, FILE *out)
{
    const struct vet_target *t = &v->targets[group->target];
    bool is_cost = group->kind == VET_MORE || group->kind == VET_LESS;
    size_t c = is_cost ? vet_cost_of(group) : VET_COSTS;

    if (c == VET_COSTS)
        fputs("\"cost\":null", out);
    else
        fprintf(out, "\"cost\":[%llu,%llu,%llu]", (unsigned long long)t->moved_cost[VET_OLD][c],
                (unsigned long long)t->moved_cost[VET_NEW][c], (unsigned long long)t->moved[c]);
}

static void put_differences(struct vet *v, FILE *out)
{
    fputs("\"differences\":[", out);
    for (size_t i = 0; i < v->group_count; i++) {
        const struct vet_group *group = &v->groups[i];
        bool is_cost = group->kind == VET_MORE || group->kind == VET_LESS;
        fprintf(out, "%s\n{", i > 0 ? "," : "");
        put_named("id", group->id, out);
        put_named("target", v->targets[group->target].target->name, out);
        put_named("kind", kinds[group->kind], out);
        put_named("state", vet_state_word(group), out);
        put_named("sentence", is_cost ? NULL : vet_sentence(v, group), out);
        fputs("\"requirements\":[", out);
        for (size_t k = 0; k < group->require_count; k++)
            fprintf(out, "%s\"%s\"", k > 0 ? "," : "", group->requires[k] -> id);
        fputs("],", out);
        put_number("inputs", group->count, out);
        fputs("\"paths\":[", out);
        for (size_t k = 0; k < group->path_count; k++) {
            fputs(k > 0 ? "," : "", out);
            put_text(wb_view_text(group->paths[k]), out);
        }
        fputs("],", out);
        put_part(v, group, out);
        put_cost(v, group, out);
        fputc('}', out);
    }
    fputs("],\n", out);
}

static void put_requirements(const struct vet *v, FILE *out)
{
    bool has_one = false;

    fputs("\"requirements\":[", out);
    for (size_t r = 0; r < v->requires.count; r++) {
        const struct require *at = &v->requires.at[r];
        bool is_open = false;
        for (size_t i = 0; i < v->group_count; i++)
            for (size_t k = 0; k < v->groups[i].require_count; k++) {
                if (v->groups[i].requires[k] != at)
                    continue;
                if (!is_open) {
                    fputs(has_one ? ",\n{" : "\n{", out);
                    put_named("id", at->id, out);
                    put_named("level", at->level, out);
                    put_named("statement", at->text, out);
                    fputs("\"differences\":[", out);
                }
                fputs(is_open ? "," : "", out);
                put_text(wb_view_text(v->groups[i].id), out);
                is_open = has_one = true;
            }
        fputs(is_open ? "]}" : "", out);
    }
    fputs("],\n", out);
}

/* ---- what stands beside them ---- */

static void put_bench(const struct vet *v, FILE *out)
{
    fputs("\"bench\":[", out);
    for (size_t i = 0; i < v->figure_count; i++) {
        const struct vet_figure *f = &v->figures[i];
        bool is_same =
            f->value[VET_OLD] <= f->value[VET_NEW] && f->value[VET_OLD] >= f->value[VET_NEW];
        fprintf(out, "%s\n{", i > 0 ? "," : "");
        put_named("case", f->name, out);
        put_named("metric", f->metric, out);
        put_named("unit", f->unit, out);
        fprintf(out, "\"old\":%.10g,\"new\":%.10g,\"state\":\"%s\"}", f->value[VET_OLD],
                f->value[VET_NEW],
                f->kind != VET_ALIKE ? kinds[f->kind]
                : is_same            ? "same"
                                     : "within");
    }
    fputs("],\n\"times\":[", out);
    for (size_t i = 0; i < v->time_count; i++) {
        const struct vet_time *t = &v->times[i];
        fprintf(out, "%s\n{", i > 0 ? "," : "");
        put_named("case", t->name, out);
        put_number("rounds", t->rounds, out);
        put_number("old", t->median[VET_OLD], out);
        put_number("new", t->median[VET_NEW], out);
        put_number("old_least", t->least[VET_OLD], out);
        put_number("old_most", t->most[VET_OLD], out);
        put_number("new_least", t->least[VET_NEW], out);
        put_number("new_most", t->most[VET_NEW], out);
        fprintf(out, "\"state\":\"%s\"}",
                t->kind == VET_MORE   ? "slower"
                : t->kind == VET_LESS ? "faster"
                                      : "same");
    }
    fputs("],\n", out);
}

static void put_joint(struct vet *v, const struct vet_joint *j, FILE *out)
{
    struct wb_buf steps[VET_SIDES] = {bed_buf(), bed_buf()};
    struct vet_part part = {0};
    bool has_one = j->not_run == NULL && j->parts > 0 && j->first < v->input_count;

    if (has_one) {
        struct vet_group group = {.target = v->inputs[j->first].target,
                                  .kind = VET_JOINED,
                                  .witness = v->inputs[j->first],
                                  .writer = j->writer};
        vet_joint_steps(v, &group, steps);
        vet_part_find(wb_buf_view(&steps[VET_OLD]), wb_buf_view(&steps[VET_NEW]), &part);
    }
    put_named("protocol", j->protocol, out);
    put_named("writer", j->writer == VET_OLD ? "old" : "new", out);
    put_named("reader", j->writer == VET_OLD ? "new" : "old", out);
    put_number("runs", j->runs, out);
    put_number("parting", j->parts, out);
    put_named("status",
              j->not_run != NULL ? "not run"
              : j->parts > 0     ? "parts"
                                 : "compatible",
              out);
    put_named("why", j->not_run, out);
    put_named("path", has_one ? v->inputs[j->first].from : NULL, out);
    put_number("line", part.line, out);
    fputs("\"own\":", out);
    put_text(part.side[VET_OLD], out);
    fputs(",\"other\":", out);
    put_text(part.side[VET_NEW], out);
    for (int s = 0; s < VET_SIDES; s++)
        wb_buf_fini(&steps[s]);
}

static void put_lists(struct vet *v, FILE *out)
{
    fputs("\"lost\":[", out);
    for (size_t i = 0; i < v->lost_count; i++) {
        fprintf(out, "%s\n{", i > 0 ? "," : "");
        put_named("path", v->lost[i].path, out);
        fputs("\"what\":", out);
        put_text(wb_view_text(v->lost[i].what), out);
        fputc('}', out);
    }
    fputs("],\n\"joint\":[", out);
    for (size_t i = 0; i < v->joint_count; i++) {
        fprintf(out, "%s\n{", i > 0 ? "," : "");
        put_joint(v, &v->joints[i], out);
        fputc('}', out);
    }
    fputs("],\n\"coverage\":{", out);
    put_number("old", v->functions[VET_OLD], out);
    put_number("new", v->functions[VET_NEW], out);
    fputs("\"gained\":", out);
    put_lines(wb_buf_view(&v->coverage[VET_NEW]), out);
    fputs(",\"lost\":", out);
    put_lines(wb_buf_view(&v->coverage[VET_OLD]), out);
    fputs("},\n\"marks\":[", out);
    bool has_one = false;
    for (size_t t = 0; t < v->target_count; t++) {
        const struct vet_target *target = &v->targets[t];
        const char *const *names = target->target->marks;
        for (size_t i = 0; names != NULL && names[i] != NULL && i < SIM_MARKS_MAX; i++) {
            bool was = target->marks[VET_OLD][i / 64] >> i % 64 & 1;
            bool is = target->marks[VET_NEW][i / 64] >> i % 64 & 1;
            if (was == is || target->is_loose)
                continue;
            fputs(has_one ? ",{" : "{", out);
            put_named("target", target->target->name, out);
            put_named("mark", names[i], out);
            fprintf(out, "\"state\":\"%s\"}", is ? "newly reached" : "no longer reached");
            has_one = true;
        }
    }
    fputs("],\n", out);
}

void vet_json(struct vet *v, const struct vet_sums *s, FILE *out)
{
    fprintf(out, "{\"form\":%d,", FORM);
    put_named("base", v->base, out);
    put_named("revision", v->revision, out);
    put_named("head", v->head, out);
    put_named("old", v->paths[VET_OLD], out);
    put_named("new", v->paths[VET_NEW], out);
    put_number("status", (uint64_t)s->status, out);
    put_number("inputs", s->runs, out);
    put_number("alike", s->alike, out);
    put_number("corpus", v->input_count, out);
    put_number("fuzz_runs", v->fuzz_runs, out);
    put_number("unreviewed", s->unreviewed, out);
    put_number("reviewed", s->reviewed, out);
    put_number("cheaper", s->cheaper, out);
    put_number("broken", s->both, out);
    fputc('\n', out);
    put_targets(v, out);
    put_differences(v, out);
    put_requirements(v, out);
    put_bench(v, out);
    put_lists(v, out);
    fputs("\"no_longer\":[", out);
    bool has_one = false;
    for (size_t i = 0; i < v->expected_count; i++) {
        if (v->expected[i].has_occurred)
            continue;
        fputs(has_one ? "," : "", out);
        put_text(wb_view_text(v->expected[i].id), out);
        has_one = true;
    }
    fputs("],\n\"notes\":", out);
    put_lines(wb_buf_view(&v->notes), out);
    fputs("}\n", out);
}
