/*
 * test_live_waits.c: waits whose word is not final: an event loop's timer that fires late, after
 * the bytes have come; and bytes that wait inside a TLS library, where no wait sees them.
 */
#include "targets/test_live.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- the loop ---- */

#define OLD_REPLY (sizeof "VA 1024 s1024 kold\r\n\r\n" - 1 + 1024)

/*
 * A callback that takes long: in its time the server answers, and then the wait's limit passes.
 * As a timer that is due it runs before that of the wait, however late both are.
 */
static void hog(void *context, unsigned ready)
{
    struct pollfd p = {.fd = conn.fd, .events = POLLIN};
    (void)context;
    (void)ready;
    live_server_thaw(&server);
    assert_int_equal(poll(&p, 1, (int)(LIVE_PATIENT_NS / 1000000)), 1);
    uint64_t until = live_now_ns() + LIVE_SHORT_NS;
    while (live_now_ns() <= until)
        continue;
}

/* The request's limit passes while its answer waits in the socket; the timer fires first. */
static void starve(void)
{
    start_server((struct live_server_options){0});
    connect_with(patient(WB_REPLY_VIEW));
    store("old", 1024, LIVE_LINES);
    store("new", 1024, LIVE_BYTES);
    assert_true(live_server_freeze(&server));
    memset(conn.calls, 0, sizeof conn.calls);
    wb_buf_truncate(&words, 0);
    live_say(&words, "mg old v s k\r\n");
    ask_words(live_one(LIVE_CODES(MG)), LIVE_SHORT_NS);
    live_loop_at(live_loop_of(&conn), 0, hog, NULL);
}

/* The loop says timeout, the poll after it says otherwise, and the poll decides. */
static void a_timer_fires_first(void **state)
{
    (void)state;
    driver = &live_loop_driver;
    starve();
    assert_true(live_is(unit(WB_REPLY_VA).value, 1024, LIVE_LINES, "old"));
    assert_int_equal(conn.calls[LIVE_EPOLL], 0);
    assert_int_equal(conn.calls[LIVE_POLL], 1);
    end_well();
    assert_int_equal(stats().discarded, 0);
    fetch("new", 1024, LIVE_BYTES);
}

/* Whoever takes the loop's word loses the answer, though not the connection. */
static void a_timer_is_believed(void **state)
{
    static struct live_driver hasty;
    (void)state;
    hasty = live_loop_driver;
    hasty.poll_is_wait = true;
    driver = &hasty;
    starve();
    assert_true(end(WB_TIMEOUT, WB_REPLY_OWED));
    assert_int_equal(conn.calls[LIVE_POLL], 0);
    fetch("new", 1024, LIVE_BYTES);
    assert_int_equal(stats().discarded, OLD_REPLY);
}

#define SMALL_VALUES 400u

/* Of a batch whose reply comes in many pieces, each smaller than a read. */
static void get_batch(void)
{
    wb_buf_truncate(&words, 0);
    for (unsigned i = 0; i < SMALL_VALUES; i++)
        live_say(&words, "mg small v k q\r\n");
    live_say(&words, "mn\r\n");
    ask_words(live_batch(LIVE_CODES(MG), SMALL_VALUES), 0);
    for (unsigned i = 0; i < SMALL_VALUES; i++)
        assert_true(live_is(unit(WB_REPLY_VA).value, 100, LIVE_LINES, "small"));
    unit(WB_REPLY_MN);
    end_well();
}

/* No read is made in vain, and no look where the socket spoke. */
static void no_call_in_vain(void **state)
{
    use_driver(state);
    start_server((struct live_server_options){0});
    connect_with(patient(WB_REPLY_VIEW));
    store("small", 100, LIVE_LINES);
    get_batch(); /* reads grow */
    struct wb_reply_cost before = *stats().cost;
    memset(conn.calls, 0, sizeof conn.calls);
    for (unsigned i = 0; i < 20; i++)
        get_batch();
    const struct wb_reply_cost *cost = stats().cost;
    uint64_t waits = cost->waits - before.waits;
    assert_true(waits >= 20);
    assert_int_equal(conn.calls[LIVE_RECV], cost->reads - before.reads);
    assert_int_equal(conn.calls[LIVE_POLL] + conn.calls[LIVE_EPOLL], waits);
    if (driver == &live_loop_driver)
        assert_int_equal(conn.calls[LIVE_POLL], 0);
}

