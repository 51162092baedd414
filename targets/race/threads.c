/*
 * threads.c: what the threads do, and a race from its setting up to its last reference.
 */
#include "targets/race/world.h"

#include "core/base/atomic.h"

#include <inttypes.h>

/* ---- the writer ------------------------------------------------------------------------------ */

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void fill(uint8_t *to, uint64_t at, uint64_t len)
{
    for (uint64_t i = 0; i < len; i++)
        to[i] = race_byte(at + i);
}

static enum wb_err give(struct race_world *w, uint64_t len)
{
    struct wb_slice slice;
    uint8_t *bytes;
    enum wb_err err;

    WB_TRY(wb_slice_new(sim_race_mem(w->race), (size_t)len, &slice, &bytes));
    fill(bytes, w->published, len);
    WB_RACE_WROTE(bytes, len);
    err = wb_frame_write_slice(w->frame, w->published, &slice);
    if (err != WB_OK)
        wb_slice_drop(&slice);
    return err;
}

static void do_write(struct race_world *w, const struct race_step *s)
{
    uint64_t len = smaller(s->arg, w->size - w->published);
    uint64_t back = s->op == RACE_WRITE ? smaller(s->flags, w->published) : 0;
    uint8_t bytes[RACE_SIZE_MAX];
    enum wb_err err;

    if (w->ended != WB_OK)
        return;
    fill(bytes, w->published - back, back + len);
    w->offered = w->published + len;
    if (s->op == RACE_GIVE)
        err = give(w, len);
    else
        err =
            wb_frame_write(w->frame, w->published - back, wb_view_of(bytes, (size_t)(back + len)));
    if (err != WB_OK) {
        FUZZ_CHECK(FRM_029, err == WB_E_NOMEM);
        w->offered = w->published;
        w->outcome = err;
        sim_mark(w->run, RACE_MARK_REFUSED);
    }
}

static void do_end(struct race_world *w, enum wb_err reason)
{
    if (w->ended != WB_OK || (reason == WB_END && w->published < w->size))
        return;
    w->ending = reason;
    if (reason == WB_END)
        FUZZ_CHECK(FRM_029, wb_frame_finish(w->frame) == WB_OK);
    else
        wb_frame_abort(w->frame, reason);
}

static bool is_any_inside(const struct race_world *w)
{
    for (size_t i = 0; i < RACE_READERS; i++) {
        if (w->readers[i].is_inside)
            return true;
    }
    return false;
}

static size_t superseded(struct race_world *w)
{
    size_t n;

    sim_race_hide(w->race);
    n = wb_frame_superseded(w->frame);
    sim_race_show(w->race);
    return n;
}

static void write_step(struct race_world *w, const struct race_step *s)
{
    size_t before = superseded(w), after;
    uint64_t entered = w->entered;
    bool is_alone = !is_any_inside(w) && w->ended == WB_OK;

    w->writer_inside = true;
    if (s->op == RACE_WRITE || s->op == RACE_GIVE)
        do_write(w, s);
    else
        do_end(w, s->op == RACE_FINISH ? WB_END : WB_E_REMOTE);
    sim_race_wake(w->race); /* from here on a reader must see it */
    w->published = w->offered;
    w->ended = w->ending;
    w->writer_inside = false;
    after = superseded(w);
    is_alone = is_alone && entered == w->entered;
    /* A call that replaces a segment, or ends the frame, looks at the pins. */
    FUZZ_CHECK(FRM_030, !is_alone || after == 0 || (after == before && w->ended == WB_OK));
    if (after > before)
        sim_mark(w->run, RACE_MARK_PINNED);
}

void race_write_thread(void *arg, unsigned self)
{
    static const struct race_step last = {.op = RACE_ABORT};
    struct race_world *w = arg;

    (void)self;
    for (size_t i = 0; i < w->writer.count; i++) {
        write_step(w, &w->writer.steps[i]);
        sim_race_point(w->race);
    }
    if (w->ended == WB_OK)
        write_step(w, &last);
    sim_race_hide(w->race);
    w->kind = wb_frame_kind(w->frame);
    sim_race_show(w->race);
    w->writer_inside = true;
    wb_frame_drop(w->frame);
    w->frame = NULL;
    sim_race_settle(w->race);
    w->writer_inside = false;
}

