/*
 * run_jobs.c: each mutant lives in a child of its own, forked from a process that has read
 * everything; some at once.
 */
#include "ci/mutate/run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define JOBS_MAX 16

struct job {
    pid_t pid;
    struct mutant *mutant;
    struct mutate_told *told;
    int said;
};

void *mutate_shared(size_t bytes)
{
    void *block = mmap(NULL, bytes > 0 ? bytes : 1, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (block == MAP_FAILED) {
        perror("mutate");
        exit(2);
    }
    return block;
}

/* A run that takes far longer than mutant 0's is one that does not end. In CPU time: what else the
 * machine does changes no verdict. */
void mutate_limit(uint64_t ns)
{
    uint64_t limit = 100000000 + 20 * ns;
    const struct itimerval t = {.it_value = {.tv_sec = (time_t)(limit / 1000000000),
                                             .tv_usec = (suseconds_t)(limit / 1000 % 1000000)}};

    setitimer(ITIMER_PROF, &t, NULL);
}

void mutate_child(unsigned id)
{
    static const int fatal[] = {SIGABRT, SIGTRAP, SIGILL, SIGSEGV, SIGPROF};
    const struct rlimit no_core = {0, 0}, memory = {(rlim_t)4 << 30, (rlim_t)4 << 30};
    const struct rlimit said = {(rlim_t)4 << 20, (rlim_t)4 << 20};

    for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
        signal(fatal[i], SIG_DFL);
    setrlimit(RLIMIT_CORE, &no_core);
    setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_FSIZE, &said);
    mutate_map = NULL;
    mutate_lives = id;
}

static void child(struct mutate *m, const struct mutate_stage *stage, struct job *job)
{
    dup2(job->said, STDOUT_FILENO);
    dup2(job->said, STDERR_FILENO);
    mutate_child(job->mutant->id);
    stage->live(m, job->mutant, job->told, stage->arg);
    _exit(0);
}

static void start(struct mutate *m, const struct mutate_stage *stage, struct job *job)
{
    memset(job->told, 0, sizeof(*job->told));
    if (ftruncate(job->said, 0) != 0 || lseek(job->said, 0, SEEK_SET) != 0)
        perror("mutate");
    fflush(NULL);
    job->pid = fork();
    if (job->pid == 0)
        child(m, stage, job);
    if (job->pid < 0) {
        perror("mutate: fork");
        exit(2);
    }
}

/* What the child said was broken. */
static void take_reason(const struct job *job, int status, char by[MUTATE_WORD])
{
    char said[4097];
    ssize_t n = pread(job->said, said, sizeof(said) - 1, 0);
    static const char mark[] = "ASSERTION FAILED: ";

    said[n > 0 ? n : 0] = '\0';
    const char *at = strstr(said, mark);
    if (at != NULL)
        snprintf(by, MUTATE_WORD, "%.*s", (int)strcspn(at + strlen(mark), "\n\t"),
                 at + strlen(mark));
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
        snprintf(by, MUTATE_WORD, "its time");
    else if (WIFSIGNALED(status))
        snprintf(by, MUTATE_WORD, "signal %d", WTERMSIG(status));
    else
        snprintf(by, MUTATE_WORD, "exit %d", WEXITSTATUS(status));
    /* Of an invariant the id is enough. */
    if (strlen(by) > 7 && by[3] == '-')
        by[7] = '\0';
}

static void finish(struct mutate *m, const struct mutate_stage *stage, struct job *job, int status)
{
    struct mutant *x = job->mutant;

    x->has_effect |= job->told->has_effect;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        x->end = MUTATE_KILLED;
        x->stage = stage->name;
        take_reason(job, status, x->by);
        stage->where(m, x, job->told->at, stage->arg);
    }
    x->passed |= UINT64_C(1) << stage->step;
    mutate_tell(m, x);
    job->pid = 0;
}

static void wait_for_one(struct mutate *m, const struct mutate_stage *stage, struct job *jobs)
{
    int status;
    pid_t pid = wait(&status);

    for (size_t i = 0; i < m->workers && pid > 0; i++) {
        if (jobs[i].pid == pid)
            finish(m, stage, &jobs[i], status);
    }
}

bool mutate_is_open(const struct mutant *x, unsigned step)
{
    return x->end == MUTATE_OPEN && (x->passed >> step & 1) == 0;
}

void mutate_pass(struct mutate *m, unsigned step)
{
    for (size_t k = 0; k < m->mutant_count; k++)
        m->mutants[k].passed |= UINT64_C(1) << step;
}

void mutate_progress(const char *stage, size_t done, size_t of)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[Kmutate: %s: %zu of %zu%s", stage, done, of,
                done == of ? "\n" : "");
}

void mutate_stage_run(struct mutate *m, const struct mutate_stage *stage,
                      bool (*wants)(struct mutate *m, const struct mutant *x, void *arg))
{
    static struct job jobs[JOBS_MAX];
    size_t running = 0, done = 0;

    for (size_t i = 0; i < m->workers; i++) {
        if (jobs[i].told == NULL) {
            jobs[i].told = mutate_shared(sizeof(*jobs[i].told));
            jobs[i].said = memfd_create("said", MFD_CLOEXEC);
        }
    }
    for (size_t k = 0; k < m->mutant_count; k++) {
        struct mutant *x = &m->mutants[k];
        size_t i = 0;

        if (!mutate_is_open(x, stage->step) || !wants(m, x, stage->arg))
            continue;
        if (running == m->workers) {
            wait_for_one(m, stage, jobs);
            running--;
        }
        while (jobs[i].pid != 0)
            i++;
        jobs[i].mutant = x;
        start(m, stage, &jobs[i]);
        running++;
        if (++done % 16 == 0)
            mutate_progress(stage->name, k + 1, m->mutant_count);
    }
    for (; running > 0; running--)
        wait_for_one(m, stage, jobs);
}

bool mutate_halves(size_t workers, void (*half)(size_t part, size_t of, void *arg), void *arg)
{
    bool ok = true;
    int status;

    fflush(NULL);
    for (size_t i = 0; i < workers; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            half(i, workers, arg);
            _exit(0);
        }
        ok &= pid > 0;
    }
    while (wait(&status) > 0 || errno == EINTR)
        ok &= WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return ok;
}
