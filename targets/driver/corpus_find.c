/*
 * corpus_find.c: which files a folder holds. Dot files are not inputs, nor what has an ending of
 * dictionaries, pages for people, logs of engines and vectors.
 */
#include "targets/driver/corpus.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct paths {
    char **at;
    size_t count, capacity;
};

struct finder {
    struct paths files;
    struct paths folders; /* all that were met, in that order: read one, meet more */
    char *error;
};

/* Takes over `path`. */
static void add_path(struct paths *paths, char *path)
{
    if (paths->count == paths->capacity) {
        paths->capacity = paths->capacity == 0 ? 64 : paths->capacity * 2;
        paths->at = realloc(paths->at, paths->capacity * sizeof *paths->at);
        WB_ASSERT(paths->at != NULL);
    }
    paths->at[paths->count++] = path;
}

static bool refuse(const struct finder *f, const char *path, const char *rule)
{
    snprintf(f->error, CORPUS_ERROR_MAX, "%s: %s", path, rule);
    return false;
}

/* Takes over `path`. A link counts as what it leads to. */
static bool meet(struct finder *f, char *path)
{
    struct stat about;
    bool ok = true;

    if (strcmp(path, "-") == 0)
        add_path(&f->files, path);
    else if (stat(path, &about) != 0)
        ok = refuse(f, path, strerror(errno));
    else if (S_ISDIR(about.st_mode))
        add_path(&f->folders, path);
    else if (S_ISREG(about.st_mode))
        add_path(&f->files, path);
    else
        ok = refuse(f, path, "neither a file nor a folder");
    if (!ok)
        free(path);
    return ok;
}

static bool is_input(const char *name)
{
    static const char *const others[] = {".dict", ".md", ".log", ".json"};

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (corpus_has_ending(name, others[i]))
            return false;
    return name[0] != '.';
}

static bool read_folder(struct finder *f, const char *folder)
{
    struct dirent *entry;
    DIR *dir = opendir(folder);
    bool ok = true;

    if (dir == NULL)
        return refuse(f, folder, strerror(errno));
    while (ok && (entry = readdir(dir)) != NULL) {
        char *path = NULL;
        if (!is_input(entry->d_name))
            continue;
        int len = asprintf(&path, "%s/%s", folder, entry->d_name);
        WB_ASSERT(len > 0);
        ok = meet(f, path);
    }
    closedir(dir);
    return ok;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool corpus_find(const char *path, char ***out_paths, size_t *out_count,
                 char error[CORPUS_ERROR_MAX])
{
    struct finder f = {.error = error};
    char *root = strdup(path);
    WB_ASSERT(root != NULL);

    /* A path with a slash at its end would give names with two. */
    for (size_t len = strlen(root); len > 1 && root[len - 1] == '/'; len--)
        root[len - 1] = '\0';
    bool ok = meet(&f, root);
    for (size_t i = 0; ok && i < f.folders.count; i++)
        ok = read_folder(&f, f.folders.at[i]);
    corpus_paths_free(f.folders.at, f.folders.count);
    if (!ok) {
        corpus_paths_free(f.files.at, f.files.count);
        return false;
    }
    if (f.files.count > 1)
        qsort(f.files.at, f.files.count, sizeof *f.files.at, by_text);
    *out_paths = f.files.at;
    *out_count = f.files.count;
    return true;
}

void corpus_paths_free(char **paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(paths[i]);
    free(paths);
}
