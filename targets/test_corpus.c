/*
 * Every file below corpus/ is one test named target/kind/file, and so are the promises of a corpus
 * as a whole: each folder has a target, each target has seeds, and the files of a target together
 * reach its marks and run its ops.
 *
 *   test_corpus [-C FOLDER] [TARGET ...]
 */
#include "targets/driver/corpus_gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>

typedef bool (*promise_fn)(const struct fuzz_target *target, const struct corpus_sum *sum,
                           const char *where, FILE *out);

/* What a test is about; lives as long as the program's list. */
struct subject {
    const struct fuzz_target *target; /* NULL for a folder without one */
    struct corpus_sum *sum;           /* of the target's files */
    promise_fn promise;               /* of theirs together, or NULL */
    char *name;
    char *path;
    struct subject *next;
};

struct plan {
    struct CMUnitTest *tests;
    size_t count, capacity;
    struct subject *subjects;
};

static bool is_canary(const struct fuzz_target *target)
{
    return strcmp(target->name, "canary") == 0;
}

/* The canary in reverse: each input must fail, with the id that it is for. */
static bool canary_fails(const struct corpus_file *file)
{
    bool ok = true;

    for (size_t i = 0; i < corpus_input_count(file); i++) {
        struct replay_verdict v;
        size_t len = 0;
        uint8_t *input = corpus_input(file, i, &len);
        ok = ok && replay_run(file->target, wb_view_of(input, len), REPLAY_FULL, false, &v);
        free(input);
        if (!ok)
            break;
        ok = v.failed && strcmp(v.id, "BED-006") == 0;
        if (!ok)
            fprintf(stderr, "%s: must fail with BED-006, %s\n", file->path,
                    v.failed ? v.id : "passes");
        replay_verdict_free(&v);
    }
    return ok;
}

static bool file_passes(const struct corpus_file *file, struct corpus_sum *sum)
{
    struct replay_verdict runs = {0};
    bool ok = replay_file(file, stderr, &runs);

    ok = corpus_gate_prints(file, stderr) && ok;
    ok = corpus_gate_lives(file, &runs, stderr) && ok;
    corpus_gate_add(sum, file, &runs);
    return ok;
}

static void test_file(void **state)
{
    struct subject *s = *state;
    struct corpus_file file;
    char error[CORPUS_ERROR_MAX];

    if (!corpus_load(s->path, s->target, &file, error))
        fail_msg("%s", error);
    bool ok = is_canary(s->target) ? canary_fails(&file) : file_passes(&file, s->sum);
    corpus_free(&file);
    if (!ok)
        fail_msg("replay it: build/bed run %s", s->path);
}

static void test_no_target(void **state)
{
    struct subject *s = *state;

    fail_msg("%s: there is no target of that name", s->path);
}

static void test_stray(void **state)
{
    struct subject *s = *state;

    fail_msg("%s: no one replays what is not in seeds/, cases/ or regress/", s->path);
}

static void test_unreadable(void **state)
{
    struct subject *s = *state;

    fail_msg("%s", s->path);
}

static void test_no_seeds(void **state)
{
    struct subject *s = *state;

    fail_msg("%s/seeds: the target has none", s->path);
}

/* Promises of the files of a target together. */
static void test_promise(void **state)
{
    struct subject *s = *state;

    assert_true(s->promise(s->target, s->sum, s->path, stderr));
}

static char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

static char *text_of(const char *format, ...)
{
    char *text = NULL;
    va_list args;

    va_start(args, format);
    int len = vasprintf(&text, format, args);
    va_end(args);
    WB_ASSERT(len >= 0);
    return text;
}

/* Takes over `name` and `path`. */
static void plan_add(struct plan *p, CMUnitTestFunction function, const struct fuzz_target *target,
                     struct corpus_sum *sum, char *name, char *path)
{
    struct subject *s = malloc(sizeof *s);

    if (p->count == p->capacity) {
        p->capacity = p->capacity == 0 ? 64 : p->capacity * 2;
        p->tests = realloc(p->tests, p->capacity * sizeof *p->tests);
    }
    WB_ASSERT(s != NULL);
    WB_ASSERT(p->tests != NULL);
    *s = (struct subject){target, sum, NULL, name, path, p->subjects};
    p->subjects = s;
    p->tests[p->count++] = (struct CMUnitTest){name, function, NULL, NULL, s};
}

