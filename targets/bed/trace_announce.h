/*
 * trace_announce.h: a run of a router of announces as a page: who tells it on the left, the router,
 * who is shown what on the right.
 */
#ifndef BED_TRACE_ANNOUNCE_H
#define BED_TRACE_ANNOUNCE_H

#include "targets/bed/trace_html.h"

/* Whether these are steps of a router of announces. */
bool trace_announce_is(const struct trace_run *run);
/* Initialises and fills `d`, the caller's to give back. */
void trace_announce_draw(const struct trace_run *run, struct diagram *d);
/* Rows for an op, and for what failed; `words` is room. */
void trace_announce_op(struct diagram *d, const struct trace_run *run,
                       const struct trace_step *step, struct wb_buf *words);
void trace_announce_verdict(struct diagram *d, const struct trace_run *run, struct wb_buf *words);
/* How to read it, as markup. */
void trace_announce_legend(struct wb_buf *out);

#endif
