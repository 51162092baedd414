/*
 * engine.c: starting a libFuzzer process and reading what it says.
 */
#include "targets/bed/engine.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGS_MAX 24

/* The longest input: a scenario of a thousand records; a wire input that crosses the reader's
 * first, small read. */
static unsigned len_max(const struct fuzz_target *target)
{
    return target->kind == FUZZ_SCENARIO ? 4096 : 16384;
}

struct args {
    size_t count;
    char *list[ARGS_MAX];
};

static void args_add(struct args *args, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void args_add(struct args *args, const char *format, ...)
{
    va_list list;
    WB_ASSERT(args->count + 1 < ARGS_MAX);
    va_start(list, format);
    int len = vasprintf(&args->list[args->count], format, list);
    va_end(list);
    bed_must(len < 0 ? WB_E_NOMEM : WB_OK);
    args->list[++args->count] = NULL;
}

static void args_fill(struct args *args, const struct bed_engine_place *place, uint64_t seconds)
{
    char dict[BED_ENGINE_PATH];

    args_add(args, "%s", place->binary);
    args_add(args, "-max_total_time=%llu", (unsigned long long)seconds);
    args_add(args, "-max_len=%u", len_max(place->target));
    args_add(args, "-timeout=25");
    args_add(args, "-rss_limit_mb=2560");
    args_add(args, "-print_final_stats=1");
    args_add(args, "-reload=1");
    /* Scenarios have their own mutator, which changes enough at a time. */
    args_add(args, "-mutate_depth=%d", place->target->kind == FUZZ_SCENARIO ? 3 : 5);
    args_add(args, "-artifact_prefix=%s/", place->folder);
    snprintf(dict, sizeof(dict), "corpus/%s.dict", place->target->name);
    if (access(dict, R_OK) == 0)
        args_add(args, "-dict=%s", dict);
    args_add(args, "%s", place->corpus);
    args_add(args, "%s", place->seeds);
}

/* In the child: becomes the fuzzer, or says why not through `errors`, which closes by itself
 * otherwise. */
static _Noreturn void become(char **argv, int output, int errors)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    signal(SIGINT, SIG_DFL);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    execv(argv[0], argv);
    int why = errno;
    (void)!write(errors, &why, sizeof(why));
    _exit(BED_CANNOT);
}

static bool spawn(struct bed_engine *e, char **argv)
{
    int output[2] = {-1, -1}, errors[2] = {-1, -1}, why = 0;

    if (pipe2(output, O_CLOEXEC) != 0)
        return false;
    if (pipe2(errors, O_CLOEXEC) == 0) {
        fflush(NULL);
        e->pid = fork();
        if (e->pid == 0)
            become(argv, output[1], errors[1]);
        why = e->pid < 0 ? errno : 0;
        close(errors[1]);
        if (e->pid > 0 && read(errors[0], &why, sizeof(why)) > 0)
            waitpid(e->pid, NULL, 0);
        close(errors[0]);
    } else {
        why = errno;
    }
    close(output[1]);
    if (why != 0) {
        close(output[0]);
        e->pid = 0;
        errno = why;
        return false;
    }
    e->fd = output[0];
    return true;
}

bool bed_engine_start(struct bed_engine *e, const struct bed_engine_place *place, size_t index,
                      uint64_t seconds)
{
    char path[BED_ENGINE_PATH + 32];
    struct args args = {0};

    memset(e, 0, sizeof(*e));
    e->fd = -1;
    snprintf(path, sizeof(path), "%s/fuzzer-%zu.log", place->folder, index);
    e->log = fopen(path, "w");
    if (e->log == NULL) {
        bed_cannot("%s: %s", path, strerror(errno));
        return false;
    }
    args_fill(&args, place, seconds);
    bool ok = spawn(e, args.list);
    if (!ok) {
        bed_cannot("%s: cannot be run: %s", place->binary, strerror(errno));
        fclose(e->log);
        e->log = NULL;
    }
    for (size_t i = 0; i < args.count; i++)
        free(args.list[i]);
    return ok;
}

/* ---- what it says ---- */

static uint64_t number_at(const char *text)
{
    uint64_t value = 0;
    text += strspn(text, " \t");
    for (; isdigit((unsigned char)*text) && value < UINT64_MAX / 100; text++)
        value = value * 10 + (uint64_t)(*text - '0');
    return value;
}

static void take_number(const char *line, const char *name, uint64_t *out)
{
    const char *at = strstr(line, name);
    if (at != NULL)
        *out = number_at(at + strlen(name));
}

/* `#1234  NEW    cov: 12 ft: 34 corp: 5/6b exec/s: 100 rss: 30Mb`, the closing `stat::` lines, and
 * the finding's file. */
static void take_line(struct bed_engine *e)
{
    static const char written[] = "Test unit written to ";
    const char *line = e->line, *at;

    fprintf(e->log, "%s\n", line);
    if (line[0] == '#' && isdigit((unsigned char)line[1])) {
        e->executions = number_at(line + 1);
        take_number(line, " cov: ", &e->edges);
        take_number(line, " ft: ", &e->features);
        take_number(line, " corp: ", &e->units);
        take_number(line, " exec/s: ", &e->speed);
        e->is_initialised = true;
    }
    take_number(line, "stat::number_of_executed_units:", &e->executions);
    take_number(line, "stat::average_exec_per_sec:", &e->speed);
    at = strstr(line, written);
    if (at != NULL && strstr(line, "slow-unit-") == NULL)
        snprintf(e->artifact, sizeof(e->artifact), "%s", at + strlen(written));
}

static void take_bytes(struct bed_engine *e, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        bool is_end = bytes[i] == '\n';
        if (!is_end && bytes[i] != '\0')
            e->line[e->line_len++] = bytes[i];
        if (!is_end && e->line_len + 1 < sizeof(e->line))
            continue;
        e->line[e->line_len] = '\0';
        take_line(e);
        e->line_len = 0;
    }
}

bool bed_engine_read(struct bed_engine *e)
{
    char bytes[8192];
    ssize_t n = read(e->fd, bytes, sizeof(bytes));

    if (n < 0 && errno == EINTR)
        return true;
    if (n > 0) {
        take_bytes(e, bytes, (size_t)n);
        return true;
    }
    if (e->line_len > 0)
        take_bytes(e, "\n", 1);
    close(e->fd);
    fclose(e->log);
    while (waitpid(e->pid, &e->status, 0) < 0 && errno == EINTR)
        ;
    e->fd = -1;
    e->pid = 0;
    return false;
}

void bed_engine_stop(const struct bed_engine *e)
{
    if (e->pid > 0 && e->artifact[0] == '\0')
        kill(e->pid, SIGINT);
}

void bed_engine_kill(const struct bed_engine *e)
{
    if (e->pid > 0)
        kill(e->pid, SIGKILL);
}
