/*
 * test_watch_counts.c: what `bed watch` counts is what other tools count, of processes that fork,
 * die, or live in another pid namespace, and of more records than fit.
 */
#include "targets/test_watch_call.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#ifdef WATCH_TESTED

#define CALLS    1000
#define CHILDREN 300
#define MARKED   150000 /* operations of three records */
#define CAP_ROOT 21     /* CAP_SYS_ADMIN */

/* ---- programs that are watched ---- */

/* System calls of its own and of a child. */
static int make_calls(void)
{
    int nothing = open("/dev/null", O_WRONLY);
    pid_t child = fork();

    for (unsigned i = 0; i < CALLS; i++)
        if (getppid() < 0 || write(nothing, "x", 1) != 1)
            return 1;
    close(nothing);
    if (child == 0)
        _exit(0);
    return waitpid(child, NULL, 0) != child;
}

static int mark_much(void)
{
    struct timespec begin, end;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (unsigned i = 0; i < MARKED; i++) {
        WB_PROBE1(run, self);
        syscall(SYS_getppid);
        WB_PROBE1(ran, self);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    fprintf(stderr, "%u records in %ld ms\n", 3 * MARKED,
            (long)(end.tv_sec - begin.tv_sec) * 1000 + (end.tv_nsec - begin.tv_nsec) / 1000000);
    return 0;
}

/* Between marks, by its own hand. */
static int die(void)
{
    WB_PROBE1(run, self);
    WB_PROBE1(ran, self);
    WB_PROBE1(run, self);
    return kill(getpid(), SIGKILL);
}

/* Children that each end in the middle. */
static int die_often(void)
{
    for (unsigned i = 0; i < CHILDREN; i++) {
        pid_t child = fork();
        if (child == 0) {
            WB_PROBE1(run, self);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    return 0;
}

/* Stands still until it is told to go on; then as above. A first process cannot be stopped. */
static int stand(void)
{
    sigset_t go;
    int number;

    sigemptyset(&go);
    sigaddset(&go, SIGUSR1);
    sigprocmask(SIG_BLOCK, &go, NULL);
    fprintf(stderr, "standing\n");
    return sigwait(&go, &number) != 0 || make_calls() != 0;
}

static int watched(const char *what)
{
    if (strcmp(what, "--calls") == 0)
        return make_calls();
    if (strcmp(what, "--marks") == 0)
        return mark_much();
    if (strcmp(what, "--die") == 0)
        return die();
    if (strcmp(what, "--dies") == 0)
        return die_often();
    if (strcmp(what, "--stand") == 0)
        return stand();
    return 0;
}

/* ---- the same as other tools ---- */

static void as_perf(void **state)
{
    char path[64];
    long long counted = -1;
    (void)state;
    need_watch();
    need_tool("perf");
    snprintf(path, sizeof path, "/tmp/watch-perf-%d", getpid());
    run_program(NULL, "perf", "stat", "-x,", "-e", "raw_syscalls:sys_enter", "-o", path, "--", self,
                "--calls", NULL);
    FILE *in = fopen(path, "r");
    char line[256];
    while (in && fgets(line, sizeof line, in))
        if (strstr(line, "raw_syscalls") && sscanf(line, "%lld", &counted) != 1)
            counted = -1;
    if (in)
        fclose(in);
    unlink(path);
    if (said.status != 0 || counted < 0) {
        print_message("perf cannot count here: %.200s\n", said.err);
        skip();
    }
    run_program(NULL, bed, "watch", "--json", "--", self, "--calls", NULL);
    said_well();
    assert_int_equal(sum_in("syscalls"), counted);
    assert_int_equal(number_in("syscalls", "write"), 2 * CALLS);
    print_message("perf and bed: %lld system calls each\n", counted);
}

/*
 * Line by line. strace has seen the exec that started the program, and no exit_group, which never
 * returns.
 */
static void as_strace(void **state)
{
    char path[64], line[256], name[64];
    int64_t sum = 0;
    (void)state;
    need_watch();
    need_tool("strace");
    snprintf(path, sizeof path, "/tmp/watch-strace-%d", getpid());
    run_program(NULL, "strace", "-c", "-f", "-U", "calls,name", "-o", path, "--", self, "--calls",
                NULL);
    if (said.status != 0) {
        print_message("strace cannot trace here: %.200s\n", said.err);
        skip();
    }
    run_program(NULL, bed, "watch", "--json", "--", self, "--calls", NULL);
    said_well();
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in)) {
        int64_t calls;
        if (sscanf(line, "%" SCNd64 " %63s", &calls, name) != 2 || strcmp(name, "total") == 0 ||
            strcmp(name, "execve") == 0)
            continue;
        if (number_in("syscalls", name) != calls)
            print_error("%s: strace has %" PRId64 "\n", name, calls);
        assert_int_equal(number_in("syscalls", name), calls);
        sum += calls;
    }
    fclose(in);
    unlink(path);
    assert_int_equal(number_in("syscalls", "exit_group"), 2);
    assert_int_equal(sum_in("syscalls"), sum + 2);
}

/* ---- whom it follows ---- */

static void a_fork(void **state)
{
    (void)state;
    need_watch();
    run_program(NULL, bed, "watch", "--json", "--", "sh", "-c", "$0 --calls & $0 --calls; wait",
                self, NULL);
    said_well();
    assert_int_equal(number_in("syscalls", "getppid") / 4, CALLS);
    assert_int_equal(number("died"), 0);
}

static void a_death_in_the_middle(void **state)
{
    (void)state;
    need_watch();
    run_program(NULL, bed, "watch", "--json", "--", self, "--die", NULL);
    said_exit(128 + SIGKILL);
    assert_int_equal(number("operations"), 1);
    assert_int_equal(number("died"), 1);
    run_program(NULL, bed, "watch", "--json", "--", self, "--dies", NULL);
    said_well();
    assert_int_equal(number("operations"), 0);
    assert_int_equal(number("died"), CHILDREN);
}

static pid_t child_of(pid_t parent)
{
    char path[64];
    int child = 0;

    snprintf(path, sizeof path, "/proc/%d/task/%d/children", parent, parent);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    assert_int_equal(fscanf(in, "%d", &child), 1);
    fclose(in);
    return child;
}

static void wait_until_said(int fd, const char *what)
{
    char text[1024];

    for (unsigned i = 0; i < 1000; i++, usleep(10000)) {
        ssize_t n = pread(fd, text, sizeof text - 1, 0);
        text[n < 0 ? 0 : n] = '\0';
        if (strstr(text, what))
            return;
    }
    fail_msg("`%s' was not said", what);
}

/* Of a process there already is, its child is no other's number. */
static void another_pid_namespace(void **state)
{
    char pid[32];
    (void)state;
    need_watch();
    need_tool("unshare");
    run_program(NULL, "unshare", "-p", "-f", "true", NULL);
    if (said.status != 0) {
        print_message("no pid namespaces here: %.200s\n", said.err);
        skip();
    }
    /* a child of the watched that moves into one */
    run_program(NULL, bed, "watch", "--json", "--", "unshare", "-p", "-f", self, "--calls", NULL);
    said_well();
    assert_int_equal(number_in("syscalls", "write"), 2 * CALLS);
    /* the watcher in one */
    run_program(NULL, "unshare", "-p", "-f", "--mount-proc", bed, "watch", "--json", "--", self,
                "--calls", NULL);
    said_well();
    assert_int_equal(number_in("syscalls", "write"), 2 * CALLS);
    /* a process that is there, in one, while the watcher is not */
    const char *stander[] = {"unshare", "-p", "-f", self, "--stand", NULL};
    struct watch_running other = begin_program(NULL, stander);
    wait_until_said(other.err, "standing");
    pid_t inside = child_of(other.pid);
    snprintf(pid, sizeof pid, "%d", inside);
    const char *watcher[] = {bed, "watch", "--json", pid, NULL};
    struct watch_running watch = begin_program(NULL, watcher);
    wait_until_said(watch.err, "watching process");
    kill(inside, SIGUSR1);
    end_program(other);
    assert_int_equal(said.status, 0);
    end_program(watch);
    said_well();
    assert_int_equal(number_in("syscalls", "write"), 2 * CALLS);
}

/* ---- many records ---- */

static void none_is_lost(void **state)
{
    (void)state;
    need_watch();
    run_program(NULL, bed, "watch", "--json", "--buffer", "65536", "--", self, "--marks", NULL);
    said_well();
    assert_int_equal(number("operations"), MARKED);
    assert_int_equal(number_in("between_marks", "getppid"), MARKED);
    const char *rate = strstr(said.err, "records in");
    assert_non_null(rate);
    print_message("%u %s", 3 * MARKED, rate);
}

/* What does not fit is counted, and what the kernel counts is right all the same. */
static void what_is_lost_is_counted(void **state)
{
    (void)state;
    need_watch();
    run_program(NULL, bed, "watch", "--json", "--buffer", "4", "--", self, "--marks", NULL);
    assert_int_equal(said.status, 0);
    assert_in_range(number("lost"), 1, 3 * MARKED);
    assert_int_equal(number("violations"), 0);
    assert_int_equal(number("operations"), MARKED);
    assert_int_equal(number_in("between_marks", "getppid"), MARKED);
    print_message("%" PRId64 " of %u lost with 4 KiB\n", number("lost"), 3 * MARKED);
}

/* ---- coming and going ---- */

static void how_it_ends(void **state)
{
    const char *watcher[] = {bed, "watch", "--json", "--", "sleep", "60", NULL};
    (void)state;
    need_watch();
    run_program(NULL, bed, "watch", "--json", "--", "sh", "-c", "exit 3", NULL);
    said_exit(3);
    run_program(NULL, bed, "watch", "--", "sh", "-c", "kill -SEGV $$", NULL);
    assert_int_equal(said.status, 1);
    assert_non_null(strstr(said.out, "was killed by signal 11, "));
    run_program(NULL, bed, "watch", "--json", "--", "/tmp", NULL);
    assert_int_equal(said.status, 2);
    assert_string_equal(said.out, "");
    assert_non_null(strstr(said.err, "/tmp: Permission denied"));
    /* an interrupt is handed on, and no failure */
    struct watch_running watch = begin_program(NULL, watcher);
    wait_until_said(watch.err, "watching process");
    kill(watch.pid, SIGINT);
    end_program(watch);
    said_well();
    assert_int_equal(number("exit"), 128 + SIGTERM);
}

/* Whatever programs, maps and links there are. */
static void list_all(char *out, size_t size)
{
    run_program(NULL, "sh", "-c",
                "PATH=$PATH:/usr/sbin; for w in prog map link; do bpftool -j $w list; echo; done "
                "| grep -oE '\"id\":[0-9]+|\"name\":\"[^\"]*\"'",
                NULL);
    snprintf(out, size, "%s", said.out);
}

/* A hundred times, ten of them with probes, which take the kernel a tenth of a second each. */
static void nothing_stays_behind(void **state)
{
    static char before[sizeof said.out], after[sizeof said.out];
    const char *watcher[] = {bed, "watch", "--json", "--", "true", NULL, NULL};
    struct watch_running running[10];
    (void)state;
    need_watch();
    need_tool("bpftool");
    do { /* until what was watched before is gone */
        list_all(before, sizeof before);
        usleep(300000);
        list_all(after, sizeof after);
    } while (strcmp(before, after) != 0);
    for (unsigned i = 0; i < 10; i++) {
        for (unsigned k = 0; k < 10; k++) {
            watcher[4] = k == 0 ? self : "true";
            watcher[5] = "--die";
            running[k] = begin_program(NULL, watcher);
        }
        for (unsigned k = 0; k < 10; k++) {
            end_program(running[k]);
            if (k == 0)
                said_exit(128 + SIGKILL);
            else
                said_well();
        }
    }
    for (unsigned i = 0; i < 50; i++, usleep(100000)) { /* the kernel frees in its own time */
        list_all(after, sizeof after);
        if (strcmp(before, after) == 0)
            return;
    }
    assert_string_equal(before, after);
}

/* ---- what is missing ---- */

static void become_nobody(void)
{
    if (setgid(65534) != 0 || setuid(65534) != 0)
        _exit(97);
}

static void drop_one(void)
{
    if (prctl(PR_CAPBSET_DROP, CAP_ROOT) != 0)
        _exit(97);
}

static void what_is_missing_is_named(void **state)
{
    (void)state;
    need_watch();
    run_program(become_nobody, bed, "watch", "--", "true", NULL);
    if (said.status != 98) { /* nobody may not reach the tool itself */
        assert_int_equal(said.status, 2);
        assert_non_null(strstr(said.err, "lacks CAP_BPF CAP_PERFMON, "));
    }
    run_program(drop_one, bed, "watch", "--", "true", NULL);
    assert_int_equal(said.status, 0);
    run_program(drop_one, bed, "watch", "--", self, "--calls", NULL);
    assert_int_equal(said.status, 2);
    assert_non_null(strstr(said.err, "lacks CAP_SYS_ADMIN, "));
    run_program(NULL, bed, "watch", "--", "no-such-program", NULL);
    assert_int_equal(said.status, 2);
    run_program(NULL, bed, "watch", "--probes", "/no-such-file", "--", "true", NULL);
    assert_int_equal(said.status, 2);
    assert_non_null(strstr(said.err, "/no-such-file: No such file"));
    run_program(NULL, bed, "watch", "999999999", NULL);
    assert_int_equal(said.status, 2);
    run_program(NULL, bed, "watch", "--nonsense", "1", NULL);
    assert_int_equal(said.status, 2);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_perf),
        cmocka_unit_test(as_strace),
        cmocka_unit_test(a_fork),
        cmocka_unit_test(a_death_in_the_middle),
        cmocka_unit_test(another_pid_namespace),
        cmocka_unit_test(none_is_lost),
        cmocka_unit_test(what_is_lost_is_counted),
        cmocka_unit_test(how_it_ends),
        cmocka_unit_test(nothing_stays_behind),
        cmocka_unit_test(what_is_missing_is_named),
    };

    find_tools(argv[0]);
    if (argc == 2)
        return watched(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    puts("watching is tested in the variant gcc");
    return 0;
}

#endif
