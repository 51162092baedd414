/*
 * The allocator of a run: counts are exact, the n-th request fails, and a stray access or a wrong
 * give does not pass. What must die, dies in a child.
 */
#include "sim/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_ASAN true
#elif __has_feature(memory_sanitizer)
#define TEST_MSAN true
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define TEST_ASAN true
#endif
#ifndef TEST_ASAN
#define TEST_ASAN false
#endif
#ifndef TEST_MSAN
#define TEST_MSAN false
#endif

static struct sim_alloc alloc;

static int fresh(void **state)
{
    (void)state;
    alloc.max_bytes = 0;
    sim_alloc_reset(&alloc);
    return 0;
}

static uint8_t *take(size_t size)
{
    return wb_mem_take(&alloc.mem, size);
}

static void give(void *block, size_t size)
{
    wb_mem_give(&alloc.mem, block, size);
}

static void counts_are_exact(void **state)
{
    (void)state;
    uint8_t *a = take(100), *b = take(1);
    assert_non_null(a);
    assert_non_null(b);
    assert_int_equal((uintptr_t)a % 16, 0);
    assert_int_equal((uintptr_t)b % 16, 0);
    assert_int_equal(alloc.requests, 2);
    assert_int_equal(alloc.live_blocks, 2);
    assert_int_equal(alloc.live_bytes, 101);
    give(a, 100);
    assert_int_equal(alloc.live_blocks, 1);
    assert_int_equal(alloc.live_bytes, 1);
    assert_int_equal(alloc.peak_bytes, 101);
    uint8_t *c = take(50);
    assert_true(c > b); /* a given block is not lent again within a run */
    give(b, 1);
    give(c, 50);
    assert_int_equal(alloc.live_blocks, 0);
    assert_int_equal(alloc.live_bytes, 0);
    assert_int_equal(alloc.peak_bytes, 101);
    assert_int_equal(alloc.refused, 0);
}

static void the_nth_request_fails(void **state)
{
    (void)state;
    alloc.fail_at[SIM_ALLOC_SWEEP] = 2;
    for (uint64_t i = 1; i <= 6; i++) {
        if (i == 4)
            sim_alloc_fail_next(&alloc, 2);
        uint8_t *block = take(8);
        bool is_refused = i == 2 || i == 5;
        assert_int_equal(block == NULL, is_refused);
        give(block, 8);
    }
    assert_int_equal(alloc.requests, 6);
    assert_int_equal(alloc.refused, 2);
    sim_alloc_reset(&alloc);
    assert_int_equal(alloc.fail_at[SIM_ALLOC_SWEEP], 0);
    assert_int_equal(alloc.fail_at[SIM_ALLOC_OP], 0);
    assert_int_equal(alloc.requests, 0);
}

static void the_cap_is_noted(void **state)
{
    (void)state;
    alloc.max_bytes = 100;
    sim_alloc_reset(&alloc);
    assert_int_equal(alloc.max_bytes, 100);
    uint8_t *a = take(60), *b = take(41), *c = take(40);
    assert_non_null(a);
    assert_null(b);
    assert_non_null(c);
    assert_int_equal(alloc.over, 1);
    assert_int_equal(alloc.refused, 1);
    assert_null(take(SIZE_MAX));
    give(a, 60);
    give(c, 40);
    assert_int_equal(alloc.peak_bytes, 100);
}

static void sizes_that_are_no_numbers(void **state)
{
    (void)state;
    assert_null(take(SIZE_MAX));
    assert_null(take(SIZE_MAX - 40));
    assert_int_equal(alloc.live_blocks, 0);
    assert_int_equal(alloc.refused, 2);
}

static void beyond_the_arena(void **state)
{
    (void)state;
    uint8_t *small = take(64), *large = take(SIM_ALLOC_ARENA), *rest = take(SIM_ALLOC_ARENA / 2);
    uint8_t *more = take(SIM_ALLOC_ARENA / 2 + 1);
    assert_true(small != NULL && large != NULL && rest != NULL && more != NULL);
    memset(large, 1, SIM_ALLOC_ARENA);
    memset(more, 2, SIM_ALLOC_ARENA / 2 + 1);
    assert_int_equal(alloc.live_blocks, 4);
    assert_int_equal(alloc.live_bytes, 64 + 2 * SIM_ALLOC_ARENA + 1);
    give(large, SIM_ALLOC_ARENA);
    give(rest, SIM_ALLOC_ARENA / 2);
    give(small, 64);
    give(more, SIM_ALLOC_ARENA / 2 + 1);
    assert_int_equal(alloc.live_bytes, 0);
}

