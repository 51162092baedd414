#include "targets/reply/wire.h"

#include <stdio.h>

#define STORY_LINE  120 /* bytes of a line, and of a value, that are told in full */
#define STORY_VALUE 40
#define STORY_HEAD  8 /* and of a longer one */

/* Bytes with C escapes; at most `most`, then how many there are in all. */
static void tell_bytes(struct sim_run *run, struct wb_view bytes, size_t most)
{
    size_t told = bytes.len <= most ? bytes.len : STORY_HEAD;

    for (size_t i = 0; i < told; i++) {
        uint8_t b = bytes.data[i];
        if (b == '\r')
            sim_run_story(run, "\\r");
        else if (b == '\n')
            sim_run_story(run, "\\n");
        else if (b == '\0')
            sim_run_story(run, "\\0");
        else if (b < 0x20 || b >= 0x7f || b == '\\')
            sim_run_story(run, "\\x%02x", b);
        else
            sim_run_story(run, "%c", b);
    }
    if (told < bytes.len)
        sim_run_story(run, "...(%zu B)", bytes.len);
}

static const char *short_name(enum wb_err status)
{
    return wb_err_name((int)status) + (status == WB_OK ? 0 : sizeof "WB_E_" - 1);
}

static const char *opening(const struct wire_delivery *d)
{
    return d->reply == d->c->replies ? "[" : "; [";
}

/* The tokens of a VALUE line, by what they are. */
static void tell_fields(struct sim_run *run, struct wb_view fields)
{
    static const char names[] = {'k', 'f', '\0', 'c'};

    for (size_t i = 0; fields.len > 0; i++) {
        size_t end = 0, next = 0;
        while (end < fields.len && fields.data[end] != ' ')
            end++;
        next = end < fields.len ? end + 1 : end;
        if (names[i % sizeof names] != '\0') {
            sim_run_story(run, " %c", names[i % sizeof names]);
            tell_bytes(run, wb_view_sub(fields, 0, end), STORY_LINE);
        }
        fields = wb_view_sub(fields, next, fields.len);
    }
}

void wire_story_unit(const struct wire_delivery *d, const struct wb_reply_event *e)
{
    struct sim_run *run = d->c->run;

    if (!run->story_on || d->reply->units > WIRE_STORY_UNITS)
        return;
    sim_run_story(run, "%s", d->unit == 1 ? opening(d) : ", ");
    if (e->code != WB_REPLY_VA && e->code != WB_REPLY_VALUE) {
        if (e->code == WB_REPLY_NUMBER)
            sim_run_story(run, "NUM ");
        tell_bytes(run, e->line, STORY_LINE);
        return;
    }
    sim_run_story(run, "%s%zu", wb_reply_code_name((int)e->code), e->value.len);
    if (e->code == WB_REPLY_VALUE) {
        tell_fields(run, e->flags);
    } else if (e->flags.len > 0) {
        sim_run_story(run, " ");
        tell_bytes(run, e->flags, STORY_LINE);
    }
    sim_run_story(run, " <");
    tell_bytes(run, e->value, STORY_VALUE);
    sim_run_story(run, ">");
}

void wire_story_end(const struct wire_delivery *d, const struct wb_reply_event *e)
{
    struct sim_run *run = d->c->run;

    if (!run->story_on)
        return;
    if (d->unit == 0)
        sim_run_story(run, "%s", opening(d));
    if (d->reply->units > WIRE_STORY_UNITS)
        sim_run_story(run, "%s%zu units", opening(d), d->unit);
    if (e->status == WB_OK)
        sim_run_story(run, "] ok");
    else
        sim_run_story(run, "] close:%s", short_name(e->status));
}

void wire_story_close(const struct wire_delivery *d, bool refused, enum wb_err reason)
{
    if (reason == WB_OK)
        sim_run_story(d->c->run, "; idle");
    else
        sim_run_story(d->c->run, "%s; closed:%s", refused ? "; [] closed" : "", short_name(reason));
}
