/*
 * ingest.c: what the copy of a small whole frame costs, and a reader that keeps up or comes late.
 */
#include "ci/bench/frames/bench.h"

#include <stdio.h>
#include <valgrind/callgrind.h>

#define FRAMES    64u
#define IN_CHUNK  16u
#define HEADER    3u /* delta 0, size in two bytes; four from 16 KiB on */
#define CHUNK_MAX ((size_t)IN_CHUNK * (WB_COPY_WHOLE + 1 + HEADER))

static const size_t sizes[] = {64, 160, 520, 1000, WB_COPY_WHOLE, WB_COPY_WHOLE + 1};
#define SIZES (sizeof sizes / sizeof sizes[0])

static struct wb_slice whole[FRAMES / IN_CHUNK]; /* chunks of whole frames */

static void prepare(size_t size)
{
    static uint8_t bytes[CHUNK_MAX];
    size_t at = 0;

    for (unsigned i = 0; i < IN_CHUNK; i++) {
        bytes[at] = 0;
        bytes[at + 1] = (uint8_t)(0x40 | size >> 8);
        bytes[at + 2] = (uint8_t)size;
        at += HEADER + size;
    }
    for (size_t i = 0; i < FRAMES / IN_CHUNK; i++)
        figure_must(wb_slice_copy(wb_mem_libc(), wb_view_of(bytes, at), &whole[i]) == WB_OK,
                    "no chunk");
}

static inline void push_all(struct wb_ingest *in)
{
    for (size_t i = 0; i < FRAMES / IN_CHUNK; i++)
        figure_must(wb_ingest_push(in, &whole[i]) == WB_OK, "a frame is refused");
}

/* What callgrind collects is inside these. */

static WB_NOINLINE void ingest_push(struct wb_ingest *in)
{
    push_all(in);
}

static WB_NOINLINE void ingest_release(struct wb_ingest *in)
{
    wb_ingest_fini(in);
}

/* Pushes FRAMES whole frames into a group and lets it go, one of the two for callgrind. */
static void push_frames(struct wb_mem *mem, size_t size, bool is_push)
{
    struct wb_ingest in;
    struct wb_group *group;

    prepare(size);
    figure_must(wb_group_new(mem, &wb_group_limits_default, NULL, 0, &group) == WB_OK, "no group");
    wb_ingest_init_frames(&in, mem, WB_LITE_05, group);
    if (is_push)
        ingest_push(&in);
    else
        push_all(&in);
    figure_must(wb_group_next_index(group) == FRAMES, "frames are missing");
    if (is_push)
        wb_ingest_fini(&in);
    else
        ingest_release(&in);
}

/* An allocator that costs next to nothing: what is left is the core's. */
static uint8_t arena[FRAMES * (WB_COPY_WHOLE + 128) + 8192];
static size_t arena_used;

static void *arena_take(struct wb_mem *mem, size_t size)
{
    uint8_t *block = arena + arena_used;

    (void)mem;
    arena_used += (size + 15) & ~(size_t)15;
    figure_must(arena_used <= sizeof arena, "the arena is too small");
    return block;
}

static void arena_give(struct wb_mem *mem, void *block, size_t size)
{
    (void)mem, (void)block, (void)size;
}

/* ---- paced ----------------------------------------------------------------------------------- */

#define PACED_TRACKS 4u
#define PACED_KBPS   1000u

static struct model model; /* too large for a stack */

struct follower {
    struct wb_track *track;
    uint64_t arrival; /* of its group */
    struct wb_group_reader reader;
    struct wb_group_frame frame;
    bool has_group, has_frame;
    uint64_t reads, frames, bytes;
};

/* What is there of the frame at hand; true at its end. */
static bool follow_frame(struct follower *f)
{
    struct wb_slice part;
    enum wb_err err;

    while ((err = wb_frame_read(&f->frame.reader, &part)) == WB_OK) {
        f->reads++;
        f->bytes += part.view.len;
        wb_slice_drop(&part);
    }
    if (err == WB_MORE)
        return false;
    figure_must(err == WB_END, "a reader is cut off");
    wb_frame_reader_fini(&f->frame.reader);
    f->frames++;
    return true;
}

