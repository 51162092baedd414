/*
 * test_live_stops.c: servers that are stopped and continued at random while clients of every driver
 * ask them without a pause, with timeouts shorter than many stops. Not one wrong value: each names
 * its key and the request that stored it, and a connection answers in order, so that what a get
 * must return is known to the byte.
 *
 * Each client is a process with a server of its own; the test stops the servers, all drivers' at
 * the same time.
 */
#include "targets/test_live.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef WB_NO_POOL /* builds with sanitizers */
#define TOTAL_MS 2000u
#else
#define TOTAL_MS 5000u
#endif
#define TIMEOUT_NS UINT64_C(40000000)
#define KEYS       16u
#define SMALL_MAX  3000u
#define LARGE_MAX  60000u
#define HUGE_SIZE  250000u /* more than a unix socket holds */
#define HEAD_MAX   64u

/* ---- chance, the same in each run ---- */

struct chance {
    uint64_t state;
};

static uint32_t below(struct chance *c, uint32_t limit)
{
    c->state ^= c->state << 13;
    c->state ^= c->state >> 7;
    c->state ^= c->state << 17;
    return (uint32_t)(c->state >> 32) % limit;
}

/* ---- the client ---- */

struct stored {
    uint32_t number; /* of the request; 0 = never stored */
    size_t len;
};

static struct client {
    struct chance chance;
    struct stored stored[KEYS];
    uint32_t number;      /* of this request */
    uint32_t connections; /* part of each key, since what a dead one asked for may still be done */
    uint64_t values, timeouts, late;
} client;

static _Noreturn void wrong(const char *what, struct wb_view text)
{
    fprintf(stderr, "%s: request %" PRIu32 " of connection %" PRIu32 ": %s: %.*s\n", driver->name,
            client.number, client.connections, what, text.len > 200 ? 200 : (int)text.len,
            (const char *)text.data);
    _exit(1);
}

static void fail_if(bool condition, const char *what)
{
    if (condition)
        wrong(what, wb_view_text(""));
}

static void connect_client(void)
{
    struct wb_reply_profile profile = wb_reply_profile_default();
    live_close(&conn);
    client.connections++;
    memset(client.stored, 0, sizeof client.stored);
    profile.wait_timeout_ns = TIMEOUT_NS;
    profile.values = (enum wb_reply_values)(client.connections % 3);
    fail_if(live_open_by(driver, &conn, &server.address, profile, wb_mem_libc(), NULL) != WB_OK,
            "no connection");
}

static size_t name_key(uint32_t key, char *out)
{
    return (size_t)snprintf(out, HEAD_MAX, "c%" PRIu32 "k%" PRIu32, client.connections, key);
}

/* The value: its key and number, then bytes that depend on both. */
static size_t head_of(uint32_t key, uint32_t number, char *out)
{
    size_t n = name_key(key, out);
    return n + (size_t)snprintf(out + n, HEAD_MAX - n, " %" PRIu32 " ", number);
}

static void say_store(uint32_t key, size_t len)
{
    char name[HEAD_MAX], head[HEAD_MAX];
    name_key(key, name);
    size_t n = head_of(key, client.number, head);
    live_say(&words, "ms %s %zu\r\n%s", name, len, head);
    fail_if(wb_buf_reserve(&words, len - n) != WB_OK, "no memory");
    live_fill(words.data + words.len, len - n, LIVE_LINES, head);
    words.len += len - n;
    live_say(&words, "\r\n");
}

static void check_value(uint32_t key, struct wb_view value)
{
    char head[HEAD_MAX];
    const struct stored *s = &client.stored[key];
    size_t n = head_of(key, s->number, head);
    if (s->number == 0 || value.len != s->len || memcmp(value.data, head, n) != 0 ||
        !live_is(wb_view_sub(value, n, value.len), s->len - n, LIVE_LINES, head))
        wrong("a wrong value", value);
    client.values++;
}

/*
 * The next unit, or the end: then false, after what came of the request was noted. True in *sent
 * when the server does or will carry it out, unless the connection is dead.
 */
