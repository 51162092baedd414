/*
 * test_bed.h: for tests of the tool: calls it as people do, and keeps what it said. It is the `bed`
 * beside the test, or the one that WIREBED_BED names.
 */
#ifndef TEST_BED_H
#define TEST_BED_H

#include "targets/driver/corpus.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGS_MAX  16
#define PATH_SIZE 1024

static char tool[PATH_SIZE];   /* the tool */
static char folder[PATH_SIZE]; /* everything this test writes */
static char root[PATH_SIZE];   /* where corpus/ is */

/* ---- files ---- */

/* Valid for a while: until the calls after the next one. */
static inline const char *in_folder(const char *name)
{
    static char path[16][PATH_SIZE * 2];
    static size_t next;
    char *out = path[next++ % 16];
    snprintf(out, sizeof(path[0]), "%s/%s", folder, name);
    return out;
}

static inline void write_file(const char *path, const void *bytes, size_t len)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, len, out), len);
    assert_int_equal(fclose(out), 0);
}

static inline void write_text(const char *path, const char *text)
{
    write_file(path, text, strlen(text));
}

/* With a NUL behind its bytes. */
static inline char *read_file(const char *path, size_t *out_len)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    long size = ftell(in);
    assert_true(size >= 0);
    rewind(in);
    char *bytes = malloc((size_t)size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)size, in), (size_t)size);
    fclose(in);
    bytes[size] = '\0';
    if (out_len != NULL)
        *out_len = (size_t)size;
    return bytes;
}

static inline bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* ---- calling the tool ---- */

struct said {
    int status;
    char *out, *err;
};

/* Arguments follow, up to NULL. `place` is the working folder. */
static inline struct said call(const char *place, ...)
{
    const char *args[ARGS_MAX] = {tool};
    struct said said;
    va_list list;
    size_t n = 1;
    int status;

    va_start(list, place);
    while (n + 1 < ARGS_MAX && (args[n] = va_arg(list, const char *)) != NULL)
        n++;
    va_end(list);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int out = open(in_folder("stdout"), O_WRONLY | O_CREAT | O_TRUNC, 0644);
        int err = open(in_folder("stderr"), O_WRONLY | O_CREAT | O_TRUNC, 0644);
        if (out < 0 || err < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0 || chdir(place) != 0)
            _exit(99);
        execv(tool, (char *const *)(uintptr_t)args);
        _exit(98);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    said.status = WEXITSTATUS(status);
    said.out = read_file(in_folder("stdout"), NULL);
    said.err = read_file(in_folder("stderr"), NULL);
    return said;
}

static inline void said_free(struct said *said)
{
    free(said->out);
    free(said->err);
}

/* The call ends with `status`, and `out` and `err` stand in what it said; NULL = anything. */
static inline void expect(struct said said, int status, const char *out, const char *err)
{
    if (said.status != status || (out != NULL && strstr(said.out, out) == NULL) ||
        (err != NULL && strstr(said.err, err) == NULL))
        print_error("status %d\nstdout: %s\nstderr: %s\n", said.status, said.out, said.err);
    assert_int_equal(said.status, status);
    if (out != NULL)
        assert_non_null(strstr(said.out, out));
    if (err != NULL)
        assert_non_null(strstr(said.err, err));
    said_free(&said);
}

/* ---- around the tests ---- */

static inline int find_tool(void **state)
{
    const char *named = getenv("WIREBED_BED");
    (void)state;
    if (getcwd(root, sizeof(root)) == NULL)
        return -1;
    if (named != NULL) {
        snprintf(tool, sizeof(tool), "%s", named);
    } else {
        ssize_t len = readlink("/proc/self/exe", tool, sizeof(tool) - 8);
        if (len < 0)
            return -1;
        tool[len] = '\0';
        memcpy(strrchr(tool, '/'), "/bed", sizeof("/bed"));
    }
    snprintf(folder, sizeof(folder), "/tmp/test_bed.XXXXXX");
    return mkdtemp(folder) != NULL && access(tool, X_OK) == 0 ? 0 : -1;
}

static inline int remove_one(const char *path, const struct stat *st, int kind, struct FTW *walk)
{
    (void)st;
    (void)kind;
    (void)walk;
    return remove(path);
}

static inline int clean_up(void **state)
{
    (void)state;
    return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
