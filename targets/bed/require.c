/*
 * require.c: the file of requirements, read whole, cut in place and held against its own rules.
 */
#include "targets/bed/require.h"

#include "core/base/decimal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIELD_ID, FIELD_LEVEL, FIELD_SOURCE, FIELD_SECTION, FIELD_TEXT, FIELD_LISTS, FIELDS = 8 };

static const char *const require_ratchet_names[REQUIRE_RATCHETS] = {
    "untied", "no-case", "no-mutant", "unshown", "unkilled", "unrequired"};

const char *require_ratchet_name(enum require_ratchet ratchet)
{
    WB_ASSERT(ratchet < REQUIRE_RATCHETS);
    return require_ratchet_names[ratchet];
}

static bool refuse(const struct require_table *t, unsigned line, const char *rule, const char *word)
{
    bed_cannot("%s:%u: %s%s%s%s", t->path, line, rule, word != NULL ? " `" : "",
               word != NULL ? word : "", word != NULL ? "'" : "");
    return false;
}

/* "R-ABC-012". */
static bool is_id(const char *id)
{
    static const char form[] = "R-AAA-000";
    size_t i = 0;

    for (; form[i] != '\0'; i++) {
        bool fits = form[i] == 'A' && i != 0 ? id[i] >= 'A' && id[i] <= 'Z'
                    : form[i] == '0'         ? id[i] >= '0' && id[i] <= '9'
                                             : id[i] == form[i];
        if (!fits)
            return false;
    }
    return id[i] == '\0';
}

static bool is_level(const char *level)
{
    return strcmp(level, "MUST") == 0 || strcmp(level, "SHOULD") == 0 || strcmp(level, "MAY") == 0;
}

bool require_names(const struct require_words *words, const char *word)
{
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->at[i], word) == 0)
            return true;
    return false;
}

/* Cuts a list at its blanks; "-" is empty. */
static bool cut_words(const struct require_table *t, unsigned line, char *text,
                      struct require_words *out)
{
    size_t room = 1;

    for (const char *at = text; *at != '\0'; at++)
        room += *at == ' ';
    out->at = bed_take(room * sizeof *out->at);
    out->count = 0;
    if (strcmp(text, "-") == 0)
        return true;
    for (char *word; (word = strsep(&text, " ")) != NULL;) {
        if (*word == '\0')
            return refuse(t, line, "a list is words with single blanks between, or -", NULL);
        if (require_names(out, word))
            return refuse(t, line, "named twice:", word);
        out->at[out->count++] = word;
    }
    return true;
}

static bool check_invariants(const struct require_table *t, const struct require *r)
{
    for (size_t i = 0; i < r->lists[REQUIRE_INVARIANTS].count; i++) {
        const char *id = r->lists[REQUIRE_INVARIANTS].at[i];
        const struct inv_desc *inv = inv_find(id);
        if (inv == NULL)
            return refuse(t, r->line, "there is no invariant", id);
        if (!r->is_retired && strncmp(inv->text, "retired", strlen("retired")) == 0)
            return refuse(t, r->line, "the invariant is retired:", id);
    }
    return true;
}

/* `r` is what the next place of the table becomes; its lists are given back with the table. */
static bool take_line(struct require_table *t, unsigned line, char *text)
{
    struct require *r = &t->at[t->count++];
    char *fields[FIELDS];
    size_t n = 0;

    *r = (struct require){.line = line};
    for (char *field; (field = strsep(&text, "\t")) != NULL; n++) {
        if (n == FIELDS)
            return refuse(t, line, "eight fields with tabs between, here are more", NULL);
        if (*field == '\0')
            return refuse(t, line, "an empty field; an empty list is -", NULL);
        fields[n] = field;
    }
    if (n < FIELDS)
        return refuse(t, line, "eight fields with tabs between, here are fewer", NULL);
    if (!is_id(fields[FIELD_ID]))
        return refuse(t, line, "an id is like R-RPL-014, not", fields[FIELD_ID]);
    if (!is_level(fields[FIELD_LEVEL]))
        return refuse(t, line, "a level is MUST, SHOULD or MAY, not", fields[FIELD_LEVEL]);
    for (size_t i = 0; i + 1 < t->count; i++)
        if (strcmp(t->at[i].id, fields[FIELD_ID]) == 0)
            return refuse(t, line, "the id was given before:", fields[FIELD_ID]);
    r->id = fields[FIELD_ID];
    r->level = fields[FIELD_LEVEL];
    r->source = fields[FIELD_SOURCE];
    r->section = fields[FIELD_SECTION];
    r->text = fields[FIELD_TEXT];
    r->is_retired = strncmp(r->text, "retired", strlen("retired")) == 0;
    for (size_t i = 0; i < REQUIRE_LISTS; i++)
        if (!cut_words(t, line, fields[FIELD_LISTS + i], &r->lists[i]))
            return false;
    return check_invariants(t, r);
}

