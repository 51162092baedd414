/*
 * vet_written.c: can the old read what the new writes, and the reverse? Where the two cores write
 * different bytes in a run, the streams of both become inputs of the target that reads such
 * streams, and both sides read them.
 */
#include "targets/bed/vet.h"

#include <stdlib.h>
#include <string.h>

#define STREAMS_MAX 16 /* of a batch */

static const char *const reader_names[] = {
#define READER_NAME(name, target) target,
    VET_READER_LIST(READER_NAME)
#undef READER_NAME
};

struct streams {
    struct vet_input inputs[STREAMS_MAX];
    int writers[STREAMS_MAX];
    size_t count;
};

static bool is_there(const struct streams *all, size_t target, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->inputs[i].target == target && all->inputs[i].len == len &&
            memcmp(all->inputs[i].bytes, bytes, len) == 0)
            return true;
    return false;
}

/* The streams of one run; the configuration stands before the bytes, as in a wire input. */
static void take_streams(const struct vet *v, const struct vet_told *told, int writer,
                         struct streams *out)
{
    const uint8_t *at = told->written, *end = at + told->written_len;

    if (told->written_len > VET_WRITTEN_MAX)
        return;
    while (end - at > 4 && out->count < STREAMS_MAX) {
        size_t len = (size_t)at[2] | (size_t)at[3] << 8;
        const char *name = at[0] < VET_READERS ? reader_names[at[0]] : "";
        size_t target = vet_target_find(v, name, strlen(name));
        uint8_t *bytes = bed_take(len + 1);
        if (len > (size_t)(end - at) - 4)
            len = (size_t)(end - at) - 4;
        bytes[0] = at[1];
        memcpy(bytes + 1, at + 4, len);
        at += 4 + len;
        if (target == v->target_count || is_there(out, target, bytes, len + 1)) {
            free(bytes);
            continue;
        }
        out->writers[out->count] = writer;
        out->inputs[out->count++] = (struct vet_input){target, bytes, len + 1, NULL};
    }
}

void vet_written_put(const struct vet *v, const struct vet_input *input, int writer,
                     enum vet_kind kind, const char *id, struct wb_buf *out)
{
    if (kind == VET_ALIKE)
        return;
    bed_buf_print(out, "read %d %s %u %s ", writer, v->targets[input->target].target->name,
                  (unsigned)kind, id);
    for (size_t k = 0; k < input->len; k++)
        bed_buf_print(out, "%02x", input->bytes[k]);
    bed_buf_print(out, "\n");
}

void vet_written(struct vet *v, struct vet_told (*told)[VET_SIDES], size_t count,
                 struct wb_buf *out)
{
    struct streams *all = bed_take(sizeof(*all));
    struct vet_told(*ends)[VET_SIDES] = bed_take(STREAMS_MAX * sizeof(*ends));

    all->count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct vet_told *old = &told[i][VET_OLD], *new = &told[i][VET_NEW];
        if (old->written_len == new->written_len &&
            memcmp(old->written, new->written, VET_WRITTEN_MAX) == 0)
            continue;
        take_streams(v, old, VET_OLD, all);
        take_streams(v, new, VET_NEW, all);
    }
    if (all->count > 0)
        vet_run(v, all->inputs, all->count, NULL);
    for (size_t i = 0; i < all->count; i++)
        for (int s = 0; s < VET_SIDES; s++)
            ends[i][s] = v->told[s][i];
    for (size_t i = 0; i < all->count; i++) {
        char id[VET_ID_MAX];
        for (int s = 0; s < VET_SIDES; s++)
            v->told[s][0] = ends[i][s];
        enum vet_kind kind = vet_part_kind(v, &all->inputs[i], 0, id);
        vet_part_written(id, all->writers[i]);
        if (kind != VET_BOTH_FAIL)
            vet_written_put(v, &all->inputs[i], all->writers[i], kind, id, out);
        vet_input_free(&all->inputs[i]);
    }
    free(all);
    free(ends);
}
