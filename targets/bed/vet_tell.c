/*
 * vet_tell.c: what a vet found, for people or machines.
 */
#include "targets/bed/vet_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* What nobody needs to review: it got cheaper, or was broken before. */
static bool is_harmless(const struct vet_group *group)
{
    return group->kind == VET_LESS || group->kind == VET_BOTH_FAIL;
}

static struct vet_sums sum_up(const struct vet *v)
{
    struct vet_sums s = {0};

    for (size_t t = 0; t < v->target_count; t++) {
        s.runs += v->targets[t].runs;
        s.alike += v->targets[t].alike;
        s.failing += v->targets[t].failing;
        s.unrun += v->targets[t].unrun;
    }
    for (size_t i = 0; i < v->group_count; i++) {
        const struct vet_group *group = &v->groups[i];
        s.reviewed += group->is_reviewed;
        s.cheaper += !group->is_reviewed && group->kind == VET_LESS;
        s.both += group->kind == VET_BOTH_FAIL;
        s.unreviewed += !group->is_reviewed && !is_harmless(group);
    }
    for (size_t i = 0; i < v->expected_count; i++)
        s.stale += !v->expected[i].has_occurred;
    for (size_t i = 0; i < v->time_count; i++)
        s.slower += v->does_time_matter && v->times[i].kind == VET_MORE;
    s.status = s.unreviewed + s.stale + s.slower + s.unrun > 0 ? BED_FOUND : BED_PASS;
    return s;
}

/* By the first requirement that a difference is about, those about none behind; then by target. */
static int by_requirement(const void *a, const void *b)
{
    const struct vet_group *x = a, *y = b;
    const struct require *r = x->require_count > 0 ? x->requires[0] : NULL;
    const struct require *q = y->require_count > 0 ? y->requires[0] : NULL;

    if (r != q)
        return q == NULL || (r != NULL && r < q) ? -1 : 1;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return strcmp(x->id, y->id);
}

const char *vet_state_word(const struct vet_group *group)
{
    if (group->is_reviewed)
        return "reviewed";
    if (group->kind == VET_BOTH_FAIL)
        return "on both sides";
    return group->kind == VET_LESS ? "cheaper" : "UNREVIEWED";
}

/* The place of a cost in the lists of its target, or VET_COSTS. */
size_t vet_cost_of(const struct vet_group *group)
{
    const char *word = strrchr(group->id, ':') + 1;
    size_t c = 0;
    if (strstr(group->id, ":bench/") != NULL)
        return VET_COSTS;
    while (c < VET_COSTS && strcmp(vet_cost_word((enum vet_cost)c), word) != 0)
        c++;
    return c;
}

const char *vet_sentence(const struct vet *v, const struct vet_group *group)
{
    const char *first = strchr(strchr(group->id, ':') + 1, ':') + 1;

    if (group->kind == VET_JOINED)
        return group->writer == VET_OLD ? "what the old side writes, the new one reads otherwise"
                                        : "what the new side writes, the old one reads otherwise";
    if (group->writer != VET_SIDES)
        first = strchr(first, ':') + 1;
    char id[VET_WORD_MAX];

    snprintf(id, sizeof(id), "%.*s", (int)strcspn(first, ":"), first);
    const char *sentence = v->side[VET_NEW]->sentence(id);
    return sentence != NULL ? sentence : v->side[VET_OLD]->sentence(id);
}

/* ---- for people ---- */

/* How many bench cases a group is about, and the one that moved most for its size. */
static void tell_figures(const struct vet *v, const struct vet_group *group)
{
    const struct vet_figure *most = NULL;
    size_t count = 0;

    for (size_t i = 0; i < v->figure_count; i++) {
        const struct vet_figure *f = &v->figures[i];
        if (!vet_bench_is_of(f, group))
            continue;
        count++;
        if (most == NULL ||
            f->value[VET_NEW] * most->value[VET_OLD] > most->value[VET_NEW] * f->value[VET_OLD])
            most = f;
    }
    if (most != NULL)
        printf("  in %zu bench cases; most in %s: %.10g %s, was %.10g\n", count, most->name,
               most->value[VET_NEW], most->unit, most->value[VET_OLD]);
}

/* What a frame that is copied now, and was not, costs more. */
static void tell_per_frame(const struct vet_target *t, size_t c)
{
    uint64_t was = t->cost[VET_OLD][VET_FRAMES_COPIED], is = t->cost[VET_NEW][VET_FRAMES_COPIED];
    uint64_t old = t->cost[VET_OLD][c], new = t->cost[VET_NEW][c];

    if (is > was && new > old && c < VET_FRAMES_COPIED)
        printf("  by %.4g for each of %llu frames that are copied now\n",
               (double)(new - old) / (double)(is - was), (unsigned long long)(is - was));
}

