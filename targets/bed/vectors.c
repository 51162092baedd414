/*
 * vectors.c: `bed vectors`, cases of the corpora as JSON for people with other implementations:
 * version and configuration, bytes in, events out, and the rule that ends them. One file a section.
 */
#include "targets/bed/bed.h"
#include "targets/bed/json.h"

#include <ctype.h>
#include <dirent.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define IN_MAX       600u /* longer inputs stay in the corpus alone */
#define SECTIONS_MAX 8u

struct section {
    char name[64];
    struct wb_buf text;
    char last[256]; /* the file that its last vector came from: one vector each */
};

/* What becomes vectors. A section of a file is a value of its first setting, or all. */
struct book {
    const char *target, *prefix, *about;
    const char *whole; /* the one section; NULL: by the first setting */
};

static const struct book books[] = {
    {"announce_wire", "announce-",
     "The answer of an announce stream as a subscriber reads it; with `the subscriber's side` what "
     "it sends. Its end is FIN unless the configuration says reset.",
     NULL},
    {"reply_wire", "reply-",
     "Replies of memcached to a meta request, and then the end of the stream.", "meta"},
    {"reply_classic", "reply-",
     "Replies of memcached to a classic request, and then the end of the stream.", "classic"},
    {"ingest", "frames-",
     "Streams of media: groups, fetch answers, messages, datagrams. A frame is number@timestamp "
     "and its payload.",
     NULL},
};

#define BOOKS_MAX (sizeof(books) / sizeof(books[0]))

/* ---- JSON ------------------------------------------------------------------------------------ */

/* A list of what stands between separators. */
static void put_list(struct wb_buf *out, const char *text, size_t len)
{
    const char *comma = "";

    bed_buf_print(out, "[");
    while (len > 0) {
        const char *cut = memmem(text, len, "; ", 2);
        size_t n = cut != NULL ? (size_t)(cut - text) : len;

        bed_buf_print(out, "%s", comma);
        json_put(wb_view_of(text, n), out);
        comma = ", ";
        n = cut != NULL ? n + 2 : n;
        text += n;
        len -= n;
    }
    bed_buf_print(out, "]");
}

/* ---- the configuration ----------------------------------------------------------------------- */

/* The value that the bits of a line have: one of those between its commas, or its words when the
   one bit is set; empty when there is nothing to say. */
static struct wb_view setting(const char *line, uint8_t config)
{
    unsigned first = 0, last = 0;
    const char *text = strchr(line, ':'), *open, *close;
    int read = sscanf(line, "bits %u-%u", &first, &last);

    if (text == NULL || (read != 2 && sscanf(line, "bit %u", &first) != 1))
        return (struct wb_view){0};
    text += 2;
    if (read != 2)
        return (config >> first & 1) != 0 ? wb_view_text(text) : (struct wb_view){0};
    unsigned value = config >> first & ((1u << (last - first + 1)) - 1);
    open = strchr(text, '(');
    close = open != NULL ? strrchr(open, ')') : NULL;
    text = open != NULL ? open + 1 : text;
    size_t left = close != NULL ? (size_t)(close - text) : strlen(text);
    for (;; value--) {
        const char *comma = memchr(text, ',', left);
        size_t n = comma != NULL ? (size_t)(comma - text) : left;

        if (value == 0)
            return wb_view_of(text, n);
        if (comma == NULL)
            return (struct wb_view){0};
        n += 2; /* and the blank behind it */
        text += n;
        left -= n < left ? n : left;
    }
}

static void put_configuration(struct wb_buf *out, const struct fuzz_target *target, uint8_t config)
{
    const char *comma = "";

    bed_buf_print(out, "[");
    for (size_t i = 0; target->configs != NULL && target->configs[i] != NULL; i++) {
        struct wb_view value = setting(target->configs[i], config);
        if (value.len == 0)
            continue;
        bed_buf_print(out, "%s", comma);
        json_put(value, out);
        comma = ", ";
    }
    bed_buf_print(out, "]");
}

/* ---- sections -------------------------------------------------------------------------------- */

