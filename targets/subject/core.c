/*
 * core.c: wirebed's own core as the subject.
 */
#include "targets/subject.h"

#include "core/base/code.h"
#include "core/base/cost.h"
#include "core/base/message.h"
#include "core/media/ingest.h"

static enum wb_err core_open(const struct wb_reply_profile *profile, struct wb_mem *mem,
                             uint64_t now_ns, void **out)
{
    struct wb_reply *r = NULL;
    WB_TRY(wb_reply_new(profile, mem, now_ns, &r));
    *out = r;
    return WB_OK;
}

static void core_close(void *session)
{
    wb_reply_free(session);
}

static enum wb_err core_request(void *session, uint64_t now_ns, struct wb_view bytes,
                                const struct wb_reply_shape *shape, bool expect_reply,
                                uint64_t deadline_ns)
{
    return wb_reply_request(session, now_ns, bytes, shape, expect_reply, deadline_ns);
}

static enum wb_reply_state core_abandon(void *session, uint64_t now_ns)
{
    return wb_reply_abandon(session, now_ns);
}

static struct wb_reply_want core_want(const void *session, uint64_t now_ns)
{
    return wb_reply_want(session, now_ns);
}

static void core_told(void *session, uint64_t now_ns, const struct subject_told *told)
{
    switch (told->kind) {
    case WB_REPLY_WANT_WRITE:
        wb_reply_told_write(session, now_ns, told->io, told->n);
        return;
    case WB_REPLY_WANT_READ:
        wb_reply_told_read(session, now_ns, told->io, told->n, told->mask);
        return;
    case WB_REPLY_WANT_WAIT:
        wb_reply_told_wait(session, now_ns, told->mask);
        return;
    case WB_REPLY_WANT_POLL:
        wb_reply_told_poll(session, now_ns, told->mask);
        return;
    case WB_REPLY_WANT_PROBE:
        wb_reply_told_probe(session, now_ns, told->io);
        return;
    case WB_REPLY_WANT_SPACE:
        wb_reply_space(session, told->space);
        return;
    case WB_REPLY_WANT_CLOSE:
        wb_reply_told_close(session);
        return;
    case WB_REPLY_WANT_NOTHING:
    case WB_REPLY_WANT_NEXT:
        break;
    }
    WB_UNREACHABLE();
}

static enum wb_err core_next(void *session, uint64_t now_ns, struct wb_reply_event *out)
{
    return wb_reply_next(session, now_ns, out);
}

static void core_stats(const void *session, struct wb_reply_stats *out)
{
    wb_reply_stats(session, out);
}

static void core_check(const void *session)
{
    wb_reply_check(session);
}

const struct subject_reply *subject_reply(void)
{
    static const struct subject_reply core = {.name = "core",
                                              .open = core_open,
                                              .close = core_close,
                                              .request = core_request,
                                              .abandon = core_abandon,
                                              .want = core_want,
                                              .told = core_told,
                                              .next = core_next,
                                              .stats = core_stats,
                                              .check = core_check};
    return &core;
}

/* ---- streams of media ------------------------------------------------------------------------ */

/* An ingest with a reader of its group, or a reader of messages. */
struct core_stream {
    struct subject_ingest_profile profile;
    struct wb_mem *mem;
    struct wb_group_limits limits;
    struct wb_ingest ingest;
    struct wb_group_reader reader;
    struct wb_group_header header;
    struct wb_group_frame frame; /* under way */
    struct wb_message_reader messages;
    struct wb_slice chunk; /* of messages */
    struct wb_view unread; /* of it */
    bool has_reader, has_frame, owes_header, told_end, has_left, has_fin;
    enum wb_err left_with; /* where no group was told */
    size_t kept_count;
    struct wb_slice kept[SUBJECT_INGEST_KEPT];
};

/* The one session; all of it that counts is set when it opens. */
static struct core_stream core_stream;

