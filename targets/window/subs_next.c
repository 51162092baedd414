/*
 * subs_next.c: what subscribers are given: deliveries and drops, the end, frames.
 */
#include "targets/window/subs.h"

#include <inttypes.h>

void subs_reader_close(struct subs_slot *s)
{
    if (s->reader.on)
        wb_group_reader_fini(&s->reader.reader);
    s->reader.on = false;
}

/* A group that was given: that it may be, whatever the model says, before the model is asked. */
static void check_given(const struct subs *w, const struct subs_slot *s,
                        const struct wb_delivery *d)
{
    FUZZ_CHECK(SUB_001, !ref_sub_is_done(&s->model, d->sequence));
    if (d->kind == WB_DELIVER_GROUP)
        FUZZ_CHECK(SUB_002, ref_sub_view(&s->model, d->sequence) == REF_SUB_WANTED);
    (void)w;
}

static void mark_given(struct subs *w, struct subs_slot *s, const struct ref_sub_next *want,
                       bool was_parked)
{
    uint64_t sequence = w->model.groups[want->group].sequence;

    if (want->reason == WB_OK)
        sim_mark(w->run, SUBS_MARK_DELIVERED);
    else if (w->model.groups[want->group].live)
        sim_mark(w->run, SUBS_MARK_OLD);
    else
        sim_mark(w->run, SUBS_MARK_PARKED_GONE);
    if (was_parked && w->model.groups[want->group].live)
        sim_mark(w->run, SUBS_MARK_UNPARKED);
    if (s->was_passed[want->group])
        sim_mark(w->run, SUBS_MARK_SEEN_AGAIN);
    if (s->has_given && sequence < s->highest_given)
        sim_mark(w->run, SUBS_MARK_LATE);
    if (!s->has_given || sequence > s->highest_given)
        s->highest_given = sequence;
    s->has_given = true;
}

/* The reader has the frames from `first` to `last`; it becomes the slot's. */
static void take_reader(struct subs *w, struct subs_slot *s, const struct ref_sub_next *want,
                        struct wb_delivery *d)
{
    uint64_t end = d->reader.capped ? d->reader.end : UINT64_MAX;

    FUZZ_CHECK(SUB_005, d->reader.group == w->groups[want->group].core);
    FUZZ_CHECK(SUB_005, d->reader.index == want->first && end == want->last);
    if (want->first > w->model.groups[want->group].first_kept || want->last < UINT64_MAX)
        sim_mark(w->run, SUBS_MARK_CUT);
    subs_reader_close(s);
    s->reader.on = true;
    s->reader.reader = d->reader;
    s->reader.group = want->group;
    s->reader.index = want->first;
    s->reader.end = want->last;
}

static void check_delivery(struct subs *w, struct subs_slot *s, const struct ref_sub_next *want,
                           struct wb_delivery *d)
{
    uint64_t sequence = w->model.groups[want->group].sequence;

    FUZZ_CHECK(SUB_003, d->sequence == sequence);
    FUZZ_CHECK(SUB_004, d->reason == want->reason);
    FUZZ_CHECK(SUB_004, (d->kind == WB_DELIVER_DROPPED) == (want->reason != WB_OK));
    if (d->kind == WB_DELIVER_GROUP)
        take_reader(w, s, want, d);
    sim_run_story(w->run, d->kind == WB_DELIVER_GROUP ? " %" PRIu64 : " !%" PRIu64, sequence);
}

static void mark_nothing(struct subs *w, const struct subs_slot *s, const struct ref_sub_next *want)
{
    if (want->status == WB_END)
        sim_mark(w->run, SUBS_MARK_ENDED);
    if (want->status != WB_MORE)
        return;
    if (ref_sub_parked(&s->model) > 0)
        sim_mark(w->run, w->model.finished ? SUBS_MARK_END_PARKED : SUBS_MARK_PARKED);
    if (w->model.finished && w->model.boundary > 0 &&
        (!w->model.has_highest || w->model.highest < w->model.boundary - 1))
        sim_mark(w->run, SUBS_MARK_TO_COME);
    for (size_t i = 0; i < w->model.count; i++) {
        if (w->model.groups[i].live && w->model.groups[i].arrived &&
            ref_sub_waits(&s->model, &w->model.groups[i]))
            sim_mark(w->run, SUBS_MARK_WAITS);
    }
}

