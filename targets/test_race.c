/*
 * test_race.c: interleavings. First that the simulator sees what it is there to see, on toys whose
 * orders are right or weakened; then frames, in every interleaving of small configurations.
 */
#include "core/base/atomic.h"
#include "sim/alloc.h"
#include "sim/race_explore.h"
#include "sim/text.h"
#include "targets/race/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What two threads share, and what the runs came to. */
static struct toy {
    struct wb_atomic_u64 flag, other;
    struct wb_atomic_ptr box;
    uint8_t data[8];
    bool is_weak;
    uint64_t saw[2];
    struct sim_race *race;
    struct sim_race_explore explore;
    uint64_t faults; /* bit f: fault f was seen in some run */
    bool both_missed;
    struct sim_alloc alloc;
} toy;

static unsigned toy_pick(void *world, const struct sim_race_turn *turn)
{
    (void)world;
    return sim_race_explore_pick(&toy.explore, turn);
}

static bool toy_hold(void *world, unsigned current)
{
    (void)world, (void)current;
    return sim_race_explore_hold(&toy.explore);
}

static void toy_fault(void *world, enum sim_race_fault fault, unsigned thread)
{
    (void)world, (void)thread;
    toy.faults |= UINT64_C(1) << fault;
}

static bool saw(enum sim_race_fault fault)
{
    return (toy.faults >> fault & 1) != 0;
}

typedef void (*toy_fn)(void *arg, unsigned self);

/* All interleavings of two threads; returns how many. */
static uint64_t explore(toy_fn first, toy_fn second, bool is_weak, unsigned held)
{
    static const struct sim_race_calls calls = {
        .pick = toy_pick, .hold = toy_hold, .fault = toy_fault};

    toy.faults = 0;
    toy.both_missed = false;
    toy.is_weak = is_weak;
    sim_race_explore_init(&toy.explore, 3, held);
    while (sim_race_explore_next(&toy.explore)) {
        sim_alloc_reset(&toy.alloc);
        toy.race = sim_race_begin(&toy.alloc.mem, NULL, &calls, NULL);
        sim_race_watch(toy.race, &toy.flag, sizeof toy.flag + sizeof toy.other + sizeof toy.box);
        sim_race_watch(toy.race, toy.data, sizeof toy.data);
        wb_atomic_init(&toy.flag, 0);
        wb_atomic_init(&toy.other, 0);
        wb_atomic_ptr_init(&toy.box, NULL);
        toy.saw[0] = toy.saw[1] = 1;
        (void)sim_race_spawn(toy.race, first, NULL);
        (void)sim_race_spawn(toy.race, second, NULL);
        sim_race_run(toy.race);
        toy.both_missed |= toy.saw[0] == 0 && toy.saw[1] == 0;
        sim_race_end(toy.race);
    }
    return toy.explore.runs;
}

/* ---- a message passed ---- */

static void sends(void *arg, unsigned self)
{
    (void)arg, (void)self;
    toy.data[0] = 7;
    WB_RACE_WROTE(toy.data, 1);
    if (toy.is_weak)
        WB_ATOMIC_STORE(&toy.flag, 1, memory_order_relaxed);
    else
        wb_atomic_store_release(&toy.flag, 1);
}

static void receives(void *arg, unsigned self)
{
    (void)arg, (void)self;
    if (wb_atomic_load_acquire(&toy.flag) == 1)
        WB_RACE_READ(toy.data, 1);
}

static void receives_weakly(void *arg, unsigned self)
{
    (void)arg, (void)self;
    sim_race_point(toy.race);
    if (wb_atomic_load_relaxed(&toy.flag) == 1)
        WB_RACE_READ(toy.data, 1);
}

static void a_message_is_ordered_by_release_and_acquire(void **state)
{
    (void)state;
    assert_true(explore(sends, receives, false, 1) > 2);
    assert_int_equal(toy.faults, 0);
    explore(sends, receives, true, 0);
    assert_true(saw(SIM_RACE_READ_EARLY));
    explore(sends, receives_weakly, false, 0);
    assert_true(saw(SIM_RACE_READ_EARLY));
}

static void sends_and_adds(void *arg, unsigned self)
{
    sends(arg, self);
    (void)wb_atomic_add_relaxed(&toy.flag, 1);
}

static void sends_and_stores(void *arg, unsigned self)
{
    sends(arg, self);
    WB_ATOMIC_STORE(&toy.flag, 2, memory_order_relaxed);
}

static void receives_two(void *arg, unsigned self)
{
    (void)arg, (void)self;
    if (wb_atomic_load_acquire(&toy.flag) == 2)
        WB_RACE_READ(toy.data, 1);
}

