#include "ci/bench/reply/bench.h"

#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <valgrind/callgrind.h>

#define RUNS        5
#define PAIRS       31
#define OPS         10 /* under callgrind; as in ci/bench/reply.sh */
#define TRIES       6
#define PAUSE_MS    100 /* between them */
#define LARGE_REPLY 400000
#define NONE        -1.0 /* no bar */

/* Bars of one case: system calls over a unix socket and over TCP, each meta, then classic. */
static const struct {
    double unix_max[BENCH_KINDS], tcp_max[BENCH_KINDS], loop_max;
} bars[BENCH_CASES] = {
    {{3, 3}, {3, 3}, 4.1},      {{13, 14}, {13, 14}, 16.3}, {{5, 3}, {5, 3}, 4.4},
    {{30, 4}, {38, 4}, NONE},   {{4, 3}, {6, 3}, 4.4},      {{9, 6}, {9, 8}, 6.4},
    {{16, 14}, {20, 17}, 11.8}, {{40, 34}, {40, 34}, 38.4},
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

/* The median of some runs. How writes merge is a race: one over the bar is taken again. */
static double median_calls(struct ours *o, const struct bench_work *w, double max)
{
    double least = 0;
    for (size_t try = 0; try < TRIES && (try == 0 || (max > 0 && least > max)); try++) {
        double runs[RUNS];
        if (try > 0)
            poll(NULL, 0, PAUSE_MS);
        for (size_t i = 0; i < RUNS; i++)
            runs[i] = scripted_calls(o, w, ops_of(w));
        double median = figure_median(runs, RUNS);
        least = try == 0 || median < least ? median : least;
    }
    return least;
}

static void count_ours(const struct live_driver *driver, const struct live_address *at,
                       const struct bench_case *from, enum bench_kind kind, double max)
{
    struct bench_work w;
    struct ours o;
    char name[80], bar[32] = "-";
    cases_prepare(&w, from, kind);
    snprintf(name, sizeof name, "%s/%s/view/%s/%s", from->name, cases_kind_name(kind), driver->name,
             transport(at));
    if (max > 0)
        snprintf(bar, sizeof bar, "<=%.4g", max);
    ours_open(&o, driver, at, WB_REPLY_VIEW, counter_mem());
    ours_check(&o, &w);
    ours_check(&o, &w);
    figure("syscalls", median_calls(&o, &w, max), "calls/op", bar, "%s", name);
    if (driver == &live_poll_driver && at->path) {
        uint64_t takes = counter_mem_takes(), faults = counter_faults();
        double ops = ops_of(&w);
        ours_run(&o, &w, ops_of(&w));
        figure("page-faults", (double)(counter_faults() - faults) / ops, "faults/op", "<=9", "%s",
               name);
        figure("allocations", (double)(counter_mem_takes() - takes) / ops, "blocks/op", "=0", "%s",
               name);
    }
    ours_close(&o);
    cases_done(&w);
}

static void count_theirs(const struct live_address *at, const struct bench_case *from)
{
    struct bench_work w;
    char name[80];
    double runs[RUNS];
    cases_prepare(&w, from, BENCH_CLASSIC);
    snprintf(name, sizeof name, "%s/classic/libmemcached/%s", from->name, transport(at));
    theirs_open(at);
    theirs_check(&w);
    theirs_check(&w);
    uint64_t takes = theirs_takes(), faults = counter_faults();
    for (size_t i = 0; i < RUNS; i++) {
        counter_start();
        theirs_run(&w, ops_of(&w));
        runs[i] = (double)counter_stop() / ops_of(&w);
    }
    double ops = RUNS * ops_of(&w);
    faults = counter_faults() - faults;
    if (counter_is_open())
        figure("syscalls", figure_median(runs, RUNS), "calls/op", "-", "%s", name);
    if (at->path) {
        figure("page-faults", (double)faults / ops, "faults/op", "-", "%s", name);
        figure("allocations", (double)(theirs_takes() - takes) / ops, "blocks/op", "-", "%s", name);
    }
    theirs_close();
    cases_done(&w);
}

static void count_at(const struct live_address *at)
{
    for (size_t i = 0; i < BENCH_CASES; i++) {
        for (int kind = 0; kind < BENCH_KINDS; kind++) {
            double max = at->path ? bars[i].unix_max[kind] : bars[i].tcp_max[kind];
            count_ours(&live_poll_driver, at, &cases_all[i], (enum bench_kind)kind, max);
        }
        if (theirs_present())
            count_theirs(at, &cases_all[i]);
    }
}

void real_counts(void)
{
    struct live_server server;
    start_filled(&server, false);
    pin(&server);
    count_at(&server.address);
    for (size_t i = 0; i < BENCH_CASES; i++)
        count_ours(&live_loop_driver, &server.address, &cases_all[i], BENCH_META, bars[i].loop_max);
    for (size_t i = 0; i < BENCH_CASES && !live_uring_driver.missing(); i++)
        count_ours(&live_uring_driver, &server.address, &cases_all[i], BENCH_META,
                   i == 0 ? 1 : NONE);
    live_server_stop(&server);

    start_filled(&server, true);
    pin(&server);
    count_at(&server.address);
    count_ours(&live_poll_driver, &server.address, CASES_700_KB, BENCH_META, NONE);
    if (theirs_present())
        count_theirs(&server.address, CASES_700_KB);
    live_server_stop(&server);

    start(&server, false, "4m");
    pin(&server);
    cases_store(&server.address, CASES_2_MB);
    count_ours(&live_poll_driver, &server.address, CASES_2_MB, BENCH_META, 56.9);
    count_ours(&live_loop_driver, &server.address, CASES_2_MB, BENCH_META, 59.1);
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
