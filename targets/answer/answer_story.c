#include "targets/answer/answer.h"

#include <inttypes.h>
#include <stdio.h>

#define STORY_EVENTS 24
#define STORY_BYTES  60

/* Controls, quotes of this language and long tails have no place in a line of text. */
static void tell_path(struct sim_run *run, struct wb_view path)
{
    size_t shown = path.len <= STORY_BYTES ? path.len : STORY_BYTES / 2;

    if (path.len == 0)
        sim_run_story(run, " /");
    for (size_t i = 0; i < shown; i++) {
        uint8_t byte = path.data[i];
        bool is_plain = byte > 0x20 && byte != 0x7f && byte != ';';
        sim_run_story(run, is_plain ? "%s%c" : "%s%%%02x", i == 0 ? " " : "", byte);
    }
    if (shown < path.len)
        sim_run_story(run, "...(%zu B)", path.len);
}

static void tell_value(struct sim_run *run, const struct answer *c,
                       const struct wb_announce_event *e)
{
    if (c->version == WB_LITE_07) {
        sim_run_story(run, " cost %" PRIu64, e->warm);
        if (e->epoch.some)
            sim_run_story(run, " epoch ..%02x", e->epoch.bytes[15]);
        return;
    }
    sim_run_story(run, " by");
    for (unsigned i = 0; i < e->hops->count; i++)
        sim_run_story(run, "%s%" PRIu64, i == 0 ? " " : ",", e->hops->id[i]);
    if (c->version == WB_LITE_06)
        sim_run_story(run, " cost %" PRIu64 "/%" PRIu64, e->warm, e->cold);
}

static void tell_claim(struct sim_run *run, const struct answer *c,
                       const struct wb_announce_event *e, const char *word)
{
    sim_run_story(run, "%s", e->abrupt ? "lost" : word);
    if (c->version != WB_LITE_05)
        sim_run_story(run, " %" PRIu64, e->id);
    if (c->version == WB_LITE_07)
        sim_run_story(run, " of route %" PRIu64, e->route);
    tell_path(run, e->path);
    if (e->kind != WB_ANNOUNCE_END)
        tell_value(run, c, e);
    sim_run_story(run, "; ");
}

static void tell_route(struct sim_run *run, const struct wb_announce_event *e, const char *word)
{
    sim_run_story(run, "route %" PRIu64 " %s %" PRIu64 " seqno %" PRIu64 " metric %" PRIu64 "%s; ",
                  e->route, word, e->node, e->seqno, e->metric, e->flags != 0 ? " down-only" : "");
}

void answer_story(const struct answer_delivery *d, const struct wb_announce_event *e)
{
    const struct answer *c = d->c;
    struct sim_run *run = c->run;

    if (!run->story_on || d->number != 0 || c->model.end_count > STORY_EVENTS)
        return;
    switch (e->kind) {
    case WB_ANNOUNCE_OK:
        sim_run_story(run, "ok %" PRIu64 " count %" PRIu64 "; ", e->node, e->count);
        return;
    case WB_ANNOUNCE_START:
        tell_claim(run, c, e, "start");
        return;
    case WB_ANNOUNCE_END:
        tell_claim(run, c, e, "end");
        return;
    case WB_ANNOUNCE_UPDATE:
        tell_claim(run, c, e, "update");
        return;
    case WB_ANNOUNCE_RESTART:
        tell_claim(run, c, e, "restart");
        return;
    case WB_ANNOUNCE_ROUTE_START:
        tell_route(run, e, "to");
        return;
    case WB_ANNOUNCE_ROUTE_UPDATE:
        tell_route(run, e, "still to");
        return;
    case WB_ANNOUNCE_ROUTE_END:
        sim_run_story(run, "route %" PRIu64 " %s; ", e->route, e->abrupt ? "lost" : "ends");
        return;
    case WB_ANNOUNCE_FLOOR:
        sim_run_story(run, "floor %" PRIu64 " of route %" PRIu64 "; ", e->revision, e->route);
        return;
    case WB_ANNOUNCE_CLOSED:
        sim_run_story(run, "closed%s; ", e->abrupt ? " abruptly" : "");
        return;
    }
}

void answer_story_end(const struct answer_delivery *d)
{
    const struct ref_announce *m = &d->c->model;

    if (d->number != 0)
        return;
    if (m->end_count > STORY_EVENTS)
        sim_run_story(d->c->run, "%zu events, %zu live at the end; ", m->end_count, m->claim_count);
    sim_run_story(d->c->run, "%s", wb_err_name((int)d->c->want));
}

/* Where the two accounts part, before the report of a failed check. */
void answer_show(const struct answer_delivery *d)
{
    const struct ref_announce *m = &d->c->model;

    printf("delivery %u: bytes %zu to %zu, %zu messages, %zu events told", d->number, d->begin,
           d->end, d->due, d->told);
    printf("; the model: %zu messages, %zu events, %s at %zu\n", m->message_count, m->event_count,
           wb_err_name((int)m->status), m->judged);
    fflush(stdout);
}