static bool next(struct wb_reply_event *event, bool *sent)
{
    enum wb_err e = live_next(&conn, event);
    if (e != WB_OK)
        wrong("no event", wb_view_text(wb_err_name((int)e)));
    if (event->kind == WB_REPLY_EVENT_UNIT)
        return true;
    if (event->status != WB_OK && event->status != WB_TIMEOUT && event->status != WB_E_UNSENT &&
        event->status != WB_E_OWED_TOO_OFTEN)
        wrong("a bad end", wb_view_text(wb_err_name((int)event->status)));
    client.timeouts += event->status != WB_OK;
    *sent = event->sent;
    return false;
}

static void start(struct wb_reply_shape shape)
{
    struct live_request request = {.bytes = wb_buf_view(&words),
                                   .shape = shape,
                                   .space = space,
                                   .space_size = sizeof space,
                                   .read_first = below(&client.chance, 2) == 0};
    enum wb_err e = live_start(&conn, &request);
    if (e != WB_OK)
        wrong("not started", wb_view_text(wb_err_name((int)e)));
    client.late += stats().state == WB_REPLY_OWED;
}

static void run_store(uint32_t key, size_t len)
{
    struct wb_reply_event event;
    bool sent = false;
    say_store(key, len);
    start(live_one(LIVE_CODES(MS)));
    while (next(&event, &sent))
        fail_if(event.code != WB_REPLY_HD, "not stored");
    if (sent)
        client.stored[key] = (struct stored){.number = client.number, .len = len};
}

/* Sometimes given up before its answer is there, or within it. */
static void run_get(uint32_t key)
{
    struct wb_reply_event event;
    bool sent;
    char name[HEAD_MAX];
    name_key(key, name);
    live_say(&words, "mg %s v\r\n", name);
    start(live_one(LIVE_CODES(MG)));
    uint32_t steps = below(&client.chance, 16);
    enum wb_err e = WB_MORE;
    for (uint32_t i = 0; steps < 4 && i < steps && e == WB_MORE; i++)
        e = live_step(&conn, &event);
    if (steps < 4 && e == WB_MORE) {
        live_abandon(&conn);
        return;
    }
    while (e == WB_OK || next(&event, &sent)) {
        if (e == WB_OK && event.kind == WB_REPLY_EVENT_END)
            return;
        e = WB_MORE;
        if (event.code == WB_REPLY_VA)
            check_value(key, event.value);
        else
            fail_if(client.stored[key].number != 0, "a value is lost");
    }
}

/* Of those that are stored, all in their order. */
static void run_batch(void)
{
    struct wb_reply_event event;
    char name[HEAD_MAX];
    uint32_t key = 0;
    bool sent;
    for (uint32_t i = 0; i < KEYS; i++) {
        name_key(i, name);
        live_say(&words, "mg %s v q\r\n", name);
    }
    live_say(&words, "mn\r\n");
    start(live_batch(LIVE_CODES(MG), KEYS));
    while (next(&event, &sent)) {
        while (key < KEYS && client.stored[key].number == 0)
            key++;
        fail_if((event.code == WB_REPLY_MN) != (key == KEYS), "a value is lost or one too many");
        if (key < KEYS)
            check_value(key++, event.value);
    }
}

static void run_one(void)
{
    uint32_t key = below(&client.chance, KEYS), kind = below(&client.chance, 64);
    client.number++;
    wb_buf_truncate(&words, 0);
    if (kind < 32)
        run_get(key);
    else if (kind < 48)
        run_store(key, HEAD_MAX + below(&client.chance, SMALL_MAX));
    else if (kind < 54)
        run_store(key, HEAD_MAX + below(&client.chance, LARGE_MAX));
    else if (kind < 55)
        run_store(key % 2, HUGE_SIZE);
    else
        run_batch();
    if (stats().state == WB_REPLY_DEAD)
        connect_client();
}

