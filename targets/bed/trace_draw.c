/*
 * trace_draw.c: the steps of a run in the lanes of a diagram: the client, for each connection the
 * reader, the two streams and the server. A second connection lies on the client's other side, so
 * that no arrow crosses what it does not concern.
 */
#include "targets/bed/trace_html.h"

#include "targets/bed/bed.h"
#include "targets/bed/html.h"

#include "core/reply/reply.h"
#include "sim/text.h"

#include <string.h>

#define MARGIN    84 /* of the diagram: numbers and times */
#define STEPS_MAX 4000
#define LABEL     128

/* Distances from the client, and what a side needs beyond the server. */
enum { AT_READER = 160, AT_UP = 286, AT_DOWN = 356, AT_SERVER = 442, BEYOND = 34, READER = 108 };

struct draw_conn {
    size_t reader, up, down, server; /* lanes */
    unsigned long long in_up, in_down;
};

struct draw {
    struct diagram *d;
    const struct fuzz_target *target;
    struct wb_view input;
    size_t client;
    uint32_t conn_count; /* 0: a list of steps without lanes */
    struct draw_conn conns[TRACE_CONNS];
    uint64_t time_us;
    bool has_time; /* one was written */
    struct wb_buf words;
};

static bool has_conn(const struct trace_step *step)
{
    static const bool is_apart[TRACE_KINDS] = {
        [TRACE_OTHER] = true,    [TRACE_OP] = true,        [TRACE_CALM] = true,
        [TRACE_DELIVERY] = true, [TRACE_WIRE_UNIT] = true, [TRACE_WIRE_END] = true};
    return !is_apart[step->kind] && step->conn < TRACE_CONNS;
}

static uint32_t count_conns(const struct trace_step *steps, size_t count)
{
    uint32_t conns = 0;
    for (size_t i = 0; i < count; i++)
        if (has_conn(&steps[i]) && steps[i].conn >= conns)
            conns = steps[i].conn + 1;
    return conns;
}

bool trace_has_lanes(const struct trace_run *run)
{
    return count_conns(run->steps, run->count) > 0;
}

static void add_lanes(struct draw *g, uint32_t i, int client_x, int side)
{
    static const char *const names[TRACE_CONNS][4] = {
        {"Reader\nconnection 0", "To the\nserver", "From the\nserver", "Server"},
        {"Reader\nconnection 1", "To the\nserver", "From the\nserver", "Server"}};
    struct draw_conn *c = &g->conns[i];
    const char *const *name = names[i];

    c->reader = diagram_lane(g->d, (struct diagram_lane){.kind = DIAGRAM_STATES,
                                                         .name = name[0],
                                                         .x = client_x + side * AT_READER,
                                                         .width = READER,
                                                         .side = side});
    c->up = diagram_lane(g->d, (struct diagram_lane){.kind = DIAGRAM_STREAM,
                                                     .name = name[1],
                                                     .x = client_x + side * AT_UP,
                                                     .side = side});
    c->down = diagram_lane(g->d, (struct diagram_lane){.kind = DIAGRAM_STREAM,
                                                       .name = name[2],
                                                       .x = client_x + side * AT_DOWN,
                                                       .side = side});
    c->server = diagram_lane(g->d, (struct diagram_lane){.kind = DIAGRAM_ACTOR,
                                                         .name = name[3],
                                                         .x = client_x + side * AT_SERVER,
                                                         .side = side});
}

static void add_all_lanes(struct draw *g, const char *id)
{
    int client_x = MARGIN + BEYOND + (g->conn_count > 1 ? AT_SERVER : 0);
    int width = g->conn_count > 0 ? client_x + AT_SERVER + BEYOND : 0;

    diagram_init(g->d, id, width);
    if (g->conn_count == 0)
        return;
    g->client = diagram_lane(
        g->d,
        (struct diagram_lane){.kind = DIAGRAM_ACTOR, .name = "Client", .x = client_x, .side = 1});
    add_lanes(g, 0, client_x, 1);
    if (g->conn_count > 1)
        add_lanes(g, 1, client_x, -1);
}

/* The op of the input whose first record that is. */
static bool find_op(const struct draw *g, unsigned long long record, struct sim_op *out)
{
    struct sim_scenario s = sim_scenario_of(g->input);
    while (sim_scenario_next(&s, out))
        if (out->record == record)
            return true;
    return false;
}