static bool is_messages(const struct core_stream *s)
{
    return s->profile.mode >= SUBJECT_INGEST_MESSAGES;
}

/* A group for the stream, and its reader. */
static enum wb_err stream_group(struct core_stream *s, uint64_t sequence, struct wb_group **out)
{
    WB_TRY(wb_group_new(s->mem, &s->limits, NULL, sequence, out));
    wb_group_reader_init(&s->reader, *out);
    s->has_reader = true;
    return WB_OK;
}

static enum wb_err stream_open(const struct subject_ingest_profile *profile, struct wb_mem *mem,
                               void **out)
{
    struct core_stream *s = &core_stream;
    struct wb_group *group;

    s->profile = *profile;
    s->mem = mem;
    /* A size that is only declared evicts nothing that was read. */
    s->limits.bytes = s->limits.frames = UINT64_MAX;
    s->limits.frame.upfront = profile->upfront;
    s->limits.frame.first = profile->first;
    s->limits.frame.chain = profile->chain;
    s->has_reader = s->has_frame = s->owes_header = s->told_end = s->has_left = s->has_fin = false;
    s->kept_count = 0;
    s->chunk = (struct wb_slice){0};
    s->unread = (struct wb_view){0};
    if (profile->mode == SUBJECT_INGEST_GROUP) {
        wb_ingest_init(&s->ingest, mem, profile->version);
    } else if (profile->mode == SUBJECT_INGEST_FRAMES) {
        WB_TRY(stream_group(s, 0, &group));
        wb_ingest_init_frames(&s->ingest, mem, profile->version, group);
    } else {
        wb_message_reader_init(&s->messages, mem, profile->version,
                               profile->mode == SUBJECT_INGEST_TYPED, profile->message_max);
    }
    *out = s;
    return WB_OK;
}

static void stream_leave(void *session)
{
    struct core_stream *s = session;

    if (!s->has_left && !is_messages(s)) {
        s->left_with = s->ingest.err != WB_OK ? s->ingest.err : WB_E_DROPPED;
        wb_ingest_fini(&s->ingest);
    }
    s->has_left = true;
}

static void stream_close(void *session)
{
    struct core_stream *s = session;

    stream_leave(s);
    if (is_messages(s))
        wb_message_reader_fini(&s->messages);
    if (s->has_frame)
        wb_frame_reader_fini(&s->frame.reader);
    if (s->has_reader)
        wb_group_reader_fini(&s->reader);
    wb_slice_drop(&s->chunk);
    for (size_t i = 0; i < s->kept_count; i++)
        wb_slice_drop(&s->kept[i]);
}

static enum wb_err stream_attach(struct core_stream *s)
{
    struct wb_group *group;
    enum wb_err err;

    WB_TRY(stream_group(s, s->ingest.header.sequence, &group));
    err = wb_ingest_attach(&s->ingest, group);
    if (err == WB_OK) {
        wb_group_reader_start_at(&s->reader, s->ingest.header.first);
        s->header = s->ingest.header;
        s->owes_header = true;
        return WB_OK;
    }
    wb_ingest_cancel(&s->ingest, err);
    wb_group_abort(group, err);
    wb_group_drop(group);
    return err;
}

static enum wb_err stream_push(void *session, struct wb_slice *chunk)
{
    struct core_stream *s = session;
    enum wb_err err;

    if (is_messages(s)) {
        wb_slice_drop(&s->chunk);
        s->chunk = wb_slice_move(chunk);
        s->unread = s->chunk.view;
        return WB_OK;
    }
    if (s->ingest.state == WB_INGEST_ATTACH) /* whose group was refused by the allocator */
        WB_TRY(stream_attach(s));
    do {
        err = wb_ingest_push(&s->ingest, chunk);
        if (err == WB_OK && s->ingest.state == WB_INGEST_ATTACH)
            err = stream_attach(s);
    } while (err == WB_OK && chunk->view.len > 0);
    return err;
}

static enum wb_err stream_fin(void *session)
{
    struct core_stream *s = session;

