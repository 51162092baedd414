/*
 * corpus.h: files of corpus/NAME/{seeds,cases,regress} as inputs. Three forms, by ending:
 *
 *   .hex   wire bytes as text (sim/text.h); wire targets only
 *   .scn   a scenario as text; scenario targets only
 *   other  raw bytes: a whole input for scenario targets; for wire targets captured protocol bytes,
 *          configuration 0, unless an engine wrote them: then byte 0 is the configuration. That is
 *          told by a name that engines give (crash- timeout- oom- leak- slow-unit- id:) or by the
 *          folder, found/NAME/seeds or found/NAME/corpus
 *
 * Text files open with a comment line that says what the file is for, and may state, as comments:
 *
 *   # expect: WB_E_TRAILING              the outcome; several names = any of them
 *   # story: VA 3 s3 <bar>; ok; idle     what was delivered, word for word (sim_run_story)
 *   # config: 00 10 20                   wire: byte 0; the file is replayed once with each
 *   # marks: owed timeout                marks that this file must reach
 *
 * A word that looks like one of these, `mark:` or `expects:`, is refused.
 */
#ifndef DRIVER_CORPUS_H
#define DRIVER_CORPUS_H

#include "targets/fuzz.h"

#define CORPUS_CONFIGS_MAX 32
#define CORPUS_EXPECT_MAX  4
#define CORPUS_ERROR_MAX   512

struct corpus_file {
    const struct fuzz_target *target;
    char *path;
    char *lesson;   /* the first comment line, "" when raw */
    uint8_t *bytes; /* protocol bytes without configuration (wire), or the whole input (scenario) */
    size_t len;
    uint8_t configs[CORPUS_CONFIGS_MAX];
    size_t config_count; /* wire: at least 1; scenario: 0 */
    enum wb_err expect[CORPUS_EXPECT_MAX];
    size_t expect_count;
    char *story; /* NULL when not stated */
    char *marks; /* NULL when not stated: names between blanks */
};

/*
 * Reads one file ("-" is stdin, raw) for `target`; NULL = by the folder corpus/NAME/ or found/NAME/
 * in its path. On false `error` holds "file:line: rule", or "file: rule" of the file as a whole,
 * and nothing needs freeing.
 */
bool corpus_load(const char *path, const struct fuzz_target *target, struct corpus_file *out,
                 char error[CORPUS_ERROR_MAX]);
/* The same, and raw bytes are a whole input wherever they stand. */
bool corpus_load_whole(const char *path, const struct fuzz_target *target, struct corpus_file *out,
                       char error[CORPUS_ERROR_MAX]);
void corpus_free(struct corpus_file *file);
/* The path ends so, and has something before it. */
bool corpus_has_ending(const char *path, const char *ending);
/* The key, "expect:" and so on, of the statement that stands behind a #; NULL when none does. */
const char *corpus_statement(struct wb_view comment);
/* Takes the next line off the front of a text, without its newline; false at the end. */
bool corpus_line(struct wb_view *text, struct wb_view *out_line);
/* How many inputs the file stands for: one per configuration, at least 1. */
size_t corpus_input_count(const struct corpus_file *file);
/*
 * The i-th input, malloc'd, the caller's to free: configuration byte and protocol bytes, or the
 * scenario.
 */
uint8_t *corpus_input(const struct corpus_file *file, size_t i, size_t *out_len);
/*
 * Paths of all corpus files below `path` (a file, a folder, or "-"), sorted by name, malloc'd.
 * False with `error` when it cannot be read; an empty folder gives a count of 0.
 */
bool corpus_find(const char *path, char ***out_paths, size_t *out_count,
                 char error[CORPUS_ERROR_MAX]);
void corpus_paths_free(char **paths, size_t count);

#endif
