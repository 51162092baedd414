/*
 * A stream delivers the writer's bytes in order and once, whatever the faults; each fault does what
 * it says.
 */
#include "sim/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define CAPACITY 4096

static struct sim_stream stream;
static uint8_t storage[CAPACITY];

static struct sim_stream *fresh(void)
{
    sim_stream_init(&stream, storage, sizeof(storage));
    return &stream;
}

static size_t put(struct sim_stream *s, uint64_t now_ns, const char *text, enum sim_io want)
{
    enum sim_io io = SIM_IO_BYTES;
    size_t n = sim_stream_write(s, now_ns, wb_view_text(text), &io);
    sim_stream_check(s);
    assert_int_equal(io, want);
    return n;
}

/* Reads at most `len` and compares. */
static void get(struct sim_stream *s, uint64_t now_ns, size_t len, const char *want)
{
    uint8_t data[64];
    size_t n = 0;
    assert_int_equal(sim_stream_read(s, now_ns, data, len, &n), SIM_IO_BYTES);
    sim_stream_check(s);
    assert_int_equal(n, strlen(want));
    assert_memory_equal(data, want, n);
}

static void get_io(struct sim_stream *s, uint64_t now_ns, enum sim_io want)
{
    uint8_t data[64];
    size_t n = 77;
    assert_int_equal(sim_stream_read(s, now_ns, data, sizeof(data), &n), want);
    assert_int_equal(n, 77);
}

static void plain_bytes_and_end(void **state)
{
    (void)state;
    struct sim_stream *s = fresh();
    assert_false(sim_stream_is_readable(s, 0));
    assert_true(sim_stream_is_writable(s, 0));
    get_io(s, 0, SIM_IO_AGAIN);
    assert_int_equal(put(s, 0, "hello", SIM_IO_BYTES), 5);
    assert_int_equal(sim_stream_readable_bytes(s, 0), 5);
    get(s, 0, 2, "he");
    get(s, 0, 9, "llo");
    sim_stream_fin(s, 3);
    assert_true(sim_stream_is_readable(s, 3));
    get_io(s, 3, SIM_IO_EOF);
    get_io(s, 3, SIM_IO_EOF);
    assert_int_equal(put(s, 3, "x", SIM_IO_EOF), 0);
    assert_false(sim_stream_is_writable(s, 3));
}

static void delay_keeps_order(void **state)
{
    (void)state;
    struct sim_stream *s = fresh();
    s->delay_ns = 100;
    put(s, 0, "slow", SIM_IO_BYTES);
    s->delay_ns = 0;
    put(s, 10, "fast", SIM_IO_BYTES);
    sim_stream_fin(s, 10);
    assert_false(sim_stream_is_readable(s, 99));
    assert_int_equal(sim_stream_next_ns(s, 10), 100);
    get(s, 100, 64, "slowfast");
    get_io(s, 100, SIM_IO_EOF);
    assert_int_equal(sim_stream_next_ns(s, 100), UINT64_MAX);
}

static void delays_saturate(void **state)
{
    (void)state;
    struct sim_stream *s = fresh();
    s->delay_ns = UINT64_MAX;
    put(s, 5, "never", SIM_IO_BYTES);
    assert_int_equal(sim_stream_readable_bytes(s, UINT64_MAX - 1), 0);
    assert_int_equal(sim_stream_next_ns(s, 5), UINT64_MAX);
}

static void stall_keeps_what_has_arrived(void **state)
{
    (void)state;
    struct sim_stream *s = fresh();
    put(s, 5, "old", SIM_IO_BYTES);
    s->delay_ns = 10;
    put(s, 5, "way", SIM_IO_BYTES);
    sim_stream_stall(s, 6, 50);
    assert_int_equal(sim_stream_readable_bytes(s, 6), 3);
    put(s, 20, "new", SIM_IO_BYTES);
    assert_int_equal(sim_stream_readable_bytes(s, 49), 3);
    assert_int_equal(sim_stream_next_ns(s, 20), 50);
    sim_stream_stall(s, 30, 40);
    sim_stream_stall(s, 31, 60);
    assert_int_equal(sim_stream_readable_bytes(s, 59), 3);
    assert_int_equal(sim_stream_readable_bytes(s, 60), 9);
    /* A new stall after that one is over takes nothing back. */
    sim_stream_stall(s, 70, 90);
    assert_int_equal(sim_stream_readable_bytes(s, 71), 9);
    put(s, 70, "last", SIM_IO_BYTES);
    assert_int_equal(sim_stream_readable_bytes(s, 89), 9);
    sim_stream_heal(s);
    assert_int_equal(sim_stream_readable_bytes(s, 89), 13);
}

