/*
 * The contracts of core/base/message.h and core/base/code.h, with the examples of moq-lite: each
 * stream in all cuts, each allocation refused once.
 */
#include "core/base/code.h"
#include "core/base/message.h"
#include "core/media/wire.h"
#include "sim/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(rows)   (sizeof(rows) / sizeof((rows)[0]))
#define VIEW(literal) wb_view_of(literal, sizeof(literal) - 1)
#define MAX           WB_MOQ_MESSAGE_MAX

static struct sim_alloc alloc;

static int fresh_alloc(void **state)
{
    (void)state;
    sim_alloc_reset(&alloc);
    return 0;
}

static int all_given_back(void **state)
{
    (void)state;
    return alloc.live_blocks == 0 ? 0 : -1;
}

static void assert_view(struct wb_view got, struct wb_view want)
{
    assert_int_equal(got.len, want.len);
    if (want.len > 0)
        assert_memory_equal(got.data, want.data, want.len);
}

/* ---- messages -------------------------------------------------------------------------------- */

/* What a reader told: type, size and body of each message in a row. */
struct story {
    uint8_t bytes[512];
    size_t len, messages, gathered;
    enum wb_err end;
};

static void story_add(struct story *s, const struct wb_message *m)
{
    assert_true(s->len + 2 + m->body.len <= sizeof(s->bytes));
    s->bytes[s->len++] = (uint8_t)m->type;
    s->bytes[s->len++] = (uint8_t)m->body.len;
    if (m->body.len > 0)
        memcpy(s->bytes + s->len, m->body.data, m->body.len);
    s->len += m->body.len;
    s->messages++;
}

/* One chunk in a block of its own; WB_MORE when it is used up. */
static enum wb_err feed(struct wb_message_reader *r, struct wb_view bytes, struct story *s)
{
    uint8_t *chunk = malloc(bytes.len + 1);
    struct wb_view in = {chunk, bytes.len};
    struct wb_message m = {0};
    enum wb_err err;

    assert_non_null(chunk);
    if (bytes.len > 0)
        memcpy(chunk, bytes.data, bytes.len);
    do {
        size_t before = in.len;

        err = wb_message_next(r, &in, &m);
        if (err == WB_E_NOMEM) {
            assert_int_equal(in.len, before);
            err = wb_message_next(r, &in, &m);
        }
        if (err == WB_OK) {
            story_add(s, &m);
            s->gathered += r->lent;
        }
    } while (err == WB_OK);
    if (err == WB_MORE)
        assert_int_equal(in.len, 0);
    free(chunk);
    return err;
}

/* The stream in three chunks; any may be empty. */
static struct story read_cut(enum wb_moq_version version, bool typed, uint64_t max,
                             struct wb_view stream, size_t a, size_t b)
{
    struct wb_message_reader r;
    struct story s = {0};
    size_t cuts[] = {0, a, b, stream.len};

    wb_message_reader_init(&r, &alloc.mem, version, typed, max);
    for (size_t i = 0; i < 3; i++) {
        s.end = feed(&r, wb_view_sub(stream, cuts[i], cuts[i + 1]), &s);
        if (s.end != WB_MORE)
            break;
    }
    if (s.end == WB_MORE)
        s.end = wb_message_fin(&r);
    wb_message_reader_fini(&r);
    assert_int_equal(alloc.live_blocks, 0);
    return s;
}

/* The first error stays, whatever is offered then. */
static void first_error_stays(void **state)
{
    const struct {
        uint64_t max;
        struct wb_view stream;
        enum wb_err err;
    } streams[] = {
        {1, VIEW("\x02hi"), WB_E_MESSAGE_TOO_LARGE},
        {MAX, VIEW("\xff\xff\xff\xff\xff\xff\xff\xff\xff"), WB_E_MESSAGE_TOO_LARGE},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(streams); i++) {
        struct wb_message_reader r;
        struct wb_view in = streams[i].stream, good = VIEW("\x01z");
        struct wb_message m;

        wb_message_reader_init(&r, &alloc.mem, WB_LITE_07, false, streams[i].max);
        assert_int_equal(wb_message_next(&r, &in, &m), streams[i].err);
        for (int again = 0; again < 2; again++) {
            assert_int_equal(wb_message_next(&r, &good, &m), streams[i].err);
            assert_int_equal(good.len, 2);
            assert_int_equal(wb_message_fin(&r), streams[i].err);
        }
        wb_message_reader_fini(&r);
    }
}

