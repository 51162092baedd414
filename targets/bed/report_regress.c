/*
 * report_regress.c: every regression as it runs now, drawn as `bed trace --html` draws it.
 */
#include "targets/bed/diagram.h"
#include "targets/bed/html.h"
#include "targets/bed/report.h"
#include "targets/bed/trace_announce.h"
#include "targets/bed/trace_html.h"
#include "targets/bed/trace_line.h"
#include "targets/bed/trace_race.h"

#include <stdlib.h>
#include <string.h>

#define WIDTHS     32
#define TEXT_SHOWN 6000 /* bytes of an input as text; the rest stands in its file */

struct widths {
    int at[WIDTHS];
    size_t count;
};

static void add_width(struct widths *w, int width)
{
    size_t i = 0;

    while (i < w->count && w->at[i] != width)
        i++;
    if (i == w->count && i < WIDTHS && width > 0)
        w->at[w->count++] = width;
}

static void put_source(const struct corpus_file *file, struct wb_view input, struct wb_buf *out)
{
    struct wb_buf text = bed_buf();
    bool is_scenario = file->target->kind == FUZZ_SCENARIO;

    bed_text_input(file->target, input, &text);
    html_raw(out, is_scenario ? "<h4>The scenario</h4>\n" : "<h4>The bytes</h4>\n");
    html_raw(out,
             "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"The input\"><pre>");
    html_text(out,
              wb_view_sub(wb_buf_view(&text), 0, text.len < TEXT_SHOWN ? text.len : TEXT_SHOWN));
    html_raw(out, text.len > TEXT_SHOWN ? "\n...</pre></div>\n" : "</pre></div>\n");
    wb_buf_fini(&text);
}

static void put_inside(const struct corpus_file *file, const struct trace_run *run,
                       struct widths *widths, struct wb_buf *out)
{
    const struct trace_look *look = trace_look_of(run);
    const char *title = file->lesson[0] != '\0' ? file->lesson : file->path;

    html_raw(out, "<p class=\"muted\">");
    if (run->verdict.failed)
        html_print(out, "It fails: %s. ", run->verdict.id);
    else
        html_print(out, "It ends as %s: %s. ", wb_err_name((int)run->verdict.outcome),
                   wb_err_text((int)run->verdict.outcome));
    html_raw(out, "<code>");
    html_print(out, "build/bed trace %s", file->path);
    html_raw(out, "</code></p>\n");
    add_width(widths, trace_run_put(run, title, out));
    if (look->story != NULL && !run->verdict.failed && run->verdict.story != NULL &&
        run->verdict.story[0] != '\0') {
        html_raw(out, "<h4>");
        html_raw(out, look->story);
        html_raw(out, "</h4>\n");
        trace_story_put(&run->verdict, out);
    }
    put_source(file, run->input, out);
}

static void put_regression(const struct corpus_file *file, unsigned number, struct widths *widths,
                           struct wb_buf *out)
{
    struct trace_run run;
    char id[24];
    size_t len;
    uint8_t *bytes = corpus_input(file, 0, &len);

    bed_must(bytes != NULL ? WB_OK : WB_E_NOMEM);
    snprintf(id, sizeof id, "r%u", number);
    html_raw(out, "<details class=\"reg\" id=\"");
    report_put_anchor("reg", file->path + strlen("corpus/"), out);
    html_raw(out, "\"><summary><span>");
    html_text(out, wb_view_text(file->lesson[0] != '\0' ? file->lesson : file->path));
    html_raw(out, "</span><small><code>");
    html_text(out, wb_view_text(strrchr(file->path, '/') + 1));
    html_raw(out, "</code></small>");
    if (trace_run_make(file->target, wb_view_of(bytes, len), id, &run)) {
        if (run.verdict.failed)
            html_raw(out, "<span class=\"pill bad\">fails</span>");
        html_raw(out, "</summary>\n<div class=\"in\">\n");
        put_inside(file, &run, widths, out);
        trace_run_free(&run);
    } else {
        html_raw(out,
                 "</summary>\n<div class=\"in\">\n<p class=\"missing\">It could not be run.</p>");
    }
    html_raw(out, "</div></details>\n");
    free(bytes);
}

static void put_legends(struct wb_buf *out)
{
    static const struct {
        const char *name;
        void (*put)(struct wb_buf *out);
    } legends[] = {{"Requests and replies", trace_legend},
                   {"Threads that share a frame", trace_race_legend},
                   {"Windows on a number line", trace_line_legend},
                   {"Announces", trace_announce_legend}};

    html_raw(out, "<details class=\"legends\"><summary>How to read the drawings</summary>\n");
    for (size_t i = 0; i < sizeof legends / sizeof legends[0]; i++) {
        html_raw(out, "<h3>");
        html_raw(out, legends[i].name);
        html_raw(out, "</h3>\n");
        legends[i].put(out);
    }
    html_raw(out, "</details>\n");
}

static void put_target(const struct report_target *t, unsigned *number, struct widths *widths,
                       struct wb_buf *out)
{
    size_t count = t->folder_counts[REPORT_REGRESS];

    if (count == 0)
        return;
    html_raw(out, "<div class=\"group\"><h3 id=\"");
    report_put_anchor("regs", t->target->name, out);
    html_raw(out, "\">");
    html_text(out, wb_view_text(t->target->name));
    bed_buf_print(out, " <span class=\"muted num\">%zu</span></h3>\n", count);
    for (size_t i = 0; i < t->file_count; i++)
        if (report_folder_of(&t->files[i]) == REPORT_REGRESS)
            put_regression(&t->files[i], (*number)++, widths, out);
    html_raw(out, "</div>\n");
}

void report_regressions(const struct report *r, struct wb_buf *style, struct wb_buf *out)
{
    struct widths widths = {.count = 0};
    unsigned number = 0;

    report_section("regressions", "Regressions",
                   "Every bug that was found, by its lesson, replayed while this page was made. "
                   "Open one to see it run: who talks to whom, windows on their number line, the "
                   "mesh of announces.",
                   out);
    put_legends(out);
    html_raw(out, "<div id=\"regs\">\n");
    report_filter("regs", ".reg", "a word of a lesson or a run", NULL, out);
    for (size_t i = 0; i < r->target_count; i++)
        put_target(&r->targets[i], &number, &widths, out);
    html_raw(out, "</div>\n");
    report_section_end(out);
    diagram_base_style(style);
    for (size_t i = 0; i < widths.count; i++)
        diagram_width_style(widths.at[i], style);
    trace_style(style);
}
