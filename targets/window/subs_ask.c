/*
 * subs_ask.c: what subscribers ask for: requests, updates, caps.
 */
#include "targets/window/places.h"
#include "targets/window/subs.h"

#include <string.h>

/* One request more; a slot's list that is full stays as it is. */
static bool say(struct subs_slot *s, struct ref_sub_request request)
{
    if (s->asked >= REF_SUB_REQUESTS) {
        s->asked = SUBS_ASKED; /* one too many */
        return true;
    }
    s->pending.requests[s->asked++] = request;
    return true;
}

static struct wb_bound group_bound(uint64_t group)
{
    return (struct wb_bound){.present = group != 0, .at = {group, 0}};
}

static bool say_groups(struct subs_slot *s, const struct sim_op *op)
{
    struct ref_sub_request r = {.kind = REF_SUB_RANGE,
                                .range = {{op->arg, 0}, group_bound(op->ext)}};

    if (op->flags & 1) {
        r.range.start.group = UINT64_MAX - op->arg;
        r.range.end.at.group = UINT64_MAX - op->ext;
    }
    return say(s, r);
}

static bool wish(struct subs_slot *s, const struct sim_op *op)
{
    static const uint64_t scales[] = {
        1000, 0, 1, UINT64_C(1000000000), (UINT64_C(1) << 40) + 1, UINT64_MAX};

    s->priority = op->flags;
    s->ordered = op->flags & 1;
    s->pending.max_age_ns = op->arg == 0 ? REF_SUB_NO_AGE : (op->arg - 1) * SUBS_MS;
    s->pending.timescale = scales[op->ext % 6];
    return true;
}

/* ---- joining --------------------------------------------------------------------------------- */

static void take(struct subs *w, size_t slot)
{
    struct subs_slot *s = &w->slots[slot];

    s->wish = (struct ref_wish){
        .priority = s->priority, .ordered = s->ordered, .max_age_ns = s->pending.max_age_ns};
    subs_check_window(w, slot);
}

static void fill(const struct subs_slot *s, struct wb_request out[SUBS_ASKED])
{
    static const enum wb_request_kind kinds[] = {[REF_SUB_RANGE] = WB_REQUEST_RANGE,
                                                 [REF_SUB_LIVE] = WB_REQUEST_LIVE,
                                                 [REF_SUB_TIME] = WB_REQUEST_TIME};

    for (size_t i = 0; i < s->asked; i++) {
        const struct ref_sub_request *r = &s->pending.requests[i < REF_SUB_REQUESTS ? i : 0];

        out[i] = (struct wb_request){kinds[r->kind], r->range, r->t0, r->t1};
    }
}

/* Subscribes or updates; both end alike. */
static bool call(struct subs *w, size_t slot, bool update)
{
    struct subs_slot *s = &w->slots[slot];
    struct wb_request requests[SUBS_ASKED];
    struct wb_subscription_config config = {.priority = s->priority,
                                            .ordered = s->ordered,
                                            .max_age_ns = s->pending.max_age_ns,
                                            .timescale = s->pending.timescale,
                                            .requests = requests,
                                            .count = s->asked,
                                            .done_max = w->done_max};
    uint64_t refused = w->run->alloc.refused;
    enum wb_err err, want;

    fill(s, requests);
    s->pending.count = s->asked < REF_SUB_REQUESTS ? s->asked : REF_SUB_REQUESTS;
    want = s->asked > REF_SUB_REQUESTS ? WB_E_BOUNDS : ref_sub_status(&s->pending);
    if (!update)
        memset(&s->core, SUBS_GARBAGE, sizeof(s->core));
    err = update
              ? wb_subscription_update(&s->core, &config)
              : wb_subscription_init(&s->core, sim_run_mem(w->run), w->track, w->demand, &config);
    subs_ended(w, err);
    if (subs_was_refused(w, refused)) {
        FUZZ_CHECK(SUB_015, err == WB_E_NOMEM);
        FUZZ_CHECK(SUB_016, want == WB_OK);
        return false;
    }
    FUZZ_CHECK(SUB_015, err != WB_E_NOMEM);
    FUZZ_CHECK(SUB_016, err == want);
    return err == WB_OK;
}

