/*
 * ref_cache.c: moq-lite 3.4, sentence by sentence: each question walks all groups.
 */
#include "oracles/ref_cache.h"

void ref_cache_init(struct ref_cache *c, uint64_t capacity)
{
    ref_pool_init(&c->pool, capacity);
    for (int i = 0; i < REF_CACHE_TRACKS; i++)
        c->tracks[i] = (struct ref_cache_track){0};
}

void ref_cache_open(struct ref_cache *c, int track, uint64_t max_age_ns)
{
    c->tracks[track] = (struct ref_cache_track){.exists = true, .max_age_ns = max_age_ns};
    c->pool.accounts[track] = (struct ref_pool_account){0};
}

static bool is_of(const struct ref_cache *c, size_t group, int track)
{
    return c->pool.entries[group].live && c->groups[group].track == track;
}

int ref_cache_find(const struct ref_cache *c, int track, uint64_t sequence)
{
    for (size_t i = 0; i < c->pool.count; i++) {
        if (is_of(c, i, track) && c->groups[i].sequence == sequence)
            return (int)i;
    }
    return REF_POOL_NONE;
}

/* A live number is taken; at and past the boundary there is nothing; after an abort neither. */
enum wb_err ref_cache_create_status(const struct ref_cache *c, int track, uint64_t sequence)
{
    if (ref_cache_find(c, track, sequence) >= 0)
        return WB_E_DUPLICATE;
    return ref_cache_take_status(c, track, sequence);
}

enum wb_err ref_cache_append_status(const struct ref_cache *c, int track, uint64_t *out)
{
    const struct ref_cache_track *t = &c->tracks[track];

    *out = t->has_used ? t->highest + 1 : 0;
    if (t->has_used && t->highest == UINT64_MAX)
        return WB_E_BOUNDS;
    return ref_cache_create_status(c, track, *out);
}

enum wb_err ref_cache_take_status(const struct ref_cache *c, int track, uint64_t sequence)
{
    const struct ref_cache_track *t = &c->tracks[track];

    return t->finished && sequence >= t->boundary ? WB_E_FINISHED : t->reason;
}

/* One past the highest number used, as far as numbers reach. */
enum wb_err ref_cache_finish_status(const struct ref_cache *c, int track, uint64_t *out)
{
    const struct ref_cache_track *t = &c->tracks[track];

    *out = !t->has_used ? 0 : t->highest == UINT64_MAX ? UINT64_MAX : t->highest + 1;
    return t->finished ? WB_E_FINISHED : t->reason;
}

enum wb_err ref_cache_finish_at_status(const struct ref_cache *c, int track, uint64_t boundary)
{
    const struct ref_cache_track *t = &c->tracks[track];

    if (t->finished)
        return WB_E_FINISHED;
    if (t->reason != WB_OK)
        return t->reason;
    return t->has_used && t->highest >= boundary ? WB_E_BOUNDS : WB_OK;
}

static uint64_t tick_of(uint64_t now_ns)
{
    return now_ns / REF_CACHE_TICK_NS;
}

/* All but the highest live group may be evicted; one that is not yet in the order neither. */
static void supersede(struct ref_cache *c, int track)
{
    int latest = ref_cache_latest(c, track);

    for (size_t i = 0; i < c->pool.count; i++) {
        if (is_of(c, i, track))
            c->pool.entries[i].evictable =
                (int)i != latest && c->pool.entries[i].account != REF_POOL_NONE;
    }
}

int ref_cache_insert(struct ref_cache *c, int track, uint64_t sequence, bool arrives,
                     uint64_t now_ns, struct ref_pool_settle *out)
{
    struct ref_cache_track *t = &c->tracks[track];
    int group = ref_pool_add(&c->pool, REF_CACHE_OVERHEAD);

    if (group < 0)
        return group;
    c->groups[group] = (struct ref_cache_group){.track = track,
                                                .sequence = sequence,
                                                .arrived = arrives,
                                                .touched_ns = now_ns,
                                                .told = REF_CACHE_OVERHEAD};
    if (arrives)
        c->groups[group].arrival = t->arrivals++;
    ref_pool_stamp(&c->pool, group, tick_of(now_ns));
    ref_cache_take(c, track, sequence);
    supersede(c, track);
    (void)ref_pool_wrote(&c->pool, track, REF_CACHE_OVERHEAD);
    ref_pool_settle_begin(&c->pool, out, track);
    return group;
}

void ref_cache_join(struct ref_cache *c, int group)
{
    ref_pool_enter(&c->pool, group, c->groups[group].track);
    supersede(c, c->groups[group].track);
}

void ref_cache_take(struct ref_cache *c, int track, uint64_t sequence)
{
    struct ref_cache_track *t = &c->tracks[track];

    if (!t->has_used || sequence > t->highest)
        t->highest = sequence;
    t->has_used = true;
}

