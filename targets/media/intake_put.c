#include "oracles/ref_datagram.h"
#include "targets/media/intake.h"

#include <string.h>

#define FRAMES_PUT 16 /* so many of a stream are written again */

/* True when it was written, and is the model's. */
static bool put(const struct intake *c, const struct subject_ingest_event *e, uint64_t *timestamp,
                struct wb_view want)
{
    struct wb_buf buf;
    uint64_t refused = c->run->alloc.refused;
    enum wb_err err;

    wb_buf_init(&buf, sim_run_mem(c->run), SIZE_MAX);
    err = subject_ingest()->put(c->profile.version, e, timestamp, &buf);
    FUZZ_CHECK(ING_019, (err == WB_E_NOMEM) == (c->run->alloc.refused != refused));
    if (err == WB_OK)
        FUZZ_CHECK(ING_019, wb_view_equal(wb_buf_view(&buf), want));
    else
        FUZZ_CHECK(ING_019, buf.len == 0);
    wb_buf_fini(&buf);
    FUZZ_CHECK(ING_019, err == WB_OK || err == WB_E_NOMEM || want.len == 0);
    FUZZ_CHECK(ING_019, err != WB_OK || want.len > 0);
    return err == WB_OK;
}

/* What no writer may say, whatever was read: nothing is written. */
static void check_refusals(const struct intake *c)
{
    static const uint8_t payload[REF_DATAGRAM_PAYLOAD_MAX + 1];
    const uint64_t late = REF_INGEST_TIME_MAX + 1;
    const struct {
        struct subject_ingest_event event;
        enum wb_err in_04, later;
    } rows[] = {
        {{.kind = SUBJECT_INGEST_FRAME, .size = REF_INGEST_FRAME_MAX + 1},
         WB_E_FRAME_TOO_LARGE,
         WB_E_FRAME_TOO_LARGE},
        {{.kind = SUBJECT_INGEST_FRAME, .timestamp = late}, WB_OK, WB_E_BOUNDS},
        {{.kind = SUBJECT_INGEST_MESSAGE, .timestamp = late}, WB_E_VERSION, WB_E_BOUNDS},
        {{.kind = SUBJECT_INGEST_MESSAGE, .bytes = {payload, sizeof payload}},
         WB_E_VERSION,
         WB_E_BOUNDS},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum wb_err want = c->rules.draft < 5 ? rows[i].in_04 : rows[i].later;
        uint64_t timestamp = 0, requests = c->run->alloc.requests;
        struct wb_buf buf;

        if (want == WB_OK)
            continue;
        wb_buf_init(&buf, sim_run_mem(c->run), SIZE_MAX);
        enum wb_err err =
            subject_ingest()->put(c->profile.version, &rows[i].event, &timestamp, &buf);
        FUZZ_CHECK(ING_019, err == want);
        FUZZ_CHECK(ING_019, buf.len == 0 && timestamp == 0);
        FUZZ_CHECK(ING_019, c->run->alloc.requests == requests);
        wb_buf_fini(&buf);
    }
}

void intake_put(const struct intake *c)
{
    uint8_t bytes[40];
    const struct ref_ingest *m = &c->model;
    struct subject_ingest_event e = {.kind = SUBJECT_INGEST_HEADER,
                                     .subscribe = m->subscribe,
                                     .sequence = m->sequence,
                                     .number = m->first};
    uint64_t timestamp = 0, before = 0;

    if (subject_ingest()->put == NULL || c->mode >= INTAKE_MESSAGES)
        return;
    check_refusals(c);
    if (m->has_header)
        put(c, &e, &timestamp, wb_view_of(bytes, ref_ingest_put_header(c->rules.draft, m, bytes)));
    if (m->has_header) {
        struct ref_ingest other = *m;
        other.first = e.number = 1; /* which early versions cannot say */
        put(c, &e, &timestamp,
            wb_view_of(bytes, ref_ingest_put_header(c->rules.draft, &other, bytes)));
        other.first = e.number = 0;
        other.sequence = e.sequence = UINT64_MAX; /* nor the form of all but lite-07 */
        put(c, &e, &timestamp,
            wb_view_of(bytes, ref_ingest_put_header(c->rules.draft, &other, bytes)));
    }
    for (size_t i = 0; i < m->count && i < FRAMES_PUT; i++) {
        const struct ref_ingest_unit *u = &c->units[i];
        size_t len = ref_ingest_put_frame(c->rules.draft, before, u, bytes);
        uint64_t at = timestamp;

        e = (struct subject_ingest_event){
            .kind = SUBJECT_INGEST_FRAME, .timestamp = u->timestamp, .size = u->size};
        bool was_put = put(c, &e, &timestamp, wb_view_of(bytes, len));
        FUZZ_CHECK(ING_019, timestamp == (was_put ? u->timestamp : at));
        timestamp = before = u->timestamp;
    }
}

void intake_datagram(const struct intake *c)
{
    static uint8_t bytes[REF_DATAGRAM_HEADER_MAX + REF_DATAGRAM_PAYLOAD_MAX];
    struct ref_datagram want = ref_datagram_read(c->rules.draft, c->stream);
    struct subject_datagram got = {1, 2, 3, wb_view_of(bytes, 4)};
    uint64_t requests = c->run->alloc.requests;
    enum wb_err err = subject_ingest()->datagram(c->profile.version, c->stream, &got);

    FUZZ_CHECK(ING_018, err == want.status);
    FUZZ_CHECK(ING_018, c->run->alloc.requests == requests);
    sim_run_outcome(c->run, err);
    if (err != WB_OK) {
        FUZZ_CHECK(ING_018, got.subscribe == 1 && got.sequence == 2 && got.timestamp == 3);
        FUZZ_CHECK(ING_018, got.payload.data == bytes && got.payload.len == 4);
        intake_story_datagram(c, NULL);
        return;
    }
    intake_story_datagram(c, &got);
    FUZZ_CHECK(ING_018, got.subscribe == want.subscribe);
    FUZZ_CHECK(ING_018, got.sequence == want.sequence);
    FUZZ_CHECK(ING_018, got.timestamp == want.timestamp);
    FUZZ_CHECK(ING_018, got.payload.len == c->stream.len - want.payload);
    if (got.payload.len > 0)
        FUZZ_CHECK(ING_018, got.payload.data == c->stream.data + want.payload);
    if (subject_ingest()->put == NULL)
        return;
    size_t len = ref_datagram_write(c->rules.draft, &want, bytes);
    if (got.payload.len > 0)
        memcpy(bytes + len, got.payload.data, got.payload.len);
    struct subject_ingest_event e = {.kind = SUBJECT_INGEST_MESSAGE,
                                     .subscribe = got.subscribe,
                                     .sequence = got.sequence,
                                     .timestamp = got.timestamp,
                                     .bytes = got.payload};
    uint64_t timestamp = 0;
    put(c, &e, &timestamp, wb_view_of(bytes, len + got.payload.len));
}
