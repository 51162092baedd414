#include "oracles/watch/session.h"

#include <stdio.h>

#ifndef WATCH_LACKS

#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include <watch.skel.h>

#define TURN_NS    10000000
#define PROBES_MAX 10
#define FILES_MAX  8
#define CAP_KNOWN  64

struct watch_session {
    struct watch_session_config config;
    struct watch_bpf *bpf;
    struct bpf_link *links[PROBES_MAX * FILES_MAX];
    size_t link_count;
    unsigned probes;
    struct ring_buffer *ring;
};

/* The last thing that libbpf complained of, for a message of ours. */
static char complaint[SESSION_ERROR_MAX];

static int keep_complaint(enum libbpf_print_level level, const char *format, va_list args)
{
    if (level == LIBBPF_WARN && complaint[0] == '\0')
        vsnprintf(complaint, sizeof complaint, format, args);
    complaint[strcspn(complaint, "\n")] = '\0';
    return 0;
}

/* ---- what is lacking ---- */

static bool has_capability(unsigned number)
{
    char line[128];
    uint64_t mask = 0;
    FILE *in = fopen("/proc/self/status", "r");

    while (in && fgets(line, sizeof line, in))
        if (sscanf(line, "CapEff: %" SCNx64, &mask) == 1)
            break;
    if (in)
        fclose(in);
    return (mask >> number & 1) != 0;
}

static bool is_enough(bool with_probes, char error[SESSION_ERROR_MAX])
{
    static const struct {
        const char *name;
        unsigned number;
        bool for_probes;
    } caps[] = {{"CAP_BPF", 39, false}, {"CAP_PERFMON", 38, false}, {"CAP_SYS_ADMIN", 21, true}};

    if (access("/sys/kernel/btf/vmlinux", R_OK) != 0) {
        snprintf(error, SESSION_ERROR_MAX,
                 "the kernel shows no BTF (/sys/kernel/btf/vmlinux): CONFIG_DEBUG_INFO_BTF");
        return false;
    }
    if (with_probes && access("/sys/bus/event_source/devices/uprobe/type", R_OK) != 0) {
        snprintf(error, SESSION_ERROR_MAX, "the kernel has no uprobes: CONFIG_UPROBE_EVENTS");
        return false;
    }
    size_t len = (size_t)snprintf(error, SESSION_ERROR_MAX, "lacks"), none = len;
    for (size_t i = 0; i < sizeof caps / sizeof *caps; i++)
        if ((with_probes || !caps[i].for_probes) && !has_capability(caps[i].number))
            len += (size_t)snprintf(error + len, SESSION_ERROR_MAX - len, " %s", caps[i].name);
    if (len > none)
        snprintf(error + len, SESSION_ERROR_MAX - len, ", which root has");
    return len == none;
}

/* ---- the first process ---- */

/* Its number in its own pid namespace, the last of the line. */
static uint32_t innermost(int pid)
{
    char path[64], line[256];
    uint32_t number = 0;

    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *in = fopen(path, "r");
    while (in && fgets(line, sizeof line, in)) {
        const char *last = strrchr(line, '\t');
        if (strncmp(line, "NSpid:", 6) == 0 && last && sscanf(last, "%" SCNu32, &number) == 1)
            break;
    }
    if (in)
        fclose(in);
    return number;
}

static bool set_root(struct watch_session *s, char error[SESSION_ERROR_MAX])
{
    char path[64];
    struct stat ns;
    int pid = s->config.pid;

    snprintf(path, sizeof path, "/proc/%d/ns/pid", pid);
    s->bpf->rodata->root_pid = innermost(pid);
    if (s->bpf->rodata->root_pid == 0 || stat(path, &ns) != 0) {
        snprintf(error, SESSION_ERROR_MAX, "process %d: %s", pid, strerror(errno));
        return false;
    }
    /* as the kernel itself writes the number of a device */
    s->bpf->rodata->root_dev = (uint64_t)major(ns.st_dev) << 20 | minor(ns.st_dev);
    s->bpf->rodata->root_ino = ns.st_ino;
    s->bpf->rodata->root_waits_for_exec = s->config.waits_for_exec;
    s->bpf->rodata->root_is_alone = s->config.is_alone;
    return true;
}

/* Gone, or dead and not yet waited for. */
static bool is_gone(int pid)
{
    char path[64], line[512];
    bool gone = true;

    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *in = fopen(path, "r");
    if (in && fgets(line, sizeof line, in)) {
        const char *name_end = strrchr(line, ')');
        gone = !name_end || name_end[1] == '\0' || name_end[2] == 'Z' || name_end[2] == 'X';
    }
    if (in)
        fclose(in);
    return gone;
}

/* ---- attaching ---- */

static bool attach_probes(struct watch_session *s, const char *file, char error[SESSION_ERROR_MAX])
{
    const struct {
        const char *name;
        struct bpf_program *program;
    } probes[PROBES_MAX] = {
        {"request", s->bpf->progs.watch_request},
        {"read", s->bpf->progs.watch_read},
        {"wait", s->bpf->progs.watch_wait},
        {"reply", s->bpf->progs.watch_reply},
        {"run", s->bpf->progs.watch_run},
        {"ran", s->bpf->progs.watch_ran},
        {"route", s->bpf->progs.watch_route},
        {"view", s->bpf->progs.watch_view},
        {"segment_new", s->bpf->progs.watch_segment_new},
        {"segment_free", s->bpf->progs.watch_segment_free},
    };

    if (access(file, R_OK) != 0) {
        snprintf(error, SESSION_ERROR_MAX, "%s: %s", file, strerror(errno));
        return false;
    }
    for (size_t i = 0; i < PROBES_MAX; i++) {
        errno = 0;
        struct bpf_link *link =
            bpf_program__attach_usdt(probes[i].program, -1, file, "wirebed", probes[i].name, NULL);
        if (link) {
            s->links[s->link_count++] = link;
            s->probes++;
        } else if (errno == EPERM || errno == EACCES) {
            if (is_enough(true, error))
                snprintf(error, SESSION_ERROR_MAX, "probes of %s: %s", file, complaint);
            return false;
        } else if (errno != ENOENT) {
            snprintf(error, SESSION_ERROR_MAX, "probe %s of %s: %s (%s)", probes[i].name, file,
                     strerror(errno), complaint);
            return false;
        }
        complaint[0] = '\0';
    }
    return true;
}

