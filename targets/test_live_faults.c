/*
 * test_live_faults.c: a real server that stands still, dies, comes back, or has no room: real
 * timeouts, replies that come late, and requests that are given up.
 */
#include "targets/test_live.h"

#include <poll.h>

static int set_up(void **state)
{
    static const struct live_server_options defaults;
    (void)state;
    return !live_server_installed() || live_server_start(&server, &defaults) ? 0 : -1;
}

/* A connection of its own that has stored LARGE in "large", and 1024 bytes in "old" and "new". */
static void begin(const struct wb_reply_profile *profile)
{
    need_server();
    connect_with(*profile);
    store("large", LIVE_LARGE, LIVE_LINES);
    store("old", 1024, LIVE_LINES);
    store("new", 1024, LIVE_LINES);
}

static void begin_patient(enum wb_reply_values values)
{
    struct wb_reply_profile profile = patient(values);
    begin(&profile);
}

static void freeze(void)
{
    assert_true(live_server_freeze(&server));
}

static void ask_get(const char *key, uint64_t timeout_ns)
{
    wb_buf_truncate(&words, 0);
    live_say(&words, "mg %s v s k\r\n", key);
    ask_words(live_one(LIVE_CODES(MG)), timeout_ns);
}

/* Written whole, and some of the reply can be read. */
static void wait_for_reply(void)
{
    struct wb_reply_event event;
    struct pollfd p = {.fd = conn.fd, .events = POLLIN};
    assert_int_equal(live_step(&conn, &event), WB_MORE);
    assert_int_equal(conn.calls[LIVE_POLL], 0);
    assert_int_equal(stats().state, WB_REPLY_BUSY);
    assert_int_equal(poll(&p, 1, (int)(LIVE_PATIENT_NS / 1000000)), 1);
}

/* The old reply is dropped to its last byte, the next request gets its own. */
static void recovers(uint64_t old_size)
{
    live_server_thaw(&server);
    fetch("new", 1024, LIVE_LINES);
    assert_int_equal(stats().discarded, old_size);
    assert_int_equal(stats().owed, 0);
    fetch("old", 1024, LIVE_LINES);
}

#define OLD_REPLY   (sizeof "VA 1024 s1024 kold\r\n\r\n" - 1 + 1024)
#define LARGE_REPLY (sizeof "VA 524288 s524288 klarge\r\n\r\n" - 1 + LIVE_LARGE)

/* ---- timeouts ---- */

static void before_any_byte(void **state)
{
    (void)state;
    begin_patient(WB_REPLY_VIEW);
    freeze();
    ask_get("old", LIVE_SHORT_NS);
    assert_true(end(WB_TIMEOUT, WB_REPLY_OWED));
    recovers(OLD_REPLY);
}

/* The timeout of a single wait, without a deadline for the request. */
static void of_a_wait(void **state)
{
    struct wb_reply_profile profile = patient(WB_REPLY_VIEW);
    (void)state;
    begin(&profile);
    profile.wait_timeout_ns = LIVE_SHORT_NS;
    connect_with(profile);
    freeze();
    ask_get("old", 0);
    assert_true(end(WB_TIMEOUT, WB_REPLY_OWED));
    assert_int_equal(calls(), 2);
}

/* More than a socket holds, so that the server stands still within it, wherever that is. */
static void within_a_value(void **state)
{
    static const enum wb_reply_values all[] = {WB_REPLY_VIEW, WB_REPLY_COPY, WB_REPLY_DIRECT};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        begin_patient(all[i]);
        memset(conn.calls, 0, sizeof conn.calls);
        ask_get("large", LIVE_SHORT_NS);
        wait_for_reply();
        freeze();
        uint64_t before = stats().taken;
        assert_true(end(WB_TIMEOUT, WB_REPLY_OWED));
        assert_true(stats().taken > before);
        assert_true(stats().taken < before + LARGE_REPLY);
        recovers(LARGE_REPLY);
    }
}

/* While the old reply does not come, later requests are not even sent. */
static void again_while_draining(void **state)
{
    (void)state;
    begin_patient(WB_REPLY_VIEW);
    freeze();
    ask_get("old", LIVE_SHORT_NS);
    assert_true(end(WB_TIMEOUT, WB_REPLY_OWED));
    for (unsigned i = 0; i < 2; i++) {
        ask_get("new", LIVE_SHORT_NS);
        assert_false(end(WB_TIMEOUT, WB_REPLY_OWED));
    }
    recovers(OLD_REPLY);
}