static void merge_holds_back(void **state)
{
    (void)state;
    struct sim_stream *s = fresh();
    s->merge = 2;
    put(s, 1, "a", SIM_IO_BYTES);
    put(s, 2, "b", SIM_IO_BYTES);
    assert_false(sim_stream_is_readable(s, 2));
    assert_int_equal(sim_stream_next_ns(s, 2), UINT64_MAX);
    put(s, 3, "c", SIM_IO_BYTES);
    s->cut_at_segments = true;
    get(s, 3, 64, "abc");
    s->merge = 1;
    put(s, 4, "d", SIM_IO_BYTES);
    assert_false(sim_stream_is_readable(s, 4));
    sim_stream_fin(s, 5);
    get(s, 5, 64, "d");
    get_io(s, 5, SIM_IO_EOF);
    s = fresh();
    s->merge = 1;
    put(s, 4, "e", SIM_IO_BYTES);
    sim_stream_heal(s);
    get(s, 4, 64, "e");
    /* What fills the window is not held: nothing would ever follow it. */
    s = fresh();
    s->window = 3;
    s->merge = 1;
    assert_int_equal(put(s, 4, "fill", SIM_IO_BYTES), 3);
    get(s, 4, 64, "fil");
}

static void split_spreads(void **state)
{
    (void)state;
    struct sim_stream *s = fresh();
    s->split_count = 1;
    s->split = 2;
    s->split_gap_ns = 10;
    put(s, 0, "abcde", SIM_IO_BYTES);
    assert_int_equal(s->segments_end - s->segments_begin, 3);
    get(s, 0, 64, "ab");
    assert_int_equal(sim_stream_next_ns(s, 0), 10);
    get(s, 20, 64, "cde");
    put(s, 20, "fgh", SIM_IO_BYTES);
    get(s, 20, 64, "fgh");
}

static void read_faults_are_one_shot(void **state)
{
    (void)state;
    struct sim_stream *s = fresh();
    s->again = 1;
    s->intr = 2;
    get_io(s, 0, SIM_IO_AGAIN);
    assert_int_equal(s->again, 1);
    put(s, 0, "abcdef", SIM_IO_BYTES);
    assert_true(sim_stream_is_readable(s, 0));
    get_io(s, 0, SIM_IO_INTR);
    get_io(s, 0, SIM_IO_INTR);
    get_io(s, 0, SIM_IO_AGAIN);
    s->read_max_count = 2;
    s->read_max = 1;
    get(s, 0, 64, "a");
    get(s, 0, 64, "b");
    get(s, 0, 64, "cdef");
    put(s, 0, "xy", SIM_IO_BYTES);
    put(s, 0, "z", SIM_IO_BYTES);
    s->cut_at_segments = true;
    get(s, 0, 1, "x");
    get(s, 0, 64, "y");
    get(s, 0, 64, "z");
    put(s, 0, "q", SIM_IO_BYTES);
    get(s, 0, 0, "");
    get(s, 0, 1, "q");
}

static void write_faults_and_back_pressure(void **state)
{
    (void)state;
    struct sim_stream *s = fresh();
    s->write_intr = 1;
    s->write_again = 1;
    s->write_max_count = 1;
    s->write_max = 2;
    assert_int_equal(put(s, 0, "abc", SIM_IO_INTR), 0);
    assert_int_equal(put(s, 0, "abc", SIM_IO_AGAIN), 0);
    assert_int_equal(put(s, 0, "abc", SIM_IO_BYTES), 2);
    s->window = 4;
    assert_int_equal(put(s, 0, "cdef", SIM_IO_BYTES), 2);
    assert_false(sim_stream_is_writable(s, 0));
    assert_int_equal(put(s, 0, "ef", SIM_IO_AGAIN), 0);
    assert_int_equal(put(s, 0, "", SIM_IO_BYTES), 0);
    get(s, 0, 1, "a");
    assert_true(sim_stream_is_writable(s, 0));
    assert_int_equal(put(s, 0, "ef", SIM_IO_BYTES), 1);
    get(s, 0, 64, "bcde");
}

static void ring_full_is_back_pressure(void **state)
{
    (void)state;
    struct sim_stream *s = fresh();
    for (size_t i = 0; i < SIM_STREAM_SEGMENTS; i++)
        assert_int_equal(put(s, 0, "x", SIM_IO_BYTES), 1);
    assert_false(sim_stream_is_writable(s, 0));
    assert_int_equal(put(s, 0, "y", SIM_IO_AGAIN), 0);
    get(s, 0, 1, "x");
    assert_int_equal(put(s, 0, "y", SIM_IO_BYTES), 1);
    s = fresh();
    s->split_count = 1;
    enum sim_io io;
    static const uint8_t many[1000] = {1};
    assert_int_equal(sim_stream_write(s, 0, wb_view_of(many, 1000), &io), 1000);
    sim_stream_check(s);
    assert_int_equal(s->segments_end, SIM_STREAM_SEGMENTS);
    assert_int_equal(sim_stream_readable_bytes(s, 0), 1000);
}

static void capacity_ends(void **state)
{
    (void)state;
    sim_stream_init(&stream, storage, 3);
    assert_int_equal(put(&stream, 0, "abcd", SIM_IO_BYTES), 3);
    get(&stream, 0, 64, "abc");
    assert_int_equal(put(&stream, 0, "d", SIM_IO_AGAIN), 0);
}

