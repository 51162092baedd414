/*
 * report.c: `bed report`, and how things stand at a glance.
 */
#include "targets/bed/report.h"

#include "targets/bed/html.h"

#include <string.h>
#include <sys/stat.h>

/* ---- at a glance ----------------------------------------------------------------------------- */

static void open_tile(const char *anchor, struct wb_buf *out)
{
    html_raw(out, "<li><a href=\"#");
    html_raw(out, anchor);
    html_raw(out, "\"><b>");
}

static void close_tile(const char *text, struct wb_buf *out)
{
    html_raw(out, "</b><span>");
    html_raw(out, text);
    html_raw(out, "</span></a></li>\n");
}

static void put_tile(const char *anchor, uint64_t n, const char *text, struct wb_buf *out)
{
    open_tile(anchor, out);
    report_put_number(n, out);
    close_tile(text, out);
}

static void put_part(const char *anchor, uint64_t part, uint64_t whole, const char *text,
                     struct wb_buf *out)
{
    open_tile(anchor, out);
    report_put_number(part, out);
    html_raw(out, "<small> of ");
    report_put_number(whole, out);
    html_raw(out, "</small>");
    close_tile(text, out);
}

struct sums {
    uint64_t files, regressions, executions, lines, lines_hit, planted, killed, figures, good,
        short_of;
    uint64_t invariants;
};

static struct sums sum_up(const struct report *r)
{
    const struct report_table *fuzz = &r->tables[REPORT_FUZZ], *soak = &r->tables[REPORT_SOAK];
    const struct report_table *covered = &r->tables[REPORT_COVERED];
    const struct report_table *planted = &r->tables[REPORT_PLANTED];
    const struct report_table *bench = &r->tables[REPORT_BENCH];
    struct sums s = {0};
    size_t row;

    for (size_t i = 0; i < r->target_count; i++) {
        s.files += r->targets[i].file_count;
        s.regressions += r->targets[i].folder_counts[REPORT_REGRESS];
    }
    for (size_t i = 0; i < fuzz->count; i++)
        if (strcmp(report_cell(fuzz, i, 0), "run") == 0)
            s.executions += report_number(report_cell(fuzz, i, 3));
    for (size_t i = 0; i < soak->count; i++)
        s.executions += report_number(report_cell(soak, i, 1));
    for (size_t i = 0; i < covered->count; i++) {
        s.lines += report_number(report_cell(covered, i, 1));
        s.lines_hit += report_number(report_cell(covered, i, 2));
    }
    for (size_t i = 0; i < planted->count; i++) {
        const char *name = report_cell(planted, i, 0);

        if (strncmp(name, "mutants/", 8) != 0)
            continue;
        s.planted++;
        s.killed += report_find_kill(r, name + 8, &row);
    }
    for (size_t i = 0; i < bench->count; i++) {
        bool has_bar = strcmp(report_cell(bench, i, 5), "-") != 0;
        s.figures += has_bar;
        s.good += has_bar && strcmp(report_cell(bench, i, 6), "ok") == 0;
    }
    for (size_t i = 0; i < inv_count(); i++)
        s.invariants += strncmp(inv_at(i)->text, "retired", 7) != 0;
    return s;
}

static uint64_t count_required(const struct report *r)
{
    uint64_t n = 0;

    for (size_t i = 0; r->has_requirements && i < r->requirements.count; i++)
        n += !r->requirements.at[i].is_retired;
    return n;
}

static void put_tiles(const struct report *r, const struct sums *s, struct wb_buf *out)
{
    html_raw(out, "<ul class=\"tiles\">\n");
    put_tile("targets", r->target_count, "targets, one property each", out);
    put_tile("targets", s->files, "files in the corpus", out);
    put_tile("regressions", s->regressions, "regressions, drawn below", out);
    if (r->has_requirements)
        put_tile("requirements", count_required(r), "requirements of the protocols", out);
    put_tile("oracles", s->invariants, "invariants, checked after every step", out);
    if (r->tables[REPORT_KILLS].count > 0)
        put_part("mutants", s->killed, s->planted, "planted bugs that the corpus kills", out);
    else
        put_tile("mutants", s->planted, "planted bugs", out);
    if (s->lines > 0) {
        open_tile("core", out);
        report_put_percent(s->lines_hit, s->lines, out);
        html_raw(out, "<small> %</small>");
        close_tile("of the core's lines run by the corpus", out);
    }
    if (s->executions > 0)
        put_tile("targets", s->executions, "executions of fuzzers shown here", out);
    if (s->figures > 0)
        put_part("bench", s->good, s->figures, "bench figures within their bar", out);
    html_raw(out, "</ul>\n");
}

