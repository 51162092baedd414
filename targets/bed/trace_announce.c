#include "targets/bed/trace_announce.h"

#include "targets/bed/bed.h"
#include "targets/bed/html.h"
#include "targets/bed/trace_mesh.h"

#include "sim/text.h"

#include <stdio.h>
#include <string.h>

#define PEERS    4
#define MARGIN   84
#define ROWS_MAX 2000
#define TEXT     160

enum { NEIGHBOUR = 104, TO_ROUTER = 400, ROUTER = 150, TO_VIEWER = 400, BEYOND = 54 };

/* What a line says: "hears n0 START 0 /a …": a verb, n or a with a number, and the rest. */
enum verb { HEARS, SHOWS, JOINED, LEFT, OPENED, FLUSH, WITHHELD, ASKS, BROKEN, NO_VERB };
static const char *const verbs[] = {"hears", "shows",    "joined", "left",  "opened",
                                    "flush", "withheld", "asks",   "broken"};

struct line {
    enum verb verb;
    unsigned who;
    char text[TEXT];
};

struct picture {
    struct diagram *d;
    size_t tells[PEERS], router, sees[PEERS];
    struct wb_buf words;
};

static struct line read_line(const struct trace_step *step)
{
    struct line l = {.verb = NO_VERB};
    char line[TEXT + 32], word[16], side = 0;
    int at = 0;

    snprintf(line, sizeof line, "%.*s", (int)step->line.len, (const char *)step->line.data);
    if (sscanf(line, "%15s %c%u %n", word, &side, &l.who, &at) < 3 || at == 0 || l.who >= PEERS ||
        (side != 'n' && side != 'a'))
        return l;
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (strcmp(word, verbs[i]) == 0)
            l.verb = (enum verb)i;
    snprintf(l.text, sizeof l.text, "%s", line + at);
    return l;
}

bool trace_announce_is(const struct trace_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        enum verb verb = read_line(&run->steps[i]).verb;

        if (verb == HEARS || verb == OPENED)
            return true;
    }
    return false;
}

/* The lanes of those who appear, in the order of their numbers; returns where the last one is. */
static int add_peers(struct picture *g, unsigned mask, const char *const *names, size_t *lanes,
                     int x)
{
    for (size_t i = 0; i < PEERS; i++) {
        if ((mask >> i & 1) == 0)
            continue;
        lanes[i] = diagram_lane(
            g->d,
            (struct diagram_lane){.kind = DIAGRAM_STREAM, .name = names[i], .x = x, .side = 1});
        x += NEIGHBOUR;
    }
    return x - NEIGHBOUR;
}

