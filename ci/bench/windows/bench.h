/*
 * bench.h: what the parts of `bench_windows` share. It measures core/window: what it costs to join
 * the demand of a track, and changes of windows; how each figure is taken: ci/bench/README.md.
 */
#ifndef BENCH_WINDOWS_H
#define BENCH_WINDOWS_H

#include "ci/bench/common/figure.h"
#include "core/base/cost.h"
#include "core/media/track.h"
#include "core/window/subscription.h"

/* ---- crowd.c: a track, its demand, and who asks for what ---- */

#define CROWD_MAX  16384u
#define CROWD_PATH 64u /* different joins of one case */

enum shape {
    SHAPE_SAME,   /* all ask for one range */
    SHAPE_LIVE,   /* all at the live edge */
    SHAPE_OPEN,   /* each from a group of its own on */
    SHAPE_WIDE,   /* each a range of its own, half as long as all begin in */
    SHAPE_NEAR,   /* the same, ten others begin inside */
    SHAPE_RANDOM, /* the same, of any length up to the whole */
    SHAPE_APART,  /* no two meet */
    SHAPES
};
extern const char *const shape_names[SHAPES];

struct crowd {
    enum shape shape;
    unsigned viewers;
    struct wb_track *track;
    struct wb_demand *demand;
    struct wb_request join[CROWD_PATH];  /* what those who come and go ask for, in turn */
    struct wb_window window[CROWD_PATH]; /* the same, one run each */
};

void crowd_open(struct crowd *c, enum shape shape, unsigned viewers);
void crowd_close(struct crowd *c);
/* Rounds of `churn` joins, an observation, as many leaves, an observation. */
void crowd_churn(struct crowd *c, unsigned churn, unsigned rounds);
/* The same without subscriptions: the demand alone. */
void crowd_churn_bare(struct crowd *c, unsigned churn, unsigned rounds);
/* So many others, each with a range of its own, join, are observed, leave, are observed twice. */
void crowd_peak(struct crowd *c, unsigned count);

/* ---- the parts ---- */

void joins_counts(void);
void joins_instructions(void);
void joins_costs(void);
void joins_times(void);
void lists_costs(void);
void lists_instructions(void);

#endif
