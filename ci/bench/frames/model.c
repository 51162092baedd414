/*
 * model.c: each track has 64 kbps of audio and one video. Frames are sent when they are due, track
 * after track, audio first; their bytes fill packets back to back, whoever's they are.
 */
#include "ci/bench/frames/bench.h"

#include <string.h>

#define TICKS       3000u /* of 1/300 s */
#define AUDIO_EVERY (TICKS / MODEL_AUDIO)
#define VIDEO_EVERY (TICKS / MODEL_VIDEO)
#define AUDIO_SIZE  160u
#define KEY_FACTOR  4u /* a group's first video frame, in others */
#define FRAME_MAX   ((size_t)256 << 10)

void model_begin(struct model *m, unsigned tracks, unsigned kbps, size_t packet, size_t batch)
{
    *m = (struct model){.tracks = tracks, .kbps = kbps, .packet = packet, .batch = batch};
    figure_must(packet * batch <= sizeof m->space, "too much at once");
    wb_buf_init(&m->frame, wb_mem_libc(), FRAME_MAX);
}

void model_end(struct model *m)
{
    wb_buf_fini(&m->frame);
}

/* Bytes of a video frame; `frame` counts within its group. */
static size_t video_size(unsigned kbps, unsigned frame)
{
    unsigned frames = MODEL_VIDEO / MODEL_GROUPS;
    size_t group = (size_t)kbps * 1000 / 8 * 10 / MODEL_GROUPS;
    size_t other = group / (frames - 1 + KEY_FACTOR);

    return frame == 0 ? other * KEY_FACTOR : other;
}

static void encode(struct model *m, unsigned number)
{
    unsigned in_group = (m->is_video ? MODEL_VIDEO : MODEL_AUDIO) / MODEL_GROUPS;
    size_t size = m->is_video ? video_size(m->kbps, number % in_group) : AUDIO_SIZE;
    struct wb_group_header header = {.subscribe = m->track * 2 + m->is_video,
                                     .sequence = number / in_group};
    uint64_t *timestamp = &m->timestamp[m->track][m->is_video];
    enum wb_err err = WB_OK;

    wb_buf_truncate(&m->frame, 0);
    if (number % in_group == 0) {
        *timestamp = 0;
        err = wb_group_header_put(MODEL_VERSION, &m->frame, &header);
    }
    if (err == WB_OK) /* in microseconds */
        err = wb_frame_header_put(MODEL_VERSION, &m->frame, timestamp,
                                  (uint64_t)m->tick * 10000 / 3, size);
    m->payload_begin = m->frame.len;
    if (err == WB_OK)
        err = wb_buf_reserve(&m->frame, size);
    figure_must(err == WB_OK, "a frame cannot be encoded");
    memset(m->frame.data + m->frame.len, (int)(number & 0x7f), size);
    m->frame.len += size;
    m->frame_at = 0;
    m->ends = number % in_group == in_group - 1;
    m->payload += size;
}

/* The next frame that is due. */
static bool next_frame(struct model *m)
{
    for (; m->tick < TICKS; m->tick++, m->turn = 0)
        while (m->turn < m->tracks * 2) {
            unsigned every = m->turn % 2 == 0 ? AUDIO_EVERY : VIDEO_EVERY;

            m->track = m->turn / 2;
            m->is_video = m->turn++ % 2 == 1;
            if (m->tick % every == 0) {
                encode(m, m->tick / every);
                return true;
            }
        }
    return false;
}

/* Up to n bytes of the frame at hand; begins a part, or goes on with its stream's. */
static void send(struct model *m, size_t at, size_t n, bool is_new_packet)
{
    struct model_part *last = m->count > 0 ? &m->parts[m->count - 1] : NULL;

    if (n == m->frame.len - m->frame_at && m->frame_at <= m->payload_begin)
        m->whole++;
    memcpy(m->space + at, m->frame.data + m->frame_at, n);
    m->frame_at += n;
    if (last == NULL || is_new_packet || last->track != m->track || last->is_video != m->is_video ||
        last->ends) {
        last = &m->parts[m->count++];
        *last = (struct model_part){.bytes = {m->space + at, 0}, m->track, m->is_video, false};
    }
    last->bytes.len += n;
    last->ends = m->ends && m->frame_at == m->frame.len;
}

bool model_next(struct model *m)
{
    size_t at = 0, end = m->packet * m->batch;

    m->count = 0;
    while (at < end && m->count < MODEL_PARTS) {
        size_t room = m->packet - at % m->packet, n;

        if (m->frame_at == m->frame.len && !next_frame(m))
            break;
        n = m->frame.len - m->frame_at;
        n = n < room ? n : room;
        send(m, at, n, at % m->packet == 0);
        at += n;
    }
    return at > 0;
}
