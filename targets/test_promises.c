/*
 * What test_corpus promises of a corpus as a whole: each promise is broken once, in a folder of its
 * own, and seen to be reported. It runs the test_corpus beside this program.
 */
#include "targets/fuzz.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#define SAID_MAX 65536

static const char *program; /* this one */
static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/promises-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *at)
{
    (void)about;
    (void)type;
    (void)at;
    return remove(path);
}

static int remove_folder(void **state)
{
    (void)state;
    return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* A file in a folder in a target's folder. */
static void put(const char *target, const char *part, const char *name, const char *text)
{
    char path[256];
    size_t end = 0;

    end += (size_t)snprintf(path, sizeof path, "%s/%s", folder, target);
    mkdir(path, 0700);
    end += (size_t)snprintf(path + end, sizeof path - end, "/%s", part);
    mkdir(path, 0700);
    snprintf(path + end, sizeof path - end, "/%s", name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

/* Runs test_corpus over the folder: it must fail, and say this; or, with NULL, pass. */
static void assert_said(const char *target, const char *words)
{
    static char said[SAID_MAX];
    char command[512];
    const char *end = strrchr(program, '/');

    assert_non_null(end);
    snprintf(command, sizeof command, "'%.*s/test_corpus' -C %s %s 2>&1", (int)(end - program),
             program, folder, target);
    FILE *in = popen(command, "r");
    assert_non_null(in);
    size_t len = fread(said, 1, sizeof said - 1, in);
    said[len] = '\0';
    int status = pclose(in);
    if (words == NULL && status != 0)
        fail_msg("%s", said);
    if (words == NULL)
        return;
    if (status == 0)
        fail_msg("passed without `%s': %s", words, said);
    if (strstr(said, words) == NULL)
        fail_msg("no `%s' in: %s", words, said);
}

#define FAIL_HEX "# Fails, as it must.\n\"fail\"\n"

static void test_kept(void **state)
{
    (void)state;
    put("canary", "seeds", "fail.hex", FAIL_HEX);
    assert_said("canary", NULL);
}

static void test_canary_sings(void **state)
{
    (void)state;
    put("canary", "seeds", "pass.hex", "# Passes, as it must not.\n\"pass\"\n");
    assert_said("canary", "pass.hex: must fail with BED-006, passes");
}

static void test_unreadable(void **state)
{
    (void)state;
    put("canary", "seeds", "bad.hex", "# No hex.\nzz\n");
    assert_said("canary", "/canary/seeds/bad.hex:2: ");
}

static void test_seedless(void **state)
{
    (void)state;
    put("canary", "regress", "fail.hex", FAIL_HEX);
    assert_said("canary", "/canary/seeds: the target has none");
}

static void test_stray(void **state)
{
    (void)state;
    put("canary", "seeds", "fail.hex", FAIL_HEX);
    put("canary", "seed", "fail.hex", FAIL_HEX);
    assert_said("canary", "/canary/seed/fail.hex: no one replays");
}

static void test_orphan(void **state)
{
    (void)state;
    put("no-such-target", "seeds", "fail.hex", FAIL_HEX);
    assert_said("", "/no-such-target: there is no target of that name");
}

static void test_nothing(void **state)
{
    (void)state;
    assert_said("no-such-target", "nothing was run");
    assert_said("", "/canary/seeds: the target has none");
}

/* The empty input reaches no mark and runs no op of any target that has some. */
static void test_unreached(void **state)
{
    (void)state;
    for (size_t i = 0; i < fuzz_target_count(); i++) {
        const struct fuzz_target *target = fuzz_target_at(i);
        put(target->name, "seeds", "empty.bin", "");
        if (target->ops != NULL)
            assert_said(target->name, ": in no file the op `");
        if (target->marks != NULL)
            assert_said(target->name, ": no file reaches the mark `");
    }
}

#define EACH_ALONE(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        EACH_ALONE(test_kept),     EACH_ALONE(test_canary_sings), EACH_ALONE(test_unreadable),
        EACH_ALONE(test_seedless), EACH_ALONE(test_stray),        EACH_ALONE(test_orphan),
        EACH_ALONE(test_nothing),  EACH_ALONE(test_unreached),
    };

    program = argc > 0 ? argv[0] : "";
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
