/*
 * frame.h: the payload of one frame while it arrives: one writer, any number of readers on other
 * threads, and not one allocation or copy for a read.
 *
 *   SHARED   the first write is the whole payload as a slice: that slice is kept
 *   FIXED    declared size <= limits.upfront: one segment of exactly that size
 *   GROWING  larger, so the size is only a promise: a segment that doubles as bytes arrive, never
 *            above the declared size; a lying size costs nothing
 *   CHAIN    past limits.chain growth stops copying: full segments are sealed, an open one follows
 *
 * Publication. `mark` holds how many bytes are there, and how the frame ended. The writer stores it
 * with release after the bytes; a reader loads it with acquire and never looks at a byte at or past
 * it. Segments are never filled; growth copies the published prefix only.
 *
 * Reclamation. Growth replaces a segment that a reader may be about to take. A reader pins the
 * frame (seq_cst add), loads the segment, takes its reference, unpins. The writer stores the new
 * segment (seq_cst), and the old one keeps the frame's own reference until a later look at the pins
 * reads 0: at the same growth, the next one, finish, abort, or the drop of the frame. A segment
 * that never moves (SHARED, FIXED, sealed, a growing one at its last size) needs no pin, and
 * whether it may still move follows from the mark alone.
 *
 * Threads. The writer's functions belong to one thread. Readers' functions and share/drop may run
 * on any, each reader by one thread at a time; who shares holds a reference already. Memory given
 * back by the last holder is given on its thread. `cost` is the writer's and, at the end, the last
 * holder's: readers on other threads that may outlive the writer go without.
 *
 * Source: moq-lite, frames (32 MiB bound, WRONG_SIZE); cache pull requests of November 2026.
 */
#ifndef WB_FRAME_H
#define WB_FRAME_H

#include "core/base/bytes.h"
#include "core/base/moq.h"

/* Counted work of writers, in simulator builds; reads need no counter, they do nothing. */
struct wb_frame_cost {
    uint64_t copied;   /* payload bytes copied, growth included */
    uint64_t grown;    /* of them by growth */
    uint64_t filled;   /* bytes written that no payload put there: stays 0 */
    uint64_t segments; /* allocated */
    uint64_t freed;    /* superseded segments whose own reference was given back */
};

struct wb_frame_limits {
    size_t upfront;             /* sizes up to here are trusted */
    size_t first;               /* first segment of a growing frame */
    size_t chain;               /* a segment is never larger than this unless it is up front */
    struct wb_frame_cost *cost; /* NULL: not counted */
};
/* 64 KiB up front, first 4 KiB, chained from 1 MiB. */
extern const struct wb_frame_limits wb_frame_limits_default;

enum wb_frame_kind {
    WB_FRAME_EMPTY,
    WB_FRAME_SHARED,
    WB_FRAME_FIXED,
    WB_FRAME_GROWING,
    WB_FRAME_CHAIN
};

struct wb_frame; /* counted; one reference belongs to the writer */

/*
 * A frame of `size` bytes. Storage comes with the first write. WB_E_FRAME_TOO_LARGE over
 * WB_MOQ_FRAME_MAX before any allocation; WB_E_NOMEM. `limits` is copied.
 */
WB_MUST_USE enum wb_err wb_frame_new(struct wb_mem *mem, const struct wb_frame_limits *limits,
                                     uint64_t size, struct wb_frame **out);
struct wb_frame *wb_frame_share(struct wb_frame *f);
/* Gives one reference back; the last one frees the frame and its references to segments. */
void wb_frame_drop(struct wb_frame *f);

/*
 * The writer. Bytes for positions [offset, offset + len): those below what is there are compared
 * and skipped, the rest is published at once. Refused in this order, and nothing is written:
 * WB_E_FINISHED after finish or abort; WB_E_GAP past what is there; WB_E_WRONG_SIZE past the
 * declared size; WB_E_OVERLAP when they contradict what is there; WB_E_NOMEM.
 */
WB_MUST_USE enum wb_err wb_frame_write(struct wb_frame *f, uint64_t offset, struct wb_view bytes);
/*
 * The same with an owned slice, which is kept when it is the whole payload of an empty frame, else
 * copied. On WB_OK the slice is taken (zero afterwards); on an error it stays with the caller.
 */
WB_MUST_USE enum wb_err wb_frame_write_slice(struct wb_frame *f, uint64_t offset,
                                             struct wb_slice *bytes);
/* WB_E_WRONG_SIZE when bytes are missing; WB_E_FINISHED when it ended before. */
WB_MUST_USE enum wb_err wb_frame_finish(struct wb_frame *f);
/* Ends an unfinished frame: readers get `reason` (an error), unread bytes are lost. No-op after an
   end. */
void wb_frame_abort(struct wb_frame *f, enum wb_err reason);
/* Of what is there now: CHAIN once a segment was sealed. From any thread, as the next two. */
enum wb_frame_kind wb_frame_kind(const struct wb_frame *f);
uint64_t wb_frame_written(const struct wb_frame *f);
uint64_t wb_frame_size(const struct wb_frame *f);
/*
 * One more holder of the payload of a finished frame when it lies in one segment (all but CHAIN),
 * never a copy; false for a chain or before finish, *out untouched. Size 0 gives the zero slice.
 * From any thread.
 */
bool wb_frame_payload(const struct wb_frame *f, struct wb_slice *out);
/* The writer asks: bytes lent by the allocator for segments that the frame still refers to. */
uint64_t wb_frame_footprint(const struct wb_frame *f);
/*
 * What the segments of a finished frame of this size come to, headers included: what the pool
 * bills when the frame is opened.
 */
uint64_t wb_frame_bill(const struct wb_frame_limits *limits, uint64_t size);
/* Superseded segments that still hold the frame's own reference. For oracles; writer's thread. */
size_t wb_frame_superseded(const struct wb_frame *f);
void wb_frame_check(const struct wb_frame *f);

/*
 * A reader's place in an open frame or a finished payload. Open on purpose: it lives in its user;
 * copying it is wrong, wb_frame_reader_clone is right.
 */
struct wb_frame_reader {
    struct wb_frame *frame;  /* one reference, or NULL */
    struct wb_slice payload; /* instead of a frame: a whole payload, not yet read past `at` */
    uint64_t at;             /* bytes read */
    void *place;             /* inside the frame's chain; private */
};

/* Takes one more reference of `f`. */
void wb_frame_reader_init(struct wb_frame_reader *r, struct wb_frame *f);
/* Reads a whole payload; takes the slice, zero afterwards. */
void wb_frame_reader_of(struct wb_frame_reader *r, struct wb_slice *payload);
void wb_frame_reader_clone(struct wb_frame_reader *out, const struct wb_frame_reader *r);
void wb_frame_reader_fini(struct wb_frame_reader *r);
/*
 * The published bytes that this reader has not seen, at most up to their segment's end, as one more
 * holder of that segment. WB_OK with at least one byte; WB_MORE: nothing new yet; WB_END: finished
 * and all was read; the reason of an abort, at once. Allocates and copies nothing.
 */
WB_MUST_USE enum wb_err wb_frame_read(struct wb_frame_reader *r, struct wb_slice *out);

#endif