static void reset_loses_what_is_on_the_way(void **state)
{
    (void)state;
    struct sim_stream *s = fresh();
    put(s, 0, "there", SIM_IO_BYTES);
    s->delay_ns = 10;
    put(s, 0, "lost", SIM_IO_BYTES);
    sim_stream_reset(s, 5);
    sim_stream_check(s);
    assert_int_equal(s->written, 9);
    assert_int_equal(put(s, 5, "x", SIM_IO_RESET), 0);
    assert_true(sim_stream_is_writable(s, 5));
    get(s, 20, 64, "there");
    get_io(s, 14, SIM_IO_AGAIN);
    assert_int_equal(sim_stream_next_ns(s, 5), 15);
    get_io(s, 15, SIM_IO_RESET);
    sim_stream_fin(s, 16);
    get_io(s, 16, SIM_IO_RESET);
}

static uint32_t random_state;

static uint32_t below(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % n;
}

static void any_fault(struct sim_stream *s, uint64_t now_ns)
{
    switch (below(14)) {
    case 0:
        s->merge = below(3);
        break;
    case 1:
        s->delay_ns = below(50);
        break;
    case 2:
        sim_stream_stall(s, now_ns, now_ns + below(80));
        break;
    case 3:
        s->again = below(3);
        break;
    case 4:
        s->intr = below(3);
        break;
    case 5:
        s->read_max_count = below(5);
        s->read_max = below(3);
        break;
    case 6:
        s->cut_at_segments = !s->cut_at_segments;
        break;
    case 7:
        s->write_again = below(2);
        s->write_intr = below(2);
        break;
    case 8:
        s->write_max_count = below(4);
        s->write_max = below(4);
        break;
    case 9:
        s->split_count = below(3);
        s->split = below(4);
        s->split_gap_ns = below(20);
        break;
    case 10:
        s->window = below(200);
        break;
    default:
        break;
    }
}

/* The law: what is read is the written stream from its start, nothing is readable before its time,
 * and all of it comes. */
static void bytes_come_in_order_and_once(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed < 1500; seed++) {
        struct sim_stream *s = fresh();
        uint64_t now_ns = 0;
        size_t sent = 0, got = 0;
        random_state = seed;
        for (int step = 0; step < 300; step++) {
            uint8_t data[64];
            size_t n = 0, before = sim_stream_readable_bytes(s, now_ns);
            any_fault(s, now_ns);
            assert_true(sim_stream_readable_bytes(s, now_ns) >= before);
            for (size_t i = 0; i < sizeof(data); i++)
                data[i] = (uint8_t)((sent + i) * 7 + (sent + i) / 251);
            enum sim_io io;
            if (below(2) == 0)
                sent += sim_stream_write(s, now_ns, wb_view_of(data, below(sizeof(data))), &io);
            sim_stream_check(s);
            assert_int_equal(s->written, sent);
            uint64_t next_ns = sim_stream_next_ns(s, now_ns);
            assert_true(next_ns > now_ns);
            before = sim_stream_readable_bytes(s, now_ns);
            assert_true(next_ns == UINT64_MAX || sim_stream_readable_bytes(s, next_ns) > before);
            now_ns += below(30);
            if (sim_stream_read(s, now_ns, data, below(sizeof(data)), &n) == SIM_IO_BYTES) {
                for (size_t i = 0; i < n; i++, got++)
                    assert_int_equal(data[i], (uint8_t)(got * 7 + got / 251));
            }
            sim_stream_check(s);
            assert_int_equal(s->read, got);
        }
        sim_stream_heal(s);
        sim_stream_fin(s, now_ns);
        now_ns += 1000;
        assert_int_equal(sim_stream_readable_bytes(s, now_ns), sent - got);
        while (got < sent) {
            uint8_t data[512];
            size_t n = 0;
            assert_int_equal(sim_stream_read(s, now_ns, data, sizeof(data), &n), SIM_IO_BYTES);
            for (size_t i = 0; i < n; i++, got++)
                assert_int_equal(data[i], (uint8_t)(got * 7 + got / 251));
        }
        get_io(s, now_ns, SIM_IO_EOF);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_bytes_and_end),
        cmocka_unit_test(delay_keeps_order),
        cmocka_unit_test(delays_saturate),
        cmocka_unit_test(stall_keeps_what_has_arrived),
        cmocka_unit_test(merge_holds_back),
        cmocka_unit_test(split_spreads),
        cmocka_unit_test(read_faults_are_one_shot),
        cmocka_unit_test(write_faults_and_back_pressure),
        cmocka_unit_test(ring_full_is_back_pressure),
        cmocka_unit_test(capacity_ends),
        cmocka_unit_test(reset_loses_what_is_on_the_way),
        cmocka_unit_test(bytes_come_in_order_and_once),
    };
    return cmocka_run_group_tests_name("sim_stream", tests, NULL, NULL);
}
