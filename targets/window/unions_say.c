/*
 * unions_say.c: messages that carry ranges, read from raw bytes and written from a range.
 */
#include "core/window/subscribe_wire.h"
#include "oracles/ref_window_wire.h"
#include "targets/window/places.h"
#include "targets/window/unions.h"

#include <inttypes.h>
#include <string.h>

#define SAID 7 /* what outputs hold before a call */

union message {
    struct wb_subscribe subscribe;
    struct wb_wire_wish wish;
    struct wb_answer answer;
    struct wb_fetch fetch;
};

/* Type numbers of answers: DROP was 1 before there were START and END. */
static uint64_t type_of(enum ref_message kind, enum wb_moq_version v)
{
    if (kind == REF_DROP)
        return v < WB_LITE_05 ? 1 : 2;
    return kind == REF_END;
}

static enum wb_err get(enum ref_message kind, uint64_t type, enum wb_moq_version v,
                       struct wb_view body, union message *out)
{
    switch (kind) {
    case REF_SUBSCRIBE:
        return wb_subscribe_get(v, body, &out->subscribe);
    case REF_UPDATE:
        return wb_subscribe_update_get(v, body, &out->wish);
    case REF_START:
    case REF_END:
    case REF_DROP:
        return wb_answer_get(v, type, body, &out->answer);
    case REF_FETCH:
        return wb_fetch_get(v, body, &out->fetch);
    }
    return WB_OK;
}

static enum wb_err put(enum ref_message kind, enum wb_moq_version v, struct wb_buf *buf,
                       const union message *m)
{
    switch (kind) {
    case REF_SUBSCRIBE:
        return wb_subscribe_put(v, buf, &m->subscribe);
    case REF_UPDATE:
        return wb_subscribe_update_put(v, buf, &m->wish);
    case REF_START:
    case REF_END:
    case REF_DROP:
        return wb_answer_put(v, buf, &m->answer);
    case REF_FETCH:
        return wb_fetch_put(v, buf, &m->fetch);
    }
    return WB_OK;
}

static bool is_bound(struct wb_bound a, struct wb_bound b)
{
    return a.present == b.present && (!a.present || ref_position_order(a.at, b.at) == 0);
}

static bool is_wish(const struct wb_wire_wish *got, const struct ref_message_get *want)
{
    return got->priority == want->priority && got->ordered == want->ordered &&
           got->max_age_ms == want->max_age_ms && is_bound(got->start, want->start) &&
           is_bound(got->end, want->end);
}

static bool is_part(struct wb_view got, struct wb_view body, size_t at, size_t len)
{
    return wb_view_equal(got, wb_view_sub(body, at, at + len));
}

static bool is_message(enum ref_message kind, const union message *got,
                       const struct ref_message_get *want, struct wb_view body)
{
    const struct wb_subscribe *s = &got->subscribe;
    const struct wb_fetch *f = &got->fetch;
    const struct wb_answer *a = &got->answer;

    switch (kind) {
    case REF_SUBSCRIBE:
        return s->id == want->id && is_wish(&s->wish, want) &&
               is_part(s->broadcast, body, want->broadcast, want->broadcast_len) &&
               is_part(s->track, body, want->track, want->track_len);
    case REF_UPDATE:
        return is_wish(&got->wish, want);
    case REF_START:
        return a->type == WB_ANSWER_START && a->group == want->group;
    case REF_END:
        return a->type == WB_ANSWER_END && a->group == want->group;
    case REF_DROP:
        return a->type == WB_ANSWER_DROP && a->first == want->first && a->last == want->last &&
               a->code == want->code;
    case REF_FETCH:
        return f->priority == want->priority && f->group == want->group &&
               f->first_frame == want->first && f->has_last == want->has_last &&
               (!f->has_last || f->last_frame == want->last) &&
               is_part(f->broadcast, body, want->broadcast, want->broadcast_len) &&
               is_part(f->track, body, want->track, want->track_len);
    }
    return false;
}