/* "# ratchet: NAME N"; other comments say nothing. */
static bool take_comment(struct require_table *t, unsigned line, char *text)
{
    static const char start[] = "# ratchet: ";

    if (strncmp(text, start, strlen(start)) != 0)
        return true;
    text += strlen(start);
    const char *name = strsep(&text, " ");
    for (size_t i = 0; i < REQUIRE_RATCHETS; i++) {
        if (strcmp(name, require_ratchet_names[i]) != 0)
            continue;
        if (t->most[i] != UINT64_MAX)
            return refuse(t, line, "a ratchet is stated once:", name);
        if (text == NULL || wb_decimal_get(wb_view_text(text), UINT32_MAX, &t->most[i]) != WB_OK)
            return refuse(t, line, "no number behind the ratchet", name);
        return true;
    }
    return refuse(t, line, "there is no ratchet", name);
}

static bool take_text(struct require_table *t)
{
    char *rest = t->text;
    unsigned line = 0;

    for (char *text; (text = strsep(&rest, "\n")) != NULL;) {
        line++;
        if (*text == '\0' && rest == NULL)
            break;
        bool ok = *text == '#' ? take_comment(t, line, text) : take_line(t, line, text);
        if (!ok)
            return false;
    }
    return true;
}

bool require_read(const char *path, struct require_table *out)
{
    struct require_table t = {.path = path};
    struct wb_buf bytes = bed_buf();
    size_t lines = 1;

    if (!bed_read(path, &bytes)) {
        wb_buf_fini(&bytes);
        return false;
    }
    t.text = bed_take(bytes.len + 1);
    if (bytes.len > 0)
        memcpy(t.text, bytes.data, bytes.len);
    t.text[bytes.len] = '\0';
    wb_buf_fini(&bytes);
    for (const char *at = t.text; *at != '\0'; at++)
        lines += *at == '\n';
    t.at = bed_take(lines * sizeof *t.at);
    for (size_t i = 0; i < REQUIRE_RATCHETS; i++)
        t.most[i] = UINT64_MAX;
    if (!take_text(&t)) {
        require_free(&t);
        return false;
    }
    *out = t;
    return true;
}

void require_free(struct require_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        for (size_t k = 0; k < REQUIRE_LISTS; k++)
            free(table->at[i].lists[k].at);
    free(table->at);
    free(table->text);
    *table = (struct require_table){0};
}

static bool check_path(const struct require_table *t, const struct require *r, const char *before,
                       const char *name, const char *ending)
{
    struct wb_buf path = bed_buf();

    bed_buf_print(&path, "%s%s%s", before, name, ending);
    bed_must(wb_buf_add_u8(&path, 0));
    bool ok = access((const char *)path.data, R_OK) == 0 ||
              refuse(t, r->line, "there is no file", (const char *)path.data);
    wb_buf_fini(&path);
    return ok;
}

static bool is_test(const char *name)
{
    size_t len = strlen(name);
    return len > 2 && strcmp(name + len - 2, ".c") == 0;
}

static bool check_paths(const struct require_table *t, const struct require *r)
{
    const struct require_words *cases = &r->lists[REQUIRE_CASES];
    const struct require_words *mutants = &r->lists[REQUIRE_MUTANTS];
    bool ok = true;

    for (size_t i = 0; ok && i < cases->count; i++)
        ok = check_path(t, r, "corpus/", cases->at[i], "");
    for (size_t i = 0; ok && i < mutants->count; i++)
        ok = is_test(mutants->at[i]) ? check_path(t, r, "", mutants->at[i], "")
                                     : check_path(t, r, "ci/mutants/", mutants->at[i], ".patch");
    return ok;
}

bool require_paths_check(const struct require_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct require *r = &table->at[i];
        if (r->is_retired)
            continue;
        if (!check_paths(table, r))
            return false;
    }
    return true;
}

const struct require *require_find(const struct require_table *table, const char *id)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->at[i].id, id) == 0)
            return &table->at[i];
    return NULL;
}

const struct require *require_next(const struct require_table *table, const struct require *after,
                                   enum require_list list, const char *word)
{
    static const char root[] = "corpus/";

    if (list == REQUIRE_CASES && strncmp(word, root, strlen(root)) == 0)
        word += strlen(root);
    for (size_t i = after != NULL ? (size_t)(after - table->at) + 1 : 0; i < table->count; i++)
        if (!table->at[i].is_retired && require_names(&table->at[i].lists[list], word))
            return &table->at[i];
    return NULL;
}
