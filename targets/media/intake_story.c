#include "targets/media/intake.h"

#include <inttypes.h>

#define STORY_UNITS 8
#define STORY_BYTES 24

/* Text as it is, other bytes in hex; long ones are cut and counted. */
static void tell_bytes(struct sim_run *run, struct wb_view bytes)
{
    size_t shown = bytes.len <= STORY_BYTES ? bytes.len : 8;
    bool is_text = true;

    for (size_t i = 0; i < bytes.len; i++)
        is_text = is_text && bytes.data[i] >= 0x21 && bytes.data[i] < 0x7f;
    for (size_t i = 0; i < shown; i++)
        sim_run_story(run, is_text ? "%c" : "%02x", bytes.data[i]);
    if (shown < bytes.len)
        sim_run_story(run, "...(%zu B)", bytes.len);
}

static void tell_end(const struct intake_delivery *d, enum wb_err status)
{
    if (d->c->model.count > STORY_UNITS)
        sim_run_story(d->c->run, "%zu units; ", d->unit);
    else if (d->told_frame)
        sim_run_story(d->c->run, "%zu of %" PRIu64 " B; ", d->at, d->c->units[d->unit].size);
    sim_run_story(d->c->run, "%s", wb_err_name((int)status));
}

/* Payloads come in pieces; what is told of them is the stream's, against which they are held. */
void intake_story(const struct intake_delivery *d, const struct subject_ingest_event *e)
{
    const struct intake *c = d->c;
    const struct ref_ingest *m = &c->model;
    struct sim_run *run = c->run;

    if (!run->story_on || d->number != 0)
        return;
    if (e->kind == SUBJECT_INGEST_HEADER)
        sim_run_story(run, "group %" PRIu64 " of %" PRIu64 " from %" PRIu64 "; ", e->sequence,
                      e->subscribe, e->number);
    if (e->kind == SUBJECT_INGEST_END)
        tell_end(d, e->status);
    if (m->count > STORY_UNITS || d->unit >= m->count + m->has_open)
        return;
    const struct ref_ingest_unit *u = &c->units[d->unit];
    if (e->kind == SUBJECT_INGEST_FRAME) {
        sim_run_story(run, "%" PRIu64 "@%" PRIu64 " ", e->number, e->timestamp);
        if (u->end - u->body == u->size) {
            sim_run_story(run, "<");
            tell_bytes(run, wb_view_sub(c->stream, u->body, u->end));
            sim_run_story(run, ">; ");
        }
    } else if (e->kind == SUBJECT_INGEST_MESSAGE) {
        if (c->mode == INTAKE_TYPED)
            sim_run_story(run, "%" PRIu64 " ", e->number);
        sim_run_story(run, "<");
        tell_bytes(run, e->bytes);
        sim_run_story(run, ">; ");
    }
}

void intake_story_datagram(const struct intake *c, const struct subject_datagram *datagram)
{
    if (!c->run->story_on)
        return;
    if (datagram == NULL) {
        sim_run_story(c->run, "refused");
        return;
    }
    sim_run_story(c->run, "%" PRIu64 " %" PRIu64 " @%" PRIu64 " <", datagram->subscribe,
                  datagram->sequence, datagram->timestamp);
    tell_bytes(c->run, datagram->payload);
    sim_run_story(c->run, ">");
}