/* The body of what stands in the buffer: behind its size, and behind its type in an answer. */
static struct wb_view body_of(const struct unions *w, enum ref_message kind, enum wb_moq_version v)
{
    struct wb_view in = wb_buf_view(&w->buf);
    uint64_t type = 0, size = 0;

    if (kind == REF_START || kind == REF_END || kind == REF_DROP)
        FUZZ_CHECK(WIN_023, wb_moq_get(v, &in, &type) == WB_OK && type == type_of(kind, v));
    FUZZ_CHECK(WIN_023, wb_moq_get(v, &in, &size) == WB_OK && size == in.len);
    return in;
}

/* Written again it reads as it was: nothing of it is lost. */
static void check_again(struct unions *w, enum ref_message kind, enum wb_moq_version v,
                        const union message *m, const struct ref_message_get *want)
{
    uint64_t refused = w->run->alloc.refused;
    struct ref_message_get again;
    struct wb_view body;
    enum wb_err err;

    wb_buf_truncate(&w->buf, 0);
    err = put(kind, v, &w->buf, m);
    if (unions_was_refused(w, err, refused))
        return;
    FUZZ_CHECK(WIN_023, err == WB_OK);
    body = body_of(w, kind, v);
    again = ref_message_get(kind, (int)v + 4, body);
    FUZZ_CHECK(WIN_023, again.status == WB_OK && again.id == want->id);
    FUZZ_CHECK(WIN_023, is_bound(again.start, want->start) && is_bound(again.end, want->end));
    FUZZ_CHECK(WIN_023, again.priority == want->priority && again.ordered == want->ordered &&
                            again.max_age_ms == want->max_age_ms);
    FUZZ_CHECK(WIN_023, again.group == want->group && again.first == want->first &&
                            again.last == want->last && again.code == want->code &&
                            again.has_last == want->has_last);
}

static void tell_range(struct unions *w, struct wb_bound start, struct wb_bound end)
{
    if (start.present)
        sim_run_story(w->run, " from %" PRIu64 ".%" PRIu64, start.at.group, start.at.frame);
    if (end.present)
        sim_run_story(w->run, " to %" PRIu64 ".%" PRIu64, end.at.group, end.at.frame);
}

static void hear_range(struct unions *w, enum wb_moq_version v, struct wb_view raw)
{
    struct ref_range_get want = ref_range_get((int)v + 4, raw);
    struct wb_bound start = {true, {SAID, SAID}}, end = start, before = start;
    struct wb_view in = raw;
    enum wb_err err = wb_range_get(v, &in, &start, &end);

    unions_ended(w, err);
    FUZZ_CHECK(WIN_019, err == want.status);
    if (err != WB_OK) {
        FUZZ_CHECK(WIN_024, in.len == raw.len && is_bound(start, before) && is_bound(end, before));
        return;
    }
    FUZZ_CHECK(WIN_019, raw.len - in.len == want.size);
    FUZZ_CHECK(WIN_019, is_bound(start, want.start) && is_bound(end, want.end));
    sim_run_story(w->run, "range");
    tell_range(w, start, end);
    sim_run_story(w->run, "; ");
}

static void tell(struct unions *w, enum ref_message kind, const struct ref_message_get *m)
{
    static const char *const names[] = {"subscribe", "update", "start", "end", "drop", "fetch"};

    sim_run_story(w->run, "%s", names[kind]);
    if (kind == REF_SUBSCRIBE)
        sim_run_story(w->run, " %" PRIu64, m->id);
    if (kind <= REF_UPDATE) {
        sim_run_story(w->run, " priority %u%s age %" PRIu64, m->priority,
                      m->ordered ? " ordered" : "", m->max_age_ms);
        tell_range(w, m->start, m->end);
    } else if (kind == REF_DROP) {
        sim_run_story(w->run, " %" PRIu64 "-%" PRIu64 " code %" PRIu64, m->first, m->last, m->code);
    } else {
        sim_run_story(w->run, " %" PRIu64, m->group);
    }
    if (kind == REF_FETCH && m->has_last)
        sim_run_story(w->run, " frames %" PRIu64 "-%" PRIu64, m->first, m->last);
    sim_run_story(w->run, "; ");
}

