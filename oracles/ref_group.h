/*
 * ref_group.h: a group's log as moq-lite 3.3 and frames 3 tell it: which frames there are, what a
 * reader at a number gets, how each call of the writer ends, and what is billed.
 *
 * Frames that follow each other and are alike are one run, so that a hundred thousand of them are
 * few.
 */
#ifndef REF_GROUP_H
#define REF_GROUP_H

#include "core/base/err.h"

#define REF_GROUP_RUNS      256
#define REF_GROUP_OVERHEAD  256u /* the log's first place is in it */
#define REF_GROUP_OPEN      128u /* more while a frame is open */
#define REF_GROUP_RECORD    32u
#define REF_GROUP_FRAME_MAX ((uint64_t)32 << 20)

/* Of frame storage, as far as a bill depends on it. */
struct ref_group_storage {
    uint64_t header;  /* of a segment */
    uint64_t upfront; /* sizes up to here are one segment */
    uint64_t chain;   /* so are larger ones up to here; past it segments of at most so much */
};

struct ref_group_run {
    uint64_t first, count;
    uint64_t size, timestamp;
    uint64_t bill;  /* of one frame */
    uint32_t owner; /* of the payload bytes; the same for all of a run */
};

struct ref_group {
    uint64_t limit; /* of payload bytes */
    uint64_t frames_limit;
    uint64_t sequence;
    uint64_t offset, next;
    bool has_open;    /* the last frame; stays so when aborted, as all numbers do */
    uint64_t written; /* of the open one */
    bool has_stamp;
    uint64_t first_stamp;
    bool finished;
    uint64_t total;
    enum wb_err reason; /* WB_OK until aborted */
    uint64_t places;    /* of the log */
    uint64_t evicted;   /* frames dropped from the front, ever */
    size_t count;
    struct ref_group_run runs[REF_GROUP_RUNS]; /* kept frames are those from `offset` on */
};

void ref_group_init(struct ref_group *g, uint64_t sequence, uint64_t limit, uint64_t frames);
/* What the segments of a finished frame of that size come to. */
uint64_t ref_group_bill(const struct ref_group_storage *s, uint64_t size);
/* False when no run more can be kept: the model is full. */
bool ref_group_has_room(const struct ref_group *g);

/* How the call ends, memory apart. They change nothing. */
enum wb_err ref_group_start_status(const struct ref_group *g, uint64_t first);
enum wb_err ref_group_append_status(const struct ref_group *g, uint64_t size);
enum wb_err ref_group_close_status(const struct ref_group *g);
enum wb_err ref_group_finish_status(const struct ref_group *g);

/* What a call that ended WB_OK changes. */
void ref_group_start(struct ref_group *g, uint64_t first);
/* Adds `run.count` frames alike; the last one stays open when `open`. The rest of `run` is given.
 */
void ref_group_append(struct ref_group *g, struct ref_group_run run, bool open);
void ref_group_close(struct ref_group *g);
void ref_group_finish(struct ref_group *g);
void ref_group_abort(struct ref_group *g, enum wb_err reason);

/* ---- what there is, counted anew each time */

/* The run that holds frame `index`, NULL when it is not kept. */
const struct ref_group_run *ref_group_run_at(const struct ref_group *g, uint64_t index);
/* What a reader gets at `index`, which ends after `end` when capped. WB_OK: the frame is there. */
enum wb_err ref_group_read_status(const struct ref_group *g, uint64_t index, bool capped,
                                  uint64_t end);
uint64_t ref_group_committed(const struct ref_group *g);
uint64_t ref_group_bytes(const struct ref_group *g);
/* Frames' segments alone. */
uint64_t ref_group_segments(const struct ref_group *g);
/* What the log came to beyond its first place. */
uint64_t ref_group_log(const struct ref_group *g);
uint64_t ref_group_billed(const struct ref_group *g);

#endif
