/*
 * report_core.c: what the corpus runs of the core, and what becomes of bugs that a machine plants
 * there.
 */
#include "targets/bed/report.h"

#include "targets/bed/chart.h"
#include "targets/bed/html.h"

#include <string.h>

/* Thousandths of a floor, -1 when the file has none. */
static int floor_of(const struct report *r, const char *file, size_t column)
{
    const struct report_table *t = &r->tables[REPORT_FLOORS];

    for (size_t i = 0; i < t->count; i++)
        if (strcmp(report_cell(t, i, 0), file) == 0)
            return (int)(report_thousandths(report_cell(t, i, column)) / 100);
    return -1;
}

static void put_bar(const char *what, uint64_t hit, uint64_t all, int floor, struct wb_buf *out)
{
    unsigned permille = all == 0 ? 1000 : (unsigned)(hit * 1000 / all);
    char title[96];

    if (all == 0) {
        html_raw(out, "<span></span><span class=\"n muted\">none</span>");
        return;
    }
    snprintf(title, sizeof title, "%llu of %llu %s", (unsigned long long)hit,
             (unsigned long long)all, what);
    html_raw(out, "<span>");
    chart_bar(title, permille, floor, floor >= 0 && (int)permille < floor ? "warn" : "main", out);
    html_raw(out, "</span><span class=\"n\">");
    report_put_percent(hit, all, out);
    html_raw(out, "</span>");
}

static void put_folder(const struct report *r, const char *folder, size_t len, struct wb_buf *out)
{
    const struct report_table *t = &r->tables[REPORT_COVERED];

    html_raw(out, "<div><h3>");
    html_text(out, wb_view_of(folder, len));
    html_raw(out,
             "</h3>\n<div class=\"bars\"><span class=\"h f\">file</span><span class=\"h\">lines"
             "</span><span class=\"h n\">%</span><span class=\"h\">branches</span><span "
             "class=\"h n\">%</span>\n");
    for (size_t i = 0; i < t->count; i++) {
        const char *file = report_cell(t, i, 0);

        if (strncmp(file, folder, len) != 0 || strchr(file + len, '/') != NULL)
            continue;
        html_raw(out, "<code class=\"f\">");
        html_text(out, wb_view_text(file + len));
        html_raw(out, "</code>");
        put_bar("lines", report_number(report_cell(t, i, 2)), report_number(report_cell(t, i, 1)),
                floor_of(r, file, 1), out);
        put_bar("branches", report_number(report_cell(t, i, 4)),
                report_number(report_cell(t, i, 3)), floor_of(r, file, 2), out);
        html_raw(out, "\n");
    }
    html_raw(out, "</div></div>\n");
}

static void put_coverage(const struct report *r, struct wb_buf *out)
{
    const struct report_table *t = &r->tables[REPORT_COVERED];
    const char *last = "";
    size_t last_len = 0;

    if (t->count == 0) {
        report_missing("Coverage of the core", "make cov", out);
        return;
    }
    html_raw(out, "<div class=\"folders\">\n");
    for (size_t i = 0; i < t->count; i++) {
        const char *file = report_cell(t, i, 0), *slash = strrchr(file, '/');
        size_t len = slash != NULL ? (size_t)(slash - file) + 1 : 0;

        if (len == last_len && strncmp(file, last, len) == 0)
            continue;
        put_folder(r, file, len, out);
        last = file;
        last_len = len;
    }
    html_raw(out, "</div>\n");
}

/* ---- mutants that a machine plants ------------------------------------------------------------
 */

/* Words of a list between blanks; "-" is none. */
static uint64_t count_words(const char *list)
{
    uint64_t n = list[0] != '\0' && strcmp(list, "-") != 0;

    for (; n > 0 && *list != '\0'; list++)
        n += *list == ' ';
    return n;
}