/* What a look taught: the places of a time range, the live edge. */
static void mark_learned(struct subs *w, const struct subs_slot *s)
{
    for (size_t i = 0; i < s->model.asked.count; i++) {
        if (s->model.asked.requests[i].begin > 0 || s->model.asked.requests[i].has_end)
            sim_mark(w->run, SUBS_MARK_LEARNED);
    }
    if (s->model.wants_live && s->model.has_live && s->model.live_from == 0)
        sim_mark(w->run, SUBS_MARK_EDGE_LATER);
}

/* A parked group that waits to be judged keeps those above it waiting. */
static bool is_held(const struct subs *w, const struct subs_slot *s, size_t group)
{
    for (size_t i = 0; i < w->model.count && s->model.place[group] == REF_SUB_PARKED; i++) {
        if (s->model.place[i] == REF_SUB_PARKED &&
            w->model.groups[i].sequence < w->model.groups[group].sequence &&
            ref_sub_waits(&s->model, &w->model.groups[i]))
            return true;
    }
    return false;
}

/* Asked when nothing more is said: no arrival that is wanted was left out. */
static void check_rest(const struct subs *w, const struct subs_slot *s)
{
    for (size_t i = 0; i < w->model.count; i++) {
        const struct ref_sub_group *g = &w->model.groups[i];

        if (!g->live || !g->arrived || ref_sub_waits(&s->model, g) || is_held(w, s, i))
            continue;
        if (ref_sub_is_remembered(&s->model, g->sequence) &&
            !ref_sub_is_done(&s->model, g->sequence))
            sim_mark(w->run, SUBS_MARK_CLOSED);
        FUZZ_CHECK(SUB_008, ref_sub_is_remembered(&s->model, g->sequence) ||
                                ref_sub_view(&s->model, g->sequence) != REF_SUB_WANTED ||
                                wb_track_peek(w->track, g->sequence) == NULL);
    }
}

/* Asked when it is told to wait: there is something that it can wait for. */
static void check_wait(const struct subs *w, const struct subs_slot *s)
{
    const struct ref_sub_track *t = &w->model;

    if (wb_subscription_parked(&s->core) > 0 || !t->finished ||
        (t->boundary > 0 && (!t->has_highest || t->highest < t->boundary - 1)))
        return;
    for (size_t i = 0; i < t->count; i++) {
        const struct ref_sub_group *g = &t->groups[i];

        if (g->live && g->arrived && !g->has_first && !w->groups[i].finished)
            return;
    }
    FUZZ_CHECK(SUB_021, false);
}

/* All that was given is remembered, in no more runs than it has neighbours missing above. */
static void check_remembered(const struct subs_slot *s)
{
    const struct wb_window *done = wb_subscription_done(&s->core);
    size_t limit = s->model.done_max, most = 0, count;

    for (size_t i = 0; i < s->model.done_count; i++) {
        uint64_t sequence = s->model.done[i];

        most += sequence == UINT64_MAX || !ref_sub_is_done(&s->model, sequence + 1);
        FUZZ_CHECK(SUB_023, wb_window_contains(done, (struct wb_position){sequence, 0}));
    }
    (void)wb_window_runs(done, &count);
    FUZZ_CHECK(SUB_023, count <= most && count <= limit);
}

/* What the model knew before a look. */
struct known {
    struct ref_sub_request requests[REF_SUB_REQUESTS];
    bool has_live;
    size_t over, parked;
    uint64_t allocations, refused;
};

static size_t count_over(const struct subs *w, const struct subs_slot *s)
{
    size_t over = 0;

    for (size_t i = 0; i < w->model.count; i++)
        over += s->model.place[i] == REF_SUB_TOLD || s->model.place[i] == REF_SUB_OVER;
    return over;
}

static void know(const struct subs *w, const struct subs_slot *s, struct known *out)
{
    for (size_t i = 0; i < s->model.asked.count; i++)
        out->requests[i] = s->model.asked.requests[i];
    out->has_live = s->model.has_live;
    out->over = count_over(w, s);
    out->parked = ref_sub_parked(&s->model);
    out->allocations = w->run->alloc.requests;
    out->refused = w->run->alloc.refused;
}

/* A look that found nothing and learned nothing is free. */
static void check_idle(const struct subs *w, const struct subs_slot *s, const struct known *before)
{
    bool has_learned = s->model.has_live != before->has_live;

    for (size_t i = 0; i < s->model.asked.count; i++) {
        const struct ref_sub_request *r = &s->model.asked.requests[i], *old = &before->requests[i];

        has_learned = has_learned || r->begin != old->begin || r->has_end != old->has_end ||
                      r->end != old->end;
    }
    if (has_learned || count_over(w, s) != before->over ||
        ref_sub_parked(&s->model) != before->parked || w->run->alloc.refused != before->refused)
        return;
    FUZZ_CHECK(SUB_020, w->run->alloc.requests == before->allocations);
}

