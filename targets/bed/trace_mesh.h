/*
 * trace_mesh.h: the router of announces and its neighbours as they stand after the last op: who
 * told it what, and what each viewer was shown or not.
 */
#ifndef BED_TRACE_MESH_H
#define BED_TRACE_MESH_H

#include "targets/bed/trace_picture.h"

void trace_mesh_put(const struct trace_run *run, struct wb_buf *out);
/* Items of a list: how to read it. */
void trace_mesh_legend(struct wb_buf *out);
void trace_mesh_style(struct wb_buf *out);

#endif
