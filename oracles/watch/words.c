#include "oracles/watch/words.h"

#include "core/base/err.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* Made by the build from the system's own header. */
static const char *const names[WATCH_CALLS_MAX] = {
#include <watch_calls.h>
};

const char *words_call(uint64_t number)
{
    return number < WATCH_CALLS_MAX ? names[number] : NULL;
}

const char *words_call_any(uint64_t number)
{
    static char unknown[32];
    const char *name = words_call(number);

    snprintf(unknown, sizeof unknown, "call %" PRIu64, number);
    return name ? name : unknown;
}

static const char *directions(uint64_t mask)
{
    static const char *const text[] = {"nothing", "in", "out", "in or out"};

    return text[mask & 3];
}

static void words_exit(const struct watch_event *e, char *out, size_t size)
{
    int status = (int)e->a[3];

    if (WIFSIGNALED(status))
        snprintf(out, size, "killed by signal %d", WTERMSIG(status));
    else
        snprintf(out, size, "exit %d", WEXITSTATUS(status));
}

static void words_reply(const struct watch_event *e, char *out, size_t size)
{
    int status = (int)e->a[1];

    snprintf(out, size, "reply %s pending %" PRId64, status < 0 ? "given up" : wb_err_name(status),
             (int64_t)e->a[2]);
}

void words_event(const struct watch_event *e, char *out, size_t size)
{
    const uint64_t *a = e->a;

    switch ((enum watch_kind)e->kind) {
    case WATCH_CALL:
        snprintf(out, size, "%s", words_call_any(a[1]));
        return;
    case WATCH_REQUEST:
        snprintf(out, size, "request %" PRIu64 "%s%s", a[1], a[2] & 1 ? " by TLS" : "",
                 a[2] & 2 ? " reads first" : "");
        return;
    case WATCH_READ:
        snprintf(out, size, "read %" PRIu64 " of %" PRIu64 " pending %" PRId64, a[1], a[2],
                 (int64_t)a[3]);
        return;
    case WATCH_WAIT:
        snprintf(out, size, "wait for %s: %s", directions(a[1]), directions(a[2]));
        return;
    case WATCH_REPLY:
        words_reply(e, out, size);
        return;
    case WATCH_RUN:
        snprintf(out, size, "run of 0x%" PRIx64, a[0]);
        return;
    case WATCH_RAN:
        snprintf(out, size, "run of 0x%" PRIx64 " over", a[0]);
        return;
    case WATCH_ROUTE:
        snprintf(out, size, "route 0x%" PRIx64, a[0]);
        return;
    case WATCH_VIEW:
        snprintf(out, size, "claim of 0x%" PRIx64 " %" PRIu64 " to %" PRIu64 " withheld %" PRIu64,
                 a[0], a[1], a[2], a[3]);
        return;
    case WATCH_FORK:
        snprintf(out, size, "fork %" PRIu64, a[0]);
        return;
    case WATCH_EXEC:
        snprintf(out, size, "exec");
        return;
    case WATCH_EXIT:
        words_exit(e, out, size);
        return;
    }
    snprintf(out, size, "?");
}
