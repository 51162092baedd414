/*
 * seeds.c: the committed corpus as an engine wants it: one file of bytes for each input.
 */
#include "targets/bed/engine.h"

#include "sim/trace.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folder holds only what an earlier call wrote. */
static bool seeds_empty(const char *folder)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    bool ok = dir != NULL;

    while (ok && (entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] != '.' && unlinkat(dirfd(dir), entry->d_name, 0) != 0)
            ok = false;
    }
    if (!ok)
        bed_cannot("%s: %s", folder, strerror(errno));
    if (dir != NULL)
        closedir(dir);
    return ok;
}

static bool seeds_write_file(const char *folder, const struct corpus_file *file)
{
    char place[BED_ENGINE_PATH + 32];
    bool ok = true;

    for (size_t i = 0; ok && i < corpus_input_count(file); i++) {
        size_t len;
        uint8_t *bytes = corpus_input(file, i, &len);
        struct wb_view input = wb_view_of(bytes, len);
        snprintf(place, sizeof(place), "%s/%016llx", folder,
                 (unsigned long long)sim_hash(input, 0));
        ok = bed_write(place, input, true);
        free(bytes);
    }
    return ok;
}

bool bed_seeds_write(const struct bed_engine_place *place, bool empty)
{
    struct bed_files files = {0};
    char path[BED_ENGINE_PATH];

    if (!bed_mkdir(place->folder) || !bed_mkdir(place->seeds) || !bed_mkdir(place->corpus) ||
        !seeds_empty(place->seeds) || (empty && !seeds_empty(place->corpus)))
        return false;
    snprintf(path, sizeof(path), "corpus/%s", place->target->name);
    if (empty || access(path, F_OK) != 0)
        return true;
    bool ok = bed_files_add(&files, path, &(struct bed_source){0});
    for (size_t i = 0; ok && i < files.count; i++)
        ok = seeds_write_file(place->seeds, &files.at[i]);
    bed_files_free(&files);
    return ok;
}
