/*
 * test_bed_bench.c: `bed bench` measures what it is given, shows what fails instead, and says no to
 * the rest. The tool is the `bed` beside this program, or the one that WIREBED_BED names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATH_SIZE 1024

static char tool[PATH_SIZE];
static char said[16384]; /* by the last call, both streams */

/* `bed bench` with these words; how it exits. */
static int bench(const char *words)
{
    char command[2 * PATH_SIZE];
    snprintf(command, sizeof command, "'%s' bench %s 2>&1", tool, words);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    said[fread(said, 1, sizeof said - 1, out)] = '\0';
    int status = pclose(out);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* The value of a line `METRIC VALUE UNIT`, which must stand there once. */
static double metric(const char *name, const char *unit)
{
    double value = -1;
    unsigned seen = 0;
    char line[256], metric_name[64], metric_unit[64];
    for (const char *at = said; *at != '\0'; at += strcspn(at, "\n") + (strchr(at, '\n') != NULL)) {
        double number;
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        if (sscanf(line, "%63s %lf %63s", metric_name, &number, metric_unit) != 3 ||
            strcmp(metric_name, name) != 0)
            continue;
        assert_string_equal(metric_unit, unit);
        value = number;
        seen++;
    }
    if (seen != 1)
        print_error("%s\n", said);
    assert_int_equal(seen, 1);
    return value;
}

static void expect(const char *words, int status, const char *text)
{
    int got = bench(words);
    if (got != status || !strstr(said, text))
        print_error("bench %s: %d\n%s\n", words, got, said);
    assert_int_equal(got, status);
    assert_non_null(strstr(said, text));
}

/* ---- tests ---- */

static void a_wire_target(void **state)
{
    (void)state;
    assert_int_equal(bench("--target varint --rounds 2 --ms 1 --deliveries 2 "
                           "ci/bench/inputs/varint"),
                     0);
    assert_true(metric("speed", "executions/s") > 0);
    assert_true(metric("spread", "%") >= 0);
    assert_true(metric("byte-time", "ns/byte") > 0);
    assert_true(metric("mean-input", "bytes") > 0);
    assert_null(strstr(said, "mean-ops"));
}

/* Ops are counted as well, and what a byte costs falls with how often each is handed over. */
static void a_scenario_target(void **state)
{
    (void)state;
    assert_int_equal(bench("--target bytes --rounds 1 --ms 1 ci/bench/inputs/bytes"), 0);
    double least = metric("least-ops", "ops");
    assert_true(least >= 1);
    assert_true(metric("mean-ops", "ops") >= least);
    assert_true(metric("op-time", "ns/op") > 0);
}

static void growth(void **state)
{
    (void)state;
    assert_int_equal(bench("--target varint --growth 50 ci/bench/inputs/varint"), 0);
    assert_true(metric("executions", "executions") > 49);
    assert_true(metric("growth", "KiB") >= 0);
    assert_null(strstr(said, "speed"));
}

/* An input that fails is a finding and no figure. */
static void what_fails_is_shown(void **state)
{
    char path[] = "/tmp/test_bed_bench-XXXXXX", words[PATH_SIZE];
    (void)state;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "fail\r\n", 6), 6); /* the file's name has no ending: raw bytes */
    close(fd);
    snprintf(words, sizeof words, "--target canary --rounds 1 --ms 1 %s", path);
    int status = bench(words);
    unlink(path);
    assert_int_equal(status, 1);
    assert_non_null(strstr(said, "FOUND "));
    assert_null(strstr(said, "speed"));
}

static void what_cannot_be_measured(void **state)
{
    (void)state;
    expect("", 2, "help bench");
    expect("--target varint", 2, "help bench");
    expect("ci/bench/inputs/varint", 2, "help bench");
    expect("--target nobody ci/bench/inputs/varint", 2, "no target `nobody'");
    expect("--target varint --rounds 0 ci/bench/inputs/varint", 2, "help bench");
    expect("--target varint --rounds x ci/bench/inputs/varint", 2, "--rounds");
    expect("--target varint --deliveries 1001 ci/bench/inputs/varint", 2, "--deliveries");
    expect("--target varint ci/bench/inputs/nowhere", 2, "ci/bench/inputs/nowhere");
    expect("--target varint ci/bench/inputs/bytes", 2, "");
    assert_null(strstr(said, "speed"));
}

static int find_tool(void **state)
{
    const char *named = getenv("WIREBED_BED");
    (void)state;
    if (named) {
        snprintf(tool, sizeof tool, "%s", named);
    } else {
        ssize_t len = readlink("/proc/self/exe", tool, sizeof tool - 8);
        if (len < 0)
            return -1;
        tool[len] = '\0';
        memcpy(strrchr(tool, '/'), "/bed", sizeof "/bed");
    }
    return access(tool, X_OK) == 0 ? 0 : -1;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wire_target),
        cmocka_unit_test(a_scenario_target),
        cmocka_unit_test(growth),
        cmocka_unit_test(what_fails_is_shown),
        cmocka_unit_test(what_cannot_be_measured),
    };
    return cmocka_run_group_tests_name("bed bench", tests, find_tool, NULL) != 0;
}