/* One call of next; a refused one is repeated, and says then what it would have said. */
static enum wb_err next(struct subs *w, size_t slot)
{
    struct subs_slot *s = &w->slots[slot];
    enum ref_sub_place before[REF_SUB_GROUPS];
    struct wb_delivery d = {.sequence = 7};
    struct ref_sub_next want;
    struct known known;
    uint64_t refused;
    enum wb_err err;

    know(w, s, &known);
    for (;;) {
        refused = w->run->alloc.refused;
        err = wb_subscription_next(&s->core, w->now_ns, &d);
        if (!subs_was_refused(w, refused))
            break;
        FUZZ_CHECK(SUB_015, err == WB_E_NOMEM && d.sequence == 7);
        subs_ended(w, err);
    }
    FUZZ_CHECK(SUB_015, err != WB_E_NOMEM);
    for (size_t i = 0; i < w->model.count; i++)
        before[i] = s->model.place[i];
    if (err == WB_OK)
        FUZZ_CHECK(SUB_001, !ref_sub_is_done(&s->model, d.sequence));
    if (err == WB_MORE)
        check_wait(w, s);
    (void)ref_sub_next(&s->model, &w->model, w->now_ns, false);
    if (err == WB_OK)
        check_given(w, s, &d);
    else if (err == WB_MORE || err == WB_END)
        check_rest(w, s);
    want = ref_sub_next(&s->model, &w->model, w->now_ns, true);
    FUZZ_CHECK(SUB_007, (err == WB_END) == (want.status == WB_END));
    FUZZ_CHECK(SUB_003, err == want.status);
    subs_ended(w, err);
    mark_learned(w, s);
    if (err == WB_OK) {
        sim_run_note(w->run, d.sequence);
        mark_given(w, s, &want, before[want.group] == REF_SUB_PARKED);
        check_delivery(w, s, &want, &d);
        check_remembered(s);
    } else {
        mark_nothing(w, s, &want);
        check_idle(w, s, &known);
    }
    subs_check_window(w, slot);
    FUZZ_CHECK(SUB_009, wb_subscription_parked(&s->core) == ref_sub_parked(&s->model));
    return err;
}

static void tell_nothing(struct subs *w, const char *mark, enum wb_err err)
{
    sim_run_story(w->run, " %s%s", mark,
                  err == WB_MORE  ? "pend"
                  : err == WB_END ? "end"
                                  : wb_err_name((int)err));
}

void subs_drain(struct subs *w, size_t slot)
{
    enum wb_err err;

    do
        err = next(w, slot);
    while (err == WB_OK);
    tell_nothing(w, "", err);
}

/* Awake, asked until nothing is refused. */
static bool look(struct subs *w, struct subs_slot *s)
{
    bool is_awake;
    uint64_t refused;

    do {
        refused = w->run->alloc.refused;
        is_awake = wb_subscription_awake(&s->core, w->now_ns);
    } while (subs_was_refused(w, refused));
    return is_awake;
}

static void awake(struct subs *w, size_t slot)
{
    struct subs_slot *s = &w->slots[slot];
    uint64_t gone = s->model.gone_count;
    bool is_awake = look(w, s);
    struct ref_sub_next want;

    want = ref_sub_next(&s->model, &w->model, w->now_ns, false);
    FUZZ_CHECK(SUB_006, is_awake == (want.status != WB_MORE));
    if (gone > 0)
        sim_mark(w->run, SUBS_MARK_WOKEN);
    mark_nothing(w, s, &want);
    mark_learned(w, s);
    sim_run_note(w->run, is_awake);
    sim_run_story(w->run, is_awake ? " awake" : " asleep");
    subs_check_window(w, slot);
    FUZZ_CHECK(SUB_009, wb_subscription_parked(&s->core) == ref_sub_parked(&s->model));
}

static void ascend(struct subs *w, size_t slot)
{
    struct subs_slot *s = &w->slots[slot];
    struct wb_group *core = NULL;
    struct ref_sub_next want;
    enum wb_err err;

    (void)look(w, s); /* what it shows is what was resolved last */
    (void)ref_sub_next(&s->model, &w->model, w->now_ns, false);
    err = wb_subscription_ascend(&s->core, &core);
    want = ref_sub_ascend(&s->model, &w->model);
    FUZZ_CHECK(SUB_014, err == want.status);
    FUZZ_CHECK(SUB_014, err != WB_OK || core == w->groups[want.group].core);
    subs_ended(w, err);
    subs_check_window(w, slot);
    if (err == WB_OK)
        sim_run_story(w->run, " ^%" PRIu64, wb_group_sequence(core));
    else
        tell_nothing(w, "^", err);
}

