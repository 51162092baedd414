/*
 * The pool alone: what it bills, its mean, what a settle accrues and whom it names.
 */
#include "core/media/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define OVERHEAD 256u
#define MAX      UINT64_MAX

/* A pool, a track's account, and entries in its order. */
struct bench {
    struct wb_pool pool;
    struct wb_pool_account account;
    struct wb_pool_entry entries[8];
};

static void begin(struct bench *b, uint64_t capacity)
{
    memset(b, 0, sizeof(*b));
    wb_pool_init(&b->pool, capacity);
    wb_pool_account_init(&b->account, &b->pool);
}

/* Entry `i` of `bytes` in all, last accessed at `tick`, evictable and in the order. */
static struct wb_pool_entry *put(struct bench *b, unsigned i, uint64_t bytes, uint64_t tick)
{
    struct wb_pool_entry *e = &b->entries[i];

    wb_pool_entry_init(e, &b->pool, bytes);
    wb_pool_stamp(e, tick);
    wb_pool_account_add(&b->account, e);
    wb_pool_demote(e);
    wb_pool_account_check(&b->account);
    return e;
}

static void end(struct bench *b)
{
    for (unsigned i = 0; i < 8; i++)
        wb_pool_clear(&b->entries[i]);
    wb_pool_account_check(&b->account);
    wb_pool_fini(&b->pool);
}

static void assert_mean(const struct bench *b, uint64_t want)
{
    uint64_t mean = 0;

    assert_true(wb_pool_mean(&b->pool, &mean));
    assert_int_equal(mean, want);
}

static void case_133_charge_and_refund(void **state)
{
    struct bench b;
    struct wb_pool_entry *e = &b.entries[0];

    (void)state;
    begin(&b, 1000);
    wb_pool_entry_init(e, &b.pool, OVERHEAD);
    assert_int_equal(wb_pool_used(&b.pool), 256);
    wb_pool_charge(e, 100);
    assert_int_equal(wb_pool_used(&b.pool), 356);
    wb_pool_refund(e, 40);
    assert_int_equal(wb_pool_used(&b.pool), 316);
    assert_int_equal(b.pool.entries, 1);
    for (int i = 0; i < 2; i++) {
        wb_pool_clear(e);
        assert_int_equal(wb_pool_used(&b.pool), 0);
        assert_int_equal(b.pool.entries, 0);
    }
    wb_pool_charge(e, 100); /* cleared: billed no more */
    wb_pool_refund(e, 100);
    assert_int_equal(wb_pool_used(&b.pool), 0);
    end(&b);
}

static void case_134_accrual(void **state)
{
    struct bench b;
    struct wb_pool_entry *e = &b.entries[0];

    (void)state;
    begin(&b, 1000);
    wb_pool_entry_init(e, &b.pool, 2000);
    assert_int_equal(wb_pool_accrue(&b.pool, 100), 200);
    assert_int_equal(wb_pool_accrue(&b.pool, 0), 0);
    wb_pool_refund(e, 1500);
    assert_int_equal(wb_pool_accrue(&b.pool, 100), 0);
    wb_pool_charge(e, 500); /* exactly full is not over */
    assert_int_equal(wb_pool_accrue(&b.pool, 100), 0);
    wb_pool_charge(e, 1);
    assert_int_equal(wb_pool_accrue(&b.pool, 999), 999); /* 999.999 */
    wb_pool_clear(e);
    wb_pool_resize(&b.pool, 1);
    wb_pool_entry_init(e, &b.pool, UINT64_C(1) << 40);
    assert_true(wb_pool_accrue(&b.pool, UINT64_C(1) << 40) == MAX);
    wb_pool_resize(&b.pool, 0);
    assert_true(wb_pool_accrue(&b.pool, 1) == MAX);
    assert_int_equal(wb_pool_accrue(&b.pool, 0), 0);
    end(&b);
}

/* Products past 64 bits: the quotient is exact while it fits. */
static void wide_accrual(void **state)
{
    const struct {
        uint64_t used, capacity, written, want;
    } rows[] = {
        {MAX, MAX - 1, MAX - 1, MAX},
        {MAX, MAX - 1, MAX - 2, MAX - 2},
        {MAX, MAX - 1, MAX, MAX},
        {MAX, UINT64_C(1) << 63, UINT64_C(1) << 62, (UINT64_C(1) << 63) - 1},
        {UINT64_C(1) << 40, UINT64_C(3) << 38, UINT64_C(3) << 60, UINT64_C(1) << 62},
        {MAX, 3, 3, MAX},
        {MAX, 3, 4, MAX},
        {MAX - 1, 3, 3, MAX - 1},
        {UINT64_C(0x9234567890abcdef), UINT64_C(0x7edcba0987654321), UINT64_C(0xfedcba098765432),
         UINT64_C(1322797955449777371)},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct bench b;

        begin(&b, rows[i].capacity);
        wb_pool_entry_init(&b.entries[0], &b.pool, rows[i].used);
        assert_true(wb_pool_accrue(&b.pool, rows[i].written) == rows[i].want);
        end(&b);
    }
}

