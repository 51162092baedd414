/*
 * setup.c: a publisher's broadcasts through a relay to viewers, put up and taken down in batches;
 * and a viewer that joins when all is there, at the first and at the second relay.
 */
#include "ci/bench/announce/bench.h"

#define BATCH   64u
#define VIEWERS 16u
#define SAMPLES 64u /* batches that are measured, evenly spread */

static struct link up, between, viewers[VIEWERS];

static struct wb_router *router_of(uint64_t node)
{
    struct wb_router *r = NULL;

    figure_must(wb_router_new(counter_mem(), node, 1, &r) == WB_OK, "no router");
    return r;
}

static void batch(struct wb_router *publisher, unsigned first, bool is_setup, bool is_measured)
{
    if (is_measured)
        bench_begin();
    for (unsigned i = first; i < first + BATCH; i++) {
        if (is_setup)
            link_publish(publisher, i);
        else
            link_withdraw(publisher, i);
    }
    link_carry(&up);
    for (unsigned v = 0; v < VIEWERS; v++)
        link_carry(&viewers[v]);
    if (is_measured)
        bench_stop();
}

static void setup_one(enum wb_moq_version version, unsigned claims)
{
    struct wb_router *publisher = router_of(1), *relay = router_of(2);
    unsigned batches = claims / BATCH, step = batches < SAMPLES ? 1 : batches / SAMPLES;
    unsigned draft = version == WB_LITE_07 ? 7 : 6;

    link_open(&up, version, publisher, 1, relay, 2);
    link_carry(&up);
    for (unsigned v = 0; v < VIEWERS; v++) {
        link_open(&viewers[v], version, relay, 2, NULL, 100 + v);
        link_carry(&viewers[v]);
    }
    for (unsigned phase = 0; phase < 2; phase++) {
        for (unsigned b = 0; b < batches; b++)
            batch(publisher, b * BATCH, phase == 0, b % step == step / 2);
        bench_end((double)(batches / step) * BATCH * VIEWERS, "%s/0%u/%uc",
                  phase == 0 ? "setup" : "teardown", draft, claims);
    }
    for (unsigned v = 0; v < VIEWERS; v++)
        link_close(&viewers[v], relay);
    link_close(&up, publisher);
    wb_router_free(relay);
    wb_router_free(publisher);
}

void setup_run(unsigned claims, unsigned unused)
{
    (void)unused;
    figure_must(claims >= BATCH, "claims");
    setup_one(WB_LITE_06, claims);
    setup_one(WB_LITE_07, claims);
}

static void join_one(enum wb_moq_version version, unsigned claims)
{
    struct wb_router *routers[] = {router_of(1), router_of(2), router_of(3)};
    unsigned draft = version == WB_LITE_07 ? 7 : 6;

    for (unsigned i = 0; i < claims; i++)
        link_publish(routers[0], i);
    link_open(&up, version, routers[0], 1, routers[1], 2);
    link_open(&between, version, routers[1], 2, routers[2], 3);
    link_carry(&up);
    link_carry(&between);
    for (unsigned relays = 1; relays <= 2; relays++) {
        struct link *l = &viewers[relays];

        bench_begin();
        link_open(l, version, routers[relays], relays + 1, NULL, 100);
        link_carry(l);
        bench_stop();
        figure_must(l->events >= claims, "claims are missing");
        bench_end(claims, "join/0%u/%ur", draft, relays);
        link_close(l, routers[relays]);
    }
    link_close(&between, routers[1]);
    link_close(&up, routers[0]);
    for (unsigned i = 0; i < 3; i++)
        wb_router_free(routers[i]);
}

void setup_join(unsigned claims, unsigned unused)
{
    (void)unused;
    join_one(WB_LITE_06, claims);
    join_one(WB_LITE_07, claims);
}
