/*
 * main.c: `bench_frames counts` prints figures that come out alike each time, `instructions` is for
 * callgrind, `times` compares threads by the clock. Run by ci/bench/frames.sh.
 */
#include "ci/bench/frames/bench.h"

#include <stdio.h>
#include <string.h>

const char *const figure_bench = "frames";

static const struct {
    const char *name;
    void (*parts[5])(void);
} modes[] = {
    {"counts", {storage_counts, backing_counts, ingest_counts, pipe_counts}},
    {"instructions", {storage_instructions, ingest_instructions}},
    {"times", {fanout_times}},
};

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; argc == 2 && i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(argv[1], modes[i].name) != 0)
            continue;
        for (size_t k = 0; modes[i].parts[k] != NULL; k++)
            modes[i].parts[k]();
        figure_must(counter_blocks() == 0 && counter_held() == 0, "memory is not given back");
        return 0;
    }
    fprintf(stderr, "bench_frames counts | instructions | times\n");
    return 2;
}
