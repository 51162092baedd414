/*
 * crowd.c: viewers that stay, and others that come and go beside them.
 */
#include "ci/bench/windows/bench.h"

#define STEP   10u     /* groups between two beginnings */
#define EXTENT 100000u /* groups that 10,000 viewers begin in */

const char *const shape_names[SHAPES] = {"same", "live", "open", "wide", "near", "random", "apart"};

static struct wb_subscription viewers[CROWD_MAX + 1], comers[CROWD_PATH];
static struct wb_subscriber bare[CROWD_PATH];

/* Numbers 0 .. below-1 without order, each once while i < below and below is 10,000. */
static uint64_t spread(uint64_t i, uint64_t below)
{
    return i * UINT64_C(2654435761) % below;
}

static struct wb_request range(uint64_t from, uint64_t length)
{
    struct wb_request r = {.kind = WB_REQUEST_RANGE, .range.start = {from, 0}};

    if (length > 0)
        r.range.end = wb_bound_at((struct wb_position){from + length, 0});
    return r;
}

/* What one asks for who begins at a group; `i` tells random lengths apart. */
static struct wb_request request_at(enum shape shape, uint64_t from, uint64_t i)
{
    switch (shape) {
    case SHAPE_SAME:
        return range(100, 0);
    case SHAPE_LIVE:
        return (struct wb_request){.kind = WB_REQUEST_LIVE};
    case SHAPE_OPEN:
        return range(from, 0);
    case SHAPE_WIDE:
        return range(from, EXTENT / 2);
    case SHAPE_NEAR:
        return range(from, STEP * STEP + 1);
    case SHAPE_RANDOM:
        return range(from, 1 + spread(7 * i + 3, EXTENT));
    case SHAPE_APART:
        return range(from, 2);
    case SHAPES:
        break;
    }
    figure_must(false, "no such shape");
    return (struct wb_request){0};
}

static void join(struct crowd *c, struct wb_subscription *s, const struct wb_request *request)
{
    const struct wb_subscription_config config = {
        .priority = 7, .ordered = true, .max_age_ns = 1000, .requests = request, .count = 1};

    figure_must(wb_subscription_init(s, counter_mem(), c->track, c->demand, &config) == WB_OK,
                "nobody can join");
}

static void observe(struct crowd *c)
{
    (void)wb_demand_changed(c->demand);
}

void crowd_open(struct crowd *c, enum shape shape, unsigned count)
{
    const struct wb_track_config config = {.max_age_ns = WB_TRACK_NO_AGE};
    struct wb_group *g;

    *c = (struct crowd){.shape = shape, .viewers = count};
    figure_must(wb_track_new(counter_mem(), &config, &c->track) == WB_OK, "no track");
    figure_must(wb_track_create(c->track, 100, 0, &g) == WB_OK, "no group");
    figure_must(wb_group_finish(g) == WB_OK, "no end");
    wb_group_drop(g);
    figure_must(wb_demand_new(counter_mem(), &c->demand) == WB_OK, "no demand");
    for (unsigned i = 0; i < count; i++) {
        const struct wb_request request =
            request_at(shape, STEP + spread(i, EXTENT / STEP) * STEP, i);

        join(c, &viewers[i], &request);
    }
    observe(c);
    /* Comers begin between two viewers, all over. */
    for (unsigned i = 0; i < CROWD_PATH; i++) {
        uint64_t beside = (uint64_t)i * count / CROWD_PATH;

        c->join[i] = request_at(shape, STEP + spread(beside, EXTENT / STEP) * STEP + STEP / 2,
                                count + 11 * (i + 1));
        wb_window_init(&c->window[i]);
        figure_must(wb_window_add(&c->window[i], counter_mem(), &c->join[i].range) == WB_OK,
                    "no window");
    }
}

void crowd_close(struct crowd *c)
{
    for (unsigned i = 0; i < c->viewers; i++)
        wb_subscription_fini(&viewers[i]);
    wb_demand_free(c->demand);
    wb_track_drop(c->track);
}

void crowd_churn(struct crowd *c, unsigned churn, unsigned rounds)
{
    unsigned at = 0;

    for (unsigned r = 0; r < rounds; r++) {
        for (unsigned i = 0; i < churn; i++)
            join(c, &comers[i], &c->join[at++ % CROWD_PATH]);
        observe(c);
        for (unsigned i = 0; i < churn; i++)
            wb_subscription_fini(&comers[i]);
        observe(c);
    }
}

void crowd_churn_bare(struct crowd *c, unsigned churn, unsigned rounds)
{
    const struct wb_wish wish = {.priority = 7, .ordered = true, .max_age_ns = 1000};
    unsigned at = 0;

    for (unsigned r = 0; r < rounds; r++) {
        for (unsigned i = 0; i < churn; i++)
            figure_must(wb_demand_join(c->demand, &bare[i], &wish, &c->window[at++ % CROWD_PATH]) ==
                            WB_OK,
                        "nobody can join");
        observe(c);
        for (unsigned i = 0; i < churn; i++)
            wb_demand_leave(c->demand, &bare[i]);
        observe(c);
    }
}

void crowd_peak(struct crowd *c, unsigned count)
{
    figure_must(c->viewers + count <= CROWD_MAX + 1, "a crowd too large");
    for (unsigned i = 0; i < count; i++) {
        const struct wb_request request = range(EXTENT + i * STEP, i % 2 == 0 ? 2 : 100);

        join(c, &viewers[c->viewers + i], &request);
    }
    observe(c);
    for (unsigned i = 0; i < count; i++)
        wb_subscription_fini(&viewers[c->viewers + i]);
    observe(c);
    observe(c);
}
