/*
 * ledger_check.c: what holds between any two ops of the ledger.
 */
#include "targets/cache/ledger.h"

static void check_sums(const struct ledger *l)
{
    uint64_t sum, count, want = 0, mean = 7;
    bool has_mean = ref_pool_sum(&l->model, &sum, &count);

    FUZZ_CHECK(POL_001, wb_pool_used(&l->pool) == ref_pool_used(&l->model));
    FUZZ_CHECK(POL_001, l->pool.entries == ref_pool_live(&l->model));
    FUZZ_CHECK(POL_003, l->pool.access_sum == sum && l->pool.access_count == count);
    FUZZ_CHECK(POL_002, wb_pool_mean(&l->pool, &mean) == has_mean);
    FUZZ_CHECK(POL_002, has_mean ? ref_pool_mean(&l->model, &want) && mean == want : mean == 7);
}

static const struct ledger_slot *slot_at(const struct ledger *l, const struct wb_pool_link *link)
{
    for (size_t i = 0; i < SIM_SLOTS; i++) {
        if (&l->slots[i].entry.link == link)
            return &l->slots[i];
    }
    return NULL;
}

/* From front to back, each entry once, and no other. */
static void check_order(const struct ledger *l, int account)
{
    const struct wb_pool_link *anchor = &l->accounts[account].order, *before = anchor;
    uint64_t place = 0, count = 0;

    for (const struct wb_pool_link *at = anchor->next; at != anchor; at = at->next) {
        const struct ledger_slot *s = slot_at(l, at);

        FUZZ_CHECK(POL_012, at->prev == before);
        FUZZ_CHECK(POL_012, s != NULL && s->on && s->account == account);
        if (s->has_pool) {
            FUZZ_CHECK(POL_012, count == 0 || l->model.entries[s->model].place > place);
            place = l->model.entries[s->model].place;
        }
        before = at;
        count++;
    }
    FUZZ_CHECK(POL_012, anchor->prev == before);
    for (size_t i = 0; i < SIM_SLOTS; i++)
        count -= l->slots[i].on && l->slots[i].account == account;
    FUZZ_CHECK(POL_012, count == 0);
}

void ledger_check(const struct ledger *l)
{
    check_sums(l);
    for (int i = 0; i < LEDGER_ACCOUNTS; i++) {
        check_order(l, i);
        FUZZ_CHECK(POL_005, l->accounts[i].debt == l->model.accounts[i].debt);
        FUZZ_CHECK(POL_006, l->accounts[i].written == l->model.accounts[i].written);
    }
    for (size_t i = 0; i < SIM_SLOTS; i++) {
        const struct ledger_slot *s = &l->slots[i];
        const struct ref_pool_entry *m;

        if (!s->on)
            continue;
        FUZZ_CHECK(POL_013, (s->has_pool && !s->cleared) || s->entry.billed == 0);
        if (!s->has_pool || s->cleared)
            continue;
        m = &l->model.entries[s->model];
        FUZZ_CHECK(POL_011, s->entry.billed == m->billed && s->entry.access == m->access &&
                                s->entry.evictable == m->evictable);
    }
    for (int i = 0; i < LEDGER_ACCOUNTS; i++)
        wb_pool_account_check(&l->accounts[i]); /* last: what it says is less exact */
}
