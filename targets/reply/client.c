#include "targets/reply/world.h"

#define HOW_EXPECT   1u
#define HOW_DEADLINE 8u

static struct sim_trace *trace(struct world *w)
{
    return &w->run->trace;
}

/* Only what the kind of want looks at is set. */
static void tell(struct world *w, struct world_conn *c)
{
    const struct subject_told *told = &c->told;
    world_judge_before(w, c);
    w->subject->told(c->session, w->sched.now_ns, told);
    world_judge_told(w, c, told);
    if (told->kind != WB_REPLY_WANT_WAIT || w->profile.poll_is_wait)
        world_judge_after(w, c); /* a scheduler's word moves nothing; the poll that follows may */
}

static void tell_io(struct world *w, struct world_conn *c, enum wb_reply_want_kind kind,
                    enum wb_reply_io io, size_t n)
{
    c->told.kind = kind;
    c->told.io = io;
    c->told.n = n;
    c->told.mask = 0;
    tell(w, c);
}

static void tell_mask(struct world *w, struct world_conn *c, enum wb_reply_want_kind kind,
                      unsigned mask)
{
    c->told.kind = kind;
    c->told.io = WB_REPLY_IO_BYTES;
    c->told.mask = mask;
    tell(w, c);
}

bool world_client_open(struct world *w, struct world_conn *c)
{
    sim_stream_init(&c->up, world_area_up(c->id), WORLD_STREAM_SIZE);
    sim_stream_init(&c->down, world_area_down(c->id), WORLD_STREAM_SIZE);
    c->session = NULL;
    c->closed_once = c->active = c->parked = c->slow = false;
    c->tls_pulled = c->record = c->record_pulled = 0;
    c->starve = c->spurious = 0;
    c->server = (struct world_server){.honest = true};
    enum wb_err e =
        w->subject->open(&w->profile, sim_run_mem(w->run), w->sched.now_ns, &c->session);
    c->open = e == WB_OK;
    FUZZ_CHECK(RPL_040, c->open || (e == WB_E_NOMEM && w->run->alloc.refused > 0));
    world_show(w, c->open ? "opened   c%u" : "nothing  c%u: no memory", (unsigned)c->id);
    if (!c->open)
        sim_mark(w->run, WORLD_MARK_NO_MEMORY);
    else
        world_judge_open(w, c);
    return c->open;
}

void world_client_close(struct world *w, struct world_conn *c)
{
    if (!c->open)
        return;
    world_judge_before(w, c);
    w->subject->close(c->session);
    w->subject->close(NULL);
    c->session = NULL;
    c->open = c->parked = false;
    for (uint32_t kind = WORLD_EVENT_CLIENT; kind <= WORLD_EVENT_RELEASE; kind++)
        sim_sched_cancel(&w->sched, kind, c->id);
}

unsigned world_client_ready(const struct world *w, const struct world_conn *c)
{
    uint64_t now = w->sched.now_ns;
    bool readable = sim_stream_is_readable(&c->down, now);
    if (readable && w->profile.tls) {
        size_t bytes = sim_stream_readable_bytes(&c->down, now);
        size_t end = c->down.read + bytes;
        readable = bytes == 0 || (end > c->tls_pulled && end > c->record_pulled);
    }
    return (readable ? WB_REPLY_READABLE : 0) |
           (sim_stream_is_writable(&c->up, now) ? WB_REPLY_WRITABLE : 0);
}

static enum wb_reply_io io_of(enum sim_io io)
{
    switch (io) {
    case SIM_IO_BYTES:
        return WB_REPLY_IO_BYTES;
    case SIM_IO_AGAIN:
        return WB_REPLY_IO_AGAIN;
    case SIM_IO_INTR:
        return WB_REPLY_IO_INTR;
    case SIM_IO_EOF:
        return WB_REPLY_IO_EOF;
    case SIM_IO_RESET:
        return WB_REPLY_IO_RESET;
    }
    WB_UNREACHABLE();
}

