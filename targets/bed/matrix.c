/*
 * matrix.c: `bed matrix`: which planted bug falls to which invariant, which requirement that is
 * for, and what is tied to nothing.
 */
#include "targets/bed/matrix.h"

#include "core/base/decimal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KILL_MUTANT, KILL_KILLER, KILL_FILE, KILL_INPUTS, KILL_FIELDS };

bool matrix_is_retired(const struct inv_desc *inv)
{
    return strncmp(inv->text, "retired", strlen("retired")) == 0;
}

static bool ends_with(const char *text, const char *ending)
{
    size_t len = strlen(text), tail = strlen(ending);
    return len >= tail && strcmp(text + len - tail, ending) == 0;
}

static bool refuse(unsigned line, const char *rule, const char *word)
{
    bed_cannot("%s:%u: %s `%s'", MATRIX_KILLS_PATH, line, rule, word);
    return false;
}

static bool is_file(const char *folder, const char *name, const char *ending)
{
    struct wb_buf path = bed_buf();
    bed_buf_print(&path, "%s%s%s", folder, name, ending);
    bed_must(wb_buf_add_u8(&path, 0));
    bool is = access((const char *)path.data, R_OK) == 0;
    wb_buf_fini(&path);
    return is;
}

/* "ABC-012", which must be an invariant; other killers are words of the replay. */
static bool is_known(const char *killer)
{
    size_t letters = strspn(killer, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    bool has_form = letters > 0 && killer[letters] == '-' &&
                    strspn(killer + letters + 1, "0123456789") == strlen(killer + letters + 1);
    return !has_form || inv_find(killer) != NULL;
}

static bool take_kill(struct matrix *m, unsigned line, char *text)
{
    struct matrix_kill *kill = &m->kills[m->kill_count++];
    char *fields[KILL_FIELDS];
    size_t n = 0;

    for (char *field; (field = strsep(&text, "\t")) != NULL; n++) {
        if (n == KILL_FIELDS || *field == '\0')
            return refuse(line, "four fields with tabs between, not", field);
        fields[n] = field;
    }
    if (n < KILL_FIELDS)
        return refuse(line, "four fields with tabs between, not", fields[0]);
    *kill = (struct matrix_kill){.mutant = fields[KILL_MUTANT],
                                 .killer = fields[KILL_KILLER],
                                 .file = fields[KILL_FILE],
                                 .is_of_test = ends_with(fields[KILL_MUTANT], ".c")};
    if (wb_decimal_get(wb_view_text(fields[KILL_INPUTS]), UINT32_MAX, &kill->inputs) != WB_OK)
        return refuse(line, "no number of inputs:", fields[KILL_INPUTS]);
    if (!is_known(kill->killer))
        return refuse(line, "there is no invariant", kill->killer);
    if (kill->is_of_test)
        return is_file("", kill->mutant, "") || refuse(line, "there is no test", kill->mutant);
    if (!is_file("ci/mutants/", kill->mutant, ".patch"))
        return refuse(line, "there is no mutant", kill->mutant);
    return is_file("corpus/", kill->file, "") || refuse(line, "there is no file", kill->file);
}

static bool read_kills(struct matrix *m)
{
    struct wb_buf bytes = bed_buf();
    size_t lines = 1;
    unsigned line = 0;

    if (!bed_read(MATRIX_KILLS_PATH, &bytes)) {
        wb_buf_fini(&bytes);
        return false;
    }
    m->text = bed_take(bytes.len + 1);
    if (bytes.len > 0)
        memcpy(m->text, bytes.data, bytes.len);
    m->text[bytes.len] = '\0';
    wb_buf_fini(&bytes);
    for (const char *at = m->text; *at != '\0'; at++)
        lines += *at == '\n';
    m->kills = bed_take(lines * sizeof *m->kills);
    char *rest = m->text;
    for (char *text; (text = strsep(&rest, "\n")) != NULL;) {
        line++;
        if (*text == '#' || (*text == '\0' && rest == NULL))
            continue;
        if (!take_kill(m, line, text))
            return false;
    }
    return true;
}

/* Keeps of the files below ci/mutants/ the patches, as ids. */
static bool read_mutants(struct matrix *m)
{
    static const char root[] = "ci/mutants/", ending[] = ".patch";
    char error[CORPUS_ERROR_MAX];
    char **paths = NULL;
    size_t count = 0;

    if (!corpus_find("ci/mutants", &paths, &count, error)) {
        bed_cannot("%s", error);
        return false;
    }
    m->mutants = bed_take(count * sizeof *m->mutants);
    for (size_t i = 0; i < count; i++) {
        if (!ends_with(paths[i], ending))
            continue;
        size_t len = strlen(paths[i]) - strlen(root) - strlen(ending);
        char *id = bed_take(len + 1);
        memcpy(id, paths[i] + strlen(root), len);
        id[len] = '\0';
        m->mutants[m->mutant_count++] = id;
    }
    corpus_paths_free(paths, count);
    return true;
}

static bool is_of(const struct require *r, const struct matrix_kill *kill)
{
    return require_names(&r->lists[REQUIRE_INVARIANTS], kill->killer) ||
           require_names(&r->lists[REQUIRE_CASES], kill->file);
}

const struct matrix_kill *matrix_kill_of(const struct matrix *m, const struct require *r,
                                         const char *mutant)
{
    const struct matrix_kill *first = NULL;

    for (size_t i = 0; i < m->kill_count; i++) {
        const struct matrix_kill *kill = &m->kills[i];
        if (strcmp(kill->mutant, mutant) != 0)
            continue;
        if (r == NULL || is_of(r, kill))
            return kill;
        first = first != NULL ? first : kill;
    }
    return first;
}

const struct matrix_kill *matrix_kill_by(const struct matrix *m, const struct matrix_kill *after,
                                         const char *killer)
{
    for (size_t i = after != NULL ? (size_t)(after - m->kills) + 1 : 0; i < m->kill_count; i++)
        if (strcmp(m->kills[i].killer, killer) == 0)
            return &m->kills[i];
    return NULL;
}

bool matrix_is_shown(const struct matrix *m, const struct require *r, const char *mutant)
{
    const struct matrix_kill *kill = matrix_kill_of(m, r, mutant);
    return kill != NULL && is_of(r, kill);
}

static void count_requirement(struct matrix *m, const struct require *r)
{
    const struct require_words *mutants = &r->lists[REQUIRE_MUTANTS];

    if (r->is_retired)
        return;
    m->counts[REQUIRE_UNTIED] += r->lists[REQUIRE_INVARIANTS].count == 0 &&
                                 r->lists[REQUIRE_CASES].count == 0 && mutants->count == 0;
    m->counts[REQUIRE_NO_CASE] += r->lists[REQUIRE_CASES].count == 0;
    m->counts[REQUIRE_NO_MUTANT] += mutants->count == 0;
    for (size_t i = 0; i < mutants->count; i++)
        m->counts[REQUIRE_UNSHOWN] += !matrix_is_shown(m, r, mutants->at[i]);
}

static void count_all(struct matrix *m)
{
    for (size_t i = 0; i < m->table.count; i++)
        count_requirement(m, &m->table.at[i]);
    for (size_t i = 0; i < inv_count(); i++) {
        const struct inv_desc *inv = inv_at(i);
        if (matrix_is_retired(inv))
            continue;
        m->counts[REQUIRE_UNKILLED] += matrix_kill_by(m, NULL, inv->id) == NULL;
        m->counts[REQUIRE_UNREQUIRED] +=
            require_next(&m->table, NULL, REQUIRE_INVARIANTS, inv->id) == NULL;
    }
    for (size_t i = 0; i < m->mutant_count; i++)
        m->unrecorded += matrix_kill_of(m, NULL, m->mutants[i]) == NULL;
}

bool matrix_read(struct matrix *out)
{
    struct matrix m = {0};

    if (!require_read(REQUIRE_PATH, &m.table))
        return false;
    if (!require_paths_check(&m.table) || !read_kills(&m) || !read_mutants(&m)) {
        matrix_free(&m);
        return false;
    }
    count_all(&m);
    *out = m;
    return true;
}

void matrix_free(struct matrix *m)
{
    require_free(&m->table);
    free(m->kills);
    free(m->text);
    for (size_t i = 0; i < m->mutant_count; i++)
        free(m->mutants[i]);
    free(m->mutants);
    *m = (struct matrix){0};
}

size_t matrix_over(const struct matrix *m)
{
    size_t over = 0;

    for (size_t i = 0; i < REQUIRE_RATCHETS; i++)
        over += m->counts[i] > m->table.most[i];
    return over;
}

static void tell_all(const struct matrix *m)
{
    for (size_t i = 0; i < m->table.count; i++)
        matrix_tell_requirement(m, &m->table.at[i]);
    matrix_tell_counts(m);
}

static int bed_matrix(int argc, char **argv)
{
    const char *inv_id = NULL, *require_id = NULL;
    bool json = false;
    const struct bed_option options[] = {{.name = "json", .flag = &json},
                                         {.name = "invariant", .text = &inv_id},
                                         {.name = "requirement", .text = &require_id},
                                         {.name = NULL}};
    const struct require *r = NULL;
    const struct inv_desc *inv = NULL;
    struct matrix m;
    int status = BED_PASS;

    if (!bed_options(argc, argv, options, 0, 0))
        return BED_CANNOT;
    if (inv_id != NULL && require_id != NULL)
        return bed_wrong(argv[0], "--invariant or --requirement, not both");
    if (inv_id != NULL && (inv = inv_find(inv_id)) == NULL)
        return bed_cannot("no invariant `%s'; `%s list --invariants` names them", inv_id,
                          bed_program());
    if (!matrix_read(&m))
        return BED_CANNOT;
    if (require_id != NULL && (r = require_find(&m.table, require_id)) == NULL)
        status = bed_cannot("no requirement `%s' in %s", require_id, REQUIRE_PATH);
    else if (json)
        matrix_json(&m, r, inv);
    else if (r != NULL)
        matrix_tell_requirement(&m, r);
    else if (inv != NULL)
        matrix_tell_invariant(&m, inv);
    else
        tell_all(&m);
    if (r == NULL && inv == NULL && status == BED_PASS && matrix_over(&m) > 0)
        status = BED_FOUND;
    matrix_free(&m);
    return status;
}

BED_COMMAND(.name = "matrix",
            .text = "which mutant falls to which invariant, for which requirement; what is tied to "
                    "nothing",
            .usage = "[--json] [--invariant ID | --requirement ID]\n"
                     "exit 1 when a count is above its `# ratchet:` in " REQUIRE_PATH,
            .run = bed_matrix);