static void tell_cost(const struct vet *v, const struct vet_group *group)
{
    const struct vet_target *t = &v->targets[group->target];
    size_t c = vet_cost_of(group);

    if (strstr(group->id, ":bench/") != NULL) {
        tell_figures(v, group);
        return;
    }
    if (c == VET_COSTS) {
        puts("  over its corpus; see above");
        return;
    }
    uint64_t old = t->moved_cost[VET_OLD][c], new = t->moved_cost[VET_NEW][c];
    unsigned long long percent = old > 0 ? (old > new ? old - new : new - old) * 1000 / old : 0;
    struct vet_input most = vet_input_at(v, t->most_at[c]);
    printf("  %llu, was %llu", (unsigned long long)new, (unsigned long long)old);
    if (old > 0)
        printf(" (%s%llu.%llu %%)", new > old ? "+" : "-", percent / 10, percent % 10);
    printf(", in the %llu runs where it differs\n  %llu, was %llu, in all %llu that behave alike\n",
           (unsigned long long)t->moved[c], (unsigned long long)t->cost[VET_NEW][c],
           (unsigned long long)t->cost[VET_OLD][c], (unsigned long long)t->costed);
    printf("  by %llu in one of them, %s\n", (unsigned long long)t->most[c], most.from);
    vet_input_free(&most);
    tell_per_frame(t, c);
}

static void tell_part(const struct vet_group *group, struct wb_view old_text,
                      struct wb_view new_text)
{
    bool is_joined = group->kind == VET_JOINED;
    struct vet_part part;

    if (!vet_part_find(old_text, new_text, &part)) {
        puts("  line by line the two runs say the same");
        return;
    }
    printf("  the runs part at line %llu:\n", (unsigned long long)part.line);
    bed_finding_indented(part.before, stdout);
    for (int s = 0; s < VET_SIDES; s++) {
        const char *word = is_joined      ? (s == 0 ? "own reader  " : "other reader")
                           : s == VET_OLD ? "old"
                                          : "new";
        if (part.side[s].len == 0)
            printf("  %s  nothing more\n", word);
        else
            printf("  %s  %.*s\n", word, (int)part.side[s].len, (const char *)part.side[s].data);
    }
}

void vet_tell_steps(struct vet *v, const struct vet_group *group, struct wb_buf steps[VET_SIDES])
{
    if (group->kind == VET_JOINED)
        vet_joint_steps(v, group, steps);
    else
        vet_run(v, &group->witness, 1, steps);
}

void vet_tell_again(const struct vet *v, const struct vet_group *group, struct wb_buf *out)
{
    const struct vet_target *t = &v->targets[group->target];
    struct wb_buf text = bed_buf();
    char folder[1024], path[1024 + VET_ID_MAX + 8], name[VET_ID_MAX];

    snprintf(name, sizeof(name), "%s", group->id);
    for (char *p = name; *p != '\0'; p++)
        *p = *p == ':' ? '.' : isalnum((unsigned char)*p) || *p == '_' ? *p : '-';
    snprintf(folder, sizeof(folder), "%s/witness", v->state_dir);
    snprintf(path, sizeof(path), "%s/%s%s", folder, name, bed_text_ending(t->target));
    bed_buf_print(&text, "# Shows %s\n", group->id);
    bed_text_input(t->target, wb_view_of(group->witness.bytes, group->witness.len), &text);
    if (bed_mkdir(folder) && bed_write(path, wb_buf_view(&text), true))
        bed_buf_print(out, "%s vet --target %s%s%s --input %s %s %s", bed_program(),
                      t->target->name, t->is_loose ? " --loose " : "",
                      t->is_loose ? t->target->name : "", path, v->paths[VET_OLD],
                      v->paths[VET_NEW]);
    wb_buf_fini(&text);
}

static void tell_witness(struct vet *v, const struct vet_group *group)
{
    const struct vet_input *w = &group->witness;
    struct wb_buf text = bed_buf(), again = bed_buf(), steps[VET_SIDES] = {bed_buf(), bed_buf()};

    printf("  the witness, %zu bytes, %s %s:\n", w->len,
           group->is_least && group->kind != VET_JOINED ? "minimised from" : "not minimised,",
           w->from);
    bed_text_input(v->targets[group->target].target, wb_view_of(w->bytes, w->len), &text);
    bed_finding_indented(wb_buf_view(&text), stdout);
    vet_tell_steps(v, group, steps);
    if (group->kind != VET_BOTH_FAIL)
        tell_part(group, wb_buf_view(&steps[VET_OLD]), wb_buf_view(&steps[VET_NEW]));
    vet_tell_again(v, group, &again);
    printf("  again: %.*s\n", (int)again.len, (const char *)again.data);
    wb_buf_fini(&again);
    wb_buf_fini(&text);
    for (int s = 0; s < VET_SIDES; s++)
        wb_buf_fini(&steps[s]);
}

