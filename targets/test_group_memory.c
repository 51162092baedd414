/*
 * Groups and memory: what is billed is what is there, who gives it back, and what a refusal leaves.
 */
#include "targets/test_group.h"

/* Everything that a group keeps is billed, and nothing else, whatever its shape. */
static void live_bytes_are_what_is_billed(void **state)
{
    const struct {
        size_t frames, len;
    } rows[] = {{0, 0}, {1, 0}, {1, 1}, {1, 160}, {2, 160}, {4, 3}, {5, 100}, {33, 1000}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct wb_group *g[20];

        for (size_t n = 0; n < 20; n++) {
            g[n] = group_new(&wb_group_limits_default);
            add_many(g[n], rows[i].frames, rows[i].len);
        }
        assert_true(memory.live_bytes <= wb_pool_used(&pool));
        assert_true(memory.live_bytes * 100 >= wb_pool_used(&pool) * 95);
        for (size_t n = 0; n < 20; n++)
            wb_group_leave(g[n]);
        assert_int_equal(wb_pool_used(&pool), 0);
    }
}

/* The same for one that is written in parts, at each size that frames store in another way. */
static void open_frames_are_billed(void **state)
{
    const uint64_t sizes[] = {0, 1, 160, 65536, 65537, MIB, MIB + 1, 5 * MIB + 3};
    static const uint8_t zeros[5 * MIB + 3];

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct wb_group *g = group_new(&wb_group_limits_default);
        struct wb_group_reader r;
        struct wb_frame *f = frame_open(g, sizes[i]);
        uint64_t billed = wb_group_billed(g);

        assert_true(memory.live_bytes <= billed);
        for (uint64_t at = 0; at < sizes[i]; at += 100000) {
            uint64_t n = sizes[i] - at < 100000 ? sizes[i] - at : 100000;

            assert_int_equal(wb_frame_write(f, at, wb_view_of(zeros, n)), WB_OK);
            wb_group_check(g);
        }
        assert_true(memory.live_bytes <= billed);
        assert_int_equal(wb_group_close(g), WB_OK);
        wb_group_check(g);
        assert_int_equal(wb_group_billed(g), billed - WB_GROUP_OPEN);
        assert_int_equal(wb_group_bytes(g), sizes[i]);
        assert_true(memory.live_bytes <= wb_group_billed(g) + WB_GROUP_OPEN); /* chains: object */
        wb_group_reader_init(&r, g);
        assert_gives(&r, 0, sizes[i]);
        wb_group_reader_fini(&r);
        wb_group_leave(g);
    }
}

/* The frame object goes at close, unless a reader of its bytes is still on the way. */
static void readers_of_a_frame_outlive_everything(void **state)
{
    struct wb_group *g = group_new(&wb_group_limits_default);
    struct wb_group_reader r;
    struct wb_group_frame early, late;
    struct wb_frame *f = frame_open(g, 10);
    uint64_t blocks;
    enum wb_err err;

    (void)state;
    wb_group_reader_init(&r, g);
    assert_int_equal(wb_group_next(&r, &early), WB_OK);
    assert_int_equal(wb_frame_write(f, 0, wb_view_of(TEXT, 10)), WB_OK);
    assert_int_equal(wb_group_close(g), WB_OK);
    blocks = memory.live_blocks;
    wb_group_reader_start_at(&r, 0);
    assert_int_equal(wb_group_next(&r, &late), WB_OK);
    assert_null(late.reader.frame); /* a payload */
    assert_int_equal(drain(&early.reader, &err), 10);
    wb_frame_reader_fini(&early.reader);
    assert_int_equal(memory.live_blocks, blocks - 1);
    wb_group_reader_fini(&r);
    wb_group_leave(g);
    assert_int_equal(wb_pool_used(&pool), 0);
    assert_int_equal(drain(&late.reader, &err), 10);
    wb_frame_reader_fini(&late.reader);

    g = group_new(&wb_group_limits_default);
    f = frame_open(g, 10);
    wb_group_reader_init(&r, g);
    assert_int_equal(wb_group_next(&r, &early), WB_OK);
    wb_group_reader_fini(&r);
    wb_group_drop(g); /* the writer forgot to leave */
    assert_int_equal(wb_pool_used(&pool), 0);
    assert_int_equal(drain(&early.reader, &err), 0);
    assert_int_equal(err, WB_E_DROPPED);
    wb_frame_reader_fini(&early.reader);
}