static void note(const char *tone, const char *anchor, const char *text, uint64_t n,
                 struct wb_buf *out)
{
    if (n == 0)
        return;
    bed_buf_print(out, "<li class=\"%s\"><a href=\"#%s\">", tone, anchor);
    report_put_number(n, out);
    html_raw(out, " ");
    html_raw(out, text);
    html_raw(out, "</a></li>\n");
}

static uint64_t below_floor(const struct report *r)
{
    const struct report_table *covered = &r->tables[REPORT_COVERED], *f = &r->tables[REPORT_FLOORS];
    uint64_t n = 0;

    for (size_t i = 0; i < covered->count; i++) {
        for (size_t k = 0; k < f->count; k++) {
            bool is_below = false;

            if (strcmp(report_cell(f, k, 0), report_cell(covered, i, 0)) != 0)
                continue;
            for (size_t part = 1; part <= 3; part += 2) {
                uint64_t all = report_number(report_cell(covered, i, part));
                uint64_t hit = report_number(report_cell(covered, i, part + 1));
                uint64_t floor = report_thousandths(report_cell(f, k, part / 2 + 1)) / 100;
                is_below = is_below || (all > 0 && hit * 1000 / all < floor);
            }
            n += is_below;
        }
    }
    return n;
}

static uint64_t count_facts(const struct report *r, const char *name)
{
    const struct report_table *t = &r->tables[REPORT_FACTS];
    uint64_t n = 0;

    for (size_t i = 0; i < t->count; i++)
        n += strcmp(report_cell(t, i, 0), name) == 0;
    return n;
}

/* What is not as it should be, each with where it is shown. */
static void put_notes(const struct report *r, const struct sums *s, struct wb_buf *out)
{
    uint64_t failing = count_facts(r, "found"), untied = 0;

    html_raw(out, "<div><h2>What wants a look</h2>\n<ul class=\"notes\">\n");
    size_t empty = out->len;
    for (size_t i = 0; r->has_requirements && i < r->requirements.count; i++) {
        const struct require *q = &r->requirements.at[i];
        untied += !q->is_retired && q->lists[REQUIRE_MUTANTS].count == 0;
    }
    note("bad", "targets",
         failing == 1 ? "fuzzer found something in its short run"
                      : "fuzzers found something in their short runs",
         failing, out);
    uint64_t fails = count_facts(r, "failing"), passes = count_facts(r, "passing");
    uint64_t above = count_facts(r, "above");
    note("bad", "targets",
         fails == 1 ? "file in build/found/ that fails" : "files in build/found/ that fail", fails,
         out);
    note("warn", "targets",
         passes == 1 ? "file in build/found/ that passes by now"
                     : "files in build/found/ that pass by now",
         passes, out);
    note("bad", "requirements",
         above == 1 ? "count of <code>bed matrix</code> above its ratchet"
                    : "counts of <code>bed matrix</code> above their ratchet",
         above, out);
    if (r->tables[REPORT_KILLS].count > 0)
        note("warn", "mutants", "planted bugs without a kill on record", s->planted - s->killed,
             out);
    note("warn", "requirements", "requirements that no planted bug breaks", untied, out);
    note("warn", "core", "files of the core below a floor of coverage", below_floor(r), out);
    note("warn", "bench", "bench figures short of their bar", s->figures - s->good, out);
    if (out->len == empty)
        html_raw(out, "<li class=\"good\">Nothing that was measured.</li>\n");
    html_raw(out, "</ul></div>\n");
}

