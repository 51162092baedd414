/*
 * Real threads on one frame: a writer, readers that keep every slice or none, readers that join
 * through another one. Bytes are a function of their position, so each reader checks what it reads.
 * Nothing but the frame orders the writer before a reader: the flags here are relaxed. What orders
 * do is the race simulator's to judge; this meets a real machine and the sanitizers for threads and
 * for memory that nobody wrote.
 */
#include "core/media/frame.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <cmocka.h>

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

enum { SEATS = 16, SLICES = 2048, SIZE_MAX_TRIED = 80000 };

struct round {
    uint64_t size, max_step;
    size_t upfront, first, chain;
    enum wb_frame_kind kind; /* at the end */
    unsigned times;
};

/* One reader. */
struct seat {
    pthread_t thread;
    struct table *table;
    struct seat *guest;      /* gets its frame from this reader, in the middle of things */
    _Atomic bool is_invited; /* the guest's: its reader is there */
    bool is_guest, keeps;
    unsigned number;
    struct wb_frame_reader reader;
    uint64_t begin; /* where the reader was when its thread got it */
    struct wb_slice kept[SLICES];
    size_t count;
    int broken; /* line of the first check that failed */
};

struct table {
    const struct round *round;
    enum wb_err end; /* that readers must meet */
    _Atomic bool is_open;
    struct seat seats[SEATS];
};

/* An allocator that counts, from any thread. */
struct counted {
    struct wb_mem mem;
    _Atomic int64_t blocks, bytes;
};

static void *counted_take(struct wb_mem *mem, size_t size)
{
    struct counted *c = (struct counted *)mem;

    atomic_fetch_add_explicit(&c->blocks, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&c->bytes, (int64_t)size, memory_order_relaxed);
    return malloc(size);
}

static void counted_give(struct wb_mem *mem, void *block, size_t size)
{
    struct counted *c = (struct counted *)mem;

    atomic_fetch_sub_explicit(&c->blocks, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&c->bytes, (int64_t)size, memory_order_relaxed);
    free(block);
}

static struct counted counted = {.mem = {counted_take, counted_give}};
static struct table table;

static uint8_t byte_at(uint64_t at)
{
    return (uint8_t)(at * 7 + (at >> 8) * 13 + 1);
}

/* ---- readers --------------------------------------------------------------------------------- */

static void must(struct seat *s, bool holds, int line)
{
    if (!holds && s->broken == 0)
        s->broken = line;
}

#define MUST(s, condition) must(s, condition, __LINE__)

static bool is_payload(struct wb_view bytes, uint64_t begin)
{
    for (size_t i = 0; i < bytes.len; i++)
        if (bytes.data[i] != byte_at(begin + i))
            return false;
    return true;
}

static void invite(struct seat *s)
{
    struct seat *guest = s->guest;

    if (guest == NULL)
        return;
    s->guest = NULL;
    if (s->number % 3 == 0)
        wb_frame_reader_clone(&guest->reader, &s->reader);
    else
        wb_frame_reader_init(&guest->reader, s->reader.frame);
    atomic_store_explicit(&guest->is_invited, true, memory_order_release);
}

/* The end of a frame, as every reader meets it. */
static void check_end(struct seat *s, enum wb_err err)
{
    struct wb_frame *f = s->reader.frame;
    struct wb_slice whole = {0};
    bool is_whole = wb_frame_payload(f, &whole);

    MUST(s, err == s->table->end);
    MUST(s, s->reader.at <= wb_frame_written(f));
    if (err == WB_END) {
        MUST(s, s->reader.at == s->table->round->size);
        MUST(s, wb_frame_kind(f) == s->table->round->kind);
        MUST(s, is_whole == (s->table->round->kind != WB_FRAME_CHAIN));
    }
    MUST(s, is_payload(whole.view, 0));
    wb_slice_drop(&whole);
}

static void *read_all(void *arg)
{
    struct seat *s = arg;
    enum wb_err err = WB_MORE;

    while (!atomic_load_explicit(&s->table->is_open, memory_order_relaxed))
        sched_yield();
    while (s->is_guest && !atomic_load_explicit(&s->is_invited, memory_order_acquire))
        sched_yield();
    s->begin = s->reader.at;
    while (err == WB_MORE || err == WB_OK) {
        uint64_t at = s->reader.at;
        struct wb_slice got;

        err = wb_frame_read(&s->reader, &got);
        if (err == WB_MORE)
            sched_yield();
        if (err != WB_OK)
            continue;
        MUST(s, got.view.len > 0);
        MUST(s, s->reader.at == at + got.view.len);
        MUST(s, is_payload(got.view, at));
        if (s->keeps && s->count < SLICES)
            s->kept[s->count++] = got;
        else
            wb_slice_drop(&got);
        if (at > s->begin)
            invite(s);
    }
    check_end(s, err);
    invite(s);
    wb_frame_reader_fini(&s->reader);
    return NULL;
}

/* ---- the writer ------------------------------------------------------------------------------ */

