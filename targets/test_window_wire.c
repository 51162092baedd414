/*
 * Ranges and the messages that carry them, as hex.
 */
#include "core/window/subscribe_wire.h"
#include "targets/test_group.h"

static struct wb_buf buf;

static int begin_wire(void **state)
{
    begin(state);
    wb_buf_init(&buf, &memory.mem, 4096);
    return 0;
}

static int end_wire(void **state)
{
    wb_buf_fini(&buf);
    return end(state);
}

#define WIRE_CASE(name) cmocka_unit_test_setup_teardown(name, begin_wire, end_wire)

static const struct wb_bound none = {0};

static struct wb_bound at(uint64_t group, uint64_t frame)
{
    return wb_bound_at((struct wb_position){group, frame});
}

static void assert_hex(const char *want)
{
    char got[400] = "";

    for (size_t i = 0; i < buf.len; i++)
        snprintf(got + 2 * i, sizeof(got) - 2 * i, "%02x", buf.data[i]);
    assert_string_equal(got, want);
}

/* The bytes of "04 0474..."; blanks are skipped. */
static struct wb_view hex(const char *text)
{
    static uint8_t bytes_[400];
    size_t n = 0;

    for (; *text != '\0'; text++) {
        unsigned value;

        if (*text == ' ')
            continue;
        assert_int_equal(sscanf(text++, "%2x", &value), 1);
        bytes_[n++] = (uint8_t)value;
    }
    return wb_view_of(bytes_, n);
}

