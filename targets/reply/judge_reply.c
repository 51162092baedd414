/*
 * judge_reply.c: what is delivered and how requests end, held against the server's stream as the
 * model parses it.
 */
#include "targets/reply/world.h"

#include <string.h>

bool world_judge_parse(struct world *w, struct world_conn *c, size_t len)
{
    struct world_judge *j = &c->judge;
    if (!j->reading)
        return false;
    if (j->parsed && j->parsed_len == len)
        return true;
    struct wb_view stream = wb_view_of(c->down.bytes + j->reply_begin, len - j->reply_begin);
    j->result = ref_reply_parse(stream, &j->shape, w->profile.value_max, j->units, WORLD_UNITS);
    j->parsed = true;
    j->parsed_len = len;
    return true;
}

bool world_judge_is_over(struct world *w, struct world_conn *c)
{
    struct world_judge *j = &c->judge;
    return world_judge_parse(w, c, c->down.written) && j->result.status != WB_MORE &&
           j->delivered == j->result.units;
}

static void start_reading(struct world_conn *c, const struct world_request *request, size_t begin)
{
    struct world_judge *j = &c->judge;
    j->reading = true;
    j->parsed = false;
    j->reply_begin = begin;
    j->delivered = 0;
    j->shape = request->shape;
    if (j->shape.opaque.len > 0) {
        memcpy(j->opaque, j->shape.opaque.data, j->shape.opaque.len);
        j->shape.opaque.data = j->opaque;
    }
    j->reads_before = j->last.cost->reads;
    j->waits_before = j->last.cost->waits;
    j->agains_before = j->last.cost->agains;
    j->copied_before = j->last.cost->copied;
    j->segments_begin = c->down.segments_end;
    j->injected = 0;
    j->first_due = j->bytes_last = j->lied = j->ran_out = j->waiting = false;
    usual_start(&j->usual);
}

/* A refusal is how the run ended only when no request ended before. */
static void refused(struct world *w, const struct world_conn *c, enum wb_err err)
{
    if (w->calm)
        return;
    if (w->run->outcome == WB_OK)
        sim_run_outcome(w->run, err);
    sim_run_story(w->run, "c%u %s | ", c->id, err == WB_E_BUSY ? "busy" : "closed");
}

void world_judge_request(struct world *w, struct world_conn *c, enum wb_err err, bool busy,
                         bool expect)
{
    struct world_judge *j = &c->judge;
    if (busy) {
        FUZZ_CHECK(RPL_043, err == WB_E_BUSY);
        refused(w, c, err);
        sim_mark(w->run, WORLD_MARK_REFUSED_BUSY);
        return;
    }
    if (j->last.state == WB_REPLY_DEAD) {
        FUZZ_CHECK(RPL_037, err == WB_E_CLOSED);
        refused(w, c, err);
        sim_mark(w->run, WORLD_MARK_REFUSED_CLOSED);
        return;
    }
    FUZZ_CHECK(RPL_006, err == WB_OK);
    j->expected = expect;
    j->waiting = j->ran_out = false;
    j->until_ns = UINT64_MAX; /* its own waits alone count */
    j->draining = j->last.state == WB_REPLY_OWED;
    sim_mark(w->run, expect ? WORLD_MARK_EXPECT_MARKED : WORLD_MARK_EXPECT_UNMARKED);
    if (j->last.state != WB_REPLY_OWED)
        start_reading(c, c->request, (size_t)(j->last.returned + j->last.discarded));
}

/* The late reply is gone: to its own boundary, not a byte more. */
static void check_drained(struct world *w, struct world_conn *c, const struct wb_reply_stats *now)
{
    struct world_judge *j = &c->judge;
    bool parsed = world_judge_parse(w, c, c->down.written);
    size_t at = (size_t)(now->returned + now->discarded);
    FUZZ_CHECK(RPL_031, parsed);
    FUZZ_CHECK(RPL_035, j->result.status == WB_OK);
    FUZZ_CHECK(RPL_031, at == j->reply_begin + j->result.end);
    FUZZ_CHECK(RPL_036, now->len == now->off);
    FUZZ_CHECK(RPL_034, now->owed == 0);
    FUZZ_CHECK(RPL_034, now->discarded - j->discarded_before <= w->profile.drain_max);
    sim_mark(w->run, j->shape.until_end ? WORLD_MARK_DRAINED_GET : WORLD_MARK_DRAINED);
    j->draining = false;
    start_reading(c, c->request, at);
}

