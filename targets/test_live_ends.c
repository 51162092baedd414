/*
 * test_live_ends.c: servers that stand still, go, come back, hang up on the idle or have no room,
 * over every driver.
 */
#include "targets/test_live.h"

#include <poll.h>

#define OLD_REPLY  (sizeof "VA 1024 s1024 kold\r\n\r\n" - 1 + 1024)
#define PATIENT_MS ((int)(LIVE_PATIENT_NS / 1000000))

/* A connection of its own that has stored LARGE in "large", and 1024 bytes in "old" and "new". */
static void begin(struct wb_reply_profile profile)
{
    start_server((struct live_server_options){0});
    connect_with(profile);
    store("large", LIVE_LARGE, LIVE_LINES);
    store("old", 1024, LIVE_LINES);
    store("new", 1024, LIVE_LINES);
}

static void ask_get(const char *key, uint64_t timeout_ns)
{
    wb_buf_truncate(&words, 0);
    live_say(&words, "mg %s v s k\r\n", key);
    ask_words(live_one(LIVE_CODES(MG)), timeout_ns);
}

static void freeze(void)
{
    assert_true(live_server_freeze(&server));
}

/* The connection ends with the next request, whether the system says closed or reset. */
static void ends_gone(bool sent)
{
    struct wb_reply_event event = next_event(WB_REPLY_EVENT_END);
    assert_true(event.status == WB_E_EOF || event.status == WB_E_RESET);
    assert_int_equal(event.sent, sent);
    assert_int_equal(stats().state, WB_REPLY_DEAD);
    assert_int_equal(conn.fd, -1);
}

/* ---- standing still ---- */

/* An answer that comes after its time is dropped to its last byte; the next gets its own. */
static void answered_late(void **state)
{
    (void)state;
    begin(patient(WB_REPLY_VIEW));
    for (unsigned i = 1; i <= 2; i++) {
        freeze();
        ask_get("old", LIVE_SHORT_NS);
        assert_true(end(WB_TIMEOUT, WB_REPLY_OWED));
        live_server_thaw(&server);
        fetch("new", 1024, LIVE_LINES);
        assert_int_equal(stats().discarded, i * OLD_REPLY);
        assert_int_equal(stats().owed, 0);
    }
    fetch("large", LIVE_LARGE, LIVE_LINES);
}

/* More than both sockets hold: what is half written can never be made whole. */
static void half_written(void **state)
{
    (void)state;
    begin(patient(WB_REPLY_VIEW));
    freeze();
    wb_buf_truncate(&words, 0);
    for (unsigned i = 0; i < 16; i++)
        live_say_store(&words, "large", 1000000, LIVE_BYTES, "q");
    live_say(&words, "mn\r\n");
    ask_words(live_batch(LIVE_CODES(MS), 16), LIVE_SHORT_NS);
    assert_true(end(WB_E_UNSENT, WB_REPLY_DEAD));
}

/* ---- going ---- */

/* Looked for before anything is written, so that the request is safe to repeat elsewhere. */
static void restarted(void **state)
{
    struct wb_reply_profile profile = patient(WB_REPLY_VIEW);
    (void)state;
    profile.probe_idle_ns = 0;
    begin(profile);
    assert_true(conn.calls[LIVE_PROBE] > 0);
    live_server_kill(&server);
    start_server((struct live_server_options){0});
    ask_get("old", 0);
    ends_gone(false);
    connect_with(profile);
    one("mg old v\r\n", LIVE_CODES(MG), WB_REPLY_EN, "");
    store("old", 1024, LIVE_BYTES);
    fetch("old", 1024, LIVE_BYTES);
}

static void gone_while_owing(void **state)
{
    (void)state;
    begin(patient(WB_REPLY_VIEW));
    freeze();
    ask_get("old", LIVE_SHORT_NS);
    assert_true(end(WB_TIMEOUT, WB_REPLY_OWED));
    live_server_kill(&server);
    ask_get("new", 0);
    ends_gone(false);
}

/*
 * Nothing of a value is handed out when its end never comes. TCP may hold all of it, and then it
 * did come.
 */
static void gone_within_a_value(void **state)
{
    struct wb_reply_event event = {0};
    (void)state;
    begin(patient(WB_REPLY_DIRECT));
    uint64_t before = stats().taken;
    ask_get("large", 0);
    while (stats().taken == before)
        assert_int_equal(live_step(&conn, &event), WB_MORE);
    live_server_kill(&server);
    assert_int_equal(live_next(&conn, &event), WB_OK);
    if (event.kind == WB_REPLY_EVENT_UNIT) {
        assert_true(driver->tls);
        assert_true(live_is(event.value, LIVE_LARGE, LIVE_LINES, "large"));
        end_well();
        return;
    }
    assert_true(event.status == WB_E_EOF || event.status == WB_E_RESET);
    assert_true(event.sent);
    assert_int_equal(stats().state, WB_REPLY_DEAD);
}

/* ---- no room ---- */

/*
 * One connection too many is told so before it asks, and closed: whoever looks first sees bytes
 * that nobody asked for; who does not is answered by the ERROR line, or finds the socket closed.
 * The line is no TLS, so that there the handshake fails.
 */
