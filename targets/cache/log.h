/*
 * log.h: one group with its writer and up to sixteen readers, beside the model of it (GRP-*).
 *
 *   log.c         a run: set up, ops, the end
 *   log_ops.c     the op table
 *   log_writer.c  ops of the writer
 *   log_reader.c  ops of readers of the group, of frames, and what they keep
 *   log_check.c   what holds between any two ops
 */
#ifndef CACHE_LOG_H
#define CACHE_LOG_H

#include "core/media/group.h"
#include "oracles/ref_group.h"
#include "targets/cache/payload.h"
#include "targets/fuzz.h"

#define LOG_OWNERS    1024 /* payloads and opened frames of a run */
#define LOG_KEPT      96   /* slices that readers keep */
#define LOG_WRITE_MAX 2048 /* bytes of one payload or write */
#define LOG_MANY_MAX  64
#define LOG_MANY_ALL  255 /* the profile in which many adds up to 50,000 at once */

enum log_op {
    LOG_START = SIM_OP_FIRST,
    LOG_ADD,
    LOG_MANY,
    LOG_OPEN,
    LOG_WRITE,
    LOG_CLOSE,
    LOG_FINISH,
    LOG_ABORT,
    LOG_LEAVE,
    LOG_JOIN = SIM_OP_FIRST + 16,
    LOG_CLONE,
    LOG_START_AT,
    LOG_END_AT,
    LOG_LIFT,
    LOG_NEXT,
    LOG_SKIP,
    LOG_QUIT,
    LOG_READ = SIM_OP_FIRST + 32,
    LOG_COPY,
    LOG_SHUT,
    LOG_FORGET,
    LOG_FAIL = SIM_OP_FIRST + 48
};

/* Bits beside the slot. */
#define LOG_ADD_KEEP     1u /* a share of the payload is kept */
#define LOG_ADD_PART     2u /* the payload is a part of a larger segment */
#define LOG_ADD_HUGE     4u /* and so many bytes over 32 MiB: refused */
#define LOG_WRITE_OVER   1u /* past the declared size: refused */
#define LOG_WRITE_AGAIN  2u /* from up to 16 bytes before the end of what is there */
#define LOG_WRITE_GAP    4u /* one byte past what is there: refused */
#define LOG_WRITE_SLICE  8u /* as an owned slice */
#define LOG_AT_MAX       1u /* 2^64-1 */
#define LOG_AT_NEAR_MAX  2u /* so far before it */
#define LOG_READ_ALL     1u /* until there is nothing */
#define LOG_READ_DISCARD 2u /* what was read is given back */

#define LOG_MARK_LIST(X)                                                                           \
    X(EVICTED, "evicted")               /* a frame went from the front */                          \
    X(LAGGED, "lagged")                 /* a reader fell behind it */                              \
    X(TAILED, "read-while-open")        /* a part of a frame not yet whole */                      \
    X(GREW, "grew-under-reader")        /* an open frame's second segment, a slice of the first    \
                                           kept */                                                 \
    X(CHAINED, "chain")                 /* a frame of several segments */                          \
    X(SHARED, "shared-write")           /* the only write, an owned slice */                       \
    X(ABORTED_OPEN, "aborted-open")     /* under a reader of the open frame */                     \
    X(DRAINED, "end-after-abort")       /* a drained reader of a group aborted after its end */    \
    X(BEHIND, "reason-after-finish")    /* one behind */                                           \
    X(CAPPED, "capped")                 /* an end because of a cap */                              \
    X(OUTLIVED, "slice-outlived-group") /* kept when the group was gone */                         \
    X(REFUSED, "refused")               /* by the allocator */                                     \
    X(OVERSIZE, "over-limit")           /* one frame larger than the group's limit */              \
    X(CLAMPED, "start-clamped")         /* a reader's start moved up to the front */               \
    X(STARTED, "started-late")          /* a group that does not begin at 0 */

enum log_mark {
#define LOG_MARK_MEMBER(name, text) LOG_MARK_##name,
    LOG_MARK_LIST(LOG_MARK_MEMBER)
#undef LOG_MARK_MEMBER
        LOG_MARKS
};

/* What the model knows of a payload or an opened frame. */
struct log_owner {
    bool opened;  /* by LOG_OPEN, else added whole */
    bool chained; /* lies in several segments */
    bool shared;  /* its one segment came from outside */
    uint64_t size, written;
    uint64_t footprint; /* of its segment, or all of them */
    enum wb_err end;    /* WB_MORE while open, WB_END, or the reason of an abort */
};

struct log_reader {
    bool on;
    struct wb_group_reader reader;
    uint64_t index, end; /* the model's */
    bool capped;
    bool has_frame;
    struct wb_frame_reader frame;
    uint32_t owner; /* of that frame */
    uint64_t at;    /* the model's */
};

struct log_kept {
    struct wb_slice slice;
    uint32_t owner;
    uint64_t at;
    size_t len;
    uint8_t slot;
};

struct log_world {
    struct sim_run *run;
    struct wb_group_limits limits;
    struct ref_group_storage storage;
    struct wb_pool pool;
    struct wb_group *group; /* the writer's reference, NULL once it left */
    struct wb_group *alive; /* the group while anybody holds it */
    size_t holders;         /* of the group: the writer and readers */
    struct wb_frame *open;  /* borrowed */
    struct ref_group model;
    uint64_t group_bytes; /* lent for a group without frames */
    enum wb_err last;     /* of the last call that did not end WB_OK */
    uint32_t owners;
    size_t kept;
    size_t turn; /* whose holders are counted at this step */
    struct log_owner owner[LOG_OWNERS];
    struct log_reader readers[SIM_SLOTS];
    struct log_kept keep[LOG_KEPT];
};

extern const struct sim_ops log_ops;
extern const char *const log_marks[];

/* log.c */
void log_run(struct sim_run *run, struct wb_view input);
/* Holds a call that may allocate against what the allocator did since `refused`; true when it was
 * refused. */
bool log_was_refused(struct log_world *w, enum wb_err err, uint64_t refused);
/* Notes how a call ended. */
void log_ended(struct log_world *w, enum wb_err err);
/* A holder of the group went; with the last one goes the group. */
void log_let_go(struct log_world *w);
/* Frames that one op adds or passes. */
uint64_t log_many(const struct log_world *w, const struct sim_op *op);
/* A fresh owner; 0 when there are too many. */
uint32_t log_owner_new(struct log_world *w);

/* log_writer.c: false when there is nothing to do. */
bool log_write(struct log_world *w, const struct sim_op *op);
void log_abort(struct log_world *w, enum wb_err reason);

/* log_reader.c */
bool log_read(struct log_world *w, const struct sim_op *op);
/* Keeps a share of the slice, or gives it back when there is no room. Takes the slice. */
void log_keep(struct log_world *w, uint8_t slot, uint32_t owner, uint64_t at,
              struct wb_slice *slice);
void log_forget(struct log_world *w, size_t i);
void log_shut(struct log_world *w, struct log_reader *r);
void log_quit(struct log_world *w, struct log_reader *r);

/* log_check.c */
void log_check(struct log_world *w);
/* Bytes that the allocator lent for kept slices whose owner is not among the frames kept. */
uint64_t log_kept_bytes(const struct log_world *w);
/* Once nobody but kept slices is left: contents, holders, memory. */
void log_check_kept(struct log_world *w);

#endif
