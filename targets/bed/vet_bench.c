/*
 * vet_bench.c: what bench cases cost on each side: the inputs that `make bench` replays
 * (ci/bench/inputs), counted like those of the corpus, and what the programs bench_NAME print. A
 * figure is the same each time.
 */
#include "targets/bed/vet_parts.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define BOUND 0.02

static const struct program {
    const char *name, *target; /* what it measures is that target's */
    const char *args[5];
} programs[] = {
    {"frames/counts", "ingest", {"bench_frames", "counts"}},
    {"windows/counts", "subscription", {"bench_windows", "counts"}},
    {"windows/costs", "subscription", {"bench_windows", "costs"}},
    {"announce/change", "announce", {"bench_announce", "change", "4096", "16"}},
    {"announce/setup", "announce", {"bench_announce", "setup", "4096"}},
    {"announce/join", "announce", {"bench_announce", "join", "4096"}},
    {"announce/received", "announce", {"bench_announce", "received", "4096", "16"}},
};

const char *vet_program_name(size_t i)
{
    return i < sizeof(programs) / sizeof(programs[0]) ? programs[i].name : NULL;
}

const char *vet_program_target(const char *name)
{
    size_t len = strcspn(name, "/");

    for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
        if (strncmp(name, programs[i].name, len + 1) == 0)
            return programs[i].target;
    return "";
}

static void exec_program(const struct program *p, const char *folder, int to)
{
    char path[1100];

    snprintf(path, sizeof(path), "%s/%s", folder, p->args[0]);
    dup2(to, STDOUT_FILENO);
    if (freopen("/dev/null", "w", stderr) != NULL)
        execv(path, (char *const *)(uintptr_t)p->args);
    _exit(127);
}

bool vet_program_run(const struct vet *v, int side, size_t i, struct wb_buf *out, uint64_t *out_ns)
{
    uint8_t part[4096];
    struct rusage used;
    int ends[2], status = -1;
    ssize_t n;

    if (v->programs[side] == NULL || pipe(ends) != 0)
        return false;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        exec_program(&programs[i], v->programs[side], ends[1]);
    }
    close(ends[1]);
    while (child > 0 && (n = read(ends[0], part, sizeof(part))) > 0)
        bed_must(wb_buf_add(out, wb_view_of(part, (size_t)n)));
    close(ends[0]);
    if (child < 0 || wait4(child, &status, 0, &used) != child || status != 0)
        return false;
    *out_ns = (uint64_t)used.ru_utime.tv_sec * UINT64_C(1000000000) +
              (uint64_t)used.ru_utime.tv_usec * 1000;
    return true;
}

/* ---- the inputs ---- */

bool vet_bench_inputs(const struct vet *v, const char *name, size_t target, struct vet_input **out,
                      size_t *out_count)
{
    char folder[1100], error[CORPUS_ERROR_MAX], **paths;
    struct corpus_file file;
    size_t count;

    *out = NULL;
    *out_count = 0;
    snprintf(folder, sizeof(folder), "%s/%s", v->bench, name);
    if (!corpus_find(folder, &paths, &count, error))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!bed_load(paths[i], v->targets[target].target->name, &file))
            continue;
        for (size_t k = 0; k < corpus_input_count(&file); k++) {
            struct vet_input *input = VET_ADD(*out, *out_count);
            input->target = target;
            input->bytes = corpus_input(&file, k, &input->len);
        }
        corpus_free(&file);
    }
    corpus_paths_free(paths, count);
    return *out_count > 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void vet_bench_cases(struct vet *v,
                     void (*take)(struct vet *v, const char *name, size_t target,
                                  struct wb_buf *out),
                     struct wb_buf *out)
{
    DIR *folder = opendir(v->bench);
    char **names = NULL;
    size_t count = 0;

    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        if (entry->d_name[0] != '.')
            *VET_ADD(names, count) = strdup(entry->d_name);
    if (folder != NULL)
        closedir(folder);
    if (count > 0)
        qsort(names, count, sizeof(*names), by_name);
    for (size_t i = 0; i < count; i++) {
        size_t target = vet_target_find(v, names[i], strcspn(names[i], "."));
        if (target < v->target_count && !v->targets[target].is_loose)
            take(v, names[i], target, out);
        free(names[i]);
    }
    free(names);
}