static bool attach(struct watch_session *s, char error[SESSION_ERROR_MAX])
{
    const struct {
        const char *what;
        struct bpf_program *program;
        struct bpf_link **link;
    } points[] = {
        {"raw_tp/sys_enter: CONFIG_FTRACE_SYSCALLS", s->bpf->progs.watch_enter,
         &s->bpf->links.watch_enter},
        {"tp_btf/sched_process_fork", s->bpf->progs.watch_fork, &s->bpf->links.watch_fork},
        {"tp_btf/sched_process_exec", s->bpf->progs.watch_exec, &s->bpf->links.watch_exec},
        {"tp_btf/sched_process_exit", s->bpf->progs.watch_exit, &s->bpf->links.watch_exit},
    };

    for (size_t i = 0; i < s->config.file_count; i++)
        if (!attach_probes(s, s->config.files[i], error))
            return false;
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        *points[i].link = bpf_program__attach(points[i].program);
        if (!*points[i].link) {
            snprintf(error, SESSION_ERROR_MAX, "cannot attach to %s: %s", points[i].what,
                     strerror(errno));
            return false;
        }
    }
    return true;
}

static int take(void *context, void *data, size_t size)
{
    struct watch_session *s = context;

    if (size >= sizeof(struct watch_event))
        s->config.take(s->config.context, data);
    return 0;
}

static bool load(struct watch_session *s, char error[SESSION_ERROR_MAX])
{
    unsigned kib = s->config.buffer_kib ? s->config.buffer_kib : SESSION_BUFFER_KIB;

    s->bpf = watch_bpf__open();
    if (!s->bpf) {
        snprintf(error, SESSION_ERROR_MAX, "cannot be opened: %s (%s)", strerror(errno), complaint);
        return false;
    }
    if (!set_root(s, error))
        return false;
    bpf_map__set_max_entries(s->bpf->maps.events, kib * 1024);
    if (watch_bpf__load(s->bpf) != 0) {
        snprintf(error, SESSION_ERROR_MAX, "the kernel refuses: %s (%s)%s", strerror(errno),
                 complaint,
                 errno == EPERM ? "; is it locked down (/sys/kernel/security/lockdown)?" : "");
        return false;
    }
    s->ring = ring_buffer__new(bpf_map__fd(s->bpf->maps.events), take, s, NULL);
    if (!s->ring) {
        snprintf(error, SESSION_ERROR_MAX, "no ring buffer: %s", strerror(errno));
        return false;
    }
    return attach(s, error);
}

struct watch_session *session_open(const struct watch_session_config *config,
                                   char error[SESSION_ERROR_MAX])
{
    struct watch_session *s = calloc(1, sizeof *s);

    complaint[0] = '\0';
    if (!s || config->file_count > FILES_MAX) {
        snprintf(error, SESSION_ERROR_MAX, s ? "more than 8 files" : "no memory");
        free(s);
        return NULL;
    }
    s->config = *config;
    libbpf_set_print(keep_complaint);
    libbpf_set_strict_mode(LIBBPF_STRICT_ALL);
    if (is_enough(false, error) && load(s, error))
        return s;
    session_close(s);
    return NULL;
}

void session_close(struct watch_session *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->link_count; i++)
        bpf_link__destroy(s->links[i]);
    ring_buffer__free(s->ring);
    watch_bpf__destroy(s->bpf);
    free(s);
}

/* ---- running ---- */

unsigned session_probes(const struct watch_session *s)
{
    return s->probes;
}

/* Nobody is woken for a record: that would cost the watched process more than the record. */
void session_turn(struct watch_session *s)
{
    const struct timespec moment = {.tv_nsec = TURN_NS};

    if (ring_buffer__consume(s->ring) == 0)
        nanosleep(&moment, NULL);
}

bool session_is_alive(const struct watch_session *s)
{
    const volatile struct watch_bpf__bss *seen = s->bpf->bss;

    return seen->alive > 0 || (seen->root_found == 0 && !is_gone(s->config.pid));
}

struct watch_counts session_counts(const struct watch_session *s)
{
    const volatile struct watch_bpf__bss *seen = s->bpf->bss;

    return (struct watch_counts){.calls = s->bpf->bss->calls,
                                 .inside = s->bpf->bss->calls_inside,
                                 .operations = seen->ended,
                                 .changes = seen->changes,
                                 .lost = seen->lost};
}

#else

struct watch_session *session_open(const struct watch_session_config *config,
                                   char error[SESSION_ERROR_MAX])
{
    (void)config;
    snprintf(error, SESSION_ERROR_MAX, "%s", WATCH_LACKS);
    return NULL;
}

void session_close(struct watch_session *s)
{
    (void)s;
}

unsigned session_probes(const struct watch_session *s)
{
    (void)s;
    return 0;
}

void session_turn(struct watch_session *s)
{
    (void)s;
}

bool session_is_alive(const struct watch_session *s)
{
    (void)s;
    return false;
}

struct watch_counts session_counts(const struct watch_session *s)
{
    (void)s;
    return (struct watch_counts){0};
}

#endif
