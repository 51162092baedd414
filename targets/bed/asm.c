/*
 * asm.c: `bed asm`, the bytes that a text stands for: what an engine is fed with.
 */
#include "targets/bed/bed.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct asm_options {
    const char *target_name, *out;
    uint64_t config; /* which of the file's configurations, from 0 */
};

static int asm_file(const char *path, const struct asm_options *options)
{
    struct corpus_file file;
    size_t len, count;

    if (!bed_load(path, options->target_name, &file))
        return BED_CANNOT;
    count = corpus_input_count(&file);
    if (options->config >= count) {
        corpus_free(&file);
        return bed_cannot("%s: there are %zu configurations, counted from 0", path, count);
    }
    uint8_t *bytes = corpus_input(&file, (size_t)options->config, &len);
    corpus_free(&file);
    bed_must(bytes != NULL ? WB_OK : WB_E_NOMEM);
    bool ok = bed_write(options->out, wb_view_of(bytes, len), true);
    free(bytes);
    return ok ? BED_PASS : BED_CANNOT;
}

static int bed_asm(int argc, char **argv)
{
    static const struct option longs[] = {{"target", required_argument, NULL, 't'},
                                          {"config", required_argument, NULL, 'c'},
                                          {NULL, 0, NULL, 0}};
    struct asm_options options = {0};
    int c;

    while ((c = getopt_long(argc, argv, "o:", longs, NULL)) != -1) {
        if (c == '?')
            return bed_misuse(argv[0]);
        if (c == 't')
            options.target_name = optarg;
        if (c == 'o')
            options.out = optarg;
        if (c == 'c' && !bed_number("--config", optarg, CORPUS_CONFIGS_MAX, &options.config))
            return BED_CANNOT;
    }
    if (argc - optind != 1)
        return bed_misuse(argv[0]);
    if (options.out == NULL && isatty(STDOUT_FILENO))
        return bed_cannot("bytes do not go to a terminal; name a file with -o");
    return asm_file(argv[optind], &options);
}

BED_COMMAND(.name = "asm", .text = "the bytes of a text, as engines take them",
            .usage =
                "[--target NAME] [--config I] FILE [-o OUT]\n\n"
                "A wire input gets its configuration as byte 0; --config picks one of several.",
            .run = bed_asm);
