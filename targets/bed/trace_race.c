#include "targets/bed/trace_race.h"

#include "targets/bed/bed.h"
#include "targets/bed/html.h"

#include "sim/race.h"

#include <stdio.h>
#include <string.h>

#define LINE_SIZE  128
#define LABEL      96
#define NAME       24
#define BLOCKS_MAX (SIM_RACE_BLOCKS + 1)
#define MARGIN     84
#define ROWS_MAX   2000

enum {
    THREAD = 92,
    TO_FRAME = 196,
    TO_SEGMENTS = 150,
    TO_READER = 210,
    BETWEEN = 130,
    BEYOND = 66
};

enum verb {
    LOAD,
    STORE,
    ADD,
    SUB,
    HELD,
    LANDS,
    READS,
    WROTE,
    TAKES,
    GIVES,
    IS,
    REFUSED,
    PREEMPT,
    AFTER,
    WAITS,
    ENDS,
    FAULT,
    NO_VERB
};

/* What a line says; which of the fields depends on the verb. */
struct line {
    enum verb verb;
    char order[NAME], name[NAME]; /* of the operation, of the atomic or the block */
    unsigned thread, other, block;
    unsigned long long value, from;
};

struct race_block {
    char name[NAME];
    unsigned long long header; /* bytes in front of the payload */
};

struct race {
    struct diagram *d;
    size_t threads[SIM_RACE_THREADS], frame, segments; /* lanes */
    unsigned thread_count, head;                       /* block of the head */
    struct race_block blocks[BLOCKS_MAX];
    struct wb_buf words;
};

/* ---- lines ----------------------------------------------------------------------------------- */

static const struct verb_form {
    const char *word, *scan;
    enum verb verb;
    int wanted;
} forms[] = {
    /* fields: order or nothing, thread, name, block, value, from or the other thread */
    {"load ", "load %23s t%u %23s of %u: %llu", LOAD, 5},
    {"store ", "store %23s t%u %23s of %u: %llu", STORE, 5},
    {"add ", "add %23s t%u %23s of %u: %llu", ADD, 5},
    {"sub ", "sub %23s t%u %23s of %u: %llu", SUB, 5},
    {"held ", "held %23s t%u %23s of %u: %llu", HELD, 5},
    {"lands ", "%23s t%u %23s of %u: %llu", LANDS, 5},
    {"gives ", "%23s t%u %23s %u", GIVES, 4},
    {"reads ", "%23s t%u %23s %u: %llu from %llu", READS, 6},
    {"wrote ", "%23s t%u %23s %u: %llu from %llu", WROTE, 6},
    {"takes ", "%23s t%u %23s %u: %llu bytes", TAKES, 5},
    {"ends ", "%23s t%u", ENDS, 2},
    {"waits ", "%23s t%u", WAITS, 2},
    {"fault ", "%23s t%u", FAULT, 2},
};

static struct line read_line(const struct trace_step *step)
{
    struct line l = {.verb = NO_VERB};
    char text[LINE_SIZE];

    snprintf(text, sizeof text, "%.*s", (int)step->line.len, (const char *)step->line.data);
    if (sscanf(text, "preempt t%u for t%u", &l.thread, &l.other) == 2)
        l.verb = PREEMPT;
    else if (sscanf(text, "after t%u comes t%u", &l.thread, &l.other) == 2)
        l.verb = AFTER;
    else if (sscanf(text, "is t%u block %u: %23s", &l.thread, &l.block, l.name) == 3)
        l.verb = IS;
    else if (sscanf(text, "refused t%u %llu bytes", &l.thread, &l.value) == 2)
        l.verb = REFUSED;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0] && l.verb == NO_VERB; i++) {
        if (strncmp(text, forms[i].word, strlen(forms[i].word)) == 0 &&
            sscanf(text, forms[i].scan, l.order, &l.thread, l.name, &l.block, &l.value, &l.from) ==
                forms[i].wanted)
            l.verb = forms[i].verb;
    }
    if (l.thread >= SIM_RACE_THREADS || l.other >= SIM_RACE_THREADS || l.block >= BLOCKS_MAX)
        l.verb = NO_VERB;
    return l;
}

bool trace_race_is(const struct trace_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        if (read_line(&run->steps[i]).verb == ENDS)
            return true;
    }
    /* One that fails early has not ended a thread. */
    return run->count > 0 && read_line(&run->steps[run->count - 1]).verb == FAULT;
}

/* ---- words ----------------------------------------------------------------------------------- */

static const char *order_text(const char *order)
{
    static const char *const texts[][2] = {{"rlx", "relaxed"},
                                           {"acq", "acquire"},
                                           {"rel", "release"},
                                           {"a+r", "acquire and release"},
                                           {"seq", "seq_cst"}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strcmp(order, texts[i][0]) == 0)
            return texts[i][1];
    }
    return order;
}

