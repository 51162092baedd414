#include "ci/bench/reply/bench.h"

#include <sched.h>
#include <stdlib.h>
#include <valgrind/callgrind.h>

#define RUNS        5
#define PAIRS       31
#define OPS         10 /* under callgrind; as in ci/bench/reply.sh */
#define LARGE_REPLY 400000
#define READS_128K  131072

/*
 * Bars of one case: system calls over a unix socket and over TCP, each meta, then classic; and over
 * the event loop. What is not claimed, and why: ci/bench/README.md.
 */
static const struct {
    const char *over_unix[BENCH_KINDS], *over_tcp[BENCH_KINDS], *loop;
} bars[BENCH_CASES] = {
    {{"<=3", "<=3"}, {"<=3", "<=3"}, "<=4.1"},     {{"<=13", "<=14"}, {"<=13", "<=14"}, "<=16.3"},
    {{"<=5", "<=3"}, {"<=5", "<=3"}, "~4.4"},      {{"~30", "<=4"}, {"<=38", "<=4"}, "-"},
    {{"~4", "<=3"}, {"<=6", "<=3"}, "~4.4"},       {{"<=9", "<=6"}, {"<=9", "<=8"}, "~6.4"},
    {{"<=16", "<=14"}, {"<=20", "<=17"}, "~11.8"}, {{"<=40", "<=34"}, {"<=40", "<=34"}, "<=38.4"},
};

/* ---- servers ---- */

/* The server on the first processor that there is, this process on the last. */
static void pin(const struct live_server *server)
{
    cpu_set_t all, one;
    size_t first = CPU_SETSIZE, last = 0;
    if (sched_getaffinity(server->pid, sizeof all, &all) != 0)
        return;
    for (size_t i = 0; i < CPU_SETSIZE; i++) {
        if (!CPU_ISSET(i, &all))
            continue;
        first = i < first ? i : first;
        last = i;
    }
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    figure_must(sched_setaffinity(server->pid, sizeof one, &one) == 0, "the server moved away");
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    figure_must(sched_setaffinity(0, sizeof one, &one) == 0, "this process cannot be pinned");
    company_say_load();
}

static void start(struct live_server *server, bool tcp, const char *item_max)
{
    struct live_server_options options = {.tcp = tcp, .megabytes = "256", .item_max = item_max};
    *server = (struct live_server){0};
    figure_must(live_server_start(server, &options), "no server to measure against");
}

static void start_filled(struct live_server *server, bool tcp)
{
    start(server, tcp, NULL);
    for (size_t i = 0; i <= BENCH_CASES; i++)
        cases_store(&server->address, &cases_all[i]);
}

static const char *transport(const struct live_address *at)
{
    return at->path ? "unix" : "tcp";
}

static unsigned ops_of(const struct bench_work *w)
{
    return w->reply.len > LARGE_REPLY ? 30 : 200;
}

/* ---- counts ---- */

/* One row of counts. */
struct row {
    const struct live_driver *driver;
    enum wb_reply_values values;
    size_t reads; /* 0 = the default */
    const char *bar;
};

/* Calls that a run made, by what they were for, in each operation. */
struct runs {
    double of[COUNTER_KINDS][RUNS];
};

static void keep_run(struct runs *runs, size_t i, struct counter_calls calls, unsigned ops)
{
    for (int k = 0; k < COUNTER_KINDS; k++)
        runs->of[k][i] = (double)calls.of[k] / ops;
}

static void say_split(struct runs *runs, const char *name)
{
    static const char *const kinds[] = {
        [COUNTER_RECV] = "recv", [COUNTER_POLL] = "poll", [COUNTER_SEND] = "send"};
    for (int k = COUNTER_RECV; counter_is_open() && k < COUNTER_KINDS; k++)
        figure(kinds[k], figure_median(runs->of[k], RUNS), "calls/op", "-", "%s", name);
}

/* What is claimed is so of a quiet machine: beside others a bar is no more than a figure. */
static void judge_runs(struct runs *runs, double others, const char *bar, const char *name)
{
    char figure_only[16];
    double *all = runs->of[COUNTER_ALL];
    bool quiet = others <= COMPANY_MAX;
    snprintf(figure_only, sizeof figure_only, "~%s", bar + 2);
    figure("syscalls", figure_median(all, RUNS), "calls/op",
           quiet || bar[0] != '<' ? bar : figure_only, "%s", name);
    figure_spread("syscalls", all, RUNS, "calls/op", name);
    say_split(runs, name);
    if (!quiet)
        figure("waits-for-others", others, "%", "-", "%s", name);
}

