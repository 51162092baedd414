/*
 * min.c: `bed min`, the smallest input that breaks the same invariant.
 */
#include "targets/bed/bed.h"
#include "targets/bed/shrink.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct min_options {
    const char *target_name, *out;
    uint64_t attempts;
};

/* The first input of the file that fails, ready to shrink. NULL after a message. */
static struct bed_shrink *first_failing(const struct corpus_file *file, uint64_t attempts)
{
    for (size_t i = 0; i < corpus_input_count(file); i++) {
        struct bed_shrink *s;
        size_t len;
        uint8_t *bytes = corpus_input(file, i, &len);
        enum bed_shrink_start start = bed_shrink_new(file->target, wb_view_of(bytes, len), attempts,
                                                     isatty(STDERR_FILENO), &s);
        free(bytes);
        if (start == BED_SHRINK_FAILS)
            return s;
        bed_shrink_free(s);
        if (start == BED_SHRINK_CANNOT)
            return NULL;
    }
    bed_cannot("%s: does not fail, so there is nothing to minimise", file->path);
    return NULL;
}

static int min_file(const char *path, const struct min_options *options)
{
    struct corpus_file file;
    struct wb_buf text = bed_buf();
    int status = BED_CANNOT;

    if (!bed_load(path, options->target_name, &file))
        return BED_CANNOT;
    struct bed_shrink *s = first_failing(&file, options->attempts);
    if (s != NULL) {
        size_t before = s->len;
        bed_shrink_run(s);
        bed_finding_head(s->id, &text);
        bed_text_input(s->target, wb_view_of(s->best, s->len), &text);
        if (bed_write(options->out, wb_buf_view(&text), true))
            status = BED_PASS;
        fprintf(stderr, "%s: from %zu to %zu bytes in %llu attempts%s\n", s->id, before, s->len,
                (unsigned long long)s->attempts,
                s->attempts >= s->attempts_max ? ", which is the bound" : "");
    }
    bed_shrink_free(s);
    wb_buf_fini(&text);
    corpus_free(&file);
    return status;
}

static int bed_min(int argc, char **argv)
{
    static const struct option longs[] = {{"target", required_argument, NULL, 't'},
                                          {"attempts", required_argument, NULL, 'a'},
                                          {NULL, 0, NULL, 0}};
    struct min_options options = {.attempts = BED_SHRINK_ATTEMPTS};
    int c;

    while ((c = getopt_long(argc, argv, "o:", longs, NULL)) != -1) {
        if (c == '?')
            return bed_misuse(argv[0]);
        if (c == 't')
            options.target_name = optarg;
        if (c == 'o')
            options.out = optarg;
        if (c == 'a' && !bed_number("--attempts", optarg, UINT32_MAX, &options.attempts))
            return BED_CANNOT;
    }
    if (argc - optind != 1)
        return bed_misuse(argv[0]);
    return min_file(argv[optind], &options);
}

BED_COMMAND(.name = "min", .text = "the smallest input that breaks the same invariant",
            .usage = "[--target NAME] [--attempts 4000] FILE [-o OUT]\n\n"
                     "Writes text. The invariant's id never changes on the way; the result is the\n"
                     "same each time.",
            .run = bed_min);