static void thread_name(unsigned thread, char out[NAME])
{
    if (thread == 0)
        snprintf(out, NAME, "The setting up");
    else if (thread == 1)
        snprintf(out, NAME, "The writer");
    else
        snprintf(out, NAME, "Reader s%u", thread - 1);
}

/* What a value of the atomic means: the mark holds the end in its upper half. */
static void value_text(const struct line *l, char out[LABEL])
{
    unsigned long long end = l->value >> 32, bytes = l->value & UINT32_MAX;

    if (strcmp(l->name, "mark") == 0 && end != WB_OK)
        snprintf(out, LABEL, "mark %llu, %s", bytes, wb_err_name((int)end));
    else if (strcmp(l->name, "mark") == 0)
        snprintf(out, LABEL, "mark %llu", bytes);
    else if (strcmp(l->name, "head") == 0)
        snprintf(out, LABEL, "head is %s%.0llu", l->value == 0 ? "empty" : "segment ", l->value);
    else if (strcmp(l->name, "holders") == 0)
        snprintf(out, LABEL, "holders of %u: %llu", l->block, l->value);
    else
        snprintf(out, LABEL, "%s %llu", l->name, l->value);
}

static void words_atomic(const struct line *l, const char *who, struct wb_buf *out)
{
    char value[LABEL];

    value_text(l, value);
    if (l->verb == LOAD)
        bed_buf_print(out, "%s loads, %s: <b>%s</b>.", who, order_text(l->order), value);
    else if (l->verb == STORE)
        bed_buf_print(out, "%s %s, %s: <b>%s</b>.", who,
                      strcmp(l->name, "mark") == 0 ? "publishes" : "stores", order_text(l->order),
                      value);
    else if (l->verb == ADD || l->verb == SUB)
        bed_buf_print(out, "%s %s one, %s; now: <b>%s</b>.", who, l->verb == ADD ? "adds" : "takes",
                      order_text(l->order), value);
    else if (l->verb == HELD)
        bed_buf_print(out, "That is <b>held back</b>: other threads do not see it yet.");
    else
        bed_buf_print(out, "What %s held back lands: <b>%s</b>.", who, value);
}

/* Where in the payload's part of its segment a range begins. */
static unsigned long long payload_from(const struct race *g, const struct line *l)
{
    unsigned long long header = g->blocks[l->block].header;

    return l->from >= header ? l->from - header : l->from;
}

static void words_memory(const struct race *g, const struct line *l, const char *who,
                         struct wb_buf *out)
{
    unsigned long long from = payload_from(g, l);

    if (l->verb == READS || l->verb == WROTE)
        bed_buf_print(out, "%s %s bytes %llu to %llu of %s %u.", who,
                      l->verb == READS ? "reads" : "writes", from, from + l->value,
                      l->from < g->blocks[l->block].header ? "the fields of block" : "segment",
                      l->block);
    else if (l->verb == TAKES)
        bed_buf_print(out, "%s takes %llu bytes of memory, block %u.", who, l->value, l->block);
    else if (l->verb == GIVES)
        bed_buf_print(out, "%s <b>gives %s %u back</b>.", who, l->name, l->block);
    else
        bed_buf_print(out, "%s is refused %llu bytes.", who, l->value);
}

static void make_words(struct race *g, const struct line *l, bool is_faulty)
{
    char who[NAME], other[NAME];

    thread_name(l->thread, who);
    thread_name(l->other, other);
    wb_buf_truncate(&g->words, 0);
    if (l->verb <= LANDS)
        words_atomic(l, who, &g->words);
    else if (l->verb <= REFUSED)
        words_memory(g, l, who, &g->words);
    else if (l->verb == PREEMPT)
        bed_buf_print(&g->words, "<b>%s is preempted</b>: %s goes on.", who, other);
    else if (l->verb == AFTER)
        bed_buf_print(&g->words, "%s goes on.", other);
    else
        bed_buf_print(&g->words, "%s %s.", who,
                      l->verb == WAITS ? "finds nothing new and waits" : "has ended");
    if (is_faulty)
        html_raw(&g->words, " <b>This is what must not be.</b>");
}

/* ---- the drawing ----------------------------------------------------------------------------- */