    s->has_fin = true;
    return is_messages(s) ? WB_OK : wb_ingest_fin(&s->ingest);
}

static void stream_reset(void *session, uint64_t code)
{
    struct core_stream *s = session;

    if (!is_messages(s))
        wb_ingest_reset(&s->ingest, code);
}

static void stream_cancel(void *session, enum wb_err reason)
{
    struct core_stream *s = session;

    if (!is_messages(s))
        wb_ingest_cancel(&s->ingest, reason);
}

static enum wb_err end_event(struct core_stream *s, enum wb_err status,
                             struct subject_ingest_event *out)
{
    if (s->told_end)
        return WB_MORE;
    s->told_end = true;
    *out = (struct subject_ingest_event){.kind = SUBJECT_INGEST_END, .status = status};
    return WB_OK;
}

static enum wb_err next_message(struct core_stream *s, struct subject_ingest_event *out)
{
    struct wb_message message;
    enum wb_err err = wb_message_next(&s->messages, &s->unread, &message);

    if (err == WB_MORE && s->has_fin) {
        err = wb_message_fin(&s->messages);
        err = err == WB_OK ? WB_END : err;
    }
    if (err == WB_MORE)
        wb_slice_drop(&s->chunk);
    if (err == WB_MORE || err == WB_E_NOMEM)
        return err;
    if (err != WB_OK)
        return end_event(s, err, out);
    *out = (struct subject_ingest_event){.kind = SUBJECT_INGEST_MESSAGE,
                                         .number = message.type,
                                         .size = message.body.len,
                                         .bytes = message.body};
    return WB_OK;
}

/* The next piece of the frame under way; WB_END after its last. */
static enum wb_err next_bytes(struct core_stream *s, struct subject_ingest_event *out)
{
    struct wb_slice slice;
    enum wb_err err = wb_frame_read(&s->frame.reader, &slice);

    if (err == WB_OK) {
        *out = (struct subject_ingest_event){.kind = SUBJECT_INGEST_BYTES, .bytes = slice.view};
        if (s->kept_count < SUBJECT_INGEST_KEPT)
            s->kept[s->kept_count++] = slice;
        else
            wb_slice_drop(&slice);
    } else if (err != WB_MORE) {
        wb_frame_reader_fini(&s->frame.reader);
        s->has_frame = false;
    }
    return err;
}

static enum wb_err stream_next(void *session, struct subject_ingest_event *out)
{
    struct core_stream *s = session;
    enum wb_err err;

    if (is_messages(s))
        return next_message(s, out);
    if (!s->has_reader) { /* there is no group, and nobody who reads it */
        err = s->has_left ? s->left_with : s->ingest.err;
        return err == WB_OK ? WB_MORE : end_event(s, err, out);
    }
    if (s->owes_header) {
        const struct wb_group_header *header = &s->header;
        s->owes_header = false;
        *out = (struct subject_ingest_event){.kind = SUBJECT_INGEST_HEADER,
                                             .subscribe = header->subscribe,
                                             .sequence = header->sequence,
                                             .number = header->first};
        return WB_OK;
    }
    err = s->has_frame ? next_bytes(s, out) : WB_END;
    if (err != WB_END)
        return err == WB_OK || err == WB_MORE ? err : end_event(s, err, out);
    err = wb_group_next(&s->reader, &s->frame);
    if (err != WB_OK)
        return err == WB_MORE ? err : end_event(s, err, out);
    s->has_frame = true;
    *out = (struct subject_ingest_event){.kind = SUBJECT_INGEST_FRAME,
                                         .number = s->frame.index,
                                         .timestamp = s->frame.timestamp,
                                         .size = s->frame.size};
    return WB_OK;
}

static enum wb_err core_datagram(enum wb_moq_version version, struct wb_view packet,
                                 struct subject_datagram *out)
{
    struct wb_datagram d;

