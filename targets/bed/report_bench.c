/*
 * report_bench.c: the figures of the last benches beside their bars, and how those went.
 */
#include "targets/bed/chart.h"
#include "targets/bed/html.h"
#include "targets/bed/report.h"

#include <string.h>

#define HISTORY_MAX 64

enum { AT_BENCH, AT_CASE, AT_METRIC, AT_VALUE, AT_UNIT, AT_BAR, AT_STATE };

static bool has_bar(const struct report_table *t, size_t row)
{
    return strcmp(report_cell(t, row, AT_BAR), "-") != 0;
}

/* "<=1024": the number behind the sign. */
static uint64_t bar_of(const char *bar)
{
    return report_thousandths(bar + strspn(bar, "<>=~"));
}

static void put_history(const struct report *r, size_t row, struct wb_buf *out)
{
    const struct report_table *t = &r->tables[REPORT_HISTORY], *b = &r->tables[REPORT_BENCH];
    uint64_t values[HISTORY_MAX];
    size_t count = 0;
    char name[256];

    snprintf(name, sizeof name, "%s %s", report_cell(b, row, AT_CASE),
             report_cell(b, row, AT_METRIC));
    for (size_t i = 0; i < t->count; i++) {
        if (strcmp(report_cell(t, i, 2), report_cell(b, row, AT_BENCH)) != 0 ||
            strcmp(report_cell(t, i, 3), name) != 0)
            continue;
        if (count == HISTORY_MAX)
            memmove(values, values + 1, --count * sizeof values[0]);
        values[count++] = report_thousandths(report_cell(t, i, 4));
    }
    if (count > 1)
        chart_spark(values, count, out);
    else
        html_raw(out, count == 1 ? "once" : "");
}

static void put_figure(const struct report *r, size_t row, struct wb_buf *out)
{
    const struct report_table *t = &r->tables[REPORT_BENCH];
    const char *value = report_cell(t, row, AT_VALUE), *bar = report_cell(t, row, AT_BAR);
    bool is_good = strcmp(report_cell(t, row, AT_STATE), "ok") == 0;

    html_raw(out, "<tr><th scope=\"row\">");
    html_print(out, "%s %s", report_cell(t, row, AT_CASE), report_cell(t, row, AT_METRIC));
    html_raw(out, "</th><td class=\"n\">");
    html_print(out, "%s", value);
    html_raw(out, " <span class=\"muted\">");
    html_print(out, "%s", report_cell(t, row, AT_UNIT));
    html_raw(out, "</span></td><td>");
    if (has_bar(t, row))
        chart_bullet(report_thousandths(value), bar_of(bar), is_good, out);
    html_raw(out, "</td><td class=\"n\">");
    if (has_bar(t, row))
        bed_buf_print(out, "<span class=\"pill %s\">", is_good ? "good" : "warn");
    html_text(out, wb_view_text(has_bar(t, row) ? bar : ""));
    html_raw(out, has_bar(t, row) ? "</span></td><td>" : "</td><td>");
    put_history(r, row, out);
    html_raw(out, "</td></tr>\n");
}

/* Those that are short of their bar, or those that are not. */
static void put_table(const struct report *r, size_t from, size_t to, bool is_short,
                      struct wb_buf *out)
{
    const struct report_table *t = &r->tables[REPORT_BENCH];

    html_raw(out, "<table class=\"table fold\"><thead><tr><th scope=\"col\">figure</th><th "
                  "scope=\"col\" class=\"n\">measured</th><th scope=\"col\">beside its bar</th>"
                  "<th scope=\"col\" class=\"n\">bar</th><th scope=\"col\">history</th></tr>"
                  "</thead><tbody>\n");
    for (size_t i = from; i < to; i++)
        if (has_bar(t, i) && is_short == (strcmp(report_cell(t, i, AT_STATE), "ok") != 0))
            put_figure(r, i, out);
    html_raw(out, "</tbody></table>\n");
}

/* Figures without a bar are only counted here: there are many, and ci/bench prints them. */
static void put_bench(const struct report *r, size_t from, size_t to, struct wb_buf *out)
{
    const struct report_table *t = &r->tables[REPORT_BENCH];
    size_t figures = 0, short_of = 0;

    for (size_t i = from; i < to; i++) {
        figures += has_bar(t, i);
        short_of += has_bar(t, i) && strcmp(report_cell(t, i, AT_STATE), "ok") != 0;
    }
    html_raw(out, "<details class=\"group\"");
    html_raw(out, short_of > 0 ? " open=\"open\"><summary><b>" : "><summary><b>");
    html_text(out, wb_view_text(report_cell(t, from, AT_BENCH)));
    bed_buf_print(out, "</b> <span class=\"muted num\">%zu figures with a bar, ", figures);
    if (short_of > 0)
        bed_buf_print(out, "<span class=\"pill warn\">%zu short</span>", short_of);
    else
        html_raw(out, "none short");
    bed_buf_print(out, "; %zu that stand beside</span></summary>\n<div class=\"in\">",
                  to - from - figures);
    if (short_of > 0)
        put_table(r, from, to, true, out);
    if (short_of > 0 && figures > short_of)
        bed_buf_print(out, "<details><summary class=\"muted\">%zu within their bar</summary>\n",
                      figures - short_of);
    if (figures > short_of)
        put_table(r, from, to, false, out);
    if (short_of > 0 && figures > short_of)
        html_raw(out, "</details>\n");
    if (figures == 0)
        html_raw(out, "<p class=\"muted\">None of its figures has a bar.</p>\n");
    html_raw(out, "</div></details>\n");
}

void report_bench(const struct report *r, struct wb_buf *out)
{
    const struct report_table *t = &r->tables[REPORT_BENCH];

    report_section("bench", "Bench",
                   "Each figure of the last <code>make bench</code> beside its bar, which stands "
                   "at two thirds; <code>~</code> opens a bar that is not claimed. The history is "
                   "<code>ci/bench/history.tsv</code>.",
                   out);
    if (t->count == 0)
        report_missing("The figures", "make bench", out);
    for (size_t i = 0, end; i < t->count; i = end) {
        for (end = i + 1;
             end < t->count && strcmp(report_cell(t, end, 0), report_cell(t, i, 0)) == 0;)
            end++;
        put_bench(r, i, end, out);
    }
    report_section_end(out);
}