static void start_job(struct world_conn *c)
{
    c->sent_any = true;
    c->request_begin = c->up.written;
    c->server.job = c->request;
    c->server.job_begin = c->up.written;
    c->server.answered = 0;
    c->server.started = false;
    c->server.working = true;
}

static void do_write(struct world *w, struct world_conn *c, struct wb_view bytes)
{
    enum sim_io io = SIM_IO_BYTES;
    size_t before = c->up.written;
    if (!c->sent_any)
        start_job(c);
    size_t n = sim_stream_write(&c->up, w->sched.now_ns, bytes, &io);
    if (c->up.written == before && c->request_begin == before)
        c->sent_any = c->server.working = false; /* nothing went out after all */
    if (io == SIM_IO_AGAIN)
        sim_mark(w->run, WORLD_MARK_WRITE_AGAIN);
    else if (io == SIM_IO_BYTES && n < bytes.len)
        sim_mark(w->run, WORLD_MARK_PARTIAL_WRITE);
    sim_trace_add(trace(w), w->sched.now_ns, "write    c%u %u of %u bytes, io %u", c->id, n,
                  bytes.len, io);
    if (world_is_shown(w))
        world_show_bytes(w, c, wb_view_sub(bytes, 0, n));
    tell_io(w, c, WB_REPLY_WANT_WRITE, io_of(io), n);
    world_poke_server(w, c);
}

static enum sim_io read_both(struct world *w, struct world_conn *c,
                             const struct wb_reply_want *want, size_t *out_n)
{
    uint64_t now = w->sched.now_ns;
    struct sim_stream *s = &c->down;
    enum sim_io io = sim_stream_read(s, now, want->into[0].data, want->into[0].len, out_n);
    bool filled = io == SIM_IO_BYTES && *out_n == want->into[0].len && want->into[1].len > 0;
    if (filled && s->again == 0 && s->intr == 0 && s->read_max_count == 0) {
        size_t more = 0;
        if (sim_stream_read(s, now, want->into[1].data, want->into[1].len, &more) == SIM_IO_BYTES)
            *out_n += more;
    }
    return io;
}

/* TLS takes what there is of a record that is not whole, and has nothing to give; else false. */
static bool read_part(struct world *w, struct world_conn *c, size_t there)
{
    size_t end = c->down.read + there, pulled = c->record_pulled;
    if (!w->profile.tls || c->down.end != SIM_STREAM_OPEN || c->tls_pulled > c->down.read ||
        there >= c->record) {
        c->record = c->record_pulled = 0;
        return false;
    }
    if (pulled < c->down.read)
        pulled = c->down.read;
    c->record_pulled = end;
    if (end > pulled)
        sim_mark(w->run, WORLD_MARK_RECORD_PART);
    sim_trace_add(trace(w), w->sched.now_ns, "part     c%u %u bytes, %u of a record of %u", c->id,
                  end - pulled, there, c->record);
    tell_io(w, c, WB_REPLY_WANT_READ, WB_REPLY_IO_AGAIN, end - pulled);
    return true;
}