/* Adds what a run cost where it came to its end in the same way. False when the sides may differ.
 */
static bool add_costs(const struct vet *v, size_t i, uint64_t sum[VET_SIDES][VET_COSTS])
{
    const struct vet_told *old = &v->told[VET_OLD][i], *new = &v->told[VET_NEW][i];

    if (old->state != VET_DONE || new->state != VET_DONE || old->hash != new->hash)
        return false;
    for (size_t c = 0; c < VET_COSTS; c++) {
        sum[VET_OLD][c] += old->cost[c];
        sum[VET_NEW][c] += new->cost[c];
    }
    return old->story_hash == new->story_hash &&strcmp(old->failed, new->failed) == 0;
}

/* Sums of what both sides treat alike; the rest are differences as those of the corpus are. */
static void count_case(struct vet *v, const char *name, size_t target, struct wb_buf *out)
{
    struct vet_input *inputs;
    uint64_t sum[VET_SIDES][VET_COSTS] = {{0}};
    size_t count, others = 0;
    char id[VET_ID_MAX];

    if (!vet_bench_inputs(v, name, target, &inputs, &count))
        return;
    size_t *other = bed_take(count * sizeof(*other));
    for (size_t at = 0; at < count; at += VET_BATCH) {
        size_t some = count - at < VET_BATCH ? count - at : VET_BATCH;
        vet_run(v, inputs + at, some, NULL);
        for (size_t i = 0; i < some; i++)
            if (!add_costs(v, i, sum))
                other[others++] = at + i;
    }
    for (size_t c = 0; c < VET_COSTS; c++)
        if (sum[VET_OLD][c] + sum[VET_NEW][c] > 0)
            bed_buf_print(out, "bench %s %s count %llu %llu\n", name,
                          vet_cost_word((enum vet_cost)c), (unsigned long long)sum[VET_OLD][c],
                          (unsigned long long)sum[VET_NEW][c]);
    for (size_t k = 0; k < others; k++) {
        vet_run(v, &inputs[other[k]], 1, NULL);
        enum vet_kind kind = vet_part_kind(v, &inputs[other[k]], 0, id);
        vet_written_put(v, &inputs[other[k]], VET_SIDES, kind, id, out);
    }
    free(other);
    for (size_t i = 0; i < count; i++)
        free(inputs[i].bytes);
    free(inputs);
}

/* ---- the programs ---- */

/* The next line of figures: `bench WHAT CASE METRIC VALUE UNIT ...` or `compared CASE VALUE`. */
static bool next_figure(char **text, char name[128], char metric[64], char unit[64], double *value)
{
    while (*text != NULL && **text != '\0') {
        char *line = *text, *end = strchr(line, '\n');
        *text = end != NULL ? end + 1 : NULL;
        if (end != NULL)
            *end = '\0';
        if (sscanf(line, "bench %*s %127s %63s %lf %63s", name, metric, value, unit) == 4)
            return true;
        snprintf(metric, 64, "compared");
        snprintf(unit, 64, "comparisons");
        if (sscanf(line, "compared %127s %lf", name, value) == 2)
            return true;
    }
    return false;
}

static bool find_figure(const struct wb_buf *text, const char *name, const char *metric,
                        double *out)
{
    char *copy = strndup((const char *)text->data, text->len), *at = copy;
    char a[128], b[64], unit[64];
    bool has = false;

    while (!has && next_figure(&at, a, b, unit, out))
        has = strcmp(a, name) == 0 && strcmp(b, metric) == 0;
    free(copy);
    return has;
}

