/*
 * watch.c: `bed watch`, a running process seen by the kernel: its system calls, and the invariants
 * of the probes that it carries.
 */
#include "targets/bed/bed.h"

#include "oracles/watch/rules.h"
#include "oracles/watch/session.h"
#include "oracles/watch/words.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FILES_MAX    8
#define DRAW_NS      UINT64_C(500000000)
#define ROWS_MAX     12
#define RECORD_FLUSH 3 /* quiet turns, when all processes are gone */

struct watching {
    bool json, ops, pure, live;
    uint64_t buffer_kib;
    const char *files[FILES_MAX];
    size_t file_count;
    char program[PATH_MAX]; /* what is run, or what the process runs */
    int pid;
    int child;    /* a socket to what was started, until it is the program; -1 = none */
    int status;   /* how that ended, as wait has it */
    bool stopped; /* on our word */
    struct watch_rules *rules;
    struct watch_session *session;
    uint64_t drawn_ns, drawn_operations;
    unsigned drawn_lines;
};

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number)
{
    (void)number;
    is_interrupted = 1;
}

static uint64_t now_ns(void)
{
    struct timespec t = {0};

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

/* ---- what is printed ---- */

static void undraw(struct watching *w)
{
    if (w->drawn_lines > 0)
        printf("\033[%uA\033[J", w->drawn_lines);
    w->drawn_lines = 0;
}

static void say_violation(void *context, const char *line)
{
    struct watching *w = context;

    undraw(w);
    fprintf(w->json ? stderr : stdout, "VIOLATION %s\n", line);
}

static void say_operation(void *context, const char *line)
{
    struct watching *w = context;

    fprintf(w->json ? stderr : stdout, "%s\n", line);
}

/* The numbers of calls that were made, by how often; ends at the first of zero. */
static size_t sorted(const struct watch_counts *counts, size_t out[WATCH_CALLS_MAX])
{
    size_t n = 0;

    for (size_t i = 0; i < WATCH_CALLS_MAX; i++) {
        size_t at = n;
        if (counts->calls[i] == 0)
            continue;
        for (; at > 0 && counts->calls[out[at - 1]] < counts->calls[i]; at--)
            out[at] = out[at - 1];
        out[at] = i;
        n++;
    }
    return n;
}

static uint64_t sum_of(const uint64_t *counts)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < WATCH_CALLS_MAX; i++)
        sum += counts[i];
    return sum;
}

/* `n` of them for each of `operations`, in hundredths. */
static void print_share(uint64_t n, uint64_t operations)
{
    uint64_t share = operations > 0 ? (n * 100 + operations / 2) / operations : 0;

    printf(" %9" PRIu64 ".%02u", share / 100, (unsigned)(share % 100));
}

/* At most `rows` of calls; the number of lines. */
static unsigned print_calls(const struct watch_counts *counts, size_t rows)
{
    size_t order[WATCH_CALLS_MAX], n = sorted(counts, order);

    printf("  %-20s %10s %12s\n", "system call", "all", "an operation");
    for (size_t i = 0; i < n && i < rows; i++) {
        printf("  %-20s %10" PRIu64, words_call_any(order[i]), counts->calls[order[i]]);
        print_share(counts->inside[order[i]], counts->operations);
        printf("\n");
    }
    return 1 + (unsigned)(n < rows ? n : rows);
}

static void print_sum(const struct watching *w, const struct watch_counts *counts)
{
    struct watch_rules_sum sum = rules_sum(w->rules);

    printf("%" PRIu64 " operations, %" PRIu64 " system calls, %" PRIu64 " between marks; %" PRIu64
           " violations, %" PRIu64 " records lost\n",
           counts->operations, sum_of(counts->calls), sum_of(counts->inside), sum.violations,
           counts->lost);
}

static void draw(struct watching *w)
{
    struct watch_counts counts = session_counts(w->session);
    uint64_t now = now_ns(), passed = now - w->drawn_ns;

    if (!w->live || passed < DRAW_NS)
        return;
    uint64_t done = counts.operations - w->drawn_operations;
    undraw(w);
    printf("%" PRIu64 " operations a second; ", done * 1000 / (passed / 1000000));
    print_sum(w, &counts);
    w->drawn_lines = 1 + print_calls(&counts, ROWS_MAX);
    fflush(stdout);
    w->drawn_ns = now;
    w->drawn_operations = counts.operations;
}

