/*
 * corpus_find.c: which files a folder holds. Dot files, dictionaries and pages for people are not
 * inputs.
 */
#include "targets/driver/corpus.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>

struct finder {
    char **paths;
    size_t count, capacity;
};

static void add_path(struct finder *f, const char *path)
{
    if (f->count == f->capacity) {
        f->capacity = f->capacity == 0 ? 64 : f->capacity * 2;
        f->paths = realloc(f->paths, f->capacity * sizeof *f->paths);
        WB_ASSERT(f->paths != NULL);
    }
    f->paths[f->count] = strdup(path);
    WB_ASSERT(f->paths[f->count] != NULL);
    f->count++;
}

static bool is_passed_over(const FTSENT *entry)
{
    const char *ending = strrchr(entry->fts_name, '.');

    if (entry->fts_level == FTS_ROOTLEVEL)
        return false; /* asked for by name */
    if (ending == NULL)
        return false;
    return ending == entry->fts_name || strcmp(ending, ".dict") == 0 || strcmp(ending, ".md") == 0;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool walk(FTS *tree, struct finder *f, char error[CORPUS_ERROR_MAX])
{
    FTSENT *entry;

    while ((entry = fts_read(tree)) != NULL) {
        switch (entry->fts_info) {
        case FTS_D:
            if (is_passed_over(entry))
                fts_set(tree, entry, FTS_SKIP);
            break;
        case FTS_F:
            if (!is_passed_over(entry))
                add_path(f, entry->fts_path);
            break;
        case FTS_DP:
            break;
        case FTS_DC:
            snprintf(error, CORPUS_ERROR_MAX, "%s:0: a folder that holds itself", entry->fts_path);
            return false;
        case FTS_DNR:
        case FTS_ERR:
        case FTS_NS:
        case FTS_SLNONE:
            snprintf(error, CORPUS_ERROR_MAX, "%s:0: %s", entry->fts_path,
                     strerror(entry->fts_errno == 0 ? ENOENT : entry->fts_errno));
            return false;
        default:
            snprintf(error, CORPUS_ERROR_MAX, "%s:0: neither a file nor a folder", entry->fts_path);
            return false;
        }
    }
    return true;
}

bool corpus_find(const char *path, char ***out_paths, size_t *out_count,
                 char error[CORPUS_ERROR_MAX])
{
    struct finder found = {0};
    char *root = strdup(path);
    WB_ASSERT(root != NULL);

    /* A path with a slash at its end would give names with two. */
    for (size_t len = strlen(root); len > 1 && root[len - 1] == '/'; len--)
        root[len - 1] = '\0';
    char *const roots[] = {root, NULL};
    FTS *tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    WB_ASSERT(tree != NULL);
    bool ok = walk(tree, &found, error);
    fts_close(tree);
    free(root);
    if (!ok) {
        corpus_paths_free(found.paths, found.count);
        return false;
    }
    if (found.count > 1)
        qsort(found.paths, found.count, sizeof *found.paths, by_text);
    *out_paths = found.paths;
    *out_count = found.count;
    return true;
}

void corpus_paths_free(char **paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(paths[i]);
    free(paths);
}