/* What both print, up to where one of them ends. */
static void count_program(struct vet *v, size_t i, struct wb_buf *out)
{
    struct wb_buf text[VET_SIDES] = {bed_buf(), bed_buf()};
    char name[128], metric[64], unit[64];
    size_t missing = 0;
    double old, new;
    uint64_t ns;

    for (int s = 0; s < VET_SIDES; s++) {
        if (!vet_program_run(v, s, i, &text[s], &ns))
            bed_buf_print(out, "note bench program %s of the %s side does not end well\n",
                          programs[i].name, s == VET_OLD ? "old" : "new");
        bed_must(wb_buf_add_u8(&text[s], 0));
    }
    for (char *at = (char *)text[VET_OLD].data; next_figure(&at, name, metric, unit, &old);)
        if (!find_figure(&text[VET_NEW], name, metric, &new))
            missing++;
        else
            bed_buf_print(out, "bench %.*s/%s %s %s %.10g %.10g\n",
                          (int)strcspn(programs[i].name, "/"), programs[i].name, name, metric, unit,
                          old, new);
    if (missing > 0)
        bed_buf_print(out, "note bench program %s prints %zu figures on the old side only\n",
                      programs[i].name, missing);
    for (int s = 0; s < VET_SIDES; s++)
        wb_buf_fini(&text[s]);
}

void vet_bench(struct vet *v, struct wb_buf *out)
{
    vet_bench_cases(v, count_case, out);
    for (size_t i = 0; vet_program_name(i) != NULL; i++) {
        const char *target = programs[i].target;
        if (v->programs[VET_OLD] != NULL &&
            vet_target_find(v, target, strlen(target)) < v->target_count)
            count_program(v, i, out);
    }
}

/* ---- judging ---- */

/* Metrics of which more is better. */
static bool is_gain(const char *metric)
{
    return strcmp(metric, "whole") == 0 || strcmp(metric, "own-allocation") == 0;
}

static bool is_whole_count(const char *metric)
{
    return strcmp(metric, "allocations") == 0 || strncmp(metric, "frames-", 7) == 0;
}

static void judge_figure(struct vet_figure *f)
{
    double old = f->value[VET_OLD], more = f->value[VET_NEW] - old;
    double bound = is_whole_count(f->metric) ? 0 : (old < 0 ? -old : old) * BOUND;

    if (more <= bound && -more <= bound)
        return;
    f->kind = (more > 0) == is_gain(f->metric) ? VET_LESS : VET_MORE;
}

/* What a target's own inputs say is said once. */
static bool is_said(struct vet *v, const struct vet_figure *f, const char *target)
{
    char id[VET_ID_MAX];

    snprintf(id, sizeof(id), "%s:more:%s", target, f->metric);
    return vet_group_find(v, id) != NULL;
}

/* One group for all that a program prints of a metric, or for one case of inputs. */
static void group_figure(struct vet *v, const struct vet_figure *f)
{
    char id[VET_ID_MAX], target[64];

    snprintf(target, sizeof(target), "%.*s", (int)strcspn(f->name, "."), f->name);
    const char *name = strchr(f->name, '/') != NULL ? vet_program_target(f->name) : target;
    size_t t = vet_target_find(v, name, strlen(name));
    if (t == v->target_count || is_said(v, f, name))
        return;
    snprintf(id, sizeof(id), "%s:more:bench/%.*s/%s", name, (int)strcspn(f->name, "/"), f->name,
             f->metric);
    if (vet_group_find(v, id) == NULL)
        vet_group_add(v, id, t, VET_MORE)->is_least = true;
}

bool vet_bench_is_of(const struct vet_figure *f, const struct vet_group *group)
{
    const char *at = strstr(group->id, ":bench/");
    size_t len = strcspn(f->name, "/");

    if (at == NULL || f->kind != VET_MORE)
        return false;
    at += strlen(":bench/");
    return strncmp(at, f->name, len) == 0 && at[len] == '/' && strcmp(at + len + 1, f->metric) == 0;
}

static void judge_time(struct vet_time *time)
{
    uint64_t old = time->median[VET_OLD], new = time->median[VET_NEW];

    if (time->least[VET_NEW] > time->most[VET_OLD] && new > old + old / 50)
        time->kind = VET_MORE;
    else if (time->most[VET_NEW] < time->least[VET_OLD] && old > new + new / 50)
        time->kind = VET_LESS;
}

void vet_bench_groups(struct vet *v)
{
    for (size_t i = 0; i < v->figure_count; i++) {
        judge_figure(&v->figures[i]);
        if (v->figures[i].kind == VET_MORE)
            group_figure(v, &v->figures[i]);
    }
    for (size_t i = 0; i < v->time_count; i++)
        judge_time(&v->times[i]);
}
