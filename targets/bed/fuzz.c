/*
 * fuzz.c: `bed fuzz`, the fuzzers of all targets in turn, watched. A target's turn ends with its
 * time or its first finding: a found bug would only be found again.
 */
#include "targets/bed/engine.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define JOBS_MAX  16
#define GRACE_MS  40000 /* past the time: one run may take the engine's own timeout */
#define REDRAW_MS 250

struct fuzz_options {
    const char *bin_dir, *out_dir;
    uint64_t seconds, jobs;
    bool empty;
};

struct fuzz_turn {
    struct bed_engine_place place;
    struct bed_engine engines[JOBS_MAX];
    size_t jobs;
    uint64_t begin_ms, end_ms, seconds;
    size_t found;
    bool broken; /* a fuzzer stopped by itself, with nothing found */
};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

static uint64_t now_ms(void)
{
    return bed_clock_ns(CLOCK_MONOTONIC) / 1000000;
}

/* ---- figures ---- */

struct figures {
    uint64_t executions, speed, edges, units;
};

/* Processes share the corpus, so that edges and units are the best of any, not a sum. */
static struct figures turn_figures(const struct fuzz_turn *turn)
{
    struct figures sum = {0};
    for (size_t i = 0; i < turn->jobs; i++) {
        const struct bed_engine *e = &turn->engines[i];
        sum.executions += e->executions;
        sum.speed += e->speed;
        sum.edges = e->edges > sum.edges ? e->edges : sum.edges;
        sum.units = e->units > sum.units ? e->units : sum.units;
    }
    return sum;
}

static void show_live(const struct fuzz_turn *turn)
{
    struct figures f = turn_figures(turn);
    fprintf(stderr,
            "\r\033[K%-16s %llu/%llu s  %llu runs  %llu/s  %llu edges  corpus %llu  found %zu\r",
            turn->place.target->name, (unsigned long long)((now_ms() - turn->begin_ms) / 1000),
            (unsigned long long)turn->seconds, (unsigned long long)f.executions,
            (unsigned long long)f.speed, (unsigned long long)f.edges, (unsigned long long)f.units,
            turn->found);
}

static void print_table(const struct fuzz_turn *turns, size_t count)
{
    printf("%-16s %7s %12s %9s %6s %7s %6s\n", "target", "seconds", "executions", "a second",
           "edges", "corpus", "found");
    for (size_t i = 0; i < count; i++) {
        const struct fuzz_turn *turn = &turns[i];
        struct figures f = turn_figures(turn);
        uint64_t ms = turn->end_ms - turn->begin_ms;
        printf("%-16s %7llu %12llu %9llu %6llu %7llu %6zu%s\n", turn->place.target->name,
               (unsigned long long)((ms + 500) / 1000), (unsigned long long)f.executions,
               (unsigned long long)(f.executions * 1000 / (ms > 0 ? ms : 1)),
               (unsigned long long)f.edges, (unsigned long long)f.units, turn->found,
               turn->broken ? "  STOPPED" : "");
    }
}

/* ---- one target's turn ---- */

static void stop_all(const struct fuzz_turn *turn)
{
    for (size_t i = 0; i < turn->jobs; i++)
        bed_engine_stop(&turn->engines[i]);
}

static void kill_all(const struct fuzz_turn *turn)
{
    for (size_t i = 0; i < turn->jobs; i++)
        bed_engine_kill(&turn->engines[i]);
}

/* Reads what is there; true while a process runs. */
static bool turn_step(struct fuzz_turn *turn)
{
    struct pollfd fds[JOBS_MAX];
    bool running = false;

    for (size_t i = 0; i < turn->jobs; i++)
        fds[i] = (struct pollfd){.fd = turn->engines[i].fd, .events = POLLIN};
    if (poll(fds, (nfds_t)turn->jobs, REDRAW_MS) > 0) {
        for (size_t i = 0; i < turn->jobs; i++)
            if (fds[i].fd >= 0 && fds[i].revents != 0)
                (void)bed_engine_read(&turn->engines[i]);
    }
    for (size_t i = 0; i < turn->jobs; i++)
        running = running || turn->engines[i].fd >= 0;
    return running;
}

static bool has_found(const struct fuzz_turn *turn)
{
    for (size_t i = 0; i < turn->jobs; i++)
        if (turn->engines[i].artifact[0] != '\0')
            return true;
    return false;
}

static void turn_watch(struct fuzz_turn *turn)
{
    bool live = isatty(STDERR_FILENO);
    uint64_t drawn_ms = 0, stopped_ms = 0;

    while (turn_step(turn)) {
        uint64_t now = now_ms(), late_ms = turn->begin_ms + turn->seconds * 1000 + GRACE_MS;
        if (stopped_ms == 0 && (interrupted || has_found(turn) || now > late_ms)) {
            stop_all(turn);
            stopped_ms = now;
        }
        if (stopped_ms != 0 && now > stopped_ms + GRACE_MS)
            kill_all(turn);
        if (live && now - drawn_ms >= REDRAW_MS) {
            show_live(turn);
            drawn_ms = now;
        }
    }
    if (live)
        fputs("\r\033[K", stderr);
    turn->end_ms = now_ms();
}