/* Case 74 and case 75: every cut into three, with each allocation refused in turn. */
static void case_74_75_any_cut_tells_the_same(void **state)
{
    const struct {
        enum wb_moq_version version;
        bool typed;
        struct wb_view stream, story;
        enum wb_err end;
    } streams[] = {
        {WB_LITE_04, false, VIEW("\x05hello"), VIEW("\x00\x05hello"), WB_OK},
        {WB_LITE_05, false, VIEW("\x05hello\x00\x03two"), VIEW("\x00\x05hello\x00\x00\x00\x03two"),
         WB_OK},
        {WB_LITE_05, false, VIEW("\x40\x02hi\x05hel"), VIEW("\x00\x02hi"), WB_E_TRUNCATED},
        {WB_LITE_06, true, VIEW("\x01\x02hi\x40\x09\x00"), VIEW("\x01\x02hi\x09\x00"), WB_OK},
        {WB_LITE_06, true, VIEW("\x01\x02hi\x02"), VIEW("\x01\x02hi"), WB_E_TRUNCATED},
        {WB_LITE_07, true, VIEW("\x80\x07\xc0\x00\x02hi\x03\x01z"), VIEW("\x07\x02hi\x03\x01z"),
         WB_OK},
        {WB_LITE_07, false, VIEW("\x01x\xff\xff\xff\xff\xff\xff\xff\xff\xff"), VIEW("\x00\x01x"),
         WB_E_MESSAGE_TOO_LARGE},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(streams); i++)
        for (size_t b = 0; b <= streams[i].stream.len; b++)
            for (size_t a = 0; a <= b; a++)
                for (uint64_t fail = 0; fail < 4; fail++) {
                    struct story s;

                    sim_alloc_reset(&alloc);
                    if (fail > 0)
                        sim_alloc_fail_next(&alloc, fail);
                    s = read_cut(streams[i].version, streams[i].typed, MAX, streams[i].stream, a,
                                 b);
                    assert_int_equal(s.end, streams[i].end);
                    assert_view(wb_view_of(s.bytes, s.len), streams[i].story);
                }
}

/* Case 75, case 79: whole messages are lent from the chunk, which is taken up to their end only. */
static void case_75_79_whole_messages_are_lent(void **state)
{
    static const uint8_t bytes[] = "\x03"
                                   "abc"
                                   "\x02"
                                   "de"
                                   "\x05"
                                   "x";
    struct wb_view in = wb_view_of(bytes, sizeof(bytes) - 1);
    struct wb_message_reader r;
    struct wb_message m;

    (void)state;
    wb_message_reader_init(&r, &alloc.mem, WB_LITE_05, false, MAX);
    assert_int_equal(wb_message_next(&r, &in, &m), WB_OK);
    assert_ptr_equal(m.body.data, bytes + 1);
    assert_int_equal(m.type, 0);
    assert_ptr_equal(in.data, bytes + 4);
    assert_int_equal(wb_message_next(&r, &in, &m), WB_OK);
    assert_ptr_equal(m.body.data, bytes + 5);
    assert_int_equal(alloc.requests, 0);
    assert_int_equal(wb_message_next(&r, &in, &m), WB_MORE);
    assert_int_equal(in.len, 0);
    assert_int_equal(m.body.len, 2);
    wb_message_reader_fini(&r);
}

/* What is gathered was copied: the first chunk may be gone, and the rest of the last one stays. */
static void case_81_cut_messages_are_gathered(void **state)
{
    struct story s = read_cut(WB_LITE_05, false, MAX,
                              VIEW("\x05hello\x02"
                                   "hi"),
                              2, 4);

    (void)state;
    assert_int_equal(s.gathered, 1);
    assert_view(wb_view_of(s.bytes, s.len), VIEW("\x00\x05hello\x00\x02hi"));
}

