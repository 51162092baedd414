/*
 * main.c: `bench_reply counts` and `bench_reply faults` print figures; `bench_reply instructions`
 * and `bench_reply few` are for callgrind. Run by ci/bench/reply.sh.
 */
#include "ci/bench/reply/bench.h"

#include <string.h>

const char *const figure_bench = "reply";

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc == 2 && strcmp(argv[1], "counts") == 0) {
        const char *why;
        if (!counter_open(&why))
            printf("# the watcher %s: system calls are those that drivers count themselves\n", why);
        scripted_counts();
        real_counts();
        counter_close();
        real_times();
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "faults") == 0) {
        faults_counts();
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "instructions") == 0) {
        scripted_instructions();
        real_instructions();
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "few") == 0) {
        scripted_few_instructions();
        return 0;
    }
    fprintf(stderr, "bench_reply counts | faults | instructions | few\n");
    return 2;
}
