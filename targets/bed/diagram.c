/*
 * diagram.c: rows are written as they come, into two layers: bands and bars lie behind the
 * lifelines, arrows and text before them.
 */
#include "targets/bed/diagram.h"

#include "targets/bed/bed.h"
#include "targets/bed/html.h"

#include <stdio.h>
#include <string.h>

#define ROW_HEIGHT   42 /* at least; a row without a number is a lower one */
#define LOW_HEIGHT   32
#define LINE_HEIGHT  20
#define LINE_COLUMNS 56 /* a sentence's, where the window is just wide enough for two columns */
#define HEAD_HEIGHT  40
#define HEAD_EVERY   900
#define GUTTER       84 /* numbers and times */
#define TEXT_Y       16 /* of the label, in its row */
#define ARROW_Y      26
#define INSIDE_Y     32 /* of text inside a lane */
#define BAR_WIDTH    10
#define WORDS_WIDTH  560  /* least width of the sentences beside a drawing */
#define PAGE_WIDTH   1280 /* what a page has at most */
#define DIAGRAM_ROOM 400  /* a label has no more */
#define COLUMN_10    66   /* tenths of a pixel a character of a label is wide */

static const char *const tone_names[] = {"plain", "info", "good", "warn", "bad"};

/* Each state's edge has a pattern of its own, for those who tell colours apart badly. */
static const char drawing_style[] =
    ".drawing svg{display:block}\n"
    ".drawing .scroll{width:fit-content}\n"
    ".drawing .hint{font-size:.85rem}\n"
    ".drawing text{fill:var(--ink);font-size:12px}\n"
    ".drawing .m{fill:var(--muted)}\n"
    ".drawing .c,.drawing .h{paint-order:stroke;stroke:var(--bg);stroke-width:4px;"
    "stroke-linejoin:round}\n"
    ".drawing .c{font:11px ui-monospace,SFMono-Regular,Consolas,'DejaVu Sans Mono',monospace}\n"
    ".drawing .b{font-weight:700}\n"
    ".drawing .life{stroke:var(--plain-edge);stroke-width:1;stroke-dasharray:2 4}\n"
    ".drawing .fill{stroke:var(--info-edge);stroke-width:7;opacity:.55}\n"
    ".drawing .tear{fill:none;stroke:var(--muted);stroke-width:1.5}\n"
    ".drawing .bar{stroke:var(--ink);stroke-width:1}\n"
    ".drawing .hatch{stroke:var(--ink);stroke-width:1.5}\n"
    ".drawing .i{font-size:11px}\n"
    ".drawing .good-t{fill:var(--good-edge)}\n"
    ".drawing .warn-t{fill:var(--warn-edge)}\n"
    ".drawing .bad-t{fill:var(--bad-edge)}\n"
    ".drawing .n{stroke:none}\n"
    ".drawing .ground{fill:var(--bg)}\n"
    ".drawing line.a{stroke-width:1.75}\n"
    ".plain-a{stroke:var(--ink);fill:var(--ink)}\n"
    ".info-a{stroke:var(--info-edge);fill:var(--info-edge)}\n"
    ".good-a{stroke:var(--good-edge);fill:var(--good-edge)}\n"
    ".warn-a{stroke:var(--warn-edge);fill:var(--warn-edge)}\n"
    ".bad-a{stroke:var(--bad-edge);fill:var(--bad-edge)}\n"
    ".plain-s{fill:var(--plain);stroke:var(--plain-edge);stroke-width:1}\n"
    ".info-s{fill:var(--info);stroke:var(--info-edge);stroke-width:1.5;stroke-dasharray:6 2}\n"
    ".good-s{fill:var(--good);stroke:var(--good-edge);stroke-width:1.5}\n"
    ".warn-s{fill:var(--warn);stroke:var(--warn-edge);stroke-width:2;stroke-dasharray:2 2}\n"
    ".bad-s{fill:var(--bad);stroke:var(--bad-edge);stroke-width:3}\n"
    ".swatch{display:inline-block;vertical-align:-6px;margin-right:8px}\n"
    ".swatch text{font:700 12px system-ui,'DejaVu Sans',sans-serif;fill:var(--ink)}\n"
    ".words{list-style:none;margin:16px 0;padding:0;font-size:14px;line-height:20px}\n"
    ".words li{padding:6px 4px;border-top:1px solid var(--line);display:flex;gap:8px;"
    "overflow-wrap:anywhere}\n"
    ".words .n{flex:0 0 2.2em;text-align:right;color:var(--muted);"
    "font-variant-numeric:tabular-nums}\n"
    ".words .t{flex:0 0 4.6em;text-align:right;color:var(--muted);"
    "font-variant-numeric:tabular-nums}\n"
    ".words.list .t{display:none}\n"
    ".words .s{flex:1;min-width:0}\n";

