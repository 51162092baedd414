/*
 * test_watch_call.h: what the tests of the watcher share: calling `bed watch`, reading what it
 * says, and the programs that are watched, which are the tests themselves under another argument.
 */
#ifndef TEST_WATCH_CALL_H
#define TEST_WATCH_CALL_H

#include "core/base/buf.h"
#include "core/base/probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WATCH_ARGS_MAX 16
#define WATCH_TEXT_MAX (1u << 20)

static char self[PATH_MAX], bed[PATH_MAX + 8];

struct watch_said {
    int status; /* what it exited with */
    char out[65536];
    char err[WATCH_TEXT_MAX];
};
static struct watch_said said;

static inline void find_tools(const char *program)
{
    char folder[PATH_MAX];

    if (!realpath(program, self))
        self[0] = '\0';
    memcpy(folder, self, sizeof folder);
    snprintf(bed, sizeof bed, "%s/bed", dirname(folder));
}

static inline void slurp(int fd, char *out, size_t size)
{
    size_t len = 0;
    ssize_t n;

    while (lseek(fd, 0, SEEK_SET) == 0 && len + 1 < size &&
           (n = pread(fd, out + len, size - 1 - len, (off_t)len)) > 0)
        len += (size_t)n;
    out[len] = '\0';
    close(fd);
}

static inline int scratch(void)
{
    char name[] = "/tmp/watch-XXXXXX";
    int fd = mkstemp(name);

    assert_true(fd >= 0);
    unlink(name);
    return fd;
}

struct watch_running {
    pid_t pid;
    int out, err;
};

/* Starts a program; `before` runs in the child, and may be NULL. */
static inline struct watch_running begin_program(void (*before)(void), const char *const *args)
{
    struct watch_running r = {.out = scratch(), .err = scratch()};

    r.pid = fork();
    assert_true(r.pid >= 0);
    if (r.pid > 0)
        return r;
    if (dup2(r.out, 1) < 0 || dup2(r.err, 2) < 0)
        _exit(99);
    if (before)
        before();
    execvp(args[0], (char *const *)(uintptr_t)args);
    _exit(98);
}

static inline void end_program(struct watch_running r)
{
    int status;

    assert_int_equal(waitpid(r.pid, &status, 0), r.pid);
    said.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    slurp(r.out, said.out, sizeof said.out);
    slurp(r.err, said.err, sizeof said.err);
}

/* Runs one to its end; arguments follow, up to NULL. */
static inline void run_program(void (*before)(void), ...)
{
    const char *args[WATCH_ARGS_MAX];
    va_list list;
    size_t n = 0;

    va_start(list, before);
    while (n + 1 < WATCH_ARGS_MAX && (args[n] = va_arg(list, const char *)) != NULL)
        n++;
    va_end(list);
    args[n] = NULL;
    end_program(begin_program(before, args));
}

/* A number of the JSON object that was printed; -1 when it is not there. */
static inline int64_t number(const char *key)
{
    char pattern[128];
    int64_t value = -1;

    snprintf(pattern, sizeof pattern, "\"%s\": ", key);
    const char *at = strstr(said.out, pattern);
    if (!at || sscanf(at + strlen(pattern), "%" SCNd64, &value) != 1)
        return -1;
    return value;
}

/* The same of one of its objects; 0 when it is not there. */
static inline int64_t number_in(const char *object, const char *key)
{
    char pattern[128];
    int64_t value = 0;

    snprintf(pattern, sizeof pattern, "\"%s\": {", object);
    const char *begin = strstr(said.out, pattern);
    assert_non_null(begin);
    const char *end = strchr(begin, '}');
    snprintf(pattern, sizeof pattern, "\"%s\": ", key);
    const char *at = strstr(begin, pattern);
    if (!at || !end || at > end || sscanf(at + strlen(pattern), "%" SCNd64, &value) != 1)
        return 0;
    return value;
}

/* All of an object's numbers. */
static inline int64_t sum_in(const char *object)
{
    char pattern[128];
    int64_t sum = 0;

    snprintf(pattern, sizeof pattern, "\"%s\": {", object);
    const char *at = strstr(said.out, pattern);
    assert_non_null(at);
    const char *end = strchr(at, '}');
    assert_non_null(end);
    for (at += strlen(pattern); (at = strstr(at, "\": ")) != NULL && at < end; at += 3) {
        int64_t value = 0;
        assert_int_equal(sscanf(at + 3, "%" SCNd64, &value), 1);
        sum += value;
    }
    return sum;
}

/* `bed watch` ended so, and nothing was broken or lost. */
static inline void said_sound(int status)
{
    if (said.status != status || number("lost") != 0)
        print_error("exit status %d: %s%s\n", said.status, said.out, said.err);
    assert_int_equal(said.status, status);
    assert_int_equal(number("violations"), 0);
    assert_int_equal(number("lost"), 0);
}

static inline void said_well(void)
{
    said_sound(0);
}

/* The same of a program that ended badly. */
static inline void said_exit(int code)
{
    said_sound(1);
    assert_int_equal(number("exit"), code);
}

/* Says so, once for each test, where nothing can be watched. */
static inline void need_watch(void)
{
    static bool is_known;

    if (is_known)
        return;
    run_program(NULL, bed, "watch", "--json", "--", "true", NULL);
    if (said.status == 2) {
        print_message("%s", said.err);
        skip();
    }
#ifndef WB_PROBES
    print_message("built without probes: sys/sdt.h is missing\n");
    skip();
#endif
    said_well();
    is_known = true;
}

/* Says so where a tool to compare with is missing. */
static inline void need_tool(const char *name)
{
    run_program(NULL, "sh", "-c", "PATH=$PATH:/usr/sbin; command -v $0 >/dev/null", name, NULL);
    if (said.status == 0)
        return;
    print_message("%s is not installed\n", name);
    skip();
}

#endif
