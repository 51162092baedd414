#include "targets/media/intake.h"

#include <string.h>

bool intake_is_shared(const struct intake_delivery *d, const struct ref_ingest_unit *u)
{
    bool is_whole = u->end - u->body == u->size && u->body >= d->begin && u->end <= d->end;

    return is_whole && u->size > INTAKE_COPY_WHOLE;
}

static void expect_unit(struct intake_delivery *d, const struct ref_ingest_unit *u)
{
    bool is_whole = u->body >= d->begin;

    if (d->c->mode >= INTAKE_MESSAGES)
        return;
    if (u->size == 0)
        sim_mark(d->c->run, INTAKE_MARK_EMPTY);
    if (intake_is_shared(d, u)) {
        d->want.shared++;
        d->shared++;
        sim_mark(d->c->run, INTAKE_MARK_SHARED);
        return;
    }
    sim_mark(d->c->run, is_whole ? INTAKE_MARK_COPIED : INTAKE_MARK_ASSEMBLED);
    d->want.copied += u->size;
    if (is_whole)
        d->want.copied_whole++;
    else
        d->want.assembled++;
}

void intake_expect(struct intake_delivery *d)
{
    const struct intake *c = d->c;

    while (d->due < c->model.count && c->units[d->due].end <= d->end)
        expect_unit(d, &c->units[d->due++]);
}

/* The unit that is under way or comes next; NULL when the model has none. */
static const struct ref_ingest_unit *current(const struct intake_delivery *d)
{
    const struct ref_ingest *m = &d->c->model;

    return d->unit < m->count + m->has_open ? &d->c->units[d->unit] : NULL;
}

static void check_header(struct intake_delivery *d, const struct subject_ingest_event *e)
{
    const struct ref_ingest *m = &d->c->model;

    INTAKE_CHECK(ING_003, d, !d->told_header && d->unit == 0 && !d->told_frame);
    INTAKE_CHECK(ING_003, d, m->has_header && m->header_end <= d->end);
    INTAKE_CHECK(ING_003, d, e->subscribe == m->subscribe);
    INTAKE_CHECK(ING_003, d, e->sequence == m->sequence);
    INTAKE_CHECK(ING_003, d, e->number == m->first);
    d->told_header = true;
}

/* A unit that is told whole makes place for the next. */
static void step(struct intake_delivery *d, const struct ref_ingest_unit *u)
{
    if (d->at < u->size)
        return;
    d->unit++;
    d->at = 0;
    d->told_frame = false;
}

static void check_frame(struct intake_delivery *d, const struct subject_ingest_event *e)
{
    const struct ref_ingest_unit *u = current(d);

    INTAKE_CHECK(ING_004, d, !d->told_frame && u != NULL);
    INTAKE_CHECK(ING_004, d, e->number == u->number);
    INTAKE_CHECK(ING_004, d, e->timestamp == u->timestamp);
    INTAKE_CHECK(ING_004, d, e->size == u->size);
    d->told_frame = true;
    step(d, u);
}

/* Where the bytes lie: in the chunk when they are a shared frame's, else outside of it. */
static void check_place(struct intake_delivery *d, const struct ref_ingest_unit *u,
                        struct wb_view bytes)
{
    struct wb_view chunk = d->probe.view;

    if (d->subject->stats == NULL || d->probe.owner == NULL)
        return;
    if (intake_is_shared(d, u)) {
        FUZZ_CHECK(ING_011, bytes.data == chunk.data + (u->body - d->begin));
        FUZZ_CHECK(ING_011, bytes.len == u->size);
    } else {
        bool is_apart =
            bytes.data + bytes.len <= chunk.data || bytes.data >= chunk.data + chunk.len;
        FUZZ_CHECK(ING_010, is_apart);
    }
}

static void check_bytes(struct intake_delivery *d, const struct subject_ingest_event *e)
{
    const struct ref_ingest_unit *u = current(d);

    INTAKE_CHECK(ING_002, d, d->told_frame && u != NULL);
    INTAKE_CHECK(ING_002, d, e->bytes.len > 0 && e->bytes.len <= u->size - d->at);
    size_t at = u->body + d->at;
    INTAKE_CHECK(ING_002, d, at + e->bytes.len <= d->end);
    INTAKE_CHECK(ING_002, d, memcmp(e->bytes.data, d->c->stream.data + at, e->bytes.len) == 0);
    check_place(d, u, e->bytes);
    if (d->kept_count < SUBJECT_INGEST_KEPT)
        d->kept[d->kept_count++] = (struct intake_kept){e->bytes, at};
    d->at += e->bytes.len;
    step(d, u);
}

static void check_message(struct intake_delivery *d, const struct subject_ingest_event *e)
{
    const struct ref_ingest_unit *u = current(d);

    INTAKE_CHECK(ING_020, d, d->c->mode >= INTAKE_MESSAGES && d->unit < d->due && u != NULL);
    INTAKE_CHECK(ING_020, d, e->number == u->number);
    INTAKE_CHECK(ING_020, d, e->bytes.len == u->size);
    if (u->size > 0)
        INTAKE_CHECK(ING_020, d,
                     memcmp(e->bytes.data, d->c->stream.data + u->body, e->bytes.len) == 0);
    d->unit++;
}