/* Case 76, case 77: FIN between messages, inside a size, inside a body; the error stays. */
static void case_76_77_fin(void **state)
{
    struct wb_view stream = VIEW("\x40\x05hello");
    struct wb_message_reader r;
    struct wb_message m;

    (void)state;
    for (size_t n = 0; n <= stream.len; n++) {
        struct wb_view in = wb_view_sub(stream, 0, n), more = stream;
        enum wb_err want = n == 0 || n == stream.len ? WB_OK : WB_E_TRUNCATED;

        wb_message_reader_init(&r, &alloc.mem, WB_LITE_06, false, MAX);
        assert_int_equal(wb_message_next(&r, &in, &m), n == stream.len ? WB_OK : WB_MORE);
        assert_int_equal(wb_message_fin(&r), want);
        if (want != WB_OK)
            assert_int_equal(wb_message_next(&r, &more, &m), want);
        wb_message_reader_fini(&r);
    }
    for (size_t n = 1; n < stream.len; n++) { /* right behind one that was gathered */
        struct wb_view begin = wb_view_sub(stream, 0, n), rest = wb_view_sub(stream, n, stream.len);

        wb_message_reader_init(&r, &alloc.mem, WB_LITE_06, false, MAX);
        assert_int_equal(wb_message_next(&r, &begin, &m), WB_MORE);
        assert_int_equal(wb_message_next(&r, &rest, &m), WB_OK);
        assert_int_equal(wb_message_fin(&r), WB_OK);
        wb_message_reader_fini(&r);
    }
}

/* The size is judged by its prefix alone, and nothing was allocated; at the bound it passes. */
static void sizes_are_judged_by_the_prefix(void **state)
{
    struct wb_view over = VIEW("\x84\x00\x00\x01"), full = VIEW("\x84\x00\x00\x00");
    struct wb_view typed = VIEW("\x02\x0b"), small = VIEW("\x02\x0a"
                                                          "0123456789");
    struct wb_message_reader r;
    struct wb_message m;

    (void)state;
    wb_message_reader_init(&r, &alloc.mem, WB_LITE_05, false, MAX);
    assert_int_equal(wb_message_next(&r, &over, &m), WB_E_MESSAGE_TOO_LARGE);
    assert_int_equal(over.len, 4);
    assert_int_equal(wb_message_next(&r, &full, &m), WB_E_MESSAGE_TOO_LARGE);
    assert_int_equal(wb_message_fin(&r), WB_E_MESSAGE_TOO_LARGE);
    assert_int_equal(alloc.requests, 0);
    wb_message_reader_fini(&r);

    wb_message_reader_init(&r, &alloc.mem, WB_LITE_05, false, MAX);
    assert_int_equal(wb_message_next(&r, &full, &m), WB_MORE);
    assert_true(alloc.live_bytes <= 64); /* not what was promised */
    wb_message_reader_fini(&r);

    wb_message_reader_init(&r, &alloc.mem, WB_LITE_05, true, 10);
    assert_int_equal(wb_message_next(&r, &small, &m), WB_OK);
    assert_int_equal(m.type, 2);
    assert_int_equal(wb_message_next(&r, &typed, &m), WB_E_MESSAGE_TOO_LARGE);
    wb_message_reader_fini(&r);
}