void world_judge_state(struct world *w, struct world_conn *c, enum wb_reply_state before)
{
    struct world_judge *j = &c->judge;
    const struct wb_reply_stats *now = &j->last;
    if (now->state == WB_REPLY_SENDING)
        j->probe_due |= w->profile.probe_idle_ns != UINT64_MAX &&
                        (before == WB_REPLY_OWED ||
                         w->sched.now_ns - j->idle_since_ns > w->profile.probe_idle_ns);
    else if (now->state == WB_REPLY_IDLE && !j->probe_due) /* else given up before its probe */
        j->idle_since_ns = w->sched.now_ns;
    else if (now->state != WB_REPLY_IDLE)
        j->probe_due = false;
    if (now->state == WB_REPLY_OWED) {
        FUZZ_CHECK(RPL_031, before == WB_REPLY_BUSY);
        j->discarded_before = now->discarded;
        j->shape.keys = NULL; /* the caller's, and over */
        j->parsed = false;
    }
    if (before == WB_REPLY_OWED && now->state != WB_REPLY_DEAD)
        check_drained(w, c, now);
}

static struct wb_view stream_part(const struct world_conn *c, size_t begin, size_t end)
{
    return wb_view_of(c->down.bytes + c->judge.reply_begin + begin, end - begin);
}

/* An honest server's values are those of the request in flight, not of another. */
static void check_own_value(struct world *w, struct world_conn *c, size_t index,
                            struct wb_view value)
{
    const struct world_request *r = c->request;
    uint8_t own[64]; /* all that tells one value from another; the stream gives the rest */
    bool quiet = r->kind == WORLD_BATCH || world_classic_is_get(r->kind);
    bool plain = quiet || r->kind == WORLD_GET || r->kind == WORLD_COUNTED;
    if (!c->server.honest || !plain)
        return;
    const struct world_request *job = c->server.job;
    FUZZ_CHECK(RPL_007, job->serial == r->serial);
    if (job->hits == WORLD_HITS_ODD)
        index = quiet ? 2 * index + 1 : index;
    FUZZ_CHECK(RPL_010, value.len == (job->hits == WORLD_HITS_EMPTY ? 0 : r->size));
    size_t n = value.len <= sizeof own ? value.len : sizeof own;
    world_value(r->serial, (uint32_t)index, value.len, own, n);
    FUZZ_CHECK(RPL_007, wb_view_equal(wb_view_sub(value, 0, n), wb_view_of(own, n)));
    (void)w;
}

/* Nor are its lines: those of classic replies say all that they are of. */
static void check_own_line(struct world_conn *c, size_t index, struct wb_view line)
{
    const struct world_request *r = c->request, *job = c->server.job;
    uint8_t own[WORLD_KEY_SIZE + 96];
    struct world_pen pen = {own};
    if (!c->server.honest || !world_classic_is(r->kind))
        return;
    FUZZ_CHECK(RPL_007, job->serial == r->serial);
    if (job->hits == WORLD_HITS_ODD && r->shape.until_end)
        index = 2 * index + 1;
    world_classic_line(&pen, job, (uint32_t)index, WORLD_WRONG_NONE);
    FUZZ_CHECK(RPL_007, wb_view_equal(line, wb_view_of(own, (size_t)(pen.at - own))));
}

