/*
 * report_data.c: tables that were gathered, and the corpus as it replays now.
 */
#include "targets/bed/report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    size_t width;
    bool has_blanks; /* between fields, instead of tabs */
} forms[REPORT_TABLES] = {
    [REPORT_FACTS] = {"facts.tsv", 2, false},    [REPORT_FUZZ] = {"fuzz.tsv", 7, false},
    [REPORT_SOAK] = {"soak.tsv", 3, false},      [REPORT_PLANTED] = {"planted.tsv", 2, false},
    [REPORT_KILLS] = {"kills.tsv", 4, false},    [REPORT_MUTATE] = {"mutate.tsv", 8, false},
    [REPORT_COVERED] = {"covered.txt", 6, true}, [REPORT_FLOORS] = {"floors.txt", 3, true},
    [REPORT_BENCH] = {"bench.tsv", 7, false},    [REPORT_HISTORY] = {"history.tsv", 7, false},
};

/* ---- tables ---------------------------------------------------------------------------------- */

static void cut_line(struct report_table *t, char *line, char gap)
{
    const char **cells = &t->cells[t->count * t->width];

    if (line[0] == '#' || line[0] == '\0')
        return;
    for (size_t i = 0; i < t->width; i++)
        cells[i] = "";
    for (size_t i = 0; i < t->width && line != NULL; i++) {
        char *end = strchr(line, gap);

        cells[i] = line;
        if (end != NULL)
            *end++ = '\0';
        line = end;
    }
    t->count++;
}

/* A file that is not there is an empty table. */
static bool read_table(const char *data, enum report_table_id id, struct report_table *t)
{
    struct wb_buf file = bed_buf();
    size_t lines = 1;
    char path[512];

    *t = (struct report_table){.width = forms[id].width};
    snprintf(path, sizeof path, "%s/%s", data, forms[id].name);
    if (access(path, F_OK) != 0)
        return true;
    if (!bed_read(path, &file)) {
        wb_buf_fini(&file);
        return false;
    }
    t->text = bed_take(file.len + 1);
    if (file.len > 0)
        memcpy(t->text, file.data, file.len);
    t->text[file.len] = '\0';
    for (size_t i = 0; i < file.len; i++)
        lines += t->text[i] == '\n';
    t->cells = bed_take(lines * t->width * sizeof *t->cells);
    for (char *at = t->text, *line; (line = strsep(&at, "\n")) != NULL;)
        cut_line(t, line, forms[id].has_blanks ? ' ' : '\t');
    wb_buf_fini(&file);
    return true;
}

const char *report_cell(const struct report_table *t, size_t row, size_t column)
{
    return row < t->count && column < t->width ? t->cells[row * t->width + column] : "";
}

uint64_t report_number(const char *text)
{
    return report_thousandths(text) / 1000;
}

uint64_t report_thousandths(const char *text)
{
    uint64_t n = 0, unit = 1000;

    for (; *text >= '0' && *text <= '9'; text++)
        n = n * 10 + (uint64_t)(*text - '0');
    n *= 1000;
    if (*text == '.')
        for (text++; *text >= '0' && *text <= '9'; text++)
            n += (uint64_t)(*text - '0') * (unit /= 10);
    return n;
}

const char *report_fact(const struct report *r, const char *name)
{
    const struct report_table *t = &r->tables[REPORT_FACTS];

    for (size_t i = 0; i < t->count; i++)
        if (strcmp(report_cell(t, i, 0), name) == 0)
            return report_cell(t, i, 1);
    return "";
}

bool report_find_run(const struct report *r, const char *target, const char *origin, size_t *out)
{
    const struct report_table *t = &r->tables[REPORT_FUZZ];
    bool is_found = false;

    for (size_t i = 0; i < t->count; i++) {
        if (strcmp(report_cell(t, i, 0), "run") == 0 && strcmp(report_cell(t, i, 1), target) == 0 &&
            strcmp(report_cell(t, i, 2), origin) == 0) {
            *out = i;
            is_found = true;
        }
    }
    return is_found;
}

bool report_find_kill(const struct report *r, const char *mutant, size_t *out)
{
    const struct report_table *t = &r->tables[REPORT_KILLS];

    for (size_t i = 0; i < t->count; i++) {
        if (strcmp(report_cell(t, i, 0), mutant) == 0) {
            *out = i;
            return true;
        }
    }
    return false;
}

bool report_has_planted(const struct report *r, const char *name)
{
    const struct report_table *t = &r->tables[REPORT_PLANTED];

    for (size_t i = 0; i < t->count; i++) {
        const char *path = report_cell(t, i, 0);

        if (strncmp(path, "mutants/", 8) == 0 && strcmp(path + 8, name) == 0)
            return true;
    }
    return false;
}

