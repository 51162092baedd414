/*
 * joins.c: what one join costs: subscribe, observe the demand, drop, observe.
 */
#include "ci/bench/windows/bench.h"
#include "core/window/span.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <valgrind/callgrind.h>

#define ROUNDS 64u

static const unsigned crowds[] = {1, 100, 1000, 10000}, churns[] = {1, 8, 64};
static const unsigned peaks[] = {0, 1024, 16384};

static void name_case(char *to, size_t room, const struct crowd *c, unsigned churn, bool bare)
{
    snprintf(to, room, "%s%s/%uv/%uc", bare ? "demand-" : "", shape_names[c->shape], c->viewers,
             churn);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void sizes(void)
{
    figure("sizeof", sizeof(struct wb_subscription), "bytes", "-", "subscription");
    figure("sizeof", sizeof(struct wb_subscriber), "bytes", "-", "subscriber");
    figure("sizeof", sizeof(struct wb_window), "bytes", "-", "window");
    figure("sizeof", sizeof(struct wb_span), "bytes", "-", "span");
    figure("sizeof", sizeof(struct wb_edge), "bytes", "-", "edge");
}

static void count_joins(enum shape shape, unsigned viewers, unsigned churn)
{
    struct crowd c;
    uint64_t takes, taken, held;

    crowd_open(&c, shape, viewers);
    held = counter_held();
    crowd_churn(&c, churn, 2); /* spare nodes are there from then on */
    takes = counter_takes();
    taken = counter_taken();
    crowd_churn(&c, churn, ROUNDS);
    figure("allocations", (double)(counter_takes() - takes) / (churn * ROUNDS), "a-join", "=0",
           "%s/%uv/%uc", shape_names[shape], viewers, churn);
    figure("allocated", (double)(counter_taken() - taken) / (churn * ROUNDS), "bytes/join", "=0",
           "%s/%uv/%uc", shape_names[shape], viewers, churn);
    figure("spare", (double)counter_held() - (double)held, "bytes", "-", "%s/%uv/%uc",
           shape_names[shape], viewers, churn);
    crowd_close(&c);
}

static void count_peaks(void)
{
    struct crowd c;

    for (unsigned i = 0; i < 3; i++) {
        uint64_t before, demand;

        crowd_open(&c, SHAPE_SAME, 1);
        crowd_churn(&c, 1, 1);
        before = counter_held();
        demand = wb_demand_held(c.demand);
        crowd_peak(&c, peaks[i]);
        /* Up to four spare spans and eight edges stay. */
        figure("left", (double)counter_held() - (double)before, "bytes", "<=896", "peak/%u",
               peaks[i]);
        figure("left-demand", (double)wb_demand_held(c.demand) - (double)demand, "bytes", "<=896",
               "peak/%u", peaks[i]);
        crowd_close(&c);
    }
}

static void count_crowd(enum shape shape)
{
    struct crowd c;
    uint64_t before = counter_held();

    crowd_open(&c, shape, 10000);
    figure("held", (double)(counter_held() - before) / 10000, "bytes/viewer", "-", "%s/10000v",
           shape_names[shape]);
    crowd_close(&c);
}

void joins_counts(void)
{
    sizes();
    for (unsigned v = 0; v < 4; v++)
        for (unsigned k = 0; k < 3; k++)
            count_joins(SHAPE_SAME, crowds[v], churns[k]);
    for (enum shape s = SHAPE_LIVE; s < SHAPES; s++)
        for (unsigned k = 0; k < 3; k++)
            count_joins(s, 10000, churns[k]);
    for (enum shape s = SHAPE_SAME; s < SHAPES; s++)
        count_crowd(s);
    count_peaks();
}

void joins_costs(void)
{
    for (enum shape s = SHAPE_SAME; s < SHAPES; s++)
        for (unsigned v = 0; v < 4; v++) {
            struct crowd c;
            struct wb_cost before;

            crowd_open(&c, s, crowds[v]);
            crowd_churn(&c, 1, 2);
#ifdef WB_COUNTED
            before = wb_cost;
            crowd_churn(&c, 1, ROUNDS);
            figure("compared",
                   (double)(wb_cost.positions_compared - before.positions_compared) / ROUNDS,
                   "a-join", "-", "%s/%uv", shape_names[s], crowds[v]);
            figure("moved", (double)(wb_cost.bytes_moved - before.bytes_moved) / ROUNDS,
                   "bytes/join", "<=32", "%s/%uv", shape_names[s], crowds[v]);
#else
            (void)before;
            figure_must(false, "a counted build is wanted");
#endif
            crowd_close(&c);
        }
}

/* ---- instructions ---------------------------------------------------------------------------- */

static void dump(const struct crowd *c, unsigned churn, bool bare)
{
    char name[80];

    name_case(name, sizeof name, c, churn, bare);
    CALLGRIND_DUMP_STATS_AT(name);
}

static void run(struct crowd *c, unsigned churn, bool bare)
{
    unsigned rounds = churn < ROUNDS ? ROUNDS / churn : 1;

    if (bare)
        crowd_churn_bare(c, churn, rounds);
    else
        crowd_churn(c, churn, rounds);
}

static void instruct(struct crowd *c, unsigned churn, bool bare)
{
    run(c, churn, bare);
    CALLGRIND_ZERO_STATS;
    CALLGRIND_TOGGLE_COLLECT;
    run(c, churn, bare);
    CALLGRIND_TOGGLE_COLLECT;
    dump(c, churn, bare);
}

void joins_instructions(void)
{
    struct crowd c;

    for (unsigned v = 0; v < 4; v++)
        for (enum shape s = SHAPE_SAME; s < SHAPES; s++) {
            crowd_open(&c, s, crowds[v]);
            for (unsigned k = 0; k < 3; k++) {
                instruct(&c, churns[k], false);
                if (s != SHAPE_LIVE && k == 0)
                    instruct(&c, churns[k], true);
            }
            crowd_close(&c);
        }
    for (unsigned i = 0; i < 3; i++) {
        crowd_open(&c, SHAPE_SAME, 1);
        crowd_peak(&c, peaks[i]);
        crowd_churn(&c, 1, ROUNDS);
        CALLGRIND_ZERO_STATS;
        CALLGRIND_TOGGLE_COLLECT;
        crowd_churn(&c, 1, ROUNDS);
        CALLGRIND_TOGGLE_COLLECT;
        {
            char name[80];

            snprintf(name, sizeof name, "peak/%u", peaks[i]);
            CALLGRIND_DUMP_STATS_AT(name);
        }
        crowd_close(&c);
    }
}

/* ---- time ------------------------------------------------------------------------------------ */

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The best of a few laps, a join. */
static void time_case(enum shape shape, unsigned viewers)
{
    const unsigned rounds = 20000;
    double best = 0;
    struct crowd c;

    crowd_open(&c, shape, viewers);
    crowd_churn(&c, 1, rounds);
    for (unsigned lap = 0; lap < 7; lap++) {
        double begin = now_ns(), ns;

        crowd_churn(&c, 1, rounds);
        ns = (now_ns() - begin) / rounds;
        if (lap == 0 || ns < best)
            best = ns;
    }
    figure("time", best, "ns/join", "-", "%s/%uv", shape_names[shape], viewers);
    crowd_close(&c);
}

void joins_times(void)
{
    time_case(SHAPE_SAME, 1);
    for (enum shape s = SHAPE_SAME; s < SHAPES; s++)
        time_case(s, 10000);
}
