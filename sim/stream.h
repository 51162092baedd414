/*
 * stream.h: one direction of a byte stream. The writer's segments arrive at their times; the reader
 * sees what has arrived, in the cuts that faults ask for. All faults are explicit and one-shot.
 * Bytes of the whole stream are kept, so that oracles can read any prefix.
 */
#ifndef SIM_STREAM_H
#define SIM_STREAM_H

#include "core/base/bytes.h"
#include "sim/trace.h"

#define SIM_STREAM_SEGMENTS 256

enum sim_stream_end { SIM_STREAM_OPEN, SIM_STREAM_FIN, SIM_STREAM_RESET };

enum sim_io { SIM_IO_BYTES, SIM_IO_AGAIN, SIM_IO_INTR, SIM_IO_EOF, SIM_IO_RESET };

struct sim_segment {
    uint64_t time_ns; /* when it has arrived */
    size_t end;       /* stream offset just after it */
};

struct sim_stream {
    uint8_t *bytes; /* the whole stream from its start, lent by the world */
    size_t capacity;
    size_t written, read;
    size_t
        window; /* bytes that may be in flight unread; 0 = no limit. Back-pressure on the writer */
    uint64_t delay_ns;                          /* for every later write and end */
    uint64_t stalled_from_ns, stalled_until_ns; /* what would arrive inside arrives at its end */
    uint64_t end_time_ns;                       /* when `end` is seen */
    enum sim_stream_end end;
    /* one-shot faults of the way */
    uint32_t merge;        /* the next so many writes arrive together with the one after them */
    bool held;             /* the last segment waits for that write, or for fin or heal */
    uint32_t split_count;  /* the next so many writes … */
    size_t split;          /* … arrive in segments of at most this many bytes (>= 1) … */
    uint64_t split_gap_ns; /* … this far apart */
    /* one-shot faults of the reading side */
    uint32_t again, intr;    /* so many reads say AGAIN or INTR although something is there */
    uint32_t read_max_count; /* for so many reads … */
    size_t read_max;         /* … at most this many bytes (>= 1) */
    bool cut_at_segments;    /* a read never crosses a segment's end; lasts until heal */
    /* one-shot faults of the writing side */
    uint32_t write_again, write_intr;
    uint32_t write_max_count;
    size_t write_max;
    /* What is unread: a ring, indexes counted from the start. */
    size_t segments_begin, segments_end;
    struct sim_segment segments[SIM_STREAM_SEGMENTS];
};

/* `bytes` is borrowed for the stream's life. */
void sim_stream_init(struct sim_stream *s, uint8_t *bytes, size_t capacity);
/*
 * Writes as much as window, capacity and faults take, as one segment that arrives delay_ns from
 * now, never before earlier ones; returns the count. *out_io: BYTES, AGAIN (no room, or a fault),
 * INTR, RESET, EOF after an own fin.
 */
size_t sim_stream_write(struct sim_stream *s, uint64_t now_ns, struct wb_view bytes,
                        enum sim_io *out_io);
/* Bytes that a read would find now. */
size_t sim_stream_readable_bytes(const struct sim_stream *s, uint64_t now_ns);
/* True when a read now gives bytes, an end or a reset: what poll says. Pending AGAIN and INTR do
 * not change it. */
bool sim_stream_is_readable(const struct sim_stream *s, uint64_t now_ns);
/* True when a write now would move bytes, or would report a reset. Pending faults do not change it.
 */
bool sim_stream_is_writable(const struct sim_stream *s, uint64_t now_ns);
/*
 * Copies up to `len` arrived bytes; *out_len is set with SIM_IO_BYTES only, and 0 only when `len`
 * is. An end is reported when all before it is read, again and again.
 */
enum sim_io sim_stream_read(struct sim_stream *s, uint64_t now_ns, uint8_t *data, size_t len,
                            size_t *out_len);
/* The next time after now at which a reader would see something new, UINT64_MAX when never. */
uint64_t sim_stream_next_ns(const struct sim_stream *s, uint64_t now_ns);
/* No more bytes: the reader sees the end after what was written. Half-close: the other direction
 * goes on. */
void sim_stream_fin(struct sim_stream *s, uint64_t now_ns);
/*
 * Bytes that have not arrived are lost, though `written` still counts them; the reader gets what
 * has, then sees the reset from now + delay on.
 */
void sim_stream_reset(struct sim_stream *s, uint64_t now_ns);
/* Nothing new arrives before `until_ns`; what has arrived stays readable. A stall that still lasts
 * only grows. */
void sim_stream_stall(struct sim_stream *s, uint64_t now_ns, uint64_t until_ns);
/*
 * Ends the stall and takes pending faults back; delay and window, and what was written, stay. What
 * arrives by it has arrived in the past: look at is_readable afterwards.
 */
void sim_stream_heal(struct sim_stream *s);
void sim_stream_check(const struct sim_stream *s);

#endif