void report_glance(const struct report *r, struct wb_buf *out)
{
    struct sums s = sum_up(r);
    const char *subject = report_fact(r, "subject"), *date = report_fact(r, "date");

    html_raw(out, "<header class=\"head\">\n<h1>How wirebed stands</h1>\n<p class=\"lead\">");
    report_put_number(r->target_count, out);
    html_raw(out, " fuzz targets hold ");
    report_put_number(s.invariants, out);
    html_raw(out, " invariants over a corpus of ");
    report_put_number(s.files, out);
    html_raw(out, " files. The bugs that were found and kept are its ");
    report_put_number(s.regressions, out);
    html_raw(out, " regressions; each is drawn here as it runs.</p>\n<p class=\"when\">");
    if (date[0] != '\0') {
        html_print(out, "%s UTC, revision ", date);
        html_raw(out, "<code>");
        html_text(out, wb_view_text(report_fact(r, "revision")));
        html_raw(out, "</code>");
        html_print(out, " \xe2\x80\x9c%s\xe2\x80\x9d", subject);
        if (report_number(report_fact(r, "changed")) > 0)
            html_raw(out, ", with changes that are not committed");
    } else {
        html_raw(out, "Nothing was gathered yet: <code>make report</code>");
    }
    html_raw(out, "</p>\n<div class=\"two\">\n");
    put_tiles(r, &s, out);
    put_notes(r, &s, out);
    html_raw(out, "</div>\n</header>\n\n");
}

/* ---- the page -------------------------------------------------------------------------------- */

static void put_nav(struct wb_buf *out)
{
    static const char *const links[][2] = {
        {"targets", "Targets"}, {"core", "Core"},       {"requirements", "Requirements"},
        {"oracles", "Oracles"}, {"mutants", "Mutants"}, {"regressions", "Regressions"},
        {"bench", "Bench"},     {"vet", "Vet"},
    };

    html_raw(out, "<nav class=\"nav\" aria-label=\"Sections\" tabindex=\"0\"><ul>");
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
        bed_buf_print(out, "<li><a href=\"#%s\">%s</a></li>", links[i][0], links[i][1]);
    html_raw(out, "</ul></nav>\n");
}

static void make_page(const struct report *r, struct wb_buf *out)
{
    struct wb_buf body = bed_buf(), style = bed_buf();

    report_style(&style);
    report_glance(r, &body);
    put_nav(&body);
    report_targets(r, &body);
    report_core(r, &body);
    report_requirements(r, &body);
    report_oracles(r, &body);
    report_regressions(r, &style, &body);
    report_bench(r, &body);
    report_vet(r, &body);
    bed_must(wb_buf_add_u8(&style, '\0'));

    html_begin(out, "How wirebed stands", (const char *)style.data);
    bed_must(wb_buf_add(out, wb_buf_view(&body)));
    report_script(out);
    html_end(out);
    wb_buf_fini(&body);
    wb_buf_fini(&style);
}

static int bed_report(int argc, char **argv)
{
    const char *data = NULL, *out_path = NULL, *only = NULL;
    const struct bed_option options[] = {{.name = "data", .text = &data},
                                         {.name = "target", .text = &only},
                                         {.name = "out", .text = &out_path},
                                         {.name = NULL}};
    struct report report;
    struct stat folder;
    int status = BED_CANNOT;

    if (!bed_options(argc, argv, options, 0, 0) || (only != NULL && bed_target(only) == NULL))
        return BED_CANNOT;
    if (data != NULL && (stat(data, &folder) != 0 || !S_ISDIR(folder.st_mode)))
        return bed_cannot("%s: no such folder", data);
    struct wb_buf page = bed_buf();
    if (report_read(data != NULL ? data : "build/report/data", only, &report)) {
        make_page(&report, &page);
        if (bed_write(out_path, wb_buf_view(&page), true))
            status = BED_PASS;
        report_free(&report);
    }
    wb_buf_fini(&page);
    return status;
}

BED_COMMAND(.name = "report", .text = "the state of everything as one page",
            .usage = "[--data FOLDER] [--target NAME] [-o PAGE]\n\n"
                     "Replays the corpus and draws every regression. What else it shows was\n"
                     "gathered by ci/report/report.sh into the folder, build/report/data unless\n"
                     "told otherwise; a file that is not in it is said to be not measured yet.\n"
                     "--target shows one target and its regressions alone.",
            .run = bed_report);
