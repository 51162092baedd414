#include "targets/reply/world.h"
#include "targets/reply/world_ops.h"

static struct world_conn *conn_of(struct world *w, const struct sim_op *op)
{
    return &w->conns[op->slot % WORLD_CONNS];
}

static uint32_t at_least_one(uint16_t count)
{
    return count > 0 ? count : 1;
}

static bool request(struct world *w, struct world_conn *c, const struct sim_op *op)
{
    static const uint8_t kinds[] = {WORLD_GET,          WORLD_SET,
                                    WORLD_DELETE,       WORLD_ARITH,
                                    WORLD_DEBUG,        WORLD_NOOP,
                                    WORLD_VERSION,      WORLD_BATCH,
                                    WORLD_BATCH_SET,    WORLD_COUNTED,
                                    WORLD_CLASSIC_GET,  WORLD_CLASSIC_GETS,
                                    WORLD_CLASSIC_SET,  WORLD_CLASSIC_DELETE,
                                    WORLD_CLASSIC_INCR, WORLD_CLASSIC_TOUCH,
                                    WORLD_CLASSIC_STATS};
    return world_client_request(w, c, op, (enum world_kind)kinds[op->opcode - OP_GET]);
}

static bool server(struct world *w, struct world_conn *c, const struct sim_op *op)
{
    struct world_server *s = &c->server;
    switch (op->opcode) {
    case OP_HITS:
        s->hits_next = (enum world_hits)(op->arg % (WORLD_HITS_EMPTY + 1));
        return true;
    case OP_HOLD:
        s->hold_next = true;
        s->hold_bytes = op->arg;
        return true;
    case OP_RELEASE: {
        bool held = s->holding;
        world_server_release(w, c);
        return held;
    }
    case OP_MUTE:
        s->mute = true;
        s->honest = false;
        return true;
    case OP_DELAY:
        c->down.delay_ns = op->arg * WORLD_MS;
        return true;
    case OP_AFTER:
        return sim_sched_at(&w->sched, op->arg * WORLD_MS, WORLD_EVENT_RELEASE, c->id, 0);
    case OP_WRONG:
        s->wrong_next = (enum world_wrong)(op->arg % WORLD_WRONG_COUNT);
        return true;
    default:
        return false;
    }
}

static bool raw(struct world *w, struct world_conn *c, const struct sim_op *op)
{
    if (op->lit.len == 0 ||
        op->lit.len > WORLD_STREAM_SIZE / 2 - c->down.written % (WORLD_STREAM_SIZE / 2))
        return false;
    world_server_raw(w, c, op->lit);
    return true;
}

/* Faults of the way down to the client and of its reads. */
static bool down(struct world *w, struct world_conn *c, const struct sim_op *op)
{
    struct sim_stream *s = &c->down;
    uint64_t now = w->sched.now_ns;
    switch (op->opcode) {
    case OP_SPLIT:
        sim_mark(w->run, WORLD_MARK_SPLIT);
        s->split_count = 1;
        s->split = at_least_one(op->arg);
        s->split_gap_ns = op->ext % 1000 * WORLD_MS;
        return true;
    case OP_MERGE:
        sim_mark(w->run, WORLD_MARK_MERGED);
        s->merge = op->arg % 64;
        return true;
    case OP_STALL:
        sim_mark(w->run, WORLD_MARK_STALL);
        sim_stream_stall(s, now, now + op->arg * WORLD_MS);
        return true;
    case OP_WINDOW:
        s->window = op->arg > 0 && op->arg < 256 ? 256 : op->arg;
        return true;
    case OP_AGAIN:
        s->again = at_least_one(op->arg % 64);
        return true;
    case OP_INTR:
        s->intr = at_least_one(op->arg % 64);
        return true;
    case OP_CHUNK:
        s->read_max = at_least_one(op->arg);
        s->read_max_count = op->ext % 512 + 1;
        return true;
    case OP_HIDE:
        if (!w->profile.tls || sim_stream_readable_bytes(s, now) == 0 || c->record > 0)
            return false;
        c->tls_pulled = s->read + sim_stream_readable_bytes(s, now);
        sim_mark(w->run, WORLD_MARK_TLS_HIDDEN);
        return true;
    case OP_RECORD:
        c->record = op->arg;
        return w->profile.tls && c->record > 0;
    case OP_END:
        world_server_release(w, c);
        sim_stream_fin(s, now);
        world_show(w, "fin      c%u", (unsigned)c->id);
        return true;
    case OP_RESET:
        sim_stream_reset(s, now);
        world_show(w, "reset    c%u", (unsigned)c->id);
        sim_stream_reset(&c->up, now);
        return true;
    default:
        return false;
    }
}

