/*
 * found.c: from an engine's artifact to a page that a person can act on.
 */
#include "targets/bed/engine.h"
#include "targets/bed/shrink.h"

#include "sim/trace.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOG_LINES 60

/* An id as a part of a file's name. */
static void found_name(const struct bed_engine_place *place, const char *id, struct wb_view input,
                       char *out, size_t size)
{
    char word[64];
    size_t len = strlen(id);

    for (size_t i = 0; i <= len; i++)
        word[i] = isalnum((unsigned char)id[i]) || id[i] == '\0' ? id[i] : '-';
    snprintf(out, size, "%s/%s-%08x%s", place->folder, word, (unsigned)sim_hash(input, 0),
             bed_text_ending(place->target));
}

/* The log that tells of the artifact, from some lines before it to its end. False when this one
 * does not. */
static bool print_log(const struct bed_engine_place *place, const struct bed_engine *e, size_t job)
{
    char path[BED_ENGINE_PATH + 32];
    struct wb_buf log = bed_buf();
    bool found = false;

    snprintf(path, sizeof(path), "%s/fuzzer-%zu.log", place->folder, job);
    if (bed_read(path, &log)) {
        bed_must(wb_buf_add_u8(&log, '\0'));
        const char *text = (const char *)log.data, *at = strstr(text, e->artifact);
        found = at != NULL;
        size_t begin = found ? (size_t)(at - text) : 0, lines = 0;
        while (begin > 0 && lines <= LOG_LINES)
            lines += text[--begin] == '\n';
        if (found)
            printf("%s\n", text + begin + (text[begin] == '\n'));
    }
    wb_buf_fini(&log);
    return found;
}

/* The replay of this build does not see it: then the engine's own words and program have to do. */
static bool tell_raw(const struct bed_engine_place *place, const struct bed_engine *e, size_t job,
                     struct wb_view input)
{
    struct wb_buf text = bed_buf();

    printf("FOUND in %s, by the fuzzer's own build only\n  the input, %zu bytes:\n",
           place->target->name, input.len);
    bed_text_input(place->target, input, &text);
    bed_finding_indented(wb_buf_view(&text), stdout);
    fputs("  the end of its log:\n", stdout);
    bool ok = print_log(place, e, job);
    printf("  again: %s %s\n", place->binary, e->artifact);
    fflush(stdout);
    wb_buf_fini(&text);
    return ok;
}

static bool tell_shrunk(const struct bed_engine_place *place, struct bed_shrink *s)
{
    struct wb_buf text = bed_buf();
    struct replay_verdict verdict;
    char path[BED_ENGINE_PATH + 128];

    bed_shrink_run(s);
    struct wb_view input = wb_view_of(s->best, s->len);
    found_name(place, s->id, input, path, sizeof(path));
    bed_finding_head(s->id, &text);
    bed_text_input(place->target, input, &text);
    bool ok = bed_write(path, wb_buf_view(&text), true) && bed_shrink_verdict(s, &verdict);
    if (ok) {
        bed_finding_print(place->target, input, &verdict, path, false, stdout);
        replay_verdict_free(&verdict);
    }
    wb_buf_fini(&text);
    return ok;
}

bool bed_found_tell(const struct bed_engine_place *place, const struct bed_engine *e, size_t job)
{
    struct wb_buf bytes = bed_buf();
    struct bed_shrink *s = NULL;
    bool ok = bed_read(e->artifact, &bytes);

    if (ok) {
        enum bed_shrink_start start = bed_shrink_new(
            place->target, wb_buf_view(&bytes), BED_SHRINK_ATTEMPTS, isatty(STDERR_FILENO), &s);
        if (start == BED_SHRINK_FAILS)
            ok = tell_shrunk(place, s);
        else if (start == BED_SHRINK_PASSES)
            ok = tell_raw(place, e, job, wb_buf_view(&bytes));
        else
            ok = false;
    }
    bed_shrink_free(s);
    wb_buf_fini(&bytes);
    return ok;
}