static void do_read(struct world *w, struct world_conn *c, const struct wb_reply_want *want)
{
    size_t n = 0, there = sim_stream_readable_bytes(&c->down, w->sched.now_ns);
    if (c->record > 0 && read_part(w, c, there))
        return;
    size_t asked = want->into[0].len + want->into[1].len;
    bool news = there > 0 || sim_stream_is_readable(&c->down, w->sched.now_ns);
    if (w->profile.tls && c->tls_pulled < c->down.read + there)
        c->tls_pulled = c->down.read + there;
    enum sim_io io = read_both(w, c, want, &n);
    if (io == SIM_IO_AGAIN && news) {
        sim_mark(w->run, WORLD_MARK_AGAIN);
        c->judge.lied = true;
        c->judge.injected++;
    } else if (io == SIM_IO_INTR) {
        sim_mark(w->run, WORLD_MARK_INTR);
    } else if (io == SIM_IO_BYTES && n < there && n < asked) {
        sim_mark(w->run, WORLD_MARK_SHORT_READ);
        c->judge.injected++;
    } else if (io == SIM_IO_EOF) {
        sim_mark(w->run, WORLD_MARK_END_OF_STREAM);
    } else if (io == SIM_IO_RESET) {
        sim_mark(w->run, WORLD_MARK_RESET);
    }
    if (want->into[1].len > 0)
        sim_mark(w->run, WORLD_MARK_DIRECT);
    sim_trace_add(trace(w), w->sched.now_ns, "read     c%u %u of %u bytes, io %u", c->id, n, asked,
                  io);
    tell_io(w, c, WB_REPLY_WANT_READ, io_of(io), n);
    if (c->server.out_begin < c->server.out_end)
        world_poke_server(w, c); /* there is room again */
}

static void do_poll(struct world *w, struct world_conn *c, unsigned mask)
{
    c->judge.told_ready = world_client_ready(w, c);
    mask &= c->judge.told_ready;
    if (world_is_shown(w))
        world_show(w, "poll     c%u: %x", (unsigned)c->id, mask);
    tell_mask(w, c, WB_REPLY_WANT_POLL, mask);
}

static void do_probe(struct world *w, struct world_conn *c)
{
    uint64_t now = w->sched.now_ns;
    enum wb_reply_io io = WB_REPLY_IO_AGAIN;
    if (c->up.write_intr > 0) {
        c->up.write_intr--;
        io = WB_REPLY_IO_INTR;
    } else if (sim_stream_readable_bytes(&c->down, now) > 0)
        io = WB_REPLY_IO_BYTES;
    else if (sim_stream_is_readable(&c->down, now))
        io = c->down.end == SIM_STREAM_FIN ? WB_REPLY_IO_EOF : WB_REPLY_IO_RESET;
    if (io != WB_REPLY_IO_INTR)
        sim_mark(w->run, io == WB_REPLY_IO_AGAIN   ? WORLD_MARK_PROBE_CLEAN
                         : io == WB_REPLY_IO_BYTES ? WORLD_MARK_PROBE_BYTES
                                                   : WORLD_MARK_PROBE_EOF);
    sim_trace_add(trace(w), now, "probe    c%u says %u", c->id, io, 0, 0);
    tell_io(w, c, WB_REPLY_WANT_PROBE, io, 0);
}

void world_client_wake(struct world *w, struct world_conn *c, unsigned mask, unsigned ready)
{
    if (!c->parked)
        return;
    c->parked = false;
    sim_sched_cancel(&w->sched, WORLD_EVENT_DEADLINE, c->id);
    sim_trace_add(trace(w), w->sched.now_ns, "wake     c%u scheduler says %x, socket %x", c->id,
                  mask, ready, 0);
    tell_mask(w, c, WB_REPLY_WANT_WAIT, mask);
    world_client_run(w, c);
}

/* True when the wait ended at once. */
static bool do_wait(struct world *w, struct world_conn *c, const struct wb_reply_want *want)
{
    unsigned ready = world_client_ready(w, c) & want->mask;
    bool starved = c->starve > 0 && !w->profile.poll_is_wait;
    bool spurious = c->spurious > 0 && ready == 0;
    if (ready != 0 && !starved) {
        if (world_is_shown(w))
            world_show(w, "ready    c%u for %x: %x", (unsigned)c->id, want->mask, ready);
        tell_mask(w, c, WB_REPLY_WANT_WAIT, ready);
        return true;
    }
    if (spurious) {
        c->spurious--;
        c->judge.injected++;
        sim_mark(w->run, WORLD_MARK_SPURIOUS);
        if (world_is_shown(w))
            world_show(w, "spurious c%u for %x", (unsigned)c->id, want->mask);
        tell_mask(w, c, WB_REPLY_WANT_WAIT, want->mask);
        return true;
    }
    c->parked = true;
    c->park_mask = starved ? 0 : want->mask;
    c->park_until_ns = want->until_ns;
    if (starved) {
        c->starve--;
        c->judge.injected++;
        sim_mark(w->run, WORLD_MARK_STARVED);
    }
    uint64_t now = w->sched.now_ns;
    uint64_t left = want->until_ns > now ? want->until_ns - now : 0;
    bool placed = sim_sched_at(&w->sched, left, WORLD_EVENT_DEADLINE, c->id, 0);
    WB_ASSERT(placed);
    sim_trace_add(trace(w), now, "wait     c%u for %x until %t", c->id, c->park_mask,
                  want->until_ns, 0);
    if (starved)
        world_show(w, "starved  c%u for %x", (unsigned)c->id, want->mask);
    if (!starved)
        world_await_client(w, c);
    return false;
}