/* What LIT left, as a range (0) or as a message. */
void unions_hear(struct unions *w, const struct sim_op *op)
{
    enum wb_moq_version v = unions_version(op);
    struct wb_view raw = wb_view_of(w->raw, w->raw_len);
    unsigned choice = op->arg % 8u, type = choice - 3; /* of an answer */
    enum ref_message kind = choice == 1 ? REF_SUBSCRIBE : choice == 2 ? REF_UPDATE : REF_FETCH;
    union message got, before;
    struct ref_message_get want;
    enum wb_err err;

    if (choice == 0) {
        hear_range(w, v, raw);
        return;
    }
    memset(&got, SAID, sizeof got);
    memcpy(&before, &got, sizeof got);
    want.status = WB_OK;
    if (choice > 2 && choice < 7)
        want.status = ref_answer_kind((int)v + 4, type, &kind);
    if (want.status == WB_OK)
        want = ref_message_get(kind, (int)v + 4, raw);
    else
        kind = REF_DROP;
    err = get(kind, type, v, raw, &got);
    unions_ended(w, err);
    FUZZ_CHECK(WIN_022, err == want.status);
    sim_run_note(w->run, (uint64_t)err);
    if (err != WB_OK) {
        sim_mark(w->run, UNIONS_MARK_BAD_MESSAGE);
        FUZZ_CHECK(WIN_024, memcmp(&got, &before, sizeof got) == 0);
        return;
    }
    FUZZ_CHECK(WIN_022, is_message(kind, &got, &want, raw));
    tell(w, kind, &want);
    check_again(w, kind, v, &got, &want);
}

/* ---- messages of a range --------------------------------------------------------------------- */

static struct wb_view broadcast_of(const struct unions *w)
{
    return w->names_len > 0 ? wb_view_of(w->names, w->broadcast_len) : wb_view_text("room");
}

static struct wb_view track_of(const struct unions *w)
{
    return w->names_len > 0
               ? wb_view_of(w->names + w->broadcast_len, w->names_len - w->broadcast_len)
               : wb_view_text("video");
}

/* How a put must end, names left out; wider when the message cannot say the range exactly. */
static enum wb_err status_of(enum ref_message kind, enum wb_moq_version v, struct wb_bound start,
                             struct wb_bound end)
{
    int version = (int)v + 4;

    switch (kind) {
    case REF_SUBSCRIBE:
    case REF_UPDATE:
        return ref_range_put(version, start, end).status;
    case REF_START:
    case REF_END:
        if (version < 5 || version > 6)
            return WB_E_VERSION;
        return ref_number_fits(version, start.at.group) ? WB_OK : WB_E_BOUNDS;
    case REF_DROP:
        if (version > 6)
            return WB_E_VERSION;
        if (end.at.group < start.at.group)
            return WB_E_RANGE;
        return ref_number_fits(version, end.at.group) ? WB_OK : WB_E_BOUNDS;
    case REF_FETCH:
        if (version < 5 || (version < 6 && (end.present || start.at.frame > 0)))
            return WB_E_VERSION;
        if (end.present && end.at.frame < start.at.frame)
            return WB_E_RANGE;
        if (!ref_number_fits(version, start.at.group) || !ref_number_fits(version, start.at.frame))
            return WB_E_BOUNDS;
        return !end.present ||
                       (end.at.frame < UINT64_MAX && ref_number_fits(version, end.at.frame + 1))
                   ? WB_OK
                   : WB_E_BOUNDS;
    }
    return WB_OK;
}