static void an_addition_goes_on_with_a_release_and_a_store_does_not(void **state)
{
    (void)state;
    explore(sends_and_adds, receives_two, false, 1);
    assert_int_equal(toy.faults, 0);
    explore(sends_and_stores, receives_two, false, 0);
    assert_true(saw(SIM_RACE_READ_EARLY));
}

static void reads_before(void *arg, unsigned self)
{
    (void)arg, (void)self;
    sim_race_point(toy.race);
    WB_RACE_READ(toy.data + 1, 1);
}

static void a_byte_nobody_wrote_is_told_apart(void **state)
{
    (void)state;
    explore(sends, reads_before, false, 0);
    assert_true(saw(SIM_RACE_READ_NOTHING));
}

/* ---- two stores, each followed by a look at the other ---- */

static void one_side(struct wb_atomic_u64 *mine, const struct wb_atomic_u64 *other, unsigned self)
{
    if (toy.is_weak)
        wb_atomic_store_release(mine, 1);
    else
        (void)wb_atomic_add_seq_cst(mine, 1);
    toy.saw[self - 1] = wb_atomic_load_seq_cst(other);
}

static void flag_side(void *arg, unsigned self)
{
    (void)arg;
    one_side(&toy.flag, &toy.other, self);
}

static void other_side(void *arg, unsigned self)
{
    (void)arg;
    one_side(&toy.other, &toy.flag, self);
}

static void only_seq_cst_orders_a_store_before_a_load(void **state)
{
    (void)state;
    explore(flag_side, other_side, false, 2);
    assert_false(toy.both_missed);
    explore(flag_side, other_side, true, 2);
    assert_true(toy.both_missed);
    explore(flag_side, other_side, true, 0); /* sequentially consistent: nothing shows */
    assert_false(toy.both_missed);
}

static void acquire_side(void *arg, unsigned self)
{
    (void)arg;
    (void)wb_atomic_add_seq_cst(&toy.other, 1);
    toy.saw[self - 1] = wb_atomic_load_acquire(&toy.flag);
}

static void both_sides_need_it(void **state)
{
    (void)state;
    explore(flag_side, acquire_side, false, 1);
    assert_true(toy.both_missed);
}

/* ---- an object with two holders ---- */

static void drop(void *arg, unsigned self)
{
    uint8_t *data = WB_ATOMIC_LOAD(void *, &toy.box, memory_order_acquire);
    uint64_t before;

    (void)arg, (void)self;
    sim_race_point(toy.race); /* what it found it holds already */
    WB_RACE_WROTE(data + self, 1);
    if (toy.is_weak)
        before = wb_atomic_add_relaxed(&toy.flag, UINT64_MAX);
    else
        before = wb_atomic_sub_acq_rel(&toy.flag, 1);
    if (before == 1)
        wb_mem_give(sim_race_mem(toy.race), data, 8);
}

static void make_and_drop(void *arg, unsigned self)
{
    uint8_t *data = wb_mem_take(sim_race_mem(toy.race), 8);

    assert_non_null(data);
    (void)wb_atomic_add_relaxed(&toy.flag, 2);
    WB_ATOMIC_STORE(&toy.box, data, memory_order_release);
    sim_race_wake(toy.race);
    drop(arg, self);
}

static void wait_and_drop(void *arg, unsigned self)
{
    for (;;) {
        uint64_t seen = sim_race_wakes(toy.race);

        if (WB_ATOMIC_LOAD(void *, &toy.box, memory_order_acquire) != NULL)
            break;
        sim_race_wait(toy.race, seen);
    }
    drop(arg, self);
}

static void who_frees_must_have_seen_every_use(void **state)
{
    (void)state;
    explore(make_and_drop, wait_and_drop, false, 1);
    assert_int_equal(toy.faults, 0);
    explore(make_and_drop, wait_and_drop, true, 0);
    assert_true(saw(SIM_RACE_GIVE_EARLY));
}

static void waits_for_ever(void *arg, unsigned self)
{
    (void)arg, (void)self;
    sim_race_wait(toy.race, sim_race_wakes(toy.race));
}

static void a_thread_that_never_ends_is_told(void **state)
{
    (void)state;
    explore(sends, waits_for_ever, false, 0);
    assert_int_equal(toy.faults, UINT64_C(1) << SIM_RACE_STUCK);
    explore(sends, receives, false, 0);
    assert_int_equal(toy.faults, 0);
}

/* Binomials, by hand: two threads of two points each, with at most so many preemptions. */
static void it_runs_each_interleaving_once(void **state)
{
    (void)state;
    assert_int_equal(explore(flag_side, other_side, true, 0), 6);
}

/* ---- frames, in every interleaving of a small configuration ---- */