static void no_room(void **state)
{
    enum { ROOM = 40 };
    static struct live_conn conns[2 * ROOM];
    struct live_request request = {.bytes = wb_view_text("mn\r\n"),
                                   .shape = live_one(LIVE_CODES(MN))};
    struct wb_reply_profile profile = patient(WB_REPLY_VIEW);
    struct wb_reply_event event = {.code = WB_REPLY_MN};
    enum wb_err e = WB_OK;
    size_t n = 0;
    (void)state;
    start_server((struct live_server_options){.connections = "40"});
    for (; n < 2 * ROOM && e == WB_OK && event.code == WB_REPLY_MN; n++) {
        e = live_open_by(driver, &conns[n], &server.address, profile, wb_mem_libc(), NULL);
        if (e == WB_OK) {
            assert_int_equal(live_start(&conns[n], &request), WB_OK);
            assert_int_equal(live_next(&conns[n], &event), WB_OK);
        }
    }
    assert_in_range(n, 2, 2 * ROOM - 1);
    assert_int_equal(e, driver->tls ? WB_E_RESET : WB_OK);
    assert_true(driver->tls || event.code == WB_REPLY_ERROR || event.status == WB_E_RESET);
    if (!driver->tls) {
        profile.probe_idle_ns = 0;
        connect_with(profile);
        struct pollfd p = {.fd = conn.fd, .events = POLLIN};
        assert_int_equal(poll(&p, 1, PATIENT_MS), 1);
        ask("mn\r\n", live_one(LIVE_CODES(MN)));
        assert_false(end(WB_E_UNSOLICITED, WB_REPLY_DEAD));
    }
    for (size_t i = 0; i < n; i++)
        live_close(&conns[i]);
}

/* ---- idle ---- */

static const struct live_driver *const drivers[] = {&live_poll_driver, &live_loop_driver,
                                                    &live_uring_driver, &live_tls_driver};
#define DRIVERS (sizeof drivers / sizeof *drivers)

/*
 * Opened before all tests, and long idle when their own comes last. On ports: connections of unix
 * sockets stay.
 */
static struct live_server idle_servers[DRIVERS];
static struct live_conn idle_conns[DRIVERS];

static bool open_idle(size_t i)
{
    struct live_server_options options = {
        .tcp = true, .tls = drivers[i]->tls, .extended = "idle_timeout=1"};
    struct live_request version = {.bytes = wb_view_text("version\r\n"),
                                   .shape = live_one(LIVE_CODES(VERSION))};
    struct wb_reply_profile profile = patient(WB_REPLY_VIEW);
    struct wb_reply_event event = {0};
    profile.probe_idle_ns = 0;
    idle_conns[i].fd = -1;
    if (!live_server_installed() || drivers[i]->missing())
        return true;
    if (!live_server_start(&idle_servers[i], &options) ||
        live_open_by(drivers[i], &idle_conns[i], &idle_servers[i].address, profile, wb_mem_libc(),
                     NULL) != WB_OK)
        return false;
    enum wb_err e = live_start(&idle_conns[i], &version);
    while (e == WB_OK && event.kind != WB_REPLY_EVENT_END)
        e = live_next(&idle_conns[i], &event);
    return e == WB_OK && event.status == WB_OK;
}

static int open_all(void **state)
{
    bool ok = true;
    (void)state;
    for (size_t i = 0; i < DRIVERS; i++)
        ok = open_idle(i) && ok;
    return ok ? 0 : -1;
}

static int close_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < DRIVERS; i++) {
        live_close(&idle_conns[i]);
        live_server_stop(&idle_servers[i]);
    }
    return 0;
}

/* What the server closed meanwhile is met by the probe, and the next connection is served. */
static void idle(void **state)
{
    size_t i = 0;
    (void)state;
    need_server();
    while (drivers[i] != driver)
        i++;
    struct pollfd p = {.fd = idle_conns[i].fd, .events = POLLIN};
    assert_int_equal(poll(&p, 1, PATIENT_MS), 1);
    server = idle_servers[i];
    connect_with(patient(WB_REPLY_VIEW));
    store("old", 1024, LIVE_LINES);
    live_close(&conn);

    struct live_request request = {.bytes = wb_view_text("mg old v\r\n"),
                                   .shape = live_one(LIVE_CODES(MG))};
    struct wb_reply_event event = {0};
    assert_int_equal(live_start(&idle_conns[i], &request), WB_OK);
    assert_int_equal(live_next(&idle_conns[i], &event), WB_OK);
    assert_int_equal(event.kind, WB_REPLY_EVENT_END);
    assert_int_equal(event.status, WB_E_EOF);
    assert_false(event.sent);
    server = (struct live_server){0};
}

#define EACH(f) LIVE_EACH(f, use_driver, tear_down_server)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        EACH(answered_late),
        EACH(half_written),
        EACH(restarted),
        EACH(gone_while_owing),
        EACH(gone_within_a_value),
        EACH(no_room),
        LIVE_EACH(idle, use_driver, tear_down_conn),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
