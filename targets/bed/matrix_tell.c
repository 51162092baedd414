/*
 * matrix_tell.c: the matrix for people.
 */
#include "targets/bed/matrix.h"

#include <string.h>

static void tell_kill(const struct matrix *m, const struct require *r, const char *mutant)
{
    const struct matrix_kill *kill = matrix_kill_of(m, r, mutant);

    if (kill == NULL)
        printf("    %-44s no kill on record\n", mutant);
    else if (kill->is_of_test)
        printf("    %-44s %s, %s\n", mutant, kill->killer, kill->file);
    else
        printf("    %-44s %s, %llu input%s%s\n", mutant, kill->killer,
               (unsigned long long)kill->inputs, kill->inputs == 1 ? "" : "s",
               matrix_is_shown(m, r, mutant) ? "" : ", by nothing of these");
}

void matrix_tell_requirement(const struct matrix *m, const struct require *r)
{
    const struct require_words *invs = &r->lists[REQUIRE_INVARIANTS];
    const struct require_words *mutants = &r->lists[REQUIRE_MUTANTS];
    size_t cases = r->lists[REQUIRE_CASES].count;

    printf("%s %s: %s, %s\n  %s\n", r->id, r->level, r->source, r->section, r->text);
    if (r->is_retired)
        return;
    printf("   ");
    for (size_t i = 0; i < invs->count; i++)
        printf(" %s", invs->at[i]);
    printf("%s %zu case%s\n", invs->count > 0 ? "," : "", cases, cases == 1 ? "" : "s");
    for (size_t i = 0; i < mutants->count; i++)
        tell_kill(m, r, mutants->at[i]);
}

void matrix_tell_invariant(const struct matrix *m, const struct inv_desc *inv)
{
    const struct matrix_kill *kill = NULL;
    const struct require *r = NULL;

    printf("%s %s\n", inv->id, inv->text);
    while ((r = require_next(&m->table, r, REQUIRE_INVARIANTS, inv->id)) != NULL)
        printf("  %s %s\n", r->id, r->text);
    while ((kill = matrix_kill_by(m, kill, inv->id)) != NULL)
        printf("    %-44s %s, %llu input%s\n", kill->mutant, kill->file,
               (unsigned long long)kill->inputs, kill->inputs == 1 ? "" : "s");
}

/* Whether the requirement is one of those that the ratchet counts. */
static bool is_counted(const struct matrix *m, const struct require *r, enum require_ratchet which)
{
    const struct require_words *mutants = &r->lists[REQUIRE_MUTANTS];
    bool has_case = r->lists[REQUIRE_CASES].count > 0;
    size_t unshown = 0;

    for (size_t i = 0; i < mutants->count; i++)
        unshown += !matrix_is_shown(m, r, mutants->at[i]);
    switch (which) {
    case REQUIRE_UNTIED:
        return !has_case && mutants->count == 0 && r->lists[REQUIRE_INVARIANTS].count == 0;
    case REQUIRE_NO_CASE:
        return !has_case;
    case REQUIRE_NO_MUTANT:
        return mutants->count == 0;
    case REQUIRE_UNSHOWN:
        return unshown > 0;
    case REQUIRE_UNKILLED:
    case REQUIRE_UNREQUIRED:
    case REQUIRE_RATCHETS:
        break;
    }
    return false;
}

static void tell_requirements_of(const struct matrix *m, enum require_ratchet which,
                                 const char *title)
{
    if (m->counts[which] == 0)
        return;
    printf("\n%s:\n", title);
    for (size_t i = 0; i < m->table.count; i++) {
        const struct require *r = &m->table.at[i];
        if (!r->is_retired && is_counted(m, r, which))
            printf("  %s %s\n", r->id, r->text);
    }
}

static void tell_invariants_of(const struct matrix *m, enum require_ratchet which,
                               const char *title)
{
    if (m->counts[which] == 0)
        return;
    printf("\n%s:\n", title);
    for (size_t i = 0; i < inv_count(); i++) {
        const struct inv_desc *inv = inv_at(i);
        bool is_one = which == REQUIRE_UNKILLED
                          ? matrix_kill_by(m, NULL, inv->id) == NULL
                          : require_next(&m->table, NULL, REQUIRE_INVARIANTS, inv->id) == NULL;
        if (is_one && !matrix_is_retired(inv))
            printf("  %s %s\n", inv->id, inv->text);
    }
}

static void tell_unrecorded(const struct matrix *m)
{
    if (m->unrecorded == 0)
        return;
    printf("\nmutants without a kill on record (KEEP=1 make mutants NAME=...):\n");
    for (size_t i = 0; i < m->mutant_count; i++)
        if (matrix_kill_of(m, NULL, m->mutants[i]) == NULL)
            printf("  %s\n", m->mutants[i]);
}

static size_t count_level(const struct matrix *m, const char *level)
{
    size_t n = 0;

    for (size_t i = 0; i < m->table.count; i++)
        n += !m->table.at[i].is_retired && strcmp(m->table.at[i].level, level) == 0;
    return n;
}

void matrix_tell_counts(const struct matrix *m)
{
    tell_requirements_of(m, REQUIRE_UNTIED, "requirements tied to nothing");
    tell_requirements_of(m, REQUIRE_NO_CASE, "requirements without a case");
    tell_requirements_of(m, REQUIRE_NO_MUTANT, "requirements without a mutant");
    tell_requirements_of(m, REQUIRE_UNSHOWN,
                         "requirements with a mutant that falls to something else");
    tell_invariants_of(m, REQUIRE_UNKILLED, "invariants without a kill");
    tell_invariants_of(m, REQUIRE_UNREQUIRED, "invariants that no requirement names");
    tell_unrecorded(m);
    printf("\n%zu MUST, %zu SHOULD, %zu MAY; %zu mutants, %zu kills on record\n",
           count_level(m, "MUST"), count_level(m, "SHOULD"), count_level(m, "MAY"), m->mutant_count,
           m->kill_count);
    for (size_t i = 0; i < REQUIRE_RATCHETS; i++) {
        printf("  %-12s %4llu", require_ratchet_name((enum require_ratchet)i),
               (unsigned long long)m->counts[i]);
        if (m->table.most[i] != UINT64_MAX)
            printf(", at most %llu%s", (unsigned long long)m->table.most[i],
                   m->counts[i] > m->table.most[i]   ? ": ABOVE ITS RATCHET"
                   : m->counts[i] < m->table.most[i] ? ": the ratchet may be lowered"
                                                     : "");
        printf("\n");
    }
}