/* A call that memory was refused changed nothing. */
static void assert_same(const struct wb_group *g, uint64_t next, uint64_t used, uint64_t live)
{
    assert_int_equal(wb_group_next_index(g), next);
    assert_int_equal(wb_pool_used(&pool), used);
    assert_int_equal(memory.live_bytes, live);
    wb_group_check(g);
}

static void add_twice_if_refused(struct wb_group *g)
{
    uint64_t next = wb_group_next_index(g), used = wb_pool_used(&pool), live;
    struct wb_slice s = {0};

    if (wb_slice_copy(&memory.mem, wb_view_of(TEXT, 10), &s) != WB_OK)
        s = bytes(10);
    live = memory.live_bytes;
    if (wb_group_add(g, 0, &s) == WB_OK)
        return;
    assert_int_equal(s.view.len, 10);
    assert_same(g, next, used, live);
    assert_int_equal(wb_group_add(g, 0, &s), WB_OK);
}

static void open_twice_if_refused(struct wb_group *g)
{
    uint64_t next = wb_group_next_index(g), used = wb_pool_used(&pool), live = memory.live_bytes;
    struct wb_frame *f = NULL;

    if (wb_group_open(g, 0, 10, &f) != WB_OK) {
        assert_null(f);
        assert_same(g, next, used, live);
        f = frame_open(g, 10);
    }
    if (wb_frame_write(f, 0, wb_view_of(TEXT, 10)) != WB_OK)
        assert_int_equal(wb_frame_write(f, 0, wb_view_of(TEXT, 10)), WB_OK);
    assert_int_equal(wb_group_close(g), WB_OK);
}

/* Each allocation of a writer's calls is refused in turn: nothing happens, it may be repeated. */
static void refused_memory(void **state)
{
    struct wb_group *g = NULL;

    (void)state;
    for (uint64_t n = 1; n <= 40; n++) {
        g = group_new(&wb_group_limits_default);
        sim_alloc_fail_next(&memory, n);
        for (unsigned i = 0; i < 9; i++) {
            add_twice_if_refused(g);
            open_twice_if_refused(g);
        }
        assert_int_equal(wb_group_committed(g), 18);
        wb_group_leave(g);
        memory.fail_at[SIM_ALLOC_OP] = 0;
    }
    assert_int_equal(memory.refused, 31); /* later ones were not reached: these were all */
    g = NULL;
    sim_alloc_fail_next(&memory, 1);
    assert_int_equal(wb_group_new(&memory.mem, &wb_group_limits_default, &pool, 0, &g), WB_E_NOMEM);
    assert_null(g);
    assert_int_equal(pool.entries, 0);
}

/* One allocation a frame for its payload; the log's own are few. */
static void allocations(void **state)
{
    struct wb_group *g = group_new(&wb_group_limits_default);
    struct wb_group_reader r;
    uint64_t before = memory.requests;

    (void)state;
    add_many(g, 1024, 20);
    assert_int_equal(memory.requests - before, 1024 + 9); /* 4, 8, ... 1024 places */
    before = memory.requests;
    wb_group_reader_init(&r, g);
    for (uint64_t i = 0; i < 1024; i++)
        assert_gives(&r, i, 20);
    wb_group_reader_fini(&r);
    assert_int_equal(memory.requests, before);
    wb_group_leave(g);
}

static void without_a_pool(void **state)
{
    struct wb_group *g;

    (void)state;
    assert_int_equal(wb_group_new(&memory.mem, &wb_group_limits_default, NULL, MAX, &g), WB_OK);
    assert_true(wb_group_sequence(g) == MAX);
    add_many(g, 9, 9);
    assert_int_equal(wb_group_billed(g), 0);
    assert_int_equal(wb_group_bytes(g), 81);
    wb_group_abort(g, WB_E_REMOTE);
    wb_group_check(g);
    wb_group_leave(g);
}

static void default_limits(void **state)
{
    const struct wb_frame_limits *a = &wb_group_limits_default.frame;
    const struct wb_frame_limits *b = &wb_frame_limits_default;

    (void)state;
    assert_int_equal(wb_group_limits_default.bytes, 32 * MIB);
    assert_int_equal(a->upfront, b->upfront);
    assert_int_equal(a->first, b->first);
    assert_int_equal(a->chain, b->chain);
    assert_ptr_equal(a->cost, b->cost);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(live_bytes_are_what_is_billed),
        CASE(open_frames_are_billed),
        CASE(readers_of_a_frame_outlive_everything),
        CASE(refused_memory),
        CASE(allocations),
        CASE(without_a_pool),
        CASE(default_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
