/*
 * trace_plain.h: a run that has no parties of its own: what goes in, and what the core tells of it.
 */
#ifndef BED_TRACE_PLAIN_H
#define BED_TRACE_PLAIN_H

#include "targets/bed/trace_picture.h"

/* Whether it ended well and told something. */
bool trace_plain_is(const struct trace_run *run);
/* Initialises and fills `d`, the caller's to give back. */
void trace_plain_draw(const struct trace_run *run, struct diagram *d);

#endif
