/*
 * storage.c: frames that arrive in pieces while readers keep every chunk.
 */
#include "ci/bench/frames/bench.h"

#include <stdio.h>
#include <valgrind/callgrind.h>

#define PUBLISHERS_MAX 4u
#define READERS_MAX    128u
#define ARRIVALS_MAX   32u
#define CHUNKS_MAX     (ARRIVALS_MAX + 4u) /* a read ends where a segment does */
#define SIZE_MAX_BYTES ((size_t)2 << 20)

struct shape {
    bool grows;
    size_t size;
    unsigned publishers, readers, arrivals;
};

/* What callgrind collects of a run. */
enum part { PART_ALL, PART_READ, PART_GIVE };
#define PARTS 3
static const char *const part_names[] = {"all", "read", "give"};

static uint8_t payload[SIZE_MAX_BYTES];
static struct wb_frame *frames[PUBLISHERS_MAX];
static struct wb_frame_reader readers[PUBLISHERS_MAX * READERS_MAX]; /* the first frame's first */
static struct wb_frame_reader *readers_end;
static struct wb_slice kept[PUBLISHERS_MAX * READERS_MAX * CHUNKS_MAX];
static size_t kept_count;
static size_t ends[1 + ARRIVALS_MAX]; /* where an arrival ends; the first is the one before all */
static struct wb_view arrivals[ARRIVALS_MAX];

static void open_all(const struct shape *s, struct wb_mem *mem)
{
    struct wb_frame_limits limits = wb_frame_limits_default;

    limits.upfront = s->grows ? 0 : SIZE_MAX_BYTES;
    kept_count = 0;
    for (unsigned a = 0; a < s->arrivals; a++) {
        ends[a + 1] = s->size * (a + 1) / s->arrivals;
        arrivals[a] = wb_view_of(payload + ends[a], ends[a + 1] - ends[a]);
    }
    readers_end = readers;
    for (unsigned p = 0; p < s->publishers; p++) {
        figure_must(wb_frame_new(mem, &limits, s->size, &frames[p]) == WB_OK, "no frame");
        for (unsigned r = 0; r < s->readers; r++)
            wb_frame_reader_init(readers_end++, frames[p]);
    }
}

static void close_all(const struct shape *s)
{
    for (unsigned p = 0; p < s->publishers; p++)
        figure_must(wb_frame_finish(frames[p]) == WB_OK, "a frame is not whole");
    for (struct wb_frame_reader *r = readers; r < readers_end; r++) {
        figure_must(r->at == s->size, "a reader is not at the end");
        wb_frame_reader_fini(r);
    }
    for (unsigned p = 0; p < s->publishers; p++)
        wb_frame_drop(frames[p]);
}

/* The next arrival in each frame. */
static inline void write_next(const struct shape *s, unsigned arrival)
{
    for (unsigned p = 0; p < s->publishers; p++)
        if (wb_frame_write(frames[p], ends[arrival], arrivals[arrival]) != WB_OK)
            figure_must(false, "a write failed");
}

/* Each reader up to what is there; a read more where a segment ended. */
static inline void read_next(unsigned arrival)
{
    struct wb_slice *next = kept + kept_count;

    for (struct wb_frame_reader *r = readers; r < readers_end; r++)
        do
            if (wb_frame_read(r, next++) != WB_OK)
                figure_must(false, "a read failed");
        while (r->at < ends[arrival + 1]);
    kept_count = (size_t)(next - kept);
}

static inline void give_all(void)
{
    for (struct wb_slice *s = kept, *end = s + kept_count; s < end; s++)
        wb_slice_drop(s);
}

/* What callgrind collects is inside these. */

static WB_NOINLINE void storage_read(unsigned arrival)
{
    read_next(arrival);
}

static WB_NOINLINE void storage_give(void)
{
    give_all();
}

static WB_NOINLINE void storage_all(const struct shape *s)
{
    for (unsigned a = 0; a < s->arrivals; a++) {
        write_next(s, a);
        read_next(a);
    }
    give_all();
}

static void run(const struct shape *s, struct wb_mem *mem, enum part part)
{
    open_all(s, mem);
    for (unsigned a = 0; a < s->arrivals && part != PART_ALL; a++) {
        write_next(s, a);
        if (part == PART_READ)
            storage_read(a);
        else
            read_next(a);
    }
    if (part == PART_ALL)
        storage_all(s);
    else if (part == PART_GIVE)
        storage_give();
    else
        give_all();
    close_all(s);
}

static void for_all(void (*one)(const struct shape *s, const char *name))
{
    static const size_t sizes[] = {(size_t)16 << 10, SIZE_MAX_BYTES};
    static const unsigned counts[] = {1, 16, READERS_MAX}, pieces[] = {4, ARRIVALS_MAX};
    char name[80];

    for (unsigned i = 0; i < 48; i++) {
        struct shape s = {i / 24 == 1, sizes[i / 12 % 2], i / 6 % 2 == 0 ? 1 : PUBLISHERS_MAX,
                          counts[i / 2 % 3], pieces[i % 2]};

        snprintf(name, sizeof name, "%s/%s/%up/%ur/%ua", s.grows ? "grow" : "upfront",
                 i / 12 % 2 == 0 ? "16KiB" : "2MiB", s.publishers, s.readers, s.arrivals);
        one(&s, name);
    }
}

/* The same work without readers first: what is left is theirs. */
static void count(const struct shape *s, const char *name)
{
    struct shape alone = *s;
    uint64_t takes[3], taken[3], held = counter_held();
    double reads;

    alone.readers = 0;
    for (int i = 0; i < 3; i++) {
        takes[i] = counter_takes();
        taken[i] = counter_taken();
        if (i < 2)
            run(i == 0 ? &alone : s, counter_mem(), PART_ALL);
    }
    figure_must(counter_held() == held, "frames keep memory");
    reads = (double)kept_count;
    figure("reads", reads, "reads", "-", "%s", name);
    figure("allocations", (double)(takes[2] - 2 * takes[1] + takes[0]) / reads, "allocations/read",
           "<=0", "%s", name);
    figure("owner-bytes", (double)(taken[2] - 2 * taken[1] + taken[0]) / reads, "bytes/read", "<=0",
           "%s", name);
}

/* Behind each chunk that was just published nothing may have been written yet. */
static void count_filled(const struct shape *s, const char *name)
{
    uint64_t filled = 0;

    if (s->readers != 1 || s->arrivals != ARRIVALS_MAX)
        return;
    open_all(s, pattern_mem());
    for (unsigned a = 0; a < s->arrivals; a++) {
        size_t begin = kept_count;

        write_next(s, a);
        read_next(a);
        for (size_t i = begin; i < kept_count; i++)
            filled += pattern_filled_behind(&kept[i]);
    }
    give_all();
    close_all(s);
    figure("bytes-filled", (double)filled, "bytes", "<=0", "%s", name);
}

void storage_counts(void)
{
    for (size_t i = 0; i < sizeof payload; i++)
        payload[i] = (uint8_t)(i * 7 % 251 % 128); /* never the pattern */
    for_all(count);
    for_all(count_filled);
}

static void instructions(const struct shape *s, const char *name)
{
    char title[120];

    for (int part = 0; part < PARTS; part++) {
        run(s, wb_mem_libc(), (enum part)part);
        snprintf(title, sizeof title, "%s %s", part_names[part], name);
        CALLGRIND_DUMP_STATS_AT(title);
    }
}

void storage_instructions(void)
{
    for_all(instructions);
}
