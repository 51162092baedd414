/*
 * The contract of core/route/announce_sub.h: what it takes of its bytes, what it keeps, what it
 * lends, how it ends. That its events are the specification's is fuzz_announce_wire's to say.
 */
#include "targets/test_announce.h"

#define OK     "02 07 00 "
#define ROUTE  "04 04 05 01 02 00 "
#define ROUTES 65536u
#define STREAM_06                                                                                  \
    OK "00 07 02 \"ab\" 01 05 00 0c  00 06 01 \"c\" 01 06 00 00  02 06 00 02 05 06 01 02  01 01 "  \
       "01"
#define STREAM_07                                                                                  \
    OK ROUTE "00 0a 00 00 04 \"a/.b\" 00 00 03  00 09 00 00 03 \"a/c\" 00 00 03 "                  \
             "00 07 01 01 01 \"d\" 00 00 04  07 02 00 05  02 02 02 09  06 01 00"
#define STREAM_05                                                                                  \
    OK "06 01 01 \"a\" 02 05 06  05 01 01 \"b\" 01 06  05 01 01 \"a\" 01 08  04 00 01 \"b\" 00"

static struct wb_announce_sub *fresh(enum wb_moq_version version, const char *prefix)
{
    const struct wb_announce_sub_config config = {
        .version = version, .self = 9, .prefix = wb_view_text(prefix)};
    struct wb_announce_sub *s = NULL;

    assert_int_equal(wb_announce_sub_new(&alloc.mem, &config, &s), WB_OK);
    return s;
}

/* The next event, of that kind. */
static struct wb_announce_event told(struct wb_announce_sub *s, struct wb_view *in,
                                     enum wb_announce_kind kind)
{
    struct wb_announce_event e = {0};

    assert_int_equal(wb_announce_sub_next(s, in, &e), WB_OK);
    assert_int_equal((int)e.kind, (int)kind);
    return e;
}

