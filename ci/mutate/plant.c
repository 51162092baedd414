/*
 * plant.c: plants all mutants of the core at once: writes each file anew with sites (schema.h) and
 * a table of what each mutant is.
 *
 *   plant OUT FILE...      OUT/FILE for each, OUT/mutants.tsv
 *
 * The n-th file has the ids from n * 4096 + 1 on, so that a change of one leaves the others as they
 * are. Columns: id, file, function, hash of the function's text, line, kind, name, offset, length,
 * before, after. The name is the kind and a hash of what changes: it outlives a change elsewhere.
 */
#include "ci/mutate/plant.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const arguments[] = {"-std=c11",  "-D_GNU_SOURCE", "-I.",     "-xc",
                                        "-DWB_RACE", "-DWB_COUNTED",  "-Wno-all"};

static void must(bool ok)
{
    if (!ok) {
        perror("plant");
        exit(2);
    }
}

uint64_t plant_hash(const char *text, size_t len, uint64_t seed)
{
    uint64_t hash = seed ^ UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static char *read_all(const char *path, size_t *out_len)
{
    FILE *in = fopen(path, "rb");
    char *text = NULL;

    *out_len = 0;
    if (in == NULL)
        return NULL;
    for (size_t n = 1; n > 0; *out_len += n) {
        text = realloc(text, *out_len + 65536);
        must(text != NULL);
        n = fread(text + *out_len, 1, 65535, in);
    }
    text[*out_len] = '\0';
    fclose(in);
    return text;
}

bool plant_open(struct plant *p, const char *path, unsigned first_id, FILE *table)
{
    memset(p, 0, sizeof(*p));
    p->path = path;
    p->next = first_id;
    p->table = table;
    p->text = read_all(path, &p->len);
    if (p->text == NULL) {
        perror(path);
        return false;
    }
    p->inside = calloc(p->len + 2, sizeof(*p->inside));
    p->cover = calloc(p->len + 2, sizeof(*p->cover));
    p->is_try = calloc(p->len + 2, sizeof(*p->is_try));
    must(p->inside != NULL && p->cover != NULL && p->is_try != NULL);
    return true;
}

void plant_close(struct plant *p)
{
    for (size_t i = 0; i < p->edit_count; i++)
        free(p->edits[i].text);
    free(p->edits);
    free(p->inside);
    free(p->cover);
    free(p->is_try);
    free(p->text);
    free(p->function);
}

void plant_edit(struct plant *p, size_t at, size_t gone, enum plant_order order, const char *format,
                ...)
{
    va_list args;

    p->edits = realloc(p->edits, (p->edit_count + 1) * sizeof(*p->edits));
    must(p->edits != NULL);
    struct plant_edit *e = &p->edits[p->edit_count];
    *e = (struct plant_edit){at, gone, order, p->edit_count, NULL};
    p->edit_count++;
    va_start(args, format);
    must(vasprintf(&e->text, format, args) >= 0);
    va_end(args);
}

/* One line, blanks single. */
static void one_line(const char *from, size_t len, char out[PLANT_TEXT])
{
    size_t n = 0;

    for (size_t i = 0; i < len && n + 1 < PLANT_TEXT; i++) {
        char c = from[i] == '\n' || from[i] == '\t' ? ' ' : from[i];
        if (c != ' ' || (n > 0 && out[n - 1] != ' '))
            out[n++] = c;
    }
    out[n] = '\0';
}

unsigned plant_mutant(struct plant *p, const char *kind, size_t begin, size_t end,
                      const char *format, ...)
{
    char before[PLANT_TEXT], after[PLANT_TEXT], *long_after;
    size_t line = 1, k = 0;
    va_list args;

    va_start(args, format);
    int len = vasprintf(&long_after, format, args);
    va_end(args);
    must(len >= 0);
    one_line(p->text + begin, end - begin, before);
    one_line(long_after, (size_t)len, after);
    for (size_t i = 0; i < begin; i++)
        line += p->text[i] == '\n';
    uint64_t hash = plant_hash(before, strlen(before), plant_hash(kind, strlen(kind), 0));
    hash = plant_hash(after, strlen(after), hash);
    while (k < p->name_count && p->names[k].hash != hash)
        k++;
    if (k == p->name_count)
        p->names[p->name_count++] = (struct plant_name){hash, 0};
    unsigned number = ++p->names[k].count;
    hash ^= hash >> 32;
    fprintf(p->table, "%u\t%s\t%s\t%08x\t%zu\t%s\t%s-%06x", p->next, p->path, p->function,
            (unsigned)(p->function_hash ^ p->function_hash >> 32), line, kind, kind,
            (unsigned)hash & 0xffffff);
    if (number > 1)
        fprintf(p->table, ".%u", number);
    fprintf(p->table, "\t%zu\t%zu\t%s\t%s\n", begin, end - begin, before, after);
    free(long_after);
    must(p->next % PLANT_IDS != PLANT_IDS - 1);
    return p->next++;
}

static int by_place(const void *a, const void *b)
{
    const struct plant_edit *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return (x->serial > y->serial) - (x->serial < y->serial);
}

static void make_folders(const char *path)
{
    char *copy = strdup(path);

    must(copy != NULL);
    for (char *at = strchr(copy + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        must(mkdir(copy, 0777) == 0 || errno == EEXIST);
        *at = '/';
    }
    free(copy);
}

bool plant_write(struct plant *p, const char *path)
{
    char *text = NULL, *old;
    size_t len = 0, at = 0, old_len;
    FILE *out = open_memstream(&text, &len);

    must(out != NULL);
    if (p->edit_count > 0)
        qsort(p->edits, p->edit_count, sizeof(*p->edits), by_place);
    for (size_t i = 0; i < p->edit_count; i++) {
        const struct plant_edit *e = &p->edits[i];
        fwrite(p->text + at, 1, e->at - at, out);
        fputs(e->text, out);
        at = e->at + e->gone;
    }
    fwrite(p->text + at, 1, p->len - at, out);
    must(fclose(out) == 0);
    old = read_all(path, &old_len);
    bool same = old != NULL && old_len == len && memcmp(old, text, len) == 0;
    free(old);
    if (!same) {
        make_folders(path);
        out = fopen(path, "wb");
        must(out != NULL && fwrite(text, 1, len, out) == len && fclose(out) == 0);
    }
    free(text);
    return true;
}

static bool plant_file(CXIndex index, const char *out, const char *path, unsigned id, FILE *table)
{
    static struct plant p;
    char *to;
    bool ok;

    if (!plant_open(&p, path, id, table))
        return false;
    p.unit =
        clang_parseTranslationUnit(index, path, arguments, sizeof(arguments) / sizeof(arguments[0]),
                                   NULL, 0, CXTranslationUnit_DetailedPreprocessingRecord);
    ok = p.unit != NULL;
    /* A header may lean on what is included before it: the compiler judges that. */
    bool is_header = strcmp(path + strlen(path) - 2, ".h") == 0;
    for (unsigned i = 0; ok && !is_header && i < clang_getNumDiagnostics(p.unit); i++) {
        CXDiagnostic d = clang_getDiagnostic(p.unit, i);
        if (clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error) {
            CXString s = clang_formatDiagnostic(d, clang_defaultDiagnosticDisplayOptions());
            fprintf(stderr, "%s\n", clang_getCString(s));
            clang_disposeString(s);
            ok = false;
        }
        clang_disposeDiagnostic(d);
    }
    if (ok) {
        plant_walk(&p);
        must(asprintf(&to, "%s/%s", out, path) > 0);
        ok = plant_write(&p, to);
        free(to);
        clang_disposeTranslationUnit(p.unit);
    }
    plant_close(&p);
    return ok;
}

int main(int argc, char **argv)
{
    char *table_path;
    bool ok = true;

    if (argc < 3) {
        fprintf(stderr, "usage: %s OUT FILE...\n", argv[0]);
        return 2;
    }
    must(asprintf(&table_path, "%s/mutants.tsv", argv[1]) > 0);
    make_folders(table_path);
    FILE *table = fopen(table_path, "w");
    must(table != NULL);
    CXIndex index = clang_createIndex(0, 0);
    for (int i = 2; i < argc && ok; i++)
        ok = plant_file(index, argv[1], argv[i], (unsigned)(i - 2) * PLANT_IDS + 1, table);
    clang_disposeIndex(index);
    must(fclose(table) == 0);
    free(table_path);
    return ok ? 0 : 2;
}