static void check_value(struct world *w, struct world_conn *c, const struct ref_reply_unit *u,
                        size_t index, struct wb_view value)
{
    struct world_judge *j = &c->judge;
    FUZZ_CHECK(RPL_009, value.len == u->value_len);
    FUZZ_CHECK(RPL_010, value.data != NULL);
    struct wb_view want = stream_part(c, u->value_begin, u->value_begin + u->value_len);
    FUZZ_CHECK(RPL_004, wb_view_equal(value, want));
    check_own_value(w, c, index, value);
    j->lent = value;
    j->lent_begin = j->reply_begin + u->value_begin;
    if (value.len == 0) {
        sim_mark(w->run, WORLD_MARK_EMPTY_VALUE);
        return;
    }
    if (!w->subject->stats)
        return;
    const struct wb_reply_stats *s = &j->unit_stats;
    uint64_t copied = s->cost->copied - j->copied_before;
    bool in_buffer = value.data >= s->buffer && value.data < s->buffer + s->capacity;
    FUZZ_CHECK(RPL_022, copied <= (in_buffer ? 0 : value.len));
    FUZZ_CHECK(RPL_023, !in_buffer || value.data + value.len <= s->buffer + s->capacity);
    FUZZ_CHECK(RPL_023, in_buffer || value.data == world_area_space(c->id));
    FUZZ_CHECK(RPL_023, !in_buffer || w->profile.values == WB_REPLY_VIEW);
    j->copied_before = s->cost->copied;
    sim_mark(w->run, in_buffer ? WORLD_MARK_VIEW : WORLD_MARK_COPIED);
}

static void tell_unit(struct world *w, struct world_conn *c, const struct wb_reply_event *event)
{
    struct sim_run *run = w->run;
    sim_trace_mix_bytes(&run->trace, event->line);
    sim_trace_add(&run->trace, w->sched.now_ns, "unit     c%u code %u, value of %u bytes", c->id,
                  event->code, event->value.len, 0);
    if (!run->story_on || w->calm)
        return;
    int line_len = event->line.len > 80 ? 80 : (int)event->line.len;
    sim_run_story(run, "c%u %.*s", c->id, line_len, (const char *)event->line.data);
    if (event->has_value && event->value.len <= 32) {
        sim_run_story(run, " <");
        for (size_t i = 0; i < event->value.len; i++) {
            uint8_t b = event->value.data[i];
            sim_run_story(run, b >= 0x20 && b < 0x7f ? "%c" : "\\x%02x", b);
        }
        sim_run_story(run, ">");
    } else if (event->has_value) {
        sim_run_story(run, " <%u bytes>", (unsigned)event->value.len);
    }
    sim_run_story(run, " | ");
}

/* Flags are a part of the line, which is compared already, unless a subject keeps them elsewhere.
 */
static void check_flags(const struct world_conn *c, const struct wb_reply_event *event,
                        const struct ref_reply_unit *u)
{
    bool is_part = event->flags.data == event->line.data + (u->flags_begin - u->begin);
    FUZZ_CHECK(RPL_004, event->flags.len == u->line_end - u->flags_begin);
    FUZZ_CHECK(RPL_004,
               is_part || wb_view_equal(event->flags, stream_part(c, u->flags_begin, u->line_end)));
}

static struct usual_unit usual_of(const struct world *w, const struct world_conn *c,
                                  const struct ref_reply_unit *u)
{
    struct wb_view line = stream_part(c, u->begin, u->line_end);
    return (struct usual_unit){u, line, &c->judge.shape, w->profile.values};
}

void world_judge_look(struct world *w, struct world_conn *c)
{
    struct world_judge *j = &c->judge;
    if (!w->subject->stats)
        return;
    size_t at = (size_t)(j->last.returned + j->last.discarded);
    bool begins = world_judge_parse(w, c, c->down.written) && j->delivered < j->result.units &&
                  at == j->reply_begin + j->units[j->delivered].begin;
    struct usual_unit next = {0};
    if (begins)
        next = usual_of(w, c, &j->units[j->delivered]);
    usual_look(&j->usual, begins ? &next : NULL, &j->last);
}

void world_judge_looked(struct world *w, struct world_conn *c, bool has_unit)
{
    if (w->subject->stats)
        FUZZ_CHECK(RPL_050, usual_looked(&c->judge.usual, &c->judge.last, has_unit));
}

