/*
 * test_live.c: the reader against Debian's memcached, over a unix socket and loopback TCP, in three
 * read geometries and all three ways to hand out values.
 *
 * `test_live --capture FOLDER` runs no test, but writes what a real server sends in a few sessions
 * (targets/live/capture.h), for the corpus.
 */
#include "targets/test_live.h"

#include "targets/live/capture.h"

#define BATCH_MAX 400

struct geometry {
    enum wb_reply_values values;
    size_t small, large;
};

static int set_up(void **state)
{
    const struct geometry *g = *state;
    if (!live_server_installed())
        return 0;
    struct wb_reply_profile profile = patient(g->values);
    profile.small = g->small;
    profile.large = g->large;
    connect_with(profile);
    return 0;
}

/* ---- values ---- */

static void values(void **state)
{
    static const size_t sizes[] = {0, 1, 1024, LIVE_LARGE};
    char key[32];
    (void)state;
    need_server();
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < 8; i++) {
            enum live_pattern pattern = i & 1 ? LIVE_LINES : LIVE_BYTES;
            snprintf(key, sizeof key, "value-%zu-%s", sizes[i / 2], i & 1 ? "lines" : "bytes");
            if (round == 0)
                store(key, sizes[i / 2], pattern);
            else
                fetch(key, sizes[i / 2], pattern);
        }
    }
}

/* Values around every limit: of a line's end, of a read, of the buffer. */
static void edges(void **state)
{
    static const size_t bases[] = {2049, 2112, 4096, 4097, 6144, 8192, 10240, 65536, 67584};
    char key[32];
    (void)state;
    need_server();
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        for (size_t less = 0; less < 40; less += 3) {
            snprintf(key, sizeof key, "edge-%zu", less);
            store(key, bases[i] - less, LIVE_LINES);
            fetch(key, bases[i] - less, LIVE_LINES);
        }
    }
}

/* ---- batches ---- */

static char names[BATCH_MAX][16];
static struct wb_view keys[BATCH_MAX];

static size_t size_of(size_t i)
{
    return i * 37 % 300;
}

static void name_keys(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        snprintf(names[i], sizeof names[i], "batch-%zu", i);
        keys[i] = wb_view_text(names[i]);
    }
}

/* Quiet stores: only the marker speaks. */
static void store_batch(size_t n)
{
    wb_buf_truncate(&words, 0);
    for (size_t i = 0; i < n; i++)
        live_say_store(&words, names[i], size_of(i), LIVE_LINES, "q");
    live_say(&words, "mn\r\n");
    ask_words(live_batch(LIVE_CODES(MS), (uint32_t)n), 0);
    unit(WB_REPLY_MN);
    end_well();
}

/* All keys but every `lost`th, which is deleted; 0 = all. */
static void fetch_batch(size_t n, size_t lost)
{
    struct wb_reply_shape shape = live_batch(LIVE_CODES(MG), (uint32_t)n);
    shape.keys = keys;
    shape.keys_count = n;
    wb_buf_truncate(&words, 0);
    for (size_t i = 0; i < n; i++)
        live_say(&words, "mg %s v k q\r\n", names[i]);
    live_say(&words, "mn\r\n");
    ask_words(shape, 0);
    for (size_t i = 0; i < n; i++) {
        if (lost == 0 || i % lost != 0)
            assert_true(live_is(unit(WB_REPLY_VA).value, size_of(i), LIVE_LINES, names[i]));
    }
    unit(WB_REPLY_MN);
    end_well();
}

/* Every `lost`th; those that are gone already say so. */
static void delete_some(size_t n, size_t lost, size_t gone)
{
    wb_buf_truncate(&words, 0);
    for (size_t i = 0; i < n; i += lost)
        live_say(&words, "md %s q\r\n", names[i]);
    live_say(&words, "mn\r\n");
    ask_words(live_batch(LIVE_CODES(MD), (uint32_t)n), 0);
    for (size_t i = 0; gone > 0 && i < n; i += gone)
        unit(WB_REPLY_NF);
    unit(WB_REPLY_MN);
    end_well();
}

