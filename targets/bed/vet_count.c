/*
 * vet_count.c: lines of the journal, counted: the same whether they were just written or read back.
 */
#include "targets/bed/vet_parts.h"

#include <stdlib.h>
#include <string.h>

struct vet_group *vet_group_find(struct vet *v, const char *id)
{
    for (size_t i = 0; i < v->group_count; i++)
        if (strcmp(v->groups[i].id, id) == 0)
            return &v->groups[i];
    return NULL;
}

struct vet_group *vet_group_add(struct vet *v, const char *id, size_t target, enum vet_kind kind)
{
    v->groups = realloc(v->groups, (v->group_count + 1) * sizeof(*v->groups));
    bed_must(v->groups != NULL ? WB_OK : WB_E_NOMEM);
    struct vet_group *group = &v->groups[v->group_count++];
    *group = (struct vet_group){.target = target, .kind = kind, .writer = VET_SIDES};
    snprintf(group->id, sizeof(group->id), "%s", id);
    return group;
}

size_t vet_target_find(const struct vet *v, const char *name, size_t len)
{
    size_t t = 0;
    while (t < v->target_count && (strlen(v->targets[t].target->name) != len ||
                                   memcmp(v->targets[t].target->name, name, len) != 0))
        t++;
    return t;
}

/* Entries of the corpus that show it, each once. */
static void note_path(const struct vet *v, struct vet_group *group, uint64_t index)
{
    if (index >= v->input_count || group->path_count == VET_PATHS)
        return;
    const char *path = v->inputs[index].from;
    for (size_t i = 0; i < group->path_count; i++)
        if (strcmp(group->paths[i], path) == 0)
            return;
    group->paths[group->path_count++] = path;
}

static void count_diff(struct vet *v, uint64_t index, unsigned kind, const char *id)
{
    struct vet_group *group = vet_group_find(v, id);
    struct vet_input input = vet_input_at(v, index);

    if (group == NULL)
        group = vet_group_add(v, id, input.target, (enum vet_kind)kind);
    if (kind == VET_JOINED) {
        group->writer = strstr(id, "old-to-new") != NULL ? VET_OLD : VET_NEW;
        group->is_least = true; /* minimising knows no connections */
    }
    note_path(v, group, index);
    if (group->count++ == 0 || input.len < group->witness.len) {
        vet_input_free(&group->witness);
        group->witness = input;
    } else {
        vet_input_free(&input);
    }
}

static void take_witness(struct vet_group *group, const char *hex)
{
    size_t len = strlen(hex) / 2;
    uint8_t *bytes = bed_take(len);

    for (size_t i = 0; i < len; i++) {
        unsigned byte = 0;
        sscanf(hex + 2 * i, "%2x", &byte);
        bytes[i] = (uint8_t)byte;
    }
    free(group->witness.bytes);
    group->witness.bytes = bytes;
    group->witness.len = len;
}

static void count_read(struct vet *v, unsigned writer, size_t target, unsigned kind, const char *id,
                       const char *hex)
{
    static const char *const from[] = {"what the old side writes", "what the new side writes",
                                       "a bench case"};
    struct vet_group *group = vet_group_find(v, id);

    if (group == NULL)
        group = vet_group_add(v, id, target, (enum vet_kind)kind);
    group->writer = writer < VET_SIDES ? (int)writer : VET_SIDES;
    group->witness.target = target;
    if (group->count++ > 0 && strlen(hex) / 2 >= group->witness.len)
        return;
    take_witness(group, hex);
    free(group->witness.from);
    group->witness.from = strdup(from[group->writer]);
}

static void count_least(struct vet *v, const char *id, const char *hex)
{
    struct vet_group *group = vet_group_find(v, id);
    if (group == NULL)
        return;
    take_witness(group, hex);
    group->is_least = true;
}

static void count_target(struct vet *v, const char *kind, size_t t, const char *rest)
{
    struct vet_target *target = &v->targets[t];
    unsigned long long n[9] = {0};
    sscanf(rest, "%llu %llu %llu %llu %llu %llu %llu %llu %llu", n, n + 1, n + 2, n + 3, n + 4,
           n + 5, n + 6, n + 7, n + 8);

    if (strcmp(kind, "runs") == 0) {
        target->runs += n[0];
        target->alike += n[1];
        target->failing += n[2];
        target->timeouts += n[3];
        target->unrun += n[4];
        target->costed += n[5];
    } else if (strcmp(kind, "cost") == 0 && n[0] < VET_COSTS) {
        target->cost[VET_OLD][n[0]] += n[1];
        target->cost[VET_NEW][n[0]] += n[2];
        target->moved[n[0]] += n[5];
        target->moved_cost[VET_OLD][n[0]] += n[6];
        target->moved_cost[VET_NEW][n[0]] += n[7];
        if (n[3] > target->most[n[0]]) {
            target->most[n[0]] = n[3];
            target->most_at[n[0]] = n[4];
        }
    } else if (strcmp(kind, "marks") == 0 && n[0] < VET_SIDES && n[1] < VET_MARK_WORDS) {
        target->marks[n[0]][n[1]] |= n[2];
    }
}

