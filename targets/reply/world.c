#include "targets/reply/world.h"

#include "targets/reply/world_ops.h"

void world_step(struct world *w)
{
    w->steps++;
    FUZZ_CHECK(BED_004, w->steps <= w->steps_max);
}

static void put_event(struct world *w, uint64_t delay_ns, enum world_event kind, uint32_t who)
{
    sim_sched_cancel(&w->sched, kind, who);
    bool placed = sim_sched_at(&w->sched, delay_ns, kind, who, 0);
    WB_ASSERT(placed);
}

void world_await_client(struct world *w, struct world_conn *c)
{
    uint64_t now = w->sched.now_ns, next = sim_stream_next_ns(&c->down, now);
    if (next != UINT64_MAX)
        put_event(w, next - now, WORLD_EVENT_CLIENT, c->id);
}

void world_poke_client(struct world *w, struct world_conn *c)
{
    if (!c->parked || c->park_mask == 0)
        return;
    if (world_client_ready(w, c) & c->park_mask)
        put_event(w, 0, WORLD_EVENT_CLIENT, c->id);
    else
        world_await_client(w, c);
}

void world_poke_server(struct world *w, struct world_conn *c)
{
    uint64_t now = w->sched.now_ns;
    bool blocked = c->server.out_begin < c->server.out_end && !c->server.holding;
    bool can_write = blocked && sim_stream_is_writable(&c->down, now);
    if (can_write || (!blocked && sim_stream_readable_bytes(&c->up, now) > 0)) {
        put_event(w, 0, WORLD_EVENT_SERVER, c->id);
        return;
    }
    uint64_t next = sim_stream_next_ns(&c->up, now);
    if (!blocked && next != UINT64_MAX)
        put_event(w, next - now, WORLD_EVENT_SERVER, c->id);
}

static void handle(struct world *w, const struct sim_event *event)
{
    struct world_conn *c = &w->conns[event->who];
    unsigned ready = 0;
    world_step(w);
    switch ((enum world_event)event->kind) {
    case WORLD_EVENT_CLIENT:
        ready = world_client_ready(w, c);
        if (c->parked && (ready & c->park_mask))
            world_client_wake(w, c, ready & c->park_mask, ready);
        else
            world_poke_client(w, c);
        return;
    case WORLD_EVENT_SERVER:
        world_server_run(w, c);
        return;
    case WORLD_EVENT_DEADLINE:
        /* a plain poll looks once more at its limit; another scheduler just says timeout */
        ready = world_client_ready(w, c);
        world_client_wake(w, c, w->profile.poll_is_wait ? ready & c->park_mask : 0, ready);
        return;
    case WORLD_EVENT_RELEASE:
        world_server_release(w, c);
        return;
    }
    WB_UNREACHABLE();
}

void world_pass(struct world *w, uint64_t until_ns)
{
    struct sim_event event;
    while (sim_sched_take(&w->sched, until_ns, &event))
        handle(w, &event);
    if (until_ns != UINT64_MAX)
        sim_sched_advance(&w->sched, until_ns);
}

static struct wb_reply_profile profile_of(const struct sim_header *h)
{
    static const struct {
        size_t small, large;
    } sizes[] = {{WB_REPLY_SMALL, WB_REPLY_LARGE}, {2112, 4096}, {2049, 2049}, {2049, 65536}};
    static const enum wb_reply_values values[] = {WB_REPLY_VIEW, WB_REPLY_COPY, WB_REPLY_DIRECT,
                                                  WB_REPLY_VIEW};
    struct wb_reply_profile p = wb_reply_profile_default();
    world_judge_profile(&p);
    p.small = sizes[h->profile & 3].small;
    p.large = sizes[h->profile & 3].large;
    p.values = values[h->profile >> 2 & 3];
    p.tls = h->profile & 0x10;
    p.poll_is_wait = h->profile & 0x20;
    p.recover = !(h->profile & 0x40);
    p.probe_idle_ns = h->profile & 0x80 ? WORLD_MS : UINT64_MAX;
    if (h->knob[0] == UINT8_MAX)
        p.wait_timeout_ns = UINT64_MAX;
    else if (h->knob[0])
        p.wait_timeout_ns = h->knob[0] * 10 * WORLD_MS;
    if (h->knob[1])
        p.drain_max = h->knob[1] * UINT64_C(100);
    if (h->knob[3])
        p.owed_max = h->knob[3];
    return p;
}

