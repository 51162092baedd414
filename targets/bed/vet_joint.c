/*
 * vet_joint.c: the two cores at the two ends of one connection. Each core writes to its own reader
 * first, then to the other one's: what the other one sees must be the same.
 *
 *   announces  scenarios of the target `announce`: publishers and routers of one core, all
 *              subscribers of the other; the connections are the target's own
 *   frames     inputs of `ingest`: one core writes again what it read of them, into a stream that
 *              arrives in pieces at the other
 *   replies    are not joined: one end is a server, whose bytes are the scenario's. What the two
 *              cores send there is compared as bytes of the trace
 */
#include "targets/bed/vet_parts.h"

#include "sim/stream.h"

#include <stdlib.h>
#include <string.h>

#define WIRE_MAX ((size_t)1 << 16)

static int reader_of(const struct vet *v, int writer)
{
    return v->is_joined ? VET_SIDES - 1 - writer : writer;
}

static void run_announces(const struct vet *v, int lane, size_t i, const struct vet_input *input,
                          FILE *steps, struct vet_told *out)
{
    (void)i;
    v->side[lane]->join(v->is_joined ? v->side[reader_of(v, lane)]->ends() : NULL);
    v->side[lane]->run(v->targets[input->target].at[lane], input->bytes, input->len, steps, out);
}

/* Through a simulated stream in pieces of a length that the bytes say; a datagram whole. */
static void carry(const struct vet_side *reader, const uint8_t *wire, size_t len, bool is_whole)
{
    static struct sim_stream stream;
    static uint8_t kept[WIRE_MAX], piece[WIRE_MAX];
    enum sim_io io;
    uint64_t now = 0;
    size_t got;

    sim_stream_init(&stream, kept, sizeof(kept));
    if (!is_whole) {
        stream.split = 1 + (size_t)(sim_hash(wb_view_of(wire, len), 7) % 61) + len / 128;
        stream.split_count = 1;
        stream.split_gap_ns = 1000;
        stream.cut_at_segments = true;
    }
    sim_stream_write(&stream, now, wb_view_of(wire, len), &io);
    sim_stream_fin(&stream, now);
    for (; now != UINT64_MAX; now = sim_stream_next_ns(&stream, now))
        while (sim_stream_read(&stream, now, piece, sizeof(piece), &got) == SIM_IO_BYTES)
            reader->reader_push(piece, got);
    reader->reader_end();
}

static void run_frames(const struct vet *v, int lane, size_t i, const struct vet_input *input,
                       FILE *steps, struct vet_told *out)
{
    static uint8_t wire[WIRE_MAX];
    const struct vet_side *reader = v->side[reader_of(v, lane)];
    char *text = NULL;
    size_t text_len = 0;
    FILE *lines = open_memstream(&text, &text_len);

    (void)i;
    bed_must(lines != NULL ? WB_OK : WB_E_NOMEM);
    out->state = VET_RUNS;
    size_t len = v->side[lane]->relay(input->bytes, input->len, wire, sizeof(wire));
    fprintf(lines, "%zu bytes on the wire\n", len);
    if (len > 0) {
        reader->reader_open(input->bytes[0], lines);
        carry(reader, wire, len, (input->bytes[0] >> 2 & 7) >= 4);
    }
    fclose(lines);
    out->hash = sim_hash(wb_view_of(text, text_len), 0);
    snprintf(out->outcome, sizeof(out->outcome), "%s", len > 0 ? "read" : "nothing");
    if (steps != NULL)
        fwrite(text, 1, text_len, steps);
    free(text);
    out->state = VET_DONE;
}

static const struct protocol {
    const char *name, *target;
    void (*world)(const struct vet *v, int lane, size_t i, const struct vet_input *input,
                  FILE *steps, struct vet_told *out);
} protocols[] = {{"announces", "announce", run_announces}, {"frames", "ingest", run_frames}};

static bool is_same(const struct vet_told *a, const struct vet_told *b)
{
    return a->hash == b->hash && a->story_hash == b->story_hash && a->state == b->state &&
           strcmp(a->failed, b->failed) == 0 && strcmp(a->outcome, b->outcome) == 0;
}