void ref_cache_finish(struct ref_cache *c, int track, uint64_t boundary)
{
    c->tracks[track].finished = true;
    c->tracks[track].boundary = boundary;
}

bool ref_cache_wrote(struct ref_cache *c, int group, uint64_t bytes, uint64_t now_ns,
                     struct ref_pool_settle *out)
{
    int track = c->groups[group].track;
    uint64_t billed = c->pool.entries[group].billed, told = c->groups[group].told;
    bool is_due;

    if (billed > told && billed - told > bytes)
        bytes = billed - told;
    c->groups[group].told = billed;
    is_due = ref_pool_wrote(&c->pool, track, bytes);
    ref_pool_stamp(&c->pool, group, tick_of(now_ns) + 1);
    c->groups[group].touched_ns = now_ns;
    if (is_due)
        ref_pool_settle_begin(&c->pool, out, track);
    return is_due;
}

int ref_cache_victim(struct ref_cache *c, struct ref_pool_settle *s)
{
    int victim = ref_pool_settle_next(&c->pool, s);

    if (victim >= 0)
        ref_cache_gone(c, victim);
    return victim;
}

static bool is_old(const struct ref_cache *c, int group, uint64_t now_ns)
{
    uint64_t age = c->tracks[c->groups[group].track].max_age_ns;
    uint64_t touched = c->groups[group].touched_ns;

    return age != REF_CACHE_NO_AGE && now_ns > touched && now_ns - touched > age;
}

size_t ref_cache_expire(struct ref_cache *c, int track, uint64_t now_ns, int out[REF_CACHE_LOOKS])
{
    struct ref_cache_track *t = &c->tracks[track];
    uint64_t live = ref_cache_live(c, track);
    size_t count = 0;

    for (uint64_t i = 0; i < live && i < REF_CACHE_LOOKS; i++) {
        int at = REF_POOL_NONE;

        if (t->has_looked)
            at = ref_cache_above(c, track, t->looked, false);
        if (at < 0)
            at = ref_cache_above(c, track, 0, true);
        t->has_looked = true;
        t->looked = c->groups[at].sequence;
        if (at != ref_cache_latest(c, track) && is_old(c, at, now_ns)) {
            ref_cache_gone(c, at);
            out[count++] = at;
        }
    }
    return count;
}

void ref_cache_fetched(struct ref_cache *c, int group, uint64_t now_ns)
{
    ref_pool_stamp(&c->pool, group, tick_of(now_ns) + 2);
    c->groups[group].touched_ns = now_ns;
}

/* When it was the latest, the one below is. */
void ref_cache_gone(struct ref_cache *c, int group)
{
    ref_pool_clear(&c->pool, group);
    if (c->groups[group].track >= 0)
        supersede(c, c->groups[group].track);
    c->groups[group].track = REF_POOL_NONE;
}

void ref_cache_close(struct ref_cache *c, int track, const bool *is_held)
{
    for (size_t i = 0; i < c->pool.count; i++) {
        if (!is_of(c, i, track))
            continue;
        c->groups[i].track = REF_POOL_NONE;
        c->pool.entries[i].evictable = false;
        ref_pool_leave(&c->pool, (int)i);
        if (!is_held[i])
            ref_pool_clear(&c->pool, (int)i);
    }
    c->tracks[track].exists = false;
}

uint64_t ref_cache_live(const struct ref_cache *c, int track)
{
    uint64_t n = 0;

    for (size_t i = 0; i < c->pool.count; i++)
        n += is_of(c, i, track);
    return n;
}

int ref_cache_latest(const struct ref_cache *c, int track)
{
    int best = REF_POOL_NONE;

    for (size_t i = 0; i < c->pool.count; i++) {
        if (is_of(c, i, track) && (best < 0 || c->groups[i].sequence > c->groups[best].sequence))
            best = (int)i;
    }
    return best;
}

int ref_cache_above(const struct ref_cache *c, int track, uint64_t sequence, bool at_or_above)
{
    int best = REF_POOL_NONE;

    for (size_t i = 0; i < c->pool.count; i++) {
        uint64_t here = c->groups[i].sequence;

        if (is_of(c, i, track) && (here > sequence || (at_or_above && here == sequence)) &&
            (best < 0 || here < c->groups[best].sequence))
            best = (int)i;
    }
    return best;
}

int ref_cache_arrival(const struct ref_cache *c, int track, uint64_t arrival)
{
    int best = REF_POOL_NONE;

    for (size_t i = 0; i < c->pool.count; i++) {
        const struct ref_cache_group *g = &c->groups[i];

        if (is_of(c, i, track) && g->arrived && g->arrival >= arrival &&
            (best < 0 || g->arrival < c->groups[best].arrival))
            best = (int)i;
    }
    return best;
}
