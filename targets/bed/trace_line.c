/*
 * trace_line.c: the rows that a target draws in text (unions_draw_lines) are read back after each
 * op, and put as bars on one scale: equal steps between all places where something begins or ends,
 * a tear where they lie far apart, and the end of all numbers.
 */
#include "targets/bed/trace_line.h"

#include "targets/bed/bed.h"
#include "targets/bed/html.h"
#include "targets/bed/trace_html.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACES  64
#define ROWS    20
#define BARS    24
#define OPS_MAX 400
#define NAME    8
#define GUTTER  62 /* names of rows */
#define TAIL    52 /* from the last place to the end */
#define STEP    52
#define ROW     18
#define BAR     10
#define FAR     16 /* places further apart are torn */

struct place {
    uint64_t group, frame;
    char text[32];
    bool is_end;
};

struct bar {
    struct place from, to;
};

struct row {
    char name[NAME];
    struct bar bars[BARS];
    size_t count;
};

/* How things stand after an op. */
struct stand {
    struct row rows[ROWS];
    size_t count;
};

struct scale {
    struct place at[PLACES];
    size_t count;
};

bool trace_line_is(const struct trace_run *run)
{
    return run->target->draw != NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

static const char *read_digits(const char *at, uint64_t *out)
{
    for (*out = 0; *at >= '0' && *at <= '9'; at++)
        *out = *out * 10 + (uint64_t)(*at - '0');
    return at;
}

/* "7", "2^62-1", "2^64-3"; returns what follows. 2^64 wraps, as the number is below it. */
static const char *read_number(const char *at, uint64_t *out)
{
    uint64_t power, by = 0;

    if (strncmp(at, "2^", 2) != 0)
        return read_digits(at, out);
    at = read_digits(at + 2, &power);
    *out = power >= 64 ? 0 : UINT64_C(1) << power;
    char sign = *at;
    if (sign == '-' || sign == '+')
        at = read_digits(at + 1, &by);
    *out += sign == '-' ? 0 - by : by;
    return at;
}

static struct place read_place(struct wb_view name)
{
    struct place p = {0};
    const char *rest;

    snprintf(p.text, sizeof p.text, "%.*s", (int)name.len, (const char *)name.data);
    rest = read_number(p.text, &p.group);
    if (*rest == '.')
        read_number(rest + 1, &p.frame);
    return p;
}

static int order(const struct place *a, const struct place *b)
{
    if (a->is_end != b->is_end)
        return a->is_end ? 1 : -1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return a->frame < b->frame ? -1 : a->frame > b->frame;
}

/* The last line names the places, each at its column; returns how many. */
static size_t read_places(struct wb_view line, struct place out[PLACES], size_t columns[PLACES])
{
    size_t n = 0;

    for (size_t i = 8; i < line.len && n < PLACES; i++) {
        size_t end = i;

        while (end < line.len && line.data[end] != ' ')
            end++;
        if (end == i)
            continue;
        columns[n] = i;
        out[n++] = read_place(wb_view_sub(line, i, end));
        i = end;
    }
    return n;
}

static void read_row(struct wb_view line, const struct place *places, const size_t *columns,
                     size_t count, struct row *out)
{
    bool was_in = false;

    snprintf(out->name, sizeof out->name, "%.6s", (const char *)line.data + 2);
    out->name[strcspn(out->name, " ")] = '\0';
    for (size_t i = 0; i < count && columns[i] < line.len; i++) {
        bool is_in = line.data[columns[i]] == '[' || line.data[columns[i]] == '=';

        if (is_in && !was_in && out->count < BARS)
            out->bars[out->count++].from = places[i];
        if (!is_in && was_in)
            out->bars[out->count - 1].to = places[i];
        was_in = is_in;
    }
    if (was_in)
        out->bars[out->count - 1].to = (struct place){.is_end = true};
}

/* What the target draws of a scenario. */
static void read_stand(const struct fuzz_target *target, struct wb_view input, struct stand *out)
{
    struct wb_buf text = bed_buf();
    struct wb_view lines[ROWS + 1], rest;
    struct place places[PLACES];
    size_t columns[PLACES], n = 0, count;

    out->count = 0;
    target->draw(input, &text);
    rest = wb_buf_view(&text);
    while (rest.len > 0 && n < ROWS + 1) {
        const uint8_t *newline = memchr(rest.data, '\n', rest.len);
        size_t len = newline != NULL ? (size_t)(newline - rest.data) : rest.len;

        lines[n++] = wb_view_sub(rest, 0, len);
        rest = wb_view_sub(rest, newline != NULL ? len + 1 : len, rest.len);
    }
    count = n > 0 ? read_places(lines[n - 1], places, columns) : 0;
    for (size_t i = 0; i + 1 < n && lines[i].len > 8; i++) {
        out->rows[out->count] = (struct row){0};
        read_row(lines[i], places, columns, count, &out->rows[out->count++]);
    }
    wb_buf_fini(&text);
}

static void add_place(struct scale *s, const struct place *p)
{
    size_t at = 0;

    while (at < s->count && order(&s->at[at], p) < 0)
        at++;
    if (p->is_end || s->count == PLACES || (at < s->count && order(&s->at[at], p) == 0))
        return;
    memmove(&s->at[at + 1], &s->at[at], (s->count - at) * sizeof s->at[0]);
    s->at[at] = *p;
    s->count++;
}

static void add_places(struct scale *s, const struct stand *stand)
{
    for (size_t i = 0; i < stand->count; i++) {
        for (size_t k = 0; k < stand->rows[i].count; k++) {
            add_place(s, &stand->rows[i].bars[k].from);
            add_place(s, &stand->rows[i].bars[k].to);
        }
    }
}

/* ---- drawing --------------------------------------------------------------------------------- */

static int x_end(const struct scale *s)
{
    return GUTTER + ((int)s->count - 1) * STEP + TAIL;
}

static int x_of(const struct scale *s, const struct place *p)
{
    for (size_t i = 0; i < s->count; i++)
        if (order(&s->at[i], p) == 0)
            return GUTTER + (int)i * STEP;
    return x_end(s);
}

static bool row_equal(const struct row *a, const struct row *b)
{
    if (a == NULL || b == NULL || a->count != b->count)
        return a == b;
    for (size_t i = 0; i < a->count; i++)
        if (order(&a->bars[i].from, &b->bars[i].from) != 0 ||
            order(&a->bars[i].to, &b->bars[i].to) != 0)
            return false;
    return true;
}

static const struct row *row_find(const struct stand *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->rows[i].name, name) == 0)
            return &s->rows[i];
    return NULL;
}