static void batches(void **state)
{
    static const size_t counts[] = {1, 40, BATCH_MAX};
    (void)state;
    need_server();
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        name_keys(counts[i]);
        store_batch(counts[i]);
        fetch_batch(counts[i], 0);
        delete_some(counts[i], 3, 0);
        fetch_batch(counts[i], 3);
        delete_some(counts[i], 1, 3);
        fetch_batch(counts[i], 1);
    }
}

/* No marker: as many units as commands, misses among them. */
static void counted(void **state)
{
    struct wb_reply_shape shape = live_counted(LIVE_CODES(MG), 40);
    (void)state;
    need_server();
    name_keys(40);
    store_batch(40);
    delete_some(40, 3, 0);
    shape.keys = keys;
    shape.keys_count = 40;
    wb_buf_truncate(&words, 0);
    for (size_t i = 0; i < 40; i++)
        live_say(&words, "mg %s v k\r\n", names[i]);
    ask_words(shape, 0);
    for (size_t i = 0; i < 40; i++) {
        if (i % 3 == 0)
            unit(WB_REPLY_EN);
        else
            assert_true(live_is(unit(WB_REPLY_VA).value, size_of(i), LIVE_LINES, names[i]));
    }
    end_well();
}

/* Request and reply are larger than what both sockets hold: replies are read while it is sent. */
static void larger_than_sockets(void **state)
{
    const uint32_t n = 6000;
    char key[201];
    (void)state;
    need_server();
    memset(key, 'x', sizeof key - 1);
    key[sizeof key - 1] = '\0';
    store(key, 300, LIVE_LINES);
    wb_buf_truncate(&words, 0);
    for (uint32_t i = 0; i < n; i++)
        live_say(&words, "mg %s v k q\r\n", key);
    live_say(&words, "mn\r\n");
    ask_words(live_batch(LIVE_CODES(MG), n), 0);
    for (uint32_t i = 0; i < n; i++)
        assert_true(live_is(unit(WB_REPLY_VA).value, 300, LIVE_LINES, key));
    unit(WB_REPLY_MN);
    end_well();
    if (server.address.path)
        assert_true(conn.calls[LIVE_SEND] > 2); /* TCP's buffers grow */
}

/* ---- other commands, checks, errors ---- */

static void commands(void **state)
{
    (void)state;
    need_server();
    ask("version\r\n", live_one(LIVE_CODES(VERSION)));
    assert_true(unit(WB_REPLY_VERSION).flags.len > 0);
    end_well();
    one("mn\r\n", LIVE_CODES(MN), WB_REPLY_MN, "");
    one("ms word 3 T0 F30 k Oabc\r\nbar\r\n", LIVE_CODES(MS), WB_REPLY_HD, "kword Oabc");
    one("ms word 3 ME k O1\r\nfoo\r\n", LIVE_CODES(MS), WB_REPLY_NS, "kword O1");
    one("ms word 3 C1\r\nfoo\r\n", LIVE_CODES(MS), WB_REPLY_EX, "");
    one("ms nobody 3 C1\r\nfoo\r\n", LIVE_CODES(MS), WB_REPLY_NF, "");
    one("mg word s t f k\r\n", LIVE_CODES(MG), WB_REPLY_HD, "s3 t-1 f30 kword");
    one("me nobody\r\n", LIVE_CODES(ME), WB_REPLY_EN, "");
    ask("me word\r\n", live_one(LIVE_CODES(ME)));
    assert_memory_equal(unit(WB_REPLY_ME).flags.data, "word exp=-1 ", 12);
    end_well();
    one("md word k\r\n", LIVE_CODES(MD), WB_REPLY_HD, "kword");
    one("md word k\r\n", LIVE_CODES(MD), WB_REPLY_NF, "kword");
    one("mg word v k O77\r\n", LIVE_CODES(MG), WB_REPLY_EN, "kword O77");
}

