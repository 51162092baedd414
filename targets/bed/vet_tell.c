/*
 * vet_tell.c: what a vet found, for people or machines.
 */
#include "targets/bed/vet.h"

#include <stdlib.h>
#include <string.h>

struct sums {
    uint64_t runs, alike, failing, unlooked;
    size_t reviewed, unreviewed, cheaper, both, stale;
};

/* What nobody needs to review: it got cheaper, or was broken before. */
static bool is_harmless(const struct vet_group *group)
{
    return group->kind == VET_LESS || group->kind == VET_BOTH_FAIL;
}

static struct sums sum_up(const struct vet *v)
{
    struct sums s = {0};

    for (size_t t = 0; t < v->target_count; t++) {
        s.runs += v->targets[t].runs;
        s.alike += v->targets[t].alike;
        s.failing += v->targets[t].failing;
        s.unlooked += v->targets[t].unlooked;
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
    return s;
}

static int by_target(const void *a, const void *b)
{
    const struct vet_group *x = a, *y = b;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return strcmp(x->id, y->id);
}

static const char *state_word(const struct vet_group *group)
{
    if (group->is_reviewed)
        return "reviewed";
    if (group->kind == VET_BOTH_FAIL)
        return "on both sides";
    return group->kind == VET_LESS ? "cheaper" : "UNREVIEWED";
}

/* The place of a cost in the lists of its target, or VET_COSTS. */
static size_t cost_of(const struct vet_group *group)
{
    const char *word = strrchr(group->id, ':') + 1;
    size_t c = 0;
    while (c < VET_COSTS && strcmp(vet_cost_word((enum vet_cost)c), word) != 0)
        c++;
    return c;
}

static const char *sentence_of(const struct vet *v, const struct vet_group *group)
{
    const char *first = strchr(strchr(group->id, ':') + 1, ':') + 1;

    if (group->writer != VET_SIDES)
        first = strchr(first, ':') + 1;
    char id[VET_WORD_MAX];

    snprintf(id, sizeof(id), "%.*s", (int)strcspn(first, ":"), first);
    const char *sentence = v->side[VET_NEW]->sentence(id);
    return sentence != NULL ? sentence : v->side[VET_OLD]->sentence(id);
}

/* ---- for people ---- */

static void tell_cost(const struct vet *v, const struct vet_group *group)
{
    const struct vet_target *t = &v->targets[group->target];
    size_t c = cost_of(group);

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
}

static void tell_part(struct wb_view old_text, struct wb_view new_text)
{
    struct vet_part part;

    if (!vet_part_find(old_text, new_text, &part)) {
        puts("  line by line the two runs say the same");
        return;
    }
    printf("  the runs part at line %llu:\n", (unsigned long long)part.line);
    bed_finding_indented(part.before, stdout);
    for (int s = 0; s < VET_SIDES; s++) {
        const char *word = s == VET_OLD ? "old" : "new";
        if (part.side[s].len == 0)
            printf("  %s  nothing more\n", word);
        else
            printf("  %s  %.*s\n", word, (int)part.side[s].len, (const char *)part.side[s].data);
    }
}

static void tell_witness(struct vet *v, const struct vet_group *group)
{
    const struct vet_input *w = &group->witness;
    struct wb_buf text = bed_buf(), steps[VET_SIDES] = {bed_buf(), bed_buf()};

    printf("  the witness, %zu bytes, %s %s:\n", w->len,
           group->is_least ? "minimised from" : "not minimised,", w->from);
    bed_text_input(v->targets[group->target].target, wb_view_of(w->bytes, w->len), &text);
    bed_finding_indented(wb_buf_view(&text), stdout);
    vet_run(v, w, 1, steps);
    if (group->kind != VET_BOTH_FAIL)
        tell_part(wb_buf_view(&steps[VET_OLD]), wb_buf_view(&steps[VET_NEW]));
    wb_buf_fini(&text);
    for (int s = 0; s < VET_SIDES; s++)
        wb_buf_fini(&steps[s]);
}

static void tell_group(struct vet *v, const struct vet_group *group)
{
    const char *sentence = sentence_of(v, group);

    printf("\n%s %s\n", state_word(group), group->id);
    if (sentence != NULL)
        printf("  %s\n", sentence);
    if (group->kind == VET_MORE || group->kind == VET_LESS) {
        tell_cost(v, group);
        return;
    }
    if (group->writer != VET_SIDES)
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

static void tell_people(struct vet *v, const struct sums *s)
{
    printf("vet: %zu targets, %zu inputs of the corpus, %llu fuzz runs; %llu inputs behave alike",
           v->target_count, v->input_count, (unsigned long long)v->fuzz_runs,
           (unsigned long long)s->alike);
    if (s->failing > 0)
        printf(", %llu of them fail on both sides", (unsigned long long)s->failing);
    printf(", %llu differ\n", (unsigned long long)(s->runs - s->alike));
    fwrite(v->notes.data, 1, v->notes.len, stdout);
    tell_marks(v, stdout);
    if (s->unlooked > 0)
        printf("%llu inputs that differ were not looked at closely: %d of their target were\n",
               (unsigned long long)s->unlooked, VET_LOOKED);
    for (size_t i = 0; i < v->group_count; i++)
        tell_group(v, &v->groups[i]);
    for (size_t i = 0; i < v->expected_count; i++)
        if (!v->expected[i].has_occurred)
            printf("\nNO LONGER %s\n  %s:%u expects it: %s\n", v->expected[i].id, v->expected_path,
                   v->expected[i].line, v->expected[i].reason);
    printf("%s%zu unreviewed, %zu reviewed, %zu cheaper, %zu expected that no longer occur\n",
           v->group_count + s->stale > 0 ? "\n" : "", s->unreviewed, s->reviewed, s->cheaper,
           s->stale);
}

/* ---- for machines ---- */

static void put_text(struct wb_view text)
{
    putchar('"');
    for (size_t i = 0; i < text.len; i++) {
        uint8_t byte = text.data[i];
        if (byte == '"' || byte == '\\')
            printf("\\%c", byte);
        else if (byte == '\n')
            fputs("\\n", stdout);
        else if (byte < 0x20 || byte >= 0x7f)
            printf("\\u%04x", byte);
        else
            putchar(byte);
    }
    putchar('"');
}

static void put_named(const char *name, const char *text)
{
    printf("\"%s\":", name);
    put_text(wb_view_text(text));
}

static void put_targets(const struct vet *v)
{
    fputs("\"targets\":[", stdout);
    for (size_t i = 0; i < v->target_count; i++) {
        const struct vet_target *t = &v->targets[i];
        printf("%s{", i > 0 ? "," : "");
        put_named("name", t->target->name);
        printf(",\"loose\":%s,\"runs\":%llu,\"alike\":%llu,\"failing\":%llu,\"timeouts\":%llu,"
               "\"costed\":%llu,\"cost\":{",
               t->is_loose ? "true" : "false", (unsigned long long)t->runs,
               (unsigned long long)t->alike, (unsigned long long)t->failing,
               (unsigned long long)t->timeouts, (unsigned long long)t->costed);
        for (size_t c = 0; c < VET_COSTS; c++)
            printf("%s\"%s\":[%llu,%llu]", c > 0 ? "," : "", vet_cost_word((enum vet_cost)c),
                   (unsigned long long)t->cost[VET_OLD][c],
                   (unsigned long long)t->cost[VET_NEW][c]);
        fputs("}}", stdout);
    }
    putchar(']');
}

static void put_part(struct vet *v, const struct vet_group *group)
{
    struct wb_buf text = bed_buf(), steps[VET_SIDES] = {bed_buf(), bed_buf()};
    struct vet_part part;

    bed_text_input(v->targets[group->target].target,
                   wb_view_of(group->witness.bytes, group->witness.len), &text);
    fputs(",\"witness\":", stdout);
    put_text(wb_buf_view(&text));
    vet_run(v, &group->witness, 1, steps);
    if (vet_part_find(wb_buf_view(&steps[VET_OLD]), wb_buf_view(&steps[VET_NEW]), &part)) {
        printf(",\"line\":%llu,\"old\":", (unsigned long long)part.line);
        put_text(part.side[VET_OLD]);
        fputs(",\"new\":", stdout);
        put_text(part.side[VET_NEW]);
    }
    wb_buf_fini(&text);
    for (int s = 0; s < VET_SIDES; s++)
        wb_buf_fini(&steps[s]);
}

static void tell_machine(struct vet *v, const struct sums *s)
{
    printf("{\"inputs\":%llu,\"alike\":%llu,", (unsigned long long)s->runs,
           (unsigned long long)s->alike);
    put_targets(v);
    fputs(",\"differences\":[", stdout);
    for (size_t i = 0; i < v->group_count; i++) {
        const struct vet_group *group = &v->groups[i];
        printf("%s{", i > 0 ? "," : "");
        put_named("id", group->id);
        putchar(',');
        put_named("target", v->targets[group->target].target->name);
        putchar(',');
        put_named("state", state_word(group));
        printf(",\"inputs\":%llu", (unsigned long long)group->count);
        if (group->count > 0)
            put_part(v, group);
        putchar('}');
    }
    fputs("],\"no_longer\":[", stdout);
    bool has_one = false;
    for (size_t i = 0; i < v->expected_count; i++) {
        if (v->expected[i].has_occurred)
            continue;
        fputs(has_one ? "," : "", stdout);
        put_text(wb_view_text(v->expected[i].id));
        has_one = true;
    }
    fputs("],\"notes\":", stdout);
    put_text(wb_buf_view(&v->notes));
    puts("}");
}

int vet_tell(struct vet *v)
{
    if (v->group_count > 0)
        qsort(v->groups, v->group_count, sizeof(*v->groups), by_target);
    struct sums s = sum_up(v);

    if (v->is_json)
        tell_machine(v, &s);
    else
        tell_people(v, &s);
    return s.unreviewed + s.stale > 0 ? BED_FOUND : BED_PASS;
}