/* Arrows end at the router, their labels beside it, across the lines of other peers. */
static void add_lanes(struct picture *g, const struct trace_run *run)
{
    static const char *const tells[PEERS] = {"Publisher\nn0, node 2", "Publisher\nn1, node 3",
                                             "Publisher\nn2, node 4", "Publisher\nn3, node 5"};
    static const char *const sees[PEERS] = {"Viewer\na0 of n0", "Viewer\na1 of n1",
                                            "Viewer\na2 of n2", "Viewer\na3 of n3"};
    unsigned mask = 0, count = 0;
    int x = MARGIN + BEYOND;

    for (size_t i = 0; i < run->count; i++) {
        struct line l = read_line(&run->steps[i]);
        mask |= l.verb != NO_VERB ? 1u << l.who : 0;
    }
    for (size_t i = 0; i < PEERS; i++)
        count += mask >> i & 1;
    diagram_init(g->d, run->id,
                 x + 2 * ((int)count - 1) * NEIGHBOUR + TO_ROUTER + TO_VIEWER + BEYOND);
    x = add_peers(g, mask, tells, g->tells, x) + TO_ROUTER;
    g->router = diagram_lane(
        g->d,
        (struct diagram_lane){
            .kind = DIAGRAM_STATES, .name = "Router\nnode 1", .x = x, .width = ROUTER, .side = 1});
    add_peers(g, mask, sees, g->sees, x + TO_VIEWER);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Ends are bad news, floors of 0 and re-pricings are warnings, the rest is good. */
static enum diagram_tone tone_of(const char *text)
{
    if (begins(text, "END") || begins(text, "ROUTE_END"))
        return DIAGRAM_BAD;
    if (begins(text, "FLOOR 0"))
        return DIAGRAM_WARN;
    return begins(text, "START") || begins(text, "FLOOR") ? DIAGRAM_GOOD : DIAGRAM_INFO;
}

static void make_words(struct picture *g, const struct line *l)
{
    static const char *const forms[] = {
        "<b>n%u</b> tells: ",         "<b>a%u</b> sees: ",     "<b>n%u</b> joins: ",
        "<b>n%u</b> leaves. ",        "<b>a%u</b> opens: ",    "A flush to <b>a%u</b>: ",
        "Withheld from <b>a%u</b>: ", "<b>n%u</b> is asked: ", "<b>n%u</b> breaks a rule: ",
    };
    char text[64];

    wb_buf_truncate(&g->words, 0);
    snprintf(text, sizeof text, forms[l->verb], l->who);
    html_raw(&g->words, text);
    html_text(&g->words, wb_view_text(l->text));
}

/* "kind 2 version 7 cost 0" as "joins: upstream, lite-07". */
static void put_joined(const struct line *l, char out[TEXT + 32])
{
    static const char *const kinds[] = {"client", "peer", "upstream"};
    unsigned kind = 0, version = 0, cost = 0;
    int len;

    sscanf(l->text, "kind %u version %u cost %u", &kind, &version, &cost);
    len = snprintf(out, TEXT + 32, "joins: %s, lite-%02u", kinds[kind % 3], version);
    if (cost > 0)
        snprintf(out + len, TEXT + 32 - (size_t)len, ", cost %u", cost);
}

static void draw_line(struct picture *g, const struct line *l)
{
    char text[TEXT + 32];

    make_words(g, l);
    diagram_row(g->d, NULL, wb_buf_view(&g->words), true);
    switch (l->verb) {
    case HEARS:
        diagram_arrow(g->d, g->tells[l->who], g->router, tone_of(l->text), l->text, false);
        break;
    case SHOWS:
        diagram_arrow(g->d, g->router, g->sees[l->who], tone_of(l->text), l->text, false);
        break;
    case ASKS:
        diagram_arrow(g->d, g->router, g->tells[l->who], DIAGRAM_WARN, l->text, false);
        break;
    case JOINED:
        put_joined(l, text);
        diagram_arrow(g->d, g->tells[l->who], g->router, DIAGRAM_PLAIN, text, false);
        break;
    case OPENED:
        diagram_arrow(g->d, g->sees[l->who], g->router, DIAGRAM_PLAIN, l->text, false);
        break;
    case LEFT:
    case BROKEN:
        diagram_arrow(g->d, g->tells[l->who], g->router, DIAGRAM_BAD,
                      l->verb == LEFT ? "session lost" : l->text, true);
        break;
    case WITHHELD:
        snprintf(text, sizeof text, "a%u: %s", l->who, l->text);
        diagram_beside(g->d, g->router, DIAGRAM_WARN, text);
        break;
    case FLUSH:
        snprintf(text, sizeof text, "flush a%u", l->who);
        diagram_inside(g->d, g->router, text);
        break;
    case NO_VERB:
        break;
    }
}

void trace_announce_op(struct diagram *d, const struct trace_run *run,
                       const struct trace_step *step, struct wb_buf *words)
{
    struct sim_scenario s = sim_scenario_of(run->input);
    struct wb_buf text = bed_buf();
    struct sim_op op;
    bool is_found = false;

    while (!is_found && sim_scenario_next(&s, &op))
        is_found = op.record == step->n[0];
    wb_buf_truncate(words, 0);
    if (is_found) {
        trace_words_op(run->target->ops, &op, words);
        bed_must(sim_text_show_op(run->target->ops, &op, &text));
    }
    bed_must(wb_buf_add_u8(&text, '\0'));
    diagram_row(d, NULL, wb_buf_view(words), false);
    diagram_banner(d, DIAGRAM_PLAIN, (const char *)text.data);
    wb_buf_fini(&text);
}

void trace_announce_verdict(struct diagram *d, const struct trace_run *run, struct wb_buf *words)
{
    const struct inv_desc *inv = inv_find(run->verdict.id);

    if (!run->verdict.failed)
        return;
    wb_buf_truncate(words, 0);
    html_print(words, "The run stops here. %s: %s.", run->verdict.id, inv != NULL ? inv->text : "");
    diagram_row(d, NULL, wb_buf_view(words), false);
    diagram_banner(d, DIAGRAM_BAD, run->verdict.id);
}

void trace_announce_draw(const struct trace_run *run, struct diagram *d)
{
    struct picture g = {.d = d, .words = bed_buf()};

    add_lanes(&g, run);
    for (size_t i = 0; i < run->count && i < ROWS_MAX; i++) {
        struct line l = read_line(&run->steps[i]);

        if (run->steps[i].kind == TRACE_OP)
            trace_announce_op(d, run, &run->steps[i], &g.words);
        else if (l.verb != NO_VERB)
            draw_line(&g, &l);
    }
    trace_announce_verdict(d, run, &g.words);
    wb_buf_fini(&g.words);
}

void trace_announce_legend(struct wb_buf *out)
{
    html_raw(out,
             "<p>First the router with its neighbours as they "
             "stand after the last op, then all steps. Time runs downwards. <b>Publishers</b> on "
             "the left tell "
             "the router routes, claims and floors; each is also a <b>viewer</b> on the right, "
             "whose answer a <b>flush</b> writes. Numbers behind START, END, UPDATE and RESTART "
             "are announce ids, behind ROUTE messages route ids. What a viewer may not see stands "
             "beside the router as <b>withheld</b>, with the reason: while there is such a claim "
             "the floor of its node is 0.</p>\n<ul class=\"legend\">\n<li>");
    diagram_swatch(DIAGRAM_GOOD, "START", out);
    html_raw(out, "<span>A claim begins; a floor vouches.</span></li>\n<li>");
    diagram_swatch(DIAGRAM_BAD, "END", out);
    html_raw(out, "<span>A claim, a route or a session ends.</span></li>\n<li>");
    diagram_swatch(DIAGRAM_WARN, "withheld", out);
    html_raw(out, "<span>Withheld, FLOOR 0, a request for a newer seqno.</span></li>\n");
    trace_mesh_legend(out);
    html_raw(out, "</ul>\n");
}
