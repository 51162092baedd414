/*
 * test_live_classic.c: classic commands over every driver: one key through all that can be done
 * with it, gets of many keys in all three ways to hand values out, and answers that come late.
 */
#include "targets/test_live.h"

#define KEYS      400u
#define NAME_SIZE 16

static const struct wb_reply_shape until_end = {
    .codes = LIVE_CODES(GET), .count = KEYS, .until_end = true};

static char names[KEYS][NAME_SIZE];
static struct wb_view keys[KEYS];

static void begin(enum wb_reply_values values)
{
    if (server.pid == 0)
        start_server((struct live_server_options){0});
    connect_with(patient(values));
}

/* The first so many bytes of the line behind its code. */
static void starts(struct wb_view flags, const char *text)
{
    assert_true(flags.len >= strlen(text));
    assert_memory_equal(flags.data, text, strlen(text));
}

/* A command whose answer is one word. */
static void word(const char *text, uint32_t codes, enum wb_reply_code code)
{
    ask(text, live_one(codes));
    assert_false(unit(code).has_value);
    end_well();
}

/* A get of any kind that finds `key`: what stands behind VALUE is `flags`, then the cas. */
static void found(const char *text, const char *flags, const char *value, char cas[24])
{
    ask(text, until_end);
    struct wb_reply_event event = unit(WB_REPLY_VALUE);
    starts(event.flags, flags);
    size_t n = event.flags.len - strlen(flags);
    if (cas) {
        assert_in_range(n, 2, 21);
        snprintf(cas, 24, "%.*s", (int)n - 1, (const char *)event.flags.data + strlen(flags) + 1);
    } else {
        assert_int_equal(n, 0);
    }
    assert_true(wb_view_equal(event.value, wb_view_text(value)));
    unit(WB_REPLY_END);
    end_well();
}

static void missed(const char *text)
{
    ask(text, until_end);
    unit(WB_REPLY_END);
    end_well();
}

static void cas_is(const char *cas, const char *value, enum wb_reply_code code)
{
    char text[80];
    snprintf(text, sizeof text, "cas one 7 0 %zu %s\r\n%s\r\n", strlen(value), cas, value);
    word(text, LIVE_CODES(SET), code);
}

static void one_key(void **state)
{
    char cas[24], other[24];
    use_driver(state);
    begin(WB_REPLY_VIEW);
    missed("gets one\r\n");
    word("set one 7 0 5\r\nEND\r\n\r\n", LIVE_CODES(SET), WB_REPLY_STORED);
    found("get one\r\n", "one 7 5", "END\r\n", NULL);
    found("gets one\r\n", "one 7 5", "END\r\n", cas);
    found("gat 100 one\r\n", "one 7 5", "END\r\n", NULL);
    found("gats 0 one\r\n", "one 7 5", "END\r\n", other);
    assert_string_equal(cas, other);
    cas_is(cas, "2", WB_REPLY_STORED);
    cas_is(cas, "3", WB_REPLY_EXISTS);
    found("get nobody one\r\n", "one 7 1", "2", NULL);
    word("add one 0 0 1\r\n4\r\n", LIVE_CODES(SET), WB_REPLY_NOT_STORED);
    word("append one 0 0 1\r\n5\r\n", LIVE_CODES(SET), WB_REPLY_STORED);
    ask("incr one 7\r\n", live_one(LIVE_CODES(INCR)));
    assert_true(wb_view_equal(unit(WB_REPLY_NUMBER).line, wb_view_text("32")));
    end_well();
    word("touch one 0\r\n", LIVE_CODES(TOUCH), WB_REPLY_TOUCHED);
    word("delete one\r\n", LIVE_CODES(DELETE), WB_REPLY_DELETED);
    cas_is(cas, "6", WB_REPLY_NOT_FOUND);
    missed("gats 0 one\r\n");
}

/* ---- many keys ---- */

/* Some are larger than a read, a few larger than the buffer. */
static size_t size_of(uint32_t i)
{
    return i % 97 == 5 ? 70000 : i % 31 == 7 ? 9000 : i * 37 % 300;
}

static bool is_missing(uint32_t i)
{
    return i % 5 == 2;
}

/* As many answers as commands. */
static void store_many(void)
{
    uint32_t n = 0;
    wb_buf_truncate(&words, 0);
    for (uint32_t i = 0; i < KEYS; i++) {
        snprintf(names[i], NAME_SIZE, "classic-%u", i);
        keys[i] = wb_view_text(names[i]);
        if (is_missing(i))
            continue;
        live_say(&words, "set %s %u 0 %zu\r\n", names[i], i, size_of(i));
        assert_int_equal(wb_buf_reserve(&words, size_of(i) + 2), WB_OK);
        live_fill(words.data + words.len, size_of(i), LIVE_LINES, names[i]);
        words.len += size_of(i);
        live_say(&words, "\r\n");
        n++;
    }
    ask_words(live_counted(LIVE_CODES(SET), n), 0);
    for (uint32_t i = 0; i < n; i++)
        unit(WB_REPLY_STORED);
    end_well();
}

static void fetch_many(const char *command)
{
    struct wb_reply_shape shape = until_end;
    shape.keys = keys;
    shape.keys_count = KEYS;
    wb_buf_truncate(&words, 0);
    live_say(&words, "%s", command);
    for (uint32_t i = 0; i < KEYS; i++)
        live_say(&words, " %s", names[i]);
    live_say(&words, "\r\n");
    ask_words(shape, 0);
    for (uint32_t i = 0; i < KEYS; i++) {
        char flags[64];
        if (is_missing(i))
            continue;
        struct wb_reply_event event = unit(WB_REPLY_VALUE);
        snprintf(flags, sizeof flags, "%s %u %zu", names[i], i, size_of(i));
        starts(event.flags, flags);
        assert_true(live_is(event.value, size_of(i), LIVE_LINES, names[i]));
    }
    unit(WB_REPLY_END);
    end_well();
}

static void many_keys(void **state)
{
    static const enum wb_reply_values all[] = {WB_REPLY_VIEW, WB_REPLY_COPY, WB_REPLY_DIRECT};
    use_driver(state);
    for (size_t way = 0; way < 3; way++) {
        begin(all[way]);
        store_many();
        fetch_many("get");
        fetch_many("gets");
        fetch_many("gat 0");
        fetch_many("gats 0");
        missed("get nobody nowhere\r\n");
    }
}

/* ---- late answers ---- */

/* A get of many keys that comes after its time is dropped to its END; the next gets its own. */
static void answered_late(void **state)
{
    use_driver(state);
    begin(WB_REPLY_VIEW);
    store_many();
    word("set one 7 0 5\r\nEND\r\n\r\n", LIVE_CODES(SET), WB_REPLY_STORED);
    assert_true(live_server_freeze(&server));
    wb_buf_truncate(&words, 0);
    live_say(&words, "gets one classic-0 classic-1 nobody classic-3\r\n");
    ask_words(until_end, LIVE_SHORT_NS);
    assert_true(end(WB_TIMEOUT, WB_REPLY_OWED));
    live_server_thaw(&server);
    found("get one\r\n", "one 7 5", "END\r\n", NULL);
    assert_true(stats().discarded > size_of(0) + size_of(1) + size_of(3));
    assert_int_equal(stats().owed, 0);
    fetch_many("get");
}

#define EACH(f) LIVE_EACH(f, NULL, tear_down_server), LIVE_OF(f, NULL, tear_down_server, patient)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        EACH(one_key),
        EACH(many_keys),
        EACH(answered_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
