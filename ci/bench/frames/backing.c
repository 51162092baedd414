/*
 * backing.c: what is left of the heap once most of the video was evicted, by the storage that
 * packets came in.
 */
#include "ci/bench/frames/bench.h"

#include <malloc.h>
#include <stdio.h>

enum keep { KEEP_ALL, KEEP_QUARTER, KEEP_NONE, KEEPS };
static const char *const keep_names[] = {"all", "quarter", "none"};
static const unsigned kept_groups[] = {MODEL_GROUPS, MODEL_GROUPS / 4, 0};

struct outcome {
    uint64_t live, used, payload, glibc, whole;
};

static struct model model; /* too large for a stack */

/* The oldest video groups go; payload of what stays. */
static uint64_t evict(struct lanes *l, enum keep keep)
{
    uint64_t payload = 0;

    for (unsigned t = 0; t < l->tracks; t++)
        for (unsigned k = 0; k < 2; k++)
            for (unsigned g = 0; g < MODEL_GROUPS; g++) {
                struct wb_group *group = wb_track_peek(l->all[t][k].track, g);

                figure_must(group != NULL, "a group is missing");
                if (k == 1 && g + kept_groups[keep] < MODEL_GROUPS)
                    wb_group_abort(group, WB_E_EVICTED);
                else
                    payload += wb_group_bytes(group);
            }
    return payload;
}

static struct outcome run(unsigned tracks, unsigned kbps, enum keep keep,
                          enum sim_backing_kind kind, size_t packet, size_t batch)
{
    uint64_t held = counter_held();
    size_t glibc = mallinfo2().uordblks;
    struct outcome out = {0};
    struct sim_backing b;
    struct lanes lanes;
    struct wb_slice chunks[MODEL_PARTS];

    sim_backing_init(&b, counter_mem(), kind);
    lanes_open(&lanes, counter_mem(), tracks);
    model_begin(&model, tracks, kbps, packet, batch);
    while (model_next(&model)) {
        lanes_receive(&model, &b, chunks);
        lanes_push(&lanes, &model, chunks);
    }
    model_end(&model);
    sim_backing_fini(&b);
    out.payload = evict(&lanes, keep);
    out.live = counter_held() - held;
    out.used = wb_pool_used(&lanes.pool);
    out.glibc = mallinfo2().uordblks - glibc;
    out.whole = model.whole;
    lanes_close(&lanes);
    figure_must(counter_held() == held, "the heap is not where it was");
    return out;
}

static void count(unsigned tracks, unsigned kbps, enum keep keep)
{
    uint64_t exact = 0;

    for (int k = 0; k < SIM_BACKING_KINDS; k++) {
        enum sim_backing_kind kind = (enum sim_backing_kind)k;
        struct outcome o = run(tracks, kbps, keep, kind, MODEL_PACKET, 1);
        char name[80];

        snprintf(name, sizeof name, "%ut/%ukbps/keep-%s/%s", tracks, kbps, keep_names[keep],
                 sim_backing_name(kind));
        if (kind == SIM_BACKING_EXACT)
            exact = o.live;
        figure("live", (double)o.live, "bytes", "-", "%s", name);
        figure("over-exact", (double)o.live - (double)exact, "bytes", "=0", "%s", name);
        figure("live-used", (double)o.live / (double)o.used, "ratio", "<=1.05", "%s", name);
        figure("live-payload", (double)o.live / (double)o.payload, "ratio", "-", "%s", name);
        figure("glibc-used", (double)o.glibc / (double)o.used, "ratio", "-", "%s", name);
        if (keep == KEEP_ALL)
            figure("whole", (double)o.whole, "frames", "-", "%s", name);
    }
}

/* Larger packets share what is larger than WB_COPY_WHOLE; batches of small ones do not. */
static void count_large(const char *name, size_t packet, size_t batch)
{
    for (int k = 0; k < SIM_BACKING_KINDS; k++)
        for (int keep = 0; keep < KEEPS; keep++) {
            enum sim_backing_kind kind = (enum sim_backing_kind)k;
            struct outcome o = run(4, 1000, (enum keep)keep, kind, packet, batch);

            figure("live-used", (double)o.live / (double)o.used, "ratio",
                   packet > MODEL_PACKET ? "-" : "<=1.05", "4t/1000kbps/keep-%s/%s-%s",
                   keep_names[keep], name, sim_backing_name(kind));
        }
}

void backing_counts(void)
{
    static const unsigned rates[] = {150, 1000, 4000};

    for (unsigned tracks = 1; tracks <= MODEL_TRACKS_MAX; tracks += 3)
        for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
            for (int keep = 0; keep < KEEPS; keep++)
                count(tracks, rates[i], (enum keep)keep);
    count_large("gro16", MODEL_PACKET, 16);
    count_large("gro56", MODEL_PACKET, 56);
    count_large("jumbo9000", 9000, 1);
    count_large("jumbo65000", 65000, 1);
}