/* A pause for each wait of a long request, none for a short one's. */
static void patience(void **state)
{
    use_driver(state);
    start_server((struct live_server_options){0});
    connect_with(patient(WB_REPLY_VIEW));
    store("small", 100, LIVE_LINES);
    get_batch();
    struct wb_reply_cost before = *stats().cost;
    memset(conn.calls, 0, sizeof conn.calls);
    get_batch();
    uint64_t waits = stats().cost->waits - before.waits;
    assert_int_equal(conn.calls[LIVE_POLL], 2 * waits);
    memset(conn.calls, 0, sizeof conn.calls);
    fetch("small", 100, LIVE_LINES);
    assert_int_equal(conn.calls[LIVE_POLL], 1);
}

static void count_calls(void *context, unsigned ready)
{
    unsigned *sum = context;
    *sum = *sum * 10 + (ready ? 9 : 1);
}

/* Timers in the order of their times; what is cancelled or never due stays silent. */
static void timers(void **state)
{
    uint64_t calls_made[LIVE_CALL_COUNT] = {0};
    unsigned first = 0, second = 0, never = 0;
    (void)state;
    struct live_loop *loop = live_loop_new(calls_made);
    assert_non_null(loop);
    live_loop_at(loop, UINT64_MAX, count_calls, &never);
    live_loop_at(loop, 2, count_calls, &second);
    live_loop_at(loop, 1, count_calls, &first);
    live_loop_at(loop, 0, count_calls, &never);
    live_loop_cancel(loop, &never);
    live_loop_turn(loop);
    assert_int_equal(first, 1);
    assert_int_equal(second, 1);
    assert_int_equal(never, 0);
    assert_int_equal(calls_made[LIVE_EPOLL], 0);
    live_loop_free(loop);
}

/* An end, told whatever is watched, wakes a loop once when nobody waits for it. */
static void an_end_that_nobody_watches(void **state)
{
    uint64_t calls_made[LIVE_CALL_COUNT] = {0};
    unsigned ready = 0, due = 0;
    int ends[2];
    (void)state;
    struct live_loop *loop = live_loop_new(calls_made);
    assert_non_null(loop);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    live_loop_watch(loop, ends[0], WB_REPLY_READABLE, count_calls, &ready);
    live_loop_unwatch(loop, ends[0]);
    close(ends[1]);
    live_loop_at(loop, live_now_ns() + LIVE_SHORT_NS / 10, count_calls, &due);
    while (due == 0)
        live_loop_turn(loop);
    assert_in_range(calls_made[LIVE_EPOLL], 1, 4);
    assert_int_equal(ready, 0);
    live_loop_watch(loop, ends[0], WB_REPLY_READABLE, count_calls, &ready);
    live_loop_turn(loop);
    assert_int_equal(ready, 9);
    live_loop_free(loop);
    close(ends[0]);
}

/* ---- TLS ---- */

static const size_t large[] = {1024, 16384, 100000, LIVE_LARGE};

static void talk_tls(struct wb_reply_profile profile)
{
    char key[16];
    connect_with(profile);
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        snprintf(key, sizeof key, "tls-%zu", i);
        store(key, large[i], LIVE_LINES);
        fetch(key, large[i], LIVE_LINES);
    }
}

static struct wb_reply_profile small_reads(enum wb_reply_values values)
{
    struct wb_reply_profile profile = patient(values);
    profile.small = profile.large = WB_REPLY_LINE_MAX + 1;
    return profile;
}

/* Reads far smaller than records leave most of each inside, and nobody waits for that. */
static void small_reads_of_records(void **state)
{
    static const enum wb_reply_values all[] = {WB_REPLY_VIEW, WB_REPLY_COPY, WB_REPLY_DIRECT};
    (void)state;
    driver = &live_tls_driver;
    start_server((struct live_server_options){0});
    for (size_t i = 0; i < 3; i++) {
        talk_tls(small_reads(all[i]));
        assert_true(live_tls_counts(&conn).reads_leaving > 0);
        assert_true(live_tls_counts(&conn).record_max > WB_REPLY_LINE_MAX + 1);
        assert_int_equal(live_tls_counts(&conn).waits_with, 0);
    }
}