/* ---- a reader -------------------------------------------------------------------------------- */

/* The call is over when all that it did can be seen. */
static void come_back(struct race_world *w, struct race_reader *r)
{
    sim_race_settle(w->race);
    r->is_inside = false;
}

static void keep(struct race_reader *r, const struct wb_slice *slice, uint64_t at)
{
    r->kept[r->kept_count++] = (struct race_kept){.slice = *slice, .at = at};
}

/* Gives back the oldest that it kept. */
static void drop_kept(struct race_world *w, struct race_reader *r, size_t n)
{
    while (n-- > 0 && r->kept_count > 0) {
        struct race_kept k = r->kept[0];

        for (size_t i = 1; i < r->kept_count; i++)
            r->kept[i - 1] = r->kept[i];
        r->kept_count--;
        race_judge_slice(&k);
        if (w->frame == NULL)
            sim_mark(w->run, RACE_MARK_OUTLIVED);
        r->is_inside = true;
        wb_slice_drop(&k.slice);
        come_back(w, r);
        sim_race_point(w->race);
    }
}

static enum wb_err read_once(struct race_world *w, struct race_reader *r, bool is_kept)
{
    struct wb_slice got = {0};
    uint64_t published, at = r->at;
    enum wb_err err;
    bool is_crossed;

    if (r->kept_count == RACE_KEPT)
        drop_kept(w, r, 1);
    published = w->published;
    is_crossed = w->writer_inside;
    w->entered++;
    r->is_inside = true;
    err = wb_frame_read(&r->reader, &got);
    sim_race_settle(w->race);
    is_crossed = is_crossed || w->writer_inside;
    if (is_crossed && err == WB_OK)
        sim_mark(w->run, RACE_MARK_CROSSED);
    race_judge_read(w, r, err, &got, published);
    if (err == WB_OK) {
        keep(r, &got, at);
        r->is_inside = false;
        if (!is_kept)
            drop_kept(w, r, r->kept_count);
    }
    r->is_inside = false;
    sim_race_point(w->race);
    return err;
}

static void read_times(struct race_world *w, struct race_reader *r, const struct race_step *s)
{
    uint64_t times = s->arg == 0 && s->op == RACE_READ ? UINT64_MAX : s->arg;

    if (r->has_left)
        return;
    if (!r->has_joined) {
        r->is_inside = true;
        wb_frame_reader_init(&r->reader, r->frame);
        come_back(w, r);
        r->has_joined = true;
    }
    while (times > 0) {
        uint64_t seen = sim_race_wakes(w->race);
        enum wb_err err = read_once(w, r, (s->flags & 1) != 0);

        if (err == WB_MORE && s->op == RACE_READ) {
            sim_mark(w->run, RACE_MARK_WAITED);
            sim_race_wait(w->race, seen);
            continue;
        }
        if (err != WB_OK && err != WB_MORE)
            break;
        times--;
    }
}

static void take_payload(struct race_world *w, struct race_reader *r)
{
    struct wb_slice all = {0};
    bool has_all;

    if (r->has_left)
        return;
    if (r->kept_count == RACE_KEPT)
        drop_kept(w, r, 1);
    r->is_inside = true;
    has_all = wb_frame_payload(r->frame, &all);
    sim_race_settle(w->race);
    FUZZ_CHECK(FRM_028, !has_all || (w->ending == WB_END && all.view.len == w->size));
    if (all.view.len > 0)
        keep(r, &all, 0);
    r->is_inside = false;
    if (all.view.len == 0)
        return;
    WB_RACE_READ(all.view.data, all.view.len);
    race_judge_slice(&r->kept[r->kept_count - 1]);
}

static void ask(struct race_world *w, struct race_reader *r)
{
    uint64_t published = w->published, written;

    if (r->has_left)
        return;
    r->is_inside = true;
    written = wb_frame_written(r->frame);
    FUZZ_CHECK(FRM_028, written >= published);
    FUZZ_CHECK(FRM_028, written <= w->offered);
    FUZZ_CHECK(FRM_028, wb_frame_kind(r->frame) != WB_FRAME_EMPTY || published == 0);
    come_back(w, r);
}