void world_judge_unit(struct world *w, struct world_conn *c, const struct wb_reply_event *event)
{
    struct world_judge *j = &c->judge;
    bool parsed = world_judge_parse(w, c, c->down.written);
    FUZZ_CHECK(RPL_007, parsed);
    FUZZ_CHECK(RPL_007, c->sent_any);
    FUZZ_CHECK(RPL_031, j->last.state != WB_REPLY_OWED);
    size_t index = j->delivered++;
    bool extra = index >= j->result.units;
    FUZZ_CHECK(RPL_011, !extra || j->result.status != WB_MORE);
    FUZZ_CHECK(RPL_012, !extra || j->result.status != WB_E_TOO_MANY);
    FUZZ_CHECK(RPL_013, !extra || j->result.status != WB_E_KEY_MISMATCH);
    FUZZ_CHECK(RPL_014, !extra || j->result.status != WB_E_OPAQUE_MISMATCH);
    FUZZ_CHECK(RPL_015, !extra || j->result.status != WB_E_UNEXPECTED_CODE);
    FUZZ_CHECK(RPL_016, !extra || j->result.status != WB_E_LINE_TOO_LONG);
    FUZZ_CHECK(RPL_017, !extra || j->result.status != WB_E_BAD_LINE);
    FUZZ_CHECK(RPL_018, !extra || j->result.status != WB_E_BAD_LEN);
    FUZZ_CHECK(RPL_009, !extra || j->result.status != WB_E_BAD_BLOCK_END);
    FUZZ_CHECK(RPL_038, !extra || j->result.status != WB_E_CLIENT_ERROR);
    FUZZ_CHECK(RPL_007, !extra);
    const struct ref_reply_unit *u = &j->units[index];
    FUZZ_CHECK(RPL_042,
               !c->slow || wb_view_equal(event->line, stream_part(c, u->begin, u->line_end)));
    FUZZ_CHECK(RPL_007, event->code == u->code);
    FUZZ_CHECK(RPL_004, wb_view_equal(event->line, stream_part(c, u->begin, u->line_end)));
    check_flags(c, event, u);
    FUZZ_CHECK(RPL_010, event->has_value == u->has_value);
    j->whole += u->end - u->begin;
    if (w->subject->stats) {
        struct wb_reply_stats *s = &j->unit_stats;
        w->subject->stats(c->session, s);
        FUZZ_CHECK(RPL_004, s->returned + s->discarded == j->reply_begin + u->end);
    }
    const struct usual_unit taken = usual_of(w, c, u);
    usual_took(&j->usual, &taken);
    if (event->has_value)
        check_value(w, c, u, index, event->value);
    if (event->code != WB_REPLY_END)
        check_own_line(c, index, event->line);
    if (event->code == WB_REPLY_SERVER_ERROR && j->shape.until_end)
        sim_mark(w->run, WORLD_MARK_ERROR_ENDS);
    if (event->code == WB_REPLY_CLIENT_ERROR && j->result.status != WB_E_CLIENT_ERROR)
        sim_mark(w->run, WORLD_MARK_KEPT_ERROR);
    tell_unit(w, c, event);
}

/* A reply that is over costs its share of steps. */
static void check_costs(struct world *w, struct world_conn *c, const struct wb_reply_stats *s)
{
    struct world_judge *j = &c->judge;
    uint64_t reads = s->cost->reads - j->reads_before, waits = s->cost->waits - j->waits_before;
    uint64_t segments = c->down.segments_end - j->segments_begin + 1;
    /* a growth that was refused comes with a later full read; reads of a value's rest grow nothing
     */
    bool small = w->run->alloc.refused > 0 || w->profile.values == WB_REPLY_DIRECT;
    size_t size = small ? w->profile.small : w->profile.large;
    uint64_t full = j->result.end / size + 1;
    FUZZ_CHECK(RPL_041,
               reads <= segments + full + j->injected + (s->cost->agains - j->agains_before));
    FUZZ_CHECK(RPL_026, waits <= 1 + (s->cost->agains - j->agains_before) + j->injected);
}

