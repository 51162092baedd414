/*
 * log_check.c: what holds between any two ops. What would cost more than it finds at every step is
 * looked at in turn.
 */
#include "targets/cache/log.h"

static void check_numbers(struct log_world *w)
{
    const struct wb_group *g = w->alive;
    const struct ref_group *m = &w->model;
    uint64_t total = 7, stamp = 7;
    bool finished = wb_group_finished(g, &total), stamped = wb_group_first_timestamp(g, &stamp);

    FUZZ_CHECK(GRP_003, wb_group_sequence(g) == m->sequence);
    FUZZ_CHECK(GRP_003, wb_group_offset(g) == m->offset);
    FUZZ_CHECK(GRP_003, wb_group_next_index(g) == m->next);
    FUZZ_CHECK(GRP_003, wb_group_committed(g) == ref_group_committed(m));
    FUZZ_CHECK(GRP_004, wb_group_bytes(g) == ref_group_bytes(m));
    FUZZ_CHECK(GRP_005, finished == m->finished && (!finished || total == m->total));
    FUZZ_CHECK(GRP_005, wb_group_aborted(g) == m->reason);
    FUZZ_CHECK(GRP_005, stamped == m->has_stamp && (!stamped || stamp == m->first_stamp));
    FUZZ_CHECK(GRP_006, wb_group_billed(g) == ref_group_billed(m));
    FUZZ_CHECK(GRP_006, wb_pool_used(&w->pool) == wb_group_billed(g));
}

/* One more reader, one frame, and away again. */
static void check_next(struct log_world *w, const struct log_reader *r)
{
    uint64_t requests = w->run->alloc.requests;
    struct wb_group_reader probe;
    struct wb_group_frame frame;
    enum wb_err got;

    if (!r->on)
        return;
    wb_group_reader_clone(&probe, &r->reader);
    got = wb_group_next(&probe, &frame);
    FUZZ_CHECK(GRP_001, got == ref_group_read_status(&w->model, r->index, r->capped, r->end));
    if (got == WB_OK)
        wb_frame_reader_fini(&frame.reader);
    wb_group_reader_fini(&probe);
    FUZZ_CHECK(GRP_012, w->run->alloc.requests == requests);
}

/* Frames of the log that hold a payload of that owner. */
static uint64_t in_log(const struct log_world *w, uint32_t owner)
{
    const struct ref_group *m = &w->model;
    uint64_t n = 0;

    for (size_t i = 0; i < m->count; i++) {
        const struct ref_group_run *run = &m->runs[i];
        uint64_t gone = m->offset > run->first ? m->offset - run->first : 0;

        if (run->owner == owner && gone < run->count)
            n += run->count - gone;
    }
    return n;
}

/*
 * A payload that was added whole, or a frame that is complete and lies in one segment. One that
 * grew may have left a smaller segment behind, which only slices hold.
 */
static void check_holders(const struct log_world *w, const struct log_kept *k)
{
    const struct log_owner *o = &w->owner[k->owner];
    uint64_t holders = w->alive != NULL ? in_log(w, k->owner) : 0, kept = 0;
    bool has_frame = false, has_grown;

    if (o->end != WB_END || o->chained)
        return;
    for (size_t i = 0; i < SIM_SLOTS; i++) {
        const struct log_reader *r = &w->readers[i];

        if (r->has_frame && r->owner == k->owner) {
            has_frame = has_frame || r->frame.frame != NULL;
            holders += r->frame.frame == NULL;
        }
    }
    holders += has_frame; /* the frame's own */
    for (size_t i = 0; i < w->kept; i++)
        kept += w->keep[i].slice.owner == k->slice.owner;
    has_grown = o->opened && !o->shared && o->size > w->storage.upfront;
    FUZZ_CHECK(GRP_011, wb_slice_holders(&k->slice) == kept + holders ||
                            (has_grown && wb_slice_holders(&k->slice) == kept));
}

/* The same segment is counted once, at its first kept slice. */
static bool is_first(const struct log_world *w, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        if (w->keep[j].slice.owner == w->keep[i].slice.owner)
            return false;
    }
    return true;
}

uint64_t log_kept_bytes(const struct log_world *w)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < w->kept; i++) {
        const struct log_kept *k = &w->keep[i];

        if (is_first(w, i) &&
            (w->alive == NULL || w->owner[k->owner].opened || in_log(w, k->owner) == 0))
            bytes += wb_slice_footprint(&k->slice);
    }
    return bytes;
}

/*
 * Everything lent, while no frame object is about: the group, its log, its payloads, what readers
 * keep besides. An opened frame's segment may be kept and lie in the log: then the sum is not known
 * from here.
 */
static void check_memory(struct log_world *w)
{
    const struct ref_group *m = &w->model;
    uint64_t lent = w->group_bytes + ref_group_log(m);

    if (m->has_open || m->reason != WB_OK)
        return;
    for (size_t i = 0; i < SIM_SLOTS; i++) {
        if (w->readers[i].has_frame)
            return;
    }
    for (size_t i = 0; i < w->kept; i++) {
        if (w->owner[w->keep[i].owner].opened)
            return;
    }
    for (size_t i = 0; i < m->count; i++) {
        const struct log_owner *o = &w->owner[m->runs[i].owner];

        if (o->chained)
            return;
        if (o->size > 0 && m->runs[i].first + m->runs[i].count > m->offset)
            lent += o->footprint;
    }
    FUZZ_CHECK(GRP_007, w->run->alloc.live_bytes == lent + log_kept_bytes(w));
}

void log_check(struct log_world *w)
{
    check_numbers(w);
    for (size_t i = 0; i < SIM_SLOTS; i++)
        check_next(w, &w->readers[i]);
    check_memory(w);
    if (w->kept > 0)
        check_holders(w, &w->keep[w->turn % w->kept]);
    wb_group_check(w->alive); /* last: what it says is less exact */
    w->turn++;
}

void log_check_kept(struct log_world *w)
{
    uint64_t bytes = log_kept_bytes(w);

    if (w->kept > 0)
        sim_mark(w->run, LOG_MARK_OUTLIVED);
    FUZZ_CHECK(GRP_015, w->run->alloc.live_bytes == bytes);
    for (size_t i = 0; i < w->kept; i++) {
        uint64_t holders = 0;

        for (size_t j = 0; j < w->kept; j++)
            holders += w->keep[j].slice.owner == w->keep[i].slice.owner;
        FUZZ_CHECK(GRP_011, wb_slice_holders(&w->keep[i].slice) == holders);
    }
}
