/*
 * test_live.h: what the tests against a real server share: one server and one connection at a
 * time, and assertions about what comes next.
 */
#ifndef TEST_LIVE_H
#define TEST_LIVE_H

#include "targets/live/drivers.h"
#include "targets/live/server.h"
#include "targets/live/talk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define LIVE_SPACE_SIZE (2100u * 1024)
#define LIVE_LARGE      (512u * 1024)
#define LIVE_PATIENT_NS UINT64_C(20000000000) /* where an answer must come */
#define LIVE_SHORT_NS   UINT64_C(100000000)   /* where none can come */
#define LIVE_CODES(a)   WB_REPLY_CODES_##a

/* The tests f of each driver, whose table is the test's initial state. */
#define LIVE_OF(f, set_up, tear_down, name)                                                        \
    {                                                                                              \
#f " " #name, f, set_up, tear_down, (void *)(uintptr_t)&live_##name##_driver               \
    }
#define LIVE_EACH(f, set_up, tear_down)                                                            \
    LIVE_OF(f, set_up, tear_down, poll), LIVE_OF(f, set_up, tear_down, loop),                      \
        LIVE_OF(f, set_up, tear_down, uring), LIVE_OF(f, set_up, tear_down, tls)

static const struct live_driver *driver = &live_poll_driver;
static struct live_server server;
static struct live_conn conn = {.fd = -1};
static struct wb_buf words; /* the request */
static uint8_t space[LIVE_SPACE_SIZE];

/* Says so, once for each test, when there is nothing to test against. */
static inline void need_server(void)
{
    if (!live_server_installed()) {
        print_message("memcached is not installed\n");
        skip();
    }
    if (driver->missing()) {
        print_message("%s\n", driver->missing());
        skip();
    }
}

static inline int use_driver(void **state)
{
    driver = *state;
    return 0;
}

static inline void start_server(struct live_server_options options)
{
    need_server();
    options.tls = driver->tls;
    assert_true(live_server_start(&server, &options));
}

/* Patient, at the connection's defaults else. */
static inline struct wb_reply_profile patient(enum wb_reply_values values)
{
    struct wb_reply_profile profile = wb_reply_profile_default();
    profile.wait_timeout_ns = LIVE_PATIENT_NS;
    profile.values = values;
    return profile;
}

static inline void connect_with(struct wb_reply_profile profile)
{
    live_close(&conn);
    assert_int_equal(live_open_by(driver, &conn, &server.address, profile, wb_mem_libc(), NULL),
                     WB_OK);
    wb_buf_fini(&words);
    wb_buf_init(&words, wb_mem_libc(), SIZE_MAX);
}

static inline int tear_down_conn(void **state)
{
    (void)state;
    live_close(&conn);
    if (words.mem)
        wb_buf_fini(&words);
    return 0;
}

static inline int tear_down_server(void **state)
{
    tear_down_conn(state);
    live_server_stop(&server);
    return 0;
}

static inline struct wb_reply_stats stats(void)
{
    wb_reply_check(conn.reply);
    struct wb_reply_stats s;
    wb_reply_stats(conn.reply, &s);
    return s;
}

/* What is in `words` is sent; timeout 0 = none. */
static inline void ask_words(struct wb_reply_shape shape, uint64_t timeout_ns)
{
    struct live_request request = {.bytes = wb_buf_view(&words),
                                   .shape = shape,
                                   .space = space,
                                   .space_size = sizeof space,
                                   .timeout_ns = timeout_ns};
    assert_int_equal(live_start(&conn, &request), WB_OK);
}

static inline void ask(const char *text, struct wb_reply_shape shape)
{
    wb_buf_truncate(&words, 0);
    live_say(&words, "%s", text);
    ask_words(shape, 0);
}

static inline struct wb_reply_event next_event(enum wb_reply_event_kind kind)
{
    struct wb_reply_event event = {0};
    assert_int_equal(live_next(&conn, &event), WB_OK);
    if (event.kind != kind)
        print_error("an %s came, %s\n", event.kind == WB_REPLY_EVENT_END ? "end" : "unit",
                    event.kind == WB_REPLY_EVENT_END ? wb_err_name((int)event.status)
                                                     : wb_reply_code_name((int)event.code));
    assert_int_equal(event.kind, kind);
    return event;
}

static inline struct wb_reply_event unit(enum wb_reply_code code)
{
    struct wb_reply_event event = next_event(WB_REPLY_EVENT_UNIT);
    assert_string_equal(wb_reply_code_name((int)event.code), wb_reply_code_name((int)code));
    return event;
}

/* The end comes next, with the state it leaves; true = some of the request was written. */
static inline bool end(enum wb_err status, enum wb_reply_state state)
{
    struct wb_reply_event event = next_event(WB_REPLY_EVENT_END);
    assert_string_equal(wb_err_name((int)event.status), wb_err_name((int)status));
    assert_string_equal(wb_reply_state_name((int)stats().state), wb_reply_state_name((int)state));
    assert_true((conn.fd < 0) == (state == WB_REPLY_DEAD));
    return event.sent;
}

static inline void end_well(void)
{
    assert_true(end(WB_OK, WB_REPLY_IDLE));
    struct wb_reply_stats s = stats();
    assert_int_equal(s.taken, s.returned + s.discarded);
}

/* One request, one unit, a good end. */
static inline void one(const char *text, uint32_t codes, enum wb_reply_code code, const char *flags)
{
    ask(text, live_one(codes));
    struct wb_reply_event event = unit(code);
    assert_int_equal(event.flags.len, strlen(flags));
    assert_memory_equal(event.flags.data, flags, strlen(flags));
    end_well();
}

static inline void store(const char *key, size_t len, enum live_pattern pattern)
{
    wb_buf_truncate(&words, 0);
    live_say_store(&words, key, len, pattern, "");
    ask_words(live_one(LIVE_CODES(MS)), 0);
    unit(WB_REPLY_HD);
    end_well();
}

/* Stored by `store`, and comes back as it was. */
static inline void fetch(const char *key, size_t len, enum live_pattern pattern)
{
    wb_buf_truncate(&words, 0);
    live_say(&words, "mg %s v s k\r\n", key);
    ask_words(live_one(LIVE_CODES(MG)), 0);
    struct wb_reply_event event = unit(WB_REPLY_VA);
    assert_true(event.has_value);
    assert_true(live_is(event.value, len, pattern, key));
    end_well();
}

static inline uint64_t calls(void)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < LIVE_CALL_COUNT; i++)
        sum += conn.calls[i];
    return sum;
}

#endif
