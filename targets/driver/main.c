/*
 * main.c: the program of one target where no engine is linked: it replays files and folders,
 * corpus/NAME unless told. Exit status: 0 all passed, 1 something failed or nothing was run, 2
 * could not read.
 */
#include "targets/driver/replay.h"

#include <string.h>

struct tally {
    size_t passed, failed;
};

static bool replay_path(const struct fuzz_target *target, const char *path, struct tally *tally)
{
    char error[CORPUS_ERROR_MAX];
    char **paths = NULL;
    size_t count = 0;
    bool ok = true;

    if (!corpus_find(path, &paths, &count, error)) {
        fprintf(stderr, "%s\n", error);
        return false;
    }
    for (size_t i = 0; ok && i < count; i++) {
        struct corpus_file file;
        if (!corpus_load(paths[i], target, &file, error)) {
            fprintf(stderr, "%s\n", error);
            ok = false;
            break;
        }
        if (replay_file(&file, stderr, NULL))
            tally->passed++;
        else
            tally->failed++;
        corpus_free(&file);
    }
    corpus_paths_free(paths, count);
    return ok;
}

int main(int argc, char **argv)
{
    const struct fuzz_target *target = fuzz_target_at(0);
    struct tally tally = {0};
    char folder[256];

    snprintf(folder, sizeof folder, "corpus/%s", target->name);
    if (argc > 1 && argv[1][0] == '-') {
        fprintf(stderr, "usage: %s [file or folder ...]\nreplays %s: %s\n", argv[0], folder,
                target->property);
        return 2;
    }
    if (argc < 2 && !replay_path(target, folder, &tally))
        return 2;
    for (int i = 1; i < argc; i++) {
        if (!replay_path(target, argv[i], &tally))
            return 2;
    }
    if (tally.passed + tally.failed == 0)
        fprintf(stderr, "nothing was run\n");
    printf("%zu passed, %zu failed\n", tally.passed, tally.failed);
    return tally.failed > 0 || tally.passed == 0;
}