/* As a shell has it. */
static int exit_of(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void print_summary(struct watching *w)
{
    struct watch_counts counts = session_counts(w->session);
    struct watch_rules_sum sum = rules_sum(w->rules);

    undraw(w);
    print_sum(w, &counts);
    print_calls(&counts, WATCH_CALLS_MAX);
    if (WIFSIGNALED(w->status))
        printf("%s was killed by signal %d, %s\n", w->program, WTERMSIG(w->status),
               strsignal(WTERMSIG(w->status)));
    else if (w->status != 0)
        printf("%s ended with exit code %d\n", w->program, WEXITSTATUS(w->status));
    if (sum.died > 0)
        printf("%" PRIu64 " processes ended in the middle\n", sum.died);
    if (sum.unjudged > 0)
        printf("%" PRIu64 " processes ran before: their segments were not judged\n", sum.unjudged);
    if (counts.lost > 0)
        printf("%" PRIu64 " records were lost: what came right behind them was not judged; "
               "--buffer KIB takes more\n",
               counts.lost);
}

static void json_calls(const uint64_t *counts)
{
    const char *comma = "";

    printf("{");
    for (size_t i = 0; i < WATCH_CALLS_MAX; i++) {
        if (counts[i] == 0)
            continue;
        printf("%s\"%s\": %" PRIu64, comma, words_call_any(i), counts[i]);
        comma = ", ";
    }
    printf("}");
}

static void print_json(const struct watching *w)
{
    struct watch_counts counts = session_counts(w->session);
    struct watch_rules_sum sum = rules_sum(w->rules);

    printf("{\"syscalls\": ");
    json_calls(counts.calls);
    printf(", \"between_marks\": ");
    json_calls(counts.inside);
    printf(", \"operations\": %" PRIu64 ", \"violations\": %" PRIu64 ", \"lost\": %" PRIu64
           ", \"changes\": %" PRIu64 ", \"died\": %" PRIu64 ", \"probes\": %u, \"exit\": ",
           counts.operations, sum.violations, counts.lost, counts.changes, sum.died,
           session_probes(w->session));
    printf(w->child < 0 ? "null}\n" : "%d}\n", exit_of(w->status));
}

/* ---- whom to watch ---- */

/* A script is none: what it runs in turn may have probes, --probes tells. */
static bool is_elf(const char *path)
{
    char magic[4] = "";
    FILE *in = fopen(path, "rb");
    bool is = in && fread(magic, 1, sizeof magic, in) == sizeof magic &&
              memcmp(magic, "\177ELF", sizeof magic) == 0;

    if (in)
        fclose(in);
    return is;
}

/* Where the shell would find it. False after a message. */
static bool find_program(const char *name, char out[PATH_MAX])
{
    const char *path = getenv("PATH");

    if (strchr(name, '/')) {
        snprintf(out, PATH_MAX, "%s", name);
    } else {
        out[0] = '\0';
        while (path && *path) {
            size_t len = strcspn(path, ":");
            snprintf(out, PATH_MAX, "%.*s/%s", (int)len, path, name);
            if (access(out, X_OK) == 0)
                break;
            out[0] = '\0';
            path += len + (path[len] == ':');
        }
    }
    if (out[0] != '\0' && access(out, X_OK) == 0)
        return true;
    bed_cannot("%s: %s", name, strerror(errno));
    return false;
}

/* In the child: waits for a word on the socket, then becomes the program or says why not. */
static _Noreturn void become(const struct watching *w, int parent, char **command)
{
    int why;
    char word;

    if (w->json)
        dup2(2, 1);
    if (read(parent, &word, 1) == 1) {
        execv(w->program, command);
        why = errno;
        (void)!write(parent, &why, sizeof why);
    }
    _exit(BED_CANNOT);
}

/* False after a message. */
static bool start(struct watching *w, char **command)
{
    int ends[2];

    if (!find_program(command[0], w->program))
        return false;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        bed_cannot("no socket: %s", strerror(errno));
        return false;
    }
    fflush(stdout);
    w->pid = fork();
    if (w->pid == 0) {
        close(ends[1]);
        become(w, ends[0], command);
    }
    close(ends[0]);
    w->child = ends[1];
    if (w->pid < 0)
        bed_cannot("no process: %s", strerror(errno));
    return w->pid > 0;
}

/* Lets it become the program. False after a message. */
static bool go(struct watching *w)
{
    int why = 0;

    if (send(w->child, "g", 1, MSG_NOSIGNAL) == 1 && read(w->child, &why, sizeof why) <= 0)
        return true;
    waitpid(w->pid, NULL, 0);
    bed_cannot("%s: %s", w->program, why != 0 ? strerror(why) : "it ended before it began");
    return false;
}

static bool find_process(struct watching *w, const char *text)
{
    char path[64];
    uint64_t pid;

    if (!bed_number("PID", text, INT_MAX, &pid))
        return false;
    w->pid = (int)pid;
    /* valid whatever its file system calls the program */
    snprintf(path, sizeof path, "/proc/%d/exe", w->pid);
    snprintf(w->program, sizeof w->program, "%s", path);
    if (readlink(path, (char[1]){0}, 1) >= 0)
        return true;
    bed_cannot("process %d: %s", w->pid, strerror(errno));
    return false;
}

/* ---- watching ---- */

static void take(void *context, const struct watch_event *e)
{
    rules_take(context, e);
}