static void do_close(struct world *w, struct world_conn *c)
{
    FUZZ_CHECK(RPL_037, !c->closed_once);
    c->closed_once = true;
    sim_trace_add(trace(w), w->sched.now_ns, "close    c%u", c->id, 0, 0, 0);
    tell_mask(w, c, WB_REPLY_WANT_CLOSE, 0);
}

/* Pulls one event; false when there was none. */
static bool do_next(struct world *w, struct world_conn *c)
{
    struct wb_reply_event *event = &c->event;
    world_judge_before(w, c);
    world_judge_look(w, c);
    enum wb_err e = w->subject->next(c->session, w->sched.now_ns, event);
    FUZZ_CHECK(RPL_054, e == WB_OK || e == WB_MORE);
    world_judge_looked(w, c, e == WB_OK && event->kind == WB_REPLY_EVENT_UNIT);
    if (e == WB_OK && event->kind == WB_REPLY_EVENT_UNIT)
        world_judge_unit(w, c, event);
    else if (e == WB_OK)
        world_judge_end(w, c, event);
    if (e == WB_OK && event->kind == WB_REPLY_EVENT_END)
        c->active = false;
    world_judge_after(w, c);
    return e == WB_OK;
}

/* True when the request was given up there, which serves whatever comes of it. */
static bool give_up_at(struct world *w, struct world_conn *c, enum wb_reply_want_kind kind)
{
    if (!c->active || c->give_up != kind)
        return false;
    c->give_up = WB_REPLY_WANT_NOTHING;
    return world_client_abandon(w, c);
}

void world_client_run(struct world *w, struct world_conn *c)
{
    while (c->open && !c->parked) {
        const struct wb_reply_want want = w->subject->want(c->session, w->sched.now_ns);
        world_step(w);
        world_judge_want(w, c, &want);
        if (give_up_at(w, c, want.kind))
            return;
        switch (want.kind) {
        case WB_REPLY_WANT_NOTHING:
            return;
        case WB_REPLY_WANT_NEXT:
            if (c->slow && !w->calm)
                return;
            (void)do_next(w, c);
            break;
        case WB_REPLY_WANT_WRITE:
            do_write(w, c, want.bytes);
            break;
        case WB_REPLY_WANT_READ:
            do_read(w, c, &want);
            break;
        case WB_REPLY_WANT_WAIT:
            if (!do_wait(w, c, &want))
                return;
            break;
        case WB_REPLY_WANT_POLL:
            do_poll(w, c, want.mask);
            break;
        case WB_REPLY_WANT_PROBE:
            do_probe(w, c);
            break;
        case WB_REPLY_WANT_SPACE:
            c->told.space = world_area_space(c->id);
            tell_mask(w, c, WB_REPLY_WANT_SPACE, 0);
            break;
        case WB_REPLY_WANT_CLOSE:
            do_close(w, c);
            break;
        }
    }
}

void world_client_pull(struct world *w, struct world_conn *c)
{
    sim_mark(w->run, WORLD_MARK_SLOW);
    if (do_next(w, c))
        return;
    bool slow = c->slow;
    c->slow = true;
    world_client_run(w, c);
    c->slow = slow;
}

