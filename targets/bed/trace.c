/*
 * trace.c: `bed trace`, one run in this very process, every step printed as it comes: for reading,
 * and for a debugger.
 */
#include "targets/bed/bed.h"
#include "targets/bed/trace_html.h"

#include <getopt.h>
#include <stdlib.h>

static void print_end(const struct sim_run *run, const char *how)
{
    if (run->story_len > 0)
        printf("story: %.*s\n", (int)run->story_len, run->story);
    printf("ended: %s\n", how);
    fflush(stdout);
}

static void on_death(int number)
{
    print_end(fuzz_run_state(), "a check failed; see above");
    fprintf(stderr, "(signal %d)\n", number);
}

static void trace_input(const struct fuzz_target *target, struct wb_view input)
{
    struct sim_run *run = fuzz_run_state();
    char how[256];

    bed_finding_on_death(on_death);
    setvbuf(stdout, NULL, _IOLBF, 0);
    run->story_on = true;
    run->trace.live = stdout;
    run = fuzz_run(target, input);
    run->trace.live = NULL;
    snprintf(how, sizeof(how), "%s, %s; trace %016llx, %llu ops live, %llu dead",
             wb_err_name((int)run->outcome), wb_err_text((int)run->outcome),
             (unsigned long long)run->trace.hash, (unsigned long long)run->ops_live,
             (unsigned long long)run->ops_dead);
    print_end(run, how);
}

static int bed_trace(int argc, char **argv)
{
    struct bed_source source = {0};
    const char *page = NULL;
    bool is_html = false;
    uint64_t config = 0;
    const struct bed_option options[] = {
        BED_SOURCE(source),
        {.name = "config", .number = &config, .max = CORPUS_CONFIGS_MAX},
        {.name = "html", .flag = &is_html},
        {.name = "out", .text = &page},
        {.name = NULL}};
    int status = BED_PASS;
    struct corpus_file file;
    size_t len;

    if (!bed_options(argc, argv, options, 1, 1))
        return BED_CANNOT;
    if (page != NULL && !is_html)
        return bed_wrong(argv[0], "-o needs --html");
    uint8_t *bytes = bed_input(argv[optind], &source, config, &file, &len);
    if (bytes == NULL)
        return BED_CANNOT;
    if (is_html)
        status = trace_html(&file, argv[optind], wb_view_of(bytes, len), page);
    else
        trace_input(file.target, wb_view_of(bytes, len));
    free(bytes);
    corpus_free(&file);
    return status;
}

BED_COMMAND(
        .name = "trace", .text = "one run, step by step with its virtual time",
        .usage =
            "[--target NAME] [--whole] [--config I] [--html [-o PAGE]] FILE\n\n"
            "Runs in the tool's own process, so that a debugger stops where it fails.\n"
            "--config picks one of a wire file's configurations, counted from 0.\n"
            "--html writes one page with a diagram of the run, to PAGE or stdout; the\n"
            "run is a child's, so that one that fails has a page too (exit 1).\n" BED_SOURCE_HELP,
        .run = bed_trace);