static bool open_session(struct watching *w)
{
    char error[SESSION_ERROR_MAX];
    struct watch_rules_config rules = {.is_pure = w->pure,
                                       .violation = say_violation,
                                       .operation = w->ops ? say_operation : NULL,
                                       .context = w};

    if (is_elf(w->program))
        w->files[w->file_count++] = w->program;
    w->rules = rules_new(&rules);
    bed_must(w->rules ? WB_OK : WB_E_NOMEM);
    w->session = session_open(&(struct watch_session_config){.pid = w->pid,
                                                             .waits_for_exec = w->child >= 0,
                                                             .buffer_kib = (unsigned)w->buffer_kib,
                                                             .files = w->files,
                                                             .file_count = w->file_count,
                                                             .take = take,
                                                             .context = w->rules},
                              error);
    if (!w->session)
        bed_cannot("watch: %s", error);
    return w->session != NULL;
}

/* An interrupt ends the watching of a process, and is handed on to a program that was started. */
static void watch(struct watching *w)
{
    bool is_ours = w->child >= 0, has_ended = !is_ours;
    unsigned quiet = 0;

    w->drawn_ns = now_ns();
    while (quiet < RECORD_FLUSH) {
        session_turn(w->session);
        draw(w);
        if (!has_ended)
            has_ended = waitpid(w->pid, &w->status, WNOHANG) == w->pid;
        if (is_interrupted && !has_ended)
            kill(w->pid, SIGTERM);
        w->stopped = w->stopped || is_interrupted;
        if ((is_interrupted && !is_ours) || !session_is_alive(w->session))
            quiet++;
        is_interrupted = is_interrupted && !is_ours;
    }
    if (!has_ended)
        waitpid(w->pid, &w->status, 0);
}

/* Said that all is well, or ended on our word. */
static bool ended_well(const struct watching *w)
{
    if (!WIFSIGNALED(w->status))
        return w->stopped || w->status == 0;
    return w->stopped && (WTERMSIG(w->status) == SIGTERM || WTERMSIG(w->status) == SIGINT);
}

static int run(struct watching *w)
{
    struct sigaction action = {.sa_handler = interrupt};

    if (!open_session(w))
        return BED_CANNOT;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    fprintf(stderr, "bed: watching process %d, %u kinds of probes\n", w->pid,
            session_probes(w->session));
    if (w->child >= 0 && !go(w))
        return BED_CANNOT;
    watch(w);
    if (w->json)
        print_json(w);
    else
        print_summary(w);
    return rules_sum(w->rules).violations > 0 || !ended_well(w) ? BED_FOUND : BED_PASS;
}

static bool read_options(struct watching *w, int argc, char **argv)
{
    static const struct option options[] = {
        {"json", no_argument, NULL, 'j'},         {"ops", no_argument, NULL, 'o'},
        {"pure", no_argument, NULL, 'p'},         {"probes", required_argument, NULL, 'f'},
        {"buffer", required_argument, NULL, 'b'}, {NULL, 0, NULL, 0}};
    bool ok = true;
    int c;

    while (ok && (c = getopt_long(argc, argv, "+", options, NULL)) != -1) {
        w->json = w->json || c == 'j';
        w->ops = w->ops || c == 'o';
        w->pure = w->pure || c == 'p';
        if (c == 'f' && w->file_count + 1 < FILES_MAX)
            w->files[w->file_count++] = optarg;
        else if (c == 'b')
            ok = bed_number("--buffer", optarg, 1 << 20, &w->buffer_kib);
        else if (c == '?' || c == 'f')
            ok = bed_misuse(argv[0]) == BED_PASS;
    }
    return ok;
}

static int bed_watch(int argc, char **argv)
{
    struct watching w = {.child = -1};

    if (!read_options(&w, argc, argv))
        return BED_CANNOT;
    bool has_command = optind > 1 && strcmp(argv[optind - 1], "--") == 0;
    if (optind == argc || (!has_command && argc - optind > 1))
        return bed_misuse(argv[0]);
    w.live = isatty(STDOUT_FILENO) && !w.json && !w.ops;
    bool found = has_command ? start(&w, argv + optind) : find_process(&w, argv[optind]);
    int status = found ? run(&w) : BED_CANNOT;
    session_close(w.session);
    rules_free(w.rules);
    if (w.child >= 0)
        close(w.child);
    return status;
}

BED_COMMAND(.name = "watch",
            .text = "system calls and invariants of a running process, seen by the kernel",
            .usage = "[--ops] [--json] [--pure] [--probes FILE]... [--buffer KIB] PID | -- CMD...\n"
                     "\n"
                     "--ops      one line for each operation: a request and its reply, a fuzz run\n"
                     "--json     one object at the end; CMD's output goes to standard error then\n"
                     "--pure     a fuzz run may make no system call (WCH-007)\n"
                     "--probes   also those of FILE: a library, or what CMD runs in turn\n"
                     "--buffer   for records on their way, a power of two; more loses fewer\n"
                     "\n"
                     "Processes that it forks are followed. Of a PID, what it does from now on\n"
                     "until it ends or Ctrl-C. A program carries probes when it is built with\n"
                     "-DWB_PROBES; of any other, system calls are counted. Exit code 1: an\n"
                     "invariant was broken, or CMD was killed or ended with another code than 0",
            .run = bed_watch);
