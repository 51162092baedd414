/*
 * run.c: `bed run`, replays files and folders in full and shows what fails.
 */
#include "targets/bed/bed.h"

#include <getopt.h>
#include <stdlib.h>
#include <unistd.h>

/* The first input of the file that fails by itself, told in full; false when only the file's
 * statements are broken. */
static bool show_failing_input(const struct corpus_file *file, bool is_whole)
{
    for (size_t i = 0; i < corpus_input_count(file); i++) {
        struct replay_verdict verdict;
        size_t len;
        uint8_t *bytes = corpus_input(file, i, &len);
        bed_must(bytes != NULL ? WB_OK : WB_E_NOMEM);
        struct wb_view input = wb_view_of(bytes, len);
        bool failed = false;

        if (replay_run(file->target, input, REPLAY_FULL, false, &verdict)) {
            failed = verdict.failed;
            if (failed)
                bed_finding_print(file->target, input, &verdict, file->path, is_whole, stdout);
            replay_verdict_free(&verdict);
        }
        free(bytes);
        if (failed)
            return true;
    }
    return false;
}

static bool run_file(const struct corpus_file *file, bool is_whole, bool live)
{
    char *why = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&why, &len);
    bed_must(out != NULL ? WB_OK : WB_E_NOMEM);
    bool passed = replay_file(file, out, NULL);
    fclose(out);

    if (!passed) {
        if (live)
            fputs("\033[K", stderr);
        printf("FAILED %s\n", file->path);
        if (!show_failing_input(file, is_whole)) {
            fputs(why, stdout);
            fputs("  again: ", stdout);
            bed_finding_command(file->target, file->path, is_whole, stdout);
        }
        fflush(stdout);
    }
    free(why);
    return passed;
}

static int run_all(const struct bed_files *files, bool is_whole)
{
    bool live = isatty(STDERR_FILENO);
    size_t failed = 0;

    for (size_t i = 0; i < files->count; i++) {
        if (live)
            fprintf(stderr, "\r\033[K[%zu/%zu] %s\r", i + 1, files->count, files->at[i].path);
        failed += run_file(&files->at[i], is_whole, live) ? 0 : 1;
    }
    if (live)
        fputs("\033[K", stderr);
    printf("%zu passed, %zu failed\n", files->count - failed, failed);
    return failed > 0 ? BED_FOUND : BED_PASS;
}

static int bed_run(int argc, char **argv)
{
    struct bed_files files = {0};
    struct bed_source source = {0};
    const struct bed_option options[] = {BED_SOURCE(source), {.name = NULL}};
    bool ok = true;

    if (!bed_options(argc, argv, options, 1, INT_MAX))
        return BED_CANNOT;
    if (source.target != NULL && bed_target(source.target) == NULL)
        return BED_CANNOT;
    /* Everything is read before anything runs: a file that cannot be read stops it all. */
    for (int i = optind; i < argc; i++) {
        size_t before = files.count;
        ok = bed_files_add(&files, argv[i], &source) && ok;
        if (ok && files.count == before)
            ok = bed_cannot("%s: no files to run", argv[i]) == BED_PASS;
    }
    int status = ok ? run_all(&files, source.is_whole) : BED_CANNOT;
    bed_files_free(&files);
    return status;
}

BED_COMMAND(.name = "run", .text = "replays files and folders and shows what fails",
            .usage = "[--target NAME] [--whole] PATH...\n\n"
                     "Each input runs twice with equal traces, then with single allocations\n"
                     "refused, and is held against what its file states. Files outside\n"
                     "corpus/NAME/ need --target.\n" BED_SOURCE_HELP,
            .run = bed_run);
