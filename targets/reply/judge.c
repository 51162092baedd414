/*
 * judge.c: what must hold around every call of the subject: counts, the buffer, the order of
 * waits and reads. What is delivered is judged in judge_reply.c.
 */
#include "targets/reply/world.h"

#include <string.h>

#define LENT_PART ((size_t)64) /* of a lent value is looked at again, at either end */

static bool has_stats(const struct world *w)
{
    return w->subject->stats != NULL;
}

/* Sizes that hold no line, shrink, or cannot be allocated with room for a line, open nothing. */
static void try_sizes(struct world *w)
{
    struct wb_reply_profile tight = w->profile, shrinking = w->profile;
    struct wb_reply_profile wrapping = w->profile, wrapping_later = w->profile;
    uint64_t requests = w->run->alloc.requests;
    void *session = NULL;
    tight.small = tight.large = WB_REPLY_LINE_MAX;
    shrinking.large = shrinking.small - 1;
    wrapping_later.large = SIZE_MAX - WB_REPLY_LINE_MAX + 1;
    wrapping.small = wrapping.large = SIZE_MAX - 2000;
    enum wb_err e = w->subject->open(&tight, sim_run_mem(w->run), w->sched.now_ns, &session);
    FUZZ_CHECK(RPL_051, e == WB_E_VALUE);
    e = w->subject->open(&shrinking, sim_run_mem(w->run), w->sched.now_ns, &session);
    FUZZ_CHECK(RPL_051, e == WB_E_VALUE);
    e = w->subject->open(&wrapping_later, sim_run_mem(w->run), w->sched.now_ns, &session);
    FUZZ_CHECK(RPL_051, e == WB_E_VALUE);
    e = w->subject->open(&wrapping, sim_run_mem(w->run), w->sched.now_ns, &session);
    FUZZ_CHECK(RPL_051, e == WB_E_VALUE);
    FUZZ_CHECK(RPL_051, session == NULL && w->run->alloc.requests == requests);
}

void world_judge_open(struct world *w, struct world_conn *c)
{
    struct world_judge *j = &c->judge;
    j->reading = j->parsed = j->first_due = j->bytes_last = j->lied = j->ran_out = false;
    j->waiting = j->expected = j->told_eof = j->part_came = false;
    j->reply_begin = j->delivered = 0;
    j->discarded_before = j->whole = 0;
    j->draining = false;
    j->lent = (struct wb_view){0};
    j->injected = j->copied_before = j->moved_before = 0;
    j->requests_before = w->run->alloc.requests;
    j->may_allocate = j->probe_due = false;
    j->idle_since_ns = w->sched.now_ns;
    if (has_stats(w))
        w->subject->stats(c->session, &j->last);
    try_sizes(w);
}

void world_judge_before(struct world *w, struct world_conn *c)
{
    struct world_judge *j = &c->judge;
    if (j->lent.len > 0) {
        const uint8_t *sent = c->down.bytes + j->lent_begin;
        size_t n = j->lent.len < LENT_PART ? j->lent.len : LENT_PART;
        size_t rest = j->lent.len - n;
        FUZZ_CHECK(RPL_023, memcmp(j->lent.data, sent, n) == 0);
        FUZZ_CHECK(RPL_023, memcmp(j->lent.data + rest, sent + rest, n) == 0);
        j->lent.len = 0;
    }
    j->requests_before = w->run->alloc.requests;
    j->may_allocate = false;
}

/*
 * The stream offset up to which bytes left the buffer lies inside the block of the unit in
 * progress.
 */
static bool is_in_block(struct world *w, struct world_conn *c)
{
    struct world_judge *j = &c->judge;
    if (!j->reading || !j->last.unit_open || !world_judge_parse(w, c, c->down.written))
        return false;
    if (j->delivered >= j->result.units || j->last.state == WB_REPLY_OWED)
        return false;
    const struct ref_reply_unit *u = &j->units[j->delivered];
    size_t at = (size_t)(j->last.returned + j->last.discarded) - j->reply_begin;
    return u->has_value && at >= u->value_begin && at < u->end;
}