bool report_has_regression(const struct report *r, const char *path)
{
    for (size_t i = 0; i < r->target_count; i++)
        for (size_t k = 0; k < r->targets[i].file_count; k++) {
            const struct corpus_file *file = &r->targets[i].files[k];

            if (report_folder_of(file) == REPORT_REGRESS && strcmp(file->path + 7, path) == 0)
                return true;
        }
    return false;
}

/* ---- the corpus ------------------------------------------------------------------------------ */

enum report_folder report_folder_of(const struct corpus_file *file)
{
    if (strstr(file->path, "/regress/") != NULL)
        return REPORT_REGRESS;
    return strstr(file->path, "/cases/") != NULL ? REPORT_CASES : REPORT_SEEDS;
}

bool report_has_mark(const struct report_target *t, size_t n)
{
    return n < SIM_MARKS_MAX && t->marks[n] > 0;
}

/* What one run of each scenario reaches; wire targets have no ops, and marks of few inputs. */
static void run_file(struct report_target *t, const struct corpus_file *file)
{
    struct replay_verdict verdict;
    size_t len;
    uint8_t *bytes = corpus_input(file, 0, &len);

    bed_must(bytes != NULL ? WB_OK : WB_E_NOMEM);
    if (replay_run(t->target, wb_view_of(bytes, len), REPLAY_ONCE, false, &verdict)) {
        for (size_t i = 0; i < SIM_MARKS_MAX; i++)
            t->marks[i] += verdict.marks[i];
        for (size_t i = 0; i < SIM_OPCODES; i++)
            t->op_counts[i] += verdict.op_counts[i];
        replay_verdict_free(&verdict);
    }
    free(bytes);
}

static bool read_target(const struct fuzz_target *target, struct report_target *out)
{
    char folder[256], error[CORPUS_ERROR_MAX];
    size_t count = 0;
    char **paths;

    *out = (struct report_target){.target = target};
    snprintf(folder, sizeof folder, "corpus/%s", target->name);
    if (access(folder, R_OK) != 0)
        return true;
    if (!corpus_find(folder, &paths, &count, error)) {
        bed_cannot("%s", error);
        return false;
    }
    out->files = bed_take((count + 1) * sizeof *out->files);
    for (size_t i = 0; i < count; i++) {
        struct corpus_file *file = &out->files[out->file_count];

        if (!bed_load(paths[i], target->name, file))
            continue;
        out->file_count++;
        out->folder_counts[report_folder_of(file)]++;
        if (target->kind == FUZZ_SCENARIO)
            run_file(out, file);
    }
    corpus_paths_free(paths, count);
    return out->file_count == count;
}

static int by_name(const void *a, const void *b)
{
    const struct report_target *x = a, *y = b;
    return strcmp(x->target->name, y->target->name);
}

static bool is_wanted(const struct fuzz_target *target, const char *only)
{
    return only != NULL ? strcmp(target->name, only) == 0 : strcmp(target->name, "canary") != 0;
}

static bool read_targets(struct report *r, const char *only)
{
    bool ok = true;

    r->targets = bed_take(fuzz_target_count() * sizeof *r->targets);
    for (size_t i = 0; i < fuzz_target_count() && ok; i++)
        if (is_wanted(fuzz_target_at(i), only))
            ok = read_target(fuzz_target_at(i), &r->targets[r->target_count++]);
    qsort(r->targets, r->target_count, sizeof *r->targets, by_name);
    return ok;
}

bool report_read(const char *data, const char *only, struct report *out)
{
    bool ok = true;

    *out = (struct report){.data = data};
    for (enum report_table_id id = 0; id < REPORT_TABLES; id++)
        ok = ok && read_table(data, id, &out->tables[id]);
    if (ok && access(REQUIRE_PATH, F_OK) == 0)
        ok = out->has_requirements = require_read(REQUIRE_PATH, &out->requirements);
    ok = ok && read_targets(out, only);
    if (!ok)
        report_free(out);
    return ok;
}

void report_free(struct report *r)
{
    for (enum report_table_id id = 0; id < REPORT_TABLES; id++) {
        free(r->tables[id].cells);
        free(r->tables[id].text);
    }
    for (size_t i = 0; i < r->target_count; i++) {
        for (size_t k = 0; k < r->targets[i].file_count; k++)
            corpus_free(&r->targets[i].files[k]);
        free(r->targets[i].files);
    }
    free(r->targets);
    if (r->has_requirements)
        require_free(&r->requirements);
    *r = (struct report){0};
}
