/*
 * report_targets.c: a card for each target: its property, coverage over executions, its corpus, and
 * the ops and marks that the corpus reaches.
 */
#include "targets/bed/report.h"

#include "targets/bed/chart.h"
#include "targets/bed/html.h"

#include <stdlib.h>
#include <string.h>

/* The steps of one run; the caller frees x. */
static bool read_line(const struct report *r, const char *target, const char *origin,
                      struct chart_line *out)
{
    const struct report_table *t = &r->tables[REPORT_FUZZ];

    out->count = 0;
    out->x = bed_take((2 * t->count + 1) * sizeof *out->x);
    out->y = out->x + t->count;
    for (size_t i = 0; i < t->count; i++) {
        if (strcmp(report_cell(t, i, 0), "step") != 0 ||
            strcmp(report_cell(t, i, 1), target) != 0 || strcmp(report_cell(t, i, 2), origin) != 0)
            continue;
        out->x[out->count] = report_number(report_cell(t, i, 3));
        out->y[out->count++] = report_number(report_cell(t, i, 4));
    }
    return out->count > 0;
}

static void put_chart(const struct report *r, const char *name, struct wb_buf *out)
{
    struct chart_line lines[2] = {{.name = "corpus", .tone = "main"},
                                  {.name = "nothing", .tone = "other"}};
    char title[256];
    size_t count = 0;

    for (size_t i = 0; i < 2; i++) {
        struct chart_line line = lines[i];

        if (read_line(r, name, line.name, &line))
            lines[count++] = line;
        else
            free(line.x);
    }
    if (count == 0) {
        report_missing("Coverage", "make report PART=fuzz", out);
        return;
    }
    size_t len =
        (size_t)snprintf(title, sizeof title, "Edges of the core over executions of %s:", name);
    for (size_t i = 0; i < count && len < sizeof title; i++)
        len +=
            (size_t)snprintf(title + len, sizeof title - len, "%s %llu after %llu from %s",
                             i > 0 ? "," : "", (unsigned long long)lines[i].y[lines[i].count - 1],
                             (unsigned long long)lines[i].x[lines[i].count - 1],
                             strcmp(lines[i].name, "corpus") == 0 ? "the corpus" : "nothing");
    chart_curves(title, lines, count, out);
    for (size_t i = 0; i < count; i++)
        free(lines[i].x);
}

static void open_fact(const char *name, struct wb_buf *out)
{
    html_raw(out, "<div><dt>");
    html_raw(out, name);
    html_raw(out, "</dt><dd>");
}

static void put_fact(const char *name, uint64_t n, struct wb_buf *out)
{
    open_fact(name, out);
    report_put_number(n, out);
    html_raw(out, "</dd></div>");
}

static void put_part(const char *name, uint64_t part, uint64_t whole, struct wb_buf *out)
{
    open_fact(name, out);
    report_put_number(part, out);
    html_raw(out, "<small> of ");
    report_put_number(whole, out);
    html_raw(out, "</small></dd></div>");
}

/* Ops or marks: how many, how many of them are reached, and those that are not. */
struct reach {
    size_t all, reached;
    struct wb_buf missed;
};

static void add_reach(struct reach *reach, const char *name, bool is_reached)
{
    reach->all++;
    reach->reached += is_reached;
    if (is_reached)
        return;
    html_raw(&reach->missed, "<code>");
    html_text(&reach->missed, wb_view_text(name));
    html_raw(&reach->missed, "</code> ");
}

static void put_missed(const char *what, const struct reach *reach, struct wb_buf *out)
{
    if (reach->reached == reach->all)
        return;
    bed_buf_print(out,
                  "<details><summary>%zu %s that no file reaches</summary><p class=\"words-in\">",
                  reach->all - reach->reached, what);
    bed_must(wb_buf_add(out, wb_buf_view(&reach->missed)));
    html_raw(out, "</p></details>\n");
}

