/*
 * ref_frame.h: one frame as a flat buffer and a list of the segments that must stand behind it. The
 * second opinion on core/media/frame.h; calls nothing of the core.
 */
#ifndef REF_FRAME_H
#define REF_FRAME_H

#include "core/base/bytes.h"
#include "core/base/err.h"

#define REF_FRAME_MAX      ((uint64_t)32 << 20)
#define REF_FRAME_SEGMENTS 64

enum ref_frame_kind {
    REF_FRAME_EMPTY,
    REF_FRAME_SHARED,
    REF_FRAME_FIXED,
    REF_FRAME_GROWING,
    REF_FRAME_CHAIN
};

enum ref_frame_end { REF_FRAME_OPEN, REF_FRAME_FINISHED, REF_FRAME_ABORTED };

struct ref_frame_limits {
    uint64_t upfront, first, chain;
};

/* Positions [begin, begin + capacity) of the payload. */
struct ref_frame_segment {
    uint64_t begin, capacity;
};

struct ref_frame {
    struct ref_frame_limits limits;
    const uint8_t *payload; /* the flat buffer: what a whole frame holds, borrowed */
    uint64_t size, written;
    enum ref_frame_kind kind;
    enum ref_frame_end end;
    enum wb_err reason; /* of an abort */
    size_t count;
    struct ref_frame_segment segments[REF_FRAME_SEGMENTS];
};

/* What an accepted delivery does to the storage. */
struct ref_frame_change {
    size_t kept;     /* segments at the front that stay; those after them are new */
    uint64_t copied; /* payload bytes, growth included */
    uint64_t grown;  /* of them those that were there before */
};

struct ref_frame_read {
    enum wb_err status;
    uint64_t len;
    size_t segment;
};

/* WB_OK, or WB_E_FRAME_TOO_LARGE, which leaves *f alone. */
enum wb_err ref_frame_init(struct ref_frame *f, const struct ref_frame_limits *limits,
                           const uint8_t *payload, uint64_t size);
/*
 * The verdict on bytes for positions [offset, offset + len), but for the allocator's. The first
 * rule that is broken, in the order FINISHED, GAP, WRONG_SIZE, OVERLAP.
 */
enum wb_err ref_frame_judge(const struct ref_frame *f, uint64_t offset, struct wb_view bytes);
/* Takes a delivery that was judged WB_OK; `is_slice`: as an owned slice. */
struct ref_frame_change ref_frame_write(struct ref_frame *f, uint64_t offset, uint64_t len,
                                        bool is_slice);
/* True when that delivery would be kept as the slice it is. */
bool ref_frame_is_kept(const struct ref_frame *f, uint64_t offset, uint64_t len);
enum wb_err ref_frame_finish(struct ref_frame *f);
void ref_frame_abort(struct ref_frame *f, enum wb_err reason);
/* What a reader that has read `at` bytes gets next. */
struct ref_frame_read ref_frame_read(const struct ref_frame *f, uint64_t at);
/* True when a finished frame has its payload in one piece. */
bool ref_frame_has_payload(const struct ref_frame *f);
/* What the segments of a finished frame of `size` come to, each with a header of `header`. */
uint64_t ref_frame_bill(const struct ref_frame_limits *limits, uint64_t size, uint64_t header);

#endif