static void put_svg(const struct scale *s, int height, struct wb_buf *out)
{
    bed_buf_print(
        out, "<svg class=\"nl\" role=\"img\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">",
        x_end(s) + 10, height, x_end(s) + 10, height);
}

static void say_bars(const struct row *row, struct wb_buf *out)
{
    for (size_t i = 0; i < row->count; i++)
        html_print(out, "%s[%s %s)", i > 0 ? " " : "", row->bars[i].from.text,
                   row->bars[i].to.is_end ? ".." : row->bars[i].to.text);
    if (row->count == 0)
        html_raw(out, "nothing");
}

static bool is_far(const struct place *a, const struct place *b)
{
    return b->group - a->group > FAR || (b->group == a->group && b->frame - a->frame > FAR);
}

static void put_tear(int x, struct wb_buf *out)
{
    bed_buf_print(out, "<path class=\"nl-tear\" d=\"M%d 9l3 -8M%d 9l3 -8\"/>", x - 3, x + 1);
}

/* The names of the places in two rows by turns, so that long ones do not meet. */
static void put_axis(const struct scale *s, struct wb_buf *out)
{
    html_raw(out, "<li class=\"nl-axis\">");
    put_svg(s, 36, out);
    html_raw(out, "<title>The places of the line</title>");
    bed_buf_print(out, "<path class=\"nl-line\" d=\"M%d 5H%dM%d 1v8\"/>", GUTTER, x_end(s),
                  x_end(s));
    for (size_t i = 0; i < s->count; i++) {
        int x = GUTTER + (int)i * STEP;
        bool is_low = i % 2 == 1;

        bed_buf_print(out, "<path class=\"nl-line\" d=\"M%d 1v%d\"/>", x, is_low ? 19 : 8);
        if (i + 1 < s->count && is_far(&s->at[i], &s->at[i + 1]))
            put_tear(x + STEP / 2, out);
        bed_buf_print(out, "<text x=\"%d\" y=\"%d\">", x, is_low ? 31 : 19);
        html_text(out, wb_view_text(s->at[i].text));
        html_raw(out, "</text>");
    }
    if (s->at[s->count - 1].group < UINT64_MAX - FAR)
        put_tear(x_end(s) - TAIL / 2, out);
    bed_buf_print(out, "<text x=\"%d\" y=\"%d\" class=\"e\">2^64-1</text></svg></li>\n",
                  x_end(s) + 8, s->count % 2 == 1 ? 31 : 19);
}