static void case_135_mean(void **state)
{
    struct bench b;
    struct wb_pool_entry *a, *c;
    uint64_t mean;

    (void)state;
    begin(&b, 1000);
    assert_false(wb_pool_mean(&b.pool, &mean));
    a = put(&b, 0, OVERHEAD, 10);
    c = put(&b, 1, OVERHEAD, 20);
    assert_mean(&b, 15);
    wb_pool_stamp(a, 40);
    assert_mean(&b, 30);
    wb_pool_stamp(a, 39); /* never back */
    assert_mean(&b, 30);
    wb_pool_clear(a);
    assert_mean(&b, 20);
    wb_pool_stamp(c, 21);
    put(&b, 2, OVERHEAD, 22);
    assert_mean(&b, 21); /* 21.5 */
    wb_pool_clear(&b.entries[2]);
    wb_pool_clear(c);
    assert_false(wb_pool_mean(&b.pool, &mean));
    end(&b);
}

static void case_136_demote_counts_once(void **state)
{
    struct bench b;
    struct wb_pool_entry *e;
    uint64_t mean;

    (void)state;
    begin(&b, 1000);
    e = put(&b, 0, OVERHEAD, 10);
    wb_pool_demote(e);
    assert_int_equal(b.pool.access_count, 1);
    assert_int_equal(b.pool.access_sum, 10);
    wb_pool_promote(e);
    wb_pool_promote(e);
    assert_false(wb_pool_mean(&b.pool, &mean));
    wb_pool_demote(e);
    assert_mean(&b, 10);
    wb_pool_clear(e);
    assert_false(wb_pool_mean(&b.pool, &mean));
    end(&b);
}

/* Ticks stop where 64 bits of nanoseconds do, so that sums stay exact. */
static void latest_tick_there_is(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, 1000);
    assert_true(MAX / WB_POOL_TICK_NS + 2 < WB_POOL_TICK_MAX);
    for (unsigned i = 0; i < 8; i++)
        put(&b, i, 1, MAX);
    assert_mean(&b, WB_POOL_TICK_MAX);
    end(&b);
}

/* What is written is settled once, at 256 KiB, and saturates. */
static void time_to_settle(void **state)
{
    struct bench b;
    struct wb_pool_account none;
    struct wb_pool_settle s;

    (void)state;
    begin(&b, 1000);
    assert_false(wb_pool_wrote(&b.account, WB_POOL_SETTLE - 1));
    assert_true(wb_pool_wrote(&b.account, 1));
    assert_true(wb_pool_wrote(&b.account, MAX));
    assert_true(b.account.written == MAX);
    wb_pool_settle_begin(&s, &b.account);
    assert_null(wb_pool_settle_next(&s));
    assert_int_equal(b.account.written, 0);
    assert_int_equal(b.account.debt, 0);
    wb_pool_account_init(&none, NULL);
    assert_false(wb_pool_wrote(&none, MAX));
    wb_pool_settle_begin(&s, &none);
    assert_null(wb_pool_settle_next(&s));
    end(&b);
}

/* Runs one settle after `written` bytes and gives the victims as digits. */
static void assert_settle(struct bench *b, uint64_t written, const char *want)
{
    struct wb_pool_settle s;
    struct wb_pool_entry *e;
    char got[9] = "";
    size_t n = 0;

    (void)wb_pool_wrote(&b->account, written);
    wb_pool_settle_begin(&s, &b->account);
    while ((e = wb_pool_settle_next(&s)) != NULL) {
        got[n++] = (char)('0' + (e - b->entries));
        wb_pool_clear(e);
        wb_pool_account_check(&b->account);
    }
    assert_null(wb_pool_settle_next(&s)); /* over is over */
    assert_string_equal(got, want);
}

static void debt_doubles_for_old_entries(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, 1000);
    put(&b, 0, 1000, 5);
    put(&b, 1, 1000, 1);
    wb_pool_promote(&b.entries[1]); /* the latest is not asked */
    assert_settle(&b, 100, "");     /* 100 * 2000 / 1000, doubled: 5 <= 5 */
    assert_int_equal(b.account.debt, 400);
    wb_pool_demote(&b.entries[1]); /* mean 3: the first one is newer */
    assert_settle(&b, 100, "");
    assert_int_equal(b.account.debt, 600);
    assert_settle(&b, 0, ""); /* nothing written: nothing is owed more, nothing paid */
    assert_int_equal(b.account.debt, 600);
    wb_pool_resize(&b.pool, 2000);
    assert_settle(&b, 100, "");
    assert_int_equal(b.account.debt, 0); /* forgotten */
    end(&b);
}

