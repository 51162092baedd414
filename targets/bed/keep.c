/*
 * keep.c: `bed keep`, from a crash file to a named regression.
 */
#include "targets/bed/bed.h"
#include "targets/bed/shrink.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LESSON_MAX 64

struct keep_options {
    struct bed_source source;
    const char *why;
    bool as_is;
};

/* A lesson is a file's name and a test's name: words of small letters and digits, joined by dashes.
 */
static bool is_lesson(const char *name)
{
    size_t len = strlen(name);
    bool ok = len > 0 && len <= LESSON_MAX && name[0] != '-' && name[len - 1] != '-';

    for (size_t i = 0; ok && i < len; i++) {
        bool is_word = (name[i] >= 'a' && name[i] <= 'z') || (name[i] >= '0' && name[i] <= '9');
        ok = is_word || (name[i] == '-' && name[i + 1] != '-');
    }
    return ok;
}

/* One line of words that no tool takes for a statement of its own. */
static bool is_first_line(const char *why)
{
    const char *text = why + strspn(why, " #");

    return text[0] != '\0' && strpbrk(why, "\r\n") == NULL &&
           corpus_statement(wb_view_text(text)) == NULL;
}

/* The input that fails, minimised unless as it is; a file that passes gives its first input and `#
 * expect:`. */
static bool keep_text(const struct corpus_file *file, const struct keep_options *options,
                      struct wb_buf *out)
{
    struct bed_shrink *s;
    enum bed_shrink_start start = bed_shrink_first(file, BED_SHRINK_ATTEMPTS, &s);

    if (start == BED_SHRINK_FAILS) {
        if (!options->as_is)
            bed_shrink_run(s);
        bed_finding_head(s->id, out);
        bed_text_input(file->target, wb_view_of(s->best, s->len), out);
    }
    bed_shrink_free(s);
    if (start != BED_SHRINK_PASSES)
        return start == BED_SHRINK_FAILS;

    struct replay_verdict verdict;
    size_t len;
    uint8_t *bytes = corpus_input(file, 0, &len);
    bool ran = replay_run(file->target, wb_view_of(bytes, len), REPLAY_ONCE, false, &verdict);
    if (ran) {
        bed_buf_print(out, "# expect: %s\n", wb_err_name((int)verdict.outcome));
        replay_verdict_free(&verdict);
        bed_text_input(file->target, wb_view_of(bytes, len), out);
    } else {
        bed_cannot("%s: no child process", file->path);
    }
    free(bytes);
    return ran;
}

static int keep_file(const char *path, const char *lesson, const struct keep_options *options)
{
    struct corpus_file file;
    struct wb_buf text = bed_buf();
    char folder[512], place[1024];
    int status = BED_CANNOT;

    if (!bed_load_from(path, &options->source, &file))
        return BED_CANNOT;
    snprintf(folder, sizeof(folder), "corpus/%s/regress", file.target->name);
    snprintf(place, sizeof(place), "%s/%s%s", folder, lesson, bed_text_ending(file.target));
    if (access(place, F_OK) == 0) {
        bed_cannot("%s: is there already; a regression is never overwritten", place);
    } else {
        bed_buf_print(&text, "# %s\n", options->why + strspn(options->why, " #"));
        if (keep_text(&file, options, &text) && bed_mkdir(folder) &&
            bed_write(place, wb_buf_view(&text), false))
            status = BED_PASS;
    }
    if (status == BED_PASS)
        printf("%s\n", place);
    wb_buf_fini(&text);
    corpus_free(&file);
    return status;
}

static int bed_keep(int argc, char **argv)
{
    struct keep_options keep = {0};
    const struct bed_option options[] = {BED_SOURCE(keep.source),
                                         {.name = "why", .text = &keep.why},
                                         {.name = "as-is", .flag = &keep.as_is},
                                         {.name = NULL}};

    if (!bed_options(argc, argv, options, 2, 2))
        return BED_CANNOT;
    if (keep.why == NULL)
        return bed_wrong(argv[0], "--why is missing");
    if (!is_lesson(argv[optind + 1]))
        return bed_cannot("lesson `%s': at most %d small letters and digits, words joined by one -",
                          argv[optind + 1], LESSON_MAX);
    if (!is_first_line(keep.why))
        return bed_cannot("--why: one line that says what broke");
    if (access("corpus", F_OK) != 0)
        return bed_cannot("no corpus/ here, which is for the root of the project to have");
    return keep_file(argv[optind], argv[optind + 1], &keep);
}

BED_COMMAND(.name = "keep", .text = "makes a named regression of a crash file",
            .usage =
                "[--target NAME] [--whole] [--as-is] FILE LESSON --why \"what broke\"\n\n"
                "Writes corpus/TARGET/regress/LESSON.scn or .hex, minimised unless --as-is. An\n"
                "input that fails no more is kept whole, with its outcome as `# "
                "expect:`.\n" BED_SOURCE_HELP,
            .run = bed_keep);