/* Functions of the file in which mutants live: "name 3; ". */
static void put_living(const struct report_table *t, const char *file, struct wb_buf *out)
{
    bool has_one = false;

    for (size_t i = 0; i < t->count; i++) {
        uint64_t lives = count_words(report_cell(t, i, 7));

        if (strcmp(report_cell(t, i, 1), "*") == 0 || strcmp(report_cell(t, i, 0), file) != 0 ||
            lives == 0)
            continue;
        html_raw(out, has_one ? ", <code>" : "<code>");
        html_text(out, wb_view_text(report_cell(t, i, 1)));
        bed_buf_print(out, "</code>&#160;%llu", (unsigned long long)lives);
        has_one = true;
    }
    if (!has_one)
        html_raw(out, "none lives");
}

static void put_file_score(const struct report_table *t, size_t row, struct wb_buf *out)
{
    uint64_t mutants = report_number(report_cell(t, row, 2));
    uint64_t killed = report_number(report_cell(t, row, 3));
    uint64_t permille = report_thousandths(report_cell(t, row, 4)) / 100;
    char title[128];

    snprintf(title, sizeof title, "%llu of %llu mutants killed, score %s",
             (unsigned long long)killed, (unsigned long long)mutants, report_cell(t, row, 4));
    html_raw(out, "<code class=\"f\">");
    html_text(out, wb_view_text(report_cell(t, row, 0)));
    html_raw(out, "</code><span>");
    chart_bar(title, (unsigned)(permille > 1000 ? 1000 : permille), -1, "main", out);
    html_raw(out, "</span><span class=\"n\">");
    html_text(out, wb_view_text(report_cell(t, row, 4)));
    html_raw(out, "</span><span class=\"s muted\">");
    put_living(t, report_cell(t, row, 0), out);
    html_raw(out, "</span>\n");
}

static void put_score_sum(const struct report_table *t, struct wb_buf *out)
{
    uint64_t mutants = 0, killed = 0, lives = 0;

    for (size_t i = 0; i < t->count; i++) {
        if (strcmp(report_cell(t, i, 1), "*") == 0) {
            mutants += report_number(report_cell(t, i, 2));
            killed += report_number(report_cell(t, i, 3));
        } else {
            lives += count_words(report_cell(t, i, 7));
        }
    }
    html_raw(out, "<p class=\"lead\">");
    report_put_number(mutants, out);
    html_raw(out, " small changes of the core: the corpus kills ");
    report_put_number(killed, out);
    html_raw(out, ", ");
    report_put_number(lives, out);
    html_raw(out, " live. The rest change nothing that a run can see, which is shown or claimed "
                  "with a reason (<code>ci/mutate/equivalent.tsv</code>); the score leaves them "
                  "out.</p>\n");
}

/* Files whose score is 100, or the others. */
static void put_score_table(const struct report_table *t, bool is_whole, struct wb_buf *out)
{
    html_raw(out, "<div class=\"bars scores\"><span class=\"h f\">file</span><span "
                  "class=\"h\">score</span><span class=\"h n\">%</span><span class=\"h "
                  "s\">where mutants live</span>\n");
    for (size_t i = 0; i < t->count; i++)
        if (strcmp(report_cell(t, i, 1), "*") == 0 &&
            (report_number(report_cell(t, i, 4)) >= 100) == is_whole)
            put_file_score(t, i, out);
    html_raw(out, "</div>\n");
}

static void put_scores(const struct report *r, struct wb_buf *out)
{
    const struct report_table *t = &r->tables[REPORT_MUTATE];

    html_raw(out, "<h3>Bugs that a machine plants</h3>\n");
    if (t->count == 0) {
        report_missing("The mutation score", "make mutate", out);
        return;
    }
    put_score_sum(t, out);
    put_score_table(t, false, out);
    html_raw(out, "<details><summary class=\"muted\">Files without one that lives</summary>\n");
    put_score_table(t, true, out);
    html_raw(out, "</details>\n");
}

void report_core(const struct report *r, struct wb_buf *out)
{
    report_section("core", "The core",
                   "What the committed corpus alone runs of the library. A tick is the floor below "
                   "which a file may not fall.",
                   out);
    put_coverage(r, out);
    put_scores(r, out);
    report_section_end(out);
}
