/*
 * shelf_check.c: what holds between any two ops: every group live or gone as the model says, every
 * sum the model's, every byte accounted for.
 */
#include "targets/cache/shelf.h"

static void check_log(const struct shelf_group *g)
{
    uint64_t total = 0;
    bool finished = wb_group_finished(g->core, &total);

    FUZZ_CHECK(CCH_015, wb_group_billed(g->core) == ref_group_billed(g->log));
    FUZZ_CHECK(CCH_015, wb_group_bytes(g->core) == ref_group_bytes(g->log));
    FUZZ_CHECK(CCH_015, wb_group_offset(g->core) == g->log->offset &&
                            wb_group_next_index(g->core) == g->log->next);
    FUZZ_CHECK(CCH_015, finished == g->log->finished && (!finished || total == g->log->total));
}

static void check_live(const struct shelf *s, const struct shelf_group *g, int latest)
{
    const struct wb_track *t = s->tracks[g->track].core;

    if (g->model == latest)
        FUZZ_CHECK(CCH_004, wb_track_peek(t, g->sequence) == g->core);
    FUZZ_CHECK(CCH_006, wb_track_peek(t, g->sequence) == g->core);
    check_log(g);
}

/* It ended as the model says; when that is an end by age, a wrong one is told apart. */
static void check_held(const struct shelf_group *g)
{
    enum wb_err reason = wb_group_aborted(g->core);

    FUZZ_CHECK(CCH_009, reason != WB_E_OLD || g->log->reason == WB_E_OLD);
    FUZZ_CHECK(CCH_010, reason == WB_E_OLD || g->log->reason != WB_E_OLD);
    FUZZ_CHECK(CCH_003, reason == g->log->reason);
    check_log(g);
}

/* What stands beside the bill is what the allocator lent for objects, not for payload. */
static uint64_t lent_for(const struct shelf *s, const struct shelf_group *g)
{
    uint64_t lent = s->group_bytes;
    const struct ref_group *m = g->log;

    if (m->reason != WB_OK)
        return lent;
    lent += ref_group_log(m) + ref_group_segments(m);
    if (g->open == NULL)
        return lent;
    lent += s->frame_bytes;
    if (m->written == 0)
        lent -= m->runs[m->count - 1].bill;
    return lent;
}

/* frames 4, exactly: all that is lent is billed, but for tracks and what nobody can find. */
static void check_memory(const struct shelf *s)
{
    uint64_t lent = 0, unbilled = 0;

    for (uint32_t i = 1; i <= s->groups; i++) {
        const struct shelf_group *g = &s->group[i];

        if (g->track == REF_POOL_NONE && g->holds == 0)
            continue;
        lent += lent_for(s, g);
        if (g->model == REF_POOL_NONE)
            unbilled += s->group_bytes;
    }
    for (int i = 0; i < SHELF_TRACKS; i++) {
        if (s->tracks[i].core != NULL)
            unbilled += s->track_bytes;
    }
    for (int i = 0; i < SHELF_TRACKS; i++)
        lent += s->tracks[i].core != NULL ? s->track_bytes : 0;
    FUZZ_CHECK(CCH_012, s->run->alloc.live_bytes == lent);
    FUZZ_CHECK(CCH_012, s->run->alloc.live_bytes <= wb_pool_used(&s->pool) + unbilled);
}

static void check_track(const struct shelf *s, int track)
{
    const struct wb_track *t = s->tracks[track].core;
    const struct ref_cache_track *m = &s->model.tracks[track];
    int latest = ref_cache_latest(&s->model, track);
    uint64_t number = 0, boundary = 0;
    bool has_latest = wb_track_latest(t, &number), finished = wb_track_finished(t, &boundary);

    FUZZ_CHECK(CCH_007, has_latest == (latest >= 0));
    FUZZ_CHECK(CCH_007, latest < 0 || number == s->model.groups[latest].sequence);
    FUZZ_CHECK(CCH_007, wb_track_live(t) == ref_cache_live(&s->model, track));
    FUZZ_CHECK(CCH_007, finished == m->finished && (!finished || boundary == m->boundary));
    FUZZ_CHECK(CCH_008, wb_track_arrivals(t) == m->arrivals);
}

/* A number of some group, in turn: found by the model or absent. */
static void check_absent(const struct shelf *s)
{
    const struct shelf_group *g = &s->group[s->groups == 0 ? 0 : s->turn % s->groups + 1];

    if (s->groups == 0)
        return;
    for (int i = 0; i < SHELF_TRACKS; i++) {
        if (s->tracks[i].core != NULL && ref_cache_find(&s->model, i, g->sequence) < 0)
            FUZZ_CHECK(CCH_005, wb_track_peek(s->tracks[i].core, g->sequence) == NULL);
    }
}

/* The sums of the pool, which a track's evictions hang on. */
static void check_pool(const struct shelf *s)
{
    const struct ref_pool *m = &s->model.pool;
    uint64_t sum, count, mean = 0, want = 0;
    bool has_mean = ref_pool_sum(m, &sum, &count);

    FUZZ_CHECK(CCH_002, wb_pool_used(&s->pool) == ref_pool_used(m));
    FUZZ_CHECK(CCH_002, s->pool.entries == ref_pool_live(m));
    FUZZ_CHECK(POL_003, s->pool.access_sum == sum && s->pool.access_count == count);
    FUZZ_CHECK(POL_002, wb_pool_mean(&s->pool, &mean) == has_mean);
    FUZZ_CHECK(POL_002, !has_mean || (ref_pool_mean(m, &want) && mean == want));
}

void shelf_check(struct shelf *s)
{
    uint64_t requests = s->run->alloc.requests;
    int latest[SHELF_TRACKS];

    for (int i = 0; i < SHELF_TRACKS; i++)
        latest[i] = s->tracks[i].core == NULL ? REF_POOL_NONE : ref_cache_latest(&s->model, i);
    for (uint32_t i = 1; i <= s->groups; i++) {
        const struct shelf_group *g = &s->group[i];

        if (g->track != REF_POOL_NONE)
            check_live(s, g, latest[g->track]);
        if (g->holds > 0)
            check_held(g);
    }
    check_absent(s);
    for (int i = 0; i < SHELF_TRACKS; i++) {
        if (s->tracks[i].core != NULL)
            check_track(s, i);
    }
    check_pool(s);
    check_memory(s);
    if (s->tracks[s->turn % SHELF_TRACKS].core != NULL) /* last: what it says is less exact */
        wb_track_check(s->tracks[s->turn % SHELF_TRACKS].core);
    FUZZ_CHECK(CCH_014, s->run->alloc.requests == requests);
    s->turn++;
}
