/*
 * group.h: an append-only log of frames, at most one of them open. Readers have their own place.
 *
 *      evicted      | complete frames, each a payload or a chain | the open one |
 *      0 .. offset-1  offset ..                                    next-1          next
 *
 * Frames are numbered from 0 or from what start_at said. Billing, while a pool is there:
 *
 *   a group      WB_GROUP_OVERHEAD, in which its log's first place is included
 *   a frame      wb_frame_bill of its size, opened or added whole, from then until it leaves, also
 *                when its payload is part of a larger segment; WB_GROUP_OPEN more while it is open
 *   the log      full with its one own place it grows to 4 places, then it doubles: WB_GROUP_RECORD
 *                each. Places of an evicted front are used again; an abort gives all back
 *
 * More than limits.bytes of payload (opened ones count as declared) or more than limits.frames
 * drops complete frames from the front, never the open one nor the one being added. The log grows
 * before that.
 *
 * Ends. finish: no frame more; abort: frames are released at once, slices stay with their holders,
 * and the numbers (offset, next_index, committed, total) stay as they were; a track's group leaves
 * its track. After both, writers get the reason of the abort.
 * A reader at `index`: past its cap WB_END; below offset WB_E_LAGGED; a frame that is there is
 * given; finished and (index >= total or no abort) WB_END; aborted the reason; else WB_MORE.
 * Single-threaded, but for frame readers.
 *
 * Source: moq-lite, group log; frames.
 */
#ifndef WB_GROUP_H
#define WB_GROUP_H

#include "core/media/frame.h"
#include "core/media/pool.h"

#define WB_GROUP_OVERHEAD 256u /* the group itself, its track's part included, is at most this */
#define WB_GROUP_OPEN     128u /* the object of an open frame is at most this */
#define WB_GROUP_RECORD   32u  /* a frame's place in the log is at most this */
#define WB_GROUP_BYTES    ((uint64_t)32 << 20)
#define WB_GROUP_FRAMES   ((uint64_t)1 << 20) /* as many bytes of log: empty frames cost, too */

struct wb_group_limits {
    uint64_t bytes;  /* of payload; WB_GROUP_BYTES unless a test says less */
    uint64_t frames; /* WB_GROUP_FRAMES unless a test says less */
    struct wb_frame_limits frame;
};
extern const struct wb_group_limits wb_group_limits_default;

struct wb_group; /* counted: one reference for the writer, one a reader, one for a cache */

/* `limits` and `pool` (or NULL) outlive the group. WB_E_NOMEM. Billed until aborted or gone. */
WB_MUST_USE enum wb_err wb_group_new(struct wb_mem *mem, const struct wb_group_limits *limits,
                                     struct wb_pool *pool, uint64_t sequence,
                                     struct wb_group **out);
struct wb_group *wb_group_share(struct wb_group *g);
/* With the last reference an open frame is aborted WB_E_DROPPED. */
void wb_group_drop(struct wb_group *g);

/* ---- the writer ------------------------------------------------------------------------------ */

/*
 * The first frame's number. May be repeated. The reason of an abort; WB_E_FINISHED once there was a
 * frame, complete or open, or a finish; WB_E_BOUNDS for 2^64-1. Checked in this order.
 */
WB_MUST_USE enum wb_err wb_group_start_at(struct wb_group *g, uint64_t first);
/*
 * Appends a whole frame; the payload's reference moves in on WB_OK, else it stays. The reason of an
 * abort, WB_E_FINISHED after finish, WB_E_BUSY while a frame is open, WB_E_FRAME_TOO_LARGE over
 * WB_MOQ_FRAME_MAX, WB_E_BOUNDS past the last number, which is 2^64-2, WB_E_NOMEM; in this order.
 */
WB_MUST_USE enum wb_err wb_group_add(struct wb_group *g, uint64_t timestamp,
                                     struct wb_slice *payload);
/*
 * Opens a frame that will be written in parts. *out is borrowed, only for writing, until it is
 * closed or the group is aborted, by an eviction too: ask wb_group_aborted before a write. Errors
 * as add.
 */
WB_MUST_USE enum wb_err wb_group_open(struct wb_group *g, uint64_t timestamp, uint64_t size,
                                      struct wb_frame **out);