/* A reader at its end goes on when that was raised, past what is no longer inside. */
static void take_end(struct subs *w, struct subs_slot *s)
{
    const struct ref_sub_group *m = &w->model.groups[s->reader.group];
    uint64_t first, last;

    if (s->reader.index <= s->reader.end || !ref_sub_part(&s->model, m->sequence, &first, &last) ||
        last <= s->reader.end)
        return;
    sim_mark(w->run, SUBS_MARK_RAISED);
    if (first > s->reader.index)
        s->reader.index = first > m->first_kept ? first : m->first_kept;
    s->reader.end = last;
}

/* What was said to be the end is no more than what is asked for. */
static void check_end(const struct subs *w, const struct subs_slot *s)
{
    const struct ref_sub_group *m = &w->model.groups[s->reader.group];
    struct wb_position at = {m->sequence, s->reader.reader.index};
    bool is_there =
        m->reason == WB_OK && at.frame < m->first_kept + w->groups[s->reader.group].frames;

    FUZZ_CHECK(SUB_022, !is_there || !ref_window_contains(&s->model.window, at) ||
                            (s->model.cap.present && ref_position_order(at, s->model.cap.at) >= 0));
}

/* What the group says at the reader's place, and what a wait there comes to. */
static enum wb_err read_status(const struct subs *w, const struct subs_slot *s)
{
    const struct ref_sub_group *m = &w->model.groups[s->reader.group];
    const struct subs_group *g = &w->groups[s->reader.group];
    uint64_t past = m->first_kept + g->frames;

    if (s->reader.index > s->reader.end)
        return WB_END;
    if (s->reader.index < m->first_kept)
        return WB_E_LAGGED;
    if (m->reason == WB_OK && s->reader.index < past)
        return WB_OK;
    if (g->finished && (s->reader.index >= past || m->reason == WB_OK))
        return WB_END;
    if (m->reason != WB_OK)
        return m->reason;
    return ref_sub_is_stale(&s->model, &w->model, s->reader.group, w->now_ns) ? WB_E_OLD : WB_MORE;
}

static bool read_frame(struct subs *w, size_t slot)
{
    struct subs_slot *s = &w->slots[slot];
    uint64_t requests = w->run->alloc.requests;
    struct wb_group_frame frame;
    enum wb_err err, want;

    if (!s->reader.on)
        return false;
    err = wb_subscription_read(&s->core, &s->reader.reader, w->now_ns, &frame);
    if (err == WB_END)
        check_end(w, s);
    take_end(w, s);
    want = read_status(w, s);
    FUZZ_CHECK(SUB_012, err == want);
    FUZZ_CHECK(SUB_019, w->run->alloc.requests == requests);
    subs_ended(w, err);
    if (w->groups[s->reader.group].core != NULL)
        FUZZ_CHECK(SUB_013, wb_subscription_deadline(&s->core, w->groups[s->reader.group].core) ==
                                ref_sub_deadline(&s->model, &w->model, s->reader.group));
    if (err == WB_E_OLD && w->groups[s->reader.group].core != NULL)
        sim_mark(w->run, SUBS_MARK_READ_OLD);
    if (err == WB_OK) {
        FUZZ_CHECK(SUB_012, frame.index == s->reader.index);
        wb_frame_reader_fini(&frame.reader);
        sim_run_story(w->run, " .%" PRIu64, s->reader.index++);
    } else {
        sim_run_story(w->run, " .%s", wb_err_name((int)err));
    }
    return true;
}

bool subs_next(struct subs *w, const struct sim_op *op)
{
    size_t slot = op->slot % SUBS_SLOTS;
    enum wb_err err;

    if (!w->slots[slot].joined)
        return false;
    if (op->opcode == SUBS_READ && !w->slots[slot].reader.on)
        return false;
    sim_run_story(w->run, "s%zu", slot);
    switch (op->opcode) {
    case SUBS_NEXT:
        err = next(w, slot);
        if (err != WB_OK)
            tell_nothing(w, "", err);
        break;
    case SUBS_DRAIN:
        subs_drain(w, slot);
        break;
    case SUBS_AWAKE:
        awake(w, slot);
        break;
    case SUBS_ASCEND:
        ascend(w, slot);
        break;
    default:
        (void)read_frame(w, slot);
        break;
    }
    sim_run_story(w->run, "; ");
    return true;
}