void diagram_init(struct diagram *d, const char *id, int width)
{
    *d = (struct diagram){.id = id, .width = width, .y = HEAD_HEIGHT, .head_y = 0};
    d->back = bed_buf();
    d->front = bed_buf();
    d->words = bed_buf();
}

void diagram_fini(struct diagram *d)
{
    wb_buf_fini(&d->back);
    wb_buf_fini(&d->front);
    wb_buf_fini(&d->words);
}

/* Appends text of at most `columns` characters; what is cut off leaves an ellipsis. */
static void put_fitted(struct wb_buf *out, const char *text, int columns)
{
    size_t fits = columns > 1 ? (size_t)columns : 1;
    struct wb_view v = wb_view_text(text);
    if (v.len > fits) {
        html_text(out, wb_view_sub(v, 0, fits - 1));
        html_raw(out, "\xe2\x80\xa6");
    } else {
        html_text(out, v);
    }
}

static void put_text(struct wb_buf *out, int x, int y, const char *anchor, const char *names,
                     const char *text, int columns)
{
    bed_buf_print(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" class=\"%s\">", x, y, anchor,
                  names);
    put_fitted(out, text, columns);
    html_raw(out, "</text>\n");
}

/* The names of all lanes, from `y` on. */
static void put_head(struct diagram *d, int y)
{
    d->head_y = y;
    bed_buf_print(&d->front,
                  "<rect class=\"ground\" x=\"0\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", y,
                  d->width, HEAD_HEIGHT);
    for (size_t i = 0; i < d->lane_count; i++) {
        const struct diagram_lane *lane = &d->lanes[i];
        const char *second = strchr(lane->name, '\n');
        char first[DIAGRAM_LABEL];
        snprintf(first, sizeof first, "%.*s",
                 (int)(second != NULL ? second - lane->name : DIAGRAM_LABEL - 1), lane->name);
        put_text(&d->front, lane->x, y + 16, "middle", "b", first, 24);
        if (second != NULL)
            put_text(&d->front, lane->x, y + 31, "middle", "m", second + 1, 24);
    }
}

size_t diagram_lane(struct diagram *d, struct diagram_lane lane)
{
    WB_ASSERT(d->lane_count < DIAGRAM_LANES);
    d->lanes[d->lane_count] = lane;
    return d->lane_count++;
}

void diagram_row(struct diagram *d, const char *time, struct wb_view words, bool has_number)
{
    size_t lines = html_columns(words) / LINE_COLUMNS + 1;
    int gap = 0;

    d->y += d->height;
    if (d->y - d->head_y > HEAD_EVERY) {
        put_head(d, d->y);
        d->y += gap = HEAD_HEIGHT;
    }
    d->height = LINE_HEIGHT * (int)lines + 12;
    if (d->height < (has_number ? ROW_HEIGHT : LOW_HEIGHT))
        d->height = has_number ? ROW_HEIGHT : LOW_HEIGHT;

    bed_buf_print(&d->words, "<li style=\"--h:%dpx;--gap:%dpx\"><span class=\"n\">", d->height,
                  gap);
    if (has_number) {
        char number[16];
        snprintf(number, sizeof number, "%u", ++d->steps);
        put_text(&d->front, 6, d->y + TEXT_Y, "start", "m", number, 6);
        html_raw(&d->words, number);
    }
    html_raw(&d->words, "</span><span class=\"t\">");
    if (time != NULL) {
        put_text(&d->front, GUTTER - 8, d->y + TEXT_Y, "end", "b", time, 10);
        html_text(&d->words, wb_view_text(time));
    }
    html_raw(&d->words, "</span><span class=\"s\">");
    bed_must(wb_buf_add(&d->words, words));
    html_raw(&d->words, "</span></li>\n");
}