static void debt_is_at_most_what_is_used(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, 10);
    put(&b, 0, 1000, 5);
    wb_pool_promote(&b.entries[0]);
    assert_settle(&b, MAX, "");
    assert_int_equal(b.account.debt, 1000);
    end(&b);
}

/* Payment: twice what was written, and the last victim may overshoot; the debt limits each. */
static void payment_has_a_limit(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, 10);
    for (unsigned i = 0; i < 8; i++)
        put(&b, i, 100, 5);
    assert_settle(&b, 51, "01"); /* 102 allowed: 100 leave 2, the next one overshoots */
    assert_int_equal(b.account.debt, 800 - 200);
    assert_settle(&b, 50, "2"); /* 100 allowed */
    assert_settle(&b, 0, "");
    end(&b);
}

static void four_looks(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, 10);
    for (unsigned i = 0; i < 8; i++)
        put(&b, i, 10, 5);
    assert_settle(&b, 1000, "0123");
    assert_int_equal(b.pool.looks, 4);
    assert_settle(&b, 1000, "4567");
    assert_int_equal(b.pool.looks, 8);
    end(&b);
}

/* Protected ones go to the back, and each counts as a look. */
static void protected_ones_rotate(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, 10);
    put(&b, 0, 10, 9);
    put(&b, 1, 10, 0);
    wb_pool_promote(&b.entries[1]); /* the latest */
    put(&b, 2, 10, 8);
    put(&b, 3, 10, 1);
    put(&b, 4, 10, 1);
    assert_settle(&b, 1000, "3");  /* mean 4: 0, 1, 2 rotate */
    assert_settle(&b, 1000, "42"); /* then the order is 4, 0, 1, 2 and the mean without 4 is 8 */
    assert_int_equal(b.pool.looks, 8);
    end(&b);
}

/* Larger than the debt: waits in front, the debt carries on, and smaller ones behind it stay. */
static void large_victim_waits(void **state)
{
    struct bench b;

    (void)state;
    begin(&b, 1000);
    put(&b, 0, 1000, 5);
    put(&b, 1, 10, 5);
    assert_settle(&b, 200, ""); /* 200 * 1010 / 1000 * 2 */
    assert_int_equal(b.account.debt, 404);
    assert_settle(&b, 200, "");
    assert_int_equal(b.account.debt, 808);
    assert_settle(&b, 200, "0"); /* debt 1010 of 1212; 400 allowed, overshot */
    assert_int_equal(b.account.debt, 10);
    end(&b);
}

/* An entry that leaves by itself is no candidate, and its account may go before it. */
static void entries_leave_the_order(void **state)
{
    struct bench b;
    uint64_t mean;

    (void)state;
    begin(&b, 10);
    for (unsigned i = 0; i < 3; i++)
        put(&b, i, 10, i);
    wb_pool_clear(&b.entries[0]);
    assert_settle(&b, 5, "1");
    wb_pool_account_remove(&b.account, &b.entries[2]);
    wb_pool_account_check(&b.account);
    assert_false(wb_pool_mean(&b.pool, &mean));
    assert_int_equal(wb_pool_used(&b.pool), 10);
    assert_settle(&b, 1000, "");
    end(&b);
}

static void without_a_pool_nothing_is_billed(void **state)
{
    struct wb_pool_entry e;
    struct wb_pool_account a;

    (void)state;
    wb_pool_account_init(&a, NULL);
    wb_pool_entry_init(&e, NULL, OVERHEAD);
    wb_pool_charge(&e, MAX);
    wb_pool_charge(&e, MAX);
    wb_pool_refund(&e, 5);
    wb_pool_stamp(&e, 4);
    wb_pool_account_add(&a, &e);
    wb_pool_demote(&e);
    assert_int_equal(e.billed, 0);
    wb_pool_account_check(&a);
    wb_pool_account_remove(&a, &e);
    wb_pool_clear(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_133_charge_and_refund),
        cmocka_unit_test(case_134_accrual),
        cmocka_unit_test(wide_accrual),
        cmocka_unit_test(case_135_mean),
        cmocka_unit_test(case_136_demote_counts_once),
        cmocka_unit_test(latest_tick_there_is),
        cmocka_unit_test(time_to_settle),
        cmocka_unit_test(debt_doubles_for_old_entries),
        cmocka_unit_test(debt_is_at_most_what_is_used),
        cmocka_unit_test(payment_has_a_limit),
        cmocka_unit_test(four_looks),
        cmocka_unit_test(protected_ones_rotate),
        cmocka_unit_test(large_victim_waits),
        cmocka_unit_test(entries_leave_the_order),
        cmocka_unit_test(without_a_pool_nothing_is_billed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
