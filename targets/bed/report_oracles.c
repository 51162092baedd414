/*
 * report_oracles.c: invariants and planted bugs, and which kills which.
 */
#include "targets/bed/html.h"
#include "targets/bed/report.h"

#include <stdlib.h>
#include <string.h>

#define AREAS 64

static bool is_retired(const struct inv_desc *inv)
{
    return strncmp(inv->text, "retired", 7) == 0;
}

static uint64_t count_kills(const struct report *r, const char *killer)
{
    const struct report_table *t = &r->tables[REPORT_KILLS];
    uint64_t n = 0;

    for (size_t i = 0; i < t->count; i++)
        n += strcmp(report_cell(t, i, 1), killer) == 0;
    return n;
}

/* ---- who kills where ------------------------------------------------------------------------- */

struct heat {
    char areas[AREAS][8];
    size_t area_count;
    uint64_t *cells; /* an area's row of targets */
};

/* "RPL-021" is of area RPL; what the core itself asserts and what crashes are two more. */
static void area_of(const char *killer, char out[8])
{
    size_t len = strcspn(killer, "-");
    bool is_id = len == 3 && killer[3] == '-' && killer[4] >= '0' && killer[4] <= '9';

    snprintf(out, 8, "%.3s", is_id ? killer : strncmp(killer, "WB_ASSERT", 9) == 0 ? "~as" : "~ot");
}

static int by_area(const void *a, const void *b)
{
    return strcmp(a, b);
}

static size_t find_area(const struct heat *h, const char *area)
{
    size_t i = 0;

    while (i < h->area_count && strcmp(h->areas[i], area) != 0)
        i++;
    return i;
}

static void fill_heat(const struct report *r, struct heat *h)
{
    const struct report_table *t = &r->tables[REPORT_KILLS];
    char area[8];

    for (size_t i = 0; i < t->count; i++) {
        area_of(report_cell(t, i, 1), area);
        size_t at = find_area(h, area);
        if (at == h->area_count && at < AREAS)
            memcpy(h->areas[h->area_count++], area, sizeof area);
    }
    qsort(h->areas, h->area_count, sizeof h->areas[0], by_area);
    h->cells = bed_take((h->area_count * r->target_count + 1) * sizeof *h->cells);
    memset(h->cells, 0, h->area_count * r->target_count * sizeof *h->cells);
    for (size_t i = 0; i < t->count; i++) {
        const char *mutant = report_cell(t, i, 0), *slash = strchr(mutant, '/');

        area_of(report_cell(t, i, 1), area);
        for (size_t k = 0; slash != NULL && k < r->target_count; k++) {
            const char *name = r->targets[k].target->name;

            if (strncmp(mutant, name, strlen(name)) == 0 && mutant + strlen(name) == slash)
                h->cells[find_area(h, area) * r->target_count + k]++;
        }
    }
}

static void put_heat_row(const struct report *r, const struct heat *h, size_t row,
                         struct wb_buf *out)
{
    const char *area = h->areas[row];

    html_raw(out, "<tr><th scope=\"row\">");
    html_raw(out, strcmp(area, "~as") == 0   ? "asserted"
                  : strcmp(area, "~ot") == 0 ? "other"
                                             : area);
    html_raw(out, "</th>");
    for (size_t k = 0; k < r->target_count; k++) {
        uint64_t n = h->cells[row * r->target_count + k];
        unsigned level = n >= 30 ? 3 : n >= 8 ? 2 : 1;

        if (n == 0)
            html_raw(out, "<td></td>");
        else
            bed_buf_print(out, "<td class=\"l%u\">%llu</td>", level, (unsigned long long)n);
    }
    html_raw(out, "</tr>\n");
}

