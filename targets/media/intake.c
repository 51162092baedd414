#include "targets/media/intake.h"

#define BYTEWISE_EDGE  4  /* so much of a payload at both its ends comes byte by byte */
#define BYTEWISE_PIECE 61 /* and the rest in such pieces */
#define RETRIES_MAX    4

static uint32_t next_random(struct intake_delivery *d)
{
    d->random = d->random * UINT32_C(1664525) + UINT32_C(1013904223);
    return d->random >> 12;
}

void intake_init(struct intake *c, uint8_t config, struct wb_view stream, struct sim_run *run)
{
    static const enum wb_moq_version versions[] = {WB_LITE_05, WB_LITE_04, WB_LITE_06, WB_LITE_07};
    static const unsigned drafts[] = {5, 4, 6, 7};
    unsigned mode = config >> 2 & 7;

    c->run = run;
    c->mode = mode < INTAKE_MODES ? (enum intake_mode)mode : INTAKE_GROUP;
    c->end = c->mode < INTAKE_MESSAGES ? (enum intake_end)(config >> 5) : INTAKE_FIN;
    c->stream = stream;
    c->hash = sim_hash(stream, config);
    c->rules = (struct ref_ingest_rules){
        .draft = drafts[config & 3],
        .message_max = c->mode == INTAKE_TYPED ? 64 : WB_MOQ_MESSAGE_MAX,
    };
    c->profile = (struct subject_ingest_profile){.version = versions[config & 3],
                                                 .message_max = c->rules.message_max,
                                                 .upfront = 64,
                                                 .first = 16,
                                                 .chain = 256};
    if (c->mode == INTAKE_DATAGRAM)
        return;
    c->rules.mode = (enum ref_ingest_mode)c->mode;
    c->profile.mode = (enum subject_ingest_mode)c->mode;
    c->model = ref_ingest_read(&c->rules, stream, c->units, INTAKE_UNITS_MAX);
    if (c->model.count == INTAKE_UNITS_MAX) /* what comes after is not sent */
        c->stream = wb_view_sub(stream, 0, c->units[INTAKE_UNITS_MAX - 1].end);
    c->want = c->model.status;
    if (c->want != WB_OK && c->want != WB_E_TRUNCATED)
        return;
    if (c->end >= INTAKE_RESET_0 && c->end <= INTAKE_RESET_31) {
        static const uint8_t codes[] = {0, 1, 5, 31};
        c->want = ref_ingest_reset(codes[c->end - INTAKE_RESET_0]);
    } else if (c->end == INTAKE_CANCEL || c->end == INTAKE_LEAVE) {
        c->want = c->end == INTAKE_CANCEL ? WB_E_OLD : WB_E_DROPPED;
    } else if (c->want == WB_OK) {
        c->want = WB_END;
    }
}

/* ---- cutting --------------------------------------------------------------------------------- */

/* Byte by byte, but for the middle of a long payload, where a cut is like any other. */
static size_t next_byte(const struct intake_delivery *d)
{
    const struct ref_ingest_unit *u = &d->c->units[d->unit];
    size_t begin, end;

    if (d->unit == d->c->model.count + d->c->model.has_open)
        return 1;
    begin = u->body + BYTEWISE_EDGE;
    end = u->end;
    if (d->end < begin || d->end + BYTEWISE_EDGE >= end)
        return 1;
    end -= BYTEWISE_EDGE + d->end;
    return end < BYTEWISE_PIECE ? end : BYTEWISE_PIECE;
}

static size_t next_piece(struct intake_delivery *d)
{
    size_t len = d->c->stream.len, cut;

    switch (d->number) {
    case 0:
        return next_byte(d);
    case 2:
        cut = (size_t)(d->c->hash % (len + 1));
        return d->end < cut ? cut - d->end : len;
    case 4:
        return 1 + next_random(d) % 300;
    case 5:
        return CHUNKS_PACKET;
    case 7:
        return 1 + next_random(d) % (32 + len / 64);
    default: /* as much as the backing takes */
        return SIZE_MAX;
    }
}