/* Opens the step's row; time that has passed since the row before shows as a break of its own. */
static void open_row(struct draw *g, const struct trace_step *step)
{
    char time[32], passed[48];
    bool is_later = g->has_time && step->time_us > g->time_us;
    bool is_first = !g->has_time || is_later;
    bool shows_time = g->conn_count > 0;
    /* Without lanes the ops are all that happens. */
    bool is_step = g->conn_count == 0 || (step->kind != TRACE_OP && step->kind != TRACE_CALM);

    if (is_later && shows_time) {
        char text[64];
        trace_time(step->time_us - g->time_us, time);
        snprintf(passed, sizeof passed, "+%s", time);
        snprintf(text, sizeof text, "<i>%s pass.</i>", time);
        diagram_row(g->d, NULL, wb_view_text(text), false);
        diagram_break(g->d, passed);
    }
    trace_time(step->time_us, time);
    diagram_row(g->d, is_first && shows_time ? time : NULL, wb_buf_view(&g->words), is_step);
    g->time_us = step->time_us;
    g->has_time = true;
}

static void make_words(struct draw *g, const struct trace_step *step, const struct sim_op *op)
{
    wb_buf_truncate(&g->words, 0);
    if (g->conn_count > 1 && has_conn(step))
        bed_buf_print(&g->words, "<b class=\"conn\">c%u</b> ", (unsigned)step->conn);
    if (op != NULL)
        trace_words_op(g->target->ops, op, &g->words);
    trace_words(step, &g->words);
}

static enum diagram_tone tone_of(struct wb_view status)
{
    if (wb_view_equal(status, wb_view_text("WB_OK")))
        return DIAGRAM_GOOD;
    return wb_view_equal(status, wb_view_text("WB_TIMEOUT")) ? DIAGRAM_WARN : DIAGRAM_BAD;
}

static void draw_state(struct draw *g, uint32_t conn, unsigned long long state)
{
    static const enum diagram_tone tones[] = {DIAGRAM_PLAIN, DIAGRAM_INFO, DIAGRAM_GOOD,
                                              DIAGRAM_WARN, DIAGRAM_BAD};
    if (conn < g->conn_count && state < sizeof tones / sizeof tones[0])
        diagram_band(g->d, g->conns[conn].reader, tones[state], wb_reply_state_name((int)state));
}

/* ---- between client and reader ---- */

static void draw_request(struct draw *g, struct draw_conn *c, const struct trace_step *step)
{
    bool is_taken = tone_of(step->status) == DIAGRAM_GOOD;
    char label[LABEL];

    diagram_arrow(g->d, g->client, c->reader, is_taken ? DIAGRAM_INFO : DIAGRAM_BAD,
                  trace_request_name(step->n[1]), !is_taken);
    if (is_taken)
        return;
    snprintf(label, sizeof label, "refused: %.*s", (int)step->status.len,
             (const char *)step->status.data);
    diagram_beside(g->d, c->reader, DIAGRAM_BAD, label);
}

static void draw_unit(struct draw *g, struct draw_conn *c, const struct trace_step *step)
{
    char label[LABEL];

    snprintf(label, sizeof label, "%s", wb_reply_code_name((int)step->n[0]));
    if (step->n[0] == WB_REPLY_VA)
        snprintf(label, sizeof label, "VA %llu byte%s", step->n[1], step->n[1] == 1 ? "" : "s");
    diagram_arrow(g->d, c->reader, g->client, DIAGRAM_INFO, label, false);
}

static void draw_end(struct draw *g, struct draw_conn *c, const struct trace_step *step)
{
    char label[LABEL];

    snprintf(label, sizeof label, "%.*s", (int)step->status.len, (const char *)step->status.data);
    diagram_arrow(g->d, c->reader, g->client, tone_of(step->status), label, false);
}

static void draw_abandon(struct draw *g, struct draw_conn *c, const struct trace_step *step)
{
    (void)step;
    diagram_arrow(g->d, g->client, c->reader, DIAGRAM_WARN, "gives up", false);
    diagram_bar(g->d, c->reader, false);
}

/* ---- between reader and server ---- */

/* "18 bytes "mg …"", or what came instead of bytes. */
static void byte_label(const struct trace_step *step, unsigned long long io, char out[LABEL])
{
    if (io != 0)
        snprintf(out, LABEL, "%s", trace_io_name(io));
    else
        snprintf(out, LABEL, "%llu byte%s %.*s", step->n[0], step->n[0] == 1 ? "" : "s",
                 (int)step->bytes.len, (const char *)step->bytes.data);
}

static void set_streams(struct draw *g, struct draw_conn *c, unsigned long long in_up,
                        unsigned long long in_down)
{
    c->in_up = in_up;
    c->in_down = in_down;
    diagram_fill(g->d, c->up, in_up > 0);
    diagram_fill(g->d, c->down, in_down > 0);
}

static unsigned long long less(unsigned long long a, unsigned long long b)
{
    return a > b ? a - b : 0;
}

