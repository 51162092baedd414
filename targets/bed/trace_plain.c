#include "targets/bed/trace_plain.h"

#include "targets/bed/bed.h"
#include "targets/bed/html.h"
#include "targets/bed/trace_html.h"

#include "sim/text.h"

#include <stdio.h>
#include <string.h>

#define ROWS_MAX 400
#define LABEL    256

enum { AT_INPUT = 108, AT_CORE = 362, CORE = 108, AT_CALLER = 664, WIDTH = 696 };

struct plain {
    struct diagram *d;
    const char *name;
    size_t input, core, caller;
    struct wb_buf words;
};

bool trace_plain_is(const struct trace_run *run)
{
    return !run->verdict.failed && run->verdict.story != NULL && run->verdict.story[0] != '\0';
}

/* The core's band begins with the first row. */
static void open_row(struct plain *g)
{
    diagram_row(g->d, NULL, wb_buf_view(&g->words), true);
    if (g->d->steps == 1)
        diagram_band(g->d, g->core, DIAGRAM_PLAIN, g->name);
}

/* A part of the story that is a status says how it ended. */
static enum diagram_tone tone_of(const char *part)
{
    if (strncmp(part, "WB_E_", 5) == 0 || strncmp(part, "close", 5) == 0)
        return DIAGRAM_BAD;
    return strncmp(part, "WB_", 3) == 0 || strcmp(part, "ok") == 0 || strcmp(part, "idle") == 0
               ? DIAGRAM_GOOD
               : DIAGRAM_INFO;
}

static void draw_part(struct plain *g, const char *part)
{
    bool is_status = strncmp(part, "WB_", 3) == 0;

    wb_buf_truncate(&g->words, 0);
    html_raw(&g->words, is_status ? "It ends: " : "It tells: <code>");
    if (is_status)
        trace_words_status(wb_view_text(part), &g->words);
    else
        html_text(&g->words, wb_view_text(part));
    html_raw(&g->words, is_status ? "." : "</code>.");
    open_row(g);
    diagram_arrow(g->d, g->core, g->caller, tone_of(part), part, false);
}

/* Parts stand between bars or semicolons. */
static void draw_story(struct plain *g, const char *at)
{
    for (int rows = 0; *at != '\0' && rows < ROWS_MAX; rows++) {
        const char *bar = strstr(at, " | "), *semicolon = strstr(at, "; ");
        const char *end = bar != NULL && (semicolon == NULL || bar < semicolon) ? bar : semicolon;
        size_t len = end != NULL ? (size_t)(end - at) : strlen(at);
        char part[LABEL];

        snprintf(part, sizeof part, "%.*s", (int)(len < LABEL ? len : LABEL - 1), at);
        if (len > 0)
            draw_part(g, part);
        at += len + (end == NULL ? 0 : end == bar ? 3 : 2);
    }
}

/* The bytes go in whole; a run hands them over in several ways, which must all tell the same. */
static void draw_bytes(struct plain *g, const struct trace_run *run)
{
    struct wb_buf text = bed_buf();
    unsigned long long deliveries = 0;
    size_t len = run->input.len > 0 ? run->input.len - 1 : 0;
    char label[LABEL];

    for (size_t i = 0; i < run->count; i++)
        deliveries += run->steps[i].kind == TRACE_DELIVERY;
    wb_buf_truncate(&g->words, 0);
    bed_buf_print(&g->words, "%zu byte%s go%s in", len, len == 1 ? "" : "s", len == 1 ? "es" : "");
    if (run->input.len > 0)
        bed_buf_print(&g->words, ", configuration <code>%02x</code>", run->input.data[0]);
    if (deliveries > 1)
        bed_buf_print(&g->words,
                      ", %llu times over, each time cut in another way: all tell the same",
                      deliveries);
    html_raw(&g->words, ".");
    bed_must(sim_hex_show(wb_view_sub(run->input, 1, len < 40 ? len + 1 : 41), &text));
    snprintf(label, sizeof label, "%zu B: %.*s", len, (int)(text.len < 200 ? text.len : 200),
             (const char *)text.data);
    open_row(g);
    diagram_arrow(g->d, g->input, g->core, DIAGRAM_PLAIN, label, false);
    wb_buf_fini(&text);
}

static void draw_ops(struct plain *g, const struct trace_run *run)
{
    struct sim_scenario s = sim_scenario_of(run->input);
    struct sim_op op;

    for (int rows = 0; rows < ROWS_MAX && sim_scenario_next(&s, &op); rows++) {
        struct wb_buf text = bed_buf();

        wb_buf_truncate(&g->words, 0);
        trace_words_op(run->target->ops, &op, &g->words);
        bed_must(sim_text_show_op(run->target->ops, &op, &text));
        bed_must(wb_buf_add_u8(&text, '\0'));
        open_row(g);
        diagram_arrow(g->d, g->input, g->core, DIAGRAM_PLAIN, (const char *)text.data, false);
        wb_buf_fini(&text);
    }
}

void trace_plain_draw(const struct trace_run *run, struct diagram *d)
{
    struct plain g = {.d = d, .name = run->target->name, .words = bed_buf()};
    bool is_scenario = run->target->kind == FUZZ_SCENARIO;

    diagram_init(d, run->id, WIDTH);
    g.input = diagram_lane(d, (struct diagram_lane){.kind = DIAGRAM_ACTOR,
                                                    .name = is_scenario ? "Scenario" : "Bytes",
                                                    .x = AT_INPUT,
                                                    .side = 1});
    g.core = diagram_lane(
        d, (struct diagram_lane){
               .kind = DIAGRAM_STATES, .name = "Core", .x = AT_CORE, .width = CORE, .side = 1});
    g.caller = diagram_lane(
        d,
        (struct diagram_lane){.kind = DIAGRAM_ACTOR, .name = "Caller", .x = AT_CALLER, .side = 1});
    if (is_scenario)
        draw_ops(&g, run);
    else
        draw_bytes(&g, run);
    draw_story(&g, run->verdict.story);
    wb_buf_fini(&g.words);
}