/* ---- lines of the parts behind the inputs ---- */

static void count_joint(struct vet *v, const char *rest)
{
    unsigned long long n[3];
    char protocol[64], why[200];
    int writer;

    if (sscanf(rest, "%63s %d %llu %llu %llu %199[^\n]", protocol, &writer, n, n + 1, n + 2, why) !=
        6)
        return;
    struct vet_joint *joint = VET_ADD(v->joints, v->joint_count);
    *joint = (struct vet_joint){strdup(protocol),
                                writer == VET_OLD ? VET_OLD : VET_NEW,
                                n[0],
                                n[1],
                                n[2],
                                strcmp(why, "-") != 0 ? strdup(why) : NULL};
}

static void count_figure(struct vet *v, const char *rest)
{
    char name[192], metric[64], unit[64];
    double old, new;

    if (sscanf(rest, "%191s %63s %63s %lf %lf", name, metric, unit, &old, &new) == 5)
        *VET_ADD(v->figures, v->figure_count) =
            (struct vet_figure){strdup(name), strdup(metric), strdup(unit), {old, new}, VET_ALIKE};
}

static void count_time(struct vet *v, const char *rest)
{
    unsigned long long n[7];
    char name[192];

    if (sscanf(rest, "%191s %llu %llu %llu %llu %llu %llu %llu", name, n, n + 1, n + 2, n + 3,
               n + 4, n + 5, n + 6) == 8)
        *VET_ADD(v->times, v->time_count) = (struct vet_time){
            strdup(name), n[0], {n[1], n[2]}, {n[3], n[5]}, {n[4], n[6]}, VET_ALIKE};
}

static void count_lost(struct vet *v, const char *rest)
{
    size_t len = strcspn(rest, " ");

    if (rest[len] == ' ')
        *VET_ADD(v->lost, v->lost_count) =
            (struct vet_lost){strndup(rest, len), strdup(rest + len + 1)};
}

static bool count_part(struct vet *v, const char *line)
{
    static const struct {
        const char *word;
        void (*count)(struct vet *v, const char *rest);
    } kinds[] = {{"joint ", count_joint},
                 {"bench ", count_figure},
                 {"time ", count_time},
                 {"lost ", count_lost}};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strncmp(line, kinds[i].word, strlen(kinds[i].word)) == 0) {
            kinds[i].count(v, line + strlen(kinds[i].word));
            return true;
        }
    if (strncmp(line, "note ", 5) == 0)
        bed_buf_print(&v->notes, "%s\n", line + 5);
    return strncmp(line, "note ", 5) == 0;
}

static void count_line(struct vet *v, const char *line)
{
    char kind[8] = "", word[VET_ID_MAX] = "";
    unsigned long long index = 0;
    char kind_of[64] = "";
    unsigned how = 0, writer = 0;
    int used = 0;

    if (count_part(v, line))
        return;
    if (sscanf(line, "diff %llu %u %191s", &index, &how, word) == 3) {
        if (index < vet_input_total(v))
            count_diff(v, index, how, word);
    } else if (sscanf(line, "read %u %63s %u %191s %n", &writer, kind_of, &how, word, &used) == 4 &&
               used > 0) {
        size_t t = vet_target_find(v, kind_of, strlen(kind_of));
        if (t < v->target_count)
            count_read(v, writer, t, how, word, line + used);
    } else if (sscanf(line, "least %191s %n", word, &used) == 1 && used > 0) {
        count_least(v, word, line + used);
    } else if (sscanf(line, "%7s %191s %n", kind, word, &used) == 2 && used > 0) {
        size_t t = vet_target_find(v, word, strlen(word));
        if (t < v->target_count)
            count_target(v, kind, t, line + used);
    }
}

void vet_count_text(struct vet *v, struct wb_view text)
{
    while (text.len > 0) {
        const uint8_t *end = memchr(text.data, '\n', text.len);
        size_t len = end != NULL ? (size_t)(end - text.data) : text.len;
        char *line = strndup((const char *)text.data, len);
        bed_must(line != NULL ? WB_OK : WB_E_NOMEM);
        count_line(v, line);
        free(line);
        text = wb_view_sub(text, end != NULL ? len + 1 : len, text.len);
    }
}

void vet_count_free(struct vet *v)
{
    for (size_t i = 0; i < v->figure_count; i++) {
        free(v->figures[i].name);
        free(v->figures[i].metric);
        free(v->figures[i].unit);
    }
    for (size_t i = 0; i < v->time_count; i++)
        free(v->times[i].name);
    for (size_t i = 0; i < v->lost_count; i++) {
        free(v->lost[i].path);
        free(v->lost[i].what);
    }
    for (size_t i = 0; i < v->joint_count; i++) {
        free(v->joints[i].protocol);
        free(v->joints[i].not_run);
    }
    free(v->figures);
    free(v->times);
    free(v->lost);
    free(v->joints);
}
