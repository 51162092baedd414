/*
 * trace_mesh.c: the lines of a run are told to a picture of cards: publishers above the router,
 * viewers below it. What has ended stays, crossed out.
 */
#include "targets/bed/trace_mesh.h"

#include "targets/bed/bed.h"
#include "targets/bed/html.h"

#include <stdio.h>
#include <string.h>

#define PEERS  4
#define TEXT   MESH_TEXT
#define CARD   MESH_CARD
#define GAP    14
#define HEAD   38
#define ROW    17
#define REACH  44 /* between cards and router */
#define ROUTER 34
#define FITS   23 /* characters of an item */

struct mesh {
    struct mesh_card tells[PEERS], sees[PEERS];
};

static struct mesh_item *find_item(struct mesh_card *c, enum mesh_kind kind, unsigned long long id)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->items[i].kind == kind && c->items[i].id == id && !c->items[i].is_over)
            return &c->items[i];
    return NULL;
}

struct mesh_item *trace_mesh_take(struct mesh_card *c, enum mesh_kind kind, unsigned long long id)
{
    struct mesh_item *item = find_item(c, kind, id);

    for (size_t i = 0; item == NULL && c->count == MESH_ITEMS && i < MESH_ITEMS; i++) {
        if (!c->items[i].is_over)
            continue;
        memmove(&c->items[i], &c->items[i + 1], (--c->count - i) * sizeof c->items[0]);
    }
    if (item == NULL)
        item = &c->items[c->count < MESH_ITEMS ? c->count++ : MESH_ITEMS - 1];
    *item = (struct mesh_item){.kind = kind, .id = id};
    return item;
}

void trace_mesh_end(struct mesh_card *c, enum mesh_kind kind, unsigned long long id)
{
    struct mesh_item *item = find_item(c, kind, id);

    if (item != NULL)
        item->is_over = true;
}

/* ---- what the lines say ---------------------------------------------------------------------- */

void trace_mesh_tell(struct mesh_card *c, const char *line)
{
    char word[16], path[16];
    unsigned long long id, node = 0, seqno = 0, metric = 0;

    if (sscanf(line, "%15s %llu", word, &id) != 2)
        return;
    if (strcmp(word, "FLOOR") == 0 && sscanf(line, "%*s %*u of node %llu", &node) == 1) {
        snprintf(trace_mesh_take(c, MESH_FLOOR, node)->text, TEXT, "floor of %llu: %llu", node, id);
    } else if (strncmp(word, "ROUTE_", 6) == 0) {
        if (strcmp(word + 6, "END") == 0)
            trace_mesh_end(c, MESH_ROUTE, id);
        else if (sscanf(line, "%*s %*u node %llu seqno %llu metric %llu", &node, &seqno, &metric) ==
                 3)
            snprintf(trace_mesh_take(c, MESH_ROUTE, id)->text, TEXT, "route %llu: %llu/%llu%s",
                     node, seqno, metric, strstr(line, "down-only") != NULL ? " down" : "");
    } else if (strcmp(word, "END") == 0) {
        trace_mesh_end(c, MESH_CLAIM, id);
    } else if (sscanf(line, "%*s %*u %15s node %llu cost %llu", path, &node, &metric) == 3) {
        struct mesh_item *item = trace_mesh_take(c, MESH_CLAIM, id);

        if (node != 0)
            snprintf(item->text, TEXT, "%s of %llu, cost %llu", path, node, metric);
        else
            snprintf(item->text, TEXT, "%s, cost %llu", path, metric);
    }
}

static void drop_withheld(struct mesh_card *c, const char *path, unsigned long long node)
{
    char text[TEXT];

    snprintf(text, sizeof text, "%s of %llu", path, node);
    for (size_t i = 0; i < c->count; i++)
        if (c->items[i].kind == MESH_WITHHELD && strcmp(c->items[i].text, text) == 0)
            c->items[i].is_over = true;
}

