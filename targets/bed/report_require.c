/*
 * report_require.c: the requirements, each with the invariants that check it, the corpus files that
 * show it and the planted bugs that break it.
 */
#include "targets/bed/html.h"
#include "targets/bed/report.h"

#include <string.h>

#define SHOWN 2 /* of a list; the rest is folded */

static void put_word(const char *prefix, const char *word, struct wb_buf *out)
{
    html_raw(out, "<code>");
    if (prefix != NULL) {
        html_raw(out, "<a href=\"#");
        report_put_anchor(prefix, word, out);
        html_raw(out, "\">");
    }
    html_text(out, wb_view_text(word));
    html_raw(out, prefix != NULL ? "</a></code> " : "</code> ");
}

/* Where a word of the list is on the page, or NULL. */
static const char *place_of(const struct report *r, enum require_list list, const char *word)
{
    switch (list) {
    case REQUIRE_INVARIANTS:
        return inv_find(word) != NULL ? "inv" : NULL;
    case REQUIRE_CASES:
        return report_has_regression(r, word) ? "reg" : NULL;
    case REQUIRE_MUTANTS:
        return report_has_planted(r, word) ? "mutant" : NULL;
    case REQUIRE_LISTS:
        break;
    }
    return NULL;
}

static void put_tie(const struct report *r, enum require_list list, const char *what,
                    const struct require_words *words, struct wb_buf *out)
{
    bool is_long = words->count > SHOWN + 1;

    html_raw(out, "<div class=\"tie\"><span class=\"what\">");
    html_raw(out, what);
    html_raw(out, words->count == 0 ? ": </span><span class=\"none\">none</span>" : ": </span>");
    for (size_t i = 0; i < words->count; i++) {
        if (is_long && i == SHOWN)
            bed_buf_print(out, "<details><summary>%zu more</summary>", words->count - SHOWN);
        put_word(place_of(r, list, words->at[i]), words->at[i], out);
    }
    html_raw(out, is_long ? "</details></div>\n" : "</div>\n");
}

static void put_requirement(const struct report *r, const struct require *q, struct wb_buf *out)
{
    html_raw(out, "<li class=\"req\" id=\"");
    report_put_anchor("req", q->id, out);
    bed_buf_print(out, "\" data-k=\"%s%s%s%s\"><div class=\"mark\"><span class=\"id\">", q->level,
                  q->lists[REQUIRE_INVARIANTS].count == 0 ? " no-invariant" : "",
                  q->lists[REQUIRE_CASES].count == 0 ? " no-case" : "",
                  q->lists[REQUIRE_MUTANTS].count == 0 ? " no-mutant" : "");
    html_text(out, wb_view_text(q->id));
    bed_buf_print(out, "</span><span class=\"pill%s\">%s</span></div>\n<div><p class=\"say\">",
                  strcmp(q->level, "MUST") == 0 ? " strong" : "", q->level);
    html_text(out, wb_view_text(q->text));
    html_raw(out, "</p><p class=\"by\">");
    html_print(out, "%s %s", q->source, q->section);
    html_raw(out, "</p></div>\n");
    put_tie(r, REQUIRE_INVARIANTS, "Invariants", &q->lists[REQUIRE_INVARIANTS], out);
    put_tie(r, REQUIRE_CASES, "Cases", &q->lists[REQUIRE_CASES], out);
    put_tie(r, REQUIRE_MUTANTS, "Mutants", &q->lists[REQUIRE_MUTANTS], out);
    html_raw(out, "</li>\n");
}

/* "R-RPL-": the ids of one area stand together. */
static size_t area_length(const char *id)
{
    const char *end = strrchr(id, '-');
    return end != NULL ? (size_t)(end - id) : strlen(id);
}

static void put_area(const struct report *r, size_t first, struct wb_buf *out)
{
    const struct require_table *t = &r->requirements;
    const char *id = t->at[first].id;
    size_t len = area_length(id), count = 0, tied = 0;

    for (size_t i = first; i < t->count; i++) {
        const struct require *q = &t->at[i];

        if (q->is_retired || area_length(q->id) != len || strncmp(q->id, id, len) != 0)
            continue;
        count++;
        tied += q->lists[REQUIRE_MUTANTS].count > 0;
    }
    if (count == 0)
        return;
    html_raw(out, "<details class=\"group\"><summary><b>");
    html_text(out, wb_view_of(id, len));
    bed_buf_print(out,
                  "</b> <span class=\"muted num\">%zu requirements, %zu broken by a planted "
                  "bug</span></summary>\n<div class=\"in\"><div class=\"req top\" "
                  "aria-hidden=\"true\"><span>id</span><span>statement</span><span>invariants"
                  "</span><span>cases</span><span>mutants</span></div>\n<ol class=\"rows\">\n",
                  count, tied);
    for (size_t i = first; i < t->count; i++) {
        const struct require *q = &t->at[i];

        if (!q->is_retired && area_length(q->id) == len && strncmp(q->id, id, len) == 0)
            put_requirement(r, q, out);
    }
    html_raw(out, "</ol></div></details>\n");
}

void report_requirements(const struct report *r, struct wb_buf *out)
{
    static const char *const kinds[] = {"MUST",
                                        "MUST",
                                        "SHOULD",
                                        "SHOULD",
                                        "MAY",
                                        "MAY",
                                        "no-invariant",
                                        "without an invariant",
                                        "no-case",
                                        "without a case",
                                        "no-mutant",
                                        "without a mutant",
                                        NULL};
    const struct require_table *t = &r->requirements;

    report_section("requirements", "Requirements",
                   "What the protocols and this project demand, and what holds each: the "
                   "invariants that check it, the corpus files that show it, the planted bugs that "
                   "break it.",
                   out);
    if (!r->has_requirements || t->count == 0) {
        report_missing("Requirements", REQUIRE_PATH, out);
        report_section_end(out);
        return;
    }
    html_raw(out, "<div id=\"reqs\">\n");
    report_filter("reqs", ".rows .req", "a word, an id, a section", kinds, out);
    for (size_t i = 0; i < t->count; i++) {
        size_t len = area_length(t->at[i].id), before = 0;

        while (before < i && (area_length(t->at[before].id) != len ||
                              strncmp(t->at[before].id, t->at[i].id, len) != 0))
            before++;
        if (before == i)
            put_area(r, i, out);
    }
    html_raw(out, "</div>\n");
    report_section_end(out);
}
