/*
 * trace_chain.c: the lines of a chain are told to cards, for how things stand at the end, and to a
 * sequence diagram.
 */
#include "targets/bed/trace_chain.h"

#include "targets/bed/bed.h"
#include "targets/bed/html.h"
#include "targets/bed/trace_announce.h"
#include "targets/bed/trace_mesh.h"

#include <stdio.h>
#include <string.h>

#define LINKS    4
#define SESSIONS 3
#define ROUTERS  3
#define TEXT     200
#define ROWS_MAX 2000

enum { LANE = 300, MARGIN = 140, GAP = 54, LIFT = 24 };

/* "hears l0 START 0 /a …": a verb, a letter with a number, and the rest. */
enum verb { LINKED, LOST, OFFERS, TAKES, HEARS, SHOWS, RELAY, ASKS, NO_VERB };
static const char *const verbs[] = {"linked", "lost",  "offers", "takes",
                                    "hears",  "shows", "relay",  "asks"};
static const char *const names[] = {"O", "A", "B", "V"};
static const unsigned ways[LINKS][3] = {{0, 1, 0}, {0, 2, 1}, {1, 2, 2}, {2, 1, 2}};
static const unsigned ends[SESSIONS][2] = {{0, 1}, {0, 2}, {1, 2}};

struct line {
    enum verb verb;
    unsigned who;
    char text[TEXT];
};

static struct line read_line(const struct trace_step *step)
{
    static const unsigned most[] = {SESSIONS, SESSIONS, ROUTERS, ROUTERS,
                                    LINKS,    1,        ROUTERS, ROUTERS};
    static const char sides[] = "ssrrlvrr";
    struct line l = {.verb = NO_VERB};
    char line[TEXT + 32], word[16], side = 0;
    int at = 0;

    snprintf(line, sizeof line, "%.*s", (int)step->line.len, (const char *)step->line.data);
    if (sscanf(line, "%15s %c%u %n", word, &side, &l.who, &at) < 3 || at == 0)
        return l;
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (strcmp(word, verbs[i]) == 0 && side == sides[i] && l.who < most[i])
            l.verb = (enum verb)i;
    snprintf(l.text, sizeof l.text, "%s", line + at);
    return l;
}

bool trace_chain_is(const struct trace_run *run)
{
    for (size_t i = 0; i < run->count; i++)
        if (read_line(&run->steps[i]).verb == LINKED)
            return true;
    return false;
}

/* ---- how things stand ------------------------------------------------------------------------ */

struct chain {
    struct mesh_card origin, viewer, relays[ROUTERS], links[LINKS];
    unsigned offers;
};

/* "/a cost 3", "/a back" */
static void tell_origin(struct chain *m, const struct line *l)
{
    char path[32], text[MESH_TEXT];
    unsigned cost = 0;

    if (sscanf(l->text, "%31s cost %u", path, &cost) == 2) {
        snprintf(trace_mesh_take(&m->origin, MESH_CLAIM, ++m->offers)->text, MESH_TEXT,
                 "%s, cost %u", path, cost);
        return;
    }
    snprintf(text, sizeof text, "%s, ", path);
    for (size_t i = 0; i < m->origin.count; i++)
        m->origin.items[i].is_over |= strncmp(m->origin.items[i].text, text, strlen(text)) == 0;
}

