/*
 * The examples that the specification gives for core/base, as tables: numbers, bodies, text, bytes.
 */
#include "core/base/decimal.h"
#include "core/base/wire.h"
#include "sim/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

/* A string literal with NULs in it as a view. */
#define VIEW(literal) wb_view_of(literal, sizeof(literal) - 1)

#define UNTOUCHED UINT64_C(0xa5a5a5a5a5a5a5a5)

struct number_row {
    uint64_t value;
    struct wb_view bytes;
};

static void assert_view(struct wb_view got, struct wb_view want)
{
    assert_int_equal(got.len, want.len);
    if (want.len > 0)
        assert_memory_equal(got.data, want.data, want.len);
}

/* What `put` appends for `value`. */
static void assert_put(enum wb_err (*put)(struct wb_buf *, uint64_t), uint64_t value,
                       struct wb_view want)
{
    struct wb_buf buf;

    wb_buf_init(&buf, wb_mem_libc(), 16);
    assert_int_equal(put(&buf, value), WB_OK);
    assert_view(wb_buf_view(&buf), want);
    wb_buf_fini(&buf);
}

/* moq-lite 6.1, cases 1 to 4. */
static void quic_numbers(void **state)
{
    const struct number_row rows[] = {
        {0, VIEW("\x00")},
        {63, VIEW("\x3f")},
        {64, VIEW("\x40\x40")},
        {16383, VIEW("\x7f\xff")},
        {16384, VIEW("\x80\x00\x40\x00")},
        {(UINT64_C(1) << 30) - 1, VIEW("\xbf\xff\xff\xff")},
        {UINT64_C(1) << 30, VIEW("\xc0\x00\x00\x00\x40\x00\x00\x00")},
        {(UINT64_C(1) << 62) - 1, VIEW("\xff\xff\xff\xff\xff\xff\xff\xff")},
    };
    struct wb_view in = VIEW("\x40\x00"), empty = {0}, cut = VIEW("\x40");
    uint64_t value;
    struct wb_buf buf;

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct wb_view rest = rows[i].bytes;

        assert_int_equal(wb_varint_get(&rest, &value), WB_OK);
        assert_int_equal(value, rows[i].value);
        assert_int_equal(rest.len, 0);
        assert_int_equal(wb_varint_size(value), rows[i].bytes.len);
        assert_put(wb_varint_put, rows[i].value, rows[i].bytes);
    }
    wb_buf_init(&buf, wb_mem_libc(), 16);
    assert_int_equal(wb_varint_put(&buf, UINT64_C(1) << 62), WB_E_BOUNDS);
    assert_int_equal(buf.len, 0);
    assert_int_equal(wb_varint_size(UINT64_C(1) << 62), 0);
    assert_int_equal(wb_varint_get(&empty, &value), WB_MORE);
    assert_int_equal(wb_varint_get(&cut, &value), WB_MORE);
    assert_int_equal(cut.len, 1);
    assert_int_equal(wb_varint_get(&in, &value), WB_OK);
    assert_int_equal(value, 0);
}

/* moq-lite 6.1, case 5. */
static void fields_of_32_bits(void **state)
{
    struct wb_view full = VIEW("\xc0\x00\x00\x00\xff\xff\xff\xff");
    struct wb_view over = VIEW("\xc0\x00\x00\x01\x00\x00\x00\x00");
    uint32_t value = 7;

    (void)state;
    assert_int_equal(wb_varint_get_u32(&over, &value), WB_E_BOUNDS);
    assert_int_equal(over.len, 8);
    assert_int_equal(value, 7);
    assert_int_equal(wb_varint_get_u32(&full, &value), WB_OK);
    assert_int_equal(value, UINT32_MAX);
}