static void too_often(void **state)
{
    struct live_request request = {.bytes = wb_view_text("mn\r\n"),
                                   .shape = live_one(LIVE_CODES(MN))};
    (void)state;
    begin_patient(WB_REPLY_VIEW);
    freeze();
    for (unsigned i = 0; i < WB_REPLY_OWED_MAX; i++) {
        ask_get("old", LIVE_SHORT_NS);
        assert_true(end(WB_TIMEOUT, WB_REPLY_OWED) == (i == 0));
    }
    ask_get("old", LIVE_SHORT_NS);
    assert_false(end(WB_TIMEOUT, WB_REPLY_DEAD));
    assert_int_equal(stats().reason, WB_E_OWED_TOO_OFTEN);
    assert_int_equal(live_start(&conn, &request), WB_E_CLOSED);
}

static void without_recovery(void **state)
{
    struct wb_reply_profile profile = patient(WB_REPLY_VIEW);
    (void)state;
    profile.recover = false;
    begin(&profile);
    freeze();
    ask_get("old", LIVE_SHORT_NS);
    assert_true(end(WB_TIMEOUT, WB_REPLY_DEAD));
}

/* Both sockets are full, half is written: the server would take the next request as its rest. */
static void half_written(void **state)
{
    (void)state;
    begin_patient(WB_REPLY_VIEW);
    freeze();
    wb_buf_truncate(&words, 0);
    live_say_store(&words, "large", 1000000, LIVE_BYTES, "");
    ask_words(live_one(LIVE_CODES(MS)), LIVE_SHORT_NS);
    assert_true(end(WB_E_UNSENT, WB_REPLY_DEAD));
}

/* A drain stays within its budget, or the connection ends. */
static void over_budget(void **state)
{
    struct wb_reply_profile profile = patient(WB_REPLY_VIEW);
    (void)state;
    profile.drain_max = 100000;
    begin(&profile);
    freeze();
    ask_get("large", LIVE_SHORT_NS);
    assert_true(end(WB_TIMEOUT, WB_REPLY_OWED));
    live_server_thaw(&server);
    ask_get("new", 0);
    assert_false(end(WB_E_DRAIN_LIMIT, WB_REPLY_DEAD));
}

/* ---- requests given up ---- */

static void abandoned_within_a_batch(void **state)
{
    (void)state;
    begin_patient(WB_REPLY_COPY);
    wb_buf_truncate(&words, 0);
    for (unsigned i = 0; i < 40; i++)
        live_say(&words, "mg old v s k q\r\n");
    live_say(&words, "mn\r\n");
    ask_words(live_batch(LIVE_CODES(MG), 40), 0);
    for (unsigned i = 0; i < 3; i++)
        assert_true(live_is(unit(WB_REPLY_VA).value, 1024, LIVE_LINES, "old"));
    assert_int_equal(live_abandon(&conn), WB_REPLY_OWED);
    recovers(37 * OLD_REPLY + 4);
}

static void abandoned_before_it_is_sent(void **state)
{
    (void)state;
    begin_patient(WB_REPLY_VIEW);
    ask_get("old", 0);
    assert_int_equal(live_abandon(&conn), WB_REPLY_IDLE);
    recovers(0);
}

static void no_space_for_the_value(void **state)
{
    struct wb_reply_event event;
    (void)state;
    begin_patient(WB_REPLY_COPY);
    struct live_request request = {.bytes = wb_view_text("mg large v s k\r\n"),
                                   .shape = live_one(LIVE_CODES(MG)),
                                   .space = space,
                                   .space_size = LIVE_LARGE - 1};
    assert_int_equal(live_start(&conn, &request), WB_OK);
    assert_int_equal(live_next(&conn, &event), WB_E_BOUNDS);
    assert_int_equal(stats().state, WB_REPLY_OWED);
    assert_int_equal(live_next(&conn, &event), WB_E_CLOSED);
    recovers(LARGE_REPLY);
}

/* ---- a server that goes ---- */

