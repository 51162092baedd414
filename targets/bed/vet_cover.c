/*
 * vet_cover.c: which functions of the core each side entered. A side sets a bit for each block, in
 * a file beside the journal, so that what an interrupted vet saw is kept; addr2line names them.
 */
#include "targets/bed/vet.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NAME_ROOM 256

struct names {
    char **at; /* "core/base/buf.c wb_buf_add" */
    size_t count, room;
};

bool vet_cover_open(struct vet *v, const char *journal)
{
    for (int s = 0; s < VET_SIDES; s++) {
        char path[1100];
        snprintf(path, sizeof(path), "%s.%s", journal, s == VET_OLD ? "old" : "new");
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
        void *map = MAP_FAILED;
        if (fd >= 0 && ftruncate(fd, VET_COVER_BYTES) == 0)
            map = mmap(NULL, VET_COVER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (map == MAP_FAILED)
            bed_cannot("%s: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        if (map == MAP_FAILED)
            return false;
        v->cover[s] = map;
    }
    return true;
}

/* Of a file below core/, however the compiler was called. */
static void add_name(struct names *names, const char *function, const char *place)
{
    const char *file = strstr(place, "core/");
    char name[1024 + NAME_ROOM];

    if (file == NULL)
        return;
    snprintf(name, sizeof(name), "%.*s %s", (int)strcspn(file, ":\n"), file, function);
    if (names->count == names->room) {
        names->room = names->room > 0 ? 2 * names->room : 1024;
        names->at = realloc(names->at, names->room * sizeof(*names->at));
        bed_must(names->at != NULL ? WB_OK : WB_E_NOMEM);
    }
    names->at[names->count++] = strdup(name);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_names(struct names *names)
{
    size_t kept = 0;

    if (names->count > 0)
        qsort(names->at, names->count, sizeof(*names->at), by_name);
    for (size_t i = 0; i < names->count; i++) {
        if (kept > 0 && strcmp(names->at[kept - 1], names->at[i]) == 0)
            free(names->at[i]);
        else
            names->at[kept++] = names->at[i];
    }
    names->count = kept;
}

/* The functions of the blocks that were entered; a return address lies just behind its call. */
static bool read_names(const struct vet *v, int side, struct names *out)
{
    char command[4096], list[1100], function[NAME_ROOM], place[1024];

    snprintf(list, sizeof(list), "%s/cover.XXXXXX", v->state_dir);
    int fd = mkstemp(list);
    FILE *to = fd >= 0 ? fdopen(fd, "w") : NULL;

    if (to == NULL)
        return false;
    for (size_t at = 0; at < VET_COVER_BYTES * 8; at++)
        if (v->cover[side][at / 8] >> at % 8 & 1)
            fprintf(to, "%zx\n", at - 1);
    fclose(to);
    snprintf(command, sizeof(command), "addr2line -f -e '%s' <'%s' 2>/dev/null", v->paths[side],
             list);
    FILE *in = popen(command, "r");
    while (in != NULL && fgets(function, sizeof(function), in) != NULL &&
           fgets(place, sizeof(place), in) != NULL) {
        function[strcspn(function, "\n")] = '\0';
        add_name(out, function, place);
    }
    bool ok = in != NULL && pclose(in) == 0;
    unlink(list);
    sort_names(out);
    return ok;
}

/* Those of `a` that `b` has not, a line each. */
static void tell_others(const struct names *a, const struct names *b, struct wb_buf *out)
{
    for (size_t i = 0; i < a->count; i++)
        if (b->count == 0 || bsearch(&a->at[i], b->at, b->count, sizeof(*b->at), by_name) == NULL)
            bed_buf_print(out, "%s\n", a->at[i]);
}

void vet_cover_tell(struct vet *v)
{
    struct names names[VET_SIDES] = {{NULL, 0, 0}, {NULL, 0, 0}};
    bool ok = true;

    for (int s = 0; s < VET_SIDES; s++)
        ok = read_names(v, s, &names[s]) && ok;
    for (int s = 0; ok && s < VET_SIDES; s++) {
        v->functions[s] = names[s].count;
        tell_others(&names[s], &names[VET_SIDES - 1 - s], &v->coverage[s]);
    }
    if (!ok)
        bed_buf_print(&v->notes, "functions of the core were not named: addr2line did not\n");
    for (int s = 0; s < VET_SIDES; s++) {
        for (size_t i = 0; i < names[s].count; i++)
            free(names[s].at[i]);
        free(names[s].at);
    }
}