static struct section *section_of(const struct book *book, const struct fuzz_target *target,
                                  uint8_t config, struct section *sections)
{
    struct wb_view value =
        book->whole != NULL ? wb_view_text(book->whole) : setting(target->configs[0], config);
    char name[64];
    size_t len = 0;

    for (size_t i = 0; i < value.len && len + 1 < sizeof(name); i++)
        name[len++] = isalnum(value.data[i]) ? (char)value.data[i] : '-';
    name[len] = '\0';
    for (size_t i = 0; i < SECTIONS_MAX; i++) {
        if (strcmp(sections[i].name, name) == 0)
            return &sections[i];
        if (sections[i].name[0] != '\0')
            continue;
        memcpy(sections[i].name, name, len + 1);
        sections[i].text = bed_buf();
        bed_buf_print(&sections[i].text, "{\"about\": ");
        json_put(wb_view_text(book->about), &sections[i].text);
        bed_buf_print(&sections[i].text, ",\n\"vectors\": [");
        return &sections[i];
    }
    return NULL;
}

static void put_vector(struct section *s, const struct fuzz_target *target,
                       const struct corpus_file *file, uint8_t config, struct sim_run *run)
{
    const char *name = strstr(file->path, "corpus/");
    const char *rule = wb_err_text((int)run->outcome);

    name = name != NULL ? name + strlen("corpus/") : file->path;
    bed_buf_print(&s->text, "%s\n{\"name\": ", s->last[0] != '\0' ? "," : "");
    json_put(wb_view_of(name, strlen(name) - strlen(".hex")), &s->text);
    bed_buf_print(&s->text, ",\n \"why\": ");
    json_put(wb_view_text(file->lesson), &s->text);
    bed_buf_print(&s->text, ",\n \"configuration\": ");
    put_configuration(&s->text, target, config);
    bed_buf_print(&s->text, ",\n \"in\": \"");
    for (size_t i = 0; i < file->len; i++)
        bed_buf_print(&s->text, "%02x", file->bytes[i]);
    bed_buf_print(&s->text, "\",\n \"events\": ");
    put_list(&s->text, run->story, run->story_len);
    bed_buf_print(&s->text, ",\n \"ends\": \"%s\", \"rule\": ", wb_err_name((int)run->outcome));
    json_put(wb_view_text(rule), &s->text);
    bed_buf_print(&s->text, "}");
    snprintf(s->last, sizeof(s->last), "%s", file->path);
}

/* Each file once in each of its sections, with the first configuration that is of it. */
static bool add_file(const struct book *book, const struct corpus_file *file,
                     struct section *sections)
{
    const struct fuzz_target *target = file->target;

    for (size_t i = 0; file->len <= IN_MAX && i < file->config_count; i++) {
        struct section *s = section_of(book, target, file->configs[i], sections);
        uint8_t *input;
        size_t len;

        if (s == NULL) {
            bed_cannot("%s: too many sections", file->path);
            return false;
        }
        if (strcmp(s->last, file->path) == 0)
            continue;
        input = corpus_input(file, i, &len);
        bed_must(input != NULL ? WB_OK : WB_E_NOMEM);
        bed_finding_in_this_process(file);
        put_vector(s, target, file, file->configs[i], fuzz_run(target, wb_view_of(input, len)));
        free(input);
    }
    return true;
}

static bool add_files(const struct book *book, const char *kind, struct section *sections)
{
    struct bed_files files = {0};
    char path[128];

    snprintf(path, sizeof(path), "corpus/%s/%s", book->target, kind);
    bool ok = bed_files_add(&files, path, &(struct bed_source){0});
    for (size_t i = 0; ok && i < files.count; i++)
        if (corpus_has_ending(files.at[i].path, ".hex"))
            ok = add_file(book, &files.at[i], sections);
    bed_files_free(&files);
    return ok;
}

/* ---- files ----------------------------------------------------------------------------------- */

struct outcome {
    const char *folder;
    bool checks;
    size_t places, written;
    char *paths[BOOKS_MAX * SECTIONS_MAX]; /* of all sections */
};

/* Before anything is written: what stands at the section's place can be replaced. */
static bool is_free(const char *path)
{
    struct stat about;

    if (lstat(path, &about) != 0 || S_ISREG(about.st_mode))
        return true;
    bed_cannot("%s: is no file", path);
    return false;
}

