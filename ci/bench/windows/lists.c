/*
 * lists.c: windows of 1, 8 and 1,000 runs: one range added, and unions.
 */
#include "ci/bench/windows/bench.h"

#include <stdio.h>
#include <valgrind/callgrind.h>

static const unsigned sizes[] = {1, 8, 1000};

/* `count` runs of two groups, `step` apart, from a group on. */
static void fill(struct wb_window *w, unsigned count, uint64_t from, uint64_t step)
{
    wb_window_init(w);
    for (unsigned i = 0; i < count; i++) {
        const struct wb_range range = {{from + i * step, 0}, {true, {from + i * step + 2, 0}}};

        figure_must(wb_window_add(w, counter_mem(), &range) == WB_OK, "no window");
    }
}

/* In the middle: a run of its own, one that joins two, one that swallows eight. */
static struct wb_range change(unsigned kind, unsigned runs)
{
    uint64_t at = runs / 2 * 10;

    switch (kind) {
    case 0:
        return (struct wb_range){{at + 4, 0}, {true, {at + 6, 0}}};
    case 1:
        return (struct wb_range){{at + 2, 0}, {true, {at + 10, 0}}};
    default:
        return (struct wb_range){{at, 0}, {true, {at + 80, 0}}};
    }
}

static const char *const kinds[] = {"insert", "join", "swallow"};

static unsigned log2_of(unsigned n)
{
    unsigned bits = 0;

    for (; n > 0; n /= 2)
        bits++;
    return bits;
}

static void judge(const char *name, struct wb_cost before, unsigned compared_max,
                  unsigned moved_max)
{
    char bar[24];

#ifdef WB_COUNTED
    snprintf(bar, sizeof bar, "<=%u", compared_max);
    figure("compared", (double)(wb_cost.positions_compared - before.positions_compared),
           "positions", bar, "%s", name);
    snprintf(bar, sizeof bar, "<=%u", moved_max);
    figure("moved", (double)(wb_cost.bytes_moved - before.bytes_moved), "bytes", bar, "%s", name);
#else
    (void)bar, (void)name, (void)before, (void)compared_max, (void)moved_max;
#endif
}

static struct wb_cost cost_now(void)
{
#ifdef WB_COUNTED
    return wb_cost;
#else
    return (struct wb_cost){0};
#endif
}

static void add_costs(unsigned runs, unsigned kind)
{
    const struct wb_range range = change(kind, runs);
    struct wb_window w;
    struct wb_cost before;
    char name[60];

    fill(&w, runs, 0, 10);
    snprintf(name, sizeof name, "add/%u-runs/%s", runs, kinds[kind]);
    before = cost_now();
    figure_must(wb_window_add(&w, counter_mem(), &range) == WB_OK, "no window");
    judge(name, before, 2 * log2_of(runs) + 4, 32 * (runs + 1));
    wb_window_fini(&w, counter_mem());
}

/* With `others` runs that each lie in a gap of the larger: all of them are new. */
static void union_costs(unsigned runs, unsigned others)
{
    unsigned few = runs < others ? runs : others, many = runs < others ? others : runs;
    struct wb_window a, b;
    struct wb_cost before;
    char name[60];

    fill(&a, runs, 0, 10);
    fill(&b, others, 4, 10 * (many / others > 0 ? many / others : 1));
    snprintf(name, sizeof name, "union/%u-runs/%u-runs", runs, others);
    before = cost_now();
    figure_must(wb_window_union(&a, counter_mem(), &b) == WB_OK, "no window");
    judge(name, before, 2 * few * (2 * log2_of(many) + 4), 32 * (runs + others));
    wb_window_fini(&a, counter_mem());
    wb_window_fini(&b, counter_mem());
}

void lists_costs(void)
{
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned kind = 0; kind < 3; kind++)
            add_costs(sizes[i], kind);
        for (unsigned k = 0; k < 3; k++)
            union_costs(sizes[i], sizes[k]);
    }
}

void lists_instructions(void)
{
    for (unsigned i = 0; i < 3; i++)
        for (unsigned kind = 0; kind < 3; kind++) {
            const struct wb_range range = change(kind, sizes[i]);
            struct wb_window w;
            char name[60];

            fill(&w, sizes[i], 0, 10);
            snprintf(name, sizeof name, "add/%u-runs/%s", sizes[i], kinds[kind]);
            CALLGRIND_ZERO_STATS;
            CALLGRIND_TOGGLE_COLLECT;
            figure_must(wb_window_add(&w, counter_mem(), &range) == WB_OK, "no window");
            CALLGRIND_TOGGLE_COLLECT;
            CALLGRIND_DUMP_STATS_AT(name);
            wb_window_fini(&w, counter_mem());
        }
}
