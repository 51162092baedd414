/*
 * report_vet.c: what the last vet said (its form: ci/vet/README.md).
 */
#include "targets/bed/html.h"
#include "targets/bed/json.h"
#include "targets/bed/report.h"

#include <string.h>
#include <unistd.h>

/* A member's text, as text of the page. */
static void put_text(struct wb_view object, const char *name, struct wb_buf *out)
{
    struct wb_buf text = bed_buf();

    json_text(json_member(object, name), &text);
    html_text(out, wb_buf_view(&text));
    wb_buf_fini(&text);
}

static bool is_text(struct wb_view object, const char *name, const char *is)
{
    struct wb_buf text = bed_buf();

    json_text(json_member(object, name), &text);
    bool equal = wb_view_equal(wb_buf_view(&text), wb_view_text(is));
    wb_buf_fini(&text);
    return equal;
}

static bool has_text(struct wb_view object, const char *name)
{
    return json_member(object, name).len > 2;
}

static void put_block(struct wb_view object, const char *name, const char *title,
                      struct wb_buf *out)
{
    if (!has_text(object, name))
        return;
    html_raw(out, "<h4>");
    html_raw(out, title);
    html_raw(out, "</h4><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
    html_raw(out, title);
    html_raw(out, "\"><pre>");
    put_text(object, name, out);
    html_raw(out, "</pre></div>\n");
}

static void put_cost(struct wb_view difference, struct wb_buf *out)
{
    struct wb_view cost = json_member(difference, "cost"), was, now;

    if (cost.len == 0 || cost.data[0] != '[')
        return;
    was = json_next(cost, (struct wb_view){0});
    now = json_next(cost, was);
    html_raw(out, "<p>");
    report_put_number(json_number(now), out);
    html_raw(out, ", was ");
    report_put_number(json_number(was), out);
    html_raw(out, "</p>\n");
}

static void put_difference(struct wb_view d, struct wb_buf *out)
{
    bool is_open = is_text(d, "state", "UNREVIEWED");
    const char *tone = is_open ? "bad" : is_text(d, "state", "cheaper") ? "good" : "";

    html_raw(out, "<details class=\"reg\"><summary><span><code>");
    put_text(d, "id", out);
    html_raw(out, "</code></span><small>");
    put_text(d, "sentence", out);
    bed_buf_print(out, "; in %llu inputs</small><span class=\"pill %s\">",
                  (unsigned long long)json_number(json_member(d, "inputs")), tone);
    put_text(d, "state", out);
    html_raw(out, "</span></summary>\n<div class=\"in\">\n");
    put_cost(d, out);
    put_block(d, "witness", "The witness", out);
    if (json_number(json_member(d, "line")) > 0)
        bed_buf_print(out, "<p>The runs part at line %llu.</p>\n",
                      (unsigned long long)json_number(json_member(d, "line")));
    put_block(d, "old", "Old", out);
    put_block(d, "new", "New", out);
    put_block(d, "before", "Before that", out);
    if (!has_text(d, "witness") && !has_text(d, "old") && json_member(d, "cost").len < 5)
        html_raw(out, "<p class=\"muted\">Nothing more was kept of it.</p>\n");
    html_raw(out, "</div></details>\n");
}

static void put_sum(struct wb_view vet, struct wb_buf *out)
{
    static const char *const names[][2] = {{"inputs", "inputs, run on both sides"},
                                           {"alike", "behave alike"},
                                           {"unreviewed", "differences not reviewed"},
                                           {"reviewed", "reviewed"},
                                           {"cheaper", "got cheaper"}};

    html_raw(out, "<ul class=\"tiles row\">\n");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct wb_view n = json_member(vet, names[i][0]);

        if (n.len == 0)
            continue;
        html_raw(out, "<li><a href=\"#vet\"><b>");
        report_put_number(json_number(n), out);
        bed_buf_print(out, "</b><span>%s</span></a></li>\n", names[i][1]);
    }
    html_raw(out, "</ul>\n");
}

static void put_vet(struct wb_view vet, struct wb_buf *out)
{
    struct wb_view list = json_member(vet, "differences");

    if (has_text(vet, "base")) {
        html_raw(out, "<p>The working tree over <code>");
        put_text(vet, "head", out);
        html_raw(out, "</code> against <code>");
        put_text(vet, "base", out);
        html_raw(out, "</code>.</p>\n");
    }
    put_sum(vet, out);
    html_raw(out, "<h3>Differences</h3>\n");
    if (json_count(list) == 0)
        html_raw(out,
                 "<p class=\"muted\">None: every input behaves alike, at the same cost.</p>\n");
    for (struct wb_view d = json_next(list, (struct wb_view){0}); d.len > 0; d = json_next(list, d))
        put_difference(d, out);
    if (has_text(vet, "notes"))
        put_block(vet, "notes", "Notes", out);
}

void report_vet(const struct report *r, struct wb_buf *out)
{
    struct wb_buf text = bed_buf();
    char path[512];

    snprintf(path, sizeof path, "%s/vet.json", r->data);
    report_section("vet", "The last vet",
                   "Both sides of a change run the corpus and 20,000 inputs more; what differs in "
                   "behaviour or cost is told once.",
                   out);
    if (access(path, R_OK) == 0 && bed_read(path, &text) && text.len > 0)
        put_vet(wb_buf_view(&text), out);
    else
        report_missing("A change was", "make vet BASE=...", out);
    report_section_end(out);
    wb_buf_fini(&text);
}