void diagram_banner(struct diagram *d, enum diagram_tone tone, const char *text)
{
    bed_buf_print(&d->front,
                  "<rect class=\"%s-s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"24\" rx=\"4\"/>\n",
                  tone_names[tone], GUTTER, d->y + 2, d->width - GUTTER - 6);
    put_text(&d->front, GUTTER + 8, d->y + 18, "start", "c n", text,
             (d->width - GUTTER - 20) * 10 / COLUMN_10);
}

void diagram_break(struct diagram *d, const char *text)
{
    int y = d->y + d->height / 2;

    for (size_t i = 0; i < d->lane_count; i++) {
        int x = d->lanes[i].x;
        bed_buf_print(&d->front,
                      "<rect class=\"ground\" x=\"%d\" y=\"%d\" width=\"28\" height=\"8\"/>"
                      "<path class=\"tear\" d=\"M%d %dl7 -6l7 6l7 -6l7 6M%d %dl7 -6l7 6l7 -6l7 "
                      "6\"/>\n",
                      x - 14, y - 4, x - 14, y - 1, x - 14, y + 7);
    }
    put_text(&d->front, GUTTER - 8, y + 4, "end", "m", text, 14);
}

/* Where an arrow meets the lane, coming from `other`. */
static int edge_of(const struct diagram_lane *lane, const struct diagram_lane *other)
{
    return lane->x + (other->x > lane->x ? lane->width : -lane->width) / 2;
}

/*
 * Above the arrow, from its end at an actor on: across streams up to the next actor. At an arrow
 * between two actors it begins on the left.
 */
static void put_label(struct diagram *d, const struct diagram_lane *a, const struct diagram_lane *b,
                      const char *label)
{
    bool at_b = a->kind == DIAGRAM_STREAM || (b->kind != DIAGRAM_STREAM && b->x < a->x);
    const struct diagram_lane *at = at_b ? b : a, *other = at_b ? a : b;
    int way = other->x > at->x ? 1 : -1, room = DIAGRAM_ROOM;

    for (size_t i = 0; i < d->lane_count; i++) {
        const struct diagram_lane *lane = &d->lanes[i];
        int away = (lane->x - at->x) * way - (lane->width + at->width) / 2;
        if (lane->kind != DIAGRAM_STREAM && away > 0 && away < room)
            room = away;
    }
    put_text(&d->front, edge_of(at, other) + 6 * way, d->y + TEXT_Y, way > 0 ? "start" : "end", "c",
             label, (room - 8) * 10 / COLUMN_10);
}

void diagram_arrow(struct diagram *d, size_t from, size_t to, enum diagram_tone tone,
                   const char *label, bool lost)
{
    const struct diagram_lane *a = &d->lanes[from], *b = &d->lanes[to];
    int begin = edge_of(a, b), end = edge_of(b, a), y = d->y + ARROW_Y;
    int way = end > begin ? 1 : -1;
    const char *name = tone_names[tone];

    bed_buf_print(&d->front, "<line class=\"a %s-a\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"%s/>",
                  name, begin, y, end - 6 * way, y, lost ? " stroke-dasharray=\"5 3\"" : "");
    if (lost)
        bed_buf_print(&d->front,
                      "<path class=\"a %s-a\" d=\"M%d %dl8 8m0 -8l-8 8\" stroke-width=\"2\"/>\n",
                      name, end - 4 - 8 * way, y - 4);
    else
        bed_buf_print(&d->front, "<path class=\"%s-a\" d=\"M%d %dl%d -4v8z\"/>\n", name, end, y,
                      -8 * way);
    if (label == NULL)
        return;
    put_label(d, a, b, label);
}

