/*
 * main.c: the program of one target where no engine is linked: it replays files and folders,
 * corpus/NAME unless told. With -1 it ends at the first failure, after a quick look at every file:
 * all that a planted bug needs. Exit status: 0 all passed, 1 something failed, 2 could not read,
 * or nothing was run.
 */
#include "targets/driver/replay.h"

#include <string.h>

struct tally {
    const struct fuzz_target *target;
    bool ends_at_first;
    size_t passed, failed;
    size_t inputs; /* run so far, both looks taken together */
};

static bool is_over(const struct tally *tally)
{
    return tally->ends_at_first && tally->failed > 0;
}

static bool replay_path(struct tally *tally, const char *path, enum replay_how how)
{
    char error[CORPUS_ERROR_MAX];
    char **paths = NULL;
    size_t count = 0;
    bool ok = true;

    if (!corpus_find(path, &paths, &count, error)) {
        fprintf(stderr, "%s\n", error);
        return false;
    }
    for (size_t i = 0; i < count && !is_over(tally); i++) {
        struct corpus_file file;
        ok = corpus_load(paths[i], tally->target, &file, error);
        if (!ok) {
            fprintf(stderr, "%s\n", error);
            break;
        }
        if (replay_file_as(&file, how, stderr, NULL))
            tally->passed++;
        else
            tally->failed++;
        tally->inputs += corpus_input_count(&file);
        corpus_free(&file);
    }
    corpus_paths_free(paths, count);
    return ok;
}

static bool replay_paths(struct tally *tally, char *const *paths, int count, enum replay_how how)
{
    char folder[256];

    tally->passed = tally->failed = 0;
    snprintf(folder, sizeof folder, "corpus/%s", tally->target->name);
    if (count == 0)
        return replay_path(tally, folder, how);
    for (int i = 0; i < count; i++) {
        if (!replay_path(tally, paths[i], how))
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct tally tally = {.target = fuzz_target_at(0)};

    if (argc > 1 && strcmp(argv[1], "-1") == 0) {
        tally.ends_at_first = true;
    } else if (argc > 1 && argv[1][0] == '-') {
        fprintf(stderr, "usage: %s [-1] [file or folder ...]\nreplays corpus/%s: %s\n", argv[0],
                tally.target->name, tally.target->property);
        return 2;
    }
    int first = tally.ends_at_first ? 2 : 1;
    if (tally.ends_at_first && !replay_paths(&tally, argv + first, argc - first, REPLAY_ONCE))
        return 2;
    if (!is_over(&tally) && !replay_paths(&tally, argv + first, argc - first, REPLAY_FULL))
        return 2;
    if (tally.passed + tally.failed == 0) {
        fprintf(stderr, "nothing was run\n");
        return 2;
    }
    if (is_over(&tally))
        printf("%zu inputs until the first failure\n", tally.inputs);
    printf("%zu passed, %zu failed\n", tally.passed, tally.failed);
    return tally.failed > 0;
}