/*
 * Finishes the open frame: WB_E_WRONG_SIZE when bytes are missing, and it stays open. The reason of
 * an abort; WB_E_FINISHED when no frame is open.
 */
WB_MUST_USE enum wb_err wb_group_close(struct wb_group *g);
/* The reason of an abort, WB_E_FINISHED the second time, WB_E_BUSY while a frame is open. */
WB_MUST_USE enum wb_err wb_group_finish(struct wb_group *g);
/* Releases all frames at once; the open one is aborted for its readers. Only the first counts. */
void wb_group_abort(struct wb_group *g, enum wb_err reason);
/*
 * The writer leaves: an abort with WB_E_DROPPED unless it had finished. Gives its reference back.
 */
void wb_group_leave(struct wb_group *g);

/* ---- what there is --------------------------------------------------------------------------- */

uint64_t wb_group_sequence(const struct wb_group *g);
uint64_t wb_group_offset(const struct wb_group *g); /* number of the first frame kept */
uint64_t wb_group_next_index(const struct wb_group *g);
uint64_t wb_group_committed(const struct wb_group *g); /* number after the last complete frame */
/* True once finished, also when aborted later; *out_total is the number after the last frame. */
bool wb_group_finished(const struct wb_group *g, uint64_t *out_total);
/* WB_OK, or the reason of the abort. */
enum wb_err wb_group_aborted(const struct wb_group *g);
uint64_t wb_group_bytes(const struct wb_group *g);  /* payload kept, the open frame as declared */
uint64_t wb_group_billed(const struct wb_group *g); /* 0 without a pool and after an abort */
/* Timestamp of the first frame ever added or opened; false when there was none. */
bool wb_group_first_timestamp(const struct wb_group *g, uint64_t *out);
/*
 * Watches: what an abort tells, once. A watch hangs at one group, with the user's own reference; an
 * abort moves it to the end of the list that it names, which its user looks at. Open on purpose.
 */
struct wb_group_watch {
    struct wb_group_watch *next, **at; /* NULL at: it hangs nowhere */
    struct wb_group_watches *told;
};
struct wb_group_watches {
    struct wb_group_watch *first, **last;
};
void wb_group_watches_init(struct wb_group_watches *list);
/* From now on, or told at once when the group was aborted. The list does not move. */
void wb_group_watch(struct wb_group *g, struct wb_group_watch *w, struct wb_group_watches *told);
/* Off the group or the list; harmless when it hangs nowhere. */
void wb_group_unwatch(struct wb_group_watch *w);
struct wb_pool_entry *wb_group_entry(struct wb_group *g);
struct wb_group *wb_group_of_entry(struct wb_pool_entry *entry);
void wb_group_check(const struct wb_group *g);

/* ---- readers --------------------------------------------------------------------------------- */

/* Open on purpose; copy with clone. */
struct wb_group_reader {
    struct wb_group *group; /* one reference */
    uint64_t index;         /* the next frame to give */
    uint64_t end;           /* last frame to give, inclusive */
    bool capped;
};

struct wb_group_frame {
    uint64_t index, timestamp, size;
    struct wb_frame_reader reader; /* the receiver's: wb_frame_reader_fini */
};

/* At frame 0, whatever the group begins with. */
void wb_group_reader_init(struct wb_group_reader *r, struct wb_group *g);
void wb_group_reader_clone(struct wb_group_reader *out, const struct wb_group_reader *r);
void wb_group_reader_fini(struct wb_group_reader *r);
/* The next frame to give is `index`, or the first one kept when that is later. */
void wb_group_reader_start_at(struct wb_group_reader *r, uint64_t index);
/* Frames after `last` read as WB_END until the cap is raised or lifted. */
void wb_group_reader_end_at(struct wb_group_reader *r, uint64_t last);
void wb_group_reader_lift(struct wb_group_reader *r);
/* The next frame, complete or open, and one step on. WB_OK, WB_MORE, WB_END, WB_E_LAGGED, the
   reason of an abort. Allocates nothing. */
WB_MUST_USE enum wb_err wb_group_next(struct wb_group_reader *r, struct wb_group_frame *out);

#endif
