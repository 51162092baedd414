/*
 * replay.c: an input's runs in a child process, and its verdict. Numbers come back through shared
 * memory, words through an unnamed file that is the child's output: both are whole however the
 * child ends, and neither can fill up and block.
 */
#include "targets/driver/replay.h"

#include "targets/driver/verdict.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* Backstops: the step cap (BED-004) is what should end a run. */
#define REPLAY_CPU_S          20
#define REPLAY_WALL_S         120
#define REPLAY_SAID_BYTES_MAX ((rlim_t)16 << 20)

#define REPLAY_SWEEP_FIRST  128 /* requests that are refused one by one */
#define REPLAY_SWEEP_SPREAD 64  /* and so many later ones */
#define REPLAY_LAST_LINES   24

/* What the child tells. Page by page it costs nothing until written. */
struct shared {
    bool is_done;
    uint64_t refused; /* the request that the current run refuses; 0 = none */
    uint64_t hash, ops_live, ops_dead, requests, denied, lines;
    enum wb_err outcome;
    uint64_t marks[SIM_MARKS_MAX];
    uint64_t op_counts[SIM_OPCODES];
    uint32_t choice_counts[SIM_OPCODES][SIM_CHOICES];
    size_t story_len;
    char story[SIM_STORY_MAX];
};

/* Of the sanitizers, where there is one. */
extern void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));
extern size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));
extern int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

/*
 * The handlers from before main: cmocka puts its own in their place, which would jump back into the
 * parent's test from a child and hide a sanitizer's report.
 */