/* "by O seqno 1 metric 1 floor 0 /a held:/b" */
static void tell_relay(struct mesh_card *c, const char *text)
{
    unsigned long long seqno, metric, floor;
    char by[8], claim[40];
    unsigned id = 0;
    int at = 0, len;

    c->count = 0;
    snprintf(c->about, MESH_TEXT, "no next hop");
    if (sscanf(text, "by %7s seqno %llu metric %llu floor %llu%n", by, &seqno, &metric, &floor,
               &at) < 4)
        return;
    snprintf(c->about, MESH_TEXT, "next hop %s", by);
    snprintf(trace_mesh_take(c, MESH_ROUTE, 0)->text, MESH_TEXT, "route: %llu/%llu", seqno, metric);
    snprintf(trace_mesh_take(c, MESH_FLOOR, 0)->text, MESH_TEXT, "floor: %llu", floor);
    for (; sscanf(text + at, " %39s%n", claim, &len) == 1; at += len) {
        bool held = strncmp(claim, "held:", 5) == 0;
        struct mesh_item *item = trace_mesh_take(c, held ? MESH_WITHHELD : MESH_CLAIM, id++);

        snprintf(item->text, MESH_TEXT, "%s%s", claim + (held ? 5 : 0), held ? " held" : "");
        snprintf(item->reason, MESH_TEXT, "its next hop lacks it");
    }
}

/* The id goes in front of what a card says of a claim. */
static void tell_link(struct mesh_card *c, const char *text)
{
    char word[16], path[32];
    unsigned long long id, cost;

    trace_mesh_tell(c, text);
    if (sscanf(text, "%15s %llu %31s node %*u cost %llu", word, &id, path, &cost) == 4)
        snprintf(trace_mesh_take(c, MESH_CLAIM, id)->text, MESH_TEXT, "id %llu %s, cost %llu", id,
                 path, cost);
}

static void tell_line(struct chain *m, const struct line *l)
{
    switch (l->verb) {
    case LINKED:
        for (size_t i = 0; i < LINKS; i++)
            if (ways[i][2] == l->who) {
                m->links[i] = (struct mesh_card){.is_on = true};
                snprintf(m->links[i].head, MESH_TEXT, "%s to %s", names[ways[i][0]],
                         names[ways[i][1]]);
                snprintf(m->links[i].about, MESH_TEXT, "l%zu, %.40s", i, l->text);
            }
        break;
    case LOST:
        for (size_t i = 0; i < LINKS; i++)
            m->links[i].is_lost |= ways[i][2] == l->who;
        break;
    case OFFERS:
    case TAKES:
        tell_origin(m, l);
        break;
    case HEARS:
        tell_link(&m->links[l->who], l->text);
        break;
    case SHOWS:
        tell_link(&m->viewer, l->text);
        break;
    case RELAY:
        tell_relay(&m->relays[l->who], l->text);
        break;
    case ASKS:
    case NO_VERB:
        break;
    }
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

static void put_way(const struct mesh_card *link, int x, int y, int to_x, int to_y,
                    struct wb_buf *out)
{
    bool across = to_y == y;

    bed_buf_print(out, "<path class=\"link%s\" d=\"M%d %dL%d %d\"/>", link->is_lost ? " lost" : "",
                  x, y, to_x, to_y);
    if (!link->is_lost && across)
        bed_buf_print(out, "<path class=\"tip\" d=\"M%d %dl%d -4v8z\"/>", to_x, to_y,
                      to_x > x ? -8 : 8);
    else if (!link->is_lost)
        bed_buf_print(out, "<path class=\"tip\" d=\"M%d %dl-4 -8h8z\"/>", to_x, to_y);
}

/*
 * The origin on top, its links under it, each above the relay that it leads to; between the relays
 * their links, under B the viewer.
 */
static void put_cards(struct chain *m, const char *id, struct wb_buf *out)
{
    struct mesh_card *a = &m->relays[1], *b = &m->relays[2], *l = m->links;
    int left = 2, middle = left + MESH_CARD + GAP, right = middle + MESH_CARD + GAP;
    int half = MESH_CARD / 2, width = right + MESH_CARD + 2;
    struct mesh_card *all[] = {&m->origin, a, b, &m->viewer, l, l + 1, l + 2, l + 3};
    const int xs[] = {middle, left, right, right, left, right, middle, middle};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        trace_mesh_measure(all[i]);
        all[i]->x = xs[i];
    }
    int links = 2 + m->origin.height + GAP, relays = links + most(l[0].height, l[1].height) + LIFT;
    int back = relays + l[2].height + LIFT;
    int viewer = relays + b->height + LIFT;
    int height = most(most(relays + a->height, viewer + m->viewer.height), back + l[3].height) + 4;

    bed_buf_print(out,
                  "<div class=\"scroll mesh-box\" tabindex=\"0\" role=\"region\" "
                  "aria-label=\"The chain\">\n<svg class=\"mesh\" role=\"img\" "
                  "aria-labelledby=\"%s-mesh\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n"
                  "<title id=\"%s-mesh\">Origin, relays, links and viewer at the end; the steps "
                  "below say the same.</title>\n",
                  id, width, height, width, height, id);
    for (int i = 0; i < 2; i++) {
        put_way(&l[i], middle + half + (2 * i - 1) * 18, 2 + m->origin.height, xs[4 + i] + half,
                links, out);
        put_way(&l[i], xs[4 + i] + half, links + l[i].height, xs[4 + i] + half, relays, out);
    }
    put_way(&l[2], left + MESH_CARD, relays + 18, middle, relays + 18, out);
    put_way(&l[2], middle + MESH_CARD, relays + 18, right, relays + 18, out);
    put_way(&l[3], right, relays + 30, middle + MESH_CARD + 12, relays + 30, out);
    put_way(&l[3], middle - 12, relays + 30, left + MESH_CARD, relays + 30, out);
    put_way(&m->viewer, right + half, relays + b->height, right + half, viewer, out);
    trace_mesh_put_card(&m->origin, 2, out);
    trace_mesh_put_card(&l[0], links, out);
    trace_mesh_put_card(&l[1], links, out);
    trace_mesh_put_card(a, relays, out);
    trace_mesh_put_card(&l[2], relays, out);
    trace_mesh_put_card(&l[3], back, out);
    trace_mesh_put_card(b, relays, out);
    trace_mesh_put_card(&m->viewer, viewer, out);
    html_raw(out, "</svg>\n</div>\n");
}

