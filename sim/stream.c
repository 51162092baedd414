#include "sim/stream.h"

#include <string.h>

static uint64_t time_add(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

static size_t size_min(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* When something due at `time_ns` is seen: what a stall catches comes at its end. */
static uint64_t stream_seen_ns(const struct sim_stream *s, uint64_t time_ns)
{
    bool is_caught = time_ns > s->stalled_from_ns && time_ns < s->stalled_until_ns;
    return is_caught ? s->stalled_until_ns : time_ns;
}

static const struct sim_segment *stream_segment(const struct sim_stream *s, size_t i)
{
    return &s->segments[i % SIM_STREAM_SEGMENTS];
}

/* Segments that a reader may wait for: all but one that is held back. */
static size_t stream_segments_end(const struct sim_stream *s)
{
    return s->segments_end - (s->held ? 1 : 0);
}

/* Offset up to which bytes have arrived. */
static size_t stream_arrived(const struct sim_stream *s, uint64_t now_ns)
{
    size_t arrived = s->read;
    for (size_t i = s->segments_begin; i < stream_segments_end(s); i++) {
        const struct sim_segment *g = stream_segment(s, i);
        if (stream_seen_ns(s, g->time_ns) > now_ns)
            break;
        arrived = g->end;
    }
    return arrived;
}

/* True when the end is seen now, all that came before it being read. */
static bool stream_end_is_seen(const struct sim_stream *s, uint64_t now_ns)
{
    return s->end != SIM_STREAM_OPEN && s->segments_begin == s->segments_end &&
           stream_seen_ns(s, s->end_time_ns) <= now_ns;
}

static size_t stream_room(const struct sim_stream *s)
{
    size_t room = s->capacity - s->written;
    size_t unread = s->written - s->read;
    if (s->window > 0)
        room = size_min(room, s->window > unread ? s->window - unread : 0);
    bool is_full = s->segments_end - s->segments_begin == SIM_STREAM_SEGMENTS;
    return is_full && !s->held ? 0 : room;
}

void sim_stream_init(struct sim_stream *s, uint8_t *bytes, size_t capacity)
{
    /* All but the ring, which is large and read only where it was written. */
    memset(s, 0, offsetof(struct sim_stream, segments));
    s->bytes = bytes;
    s->capacity = capacity;
}

/* Puts a segment behind the others, or grows the one that is held back. Bytes never overtake bytes.
 */
/* When what is sent now is due: at the very instant a stall began it comes after it began. */
static uint64_t stream_due_ns(const struct sim_stream *s, uint64_t now_ns)
{
    uint64_t time_ns = time_add(now_ns, s->delay_ns);
    bool is_edge = time_ns == s->stalled_from_ns && time_ns < s->stalled_until_ns;
    return is_edge ? time_ns + 1 : time_ns;
}

static void stream_put(struct sim_stream *s, uint64_t time_ns, size_t end)
{
    if (s->segments_end > s->segments_begin) {
        uint64_t last_ns = stream_segment(s, s->segments_end - 1)->time_ns;
        if (time_ns < last_ns)
            time_ns = last_ns;
    }
    if (!s->held)
        s->segments_end++;
    s->held = false;
    s->segments[(s->segments_end - 1) % SIM_STREAM_SEGMENTS] =
        (struct sim_segment){.time_ns = time_ns, .end = end};
}

/* The fault that this write meets instead of being taken, or SIM_IO_BYTES. */
static enum sim_io stream_write_fault(struct sim_stream *s)
{
    if (s->end != SIM_STREAM_OPEN)
        return s->end == SIM_STREAM_RESET ? SIM_IO_RESET : SIM_IO_EOF;
    if (s->write_intr > 0) {
        s->write_intr--;
        return SIM_IO_INTR;
    }
    if (s->write_again > 0) {
        s->write_again--;
        return SIM_IO_AGAIN;
    }
    return stream_room(s) == 0 ? SIM_IO_AGAIN : SIM_IO_BYTES;
}

size_t sim_stream_write(struct sim_stream *s, uint64_t now_ns, struct wb_view bytes,
                        enum sim_io *out_io)
{
    *out_io = SIM_IO_BYTES;
    if (bytes.len == 0 && s->end == SIM_STREAM_OPEN)
        return 0;
    *out_io = stream_write_fault(s);
    if (*out_io != SIM_IO_BYTES)
        return 0;
    size_t n = size_min(bytes.len, stream_room(s));
    if (s->write_max_count > 0) {
        s->write_max_count--;
        n = size_min(n, s->write_max > 0 ? s->write_max : 1);
    }
    memcpy(s->bytes + s->written, bytes.data, n);
    uint64_t time_ns = stream_due_ns(s, now_ns);
    size_t end = s->written + n;
    if (s->split_count > 0) {
        s->split_count--;
        size_t piece = s->split > 0 ? s->split : 1;
        for (size_t at = s->written + piece; at < end; at += piece) {
            /* The last place of the ring is for the rest, however long. */
            if (s->segments_end - s->segments_begin + 1 >= SIM_STREAM_SEGMENTS)
                break;
            stream_put(s, time_ns, at);
            time_ns = time_add(time_ns, s->split_gap_ns);
        }
    }
    stream_put(s, time_ns, end);
    s->written = end;
    if (s->merge > 0) {
        s->merge--;
        /* With no room left there is no next write to wait for. */
        s->held = stream_room(s) > 0;
    }
    return n;
}

size_t sim_stream_readable_bytes(const struct sim_stream *s, uint64_t now_ns)
{
    return stream_arrived(s, now_ns) - s->read;
}

bool sim_stream_is_readable(const struct sim_stream *s, uint64_t now_ns)
{
    return sim_stream_readable_bytes(s, now_ns) > 0 || stream_end_is_seen(s, now_ns);
}

bool sim_stream_is_writable(const struct sim_stream *s, uint64_t now_ns)
{
    (void)now_ns;
    return s->end == SIM_STREAM_OPEN ? stream_room(s) > 0 : s->end == SIM_STREAM_RESET;
}

static size_t stream_read_cut(struct sim_stream *s, size_t n)
{
    if (s->cut_at_segments)
        n = size_min(n, stream_segment(s, s->segments_begin)->end - s->read);
    if (s->read_max_count > 0) {
        s->read_max_count--;
        n = size_min(n, s->read_max > 0 ? s->read_max : 1);
    }
    return n;
}

enum sim_io sim_stream_read(struct sim_stream *s, uint64_t now_ns, uint8_t *data, size_t len,
                            size_t *out_len)
{
    size_t readable = sim_stream_readable_bytes(s, now_ns);
    if (readable == 0 && !stream_end_is_seen(s, now_ns))
        return SIM_IO_AGAIN;
    if (s->intr > 0) {
        s->intr--;
        return SIM_IO_INTR;
    }
    if (s->again > 0) {
        s->again--;
        return SIM_IO_AGAIN;
    }
    if (readable == 0)
        return s->end == SIM_STREAM_RESET ? SIM_IO_RESET : SIM_IO_EOF;
    *out_len = 0;
    if (len == 0)
        return SIM_IO_BYTES;
    size_t n = stream_read_cut(s, size_min(len, readable));
    memcpy(data, s->bytes + s->read, n);
    s->read += n;
    while (s->segments_begin < s->segments_end &&
           stream_segment(s, s->segments_begin)->end <= s->read)
        s->segments_begin++;
    *out_len = n;
    return SIM_IO_BYTES;
}

uint64_t sim_stream_next_ns(const struct sim_stream *s, uint64_t now_ns)
{
    for (size_t i = s->segments_begin; i < stream_segments_end(s); i++) {
        uint64_t time_ns = stream_seen_ns(s, stream_segment(s, i)->time_ns);
        if (time_ns > now_ns)
            return time_ns;
    }
    if (s->end != SIM_STREAM_OPEN && stream_seen_ns(s, s->end_time_ns) > now_ns)
        return stream_seen_ns(s, s->end_time_ns);
    return UINT64_MAX;
}

void sim_stream_fin(struct sim_stream *s, uint64_t now_ns)
{
    if (s->end != SIM_STREAM_OPEN)
        return;
    s->end = SIM_STREAM_FIN;
    s->end_time_ns = stream_due_ns(s, now_ns);
    s->held = false;
    if (s->segments_end > s->segments_begin) {
        uint64_t last_ns = stream_segment(s, s->segments_end - 1)->time_ns;
        if (s->end_time_ns < last_ns)
            s->end_time_ns = last_ns;
    }
}

void sim_stream_reset(struct sim_stream *s, uint64_t now_ns)
{
    if (s->end == SIM_STREAM_RESET)
        return;
    size_t arrived = stream_arrived(s, now_ns);
    while (s->segments_end > s->segments_begin &&
           stream_segment(s, s->segments_end - 1)->end > arrived)
        s->segments_end--;
    s->held = false;
    s->end = SIM_STREAM_RESET;
    s->end_time_ns = stream_due_ns(s, now_ns);
}

void sim_stream_stall(struct sim_stream *s, uint64_t now_ns, uint64_t until_ns)
{
    /* A stall that still lasts is made longer; one that is over no longer matters. */
    if (s->stalled_until_ns <= now_ns)
        s->stalled_from_ns = now_ns;
    if (until_ns > s->stalled_until_ns)
        s->stalled_until_ns = until_ns;
}

void sim_stream_heal(struct sim_stream *s)
{
    s->stalled_from_ns = 0;
    s->stalled_until_ns = 0;
    s->merge = 0;
    s->held = false;
    s->split_count = 0;
    s->again = 0;
    s->intr = 0;
    s->read_max_count = 0;
    s->cut_at_segments = false;
    s->write_again = 0;
    s->write_intr = 0;
    s->write_max_count = 0;
}

void sim_stream_check(const struct sim_stream *s)
{
    WB_ASSERT(s->read <= s->written);
    WB_ASSERT(s->written <= s->capacity);
    WB_ASSERT(s->segments_begin <= s->segments_end);
    WB_ASSERT(s->segments_end - s->segments_begin <= SIM_STREAM_SEGMENTS);
    size_t end = s->read;
    uint64_t time_ns = 0;
    for (size_t i = s->segments_begin; i < s->segments_end; i++) {
        const struct sim_segment *g = stream_segment(s, i);
        WB_ASSERT(g->end > end);
        WB_ASSERT(g->time_ns >= time_ns);
        end = g->end;
        time_ns = g->time_ns;
    }
    if (s->end != SIM_STREAM_RESET)
        WB_ASSERT(end == s->written);
    if (s->held) {
        WB_ASSERT(s->segments_end > s->segments_begin);
        WB_ASSERT(s->end == SIM_STREAM_OPEN);
    }
    if (s->end == SIM_STREAM_FIN)
        WB_ASSERT(s->end_time_ns >= time_ns);
}
