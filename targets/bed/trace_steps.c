#include "targets/bed/trace_steps.h"

#include "targets/bed/bed.h"

#include <stdlib.h>
#include <string.h>

#define LINE_MAX_SCANNED 256

/* What stands after the word, as sscanf reads it; "c%llu" comes first where it has a connection. */
static const struct line_kind {
    const char *word;
    enum trace_kind kind;
    bool has_conn;
    const char *scan;
} line_kinds[] = {
    {"op", TRACE_OP, false, " %llu: %*s s%llu arg %llu"},
    {"request", TRACE_REQUEST, true, " serial %llu kind %llu"},
    {"write", TRACE_WRITE, true, " %llu of %llu bytes, io %llu"},
    {"read", TRACE_READ, true, " %llu of %llu bytes, io %llu"},
    {"wait", TRACE_WAIT, true, " for %llx until %llu"},
    {"wake", TRACE_WAKE, true, " scheduler says %llx, socket %llx"},
    {"ready", TRACE_READY, true, " for %llx: %llx"},
    {"spurious", TRACE_SPURIOUS, true, " for %llx"},
    {"poll", TRACE_POLL, true, " for %llx: %llx"},
    {"unit", TRACE_UNIT, true, " code %llu, value of %llu bytes"},
    {"end", TRACE_END, true, " %*s after %llu units, state %llu"},
    {"close", TRACE_CLOSE, true, ""},
    {"probe", TRACE_PROBE, true, " says %llu"},
    {"abandon", TRACE_ABANDON, true, " leaves state %llu"},
    {"answer", TRACE_ANSWER, true, " %llu bytes, stream at %llu"},
    {"raw", TRACE_RAW, true, " %llu bytes, stream at %llu"},
    {"taken", TRACE_TAKEN, true, " %llu bytes"},
    {"fin", TRACE_FIN, true, ""},
    {"reset", TRACE_RESET, true, ""},
    {"opened", TRACE_OPENED, true, ""},
    {"calm", TRACE_CALM, false, ""},
    {"state", TRACE_STATE, true, " from %llu to %llu"},
    {"delivery", TRACE_DELIVERY, false, " %llu of %llu bytes"},
    {"unit", TRACE_WIRE_UNIT, false, " up to %llu of code %llu, value %llu"},
    {"ended", TRACE_WIRE_END, false, ""},
};

/* Lines that add to the step before. */
enum addition { ADD_NOTHING, ADD_BYTES, ADD_PENDING, ADD_DROPPED, ADD_STARVED, ADD_COUNT };
static const char *const addition_words[] = {"nothing", "bytes", "pending", "dropped", "starved"};

void trace_time(uint64_t time_us, char out[32])
{
    unsigned rest = (unsigned)(time_us % 1000);
    int len = snprintf(out, 32, "%llu", (unsigned long long)(time_us / 1000));

    if (rest > 0) {
        len += snprintf(out + len, 32 - (size_t)len, ".%03u", rest);
        while (out[len - 1] == '0')
            len--;
    }
    snprintf(out + len, 32 - (size_t)len, " ms");
}

static bool has_word(const char *line, const char *word)
{
    size_t len = strlen(word);
    return strncmp(line, word, len) == 0 && (line[len] == ' ' || line[len] == '\0');
}

static struct wb_view status_in(struct wb_view line)
{
    for (size_t i = 0; i + 3 < line.len; i++) {
        if (memcmp(line.data + i, "WB_", 3) != 0)
            continue;
        size_t end = i;
        while (end < line.len && line.data[end] != ' ' && line.data[end] != ',')
            end++;
        return wb_view_sub(line, i, end);
    }
    return (struct wb_view){0};
}

