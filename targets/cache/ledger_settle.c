/*
 * ledger_settle.c: a settle, held against the model and against what no victim may be.
 */
#include "targets/cache/ledger.h"

#include <inttypes.h>

static struct ledger_slot *slot_of(struct ledger *l, const struct wb_pool_entry *e)
{
    for (size_t i = 0; i < SIM_SLOTS; i++) {
        if (&l->slots[i].entry == e)
            return &l->slots[i];
    }
    return NULL;
}

/* Of the entries as they are, not of the model. */
static bool is_protected(const struct ledger *l, const struct wb_pool_entry *e)
{
    REF_POOL_WIDE sum = 0;
    uint64_t count = 0;

    for (size_t i = 0; i < SIM_SLOTS; i++) {
        const struct ledger_slot *s = &l->slots[i];

        if (s->on && !s->cleared && s->has_pool && s->entry.evictable) {
            sum += s->entry.access;
            count++;
        }
    }
    return !e->evictable || count == 0 || e->access > sum / count;
}

static void mark_begin(struct ledger *l, int account, const struct ref_pool_account *before)
{
    const struct ref_pool_account *now = &l->model.accounts[account];
    uint64_t used = ref_pool_used(&l->model), owed = ref_pool_accrue(&l->model, before->written);

    if (used <= l->model.capacity) {
        if (before->debt > 0)
            sim_mark(l->run, LEDGER_MARK_FORGIVEN);
        return;
    }
    if (owed > 0 && owed < used / 4 && before->debt < used / 4)
        sim_mark(l->run,
                 now->debt - before->debt == owed ? LEDGER_MARK_SINGLE : LEDGER_MARK_DOUBLED);
    if (now->debt == used && owed > 0)
        sim_mark(l->run, LEDGER_MARK_CUT);
}

static void mark_end(struct ledger *l, const struct ref_pool_settle *s, unsigned victims,
                     uint64_t debt)
{
    if (victims > 0)
        sim_mark(l->run, LEDGER_MARK_VICTIM);
    if (victims > 1)
        sim_mark(l->run, LEDGER_MARK_SEVERAL);
    if (s->looks > victims)
        sim_mark(l->run, LEDGER_MARK_ROTATED);
    if (s->looks == REF_POOL_LOOKS && victims == 0)
        sim_mark(l->run, LEDGER_MARK_ALL_LOOKED);
    if (debt > 0 && s->budget > 0 && s->looks < REF_POOL_LOOKS && s->looks > victims)
        sim_mark(l->run, LEDGER_MARK_WAITS);
}

static void settle_poolless(struct ledger *l)
{
    struct wb_pool_settle s;

    wb_pool_settle_begin(&s, &l->accounts[LEDGER_POOLLESS]);
    FUZZ_CHECK(POL_013, wb_pool_settle_next(&s) == NULL);
}

void ledger_settle(struct ledger *l, int account, unsigned most)
{
    struct ref_pool_account before = l->model.accounts[account];
    struct wb_pool_settle s;
    struct ref_pool_settle model;
    uint64_t looks = l->pool.looks;
    REF_POOL_WIDE paid = 0, allowed = before.written;
    unsigned victims = 0;

    if (account == LEDGER_POOLLESS) {
        settle_poolless(l);
        return;
    }
    wb_pool_settle_begin(&s, &l->accounts[account]);
    ref_pool_settle_begin(&l->model, &model, account);
    FUZZ_CHECK(POL_005, l->accounts[account].debt == l->model.accounts[account].debt);
    mark_begin(l, account, &before);
    allowed *= 2;
    while (victims < most) {
        struct wb_pool_entry *e = wb_pool_settle_next(&s);
        int want;

        FUZZ_CHECK(POL_008, e == NULL || !is_protected(l, e));
        FUZZ_CHECK(POL_010, e == NULL || paid < allowed);
        want = ref_pool_settle_next(&l->model, &model);
        FUZZ_CHECK(POL_007, e == NULL ? want == REF_POOL_NONE
                                      : slot_of(l, e) != NULL && slot_of(l, e)->model == want);
        FUZZ_CHECK(POL_009, l->pool.looks - looks == model.looks && model.looks <= WB_POOL_LOOKS);
        if (e == NULL)
            break;
        paid += e->billed;
        if (paid > allowed)
            sim_mark(l->run, LEDGER_MARK_OVERSHOT);
        sim_run_story(l->run, "out s%td; ", slot_of(l, e) - l->slots);
        ledger_clear(l, slot_of(l, e), true);
        victims++;
        ledger_check(l);
    }
    mark_end(l, &model, victims, l->model.accounts[account].debt);
}
