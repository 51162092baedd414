/*
 * ledger.c: each op on the pool and on the model.
 */
#include "targets/cache/ledger.h"

#include <inttypes.h>

/* Bytes up to half of what a number holds, so that sums fit: the flags say how many bytes wide. */
static uint64_t amount(const struct sim_op *op)
{
    return ((uint64_t)op->arg | (uint64_t)op->ext << 16) << (op->flags & 7u) * 3;
}

static bool fits(const struct ledger *l, uint64_t bytes)
{
    return bytes < UINT64_MAX / 2 - ref_pool_used(&l->model);
}

static bool is_live(const struct ledger_slot *s)
{
    return s->on && !s->cleared;
}

void ledger_clear(struct ledger *l, struct ledger_slot *s, bool is_victim)
{
    wb_pool_clear(&s->entry);
    if (!is_victim && s->has_pool && !s->cleared)
        ref_pool_clear(&l->model, s->model);
    if (s->cleared)
        sim_mark(l->run, LEDGER_MARK_TWICE);
    s->cleared = true;
    s->account = REF_POOL_NONE;
    FUZZ_CHECK(POL_011, s->entry.billed == 0 && !s->entry.evictable && s->entry.pool == NULL);
    FUZZ_CHECK(POL_012, s->entry.link.next == NULL && s->entry.link.prev == NULL);
}

static bool make(struct ledger *l, struct ledger_slot *s, const struct sim_op *op)
{
    if (is_live(s) || !fits(l, op->arg))
        return false;
    *s = (struct ledger_slot){.on = true,
                              .has_pool = !(op->flags & 8u),
                              .model = REF_POOL_NONE,
                              .account = REF_POOL_NONE};
    wb_pool_entry_init(&s->entry, s->has_pool ? &l->pool : NULL, op->arg);
    if (s->has_pool)
        s->model = ref_pool_add(&l->model, op->arg);
    return true;
}

/* The latest of its account from now on: what was it before is superseded. */
static bool enter(struct ledger *l, struct ledger_slot *s, const struct sim_op *op)
{
    int account = s->has_pool ? op->flags % LEDGER_POOLLESS : LEDGER_POOLLESS;

    if (!is_live(s) || s->account != REF_POOL_NONE)
        return false;
    for (size_t i = 0; i < SIM_SLOTS; i++) {
        struct ledger_slot *other = &l->slots[i];

        if (!is_live(other) || other->account != account || other->entry.evictable)
            continue;
        wb_pool_demote(&other->entry);
        if (other->has_pool)
            l->model.entries[other->model].evictable = true;
    }
    wb_pool_account_add(&l->accounts[account], &s->entry);
    s->account = account;
    if (s->has_pool)
        ref_pool_enter(&l->model, s->model, account);
    return true;
}

static bool charge(struct ledger *l, struct ledger_slot *s, const struct sim_op *op)
{
    uint64_t bytes = amount(op);
    bool is_billed = is_live(s) && s->has_pool;

    if (!s->on || !fits(l, bytes))
        return false;
    if (!is_billed)
        sim_mark(l->run, LEDGER_MARK_POOLLESS);
    if (op->opcode == LEDGER_REFUND) {
        if (is_billed && bytes > l->model.entries[s->model].billed)
            bytes = l->model.entries[s->model].billed;
        wb_pool_refund(&s->entry, bytes);
        if (is_billed)
            l->model.entries[s->model].billed -= bytes;
    } else {
        wb_pool_charge(&s->entry, bytes);
        if (is_billed)
            l->model.entries[s->model].billed += bytes;
    }
    FUZZ_CHECK(POL_013, is_billed || s->entry.billed == 0);
    return true;
}

static bool stamp(struct ledger *l, struct ledger_slot *s, const struct sim_op *op)
{
    uint64_t tick = amount(op), before = s->entry.access;

    if (!is_live(s))
        return false;
    wb_pool_stamp(&s->entry, tick);
    if (tick < before)
        sim_mark(l->run, LEDGER_MARK_BACK);
    if (tick > REF_POOL_TICK_MAX)
        sim_mark(l->run, LEDGER_MARK_TICK_MAX);
    if (s->has_pool)
        ref_pool_stamp(&l->model, s->model, tick);
    return true;
}

/* Only one entry of an order is its latest. */
static bool promote(struct ledger *l, struct ledger_slot *s)
{
    if (!is_live(s) || !s->has_pool)
        return false;
    for (size_t i = 0; i < SIM_SLOTS && s->account != REF_POOL_NONE; i++) {
        const struct ledger_slot *other = &l->slots[i];

        if (other != s && is_live(other) && other->account == s->account && !other->entry.evictable)
            return false;
    }
    wb_pool_promote(&s->entry);
    l->model.entries[s->model].evictable = false;
    return true;
}

static bool demote(struct ledger *l, struct ledger_slot *s)
{
    if (!is_live(s))
        return false;
    wb_pool_demote(&s->entry);
    if (s->has_pool)
        l->model.entries[s->model].evictable = true;
    return true;
}

static bool leave(struct ledger *l, struct ledger_slot *s)
{
    if (!is_live(s) || s->account == REF_POOL_NONE)
        return false;
    wb_pool_account_remove(&l->accounts[s->account], &s->entry);
    s->account = REF_POOL_NONE;
    FUZZ_CHECK(POL_012, s->entry.link.next == NULL);
    if (!s->has_pool)
        return true;
    ref_pool_leave(&l->model, s->model);
    l->model.entries[s->model].evictable = false;
    return true;
}

