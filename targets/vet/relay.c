/*
 * relay.c: the two ends of a stream of frames. The writer's end reads a stream as the target
 * `ingest` is given it, and writes all of it again; the reader's end tells what it sees in lines. A
 * payload is one line however it was cut: how it is kept is no matter of the wire.
 */
#include "targets/vet/side.h"

#include "core/base/buf.h"
#include "sim/trace.h"
#include "targets/subject.h"
#include "targets/vet/joint.h"

#include <string.h>

#if !defined(VET_APART) && defined(SUBJECT_INGEST_KEPT)
const struct subject_ingest *__real_subject_ingest(void);

/* Modes 2 and 3 of the target are messages, which nobody writes. */
enum { RELAY_GROUP, RELAY_FRAMES, RELAY_DATAGRAM = 4 };

static void config_of(uint8_t config, struct subject_ingest_profile *out, unsigned *out_mode)
{
    static const enum wb_moq_version versions[] = {WB_LITE_05, WB_LITE_04, WB_LITE_06, WB_LITE_07};
    unsigned mode = config >> 2 & 7;

    *out_mode = mode > RELAY_DATAGRAM ? RELAY_GROUP : mode;
    *out = (struct subject_ingest_profile){.mode = mode == RELAY_FRAMES ? SUBJECT_INGEST_FRAMES
                                                                        : SUBJECT_INGEST_GROUP,
                                           .version = versions[config & 3],
                                           .message_max = WB_MOQ_MESSAGE_MAX,
                                           .upfront = 64,
                                           .first = 16,
                                           .chain = 256};
}

/* One chunk; what is left of it by a push that failed is gone with it. */
static bool give(const struct subject_ingest *subject, void *session, const uint8_t *bytes,
                 size_t len)
{
    struct wb_slice chunk = {0};

    if (len == 0)
        return true;
    bool ok = wb_slice_copy(wb_mem_libc(), wb_view_of(bytes, len), &chunk) == WB_OK &&
              subject->push(session, &chunk) == WB_OK;
    wb_slice_drop(&chunk);
    return ok;
}

/* Frames that did not become whole are not relayed: `whole` is the length behind the last that
 * did. */
static size_t relay_events(const struct subject_ingest *subject, void *session,
                           enum wb_moq_version version, struct wb_buf *out)
{
    struct subject_ingest_event e;
    uint64_t timestamp = 0, due = 0;
    size_t whole = 0;

    while (subject->next(session, &e) == WB_OK && e.kind != SUBJECT_INGEST_END) {
        if (e.kind == SUBJECT_INGEST_BYTES) {
            if (e.bytes.len > due || wb_buf_add(out, e.bytes) != WB_OK)
                break;
            due -= e.bytes.len;
        } else {
            if (subject->put(version, &e, &timestamp, out) != WB_OK)
                break;
            due = e.kind == SUBJECT_INGEST_FRAME ? e.size : 0;
        }
        whole = due == 0 ? out->len : whole;
    }
    return whole;
}

static size_t relay_datagram(const struct subject_ingest *subject, enum wb_moq_version version,
                             struct wb_view packet, struct wb_buf *out)
{
    struct subject_datagram d;
    uint64_t timestamp = 0;

    if (subject->datagram(version, packet, &d) != WB_OK)
        return 0;
    struct subject_ingest_event e = {.kind = SUBJECT_INGEST_MESSAGE,
                                     .subscribe = d.subscribe,
                                     .sequence = d.sequence,
                                     .timestamp = d.timestamp,
                                     .bytes = d.payload};
    return subject->put(version, &e, &timestamp, out) == WB_OK ? out->len : 0;
}

size_t vet_relay(const uint8_t *bytes, size_t len, uint8_t *out, size_t max)
{
    const struct subject_ingest *subject = __real_subject_ingest();
    struct subject_ingest_profile profile;
    struct wb_buf buf;
    unsigned mode;
    void *session;
    size_t whole = 0;

    if (len < 2 || subject->put == NULL || (bytes[0] >> 2 & 7) == 2 || (bytes[0] >> 2 & 7) == 3)
        return 0;
    config_of(bytes[0], &profile, &mode);
    wb_buf_init(&buf, wb_mem_libc(), max);
    if (mode == RELAY_DATAGRAM) {
        whole = relay_datagram(subject, profile.version, wb_view_of(bytes + 1, len - 1), &buf);
    } else if (subject->open(&profile, wb_mem_libc(), &session) == WB_OK) {
        if (give(subject, session, bytes + 1, len - 1))
            (void)subject->fin(session);
        whole = relay_events(subject, session, profile.version, &buf);
        subject->close(session);
    }
    if (whole > 0)
        memcpy(out, buf.data, whole);
    wb_buf_fini(&buf);
    return whole;
}

