/*
 * run_inputs.c: the inputs of all targets, from the corpus or drawn, and one run of one.
 */
#include "ci/mutate/run.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *now_what = "", *now_path = "";

void *mutate_take(size_t count, size_t size)
{
    void *block = calloc(count > 0 ? count : 1, size > 0 ? size : 1);

    if (block == NULL) {
        perror("mutate");
        exit(2);
    }
    return block;
}

uint64_t mutate_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- with no mutant alive ---- */

static void on_end(int number)
{
    fprintf(stderr, "mutant 0 is not clean: %s of %s: signal %d\n", now_what, now_path, number);
    fflush(stderr);
    _exit(2);
}

void mutate_now(const char *what, const char *path)
{
    now_what = what;
    now_path = path;
    signal(SIGABRT, on_end);
    signal(SIGTRAP, on_end);
    signal(SIGILL, on_end);
    signal(SIGSEGV, on_end);
}

static bool add_file(struct mutate *m, const char *path, const struct fuzz_target *target)
{
    char error[CORPUS_ERROR_MAX];

    m->files = realloc(m->files, (m->file_count + 1) * sizeof(*m->files));
    if (m->files == NULL)
        return false;
    if (!corpus_load(path, target, &m->files[m->file_count], error)) {
        fprintf(stderr, "%s\n", error);
        return false;
    }
    m->input_count += corpus_input_count(&m->files[m->file_count++]);
    return true;
}

bool mutate_load(struct mutate *m)
{
    char folder[256], error[CORPUS_ERROR_MAX], **paths;
    size_t count, n = 0;
    bool ok = true;

    for (size_t t = 0; t < fuzz_target_count(); t++) {
        const struct fuzz_target *target = fuzz_target_at(t);
        const char *root = getenv("MUTATE_CORPUS");
        snprintf(folder, sizeof(folder), "%s/%s", root != NULL ? root : "corpus", target->name);
        if (!corpus_find(folder, &paths, &count, error))
            continue;
        for (size_t i = 0; ok && i < count; i++)
            ok = add_file(m, paths[i], target);
        corpus_paths_free(paths, count);
    }
    m->inputs = mutate_take(m->input_count, sizeof(*m->inputs));
    for (size_t f = 0; ok && f < m->file_count; f++) {
        for (size_t i = 0; i < corpus_input_count(&m->files[f]); i++, n++) {
            m->inputs[n].file = &m->files[f];
            m->inputs[n].target = m->files[f].target;
            m->inputs[n].bytes = corpus_input(&m->files[f], i, &m->inputs[n].len);
        }
    }
    return ok;
}

/* ---- one run ---- */

static bool is_expected(const struct corpus_file *file, enum wb_err outcome)
{
    size_t k = 0;

    while (k < file->expect_count && file->expect[k] != outcome)
        k++;
    return file->expect_count == 0 || k < file->expect_count;
}

static bool is_story(const char *stated, const char *told)
{
    size_t begin = strspn(told, " \t\n"), len = strlen(told + begin);

    while (len > 0 && strchr(" \t\n", told[begin + len - 1]) != NULL)
        len--;
    return strlen(stated) == len && memcmp(stated, told + begin, len) == 0;
}

static void is_wrong(const char *why)
{
    fprintf(stderr, "ASSERTION FAILED: %s\n", why);
    abort();
}

bool mutate_try(const struct mutate_input *in, uint64_t n)
{
    struct sim_run *run = fuzz_run_state();
    const struct corpus_file *file = in->file;

    run->story_on = n == 0 && file != NULL && file->story != NULL;
    if (file != NULL && file->marks != NULL)
        memset(run->marks, 0, sizeof(run->marks));
    if (n > 0) {
        fuzz_run_failing(in->target, wb_view_of(in->bytes, in->len), n);
        return false;
    }
    run = fuzz_run(in->target, wb_view_of(in->bytes, in->len));
    if (file == NULL)
        return run->trace.hash != in->hash;
    if (!is_expected(file, run->outcome))
        is_wrong("# expect");
    if (file->story != NULL && !is_story(file->story, run->story))
        is_wrong("# story");
    for (unsigned i = 0; file->marks != NULL && i < SIM_MARKS_MAX; i++) {
        if ((in->marks[i / 64] >> i % 64 & 1) != 0 && run->marks[i] == 0)
            is_wrong("# marks");
    }
    return run->trace.hash != in->hash;
}

static bool names(const char *list, const char *name)
{
    size_t len = strlen(name);

    for (const char *at = list; *at != '\0';) {
        size_t n = strcspn(at, " \t");
        if (n == len && memcmp(at, name, len) == 0)
            return true;
        at += n + strspn(at + n, " \t");
    }
    return false;
}

/* A mark that two inputs of a file reach is asked of neither. */
static void take_marks(struct mutate *m, size_t i, const struct sim_run *run)
{
    struct mutate_input *in = &m->inputs[i];
    const char *const *name = in->target->marks;

    for (unsigned k = 0; name[k] != NULL && k < SIM_MARKS_MAX; k++) {
        if (!names(in->file->marks, name[k]) || run->marks[k] == 0)
            continue;
        bool is_first = true;
        for (size_t j = i; j > 0 && m->inputs[j - 1].file == in->file; j--) {
            is_first &= (m->inputs[j - 1].marks[k / 64] >> k % 64 & 1) == 0;
            m->inputs[j - 1].marks[k / 64] &= ~(UINT64_C(1) << k % 64);
        }
        if (is_first)
            in->marks[k / 64] |= UINT64_C(1) << k % 64;
    }
}

void mutate_record(struct mutate *m)
{
    for (size_t i = 0; i < m->input_count; i++) {
        struct mutate_input *in = &m->inputs[i];

        mutate_now("the run", in->file->path);
        memset(mutate_notes, 0, sizeof(mutate_notes));
        mutate_map = mutate_notes;
        mutate_try(in, 0);
        mutate_map = NULL;
        const struct sim_run *run = fuzz_run_state();
        in->hash = run->trace.hash;
        in->requests = run->alloc.requests;
        if (in->file->marks != NULL)
            take_marks(m, i, run);
        uint64_t begin = mutate_ns();
        if (mutate_try(in, 0))
            is_wrong("the second run differs");
        in->ns = mutate_ns() - begin;
        for (size_t k = 0; k < m->mutant_count; k++) {
            struct mutant *x = &m->mutants[k];
            x->is_reached |= mutate_notes[x->id] != 0;
            if ((mutate_notes[x->id] & MUTATE_DIFFERS) != 0)
                x->inputs[i / 8] |= (uint8_t)(1u << i % 8);
        }
    }
}