static const struct shape {
    const char *name, *text;
    unsigned preempts, held;
} shapes[] = {
    {"fixed, one reader",
     "knob upfront 16\nopen size=8\nwrite size=4\nwrite size=4\nfinish\nread s1\npayload s1\n", 3,
     1},
    {"shared, one reader", "open size=8\ngive size=8\nfinish\nask s1\nread s1\npayload s1\n", 3, 1},
    {"one growth, one reader", "open size=8\nwrite size=3\nwrite size=5\nfinish\nread s1\n", 3, 2},
    {"two growths, one reader",
     "open size=16\nwrite size=4\nwrite size=3\nwrite size=9\nfinish\nread s1 keep=1\n", 3, 1},
    {"payload before any read, one reader",
     "knob upfront 16\nopen size=8\nwrite size=8\nfinish\npayload s1\nread s1\n", 3, 2},
    {"overlap, one reader",
     "open size=8\nwrite size=4\nwrite size=2 back=3\nwrite size=2\nfinish\nread s1 keep=1\n", 3,
     1},
    {"chain, one reader",
     "knob chain 8\nopen size=16\nwrite size=6\nwrite size=6\nwrite size=4\nfinish\nread s1\n", 3,
     1},
    {"abort, one reader", "open size=8\nwrite size=4\nwrite size=4\nabort\nread s1\n", 3, 1},
    {"one growth, two readers",
     "open size=8\nwrite size=4\nwrite size=4\nfinish\nread s1\nread s2\n", 2, 1},
    {"fixed, two readers",
     "knob upfront 16\nopen size=8\nwrite size=8\nfinish\nread s1 keep=1\nread s2\n", 2, 1},
    {"shared, two readers", "open size=8\ngive size=8\nfinish\nread s1\nread s2\n", 2, 1},
    {"chain, two readers",
     "knob chain 4\nopen size=8\nwrite size=8\nfinish\nread s1\nread s2 keep=1\n", 2, 1},
    {"one growth, two readers",
     "open size=8\nwrite size=4\nwrite size=4\nfinish\nread s1\nread s2\n", 3, 0},
    {"shared, two readers", "open size=4\ngive size=4\nread s1\nread s2\n", 3, 0},
    {"one growth, two readers that do not wait",
     "open size=8\nwrite size=4\nwrite size=4\npoll s1 times=1\npoll s2 times=1\n", 3, 0},
};

static struct race_world world;
static const struct shape *current;

/* A broken invariant ends the program: its report ends with the scenario that repeats it. */
static void tell_scenario(void)
{
    sim_trace_print(&fuzz_run_state()->trace, SIM_TRACE_RING, stderr);
    fprintf(stderr, "as a scenario:\n%s", current->text);
    race_steering(&world, stderr);
}

static uint64_t run_all(const struct shape *s)
{
    struct sim_run *run = fuzz_run_state();
    struct wb_buf bytes;
    struct sim_text_error error;

    wb_buf_init(&bytes, wb_mem_libc(), 4096);
    assert_int_equal(sim_text_asm(&race_ops, wb_view_text(s->text), &bytes, &error), WB_OK);
    sim_race_explore_init(&toy.explore, s->preempts, s->held);
    current = s;
    inv_on_failure(tell_scenario);
    while (sim_race_explore_next(&toy.explore)) {
        sim_run_reset(run);
        race_load(&world, run, wb_buf_view(&bytes));
        world.explore = &toy.explore;
        race_play(&world);
    }
    wb_buf_fini(&bytes);
    print_message("%s: %llu interleavings of at most %u preemptions and %u stores held back\n",
                  s->name, (unsigned long long)toy.explore.runs, s->preempts, s->held);
    return toy.explore.runs;
}

static void a_frame_is_sound_in_every_interleaving(void **state)
{
    uint64_t sum = 0;

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        sum += run_all(&shapes[i]);
    print_message("%llu interleavings in all\n", (unsigned long long)sum);
    assert_true(sum > 10000);
}

static int needs_watched_atomics(void **state)
{
    (void)state;
#ifndef WB_RACE
    print_message("SKIP: atomics are plain in this variant\n");
    exit(0);
#endif
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_is_ordered_by_release_and_acquire),
        cmocka_unit_test(an_addition_goes_on_with_a_release_and_a_store_does_not),
        cmocka_unit_test(a_byte_nobody_wrote_is_told_apart),
        cmocka_unit_test(only_seq_cst_orders_a_store_before_a_load),
        cmocka_unit_test(both_sides_need_it),
        cmocka_unit_test(who_frees_must_have_seen_every_use),
        cmocka_unit_test(a_thread_that_never_ends_is_told),
        cmocka_unit_test(it_runs_each_interleaving_once),
        cmocka_unit_test(a_frame_is_sound_in_every_interleaving),
    };

    return cmocka_run_group_tests_name("race", tests, needs_watched_atomics, NULL) != 0;
}
