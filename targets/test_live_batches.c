/*
 * test_live_batches.c: batches of 100,000 keys over every driver: request and reply are larger than
 * what both sockets hold, so each side must read while it writes.
 */
#include "targets/test_live.h"

#define KEYS      100000u
#define NAME_SIZE 8
#define VALUE_MAX 120u

static char names[KEYS][NAME_SIZE];
static struct wb_view keys[KEYS];

static void name_keys(void)
{
    for (uint32_t i = 0; i < KEYS; i++) {
        snprintf(names[i], NAME_SIZE, "k%u", i);
        keys[i] = wb_view_text(names[i]);
    }
}

static bool is_missing(uint32_t i)
{
    return i % 7 == 3;
}

/* Its key, over and over. */
static size_t value_of(uint32_t i, uint8_t *out)
{
    size_t len = i * 37 % VALUE_MAX, n = keys[i].len;
    for (size_t at = 0; at < len; at += n)
        memcpy(out + at, keys[i].data, n < len - at ? n : len - at);
    return len;
}

static bool is_value_of(uint32_t i, struct wb_view value)
{
    uint8_t wanted[VALUE_MAX];
    return wb_view_equal(value, wb_view_of(wanted, value_of(i, wanted)));
}

static void store_all(void)
{
    uint8_t value[VALUE_MAX];
    wb_buf_truncate(&words, 0);
    for (uint32_t i = 0; i < KEYS; i++) {
        if (is_missing(i))
            continue;
        size_t len = value_of(i, value);
        live_say(&words, "ms %s %zu q\r\n%.*s\r\n", names[i], len, (int)len, (char *)value);
    }
    live_say(&words, "mn\r\n");
    ask_words(live_batch(LIVE_CODES(MS), KEYS), 0);
    unit(WB_REPLY_MN);
    end_well();
}

/* True when a unit came while the request was not yet written whole. */
static bool fetch_all(void)
{
    bool interleaved = false;
    struct wb_reply_shape shape = live_batch(LIVE_CODES(MG), KEYS);
    shape.keys = keys;
    shape.keys_count = KEYS;
    wb_buf_truncate(&words, 0);
    for (uint32_t i = 0; i < KEYS; i++)
        live_say(&words, "mg %s v k q\r\n", names[i]);
    live_say(&words, "mn\r\n");
    ask_words(shape, 0);
    for (uint32_t i = 0; i < KEYS; i++) {
        if (is_missing(i))
            continue;
        assert_true(is_value_of(i, unit(WB_REPLY_VA).value));
        if (i % 1000 == 0)
            interleaved = interleaved || stats().state == WB_REPLY_SENDING;
    }
    unit(WB_REPLY_MN);
    end_well();
    return interleaved;
}

/* As many units as commands, and no marker. */
static void delete_all(void)
{
    wb_buf_truncate(&words, 0);
    for (uint32_t i = 0; i < KEYS; i++)
        live_say(&words, "md %s\r\n", names[i]);
    ask_words(live_counted(LIVE_CODES(MD), KEYS), 0);
    for (uint32_t i = 0; i < KEYS; i++)
        unit(is_missing(i) ? WB_REPLY_NF : WB_REPLY_HD);
    end_well();
}

static void hundred_thousand(void **state)
{
    (void)state;
    start_server((struct live_server_options){0});
    connect_with(patient(WB_REPLY_VIEW));
    name_keys();
    store_all();
    bool interleaved = fetch_all();
    if (server.address.path)
        assert_true(interleaved); /* TCP's buffers grow */
    delete_all();
    one("mg k1 v\r\n", LIVE_CODES(MG), WB_REPLY_EN, "");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        LIVE_EACH(hundred_thousand, use_driver, tear_down_server),
        LIVE_OF(hundred_thousand, use_driver, tear_down_server, patient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