/* "/a of node 6: its own node", "/a of node 6 no longer" */
static void tell_withheld(struct mesh_card *c, const char *line)
{
    char path[16];
    unsigned long long node, id;
    const char *reason = strstr(line, ": ");

    if (sscanf(line, "%15s of node %llu", path, &node) != 2)
        return;
    if (reason == NULL) {
        drop_withheld(c, path, node);
        return;
    }
    id = node;
    for (const char *p = path; *p != '\0'; p++)
        id = id * 31 + (unsigned char)*p;
    struct mesh_item *item = trace_mesh_take(c, MESH_WITHHELD, id);
    snprintf(item->text, TEXT, "%s of %llu", path, node);
    snprintf(item->reason, TEXT, "%s", reason + 2);
}

static void tell_joined(struct mesh_card *c, unsigned who, const char *line)
{
    static const char *const kinds[] = {"client", "peer", "upstream"};
    unsigned kind = 0, version = 0, cost = 0;

    sscanf(line, "kind %u version %u cost %u", &kind, &version, &cost);
    *c = (struct mesh_card){.is_on = true};
    snprintf(c->head, TEXT, "n%u, node %u", who, who + 2);
    snprintf(c->about, TEXT, "%s, lite-0%u", kind < 3 ? kinds[kind] : "?", version % 10);
    if (cost > 0)
        snprintf(c->about, TEXT, "%s, lite-0%u, +%u", kind < 3 ? kinds[kind] : "?", version % 10,
                 cost);
}

static void tell_line(struct mesh *m, const struct trace_step *step)
{
    char line[200], word[16], side;
    unsigned who;
    int at = 0;

    snprintf(line, sizeof line, "%.*s", (int)step->line.len, (const char *)step->line.data);
    if (sscanf(line, "%15s %c%u %n", word, &side, &who, &at) < 3 || at == 0 || who >= PEERS)
        return;
    struct mesh_card *c = side == 'n' ? &m->tells[who] : &m->sees[who];
    if (side != 'n' && side != 'a')
        return;
    if (strcmp(word, "joined") == 0)
        tell_joined(c, who, line + at);
    if (strcmp(word, "opened") == 0) {
        const char *prefix = strstr(line, "prefix ");

        *c = (struct mesh_card){.is_on = true};
        snprintf(c->head, TEXT, "a%u of n%u", who, who);
        snprintf(c->about, TEXT, "sees %s", prefix != NULL ? prefix + 7 : "");
        if (prefix != NULL && strcmp(prefix + 7, "\"\"") == 0)
            snprintf(c->about, TEXT, "sees all");
    }
    if (strcmp(word, "left") == 0 || strcmp(word, "broken") == 0) {
        c->is_lost = true;
        m->sees[who].is_lost = true;
        if (word[0] == 'b')
            snprintf(c->about, TEXT, "%s", line + at);
    }
    if (strcmp(word, "hears") == 0 || strcmp(word, "shows") == 0)
        trace_mesh_tell(c, line + at);
    if (strcmp(word, "withheld") == 0)
        tell_withheld(c, line + at);
}

/* ---- drawing --------------------------------------------------------------------------------- */

static int item_height(const struct mesh_item *item)
{
    return item->kind == MESH_WITHHELD && !item->is_over ? 2 * ROW - 3 : ROW;
}

void trace_mesh_measure(struct mesh_card *c)
{
    c->height = HEAD + (c->count > 0 ? 8 : 0);
    for (size_t k = 0; k < c->count; k++)
        c->height += item_height(&c->items[k]);
}

static int lay_out(struct mesh_card *cards, int width, int *out_height)
{
    int count = 0, at;

    *out_height = 0;
    for (int i = 0; i < PEERS; i++)
        count += cards[i].is_on;
    at = (width - count * CARD - (count - 1) * GAP) / 2;
    for (int i = 0; i < PEERS; i++) {
        struct mesh_card *c = &cards[i];

        if (!c->is_on)
            continue;
        c->x = at;
        at += CARD + GAP;
        trace_mesh_measure(c);
        if (c->height > *out_height)
            *out_height = c->height;
    }
    return count;
}

static void put_text(int x, int y, const char *names, const char *text, struct wb_buf *out)
{
    struct wb_view v = wb_view_text(text);

    bed_buf_print(out, "<text x=\"%d\" y=\"%d\" class=\"%s\">", x, y, names);
    html_text(out, wb_view_sub(v, 0, v.len > FITS + 2 ? FITS + 1 : v.len));
    html_raw(out, v.len > FITS + 2 ? "\xe2\x80\xa6</text>" : "</text>");
}

