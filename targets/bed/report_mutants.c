/*
 * report_mutants.c: the planted bugs, and what each fell to.
 */
#include "targets/bed/html.h"
#include "targets/bed/report.h"

#include <string.h>

static void put_killer(const struct report *r, const char *mutant, struct wb_buf *out)
{
    const struct report_table *t = &r->tables[REPORT_KILLS];
    const char *killer, *inputs;
    size_t row;

    if (!report_find_kill(r, mutant, &row)) {
        html_raw(out, t->count > 0 ? "no kill on record" : "");
        return;
    }
    killer = report_cell(t, row, 1);
    inputs = report_cell(t, row, 3);
    if (inv_find(killer) != NULL && strncmp(inv_find(killer)->text, "retired", 7) != 0) {
        bed_buf_print(out, "<a href=\"#inv-%s\">%s</a>", killer, killer);
    } else {
        html_text(out, wb_view_text(killer));
    }
    if (inputs[0] >= '0' && inputs[0] <= '9') {
        html_raw(out, ", input ");
        report_put_number(report_number(inputs), out);
    }
}

static void put_mutant(const struct report *r, size_t row, bool is_hunted, struct wb_buf *out)
{
    const struct report_table *t = &r->tables[REPORT_PLANTED];
    const char *path = report_cell(t, row, 0), *mutant = strchr(path, '/') + 1;
    size_t kill;
    bool is_killed = report_find_kill(r, mutant, &kill);

    html_raw(out, "<li class=\"one wide\" id=\"");
    report_put_anchor(is_hunted ? "hunt" : "mutant", mutant, out);
    bed_buf_print(out, "\" data-k=\"%s\"><span class=\"id\">",
                  is_hunted   ? "hunted"
                  : is_killed ? "killed"
                              : "no-kill");
    html_text(out, wb_view_text(strchr(mutant, '/') + 1));
    html_raw(out, "</span><p class=\"say\">");
    html_text(out, wb_view_text(report_cell(t, row, 1)));
    html_raw(out, "</p><span class=\"at num\">");
    if (is_hunted)
        html_raw(out, "found by fuzzing");
    else
        put_killer(r, mutant, out);
    html_raw(out, "</span></li>\n");
}

static void put_target(const struct report *r, const char *name, struct wb_buf *out)
{
    const struct report_table *t = &r->tables[REPORT_PLANTED];
    size_t counts[2] = {0, 0}, killed = 0, kill;
    struct wb_buf rows = bed_buf();
    char prefix[2][64];

    snprintf(prefix[0], sizeof prefix[0], "mutants/%s/", name);
    snprintf(prefix[1], sizeof prefix[1], "hunt/%s/", name);
    for (size_t kind = 0; kind < 2; kind++) {
        for (size_t i = 0; i < t->count; i++) {
            const char *path = report_cell(t, i, 0);

            if (strncmp(path, prefix[kind], strlen(prefix[kind])) != 0)
                continue;
            counts[kind]++;
            killed += kind == 0 && report_find_kill(r, path + 8, &kill);
            put_mutant(r, i, kind == 1, &rows);
        }
    }
    if (rows.len > 0) {
        html_raw(out, "<details class=\"group\"><summary><b>");
        html_text(out, wb_view_text(name));
        bed_buf_print(out, "</b> <span class=\"muted num\">%zu planted", counts[0]);
        if (r->tables[REPORT_KILLS].count > 0)
            bed_buf_print(out, ", %zu killed", killed);
        if (counts[1] > 0)
            bed_buf_print(out, "; %zu to hunt", counts[1]);
        html_raw(out, "</span></summary><div class=\"in\"><ol class=\"rows\">\n");
        bed_must(wb_buf_add(out, wb_buf_view(&rows)));
        html_raw(out, "</ol></div></details>\n");
    }
    wb_buf_fini(&rows);
}

void report_mutants(const struct report *r, struct wb_buf *out)
{
    static const char *const kinds[] = {
        "killed", "killed", "no-kill", "without a kill", "hunted", "hunted by fuzzing", NULL};

    report_section("mutants", "Planted bugs",
                   "Each is one sentence and one change of the core. The corpus alone must notice "
                   "it; those to hunt a fuzzer must find from nothing.",
                   out);
    if (r->tables[REPORT_PLANTED].count == 0) {
        report_missing("The list", "make report", out);
        report_section_end(out);
        return;
    }
    html_raw(out, "<div id=\"muts\">\n");
    report_filter("muts", ".rows .one", "a word, a target, a killer", kinds, out);
    for (size_t i = 0; i < r->target_count; i++)
        put_target(r, r->targets[i].target->name, out);
    html_raw(out, "</div>\n");
    report_section_end(out);
}