/* The next bytes of the stream as a chunk; refused once at most, then asked for again. */
static void cut_chunk(struct intake_delivery *d)
{
    size_t left = d->c->stream.len - d->end, n = next_piece(d);
    const struct wb_segment *before = d->probe.owner;
    struct wb_view bytes;
    unsigned tries = 0;

    if (n > chunks_max(&d->chunks))
        n = chunks_max(&d->chunks);
    if (n > left)
        n = left;
    d->begin = d->end;
    d->end += n;
    bytes = wb_view_sub(d->c->stream, d->begin, d->end);
    wb_slice_drop(&d->chunk);
    wb_slice_drop(&d->probe);
    size_t used = d->chunks.used;
    while (chunks_next(&d->chunks, bytes, &d->chunk) != WB_OK)
        FUZZ_CHECK(ING_016, tries++ < RETRIES_MAX);
    if (d->chunks.used < used && d->chunk.owner == before)
        sim_mark(d->c->run, INTAKE_MARK_REUSED);
    d->probe = wb_slice_share(&d->chunk);
    if (d->chunks.backing != CHUNKS_SHARED || d->probe.owner != before)
        d->shared = 0;
}

/* ---- one delivery ---------------------------------------------------------------------------- */

/* Half of the streams end where the allocator refused: frames are missing, so it is no clean end.
 */
static bool ends_starved(struct intake_delivery *d)
{
    if (d->number != INTAKE_DELIVERIES - 1 || !d->told_header || (d->c->hash & 1) == 0)
        return false;
    FUZZ_CHECK(ING_022, d->subject->fin(d->session) == WB_E_NOMEM);
    FUZZ_CHECK(ING_022, d->subject->push(d->session, &d->chunk) == WB_E_NOMEM);
    d->is_starved = true;
    return true;
}

/* A push, repeated while the allocator refuses. */
static enum wb_err push(struct intake_delivery *d)
{
    for (unsigned tries = 0;; tries++) {
        uint64_t refused = d->c->run->alloc.refused;
        size_t left = d->chunk.view.len;
        enum wb_err err = d->subject->push(d->session, &d->chunk);

        FUZZ_CHECK(ING_008, d->chunk.view.len <= left);
        FUZZ_CHECK(ING_016, (err == WB_E_NOMEM) == (refused != d->c->run->alloc.refused));
        if (err != WB_E_NOMEM || ends_starved(d))
            return err;
        sim_mark(d->c->run, INTAKE_MARK_REFUSED);
        FUZZ_CHECK(ING_016, tries < RETRIES_MAX);
    }
}

/* The rule that was broken: the right one, with the byte that shows it, and nothing after it gone.
 */
static void check_failure(struct intake_delivery *d, enum wb_err err)
{
    const struct ref_ingest *m = &d->c->model;
    size_t at = d->end - d->chunk.view.len;
    size_t most = m->field > d->begin ? m->field : d->begin;
    size_t least = m->unit > d->begin ? m->unit : d->begin;

    d->has_failed = true;
    INTAKE_CHECK(ING_005, d, err == m->status);
    INTAKE_CHECK(ING_006, d, d->begin < m->judged && m->judged <= d->end);
    if (d->c->mode >= INTAKE_MESSAGES)
        return;
    INTAKE_CHECK(ING_008, d, at <= most);
    INTAKE_CHECK(ING_008, d, at >= least);
    FUZZ_CHECK(ING_015, d->subject->push(d->session, &d->chunk) == err);
    FUZZ_CHECK(ING_015, at == d->end - d->chunk.view.len);
    FUZZ_CHECK(ING_015, d->subject->fin(d->session) == err);
    d->subject->reset(d->session, 31);
    d->subject->cancel(d->session, WB_E_OLD);
}

/* A reader that looks only when the writer has ended and left: it must still find everything. */
static bool is_late(const struct intake_delivery *d)
{
    return d->number == 1 && d->c->end == INTAKE_FIN_AND_MORE && d->c->want == WB_END;
}

/* All chunks, or those up to the one that breaks a rule. */
static void feed(struct intake_delivery *d)
{
    const struct ref_ingest *m = &d->c->model;
    bool is_rule = m->status != WB_OK && m->status != WB_E_TRUNCATED;

    while (d->end < d->c->stream.len && !d->has_failed) {
        cut_chunk(d);
        intake_expect(d);
        enum wb_err err = push(d);
        if (d->is_starved)
            return;
        if (err != WB_OK)
            check_failure(d, err);
        if (is_late(d))
            continue;
        intake_pull(d);
        if (err == WB_OK && d->told_end) /* of messages, whose rules show when they are read */
            check_failure(d, d->ended);
        if (!d->has_failed) {
            INTAKE_CHECK(ING_006, d, !is_rule || d->end < m->judged);
            intake_check_push(d);
        }
        if (d->subject->check != NULL)
            d->subject->check(d->session);
    }
}

