/*
 * vet_require.c: which requirements a difference is about: those tied to an invariant that its id
 * names, else those tied to an entry of the corpus that shows it. Costs are about none.
 */
#include "targets/bed/vet.h"

#include <string.h>
#include <unistd.h>

static void tie(struct vet *v, struct vet_group *group, enum require_list list, const char *word)
{
    for (const struct require *r = NULL; (r = require_next(&v->requires, r, list, word)) != NULL;) {
        bool has = false;
        for (size_t i = 0; i < group->require_count; i++)
        has |= group->requires[i] == r;
        if (!has && group->require_count < VET_REQUIRES)
        group->requires[group->require_count++] = r;
    }
}

/* The parts of an id behind its target. */
static void tie_invariants(struct vet *v, struct vet_group *group)
{
    char word[VET_ID_MAX];

    for (const char *at = strchr(group->id, ':'); at != NULL; at = strchr(at + 1, ':')) {
        snprintf(word, sizeof(word), "%.*s", (int)strcspn(at + 1, ":"), at + 1);
        tie(v, group, REQUIRE_INVARIANTS, word);
    }
}

void vet_require(struct vet *v)
{
    if (access(REQUIRE_PATH, F_OK) != 0 || !require_read(REQUIRE_PATH, &v->requires)) {
        bed_buf_print(&v->notes, "not grouped by requirement: no %s that can be read\n",
                      REQUIRE_PATH);
        v->requires = (struct require_table){0};
        return;
    }
    for (size_t i = 0; i < v->group_count; i++) {
        struct vet_group *group = &v->groups[i];
        if (group->kind == VET_MORE || group->kind == VET_LESS)
            continue;
        tie_invariants(v, group);
        for (size_t k = 0; group->require_count == 0 && k < group->path_count; k++) {
            size_t folder = strlen(v->corpus);
            if (strncmp(group->paths[k], v->corpus, folder) == 0)
                tie(v, group, REQUIRE_CASES,
                    group->paths[k] + folder + (group->paths[k][folder] == '/'));
        }
    }
}