static bool wrote(struct ledger *l, const struct sim_op *op)
{
    int account = op->slot % LEDGER_ACCOUNTS;
    bool due = wb_pool_wrote(&l->accounts[account], amount(op));

    if (account == LEDGER_POOLLESS) {
        FUZZ_CHECK(POL_013, !due && l->accounts[account].written == 0);
        return true;
    }
    FUZZ_CHECK(POL_006, due == ref_pool_wrote(&l->model, account, amount(op)));
    if (due)
        sim_mark(l->run, LEDGER_MARK_DUE);
    return true;
}

static bool accrue(struct ledger *l, const struct sim_op *op)
{
    uint64_t owed = wb_pool_accrue(&l->pool, amount(op)), used = ref_pool_used(&l->model);

    FUZZ_CHECK(POL_004, owed == ref_pool_accrue(&l->model, amount(op)));
    if (owed == UINT64_MAX)
        sim_mark(l->run, LEDGER_MARK_SATURATED);
    else if (used > l->model.capacity && used > 0 && amount(op) > UINT64_MAX / used)
        sim_mark(l->run, LEDGER_MARK_WIDE);
    sim_run_story(l->run, "owes %" PRIu64 "; ", owed);
    return true;
}

static bool of_account(struct ledger *l, const struct sim_op *op)
{
    switch (op->opcode) {
    case LEDGER_WROTE:
        return wrote(l, op);
    case LEDGER_SETTLE:
        ledger_settle(l, op->slot % LEDGER_ACCOUNTS, op->arg == 0 ? UINT16_MAX : op->arg);
        return true;
    case LEDGER_ACCRUE:
        return accrue(l, op);
    case LEDGER_RESIZE:
        wb_pool_resize(&l->pool, amount(op));
        l->model.capacity = amount(op);
        return true;
    default:
        return false;
    }
}

static bool apply(struct ledger *l, const struct sim_op *op)
{
    struct ledger_slot *s = &l->slots[op->slot];

    switch (op->opcode) {
    case LEDGER_NEW:
        return make(l, s, op);
    case LEDGER_ENTER:
        return enter(l, s, op);
    case LEDGER_CHARGE:
    case LEDGER_REFUND:
        return charge(l, s, op);
    case LEDGER_STAMP:
        return stamp(l, s, op);
    case LEDGER_DEMOTE:
        return demote(l, s);
    case LEDGER_PROMOTE:
        return promote(l, s);
    case LEDGER_CLEAR:
        if (!s->on)
            return false;
        ledger_clear(l, s, false);
        return true;
    case LEDGER_REMOVE:
        return leave(l, s);
    default:
        return of_account(l, op);
    }
}

static void init(struct ledger *l, struct sim_run *run, const struct sim_header *header)
{
    uint64_t capacity = header->knob[0] == 0 ? UINT64_MAX : header->knob[0] * UINT64_C(64);

    l->run = run;
    for (size_t i = 0; i < SIM_SLOTS; i++)
        l->slots[i].on = false;
    wb_pool_init(&l->pool, capacity);
    ref_pool_init(&l->model, capacity);
    for (int i = 0; i < LEDGER_ACCOUNTS; i++)
        wb_pool_account_init(&l->accounts[i], i == LEDGER_POOLLESS ? NULL : &l->pool);
}

static void end(struct ledger *l)
{
    uint64_t mean = 0;
    bool has_mean = wb_pool_mean(&l->pool, &mean);

    sim_run_story(l->run, "used %" PRIu64 " mean ", wb_pool_used(&l->pool));
    if (has_mean)
        sim_run_story(l->run, "%" PRIu64, mean);
    else
        sim_run_story(l->run, "none");
    for (int i = 0; i < LEDGER_ACCOUNTS; i++) {
        if (l->accounts[i].debt > 0)
            sim_run_story(l->run, "; a%d owes %" PRIu64, i, l->accounts[i].debt);
    }
    sim_run_outcome(l->run, WB_OK);
    for (size_t i = 0; i < SIM_SLOTS; i++) {
        if (l->slots[i].on)
            ledger_clear(l, &l->slots[i], false);
    }
    ledger_check(l);
    FUZZ_CHECK(POL_001, wb_pool_used(&l->pool) == 0 && l->pool.entries == 0);
    wb_pool_fini(&l->pool);
}

void ledger_run(struct sim_run *run, struct wb_view input)
{
    static struct ledger ledger; /* large; init sets up what a run reads */
    struct ledger *l = &ledger;
    struct sim_scenario scenario = sim_scenario_of(input);
    struct sim_op op;

    init(l, run, &scenario.header);
    while (sim_scenario_next(&scenario, &op)) {
        if (sim_ops_enter(&ledger_ops, run, &scenario.header, &op) == NULL)
            continue;
        sim_trace_add(&run->trace, 0, "op       %u: %o s%u arg %u", op.record, op.opcode, op.slot,
                      op.arg);
        if (!apply(l, &op))
            sim_ops_dead(run);
        ledger_check(l);
        sim_run_note(run, l->pool.used);
    }
    end(l);
}
