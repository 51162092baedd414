/*
 * vet_time.c: processor time of bench cases, old and new in turn, so that what the machine does
 * meanwhile meets both. Inputs are run in one process, by sides without counters and without the
 * core's own checks; programs are processes of their own. A difference counts when the medians are
 * 2 % apart and the rounds of the two do not overlap, the slowest quarter of each left out: what
 * disturbs a run only ever makes it slower.
 */
#include "targets/bed/vet_parts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS_MAX 64
#define ROUND_NS   UINT64_C(10000000) /* a round is repeated until it takes so long */
#define REPEAT_MAX 1000

static uint64_t cpu_ns(void)
{
    struct timespec t;
    bool ok = clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) == 0;

    WB_ASSERT(ok);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void put_time(const char *name, uint64_t ns[VET_SIDES][ROUNDS_MAX], size_t rounds,
                     struct wb_buf *out)
{
    size_t kept = rounds - rounds / 4;

    for (int s = 0; s < VET_SIDES; s++)
        qsort(ns[s], rounds, sizeof(ns[s][0]), by_size);
    bed_buf_print(out, "time %s %zu %llu %llu %llu %llu %llu %llu\n", name, rounds,
                  (unsigned long long)ns[VET_OLD][rounds / 2],
                  (unsigned long long)ns[VET_NEW][rounds / 2], (unsigned long long)ns[VET_OLD][0],
                  (unsigned long long)ns[VET_OLD][kept - 1], (unsigned long long)ns[VET_NEW][0],
                  (unsigned long long)ns[VET_NEW][kept - 1]);
}

/* ---- inputs: in a child, since a core may die ---- */

static const struct vet_side *pace_side[VET_SIDES]; /* of the child */

/* All inputs, some times over. False when one does not end well: what fails is not timed. */
static bool run_all(const struct vet_side *side, size_t at, const struct vet_input *inputs,
                    size_t count, unsigned times, uint64_t *out_ns)
{
    static struct vet_told told;
    uint64_t begin = cpu_ns();

    for (unsigned n = 0; n < times; n++)
        for (size_t i = 0; i < count; i++) {
            told.failures = 0;
            told.written_len = 0;
            side->run(at, inputs[i].bytes, inputs[i].len, NULL, &told);
            if (told.failures > 0)
                return false;
        }
    *out_ns = (cpu_ns() - begin) / times;
    return true;
}

static void time_case(struct vet *v, const char *name, size_t target, struct wb_buf *out)
{
    uint64_t ns[VET_SIDES][ROUNDS_MAX], once = 0;
    struct vet_input *inputs;
    size_t count, at[VET_SIDES];
    bool ok = vet_bench_inputs(v, name, target, &inputs, &count);

    for (int s = 0; ok && s < VET_SIDES; s++) {
        at[s] = vet_side_find(pace_side[s], v->targets[target].target->name);
        ok = at[s] < pace_side[s]->count() &&
             run_all(pace_side[s], at[s], inputs, count, 1, &once) && /* the first is not timed */
             run_all(pace_side[s], at[s], inputs, count, 1, &once);
    }
    uint64_t times = once > 0 && once < ROUND_NS ? ROUND_NS / once : 1;
    for (size_t round = 0; ok && round < v->rounds; round++)
        for (int k = 0; ok && k < VET_SIDES; k++) {
            int s = (int)((round + (size_t)k) % VET_SIDES);
            ok = run_all(pace_side[s], at[s], inputs, count,
                         (unsigned)(times < REPEAT_MAX ? times : REPEAT_MAX), &ns[s][round]);
        }
    if (ok)
        put_time(name, ns, v->rounds, out);
    else
        bed_buf_print(out, "note bench case %s was not timed: an input of it does not hold\n",
                      name);
    for (size_t i = 0; i < count; i++)
        free(inputs[i].bytes);
    free(inputs);
}

static void time_inputs(struct vet *v, struct wb_buf *out)
{
    FILE *file = tmpfile();
    struct wb_buf text = bed_buf();
    uint8_t part[4096];
    int status = 0;
    size_t n;

    bed_must(file != NULL ? WB_OK : WB_E_NOMEM);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        bool ok = freopen("/dev/null", "w", stderr) != NULL;
        for (int s = 0; s < VET_SIDES; s++) {
            pace_side[s] = vet_side_load(v->pace[s]);
            ok = ok && pace_side[s] != NULL;
            if (ok)
                pace_side[s]->hurry();
        }
        if (ok)
            vet_bench_cases(v, time_case, &text);
        ok = ok && fwrite(text.data, 1, text.len, file) == text.len && fflush(file) == 0;
        _exit(ok ? 0 : 1);
    }
    while (child > 0 && waitpid(child, &status, 0) != child)
        continue;
    rewind(file);
    while ((n = fread(part, 1, sizeof(part), file)) > 0)
        bed_must(wb_buf_add(out, wb_view_of(part, n)));
    fclose(file);
    if (child < 0 || status != 0)
        bed_buf_print(out, "note bench inputs were not timed: their process did not end well\n");
}

/* ---- programs ---- */

static void time_program(struct vet *v, size_t i, struct wb_buf *out)
{
    uint64_t ns[VET_SIDES][ROUNDS_MAX];
    size_t rounds = v->rounds < 5 ? v->rounds : 5;

    for (size_t round = 0; round < rounds; round++)
        for (int k = 0; k < VET_SIDES; k++) {
            int s = (int)((round + (size_t)k) % VET_SIDES);
            struct wb_buf text = bed_buf();
            bool ok = vet_program_run(v, s, i, &text, &ns[s][round]);
            wb_buf_fini(&text);
            if (!ok)
                return;
        }
    put_time(vet_program_name(i), ns, rounds, out);
}

void vet_times(struct vet *v, struct wb_buf *out)
{
    v->rounds = v->rounds < ROUNDS_MAX ? v->rounds : ROUNDS_MAX;
    if (v->pace[VET_OLD] != NULL && v->rounds > 0)
        time_inputs(v, out);
    for (size_t i = 0; v->rounds > 0 && vet_program_name(i) != NULL; i++) {
        const char *target = vet_program_target(vet_program_name(i));
        if (v->programs[VET_OLD] != NULL &&
            vet_target_find(v, target, strlen(target)) < v->target_count)
            time_program(v, i, out);
    }
}
