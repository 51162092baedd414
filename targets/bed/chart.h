/*
 * chart.h: charts as SVG in a page, in its colours.
 */
#ifndef BED_CHART_H
#define BED_CHART_H

#include "core/base/buf.h"

struct chart_line {
    const char *name, *tone; /* "main" or "other" */
    size_t count;
    uint64_t *x, *y; /* ascending */
};

/* Coverage over executions, the axis of executions logarithmic. */
void chart_curves(const char *title, const struct chart_line *lines, size_t count,
                  struct wb_buf *out);
/* A part of a whole as a bar, per mille; `tick` is where a floor lies, or -1. */
void chart_bar(const char *title, unsigned permille, int tick, const char *tone,
               struct wb_buf *out);
/* A figure beside its bar, which stands at two thirds. */
void chart_bullet(uint64_t value, uint64_t bar, bool is_good, struct wb_buf *out);
/* How a figure went, oldest first. */
void chart_spark(const uint64_t *values, size_t count, struct wb_buf *out);

/* Appends the CSS of all charts. */
void chart_style(struct wb_buf *out);

#endif