static void assert_no_event(struct wb_announce_sub *s, struct wb_view *in, enum wb_err want)
{
    struct wb_announce_event e;

    assert_int_equal(wb_announce_sub_next(s, in, &e), want);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static void an_event_takes_its_message_and_no_more(void **state)
{
    struct wb_announce_sub *s = fresh(WB_LITE_06, "");
    struct wb_view in = hex(OK "00 05 01 \"a\" 00 00 00  01 01 00  00 05"), none = {0};

    (void)state;
    (void)told(s, &in, WB_ANNOUNCE_OK);
    assert_int_equal(in.len, 12);
    (void)told(s, &in, WB_ANNOUNCE_START);
    assert_int_equal(in.len, 5);
    (void)told(s, &in, WB_ANNOUNCE_END);
    assert_int_equal(in.len, 2);
    assert_no_event(s, &in, WB_MORE);
    assert_int_equal(in.len, 0);
    assert_no_event(s, &none, WB_MORE);
    wb_announce_sub_free(s);
}

static void a_violation_is_for_ever(void **state)
{
    struct wb_announce_sub *s = fresh(WB_LITE_06, "");
    struct wb_view in = hex(OK "00 05 01 \"a\" 00 00 00  01 01 07  01 01 00"), none = {0};

    (void)state;
    (void)told(s, &in, WB_ANNOUNCE_OK);
    (void)told(s, &in, WB_ANNOUNCE_START);
    assert_no_event(s, &in, WB_E_UNKNOWN_ID);
    assert_no_event(s, &in, WB_E_UNKNOWN_ID);
    assert_int_equal(wb_announce_sub_claims(s), 1);
    assert_int_equal(wb_announce_sub_end(s, false), WB_OK);
    assert_true(told(s, &none, WB_ANNOUNCE_END).abrupt);
    assert_true(told(s, &none, WB_ANNOUNCE_CLOSED).abrupt);
    assert_no_event(s, &none, WB_E_UNKNOWN_ID);
    wb_announce_sub_free(s);
}

static void the_prefix_is_copied_and_stands_in_front(void **state)
{
    char prefix[] = "room/one";
    struct wb_announce_sub *s = fresh(WB_LITE_06, prefix);
    struct wb_view in = hex(OK "00 05 01 \"a\" 00 00 00  00 04 00 00 00 00"), none = {0};
    struct wb_announce_event e;

    (void)state;
    memset(prefix, 'x', sizeof(prefix) - 1);
    (void)told(s, &in, WB_ANNOUNCE_OK);
    assert_text(told(s, &in, WB_ANNOUNCE_START).path, "room/one/a");
    assert_text(told(s, &in, WB_ANNOUNCE_START).path, "room/one");
    assert_int_equal(wb_announce_sub_end(s, true), WB_OK);
    e = told(s, &none, WB_ANNOUNCE_END);
    assert_text(e.path, "room/one"); /* lent, though its claim is gone */
    assert_int_equal(e.id, 1);
    wb_announce_sub_free(s);
}

/* ---- what is kept ---------------------------------------------------------------------------- */

static void what_is_kept_can_be_looked_at(void **state)
{
    struct wb_announce_sub *s = fresh(WB_LITE_07, "");
    struct wb_view in = hex(OK ROUTE "04 04 09 01 02 00  00 07 00 00 01 \"b\" 00 00 03  "
                                     "00 07 00 00 01 \"a\" 00 01 03  00 07 00 00 01 \"a\" 00 00 03 "
                                     "07 02 00 05  07 02 00 00  01 01 00");
    struct wb_announce_event e = {0};
    uint64_t floor = 77;

    (void)state;
    while (wb_announce_sub_next(s, &in, &e) == WB_OK)
        wb_announce_sub_check(s);
    assert_int_equal(wb_announce_sub_claims(s), 2); /* one of them of our own node */
    assert_int_equal(wb_announce_sub_routes(s), 2);
    assert_true(wb_announce_sub_claim_at(s, 0, &e));
    assert_int_equal(e.id, 1);
    assert_int_equal(e.route, 1);
    assert_int_equal(e.node, 9);
    assert_text(e.path, "a");
    assert_true(wb_announce_sub_claim_at(s, 1, &e));
    assert_int_equal(e.id, 2);
    assert_int_equal(e.route, 0);
    assert_false(wb_announce_sub_claim_at(s, 2, &e));
    assert_true(wb_announce_sub_floor(s, 0, &floor));
    assert_int_equal(floor, 0); /* the last that was told */
    floor = 77;
    assert_false(wb_announce_sub_floor(s, 2, &floor));
    assert_int_equal(floor, 77);
    wb_announce_sub_free(s); /* with claims and routes live */
}

/* The default number of routes, and not one more. */
static void default_limit_of_routes(void **state)
{
    const struct wb_announce_sub_config config = {.version = WB_LITE_07};
    struct wb_view in = hex(OK);
    struct wb_announce_event e;
    struct wb_announce_sub *s;
    struct wb_buf message;

    (void)state;
    assert_int_equal(wb_announce_sub_new(wb_mem_libc(), &config, &s), WB_OK);
    (void)told(s, &in, WB_ANNOUNCE_OK);
    wb_buf_init(&message, wb_mem_libc(), 64);
    for (uint64_t node = 1; node <= ROUTES + 1; node++) {
        wb_buf_truncate(&message, 0);
        assert_int_equal(wb_moq_put(WB_LITE_07, &message, WB_ROUTED_ROUTE_START), WB_OK);
        assert_int_equal(wb_moq_put(WB_LITE_07, &message, wb_moq_size(WB_LITE_07, node) + 3),
                         WB_OK);
        assert_int_equal(wb_moq_put(WB_LITE_07, &message, node), WB_OK);
        assert_int_equal(wb_buf_add(&message, wb_view_of("\0\0\0", 3)), WB_OK);
        in = wb_buf_view(&message);
        assert_int_equal(wb_announce_sub_next(s, &in, &e), node <= ROUTES ? WB_OK : WB_E_LIMIT);
    }
    assert_int_equal(wb_announce_sub_routes(s), ROUTES);
    wb_buf_fini(&message);
    wb_announce_sub_free(s);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void limits_allocate_nothing(void **state)
{
    static const struct {
        enum wb_moq_version version;
        const char *before, *last;
        enum wb_err want;
    } rows[] = {
        {WB_LITE_06, OK "00 05 01 \"a\" 00 00 00", "00 05 01 \"b\" 00 00 00", WB_E_LIMIT},
        {WB_LITE_07, OK ROUTE "00 07 00 00 01 \"a\" 00 00 03", "00 07 00 00 01 \"b\" 00 00 03",
         WB_E_LIMIT},
        {WB_LITE_07, OK ROUTE, "04 04 06 01 02 00", WB_E_LIMIT},
        {WB_LITE_06, OK, "00 84000001", WB_E_MESSAGE_TOO_LARGE},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct wb_announce_sub_config config = {
            .version = rows[i].version, .max_claims = 1, .max_routes = 1};
        struct wb_announce_sub *s;
        struct wb_announce_event e;
        struct wb_view in = hex(rows[i].before);

        assert_int_equal(wb_announce_sub_new(&alloc.mem, &config, &s), WB_OK);
        while (wb_announce_sub_next(s, &in, &e) == WB_OK)
            continue;
        uint64_t requests = alloc.requests;
        in = hex(rows[i].last);
        assert_no_event(s, &in, rows[i].want);
        assert_int_equal(alloc.requests, requests);
        wb_announce_sub_free(s);
    }
}

/* ---- refused memory -------------------------------------------------------------------------- */

/* Kinds and ids of all events of a stream and its end, byte by byte or at once. */
struct story {
    uint8_t kinds[32];
    uint64_t ids[32];
    size_t count;
};

static void tell(enum wb_moq_version version, struct wb_view stream, bool whole, uint64_t fail_at,
                 struct story *out)
{
    const struct wb_announce_sub_config config = {.version = version, .self = 9};
    struct wb_announce_sub *s = NULL;
    struct wb_announce_event e;
    enum wb_err err;

    *out = (struct story){.count = 0};
    sim_alloc_reset(&alloc);
    if (fail_at > 0)
        sim_alloc_fail_next(&alloc, fail_at);
    err = wb_announce_sub_new(&alloc.mem, &config, &s);
    if (err == WB_E_NOMEM) {
        assert_int_equal(alloc.live_blocks, 0);
        assert_int_equal(wb_announce_sub_new(&alloc.mem, &config, &s), WB_OK);
    }
    for (size_t at = 0; at <= stream.len; at += whole ? stream.len : 1) {
        bool last = at == stream.len;
        struct wb_view in =
            last ? (struct wb_view){0} : wb_view_sub(stream, at, whole ? stream.len : at + 1);

        if (last)
            assert_int_equal(wb_announce_sub_end(s, true), WB_OK);
        while ((err = wb_announce_sub_next(s, &in, &e)) == WB_OK || err == WB_E_NOMEM) {
            wb_announce_sub_check(s);
            if (err == WB_E_NOMEM)
                continue;
            out->kinds[out->count] = (uint8_t)e.kind;
            out->ids[out->count++] = e.id + 100 * e.route;
        }
        assert_int_equal(err, last ? WB_END : WB_MORE);
        assert_int_equal(in.len, 0);
    }
    wb_announce_sub_free(s);
    assert_int_equal(alloc.live_blocks, 0);
}

/* Whichever allocation is refused, the call is repeated and the story is the same. */
static void refused_memory_changes_no_story(void **state)
{
    static const struct {
        enum wb_moq_version version;
        const char *stream;
        size_t events;
    } rows[] = {
        {WB_LITE_05, STREAM_05, 7}, {WB_LITE_06, STREAM_06, 7}, {WB_LITE_07, STREAM_07, 10}};

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct wb_view stream = hex(rows[i].stream);
        struct story want, got;

        tell(rows[i].version, stream, true, 0, &want);
        assert_int_equal(want.count, rows[i].events);
        for (unsigned whole = 0; whole < 2; whole++) {
            tell(rows[i].version, stream, whole, 0, &got);
            uint64_t requests = alloc.requests;
            for (uint64_t n = 0; n <= requests; n++) {
                tell(rows[i].version, stream, whole, n, &got);
                assert_memory_equal(&got, &want, sizeof(got));
            }
        }
    }
}

/* ---- the end --------------------------------------------------------------------------------- */

static void fin_inside_a_message(void **state)
{
    struct wb_announce_sub *s = fresh(WB_LITE_07, "");
    struct wb_view in = hex(OK ROUTE "00 07 00 00 01 \"a\" 00 00 03  01"), none = {0};
    struct wb_announce_event e;

    (void)state;
    while (wb_announce_sub_next(s, &in, &e) == WB_OK)
        continue;
    assert_int_equal(wb_announce_sub_end(s, true), WB_E_TRUNCATED);
    e = told(s, &none, WB_ANNOUNCE_END);
    assert_true(e.abrupt);
    assert_int_equal(e.node, 5);
    assert_true(told(s, &none, WB_ANNOUNCE_ROUTE_END).abrupt);
    assert_true(told(s, &none, WB_ANNOUNCE_CLOSED).abrupt);
    assert_no_event(s, &none, WB_E_TRUNCATED);
    wb_announce_sub_free(s);
}

/* Events are not owed to a session that is over: it may be freed at any of them. */
static void freed_amid_its_events(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 10; n++) {
        struct wb_announce_sub *s = fresh(WB_LITE_07, "");
        struct wb_view in = hex(STREAM_07);
        struct wb_announce_event e;

        for (unsigned i = 0; i < n; i++)
            assert_int_equal(wb_announce_sub_next(s, &in, &e), WB_OK);
        wb_announce_sub_free(s);
        assert_int_equal(alloc.live_blocks, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_event_takes_its_message_and_no_more, fresh_alloc,
                                        all_given_back),
        cmocka_unit_test_setup_teardown(a_violation_is_for_ever, fresh_alloc, all_given_back),
        cmocka_unit_test_setup_teardown(the_prefix_is_copied_and_stands_in_front, fresh_alloc,
                                        all_given_back),
        cmocka_unit_test_setup_teardown(what_is_kept_can_be_looked_at, fresh_alloc, all_given_back),
        cmocka_unit_test_setup_teardown(default_limit_of_routes, fresh_alloc, all_given_back),
        cmocka_unit_test_setup_teardown(limits_allocate_nothing, fresh_alloc, all_given_back),
        cmocka_unit_test_setup_teardown(refused_memory_changes_no_story, fresh_alloc,
                                        all_given_back),
        cmocka_unit_test_setup_teardown(fin_inside_a_message, fresh_alloc, all_given_back),
        cmocka_unit_test_setup_teardown(freed_amid_its_events, fresh_alloc, all_given_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
