/*
 * pipe.c: an in-memory transport. Headers are written into blocks of 4 KiB and payloads cross as
 * slices of what the publisher allocated, so a chunk is a slice of one or the other.
 */
#include "ci/bench/frames/bench.h"

#include <stdio.h>

#define BLOCK       ((size_t)4096)
#define HEADER_MAX  64u
#define STREAMS_MAX 16u

struct pipe {
    struct wb_mem *mem;
    struct wb_slice block; /* headers are lent from it */
    uint8_t *bytes;
    size_t used;
};

static void pipe_header(struct pipe *p, struct wb_view header, struct wb_slice *out)
{
    if (p->block.owner == NULL || header.len > BLOCK - p->used) {
        wb_slice_drop(&p->block);
        figure_must(wb_slice_new(p->mem, BLOCK, &p->block, &p->bytes) == WB_OK, "no block");
        p->used = 0;
    }
    for (size_t i = 0; i < header.len; i++)
        p->bytes[p->used + i] = header.data[i];
    *out = wb_slice_sub(&p->block, p->used, p->used + header.len);
    p->used += header.len;
}

struct stream {
    struct wb_ingest in;
    struct wb_group *group;
    struct wb_group_reader reader;
    uint64_t timestamp;
};

static void push(struct stream *s, struct wb_slice *chunk)
{
    figure_must(wb_ingest_push(&s->in, chunk) == WB_OK, "a stream is broken");
    figure_must(chunk->view.len == 0, "a chunk is left");
}

static void open_stream(struct stream *s, struct pipe *p, uint64_t sequence)
{
    const struct wb_group_header header = {.sequence = sequence};
    uint8_t space[HEADER_MAX];
    struct wb_buf buf = {.data = space, .capacity = HEADER_MAX, .max = HEADER_MAX};
    struct wb_slice chunk;

    buf.mem = p->mem;
    figure_must(wb_group_header_put(MODEL_VERSION, &buf, &header) == WB_OK, "no header");
    pipe_header(p, wb_buf_view(&buf), &chunk);
    wb_ingest_init(&s->in, p->mem, MODEL_VERSION);
    push(s, &chunk);
    figure_must(wb_group_new(p->mem, &wb_group_limits_default, NULL, sequence, &s->group) == WB_OK,
                "no group");
    wb_group_reader_init(&s->reader, s->group);
    figure_must(wb_ingest_attach(&s->in, s->group) == WB_OK, "no group");
    s->timestamp = 0;
}

/* A payload crosses and is read; true when what is read is the publisher's own allocation. */
static bool cross(struct stream *s, struct pipe *p, size_t size, uint64_t now)
{
    uint8_t space[HEADER_MAX], *bytes;
    struct wb_buf buf = {.mem = p->mem, .data = space, .capacity = HEADER_MAX, .max = HEADER_MAX};
    struct wb_slice payload, header, got;
    struct wb_group_frame frame;
    const uint8_t *sent;
    bool is_same;

    figure_must(wb_slice_new(p->mem, size, &payload, &bytes) == WB_OK, "no payload");
    for (size_t i = 0; i < size; i += 64)
        bytes[i] = (uint8_t)(i + now);
    sent = payload.view.data;
    figure_must(wb_frame_header_put(MODEL_VERSION, &buf, &s->timestamp, now, size) == WB_OK,
                "no header");
    pipe_header(p, wb_buf_view(&buf), &header);
    push(s, &header);
    push(s, &payload);
    figure_must(wb_group_next(&s->reader, &frame) == WB_OK, "no frame");
    figure_must(wb_frame_read(&frame.reader, &got) == WB_OK, "no bytes");
    figure_must(got.view.len == size && got.view.data[0] == (uint8_t)now, "other bytes");
    is_same = got.view.data == sent;
    wb_slice_drop(&got);
    wb_frame_reader_fini(&frame.reader);
    return is_same;
}

static void close_stream(struct stream *s)
{
    figure_must(wb_ingest_fin(&s->in) == WB_OK, "a stream ends early");
    wb_ingest_fini(&s->in);
    wb_group_reader_fini(&s->reader);
}

static void count(unsigned streams, size_t size, const char *name)
{
    unsigned frames = size > (size_t)64 << 10 ? 16 : 256; /* of a stream; within a group's limit */
    struct pipe p = {.mem = counter_mem()};
    struct stream all[STREAMS_MAX];
    uint64_t takes = counter_takes(), held = counter_held(), same = 0, sum;

    for (unsigned i = 0; i < streams; i++)
        open_stream(&all[i], &p, i);
    for (unsigned f = 0; f < frames; f++)
        for (unsigned i = 0; i < streams; i++)
            same += cross(&all[i], &p, size, f);
    for (unsigned i = 0; i < streams; i++)
        close_stream(&all[i]);
    wb_slice_drop(&p.block);
    sum = (uint64_t)frames * streams;
    takes = counter_takes() - takes;
    figure_must(counter_held() == held, "the heap is not where it was");
    figure("allocations", (double)(takes - sum) / (double)sum, "allocations/frame", "<=2",
           "memory/%us/%s", streams, name);
    figure("with-payload", (double)takes / (double)sum, "allocations/frame", "-", "memory/%us/%s",
           streams, name);
    figure("own-allocation", (double)same, "frames", "-", "memory/%us/%s", streams, name);
    if (size > WB_COPY_WHOLE)
        figure_must(same == sum, "a payload was copied");
}

void pipe_counts(void)
{
    for (unsigned streams = 1; streams <= STREAMS_MAX; streams += STREAMS_MAX - 1) {
        count(streams, 64, "64B");
        count(streams, (size_t)16 << 10, "16KiB");
        count(streams, (size_t)64 << 10, "64KiB");
        count(streams, (size_t)1 << 20, "1MiB");
    }
}