static void count_row(const struct live_server *server, const struct bench_case *from,
                      enum bench_kind kind, struct row row)
{
    const struct live_address *at = &server->address;
    struct bench_work w;
    struct ours o;
    char name[80];
    struct runs runs;
    cases_prepare(&w, from, kind);
    snprintf(name, sizeof name, "%s/%s/%s/%s%s/%s", from->name, cases_kind_name(kind),
             cases_values_name(row.values), row.driver->name,
             row.reads == READS_128K ? "-128K" : "", transport(at));
    ours_open_reads(&o, row.driver, at, row.values, row.reads ? row.reads : WB_REPLY_LARGE,
                    counter_mem());
    ours_check(&o, &w);
    ours_check(&o, &w);
    company_begin(server);
    for (size_t i = 0; i < RUNS; i++)
        keep_run(&runs, i, scripted_calls(&o, &w, ops_of(&w)), ops_of(&w));
    judge_runs(&runs, company_share(), row.bar, name);
    if (row.driver == &live_poll_driver && at->path) {
        uint64_t takes = counter_takes(), faults = counter_faults();
        double ops = ops_of(&w);
        ours_run(&o, &w, ops_of(&w));
        figure("page-faults", (double)(counter_faults() - faults) / ops, "faults/op", "<=9", "%s",
               name);
        figure("allocations", (double)(counter_takes() - takes) / ops, "blocks/op", "=0", "%s",
               name);
    }
    ours_close(&o);
    cases_done(&w);
}

static void count_theirs(const struct live_address *at, const struct bench_case *from)
{
    struct bench_work w;
    char name[80];
    struct runs runs;
    cases_prepare(&w, from, BENCH_CLASSIC);
    snprintf(name, sizeof name, "%s/classic/libmemcached/%s", from->name, transport(at));
    theirs_open(at);
    theirs_check(&w);
    theirs_check(&w);
    uint64_t takes = theirs_takes(), faults = counter_faults();
    for (size_t i = 0; i < RUNS; i++) {
        counter_start();
        theirs_run(&w, ops_of(&w));
        keep_run(&runs, i, counter_stop(), ops_of(&w));
    }
    double ops = RUNS * ops_of(&w);
    faults = counter_faults() - faults;
    if (counter_is_open())
        figure("syscalls", figure_median(runs.of[COUNTER_ALL], RUNS), "calls/op", "-", "%s", name);
    say_split(&runs, name);
    if (at->path) {
        figure("page-faults", (double)faults / ops, "faults/op", "-", "%s", name);
        figure("allocations", (double)(theirs_takes() - takes) / ops, "blocks/op", "-", "%s", name);
    }
    theirs_close();
    cases_done(&w);
}

/* Views as both kinds of request; values that are copied or received in place, as batches. */
static void count_at(const struct live_server *server)
{
    const struct live_address *at = &server->address;
    for (size_t i = 0; i < BENCH_CASES; i++) {
        const char *const *bar = at->path ? bars[i].over_unix : bars[i].over_tcp;
        struct row row = {.driver = &live_poll_driver, .bar = bar[BENCH_META]};
        count_row(server, &cases_all[i], BENCH_META, row);
        for (int values = WB_REPLY_COPY; at->path && values <= WB_REPLY_DIRECT; values++) {
            row.values = (enum wb_reply_values)values;
            count_row(server, &cases_all[i], BENCH_META, row);
        }
        row = (struct row){.driver = &live_poll_driver, .bar = bar[BENCH_CLASSIC]};
        count_row(server, &cases_all[i], BENCH_CLASSIC, row);
        if (theirs_present())
            count_theirs(at, &cases_all[i]);
    }
    struct row patient = {.driver = &live_patient_driver, .bar = at->path ? "<=30" : "<=38"};
    count_row(server, &cases_all[3], BENCH_META, patient);
}

static void count_loop(const struct live_server *server)
{
    for (size_t i = 0; i < BENCH_CASES; i++)
        count_row(server, &cases_all[i], BENCH_META,
                  (struct row){.driver = &live_loop_driver, .bar = bars[i].loop});
    count_row(server, &cases_all[5], BENCH_META,
              (struct row){.driver = &live_loop_driver, .reads = READS_128K, .bar = "<=6.4"});
}

static void count_ring(const struct live_server *server)
{
    for (size_t i = 0; i < BENCH_CASES && !live_uring_driver.missing(); i++)
        count_row(server, &cases_all[i], BENCH_META,
                  (struct row){.driver = &live_uring_driver, .bar = i == 0 ? "<=1" : "-"});
}

void real_counts(void)
{
    struct live_server server;
    struct row plain = {.driver = &live_poll_driver, .bar = "-"};
    start_filled(&server, false);
    pin(&server);
    count_at(&server);
    count_loop(&server);
    count_ring(&server);
    live_server_stop(&server);

    start_filled(&server, true);
    pin(&server);
    count_at(&server);
    count_row(&server, CASES_700_KB, BENCH_META, plain);
    if (theirs_present())
        count_theirs(&server.address, CASES_700_KB);
    live_server_stop(&server);

    start(&server, false, "4m");
    pin(&server);
    cases_store(&server.address, CASES_2_MB);
    plain.bar = "<=56.9";
    count_row(&server, CASES_2_MB, BENCH_META, plain);
    count_row(&server, CASES_2_MB, BENCH_META,
              (struct row){.driver = &live_loop_driver, .bar = "<=59.1"});
    live_server_stop(&server);
}

