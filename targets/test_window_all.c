/*
 * All short programs over a tiny universe, none left out: adding and removing ranges, two sets
 * combined, three sets in the laws, each range on the wire. What a program makes is held against
 * bits.
 */
#include "core/window/window.h"
#include "oracles/ref_window_wire.h"

#include <setjmp.h> /* cmocka.h needs it, stdarg.h and stddef.h */
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define MAX UINT64_MAX

/* A set is a bit for each stretch from one place up to the next, the last one up to the end. */
struct universe {
    unsigned count;
    const struct wb_position *at;
};

static const struct wb_position few[] = {{0, 0}, {0, MAX}, {1, 0}, {MAX, 0}, {MAX, MAX}};
static const struct wb_position more[] = {{0, 0}, {0, 1},   {0, MAX},  {1, 0},
                                          {7, 3}, {MAX, 0}, {MAX, MAX}};
static const struct wb_position edges[] = {{0, 0}, {0, MAX}, {MAX, 0}, {MAX, MAX}};
static const struct universe tiny = {4, edges}, small = {5, few}, large = {7, more};
static uint64_t programs;

static unsigned bits_of(unsigned from, unsigned to)
{
    return ((1u << to) - 1) & ~((1u << from) - 1);
}

static struct wb_range range_of(const struct universe *u, unsigned from, unsigned to)
{
    struct wb_range range = {.start = u->at[from]};

    range.end.present = to < u->count;
    if (range.end.present)
        range.end.at = u->at[to];
    return range;
}

static void assert_set(const struct universe *u, const struct wb_window *w, unsigned set)
{
    size_t n, i = 0;
    const struct wb_run *runs = wb_window_runs(w, &n);

    for (unsigned from = 0, to; from < u->count; from = to + 1) {
        struct wb_position last = {MAX, MAX};

        to = from;
        if ((set >> from & 1) == 0)
            continue;
        while (to < u->count && (set >> to & 1))
            to++;
        if (to < u->count)
            assert_true(ref_position_prior(u->at[to], &last));
        assert_true(i < n);
        assert_int_equal(ref_position_order(runs[i].first, u->at[from]), 0);
        assert_int_equal(ref_position_order(runs[i].last, last), 0);
        i++;
    }
    assert_true(i == n);
    programs++;
}

static void make(const struct universe *u, struct wb_window *out, unsigned set)
{
    wb_window_init(out);
    for (unsigned i = 0; i < u->count; i++) {
        struct wb_range range = range_of(u, i, i + 1);

        if (set >> i & 1)
            assert_int_equal(wb_window_add(out, wb_mem_libc(), &range), WB_OK);
    }
}

/* ---- ranges ---------------------------------------------------------------------------------- */

/* One op more: each range added, and each removed. */
static void extend(const struct universe *u, const struct wb_window *w, unsigned set, int depth)
{
    for (unsigned op = 0; op < 2; op++) {
        for (unsigned from = 0; from < u->count; from++) {
            for (unsigned to = from + 1; to <= u->count; to++) {
                struct wb_range range = range_of(u, from, to);
                unsigned bits = bits_of(from, to), now = op == 0 ? set | bits : set & ~bits;
                struct wb_window next;

                wb_window_init(&next);
                assert_int_equal(wb_window_copy(&next, w, wb_mem_libc()), WB_OK);
                assert_int_equal(op == 0 ? wb_window_add(&next, wb_mem_libc(), &range)
                                         : wb_window_remove(&next, wb_mem_libc(), &range),
                                 WB_OK);
                assert_set(u, &next, now);
                if (depth > 1)
                    extend(u, &next, now, depth - 1);
                wb_window_fini(&next, wb_mem_libc());
            }
        }
    }
}

static void programs_of_ranges(const struct universe *u, int depth)
{
    struct wb_window empty;

    programs = 0;
    wb_window_init(&empty);
    extend(u, &empty, 0, depth);
    print_message("programs of up to %d ranges over %u places: %llu\n", depth, u->count,
                  (unsigned long long)programs);
}

static void programs_of_up_to_four_ranges(void **state)
{
    (void)state;
    programs_of_ranges(&small, 4);
}

static void programs_of_up_to_five_ranges(void **state)
{
    (void)state;
    programs_of_ranges(&tiny, 5);
}

/* ---- sets ------------------------------------------------------------------------------------ */

typedef enum wb_err (*combine_fn)(struct wb_window *, struct wb_mem *, const struct wb_window *);
static const combine_fn ops[] = {wb_window_union, wb_window_intersect, wb_window_subtract};

