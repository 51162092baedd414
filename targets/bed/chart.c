/*
 * chart.c: numbers are whole; logarithms are base 2
 * with 8 bits behind the point.
 */
#include "targets/bed/chart.h"

#include "targets/bed/bed.h"
#include "targets/bed/html.h"

#include <string.h>

enum { WIDTH = 360, HEIGHT = 158, LEFT = 34, RIGHT = 44, TOP = 12, BOTTOM = 24 };

static const char style_charts[] =
    ".chart{display:block;width:100%;height:auto}\n"
    ".chart text{font-size:10.5px;fill:var(--muted);text-anchor:middle;"
    "font-variant-numeric:tabular-nums}\n"
    ".chart .ye{text-anchor:end}\n"
    ".chart .end{text-anchor:start;font-size:11.5px;font-weight:600}\n"
    ".chart .e-main{fill:var(--accent)}\n"
    ".chart .e-other{fill:var(--ink)}\n"
    ".chart .g{stroke:var(--line);fill:none}\n"
    ".chart .t{stroke:var(--plain-edge)}\n"
    ".c-main{stroke:var(--accent);stroke-width:2;fill:none;stroke-linejoin:round}\n"
    ".c-other{stroke:var(--ink);stroke-width:1.5;stroke-dasharray:4 3;fill:none}\n"
    ".c-area{fill:var(--accent);opacity:.09}\n"
    ".d-main{fill:var(--accent)}\n"
    ".d-other{fill:var(--ink)}\n"
    ".key{white-space:nowrap;color:var(--ink)}\n"
    ".key::before{content:'';display:inline-block;width:22px;vertical-align:middle;"
    "margin-right:7px;border-top:2px solid var(--accent)}\n"
    ".key.k-other::before{border-top:2px dashed var(--ink)}\n"
    ".c-bar{display:block;width:100%;height:10px}\n"
    ".b-ground{fill:var(--plain)}\n"
    ".b-main{fill:var(--accent)}\n"
    ".b-warn{fill:var(--warn-edge)}\n"
    ".b-tick{stroke:var(--ink);stroke-width:1.5;fill:none}\n"
    ".c-bar .b-tick{stroke-width:2}\n"
    ".bullet{display:block;width:120px;height:12px}\n"
    ".spark{display:block;width:80px;height:18px}\n"
    ".spark .c-main{stroke-width:1.5}\n";

/* 256 * log2(n), the part behind the point linear between powers. */
static uint64_t log_of(uint64_t n)
{
    unsigned power = 63u - (unsigned)__builtin_clzll(n | 1);
    uint64_t base = UINT64_C(1) << power;

    return n <= 1 ? 0 : power * UINT64_C(256) + (n - base) * 256 / base;
}

/* 1, 2, 5, 10, 20, ...: the first with at most four steps up to `most`. */
static uint64_t step_of(uint64_t most)
{
    static const uint64_t leads[] = {1, 2, 5};
    for (uint64_t power = 1;; power *= 10)
        for (size_t i = 0; i < 3; i++)
            if (most / (leads[i] * power) <= 4)
                return leads[i] * power;
}

struct frame {
    uint64_t x_most, y_most;
};

static int x_at(const struct frame *f, uint64_t x)
{
    uint64_t whole = log_of(f->x_most);
    return LEFT + (int)(log_of(x) * (WIDTH - LEFT - RIGHT) / (whole > 0 ? whole : 1));
}

static int y_at(const struct frame *f, uint64_t y)
{
    return HEIGHT - BOTTOM - (int)(y * (HEIGHT - TOP - BOTTOM) / (f->y_most > 0 ? f->y_most : 1));
}

static void put_grid(const struct frame *f, struct wb_buf *out)
{
    static const char *const names[] = {"1", "10", "100", "1k", "10k", "100k", "1M", "10M"};
    uint64_t step = step_of(f->y_most), n = 1;

    for (uint64_t y = 0; y <= f->y_most; y += step)
        bed_buf_print(out,
                      "<path class=\"g\" d=\"M%d %dH%d\"/><text x=\"%d\" y=\"%d\" class=\"ye\">"
                      "%llu</text>",
                      LEFT, y_at(f, y), WIDTH - RIGHT, LEFT - 6, y_at(f, y) + 4,
                      (unsigned long long)y);
    for (size_t i = 0; i < 8 && n <= f->x_most; i++, n *= 10)
        bed_buf_print(out, "<path class=\"g t\" d=\"M%d %dv4\"/><text x=\"%d\" y=\"%d\">%s</text>",
                      x_at(f, n), HEIGHT - BOTTOM, x_at(f, n), HEIGHT - 6, names[i]);
}