static void leave(struct race_world *w, struct race_reader *r)
{
    if (r->has_left)
        return;
    r->has_left = true;
    r->is_inside = true;
    if (r->has_joined)
        wb_frame_reader_fini(&r->reader);
    wb_frame_drop(r->frame);
    come_back(w, r);
    sim_race_point(w->race);
}

static void read_step(struct race_world *w, struct race_reader *r, const struct race_step *s)
{
    if (s->op == RACE_READ || s->op == RACE_POLL)
        read_times(w, r, s);
    else if (s->op == RACE_DROP)
        drop_kept(w, r, s->arg == 0 ? r->kept_count : s->arg);
    else if (s->op == RACE_PAYLOAD)
        take_payload(w, r);
    else if (s->op == RACE_ASK)
        ask(w, r);
    else
        leave(w, r);
}

void race_read_thread(void *arg, unsigned self)
{
    struct race_world *w = arg;
    struct race_reader *r = &w->readers[self - 2];

    for (size_t i = 0; i < r->program.count; i++) {
        read_step(w, r, &r->program.steps[i]);
        sim_race_point(w->race);
    }
    leave(w, r);
    drop_kept(w, r, r->kept_count);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void tell(struct race_world *w)
{
    static const char *const kinds[] = {"empty", "shared", "fixed", "growing", "chain"};

    sim_run_story(w->run, "%s %" PRIu64 " of %" PRIu64 ", %s", kinds[w->kind], w->published,
                  w->size, wb_err_name((int)w->ended));
    for (size_t i = 0; i < RACE_READERS; i++) {
        const struct race_reader *r = &w->readers[i];

        if (!r->program.is_there)
            continue;
        sim_run_story(w->run, "; s%zu %" PRIu64 " in %" PRIu64 " reads, %s", i + 1, r->at, r->reads,
                      wb_err_name((int)r->last));
        sim_run_note(w->run, r->at << 32 | r->reads << 8 | (uint64_t)r->last);
    }
    if (w->outcome == WB_OK && w->ended != WB_END)
        w->outcome = w->ended;
    sim_run_outcome(w->run, w->outcome);
    if (w->kind == WB_FRAME_CHAIN)
        sim_mark(w->run, RACE_MARK_CHAINED);
    if (w->kind == WB_FRAME_SHARED)
        sim_mark(w->run, RACE_MARK_SHARED);
    if (w->limits.cost->freed > 0)
        sim_mark(w->run, RACE_MARK_GREW);
}

/* One thread for each slot up to the last that has a program, so that thread n + 1 is slot n. */
static void spawn_all(struct race_world *w)
{
    size_t count = RACE_READERS;

    while (count > 0 && !w->readers[count - 1].program.is_there)
        count--;
    (void)sim_race_spawn(w->race, race_write_thread, w);
    for (size_t i = 0; i < count; i++) {
        w->readers[i].frame = wb_frame_share(w->frame);
        (void)sim_race_spawn(w->race, race_read_thread, w);
    }
}

void race_play(struct race_world *w)
{
    static const struct sim_race_calls calls = {
        .pick = race_pick, .hold = race_hold, .fault = race_fault, .look = race_look};
    struct wb_frame_cost cost = {0};

    if (w->fail_at > 0)
        sim_alloc_fail_next(&w->run->alloc, w->fail_at);
    w->race = sim_race_begin(sim_run_mem(w->run), &w->run->trace, &calls, w);
    w->limits.cost = &cost;
    w->outcome = wb_frame_new(sim_race_mem(w->race), &w->limits, w->size, &w->frame);
    if (w->outcome == WB_OK) {
        spawn_all(w);
        sim_race_run(w->race);
        tell(w);
    } else {
        sim_mark(w->run, RACE_MARK_REFUSED);
        sim_run_outcome(w->run, w->outcome);
    }
    sim_race_end(w->race);
    FUZZ_CHECK(FRM_031, w->run->alloc.live_blocks == 0);
}
