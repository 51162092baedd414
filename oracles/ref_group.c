/*
 * ref_group.c: moq-lite 3.3, sentence by sentence. Every sum is taken over all frames kept.
 */
#include "oracles/ref_group.h"

void ref_group_init(struct ref_group *g, uint64_t sequence, uint64_t limit, uint64_t frames)
{
    g->limit = limit;
    g->frames_limit = frames;
    g->sequence = sequence;
    g->offset = g->next = g->written = g->first_stamp = g->total = g->evicted = 0;
    g->places = 1;
    g->has_open = g->has_stamp = g->finished = false;
    g->reason = WB_OK;
    g->count = 0;
}

/* frames 3 and 4: payload and segment headers; a chain has one header for each segment. */
uint64_t ref_group_bill(const struct ref_group_storage *s, uint64_t size)
{
    if (size == 0)
        return 0;
    if (size <= s->upfront || size <= s->chain)
        return s->header + size;
    return size + s->header * ((size + s->chain - 1) / s->chain);
}

bool ref_group_has_room(const struct ref_group *g)
{
    return g->count < REF_GROUP_RUNS;
}

/* Only before any frame and not ended, may be repeated; the last number of all has no next one. */
enum wb_err ref_group_start_status(const struct ref_group *g, uint64_t first)
{
    if (g->reason != WB_OK)
        return g->reason;
    if (g->finished || g->has_stamp)
        return WB_E_FINISHED;
    return first == UINT64_MAX ? WB_E_BOUNDS : WB_OK;
}

enum wb_err ref_group_append_status(const struct ref_group *g, uint64_t size)
{
    if (g->reason != WB_OK)
        return g->reason;
    if (g->finished)
        return WB_E_FINISHED;
    if (g->has_open)
        return WB_E_BUSY;
    if (size > REF_GROUP_FRAME_MAX)
        return WB_E_FRAME_TOO_LARGE;
    return g->next == UINT64_MAX ? WB_E_BOUNDS : WB_OK;
}

enum wb_err ref_group_close_status(const struct ref_group *g)
{
    if (g->reason != WB_OK)
        return g->reason;
    if (!g->has_open)
        return WB_E_FINISHED;
    return g->written < g->runs[g->count - 1].size ? WB_E_WRONG_SIZE : WB_OK;
}

enum wb_err ref_group_finish_status(const struct ref_group *g)
{
    if (g->reason != WB_OK)
        return g->reason;
    if (g->finished)
        return WB_E_FINISHED;
    return g->has_open ? WB_E_BUSY : WB_OK;
}

void ref_group_start(struct ref_group *g, uint64_t first)
{
    g->offset = g->next = first;
}

/* Full with one place it gets four, then twice as many each time; the front's are used again. */
static void grow_log(struct ref_group *g, uint64_t kept)
{
    while (g->places < kept)
        g->places = g->places == 1 ? 4 : 2 * g->places;
}

/* Frames go from the front while they, or their bytes, are too many; never the last one. */
static void keep_limit(struct ref_group *g)
{
    uint64_t bytes = ref_group_bytes(g);

    while ((bytes > g->limit || g->next - g->offset > g->frames_limit) && g->offset + 1 < g->next) {
        bytes -= ref_group_run_at(g, g->offset)->size;
        g->offset++;
        g->evicted++;
    }
}

/* As if the frames came one by one: each needs its place before the front goes for it. */
static void append_within(struct ref_group *g, uint64_t count)
{
    uint64_t last = g->next;

    for (g->next = last - count; g->next < last;) {
        g->next++;
        grow_log(g, g->next - g->offset);
        keep_limit(g);
    }
}

void ref_group_append(struct ref_group *g, struct ref_group_run run, bool open)
{
    run.first = g->next;
    g->runs[g->count++] = run;
    g->next += run.count;
    g->has_open = open;
    g->written = 0;
    if (!g->has_stamp)
        g->first_stamp = run.timestamp;
    g->has_stamp = true;
    append_within(g, run.count);
}

void ref_group_close(struct ref_group *g)
{
    g->has_open = false;
}

void ref_group_finish(struct ref_group *g)
{
    g->finished = true;
    g->total = g->next;
}

/* Only the first counts. Frames are gone at once; what was finished stays so. */
void ref_group_abort(struct ref_group *g, enum wb_err reason)
{
    if (g->reason != WB_OK)
        return;
    g->reason = reason;
    g->count = 0;
}

const struct ref_group_run *ref_group_run_at(const struct ref_group *g, uint64_t index)
{
    if (index < g->offset)
        return NULL;
    for (size_t i = g->count; i-- > 0;) {
        if (index >= g->runs[i].first && index - g->runs[i].first < g->runs[i].count)
            return &g->runs[i];
    }
    return NULL;
}

enum wb_err ref_group_read_status(const struct ref_group *g, uint64_t index, bool capped,
                                  uint64_t end)
{
    if (capped && index > end)
        return WB_END;
    if (index < g->offset)
        return WB_E_LAGGED;
    if (ref_group_run_at(g, index) != NULL)
        return WB_OK;
    if (g->finished && (index >= g->total || g->reason == WB_OK))
        return WB_END;
    return g->reason != WB_OK ? g->reason : WB_MORE;
}

uint64_t ref_group_committed(const struct ref_group *g)
{
    return g->next - (g->has_open ? 1 : 0);
}

/* Frames of a run that are still kept. */
static uint64_t kept(const struct ref_group *g, const struct ref_group_run *run)
{
    uint64_t begin = run->first, end = run->first + run->count;

    if (begin < g->offset)
        begin = g->offset;
    if (end > g->next)
        end = g->next;
    return begin < end ? end - begin : 0;
}

uint64_t ref_group_bytes(const struct ref_group *g)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < g->count; i++)
        sum += kept(g, &g->runs[i]) * g->runs[i].size;
    return sum;
}

uint64_t ref_group_segments(const struct ref_group *g)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < g->count; i++)
        sum += kept(g, &g->runs[i]) * g->runs[i].bill;
    return sum;
}

uint64_t ref_group_log(const struct ref_group *g)
{
    return g->places == 1 ? 0 : g->places * REF_GROUP_RECORD;
}

uint64_t ref_group_billed(const struct ref_group *g)
{
    if (g->reason != WB_OK)
        return 0;
    return REF_GROUP_OVERHEAD + (g->has_open ? REF_GROUP_OPEN : 0u) + ref_group_segments(g) +
           ref_group_log(g);
}
