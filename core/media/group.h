/*
 * group.h: an append-only log of frames, at most one of them open. Readers have their own place.
 *
 *      evicted      | complete frames, each a payload or a chain | the open one |
 *      0 .. offset-1  offset ..                                    next-1          next
 *
 * Frames are numbered from 0 or from what start_at said. Billing: 256 bytes a group, the segments
 * of its frames with their headers from the moment a frame is opened, and the capacity of the log.
 * More than limits.bytes of payload (opened ones count as declared) drops complete frames from
 * the front, never the open one.
 *
 * Ends. finish: no frame more; abort: frames are released at once, slices stay with their holders.
 * A reader at `index`: below offset WB_E_LAGGED; a frame that is there is given; finished and
 * (index >= total or no abort) WB_END; aborted the reason; else WB_MORE. Single-threaded, but for
 * frame readers.
 *
 * Source: moq-lite, group log; frames.
 */
#ifndef WB_GROUP_H
#define WB_GROUP_H

#include "core/media/frame.h"
#include "core/media/pool.h"

#define WB_GROUP_OVERHEAD 256u /* billed for each group; sizeof(struct wb_group) is at most this   \
                                */
#define WB_GROUP_BYTES  ((uint64_t)32 << 20)
#define WB_GROUP_RECORD 64u /* a frame's place in the log is at most this large */

struct wb_group_limits {
    uint64_t bytes; /* of payload; WB_GROUP_BYTES unless a test says less */
    struct wb_frame_limits frame;
};
extern const struct wb_group_limits wb_group_limits_default;

struct wb_group; /* counted: one reference for the writer, one a reader, one for a cache */

/* `limits` and `pool` (or NULL) outlive the group. WB_E_NOMEM. Billed until aborted or gone. */
WB_MUST_USE enum wb_err wb_group_new(struct wb_mem *mem, const struct wb_group_limits *limits,
                                     struct wb_pool *pool, uint64_t sequence,
                                     struct wb_group **out);
struct wb_group *wb_group_share(struct wb_group *g);
void wb_group_drop(struct wb_group *g);

/* ---- the writer ------------------------------------------------------------------------------ */

/* The first frame's number. May be repeated. WB_E_FINISHED once there is a frame or an end;
   WB_E_BOUNDS for 2^64-1. */
WB_MUST_USE enum wb_err wb_group_start_at(struct wb_group *g, uint64_t first);
/*
 * Appends a whole frame; the payload's reference moves in on WB_OK. WB_E_FINISHED after an end (an
 * abort gives its reason), WB_E_BUSY while a frame is open, WB_E_FRAME_TOO_LARGE, WB_E_BOUNDS past
 * the last number, WB_E_NOMEM.
 */
WB_MUST_USE enum wb_err wb_group_add(struct wb_group *g, uint64_t timestamp,
                                     struct wb_slice *payload);
/* Opens a frame that will be written in parts; *out is borrowed until close. Errors as add. */
WB_MUST_USE enum wb_err wb_group_open(struct wb_group *g, uint64_t timestamp, uint64_t size,
                                      struct wb_frame **out);
/* Finishes the open frame: WB_E_WRONG_SIZE when bytes are missing, and it stays open. */
WB_MUST_USE enum wb_err wb_group_close(struct wb_group *g);
/* WB_E_BUSY while a frame is open, WB_E_FINISHED the second time. */
WB_MUST_USE enum wb_err wb_group_finish(struct wb_group *g);
/* Releases all frames at once; the open one is aborted for its readers. Only the first counts. */
void wb_group_abort(struct wb_group *g, enum wb_err reason);
/* The writer leaves: WB_E_DROPPED for readers unless it had finished. Gives its reference back. */
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
uint64_t wb_group_bytes(const struct wb_group *g); /* payload kept, the open frame as declared */
uint64_t wb_group_billed(const struct wb_group *g);
/* Timestamp of the first frame ever added; false when there was none. */
bool wb_group_first_timestamp(const struct wb_group *g, uint64_t *out);
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