static void number(const char *text, const char *digits)
{
    ask(text, live_one(LIVE_CODES(MA)));
    struct wb_view value = unit(WB_REPLY_VA).value;
    assert_true(wb_view_equal(value, wb_view_text(digits)));
    end_well();
}

static void arithmetic(void **state)
{
    (void)state;
    need_server();
    ask("md n\r\n", live_one(LIVE_CODES(MD)));
    next_event(WB_REPLY_EVENT_UNIT);
    end_well();
    one("ma n\r\n", LIVE_CODES(MA), WB_REPLY_NF, "");
    number("ma n N0 J9 v\r\n", "9");
    number("ma n v\r\n", "10");
    number("ma n D18446744073709551605 v\r\n", "18446744073709551615");
    number("ma n MD D18446744073709551606 v\r\n", "9");
    one("ma n D1\r\n", LIVE_CODES(MA), WB_REPLY_HD, "");
    one("ms n 3\r\nabc\r\n", LIVE_CODES(MS), WB_REPLY_HD, "");
    one("ma n v\r\n", LIVE_CODES(MA), WB_REPLY_CLIENT_ERROR,
        "cannot increment or decrement non-numeric value");
}

/* An answer is only taken from a unit that bears the request's opaque, and its key. */
static void echoes(void **state)
{
    struct wb_reply_shape shape = live_one(LIVE_CODES(MG));
    struct wb_view key = wb_view_text("echo"), other = wb_view_text("other");
    need_server();
    store("echo", 1024, LIVE_LINES);
    shape.opaque = wb_view_text("q7");
    shape.keys = &key;
    shape.keys_count = 1;
    ask("mg echo v k Oq7\r\n", shape);
    assert_true(live_is(unit(WB_REPLY_VA).value, 1024, LIVE_LINES, "echo"));
    end_well();
    ask("mg echo v k Oq8\r\n", shape);
    assert_true(end(WB_E_OPAQUE_MISMATCH, WB_REPLY_DEAD));

    set_up(state);
    shape.keys = &other;
    ask("mg echo v k Oq7\r\n", shape);
    assert_true(end(WB_E_KEY_MISMATCH, WB_REPLY_DEAD));
}

static void errors(void **state)
{
    need_server();
    wb_buf_truncate(&words, 0);
    live_say_store(&words, "huge", 2000000, LIVE_LINES, "");
    ask_words(live_one(LIVE_CODES(MS)), 0);
    unit(WB_REPLY_SERVER_ERROR);
    end_well();
    one("mg huge v\r\n", LIVE_CODES(MG), WB_REPLY_EN, "");

    ask("ms word 2\r\nabcd\r\n", live_one(LIVE_CODES(MS)));
    unit(WB_REPLY_CLIENT_ERROR);
    assert_true(end(WB_E_CLIENT_ERROR, WB_REPLY_DEAD));
    struct live_request request = {.bytes = wb_view_text("mn\r\n"),
                                   .shape = live_one(LIVE_CODES(MN))};
    assert_int_equal(live_start(&conn, &request), WB_E_CLOSED);

    set_up(state);
    ask("what\r\n", live_one(LIVE_CODES(MG)));
    unit(WB_REPLY_ERROR);
    assert_true(end(WB_E_ERROR, WB_REPLY_DEAD));
}

/* ---- cost ---- */