    WB_TRY(wb_datagram_get(version, packet, &d));
    *out = (struct subject_datagram){d.subscribe, d.sequence, d.timestamp, d.payload};
    return WB_OK;
}

static enum wb_err core_put(enum wb_moq_version version, const struct subject_ingest_event *event,
                            uint64_t *timestamp, struct wb_buf *out)
{
    struct wb_group_header header = {event->subscribe, event->sequence, event->number};
    struct wb_datagram datagram = {event->subscribe, event->sequence, event->timestamp,
                                   event->bytes};

    if (event->kind == SUBJECT_INGEST_HEADER)
        return wb_group_header_put(version, out, &header);
    if (event->kind == SUBJECT_INGEST_FRAME)
        return wb_frame_header_put(version, out, timestamp, event->timestamp, event->size);
    return wb_datagram_put(version, out, &datagram);
}

static void stream_stats(const void *session, struct subject_ingest_stats *out)
{
    const struct wb_ingest_cost *cost = &((const struct core_stream *)session)->ingest.cost;

    *out = (struct subject_ingest_stats){cost->copied_whole, cost->shared, cost->assembled,
                                         cost->copied};
}

static void stream_check(const void *session)
{
    const struct core_stream *s = session;

    if (!is_messages(s) && !s->has_left)
        wb_ingest_check(&s->ingest);
}

const struct subject_ingest *subject_ingest(void)
{
    static const struct subject_ingest core = {.name = "core",
                                               .open = stream_open,
                                               .close = stream_close,
                                               .push = stream_push,
                                               .fin = stream_fin,
                                               .reset = stream_reset,
                                               .cancel = stream_cancel,
                                               .leave = stream_leave,
                                               .next = stream_next,
                                               .datagram = core_datagram,
                                               .put = core_put,
                                               .stats = stream_stats,
                                               .check = stream_check};
    return &core;
}

/* ---- announce streams ------------------------------------------------------------------------ */

static enum wb_err announce_open(const struct wb_announce_sub_config *config, struct wb_mem *mem,
                                 void **out)
{
    struct wb_announce_sub *s = NULL;

    WB_TRY(wb_announce_sub_new(mem, config, &s));
    *out = s;
    return WB_OK;
}

static void announce_close(void *session)
{
    wb_announce_sub_free(session);
}

static enum wb_err announce_next(void *session, struct wb_view *in, struct wb_announce_event *out)
{
    return wb_announce_sub_next(session, in, out);
}

static enum wb_err announce_end(void *session, bool clean)
{
    return wb_announce_sub_end(session, clean);
}

static uint64_t announce_claims(const void *session)
{
    return wb_announce_sub_claims(session);
}

static uint64_t announce_routes(const void *session)
{
    return wb_announce_sub_routes(session);
}

static bool announce_floor(const void *session, uint64_t route, uint64_t *out)
{
    return wb_announce_sub_floor(session, route, out);
}

static bool announce_claim_at(const void *session, uint64_t i, struct wb_announce_event *out)
{
    return wb_announce_sub_claim_at(session, i, out);
}

static uint64_t announce_compared(void)
{
#ifdef WB_COUNTED
    return wb_cost.paths_compared;
#else
    return 0;
#endif
}

static void announce_check(const void *session)
{
    wb_announce_sub_check(session);
}

const struct subject_announce *subject_announce(void)
{
    static const struct subject_announce core = {.name = "core",
                                                 .open = announce_open,
                                                 .close = announce_close,
                                                 .next = announce_next,
                                                 .end = announce_end,
                                                 .claims = announce_claims,
                                                 .routes = announce_routes,
                                                 .floor = announce_floor,
                                                 .claim_at = announce_claim_at,
                                                 .compared = announce_compared,
                                                 .check = announce_check,
                                                 .request_get = wb_announce_request_get,
                                                 .request_put = wb_announce_request_put,
                                                 .seqno_get = wb_announce_seqno_request_get,
                                                 .seqno_put = wb_announce_seqno_request_put};
    return &core;
}
