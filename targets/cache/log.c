/*
 * log.c: a run of the world of one group: its limits, its ops, and how everybody goes.
 */
#include "targets/cache/log.h"

#include <inttypes.h>

bool log_was_refused(struct log_world *w, enum wb_err err, uint64_t refused)
{
    bool was = w->run->alloc.refused != refused;

    FUZZ_CHECK(GRP_013, (err == WB_E_NOMEM) == was);
    if (was)
        sim_mark(w->run, LOG_MARK_REFUSED);
    return was;
}

void log_ended(struct log_world *w, enum wb_err err)
{
    if (err != WB_OK && err != WB_MORE)
        w->last = err;
    sim_run_note(w->run, (uint64_t)err);
}

void log_let_go(struct log_world *w)
{
    if (--w->holders == 0)
        w->alive = NULL;
}

uint64_t log_many(const struct log_world *w, const struct sim_op *op)
{
    uint64_t most = w->model.sequence == LOG_MANY_ALL ? 50000 : LOG_MANY_MAX;

    return op->arg < most ? op->arg : most;
}

uint32_t log_owner_new(struct log_world *w)
{
    if (w->owners + 1 >= LOG_OWNERS)
        return 0;
    w->owner[++w->owners] = (struct log_owner){.end = WB_END};
    return w->owners;
}

/* Knobs in bytes: the group's limit by 64, the storage by 16, 4 and 16; 0 is the default. */
static void set_limits(struct log_world *w, const struct sim_header *h)
{
    w->limits = wb_group_limits_default;
    if (h->knob[0])
        w->limits.bytes = w->limits.frames = h->knob[0] * UINT64_C(64);
    if (h->knob[1])
        w->limits.frame.upfront = h->knob[1] * (size_t)16;
    if (h->knob[2])
        w->limits.frame.first = h->knob[2] * (size_t)4;
    if (h->knob[3])
        w->limits.frame.chain = h->knob[3] * (size_t)16;
    w->storage = (struct ref_group_storage){.upfront = w->limits.frame.upfront,
                                            .chain = w->limits.frame.chain};
}

/* What a segment adds to its bytes: the same for all, so one tells it. */
static bool learn_header(struct log_world *w)
{
    struct wb_slice probe = {0};
    uint8_t *bytes;

    if (wb_slice_new(sim_run_mem(w->run), 1, &probe, &bytes) != WB_OK)
        return false;
    w->storage.header = wb_slice_footprint(&probe) - 1;
    wb_slice_drop(&probe);
    return true;
}

/* Between runs only what a run reads is set up again. */
static bool init(struct log_world *w, struct sim_run *run, const struct sim_header *header)
{
    uint64_t live = run->alloc.live_bytes, refused;
    enum wb_err err;

    w->run = run;
    w->group = w->alive = NULL;
    w->open = NULL;
    w->last = WB_OK;
    w->owners = 0;
    w->kept = w->turn = 0;
    for (size_t i = 0; i < SIM_SLOTS; i++)
        w->readers[i].on = w->readers[i].has_frame = false;
    set_limits(w, header);
    ref_group_init(&w->model, header->profile, w->limits.bytes, w->limits.frames);
    wb_pool_init(&w->pool, WB_POOL_NO_LIMIT);
    if (!learn_header(w))
        return false;
    refused = run->alloc.refused;
    err = wb_group_new(sim_run_mem(run), &w->limits, &w->pool, header->profile, &w->group);
    if (log_was_refused(w, err, refused))
        return false;
    FUZZ_CHECK(GRP_002, err == WB_OK);
    w->alive = w->group;
    w->holders = 1;
    w->group_bytes = run->alloc.live_bytes - live;
    return true;
}

static void apply(struct log_world *w, const struct sim_op *op)
{
    bool did;

    if (op->opcode == LOG_FAIL) {
        sim_alloc_fail_next(&w->run->alloc, op->arg == 0 ? 1 : op->arg);
        return;
    }
    did = op->opcode < LOG_JOIN ? log_write(w, op) : log_read(w, op);
    if (!did)
        sim_ops_dead(w->run);
}

static void tell(struct log_world *w)
{
    uint64_t total;

    if (w->alive != NULL)
        sim_run_story(w->run, "kept %" PRIu64 "..%" PRIu64 " bytes %" PRIu64 "%s%s; ",
                      wb_group_offset(w->alive), wb_group_next_index(w->alive),
                      wb_group_bytes(w->alive), w->open != NULL ? " open" : "",
                      wb_group_finished(w->alive, &total) ? " finished" : "");
    for (size_t i = 0; i < SIM_SLOTS; i++) {
        if (w->readers[i].on)
            sim_run_story(w->run, "s%zu at %" PRIu64 "; ", i, w->readers[i].index);
    }
    sim_run_story(w->run, "slices %zu; %s", w->kept, wb_err_name((int)w->last));
}

/* Readers go first or last, as the sequence says; slices that are kept outlive them all. */
static void end(struct log_world *w)
{
    w->run->alloc.fail_at[SIM_ALLOC_OP] = 0;
    tell(w);
    sim_run_outcome(w->run, w->last);
    for (size_t i = 0; i < SIM_SLOTS && w->model.sequence % 2 == 0; i++)
        log_quit(w, &w->readers[i]);
    if (w->group != NULL)
        log_abort(w, WB_E_CANCEL);
    if (w->alive != NULL)
        log_check(w);
    for (size_t i = 0; i < SIM_SLOTS; i++) {
        log_quit(w, &w->readers[i]);
        log_shut(w, &w->readers[i]);
    }
    if (w->group != NULL) {
        wb_group_drop(w->group);
        w->group = NULL;
        log_let_go(w);
    }
    log_check_kept(w);
    while (w->kept > 0)
        log_forget(w, w->kept - 1);
    FUZZ_CHECK(GRP_006, wb_pool_used(&w->pool) == 0);
    wb_pool_fini(&w->pool);
}

void log_run(struct sim_run *run, struct wb_view input)
{
    static struct log_world world; /* large; init sets up what a run reads */
    struct log_world *w = &world;
    struct sim_scenario scenario = sim_scenario_of(input);
    struct sim_op op;

    if (!init(w, run, &scenario.header)) {
        sim_run_outcome(run, WB_E_NOMEM);
        return;
    }
    while (sim_scenario_next(&scenario, &op)) {
        if (sim_ops_enter(&log_ops, run, &scenario.header, &op) == NULL)
            continue;
        sim_trace_add(&run->trace, 0, "op       %u: %o s%u arg %u", op.record, op.opcode, op.slot,
                      op.arg);
        apply(w, &op);
        if (w->alive != NULL)
            log_check(w);
    }
    end(w);
}