/* ---- the reader ---- */

static struct {
    FILE *lines;
    void *session; /* NULL: a datagram, or closed */
    unsigned mode;
    enum wb_moq_version version;
    bool has_failed;
    uint64_t hash, got; /* of the frame under way */
    bool has_frame;
} reader;

static void frame_done(void)
{
    if (reader.has_frame)
        fprintf(reader.lines, "payload of %llu bytes, hash %016llx\n",
                (unsigned long long)reader.got, (unsigned long long)reader.hash);
    reader.has_frame = false;
}

static void pull(void)
{
    const struct subject_ingest *subject = __real_subject_ingest();
    struct subject_ingest_event e;

    while (subject->next(reader.session, &e) == WB_OK) {
        if (e.kind == SUBJECT_INGEST_BYTES) {
            for (size_t i = 0; i < e.bytes.len; i++)
                reader.hash = (reader.hash ^ e.bytes.data[i]) * UINT64_C(0x100000001b3);
            reader.got += e.bytes.len;
            continue;
        }
        frame_done();
        if (e.kind == SUBJECT_INGEST_HEADER) {
            fprintf(reader.lines, "group %llu of %llu from %llu\n", (unsigned long long)e.sequence,
                    (unsigned long long)e.subscribe, (unsigned long long)e.number);
        } else if (e.kind == SUBJECT_INGEST_FRAME) {
            fprintf(reader.lines, "frame %llu at %llu of %llu bytes\n",
                    (unsigned long long)e.number, (unsigned long long)e.timestamp,
                    (unsigned long long)e.size);
            reader.has_frame = true;
            reader.hash = UINT64_C(0xcbf29ce484222325);
            reader.got = 0;
        } else {
            fprintf(reader.lines, "end %s\n", wb_err_name((int)e.status));
            return;
        }
    }
}

void vet_reader_open(uint8_t config, FILE *lines)
{
    struct subject_ingest_profile profile;

    memset(&reader, 0, sizeof(reader));
    reader.lines = lines;
    config_of(config, &profile, &reader.mode);
    reader.version = profile.version;
    if (reader.mode != RELAY_DATAGRAM &&
        __real_subject_ingest()->open(&profile, wb_mem_libc(), &reader.session) != WB_OK)
        reader.session = NULL;
}

static void read_datagram(const uint8_t *bytes, size_t len)
{
    struct subject_datagram d;
    enum wb_err err = __real_subject_ingest()->datagram(reader.version, wb_view_of(bytes, len), &d);

    fprintf(reader.lines, "datagram %s", wb_err_name((int)err));
    if (err == WB_OK)
        fprintf(reader.lines, ": %llu of %llu at %llu, %zu bytes, hash %016llx",
                (unsigned long long)d.sequence, (unsigned long long)d.subscribe,
                (unsigned long long)d.timestamp, d.payload.len,
                (unsigned long long)sim_hash(d.payload, 0));
    fputc('\n', reader.lines);
}

void vet_reader_push(const uint8_t *bytes, size_t len)
{
    if (reader.mode == RELAY_DATAGRAM) {
        read_datagram(bytes, len);
        return;
    }
    if (reader.session == NULL || reader.has_failed)
        return;
    reader.has_failed = !give(__real_subject_ingest(), reader.session, bytes, len);
    pull();
}

void vet_reader_end(void)
{
    if (reader.session == NULL)
        return;
    if (!reader.has_failed)
        (void)__real_subject_ingest()->fin(reader.session);
    pull();
    frame_done();
    __real_subject_ingest()->close(reader.session);
    reader.session = NULL;
}

#else

size_t vet_relay(const uint8_t *bytes, size_t len, uint8_t *out, size_t max)
{
    (void)bytes;
    (void)len;
    (void)out;
    (void)max;
    return 0;
}

void vet_reader_open(uint8_t config, FILE *lines)
{
    (void)config;
    (void)lines;
}

void vet_reader_push(const uint8_t *bytes, size_t len)
{
    (void)bytes;
    (void)len;
}

void vet_reader_end(void)
{
}

#endif