void trace_chain_put(const struct trace_run *run, struct wb_buf *out)
{
    struct chain m = {.origin = {.head = "Origin O, node 8", .about = "offers"},
                      .viewer = {.head = "Viewer V, node 9", .about = "hears B at once"},
                      .relays = {{.head = ""},
                                 {.head = "Relay A, node 2", .about = "no next hop"},
                                 {.head = "Relay B, node 3", .about = "no next hop"}}};

    for (size_t i = 0; i < run->count; i++) {
        struct line l = read_line(&run->steps[i]);

        tell_line(&m, &l);
    }
    put_cards(&m, run->id, out);
}

/* ---- the steps ------------------------------------------------------------------------------- */

struct picture {
    struct diagram *d;
    const struct trace_run *run;
    size_t lanes[ROUTERS + 1];
    struct wb_buf words;
};

static enum diagram_tone tone_of(const char *text)
{
    if (strncmp(text, "END", 3) == 0 || strncmp(text, "ROUTE_END", 9) == 0)
        return DIAGRAM_BAD;
    if (strncmp(text, "FLOOR 0", 7) == 0)
        return DIAGRAM_WARN;
    return strncmp(text, "START", 5) == 0 || strncmp(text, "FLOOR", 5) == 0 ? DIAGRAM_GOOD
                                                                            : DIAGRAM_INFO;
}

static void open_row(struct picture *g, const struct line *l)
{
    wb_buf_truncate(&g->words, 0);
    if (l->verb == HEARS)
        html_print(&g->words, "%s hears of %s: %s", names[ways[l->who][1]], names[ways[l->who][0]],
                   l->text);
    else if (l->verb == LINKED || l->verb == LOST)
        html_print(&g->words, "The session of %s and %s %s", names[ends[l->who][0]],
                   names[ends[l->who][1]], l->verb == LOST ? "is lost." : "begins: ");
    else
        html_print(&g->words, "%s %s: ", l->verb == SHOWS ? "V" : names[l->who],
                   l->verb == SHOWS ? "sees" : verbs[l->verb]);
    if (l->verb != HEARS)
        html_print(&g->words, "%s", l->text);
    diagram_row(g->d, NULL, wb_buf_view(&g->words), true);
}