static enum wb_err deliver(struct wb_frame *f, const uint8_t *bytes, const struct round *round,
                           uint64_t until, unsigned seed)
{
    uint64_t at = 0;

    if (round->kind == WB_FRAME_SHARED) {
        struct wb_slice whole;

        WB_TRY(wb_slice_copy(&counted.mem, wb_view_of(bytes, (size_t)round->size), &whole));
        return wb_frame_write_slice(f, 0, &whole);
    }
    while (at < until) {
        uint64_t begin, step;

        seed = seed * 1103515245u + 12345u;
        step = 1 + (seed >> 8) % round->max_step;
        begin = at - (seed >> 24) % 4 * at / 4; /* now and then what is there comes again */
        if (step > until - at)
            step = until - at;
        WB_TRY(wb_frame_write(f, begin, wb_view_of(bytes + begin, (size_t)(at + step - begin))));
        at += step;
        if ((seed >> 16) % 2 == 0)
            sched_yield();
    }
    return WB_OK;
}

/* One frame, `readers` threads, of which every second one with enough company comes late. */
static void play(const struct round *round, unsigned readers, unsigned seed, const uint8_t *bytes)
{
    const struct wb_frame_limits limits = {round->upfront, round->first, round->chain, NULL};
    bool is_aborted = seed % 4 == 3;
    struct wb_frame *f = NULL;

    table.round = round;
    table.end = is_aborted ? WB_E_CANCEL : WB_END;
    atomic_store_explicit(&table.is_open, false, memory_order_relaxed);
    assert_int_equal(wb_frame_new(&counted.mem, &limits, round->size, &f), WB_OK);
    for (unsigned i = 0; i < readers; i++) {
        struct seat *s = &table.seats[i];

        s->table = &table;
        s->number = i;
        s->count = 0;
        s->keeps = (i / 2 + seed) % 2 == 0;
        s->is_guest = i % 2 == 1;
        s->guest = !s->is_guest && i + 1 < readers ? s + 1 : NULL;
        atomic_store_explicit(&s->is_invited, false, memory_order_relaxed);
        if (!s->is_guest)
            wb_frame_reader_init(&s->reader, f);
    }
    for (unsigned i = 0; i < readers; i++)
        assert_int_equal(pthread_create(&table.seats[i].thread, NULL, read_all, &table.seats[i]),
                         0);
    atomic_store_explicit(&table.is_open, true, memory_order_relaxed);
    assert_int_equal(deliver(f, bytes, round, is_aborted ? round->size / 2 : round->size, seed),
                     WB_OK);
    if (is_aborted)
        wb_frame_abort(f, WB_E_CANCEL);
    else
        assert_int_equal(wb_frame_finish(f), WB_OK);
    wb_frame_drop(f); /* readers go on without the writer */
    for (unsigned i = 0; i < readers; i++)
        assert_int_equal(pthread_join(table.seats[i].thread, NULL), 0);
    for (unsigned i = 0; i < readers; i++) {
        struct seat *s = &table.seats[i];
        uint64_t at = s->begin;

        assert_int_equal(s->broken, 0);
        for (size_t k = 0; k < s->count; at += s->kept[k++].view.len)
            assert_true(is_payload(s->kept[k].view, at));
        for (size_t k = 0; k < s->count; k++)
            wb_slice_drop(&s->kept[k]);
    }
    assert_int_equal(atomic_load(&counted.blocks), 0);
    assert_int_equal(atomic_load(&counted.bytes), 0);
}

static void play_all(const struct round *rounds, size_t count, unsigned readers)
{
    static uint8_t bytes[SIZE_MAX_TRIED];

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = byte_at(i);
    for (size_t i = 0; i < count; i++)
        for (unsigned seed = 0; seed < rounds[i].times / readers; seed++)
            play(&rounds[i], readers, seed, bytes);
}

/* The first size of 1 makes a growing frame move as often as it can. */
static const struct round all_kinds[] = {
    {1000, 60, 0, 1, 2000, WB_FRAME_SHARED, 160},      {1000, 60, 1000, 1, 1, WB_FRAME_FIXED, 160},
    {1000, 30, 0, 1, 1000, WB_FRAME_GROWING, 1600},    {64, 1, 0, 1, 64, WB_FRAME_GROWING, 1600},
    {1000, 30, 0, 4, 64, WB_FRAME_CHAIN, 320},         {1000, 300, 0, 1, 16, WB_FRAME_CHAIN, 320},
    {70000, 3000, 0, 4096, 65536, WB_FRAME_CHAIN, 64},
};

static void one_reader(void **state)
{
    (void)state;
    play_all(all_kinds, COUNT(all_kinds), 1);
}

static void two_readers(void **state)
{
    (void)state;
    play_all(all_kinds, COUNT(all_kinds), 2);
}

static void four_readers(void **state)
{
    (void)state;
    play_all(all_kinds, COUNT(all_kinds), 4);
}

static void sixteen_readers(void **state)
{
    (void)state;
    play_all(all_kinds, COUNT(all_kinds), 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_reader),
        cmocka_unit_test(two_readers),
        cmocka_unit_test(four_readers),
        cmocka_unit_test(sixteen_readers),
    };

    return cmocka_run_group_tests_name("frame_threads", tests, NULL, NULL);
}