/* Names that cannot be said, unless the version has no such message or the frames are inverted. */
static enum wb_err names_status(const struct unions *w, enum ref_message kind, enum wb_err rest)
{
    enum wb_err names = ref_names_status(broadcast_of(w), track_of(w));

    if (names == WB_OK || (kind != REF_SUBSCRIBE && kind != REF_FETCH))
        return rest;
    if (kind == REF_FETCH && (rest == WB_E_VERSION || rest == WB_E_RANGE))
        return rest;
    sim_mark(w->run, UNIONS_MARK_BAD_NAME);
    return names;
}

static union message message_of(const struct unions *w, enum ref_message kind,
                                struct wb_bound start, struct wb_bound end)
{
    static const enum wb_answer_type types[] = {
        [REF_START] = WB_ANSWER_START, [REF_END] = WB_ANSWER_END, [REF_DROP] = WB_ANSWER_DROP};
    struct wb_wire_wish wish = {.priority = 9, .ordered = true, .max_age_ms = 250, start, end};
    union message m;

    memset(&m, 0, sizeof m);
    if (kind == REF_SUBSCRIBE)
        m.subscribe = (struct wb_subscribe){4, broadcast_of(w), track_of(w), wish};
    else if (kind == REF_UPDATE)
        m.wish = wish;
    else if (kind == REF_FETCH)
        m.fetch = (struct wb_fetch){broadcast_of(w), track_of(w), 3,           start.at.group,
                                    start.at.frame,  end.present, end.at.frame};
    else
        m.answer = (struct wb_answer){.type = types[kind],
                                      .group = start.at.group,
                                      .first = start.at.group,
                                      .last = end.at.group,
                                      .code = 5};
    return m;
}

void unions_say(struct unions *w, const struct sim_op *op)
{
    enum wb_moq_version v = unions_version(op);
    enum ref_message kind = (enum ref_message)(op->opcode - UNIONS_SAY_SUBSCRIBE);
    struct wb_bound start = places_bound(op->arg), end = places_bound(op->ext);
    enum wb_err want = names_status(w, kind, status_of(kind, v, start, end)), err;
    union message m = message_of(w, kind, start, end);
    uint64_t refused = w->run->alloc.refused;
    struct ref_message_get back;
    struct wb_view body;

    wb_buf_truncate(&w->buf, 0);
    err = put(kind, v, &w->buf, &m);
    unions_ended(w, err);
    if (err != WB_OK)
        FUZZ_CHECK(WIN_024, w->buf.len == 0);
    if (unions_was_refused(w, err, refused))
        return;
    FUZZ_CHECK(WIN_023, err == want);
    if (err != WB_OK)
        return;
    body = body_of(w, kind, v);
    back = ref_message_get(kind, (int)v + 4, body);
    FUZZ_CHECK(WIN_023, back.status == WB_OK);
    if (kind == REF_SUBSCRIBE || kind == REF_FETCH)
        FUZZ_CHECK(WIN_023, is_part(broadcast_of(w), body, back.broadcast, back.broadcast_len) &&
                                is_part(track_of(w), body, back.track, back.track_len));
    tell(w, kind, &back);
    if (kind == REF_START || kind == REF_END)
        FUZZ_CHECK(WIN_023, back.group == start.at.group);
    if (kind == REF_DROP)
        FUZZ_CHECK(WIN_023, back.first == start.at.group && back.last == end.at.group);
    if (kind == REF_FETCH)
        FUZZ_CHECK(WIN_023, back.group == start.at.group && back.first == start.at.frame &&
                                back.has_last == end.present && back.last == end.at.frame);
    if (kind > REF_UPDATE)
        return;
    FUZZ_CHECK(WIN_023, back.priority == 9 && back.ordered && back.max_age_ms == 250);
    FUZZ_CHECK(WIN_020, back.start.present == start.present &&
                            ref_position_order(back.start.at, start.at) <= 0);
    FUZZ_CHECK(WIN_020,
               !back.end.present || (end.present && ref_position_order(end.at, back.end.at) <= 0));
}