static void draw_line(struct picture *g, const struct line *l)
{
    unsigned of = 0;

    if (l->verb == NO_VERB)
        return;
    open_row(g, l);
    switch (l->verb) {
    case LINKED:
    case LOST:
        diagram_arrow(g->d, g->lanes[ends[l->who][0]], g->lanes[ends[l->who][1]],
                      l->verb == LOST ? DIAGRAM_BAD : DIAGRAM_PLAIN,
                      l->verb == LOST ? "session lost" : l->text, l->verb == LOST);
        break;
    case OFFERS:
    case TAKES:
        diagram_beside(g->d, g->lanes[0], l->verb == TAKES ? DIAGRAM_BAD : DIAGRAM_GOOD, l->text);
        break;
    case HEARS:
        diagram_arrow(g->d, g->lanes[ways[l->who][0]], g->lanes[ways[l->who][1]], tone_of(l->text),
                      l->text, false);
        break;
    case SHOWS:
        diagram_arrow(g->d, g->lanes[2], g->lanes[3], tone_of(l->text), l->text, false);
        break;
    case RELAY:
        diagram_beside(g->d, g->lanes[l->who],
                       strstr(l->text, "held:") != NULL || strstr(l->text, "nobody") != NULL
                           ? DIAGRAM_WARN
                           : DIAGRAM_INFO,
                       l->text);
        break;
    case ASKS:
        if (sscanf(l->text, "of r%u", &of) == 1 && of < ROUTERS)
            diagram_arrow(g->d, g->lanes[l->who], g->lanes[of], DIAGRAM_WARN,
                          strstr(l->text, "node"), false);
        break;
    case NO_VERB:
        break;
    }
}

void trace_chain_draw(const struct trace_run *run, struct diagram *d)
{
    static const char *const heads[] = {"Origin O\nnode 8", "Relay A\nnode 2", "Relay B\nnode 3",
                                        "Viewer V\nof B"};
    struct picture g = {.d = d, .run = run, .words = bed_buf()};

    diagram_init(d, run->id, 2 * MARGIN + 3 * LANE + GAP);
    for (size_t i = 0; i <= ROUTERS; i++)
        g.lanes[i] = diagram_lane(d, (struct diagram_lane){.kind = DIAGRAM_STREAM,
                                                           .name = heads[i],
                                                           .x = MARGIN + (int)i * LANE,
                                                           .side = 1});
    for (size_t i = 0; i < run->count && i < ROWS_MAX; i++) {
        struct line l = read_line(&run->steps[i]);

        if (run->steps[i].kind == TRACE_OP)
            trace_announce_op(d, run, &run->steps[i], &g.words);
        else
            draw_line(&g, &l);
    }
    trace_announce_verdict(d, run, &g.words);
    wb_buf_fini(&g.words);
}

void trace_chain_legend(struct wb_buf *out)
{
    html_raw(out,
             "<p>First the chain as it stands at the end, then all steps. Time runs downwards. The "
             "<b>origin</b> offers claims; two <b>relays</b> hear it and each other over "
             "<b>links</b>, whose cards say what was told on them, with its ids and floors; a "
             "<b>viewer</b> sees what B tells. A claim that a relay holds though its next hop "
             "lacks it is <b>held</b> until the next hop's floor settles it: the floor told on is "
             "0 meanwhile.</p>\n<ul class=\"legend\">\n");
    trace_mesh_legend(out);
    html_raw(out, "</ul>\n");
}
