/*
 * main.c: `bench_announce PART NUMBERS` runs under callgrind, and prints in counted builds the
 * paths compared. Run by ci/bench/announce.sh.
 */
#include "ci/bench/announce/bench.h"

#include "core/base/cost.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <valgrind/callgrind.h>

static uint64_t compared, begun;

const char *const figure_bench = "announce";

static uint64_t compared_now(void)
{
#ifdef WB_COUNTED
    return wb_cost.paths_compared;
#else
    return 0;
#endif
}

void bench_begin(void)
{
    begun = compared_now();
    CALLGRIND_START_INSTRUMENTATION;
}

void bench_stop(void)
{
    CALLGRIND_STOP_INSTRUMENTATION;
    compared += compared_now() - begun;
}

void bench_end(double count, const char *format, ...)
{
    char name[100], title[140];
    va_list list;

    va_start(list, format);
    vsnprintf(name, sizeof(name), format, list);
    va_end(list);
    snprintf(title, sizeof(title), "%s %.0f", name, count);
    CALLGRIND_DUMP_STATS_AT(title);
    printf("compared %s %.10g\n", name, (double)compared / count);
    compared = 0;
}

static const struct {
    const char *name;
    void (*run)(unsigned a, unsigned b);
    int numbers;
} parts[] = {{"change", change_run, 2},
             {"setup", setup_run, 1},
             {"join", setup_join, 1},
             {"received", change_received, 2}};

int main(int argc, char **argv)
{
    unsigned numbers[2] = {0, 0};

    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int k = 0; k < 2 && k + 2 < argc; k++)
        figure_must(sscanf(argv[k + 2], "%u", &numbers[k]) == 1, "no number");
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (argc != 2 + parts[i].numbers || strcmp(argv[1], parts[i].name) != 0)
            continue;
        parts[i].run(numbers[0], numbers[1]);
        figure_must(counter_blocks() == 0, "memory is not given back");
        return 0;
    }
    fprintf(stderr, "bench_announce change HELD VIEWERS | setup CLAIMS | join CLAIMS | "
                    "received HELD CHANGED\n");
    return 2;
}
