/*
 * The contract of core/media/wire.h, with the examples of moq-lite both ways and cut anywhere.
 */
#include "core/media/wire.h"
#include "sim/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(rows)   (sizeof(rows) / sizeof((rows)[0]))
#define VIEW(literal) wb_view_of(literal, sizeof(literal) - 1)

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

/* Case 63. */
static void case_63_group_headers(void **state)
{
    const struct {
        enum wb_moq_version version;
        struct wb_group_header header;
        struct wb_view bytes;
    } rows[] = {
        {WB_LITE_04, {1, 7, 0}, VIEW("\x02\x01\x07")},
        {WB_LITE_05, {1, 7, 0}, VIEW("\x02\x01\x07")},
        {WB_LITE_06, {1, 7, 4}, VIEW("\x03\x01\x07\x04")},
        {WB_LITE_06, {1, 64, 0}, VIEW("\x04\x01\x40\x40\x00")},
        {WB_LITE_07,
         {128, UINT64_MAX, 4},
         VIEW("\x0c\x80\x80\xff\xff\xff\xff\xff\xff\xff\xff\xff\x04")},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct wb_view body = wb_view_sub(rows[i].bytes, 1, rows[i].bytes.len);
        struct wb_group_header got = {9, 9, 9};
        struct wb_buf buf;

        wb_buf_init(&buf, &alloc.mem, 32);
        assert_int_equal(wb_group_header_put(rows[i].version, &buf, &rows[i].header), WB_OK);
        assert_view(wb_buf_view(&buf), rows[i].bytes);
        wb_buf_fini(&buf);
        for (size_t n = 0; n < body.len; n++)
            assert_int_equal(wb_group_header_get(rows[i].version, wb_view_sub(body, 0, n), &got),
                             WB_E_SHORT);
        assert_int_equal(got.first, 9);
        assert_int_equal(wb_group_header_get(rows[i].version, body, &got), WB_OK);
        assert_true(got.subscribe == rows[i].header.subscribe);
        assert_true(got.sequence == rows[i].header.sequence);
        assert_true(got.first == rows[i].header.first);
    }
}

static void case_63_group_headers_that_cannot_be(void **state)
{
    const struct wb_group_header from_4 = {1, 7, 4}, large = {1, UINT64_C(1) << 62, 0};
    struct wb_group_header got;
    struct wb_buf buf;

    (void)state;
    assert_int_equal(wb_group_header_get(WB_LITE_05, VIEW("\x01\x07\x04"), &got), WB_E_LONG);
    assert_int_equal(wb_group_header_get(WB_LITE_06, VIEW("\x01\x07\x04\x00"), &got), WB_E_LONG);
    assert_int_equal(wb_group_header_get(WB_LITE_06, VIEW("\x01\x07"), &got), WB_E_SHORT);
    wb_buf_init(&buf, &alloc.mem, 32);
    assert_int_equal(wb_buf_add_u8(&buf, 0), WB_OK); /* the type; stays as it is */
    assert_int_equal(wb_group_header_put(WB_LITE_05, &buf, &from_4), WB_E_VERSION);
    assert_int_equal(wb_group_header_put(WB_LITE_06, &buf, &large), WB_E_BOUNDS);
    assert_int_equal(buf.len, 1);
    assert_int_equal(wb_group_header_put(WB_LITE_07, &buf, &large), WB_OK);
    wb_buf_fini(&buf);
    wb_buf_init(&buf, &alloc.mem, 3);
    assert_int_equal(wb_group_header_put(WB_LITE_06, &buf, &from_4), WB_E_BOUNDS);
    assert_int_equal(buf.len, 0);
    wb_buf_fini(&buf);
}