/* True when `line` is of that kind and says all that its kind says. */
static bool scan_line(const struct line_kind *kind, const char *line, struct trace_step *step)
{
    unsigned long long *n = step->n;
    int wanted = 0, used = 0;

    if (!has_word(line, kind->word))
        return false;
    line += strlen(kind->word);
    if (kind->has_conn && sscanf(line, " c%u%n", &step->conn, &used) != 1)
        return false;
    for (const char *p = kind->scan; *p != '\0'; p++)
        wanted += p[0] == '%' && p[1] != '*';
    int got = wanted == 0 ? 0 : sscanf(line + used, kind->scan, n, n + 1, n + 2, n + 3);
    step->kind = kind->kind;
    return got == wanted;
}

static bool add_line(const char *line, struct wb_view whole, struct trace_step *last)
{
    unsigned long long value = 0;
    unsigned conn = 0;
    size_t which = 0;

    while (which < ADD_COUNT && !has_word(line, addition_words[which]))
        which++;
    if (which == ADD_COUNT || last == NULL)
        return false;
    sscanf(line, "%*s c%u %llu", &conn, &value);
    switch ((enum addition)which) {
    case ADD_NOTHING:
        last->is_nothing = true;
        break;
    case ADD_BYTES: {
        const uint8_t *quote = memchr(whole.data, '"', whole.len);
        if (quote != NULL)
            last->bytes = wb_view_sub(whole, (size_t)(quote - whole.data), whole.len);
        break;
    }
    case ADD_PENDING:
        last->pending_first = last->has_pending ? last->pending_first : value;
        last->has_pending = true;
        last->pending_conn = conn;
        last->pending = value;
        break;
    case ADD_DROPPED:
        last->dropped += value;
        break;
    case ADD_STARVED:
        last->is_starved = true;
        break;
    case ADD_COUNT:
        break;
    }
    return true;
}

/* States and polls are part of the step that led to them, where there is just one. */
static bool add_step(const struct trace_step *step, struct trace_step *last)
{
    if (last == NULL || last->kind == TRACE_STATE)
        return false;
    if (step->kind == TRACE_STATE && !last->has_state && last->time_us == step->time_us) {
        last->has_state = true;
        last->state_conn = step->conn;
        last->state = step->n[1];
        last->reason = step->status;
        return true;
    }
    if (step->kind != TRACE_POLL || last->kind != TRACE_WAKE || last->conn != step->conn)
        return false;
    last->has_poll = true;
    last->poll = step->n[1];
    return true;
}

static void read_line(struct wb_view line, struct trace_step *steps, size_t *count)
{
    struct trace_step step = {0}, *last = *count > 0 ? &steps[*count - 1] : NULL;
    char text[LINE_MAX_SCANNED];
    unsigned long long ms = 0;
    unsigned us = 0;
    int used = 0;

    snprintf(text, sizeof text, "%.*s", (int)line.len, (const char *)line.data);
    if (sscanf(text, " %llu.%3u ms %n", &ms, &us, &used) != 2 || used == 0)
        used = 0;
    step.time_us = ms * 1000 + us;
    step.line = wb_view_sub(line, (size_t)used, line.len);
    step.status = status_in(step.line);
    if (add_line(text + used, step.line, last))
        return;
    for (size_t i = 0; i < sizeof line_kinds / sizeof line_kinds[0]; i++) {
        if (scan_line(&line_kinds[i], text + used, &step))
            break;
        step.kind = TRACE_OTHER;
    }
    if (step.kind == TRACE_STATE) {
        step.has_state = true;
        step.state_conn = step.conn;
        step.state = step.n[1];
        step.reason = step.status;
    }
    if (!add_step(&step, last))
        steps[(*count)++] = step;
}

size_t trace_steps(struct wb_view text, struct trace_step **out)
{
    size_t lines = 0, count = 0;

    for (size_t i = 0; i < text.len; i++)
        lines += text.data[i] == '\n';
    *out = bed_take((lines + 1) * sizeof **out);
    while (text.len > 0) {
        const uint8_t *newline = memchr(text.data, '\n', text.len);
        size_t len = newline != NULL ? (size_t)(newline - text.data) : text.len;
        if (len > 0)
            read_line(wb_view_sub(text, 0, len), *out, &count);
        text = wb_view_sub(text, newline != NULL ? len + 1 : len, text.len);
    }
    return count;
}