static void put_row(const struct scale *s, const struct row *row, int y, const char *kind,
                    struct wb_buf *out)
{
    bed_buf_print(out, "<text x=\"0\" y=\"%d\" class=\"%s-n\">", y + BAR, kind);
    html_text(out, wb_view_text(row->name));
    bed_buf_print(out, "</text><path class=\"nl-line\" d=\"M%d %dH%d\"/>", GUTTER, y + BAR / 2 + 1,
                  x_end(s));
    for (size_t i = 0; i < row->count; i++) {
        int x = x_of(s, &row->bars[i].from), end = x_of(s, &row->bars[i].to);

        bed_buf_print(out,
                      "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"2\"/>",
                      kind, x, y + 1, end - x > 1 ? end - x - 1 : 2, BAR);
        if (row->bars[i].to.is_end)
            bed_buf_print(out, "<path class=\"%s\" d=\"M%d %dl7 %d l-7 %dz\"/>", kind, end - 1,
                          y + 1, BAR / 2, BAR / 2);
    }
}

/* The windows as they stand; those that the op changed are strong, with what they were before. */
static void put_stand(const struct scale *s, const struct stand *was, const struct stand *now,
                      struct wb_buf *out)
{
    int y = 2, height = 4;

    for (size_t i = 0; i < now->count; i++) {
        const struct row *old = row_find(was, now->rows[i].name);

        height += ROW + (old != NULL && !row_equal(old, &now->rows[i]) ? BAR : 0);
    }
    for (size_t i = 0; i < was->count; i++)
        height += row_find(now, was->rows[i].name) == NULL ? ROW : 0;
    put_svg(s, height, out);
    html_raw(out, "<title>");
    for (size_t i = 0; i < now->count; i++) {
        html_print(out, "%s%s: ", i > 0 ? "; " : "", now->rows[i].name);
        say_bars(&now->rows[i], out);
    }
    html_raw(out, now->count == 0 ? "Nothing</title>" : "</title>");
    for (size_t i = 0; i < s->count; i++)
        bed_buf_print(out, "<path class=\"nl-guide\" d=\"M%d 0v%d\"/>", GUTTER + (int)i * STEP,
                      height);
    for (size_t i = 0; i < now->count; i++, y += ROW) {
        const struct row *row = &now->rows[i], *old = row_find(was, row->name);
        bool is_same = row_equal(old, row);

        put_row(s, row, y, is_same ? "nl-same" : "nl-new", out);
        if (old != NULL && !is_same) {
            struct row before = *old;
            before.name[0] = '\0';
            y += BAR;
            put_row(s, &before, y + 3, "nl-old", out);
        }
    }
    for (size_t i = 0; i < was->count; i++) {
        if (row_find(now, was->rows[i].name) != NULL)
            continue;
        put_row(s, &was->rows[i], y, "nl-old", out);
        y += ROW;
    }
    html_raw(out, "</svg>");
}

static bool stand_equal(const struct stand *a, const struct stand *b)
{
    bool is_equal = a->count == b->count;

    for (size_t i = 0; i < a->count && is_equal; i++)
        is_equal = row_equal(row_find(b, a->rows[i].name), &a->rows[i]);
    return is_equal;
}

/* How far into the input the scenario's first n ops reach; false when there are fewer. */
static bool find_end(struct wb_view input, size_t n, struct sim_op *op, size_t *out)
{
    struct sim_scenario s = sim_scenario_of(input);

    for (size_t i = 0; i < n; i++)
        if (!sim_scenario_next(&s, op))
            return false;
    *out = input.len - s.rest.len;
    return true;
}