/* moq-lite 6.1, case 6. */
static void optional_numbers(void **state)
{
    const struct {
        bool is_present;
        uint64_t value;
        enum wb_err err;
        struct wb_view bytes;
    } rows[] = {
        {false, 0, WB_OK, VIEW("\x00")},
        {true, 0, WB_OK, VIEW("\x01")},
        {true, 9, WB_OK, VIEW("\x0a")},
        {true, WB_VARINT_MAX - 1, WB_OK, VIEW("\xff\xff\xff\xff\xff\xff\xff\xff")},
        {true, WB_VARINT_MAX, WB_E_BOUNDS, {0}},
        {true, UINT64_MAX, WB_E_BOUNDS, {0}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct wb_view in = rows[i].bytes;
        uint64_t value = UNTOUCHED;
        bool is_present = !rows[i].is_present;
        struct wb_buf buf;

        wb_buf_init(&buf, wb_mem_libc(), 16);
        assert_int_equal(wb_varint_put_optional(&buf, rows[i].is_present ? &rows[i].value : NULL),
                         rows[i].err);
        assert_view(wb_buf_view(&buf), rows[i].bytes);
        wb_buf_fini(&buf);
        if (rows[i].err != WB_OK)
            continue;
        assert_int_equal(wb_varint_get_optional(&in, &is_present, &value), WB_OK);
        assert_int_equal(is_present, rows[i].is_present);
        assert_int_equal(value, rows[i].value);
    }
}

/* moq-lite 6.1, case 8. */
static void signed_numbers(void **state)
{
    const struct {
        int64_t value;
        uint64_t coded;
    } rows[] = {
        {0, 0},
        {-1, 1},
        {1, 2},
        {-2, 3},
        {3, 6},
        {INT64_C(2305843009213693951), WB_VARINT_MAX - 1},
        {INT64_C(-2305843009213693952), WB_VARINT_MAX},
        {INT64_C(2305843009213693952), WB_VARINT_MAX + 1}, /* has no quic form */
        {INT64_MAX, UINT64_MAX - 1},
        {INT64_MIN, UINT64_MAX},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_true(wb_zigzag(rows[i].value) == rows[i].coded);
        assert_true(wb_unzigzag(rows[i].coded) == rows[i].value);
    }
}

/* moq-lite 6.1, case 10. */
static void leading_ones_numbers(void **state)
{
    const struct number_row rows[] = {
        {37, VIEW("\x25")},
        {127, VIEW("\x7f")},
        {128, VIEW("\x80\x80")},
        {15293, VIEW("\xbb\xbd")},
        {16383, VIEW("\xbf\xff")},
        {16384, VIEW("\xc0\x40\x00")},
        {(UINT64_C(1) << 21) - 1, VIEW("\xdf\xff\xff")},
        {UINT64_C(1) << 21, VIEW("\xe0\x20\x00\x00")},
        {(UINT64_C(1) << 56) - 1, VIEW("\xfe\xff\xff\xff\xff\xff\xff\xff")},
        {UINT64_C(1) << 56, VIEW("\xff\x01\x00\x00\x00\x00\x00\x00\x00")},
        {UINT64_MAX, VIEW("\xff\xff\xff\xff\xff\xff\xff\xff\xff")},
        {UINT64_C(2893212287960), VIEW("\xfa\xa1\xa0\xe4\x03\xd8")},
        {UINT64_C(70423237261249041), VIEW("\xfe\xfa\x31\x8f\xa8\xe3\xca\x11")},
    };
    struct wb_view longer = VIEW("\x80\x25");
    uint64_t value;

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (int seven = 0; seven < 2; seven++) {
            struct wb_view rest = rows[i].bytes;

            assert_int_equal(wb_varint_ones_get(&rest, seven == 1, &value), WB_OK);
            assert_true(value == rows[i].value);
            assert_int_equal(rest.len, 0);
        }
        assert_int_equal(wb_varint_ones_size(rows[i].value), rows[i].bytes.len);
        assert_put(wb_varint_ones_put, rows[i].value, rows[i].bytes);
    }
    assert_int_equal(wb_varint_ones_get(&longer, false, &value), WB_OK);
    assert_int_equal(value, 37);
}

/* moq-lite 6.1, case 10: seven bytes are read from draft 18 on, and never written. */
static void leading_ones_of_seven_bytes(void **state)
{
    const struct number_row rows[] = {
        {37, VIEW("\xfc\x00\x00\x00\x00\x00\x25")},
        {(UINT64_C(1) << 49) - 1, VIEW("\xfd\xff\xff\xff\xff\xff\xff")},
    };
    uint64_t value = UNTOUCHED;

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct wb_view in = rows[i].bytes;

        assert_int_equal(wb_varint_ones_get(&in, false, &value), WB_E_VALUE);
        assert_int_equal(in.len, 7);
        assert_int_equal(wb_varint_ones_get(&in, true, &value), WB_OK);
        assert_true(value == rows[i].value);
    }
    for (uint64_t power = 1; power > 0; power <<= 1)
        assert_int_not_equal(wb_varint_ones_size(power), 7);
    assert_int_equal(wb_varint_ones_size((UINT64_C(1) << 49) - 1), 8);
}

