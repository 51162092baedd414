/*
 * draw.c: windows on a number line. The line is as wide as it has places where a run begins or
 * ends, each named below it.
 */
#include "targets/window/unions.h"

#include <inttypes.h>
#include <stdio.h>

#define DRAW_PLACES 64
#define DRAW_NAME   UNIONS_NAME

struct line {
    size_t count;
    struct wb_position at[DRAW_PLACES]; /* ascending */
};

static void name_number(uint64_t n, char out[DRAW_NAME / 2])
{
    const uint64_t middle = UINT64_C(1) << 62;

    if (n > UINT64_MAX - 10000)
        snprintf(out, DRAW_NAME / 2, "2^64-%" PRIu64, UINT64_MAX - n + 1);
    else if (n < middle && n > middle - 10000)
        snprintf(out, DRAW_NAME / 2, "2^62-%" PRIu64, middle - n);
    else if (n == middle)
        snprintf(out, DRAW_NAME / 2, "2^62");
    else if (n > middle && n < middle + 10000)
        snprintf(out, DRAW_NAME / 2, "2^62+%" PRIu64, n - middle);
    else
        snprintf(out, DRAW_NAME / 2, "%" PRIu64, n);
}

/* Groups alone where a whole group begins. */
int unions_name(struct wb_position p, char out[UNIONS_NAME])
{
    char group[DRAW_NAME / 2], frame[DRAW_NAME / 2];

    name_number(p.group, group);
    name_number(p.frame, frame);
    return p.frame == 0 ? snprintf(out, DRAW_NAME, "%s", group)
                        : snprintf(out, DRAW_NAME, "%s.%s", group, frame);
}

void unions_tell(struct sim_run *run, const struct ref_window *model)
{
    for (size_t i = 0; i < model->count; i++) {
        struct wb_position past;
        char name[UNIONS_NAME];

        unions_name(model->runs[i].first, name);
        sim_run_story(run, "[%s ", name);
        if (ref_position_next(model->runs[i].last, &past))
            unions_name(past, name);
        else
            snprintf(name, sizeof name, "..");
        sim_run_story(run, "%s) ", name);
    }
}

static void place(struct line *l, struct wb_position p)
{
    size_t at = 0;

    while (at < l->count && ref_position_order(l->at[at], p) < 0)
        at++;
    if (l->count == DRAW_PLACES || (at < l->count && ref_position_order(l->at[at], p) == 0))
        return;
    for (size_t i = l->count++; i > at; i--)
        l->at[i] = l->at[i - 1];
    l->at[at] = p;
}

static void put(struct wb_buf *out, const char *text)
{
    if (wb_buf_add(out, wb_view_text(text)) != WB_OK)
        WB_UNREACHABLE(); /* the tool's buffers have room */
}

static void put_times(struct wb_buf *out, const char *text, int n)
{
    for (int i = 0; i < n; i++)
        put(out, text);
}

/* A place's column: `[` where a run begins, `=` within one, `)` where one ended, `>` unbounded. */
static void put_row(const struct line *l, const struct ref_window *w, struct wb_buf *out)
{
    bool was_in = false;

    for (size_t i = 0; i < l->count; i++) {
        char name[DRAW_NAME];
        int width = unions_name(l->at[i], name) + 1;
        bool is_in = ref_window_contains(w, l->at[i]);

        put(out, is_in && !was_in ? "[" : is_in ? "=" : was_in ? ")" : "-");
        put_times(out, is_in ? "=" : "-", width);
        was_in = is_in;
    }
    put(out, was_in ? ">\n" : "\n");
}

void unions_draw_lines(const struct ref_window *const *models, const char *const *names, size_t n,
                       struct wb_buf *out)
{
    struct line l = {0};

    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < models[i]->count; k++) {
            struct wb_position past;

            place(&l, models[i]->runs[k].first);
            if (ref_position_next(models[i]->runs[k].last, &past))
                place(&l, past);
        }
    }
    if (l.count == 0)
        return;
    for (size_t i = 0; i < n; i++) {
        char head[DRAW_NAME];

        if (models[i]->count == 0)
            continue;
        snprintf(head, sizeof head, "# %-6s", names[i]);
        put(out, head);
        put_row(&l, models[i], out);
    }
    put(out, "#       ");
    for (size_t i = 0; i < l.count; i++) {
        char name[DRAW_NAME];

        unions_name(l.at[i], name);
        put(out, name);
        put(out, i + 1 < l.count ? "  " : "\n");
    }
}

void unions_draw(struct wb_view input, struct wb_buf *out)
{
    static const char *const names[UNIONS_SLOTS] = {"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"};
    static struct sim_run run;
    static struct unions world;
    struct sim_scenario scenario = sim_scenario_of(input);
    struct sim_op op;

    sim_run_reset(&run);
    unions_init(&world, &run);
    while (sim_scenario_next(&scenario, &op)) {
        if (sim_ops_enter(&unions_ops, &run, &scenario.header, &op) == NULL)
            continue;
        for (size_t i = 0; op.opcode >= UNIONS_ADD && i < unions_steps(&op); i++) {
            if (unions_want(&world, &op, i) == UNIONS_CHANGE)
                unions_settle(&world, op.slot % UNIONS_SLOTS);
        }
    }
    unions_draw_lines((const struct ref_window *const *)world.models, names, UNIONS_SLOTS, out);
    wb_buf_fini(&world.buf);
}
