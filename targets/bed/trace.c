/*
 * trace.c: `bed trace`, one run in this very process, every step printed as it comes: for reading,
 * and for a debugger.
 */
#include "targets/bed/bed.h"
#include "targets/bed/trace_html.h"

#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_end(const struct sim_run *run, const char *how)
{
    if (run->story_len > 0)
        printf("story: %.*s\n", (int)run->story_len, run->story);
    printf("ended: %s\n", how);
    fflush(stdout);
}

/*
 * A failed check ends in a trap. It comes from our own code, never from within stdio's locks, so
 * that printing the rest here is safe enough for a tool that ends right after.
 */
static void on_trap(int number)
{
    print_end(fuzz_run_state(), "a check failed; see above");
    fprintf(stderr, "(signal %d)\n", number);
    _exit(BED_FOUND);
}

static void trace_input(const struct fuzz_target *target, struct wb_view input)
{
    static const int traps[] = {SIGILL, SIGTRAP, SIGABRT};
    struct sim_run *run = fuzz_run_state();
    char how[256];

    for (size_t i = 0; i < sizeof(traps) / sizeof(traps[0]); i++)
        signal(traps[i], on_trap);
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
    static const struct option longs[] = {{"target", required_argument, NULL, 't'},
                                          {"config", required_argument, NULL, 'c'},
                                          {"html", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    const char *target_name = NULL, *out_path = NULL;
    bool is_html = false;
    int status = BED_PASS;
    struct corpus_file file;
    uint64_t config = 0;
    size_t len;
    int c;

    while ((c = getopt_long(argc, argv, "o:", longs, NULL)) != -1) {
        if (c == '?')
            return bed_misuse(argv[0]);
        if (c == 't')
            target_name = optarg;
        if (c == 'h')
            is_html = true;
        if (c == 'o')
            out_path = optarg;
        if (c == 'c' && !bed_number("--config", optarg, CORPUS_CONFIGS_MAX, &config))
            return BED_CANNOT;
    }
    if (argc - optind != 1 || (out_path != NULL && !is_html))
        return bed_misuse(argv[0]);
    if (!bed_load(argv[optind], target_name, &file))
        return BED_CANNOT;

    size_t count = corpus_input_count(&file);
    if (config >= count) {
        corpus_free(&file);
        return bed_cannot("%s: there are %zu configurations, counted from 0", argv[optind], count);
    }
    uint8_t *bytes = corpus_input(&file, (size_t)config, &len);
    bed_must(bytes != NULL ? WB_OK : WB_E_NOMEM);
    if (is_html)
        status = trace_html(&file, argv[optind], wb_view_of(bytes, len), out_path);
    else
        trace_input(file.target, wb_view_of(bytes, len));
    free(bytes);
    corpus_free(&file);
    return status;
}

BED_COMMAND(.name = "trace", .text = "one run, step by step with its virtual time",
            .usage = "[--target NAME] [--config I] [--html [-o PAGE]] FILE\n\n"
                     "Runs in the tool's own process, so that a debugger stops where it fails.\n"
                     "--config picks one of a wire file's configurations, counted from 0.\n"
                     "--html writes one page with a diagram of the run, to PAGE or stdout; the\n"
                     "run is a child's, so that one that fails has a page too (exit 1).",
            .run = bed_trace);