/* Until the other end of the pipe is closed. */
static _Noreturn void run_client(size_t index, const struct live_driver *with, int stop)
{
    struct pollfd p = {.fd = stop, .events = POLLIN};
    driver = with;
    client.chance.state = UINT64_C(0x9e3779b97f4a7c15) * (index + 1);
    wb_buf_init(&words, wb_mem_libc(), SIZE_MAX);
    connect_client();
    while (poll(&p, 1, 0) == 0)
        run_one();
    printf("%s: %" PRIu32 " requests, %" PRIu64 " values checked, %" PRIu64 " timeouts, %" PRIu64
           " requests behind a late answer, %" PRIu32 " connections\n",
           driver->name, client.number, client.values, client.timeouts, client.late,
           client.connections);
    fflush(stdout);
    live_close(&conn);
    wb_buf_fini(&words);
    _exit(client.values > 0 ? 0 : 1);
}

/* ---- the one who stops them ---- */

static const struct live_driver *const drivers[] = {&live_poll_driver, &live_loop_driver,
                                                    &live_uring_driver, &live_tls_driver};
#define DRIVERS (sizeof drivers / sizeof *drivers)

static struct live_server servers[DRIVERS];
static pid_t clients[DRIVERS];

static void start_client(size_t i, int stop[2])
{
    pid_t parent = getpid();
    fflush(NULL);
    clients[i] = fork();
    assert_true(clients[i] >= 0);
    if (clients[i] > 0)
        return;
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        _exit(1);
    close(stop[1]);
    server.address = servers[i].address;
    run_client(i, drivers[i], stop[0]);
}

/* One in four stops is longer than a timeout, some longer than all that are survived. */
static uint32_t stop_ms(struct chance *c)
{
    return below(c, 4) == 0 ? 50 + below(c, 150) : 1 + below(c, 30);
}

/* Each server by its own clock, in one order that chance decides and the machine does not. */
static void stop_at_random(void)
{
    struct chance chance = {UINT64_C(0x123456789abcdef1)};
    uint32_t due[DRIVERS], now = 0;
    bool stopped[DRIVERS] = {false};
    for (size_t i = 0; i < DRIVERS; i++)
        due[i] = below(&chance, 30);
    for (;;) {
        size_t first = 0;
        for (size_t i = 1; i < DRIVERS; i++)
            if (due[i] < due[first])
                first = i;
        if (due[first] >= TOTAL_MS)
            break;
        poll(NULL, 0, (int)(due[first] - now));
        now = due[first];
        due[first] += stopped[first] ? 1 + below(&chance, 30) : stop_ms(&chance);
        if (servers[first].pid > 0 && stopped[first])
            live_server_thaw(&servers[first]);
        else if (servers[first].pid > 0)
            assert_true(live_server_freeze(&servers[first]));
        stopped[first] = !stopped[first];
    }
    for (size_t i = 0; i < DRIVERS; i++)
        live_server_thaw(&servers[i]);
}

static void not_one_wrong_value(void **state)
{
    int stop[2], status;
    size_t wrong_ones = 0;
    (void)state;
    need_server();
    assert_int_equal(pipe2(stop, O_CLOEXEC), 0);
    for (size_t i = 0; i < DRIVERS; i++) {
        struct live_server_options options = {.tls = drivers[i]->tls, .megabytes = "256"};
        if (drivers[i]->missing()) {
            print_message("without %s: %s\n", drivers[i]->name, drivers[i]->missing());
            continue;
        }
        assert_true(live_server_start(&servers[i], &options));
        start_client(i, stop);
    }
    stop_at_random();
    close(stop[1]);
    close(stop[0]);
    for (size_t i = 0; i < DRIVERS; i++) {
        if (clients[i] == 0)
            continue;
        assert_int_equal(waitpid(clients[i], &status, 0), clients[i]);
        clients[i] = 0;
        wrong_ones += status != 0;
    }
    assert_int_equal(wrong_ones, 0);
}

static int tear_down(void **state)
{
    (void)state;
    for (size_t i = 0; i < DRIVERS; i++) {
        if (clients[i] > 0) {
            kill(clients[i], SIGKILL);
            waitpid(clients[i], NULL, 0);
        }
        live_server_stop(&servers[i]);
    }
    return 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(not_one_wrong_value, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