/* ---- what lasts ---- */

static void end_band(struct diagram *d, struct diagram_lane *lane)
{
    if (lane->is_band)
        bed_buf_print(&d->back,
                      "<rect class=\"%s-s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
                      tone_names[lane->tone], lane->x - lane->width / 2, lane->band_y, lane->width,
                      d->y - lane->band_y);
    lane->is_band = false;
}

void diagram_band(struct diagram *d, size_t index, enum diagram_tone tone, const char *label)
{
    struct diagram_lane *lane = &d->lanes[index];

    end_band(d, lane);
    if (label == NULL)
        return;
    lane->is_band = true;
    lane->band_y = d->y;
    lane->tone = tone;
    snprintf(lane->label, sizeof lane->label, "%s", label);
    put_text(&d->front, lane->x, d->y + TEXT_Y, "middle", "b", label, 16);
}

static void end_bar(struct diagram *d, struct diagram_lane *lane, int y)
{
    if (lane->is_bar)
        bed_buf_print(&d->back,
                      "<rect class=\"bar\" fill=\"url(#%s-hatch)\" x=\"%d\" y=\"%d\" width=\"%d\" "
                      "height=\"%d\"/>\n",
                      d->id, lane->x + lane->side * lane->width / 2 - BAR_WIDTH / 2, lane->bar_y,
                      BAR_WIDTH, y - lane->bar_y);
    lane->is_bar = false;
}

void diagram_bar(struct diagram *d, size_t index, bool on)
{
    struct diagram_lane *lane = &d->lanes[index];

    end_bar(d, lane, d->y + ARROW_Y - 6);
    lane->is_bar = on;
    lane->bar_y = d->y + 6;
}

static void end_fill(struct diagram *d, struct diagram_lane *lane, int y)
{
    if (lane->is_filled)
        bed_buf_print(&d->back, "<line class=\"fill\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n",
                      lane->x, lane->fill_y, lane->x, y);
    lane->is_filled = false;
}

void diagram_fill(struct diagram *d, size_t index, bool on)
{
    struct diagram_lane *lane = &d->lanes[index];

    if (on == lane->is_filled)
        return;
    end_fill(d, lane, d->y + ARROW_Y);
    lane->is_filled = on;
    lane->fill_y = d->y + ARROW_Y;
}

void diagram_inside(struct diagram *d, size_t index, const char *text)
{
    put_text(&d->front, d->lanes[index].x, d->y + INSIDE_Y, "middle", "i", text, 18);
}

void diagram_beside(struct diagram *d, size_t index, enum diagram_tone tone, const char *text)
{
    const struct diagram_lane *lane = &d->lanes[index];
    int edge = lane->x + lane->side * lane->width / 2;
    char names[16];

    snprintf(names, sizeof names, "h %s-t", tone_names[tone]);
    put_text(&d->front, edge + lane->side * (BAR_WIDTH / 2 + 4), d->y + TEXT_Y,
             lane->side > 0 ? "start" : "end", names, text, 48);
}

/* ---- the whole ---- */

/* Those of lanes with states lie behind their bands, so that none crosses a name. */
static void put_lifelines(const struct diagram *d, bool of_states, struct wb_buf *out)
{
    for (size_t i = 0; i < d->lane_count; i++)
        if ((d->lanes[i].kind == DIAGRAM_STATES) == of_states)
            bed_buf_print(out, "<line class=\"life\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n",
                          d->lanes[i].x, HEAD_HEIGHT, d->lanes[i].x, d->y);
}

