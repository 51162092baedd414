/*
 * asm.c: `bed asm`, the bytes that a text stands for: what an engine is fed with.
 */
#include "targets/bed/bed.h"

#include <getopt.h>
#include <stdlib.h>
#include <unistd.h>

static int bed_asm(int argc, char **argv)
{
    struct bed_source source = {0};
    const char *out = NULL;
    uint64_t config = 0;
    const struct bed_option options[] = {
        BED_SOURCE(source),
        {.name = "config", .number = &config, .max = CORPUS_CONFIGS_MAX},
        {.name = "out", .text = &out},
        {.name = NULL}};
    struct corpus_file file;
    size_t len;

    if (!bed_options(argc, argv, options, 1, 1))
        return BED_CANNOT;
    if (out == NULL && isatty(STDOUT_FILENO))
        return bed_cannot("bytes do not go to a terminal; name a file with -o");
    uint8_t *bytes = bed_input(argv[optind], &source, config, &file, &len);
    if (bytes == NULL)
        return BED_CANNOT;
    bool ok = bed_write(out, wb_view_of(bytes, len), true);
    free(bytes);
    corpus_free(&file);
    return ok ? BED_PASS : BED_CANNOT;
}

BED_COMMAND(.name = "asm", .text = "the bytes of a text, as engines take them",
            .usage = "[--target NAME] [--whole] [--config I] FILE [-o OUT]\n\n"
                     "A wire input gets its configuration as byte 0; --config picks one of "
                     "several.\n" BED_SOURCE_HELP,
            .run = bed_asm);
