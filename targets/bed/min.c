/*
 * min.c: `bed min`, the smallest input that breaks the same invariant.
 */
#include "targets/bed/bed.h"
#include "targets/bed/shrink.h"

#include <getopt.h>

static int min_file(const struct corpus_file *file, uint64_t attempts, const char *out)
{
    struct wb_buf text = bed_buf();
    struct bed_shrink *s;
    int status = BED_CANNOT;
    enum bed_shrink_start start = bed_shrink_first(file, attempts, &s);

    if (start == BED_SHRINK_PASSES)
        bed_cannot("%s: does not fail, so there is nothing to minimise", file->path);
    if (start == BED_SHRINK_FAILS) {
        size_t before = s->len;
        bed_shrink_run(s);
        bed_finding_head(s->id, &text);
        bed_text_input(s->target, wb_view_of(s->best, s->len), &text);
        if (bed_write(out, wb_buf_view(&text), true)) {
            status = BED_PASS;
            fprintf(stderr, "%s: from %zu to %zu bytes in %llu attempts%s\n", s->id, before, s->len,
                    (unsigned long long)s->attempts,
                    s->attempts >= s->attempts_max ? ", which is the bound" : "");
        }
    }
    bed_shrink_free(s);
    wb_buf_fini(&text);
    return status;
}

static int bed_min(int argc, char **argv)
{
    struct bed_source source = {0};
    const char *out = NULL;
    uint64_t attempts = BED_SHRINK_ATTEMPTS;
    const struct bed_option options[] = {
        BED_SOURCE(source),
        {.name = "attempts", .number = &attempts, .max = UINT32_MAX},
        {.name = "out", .text = &out},
        {.name = NULL}};
    struct corpus_file file;

    if (!bed_options(argc, argv, options, 1, 1) || !bed_load_from(argv[optind], &source, &file))
        return BED_CANNOT;
    int status = min_file(&file, attempts, out);
    corpus_free(&file);
    return status;
}

BED_COMMAND(.name = "min", .text = "the smallest input that breaks the same invariant",
            .usage = "[--target NAME] [--whole] [--attempts 4000] FILE [-o OUT]\n\n"
                     "Writes text. The invariant's id never changes on the way; the result is the\n"
                     "same each time.\n" BED_SOURCE_HELP,
            .run = bed_min);