static void check_timeout(struct world *w, struct world_conn *c, bool draining)
{
    struct world_judge *j = &c->judge;
    FUZZ_CHECK(RPL_029, j->told_ns >= j->until_ns);
    FUZZ_CHECK(RPL_027, !(j->told_ready & WB_REPLY_READABLE) || j->lied);
    if (draining) {
        sim_mark(w->run, WORLD_MARK_TIMEOUT_AGAIN);
        return;
    }
    (void)world_judge_parse(w, c, c->down.read);
    FUZZ_CHECK(RPL_031, j->result.status == WB_MORE);
    FUZZ_CHECK(RPL_008, j->delivered == j->result.units);
    size_t rest = c->down.read - j->reply_begin - j->result.end;
    bool in_block = rest > 0 && memchr(c->down.bytes + c->down.read - rest, '\n', rest);
    sim_mark(w->run, rest == 0  ? WORLD_MARK_TIMEOUT_EMPTY
                     : in_block ? WORLD_MARK_TIMEOUT_BLOCK
                                : WORLD_MARK_TIMEOUT_LINE);
    if (j->delivered > 0)
        sim_mark(w->run, j->shape.until_end ? WORLD_MARK_TIMEOUT_GET : WORLD_MARK_TIMEOUT_BATCH);
}

/* How much of a late reply is more than one recovery may discard. */
static void check_drain_limit(struct world *w, struct world_conn *c, const struct wb_reply_stats *s)
{
    struct world_judge *j = &c->judge;
    sim_mark(w->run, WORLD_MARK_DRAIN_LIMIT);
    size_t from = (size_t)(j->discarded_before + s->returned);
    size_t reach = j->result.status == WB_OK ? j->result.end : c->down.written - j->reply_begin;
    FUZZ_CHECK(RPL_034, j->reply_begin + reach > from + w->profile.drain_max);
}

/*
 * The status of an END against the model's; `draining`: the reply in progress is an older
 * request's.
 */
static void check_status(struct world *w, struct world_conn *c, enum wb_err status, bool draining,
                         const struct wb_reply_stats *s)
{
    struct world_judge *j = &c->judge;
    size_t taken = c->down.read - j->reply_begin;
    bool complete = j->result.status == WB_OK;
    bool all = j->delivered == j->result.units || draining;
    if (status == WB_OK) {
        FUZZ_CHECK(RPL_035, complete || !draining);
        FUZZ_CHECK(RPL_006, complete);
        FUZZ_CHECK(RPL_006, all);
        FUZZ_CHECK(RPL_006, !draining);
        if (w->subject->stats) {
            FUZZ_CHECK(RPL_006, s->returned + s->discarded == j->reply_begin + j->result.end);
            FUZZ_CHECK(RPL_005, s->len == s->off);
            check_costs(w, c, s);
        }
    } else if (status == WB_E_TRAILING) {
        FUZZ_CHECK(RPL_008, complete && all && taken > j->result.end);
        sim_mark(w->run, WORLD_MARK_TRAILING);
    } else if (status == WB_E_EOF) {
        FUZZ_CHECK(RPL_039, j->told_eof);
        FUZZ_CHECK(RPL_039, j->result.status == WB_MORE);
        FUZZ_CHECK(RPL_011, all);
    } else if (status == WB_E_RESET) {
        FUZZ_CHECK(RPL_008, c->down.end != SIM_STREAM_OPEN || c->up.end != SIM_STREAM_OPEN);
    } else if (status == WB_E_DRAIN_LIMIT) {
        FUZZ_CHECK(RPL_034, draining);
        check_drain_limit(w, c, s);
    } else if (status == WB_E_UNSENT) {
        FUZZ_CHECK(RPL_033,
                   c->up.written - c->request_begin < c->request->bytes.len || !c->sent_any);
        FUZZ_CHECK(RPL_029, j->told_ns >= j->until_ns);
        sim_mark(w->run, WORLD_MARK_UNSENT);
    } else if (status == WB_E_UNSOLICITED) {
        bool read = c->down.read > j->reply_begin;
        FUZZ_CHECK(RPL_008, !c->sent_any);
        FUZZ_CHECK(RPL_008, read || sim_stream_readable_bytes(&c->down, w->sched.now_ns) > 0);
    } else {
        FUZZ_CHECK(RPL_035, j->result.status == status || !draining);
        FUZZ_CHECK(RPL_038, j->result.status == status || status != WB_E_CLIENT_ERROR);
        FUZZ_CHECK(RPL_008, j->result.status == status);
        FUZZ_CHECK(RPL_008, all);
        if (status == WB_E_ERROR || status == WB_E_CLIENT_ERROR)
            sim_mark(w->run, WORLD_MARK_ERROR_UNIT);
    }
}

