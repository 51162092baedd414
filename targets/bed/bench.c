/*
 * bench.c: `bed bench`, how fast a target replays inputs without an engine, and whether its memory
 * stays where it is. It measures; ci/bench/targets.sh holds the figures against bars.
 */
#include "targets/bed/bed.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NS_PER_SECOND UINT64_C(1000000000)
#define NS_PER_MS     UINT64_C(1000000)

struct bench_options {
    const char *target_name;
    uint64_t rounds, ms, deliveries, growth;
};

struct bench_input {
    char *path;
    uint8_t *bytes;
    size_t len;
    uint64_t hash; /* of its trace, from a run in a process of its own */
};

struct bench_set {
    const struct fuzz_target *target;
    struct bench_input *inputs;
    size_t count, capacity;
    uint64_t bytes, ops_live, ops_live_least; /* over one run of each */
};

/* Resident bytes of this process now. */
static uint64_t rss_bytes(void)
{
    unsigned long long pages = 0;
    FILE *in = fopen("/proc/self/statm", "r");
    bool ok = in != NULL && fscanf(in, "%*u %llu", &pages) == 1;
    if (in != NULL)
        fclose(in);
    if (!ok)
        exit(bed_cannot("/proc/self/statm: cannot be read"));
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void set_add(struct bench_set *set, const struct corpus_file *file)
{
    for (size_t i = 0; i < corpus_input_count(file); i++) {
        if (set->count == set->capacity) {
            set->capacity = set->capacity > 0 ? 2 * set->capacity : 64;
            set->inputs = realloc(set->inputs, set->capacity * sizeof(*set->inputs));
            bed_must(set->inputs != NULL ? WB_OK : WB_E_NOMEM);
        }
        struct bench_input *input = &set->inputs[set->count++];
        *input = (struct bench_input){.path = strdup(file->path)};
        input->bytes = corpus_input(file, i, &input->len);
        bed_must(input->path != NULL && input->bytes != NULL ? WB_OK : WB_E_NOMEM);
    }
}

static bool set_load(struct bench_set *set, const char *path)
{
    struct bed_files files = {0};
    bool ok = bed_files_add(&files, path, &(struct bed_source){.target = set->target->name});

    for (size_t i = 0; i < files.count; i++)
        set_add(set, &files.at[i]);
    bed_files_free(&files);
    return ok;
}

static void set_free(struct bench_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        free(set->inputs[i].path);
        free(set->inputs[i].bytes);
    }
    free(set->inputs);
}

static struct sim_run *run(const struct bench_set *set, size_t i)
{
    return fuzz_run(set->target, wb_view_of(set->inputs[i].bytes, set->inputs[i].len));
}

/* What fails is shown instead of measured: a run in this process would end it. */
static int check_alone(struct bench_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        struct bench_input *input = &set->inputs[i];
        struct wb_view bytes = wb_view_of(input->bytes, input->len);
        struct replay_verdict verdict;

        if (!replay_run(set->target, bytes, REPLAY_ONCE, false, &verdict))
            return bed_cannot("%s: no process to run it in", input->path);
        bool failed = verdict.failed;
        if (failed)
            bed_finding_print(set->target, bytes, &verdict, input->path, false, stdout);
        input->hash = verdict.hash;
        replay_verdict_free(&verdict);
        if (failed)
            return BED_FOUND;
    }
    return BED_PASS;
}

/* One run of each here: nothing that an earlier input leaves behind may reach a later one. */
static int check_together(struct bench_set *set)
{
    set->ops_live_least = UINT64_MAX;
    for (size_t i = 0; i < set->count; i++) {
        const struct sim_run *r = run(set, i);
        if (r->trace.hash != set->inputs[i].hash) {
            printf("%s: after others its trace is another\n", set->inputs[i].path);
            return BED_FOUND;
        }
        set->bytes += set->inputs[i].len;
        set->ops_live += r->ops_live;
        if (r->ops_live < set->ops_live_least)
            set->ops_live_least = r->ops_live;
    }
    return BED_PASS;
}

/* CPU nanoseconds for one run of each input, from at least `ms` of them. */
static uint64_t round_ns(const struct bench_set *set, uint64_t ms)
{
    uint64_t cycles = 0, begin = bed_clock_ns(CLOCK_PROCESS_CPUTIME_ID), taken = 0;

    do {
        for (size_t i = 0; i < set->count; i++)
            run(set, i);
        cycles++;
        taken = bed_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin;
    } while (taken < ms * NS_PER_MS);
    return taken / cycles;
}

