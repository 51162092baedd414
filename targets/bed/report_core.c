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

static void put_file_score(const struct report_table *t, size_t from, size_t to, struct wb_buf *out)
{
    uint64_t mutants = 0, killed = 0, apart = 0;
    struct wb_buf survivors = bed_buf();

    for (size_t i = from; i < to; i++) {
        uint64_t all = report_number(report_cell(t, i, 3)),
                 dead = report_number(report_cell(t, i, 4));
        uint64_t aside = report_number(report_cell(t, i, 5));

        mutants += all;
        killed += dead;
        apart += aside;
        if (all > dead + aside) {
            html_raw(&survivors, "<code>");
            html_text(&survivors, wb_view_text(report_cell(t, i, 1)));
            bed_buf_print(&survivors, "</code> %llu; ", (unsigned long long)(all - dead - aside));
        }
    }
    html_raw(out, "<code class=\"f\">");
    html_text(out, wb_view_text(report_cell(t, from, 0)));
    html_raw(out, "</code>");
    put_bar("mutants", killed, mutants - apart, -1, out);
    html_raw(out, "<span class=\"s\">");
    if (survivors.len > 0)
        bed_must(wb_buf_add(out, wb_buf_view(&survivors)));
    else
        html_raw(out, "none survives");
    html_raw(out, "</span>\n");
    wb_buf_fini(&survivors);
}

static void put_scores(const struct report *r, struct wb_buf *out)
{
    const struct report_table *t = &r->tables[REPORT_MUTATE];

    html_raw(out, "<h3>Bugs that a machine plants</h3>\n");
    if (t->count == 0) {
        report_missing("The mutation score", "make mutate", out);
        return;
    }
    html_raw(out, "<p class=\"lead\">Each operator of the core was changed in turn; a change that "
                  "the corpus does not notice survives.</p>\n<div class=\"bars scores\"><span "
                  "class=\"h f\">file</span><span class=\"h\">killed</span><span class=\"h n\">%"
                  "</span><span class=\"h s\">survivors by function</span>\n");
    for (size_t i = 0, end; i < t->count; i = end) {
        for (end = i + 1;
             end < t->count && strcmp(report_cell(t, end, 0), report_cell(t, i, 0)) == 0;)
            end++;
        put_file_score(t, i, end, out);
    }
    html_raw(out, "</div>\n");
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