static void check_read_size(const struct world *w, const struct world_judge *j, size_t before)
{
    const struct wb_reply_stats *s = &j->last;
    if (s->read_size != before) {
        FUZZ_CHECK(RPL_019, before == w->profile.small);
        FUZZ_CHECK(RPL_019, s->read_size == w->profile.large);
        FUZZ_CHECK(RPL_019, j->may_allocate);
        sim_mark(w->run, WORLD_MARK_GROWN);
    } else if (j->may_allocate && w->profile.small < w->profile.large) {
        FUZZ_CHECK(RPL_019, w->run->alloc.refused > 0);
    }
    FUZZ_CHECK(RPL_020, s->capacity == s->read_size + WB_REPLY_LINE_MAX);
}

void world_judge_after(struct world *w, struct world_conn *c)
{
    struct world_judge *j = &c->judge;
    uint64_t requests = w->run->alloc.requests - j->requests_before;
    FUZZ_CHECK(RPL_040, requests == 0 || (requests == 1 && j->may_allocate));
    if (!has_stats(w))
        return;
    struct wb_reply_stats *s = &j->last;
    const uint64_t taken = s->taken, discarded = s->discarded;
    const size_t read_size = s->read_size, pending = s->len - s->off;
    const enum wb_reply_state state = s->state;
    w->subject->stats(c->session, s);
    FUZZ_CHECK(RPL_002, s->off <= s->len);
    FUZZ_CHECK(RPL_002, s->len <= s->capacity);
    FUZZ_CHECK(RPL_001, s->taken == s->returned + s->discarded + (s->len - s->off));
    FUZZ_CHECK(RPL_003, s->taken == c->down.read);
    FUZZ_CHECK(RPL_003, s->taken >= taken);
    check_read_size(w, j, read_size);
    const uint64_t moved = s->cost->moved - j->moved_before;
    if (moved != 0) {
        FUZZ_CHECK(RPL_021, moved == s->len - s->off);
        FUZZ_CHECK(RPL_021, moved < WB_REPLY_LINE_MAX);
        j->moved_before = s->cost->moved;
        sim_mark(w->run, WORLD_MARK_MOVED);
    }
    FUZZ_CHECK(RPL_045, s->cost->scanned <= s->taken + s->cost->refills);
    FUZZ_CHECK(RPL_034, s->owed <= w->profile.owed_max || s->state == WB_REPLY_DEAD);
    if (s->state == WB_REPLY_IDLE || s->state == WB_REPLY_OWED)
        FUZZ_CHECK(RPL_048, s->returned == j->whole);
    if (s->state == WB_REPLY_IDLE) {
        FUZZ_CHECK(RPL_005, s->len == s->off);
        FUZZ_CHECK(RPL_005, !s->unit_open);
    }
    FUZZ_CHECK(RPL_037, state != WB_REPLY_DEAD || s->state == WB_REPLY_DEAD);
    if (s->state != state) {
        static const uint8_t marks[] = {WORLD_MARK_STATE_IDLE, WORLD_MARK_STATE_SENDING,
                                        WORLD_MARK_STATE_BUSY, WORLD_MARK_STATE_OWED,
                                        WORLD_MARK_STATE_DEAD};
        sim_mark(w->run, marks[s->state]);
        sim_trace_add(&w->run->trace, w->sched.now_ns, "state    c%u from %u to %u, reason %e",
                      c->id, state, s->state, s->reason);
        world_judge_state(w, c, state);
    }
    if (world_is_shown(w))
        world_show_counts(w, c, s->discarded - discarded, pending);
}

static void check_read_want(struct world *w, struct world_conn *c, const struct wb_reply_want *want)
{
    struct world_judge *j = &c->judge;
    bool direct = want->into[1].len > 0;
    j->direct_last = direct;
    if (!has_stats(w))
        return;
    size_t into_buffer = direct ? want->into[1].len : want->into[0].len;
    FUZZ_CHECK(RPL_020, into_buffer == j->last.read_size);
    FUZZ_CHECK(RPL_020, !direct || w->profile.values == WB_REPLY_DIRECT);
    if (is_in_block(w, c)) {
        const struct ref_reply_unit *u = &j->units[j->delivered];
        size_t at = (size_t)(j->last.returned + j->last.discarded) - j->reply_begin;
        FUZZ_CHECK(RPL_021, j->last.len == j->last.off);
        FUZZ_CHECK(RPL_020, !direct || at + want->into[0].len == u->value_begin + u->value_len);
        if (w->profile.values == WB_REPLY_DIRECT)
            FUZZ_CHECK(RPL_020, direct == (u->end - at >= j->last.read_size));
    }
}

