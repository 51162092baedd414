/*
 * test_live_sizes.c: values of every size that the server takes, over every driver and in all
 * three ways to hand them out; and what a small request costs on each.
 */
#include "targets/test_live.h"

#define ITEM_MAX 1048516u /* with a key of one byte */
#define ROUNDS   50u

static const enum wb_reply_values all[] = {WB_REPLY_VIEW, WB_REPLY_COPY, WB_REPLY_DIRECT};

/* Around where lines, reads and buffers end, with `VA n s n kK` before and CR LF behind. */
static const size_t sizes[] = {
    0,      1,      2,      3,      4,      10,      100,          1000,         2025,     2046,
    2047,   2048,   2049,   2050,   4096,   8170,    8171,         8172,         8173,     8189,
    8190,   8191,   8192,   8193,   10239,  10240,   16384,        65513,        65514,    65515,
    65516,  65534,  65535,  65536,  65537,  67584,   73728,        98304,        131072,   212992,
    524287, 524288, 524289, 700000, 983040, 1048000, ITEM_MAX - 2, ITEM_MAX - 1, ITEM_MAX,
};
#define SIZES (sizeof sizes / sizeof *sizes)
_Static_assert(SIZES <= '~' - '!', "a key of one byte for each");

static void up_to_the_limit(void **state)
{
    char key[] = "!";
    (void)state;
    start_server((struct live_server_options){0});
    connect_with(patient(WB_REPLY_VIEW));
    for (size_t i = 0; i < SIZES; i++, key[0]++)
        store(key, sizes[i], i & 1 ? LIVE_LINES : LIVE_BYTES);
    for (size_t way = 0; way < 3; way++) {
        connect_with(patient(all[way]));
        key[0] = '!';
        for (size_t i = 0; i < SIZES; i++, key[0]++)
            fetch(key, sizes[i], i & 1 ? LIVE_LINES : LIVE_BYTES);
    }
}

/* One byte more is refused, drops what was there, and the connection lives on. */
static void over_the_limit(void **state)
{
    (void)state;
    start_server((struct live_server_options){0});
    connect_with(patient(WB_REPLY_VIEW));
    store("x", ITEM_MAX, LIVE_LINES);
    wb_buf_truncate(&words, 0);
    live_say_store(&words, "x", ITEM_MAX + 1, LIVE_LINES, "");
    ask_words(live_one(LIVE_CODES(MS)), 0);
    struct wb_view why = unit(WB_REPLY_SERVER_ERROR).flags;
    assert_true(wb_view_equal(why, wb_view_text("object too large for cache")));
    end_well();
    one("mg x v\r\n", LIVE_CODES(MG), WB_REPLY_EN, "");
    store("x", 1024, LIVE_LINES);
    fetch("x", 1024, LIVE_LINES);
}

/* A server that takes more keeps such values in chunks, and sends them so. */
static void megabytes(void **state)
{
    static const size_t large[] = {700 * 1024, 2 * 1024 * 1024};
    char key[16];
    (void)state;
    start_server((struct live_server_options){.item_max = "4m"});
    for (size_t way = 0; way < 3; way++) {
        connect_with(patient(all[way]));
        for (size_t i = 0; i < 2; i++) {
            snprintf(key, sizeof key, "large-%zu-%zu", way, i);
            store(key, large[i], LIVE_LINES);
            fetch(key, large[i], LIVE_LINES);
        }
    }
}

/* ---- cost ---- */

/* What the system is asked for on average to get that value, in tenths. */
static uint64_t cost_of(const char *key, size_t len)
{
    store(key, len, LIVE_LINES);
    fetch(key, len, LIVE_LINES);
    memset(conn.calls, 0, sizeof conn.calls);
    for (unsigned i = 0; i < ROUNDS; i++)
        fetch(key, len, LIVE_LINES);
    return calls() * 10 / ROUNDS;
}

/* Small replies on a connection in use: send, wait and recv; a ring needs one call for all. */
static void system_calls(void **state)
{
    (void)state;
    start_server((struct live_server_options){0});
    connect_with(patient(WB_REPLY_VIEW));
    uint64_t small = cost_of("cost", 1024), large = cost_of("costs", LIVE_LARGE);
    print_message("%s: %u.%u calls to get 1 KB, %u.%u to get 512 KB\n", driver->name,
                  (unsigned)small / 10, (unsigned)small % 10, (unsigned)large / 10,
                  (unsigned)large % 10);
    if (driver == &live_tls_driver)
        assert_in_range(small, 30, 40); /* a record may come in two pieces */
    else
        assert_int_equal(small, driver == &live_uring_driver ? 10 : 30);
}

#define EACH(f) LIVE_EACH(f, use_driver, tear_down_server)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        EACH(up_to_the_limit),
        EACH(over_the_limit),
        EACH(megabytes),
        EACH(system_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