void world_judge_end(struct world *w, struct world_conn *c, const struct wb_reply_event *event)
{
    struct world_judge *j = &c->judge;
    struct wb_reply_stats s = {.state = WB_REPLY_BUSY};
    if (w->subject->stats)
        w->subject->stats(c->session, &s);
    sim_trace_add(&w->run->trace, w->sched.now_ns, "end      c%u %e after %u units, state %u",
                  c->id, event->status, j->delivered, s.state);
    if (!w->calm) {
        sim_run_story(w->run, "c%u %s | ", c->id, wb_err_name((int)event->status));
        sim_run_outcome(w->run, event->status);
    }
    FUZZ_CHECK(RPL_046, event->sent == c->sent_any);
    bool draining = j->draining;
    j->draining = false;
    FUZZ_CHECK(RPL_056, !j->part_came);
    if (event->status == WB_TIMEOUT) {
        check_timeout(w, c, draining);
        if (!w->profile.recover)
            sim_mark(w->run, WORLD_MARK_NO_RECOVERY);
        if (s.reason == WB_E_OWED_TOO_OFTEN) {
            sim_mark(w->run, WORLD_MARK_OWED_TOO_OFTEN);
            if (!w->calm)
                sim_run_outcome(w->run, s.reason);
        }
        bool dead = !w->profile.recover || s.owed > w->profile.owed_max;
        FUZZ_CHECK(RPL_031, s.state == (dead ? WB_REPLY_DEAD : WB_REPLY_OWED));
        return;
    }
    (void)world_judge_parse(w, c, c->down.written);
    check_status(w, c, event->status, draining, &s);
    FUZZ_CHECK(RPL_033, s.state == (event->status == WB_OK ? WB_REPLY_IDLE : WB_REPLY_DEAD));
    j->reading = false;
}

void world_judge_abandoned(struct world *w, struct world_conn *c, enum wb_reply_state state)
{
    struct wb_reply_stats s = {.state = state};
    if (w->subject->stats)
        w->subject->stats(c->session, &s);
    FUZZ_CHECK(RPL_046, !w->subject->stats || state == s.state);
    bool partly = c->sent_any && c->up.written - c->request_begin < c->request->bytes.len;
    FUZZ_CHECK(RPL_033, !partly || state == WB_REPLY_DEAD);
    bool answered = world_judge_is_over(w, c);
    FUZZ_CHECK(RPL_046, state != WB_REPLY_IDLE || !c->sent_any || answered);
    if (state == WB_REPLY_IDLE)
        sim_mark(w->run, WORLD_MARK_ABANDON_IDLE);
    else
        sim_mark(w->run,
                 state == WB_REPLY_OWED ? WORLD_MARK_ABANDON_OWED : WORLD_MARK_ABANDON_DEAD);
    c->judge.draining = false;
    if (state != WB_REPLY_OWED)
        c->judge.reading = false;
}

void world_judge_quiet(struct world *w, struct world_conn *c)
{
    FUZZ_CHECK(BED_005, !c->parked);
    FUZZ_CHECK(BED_005, !c->active);
    if (!c->open || !w->subject->stats)
        return;
    struct wb_reply_stats s;
    w->subject->stats(c->session, &s);
    FUZZ_CHECK(RPL_037, (s.state == WB_REPLY_DEAD) == c->closed_once);
    FUZZ_CHECK(BED_005,
               s.state == WB_REPLY_IDLE || s.state == WB_REPLY_OWED || s.state == WB_REPLY_DEAD);
}