static unsigned combined(unsigned op, unsigned a, unsigned b)
{
    return op == 0 ? a | b : op == 1 ? a & b : a & ~b;
}

static void pairs_of_sets(void **state)
{
    (void)state;
    programs = 0;
    for (unsigned a = 0; a < 1u << large.count; a++) {
        for (unsigned b = 0; b < 1u << large.count; b++) {
            struct wb_window other;

            make(&large, &other, b);
            for (unsigned op = 0; op < 3; op++) {
                struct wb_window w;

                make(&large, &w, a);
                assert_int_equal(wb_window_equal(&w, &other), a == b);
                assert_int_equal(ops[op](&w, wb_mem_libc(), &other), WB_OK);
                assert_set(&large, &w, combined(op, a, b));
                wb_window_fini(&w, wb_mem_libc());
            }
            assert_set(&large, &other, b);
            wb_window_fini(&other, wb_mem_libc());
        }
    }
    print_message("pairs of sets: %llu\n", (unsigned long long)programs);
}

/* (a OP b) OP2 c, for all ops. */
static void triples_of_sets(void **state)
{
    (void)state;
    programs = 0;
    for (unsigned n = 0; n < 9u << 15; n++) {
        unsigned a = n & 31, b = n >> 5 & 31, c = n >> 10 & 31, op = n >> 15;
        struct wb_window w, second, third;

        make(&small, &w, a);
        make(&small, &second, b);
        make(&small, &third, c);
        assert_int_equal(ops[op % 3](&w, wb_mem_libc(), &second), WB_OK);
        assert_int_equal(ops[op / 3](&w, wb_mem_libc(), &third), WB_OK);
        assert_set(&small, &w, combined(op / 3, combined(op % 3, a, b), c));
        wb_window_fini(&w, wb_mem_libc());
        wb_window_fini(&second, wb_mem_libc());
        wb_window_fini(&third, wb_mem_libc());
    }
    print_message("triples of sets: %llu\n", (unsigned long long)programs);
}

/* ---- the wire -------------------------------------------------------------------------------- */

static bool is_bound(struct wb_bound a, struct wb_bound b)
{
    return a.present == b.present && (!a.present || ref_position_order(a.at, b.at) == 0);
}

static void put_and_get(struct wb_buf *buf, int v, struct wb_bound start, struct wb_bound end)
{
    struct ref_range_put want = ref_range_put(v + 4, start, end);
    struct wb_bound got_start, got_end;
    struct ref_range_get back;
    struct wb_view in;

    programs++;
    wb_buf_truncate(buf, 0);
    assert_int_equal(wb_range_put((enum wb_moq_version)v, buf, start, end), want.status);
    if (want.status != WB_OK)
        return;
    in = wb_buf_view(buf);
    back = ref_range_get(v + 4, in);
    assert_int_equal(back.status, WB_OK);
    assert_int_equal(wb_range_get((enum wb_moq_version)v, &in, &got_start, &got_end), WB_OK);
    assert_true(in.len == 0 && is_bound(got_start, back.start) && is_bound(got_end, back.end));
    assert_true(ref_position_order(got_start.at, start.at) <= 0);
    assert_true(!got_end.present || (end.present && ref_position_order(end.at, got_end.at) <= 0));
}

static void ranges_on_the_wire(void **state)
{
    struct wb_buf buf;

    (void)state;
    programs = 0;
    wb_buf_init(&buf, wb_mem_libc(), 64);
    for (unsigned from = 0; from <= REF_WINDOW_CELLS; from++) {
        for (unsigned to = 0; to <= REF_WINDOW_CELLS; to++) {
            struct wb_bound start = {.present = from < REF_WINDOW_CELLS};
            struct wb_bound end = {.present = to < REF_WINDOW_CELLS};

            if (start.present)
                start.at = ref_cell_first(from);
            if (end.present)
                end.at = ref_cell_first(to);
            for (int v = 0; v < WB_MOQ_VERSIONS; v++)
                put_and_get(&buf, v, start, end);
        }
    }
    wb_buf_fini(&buf);
    print_message("ranges on the wire: %llu\n", (unsigned long long)programs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_of_up_to_four_ranges),
        cmocka_unit_test(programs_of_up_to_five_ranges),
        cmocka_unit_test(pairs_of_sets),
        cmocka_unit_test(triples_of_sets),
        cmocka_unit_test(ranges_on_the_wire),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
