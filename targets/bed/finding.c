/*
 * finding.c: telling a person what was found: what broke, by which input, how it came to it, and
 * how to see it again.
 */
#include "targets/bed/bed.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#define REPORT_LINES 40
#define WORD_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,=@%+-"

/* An id may carry a place or a kind behind its first word. */
static const char *sentence_of(const char *id)
{
    const struct inv_desc *inv = inv_find(id);
    if (inv != NULL)
        return inv->text;
    if (strncmp(id, "WB_ASSERT", strlen("WB_ASSERT")) == 0)
        return "the core caught a bug of its own";
    if (strncmp(id, "timeout", strlen("timeout")) == 0)
        return "a run does not end";
    return "the run died";
}

void bed_finding_head(const char *id, struct wb_buf *out)
{
    bed_buf_print(out, "# %s: %s\n", id, sentence_of(id));
}

static bool names_its_target(const struct fuzz_target *target, const char *path)
{
    size_t len = strlen(target->name);
    const char *at = path;

    while ((at = strstr(at, "corpus/")) != NULL) {
        bool starts = at == path || at[-1] == '/';
        at += strlen("corpus/");
        if (starts && strncmp(at, target->name, len) == 0 && at[len] == '/')
            return true;
    }
    return false;
}

/* As a shell takes it for one word. */
static void print_word(const char *text, FILE *out)
{
    if (text[0] != '\0' && text[strspn(text, WORD_LETTERS)] == '\0') {
        fputs(text, out);
        return;
    }
    fputc('\'', out);
    for (; *text != '\0'; text++)
        fprintf(out, *text == '\'' ? "'\\%c'" : "%c", *text);
    fputc('\'', out);
}

void bed_finding_command(const struct fuzz_target *target, const char *path, bool is_whole,
                         FILE *out)
{
    print_word(bed_program(), out);
    fputs(" run ", out);
    if (!names_its_target(target, path))
        fprintf(out, "--target %s ", target->name);
    fputs(is_whole ? "--whole " : "", out);
    print_word(path, out);
    fputc('\n', out);
}

void bed_finding_indented(struct wb_view text, FILE *out)
{
    bool at_start = true;
    for (size_t i = 0; i < text.len; i++) {
        if (at_start)
            fputs("    ", out);
        fputc(text.data[i], out);
        at_start = text.data[i] == '\n';
    }
    if (!at_start)
        fputc('\n', out);
}

/* The last lines of a report. */
static struct wb_view report_tail(const char *report, size_t lines)
{
    struct wb_view v = wb_view_text(report);
    size_t begin = v.len;

    while (begin > 0) {
        if (v.data[begin - 1] == '\n' && begin < v.len && lines-- == 1)
            break;
        begin--;
    }
    return wb_view_sub(v, begin, v.len);
}

void bed_finding_print(const struct fuzz_target *target, struct wb_view input,
                       const struct replay_verdict *verdict, const char *path, bool is_whole,
                       FILE *out)
{
    struct wb_buf text = bed_buf();

    fprintf(out, "FOUND %s in %s: %s\n", verdict->id, target->name, sentence_of(verdict->id));
    fprintf(out, "  the input, %zu bytes:\n", input.len);
    bed_text_input(target, input, &text);
    bed_finding_indented(wb_buf_view(&text), out);
    if (verdict->report != NULL && verdict->report[0] != '\0') {
        fputs("  the end of the report:\n", out);
        bed_finding_indented(report_tail(verdict->report, REPORT_LINES), out);
    }
    fputs("  again: ", out);
    bed_finding_command(target, path, is_whole, out);
    fflush(out);
    wb_buf_fini(&text);
}

/* ---- runs that are not in a child ---- */

static void (*tell_death)(int number);
static const struct corpus_file *here;

/*
 * A failed check ends in a trap. It comes from our own code, never from within stdio's locks, so
 * that printing the rest is safe enough for a tool that ends right after.
 */
static void on_death(int number)
{
    tell_death(number);
    fflush(stdout);
    _exit(BED_FOUND);
}

void bed_finding_on_death(void (*tell)(int number))
{
    static const int deaths[] = {SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE};
    struct sigaction old;

    tell_death = tell;
    /* A sanitizer that has taken a signal says more than we could. */
    for (size_t i = 0; i < sizeof(deaths) / sizeof(deaths[0]); i++)
        if (sigaction(deaths[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            signal(deaths[i], on_death);
}

static void tell_here(int number)
{
    printf("FAILED %s, by signal %d\n  again: ", here->path, number);
    bed_finding_command(here->target, here->path, false, stdout);
}

void bed_finding_in_this_process(const struct corpus_file *file)
{
    here = file;
    bed_finding_on_death(tell_here);
}
