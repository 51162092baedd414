/*
 * file.c: files and arguments of the tool: read whole, written whole or not at all.
 */
#include "targets/bed/bed.h"

#include "core/base/decimal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX ((size_t)256 << 20)

void *bed_take(size_t size)
{
    void *block = malloc(size > 0 ? size : 1);
    if (block == NULL)
        bed_must(WB_E_NOMEM);
    return block;
}

void bed_must(enum wb_err err)
{
    if (err == WB_OK)
        return;
    exit(bed_cannot("%s", err == WB_E_NOMEM ? "out of memory" : wb_err_text((int)err)));
}

struct wb_buf bed_buf(void)
{
    struct wb_buf b;
    wb_buf_init(&b, wb_mem_libc(), FILE_MAX);
    return b;
}

void bed_buf_print(struct wb_buf *b, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int len = vasprintf(&text, format, args);
    va_end(args);
    bed_must(len < 0 ? WB_E_NOMEM : WB_OK);
    bed_must(wb_buf_add(b, wb_view_of(text, (size_t)len)));
    free(text);
}

bool bed_number(const char *what, const char *text, uint64_t max, uint64_t *out)
{
    enum wb_err err = wb_decimal_get(wb_view_text(text), max, out);
    if (err == WB_E_BOUNDS)
        bed_cannot("%s `%s': at most %llu", what, text, (unsigned long long)max);
    else if (err != WB_OK)
        bed_cannot("%s `%s': %s", what, text, wb_err_text((int)err));
    return err == WB_OK;
}

const struct fuzz_target *bed_target(const char *name)
{
    const struct fuzz_target *target = fuzz_target_find(name);
    if (target == NULL)
        bed_cannot("no target `%s'; `%s list` names them", name, bed_program());
    return target;
}

bool bed_read(const char *path, struct wb_buf *out)
{
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *in = is_stdin ? stdin : fopen(path, "rb");
    uint8_t block[4096];
    size_t n;

    if (in == NULL) {
        bed_cannot("%s: %s", path, strerror(errno));
        return false;
    }
    errno = 0;
    while ((n = fread(block, 1, sizeof(block), in)) > 0)
        bed_must(wb_buf_add(out, wb_view_of(block, n)));
    bool ok = !ferror(in);
    if (!ok)
        bed_cannot("%s: %s", path, strerror(errno));
    if (!is_stdin)
        fclose(in);
    return ok;
}

static bool write_stdout(struct wb_view bytes)
{
    if (fwrite(bytes.data, 1, bytes.len, stdout) == bytes.len && fflush(stdout) == 0)
        return true;
    bed_cannot("stdout: %s", strerror(errno));
    return false;
}

/* Closes `fd` too. */
static bool write_to(int fd, struct wb_view bytes)
{
    FILE *out = fdopen(fd, "wb");
    bool ok = out != NULL && fwrite(bytes.data, 1, bytes.len, out) == bytes.len;
    return (out != NULL ? fclose(out) : close(fd)) == 0 && ok;
}

/* What is there and no regular file keeps its place: a pipe, a device, a link to elsewhere. */
static bool write_into(const char *path, struct wb_view bytes)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    return fd >= 0 && write_to(fd, bytes);
}

/* Moves the finished file to its place; link refuses an existing one without a gap in between. */
static bool write_beside(const char *path, struct wb_view bytes, bool replace)
{
    char *beside = NULL;
    if (asprintf(&beside, "%s.XXXXXX", path) < 0)
        bed_must(WB_E_NOMEM);
    int fd = mkstemp(beside);
    bool ok = fd >= 0 && fchmod(fd, 0644) == 0;
    ok = fd >= 0 && write_to(fd, bytes) && ok;
    ok = ok && (replace ? rename(beside, path) : link(beside, path)) == 0;
    int failed = errno;
    if (fd >= 0 && !(ok && replace))
        unlink(beside);
    free(beside);
    errno = failed;
    return ok;
}

bool bed_write(const char *path, struct wb_view bytes, bool replace)
{
    struct stat about;

    if (path == NULL || strcmp(path, "-") == 0)
        return write_stdout(bytes);
    bool is_into = replace && lstat(path, &about) == 0 && !S_ISREG(about.st_mode);
    bool ok = is_into ? write_into(path, bytes) : write_beside(path, bytes, replace);
    if (!ok)
        bed_cannot("%s: %s", path, strerror(errno));
    return ok;
}

bool bed_mkdir(const char *path)
{
    char *part = bed_take(strlen(path) + 1);
    bool ok = true;

    memcpy(part, path, strlen(path) + 1);
    for (char *at = part + 1; ok && at[-1] != '\0'; at++) {
        if (*at != '/' && *at != '\0')
            continue;
        char kept = *at;
        *at = '\0';
        ok = mkdir(part, 0755) == 0 || errno == EEXIST;
        *at = kept;
    }
    struct stat st;
    if (ok && (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))) {
        errno = ENOTDIR;
        ok = false;
    }
    if (!ok)
        bed_cannot("%s: %s", path, strerror(errno));
    free(part);
    return ok;
}

bool bed_load_from(const char *path, const struct bed_source *source, struct corpus_file *out)
{
    char error[CORPUS_ERROR_MAX];
    const struct fuzz_target *target = NULL;

    if (source->target != NULL && (target = bed_target(source->target)) == NULL)
        return false;
    bool ok = source->is_whole ? corpus_load_whole(path, target, out, error)
                               : corpus_load(path, target, out, error);
    if (!ok)
        bed_cannot("%s", error);
    return ok;
}

bool bed_load(const char *path, const char *target_name, struct corpus_file *out)
{
    return bed_load_from(path, &(struct bed_source){.target = target_name}, out);
}

uint8_t *bed_input(const char *path, const struct bed_source *source, uint64_t config,
                   struct corpus_file *out, size_t *out_len)
{
    if (!bed_load_from(path, source, out))
        return NULL;
    size_t count = corpus_input_count(out);
    if (config < count)
        return corpus_input(out, (size_t)config, out_len);
    corpus_free(out);
    bed_cannot("%s: there are %zu configurations, counted from 0", path, count);
    return NULL;
}

bool bed_files_add(struct bed_files *files, const char *path, const struct bed_source *source)
{
    char error[CORPUS_ERROR_MAX];
    char **paths;
    size_t count;
    bool ok = true;

    if (!corpus_find(path, &paths, &count, error)) {
        bed_cannot("%s", error);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (files->count == files->capacity) {
            files->capacity = files->capacity > 0 ? 2 * files->capacity : 64;
            files->at = realloc(files->at, files->capacity * sizeof(*files->at));
            bed_must(files->at != NULL ? WB_OK : WB_E_NOMEM);
        }
        bool is_read = bed_load_from(paths[i], source, &files->at[files->count]);
        files->count += is_read;
        ok = ok && is_read;
    }
    corpus_paths_free(paths, count);
    return ok;
}

void bed_files_free(struct bed_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        corpus_free(&files->at[i]);
    free(files->at);
    *files = (struct bed_files){0};
}

uint64_t bed_clock_ns(clockid_t clock)
{
    struct timespec t;
    bool ok = clock_gettime(clock, &t) == 0;
    WB_ASSERT(ok);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}