/* The first step of a reply, and what may come before a wait. */
static void check_order(struct world *w, struct world_conn *c, const struct wb_reply_want *want)
{
    struct world_judge *j = &c->judge;
    bool waits = want->kind == WB_REPLY_WANT_WAIT;
    if (j->first_due && (waits || want->kind == WB_REPLY_WANT_READ)) {
        if (w->profile.tls)
            FUZZ_CHECK(RPL_025, !waits);
        else if (j->expected)
            FUZZ_CHECK(RPL_024, waits);
        else
            FUZZ_CHECK(RPL_030, !waits);
        j->first_due = false;
    } else if (waits && !j->waiting) {
        FUZZ_CHECK(RPL_030, !j->bytes_last);
    }
    if (waits && w->profile.tls && !j->lied && !world_judge_is_over(w, c))
        FUZZ_CHECK(RPL_025, c->tls_pulled <= c->down.read);
}

static void check_wait(struct world *w, struct world_conn *c, const struct wb_reply_want *want)
{
    struct world_judge *j = &c->judge;
    uint64_t now = w->sched.now_ns;
    if (!j->waiting) {
        j->waiting = true;
        j->wait_began_ns = now;
    }
    uint64_t most = UINT64_MAX - w->profile.wait_timeout_ns;
    uint64_t until =
        j->wait_began_ns < most ? j->wait_began_ns + w->profile.wait_timeout_ns : UINT64_MAX;
    if (until > c->deadline_ns) {
        until = c->deadline_ns;
        sim_mark(w->run, WORLD_MARK_DEADLINE);
    }
    j->until_ns = until;
    FUZZ_CHECK(RPL_056, !j->part_came || want->until_ns == until);
    FUZZ_CHECK(RPL_029, want->until_ns == until);
    FUZZ_CHECK(RPL_028, !j->ran_out);
}

/* While the block is not whole the model knows nothing of its size. */
static void check_space(struct world *w, struct world_conn *c, uint64_t size)
{
    struct world_judge *j = &c->judge;
    FUZZ_CHECK(RPL_055, c->active && !j->draining);
    FUZZ_CHECK(RPL_055, j->last.state != WB_REPLY_OWED && j->last.state != WB_REPLY_DEAD);
    bool is_whole = world_judge_parse(w, c, c->down.written) && j->delivered < j->result.units;
    FUZZ_CHECK(RPL_055, !is_whole || j->units[j->delivered].value_len == size);
}

void world_judge_want(struct world *w, struct world_conn *c, const struct wb_reply_want *want)
{
    struct world_judge *j = &c->judge;
    enum wb_reply_state state = has_stats(w) ? j->last.state : WB_REPLY_BUSY;
    if (state == WB_REPLY_DEAD)
        FUZZ_CHECK(RPL_037, want->kind == WB_REPLY_WANT_NEXT || want->kind == WB_REPLY_WANT_CLOSE ||
                                want->kind == WB_REPLY_WANT_NOTHING);
    check_order(w, c, want);
    switch (want->kind) {
    case WB_REPLY_WANT_WRITE:
        FUZZ_CHECK(RPL_032, state != WB_REPLY_OWED);
        FUZZ_CHECK(RPL_032, c->active);
        FUZZ_CHECK(RPL_053, !j->probe_due);
        break;
    case WB_REPLY_WANT_READ:
        check_read_want(w, c, want);
        if (state == WB_REPLY_SENDING)
            sim_mark(w->run, WORLD_MARK_SENDING_READ);
        break;
    case WB_REPLY_WANT_WAIT:
        check_wait(w, c, want);
        if (state == WB_REPLY_SENDING && !w->profile.tls)
            FUZZ_CHECK(RPL_047, (want->mask & WB_REPLY_READABLE) || world_judge_is_over(w, c));
        /* What is there behind a whole answer would end each wait at once. */
        if (state == WB_REPLY_SENDING && world_judge_is_over(w, c) && j->result.status == WB_OK)
            FUZZ_CHECK(RPL_047, want->mask == WB_REPLY_WRITABLE);
        break;
    case WB_REPLY_WANT_PROBE:
        FUZZ_CHECK(RPL_053, j->probe_due || !has_stats(w));
        break;
    case WB_REPLY_WANT_SPACE:
        check_space(w, c, want->size);
        break;
    case WB_REPLY_WANT_NOTHING:
    case WB_REPLY_WANT_NEXT:
    case WB_REPLY_WANT_POLL:
    case WB_REPLY_WANT_CLOSE:
        break;
    }
}

