/*
 * trace_line.h: windows as bars on a number line, after each op that changed one. For targets that
 * say how things stand (fuzz_target.draw).
 */
#ifndef BED_TRACE_LINE_H
#define BED_TRACE_LINE_H

#include "targets/bed/trace_picture.h"

/* Whether its target draws how things stand. */
bool trace_line_is(const struct trace_run *run);
void trace_line_put(const struct trace_run *run, struct wb_buf *out);
void trace_line_legend(struct wb_buf *out);
void trace_line_style(struct wb_buf *out);

#endif