static void add_lanes(struct race *g, const char *id, unsigned thread_count)
{
    static const char *const names[] = {"Setting up", "Writer",    "Reader s1",
                                        "Reader s2",  "Reader s3", "Reader s4"};
    int x = MARGIN + THREAD / 2 + 8, readers = thread_count > 2 ? (int)thread_count - 2 : 0;

    diagram_init(g->d, id,
                 x + TO_FRAME + TO_SEGMENTS + TO_READER + (readers - 1) * BETWEEN + BEYOND +
                     THREAD);
    g->threads[1] = diagram_lane(
        g->d, (struct diagram_lane){
                  .kind = DIAGRAM_STATES, .name = names[1], .x = x, .width = THREAD, .side = 1});
    x += TO_FRAME;
    g->frame = diagram_lane(
        g->d,
        (struct diagram_lane){.kind = DIAGRAM_ACTOR, .name = "Frame\natomics", .x = x, .side = 1});
    x += TO_SEGMENTS;
    g->segments = diagram_lane(
        g->d, (struct diagram_lane){
                  .kind = DIAGRAM_ACTOR, .name = "Segments\nbytes, holders", .x = x, .side = 1});
    x += TO_READER;
    for (unsigned t = 2; t < thread_count; t++, x += BETWEEN)
        g->threads[t] = diagram_lane(
            g->d,
            (struct diagram_lane){
                .kind = DIAGRAM_STATES, .name = names[t], .x = x, .width = THREAD, .side = 1});
    g->threads[0] = g->threads[1];
}

static enum diagram_tone tone_of(const struct line *l, bool is_faulty)
{
    if (is_faulty)
        return DIAGRAM_BAD;
    if (l->verb == STORE || l->verb == LANDS)
        return DIAGRAM_GOOD;
    if (l->verb == HELD || l->verb == GIVES || l->verb == REFUSED)
        return DIAGRAM_WARN;
    return DIAGRAM_INFO;
}

static void draw_atomic(struct race *g, const struct line *l, bool is_faulty)
{
    bool is_holder = strcmp(l->name, "holders") == 0;
    size_t lane = is_holder ? g->segments : g->frame, thread = g->threads[l->thread];
    enum diagram_tone tone = tone_of(l, is_faulty);
    char label[LABEL];

    value_text(l, label);
    if (l->verb == LOAD)
        diagram_arrow(g->d, lane, thread, tone, label, false);
    else
        diagram_arrow(g->d, thread, lane, tone, label, l->verb == HELD);
    if (strcmp(l->name, "pins") == 0 && (l->verb == ADD || l->verb == SUB))
        diagram_bar(g->d, thread, l->verb == ADD);
    if (strcmp(l->name, "head") != 0 || (l->verb != STORE && l->verb != LANDS))
        return;
    if (g->head != 0 && l->value != g->head) {
        snprintf(label, sizeof label, "%llu replaces %u", l->value, g->head);
        diagram_beside(g->d, g->segments, DIAGRAM_WARN, label);
    }
    g->head = (unsigned)l->value;
}

static void draw_memory(struct race *g, const struct line *l, bool is_faulty)
{
    unsigned long long from = payload_from(g, l);
    enum diagram_tone tone = tone_of(l, is_faulty);
    size_t thread = g->threads[l->thread];
    char label[LABEL];

    if (l->verb == READS || l->verb == WROTE)
        snprintf(label, sizeof label, "%u: bytes %llu to %llu", l->block, from, from + l->value);
    else if (l->verb == GIVES)
        snprintf(label, sizeof label, "%s %u goes", l->name, l->block);
    else if (l->verb == TAKES)
        snprintf(label, sizeof label, "new: block %u", l->block);
    else
        snprintf(label, sizeof label, "no memory");
    if (l->verb == READS)
        diagram_arrow(g->d, g->segments, thread, tone, label, false);
    else
        diagram_arrow(g->d, thread, g->segments, tone, label,
                      l->verb == GIVES || l->verb == REFUSED);
}

static void draw_turn(struct race *g, const struct line *l)
{
    size_t thread = g->threads[l->thread];

    if (l->verb == WAITS)
        diagram_band(g->d, thread, DIAGRAM_PLAIN, "waits");
    if (l->verb == ENDS)
        diagram_band(g->d, thread, DIAGRAM_PLAIN, NULL);
    if (l->verb == PREEMPT) {
        diagram_band(g->d, thread, DIAGRAM_WARN, "preempted");
        diagram_arrow(g->d, thread, g->threads[l->other], DIAGRAM_WARN, "goes on", false);
    }
    if (l->verb == PREEMPT || l->verb == AFTER)
        diagram_band(g->d, g->threads[l->other], DIAGRAM_GOOD, "runs");
}

/* Fields of a frame and of a segment's header are in the plain trace. */
static bool is_shown(const struct race *g, const struct line *l, bool is_faulty)
{
    if (l->verb == NO_VERB || l->verb == IS || l->verb == FAULT)
        return false;
    if (is_faulty || (l->verb != READS && l->verb != WROTE))
        return true;
    return strcmp(g->blocks[l->block].name, "segment") == 0 &&
           l->from >= g->blocks[l->block].header;
}