static void put_drawing(struct diagram *d, const char *title, const char *text, struct wb_buf *out)
{
    d->y += d->height;
    d->height = 0;
    for (size_t i = 0; i < d->lane_count; i++) {
        end_band(d, &d->lanes[i]);
        end_bar(d, &d->lanes[i], d->y);
        end_fill(d, &d->lanes[i], d->y);
    }
    put_head(d, 0);
    html_raw(out, "<p class=\"hint muted\">The drawing is wider than this window and scrolls "
                  "sideways. The list below it says the same in words.</p>\n");
    html_raw(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
    html_text(out, wb_view_text(title));
    bed_buf_print(out,
                  "\">\n<svg role=\"img\" aria-labelledby=\"%s-title %s-text\" "
                  "width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n"
                  "<title id=\"%s-title\">",
                  d->id, d->id, d->width, d->y + 8, d->width, d->y + 8, d->id);
    html_text(out, wb_view_text(title));
    bed_buf_print(out, "</title>\n<desc id=\"%s-text\">", d->id);
    html_text(out, wb_view_text(text));
    bed_buf_print(out,
                  "</desc>\n<defs><pattern id=\"%s-hatch\" width=\"6\" height=\"6\" "
                  "patternUnits=\"userSpaceOnUse\"><rect class=\"ground\" width=\"6\" "
                  "height=\"6\"/><path class=\"hatch\" d=\"M0 6l6 -6\"/></pattern></defs>\n",
                  d->id);
    put_lifelines(d, true, out);
    bed_must(wb_buf_add(out, wb_buf_view(&d->back)));
    put_lifelines(d, false, out);
    bed_must(wb_buf_add(out, wb_buf_view(&d->front)));
    html_raw(out, "</svg>\n</div>\n");
}

void diagram_write(struct diagram *d, const char *title, const char *text, struct wb_buf *out)
{
    if (d->lane_count > 0)
        bed_buf_print(out, "<div class=\"drawing w%d\">\n", d->width);
    else
        html_raw(out, "<div>\n");
    if (d->lane_count > 0)
        put_drawing(d, title, text, out);
    html_raw(out, d->lane_count > 0 ? "<ol class=\"words\">\n" : "<ol class=\"words list\">\n");
    bed_must(wb_buf_add(out, wb_buf_view(&d->words)));
    html_raw(out, "</ol>\n</div>\n");
}

void diagram_base_style(struct wb_buf *out)
{
    html_raw(out, drawing_style);
}

void diagram_width_style(int width, struct wb_buf *out)
{
    bed_buf_print(out, "@media (min-width:%dpx){.w%d .hint{display:none}}\n", width + 48, width);
    if (width + WORDS_WIDTH > PAGE_WIDTH)
        return;
    /* Two columns: each sentence is as high as its row, the list begins below the lanes' names. */
    bed_buf_print(out,
                  "@media (min-width:%dpx){.w%d{display:flex;align-items:flex-start;gap:16px}"
                  ".w%d .scroll{flex:none}"
                  ".w%d .words{flex:1;min-width:0;margin:%dpx 0 0}"
                  ".w%d .words li{height:var(--h);margin-top:var(--gap);padding:4px}}\n",
                  width + WORDS_WIDTH + 24, width, width, width, HEAD_HEIGHT + 1, width);
}

void diagram_style(int width, struct wb_buf *out)
{
    diagram_base_style(out);
    diagram_width_style(width, out);
}

void diagram_swatch(enum diagram_tone tone, const char *label, struct wb_buf *out)
{
    bed_buf_print(out,
                  "<svg class=\"swatch\" aria-hidden=\"true\" width=\"72\" height=\"24\">"
                  "<rect class=\"%s-s\" x=\"2\" y=\"2\" width=\"68\" height=\"20\"/>"
                  "<text x=\"36\" y=\"16\" text-anchor=\"middle\">",
                  tone_names[tone]);
    html_text(out, wb_view_text(label));
    html_raw(out, "</text></svg>");
}
