/*
 * corpus.c: one corpus file as inputs, and what it states. Every rule that a file can break is one
 * call of refuse().
 */
#include "targets/driver/corpus.h"

#include "core/base/buf.h"
#include "sim/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CORPUS_FILE_MAX ((size_t)64 << 20)
#define LETTERS         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define MEANT_LETTERS   4 /* of a key: `expects', `Story', `mark' mean one */

struct loader {
    const char *path;
    unsigned line; /* of the statement at hand, from 1; 0 = the file as a whole */
    struct corpus_file *file;
    char *error;
    bool is_whole; /* raw bytes are a whole input */
};

static bool refuse(const struct loader *l, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse(const struct loader *l, const char *format, ...)
{
    char rule[CORPUS_ERROR_MAX / 2];
    va_list args;

    va_start(args, format);
    vsnprintf(rule, sizeof rule, format, args);
    va_end(args);
    if (l->line == 0)
        snprintf(l->error, CORPUS_ERROR_MAX, "%s: %s", l->path, rule);
    else
        snprintf(l->error, CORPUS_ERROR_MAX, "%s:%u: %s", l->path, l->line, rule);
    return false;
}

bool corpus_has_ending(const char *path, const char *ending)
{
    size_t len = strlen(path), tail = strlen(ending);

    return len > tail && strcmp(path + len - tail, ending) == 0;
}

static char *text_copy(const char *text, size_t len)
{
    char *copy = malloc(len + 1);

    WB_ASSERT(copy != NULL);
    memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

/* The target that stands as a folder right behind `name`, NULL when none does. */
static const struct fuzz_target *target_below(const char *name)
{
    const char *end = strchr(name, '/');

    if (end == NULL)
        return NULL;
    char *word = text_copy(name, (size_t)(end - name));
    const struct fuzz_target *target = fuzz_target_find(word);
    free(word);
    return target;
}

struct place {
    const struct fuzz_target *target;
    bool is_engines; /* below a folder that an engine reads and writes */
};

/* The last corpus/NAME/ or found/NAME/ in the path that names a target. */
static struct place place_of(const char *path)
{
    static const char *const folders[] = {"corpus/", "found/"};
    struct place found = {0};

    for (const char *at = path; *at != '\0'; at++) {
        for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
            size_t len = strlen(folders[i]);
            if ((at != path && at[-1] != '/') || strncmp(at, folders[i], len) != 0)
                continue;
            const struct fuzz_target *target = target_below(at + len);
            const char *in = strchr(at + len, '/');
            if (target != NULL)
                found = (struct place){target, i == 1 && (strncmp(in, "/seeds/", 7) == 0 ||
                                                          strncmp(in, "/corpus/", 8) == 0)};
        }
    }
    return found;
}

/* Names that libFuzzer and AFL++ give to what they keep. */
static bool has_engines_name(const char *path)
{
    static const char *const starts[] = {"crash-", "timeout-",   "oom-",
                                         "leak-",  "slow-unit-", "id:"};
    const char *slash = strrchr(path, '/');
    const char *base = slash != NULL ? slash + 1 : path;

    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (strncmp(base, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

static bool read_whole(struct loader *l, struct wb_buf *out)
{
    uint8_t part[65536];
    size_t n;
    bool is_stdin = strcmp(l->path, "-") == 0, fits = true;
    FILE *in = is_stdin ? stdin : fopen(l->path, "rb");

    if (in == NULL)
        return refuse(l, "%s", strerror(errno));
    while (fits && (n = fread(part, 1, sizeof part, in)) > 0)
        fits = wb_buf_add(out, wb_view_of(part, n)) == WB_OK;
    int failed = ferror(in) ? errno : 0;
    if (!is_stdin)
        fclose(in);
    if (!fits)
        return refuse(l, "more than %zu bytes", CORPUS_FILE_MAX);
    return failed == 0 || refuse(l, "%s", strerror(failed));
}

/* Takes the next word off *text; false at the end. */
static bool next_word(const char **text, char word[64])
{
    size_t len = 0;

    *text += strspn(*text, " \t");
    len = strcspn(*text, " \t");
    snprintf(word, 64, "%.*s", len < 63 ? (int)len : 63, *text);
    *text += len;
    return len > 0;
}

static bool state_expect(struct loader *l, const char *value)
{
    char word[64];

    if (l->file->expect_count > 0)
        return refuse(l, "expect is stated twice");
    while (next_word(&value, word)) {
        int err = wb_err_find(word);
        if (err < 0)
            return refuse(l, "expect: there is no outcome `%s'", word);
        if (l->file->expect_count == CORPUS_EXPECT_MAX)
            return refuse(l, "expect: more than %d outcomes", CORPUS_EXPECT_MAX);
        l->file->expect[l->file->expect_count++] = (enum wb_err)err;
    }
    return l->file->expect_count > 0 || refuse(l, "expect: names no outcome");
}

static bool state_config(struct loader *l, const char *value)
{
    char word[64];

    if (l->file->target->kind != FUZZ_WIRE)
        return refuse(l, "config: is for wire targets, `%s' takes scenarios",
                      l->file->target->name);
    if (l->file->config_count > 0)
        return refuse(l, "config is stated twice");
    while (next_word(&value, word)) {
        static const char digits[] = "0123456789abcdef";
        const char *hi = strchr(digits, tolower((unsigned char)word[0]));
        const char *lo = word[0] == '\0' ? NULL : strchr(digits, tolower((unsigned char)word[1]));
        if (strlen(word) != 2 || hi == NULL || lo == NULL)
            return refuse(l, "config: `%s' is no byte of two hex digits", word);
        if (l->file->config_count == CORPUS_CONFIGS_MAX)
            return refuse(l, "config: more than %d bytes", CORPUS_CONFIGS_MAX);
        l->file->configs[l->file->config_count++] =
            (uint8_t)((unsigned)(hi - digits) << 4 | (unsigned)(lo - digits));
    }
    return l->file->config_count > 0 || refuse(l, "config: names no byte");
}

static bool state_marks(struct loader *l, const char *value)
{
    char word[64];
    const char *left = value;
    const char *const *names = l->file->target->marks;

    if (l->file->marks != NULL)
        return refuse(l, "marks is stated twice");
    while (next_word(&left, word)) {
        size_t i = 0;
        while (names != NULL && names[i] != NULL && strcmp(names[i], word) != 0)
            i++;
        if (names == NULL || names[i] == NULL)
            return refuse(l, "marks: `%s' has no mark `%s'", l->file->target->name, word);
    }
    if (value[0] == '\0')
        return refuse(l, "marks: names no mark");
    l->file->marks = text_copy(value, strlen(value));
    return true;
}

/* A long story stands on several lines; they are joined by one blank. */
static bool state_story(struct loader *l, const char *value)
{
    char *old = l->file->story;
    size_t old_len = old == NULL ? 0 : strlen(old) + 1, len = strlen(value);

    if (len == 0)
        return refuse(l, "story: tells nothing");
    char *joined = malloc(old_len + len + 1);
    WB_ASSERT(joined != NULL);
    if (old != NULL) {
        memcpy(joined, old, old_len - 1);
        joined[old_len - 1] = ' ';
    }
    memcpy(joined + old_len, value, len + 1);
    free(old);
    l->file->story = joined;
    return true;
}

static const struct statement {
    const char *key;
    bool (*state)(struct loader *l, const char *value);
} statements[] = {
    {"expect:", state_expect},
    {"config:", state_config},
    {"marks:", state_marks},
    {"story:", state_story},
};

static const struct statement *statement_of(struct wb_view comment)
{
    while (comment.len > 0 && isblank(comment.data[0]))
        comment = wb_view_sub(comment, 1, comment.len);
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
        size_t len = strlen(statements[i].key);
        if (comment.len >= len && memcmp(comment.data, statements[i].key, len) == 0)
            return &statements[i];
    }
    return NULL;
}

const char *corpus_statement(struct wb_view comment)
{
    const struct statement *statement = statement_of(comment);
    return statement != NULL ? statement->key : NULL;
}

/* The key that a word before a colon was meant to be, by its first letters; NULL for other words.
 */
static const char *meant_key(const char *text)
{
    size_t len = strspn(text, LETTERS);

    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++)
        if (text[len + strspn(text + len, " \t")] == ':' &&
            strncasecmp(text, statements[i].key, MEANT_LETTERS) == 0)
            return statements[i].key;
    return NULL;
}

/* One comment line without its #, blanks at both ends cut off. */
static bool take_comment(struct loader *l, const char *text)
{
    const struct statement *statement = statement_of(wb_view_text(text));

    if (l->line == 1 && (statement != NULL || text[0] == '\0'))
        return refuse(l, "the first line must say what the file is for");
    if (l->line == 1)
        l->file->lesson = text_copy(text, strlen(text));
    if (statement == NULL && meant_key(text) != NULL)
        return refuse(l, "`%.40s' states nothing; `%s' does", text, meant_key(text));
    if (statement == NULL)
        return true;
    text += strlen(statement->key);
    return statement->state(l, text + strspn(text, " \t"));
}

bool corpus_line(struct wb_view *text, struct wb_view *out_line)
{
    size_t end = 0;

    if (text->len == 0)
        return false;
    while (end < text->len && text->data[end] != '\n')
        end++;
    *out_line = wb_view_sub(*text, 0, end);
    *text = wb_view_sub(*text, end < text->len ? end + 1 : end, text->len);
    return true;
}

static bool take_comments(struct loader *l, struct wb_view text)
{
    struct wb_view line;
    bool ok = true;

    for (l->line = 1; ok && corpus_line(&text, &line); l->line++) {
        size_t begin = 1, end = line.len;
        bool is_comment = line.len > 0 && line.data[0] == '#';
        if (l->line == 1 && !is_comment)
            break;
        while (begin < end && isblank(line.data[begin]))
            begin++;
        while (end > begin && isspace(line.data[end - 1]))
            end--;
        if (is_comment) {
            char *comment = text_copy((const char *)line.data + begin, end - begin);
            ok = take_comment(l, comment);
            free(comment);
        }
    }
    if (ok && l->line == 1)
        return refuse(l, "the first line must be a comment that says what the file is for");
    return ok;
}

/* Raw bytes of a wire target; of a whole input the first one is the configuration. */
static enum wb_err take_raw(const struct loader *l, struct wb_view bytes, struct wb_buf *out)
{
    if (l->file->target->kind == FUZZ_WIRE && l->is_whole && bytes.len > 0) {
        l->file->configs[0] = bytes.data[0];
        bytes = wb_view_sub(bytes, 1, bytes.len);
    }
    return wb_buf_add(out, bytes);
}

static bool take_bytes(struct loader *l, struct wb_view text, struct wb_buf *out)
{
    bool is_hex = corpus_has_ending(l->path, ".hex"), is_scn = corpus_has_ending(l->path, ".scn");
    const struct fuzz_target *target = l->file->target;
    struct sim_text_error at = {0};
    enum wb_err err;

    if (!is_hex && !is_scn)
        err = take_raw(l, text, out);
    else if (!take_comments(l, text))
        return false;
    else if (is_hex)
        err = sim_hex_parse(text, out, &at);
    else
        err = sim_text_asm(target->ops, text, out, &at);
    l->line = at.line;
    if (err == WB_E_VALUE)
        return refuse(l, "%s", at.rule);
    return err == WB_OK || refuse(l, "%s", wb_err_text((int)err));
}

static bool load(struct loader *l, struct wb_buf *raw, struct wb_buf *bytes)
{
    struct corpus_file *file = l->file;

    if (file->target == NULL)
        return read_whole(l, raw) &&
               refuse(l, "no target's file: it stands in no corpus/NAME/ or found/NAME/ of one");
    if (corpus_has_ending(l->path, ".hex") && file->target->kind != FUZZ_WIRE)
        return refuse(l, ".hex is for wire targets, `%s' takes .scn", file->target->name);
    if (corpus_has_ending(l->path, ".scn") && file->target->kind != FUZZ_SCENARIO)
        return refuse(l, ".scn is for scenario targets, `%s' takes .hex", file->target->name);
    if (!read_whole(l, raw))
        return false;
    if (!take_bytes(l, wb_buf_view(raw), bytes))
        return false;
    if (file->target->kind == FUZZ_WIRE && file->config_count == 0)
        file->config_count = 1; /* configuration 0, or that of a whole input */
    if (file->lesson == NULL)
        file->lesson = text_copy("", 0);
    file->bytes = malloc(bytes->len + 1);
    WB_ASSERT(file->bytes != NULL);
    if (bytes->len > 0)
        memcpy(file->bytes, bytes->data, bytes->len);
    file->len = bytes->len;
    return true;
}

static bool load_at(const char *path, const struct fuzz_target *target, bool is_whole,
                    struct corpus_file *out, char error[CORPUS_ERROR_MAX])
{
    struct place place = place_of(path);
    struct loader l = {.path = path, .file = out, .error = error};
    struct wb_buf raw, bytes;

    l.is_whole = is_whole || place.is_engines || has_engines_name(path);
    *out = (struct corpus_file){.target = target != NULL ? target : place.target};
    out->path = text_copy(path, strlen(path));
    wb_buf_init(&raw, wb_mem_libc(), CORPUS_FILE_MAX);
    wb_buf_init(&bytes, wb_mem_libc(), CORPUS_FILE_MAX);
    bool ok = load(&l, &raw, &bytes);
    wb_buf_fini(&raw);
    wb_buf_fini(&bytes);
    if (!ok)
        corpus_free(out);
    return ok;
}

bool corpus_load(const char *path, const struct fuzz_target *target, struct corpus_file *out,
                 char error[CORPUS_ERROR_MAX])
{
    return load_at(path, target, false, out, error);
}

bool corpus_load_whole(const char *path, const struct fuzz_target *target, struct corpus_file *out,
                       char error[CORPUS_ERROR_MAX])
{
    return load_at(path, target, true, out, error);
}

void corpus_free(struct corpus_file *file)
{
    free(file->path);
    free(file->lesson);
    free(file->bytes);
    free(file->story);
    free(file->marks);
    *file = (struct corpus_file){0};
}

size_t corpus_input_count(const struct corpus_file *file)
{
    return file->config_count > 0 ? file->config_count : 1;
}

uint8_t *corpus_input(const struct corpus_file *file, size_t i, size_t *out_len)
{
    size_t head = file->target->kind == FUZZ_WIRE;
    uint8_t *input = malloc(head + file->len + 1);

    WB_ASSERT(input != NULL);
    WB_ASSERT(i < corpus_input_count(file));
    if (head > 0)
        input[0] = file->configs[i];
    if (file->len > 0)
        memcpy(input + head, file->bytes, file->len);
    *out_len = head + file->len;
    return input;
}
