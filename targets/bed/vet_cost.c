/*
 * vet_cost.c: what the same behaviour costs on each side. Counts are exact and have no noise: what
 * is judged is the sum over the runs in which a cost differs at all, so that a change which few
 * inputs reach is not lost among the others.
 */
#include "targets/bed/vet.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define BOUND_PARTS 50 /* one of so many parts is 2 % */

static const char *const cost_words[] = {
#define COST_WORD(name, word) word,
    VET_COST_LIST(COST_WORD)
#undef COST_WORD
};

const char *vet_cost_word(enum vet_cost cost)
{
    return cost_words[cost];
}

static bool is_beyond(uint64_t old, uint64_t new)
{
    uint64_t most = old > new ? old - new : new - old;
    return most > old / BOUND_PARTS;
}

/* One allocation more is news, and so is a frame that comes another way. */
static bool is_exact(enum vet_cost cost)
{
    return cost == VET_ALLOCATIONS || cost == VET_FRAMES_COPIED || cost == VET_FRAMES_SHARED ||
           cost == VET_FRAMES_ASSEMBLED;
}

static void add_group(struct vet *v, size_t target, const char *word, const uint64_t *sum)
{
    char id[VET_ID_MAX];
    bool is_more = sum[VET_NEW] > sum[VET_OLD];

    snprintf(id, sizeof(id), "%s:%s:%s", v->targets[target].target->name, is_more ? "more" : "less",
             word);
    vet_group_add(v, id, target, is_more ? VET_MORE : VET_LESS)->is_least = true;
}

void vet_cost_groups(struct vet *v)
{
    for (size_t t = 0; t < v->target_count; t++)
        for (size_t c = 0; c < VET_COSTS; c++) {
            const struct vet_target *target = &v->targets[t];
            uint64_t sum[] = {target->moved_cost[VET_OLD][c], target->moved_cost[VET_NEW][c]};
            if (sum[VET_OLD] != sum[VET_NEW] &&
                (is_exact((enum vet_cost)c) || is_beyond(sum[VET_OLD], sum[VET_NEW])))
                add_group(v, t, cost_words[c], sum);
        }
    for (size_t t = 0; v->has_instructions && t < v->target_count; t++) {
        uint64_t sum[VET_SIDES];
        if (v->targets[t].is_loose || !vet_cost_instructions(v, t, sum))
            continue;
        bed_buf_print(&v->notes, "%s: instructions of its corpus: %llu, now %llu\n",
                      v->targets[t].target->name, (unsigned long long)sum[VET_OLD],
                      (unsigned long long)sum[VET_NEW]);
        if (is_beyond(sum[VET_OLD], sum[VET_NEW]))
            add_group(v, t, "instructions", sum);
    }
}

/* Counts from where side_run is entered to where it returns, the target's own work with it. */
static bool count_side(const struct vet *v, size_t target, int side, uint64_t *out)
{
    char line[512], command[4096];
    unsigned long long collected = 0;
    bool has_count = false;

    snprintf(command, sizeof(command),
             "valgrind --tool=callgrind --collect-atstart=no --toggle-collect=side_run "
             "--callgrind-out-file=/dev/null '/proc/%d/exe' vet --alone --corpus '%s' "
             "--target '%s' '%s' '%s' 2>&1",
             (int)getpid(), v->corpus, v->targets[target].target->name, v->paths[side],
             v->paths[side]);
    FILE *in = popen(command, "r");
    while (in != NULL && fgets(line, sizeof(line), in) != NULL) {
        const char *at = strstr(line, "Collected : ");
        if (at != NULL)
            has_count = sscanf(at, "Collected : %llu", &collected) == 1;
    }
    *out = collected;
    return in != NULL && pclose(in) == 0 && has_count;
}

bool vet_cost_instructions(struct vet *v, size_t target, uint64_t out[VET_SIDES])
{
    for (int s = 0; s < VET_SIDES; s++) {
        if (v->is_live)
            fprintf(stderr, "\r\033[Kinstructions of %s, %s side\r",
                    v->targets[target].target->name, s == VET_OLD ? "old" : "new");
        if (count_side(v, target, s, &out[s]))
            continue;
        bed_buf_print(&v->notes, "%s: no instructions counted: callgrind did not say\n",
                      v->targets[target].target->name);
        return false;
    }
    return true;
}
