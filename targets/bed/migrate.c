/*
 * migrate.c: `bed migrate`, scenarios of an older version of the format as those of the current
 * one, which must run to the same trace.
 */
#include "targets/bed/bed.h"
#include "targets/driver/corpus_migrate.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

struct migrate_options {
    const char *target_name, *folder;
    uint64_t unsaid;
};

/* Appends what the new file holds. Text names what it means: only its bytes know a version. */
static void render(const struct corpus_file *file, struct wb_view bytes, struct wb_buf *out)
{
    if (!corpus_has_ending(file->path, ".scn")) {
        bed_must(wb_buf_add(out, bytes));
        return;
    }
    bed_text_head(file->path, out);
    bed_text_input(file->target, bytes, out);
}

/* A file as it will be written. */
struct migrated {
    char *path;
    struct wb_buf text;
};

static void make_text(const struct corpus_file *file, const char *folder, struct wb_view bytes,
                      struct migrated *out)
{
    const char *slash = strrchr(file->path, '/');

    if (asprintf(&out->path, "%s/%s", folder, slash != NULL ? slash + 1 : file->path) < 0)
        bed_must(WB_E_NOMEM);
    render(file, bytes, &out->text);
}

static int migrate_loaded(const struct corpus_file *file, const struct migrate_options *options,
                          struct migrated *out)
{
    struct wb_view before = wb_view_of(file->bytes, file->len);
    struct wb_buf after = bed_buf();
    uint8_t from = 0;
    int status = BED_PASS;

    if (file->target->kind != FUZZ_SCENARIO)
        return bed_cannot("%s: inputs of wire targets are protocol bytes, of no version",
                          file->path);
    enum wb_err err =
        corpus_migrate(&corpus_steps, (uint8_t)options->unsaid, before, &after, &from);
    if (err == WB_E_VERSION)
        status = bed_cannot("%s: version %u, and the current one is %u", file->path,
                            before.len > 0 ? before.data[0] : 0u, corpus_steps.current);
    else
        bed_must(err);
    if (err == WB_OK && !corpus_migrate_agrees(file->target, before, wb_buf_view(&after), stdout)) {
        printf("FAILED %s: runs otherwise as version %u\n", file->path, corpus_steps.current);
        status = BED_FOUND;
    }
    if (status == BED_PASS) {
        make_text(file, options->folder, wb_buf_view(&after), out);
        printf("%s: from version %u to %u\n", file->path, from, corpus_steps.current);
    }
    wb_buf_fini(&after);
    return status;
}

static int migrate_file(const char *path, const struct migrate_options *options,
                        struct migrated *out)
{
    struct corpus_file file;

    if (!bed_load(path, options->target_name, &file))
        return BED_CANNOT;
    int status = migrate_loaded(&file, options, out);
    corpus_free(&file);
    return status;
}

/* Nothing is written before each file can be. */
static int migrate_all(char **paths, size_t count, const struct migrate_options *options)
{
    struct migrated *all = bed_take(count * sizeof(*all));
    int status = BED_PASS;

    for (size_t i = 0; i < count; i++) {
        all[i] = (struct migrated){.text = bed_buf()};
        int one = migrate_file(paths[i], options, &all[i]);
        status = one > status ? one : status;
    }
    for (size_t i = 0; i < count && status != BED_CANNOT; i++)
        if (all[i].path != NULL && (!bed_mkdir(options->folder) ||
                                    !bed_write(all[i].path, wb_buf_view(&all[i].text), false)))
            status = BED_CANNOT;
    for (size_t i = 0; i < count; i++) {
        free(all[i].path);
        wb_buf_fini(&all[i].text);
    }
    free(all);
    return status;
}

static int bed_migrate(int argc, char **argv)
{
    struct migrate_options options = {.unsaid = 1};
    const struct bed_option table[] = {
        {.name = "target", .text = &options.target_name},
        {.name = "from", .number = &options.unsaid, .max = SIM_VERSION},
        {.name = "out", .text = &options.folder},
        {.name = NULL}};

    if (!bed_options(argc, argv, table, 1, INT_MAX))
        return BED_CANNOT;
    if (options.folder == NULL || options.unsaid == 0)
        return bed_wrong(argv[0], options.folder == NULL ? "-o is missing" : "--from: at least 1");
    return migrate_all(argv + optind, (size_t)(argc - optind), &options);
}

BED_COMMAND(.name = "migrate",
            .text = "scenarios of older versions of the format as the current one",
            .usage =
                "[--target NAME] [--from VERSION] -o FOLDER FILE...\n\n"
                "Writes each file into FOLDER as the current version, and checks that it runs\n"
                "to the same trace. Bytes that say no version are of --from, 1 unless told;\n"
                "a version that is not known is refused, though a run reads it as the current",
            .run = bed_migrate);