static void tell_states(struct world *w)
{
    for (uint32_t i = 0; i < WORLD_CONNS; i++) {
        struct world_conn *c = &w->conns[i];
        if (!c->open || !w->subject->stats)
            continue;
        struct wb_reply_stats s;
        w->subject->stats(c->session, &s);
        sim_run_story(w->run, "%sc%u %s", i > 0 ? "; " : "", i, wb_reply_state_name((int)s.state));
        if (s.state == WB_REPLY_DEAD)
            sim_run_story(w->run, ":%s", wb_err_name((int)s.reason));
        sim_run_story(w->run, " reads=%u again=%u waits=%u moved=%u size=%u",
                      (unsigned)s.cost->reads, (unsigned)s.cost->agains, (unsigned)s.cost->waits,
                      (unsigned)s.cost->moved, (unsigned)s.read_size);
    }
}

static void check(const struct world *w)
{
    for (uint32_t i = 0; i < WORLD_CONNS; i++) {
        if (w->conns[i].open && w->subject->check)
            w->subject->check(w->conns[i].session);
    }
}

/* Faults heal, everything drains in order; each connection that lives gets one more request. */
static void calm_down(struct world *w)
{
    static const struct sim_op last = {.opcode = OP_GET, .arg = 5, .flags = 1};
    w->calm = true;
    world_show(w, "calm     faults heal");
    w->sched.skip = 0;
    w->run->alloc.fail_at[SIM_ALLOC_OP] = 0;
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < WORLD_CONNS; i++) {
            struct world_conn *c = &w->conns[i];
            c->starve = c->spurious = 0;
            c->give_up = WB_REPLY_WANT_NOTHING;
            c->record = c->record_pulled = 0;
            sim_stream_heal(&c->up);
            sim_stream_heal(&c->down);
            c->up.window = c->down.window = c->down.delay_ns = 0;
            c->server.mute = c->server.hold_next = false;
            c->server.wrong_next = WORLD_WRONG_NONE;
            c->server.hits_next = WORLD_HITS_ALL;
            if (!c->open)
                continue;
            if (round > 0 && !c->closed_once)
                (void)world_client_request(w, c, &last, WORLD_GET);
            world_server_release(w, c);
            world_client_run(w, c);
            world_poke_client(w, c);
        }
        world_pass(w, UINT64_MAX);
        for (uint32_t i = 0; i < WORLD_CONNS; i++)
            if (w->conns[i].open)
                world_judge_quiet(w, &w->conns[i]);
        check(w);
    }
}

static void init(struct world *w, struct sim_run *run, const struct sim_header *header)
{
    w->run = run;
    w->subject = subject_reply();
    w->ops = &world_ops;
    w->header = *header;
    w->profile = profile_of(header);
    sim_sched_init(&w->sched);
    w->serial = 0;
    w->steps = 0;
    w->steps_max = 4 * WORLD_STEPS_PER_OP;
    w->calm = false;
    for (uint32_t i = 0; i < WORLD_CONNS; i++) {
        struct world_conn *c = &w->conns[i];
        c->id = i;
        c->open = c->parked = c->active = false;
        c->give_up = WB_REPLY_WANT_NOTHING;
        c->opaque_more = 0;
        c->session = NULL;
        c->server = (struct world_server){.honest = true};
        sim_stream_init(&c->up, world_area_up(i), WORLD_STREAM_SIZE);
        sim_stream_init(&c->down, world_area_down(i), WORLD_STREAM_SIZE);
    }
}

void world_run(struct sim_run *run, struct wb_view input)
{
    static struct world world; /* large, and wholly set up by init */
    struct world *w = &world;
    struct sim_scenario scenario = sim_scenario_of(input);
    struct sim_op op;
    init(w, run, &scenario.header);
    (void)world_client_open(w, &w->conns[0]);
    while (sim_scenario_next(&scenario, &op)) {
        if (!sim_ops_enter(&world_ops, run, &scenario.header, &op))
            continue;
        sim_trace_add(&run->trace, w->sched.now_ns, "op       %u: %o s%u arg %u", op.record,
                      op.opcode, op.slot, op.arg);
        w->steps_max += WORLD_STEPS_PER_OP;
        if (!world_apply(w, &op)) {
            sim_ops_dead(run);
            world_show(w, "nothing  to do for this op");
        }
        world_pass(w, w->sched.now_ns);
        check(w);
    }
    tell_states(w);
    calm_down(w);
    for (uint32_t i = 0; i < WORLD_CONNS; i++)
        world_client_close(w, &w->conns[i]);
}
