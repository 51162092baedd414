/*
 * change.c: one START or END beside what is held, from the router to each viewer; and what a router
 * spends on what it receives.
 */
#include "ci/bench/announce/bench.h"

#include <stdlib.h>

#define CHANGES     32u
#define VIEWERS_MAX 64u
#define STRIDE      2654435761u /* spreads changes over the paths */

static struct link links[VIEWERS_MAX];

/* A path that nobody holds, among those that are held: `held` paths have even numbers. */
static unsigned spare(unsigned i, unsigned held)
{
    return 2 * ((i * STRIDE) % held) + 1;
}

static struct wb_router *router_of(uint64_t node)
{
    struct wb_router *r = NULL;

    figure_must(wb_router_new(counter_mem(), node, 1, &r) == WB_OK, "no router");
    return r;
}

static struct wb_router *filled(uint64_t node, unsigned held)
{
    struct wb_router *r = router_of(node);

    for (unsigned i = 0; i < held; i++)
        link_publish(r, 2 * i);
    return r;
}

/* A change, through to all viewers; `encode` and `decode` say what of it is measured. */
static void change(struct wb_router *r, unsigned i, unsigned viewers, unsigned held, bool encode,
                   bool decode)
{
    struct wb_slice path = link_path(spare(i / 2, held));
    const struct wb_offer offer = {.cost = 1};

    if (encode)
        bench_begin();
    if (i % 2 == 0)
        figure_must(wb_router_publish(r, &path, false, &offer) == WB_OK, "no memory");
    else
        wb_router_withdraw(r, path.view, false);
    for (unsigned v = 0; v < viewers; v++)
        link_encode(&links[v]);
    if (encode && !decode)
        bench_stop();
    if (decode && !encode)
        bench_begin();
    for (unsigned v = 0; v < viewers; v++)
        link_decode(&links[v]);
    if (decode)
        bench_stop();
    wb_slice_drop(&path);
}

static void change_one(enum wb_moq_version version, unsigned held, unsigned viewers)
{
    static const char *const names[] = {"change", "sender", "receiver"};
    struct wb_router *r = filled(1, held);
    unsigned draft = version == WB_LITE_07 ? 7 : 6;

    for (unsigned v = 0; v < viewers; v++) {
        link_open(&links[v], version, r, 1, NULL, 100 + v);
        link_carry(&links[v]);
    }
    for (unsigned i = 0; i < CHANGES; i++) /* what is touched for the first time */
        change(r, i, viewers, held, false, false);
    for (unsigned part = 0; part < 3; part++) {
        for (unsigned i = 0; i < CHANGES; i++)
            change(r, i, viewers, held, part != 2, part != 1);
        bench_end((double)CHANGES * viewers, "%s/0%u/%uh/%uv", names[part], draft, held, viewers);
    }
    control_write(true);
    for (unsigned i = 0; i < CHANGES; i++)
        change(r, i, viewers, held, false, false);
    control_write(false);
    control_play();
    bench_end((double)CHANGES * viewers, "control/0%u/%uh/%uv", draft, held, viewers);
    for (unsigned v = 0; v < viewers; v++)
        link_close(&links[v], r);
    wb_router_free(r);
}

void change_run(unsigned held, unsigned viewers)
{
    figure_must(held > 0 && viewers > 0 && viewers <= VIEWERS_MAX, "held or viewers");
    change_one(WB_LITE_06, held, viewers);
    change_one(WB_LITE_07, held, viewers);
}

/* ---- received -------------------------------------------------------------------------------- */

static void received_one(enum wb_moq_version version, unsigned held, unsigned changed)
{
    struct wb_router *from = filled(1, held), *to = router_of(2);
    unsigned draft = version == WB_LITE_07 ? 7 : 6;

    link_open(&links[0], version, from, 1, to, 2);
    link_carry(&links[0]);
    for (unsigned round = 0; round < 4; round++) {
        for (unsigned i = 0; i < changed; i++) {
            unsigned path = held >= changed ? spare(i, held) : 2 * i + 1;
            if (round % 2 == 0)
                link_publish(from, path);
            else
                link_withdraw(from, path);
        }
        link_encode(&links[0]);
        if (round >= 2)
            bench_begin();
        link_decode(&links[0]);
        if (round >= 2)
            bench_stop();
    }
    bench_end(2.0 * changed, "received/0%u/%uh/%uc", draft, held, changed);
    link_close(&links[0], from);
    wb_router_free(to);
    wb_router_free(from);
}

void change_received(unsigned held, unsigned changed)
{
    figure_must(held > 0 && changed > 0, "held or changed");
    received_one(WB_LITE_06, held, changed);
    received_one(WB_LITE_07, held, changed);
}
