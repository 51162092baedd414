/*
 * intake.h: bytes as a stream of media. The model says once what they mean; then a fresh subject
 * gets them cut in eight ways over three backings, and each time must tell the model's story
 * (ING-*).
 *
 *   intake.c        the configuration and the deliveries
 *   intake_check.c  each event and figure held against the model
 *   intake_put.c    datagrams, and what a writer puts
 *   intake_story.c  events in words
 *
 * In the last delivery one allocation is refused, the n-th by the stream's hash: that changes
 * nothing of the story.
 *
 * One difference is legal: of the frames that were complete before an error, those that came with
 * the chunk of the error may be lost to a reader who had no turn in between.
 */
#ifndef MEDIA_INTAKE_H
#define MEDIA_INTAKE_H

#include "oracles/inv.h"
#include "oracles/ref_ingest.h"
#include "sim/run.h"
#include "targets/media/chunks.h"
#include "targets/subject.h"

#define INTAKE_DELIVERIES 8u
#define INTAKE_UNITS_MAX  16384
#define INTAKE_COPY_WHOLE 2048u

enum intake_mode {
    INTAKE_GROUP,
    INTAKE_FRAMES,
    INTAKE_MESSAGES,
    INTAKE_TYPED,
    INTAKE_DATAGRAM,
    INTAKE_MODES
};

/* How the stream ends after its last byte. */
enum intake_end {
    INTAKE_FIN,
    INTAKE_RESET_0,
    INTAKE_RESET_1,
    INTAKE_RESET_5,
    INTAKE_RESET_31,
    INTAKE_CANCEL,
    INTAKE_LEAVE,
    INTAKE_FIN_AND_MORE
};

enum intake_mark {
    INTAKE_MARK_COPIED, /* frames by how they come */
    INTAKE_MARK_SHARED,
    INTAKE_MARK_ASSEMBLED,
    INTAKE_MARK_EMPTY,
    INTAKE_MARK_CUT_HEADER, /* a chunk ends inside a header */
    INTAKE_MARK_OPEN,       /* a frame is read before it is whole */
    INTAKE_MARK_LOST,       /* a frame that came with the error did not reach its reader */
    INTAKE_MARK_REUSED,     /* the receive buffer is written again from its start */
    INTAKE_MARK_REFUSED,    /* by the allocator */
    INTAKE_MARK_FAILED,     /* a rule was broken */
    INTAKE_MARK_TRUNCATED
};

struct intake {
    struct sim_run *run;
    enum intake_mode mode;
    enum intake_end end;
    struct ref_ingest_rules rules;
    struct subject_ingest_profile profile;
    struct wb_view stream;
    uint64_t hash; /* of the stream: where it is cut */
    struct ref_ingest model;
    enum wb_err want; /* how it ends for a reader; WB_END when well */
    struct ref_ingest_unit units[INTAKE_UNITS_MAX];
};

/* Bytes that were told, and where they stand in the stream. */
struct intake_kept {
    struct wb_view bytes;
    size_t at;
};

/* One delivery in progress. */
struct intake_delivery {
    const struct intake *c;
    const struct subject_ingest *subject;
    void *session;
    unsigned number; /* 0: byte by byte, and its story is told */
    struct chunks chunks;
    struct wb_slice chunk, probe; /* the current one; one more holder of its storage */
    size_t begin, end;            /* it is these bytes of the stream */
    size_t unit;                  /* units told whole */
    size_t at;                    /* bytes told of the one under way */
    size_t due;                   /* units that are whole by the end of the current chunk */
    size_t shared;                /* frames that hold the current storage */
    bool told_header, told_frame, told_end;
    bool has_failed;   /* a push was refused for good */
    bool is_starved;   /* it ended where a push was refused memory */
    enum wb_err ended; /* the status of END */
    uint32_t random;
    uint64_t copied; /* payload bytes that had to be copied */
    struct subject_ingest_stats want;
    size_t kept_count;
    struct intake_kept kept[SUBJECT_INGEST_KEPT];
};

/* Reads the configuration and has the model judge the stream. `c` need not be initialised. */
void intake_init(struct intake *c, uint8_t config, struct wb_view stream, struct sim_run *run);
/* Delivers the stream in way `number`. Sets the run's outcome and story when number is 0. */
void intake_deliver(const struct intake *c, unsigned number);
/* A packet is a datagram, read and written. */
void intake_datagram(const struct intake *c);
/* What the model read is written again. */
void intake_put(const struct intake *c);

/* The first delivery is held against the model, each breach by its own invariant; a later one that
 * differs has made something of where the stream was cut. */
#define INTAKE_CHECK(id, d, condition)                                                             \
    do {                                                                                           \
        bool intake_holds = (condition);                                                           \
        FUZZ_CHECK(ING_001, intake_holds || (d)->number == 0);                                     \
        FUZZ_CHECK(id, intake_holds);                                                              \
    } while (0)

/* Takes every event there is. */
void intake_pull(struct intake_delivery *d);
/* A chunk was offered: what it must bring, and how. */
void intake_expect(struct intake_delivery *d);
/* After a push that ended well, and its events. */
void intake_check_push(struct intake_delivery *d);
/* After all is over. */
void intake_check_end(struct intake_delivery *d);
/* True when the unit lies in one chunk and is kept as a part of it. */
bool intake_is_shared(const struct intake_delivery *d, const struct ref_ingest_unit *u);

void intake_story(const struct intake_delivery *d, const struct subject_ingest_event *e);
void intake_story_datagram(const struct intake *c, const struct subject_datagram *datagram);

#endif