/* What a fuzzer that ended without a finding has to show: its exit status. */
static void turn_judge(struct fuzz_turn *turn)
{
    bool was_stopped = interrupted || has_found(turn);

    for (size_t i = 0; i < turn->jobs; i++) {
        const struct bed_engine *e = &turn->engines[i];
        bool ended_well = WIFEXITED(e->status) && WEXITSTATUS(e->status) == 0;
        if (e->artifact[0] != '\0') {
            turn->found++;
            if (turn->found == 1 && !bed_found_tell(&turn->place, e, i))
                turn->broken = true;
        } else if (!ended_well && !was_stopped) {
            turn->broken = true;
            bed_cannot("%s stopped; see %s/fuzzer-%zu.log", turn->place.binary, turn->place.folder,
                       i);
        }
    }
}

static bool turn_run(struct fuzz_turn *turn, const struct fuzz_options *options)
{
    turn->begin_ms = turn->end_ms = now_ms();
    if (!bed_seeds_write(&turn->place, options->empty))
        return false;
    turn->seconds = options->seconds;
    for (size_t i = 0; i < options->jobs; i++) {
        if (!bed_engine_start(&turn->engines[i], &turn->place, i, options->seconds)) {
            stop_all(turn);
            turn_watch(turn);
            return false;
        }
        turn->jobs++;
    }
    turn_watch(turn);
    turn_judge(turn);
    return !turn->broken;
}

/* ---- the command ---- */

static void turn_add(struct fuzz_turn *turn, const struct fuzz_target *target,
                     const struct fuzz_options *options)
{
    struct bed_engine_place *place = &turn->place;
    place->target = target;
    snprintf(place->binary, sizeof(place->binary), "%s/fuzz_%s", options->bin_dir, target->name);
    snprintf(place->folder, sizeof(place->folder), "%s/%s", options->out_dir, target->name);
    snprintf(place->seeds, sizeof(place->seeds), "%s/%s/seeds", options->out_dir, target->name);
    snprintf(place->corpus, sizeof(place->corpus), "%s/%s/corpus", options->out_dir, target->name);
}

/* The named targets, or all but the canary, which only a name calls. Nothing starts before each has
 * its program. */
static bool turns_choose(struct fuzz_turn *turns, size_t *out_count, int argc, char **argv,
                         const struct fuzz_options *options)
{
    size_t count = 0;

    for (size_t i = 0; argc == 0 && i < fuzz_target_count(); i++)
        if (fuzz_target_is_listed(fuzz_target_at(i)))
            turn_add(&turns[count++], fuzz_target_at(i), options);
    for (int i = 0; i < argc; i++) {
        const struct fuzz_target *target = bed_target(argv[i]);
        if (target == NULL)
            return false;
        turn_add(&turns[count++], target, options);
    }
    for (size_t i = 0; i < count; i++) {
        if (access(turns[i].place.binary, X_OK) != 0) {
            bed_cannot("%s: %s", turns[i].place.binary, strerror(errno));
            return false;
        }
    }
    *out_count = count;
    return true;
}

static int fuzz_all(int argc, char **argv, const struct fuzz_options *options)
{
    const struct sigaction interrupt = {.sa_handler = on_interrupt};
    size_t room = fuzz_target_count() + (size_t)argc, count = 0, found = 0;
    struct fuzz_turn *turns = bed_take(room * sizeof(*turns));
    bool ok;

    memset(turns, 0, room * sizeof(*turns));
    ok = turns_choose(turns, &count, argc, argv, options);
    if (ok) {
        size_t done = 0;
        sigaction(SIGINT, &interrupt, NULL);
        for (; done < count && !interrupted; done++) {
            ok = turn_run(&turns[done], options) && ok;
            found += turns[done].found;
        }
        print_table(turns, done);
    }
    free(turns);
    if (found > 0)
        return BED_FOUND;
    return ok ? BED_PASS : BED_CANNOT;
}

static int bed_fuzz(int argc, char **argv)
{
    struct fuzz_options options = {
        .bin_dir = "build/fuzz", .out_dir = "build/found", .seconds = 60, .jobs = 2};
    const struct bed_option table[] = {
        {.name = "seconds", .number = &options.seconds, .max = 1000000},
        {.name = "jobs", .number = &options.jobs, .max = JOBS_MAX},
        {.name = "bin-dir", .text = &options.bin_dir},
        {.name = "out", .text = &options.out_dir},
        {.name = "empty", .flag = &options.empty},
        {.name = NULL}};

    if (!bed_options(argc, argv, table, 0, INT_MAX))
        return BED_CANNOT;
    if (options.seconds == 0 || options.jobs == 0)
        return bed_cannot("--seconds and --jobs: at least 1");
    return fuzz_all(argc - optind, argv + optind, &options);
}

BED_COMMAND(.name = "fuzz", .text = "the fuzzers of all targets in turn, or of those named",
            .usage =
                "[NAME...] [--seconds 60] [--jobs 2] [--empty]\n"
                "            [--bin-dir build/fuzz] [-o build/found]\n\n"
                "--seconds is each target's time; its turn ends early with a finding, which\n"
                "is minimised, kept as text below build/found/NAME/ and printed. What engines\n"
                "learn stays in build/found/NAME/corpus; --empty forgets it, the committed\n"
                "corpus too. On a terminal the figures are live.",
            .run = bed_fuzz);