/* All bytes that a request and its answer, wrong or twice, may need fit what is left. */
static bool has_room(const struct world_conn *c, const struct sim_op *op, enum world_kind kind)
{
    bool many = world_request_is_many(kind),
         stores = kind == WORLD_SET || kind == WORLD_CLASSIC_SET;
    size_t count = many ? op->arg % WORLD_KEYS : 1;
    size_t size = many ? op->ext : op->arg + (stores ? 0 : op->ext);
    size_t answer = (count + 1) * (size + 128) + size + 2 * WB_REPLY_LINE_MAX;
    size_t request = stores ? size + 64 : (count + 1) * (48 + c->opaque_more);
    size_t pending = c->server.out_end;
    return answer < WORLD_STREAM_SIZE - c->down.written - pending && size < WORLD_STREAM_SIZE / 2 &&
           pending < WORLD_STREAM_SIZE / 2 && c->down.written < WORLD_STREAM_SIZE / 2 &&
           request < WORLD_STREAM_SIZE - c->up.written;
}

bool world_client_request(struct world *w, struct world_conn *c, const struct sim_op *op,
                          enum world_kind kind)
{
    if (!c->open)
        return false;
    bool busy = c->active;
    if (!busy && !has_room(c, op, kind))
        return false;
    struct world_request second, *request = &second;
    if (!busy) /* the server may still be at an old one */
        request = c->request = &c->requests[c->server.job == &c->requests[0]];
    if (busy) /* will be refused; the one in flight stays as it is */
        second = (struct world_request){.bytes = wb_view_text("mn\r\n"),
                                        .shape = {.codes = WB_REPLY_CODES_MN, .count = 1}};
    else
        world_request_build(w, c, op, kind, request);
    w->serial++;
    /* a window of 16 bytes takes eight steps a round; answers come in 256 or more */
    w->steps_max += request->bytes.len / 2 + (size_t)request->size * request->count / 16;
    bool expect = op->flags & HOW_EXPECT;
    uint64_t now = w->sched.now_ns;
    uint64_t ms = w->header.knob[2] ? w->header.knob[2] * UINT64_C(10) : 100;
    uint64_t deadline_ns = op->flags & HOW_DEADLINE ? now + ms * WORLD_MS : UINT64_MAX;
    world_judge_before(w, c);
    enum wb_err e = w->subject->request(c->session, now, (struct wb_view){0}, &request->shape,
                                        expect, deadline_ns);
    /* dead before the driver hears that it is to close */
    bool dead = c->judge.last.state == WB_REPLY_DEAD || c->closed_once;
    FUZZ_CHECK(RPL_051, e == WB_E_VALUE || busy || dead);
    e = w->subject->request(c->session, now, request->bytes, &request->shape, expect, deadline_ns);
    sim_trace_add(&w->run->trace, now, "request  c%u serial %u kind %u: %e", c->id, request->serial,
                  kind, e);
    if (e == WB_OK) {
        c->active = true;
        c->sent_any = false;
        c->deadline_ns = deadline_ns;
    }
    world_judge_request(w, c, e, busy, expect);
    world_judge_after(w, c);
    world_client_run(w, c);
    return true;
}

bool world_client_abandon(struct world *w, struct world_conn *c)
{
    if (!c->open || !c->active)
        return false;
    world_judge_before(w, c);
    enum wb_reply_state state = w->subject->abandon(c->session, w->sched.now_ns);
    sim_trace_add(&w->run->trace, w->sched.now_ns, "abandon  c%u leaves state %u", c->id, state, 0,
                  0);
    world_judge_abandoned(w, c, state);
    c->active = c->parked = false;
    sim_sched_cancel(&w->sched, WORLD_EVENT_DEADLINE, c->id);
    world_judge_after(w, c);
    world_client_run(w, c);
    return true;
}