static void end_stream(struct intake_delivery *d)
{
    static const uint8_t codes[] = {0, 1, 5, 31};
    const struct intake *c = d->c;
    uint8_t more = 0;

    if (d->has_failed)
        return;
    INTAKE_CHECK(ING_005, d, !d->told_end);
    if (c->end >= INTAKE_RESET_0 && c->end <= INTAKE_RESET_31) {
        d->subject->reset(d->session, codes[c->end - INTAKE_RESET_0]);
    } else if (c->end == INTAKE_CANCEL) {
        d->subject->cancel(d->session, WB_E_OLD);
    } else if (c->end == INTAKE_LEAVE) {
        d->subject->leave(d->session);
    } else {
        enum wb_err err = d->subject->fin(d->session);
        if (c->want == WB_E_TRUNCATED)
            sim_mark(c->run, INTAKE_MARK_TRUNCATED);
        if (c->mode < INTAKE_MESSAGES)
            INTAKE_CHECK(ING_005, d, err == (c->want == WB_END ? WB_OK : c->want));
    }
    if (c->end == INTAKE_FIN_AND_MORE) {
        wb_slice_drop(&d->chunk);
        while (wb_slice_copy(sim_run_mem(c->run), wb_view_of(&more, 1), &d->chunk) != WB_OK)
            continue;
        enum wb_err want = c->want == WB_END ? WB_E_FINISHED : c->want;
        INTAKE_CHECK(ING_015, d, d->subject->push(d->session, &d->chunk) == want);
        INTAKE_CHECK(ING_015, d, d->chunk.view.len == 1);
        d->subject->leave(d->session); /* a writer that leaves after its end changes nothing */
    }
    intake_pull(d);
}

/* Written before it is read; too large for a stack. */
static struct intake_delivery the_delivery;

void intake_deliver(const struct intake *c, unsigned number)
{
    static const uint8_t backings[INTAKE_DELIVERIES] = {
        CHUNKS_EXACT,    CHUNKS_EXACT,  CHUNKS_EXACT,  CHUNKS_DATAGRAM,
        CHUNKS_DATAGRAM, CHUNKS_SHARED, CHUNKS_SHARED, CHUNKS_SHARED};
    struct intake_delivery *d = &the_delivery;
    unsigned tries = 0;

    d->c = c;
    d->subject = subject_ingest();
    d->number = number;
    d->chunk = d->probe = (struct wb_slice){0};
    d->begin = d->end = d->unit = d->at = d->due = d->shared = d->kept_count = 0;
    d->told_header = d->told_frame = d->told_end = d->has_failed = d->is_starved = false;
    d->ended = WB_OK;
    d->random = (uint32_t)c->hash + number;
    d->copied = 0;
    d->want = (struct subject_ingest_stats){0};
    chunks_init(&d->chunks, sim_run_mem(c->run), (enum chunks_backing)backings[number]);
    sim_trace_add(&c->run->trace, 0, "delivery %u of %u bytes", number, c->stream.len, 0, 0);
    if (number == INTAKE_DELIVERIES - 1) /* one of its allocations is refused */
        sim_alloc_fail_next(&c->run->alloc, 1 + (c->hash >> 32) % 16);
    while (d->subject->open(&c->profile, sim_run_mem(c->run), &d->session) != WB_OK)
        FUZZ_CHECK(ING_016, tries++ < RETRIES_MAX);
    feed(d);
    if (!d->is_starved) {
        end_stream(d);
        intake_check_end(d);
        FUZZ_CHECK(ING_001, d->ended == c->want);
    }
    if (number == 0)
        sim_run_outcome(c->run, c->want == WB_END && c->end == INTAKE_FIN_AND_MORE ? WB_E_FINISHED
                                                                                   : c->want);
    sim_trace_add(&c->run->trace, 0, "ended as %e, %u units", c->want, d->unit, 0, 0);
    d->subject->close(d->session);
    wb_slice_drop(&d->chunk);
    if (d->subject->stats != NULL && d->probe.owner != NULL)
        FUZZ_CHECK(ING_010, wb_slice_holders(&d->probe) == 1 + chunks_own(&d->chunks));
    wb_slice_drop(&d->probe);
    chunks_fini(&d->chunks);
}