static bool join(struct subs *w, size_t slot)
{
    struct subs_slot *s = &w->slots[slot];

    if (s->joined)
        return false;
    if (!call(w, slot, false))
        return true;
    s->joined = true;
    s->has_given = s->reader.on = false;
    for (size_t i = 0; i < REF_SUB_GROUPS; i++)
        s->was_passed[i] = false;
    ref_sub_init(&s->model, &w->model, &s->pending,
                 w->done_max > 0 ? w->done_max : WB_SUBSCRIPTION_DONE);
    take(w, slot);
    return true;
}

static bool update(struct subs *w, size_t slot)
{
    struct subs_slot *s = &w->slots[slot];

    if (!s->joined)
        return false;
    for (size_t i = 0; i < w->model.count; i++)
        s->was_passed[i] = s->was_passed[i] || s->model.place[i] == REF_SUB_PASSED;
    if (!call(w, slot, true))
        return true;
    ref_sub_update(&s->model, &w->model, &s->pending);
    take(w, slot);
    return true;
}

void subs_quit(struct subs *w, size_t slot)
{
    struct subs_slot *s = &w->slots[slot];
    uint64_t count = wb_demand_subscribers(w->demand);

    if (!s->joined)
        return;
    subs_reader_close(s);
    wb_subscription_fini(&s->core);
    s->joined = false;
    FUZZ_CHECK(SUB_017, wb_demand_subscribers(w->demand) == count - 1);
}

static bool cap(struct subs *w, size_t slot, struct wb_bound at)
{
    struct subs_slot *s = &w->slots[slot];
    uint64_t requests = w->run->alloc.requests;

    if (!s->joined)
        return false;
    wb_subscription_cap(&s->core, at);
    ref_sub_cap(&s->model, &w->model, at);
    FUZZ_CHECK(SUB_018, w->run->alloc.requests == requests);
    subs_check_window(w, slot);
    return true;
}

bool subs_ask(struct subs *w, const struct sim_op *op)
{
    size_t slot = op->slot % SUBS_SLOTS;
    struct subs_slot *s = &w->slots[slot];
    uint64_t back = op->flags & 1 ? UINT64_MAX - op->arg : op->arg;

    switch (op->opcode) {
    case SUBS_ASK:
        return say_groups(s, op);
    case SUBS_PART:
        return say(s, (struct ref_sub_request){.kind = REF_SUB_RANGE, .range = places_range(op)});
    case SUBS_LIVE:
        return say(s, (struct ref_sub_request){.kind = REF_SUB_LIVE,
                                               .range = {.end = group_bound(op->arg)}});
    case SUBS_TIMES:
        return say(s, (struct ref_sub_request){.kind = REF_SUB_TIME, .t0 = op->arg, .t1 = op->ext});
    case SUBS_NOTHING:
        s->asked = 0;
        return true;
    case SUBS_MANY:
        for (size_t i = op->arg % 70; i > 0 && s->asked > 0; i--)
            (void)say(s, s->pending.requests[s->asked <= REF_SUB_REQUESTS ? s->asked - 1 : 0]);
        return true;
    case SUBS_WISH:
        return wish(s, op);
    case SUBS_JOIN:
        return join(w, slot);
    case SUBS_UPDATE:
        return update(w, slot);
    case SUBS_QUIT:
        if (!s->joined)
            return false;
        subs_quit(w, slot);
        return true;
    case SUBS_CAP:
        return cap(w, slot, (struct wb_bound){true, {back, 0}});
    case SUBS_CAP_AT:
        return cap(w, slot, places_bound(op->arg));
    default:
        return cap(w, slot, (struct wb_bound){.present = false});
    }
}