static void plan_free(struct plan *p)
{
    while (p->subjects != NULL) {
        struct subject *s = p->subjects;
        p->subjects = s->next;
        free(s->name);
        free(s->path);
        free(s);
    }
    free(p->tests);
}

/* True when `file`, a path below the target's folder, is in that part of it. */
static bool is_part(const char *file, const char *part)
{
    size_t len = strlen(part);

    return strncmp(file, part, len) == 0 && file[len] == '/';
}

/* One test for each file below root/NAME. Returns how many seeds there were. */
static size_t plan_files(struct plan *p, const char *root, const char *name,
                         const struct fuzz_target *target, struct corpus_sum *sum)
{
    char error[CORPUS_ERROR_MAX];
    char **paths = NULL;
    char *folder = text_of("%s/%s", root, name);
    size_t count = 0, seeds = 0;

    if (!corpus_find(folder, &paths, &count, error))
        plan_add(p, test_unreadable, target, sum, text_of("%s/readable", name),
                 text_of("%s", error));
    for (size_t i = 0; i < count; i++) {
        const char *file = paths[i] + strlen(folder) + 1;
        bool is_seed = is_part(file, "seeds");
        bool is_replayed = is_seed || is_part(file, "cases") || is_part(file, "regress");
        plan_add(p, is_replayed ? test_file : test_stray, target, sum, text_of("%s/%s", name, file),
                 text_of("%s", paths[i]));
        seeds += is_seed;
    }
    corpus_paths_free(paths, count);
    free(folder);
    return seeds;
}

static bool is_chosen(const char *name, int count, char **names)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return count == 0;
}

static const struct {
    const char *name;
    promise_fn promise;
} promises[] = {
    {"marks-reached", corpus_gate_marks},    {"ops-run", corpus_gate_ops},
    {"choices-said", corpus_gate_choices},   {"classes-off", corpus_gate_swarm},
    {"memory-refused", corpus_gate_refused},
};

static void plan_target(struct plan *p, const char *root, const struct fuzz_target *target,
                        struct corpus_sum *sum)
{
    const char *name = target->name;
    char *folder = text_of("%s/%s", root, name);
    DIR *dir = opendir(folder);
    size_t seeds = dir == NULL ? 0 : plan_files(p, root, name, target, sum);

    if (dir != NULL)
        closedir(dir);
    if (seeds == 0)
        plan_add(p, test_no_seeds, target, sum, text_of("%s/has-seeds", name),
                 text_of("%s", folder));
    for (size_t i = 0; i < sizeof promises / sizeof promises[0]; i++) {
        plan_add(p, test_promise, target, sum, text_of("%s/%s", name, promises[i].name),
                 text_of("%s", folder));
        p->subjects->promise = promises[i].promise;
    }
    free(folder);
}

/* Folders that nobody would replay, vectors aside. False when the root cannot be read. */
static bool plan_orphans(struct plan *p, const char *root)
{
    struct dirent **entries = NULL;
    int count = scandir(root, &entries, NULL, alphasort);

    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        char *path = text_of("%s/%s", root, name);
        DIR *dir = name[0] == '.' ? NULL : opendir(path);
        if (dir != NULL && fuzz_target_find(name) == NULL && strcmp(name, "vectors") != 0)
            plan_add(p, test_no_target, NULL, NULL, text_of("%s/has-target", name),
                     text_of("%s", path));
        if (dir != NULL)
            closedir(dir);
        free(path);
        free(entries[i]);
    }
    free(entries);
    return count >= 0;
}

int main(int argc, char **argv)
{
    const char *root = "corpus";
    int first = 1;

    if (argc > 2 && strcmp(argv[1], "-C") == 0) {
        root = argv[2];
        first = 3;
    }
    struct plan plan = {0};
    struct corpus_sum *sums = calloc(fuzz_target_count() + 1, sizeof *sums);
    WB_ASSERT(sums != NULL);

    if (first == argc && !plan_orphans(&plan, root))
        fprintf(stderr, "%s: cannot be read\n", root);
    for (size_t i = 0; i < fuzz_target_count(); i++) {
        const struct fuzz_target *target = fuzz_target_at(i);
        if (is_chosen(target->name, argc - first, argv + first))
            plan_target(&plan, root, target, &sums[i]);
    }
    int failed = 1;
    if (plan.count > 0)
        failed = _cmocka_run_group_tests("corpus", plan.tests, plan.count, NULL, NULL);
    else
        fprintf(stderr, "nothing was run\n");
    plan_free(&plan);
    free(sums);
    return failed < 0 || failed > 125 ? 125 : failed;
}