/* Small replies on a connection in use: send, poll, recv, and not one call more. */
static void system_calls(void **state)
{
    (void)state;
    need_server();
    store("cost", 1024, LIVE_LINES);
    for (unsigned i = 0; i < 50; i++) {
        memset(conn.calls, 0, sizeof conn.calls);
        fetch("cost", 1024, LIVE_LINES);
        assert_int_equal(calls(), 3);
        assert_int_equal(conn.calls[LIVE_SEND], 1);
        assert_int_equal(conn.calls[LIVE_POLL], 1);
        assert_int_equal(conn.calls[LIVE_RECV], 1);
    }
    memset(conn.calls, 0, sizeof conn.calls);
    store("cost", 1024, LIVE_LINES);
    assert_int_equal(calls(), 3);
}

/* Read first, and either the answer is there or one read was in vain. */
static void reads_first(void **state)
{
    struct wb_view text = wb_view_text("mn\r\n");
    struct live_request request = {
        .bytes = text, .shape = live_one(LIVE_CODES(MN)), .read_first = true};
    (void)state;
    need_server();
    for (unsigned i = 0; i < 50; i++) {
        memset(conn.calls, 0, sizeof conn.calls);
        assert_int_equal(live_start(&conn, &request), WB_OK);
        unit(WB_REPLY_MN);
        end_well();
        assert_int_equal(conn.calls[LIVE_RECV], 1 + conn.calls[LIVE_POLL]);
        assert_true(conn.calls[LIVE_POLL] <= 1);
    }
}

/* ---- the program ---- */

static int set_up_group(void **state)
{
    static const struct live_server_options on_socket;
    (void)state;
    return !live_server_installed() || live_server_start(&server, &on_socket) ? 0 : -1;
}

static int set_up_tcp(void **state)
{
    static const struct live_server_options on_port = {.tcp = true};
    (void)state;
    return !live_server_installed() || live_server_start(&server, &on_port) ? 0 : -1;
}

#define GEOMETRY(values, small, large)                                                             \
    static const struct geometry values##_##small = {WB_REPLY_##values, small, large};
GEOMETRY(VIEW, 8192, 65536)
GEOMETRY(VIEW, 2112, 4096)
GEOMETRY(VIEW, 2049, 2049)
GEOMETRY(COPY, 8192, 65536)
GEOMETRY(COPY, 2112, 4096)
GEOMETRY(COPY, 2049, 2049)
GEOMETRY(DIRECT, 8192, 65536)
GEOMETRY(DIRECT, 2112, 4096)
GEOMETRY(DIRECT, 2049, 2049)

#define AT(f, values, small)                                                                       \
    {                                                                                              \
#f " " #values " " #small, f, set_up, tear_down_conn, (void *)(uintptr_t)&values##_##small \
    }
#define EACH(f)                                                                                    \
    AT(f, VIEW, 8192), AT(f, VIEW, 2112), AT(f, VIEW, 2049), AT(f, COPY, 8192), AT(f, COPY, 2112), \
        AT(f, COPY, 2049), AT(f, DIRECT, 8192), AT(f, DIRECT, 2112), AT(f, DIRECT, 2049)

int main(int argc, char **argv)
{
    static const struct CMUnitTest on_socket[] = {
        EACH(values),
        EACH(edges),
        EACH(batches),
        EACH(counted),
        EACH(commands),
        EACH(arithmetic),
        EACH(echoes),
        EACH(errors),
        EACH(system_calls),
        EACH(reads_first),
        EACH(larger_than_sockets),
    };
    static const struct CMUnitTest on_tcp[] = {
        AT(values, VIEW, 8192),
        AT(values, DIRECT, 8192),
        AT(batches, VIEW, 8192),
        AT(larger_than_sockets, COPY, 2112),
    };
    if (argc == 3 && strcmp(argv[1], "--capture") == 0)
        return capture_all(argv[2]) ? 0 : 2;
    if (argc != 1) {
        fprintf(stderr, "usage: %s [--capture FOLDER]\n", argv[0]);
        return 2;
    }
    int failed = cmocka_run_group_tests(on_socket, set_up_group, tear_down_server) +
                 cmocka_run_group_tests(on_tcp, set_up_tcp, tear_down_server);
    return failed != 0;
}