static void told_write(struct world *w, struct world_conn *c, const struct subject_told *told)
{
    struct world_judge *j = &c->judge;
    j->bytes_last = false;
    if (told->io == WB_REPLY_IO_AGAIN) {
        j->injected++;
        j->expected = false;
    }
    if (told->io != WB_REPLY_IO_BYTES)
        return;
    j->waiting = false;
    size_t sent = c->up.written - c->request_begin;
    struct wb_view want = wb_view_sub(c->request->bytes, 0, sent);
    struct wb_view got = wb_view_of(c->up.bytes + c->up.written - told->n, told->n);
    FUZZ_CHECK(RPL_032, wb_view_equal(got, wb_view_sub(want, sent - told->n, sent)));
    bool read_already = has_stats(w) && j->last.cost->reads != j->reads_before;
    j->first_due = sent == c->request->bytes.len && !read_already;
}

void world_judge_told(struct world *w, struct world_conn *c, const struct subject_told *told)
{
    struct world_judge *j = &c->judge;
    j->told_ns = w->sched.now_ns;
    if (told->io == WB_REPLY_IO_AGAIN || w->profile.poll_is_wait) /* a poll has just asked */
        j->told_ready = world_client_ready(w, c);
    j->told_eof |= told->io == WB_REPLY_IO_EOF;
    j->part_came = told->kind == WB_REPLY_WANT_READ && told->io == WB_REPLY_IO_AGAIN && told->n > 0;
    if (j->part_came)
        j->waiting = false;
    bool asked = told->kind == WB_REPLY_WANT_POLL ||
                 (told->kind == WB_REPLY_WANT_WAIT && w->profile.poll_is_wait);
    j->ran_out = asked && told->mask == 0 && w->sched.now_ns >= j->until_ns;
    if (told->kind == WB_REPLY_WANT_WRITE)
        told_write(w, c, told);
    if (told->kind == WB_REPLY_WANT_PROBE && told->io != WB_REPLY_IO_INTR)
        j->probe_due = false;
    if (told->kind != WB_REPLY_WANT_READ)
        return;
    j->bytes_last = told->io == WB_REPLY_IO_BYTES;
    if (told->io == WB_REPLY_IO_BYTES) {
        j->waiting = j->lied = false;
        j->may_allocate = has_stats(w) && told->n == j->last.read_size &&
                          j->last.read_size == w->profile.small && !j->direct_last;
    }
}

/* The figures of reply.h: what a caller gets who sets nothing. */
void world_judge_profile(const struct wb_reply_profile *p)
{
    FUZZ_CHECK(RPL_052, p->small == 8192 && p->large == 65536);
    FUZZ_CHECK(RPL_052, p->value_max == 1073741824);
    FUZZ_CHECK(RPL_052, p->wait_timeout_ns == 100 * WORLD_MS);
    FUZZ_CHECK(RPL_052, p->drain_max == 2099200 && p->owed_max == 3);
    FUZZ_CHECK(RPL_052, p->probe_idle_ns == UINT64_MAX);
    FUZZ_CHECK(RPL_052, p->values == WB_REPLY_VIEW);
    FUZZ_CHECK(RPL_052, p->recover && !p->tls && !p->poll_is_wait);
}
