#include "targets/live/server.h"

#include "targets/live/certificate.h"
#include "targets/live/drivers.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRIES    1000 /* of PAUSE_MS each, before a server is given up */
#define PAUSE_MS 10
#define ARGS_MAX 24

static const char *const programs[] = {"/usr/bin/memcached", "/usr/local/bin/memcached",
                                       "/bin/memcached", NULL};

static const char *program(void)
{
    for (size_t i = 0; programs[i]; i++)
        if (access(programs[i], X_OK) == 0)
            return programs[i];
    return NULL;
}

bool live_server_installed(void)
{
    return program() != NULL;
}

/* NULL when this process is not root, so that it stays who it is. */
static const struct passwd *other_user(void)
{
    return geteuid() == 0 ? getpwnam("nobody") : NULL;
}

static bool make_folder(struct live_server *s, const struct passwd *user)
{
    const char *base = getenv("TMPDIR");
    int n = snprintf(s->folder, sizeof s->folder, "%s/wirebed-XXXXXX", base ? base : "/tmp");
    if (n < 0 || (size_t)n >= sizeof s->folder)
        snprintf(s->folder, sizeof s->folder, "/tmp/wirebed-XXXXXX");
    if (!mkdtemp(s->folder)) {
        perror(s->folder);
        s->folder[0] = '\0';
        return false;
    }
    snprintf(s->path, sizeof s->path, "%s/socket", s->folder);
    snprintf(s->port_file, sizeof s->port_file, "%s/port", s->folder);
    snprintf(s->key, sizeof s->key, "%s/key", s->folder);
    snprintf(s->certificate, sizeof s->certificate, "%s/certificate", s->folder);
    return !user || chown(s->folder, user->pw_uid, user->pw_gid) == 0;
}

/*
 * The child. It changes the user itself: the wish to die with the parent is lost with a change of
 * user, so it must come after.
 */
static _Noreturn void become(const char *path, char *const args[], const struct passwd *user,
                             pid_t parent)
{
    int null = open("/dev/null", O_RDWR);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0)
        _exit(126);
    if (user && (setgroups(0, NULL) != 0 || setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0))
        _exit(126);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        _exit(126);
    execv(path, args);
    _exit(127);
}

static bool on_port(const struct live_server_options *options)
{
    return options->tcp || options->tls;
}

static void add(const char **args, size_t *n, const char *name, const char *value)
{
    WB_ASSERT(*n + 1 < ARGS_MAX);
    args[(*n)++] = name;
    if (value)
        args[(*n)++] = value;
}

static bool spawn(struct live_server *s, const struct live_server_options *options,
                  const struct passwd *user)
{
    const char *args[ARGS_MAX + 2];
    size_t n = 0;
    add(args, &n, "memcached", NULL);
    add(args, &n, "-t", "1");
    add(args, &n, "-U", "0");
    if (on_port(options)) {
        add(args, &n, "-l", "127.0.0.1");
        add(args, &n, "-p", "-1");
    } else {
        add(args, &n, "-s", s->path);
    }
    if (options->connections)
        add(args, &n, "-c", options->connections);
    if (options->megabytes)
        add(args, &n, "-m", options->megabytes);
    if (options->item_max)
        add(args, &n, "-I", options->item_max);
    if (options->extended)
        add(args, &n, "-o", options->extended);
    char tls[2 * LIVE_PATH_SIZE + 40];
    if (options->tls) {
        snprintf(tls, sizeof tls, "ssl_chain_cert=%s,ssl_key=%s", s->certificate, s->key);
        add(args, &n, "-Z", NULL);
        add(args, &n, "-o", tls);
    }
    args[n] = NULL;
    const char *path = program();
    if (!path || setenv("MEMCACHED_PORT_FILENAME", s->port_file, 1) != 0)
        return false;
    fflush(NULL);
    pid_t parent = getpid(), child = fork();
    if (child == 0)
        become(path, (char *const *)(uintptr_t)args, user, parent);
    unsetenv("MEMCACHED_PORT_FILENAME");
    if (child < 0)
        return false;
    s->pid = child;
    return true;
}

/* Where it listens; false while that is not known. */
static bool find_address(struct live_server *s, const struct live_server_options *options)
{
    unsigned port = 0;
    s->address = (struct live_address){.path = s->path};
    if (!on_port(options))
        return true;
    FILE *in = fopen(s->port_file, "r");
    if (!in)
        return false;
    int n = fscanf(in, "TCP INET: %u", &port);
    fclose(in);
    s->address = (struct live_address){.port = (uint16_t)port};
    if (options->tls)
        s->address.certificate = s->certificate;
    return n == 1 && port > 0 && port <= UINT16_MAX;
}

static bool answers(const struct live_server *s)
{
    struct wb_reply_profile profile = wb_reply_profile_default();
    struct live_request version = {.bytes = wb_view_text("version\r\n"),
                                   .shape = {.codes = WB_REPLY_CODES_VERSION, .count = 1}};
    struct wb_reply_event event = {0};
    struct live_conn c;
    profile.wait_timeout_ns = UINT64_C(10000000000);
    const struct live_driver *driver =
        s->address.certificate ? &live_tls_driver : &live_poll_driver;
    if (live_open_by(driver, &c, &s->address, profile, wb_mem_libc(), NULL) != WB_OK)
        return false;
    enum wb_err e = live_start(&c, &version);
    while (e == WB_OK && event.kind != WB_REPLY_EVENT_END)
        e = live_next(&c, &event);
    live_close(&c);
    return e == WB_OK && event.status == WB_OK;
}

static bool has_ended(struct live_server *s)
{
    int status;
    if (waitpid(s->pid, &status, WNOHANG) != s->pid)
        return false;
    s->pid = 0;
    return true;
}

bool live_server_start(struct live_server *s, const struct live_server_options *options)
{
    const struct passwd *user = other_user();
    WB_ASSERT(s->pid == 0);
    if ((s->folder[0] == '\0' && !make_folder(s, user)) ||
        (options->tls && !live_certificate_make(s->key, s->certificate)) ||
        !spawn(s, options, user)) {
        fprintf(stderr, "memcached could not be started: %s\n", strerror(errno));
        live_server_stop(s);
        return false;
    }
    for (unsigned i = 0; i < TRIES && !has_ended(s); i++) {
        if (find_address(s, options) && answers(s))
            return true;
        poll(NULL, 0, PAUSE_MS);
    }
    fprintf(stderr, "memcached %s\n", s->pid == 0 ? "ended at once" : "does not answer");
    live_server_stop(s);
    return false;
}

bool live_server_freeze(struct live_server *s)
{
    int status = 0;
    WB_ASSERT(s->pid > 0);
    kill(s->pid, SIGSTOP);
    while (waitpid(s->pid, &status, WUNTRACED) < 0 && errno == EINTR)
        continue;
    if (!WIFSTOPPED(status))
        s->pid = 0; /* reaped */
    return s->pid > 0;
}

void live_server_thaw(struct live_server *s)
{
    if (s->pid > 0)
        kill(s->pid, SIGCONT);
}

void live_server_kill(struct live_server *s)
{
    int status;
    if (s->pid <= 0)
        return;
    kill(s->pid, SIGKILL); /* a process that stands still dies of it too */
    while (waitpid(s->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    s->pid = 0;
    unlink(s->path);
    unlink(s->port_file);
}

void live_server_stop(struct live_server *s)
{
    live_server_kill(s);
    if (s->folder[0] != '\0') {
        unlink(s->path);
        unlink(s->port_file);
        unlink(s->key);
        unlink(s->certificate);
        rmdir(s->folder);
    }
    s->folder[0] = '\0';
}
