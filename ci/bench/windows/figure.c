#include "ci/bench/windows/bench.h"

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
    printf("bench windows %s %s %.10g %s %s %s\n", name, metric, value, unit, bar,
           ok ? "ok" : "short");
}
