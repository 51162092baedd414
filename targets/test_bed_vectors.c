/*
 * The vectors in corpus/vectors are what `bed vectors` writes now, and a changed one is noticed.
 * The tool is the `bed` beside this program, or the one that WIREBED_BED names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char tool[1024];
static char folder[] = "/tmp/test_vectors.XXXXXX";

/* Its exit status, with or without --check. */
static int call(const char *check, const char *where)
{
    const char *args[5] = {tool, "vectors"};
    int ended = 0;
    size_t n = 2;

    if (check != NULL)
        args[n++] = check;
    if (where != NULL)
        args[n] = where;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execv(tool, (char *const *)(uintptr_t)args);
        _exit(98);
    }
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended));
    return WEXITSTATUS(ended);
}

static void vectors_are_current(void **state)
{
    (void)state;
    assert_int_equal(call("--check", NULL), 0);
}

static const char *file_of(const char *section, char path[256])
{
    snprintf(path, 256, "%s/%s.json", folder, section);
    return path;
}

static void a_change_is_noticed(void **state)
{
    static const char *const names[] = {"announce-lite-06", "reply-meta", "frames-lite-05"};
    char path[256], other[256];
    struct stat about;

    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(call("--check", folder), 2); /* there is nothing yet */
    assert_int_equal(call(NULL, folder), 0);
    assert_int_equal(call("--check", folder), 0);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        FILE *f = fopen(file_of(names[i], path), "r+");

        assert_non_null(f);
        assert_int_equal(fputc('[', f), '[');
        assert_int_equal(fclose(f), 0);
        assert_int_equal(call("--check", folder), 1);
        assert_int_equal(call(NULL, folder), 0);
        assert_int_equal(call("--check", folder), 0);
    }

    /* A file of no section is found; a place that cannot be written leaves the others as they are.
     */
    snprintf(path, sizeof(path), "%s/reply-old.json", folder);
    assert_int_equal(rename(file_of("reply-meta", other), path), 0);
    assert_int_equal(call(NULL, folder), 1);
    assert_int_equal(call("--check", folder), 1);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(call("--check", folder), 0);
    assert_int_equal(unlink(file_of("reply-meta", path)), 0);
    assert_int_equal(mkdir(path, 0755), 0);
    assert_int_equal(truncate(file_of("announce-lite-06", other), 0), 0);
    assert_int_equal(call(NULL, folder), 2);
    assert_int_equal(stat(other, &about), 0);
    assert_int_equal(about.st_size, 0);
}

static int remove_folder(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof(command), "rm -r %s", folder);
    return system(command);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_are_current),
        cmocka_unit_test_teardown(a_change_is_noticed, remove_folder),
    };
    const char *given = getenv("WIREBED_BED"), *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;

    if (given != NULL)
        snprintf(tool, sizeof(tool), "%s", given);
    else
        snprintf(tool, sizeof(tool), "%.*sbed", slash != NULL ? (int)(slash - argv[0] + 1) : 0,
                 argc > 0 ? argv[0] : "");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