static void tell_group(struct vet *v, const struct vet_group *group)
{
    const char *sentence = vet_sentence(v, group);

    printf("\n%s %s\n", vet_state_word(group), group->id);
    for (size_t i = 1; i < group->require_count; i++)
        printf("%s%s%s", i == 1 ? "  also of " : " ", group->requires[i] -> id,
               i + 1 == group -> require_count ? "\n" : "");
    if (sentence != NULL)
        printf("  %s\n", sentence);
    if (group->kind == VET_MORE || group->kind == VET_LESS) {
        tell_cost(v, group);
        return;
    }
    if (group->kind == VET_JOINED)
        printf("  in %llu connections\n", (unsigned long long)group->count);
    else if (group->writer != VET_SIDES)
        printf("  in %llu streams that the core of the %s side writes, and both read\n",
               (unsigned long long)group->count, group->writer == VET_OLD ? "old" : "new");
    else
        printf("  in %llu of %llu inputs\n", (unsigned long long)group->count,
               (unsigned long long)v->targets[group->target].runs);
    if (!group->is_reviewed)
        tell_witness(v, group);
}

static void tell_marks(const struct vet *v, FILE *out)
{
    for (size_t t = 0; t < v->target_count; t++) {
        const struct vet_target *target = &v->targets[t];
        const char *const *names = target->target->marks;
        for (size_t i = 0; names != NULL && names[i] != NULL && i < SIM_MARKS_MAX; i++) {
            bool has[VET_SIDES];
            for (int s = 0; s < VET_SIDES; s++)
                has[s] = target->marks[s][i / 64] >> i % 64 & 1;
            if (has[VET_OLD] != has[VET_NEW] && !target->is_loose)
                fprintf(out, "%s: the mark `%s' is %s\n", target->target->name, names[i],
                        has[VET_NEW] ? "newly reached" : "no longer reached");
        }
    }
}

/* ---- what stands above the differences ---- */

#define SHOWN 12

/* Lines of a list, the first ones. */
static void tell_lines(const char *word, struct wb_view text)
{
    size_t count = 0;

    while (text.len > 0) {
        size_t len = (size_t)((const uint8_t *)memchr(text.data, '\n', text.len) - text.data);
        if (count++ < SHOWN)
            printf("  %s: %.*s\n", word, (int)len, (const char *)text.data);
        text = wb_view_sub(text, len + 1, text.len);
    }
    if (count > SHOWN)
        printf("  and %zu more\n", count - SHOWN);
}

static void tell_coverage(const struct vet *v)
{
    if (v->functions[VET_OLD] + v->functions[VET_NEW] > 0)
        printf("functions of the core that were entered: %zu, now %zu\n", v->functions[VET_OLD],
               v->functions[VET_NEW]);
    tell_lines("no longer", wb_buf_view(&v->coverage[VET_OLD]));
    tell_lines("newly", wb_buf_view(&v->coverage[VET_NEW]));
}

static void tell_lost(const struct vet *v)
{
    if (v->lost_count > 0)
        printf("entries of the corpus that lost their purpose: %zu\n", v->lost_count);
    for (size_t i = 0; i < v->lost_count && i < SHOWN; i++)
        printf("  %s: %s\n", v->lost[i].path, v->lost[i].what);
    if (v->lost_count > SHOWN)
        printf("  and %zu more\n", v->lost_count - SHOWN);
}

static void tell_joints(const struct vet *v)
{
    for (size_t i = 0; i < v->joint_count; i++) {
        const struct vet_joint *j = &v->joints[i];
        printf("%s, %s: ", j->protocol,
               j->writer == VET_OLD ? "the old side writes, the new one reads"
                                    : "the new side writes, the old one reads");
        if (j->not_run != NULL)
            printf("not run, %s\n", j->not_run);
        else if (j->parts == 0)
            printf("compatible in %llu connections\n", (unsigned long long)j->runs);
        else
            printf("parts in %llu of %llu connections\n", (unsigned long long)j->parts,
                   (unsigned long long)j->runs);
    }
}