static void draw_write(struct draw *g, struct draw_conn *c, const struct trace_step *step)
{
    char label[LABEL];

    byte_label(step, step->n[2], label);
    if (step->n[2] == 1)
        snprintf(label, sizeof label, "no room (EAGAIN)");
    diagram_arrow(g->d, c->reader, c->up, step->n[2] != 0 ? DIAGRAM_WARN : DIAGRAM_INFO, label,
                  step->n[2] != 0);
    set_streams(g, c, c->in_up + step->n[0], c->in_down);
}

static void draw_taken(struct draw *g, struct draw_conn *c, const struct trace_step *step)
{
    char label[LABEL];

    byte_label(step, 0, label);
    diagram_arrow(g->d, c->up, c->server, DIAGRAM_INFO, label, false);
    set_streams(g, c, less(c->in_up, step->n[0]), c->in_down);
}

static void draw_answer(struct draw *g, struct draw_conn *c, const struct trace_step *step)
{
    char label[LABEL];

    byte_label(step, 0, label);
    diagram_arrow(g->d, c->server, c->down, DIAGRAM_GOOD, label, false);
    set_streams(g, c, c->in_up, c->in_down + step->n[0]);
}

static void draw_read(struct draw *g, struct draw_conn *c, const struct trace_step *step)
{
    bool is_over = step->n[2] > 2; /* end of stream, or reset */
    char label[LABEL];

    byte_label(step, step->n[2], label);
    if (step->n[2] == 1)
        snprintf(label, sizeof label, "nothing there (EAGAIN)");
    diagram_arrow(g->d, c->down, c->reader,
                  is_over           ? DIAGRAM_BAD
                  : step->n[2] != 0 ? DIAGRAM_WARN
                                    : DIAGRAM_GOOD,
                  label, step->n[2] != 0);
    set_streams(g, c, c->in_up, is_over ? 0 : less(c->in_down, step->n[0]));
}

static void draw_fin(struct draw *g, struct draw_conn *c, const struct trace_step *step)
{
    diagram_arrow(g->d, c->server, c->down, DIAGRAM_BAD,
                  step->kind == TRACE_FIN ? "end of stream" : "reset", false);
}

static void draw_close(struct draw *g, struct draw_conn *c, const struct trace_step *step)
{
    (void)step;
    diagram_arrow(g->d, c->reader, c->server, DIAGRAM_BAD, "closes the connection", true);
    set_streams(g, c, 0, 0);
}

static void draw_opened(struct draw *g, struct draw_conn *c, const struct trace_step *step)
{
    diagram_arrow(g->d, c->reader, c->server, DIAGRAM_PLAIN, "opens a connection", false);
    diagram_bar(g->d, c->reader, false);
    set_streams(g, c, 0, 0);
    draw_state(g, step->conn, WB_REPLY_IDLE);
}

/* ---- waits ---- */

static void draw_wait(struct draw *g, struct draw_conn *c, const struct trace_step *step)
{
    static const char *const awaited[] = {"nothing", "bytes", "room", "bytes or room"};
    char text[LABEL];

    diagram_bar(g->d, c->reader, true);
    if (step->is_starved)
        snprintf(text, sizeof text, "waits, starved, until %llu ms", step->n[1]);
    else
        snprintf(text, sizeof text, "waits for %s until %llu ms", awaited[step->n[0] & 3],
                 step->n[1]);
    diagram_beside(g->d, c->reader, DIAGRAM_PLAIN, text);
}

static void draw_wake(struct draw *g, struct draw_conn *c, const struct trace_step *step)
{
    unsigned long long said = step->n[0], there = step->n[1];
    char text[LABEL];

    diagram_bar(g->d, c->reader, false);
    if (said == 0)
        snprintf(text, sizeof text, "timeout%s",
                 (there & WB_REPLY_READABLE) != 0 ? ", though readable: starved" : "");
    else
        snprintf(text, sizeof text, "%s%s", (said & there) == 0 ? "spurious: " : "",
                 trace_ready_name(said));
    diagram_beside(g->d, c->reader, (said & there) != 0 ? DIAGRAM_GOOD : DIAGRAM_WARN, text);
}

static void draw_look(struct draw *g, struct draw_conn *c, const struct trace_step *step)
{
    char text[LABEL];

    if (step->kind == TRACE_READY)
        snprintf(text, sizeof text, "%s at once", trace_ready_name(step->n[1]));
    else if (step->kind == TRACE_SPURIOUS)
        snprintf(text, sizeof text, "spurious: nothing is there");
    else if (step->kind == TRACE_POLL)
        snprintf(text, sizeof text, "looks: %s", trace_ready_name(step->n[1]));
    else
        snprintf(text, sizeof text, "probe: %s", step->n[0] == 1 ? "quiet" : "not quiet");
    diagram_beside(g->d, c->reader, step->kind == TRACE_READY ? DIAGRAM_GOOD : DIAGRAM_WARN, text);
}