void trace_line_put(const struct trace_run *run, struct wb_buf *out)
{
    struct stand *stands = bed_take((OPS_MAX + 1) * sizeof *stands);
    struct scale scale = {.count = 1, .at = {{.text = "0"}}};
    struct wb_buf words = bed_buf();
    struct sim_op op;
    size_t end, n = 0;

    stands[0].count = 0;
    while (n < OPS_MAX && find_end(run->input, n + 1, &op, &end)) {
        read_stand(run->target, wb_view_sub(run->input, 0, end), &stands[++n]);
        add_places(&scale, &stands[n]);
    }
    html_raw(out, "<div class=\"scroll nl-box\" tabindex=\"0\" role=\"region\" "
                  "aria-label=\"The number line\">\n<ol class=\"nl-list\">\n");
    if (scale.count > 1)
        put_axis(&scale, out);
    for (size_t i = 0; i < n; i++) {
        wb_buf_truncate(&words, 0);
        find_end(run->input, i + 1, &op, &end);
        trace_words_op(run->target->ops, &op, &words);
        html_raw(out, "<li><span>");
        bed_must(wb_buf_add(out, wb_buf_view(&words)));
        html_raw(out, "</span>");
        if (!stand_equal(&stands[i], &stands[i + 1]))
            put_stand(&scale, &stands[i], &stands[i + 1], out);
        html_raw(out, "</li>\n");
    }
    html_raw(out, "</ol>\n</div>\n");
    wb_buf_fini(&words);
    free(stands);
}

void trace_line_legend(struct wb_buf *out)
{
    html_raw(out,
             "<p>One op a line; below it how the windows stand when it "
             "changed one. A bar is a stretch of positions, <code>group.frame</code>; one that has "
             "no end runs into the arrow at <code>2^64-1</code>. The scale is not even: places "
             "stand side by "
             "side, and a tear says that much lies between two.</p>\n<ul class=\"legend\">\n"
             "<li><svg class=\"nl\" aria-hidden=\"true\" width=\"72\" height=\"24\"><rect "
             "class=\"nl-new\" x=\"4\" y=\"6\" width=\"62\" height=\"10\" rx=\"2\"/></svg>"
             "<span>What the op changed, as it is now.</span></li>\n"
             "<li><svg class=\"nl\" aria-hidden=\"true\" width=\"72\" height=\"24\"><rect "
             "class=\"nl-old\" x=\"4\" y=\"6\" width=\"62\" height=\"10\" rx=\"2\"/></svg>"
             "<span>The same before it.</span></li>\n"
             "<li><svg class=\"nl\" aria-hidden=\"true\" width=\"72\" height=\"24\"><rect "
             "class=\"nl-same\" x=\"4\" y=\"6\" width=\"62\" height=\"10\" rx=\"2\"/></svg>"
             "<span>Unchanged.</span></li>\n</ul>\n");
}

void trace_line_style(struct wb_buf *out)
{
    html_raw(out, ".nl-box{width:fit-content}\n"
                  ".nl-list{list-style:none;margin:0;padding:4px 12px;font-size:14px;"
                  "line-height:20px}\n"
                  ".nl-list li{padding:6px 0;border-top:1px solid var(--line)}\n"
                  ".nl-list .nl-axis,.nl-list .nl-axis+li{border-top:0}\n"
                  ".nl{display:block;margin-top:2px}\n"
                  ".nl text{font:11px ui-monospace,SFMono-Regular,Consolas,'DejaVu Sans Mono',"
                  "monospace;fill:var(--ink);font-variant-numeric:tabular-nums}\n"
                  ".nl-axis text{text-anchor:middle;fill:var(--muted)}\n"
                  ".nl-axis text.e{text-anchor:end}\n"
                  ".nl .nl-same-n,.nl .nl-old-n{fill:var(--muted)}\n"
                  ".nl-line{stroke:var(--line);fill:none}\n"
                  ".nl-guide{stroke:var(--line);stroke-dasharray:1 3}\n"
                  ".nl-axis .nl-line{stroke:var(--muted)}\n"
                  ".nl-tear{stroke:var(--muted);fill:none}\n"
                  ".nl-new{fill:var(--accent);stroke:var(--accent)}\n"
                  ".nl-same{fill:var(--plain-edge);stroke:var(--plain-edge);fill-opacity:.45}\n"
                  ".nl-old{fill:var(--bg);stroke:var(--muted);stroke-dasharray:2 2}\n");
}
