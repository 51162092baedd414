/*
 * answer.h: bytes as the answer of an announce stream. The model says once what they mean; then a
 * fresh subscriber gets them cut in three ways, and each time must tell the model's events with the
 * byte that ends each message, and keep what the model keeps (ANN-001..018).
 *
 *   answer.c          the configuration and the deliveries
 *   answer_check.c    each event, and what is kept, held against the model
 *   answer_story.c    events in words
 *   answer_request.c  the subscriber's side of the stream (ANN-019)
 */
#ifndef ANSWER_H
#define ANSWER_H

#include "oracles/inv.h"
#include "oracles/ref_announce.h"
#include "sim/run.h"
#include "targets/subject.h"

#define ANSWER_DELIVERIES 3u
#define ANSWER_SELF       9u
#define ANSWER_ASSIGNED   11u
#define ANSWER_CLAIMS     3u /* the small limits */
#define ANSWER_PATH_BYTES 200u
#define ANSWER_ROUTES     2u

enum answer_mark {
    ANSWER_MARK_DROPPED, /* a START that the receiver drops */
    ANSWER_MARK_QUIET,   /* another message without an event */
    ANSWER_MARK_CUT,     /* a chunk ends inside a message */
    ANSWER_MARK_FAILED,  /* a rule was broken */
    ANSWER_MARK_ENDED    /* a route with claims */
};

struct answer {
    struct sim_run *run;
    enum wb_moq_version version;
    bool is_request, clean;
    struct wb_view stream;
    uint64_t hash;
    struct ref_announce_rules rules;
    struct wb_announce_sub_config config;
    bool is_broken;    /* a rule is */
    enum wb_err want;  /* what all ends in */
    uint64_t told_max; /* bytes of all paths that START bring */
    struct ref_announce model;
};

struct answer_delivery {
    const struct answer *c;
    const struct subject_announce *subject;
    void *session;
    unsigned number;
    uint32_t random;
    size_t begin, end; /* of the chunk in the stream */
    size_t due;        /* messages whose last byte was delivered */
    size_t told;       /* events */
    bool has_failed, is_ending;
    uint64_t hash; /* of what was told */
    uint64_t first_hash;
    uint64_t live_before; /* bytes */
    uint64_t compared;    /* at the chunk's begin */
    unsigned refused;     /* requests for memory since then; each has the message looked at again */
};

/* A subject without a look inside makes no claims about it. */
#define ANSWER_CHECK(id, d, condition)                                                             \
    do {                                                                                           \
        if (!(condition))                                                                          \
            answer_show(d);                                                                        \
        FUZZ_CHECK(id, condition);                                                                 \
    } while (0)

void answer_init(struct answer *c, uint8_t config, struct wb_view stream, struct sim_run *run);
/* Delivery 0 is byte by byte and tells the story; the hash of the first is held against others. */
void answer_deliver(const struct answer *c, unsigned number, uint64_t *first_hash);
/* The bytes are what a subscriber sends. */
void answer_request(const struct answer *c);

/* For the files of this folder. */
void answer_show(const struct answer_delivery *d);
void answer_told(struct answer_delivery *d, const struct wb_announce_event *e);
/* After a chunk that was taken, and before the stream ends. */
void answer_check_chunk(struct answer_delivery *d);
void answer_check_kept(const struct answer_delivery *d);
void answer_story(const struct answer_delivery *d, const struct wb_announce_event *e);
void answer_story_end(const struct answer_delivery *d);

#endif
