/*
 * trace_chain.h: a run of an origin, two relays and a viewer as a page (targets/announce/chain.c).
 */
#ifndef BED_TRACE_CHAIN_H
#define BED_TRACE_CHAIN_H

#include "targets/bed/trace_picture.h"

bool trace_chain_is(const struct trace_run *run);
/* Initialises and fills `d`, the caller's to give back. */
void trace_chain_draw(const struct trace_run *run, struct diagram *d);
/* Origin, relays, links and viewer as they stand at the end. */
void trace_chain_put(const struct trace_run *run, struct wb_buf *out);
/* How to read it, as markup. */
void trace_chain_legend(struct wb_buf *out);

#endif
