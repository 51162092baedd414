#include "ci/bench/reply/bench.h"

#include "oracles/watch/session.h"
#include "oracles/watch/words.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define PROOF 100 /* calls that must be counted as so many */

static struct watch_session *session;
static struct counter_calls started, paused;
static bool running;

static int kind_of(uint64_t number)
{
    static const struct {
        const char *name;
        int kind;
    } known[] = {{"recvfrom", COUNTER_RECV},   {"recvmsg", COUNTER_RECV}, {"read", COUNTER_RECV},
                 {"readv", COUNTER_RECV},      {"poll", COUNTER_POLL},    {"ppoll", COUNTER_POLL},
                 {"epoll_wait", COUNTER_POLL}, {"sendto", COUNTER_SEND},  {"sendmsg", COUNTER_SEND},
                 {"write", COUNTER_SEND},      {"writev", COUNTER_SEND}};
    const char *name = words_call(number);
    for (size_t i = 0; name && i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(name, known[i].name) == 0)
            return known[i].kind;
    }
    return COUNTER_ALL;
}

/* The kernel's own counters lie in this process's memory: to read them is no call. */
static struct counter_calls count(void)
{
    static int kinds[WATCH_CALLS_MAX];
    static bool known;
    struct counter_calls sum = {{0}};
    const volatile uint64_t *calls = session_counts(session).calls;
    for (uint64_t i = 0; i < WATCH_CALLS_MAX; i++) {
        if (!known)
            kinds[i] = kind_of(i);
        sum.of[COUNTER_ALL] += calls[i];
        if (kinds[i] != COUNTER_ALL)
            sum.of[kinds[i]] += calls[i];
    }
    known = true;
    return sum;
}

static void add_since(struct counter_calls *sum, const struct counter_calls *before)
{
    struct counter_calls now = count();
    for (int i = 0; i < COUNTER_KINDS; i++)
        sum->of[i] += now.of[i] - before->of[i];
}

static void nothing(void *context, const struct watch_event *e)
{
    (void)context;
    (void)e;
}

bool counter_open(const char **out_why)
{
    static char why[SESSION_ERROR_MAX];
    session = session_open(
        &(struct watch_session_config){
            .pid = getpid(), .is_alone = true, .buffer_kib = 4, .take = nothing},
        why);
    *out_why = why;
    if (!session)
        return false;
    counter_start();
    for (int i = 0; i < PROOF; i++)
        figure_must(write(-1, "", 0) != 0, "a call that cannot succeed did");
    struct counter_calls proof = counter_stop();
    figure_must(proof.of[COUNTER_ALL] == PROOF && proof.of[COUNTER_SEND] == PROOF,
                "the watcher counts something else");
    return true;
}

void counter_close(void)
{
    session_close(session);
    session = NULL;
}

bool counter_is_open(void)
{
    return session != NULL;
}

void counter_start(void)
{
    paused = (struct counter_calls){{0}};
    running = session != NULL;
    if (running)
        started = count();
}

struct counter_calls counter_stop(void)
{
    struct counter_calls sum = {{0}};
    if (running)
        add_since(&sum, &started);
    for (int i = 0; i < COUNTER_KINDS; i++)
        sum.of[i] -= paused.of[i];
    running = false;
    return sum;
}

static struct counter_calls pause_began;

void counter_pause(void)
{
    if (running)
        pause_began = count();
}

void counter_resume(void)
{
    if (running)
        add_since(&paused, &pause_began);
}

uint64_t counter_cpu_ns(void)
{
    struct timespec t;
    figure_must(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) == 0, "no clock");
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

uint64_t counter_faults(void)
{
    struct rusage usage;
    figure_must(getrusage(RUSAGE_SELF, &usage) == 0, "no usage");
    return (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
}
