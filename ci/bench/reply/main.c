/*
 * main.c: `bench_reply counts` prints figures; `bench_reply instructions` is for callgrind. Run by
 * ci/bench/reply.sh.
 */
#include "ci/bench/reply/bench.h"

#include <string.h>

/* How the server's writes merge depends on who else runs. */
static void say_company(void)
{
    unsigned running = 0;
    FILE *in = fopen("/proc/loadavg", "r");
    if (in && fscanf(in, "%*s %*s %*s %u/", &running) == 1 && running > 1)
        printf("# %u others run: counts against the real server are those of a busy machine\n",
               running - 1);
    if (in)
        fclose(in);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc == 2 && strcmp(argv[1], "counts") == 0) {
        if (!counter_open())
            printf("# no tracepoints here: system calls are those that drivers count themselves\n");
        scripted_counts();
        say_company();
        real_counts();
        real_times();
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "instructions") == 0) {
        scripted_instructions();
        real_instructions();
        return 0;
    }
    fprintf(stderr, "bench_reply counts | instructions\n");
    return 2;
}