static void put_heat(const struct report *r, struct wb_buf *out)
{
    struct heat h = {.area_count = 0};

    html_raw(out, "<h3>Which invariants kill planted bugs of which target</h3>\n");
    if (r->tables[REPORT_KILLS].count == 0) {
        report_missing("Kills", "make mutants", out);
        return;
    }
    fill_heat(r, &h);
    html_raw(out, "<div class=\"scroll heat-box\" tabindex=\"0\" role=\"region\" "
                  "aria-label=\"Kills by area and target\"><table class=\"heat\"><thead><tr><th "
                  "scope=\"col\">area</th>");
    for (size_t k = 0; k < r->target_count; k++) {
        html_raw(out, "<th scope=\"col\"><span>");
        html_text(out, wb_view_text(r->targets[k].target->name));
        html_raw(out, "</span></th>");
    }
    html_raw(out, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < h.area_count; i++)
        put_heat_row(r, &h, i, out);
    html_raw(out, "</tbody></table></div>\n");
    free(h.cells);
}

/* ---- invariants ------------------------------------------------------------------------------ */

static void put_invariant(const struct report *r, const struct inv_desc *inv, struct wb_buf *out)
{
    uint64_t kills = count_kills(r, inv->id);
    bool has_kills = r->tables[REPORT_KILLS].count > 0, is_required = false;
    const struct require *q = NULL;

    if (r->has_requirements)
        is_required = require_next(&r->requirements, NULL, REQUIRE_INVARIANTS, inv->id) != NULL;
    bed_buf_print(out,
                  "<li class=\"one\" id=\"inv-%s\" data-k=\"%s%s\"><span class=\"id\">%s</span>",
                  inv->id, has_kills && kills == 0 ? " no-kill" : "",
                  is_required ? "" : " no-requirement", inv->id);
    html_raw(out, "<p class=\"say\">");
    html_text(out, wb_view_text(inv->text));
    html_raw(out, "</p><span class=\"at num\">");
    if (has_kills)
        bed_buf_print(out, "%llu kill%s ", (unsigned long long)kills, kills == 1 ? "" : "s");
    while (is_required &&
           (q = require_next(&r->requirements, q, REQUIRE_INVARIANTS, inv->id)) != NULL)
        bed_buf_print(out, "<a href=\"#req-%s\">%s</a> ", q->id, q->id);
    html_raw(out, "</span></li>\n");
}

static void put_invariants(const struct report *r, struct wb_buf *out)
{
    static const char *const kinds[] = {"no-kill", "without a kill", "no-requirement",
                                        "without a requirement", NULL};

    html_raw(out, "<div id=\"invs\">\n<h3>Invariants</h3>\n");
    report_filter("invs", ".rows .one", "a word or an id", kinds, out);
    for (size_t i = 0, end; i < inv_count(); i = end) {
        size_t count = 0, killing = 0;

        for (end = i; end < inv_count() && strncmp(inv_at(end)->id, inv_at(i)->id, 4) == 0; end++) {
            count += !is_retired(inv_at(end));
            killing += count_kills(r, inv_at(end)->id) > 0;
        }
        bed_buf_print(out,
                      "<details class=\"group\"><summary><b>%.3s</b> <span class=\"muted num\">"
                      "%zu invariants",
                      inv_at(i)->id, count);
        if (r->tables[REPORT_KILLS].count > 0)
            bed_buf_print(out, ", %zu kill a planted bug", killing);
        html_raw(out, "</span></summary><div class=\"in\"><ol class=\"rows\">\n");
        for (size_t k = i; k < end; k++)
            if (!is_retired(inv_at(k)))
                put_invariant(r, inv_at(k), out);
        html_raw(out, "</ol></div></details>\n");
    }
    html_raw(out, "</div>\n");
}

void report_oracles(const struct report *r, struct wb_buf *out)
{
    report_section("oracles", "Oracles",
                   "An invariant counts once it was seen to say no: each is to kill at least one "
                   "bug that was planted on purpose.",
                   out);
    put_heat(r, out);
    put_invariants(r, out);
    report_section_end(out);
    report_mutants(r, out);
}
