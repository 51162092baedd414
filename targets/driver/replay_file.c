/*
 * replay_file.c: a corpus file's runs held against what the file states.
 */
#include "targets/driver/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct judge {
    const struct corpus_file *file;
    FILE *out;
    bool has_spoken;
};

/* The file and what it is for, once, above all that is wrong with it. */
static void accuse(struct judge *j)
{
    if (!j->has_spoken)
        fprintf(j->out, "%s: %s\n", j->file->path, j->file->lesson);
    j->has_spoken = true;
}

static void accuse_input(struct judge *j, size_t i)
{
    accuse(j);
    if (j->file->config_count > 0)
        fprintf(j->out, "  configuration %02x: ", j->file->configs[i]);
    else
        fprintf(j->out, "  ");
}

static void judge_outcome(struct judge *j, size_t i, enum wb_err outcome)
{
    const struct corpus_file *file = j->file;
    size_t k = 0;

    while (k < file->expect_count && file->expect[k] != outcome)
        k++;
    if (file->expect_count == 0 || k < file->expect_count)
        return;
    accuse_input(j, i);
    fprintf(j->out, "ends as %s, expected is", wb_err_name((int)outcome));
    for (k = 0; k < file->expect_count; k++)
        fprintf(j->out, "%s %s", k == 0 ? "" : " or", wb_err_name((int)file->expect[k]));
    fprintf(j->out, "\n");
}

static void judge_story(struct judge *j, size_t i, const char *told)
{
    if (j->file->story == NULL)
        return;
    size_t begin = strspn(told, " \t\n"), len = strlen(told + begin);
    while (len > 0 && strchr(" \t\n", told[begin + len - 1]) != NULL)
        len--;
    if (strlen(j->file->story) == len && memcmp(j->file->story, told + begin, len) == 0)
        return;
    accuse_input(j, i);
    fprintf(j->out, "another story\n    stated: %s\n    told:   %.*s\n", j->file->story, (int)len,
            told + begin);
}

static void judge_input(struct judge *j, size_t i, const struct replay_verdict *v)
{
    if (v->failed) {
        accuse_input(j, i);
        fprintf(j->out, "%s\n%s\n", v->id, v->report);
        return;
    }
    judge_outcome(j, i, v->outcome);
    judge_story(j, i, v->story);
}

/* The file must reach its marks with some of its inputs, not with each. */
static void judge_marks(struct judge *j, const uint64_t reached[SIM_MARKS_MAX])
{
    const char *const *names = j->file->target->marks;

    if (j->file->marks == NULL)
        return;
    for (size_t i = 0; names[i] != NULL; i++) {
        const char *at = j->file->marks;
        bool is_stated = false;
        while (*at != '\0') {
            size_t len = strcspn(at, " \t");
            is_stated |= len == strlen(names[i]) && memcmp(at, names[i], len) == 0;
            at += len + strspn(at + len, " \t");
        }
        if (is_stated && reached[i] == 0) {
            accuse(j);
            fprintf(j->out, "  mark not reached: %s\n", names[i]);
        }
    }
}

void replay_add(struct replay_verdict *sum, const struct replay_verdict *v)
{
    sum->ops_live += v->ops_live;
    sum->ops_dead += v->ops_dead;
    sum->requests += v->requests;
    sum->refused += v->refused;
    sum->steps_hint += v->steps_hint;
    for (size_t i = 0; i < SIM_MARKS_MAX; i++)
        sum->marks[i] += v->marks[i];
    for (size_t i = 0; i < SIM_OPCODES; i++) {
        sum->op_counts[i] += v->op_counts[i];
        for (size_t k = 0; k < SIM_CHOICES; k++)
            sum->choice_counts[i][k] += v->choice_counts[i][k];
    }
}

bool replay_file_as(const struct corpus_file *file, enum replay_how how, FILE *out,
                    struct replay_verdict *sum)
{
    struct judge j = {.file = file, .out = out};
    struct replay_verdict total = {0}, v;

    for (size_t i = 0; i < corpus_input_count(file); i++) {
        size_t len = 0;
        uint8_t *input = corpus_input(file, i, &len);
        bool has_run =
            replay_run(file->target, wb_view_of(input, len), how, file->story != NULL, &v);
        if (has_run) {
            judge_input(&j, i, &v);
            replay_add(&total, &v);
            replay_verdict_free(&v);
        } else {
            accuse_input(&j, i);
            fprintf(out, "no child process: %s\n", strerror(errno));
        }
        free(input);
    }
    judge_marks(&j, total.marks);
    if (sum != NULL)
        replay_add(sum, &total);
    return !j.has_spoken;
}

bool replay_file(const struct corpus_file *file, FILE *out, struct replay_verdict *sum)
{
    return replay_file_as(file, REPLAY_FULL, out, sum);
}