static void put_counts(const struct report *r, const struct report_target *t,
                       const struct reach *ops, const struct reach *marks, struct wb_buf *out)
{
    const struct report_table *fuzz = &r->tables[REPORT_FUZZ];
    size_t from_corpus, from_nothing;
    uint64_t executions = 0;
    bool has_corpus = report_find_run(r, t->target->name, "corpus", &from_corpus);
    bool has_nothing = report_find_run(r, t->target->name, "nothing", &from_nothing);

    html_raw(out, "<dl class=\"facts4\">");
    if (has_corpus || has_nothing) {
        executions += has_corpus ? report_number(report_cell(fuzz, from_corpus, 3)) : 0;
        executions += has_nothing ? report_number(report_cell(fuzz, from_nothing, 3)) : 0;
        put_fact("executions", executions, out);
        put_fact("a second",
                 report_number(report_cell(fuzz, has_corpus ? from_corpus : from_nothing, 4)), out);
    }
    for (size_t i = 0; i < r->tables[REPORT_SOAK].count; i++)
        if (strcmp(report_cell(&r->tables[REPORT_SOAK], i, 0), t->target->name) == 0)
            put_fact("in the last soak", report_number(report_cell(&r->tables[REPORT_SOAK], i, 1)),
                     out);
    put_fact("seeds and cases", t->folder_counts[REPORT_SEEDS] + t->folder_counts[REPORT_CASES],
             out);
    put_fact("regressions", t->folder_counts[REPORT_REGRESS], out);
    if (ops->all > 0)
        put_part("ops reached", ops->reached, ops->all, out);
    if (marks->all > 0)
        put_part("marks reached", marks->reached, marks->all, out);
    html_raw(out, "</dl>\n");
}

/* What the target's fuzzers found in their short runs, NULL for nothing. */
static const char *found_of(const struct report *r, const char *name)
{
    const struct report_table *facts = &r->tables[REPORT_FACTS];

    for (size_t i = 0; i < facts->count; i++) {
        const char *found = report_cell(facts, i, 1);

        if (strcmp(report_cell(facts, i, 0), "found") == 0 &&
            strncmp(found, name, strlen(name)) == 0 && found[strlen(name)] == ' ')
            return found + strlen(name) + 1;
    }
    return NULL;
}

static void put_card(const struct report *r, const struct report_target *t, struct wb_buf *out)
{
    struct reach ops = {.missed = bed_buf()}, marks = {.missed = bed_buf()};
    bool is_scenario = t->target->kind == FUZZ_SCENARIO;

    for (size_t i = 0; t->target->ops != NULL && i < t->target->ops->count; i++)
        add_reach(&ops, t->target->ops->ops[i].name,
                  t->op_counts[t->target->ops->ops[i].opcode] > 0);
    for (size_t i = 0; is_scenario && t->target->marks != NULL && t->target->marks[i] != NULL; i++)
        add_reach(&marks, t->target->marks[i], report_has_mark(t, i));

    html_raw(out, "<article class=\"card\" id=\"");
    report_put_anchor("target", t->target->name, out);
    html_raw(out, "\">\n<h3>");
    html_text(out, wb_view_text(t->target->name));
    bed_buf_print(out, " <span class=\"pill\">%s</span>", is_scenario ? "scenario" : "wire");
    if (found_of(r, t->target->name) != NULL) {
        html_raw(out, " <span class=\"pill bad\">");
        html_print(out, "found %s", found_of(r, t->target->name));
        html_raw(out, "</span>");
    }
    html_raw(out, "</h3>\n<p class=\"say\">");
    html_text(out, wb_view_text(t->target->property));
    html_raw(out, ".</p>\n");
    put_chart(r, t->target->name, out);
    put_counts(r, t, &ops, &marks, out);
    put_missed("ops", &ops, out);
    put_missed("marks", &marks, out);
    html_raw(out, "</article>\n");
    wb_buf_fini(&ops.missed);
    wb_buf_fini(&marks.missed);
}

void report_targets(const struct report *r, struct wb_buf *out)
{
    report_section(
        "targets", "Targets",
        "Coverage over executions, in edges of the core: <span class=\"key k-main\">from the "
        "corpus</span>, <span class=\"key k-other\">from nothing</span>. What the corpus finds at "
        "once a fuzzer without it has to earn.",
        out);
    html_raw(out, "<div class=\"cards\">\n");
    for (size_t i = 0; i < r->target_count; i++)
        put_card(r, &r->targets[i], out);
    html_raw(out, "</div>\n");
    report_section_end(out);
}
