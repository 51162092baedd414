/*
 * test_watch_pure.c: a run does no input or output. Every target runs its corpus twice in one
 * process; of the second time the watcher sees every run, and no system call in any.
 */
#include "targets/test_watch_call.h"

#include "targets/driver/corpus.h"

#include <malloc.h>

#ifdef WATCH_TESTED

/* A file's inputs; their number. */
static uint64_t run_file(const struct corpus_file *file)
{
    uint64_t runs = 0;

    for (size_t i = 0; i < corpus_input_count(file); i++, runs++) {
        size_t len;
        uint8_t *bytes = corpus_input(file, i, &len);
        if (bytes)
            fuzz_run(file->target, wb_view_of(bytes, len));
        free(bytes);
    }
    return runs;
}

/* All that is in corpus/NAME; 0 when it cannot be read. */
static uint64_t run_target(const struct fuzz_target *target)
{
    char error[CORPUS_ERROR_MAX], folder[256];
    struct corpus_file file;
    char **paths;
    size_t count;
    uint64_t runs = 0;

    snprintf(folder, sizeof folder, "corpus/%s", target->name);
    if (!corpus_find(folder, &paths, &count, error))
        return 0;
    for (size_t i = 0; i < count; i++) {
        if (!corpus_load(paths[i], target, &file, error))
            continue;
        runs += run_file(&file);
        corpus_free(&file);
    }
    corpus_paths_free(paths, count);
    return runs;
}

static bool is_run(const struct fuzz_target *target)
{
    return strcmp(target->name, "canary") != 0; /* which fails on purpose */
}

/*
 * Warms up, waits to be watched, and tells what it ran then. Blocks of a run come from malloc,
 * which must keep what it has: else it gives memory back to the system and asks for it again.
 */
static int run_all(void)
{
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_MMAP_THRESHOLD, 32 << 20); /* the most it takes */
    for (size_t i = 0; i < fuzz_target_count(); i++)
        if (is_run(fuzz_target_at(i)))
            run_target(fuzz_target_at(i));
    raise(SIGSTOP);
    for (size_t i = 0; i < fuzz_target_count(); i++) {
        const struct fuzz_target *target = fuzz_target_at(i);
        if (is_run(target))
            printf("%s %" PRIu64 " 0x%" PRIxPTR "\n", target->name, run_target(target),
                   (uintptr_t)target);
    }
    return 0;
}

/* A run that looks at the clock of the system: that this can fail is seen here. */
static int run_impure(void)
{
    raise(SIGSTOP);
    for (unsigned i = 1; i <= 5; i++) {
        WB_PROBE1(run, self);
        if (i == 3 && getppid() == 0)
            return 1;
        WB_PROBE1(ran, self);
    }
    return 0;
}

static char told[sizeof said.out]; /* by the watched program */

/* Watches this program from where it stands still. */
static void watch_from_stop(const char *what)
{
    const char *runner[] = {self, what, NULL};
    struct watch_running runs = begin_program(NULL, runner);
    char pid[32];
    int status;

    assert_int_equal(waitpid(runs.pid, &status, WUNTRACED), runs.pid);
    assert_true(WIFSTOPPED(status));
    snprintf(pid, sizeof pid, "%d", runs.pid);
    const char *watcher[] = {bed, "watch", "--json", "--pure", "--buffer", "65536", pid, NULL};
    struct watch_running watch = begin_program(NULL, watcher);
    for (unsigned i = 0; i < 2000; i++, usleep(10000)) {
        char text[64] = "";
        if (pread(watch.err, text, sizeof text - 1, 0) > 0)
            break;
    }
    kill(runs.pid, SIGCONT);
    end_program(runs);
    assert_int_equal(said.status, 0);
    memcpy(told, said.out, sizeof told);
    end_program(watch);
}

/* Who made the calls, by name. */
static void blame(void)
{
    char line[128], name[64], address[32];

    for (const char *at = told; sscanf(at, "%127[^\n]", line) == 1; at = strchr(at, '\n') + 1)
        if (sscanf(line, "%63s %*u %31s", name, address) == 2 && strstr(said.err, address))
            print_error("not pure: %s\n", name);
}

static void no_target_calls_the_system(void **state)
{
    char name[64];
    uint64_t runs, sum = 0, targets = 0;
    (void)state;
    need_watch();
    watch_from_stop("--runs");
    for (const char *at = told; sscanf(at, "%63s %" SCNu64, name, &runs) == 2;
         at = strchr(at, '\n') + 1) {
        if (runs == 0)
            fail_msg("%s ran nothing", name);
        sum += runs;
        targets++;
    }
    assert_int_equal(targets + 1, fuzz_target_count());
    if (said.status != 0)
        blame();
    said_well();
    assert_int_equal(number("operations"), sum);
    assert_int_equal(sum_in("between_marks"), 0);
    print_message("%" PRIu64 " runs of %" PRIu64 " targets, no system call between marks\n", sum,
                  targets);
}

static void one_call_is_seen(void **state)
{
    (void)state;
    need_watch();
    watch_from_stop("--impure");
    assert_int_equal(said.status, 1);
    assert_int_equal(number("violations"), 1);
    assert_int_equal(number("operations"), 5);
    assert_non_null(strstr(said.err, "VIOLATION operation 3,"));
    assert_non_null(strstr(said.err, "WCH-007"));
    assert_int_equal(number_in("between_marks", "getppid"), 1);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_target_calls_the_system),
        cmocka_unit_test(one_call_is_seen),
    };

    find_tools(argv[0]);
    if (argc == 2)
        return strcmp(argv[1], "--impure") == 0 ? run_impure() : run_all();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    puts("watching is tested in the variant gcc");
    return 0;
}

#endif
