/*
 * certify.c: `bed certify`, the trace hash of every corpus entry as text that all builds must agree
 * on. ci/certify.sh runs it in several, with memory that holds other bytes and lies elsewhere.
 */
#include "targets/bed/bed.h"
#include "targets/driver/corpus_certify.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

struct certify_options {
    const char *write_to, *check_with;
    bool is_reverse;
};

struct certify_set {
    char **paths;
    struct wb_buf *lines; /* of each */
    size_t count;
};

static bool certify_one(const char *path, struct wb_buf *out)
{
    struct corpus_file file;

    if (!bed_load(path, NULL, &file))
        return false;
    /* The canary's inputs must fail. */
    if (strcmp(file.target->name, "canary") != 0) {
        bed_finding_in_this_process(&file);
        bed_must(corpus_certify(&file, out) ? WB_OK : WB_E_NOMEM);
    }
    corpus_free(&file);
    return true;
}

static bool set_run(struct certify_set *set, const char *root, bool is_reverse)
{
    char error[CORPUS_ERROR_MAX];
    bool ok = true;

    if (!corpus_find(root, &set->paths, &set->count, error)) {
        bed_cannot("%s", error);
        return false;
    }
    set->lines = bed_take(set->count * sizeof *set->lines);
    for (size_t i = 0; i < set->count; i++)
        set->lines[i] = bed_buf();
    for (size_t i = 0; i < set->count; i++) {
        size_t at = is_reverse ? set->count - 1 - i : i;
        if (strstr(set->paths[at], "/vectors/") == NULL)
            ok = certify_one(set->paths[at], &set->lines[at]) && ok;
    }
    return ok;
}

static void set_join(const struct certify_set *set, struct wb_buf *out)
{
    for (size_t i = 0; i < set->count; i++)
        bed_must(wb_buf_add(out, wb_buf_view(&set->lines[i])));
}

static void set_free(struct certify_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        wb_buf_fini(&set->lines[i]);
    free(set->lines);
    corpus_paths_free(set->paths, set->count);
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
    struct certify_set set = {0};
    struct wb_buf text = bed_buf();
    int status = BED_CANNOT;

    if (set_run(&set, root, options->is_reverse)) {
        set_join(&set, &text);
        status = BED_PASS;
        if (text.len == 0)
            status = bed_cannot("%s: no inputs to run", root);
        else if (options->write_to != NULL || options->check_with == NULL)
            status = bed_write(options->write_to, wb_buf_view(&text), true) ? BED_PASS : BED_CANNOT;
        if (status == BED_PASS && options->check_with != NULL)
            status = certify_check(options->check_with, wb_buf_view(&text));
    }
    set_free(&set);
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
