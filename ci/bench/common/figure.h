/*
 * figure.h: what benches print, and what they count with. A bench is a program of its own, whose
 * name stands in each of its rows.
 */
#ifndef BENCH_FIGURE_H
#define BENCH_FIGURE_H

#include "core/base/mem.h"

/* Each bench's own. */
extern const char *const figure_bench;

/* Ends the program with 2 unless `ok`. */
void figure_must(bool ok, const char *what);
/*
 * One line; `bar` is "=N" or "<=N", which are claimed; "~N", which a figure over it falls short of
 * although it is not claimed; or "-". A static or the caller's text.
 */
void figure(const char *metric, double value, const char *unit, const char *bar, const char *format,
            ...) __attribute__((format(printf, 5, 6)));
/* Beside the line of a median: the least and the most of its runs, where they differ by 5 %. */
void figure_spread(const char *metric, const double *values, size_t count, const char *unit,
                   const char *name);
double figure_median(double *values, size_t count);

/* ---- counter.c: malloc and free, counted; one for the whole process, and one thread ---- */

struct wb_mem *counter_mem(void);
uint64_t counter_takes(void);
uint64_t counter_taken(void);  /* bytes, ever */
uint64_t counter_held(void);   /* bytes, now */
uint64_t counter_blocks(void); /* now */

#endif