/* A large message byte by byte: a few allocations, at most twice what came; then all is free. */
static void growth_is_amortised(void **state)
{
    const size_t size = 100000;
    struct wb_message_reader r;
    struct wb_message m = {0};
    struct wb_view prefix = VIEW("\x80\x01\x86\xa0"), in, none = {0};

    (void)state;
    wb_message_reader_init(&r, &alloc.mem, WB_LITE_05, false, MAX);
    assert_int_equal(wb_message_next(&r, &prefix, &m), WB_MORE);
    for (size_t i = 1; i <= size; i++) {
        uint8_t byte = (uint8_t)(i * 7);

        in = wb_view_of(&byte, 1);
        assert_int_equal(wb_message_next(&r, &in, &m), i == size ? WB_OK : WB_MORE);
        assert_true(alloc.live_bytes <= 2 * (i + 4) || alloc.live_bytes <= 64);
    }
    assert_int_equal(m.body.len, size);
    for (size_t i = 1; i <= size; i++)
        assert_int_equal(m.body.data[i - 1], (uint8_t)(i * 7));
    assert_true(alloc.requests <= 12);
    assert_int_equal(wb_message_next(&r, &none, &m), WB_MORE);
    assert_int_equal(alloc.live_blocks, 0); /* lent until the next call, not longer */
    assert_int_equal(wb_message_fin(&r), WB_OK);
    wb_message_reader_fini(&r);
    wb_message_reader_fini(&r);
}

/* Bug 63b: a complete body is never waited for, whatever it holds; its decoder says WB_E_SHORT. */
static void a_complete_body_is_delivered_at_once(void **state)
{
    struct wb_view in = VIEW("\x01\x40");
    struct wb_message_reader r;
    struct wb_message m;
    struct wb_group_header header;

    (void)state;
    wb_message_reader_init(&r, &alloc.mem, WB_LITE_05, false, MAX);
    assert_int_equal(wb_message_next(&r, &in, &m), WB_OK);
    assert_int_equal(wb_group_header_get(WB_LITE_05, m.body, &header), WB_E_SHORT);
    wb_message_reader_fini(&r);
}

/* ---- codes ----------------------------------------------------------------------------------- */

/* Case 83: what a peer's code means. */
static void case_83_meanings(void **state)
{
    const struct {
        uint64_t code;
        enum wb_err err;
    } rows[] = {
        {0, WB_E_CANCEL},    {1, WB_E_CANCEL},          {2, WB_E_OLD},
        {3, WB_E_REMOTE},    {4, WB_E_REMOTE},          {5, WB_E_LAGGED},
        {6, WB_E_REMOTE},    {31, WB_E_REMOTE},         {0x12, WB_E_REMOTE},
        {0x22, WB_E_REMOTE}, {UINT64_MAX, WB_E_REMOTE},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(wb_code_meaning(rows[i].code), rows[i].err);
}

/* Case 84 and bug 61: what is sent; a peer's code becomes internal. */
static void case_84_codes(void **state)
{
    const struct {
        enum wb_err err;
        uint64_t code;
    } rows[] = {
        {WB_E_CANCEL, 1},
        {WB_TIMEOUT, 2},
        {WB_E_CLOSED, 3},
        {WB_E_LAGGED, 5},
        {WB_E_OLD, 0x22},
        {WB_E_EVICTED, 0x23},
        {WB_E_WRONG_SIZE, 0x24},
        {WB_E_FRAME_TOO_LARGE, 0x25},
        {WB_E_BOUNDS, 0x12},
        {WB_E_VALUE, 0x12},
        {WB_E_SHORT, 0x12},
        {WB_E_LONG, 0x12},
        {WB_E_STRING, 0x12},
        {WB_E_TRUNCATED, 0x12},
        {WB_E_MESSAGE_TOO_LARGE, 0x12},
        {WB_E_UNEXPECTED, 0x12},
        {WB_E_REMOTE, 0},
        {WB_E_DROPPED, 0},
        {WB_E_NOMEM, 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(wb_code_of(rows[i].err), rows[i].code);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh_alloc, all_given_back)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(case_74_75_any_cut_tells_the_same),
        TEST(case_75_79_whole_messages_are_lent),
        TEST(case_81_cut_messages_are_gathered),
        TEST(case_76_77_fin),
        TEST(sizes_are_judged_by_the_prefix),
        TEST(first_error_stays),
        TEST(growth_is_amortised),
        TEST(a_complete_body_is_delivered_at_once),
        TEST(case_83_meanings),
        TEST(case_84_codes),
    };

    return cmocka_run_group_tests_name("message", tests, NULL, NULL);
}