static void draw_line(struct race *g, const struct line *l, bool is_faulty)
{
    struct race_block *b = &g->blocks[l->block];

    if (l->verb == IS)
        snprintf(b->name, sizeof b->name, "%s", l->name);
    if (l->verb == WROTE && l->from == 0 && b->header == 0)
        b->header = l->value;
    if (!is_shown(g, l, is_faulty))
        return;
    make_words(g, l, is_faulty);
    diagram_row(g->d, NULL, wb_buf_view(&g->words), true);
    if (l->verb <= LANDS)
        draw_atomic(g, l, is_faulty);
    else if (l->verb <= REFUSED)
        draw_memory(g, l, is_faulty);
    else
        draw_turn(g, l);
}

static void draw_end(struct race *g, const struct replay_verdict *verdict)
{
    const struct inv_desc *inv = inv_find(verdict->id);

    if (!verdict->failed)
        return;
    wb_buf_truncate(&g->words, 0);
    html_print(&g->words, "The run stops here. %s: %s.", verdict->id, inv != NULL ? inv->text : "");
    diagram_row(g->d, NULL, wb_buf_view(&g->words), false);
    diagram_banner(g->d, DIAGRAM_BAD, verdict->id);
}

void trace_race_draw(const struct trace_run *run, struct diagram *d)
{
    struct race g = {.d = d, .words = bed_buf()};
    const struct trace_step *steps = run->steps;
    size_t count = run->count;
    unsigned thread_count = 2;
    bool has_begun = false;

    for (size_t i = 0; i < count; i++) {
        struct line l = read_line(&steps[i]);
        unsigned most = l.thread > l.other ? l.thread : l.other;

        if (l.verb != NO_VERB && most >= thread_count)
            thread_count = most + 1;
    }
    add_lanes(&g, run->id, thread_count);
    for (size_t i = 0; i < count && i < ROWS_MAX; i++) {
        struct line l = read_line(&steps[i]);
        bool is_faulty = i + 1 < count && read_line(&steps[i + 1]).verb == FAULT;

        draw_line(&g, &l, is_faulty);
        if (!has_begun && l.thread > 0 && l.verb != NO_VERB && l.verb < PREEMPT) {
            diagram_band(d, g.threads[l.thread], DIAGRAM_GOOD, "runs");
            has_begun = true;
        }
    }
    draw_end(&g, &run->verdict);
    wb_buf_fini(&g.words);
}

void trace_race_legend(struct wb_buf *out)
{
    html_raw(
        out,
        "<p>Time runs downwards, one step at a time: of all threads one "
        "<b>runs</b>, until it is <b>preempted</b>, waits, or ends. The <b>writer</b> puts bytes "
        "into segments and publishes them by moving the <b>mark</b> of the frame; what lies below "
        "it a reader may read. When a segment is too small a larger one becomes the "
        "<b>head</b>, and the one that it replaces is given back when no reader can take it any "
        "more: a reader <b>pins</b> the frame before it loads the head, and unpins it when it is "
        "one of the segment's <b>holders</b>.</p>\n<ul class=\"legend\">\n<li>");
    diagram_swatch(DIAGRAM_GOOD, "runs", out);
    html_raw(out, "<span>The thread whose steps these are.</span></li>\n<li>");
    diagram_swatch(DIAGRAM_WARN, "preempted", out);
    html_raw(out, "<span>It could go on, and another one does.</span></li>\n<li>");
    diagram_swatch(DIAGRAM_PLAIN, "waits", out);
    html_raw(
        out,
        "<span>A reader that has read all there is.</span></li>\n"
        "<li><svg class=\"drawing\" aria-hidden=\"true\" width=\"72\" height=\"24\"><rect "
        "class=\"plain-s\" x=\"31\" y=\"4\" width=\"10\" height=\"17\"/><path "
        "class=\"plain-a\" d=\"M31 10l6 -6M31 16l10 -10M33 21l8 -8\"/></svg><span>The thread has "
        "pinned the frame.</span></li>\n"
        "<li><svg aria-hidden=\"true\" width=\"72\" height=\"24\"><path class=\"good-a\" "
        "d=\"M4 12h54M66 12l-8 -4v8z\" stroke-width=\"1.75\"/></svg><span>A store; loads, reads "
        "and writes of bytes are blue.</span></li>\n"
        "<li><svg aria-hidden=\"true\" width=\"72\" height=\"24\"><path class=\"warn-a\" "
        "d=\"M4 12h48M54 8l8 8m0 -8l-8 8\" stroke-width=\"1.75\" stroke-dasharray=\"5 3\"/></svg>"
        "<span>A store held back, or memory given back.</span></li>\n"
        "<li><svg aria-hidden=\"true\" width=\"72\" height=\"24\"><path class=\"bad-a\" "
        "d=\"M4 12h54M66 12l-8 -4v8z\" stroke-width=\"1.75\"/></svg><span>The step that broke an "
        "invariant.</span></li>\n</ul>\n");
}