void intake_pull(struct intake_delivery *d)
{
    struct subject_ingest_event e;
    uint64_t refused = d->c->run->alloc.refused;
    enum wb_err err;

    while ((err = d->subject->next(d->session, &e)) != WB_MORE) {
        if (err == WB_E_NOMEM) {
            FUZZ_CHECK(ING_016, d->c->run->alloc.refused > refused);
            refused = d->c->run->alloc.refused;
            continue;
        }
        FUZZ_CHECK(ING_005, err == WB_OK && !d->told_end);
        intake_story(d, &e);
        switch (e.kind) {
        case SUBJECT_INGEST_HEADER:
            check_header(d, &e);
            break;
        case SUBJECT_INGEST_FRAME:
            check_frame(d, &e);
            break;
        case SUBJECT_INGEST_BYTES:
            check_bytes(d, &e);
            break;
        case SUBJECT_INGEST_MESSAGE:
            check_message(d, &e);
            break;
        case SUBJECT_INGEST_END:
            d->told_end = true;
            d->ended = e.status;
            break;
        }
    }
}

void intake_check_push(struct intake_delivery *d)
{
    const struct intake *c = d->c;
    const struct ref_ingest_unit *u;
    uint64_t holders;

    INTAKE_CHECK(ING_008, d, d->chunk.view.len == 0);
    INTAKE_CHECK(ING_005, d, !d->told_end);
    INTAKE_CHECK(ING_009, d, d->unit == d->due);
    if (c->mode == INTAKE_GROUP)
        INTAKE_CHECK(ING_003, d,
                     d->told_header == (c->model.has_header && c->model.header_end <= d->end));
    u = current(d);
    if (u != NULL && u->begin < d->end && (u->body == 0 || u->body > d->end))
        sim_mark(c->run, INTAKE_MARK_CUT_HEADER);
    if (d->at > 0)
        sim_mark(c->run, INTAKE_MARK_OPEN);
    if (c->mode < INTAKE_MESSAGES && u != NULL && u->body > 0 && u->body < d->end)
        INTAKE_CHECK(ING_007, d, d->at == d->end - u->body);
    else
        INTAKE_CHECK(ING_007, d, d->at == 0 && !d->told_frame);
    if (d->subject->stats == NULL)
        return;
    holders = 1 + chunks_own(&d->chunks) + (d->chunk.owner != NULL);
    if (d->shared == 0)
        FUZZ_CHECK(ING_010, wb_slice_holders(&d->probe) == holders);
    else
        FUZZ_CHECK(ING_011, wb_slice_holders(&d->probe) >= holders + d->shared);
}

static void check_cost(struct intake_delivery *d)
{
    const struct ref_ingest_unit *u = current(d);
    struct subject_ingest_stats stats;

    bool has_left = d->c->end == INTAKE_LEAVE || d->c->end == INTAKE_FIN_AND_MORE;

    if (d->subject->stats == NULL || d->c->mode >= INTAKE_MESSAGES || has_left)
        return;
    d->subject->stats(d->session, &stats);
    if (u != NULL && d->at > 0)
        d->want.copied += d->at; /* of a frame that never became whole */
#ifdef WB_COUNTED
    FUZZ_CHECK(ING_011, stats.shared == d->want.shared);
    FUZZ_CHECK(ING_012, stats.copied_whole == d->want.copied_whole);
    FUZZ_CHECK(ING_012, stats.assembled == d->want.assembled);
    if (!d->has_failed)
        FUZZ_CHECK(ING_013, stats.copied == d->want.copied);
#endif
}

/*
 * What was taken at most: chunks, the frames that arrived with what stands around each, doubled
 * while something grows; nothing for what was only declared.
 */
static void check_memory(const struct intake_delivery *d)
{
    uint64_t units = d->c->model.count + 1, len = d->c->stream.len;

    FUZZ_CHECK(ING_014,
               d->c->run->alloc.peak_bytes <= 3 * CHUNKS_BUFFER + 8192 + 12 * len + 256 * units);
}

void intake_check_end(struct intake_delivery *d)
{
    const struct intake *c = d->c;
    bool by_stream = c->end == INTAKE_FIN || c->end == INTAKE_FIN_AND_MORE || d->has_failed;

    INTAKE_CHECK(ING_005, d, d->told_end || !by_stream);
    INTAKE_CHECK(ING_005, d, d->ended == c->want || !by_stream);
    INTAKE_CHECK(ING_021, d, d->told_end);
    INTAKE_CHECK(ING_021, d, d->ended == c->want);
    if (d->has_failed) {
        size_t before = d->due; /* the chunk of the error may have brought some */
        while (before > 0 && c->units[before - 1].end > d->begin)
            before--;
        INTAKE_CHECK(ING_009, d, d->unit >= before);
        INTAKE_CHECK(ING_009, d, d->unit <= c->model.count);
        sim_mark(c->run, d->unit < c->model.count ? INTAKE_MARK_LOST : INTAKE_MARK_FAILED);
    } else {
        INTAKE_CHECK(ING_009, d, d->unit == c->model.count);
    }
    check_cost(d);
    check_memory(d);
    for (size_t i = 0; i < d->kept_count; i++)
        FUZZ_CHECK(ING_017, memcmp(d->kept[i].bytes.data, c->stream.data + d->kept[i].at,
                                   d->kept[i].bytes.len) == 0);
}