/* Reads all that is there, group after group. */
static void follow(struct follower *f)
{
    for (;;) {
        struct wb_group *group = f->has_group ? NULL : wb_track_arrival(f->track, &f->arrival);
        enum wb_err err;

        if (group != NULL) {
            wb_group_reader_init(&f->reader, group);
            f->has_group = true;
        }
        if (!f->has_group || (f->has_frame && !follow_frame(f)))
            return;
        f->has_frame = false;
        err = wb_group_next(&f->reader, &f->frame);
        if (err == WB_MORE)
            return;
        f->has_frame = err == WB_OK;
        if (err == WB_END) {
            wb_group_reader_fini(&f->reader);
            f->has_group = false;
            f->arrival++;
        }
    }
}

static struct follower followers[PACED_TRACKS * 2];

/* One packet, or none at the end, and what readers do then. Collected. */
static WB_NOINLINE void ingest_step(struct lanes *l, struct wb_slice *chunks, bool reads)
{
    if (chunks != NULL)
        lanes_push(l, &model, chunks);
    for (unsigned i = 0; i < PACED_TRACKS * 2 && reads; i++)
        follow(&followers[i]);
}

/* A reader of each track reads after each packet, or all at the end. */
static struct follower follow_all(bool is_paced, struct wb_mem *mem)
{
    struct follower sum = {0};
    struct sim_backing b;
    struct lanes lanes;
    struct wb_slice chunks[MODEL_PARTS];

    sim_backing_init(&b, wb_mem_libc(), SIM_BACKING_DATAGRAM);
    lanes_open(&lanes, mem, PACED_TRACKS);
    model_begin(&model, PACED_TRACKS, PACED_KBPS, MODEL_PACKET, 1);
    for (unsigned i = 0; i < PACED_TRACKS * 2; i++)
        followers[i] = (struct follower){.track = lanes.all[i / 2][i % 2].track};
    while (model_next(&model)) {
        lanes_receive(&model, &b, chunks);
        ingest_step(&lanes, chunks, is_paced);
    }
    ingest_step(&lanes, NULL, true);
    for (unsigned i = 0; i < PACED_TRACKS * 2; i++) {
        figure_must(!followers[i].has_group, "a reader is not at the end");
        sum.reads += followers[i].reads;
        sum.frames += followers[i].frames;
        sum.bytes += followers[i].bytes;
    }
    figure_must(sum.frames == PACED_TRACKS * MODEL_FRAMES && sum.bytes == model.payload,
                "frames were not read");
    model_end(&model);
    sim_backing_fini(&b);
    lanes_close(&lanes);
    return sum;
}

/* ---- figures --------------------------------------------------------------------------------- */

void ingest_counts(void)
{
    for (size_t i = 0; i < SIZES; i++) {
        uint64_t takes = counter_takes();

        push_frames(counter_mem(), sizes[i], true);
        takes = counter_takes() - takes - 6; /* the group, and its log of 4 to 64 places */
        figure("allocations", (double)takes / FRAMES, "allocations/frame",
               sizes[i] <= WB_COPY_WHOLE ? "=1" : "=0", "ingest/%zuB", sizes[i]);
    }
    for (int paced = 0; paced < 2; paced++) {
        const char *name = paced ? "paced" : "burst";
        uint64_t takes = counter_takes();
        struct follower sum = follow_all(paced == 1, counter_mem());

        takes = counter_takes() - takes;
        figure("allocations", (double)takes / (double)sum.frames, "allocations/frame", "-",
               "ingest/4t/%ukbps/%s", PACED_KBPS, name);
        figure("reads", (double)sum.reads, "reads", "-", "ingest/4t/%ukbps/%s", PACED_KBPS, name);
    }
}

static void dump(const char *part, const char *name)
{
    char title[120];

    snprintf(title, sizeof title, "%s %s", part, name);
    CALLGRIND_DUMP_STATS_AT(title);
}

void ingest_instructions(void)
{
    struct wb_mem bump = {.take = arena_take, .give = arena_give};
    char name[80];

    for (size_t i = 0; i < SIZES; i++) {
        snprintf(name, sizeof name, "ingest/%zuB", sizes[i]);
        push_frames(wb_mem_libc(), sizes[i], true);
        dump("push", name);
        push_frames(wb_mem_libc(), sizes[i], false);
        dump("release", name);
        arena_used = 0;
        push_frames(&bump, sizes[i], true);
        dump("bare", name);
    }
    for (int paced = 0; paced < 2; paced++) {
        snprintf(name, sizeof name, "ingest/4t/%ukbps/%s", PACED_KBPS, paced ? "paced" : "burst");
        follow_all(paced == 1, wb_mem_libc());
        dump("frames", name);
    }
}
