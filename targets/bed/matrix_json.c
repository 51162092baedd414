/*
 * matrix_json.c: the matrix for machines.
 */
#include "targets/bed/matrix.h"

#include "targets/bed/describe.h"

static void put_words(const char *name, const struct require_words *words)
{
    printf(", \"%s\": [", name);
    for (size_t i = 0; i < words->count; i++) {
        printf("%s", i > 0 ? ", " : "");
        bed_json_text(words->at[i]);
    }
    printf("]");
}

static void put_text(const char *name, const char *text)
{
    printf(", \"%s\": ", name);
    bed_json_text(text);
}

static void put_kill(const struct matrix_kill *kill)
{
    put_text("killer", kill->killer);
    put_text("file", kill->file);
    printf(", \"inputs\": %llu", (unsigned long long)kill->inputs);
}

static void put_requirement(const struct matrix *m, const struct require *r)
{
    const struct require_words *mutants = &r->lists[REQUIRE_MUTANTS];

    printf("{\"id\": ");
    bed_json_text(r->id);
    put_text("level", r->level);
    put_text("source", r->source);
    put_text("section", r->section);
    put_text("text", r->text);
    printf(", \"retired\": %s", r->is_retired ? "true" : "false");
    put_words("invariants", &r->lists[REQUIRE_INVARIANTS]);
    put_words("cases", &r->lists[REQUIRE_CASES]);
    printf(", \"mutants\": [");
    for (size_t i = 0; i < mutants->count; i++) {
        const struct matrix_kill *kill = matrix_kill_of(m, r, mutants->at[i]);
        printf("%s{\"mutant\": ", i > 0 ? ", " : "");
        bed_json_text(mutants->at[i]);
        if (kill != NULL)
            put_kill(kill);
        printf(", \"shown\": %s}", matrix_is_shown(m, r, mutants->at[i]) ? "true" : "false");
    }
    printf("]}");
}

static void put_invariant(const struct matrix *m, const struct inv_desc *inv)
{
    const struct require *r = NULL;
    const struct matrix_kill *kill = NULL;
    const char *comma = "";

    printf("{\"id\": ");
    bed_json_text(inv->id);
    put_text("text", inv->text);
    printf(", \"retired\": %s, \"requirements\": [", matrix_is_retired(inv) ? "true" : "false");
    while ((r = require_next(&m->table, r, REQUIRE_INVARIANTS, inv->id)) != NULL) {
        printf("%s", comma);
        bed_json_text(r->id);
        comma = ", ";
    }
    printf("], \"kills\": [");
    comma = "";
    while ((kill = matrix_kill_by(m, kill, inv->id)) != NULL) {
        printf("%s{\"mutant\": ", comma);
        bed_json_text(kill->mutant);
        put_kill(kill);
        printf("}");
        comma = ", ";
    }
    printf("]}");
}

static void put_counts(const struct matrix *m)
{
    printf("{");
    for (size_t i = 0; i < REQUIRE_RATCHETS; i++) {
        printf("%s\"%s\": {\"count\": %llu, \"most\": ", i > 0 ? ", " : "",
               require_ratchet_name((enum require_ratchet)i), (unsigned long long)m->counts[i]);
        if (m->table.most[i] == UINT64_MAX)
            printf("null}");
        else
            printf("%llu}", (unsigned long long)m->table.most[i]);
    }
    printf("}");
}

void matrix_json(const struct matrix *m, const struct require *r, const struct inv_desc *inv)
{
    if (r != NULL) {
        put_requirement(m, r);
    } else if (inv != NULL) {
        put_invariant(m, inv);
    } else {
        printf("{\"requirements\": [");
        for (size_t i = 0; i < m->table.count; i++) {
            printf("%s\n  ", i > 0 ? "," : "");
            put_requirement(m, &m->table.at[i]);
        }
        printf("\n], \"invariants\": [");
        for (size_t i = 0; i < inv_count(); i++) {
            printf("%s\n  ", i > 0 ? "," : "");
            put_invariant(m, inv_at(i));
        }
        printf("\n], \"mutants\": %zu, \"unrecorded\": %zu, \"counts\": ", m->mutant_count,
               m->unrecorded);
        put_counts(m);
        printf("}");
    }
    printf("\n");
}