/* Cases 64 and 65, both ways and cut anywhere. */
static void case_64_65_frame_headers(void **state)
{
    const struct {
        enum wb_moq_version version;
        uint64_t before, timestamp, size;
        struct wb_view bytes;
    } rows[] = {
        {WB_LITE_05, 0, 100, 5, VIEW("\x40\xc8\x05")},
        {WB_LITE_05, 100, 133, 3, VIEW("\x40\x42\x03")},
        {WB_LITE_06, 133, 123, 0, VIEW("\x13\x00")},
        {WB_LITE_07, 0, 100, 5, VIEW("\x80\xc8\x05")},
        {WB_LITE_04, 0, 0, 5, VIEW("\x05")},
        {WB_LITE_05, 0, 0, WB_MOQ_FRAME_MAX, VIEW("\x00\x82\x00\x00\x00")},
        {WB_LITE_05, 0, (UINT64_C(1) << 61) - 1, 1, VIEW("\xff\xff\xff\xff\xff\xff\xff\xfe\x01")},
        {WB_LITE_05, UINT64_C(1) << 61, 0, 1, VIEW("\xff\xff\xff\xff\xff\xff\xff\xff\x01")},
        {WB_LITE_06, WB_VARINT_MAX - 1, WB_VARINT_MAX, 1, VIEW("\x02\x01")},
        {WB_LITE_07, 0, WB_VARINT_MAX, 1, VIEW("\xff\x7f\xff\xff\xff\xff\xff\xff\xfe\x01")},
        {WB_LITE_07, WB_VARINT_MAX, 0, 1, VIEW("\xff\x7f\xff\xff\xff\xff\xff\xff\xfd\x01")},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t timestamp = rows[i].before, size = 99;
        struct wb_view in = rows[i].bytes;
        struct wb_buf buf;

        wb_buf_init(&buf, &alloc.mem, 32);
        assert_int_equal(
            wb_frame_header_put(rows[i].version, &buf, &timestamp, rows[i].timestamp, rows[i].size),
            WB_OK);
        assert_view(wb_buf_view(&buf), rows[i].bytes);
        assert_true(timestamp == rows[i].timestamp);
        wb_buf_fini(&buf);
        timestamp = rows[i].before;
        for (size_t n = 0; n < in.len; n++) {
            struct wb_view cut = wb_view_sub(in, 0, n);

            assert_int_equal(wb_frame_header_get(rows[i].version, &cut, &timestamp, &size),
                             WB_MORE);
            assert_int_equal(cut.len, n);
        }
        assert_true(timestamp == rows[i].before && size == 99);
        assert_int_equal(wb_frame_header_get(rows[i].version, &in, &timestamp, &size), WB_OK);
        assert_true(timestamp == rows[i].timestamp && size == rows[i].size);
        assert_int_equal(in.len, 0);
    }
}

/* Cases 66 and 67: nothing is consumed, and the delta fails without waiting for the size. */
static void case_66_67_frame_headers_that_cannot_be(void **state)
{
    const struct {
        enum wb_moq_version version;
        uint64_t before;
        struct wb_view bytes;
        enum wb_err err;
    } rows[] = {
        {WB_LITE_05, 0, VIEW("\x01"), WB_E_BOUNDS},
        {WB_LITE_05, 99, VIEW("\x40\xc7"), WB_E_BOUNDS},
        {WB_LITE_05, (UINT64_C(1) << 61) - 1, VIEW("\xff\xff\xff\xff\xff\xff\xff\xff"),
         WB_E_BOUNDS},
        {WB_LITE_06, WB_VARINT_MAX, VIEW("\x02"), WB_E_BOUNDS},
        {WB_LITE_06, (UINT64_C(1) << 61) + 1, VIEW("\xff\xff\xff\xff\xff\xff\xff\xfe"),
         WB_E_BOUNDS},
        {WB_LITE_07, 0, VIEW("\xff\xff\xff\xff\xff\xff\xff\xff\xff"), WB_E_BOUNDS},
        {WB_LITE_07, WB_VARINT_MAX, VIEW("\xff\xff\xff\xff\xff\xff\xff\xff\xfe"), WB_E_BOUNDS},
        {WB_LITE_05, 0, VIEW("\x00\x82\x00\x00\x01"), WB_E_FRAME_TOO_LARGE},
        {WB_LITE_04, 0, VIEW("\x82\x00\x00\x01"), WB_E_FRAME_TOO_LARGE},
        {WB_LITE_07, 0, VIEW("\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff"), WB_E_FRAME_TOO_LARGE},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t timestamp = rows[i].before, size = 99;
        struct wb_view in = rows[i].bytes;

        assert_int_equal(wb_frame_header_get(rows[i].version, &in, &timestamp, &size), rows[i].err);
        assert_int_equal(in.len, rows[i].bytes.len);
        assert_true(timestamp == rows[i].before && size == 99);
    }
}

static void frame_headers_are_put_whole_or_not(void **state)
{
    uint64_t timestamp = 5;
    struct wb_buf buf;

    (void)state;
    wb_buf_init(&buf, &alloc.mem, 4);
    assert_int_equal(wb_frame_header_put(WB_LITE_05, &buf, &timestamp, UINT64_C(1) << 61 | 5, 1),
                     WB_E_BOUNDS);
    assert_int_equal(wb_frame_header_put(WB_LITE_07, &buf, &timestamp, WB_VARINT_MAX + 1, 1),
                     WB_E_BOUNDS);
    assert_int_equal(wb_frame_header_put(WB_LITE_05, &buf, &timestamp, 6, WB_MOQ_FRAME_MAX + 1),
                     WB_E_FRAME_TOO_LARGE);
    assert_int_equal(wb_frame_header_put(WB_LITE_05, &buf, &timestamp, 6, 16384), WB_E_BOUNDS);
    assert_int_equal(buf.len, 0);
    assert_int_equal(timestamp, 5);
    assert_int_equal(wb_frame_header_put(WB_LITE_04, &buf, &timestamp, 77, 1), WB_OK);
    assert_int_equal(timestamp, 5);
    wb_buf_fini(&buf);
}

