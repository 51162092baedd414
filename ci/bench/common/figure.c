#include "ci/bench/common/figure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void figure_must(bool ok, const char *what)
{
    if (ok)
        return;
    fflush(stdout);
    fprintf(stderr, "bench: %s\n", what);
    exit(2);
}

void figure(const char *metric, double value, const char *unit, const char *bar, const char *format,
            ...)
{
    char name[120];
    double bound = 0;
    bool ok = true;
    va_list list;
    va_start(list, format);
    vsnprintf(name, sizeof name, format, list);
    va_end(list);
    if (sscanf(bar, "<=%lf", &bound) == 1 || sscanf(bar, "~%lf", &bound) == 1)
        ok = value <= bound;
    else if (sscanf(bar, "=%lf", &bound) == 1)
        ok = value >= bound && value <= bound;
    printf("bench %s %s %s %.10g %s %s %s\n", figure_bench, name, metric, value, unit, bar,
           ok ? "ok" : "short");
}

void figure_spread(const char *metric, const double *values, size_t count, const char *unit,
                   const char *name)
{
    double least = values[0], most = values[0];
    for (size_t i = 1; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    if (most > least * 1.05)
        printf("bench %s %s %s-spread %.4g..%.4g %s - ok\n", figure_bench, name, metric, least,
               most, unit);
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

double figure_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}