struct tally {
    uint64_t runs, parts, first;
};

/* One batch: alone, then joined. */
static void run_batch(struct vet *v, const struct protocol *p, size_t at, size_t count,
                      struct vet_told (*alone)[VET_SIDES], struct tally tally[VET_SIDES],
                      struct wb_buf *out)
{
    v->world = p->world;
    v->is_joined = false;
    vet_run(v, v->inputs + at, count, NULL);
    for (size_t i = 0; i < count; i++)
        for (int s = 0; s < VET_SIDES; s++)
            alone[i][s] = v->told[s][i];
    v->is_joined = true;
    vet_run(v, v->inputs + at, count, NULL);
    v->world = NULL;
    v->is_joined = false;
    for (size_t i = 0; i < count; i++)
        for (int s = 0; s < VET_SIDES; s++) {
            if (strcmp(alone[i][s].outcome, "nothing") == 0)
                continue;
            tally[s].runs++;
            if (is_same(&alone[i][s], &v->told[s][i]))
                continue;
            if (tally[s].parts++ == 0)
                tally[s].first = at + i;
            bed_buf_print(out, "diff %zu %u %s:joined:%s\n", at + i, (unsigned)VET_JOINED,
                          p->target, s == VET_OLD ? "old-to-new" : "new-to-old");
        }
}

static void join(struct vet *v, const struct protocol *p, struct wb_buf *out)
{
    size_t target = vet_target_find(v, p->target, strlen(p->target)), from = 0, to;
    struct tally tally[VET_SIDES] = {{0, 0, 0}, {0, 0, 0}};

    if (target == v->target_count)
        return;
    if (p->world == run_announces &&
        (v->side[VET_OLD]->ends() == NULL || v->side[VET_NEW]->ends() == NULL)) {
        for (int s = 0; s < VET_SIDES; s++)
            bed_buf_print(out, "joint %s %d 0 0 0 one side has no end of announces\n", p->name, s);
        return;
    }
    if (p->world == run_announces && v->side[VET_OLD]->layout() != v->side[VET_NEW]->layout()) {
        for (int s = 0; s < VET_SIDES; s++)
            bed_buf_print(out,
                          "joint %s %d 0 0 0 the structs of announces are laid out otherwise\n",
                          p->name, s);
        return;
    }
    while (from < v->input_count && v->inputs[from].target != target)
        from++;
    for (to = from; to < v->input_count && v->inputs[to].target == target;)
        to++;
    struct vet_told(*alone)[VET_SIDES] = bed_take(VET_BATCH * sizeof(*alone));
    for (size_t at = from; at < to; at += VET_BATCH)
        run_batch(v, p, at, to - at < VET_BATCH ? to - at : VET_BATCH, alone, tally, out);
    free(alone);
    for (int s = 0; s < VET_SIDES; s++)
        bed_buf_print(out, "joint %s %d %llu %llu %llu -\n", p->name, s,
                      (unsigned long long)tally[s].runs, (unsigned long long)tally[s].parts,
                      (unsigned long long)tally[s].first);
}

void vet_joint(struct vet *v, struct wb_buf *out)
{
    for (size_t i = 0; i < sizeof(protocols) / sizeof(protocols[0]); i++)
        join(v, &protocols[i], out);
}

void vet_joint_steps(struct vet *v, const struct vet_group *group, struct wb_buf steps[VET_SIDES])
{
    size_t p = 0;

    while (strcmp(protocols[p].target, v->targets[group->target].target->name) != 0)
        p++;
    v->world = protocols[p].world;
    for (int k = 0; k < 2; k++) {
        struct wb_buf both[VET_SIDES] = {bed_buf(), bed_buf()};
        v->is_joined = k == 1;
        vet_run(v, &group->witness, 1, both);
        steps[k] = both[group->writer];
        wb_buf_fini(&both[VET_SIDES - 1 - group->writer]);
    }
    v->world = NULL;
    v->is_joined = false;
}
