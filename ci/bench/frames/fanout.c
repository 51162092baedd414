/*
 * fanout.c: one writer and readers on threads, beside a buffer behind a mutex of which every reader
 * copies what is new.
 */
#include "ci/bench/frames/bench.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SIZE        ((size_t)16 << 10)
#define ROUNDS      64u /* frames of a lap */
#define LAPS        15u
#define THREADS_MAX 16u
#define READERS_MAX 256u

struct setting {
    unsigned arrivals, threads, readers;
};

/* ---- the baseline: what a frame and its readers are without this library --------------------- */

struct plain {
    pthread_mutex_t lock;
    size_t written;
    uint8_t bytes[SIZE];
};

static void plain_write(struct plain *p, size_t offset, const uint8_t *bytes, size_t len)
{
    pthread_mutex_lock(&p->lock);
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

static struct {
    struct setting s;
    bool is_plain;
    struct wb_frame *frames[ROUNDS];
    struct plain *plain[ROUNDS];
    pthread_barrier_t gate;
} lap;

static uint8_t payload[SIZE];

/* True once this reader has the whole frame. */
static bool read_frame(struct wb_frame_reader *r)
{
    struct wb_slice part;
    enum wb_err err = wb_frame_read(r, &part);

    if (err == WB_OK)
        wb_slice_drop(&part);
    else
        figure_must(err == WB_MORE, "a read failed");
    return r->at == SIZE;
}

static bool read_plain(struct plain *p, size_t *at)
{
    free(plain_read(p, at));
    return *at == SIZE;
}

/* All readers of one thread over one frame: looks at each in turn until each has it all. */
static void read_round(unsigned round, unsigned readers)
{
    struct wb_frame_reader r[READERS_MAX];
    size_t at[READERS_MAX] = {0};
    unsigned done = 0;

    for (unsigned i = 0; i < readers && !lap.is_plain; i++)
        wb_frame_reader_init(&r[i], lap.frames[round]);
    while (done < readers) {
        done = 0;
        for (unsigned i = 0; i < readers; i++)
            done += lap.is_plain ? read_plain(lap.plain[round], &at[i]) : read_frame(&r[i]);
        if (done < readers)
            sched_yield();
    }
    for (unsigned i = 0; i < readers && !lap.is_plain; i++)
        wb_frame_reader_fini(&r[i]);
}

static void *reader_main(void *arg)
{
    unsigned readers = *(unsigned *)arg;

    pthread_barrier_wait(&lap.gate);
    for (unsigned round = 0; round < ROUNDS; round++)
        read_round(round, readers);
    pthread_barrier_wait(&lap.gate);
    return NULL;
}

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void write_round(unsigned round)
{
    for (unsigned a = 0; a < lap.s.arrivals; a++) {
        size_t begin = SIZE * a / lap.s.arrivals, len = SIZE / lap.s.arrivals;

        if (lap.is_plain)
            plain_write(lap.plain[round], begin, payload + begin, len);
        else
            figure_must(
                wb_frame_write(lap.frames[round], begin, wb_view_of(payload + begin, len)) == WB_OK,
                "a write failed");
        if (a % 2 == 1) /* readers see some arrivals one by one, and some together */
            sched_yield();
    }
}

/* Microseconds a round. */
static double run_lap(const struct setting *s, bool is_plain)
{
    struct wb_frame_limits limits = wb_frame_limits_default;
    pthread_t threads[THREADS_MAX];
    unsigned readers = s->readers / s->threads;
    double begin, end;

    lap.s = *s;
    lap.is_plain = is_plain;
    limits.upfront = 0; /* growing, so that readers pin */
    pthread_barrier_init(&lap.gate, NULL, s->threads + 1);
    for (unsigned i = 0; i < ROUNDS; i++) {
        lap.plain[i] = calloc(1, sizeof *lap.plain[i]);
        figure_must(lap.plain[i] != NULL, "no memory");
        pthread_mutex_init(&lap.plain[i]->lock, NULL);
        figure_must(wb_frame_new(wb_mem_libc(), &limits, SIZE, &lap.frames[i]) == WB_OK,
                    "no frame");
    }
    for (unsigned i = 0; i < s->threads; i++)
        figure_must(pthread_create(&threads[i], NULL, reader_main, &readers) == 0, "no thread");
    pthread_barrier_wait(&lap.gate);
    begin = now_us();
    for (unsigned round = 0; round < ROUNDS; round++)
        write_round(round);
    pthread_barrier_wait(&lap.gate);
    end = now_us();
    for (unsigned i = 0; i < s->threads; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < ROUNDS; i++) {
        pthread_mutex_destroy(&lap.plain[i]->lock);
        free(lap.plain[i]);
        wb_frame_drop(lap.frames[i]);
    }
    pthread_barrier_destroy(&lap.gate);
    return (end - begin) / ROUNDS;
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