static void assert_bound(struct wb_bound got, struct wb_bound want)
{
    assert_true(wb_bound_equal(got, want));
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static enum wb_err put_range(enum wb_moq_version v, struct wb_bound start, struct wb_bound end_)
{
    wb_buf_truncate(&buf, 0);
    return wb_range_put(v, &buf, start, end_);
}

static void assert_range(enum wb_moq_version v, struct wb_bound start, struct wb_bound end_,
                         const char *want)
{
    assert_int_equal(put_range(v, start, end_), WB_OK);
    assert_hex(want);
}

/* What comes back is what went in. */
static void assert_returns(enum wb_moq_version v, struct wb_bound start, struct wb_bound end_)
{
    struct wb_bound s, e;
    struct wb_view in;

    assert_int_equal(put_range(v, start, end_), WB_OK);
    in = wb_buf_view(&buf);
    for (size_t cut = 0; cut < in.len; cut++) {
        struct wb_view part = wb_view_sub(in, 0, cut);

        assert_int_equal(wb_range_get(v, &part, &s, &e), WB_MORE);
        assert_int_equal(part.len, cut);
    }
    assert_int_equal(wb_range_get(v, &in, &s, &e), WB_OK);
    assert_int_equal(in.len, 0);
    assert_bound(s, start);
    assert_bound(e, end_);
}

static enum wb_err get_range(enum wb_moq_version v, const char *text)
{
    struct wb_bound s = at(9, 9), e = at(8, 8);
    struct wb_view in = hex(text);
    size_t len = in.len;
    enum wb_err err = wb_range_get(v, &in, &s, &e);

    if (err == WB_OK)
        return err;
    assert_int_equal(in.len, len);
    assert_bound(s, at(9, 9));
    assert_bound(e, at(8, 8));
    return err;
}

static void case_125_empty_ranges_are_never_written(void **state)
{
    (void)state;
    for (enum wb_moq_version v = WB_LITE_04; v <= WB_LITE_07; v++) {
        assert_int_equal(put_range(v, at(5, 0), at(5, 0)), WB_E_RANGE);
        assert_int_equal(put_range(v, at(5, 3), at(5, 3)), WB_E_RANGE);
        assert_int_equal(put_range(v, at(6, 0), at(5, 0)), WB_E_RANGE);
        assert_int_equal(put_range(v, none, at(0, 0)), WB_E_RANGE); /* an absent start is {0, 0} */
        assert_hex("");
    }
    assert_int_equal(get_range(WB_LITE_05, "06 05"), WB_E_RANGE);       /* 5 to 4 */
    assert_int_equal(get_range(WB_LITE_06, "06 06 03 03"), WB_E_RANGE); /* 5.3 to 5.2 */
    assert_int_equal(get_range(WB_LITE_06, "06 06 03 04"), WB_OK);
}

static void case_126_ends_on_the_wire(void **state)
{
    (void)state;
    assert_range(WB_LITE_06, none, none, "00000000");
    assert_range(WB_LITE_05, none, none, "0000");
    assert_range(WB_LITE_06, none, at(6, 0), "00060000"); /* 5 whole */
    assert_range(WB_LITE_06, none, at(5, 3), "00060003"); /* 5, frame 2 */
    assert_range(WB_LITE_06, at(5, 3), none, "06000300");
    assert_range(WB_LITE_06, at(0, 0), at(0, 1), "01010001");
    for (enum wb_moq_version v = WB_LITE_06; v <= WB_LITE_07; v++) {
        assert_returns(v, none, none);
        assert_returns(v, at(5, 3), at(5, 4));
        assert_returns(v, at(0, 0), at(6, 0));
        assert_returns(v, none, at(1, 0));
        assert_returns(v, at(1000000, 70), at(1000001, 17));
    }
    assert_returns(WB_LITE_05, at(5, 0), at(6, 0));
    assert_returns(WB_LITE_05, none, at(6, 0));
}

static void case_127_widened_for_peers_without_frames(void **state)
{
    (void)state;
    assert_range(WB_LITE_05, at(5, 3), at(5, 8), "0606"); /* groups 5 to 5 */
    assert_range(WB_LITE_05, at(5, 3), at(6, 0), "0606");
    assert_range(WB_LITE_05, at(5, 3), at(6, 1), "0607");
    assert_range(WB_LITE_07, at(MAX - 1, 1), wb_bound_after((struct wb_position){MAX, 5}),
                 "ffffffffffffffffff000100"); /* no end: it has no number */
    assert_int_equal(put_range(WB_LITE_07, at(MAX, 1), none), WB_E_BOUNDS);
    assert_range(WB_LITE_07, at(1, 0), at(MAX, 0), "02ffffffffffffffffff0000"); /* 2^64-2 whole */
    assert_range(WB_LITE_07, at(1, 0), at(3, MAX), "020400ffffffffffffffffff");
    assert_range(WB_LITE_06, at(1, 0), at(3, MAX), "02040000"); /* the whole group */
    assert_range(WB_LITE_06, at(1, 0), at((uint64_t)1 << 62, 0), "02000000");
    assert_range(WB_LITE_06, at(1, 0), at(((uint64_t)1 << 62) - 1, 0), "02ffffffffffffffff0000");
    assert_int_equal(put_range(WB_LITE_05, at(((uint64_t)1 << 62) - 1, 0), none), WB_E_BOUNDS);
}

static void frames_without_their_group(void **state)
{
    (void)state;
    assert_int_equal(get_range(WB_LITE_06, "00 00 03 00"), WB_E_VALUE);
    assert_int_equal(get_range(WB_LITE_06, "01 00 00 03"), WB_E_VALUE);
    assert_int_equal(get_range(WB_LITE_06, "00 00 00"), WB_MORE);
    assert_int_equal(get_range(WB_LITE_07, "ffffffffffffffffff 00 00 00"), WB_OK);
}

/* ---- messages -------------------------------------------------------------------------------- */

static struct wb_subscribe subscribe_of(struct wb_bound start, struct wb_bound end_)
{
    return (struct wb_subscribe){.id = 4,
                                 .broadcast = wb_view_text("test"),
                                 .track = wb_view_text("video"),
                                 .wish = {7, false, 0, start, end_}};
}

#define NAMES "04 0474657374 05766964656f "

static void case_54_subscribe(void **state)
{
    struct wb_subscribe message = subscribe_of(at(0, 0), at(10, 0)), got;

    (void)state;
    message.wish.ordered = true;
    message.wish.max_age_ms = 250;
    assert_int_equal(wb_subscribe_put(WB_LITE_05, &buf, &message), WB_OK);
    assert_hex("1204047465737405766964656f070140fa010a");
    assert_int_equal(wb_subscribe_get(WB_LITE_05, hex(NAMES "07 01 40fa 01 0a"), &got), WB_OK);
    assert_int_equal(got.id, 4);
    assert_true(wb_view_equal(got.broadcast, message.broadcast));
    assert_true(wb_view_equal(got.track, message.track));
    assert_true(got.wish.ordered);
    assert_int_equal(got.wish.priority, 7);
    assert_int_equal(got.wish.max_age_ms, 250);
    assert_bound(got.wish.start, at(0, 0));
    assert_bound(got.wish.end, at(10, 0));
    assert_int_equal(wb_subscribe_get(WB_LITE_05, hex(NAMES "07 09 40fa 01 0a"), &got), WB_OK);
    assert_true(got.wish.ordered); /* any byte but 0 */
    assert_int_equal(wb_subscribe_get(WB_LITE_05, hex(NAMES "07 01 40fa 01"), &got), WB_E_SHORT);
    assert_int_equal(wb_subscribe_get(WB_LITE_05, hex(NAMES "07 01 40fa 01 0a 00"), &got),
                     WB_E_LONG);
    assert_int_equal(wb_subscribe_get(WB_LITE_05, hex("04 02 74ff 00 00 00 00 00 00"), &got),
                     WB_E_STRING);
}

static void case_55_subscribe_with_frames(void **state)
{
    const struct wb_subscribe message =
        subscribe_of(at(5, 3), wb_bound_after((struct wb_position){5, 7}));
    struct wb_subscribe got;

    (void)state;
    assert_int_equal(wb_subscribe_put(WB_LITE_06, &buf, &message), WB_OK);
    assert_hex("1304047465737405766964656f07000006060308");
    assert_int_equal(wb_subscribe_get(WB_LITE_06, hex(NAMES "07 00 00 06 06 03 08"), &got), WB_OK);
    assert_bound(got.wish.start, at(5, 3));
    assert_bound(got.wish.end, at(5, 8));
}

static void case_56_a_frame_without_a_group(void **state)
{
    struct wb_subscribe got;

    (void)state;
    assert_int_equal(wb_subscribe_get(WB_LITE_06, hex(NAMES "07 00 00 00 00 03 00"), &got),
                     WB_E_VALUE);
    assert_int_equal(wb_subscribe_get(WB_LITE_06, hex(NAMES "07 00 00 06 05 00 00"), &got),
                     WB_E_RANGE);
}

static void case_57_update(void **state)
{
    const struct wb_wire_wish wish = {8, true, 500, at(0, 0), at(13, 0)};
    struct wb_wire_wish got;

    (void)state;
    assert_int_equal(wb_subscribe_update_put(WB_LITE_05, &buf, &wish), WB_OK);
    assert_hex("06080141f4010d");
    assert_int_equal(wb_subscribe_update_get(WB_LITE_05, hex("08 01 41f4 01 0d"), &got), WB_OK);
    assert_int_equal(got.priority, 8);
    assert_int_equal(got.max_age_ms, 500);
    assert_bound(got.start, at(0, 0));
    assert_bound(got.end, at(13, 0));
    assert_int_equal(wb_subscribe_update_get(WB_LITE_05, hex("08 01 41f4 01"), &got), WB_E_SHORT);
}

static void assert_answer(enum wb_moq_version v, struct wb_answer answer, const char *want)
{
    struct wb_answer got;
    struct wb_view in;
    uint64_t type, size;

    wb_buf_truncate(&buf, 0);
    assert_int_equal(wb_answer_put(v, &buf, &answer), WB_OK);
    assert_hex(want);
    in = wb_buf_view(&buf);
    assert_int_equal(wb_moq_get(v, &in, &type), WB_OK);
    assert_int_equal(wb_moq_get(v, &in, &size), WB_OK);
    assert_int_equal(size, in.len);
    assert_int_equal(wb_answer_get(v, type, in, &got), WB_OK);
    assert_int_equal(got.type, answer.type);
    assert_true(got.group == answer.group && got.first == answer.first);
    assert_true(got.last == answer.last && got.code == answer.code);
}

static void case_59_answers(void **state)
{
    const struct wb_answer drop = {.type = WB_ANSWER_DROP, .first = 1, .last = 3};
    struct wb_answer bad = {.type = WB_ANSWER_DROP, .first = 4, .last = 3}, got;

    (void)state;
    assert_answer(WB_LITE_05, (struct wb_answer){.type = WB_ANSWER_START, .group = 42}, "00012a");
    assert_answer(WB_LITE_05, (struct wb_answer){.type = WB_ANSWER_END, .group = 7}, "010107");
    assert_answer(WB_LITE_05, (struct wb_answer){.type = WB_ANSWER_END}, "010100");
    assert_answer(WB_LITE_05, drop, "0203010300");
    assert_answer(WB_LITE_04, drop, "0103010300");
    assert_int_equal(wb_answer_get(WB_LITE_05, 3, hex("00"), &got), WB_E_UNEXPECTED);
    assert_int_equal(wb_answer_get(WB_LITE_04, 2, hex("00"), &got), WB_E_UNEXPECTED);
    assert_int_equal(wb_answer_get(WB_LITE_04, 0, hex("00"), &got), WB_E_VERSION);
    assert_int_equal(wb_answer_get(WB_LITE_07, 0, hex("00"), &got), WB_E_VERSION);
    assert_int_equal(wb_answer_get(WB_LITE_05, 2, hex("03 02 00"), &got), WB_E_RANGE);
    assert_int_equal(wb_answer_get(WB_LITE_05, 0, hex(""), &got), WB_E_SHORT);
    assert_int_equal(wb_answer_get(WB_LITE_05, 0, hex("01 02"), &got), WB_E_LONG);
    assert_int_equal(wb_answer_put(WB_LITE_05, &buf, &bad), WB_E_RANGE);
    assert_int_equal(wb_answer_put(WB_LITE_07, &buf, &drop), WB_E_VERSION);
    bad.type = WB_ANSWER_START;
    assert_int_equal(wb_answer_put(WB_LITE_04, &buf, &bad), WB_E_VERSION);
}

static void case_62_fetch(void **state)
{
    struct wb_fetch message = {.broadcast = wb_view_text("room"),
                               .track = wb_view_text("video"),
                               .priority = 3,
                               .group = 7},
                    got;

    (void)state;
    assert_int_equal(wb_fetch_put(WB_LITE_05, &buf, &message), WB_OK);
    assert_hex("0d04726f6f6d05766964656f0307");
    message.first_frame = 2;
    message.has_last = true;
    message.last_frame = 6;
    wb_buf_truncate(&buf, 0);
    assert_int_equal(wb_fetch_put(WB_LITE_05, &buf, &message), WB_E_VERSION);
    assert_int_equal(wb_fetch_put(WB_LITE_06, &buf, &message), WB_OK);
    assert_hex("0f04726f6f6d05766964656f03070207");
    assert_int_equal(wb_fetch_get(WB_LITE_06, wb_view_sub(wb_buf_view(&buf), 1, buf.len), &got),
                     WB_OK);
    assert_int_equal(got.first_frame, 2);
    assert_true(got.has_last);
    assert_int_equal(got.last_frame, 6);
    assert_int_equal(wb_fetch_get(WB_LITE_06, hex("04726f6f6d 05766964656f 03 07 06 03"), &got),
                     WB_E_RANGE);
    assert_int_equal(wb_fetch_get(WB_LITE_05, hex("04726f6f6d 05766964656f 03 07 06"), &got),
                     WB_E_LONG);
    assert_int_equal(wb_fetch_get(WB_LITE_04, hex("04726f6f6d 05766964656f 03 07"), &got),
                     WB_E_VERSION);
    message.last_frame = MAX;
    assert_int_equal(wb_fetch_put(WB_LITE_07, &buf, &message), WB_E_BOUNDS);
    message.last_frame = 1;
    assert_int_equal(wb_fetch_put(WB_LITE_06, &buf, &message), WB_E_RANGE);
}

static void nothing_is_left_when_memory_is_refused(void **state)
{
    const struct wb_subscribe message = subscribe_of(at(1, 0), none);

    (void)state;
    for (uint64_t n = 1; n <= 2; n++) {
        sim_alloc_fail_next(&memory, n);
        assert_int_equal(wb_subscribe_put(WB_LITE_06, &buf, &message), WB_E_NOMEM);
        assert_int_equal(buf.len, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WIRE_CASE(case_125_empty_ranges_are_never_written),
        WIRE_CASE(case_126_ends_on_the_wire),
        WIRE_CASE(case_127_widened_for_peers_without_frames),
        WIRE_CASE(frames_without_their_group),
        WIRE_CASE(case_54_subscribe),
        WIRE_CASE(case_55_subscribe_with_frames),
        WIRE_CASE(case_56_a_frame_without_a_group),
        WIRE_CASE(case_57_update),
        WIRE_CASE(case_59_answers),
        WIRE_CASE(case_62_fetch),
        WIRE_CASE(nothing_is_left_when_memory_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