static void every_size_is_writable(void **state)
{
    (void)state;
    for (size_t size = 1; size < 200; size++) {
        uint8_t *block = take(size);
        assert_non_null(block);
        memset(block, (int)size, size);
        assert_int_equal(block[size - 1], size);
        give(block, size);
    }
}

static void a_reset_starts_over(void **state)
{
    (void)state;
    uint8_t *first = take(10);
    assert_non_null(first);
    sim_alloc_reset(&alloc);
    assert_ptr_equal(take(10), first);
    assert_int_equal(alloc.live_blocks, 1);
}

/* True when `fn` ends its process otherwise than by returning. */
static bool dies(void (*fn)(void))
{
    fflush(stdout);
    fflush(stderr);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (freopen("/dev/null", "w", stderr) == NULL)
            _exit(0);
        fn();
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

static void harmless(void)
{
    uint8_t *block = take(13);
    block[12] = 1;
    give(block, 13);
}

static void wrong_size(void)
{
    give(take(13), 12);
}

static void twice(void)
{
    uint8_t *block = take(13);
    give(take(13), 13);
    give(block, 13);
    give(take(13), 13);
    alloc.live_blocks++;
    alloc.live_bytes += 13;
    give(block, 13);
}

static void one_too_far(void)
{
    uint8_t *block = take(13);
    block[13] = 1;
    give(block, 13);
}

static void one_before(void)
{
    uint8_t *block = take(16);
    block[-1] = 1;
    give(block, 16);
}

static volatile uint8_t sink;

static void reads_too_far(void)
{
    uint8_t *block = take(8);
    sink = block[8];
}

static void reads_what_was_given(void)
{
    uint8_t *block = take(64);
    memset(block, 1, 64);
    give(block, 64);
    if (block[5] == 1)
        sink = 1;
}

static void reads_after_a_reset(void)
{
    uint8_t *block = take(64);
    memset(block, 1, 64);
    sim_alloc_reset(&alloc);
    if (block[5] == 1)
        sink = 1;
}

static void reads_what_nobody_wrote(void)
{
    uint8_t *block = take(64);
    memset(block, 1, 64);
    give(block, 64);
    sim_alloc_reset(&alloc);
    block = take(64);
    if (block[5] == 1)
        sink = 1;
}

/* What compilers know to lie inside an object they may not look at; so the place is told at run
 * time. */
static volatile size_t at;

static void reads_poison(void)
{
    static _Alignas(16) uint8_t bytes[64];
    sim_poison(bytes + 5, 11);
    at = 5;
    if (bytes[at] == 1)
        sink = 1;
}

static void reads_beside_poison(void)
{
    static _Alignas(16) uint8_t bytes[64];
    sim_poison(bytes + 5, 11);
    at = 4;
    if (bytes[at] == 1 || bytes[at + 12] == 1)
        sink = 1;
    sim_unpoison(bytes, sizeof(bytes));
    if (bytes[at + 1] == 1)
        sink = 1;
}

static void strays_do_not_pass(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        void (*fn)(void);
        bool everywhere, asan, msan;
    } rows[] = {
        {"harmless", harmless, false, false, false},
        {"wrong_size", wrong_size, true, true, true},
        {"twice", twice, true, true, true},
        {"one_too_far", one_too_far, true, true, true},
        {"one_before", one_before, true, true, true},
        {"reads_too_far", reads_too_far, false, true, false},
        {"reads_what_was_given", reads_what_was_given, false, true, true},
        {"reads_after_a_reset", reads_after_a_reset, false, true, true},
        {"reads_what_nobody_wrote", reads_what_nobody_wrote, false, false, true},
        {"reads_poison", reads_poison, false, true, true},
        {"reads_beside_poison", reads_beside_poison, false, false, false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        bool want = TEST_ASAN ? rows[i].asan : TEST_MSAN ? rows[i].msan : rows[i].everywhere;
        if (dies(rows[i].fn) != want)
            fail_msg("%s: %s", rows[i].name, want ? "lives" : "dies");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(counts_are_exact, fresh),
        cmocka_unit_test_setup(the_nth_request_fails, fresh),
        cmocka_unit_test_setup(the_cap_is_noted, fresh),
        cmocka_unit_test_setup(sizes_that_are_no_numbers, fresh),
        cmocka_unit_test_setup(beyond_the_arena, fresh),
        cmocka_unit_test_setup(every_size_is_writable, fresh),
        cmocka_unit_test_setup(a_reset_starts_over, fresh),
        cmocka_unit_test_setup(strays_do_not_pass, fresh),
    };
    return cmocka_run_group_tests_name("sim_alloc", tests, NULL, NULL);
}
