/*
 * wire.h: bytes as a server's answer. The model says once what they mean; then a fresh reader gets
 * them cut in six ways, and each time must tell the model's story.
 *
 *   wire_model.c  the configuration, the stream cut into replies, the model's verdict on each
 *   wire.c        one delivery: the reader's wants, served
 *   wire_check.c  each unit, end and figure held against the model
 *   wire_story.c  units and ends in words
 *
 * One difference is legal: bytes after the reply's end are TRAILING when a read took them together
 * with it, and unread otherwise. What is expected follows from where the reads were cut, to the
 * byte.
 */
#ifndef REPLY_WIRE_H
#define REPLY_WIRE_H

#include "oracles/inv.h"
#include "oracles/ref_reply.h"
#include "sim/run.h"
#include "targets/reply/shapes.h"
#include "targets/reply/usual.h"
#include "targets/subject.h"

#define WIRE_DELIVERIES  6u
#define WIRE_REPLIES_MAX 64                /* of a session; then the server hangs up */
#define WIRE_UNITS_MAX   1024              /* of all of them; bytes after the last are not sent */
#define WIRE_STREAM_MAX  ((size_t)2 << 20) /* bytes after it are not sent */

/* Of the configuration byte. */
#define WIRE_SHAPE    0x0fu
#define WIRE_GEOMETRY 0x30u
#define WIRE_SESSION  0x40u
#define WIRE_TLS      0x80u

/* The model's verdict on one reply: its units are units[first] and on, its bytes [begin, end). */
struct wire_reply {
    enum wb_err status; /* as in ref_reply.h */
    size_t first, units;
    size_t begin, end;
};

struct wire_case {
    struct sim_run *run;
    const struct shapes_request *request;
    struct wb_view asked; /* its bytes */
    struct wb_reply_profile profile;
    bool session;
    struct wb_view stream;
    uint64_t hash; /* of the stream: where it is cut */
    size_t replies_count;
    struct wire_reply replies[WIRE_REPLIES_MAX];
    struct ref_reply_unit units[WIRE_UNITS_MAX]; /* offsets are the stream's */
};

/* One delivery in progress. */
struct wire_delivery {
    const struct wire_case *c;
    const struct wire_reply *reply; /* the one being read */
    const struct subject_reply *subject;
    void *session;
    unsigned number; /* 0: whole; 1: byte by byte, middles of values apart; else by hash */
    bool direct;     /* the current read goes to a value's place first */
    bool was_busy;   /* a second request was tried and refused */
    size_t sent;     /* the server has sent the stream up to here */
    size_t fed;      /* the reader has taken it up to here */
    size_t at;       /* the units delivered end here */
    size_t unit;     /* units delivered of this reply */
    enum wb_reply_code last_code;
    size_t read_size;  /* what the next read must ask for */
    uint64_t requests; /* allocations when it was opened */
    uint64_t steps, steps_max;
    uint64_t copied_max; /* bytes of values delivered outside the buffer */
    uint32_t random;
    struct wb_reply_stats stats; /* the inside as last looked at */
    struct usual usual;
    uint8_t *space; /* lent for a value */
    uint64_t space_size;
};

/*
 * Reads the configuration, whose requests are those of `family` (shapes.h), and has the model judge
 * the stream. `c` need not be initialised.
 */
void wire_case_init(struct wire_case *c, unsigned family, uint8_t config, struct wb_view stream,
                    struct sim_run *run);
/* Delivers the stream in way `number` and checks all that is told. Sets the run's outcome and story
 * when number is 0. */
void wire_deliver(const struct wire_case *c, unsigned number);

void wire_check_unit(struct wire_delivery *d, const struct wb_reply_event *e);
void wire_check_end(struct wire_delivery *d, const struct wb_reply_event *e);
/* Looks at the inside and holds its figures against what was sent; too dear for every byte. */
void wire_check_stats(struct wire_delivery *d);

/* What the table of cases calls a unit: `VA3 s3 f30 <bar>`, `VALUE2 kg f7 <hi>`. Long ones are cut,
 * more than WIRE_STORY_UNITS are counted. */
#define WIRE_STORY_UNITS 8
void wire_story_unit(const struct wire_delivery *d, const struct wb_reply_event *e);
void wire_story_end(const struct wire_delivery *d, const struct wb_reply_event *e);
/* After all requests: the connection's state; `refused` = one more request was tried on a dead one.
 */
void wire_story_close(const struct wire_delivery *d, bool refused, enum wb_err reason);

#endif
