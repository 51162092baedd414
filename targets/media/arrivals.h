/*
 * arrivals.h: frames whose bytes arrive in any cuts, 128 readers, and every slice that they keep,
 * beside a model of each frame's bytes and of who holds which segment (FRM-*).
 *
 *   arrivals_ops.c    the op table
 *   arrivals.c        the world, its end, and what ops share
 *   arrivals_write.c  ops of the writer
 *   arrivals_read.c   ops of readers
 *   arrivals_check.c  what holds between any two ops
 */
#ifndef MEDIA_ARRIVALS_H
#define MEDIA_ARRIVALS_H

#include "core/media/frame.h"
#include "oracles/ref_frame.h"
#include "targets/fuzz.h"

#define ARRIVALS_SLOTS    4  /* frames at once */
#define ARRIVALS_FRAMES   32 /* of a run */
#define ARRIVALS_READERS  128
#define ARRIVALS_KEPT     1024 /* slices at once; later ones are given back at once */
#define ARRIVALS_SEGMENTS 1024 /* of a run */
#define ARRIVALS_TEXT     8192 /* positions of a frame that can be delivered */
#define ARRIVALS_NONE     UINT16_MAX

enum arrivals_op {
    ARRIVALS_OPEN = SIM_OP_FIRST,
    ARRIVALS_WRITE,
    ARRIVALS_FILL,
    ARRIVALS_FINISH,
    ARRIVALS_ABORT,
    ARRIVALS_DROP,
    ARRIVALS_SHARE,
    ARRIVALS_PAYLOAD,
    ARRIVALS_JOIN,
    ARRIVALS_REOPEN,
    ARRIVALS_CLONE,
    ARRIVALS_READ,
    ARRIVALS_GLANCE,
    ARRIVALS_FORGET,
    ARRIVALS_LEAVE,
    ARRIVALS_CROWD,
    ARRIVALS_ALL,
    ARRIVALS_FAIL,
    ARRIVALS_FORWARD
};

/* Flags of ARRIVALS_WRITE. */
enum {
    ARRIVALS_WRONG = 1, /* one byte of the overlap is another */
    ARRIVALS_GAP = 2,   /* begins past what is there */
    ARRIVALS_SLICE = 4, /* as an owned slice */
    ARRIVALS_PART = 8   /* that is a part of a larger segment */
};

enum arrivals_mark {
    ARRIVALS_MARK_SHARED,
    ARRIVALS_MARK_FIXED,
    ARRIVALS_MARK_GROWING,
    ARRIVALS_MARK_CHAIN,
    ARRIVALS_MARK_MOVED,    /* a segment that readers hold slices of was replaced */
    ARRIVALS_MARK_OVERLAP,  /* a delivery brought bytes that were there, and new ones */
    ARRIVALS_MARK_OUTLIVED, /* a slice is kept of a frame that is gone */
    ARRIVALS_MARK_REFUSED,
    ARRIVALS_MARK_CROWDED,  /* more than 100 readers */
    ARRIVALS_MARK_LARGE,    /* a frame over the limit was declared */
    ARRIVALS_MARK_LYING,    /* a size that never came cost no more than what did */
    ARRIVALS_MARK_FORWARDED /* one segment, two frames */
};

struct arrivals_segment {
    uint64_t footprint;       /* bytes of the allocator; 0 until it is known */
    const uint8_t *base;      /* where its first byte lies, once a slice has shown it */
    const uint8_t *text;      /* what its first byte is */
    struct wb_segment *owner; /* likewise */
    uint32_t holders;         /* 0: gone */
    uint16_t kept;            /* a slice of it, or NONE */
    uint16_t place;           /* in the list of live ones */
};

struct arrivals_kept {
    struct wb_slice slice;
    const uint8_t *text; /* what it must show */
    uint16_t segment, next, before;
    uint8_t reader;
    bool is_live;
};

struct arrivals_frame {
    struct wb_frame *frame;
    bool has_writer;
    uint32_t references; /* 0: gone */
    uint32_t shares;     /* of them held for nobody in particular */
    struct ref_frame model;
    uint16_t segments[REF_FRAME_SEGMENTS];
    struct wb_frame_limits limits;
    struct wb_frame_cost cost, want;
};

struct arrivals_reader {
    struct wb_frame_reader reader;
    bool is_live;
    uint16_t frame;   /* or NONE: reads a payload */
    uint16_t segment; /* of the payload, or NONE */
    const uint8_t *text;
    uint64_t size, at;
};

struct arrivals {
    struct sim_run *run;
    struct ref_frame_limits limits;
    struct wb_frame_limits core_limits;
    size_t reach;         /* positions of a frame that deliveries touch */
    enum wb_err last;     /* of the last op that was refused */
    uint64_t heap;        /* what must be lent now */
    uint64_t frame_bytes; /* of a frame without segments; 0 until one was seen */
    uint64_t header;      /* of a segment */
    uint16_t frames, segments, kept_used, kept_free;
    uint16_t touched; /* the frame of the last op, or NONE */
    uint16_t slots[ARRIVALS_SLOTS];
    uint16_t live_count;
    uint16_t live[ARRIVALS_SEGMENTS];
    uint32_t readers_live;
    struct arrivals_frame frame[ARRIVALS_FRAMES];
    struct arrivals_segment segment[ARRIVALS_SEGMENTS];
    struct arrivals_kept kept[ARRIVALS_KEPT];
    struct arrivals_reader reader[ARRIVALS_READERS];
};

extern const struct sim_ops arrivals_ops;
extern const char *const arrivals_marks[];

/* Need not be initialised before. */
void arrivals_init(struct arrivals *w, struct sim_run *run, const struct sim_header *header);
/* All leave, in an order that the profile says; what was kept is looked at last. */
void arrivals_fini(struct arrivals *w, const struct sim_header *header);
void arrivals_do(struct arrivals *w, const struct sim_op *op);
/* Every law that holds between any two ops. */
void arrivals_check(struct arrivals *w);

/* ---- among the files ------------------------------------------------------------------------- */

void arrivals_do_write(struct arrivals *w, const struct sim_op *op);
void arrivals_do_read(struct arrivals *w, const struct sim_op *op);
/* The frame in a slot, or NULL. */
struct arrivals_frame *arrivals_at(struct arrivals *w, unsigned slot);
/* One more segment with one holder, the frame or whoever made it; ARRIVALS_NONE when there are too
 * many. */
uint16_t arrivals_segment_add(struct arrivals *w, const uint8_t *text, uint64_t footprint);
void arrivals_segment_drop(struct arrivals *w, uint16_t segment);
/* Takes a reference of a frame back, after the core did. */
void arrivals_frame_drop(struct arrivals *w, struct arrivals_frame *f);
/* Holds a slice that the core gave against its place in the segment, before it is kept. */
void arrivals_look(struct arrivals *w, uint16_t segment, const struct wb_slice *slice,
                   const uint8_t *text);
/* Keeps it, or gives it back when there is no room; the model counts it already. */
void arrivals_keep(struct arrivals *w, uint16_t segment, struct wb_slice *slice,
                   const uint8_t *text, unsigned reader);
void arrivals_forget(struct arrivals *w, uint16_t kept);
/* Holds the status of a call, and what the allocator did since `before`; true on WB_OK. */
bool arrivals_judge(struct arrivals *w, const struct sim_alloc *before, enum wb_err want,
                    enum wb_err err);
/* The size of a frame's segments with their headers, as the model has them. */
uint64_t arrivals_footprint(const struct arrivals *w, const struct arrivals_frame *f);

#endif
