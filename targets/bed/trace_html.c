/*
 * trace_html.c: the page of one run: how it ended, how to read it, the drawing, the scenario, and
 * the plain trace.
 */
#include "targets/bed/trace_html.h"

#include "targets/bed/bed.h"
#include "targets/bed/html.h"
#include "targets/bed/trace_picture.h"

#include <string.h>

static const char page_style[] =
    ".facts{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px;margin:16px 0}\n"
    ".facts dt{color:var(--muted)}\n"
    ".facts dd{margin:0;min-width:0;overflow-wrap:anywhere}\n";

/* ---- the parts of the page ---- */

static bool is_expected(const struct corpus_file *file, enum wb_err outcome)
{
    for (size_t i = 0; i < file->expect_count; i++)
        if (file->expect[i] == outcome)
            return true;
    return file->expect_count == 0;
}

static void put_failure(const struct replay_verdict *v, struct wb_buf *out)
{
    const struct inv_desc *inv = inv_find(v->id);
    const char *where = strstr(v->report, "where: ");

    html_raw(out, "<div class=\"verdict bad\"><p><b>Failed: ");
    html_print(out, "%s", v->id);
    html_raw(out, "</b></p>");
    if (inv != NULL) {
        html_raw(out, "<p>What must hold, and did not: ");
        html_text(out, wb_view_text(inv->text));
        html_raw(out, ".</p>");
    }
    if (where != NULL) {
        html_raw(out, "<p class=\"muted\">Checked at <code>");
        html_text(out, wb_view_of(where + 7, strcspn(where + 7, "\n")));
        html_raw(out, "</code></p>");
    }
    html_raw(out, "</div>\n");
}

static void put_verdict(const struct corpus_file *file, const struct replay_verdict *v,
                        struct wb_buf *out)
{
    if (v->failed) {
        put_failure(v, out);
        return;
    }
    bool is_good = is_expected(file, v->outcome);
    html_raw(out, is_good ? "<div class=\"verdict good\"><p><b>Passed.</b> No invariant failed; "
                          : "<div class=\"verdict warn\"><p><b>Not as the file expects.</b> No "
                            "invariant failed; ");
    html_print(out, "the run ended as %s: %s.", wb_err_name((int)v->outcome),
               wb_err_text((int)v->outcome));
    html_raw(out, "</p></div>\n");
}

static void put_fact(const char *name, struct wb_buf *out)
{
    html_raw(out, "<dt>");
    html_text(out, wb_view_text(name));
    html_raw(out, "</dt><dd>");
}

static void put_facts(const struct corpus_file *file, const char *path,
                      const struct replay_verdict *v, struct wb_buf *out)
{
    html_raw(out, "<dl class=\"facts\">");
    put_fact("File", out);
    html_print(out, "%s", path);
    html_raw(out, "</dd>");
    put_fact("Target", out);
    html_print(out, "%s: %s", file->target->name, file->target->property);
    html_raw(out, "</dd>");
    if (file->expect_count > 0) {
        put_fact("Expected", out);
        for (size_t i = 0; i < file->expect_count; i++)
            html_print(out, "%s%s", i > 0 ? " or " : "", wb_err_name((int)file->expect[i]));
        html_raw(out, "</dd>");
    }
    if (!v->failed && file->target->kind == FUZZ_SCENARIO) {
        put_fact("Scenario", out);
        bed_buf_print(out, "%llu ops did something, %llu did not</dd>",
                      (unsigned long long)v->ops_live, (unsigned long long)v->ops_dead);
    }
    if (!v->failed) {
        put_fact("Trace hash", out);
        bed_buf_print(out, "<code>%016llx</code></dd>", (unsigned long long)v->hash);
    }
    html_raw(out, "</dl>\n");
}

/* What was delivered, as the run tells it: parts between bars. */
static void put_story(const struct trace_run *run, const char *title, struct wb_buf *out)
{
    if (title == NULL || run->verdict.failed || run->verdict.story == NULL ||
        run->verdict.story[0] == '\0')
        return;
    html_raw(out, "<h2>");
    html_raw(out, title);
    html_raw(out, "</h2>\n");
    trace_story_put(&run->verdict, out);
    if (trace_look_of(run)->legend == trace_legend)
        html_raw(out, "<p class=\"muted\"><code>c0</code> and <code>c1</code> are the connections; "
                      "at the end each says its state and counts its reads and waits.</p>\n");
}

static void put_state(enum diagram_tone tone, const char *name, const char *text,
                      struct wb_buf *out)
{
    html_raw(out, "<li>");
    diagram_swatch(tone, name, out);
    html_raw(out, "<span>");
    html_raw(out, text);
    html_raw(out, "</span></li>\n");
}

