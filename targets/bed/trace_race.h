/*
 * trace_race.h: a run of threads as a page: a lane a thread, and between writer and readers the
 * frame's atomics and the segments behind them.
 */
#ifndef BED_TRACE_RACE_H
#define BED_TRACE_RACE_H

#include "targets/bed/trace_html.h"

/* Whether these are steps of threads. */
bool trace_race_is(const struct trace_run *run);
/* Initialises and fills `d`, the caller's to give back. */
void trace_race_draw(const struct trace_run *run, struct diagram *d);
/* How to read it, as markup. */
void trace_race_legend(struct wb_buf *out);

#endif
