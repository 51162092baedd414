/*
 * main.c: `bench_windows counts` prints figures that come out alike each time, `costs` those of a
 * counted build, `instructions` is for callgrind, `times` prints nanoseconds. Run by
 * ci/bench/windows.sh.
 */
#include "ci/bench/windows/bench.h"

#include <stdio.h>
#include <string.h>

const char *const figure_bench = "windows";

static const struct {
    const char *name;
    void (*parts[3])(void);
} modes[] = {
    {"counts", {joins_counts}},
    {"costs", {joins_costs, lists_costs}},
    {"instructions", {joins_instructions, lists_instructions}},
    {"times", {joins_times}},
};

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; argc == 2 && i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(argv[1], modes[i].name) != 0)
            continue;
        for (size_t k = 0; modes[i].parts[k] != NULL; k++)
            modes[i].parts[k]();
        figure_must(counter_held() == 0, "memory is not given back");
        return 0;
    }
    fprintf(stderr, "bench_windows counts | costs | instructions | times\n");
    return 2;
}
