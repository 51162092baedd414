/*
 * certify.c: `bed certify`, the trace hash of every corpus entry as text that all builds must agree
 * on. ci/certify.sh runs it in several, with memory that holds other bytes and lies elsewhere.
 */
#include "targets/bed/bed.h"
#include "targets/driver/corpus_certify.h"

#include <getopt.h>
#include <stdlib.h>

struct certify_options {
    const char *write_to, *check_with;
    bool is_reverse;
};

/* The lines of each file, in the order of the files whatever order they ran in. */
static void certify_files(const struct bed_files *files, bool is_reverse, struct wb_buf *out)
{
    struct wb_buf *lines = bed_take(files->count * sizeof *lines);

    for (size_t i = 0; i < files->count; i++) {
        size_t at = is_reverse ? files->count - 1 - i : i;
        lines[at] = bed_buf();
        bed_finding_in_this_process(&files->at[at]);
        if (fuzz_target_is_listed(files->at[at].target))
            bed_must(corpus_certify(&files->at[at], &lines[at]) ? WB_OK : WB_E_NOMEM);
    }
    for (size_t i = 0; i < files->count; i++) {
        bed_must(wb_buf_add(out, wb_buf_view(&lines[i])));
        wb_buf_fini(&lines[i]);
    }
    free(lines);
}

static int certify_check(const char *path, struct wb_view got)
{
    struct wb_buf want = bed_buf();
    int status = BED_CANNOT;

    if (bed_read(path, &want)) {
        size_t same, differ = corpus_certify_differ(wb_buf_view(&want), path, got, "this build",
                                                    stdout, &same);
        printf("%zu passed, %zu failed\n", same, differ);
        status = differ > 0 ? BED_FOUND : BED_PASS;
    }
    wb_buf_fini(&want);
    return status;
}

static int certify(const char *root, const struct certify_options *options)
{
    struct bed_files files = {0};
    struct wb_buf text = bed_buf();
    int status = BED_CANNOT;

    if (bed_files_add(&files, root, &(struct bed_source){0})) {
        certify_files(&files, options->is_reverse, &text);
        status = BED_PASS;
        if (text.len == 0)
            status = bed_cannot("%s: no inputs to run", root);
        else if (options->write_to != NULL || options->check_with == NULL)
            status = bed_write(options->write_to, wb_buf_view(&text), true) ? BED_PASS : BED_CANNOT;
        if (status == BED_PASS && options->check_with != NULL)
            status = certify_check(options->check_with, wb_buf_view(&text));
    }
    bed_files_free(&files);
    wb_buf_fini(&text);
    return status;
}

static int bed_certify(int argc, char **argv)
{
    struct certify_options options = {0};
    const char *fill_text = NULL;
    uint64_t fill;
    const struct bed_option table[] = {{.name = "write", .text = &options.write_to},
                                       {.name = "check", .text = &options.check_with},
                                       {.name = "fill", .text = &fill_text},
                                       {.name = "reverse", .flag = &options.is_reverse},
                                       {.name = NULL}};

    if (!bed_options(argc, argv, table, 0, 1))
        return BED_CANNOT;
    if (fill_text != NULL) {
        if (!bed_number("--fill", fill_text, UINT8_MAX, &fill))
            return BED_CANNOT;
        fuzz_run_state()->alloc.fills = true;
        fuzz_run_state()->alloc.fill = (uint8_t)fill;
    }
    return certify(optind < argc ? argv[optind] : "corpus", &options);
}

BED_COMMAND(.name = "certify", .text = "trace hashes of the corpus, which all builds must agree on",
            .usage = "[--write FILE] [--check FILE] [--fill BYTE] [--reverse] [PATH]\n\n"
                     "One line for each entry and configuration below PATH, or corpus: hash,\n"
                     "outcome, live and dead ops. --check compares with what another build wrote.\n"
                     "--fill gives fresh memory that content; --reverse runs the last one first",
            .run = bed_certify);