/* moq-lite 6.1, cases 7 and 9, and the trap of 1.2. */
static void bodies(void **state)
{
    const struct {
        bool is_string;
        struct wb_view body;
        enum wb_err err;
        const char *text;
    } rows[] = {
        {false, VIEW("\x00"), WB_OK, ""},
        {false, VIEW("\x01"), WB_OK, ""},
        {false, VIEW("\x02"), WB_E_VALUE, ""},
        {false, VIEW(""), WB_E_SHORT, ""},
        {false, VIEW("\x01\x00"), WB_E_LONG, ""},
        {true, VIEW("\x05hello"), WB_OK, "hello"},
        {true, VIEW("\x00"), WB_OK, ""},
        {true, VIEW("\x01\xff"), WB_E_STRING, ""},
        {true, VIEW("\x05he"), WB_E_SHORT, ""},
        {true, VIEW("\x40"), WB_E_SHORT, ""},
        {true, VIEW("\xff\xff\xff\xff\xff\xff\xff\xff\x61"), WB_E_SHORT, ""},
        {true, VIEW("\x05hello!"), WB_E_LONG, "hello"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct wb_wire w = wb_wire_of(rows[i].body);

        if (rows[i].is_string)
            assert_view(wb_wire_string(&w), wb_view_text(rows[i].text));
        else
            (void)wb_wire_bool(&w);
        assert_int_equal(wb_wire_done(&w), rows[i].err);
    }
}

static void first_error_of_a_body_stays(void **state)
{
    struct wb_wire w = wb_wire_of(VIEW("\x07\x01\x02\x02\x03\x04\x05\x06"));

    (void)state;
    assert_int_equal(wb_wire_u8(&w), 7);
    assert_int_equal(wb_wire_u16(&w), 0x102);
    assert_false(wb_wire_bool(&w));
    assert_int_equal(w.err, WB_E_VALUE);
    assert_int_equal(wb_wire_u8(&w), 0);
    assert_int_equal(wb_wire_varint(&w), 0);
    assert_int_equal(wb_wire_varint_u32(&w), 0);
    assert_int_equal(wb_wire_bytes(&w, 100).len, 0);
    assert_int_equal(wb_wire_string(&w).len, 0);
    assert_int_equal(wb_wire_done(&w), WB_E_VALUE);
}

static void utf8(void **state)
{
    const struct {
        struct wb_view text;
        bool is_valid;
    } rows[] = {
        {VIEW(""), true},
        {VIEW("plain \x7f\x00"), true},
        {VIEW("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x99"), true},
        {VIEW("\x80"), false},
        {VIEW("\xc0\x80"), false},
        {VIEW("\xc1\xbf"), false},
        {VIEW("\xc2\x80"), true},
        {VIEW("\xc2"), false},
        {VIEW("\xc2\x41"), false},
        {VIEW("\xe0\x9f\xbf"), false},
        {VIEW("\xe0\xa0\x80"), true},
        {VIEW("\xed\x9f\xbf"), true},
        {VIEW("\xed\xa0\x80"), false},
        {VIEW("\xed\xbf\xbf"), false},
        {VIEW("\xee\x80\x80"), true},
        {VIEW("\xef\xbf\xbf"), true},
        {VIEW("\xf0\x8f\xbf\xbf"), false},
        {VIEW("\xf0\x90\x80\x80"), true},
        {VIEW("\xf4\x8f\xbf\xbf"), true},
        {VIEW("\xf4\x90\x80\x80"), false},
        {VIEW("\xf5\x80\x80\x80"), false},
        {VIEW("\xf0\x90\x80"), false},
        {VIEW("\xe2\x82\x41"), false},
        {VIEW("ok\xff"), false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(wb_utf8_is_valid(rows[i].text), rows[i].is_valid);
}

/* Among the rows are the six lengths that strtoul takes for 2. */
static void strict_decimals(void **state)
{
    const struct {
        const char *text;
        uint64_t max;
        enum wb_err err;
        uint64_t value;
    } rows[] = {
        {"0", 0, WB_OK, 0},
        {"2", UINT32_MAX, WB_OK, 2},
        {"4294967295", UINT32_MAX, WB_OK, UINT32_MAX},
        {"4294967298", UINT32_MAX, WB_E_BOUNDS, 0},
        {"-4294967294", UINT32_MAX, WB_E_NUMBER, 0},
        {"+2", UINT32_MAX, WB_E_NUMBER, 0},
        {"2x", UINT32_MAX, WB_E_NUMBER, 0},
        {" 2", UINT32_MAX, WB_E_NUMBER, 0},
        {"\t2", UINT32_MAX, WB_E_NUMBER, 0},
        {"", UINT64_MAX, WB_E_NUMBER, 0},
        {"02", UINT64_MAX, WB_E_NUMBER, 0},
        {"00", UINT64_MAX, WB_E_NUMBER, 0},
        {"-0", UINT64_MAX, WB_E_NUMBER, 0},
        {"1", 0, WB_E_BOUNDS, 0},
        {"18446744073709551615", UINT64_MAX, WB_OK, UINT64_MAX},
        {"18446744073709551616", UINT64_MAX, WB_E_BOUNDS, 0},
        {"99999999999999999999999999999999", UINT64_MAX, WB_E_BOUNDS, 0},
        {"9999999999999999999999999999999x", UINT64_MAX, WB_E_NUMBER, 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t value = UNTOUCHED;
        uint8_t digits[WB_DECIMAL_DIGITS_MAX];

        assert_int_equal(wb_decimal_get(wb_view_text(rows[i].text), rows[i].max, &value),
                         rows[i].err);
        assert_true(value == (rows[i].err == WB_OK ? rows[i].value : UNTOUCHED));
        if (rows[i].err == WB_OK)
            assert_view(wb_view_of(digits, wb_decimal_put(digits, value)),
                        wb_view_text(rows[i].text));
    }
}

static void buffers(void **state)
{
    struct sim_alloc alloc = {0};
    struct wb_buf buf;

    (void)state;
    sim_alloc_reset(&alloc);
    wb_buf_init(&buf, &alloc.mem, 100);
    assert_int_equal(alloc.requests, 0);
    for (uint8_t i = 0; i < 60; i++)
        assert_int_equal(wb_buf_add_u8(&buf, i), WB_OK);
    assert_int_equal(alloc.requests, 1);
    sim_alloc_fail_next(&alloc, 1);
    assert_int_equal(wb_buf_add(&buf, VIEW("0123456789")), WB_E_NOMEM);
    assert_int_equal(buf.len, 60);
    assert_int_equal(wb_buf_add(&buf, VIEW("0123456789")), WB_OK);
    assert_int_equal(wb_buf_reserve(&buf, 31), WB_E_BOUNDS);
    assert_int_equal(wb_buf_reserve(&buf, 30), WB_OK);
    assert_int_equal(buf.capacity, 100);
    assert_view(wb_view_sub(wb_buf_view(&buf), 58, 62), VIEW("\x3a\x3b\x30\x31"));
    wb_buf_truncate(&buf, 1);
    assert_view(wb_buf_view(&buf), VIEW("\x00"));
    wb_buf_fini(&buf);
    wb_buf_fini(&buf);
    assert_int_equal(alloc.live_blocks, 0);
    assert_int_equal(wb_buf_add_u8(&buf, 1), WB_E_BOUNDS);
}

static void slices(void **state)
{
    struct sim_alloc alloc = {0};
    struct wb_slice whole = {0}, part, moved, empty;
    uint8_t *bytes;

    (void)state;
    sim_alloc_reset(&alloc);
    assert_int_equal(wb_slice_copy(&alloc.mem, VIEW("0123456789"), &whole), WB_OK);
    assert_int_equal(wb_slice_footprint(&whole), alloc.live_bytes);
    part = wb_slice_sub(&whole, 2, 5);
    assert_int_equal(wb_slice_holders(&whole), 2);
    empty = wb_slice_sub(&whole, 10, 10);
    assert_null(empty.owner);
    moved = wb_slice_move(&whole);
    assert_null(whole.owner);
    assert_int_equal(whole.view.len, 0);
    assert_int_equal(wb_slice_holders(&part), 2);
    wb_slice_drop(&whole);
    wb_slice_drop(&moved);
    assert_view(part.view, VIEW("234"));
    wb_slice_drop(&part);
    wb_slice_drop(&part);
    assert_int_equal(alloc.live_blocks, 0);
    sim_alloc_fail_next(&alloc, 1);
    assert_int_equal(wb_slice_copy(&alloc.mem, VIEW("x"), &whole), WB_E_NOMEM);
    assert_null(whole.owner);
    assert_int_equal(wb_slice_copy(&alloc.mem, VIEW(""), &whole), WB_OK);
    assert_int_equal(wb_slice_new(&alloc.mem, SIZE_MAX, &whole, &bytes), WB_E_NOMEM);
    assert_null(wb_mem_take(&alloc.mem, 0));
    assert_int_equal(alloc.requests, 2);
}

static void statuses_have_names(void **state)
{
    (void)state;
    for (int i = 0; i < WB_ERR_COUNT; i++) {
        assert_int_equal(wb_err_find(wb_err_name(i)), i);
        assert_true(strlen(wb_err_text(i)) > 0);
    }
    assert_string_equal(wb_err_name(WB_E_STRING), "WB_E_STRING");
    assert_string_equal(wb_err_name(-1), "WB_E_?");
    assert_string_equal(wb_err_name(WB_ERR_COUNT), "WB_E_?");
    assert_int_equal(wb_err_find("WB_E_?"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quic_numbers),
        cmocka_unit_test(fields_of_32_bits),
        cmocka_unit_test(optional_numbers),
        cmocka_unit_test(signed_numbers),
        cmocka_unit_test(leading_ones_numbers),
        cmocka_unit_test(leading_ones_of_seven_bytes),
        cmocka_unit_test(bodies),
        cmocka_unit_test(first_error_of_a_body_stays),
        cmocka_unit_test(utf8),
        cmocka_unit_test(strict_decimals),
        cmocka_unit_test(buffers),
        cmocka_unit_test(slices),
        cmocka_unit_test(statuses_have_names),
    };

    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