static void put_item(const struct mesh_item *item, int x, int y, struct wb_buf *out)
{
    static const char *const tones[] = {[MESH_CLAIM] = "good",
                                        [MESH_ROUTE] = "info",
                                        [MESH_FLOOR] = "plain",
                                        [MESH_WITHHELD] = "warn"};
    static const char *const shapes[] = {[MESH_CLAIM] = "m0 -4a4 4 0 1 1 -.1 0z",
                                         [MESH_ROUTE] = "m-4 -4h8v8h-8z",
                                         [MESH_FLOOR] = "m-5 -1h10v3h-10z",
                                         [MESH_WITHHELD] = "m0 -5l5 9h-10z"};

    bed_buf_print(out, "<path class=\"%s-a%s\" d=\"M%d %d%s\"/>", tones[item->kind],
                  item->is_over ? " over" : "", x + 13, y - 4, shapes[item->kind]);
    put_text(x + 24, y, item->is_over ? "t over" : "t", item->text, out);
    if (item->kind == MESH_WITHHELD && !item->is_over)
        put_text(x + 24, y + ROW - 3, "t m", item->reason, out);
}

void trace_mesh_put_card(const struct mesh_card *c, int y, struct wb_buf *out)
{
    int at = y + HEAD + 10;

    bed_buf_print(out,
                  "<rect class=\"card%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\"/>",
                  c->is_lost ? " lost" : "", c->x, y, CARD, c->height);
    put_text(c->x + 10, y + 17, "b", c->head, out);
    put_text(c->x + 10, y + 31, c->is_lost ? "m bad-t" : "m", c->about, out);
    for (size_t i = 0; i < c->count; i++) {
        put_item(&c->items[i], c->x, at, out);
        at += item_height(&c->items[i]);
    }
    html_raw(out, "\n");
}

/* A link, with its arrow on the side to which it tells; one that is lost is cut through. */
static void put_link(const struct mesh_card *c, int from_y, int to_x, int to_y, bool to_router,
                     struct wb_buf *out)
{
    int x = c->x + CARD / 2, head_x = to_router ? to_x : x, head_y = to_router ? to_y : from_y;

    bed_buf_print(out, "<path class=\"link%s\" d=\"M%d %dL%d %d\"/>", c->is_lost ? " lost" : "", x,
                  from_y, to_x, to_y);
    if (c->is_lost)
        bed_buf_print(out, "<path class=\"link lost x\" d=\"M%d %dl10 10m0 -10l-10 10\"/>",
                      (x + to_x) / 2 - 5, (from_y + to_y) / 2 - 5);
    else
        bed_buf_print(out, "<path class=\"tip\" d=\"M%d %dl-4 -8h8z\"/>", head_x, head_y);
}

static void put_links(const struct mesh *m, int width, int top, int router_y, int bottom,
                      struct wb_buf *out)
{
    int counts[2] = {0, 0}, at[2] = {0, 0};

    for (int i = 0; i < PEERS; i++) {
        counts[0] += m->tells[i].is_on;
        counts[1] += m->sees[i].is_on;
    }
    for (int i = 0; i < PEERS; i++) {
        const struct mesh_card *tells = &m->tells[i], *sees = &m->sees[i];

        if (tells->is_on)
            put_link(tells, top + tells->height, width / 2 + (2 * at[0]++ - counts[0] + 1) * 18,
                     router_y - 1, true, out);
        if (sees->is_on)
            put_link(sees, bottom - 1, width / 2 + (2 * at[1]++ - counts[1] + 1) * 18,
                     router_y + ROUTER, false, out);
    }
}