/* Looked for before anything is written, so that the request is safe to repeat elsewhere. */
static void restarted_while_idle(void **state)
{
    static const struct live_server_options defaults;
    struct wb_reply_profile profile = patient(WB_REPLY_VIEW);
    (void)state;
    profile.probe_idle_ns = 0;
    begin(&profile);
    assert_true(conn.calls[LIVE_PROBE] > 0);
    live_server_kill(&server);
    assert_true(live_server_start(&server, &defaults));
    ask_get("old", 0);
    assert_false(end(WB_E_EOF, WB_REPLY_DEAD));
    connect_with(profile);
    one("mg old v\r\n", LIVE_CODES(MG), WB_REPLY_EN, "");
}

static void gone_while_owing(void **state)
{
    (void)state;
    begin_patient(WB_REPLY_VIEW);
    freeze();
    ask_get("old", LIVE_SHORT_NS);
    assert_true(end(WB_TIMEOUT, WB_REPLY_OWED));
    live_server_kill(&server);
    ask_get("new", 0);
    struct wb_reply_event event = next_event(WB_REPLY_EVENT_END);
    assert_true(event.status == WB_E_EOF || event.status == WB_E_RESET);
    assert_false(event.sent);
    assert_int_equal(stats().state, WB_REPLY_DEAD);
}

/* Nothing of a value is handed out when its end never comes. */
static void gone_within_a_value(void **state)
{
    (void)state;
    begin_patient(WB_REPLY_DIRECT);
    memset(conn.calls, 0, sizeof conn.calls);
    ask_get("large", 0);
    wait_for_reply();
    live_server_kill(&server);
    struct wb_reply_event event = next_event(WB_REPLY_EVENT_END);
    assert_true(event.status == WB_E_EOF || event.status == WB_E_RESET);
    assert_true(event.sent);
    assert_int_equal(stats().state, WB_REPLY_DEAD);
}

/*
 * One connection too many is told so before it asks, and closed: whoever looks first sees bytes
 * that nobody asked for; who does not is answered by the ERROR line, or finds the socket closed.
 */
static void no_room(void **state)
{
    enum { ROOM = 40 };
    static struct live_conn conns[2 * ROOM];
    struct live_request request = {.bytes = wb_view_text("mn\r\n"),
                                   .shape = live_one(LIVE_CODES(MN))};
    struct wb_reply_profile profile = patient(WB_REPLY_VIEW);
    struct wb_reply_event event = {.code = WB_REPLY_MN};
    size_t n = 0;
    (void)state;
    start_server((struct live_server_options){.connections = "40"});
    for (; n < 2 * ROOM && event.code == WB_REPLY_MN; n++) {
        assert_int_equal(live_open(&conns[n], &server.address, profile, wb_mem_libc(), NULL),
                         WB_OK);
        assert_int_equal(live_start(&conns[n], &request), WB_OK);
        assert_int_equal(live_next(&conns[n], &event), WB_OK);
    }
    assert_true(n > 1);
    assert_true(event.code == WB_REPLY_ERROR || event.status == WB_E_RESET);

    profile.probe_idle_ns = 0;
    connect_with(profile);
    struct pollfd p = {.fd = conn.fd, .events = POLLIN};
    assert_int_equal(poll(&p, 1, (int)(LIVE_PATIENT_NS / 1000000)), 1);
    ask("mn\r\n", live_one(LIVE_CODES(MN)));
    assert_false(end(WB_E_UNSOLICITED, WB_REPLY_DEAD));
    for (size_t i = 0; i < n; i++)
        live_close(&conns[i]);
}

#define FROM(f)      cmocka_unit_test_setup_teardown(f, set_up, tear_down_server)
#define FROM_NONE(f) cmocka_unit_test_teardown(f, tear_down_server)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        FROM(before_any_byte),
        FROM(of_a_wait),
        FROM(within_a_value),
        FROM(again_while_draining),
        FROM(too_often),
        FROM(without_recovery),
        FROM(half_written),
        FROM(over_budget),
        FROM(abandoned_within_a_batch),
        FROM(abandoned_before_it_is_sent),
        FROM(no_space_for_the_value),
        FROM(restarted_while_idle),
        FROM(gone_while_owing),
        FROM(gone_within_a_value),
        FROM_NONE(no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
