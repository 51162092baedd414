/*
 * bench.h: what the parts of `bench_frames` share. It measures core/media: frames and their
 * readers, ingest over the backings of sim/backing.h, and fan-out over threads; how each figure is
 * taken: ci/bench/README.md.
 */
#ifndef BENCH_FRAMES_H
#define BENCH_FRAMES_H

#include "ci/bench/common/figure.h"
#include "core/media/ingest.h"
#include "core/media/track.h"
#include "sim/backing.h"

/* ---- pattern.c ---- */

/* counter_mem, whose blocks come filled with a pattern; give them back before the next time. */
struct wb_mem *pattern_mem(void);
/* Bytes behind a slice, up to the end of its segment, that somebody wrote. */
uint64_t pattern_filled_behind(const struct wb_slice *s);

/* ---- model.c: 10 s of audio beside video, encoded and packed ---- */

#define MODEL_TRACKS_MAX 4u
#define MODEL_AUDIO      500u /* frames of a track: 50 a second, 160 bytes */
#define MODEL_VIDEO      300u /* 30 a second */
#define MODEL_GROUPS     20u  /* of either kind: half a second each */
#define MODEL_FRAMES     (MODEL_AUDIO + MODEL_VIDEO)
#define MODEL_PACKET     1150u
#define MODEL_PARTS      512u
#define MODEL_VERSION    WB_LITE_05

/* A stream is one group of one track. */
struct model_part {
    struct wb_view bytes;
    unsigned track;
    bool is_video, ends; /* ends: the stream */
};

struct model {
    unsigned tracks, kbps;
    size_t packet, batch; /* bytes of a packet; packets that are received at once */
    unsigned tick, turn;  /* of 1/300 s; the next track and kind to ask */
    uint64_t timestamp[MODEL_TRACKS_MAX][2];
    uint64_t payload, whole; /* bytes; payloads that lie in one packet; so far */
    struct wb_buf frame;     /* the one at hand, encoded, and its stream */
    size_t frame_at, payload_begin;
    unsigned track;
    bool is_video, ends;
    uint8_t space[SIM_BACKING_BUFFER]; /* what is received at once */
    struct model_part parts[MODEL_PARTS];
    size_t count;
};

void model_begin(struct model *m, unsigned tracks, unsigned kbps, size_t packet, size_t batch);
/* The next packets: parts[0..count), valid until the call after; false at the end. */
bool model_next(struct model *m);
void model_end(struct model *m);

/* ---- lanes.c: what the model sends, received into tracks ---- */

struct lane {
    struct wb_track *track;
    struct wb_ingest in;
    struct wb_group *group; /* of the stream under way; one reference */
};

struct lanes {
    struct wb_mem *mem;
    struct wb_pool pool;
    unsigned tracks;
    struct lane all[MODEL_TRACKS_MAX][2]; /* audio, video */
};

void lanes_open(struct lanes *l, struct wb_mem *mem, unsigned tracks);
void lanes_close(struct lanes *l);
/* What model_next gave as chunks, whose storage comes from `b`; then into groups. */
void lanes_receive(const struct model *m, struct sim_backing *b, struct wb_slice *out_chunks);
void lanes_push(struct lanes *l, const struct model *m, struct wb_slice *chunks);

/* ---- the parts ---- */

/* 48 shapes: allocations and bytes; the same under callgrind. */
void storage_counts(void);
void storage_instructions(void);
/* 54 backings, and larger packets. */
void backing_counts(void);
/* Frames copied and not; paced ingest. */
void ingest_counts(void);
void ingest_instructions(void);
/* The in-memory transport. */
void pipe_counts(void);
/* Threads, beside a mutex and memcpy. */
void fanout_times(void);

#endif
