/*
 * bench.h: what the parts of `bench_announce` share. It measures core/route: changes, setup, joins
 * and what is received, from a router through an answer, a stream and a subscriber; how each figure
 * is taken: ci/bench/README.md.
 */
#ifndef BENCH_ANNOUNCE_H
#define BENCH_ANNOUNCE_H

#include "ci/bench/common/figure.h"
#include "core/route/router.h"

/* Measured from here to `bench_end`: instructions under callgrind, comparisons in counted builds. A
   figure is what all its stretches sum up to, by `count`. */
void bench_begin(void);
void bench_stop(void);
void bench_end(double count, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- link.c: an answer, a stream in packets, a subscriber ---- */

#define LINK_PACKET 1150u

struct link {
    enum wb_moq_version version;
    struct wb_answer *answer;
    struct wb_announce_sub *sub;
    struct wb_router *to; /* NULL: who views, and only decodes */
    struct wb_neighbour *near, *far;
    struct wb_buf out;
    uint64_t events;
};

/* From a router to another, or to a viewer. */
void link_open(struct link *l, enum wb_moq_version version, struct wb_router *from,
               uint64_t from_node, struct wb_router *to, uint64_t to_node);
void link_close(struct link *l, struct wb_router *from);
/* What is due: encoded; then sent, decoded and heard. */
void link_encode(struct link *l);
void link_decode(struct link *l);
void link_carry(struct link *l);

/* The i-th path of a service with many broadcasts. */
struct wb_slice link_path(unsigned i);
void link_publish(struct wb_router *r, unsigned i);
void link_withdraw(struct wb_router *r, unsigned i);

/* ---- control.c: allocator and stream alone ---- */

/* While it is on, what is taken of counter_mem, given back and sent is written down. */
extern bool control_is_writing;
void control_write(bool on);
void control_sent(size_t size);
/* All of it once more, measured. */
void control_play(void);

/* ---- the parts ---- */

/* Each in lite-06, then in lite-07. */
void change_run(unsigned held, unsigned viewers);
void change_received(unsigned held, unsigned changed);
void setup_run(unsigned claims, unsigned unused);
void setup_join(unsigned claims, unsigned unused);

#endif