/* Records far smaller than reads: several make a line, hundreds a value. */
static void small_records(void **state)
{
    static const enum wb_reply_values all[] = {WB_REPLY_VIEW, WB_REPLY_COPY, WB_REPLY_DIRECT};
    (void)state;
    driver = &live_tls_driver;
    start_server((struct live_server_options){0});
    server.address.small_records = true;
    for (size_t i = 0; i < 3; i++) {
        talk_tls(patient(all[i]));
        assert_in_range(live_tls_counts(&conn).record_max, 1, 512);
        assert_int_equal(live_tls_counts(&conn).waits_with, 0);
    }
}

/* However many records a request takes, each of its bytes is looked at once at most. */
static void last_line_is_sought_once(void **state)
{
    (void)state;
    driver = &live_tls_driver;
    start_server((struct live_server_options){0});
    connect_with(patient(WB_REPLY_VIEW));
    store("no-line", LIVE_LARGE, LIVE_ZEROS);
    uint64_t searched = live_tls_counts(&conn).searched;
    assert_in_range(searched, LIVE_LARGE, LIVE_LARGE + 100);
    fetch("no-line", LIVE_LARGE, LIVE_ZEROS);
    assert_int_equal(live_tls_counts(&conn).searched, searched);
}

/* A socket that holds less than a record, so that the request often has to wait. */
static struct live_tls_counts send_much(const struct live_driver *with)
{
    const uint32_t n = 10000;
    int size = 4096;
    driver = &live_tls_driver;
    start_server((struct live_server_options){0});
    driver = with;
    connect_with(small_reads(WB_REPLY_VIEW));
    assert_int_equal(setsockopt(conn.fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size), 0);
    store("old", 1024, LIVE_LINES);
    wb_buf_truncate(&words, 0);
    for (uint32_t i = 0; i < n; i++)
        live_say(&words, "mg old v k q\r\n");
    live_say(&words, "mn\r\n");
    ask_words(live_batch(LIVE_CODES(MG), n), 0);
    for (uint32_t i = 0; i < n; i++)
        assert_true(live_is(unit(WB_REPLY_VA).value, 1024, LIVE_LINES, "old"));
    unit(WB_REPLY_MN);
    end_well();
    return live_tls_counts(&conn);
}

/* While it is sent, the answers are read out of the library before each wait. */
static void while_sending(void **state)
{
    (void)state;
    struct live_tls_counts counts = send_much(&live_tls_driver);
    assert_true(counts.reads_leaving > 0);
    assert_int_equal(counts.waits_with, 0);
}

/* Whoever takes TLS for a plain socket waits although there is something to read. */
static void taken_for_plain(void **state)
{
    static struct live_driver plain;
    (void)state;
    plain = live_tls_driver;
    plain.tls = false;
    assert_true(send_much(&plain).waits_with > 0);
}

/* A certificate that was not asked for is no server of ours. */
static void another_certificate(void **state)
{
    struct live_server other = {0};
    struct live_server_options options = {.tls = true};
    struct wb_reply_profile profile = patient(WB_REPLY_VIEW);
    (void)state;
    driver = &live_tls_driver;
    start_server(options);
    assert_true(live_server_start(&other, &options));
    struct live_address at = other.address;
    at.certificate = server.certificate;
    enum wb_err e = live_open_by(driver, &conn, &at, profile, wb_mem_libc(), NULL);
    live_server_stop(&other);
    assert_int_equal(e, WB_E_RESET);
    connect_with(profile);
}

#define WITH_SERVER(f) cmocka_unit_test_teardown(f, tear_down_server)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        LIVE_OF(no_call_in_vain, NULL, tear_down_server, poll),
        LIVE_OF(no_call_in_vain, NULL, tear_down_server, loop),
        LIVE_OF(patience, NULL, tear_down_server, patient),
        WITH_SERVER(a_timer_fires_first),
        WITH_SERVER(a_timer_is_believed),
        cmocka_unit_test(timers),
        cmocka_unit_test(an_end_that_nobody_watches),
        WITH_SERVER(small_reads_of_records),
        WITH_SERVER(small_records),
        WITH_SERVER(last_line_is_sought_once),
        WITH_SERVER(while_sending),
        WITH_SERVER(taken_for_plain),
        WITH_SERVER(another_certificate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