static void put_line(const struct frame *f, const struct chart_line *line, struct wb_buf *out)
{
    int x = x_at(f, line->x[0]), y = y_at(f, line->y[0]);

    bed_buf_print(out, "<path class=\"c-%s\" d=\"M%d %d", line->tone, x, y);
    for (size_t i = 1; i < line->count; i++) {
        int to_x = x_at(f, line->x[i]), to_y = y_at(f, line->y[i]);

        if (to_x == x && to_y == y)
            continue;
        bed_buf_print(out, "H%dV%d", to_x, to_y);
        x = to_x;
        y = to_y;
    }
    html_raw(out, "\"/>");
    if (strcmp(line->tone, "main") == 0) {
        bed_buf_print(out, "<path class=\"c-area\" d=\"M%d %dV%d", x_at(f, line->x[0]),
                      HEIGHT - BOTTOM, y_at(f, line->y[0]));
        for (size_t i = 1; i < line->count; i++)
            bed_buf_print(out, "H%dV%d", x_at(f, line->x[i]), y_at(f, line->y[i]));
        bed_buf_print(out, "V%dz\"/>", HEIGHT - BOTTOM);
    }
}

/* The last value of each line beside its end, moved apart where they would meet. */
static void put_ends(const struct frame *f, const struct chart_line *lines, size_t count,
                     struct wb_buf *out)
{
    int last = -100;

    for (size_t i = 0; i < count; i++) {
        uint64_t value = lines[i].y[lines[i].count - 1];
        int y = y_at(f, value);

        bed_buf_print(out, "<circle class=\"d-%s\" cx=\"%d\" cy=\"%d\" r=\"3\"/>", lines[i].tone,
                      x_at(f, lines[i].x[lines[i].count - 1]), y);
        if (y - last < 13 && y >= last)
            y = last + 13;
        else if (last - y < 13 && y < last)
            y = last - 13;
        last = y;
        bed_buf_print(out, "<text x=\"%d\" y=\"%d\" class=\"end e-%s\">%llu</text>",
                      WIDTH - RIGHT + 8, y + 4, lines[i].tone, (unsigned long long)value);
    }
}

void chart_curves(const char *title, const struct chart_line *lines, size_t count,
                  struct wb_buf *out)
{
    struct frame f = {.x_most = 10, .y_most = 1};

    for (size_t i = 0; i < count; i++) {
        const struct chart_line *line = &lines[i];

        if (line->x[line->count - 1] > f.x_most)
            f.x_most = line->x[line->count - 1];
        if (line->y[line->count - 1] > f.y_most)
            f.y_most = line->y[line->count - 1];
    }
    bed_buf_print(out, "<svg class=\"chart\" role=\"img\" viewBox=\"0 0 %d %d\"><title>", WIDTH,
                  HEIGHT);
    html_text(out, wb_view_text(title));
    html_raw(out, "</title>");
    put_grid(&f, out);
    for (size_t i = count; i-- > 0;)
        put_line(&f, &lines[i], out);
    put_ends(&f, lines, count, out);
    html_raw(out, "</svg>\n");
}

void chart_bar(const char *title, unsigned permille, int tick, const char *tone, struct wb_buf *out)
{
    html_raw(out, "<svg class=\"c-bar\" role=\"img\" viewBox=\"0 0 200 10\" "
                  "preserveAspectRatio=\"none\"><title>");
    html_text(out, wb_view_text(title));
    bed_buf_print(out,
                  "</title><rect class=\"b-ground\" width=\"200\" height=\"6\" y=\"2\"/>"
                  "<rect class=\"b-%s\" width=\"%u\" height=\"6\" y=\"2\"/>",
                  tone, permille / 5);
    if (tick >= 0)
        bed_buf_print(out, "<path class=\"b-tick\" d=\"M%d 0v10\"/>", tick / 5);
    html_raw(out, "</svg>");
}

void chart_bullet(uint64_t value, uint64_t bar, bool is_good, struct wb_buf *out)
{
    uint64_t length = bar == 0 ? (value == 0 ? 0 : 120) : value * 80 / bar;

    bed_buf_print(out,
                  "<svg class=\"bullet\" aria-hidden=\"true\" viewBox=\"0 0 120 12\" "
                  "preserveAspectRatio=\"none\"><rect "
                  "class=\"b-ground\" width=\"120\" height=\"6\" y=\"3\"/><rect class=\"b-%s\" "
                  "width=\"%u\" height=\"6\" y=\"3\"/><path class=\"b-tick\" d=\"M%d "
                  "0v12\"/></svg>",
                  is_good ? "main" : "warn", (unsigned)(length > 120 ? 120 : length),
                  bar == 0 ? 1 : 80);
}

void chart_spark(const uint64_t *values, size_t count, struct wb_buf *out)
{
    uint64_t least = UINT64_MAX, most = 0;

    for (size_t i = 0; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    html_raw(out, "<svg class=\"spark\" aria-hidden=\"true\" viewBox=\"0 0 80 18\">");
    for (size_t i = 0; i < count; i++) {
        int x = count > 1 ? 4 + (int)(i * 72 / (count - 1)) : 76;
        int y = most > least ? 15 - (int)((values[i] - least) * 12 / (most - least)) : 9;

        bed_buf_print(out, i == 0 ? "<path class=\"c-main\" d=\"M%d %d" : "L%d %d", x, y);
        if (i + 1 == count)
            bed_buf_print(out, "\"/><circle class=\"d-main\" cx=\"%d\" cy=\"%d\" r=\"2.5\"/>", x,
                          y);
    }
    html_raw(out, "</svg>");
}

void chart_style(struct wb_buf *out)
{
    html_raw(out, style_charts);
}
