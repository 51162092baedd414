/*
 * written.c: streams that the core writes: announces by a publisher, groups and datagrams by what
 * the subject puts. Replies are read only.
 */
#include "targets/vet/written.h"

#include "core/base/buf.h"
#include "targets/subject.h"

#include <string.h>

#define STREAMS_MAX 8
#define STREAM_MAX  ((size_t)1500)

static struct written {
    const void *owner;
    enum vet_reader reader;
    unsigned config;
    bool is_over;
    size_t len;
    uint8_t bytes[STREAM_MAX];
} written_streams[STREAMS_MAX];
static size_t written_count;

void vet_written_reset(void)
{
    written_count = 0;
}

void vet_written_open(const void *owner, enum vet_reader reader, unsigned config)
{
    if (written_count == STREAMS_MAX)
        return;
    struct written *w = &written_streams[written_count++];
    w->owner = owner;
    w->reader = reader;
    w->config = config;
    w->is_over = false;
    w->len = 0;
}

void vet_written_add(const void *owner, const uint8_t *bytes, size_t len)
{
    size_t i = written_count;

    while (i > 0 && written_streams[i - 1].owner != owner)
        i--;
    if (i == 0)
        return;
    struct written *w = &written_streams[i - 1];
    w->is_over = w->is_over || len > STREAM_MAX - w->len;
    if (w->is_over || len == 0)
        return;
    if (bytes != NULL)
        memcpy(w->bytes + w->len, bytes, len);
    else
        memset(w->bytes + w->len, 0, len);
    w->len += len;
}

void vet_written_pack(struct vet_told *out)
{
    for (size_t i = 0; i < written_count; i++) {
        const struct written *w = &written_streams[i];
        if (w->len == 0 || w->len + 4 > VET_WRITTEN_MAX - out->written_len)
            continue;
        uint8_t *to = out->written + out->written_len;
        to[0] = (uint8_t)w->reader;
        to[1] = (uint8_t)w->config;
        to[2] = (uint8_t)w->len;
        to[3] = (uint8_t)(w->len >> 8);
        memcpy(to + 4, w->bytes, w->len);
        out->written_len += (uint32_t)w->len + 4;
    }
}

/* ---- announces: the configuration of fuzz_announce_wire.c ---- */

#if defined(__has_include)
#if __has_include("core/route/announce_pub.h")
#include "core/route/announce_pub.h"

enum wb_err __real_wb_announce_pub_new(struct wb_mem *mem,
                                       const struct wb_announce_pub_config *config,
                                       struct wb_announce_pub **out) __attribute__((weak));
enum wb_err __wrap_wb_announce_pub_new(struct wb_mem *mem,
                                       const struct wb_announce_pub_config *config,
                                       struct wb_announce_pub **out);
enum wb_err __real_wb_announce_pub_flush(struct wb_announce_pub *p, struct wb_buf *out)
    __attribute__((weak));
enum wb_err __wrap_wb_announce_pub_flush(struct wb_announce_pub *p, struct wb_buf *out);

enum wb_err __wrap_wb_announce_pub_new(struct wb_mem *mem,
                                       const struct wb_announce_pub_config *config,
                                       struct wb_announce_pub **out)
{
    enum wb_err err = __real_wb_announce_pub_new(mem, config, out);
    if (err == WB_OK)
        vet_written_open(*out, VET_READS_ANNOUNCES,
                         (config->version == WB_LITE_07 ? 3 : 1) | (config->hidden ? 4 : 0));
    return err;
}

enum wb_err __wrap_wb_announce_pub_flush(struct wb_announce_pub *p, struct wb_buf *out)
{
    size_t before = out->len;
    enum wb_err err = __real_wb_announce_pub_flush(p, out);
    if (err == WB_OK && out->len > before)
        vet_written_add(p, out->data + before, out->len - before);
    return err;
}
#endif
#endif

/* ---- groups, frames and datagrams: the configuration of fuzz_ingest.c; and how frames came ----
 */

#ifdef SUBJECT_INGEST_KEPT
const struct subject_ingest *__real_subject_ingest(void);
const struct subject_ingest *__wrap_subject_ingest(void);
static struct subject_ingest written_ingest;

static enum wb_err ingest_put(enum wb_moq_version version, const struct subject_ingest_event *event,
                              uint64_t *timestamp, struct wb_buf *out)
{
    static const unsigned versions[WB_MOQ_VERSIONS] = {
        [WB_LITE_04] = 1, [WB_LITE_05] = 0, [WB_LITE_06] = 2, [WB_LITE_07] = 3};
    const void *owner = &written_ingest;
    size_t before = out->len;
    enum wb_err err = __real_subject_ingest()->put(version, event, timestamp, out);

    if (err != WB_OK || out->len == before)
        return err;
    if (event->kind == SUBJECT_INGEST_HEADER)
        vet_written_open(owner, VET_READS_INGEST, versions[version]);
    else if (event->kind == SUBJECT_INGEST_MESSAGE)
        vet_written_open(owner, VET_READS_INGEST, versions[version] | 4 << 2);
    vet_written_add(owner, out->data + before, out->len - before);
    if (event->kind == SUBJECT_INGEST_FRAME)
        vet_written_add(owner, NULL, event->size < STREAM_MAX ? (size_t)event->size : STREAM_MAX);
    return err;
}

/* The subject's own counts of frames, read before a session goes. */
static void ingest_close(void *session)
{
    struct subject_ingest_stats stats;

    if (__real_subject_ingest()->stats != NULL) {
        __real_subject_ingest()->stats(session, &stats);
        vet_frames(stats.copied_whole, stats.shared, stats.assembled);
    }
    __real_subject_ingest()->close(session);
}

const struct subject_ingest *__wrap_subject_ingest(void)
{
    written_ingest = *__real_subject_ingest();
    written_ingest.close = ingest_close;
    if (written_ingest.put != NULL)
        written_ingest.put = ingest_put;
    return &written_ingest;
}
#endif