/* The hundredths of a figure that is given in hundredths. */
static void print_hundredths(const char *metric, uint64_t hundredths, const char *unit)
{
    printf("%s %llu.%02llu %s\n", metric, (unsigned long long)(hundredths / 100),
           (unsigned long long)(hundredths % 100), unit);
}

static void print_whole(const char *metric, uint64_t value, const char *unit)
{
    printf("%s %llu %s\n", metric, (unsigned long long)value, unit);
}

static void measure_speed(const struct bench_set *set, const struct bench_options *options)
{
    uint64_t best = UINT64_MAX, worst = 0;

    for (uint64_t i = 0; i < options->rounds; i++) {
        uint64_t ns = round_ns(set, options->ms);
        best = ns < best ? ns : best;
        worst = ns > worst ? ns : worst;
    }
    best = best > 0 ? best : 1;
    print_whole("speed", set->count * NS_PER_SECOND / best, "executions/s");
    print_hundredths("spread", (worst - best) * 10000 / best, "%");
    if (set->bytes > 0)
        print_hundredths("byte-time", best * 100 / (set->bytes * options->deliveries), "ns/byte");
    print_hundredths("mean-input", set->bytes * 100 / set->count, "bytes");
    if (set->target->kind != FUZZ_SCENARIO)
        return;
    if (set->ops_live > 0)
        print_hundredths("op-time", best * 100 / set->ops_live, "ns/op");
    print_hundredths("mean-ops", set->ops_live * 100 / set->count, "ops");
    print_whole("least-ops", set->ops_live_least, "ops");
}

/* Resident memory after a tenth of the executions and after all. */
static void measure_growth(const struct bench_set *set, uint64_t executions)
{
    uint64_t early = 0, late;

    for (uint64_t n = 0; n < executions; n++) {
        if (n == executions / 10)
            early = rss_bytes();
        run(set, n % set->count);
    }
    late = rss_bytes();
    print_whole("executions", executions, "executions");
    print_whole("growth", late > early ? (late - early) / 1024 : 0, "KiB");
}

static int measure(struct bench_set *set, const struct bench_options *options)
{
    int status = check_alone(set);
    if (status == BED_PASS)
        status = check_together(set);
    if (status != BED_PASS)
        return status;
    if (options->growth > 0)
        measure_growth(set, options->growth);
    else
        measure_speed(set, options);
    return BED_PASS;
}

static int bed_bench(int argc, char **argv)
{
    struct bench_options options = {.rounds = 5, .ms = 1000, .deliveries = 1};
    const struct bed_option table[] = {
        {.name = "target", .text = &options.target_name},
        {.name = "rounds", .number = &options.rounds, .max = 1000},
        {.name = "ms", .number = &options.ms, .max = 60000},
        {.name = "deliveries", .number = &options.deliveries, .max = 1000},
        {.name = "growth", .number = &options.growth, .max = UINT32_MAX},
        {.name = NULL}};
    struct bench_set set = {0};
    bool ok = true;

    if (!bed_options(argc, argv, table, 1, INT_MAX))
        return BED_CANNOT;
    if (options.target_name == NULL)
        return bed_wrong(argv[0], "--target is missing");
    if (options.rounds == 0 || options.deliveries == 0)
        return bed_wrong(argv[0], "--rounds and --deliveries: at least 1");
    set.target = bed_target(options.target_name);
    if (set.target == NULL)
        return BED_CANNOT;
    for (int i = optind; ok && i < argc; i++)
        ok = set_load(&set, argv[i]);
    if (ok && set.count == 0)
        bed_cannot("no inputs to measure");
    int status = ok && set.count > 0 ? measure(&set, &options) : BED_CANNOT;
    set_free(&set);
    return status;
}

BED_COMMAND(.name = "bench", .text = "how fast a target replays inputs",
            .usage = "--target NAME [--rounds 5] [--ms 1000] [--deliveries 1] PATH...\n"
                     "       --target NAME --growth EXECUTIONS PATH...\n\n"
                     "Prints one `METRIC VALUE UNIT` a line: the best of some rounds of at least\n"
                     "--ms CPU milliseconds each; or what resident memory grew by after the\n"
                     "first tenth of that many executions. --deliveries is how often the target\n"
                     "hands each byte over.",
            .run = bed_bench);