void trace_legend(struct wb_buf *out)
{
    html_raw(
        out,
        "<p>Time runs downwards. It is virtual: it passes only where the "
        "scenario says so, and a tear through the lines shows how much. The <b>client</b> makes "
        "requests and gets what was answered. The <b>reader</b> is what is tested: it says when to "
        "write, read and wait, and turns bytes into answers. The two <b>streams</b> carry bytes to "
        "the server and back; a stream is thick while bytes lie in it. Boxes across the drawing "
        "are the scenario's own ops.</p>\n<ul class=\"legend\">\n");
    put_state(DIAGRAM_PLAIN, "idle", "The reader has nothing to do.", out);
    put_state(DIAGRAM_INFO, "sending", "The request is on its way out.", out);
    put_state(DIAGRAM_GOOD, "busy", "The request is sent; its answer is awaited.", out);
    put_state(DIAGRAM_WARN, "owed",
              "The request ran out of time. Its answer may still come, and must be thrown away "
              "before the next one is read.",
              out);
    put_state(DIAGRAM_BAD, "dead", "The connection cannot be trusted, and is closed.", out);
    html_raw(
        out,
        "<li><svg class=\"drawing\" aria-hidden=\"true\" width=\"72\" height=\"24\"><rect "
        "class=\"plain-s\" x=\"31\" y=\"4\" width=\"10\" height=\"17\"/><path "
        "class=\"plain-a\" d=\"M31 10l6 -6M31 16l10 -10M33 21l8 -8\"/></svg><span>A wait; beside "
        "it "
        "stands what for, until when, and what ended it.</span></li>\n"
        "<li><svg aria-hidden=\"true\" width=\"72\" height=\"24\"><path class=\"info-a\" "
        "d=\"M4 12h54M66 12l-8 -4v8z\" stroke-width=\"1.75\"/></svg><span>Bytes, a request or an "
        "answer, with the first bytes as text.</span></li>\n"
        "<li><svg aria-hidden=\"true\" width=\"72\" height=\"24\"><path class=\"bad-a\" "
        "d=\"M4 12h48M54 8l8 8m0 -8l-8 8\" stroke-width=\"1.75\" stroke-dasharray=\"5 3\"/></svg>"
        "<span>It achieved nothing: nothing there, refused, closed.</span></li>\n</ul>\n");
}

static void put_details(const char *title, struct wb_view text, bool is_open, struct wb_buf *out)
{
    html_raw(out, is_open ? "<details open=\"open\"><summary>" : "<details><summary>");
    html_text(out, wb_view_text(title));
    html_raw(out, "</summary>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
    html_text(out, wb_view_text(title));
    html_raw(out, "\"><pre>");
    html_text(out, text);
    html_raw(out, "</pre></div></details>\n");
}

static void put_sources(const struct corpus_file *file, struct wb_view input,
                        const struct replay_verdict *v, struct wb_view trace, struct wb_buf *out)
{
    struct wb_buf text = bed_buf();

    bed_text_input(file->target, input, &text);
    put_details(file->target->kind == FUZZ_SCENARIO ? "The scenario" : "The bytes",
                wb_buf_view(&text), false, out);
    if (trace.len > 0)
        put_details("The plain trace", trace, false, out);
    if (v->failed)
        put_details("The report of the failure", wb_view_text(v->report), false, out);
    wb_buf_fini(&text);
}

static void make_page(const struct corpus_file *file, const char *path, const struct trace_run *run,
                      struct wb_buf *out)
{
    struct wb_buf style = bed_buf(), title = bed_buf(), steps = bed_buf();
    const struct trace_look *look = trace_look_of(run);

    bed_buf_print(&title, "%s", file->lesson[0] != '\0' ? file->lesson : path);
    bed_must(wb_buf_add_u8(&title, '\0'));
    int width = trace_run_put(run, (const char *)title.data, &steps);
    diagram_style(width, &style);
    trace_style(&style);
    html_raw(&style, page_style);
    bed_must(wb_buf_add_u8(&style, '\0'));

    html_begin(out, (const char *)title.data, (const char *)style.data);
    html_raw(out, "<h1>");
    html_text(out, wb_view_text((const char *)title.data));
    html_raw(out, "</h1>\n");
    put_verdict(file, &run->verdict, out);
    put_facts(file, path, &run->verdict, out);
    put_story(run, look->story, out);
    if (look->legend != NULL) {
        html_raw(out, "<h2>How to read it</h2>\n");
        look->legend(out);
    }
    html_raw(out, look->legend != NULL ? "<h2>What happened</h2>\n" : "<h2>The steps</h2>\n");
    bed_must(wb_buf_add(out, wb_buf_view(&steps)));
    put_sources(file, run->input, &run->verdict, wb_buf_view(&run->text), out);
    html_end(out);

    wb_buf_fini(&steps);
    wb_buf_fini(&title);
    wb_buf_fini(&style);
}

int trace_html(const struct corpus_file *file, const char *path, struct wb_view input,
               const char *out_path)
{
    struct wb_buf page = bed_buf();
    struct trace_run run;
    int status = BED_CANNOT;

    if (trace_run_make(file->target, input, "run", &run)) {
        make_page(file, path, &run, &page);
        if (bed_write(out_path, wb_buf_view(&page), true))
            status = run.verdict.failed ? BED_FOUND : BED_PASS;
        trace_run_free(&run);
    }
    wb_buf_fini(&page);
    return status;
}