static bool up(struct world *w, struct world_conn *c, const struct sim_op *op)
{
    uint64_t now = w->sched.now_ns;
    switch (op->opcode) {
    case OP_STALL_UP:
        sim_stream_stall(&c->up, now, now + op->arg * WORLD_MS);
        return true;
    case OP_WINDOW_UP:
        c->up.window = op->arg > 0 && op->arg < 16 ? 16 : op->arg;
        return true;
    case OP_SHORT_WRITE:
        c->up.write_max = at_least_one(op->arg);
        c->up.write_max_count = 1;
        return true;
    case OP_WRITE_AGAIN:
        c->up.write_again = at_least_one(op->arg % 16);
        return true;
    case OP_WRITE_INTR:
        c->up.write_intr = at_least_one(op->arg % 16);
        return true;
    default:
        return false;
    }
}

static bool spurious(struct world *w, struct world_conn *c, const struct sim_op *op)
{
    uint32_t waits = at_least_one(op->arg % 64);
    if (c->parked && c->park_mask != 0) {
        waits--;
        c->judge.injected++;
        sim_mark(w->run, WORLD_MARK_SPURIOUS);
        world_client_wake(w, c, c->park_mask, world_client_ready(w, c));
    }
    c->spurious = waits;
    return true;
}

static bool client(struct world *w, struct world_conn *c, const struct sim_op *op)
{
    switch (op->opcode) {
    case OP_ABANDON:
        return world_client_abandon(w, c);
    case OP_RECONNECT:
        sim_mark(w->run, WORLD_MARK_RECONNECTED);
        world_client_close(w, c);
        return world_client_open(w, c);
    case OP_SLOW:
        c->slow = true;
        return true;
    case OP_PULL:
        if (!c->slow || !c->open || c->parked)
            return false;
        world_client_pull(w, c);
        return true;
    case OP_GIVE_UP:
        c->give_up =
            (enum wb_reply_want_kind)(WB_REPLY_WANT_NEXT + op->arg % (WB_REPLY_WANT_SPACE));
        return true;
    case OP_OPAQUE:
        c->opaque_more = op->arg % (WB_REPLY_OPAQUE_MAX - WORLD_OPAQUE + 1);
        return true;
    case OP_STARVE:
        c->starve = at_least_one(op->arg % 64);
        return !w->profile.poll_is_wait;
    case OP_SPURIOUS:
        return spurious(w, c, op);
    default:
        return false;
    }
}

bool world_apply(struct world *w, const struct sim_op *op)
{
    struct world_conn *c = conn_of(w, op);
    switch (op->opcode) {
    case OP_TIME:
        world_pass(w, w->sched.now_ns + op->arg * WORLD_MS);
        return true;
    case OP_PICK:
        sim_mark(w->run, WORLD_MARK_SCHEDULED);
        sim_sched_override(&w->sched, op->arg);
        return true;
    case OP_REFUSE:
        sim_alloc_fail_next(&w->run->alloc, at_least_one(op->arg));
        return true;
    default:
        break;
    }
    if (!c->open && op->opcode != OP_RECONNECT && !world_client_open(w, c))
        return false;
    if (op->opcode == SIM_OP_LIT)
        return raw(w, c, op);
    if (op->opcode < OP_HITS)
        return request(w, c, op);
    if (op->opcode < OP_SPLIT)
        return server(w, c, op);
    if (op->opcode >= OP_STARVE)
        return client(w, c, op);
    bool done = down(w, c, op) || up(w, c, op);
    world_poke_client(w, c);
    world_poke_server(w, c);
    return done;
}
