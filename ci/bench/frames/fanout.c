/*
 * fanout.c: one writer and readers on threads, beside a buffer behind a mutex of which every reader
 * copies what is new.
 */
#include "ci/bench/frames/bench.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SIZE        ((size_t)16 << 10)
#define ROUNDS      40u /* frames of a lap */
#define LAPS        7u
#define THREADS_MAX 16u
#define READERS_MAX 256u

struct setting {
    unsigned arrivals, threads, readers;
};

/* ---- the baseline: a buffer behind a mutex; what is new is copied out for each reader -------- */

struct plain {
    pthread_mutex_t lock;
    uint8_t *bytes;
    size_t written, capacity;
};

/* Grows as a frame's storage does. */
static void plain_write(struct plain *p, size_t offset, const uint8_t *bytes, size_t len)
{
    pthread_mutex_lock(&p->lock);
    while (p->capacity < offset + len) {
        p->capacity = p->capacity == 0 ? wb_frame_limits_default.first : 2 * p->capacity;
        p->bytes = realloc(p->bytes, p->capacity);
        figure_must(p->bytes != NULL, "no memory");
    }
    memcpy(p->bytes + offset, bytes, len);
    p->written = offset + len;
    pthread_mutex_unlock(&p->lock);
}

/* Bytes that are new since *at, as a block of the caller's; NULL when there are none. */
static void *plain_read(struct plain *p, size_t *at)
{
    void *block = NULL;

    pthread_mutex_lock(&p->lock);
    if (p->written > *at) {
        block = malloc(p->written - *at);
        figure_must(block != NULL, "no memory");
        memcpy(block, p->bytes + *at, p->written - *at);
        *at = p->written;
    }
    pthread_mutex_unlock(&p->lock);
    return block;
}

/* ---- one lap of either ----------------------------------------------------------------------- */

/* Arrivals are numbered through all rounds of a lap; each waits until all threads have read it. */
static struct {
    struct setting s;
    bool is_plain;
    struct wb_frame *frames[ROUNDS];
    struct plain *plain[ROUNDS];
    atomic_uint arrived, done;
    double cost[1 + THREADS_MAX][ROUNDS]; /* us at work: the writer's, then each thread's */
} lap;

static uint8_t payload[SIZE];

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void wait_for(atomic_uint *what, unsigned count)
{
    while (atomic_load_explicit(what, memory_order_acquire) < count)
        sched_yield();
}

static void read_frame(struct wb_frame_reader *r, size_t end)
{
    while (r->at < end) {
        struct wb_slice part;

        figure_must(wb_frame_read(r, &part) == WB_OK, "a read failed");
        wb_slice_drop(&part);
    }
}

/* The readers of one thread over one frame. */
static void read_round(unsigned thread, unsigned round, unsigned count)
{
    struct wb_frame_reader readers[READERS_MAX];
    size_t at[READERS_MAX] = {0};

    for (unsigned i = 0; i < count; i++)
        wb_frame_reader_init(&readers[i], lap.frames[round]);
    for (unsigned a = 1; a <= lap.s.arrivals; a++) {
        double begin;

        wait_for(&lap.arrived, round * lap.s.arrivals + a);
        begin = now_us();
        for (unsigned i = 0; i < count; i++)
            if (lap.is_plain)
                free(plain_read(lap.plain[round], &at[i]));
            else
                read_frame(&readers[i], SIZE * a / lap.s.arrivals);
        lap.cost[1 + thread][round] += now_us() - begin;
        atomic_fetch_add_explicit(&lap.done, 1, memory_order_release);
    }
    for (unsigned i = 0; i < count; i++)
        wb_frame_reader_fini(&readers[i]);
}

static void *reader_main(void *arg)
{
    const unsigned *thread = arg;

    for (unsigned round = 0; round < ROUNDS; round++)
        read_round(*thread, round, lap.s.readers / lap.s.threads);
    return NULL;
}

static void write_round(unsigned round)
{
    size_t len = SIZE / lap.s.arrivals;

    for (unsigned a = 0; a < lap.s.arrivals; a++) {
        unsigned number = round * lap.s.arrivals + a + 1;
        double begin = now_us();

        if (lap.is_plain)
            plain_write(lap.plain[round], a * len, payload + a * len, len);
        else
            figure_must(wb_frame_write(lap.frames[round], a * len,
                                       wb_view_of(payload + a * len, len)) == WB_OK,
                        "a write failed");
        lap.cost[0][round] += now_us() - begin;
        atomic_store_explicit(&lap.arrived, number, memory_order_release);
        wait_for(&lap.done, number * lap.s.threads);
    }
}

/* The middle one of a lap's rounds: who else runs hits some, and those by much. */
static double middle_round(void)
{
    double sums[ROUNDS] = {0};

    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i <= lap.s.threads; i++)
            sums[round] += lap.cost[i][round];
    return figure_median(sums, ROUNDS);
}

static double run_lap(const struct setting *s, bool is_plain)
{
    struct wb_frame_limits limits = wb_frame_limits_default;
    pthread_t threads[THREADS_MAX];
    unsigned names[THREADS_MAX];

    memset(&lap, 0, sizeof lap);
    lap.s = *s;
    lap.is_plain = is_plain;
    limits.upfront = 0; /* growing, so that readers pin */
    for (unsigned i = 0; i < ROUNDS; i++) {
        lap.plain[i] = calloc(1, sizeof *lap.plain[i]);
        figure_must(lap.plain[i] != NULL, "no memory");
        pthread_mutex_init(&lap.plain[i]->lock, NULL);
        figure_must(wb_frame_new(wb_mem_libc(), &limits, SIZE, &lap.frames[i]) == WB_OK,
                    "no frame");
    }
    for (unsigned i = 0; i < s->threads; i++) {
        names[i] = i;
        figure_must(pthread_create(&threads[i], NULL, reader_main, &names[i]) == 0, "no thread");
    }
    for (unsigned round = 0; round < ROUNDS; round++)
        write_round(round);
    for (unsigned i = 0; i < s->threads; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < ROUNDS; i++) {
        pthread_mutex_destroy(&lap.plain[i]->lock);
        free(lap.plain[i]->bytes);
        free(lap.plain[i]);
        wb_frame_drop(lap.frames[i]);
    }
    return middle_round();
}

/* Ours, the baseline, ours again; a few times. */
static void compare(const struct setting *s)
{
    double ours[LAPS], plain[LAPS], ratio[LAPS], same[LAPS];
    char name[60];

    snprintf(name, sizeof name, "fanout/%ua/%uth/%ur", s->arrivals, s->threads, s->readers);
    for (unsigned i = 0; i < LAPS; i++) {
        double again;

        ours[i] = run_lap(s, false);
        plain[i] = run_lap(s, true);
        again = run_lap(s, false);
        ratio[i] = ours[i] / plain[i];
        same[i] = again / ours[i];
    }
    figure("ours", figure_median(ours, LAPS), "us/round", "-", "%s", name);
    figure("mutex-memcpy", figure_median(plain, LAPS), "us/round", "-", "%s", name);
    figure("ratio", figure_median(ratio, LAPS), "of-baseline", "-", "%s", name);
    figure_median(same, LAPS); /* in order */
    figure("same-spread", same[LAPS - 2] / same[1], "ratio", "-", "%s", name);
}

void fanout_times(void)
{
    static const unsigned arrivals[] = {4, 16}, threads[] = {1, 4, 16}, readers[] = {16, 256};

    for (unsigned i = 0; i < 12; i++) {
        struct setting s = {arrivals[i / 6], threads[i / 2 % 3], readers[i % 2]};

        compare(&s);
    }
}