static void put_mesh(struct mesh *m, const char *id, struct wb_buf *out)
{
    int tells, sees, above, below, most = 2, most_wide;

    tells = lay_out(m->tells, 0, &above);
    sees = lay_out(m->sees, 0, &below);
    most = tells > most ? tells : most;
    most = sees > most ? sees : most;
    most_wide = most * CARD + (most - 1) * GAP + 2;
    lay_out(m->tells, most_wide, &above);
    lay_out(m->sees, most_wide, &below);
    int router_y = 2 + above + REACH, bottom = router_y + ROUTER + REACH;

    bed_buf_print(out,
                  "<div class=\"scroll mesh-box\" tabindex=\"0\" role=\"region\" "
                  "aria-label=\"The mesh\">\n<svg class=\"mesh\" role=\"img\" "
                  "aria-labelledby=\"%s-mesh\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
                  "%d\">\n<title id=\"%s-mesh\">Publishers, the router and viewers after the last "
                  "op; the steps below say the same.</title>\n",
                  id, most_wide, bottom + below + 4, most_wide, bottom + below + 4, id);
    put_links(m, most_wide, 2, router_y, bottom, out);
    bed_buf_print(out,
                  "<rect class=\"router\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"17\"/>"
                  "<text x=\"%d\" y=\"%d\" class=\"r\">Router, node 1</text>\n",
                  most_wide / 2 - 90, router_y, 180, ROUTER, most_wide / 2, router_y + 22);
    for (int i = 0; i < PEERS; i++) {
        if (m->tells[i].is_on)
            trace_mesh_put_card(&m->tells[i], 2 + above - m->tells[i].height, out);
        if (m->sees[i].is_on)
            trace_mesh_put_card(&m->sees[i], bottom, out);
    }
    html_raw(out, "</svg>\n</div>\n");
}

/* The end of a run closes all links; that is not part of how things stand. */
static size_t without_end(const struct trace_run *run)
{
    size_t n = run->count;

    while (n > 0 && run->steps[n - 1].line.len > 5 &&
           memcmp(run->steps[n - 1].line.data, "left ", 5) == 0)
        n--;
    return n;
}

void trace_mesh_put(const struct trace_run *run, struct wb_buf *out)
{
    struct mesh m = {0};

    for (size_t i = 0, n = without_end(run); i < n; i++)
        tell_line(&m, &run->steps[i]);
    put_mesh(&m, run->id, out);
}

void trace_mesh_legend(struct wb_buf *out)
{
    static const char *const texts[] = {
        [MESH_CLAIM] = "A claim, by path and origin's node. Crossed out: it has ended.",
        [MESH_ROUTE] = "A route: node, seqno/metric.",
        [MESH_FLOOR] = "A floor of a node.",
        [MESH_WITHHELD] = "A claim that is withheld or held, and why."};

    for (enum mesh_kind kind = MESH_CLAIM; kind <= MESH_WITHHELD; kind++) {
        html_raw(out, "<li><svg class=\"mesh\" aria-hidden=\"true\" width=\"72\" height=\"24\">");
        put_item(&(struct mesh_item){.kind = kind}, 23, 16, out);
        html_raw(out, "</svg><span>");
        html_raw(out, texts[kind]);
        html_raw(out, "</span></li>\n");
    }
}

void trace_mesh_style(struct wb_buf *out)
{
    html_raw(out, ".mesh-box{width:fit-content;border:0;margin:8px 0 16px}\n"
                  ".mesh{display:block}\n"
                  ".mesh text{font-size:12px;fill:var(--ink)}\n"
                  ".mesh .t{font:10.5px ui-monospace,SFMono-Regular,Consolas,'DejaVu Sans Mono',"
                  "monospace}\n"
                  ".mesh .m{fill:var(--muted);font-size:11px}\n"
                  ".mesh .bad-t{fill:var(--bad-edge)}\n"
                  ".mesh .t.m{font-size:10px}\n"
                  ".mesh .b{font-weight:600}\n"
                  ".mesh .r{font-weight:600;text-anchor:middle;fill:var(--on-accent)}\n"
                  ".mesh .router{fill:var(--accent)}\n"
                  ".mesh .card{fill:var(--panel);stroke:var(--line)}\n"
                  ".mesh .card.lost{stroke:var(--bad-edge);stroke-dasharray:4 3}\n"
                  ".mesh .link{stroke:var(--plain-edge);stroke-width:1.5;fill:none}\n"
                  ".mesh .link.lost{stroke:var(--bad-edge);stroke-dasharray:4 3}\n"
                  ".mesh .link.x{stroke-dasharray:none;stroke-width:2}\n"
                  ".mesh .tip{fill:var(--plain-edge)}\n"
                  ".mesh text.over{fill:var(--muted);text-decoration:line-through}\n"
                  ".mesh path.over{fill:none;stroke:var(--muted)}\n");
}