static const int fatal_signals[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
#define FATAL_SIGNALS (sizeof fatal_signals / sizeof fatal_signals[0])
static struct sigaction first_handlers[FATAL_SIGNALS];

__attribute__((constructor)) static void remember_handlers(void)
{
    for (size_t i = 0; i < FATAL_SIGNALS; i++)
        sigaction(fatal_signals[i], NULL, &first_handlers[i]);
}

static void print_trace(void)
{
    sim_trace_print(&fuzz_run_state()->trace, REPLAY_LAST_LINES, stderr);
    fflush(stderr);
}

/* WB_ASSERT of the core knows no trace; its child does. The handler is gone by now, so the second
 * signal ends it. */
static void on_abort(int signal_number)
{
    print_trace();
    raise(signal_number);
}

static void arm(void)
{
    const struct itimerval cpu = {.it_value = {.tv_sec = REPLAY_CPU_S}};

    setitimer(ITIMER_PROF, &cpu, NULL);
    alarm(REPLAY_WALL_S);
}

static void child_begin(int output)
{
    const struct rlimit no_core = {0, 0};
    const struct rlimit said = {REPLAY_SAID_BYTES_MAX, REPLAY_SAID_BYTES_MAX};
    const struct sigaction abort_action = {.sa_handler = on_abort,
                                           .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};

    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    setrlimit(RLIMIT_CORE, &no_core);
    setrlimit(RLIMIT_FSIZE, &said);
    for (size_t i = 0; i < FATAL_SIGNALS; i++)
        sigaction(fatal_signals[i], &first_handlers[i], NULL);
    sigaction(SIGABRT, &abort_action, NULL);
    signal(SIGPROF, SIG_DFL);
    signal(SIGALRM, SIG_DFL);
    if (__sanitizer_set_death_callback != NULL)
        __sanitizer_set_death_callback(print_trace);
}

static void tell(struct shared *shared, const struct sim_run *run)
{
    shared->hash = run->trace.hash;
    shared->lines = run->trace.count;
    shared->outcome = run->outcome;
    shared->ops_live = run->ops_live;
    shared->ops_dead = run->ops_dead;
    shared->requests = run->alloc.requests;
    shared->denied = run->alloc.refused;
    memcpy(shared->marks, run->marks, sizeof run->marks);
    memcpy(shared->op_counts, run->op_counts, sizeof run->op_counts);
    memcpy(shared->choice_counts, run->choice_counts, sizeof run->choice_counts);
    shared->story_len = run->story_len < SIM_STORY_MAX ? run->story_len : SIM_STORY_MAX;
    if (run->story_on)
        memcpy(shared->story, run->story, shared->story_len);
}

static void run_refusing(const struct fuzz_target *target, struct wb_view input,
                         struct shared *shared, uint64_t n)
{
    arm();
    shared->refused = n;
    fuzz_run_failing(target, input, n);
    shared->refused = 0;
}

static void sweep(const struct fuzz_target *target, struct wb_view input, struct shared *shared)
{
    uint64_t later =
        shared->requests > REPLAY_SWEEP_FIRST ? shared->requests - REPLAY_SWEEP_FIRST : 0;

    for (uint64_t n = 1; n <= shared->requests - later; n++)
        run_refusing(target, input, shared, n);
    for (uint64_t i = 0; i < later && i < REPLAY_SWEEP_SPREAD; i++) {
        uint64_t at = i;
        if (later > REPLAY_SWEEP_SPREAD)
            at = sim_hash(wb_view_of(&i, sizeof i), shared->hash) % later;
        run_refusing(target, input, shared, REPLAY_SWEEP_FIRST + 1 + at);
    }
}

/* What a target took behind the run's back. Counting is cheap, so the costly search runs only where
 * there is a reason. */
static void check_leaks(size_t bytes_before)
{
    if (__sanitizer_get_current_allocated_bytes == NULL || __lsan_do_recoverable_leak_check == NULL)
        return;
    if (__sanitizer_get_current_allocated_bytes() <= bytes_before)
        return;
    if (__lsan_do_recoverable_leak_check() != 0)
        _exit(1);
}

static void child_runs(const struct fuzz_target *target, struct wb_view input, enum replay_how how,
                       bool want_story, struct shared *shared)
{
    struct sim_run *run = fuzz_run_state();
    size_t bytes_before = 0;

    if (__sanitizer_get_current_allocated_bytes != NULL)
        bytes_before = __sanitizer_get_current_allocated_bytes();
    memset(run->marks, 0, sizeof run->marks);
    memset(run->op_counts, 0, sizeof run->op_counts);
    memset(run->choice_counts, 0, sizeof run->choice_counts);
    run->story_on = want_story;
    arm();
    run = fuzz_run(target, input);
    tell(shared, run);
    if (how == REPLAY_FULL) {
        /* Without the story: asking for it may not change a run either. */
        run->story_on = false;
        arm();
        run = fuzz_run(target, input);
        FUZZ_CHECK(BED_003, run->trace.hash == shared->hash);
        sweep(target, input, shared);
    }
    check_leaks(bytes_before);
    shared->is_done = true;
}

static char *read_report(int output, uint64_t refused, uint64_t requests)
{
    char note[96] = "";
    off_t size = lseek(output, 0, SEEK_END);
    size_t len = 0;

    if (refused > 0)
        snprintf(note, sizeof note, "  in the run that refused request %llu of %llu\n",
                 (unsigned long long)refused, (unsigned long long)requests);
    char *report = malloc((size_t)(size < 0 ? 0 : size) + sizeof note);
    WB_ASSERT(report != NULL);
    while (size > 0 && len < (size_t)size) {
        ssize_t n = pread(output, report + len, (size_t)size - len, (off_t)len);
        if (n <= 0)
            break;
        len += (size_t)n;
    }
    memcpy(report + len, note, strlen(note) + 1);
    return report;
}

static void take_verdict(const struct shared *shared, int status, int output, bool want_story,
                         struct replay_verdict *out)
{
    out->failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0 || !shared->is_done;
    out->hash = shared->hash;
    out->outcome = shared->outcome;
    out->ops_live = shared->ops_live;
    out->ops_dead = shared->ops_dead;
    out->requests = shared->requests;
    out->refused = shared->denied;
    out->steps_hint = shared->lines;
    memcpy(out->marks, shared->marks, sizeof out->marks);
    memcpy(out->op_counts, shared->op_counts, sizeof out->op_counts);
    memcpy(out->choice_counts, shared->choice_counts, sizeof out->choice_counts);
    if (want_story) {
        out->story = malloc(shared->story_len + 1);
        WB_ASSERT(out->story != NULL);
        memcpy(out->story, shared->story, shared->story_len);
        out->story[shared->story_len] = '\0';
    }
    if (out->failed) {
        out->report = read_report(output, shared->refused, shared->requests);
        verdict_id(out->report, status, out->id);
    }
}

static bool run_child(const struct fuzz_target *target, struct wb_view input, enum replay_how how,
                      bool want_story, int output, struct shared *shared, int *out_status)
{
    fflush(NULL); /* or the child would print the parent's words again */
    pid_t child = fork();
    if (child < 0)
        return false;
    if (child == 0) {
        child_begin(output);
        child_runs(target, input, how, want_story, shared);
        _exit(0);
    }
    while (waitpid(child, out_status, 0) < 0) {
        if (errno != EINTR)
            return false;
    }
    return true;
}

bool replay_run(const struct fuzz_target *target, struct wb_view input, enum replay_how how,
                bool want_story, struct replay_verdict *out)
{
    int status = 0, output = memfd_create("report", MFD_CLOEXEC);

    if (output < 0)
        return false;
    struct shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        close(output);
        return false;
    }
    bool ok = run_child(target, input, how, want_story, output, shared, &status);
    int failed_with = errno;
    if (ok) {
        memset(out, 0, sizeof *out);
        take_verdict(shared, status, output, want_story, out);
    }
    munmap(shared, sizeof *shared);
    close(output);
    errno = failed_with;
    return ok;
}

void replay_verdict_free(struct replay_verdict *v)
{
    free(v->report);
    free(v->story);
    v->report = NULL;
    v->story = NULL;
}