/* Writes a section, or says whether its file is what would be written. */
static int finish(struct section *s, const char *path, struct outcome *o)
{
    struct wb_buf now = bed_buf();
    int status = BED_PASS;

    if (!o->checks) {
        status = bed_write(path, wb_buf_view(&s->text), true) ? BED_PASS : BED_CANNOT;
        o->written += status == BED_PASS;
    } else if (!bed_read(path, &now)) {
        status = BED_CANNOT;
    } else if (!wb_view_equal(wb_buf_view(&now), wb_buf_view(&s->text))) {
        printf("%s is not what the corpus says: `bed vectors` writes it anew\n", path);
        status = BED_FOUND;
    }
    wb_buf_fini(&now);
    return status;
}

/* Makes the sections of a book, and names their places. */
static bool make_book(const struct book *book, struct section *sections, struct outcome *o)
{
    bool ok = bed_target(book->target) != NULL && add_files(book, "cases", sections) &&
              add_files(book, "regress", sections);

    for (size_t i = 0; i < SECTIONS_MAX && sections[i].name[0] != '\0'; i++) {
        char **path = &o->paths[o->places++];

        bed_buf_print(&sections[i].text, "\n]}\n");
        if (asprintf(path, "%s/%s%s.json", o->folder, book->prefix, sections[i].name) < 0)
            bed_must(WB_E_NOMEM);
        ok = ok && is_free(*path);
    }
    return ok;
}

/* A file of a section that is no more would stay for ever. */
static int find_stale(const struct outcome *o)
{
    DIR *folder = opendir(o->folder);
    const struct dirent *entry;
    int status = BED_PASS;

    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        bool is_known = !corpus_has_ending(entry->d_name, ".json");
        for (size_t i = 0; i < o->places; i++)
            is_known |= strcmp(strrchr(o->paths[i], '/') + 1, entry->d_name) == 0;
        if (is_known)
            continue;
        printf("%s/%s is of no section any more: remove it\n", o->folder, entry->d_name);
        status = BED_FOUND;
    }
    if (folder != NULL)
        closedir(folder);
    return status;
}

static int write_books(struct outcome *o)
{
    static struct section sections[BOOKS_MAX][SECTIONS_MAX];
    int status = BED_PASS;
    size_t place = 0;

    for (size_t i = 0; status == BED_PASS && i < BOOKS_MAX; i++)
        status = make_book(&books[i], sections[i], o) ? BED_PASS : BED_CANNOT;
    if (status == BED_PASS && !o->checks && !bed_mkdir(o->folder))
        status = BED_CANNOT;
    for (size_t i = 0; i < BOOKS_MAX; i++) {
        for (size_t k = 0; k < SECTIONS_MAX && sections[i][k].name[0] != '\0'; k++, place++) {
            if (status != BED_CANNOT) {
                int ended = finish(&sections[i][k], o->paths[place], o);
                status = ended > status ? ended : status;
            }
            wb_buf_fini(&sections[i][k].text);
        }
    }
    if (status != BED_CANNOT) {
        int stale = find_stale(o);
        status = stale > status ? stale : status;
    }
    while (o->places > 0)
        free(o->paths[--o->places]);
    return status;
}

static int bed_vectors(int argc, char **argv)
{
    struct outcome o = {.folder = "corpus/vectors"};
    const struct bed_option options[] = {{.name = "check", .flag = &o.checks}, {.name = NULL}};

    if (!bed_options(argc, argv, options, 0, 1))
        return BED_CANNOT;
    if (argc - optind == 1)
        o.folder = argv[optind];
    fuzz_run_state()->story_on = true;
    int status = write_books(&o);
    if (o.written > 0)
        printf("%zu files written to %s\n", o.written, o.folder);
    return status;
}

BED_COMMAND(.name = "vectors", .text = "cases as JSON, for other implementations",
            .usage =
                "[--check] [FOLDER]\n\n"
                "Writes cases and regressions of announces, replies and frames to FOLDER, or\n"
                "corpus/vectors: configuration, bytes in, events, and the rule at their end.\n"
                "--check writes nothing and fails when a file is not what it would write. One\n"
                "that is of no section any more is named, exit 1.",
            .run = bed_vectors);