/* ---- CPU time ---- */

static double cpu_ours(struct ours *o, const struct bench_work *w)
{
    uint64_t before = counter_cpu_ns();
    ours_run(o, w, ops_of(w));
    return (double)(counter_cpu_ns() - before) / ops_of(w) / 1000;
}

static double cpu_theirs(const struct bench_work *w)
{
    uint64_t before = counter_cpu_ns();
    theirs_run(w, ops_of(w));
    return (double)(counter_cpu_ns() - before) / ops_of(w) / 1000;
}

/* Pairs in both orders by turns; then ours against itself, which is what chance does. */
static void time_pairs(const struct live_address *at, const struct bench_case *from,
                       enum bench_kind kind, const char *bar)
{
    struct bench_work w;
    struct ours o, same;
    double ratios[PAIRS], alike[PAIRS], own[PAIRS], other[PAIRS];
    cases_prepare(&w, from, kind);
    ours_open(&o, &live_poll_driver, at, WB_REPLY_VIEW, wb_mem_libc());
    ours_open(&same, &live_poll_driver, at, WB_REPLY_VIEW, wb_mem_libc());
    ours_check(&o, &w);
    ours_check(&same, &w);
    theirs_open(at);
    theirs_check(&w);
    for (size_t i = 0; i < PAIRS; i++) {
        double again;
        if (i % 2 == 0)
            own[i] = cpu_ours(&o, &w);
        other[i] = cpu_theirs(&w);
        again = cpu_ours(&same, &w);
        if (i % 2 == 1)
            own[i] = cpu_ours(&o, &w);
        ratios[i] = (i % 2 == 0 ? own[i] : again) / other[i];
        alike[i] = own[i] / again;
    }
    const char *kind_name = cases_kind_name(kind), *over = transport(at);
    figure("cpu-ratio", figure_median(ratios, PAIRS), "of-libmemcached", bar, "%s/%s/view/poll/%s",
           from->name, kind_name, over);
    figure("cpu", figure_median(own, PAIRS), "us/op", "-", "%s/%s/view/poll/%s", from->name,
           kind_name, over);
    figure("cpu", figure_median(other, PAIRS), "us/op", "-", "%s/classic/libmemcached/%s/beside-%s",
           from->name, over, kind_name);
    double middle = figure_median(alike, PAIRS);
    figure("cpu-same-spread", 100 * (alike[PAIRS * 9 / 10] - alike[PAIRS / 10]) / middle, "%", "-",
           "%s/%s/view/poll/%s", from->name, kind_name, over);
    theirs_close();
    ours_close(&o);
    ours_close(&same);
    cases_done(&w);
}

void real_times(void)
{
    struct live_server server;
    if (!theirs_present())
        return;
    start_filled(&server, false);
    pin(&server);
    time_pairs(&server.address, &cases_all[3], BENCH_CLASSIC, "<=0.5");
    time_pairs(&server.address, &cases_all[3], BENCH_META, "-");
    time_pairs(&server.address, &cases_all[0], BENCH_META, "-");
    time_pairs(&server.address, &cases_all[5], BENCH_CLASSIC, "-");
    live_server_stop(&server);
}

/* ---- instructions ---- */

static void count_instructions(const struct live_address *at, const struct bench_case *from,
                               enum bench_kind kind)
{
    struct bench_work w;
    struct ours o;
    char name[120];
    cases_prepare(&w, from, kind);
    ours_open(&o, &live_poll_driver, at, WB_REPLY_VIEW, wb_mem_libc());
    ours_check(&o, &w);
    ours_check(&o, &w);
    CALLGRIND_ZERO_STATS;
    ours_run(&o, &w, OPS);
    snprintf(name, sizeof name, "%s/%s/view/poll/unix", w.name, cases_kind_name(kind));
    CALLGRIND_DUMP_STATS_AT(name);
    ours_close(&o);
    cases_done(&w);
}

static void count_their_instructions(const struct live_address *at, const struct bench_case *from)
{
    struct bench_work w;
    char name[120];
    cases_prepare(&w, from, BENCH_CLASSIC);
    theirs_open(at);
    theirs_check(&w);
    theirs_run(&w, 1);
    CALLGRIND_ZERO_STATS;
    theirs_run(&w, OPS);
    snprintf(name, sizeof name, "%s/classic/libmemcached/unix", w.name);
    CALLGRIND_DUMP_STATS_AT(name);
    theirs_close();
    cases_done(&w);
}

void real_instructions(void)
{
    struct live_server server;
    start_filled(&server, false);
    for (size_t i = 0; i < BENCH_CASES; i++) {
        count_instructions(&server.address, &cases_all[i], BENCH_META);
        count_instructions(&server.address, &cases_all[i], BENCH_CLASSIC);
        if (theirs_present())
            count_their_instructions(&server.address, &cases_all[i]);
    }
    live_server_stop(&server);
}