/* Case 72. */
static void case_72_datagrams(void **state)
{
    const struct {
        struct wb_datagram datagram;
        struct wb_view bytes;
    } rows[] = {
        {{1, 2, 3, VIEW("world")}, VIEW("\x01\x02\x03world")},
        {{7, 42, 1000, VIEW("hello")}, VIEW("\x07\x2a\x43\xe8hello")},
        {{1, 2, 3, {0}}, VIEW("\x01\x02\x03")},
    };
    struct wb_datagram got = {0};
    struct wb_buf buf;

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        wb_buf_init(&buf, &alloc.mem, 32);
        assert_int_equal(wb_datagram_put(WB_LITE_05, &buf, &rows[i].datagram), WB_OK);
        assert_view(wb_buf_view(&buf), rows[i].bytes);
        assert_int_equal(wb_datagram_put(WB_LITE_04, &buf, &rows[i].datagram), WB_E_VERSION);
        wb_buf_fini(&buf);
        assert_int_equal(wb_datagram_get(WB_LITE_05, rows[i].bytes, &got), WB_OK);
        assert_true(got.subscribe == rows[i].datagram.subscribe);
        assert_true(got.sequence == rows[i].datagram.sequence);
        assert_true(got.timestamp == rows[i].datagram.timestamp);
        assert_view(got.payload, rows[i].datagram.payload);
        assert_int_equal(wb_datagram_get(WB_LITE_04, rows[i].bytes, &got), WB_E_VERSION);
        assert_int_equal(wb_datagram_get(WB_LITE_05, wb_view_sub(rows[i].bytes, 0, 2), &got),
                         WB_E_SHORT);
    }
}

static void datagrams_have_bounds(void **state)
{
    uint8_t *large = calloc(1, 3 + WB_MOQ_DATAGRAM_MAX + 1);
    struct wb_datagram d, late = {1, 2, WB_VARINT_MAX + 1, {0}};
    struct wb_buf buf;

    (void)state;
    assert_non_null(large);
    wb_buf_init(&buf, &alloc.mem, 1 << 17);
    assert_int_equal(
        wb_datagram_get(WB_LITE_06, wb_view_of(large, 3 + WB_MOQ_DATAGRAM_MAX + 1), &d),
        WB_E_BOUNDS);
    assert_int_equal(wb_datagram_get(WB_LITE_06, wb_view_of(large, 3 + WB_MOQ_DATAGRAM_MAX), &d),
                     WB_OK);
    assert_int_equal(d.payload.len, WB_MOQ_DATAGRAM_MAX);
    assert_int_equal(wb_datagram_put(WB_LITE_06, &buf, &d), WB_OK);
    d.payload.len++;
    assert_int_equal(wb_datagram_put(WB_LITE_06, &buf, &d), WB_E_BOUNDS);
    assert_int_equal(wb_datagram_put(WB_LITE_07, &buf, &late), WB_E_BOUNDS);
    assert_int_equal(buf.len, 3 + WB_MOQ_DATAGRAM_MAX);
    assert_int_equal(
        wb_datagram_get(WB_LITE_07, VIEW("\x01\x02\xff\x40\x00\x00\x00\x00\x00\x00\x00"), &d),
        WB_E_BOUNDS);
    wb_buf_fini(&buf);
    wb_buf_init(&buf, &alloc.mem, 4);
    d.payload.len = 10;
    assert_int_equal(wb_datagram_put(WB_LITE_06, &buf, &d), WB_E_BOUNDS);
    assert_int_equal(buf.len, 0);
    wb_buf_fini(&buf);
    free(large);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh_alloc, all_given_back)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(case_63_group_headers),
        TEST(case_63_group_headers_that_cannot_be),
        TEST(case_64_65_frame_headers),
        TEST(case_66_67_frame_headers_that_cannot_be),
        TEST(frame_headers_are_put_whole_or_not),
        TEST(case_72_datagrams),
        TEST(datagrams_have_bounds),
    };

    return cmocka_run_group_tests_name("media_wire", tests, NULL, NULL);
}