typedef void (*draw_fn)(struct draw *, struct draw_conn *, const struct trace_step *);

static const draw_fn draws[TRACE_KINDS] = {
    [TRACE_REQUEST] = draw_request, [TRACE_WRITE] = draw_write,   [TRACE_READ] = draw_read,
    [TRACE_WAIT] = draw_wait,       [TRACE_WAKE] = draw_wake,     [TRACE_READY] = draw_look,
    [TRACE_SPURIOUS] = draw_look,   [TRACE_POLL] = draw_look,     [TRACE_UNIT] = draw_unit,
    [TRACE_END] = draw_end,         [TRACE_CLOSE] = draw_close,   [TRACE_PROBE] = draw_look,
    [TRACE_ABANDON] = draw_abandon, [TRACE_ANSWER] = draw_answer, [TRACE_RAW] = draw_answer,
    [TRACE_TAKEN] = draw_taken,     [TRACE_FIN] = draw_fin,       [TRACE_RESET] = draw_fin,
    [TRACE_OPENED] = draw_opened,
};

static void draw_op(struct draw *g, const struct trace_step *step, const struct sim_op *op)
{
    struct wb_buf text = bed_buf();

    if (op != NULL)
        bed_must(sim_text_show_op(g->target->ops, op, &text));
    else
        bed_must(wb_buf_add(&text, step->line));
    bed_must(wb_buf_add_u8(&text, '\0'));
    diagram_banner(g->d, step->is_nothing ? DIAGRAM_WARN : DIAGRAM_PLAIN, (const char *)text.data);
    wb_buf_fini(&text);
}

static void draw_step(struct draw *g, const struct trace_step *step)
{
    struct sim_op op;
    bool is_op = step->kind == TRACE_OP && g->target->ops != NULL && find_op(g, step->n[0], &op);

    make_words(g, step, is_op ? &op : NULL);
    open_row(g, step);
    if (g->conn_count == 0)
        return;
    if (step->kind == TRACE_OP)
        draw_op(g, step, is_op ? &op : NULL);
    if (step->kind == TRACE_CALM)
        diagram_banner(g->d, DIAGRAM_INFO, "the scenario is over: all faults heal");
    if (has_conn(step) && draws[step->kind] != NULL)
        draws[step->kind](g, &g->conns[step->conn], step);
    if (step->has_state)
        draw_state(g, step->state_conn, step->state);
    if (step->has_pending && step->pending_conn < g->conn_count) {
        char text[64];
        snprintf(text, sizeof text, "%llu pending", step->pending_first);
        if (step->pending != step->pending_first)
            snprintf(text, sizeof text, "%llu \xe2\x86\x92 %llu pending", step->pending_first,
                     step->pending);
        diagram_inside(g->d, g->conns[step->pending_conn].reader, text);
    }
}

/* Scenario targets whose runs tell nothing: the ops themselves. */
static void list_ops(struct draw *g)
{
    struct sim_scenario s = sim_scenario_of(g->input);
    struct sim_op op;

    while (sim_scenario_next(&s, &op)) {
        wb_buf_truncate(&g->words, 0);
        trace_words_op(g->target->ops, &op, &g->words);
        diagram_row(g->d, NULL, wb_buf_view(&g->words), true);
    }
}

void trace_draw(const struct trace_run *run, struct diagram *d)
{
    const struct replay_verdict *verdict = &run->verdict;
    size_t count = run->count;
    struct draw g = {.d = d,
                     .target = run->target,
                     .input = run->input,
                     .conn_count = count_conns(run->steps, count),
                     .words = bed_buf()};

    add_all_lanes(&g, run->id);
    if (count == 0 && run->target->ops != NULL)
        list_ops(&g);
    for (size_t i = 0; i < count && i < STEPS_MAX; i++)
        draw_step(&g, &run->steps[i]);
    wb_buf_truncate(&g.words, 0);
    if (count > STEPS_MAX) {
        bed_buf_print(&g.words, "<b>%zu more steps</b> are in the plain trace below.",
                      count - STEPS_MAX);
        diagram_row(d, NULL, wb_buf_view(&g.words), false);
    } else if (verdict->failed) {
        const struct inv_desc *inv = inv_find(verdict->id);
        char text[128];
        snprintf(text, sizeof text, "%s: the run stops here", verdict->id);
        html_raw(&g.words, "<b>The run stops here.</b> ");
        html_print(&g.words, "%s%s%s.", verdict->id, inv != NULL ? ": " : "",
                   inv != NULL ? inv->text : "");
        diagram_row(d, NULL, wb_buf_view(&g.words), false);
        if (g.conn_count > 0)
            diagram_banner(d, DIAGRAM_BAD, text);
    }
    wb_buf_fini(&g.words);
}