static void tell_bench(const struct vet *v)
{
    size_t beyond = 0, apart = 0;

    for (size_t i = 0; i < v->figure_count; i++) {
        const struct vet_figure *f = &v->figures[i];
        if (f->kind == VET_ALIKE || beyond++ >= SHOWN)
            continue;
        printf("  %s: %s of %s: %.10g %s, was %.10g\n", f->kind == VET_MORE ? "dearer" : "cheaper",
               f->metric, f->name, f->value[VET_NEW], f->unit, f->value[VET_OLD]);
    }
    if (beyond > SHOWN)
        printf("  and %zu more\n", beyond - SHOWN);
    if (v->figure_count > 0)
        printf("%zu figures of bench cases, %zu beyond their bound\n", v->figure_count, beyond);
    for (size_t i = 0; i < v->time_count; i++) {
        const struct vet_time *t = &v->times[i];
        apart += t->kind != VET_ALIKE;
        if (t->kind != VET_ALIKE)
            printf("  %s: %s, %.3f ms (%.3f to %.3f), was %.3f (%.3f to %.3f)\n",
                   t->kind == VET_MORE ? "slower" : "faster", t->name,
                   (double)t->median[VET_NEW] / 1e6, (double)t->least[VET_NEW] / 1e6,
                   (double)t->most[VET_NEW] / 1e6, (double)t->median[VET_OLD] / 1e6,
                   (double)t->least[VET_OLD] / 1e6, (double)t->most[VET_OLD] / 1e6);
    }
    if (v->time_count > 0)
        printf("%zu bench cases timed in turn, %zu with another time%s\n", v->time_count, apart,
               apart > 0 && !v->does_time_matter ? ", which fails no vet" : "");
}

/* The requirement of the differences that follow, where it is another one. */
static void tell_head(const struct vet *v, size_t i)
{
    const struct vet_group *group = &v->groups[i], *before = i > 0 ? &v->groups[i - 1] : NULL;
    const struct require *r = group->require_count > 0 ? group->requires[0] : NULL;
    const struct require *was =
        before != NULL && before->require_count > 0 ? before->requires[0] : NULL;

    if (r != NULL && r != was)
        printf("\n%s %s: %s\n", r->id, r->level, r->text);
    if (r == NULL && (i == 0 || was != NULL || before->target != group->target))
        printf("\n%s, of no requirement in particular\n", v->targets[group->target].target->name);
}

static void tell_people(struct vet *v, const struct vet_sums *s)
{
    printf("vet: %zu targets, %zu inputs of the corpus, %llu fuzz runs; %llu inputs behave alike",
           v->target_count, v->input_count, (unsigned long long)v->fuzz_runs,
           (unsigned long long)s->alike);
    if (s->failing > 0)
        printf(", %llu of them fail on both sides", (unsigned long long)s->failing);
    printf(", %llu differ\n", (unsigned long long)(s->runs - s->alike));
    if (v->notes.len > 0)
        fwrite(v->notes.data, 1, v->notes.len, stdout);
    tell_coverage(v);
    tell_marks(v, stdout);
    tell_lost(v);
    tell_joints(v);
    tell_bench(v);
    if (s->unrun > 0)
        printf("%llu inputs were NOT RUN: %d of their target did not end\n",
               (unsigned long long)s->unrun, VET_TIMEOUTS);
    for (size_t i = 0; i < v->group_count; i++) {
        tell_head(v, i);
        tell_group(v, &v->groups[i]);
    }
    for (size_t i = 0; i < v->expected_count; i++)
        if (!v->expected[i].has_occurred)
            printf("\nNO LONGER %s\n  %s:%u expects it: %s\n", v->expected[i].id, v->expected_path,
                   v->expected[i].line, v->expected[i].reason);
    printf("%s%zu unreviewed, %zu reviewed, %zu cheaper, %zu expected that no longer occur\n",
           v->group_count + s->stale > 0 ? "\n" : "", s->unreviewed, s->reviewed, s->cheaper,
           s->stale);
}

/* False after a message. */
static bool leave_json(struct vet *v, const struct vet_sums *s)
{
    char path[1100];
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);

    bed_must(out != NULL ? WB_OK : WB_E_NOMEM);
    vet_json(v, s, out);
    fclose(out);
    snprintf(path, sizeof(path), "%s/last.json", v->state_dir);
    bool ok = bed_write(path, wb_view_of(text, len), true);
    if (v->is_json)
        fwrite(text, 1, len, stdout);
    free(text);
    return ok;
}

int vet_tell(struct vet *v)
{
    if (v->group_count > 0)
        qsort(v->groups, v->group_count, sizeof(*v->groups), by_requirement);
    struct vet_sums s = sum_up(v);

    if (!leave_json(v, &s))
        return BED_CANNOT;
    if (!v->is_json)
        tell_people(v, &s);
    return s.status;
}
