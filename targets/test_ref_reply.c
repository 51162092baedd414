/*
 * test_ref_reply.c: the model of replies against literal answers, so that it is not believed
 * on its word. Each row is a request, bytes, and what the grammar says of them, worked out by hand.
 */
#include "oracles/ref_reply.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define UNITS_MAX 8

enum request {
    GET,
    SET,
    DEBUG,
    NOOP,
    VERSION,
    OPAQUE,
    BATCH,
    ONE,
    COUNTED,
    NONE,
    C_GET, /* classic: a get of a, x, b */
    C_ONE, /* a get of any one key */
    C_SET,
    C_DELETE,
    C_INCR,
    C_TOUCH,
    C_STATS,
    C_FLUSH,
    C_SETS
};

struct row {
    enum request request;
    const char *bytes;
    enum wb_err status;
    size_t units, end;
};

static const struct wb_view keys[] = {
    {(const uint8_t *)"a", 1}, {(const uint8_t *)"x", 1}, {(const uint8_t *)"b", 1}};

static struct wb_reply_shape classic_of(enum request request)
{
    struct wb_reply_shape get = {.codes = WB_REPLY_CODES_GET, .until_end = true, .count = 1};
    uint32_t codes = 0;

    switch ((int)request) {
    case C_GET:
        get.keys = keys;
        get.keys_count = get.count = 3;
        return get;
    case C_ONE:
        return get;
    case C_STATS:
        return (struct wb_reply_shape){
            .codes = WB_REPLY_CODES_STATS, .until_end = true, .count = UINT32_MAX};
    case C_DELETE:
        codes = WB_REPLY_CODES_DELETE;
        break;
    case C_INCR:
        codes = WB_REPLY_CODES_INCR;
        break;
    case C_TOUCH:
        codes = WB_REPLY_CODES_TOUCH;
        break;
    case C_FLUSH:
        codes = WB_REPLY_CODES_FLUSH;
        break;
    default:
        codes = WB_REPLY_CODES_SET;
    }
    return (struct wb_reply_shape){.codes = codes, .count = request == C_SETS ? 3 : 1};
}

static struct wb_reply_shape shape_of(enum request request)
{
    if (request >= C_GET)
        return classic_of(request);
    switch ((int)request) {
    case GET:
        return (struct wb_reply_shape){.codes = WB_REPLY_CODES_MG, .count = 1};
    case SET:
        return (struct wb_reply_shape){.codes = WB_REPLY_CODES_MS, .count = 1};
    case DEBUG:
        return (struct wb_reply_shape){.codes = WB_REPLY_CODES_ME, .count = 1};
    case NOOP:
        return (struct wb_reply_shape){.codes = WB_REPLY_CODES_MN, .count = 1};
    case VERSION:
        return (struct wb_reply_shape){.codes = WB_REPLY_CODES_VERSION, .count = 1};
    case OPAQUE:
        return (struct wb_reply_shape){
            .codes = WB_REPLY_CODES_MG, .count = 1, .opaque = {(const uint8_t *)"9", 1}};
    case BATCH:
        return (struct wb_reply_shape){.codes = WB_REPLY_CODES_MG,
                                       .until_mn = true,
                                       .count = 3,
                                       .keys = keys,
                                       .keys_count = 3};
    case ONE:
        return (struct wb_reply_shape){.codes = WB_REPLY_CODES_MG, .until_mn = true, .count = 1};
    case COUNTED:
        return (struct wb_reply_shape){
            .codes = WB_REPLY_CODES_MG, .count = 3, .keys = keys, .keys_count = 3};
    case NONE:
        break;
    }
    return (struct wb_reply_shape){.codes = WB_REPLY_CODES_MG, .until_mn = true};
}

#define KEPT "CLIENT_ERROR cannot increment or decrement non-numeric value"

static const struct row rows[] = {
    /* whole replies */
    {GET, "VA 3\r\nbar\r\n", WB_OK, 1, 11},
    {GET, "VA 3 s3 f30\r\nbar\r\nrest", WB_OK, 1, 18},
    {GET, "VA 0\r\n\r\n", WB_OK, 1, 8},
    {GET, "VA 8\r\nEN\r\nMN\r\n\r\n", WB_OK, 1, 16},
    {GET, "EN\r\n", WB_OK, 1, 4},
    {GET, "EN\r\nEN\r\n", WB_OK, 1, 4},
    {GET, "HD \r\n", WB_OK, 1, 5},
    {GET, "HD  c1  \r\n", WB_OK, 1, 10},
    {GET, "HD k\ra\r\n", WB_OK, 1, 8},
    {GET, "VA 3  f1\r\nbar\r\n", WB_OK, 1, 15},
    {SET, "NS kfoo O3\r\n", WB_OK, 1, 12},
    {SET, "SERVER_ERROR \r\n", WB_OK, 1, 15},
    {SET, KEPT "\r\n", WB_OK, 1, 62},
    {DEBUG, "ME foo exp=-1\r\n", WB_OK, 1, 15},
    {DEBUG, "ME  foo\r\n", WB_OK, 1, 9},
    {NOOP, "MN\r\n", WB_OK, 1, 4},
    {VERSION, "VERSION 1.6.18\r\n", WB_OK, 1, 16},
    {VERSION, "VERSION \r\n", WB_OK, 1, 10},
    {OPAQUE, "EN O9\r\n", WB_OK, 1, 7},
    {OPAQUE, "SERVER_ERROR x\r\n", WB_OK, 1, 16},
    {BATCH, "MN\r\n", WB_OK, 1, 4},
    {BATCH, "VA 1 ka\r\n1\r\nVA 0 kb\r\n\r\nMN\r\n", WB_OK, 3, 27},
    {BATCH, "SERVER_ERROR x\r\nHD ka\r\nMN\r\n", WB_OK, 3, 27},
    {BATCH, "HD kb ka\r\nMN\r\n", WB_OK, 2, 14},
    {COUNTED, "HD ka\r\nHD kx\r\nHD kb\r\nMN\r\n", WB_OK, 3, 21},
    {COUNTED, "HD ka\r\nSERVER_ERROR x\r\nHD kb\r\n", WB_OK, 3, 30},
    {NONE, "MN\r\n", WB_OK, 1, 4},
    /* cut short */
    {GET, "", WB_MORE, 0, 0},
    {GET, "VA 3", WB_MORE, 0, 0},
    {GET, "EN\r", WB_MORE, 0, 0},
    {GET, "VA 3\r\n", WB_MORE, 0, 0},
    {GET, "VA 3\r\nba", WB_MORE, 0, 0},
    {GET, "VA 3\r\nbar", WB_MORE, 0, 0},
    {GET, "VA 3\r\nbar\r", WB_MORE, 0, 0},
    {GET, "VA 1073741824\r\nx", WB_MORE, 0, 0},
    {BATCH, "VA 1 ka\r\n1\r\n", WB_MORE, 1, 12},
    {COUNTED, "HD ka\r\n", WB_MORE, 1, 7},
    /* error lines that end a reply */
    {GET, "ERROR\r\n", WB_E_ERROR, 1, 7},
    {GET, "ERROR Too many open connections\r\n", WB_E_ERROR, 1, 33},
    {SET, "CLIENT_ERROR bad data chunk\r\nERROR\r\n", WB_E_CLIENT_ERROR, 1, 29},
    {SET, KEPT ".\r\n", WB_E_CLIENT_ERROR, 1, 63},
    {OPAQUE, "CLIENT_ERROR x\r\n", WB_E_CLIENT_ERROR, 1, 16},
    {ONE, "HD\r\nERROR\r\n", WB_E_ERROR, 2, 11},
    {BATCH, "HD ka\r\nCLIENT_ERROR x\r\nMN\r\n", WB_E_CLIENT_ERROR, 2, 23},
    /* line */
    {GET, "HD\n", WB_E_BAD_LINE, 0, 0},
    {GET, "\n", WB_E_BAD_LINE, 0, 0},
    {GET, "XX\n", WB_E_BAD_LINE, 0, 0},
    /* code */
    {GET, "\r\n", WB_E_BAD_CODE, 0, 0},
    {GET, " EN\r\n", WB_E_BAD_CODE, 0, 0},
    {GET, "ENX\r\n", WB_E_BAD_CODE, 0, 0},
    {GET, "HD\r\r\n", WB_E_BAD_CODE, 0, 0},
    {GET, "en\r\n", WB_E_BAD_CODE, 0, 0},
    {GET, "184467440737095516150\r\n", WB_E_BAD_CODE, 0, 0},
    /* grammar */
    {GET, "MN x\r\n", WB_E_BAD_LINE, 0, 0},
    {NOOP, "MN \r\n", WB_E_BAD_LINE, 0, 0},
    {DEBUG, "ME\r\n", WB_E_BAD_LINE, 0, 0},
    {DEBUG, "ME \r\n", WB_E_BAD_LINE, 0, 0},
    {DEBUG, "ME a \r\n", WB_E_BAD_LINE, 0, 0},
    {VERSION, "VERSION\r\n", WB_E_BAD_LINE, 0, 0},
    {GET, "CLIENT_ERROR\r\n", WB_E_BAD_LINE, 0, 0},
    {GET, "SERVER_ERROR\r\n", WB_E_BAD_LINE, 0, 0},
    {GET, "STORED x\r\n", WB_E_BAD_LINE, 0, 0},
    {GET, "VALUE k 0\r\n", WB_E_BAD_LINE, 0, 0},
    {GET, "VALUE k  0 5\r\n", WB_E_BAD_LINE, 0, 0},
    {GET, "STAT pid\r\n", WB_E_BAD_LINE, 0, 0},
    {GET, "8 9\r\n", WB_E_BAD_LINE, 0, 0},
    {GET, "VA 3 \r\nbar\r\n", WB_E_BAD_LINE, 0, 0},
    /* lengths */
    {GET, "VA\r\n", WB_E_BAD_LEN, 0, 0},
    {GET, "VA \r\n", WB_E_BAD_LEN, 0, 0},
    {GET, "VA  2\r\nhi\r\n", WB_E_BAD_LEN, 0, 0},
    {GET, "VA \t2\r\nhi\r\n", WB_E_BAD_LEN, 0, 0},
    {GET, "VA -1\r\n", WB_E_BAD_LEN, 0, 0},
    {GET, "VA +2\r\nhi\r\n", WB_E_BAD_LEN, 0, 0},
    {GET, "VA 2x\r\nhi\r\n", WB_E_BAD_LEN, 0, 0},
    {GET, "VA 02\r\nhi\r\n", WB_E_BAD_LEN, 0, 0},
    {GET, "VA 1073741825\r\n", WB_E_BAD_LEN, 0, 0},
    {GET, "VA 4294967298\r\nhi\r\n", WB_E_BAD_LEN, 0, 0},
    {GET, "VA 18446744073709551618\r\nhi\r\n", WB_E_BAD_LEN, 0, 0},
    {GET, "VA 3 s4\r\nbar\r\n", WB_E_BAD_LEN, 0, 0},
    {GET, "VA 3 s3 s\r\nbar\r\n", WB_E_BAD_LEN, 0, 0},
    {SET, "VA -1\r\n", WB_E_BAD_LEN, 0, 0},
    /* request */
    {GET, "NS\r\n", WB_E_UNEXPECTED_CODE, 0, 0},
    {GET, "MN\r\n", WB_E_UNEXPECTED_CODE, 0, 0},
    {GET, "END\r\n", WB_E_UNEXPECTED_CODE, 0, 0},
    {GET, "VALUE k 0 5 7\r\n", WB_E_UNEXPECTED_CODE, 0, 0},
    {GET, "STAT x y z\r\n", WB_E_UNEXPECTED_CODE, 0, 0},
    {GET, "18446744073709551615 \r\n", WB_E_UNEXPECTED_CODE, 0, 0},
    {ONE, "HD\r\nHD\r\nMN\r\n", WB_E_TOO_MANY, 1, 4},
    {ONE, "SERVER_ERROR x\r\nHD\r\n", WB_E_TOO_MANY, 1, 16},
    {ONE, KEPT "\r\nHD\r\n", WB_E_TOO_MANY, 1, 62},
    {NONE, "HD\r\n", WB_E_TOO_MANY, 0, 0},
    {OPAQUE, "EN\r\n", WB_E_OPAQUE_MISMATCH, 0, 0},
    {OPAQUE, "EN O\r\n", WB_E_OPAQUE_MISMATCH, 0, 0},
    {OPAQUE, "HD O99\r\n", WB_E_OPAQUE_MISMATCH, 0, 0},
    {OPAQUE, "VA 3 O8\r\nbar\r\n", WB_E_OPAQUE_MISMATCH, 0, 0},
    {BATCH, "HD kz\r\nMN\r\n", WB_E_KEY_MISMATCH, 0, 0},
    {BATCH, "HD s1\r\nMN\r\n", WB_E_KEY_MISMATCH, 0, 0},
    {BATCH, "HD kb\r\nHD ka\r\nMN\r\n", WB_E_KEY_MISMATCH, 1, 7},
    {BATCH, "HD kx\r\nHD kx\r\nMN\r\n", WB_E_KEY_MISMATCH, 1, 7},
    {COUNTED, "HD ka\r\nHD kb\r\n", WB_E_KEY_MISMATCH, 1, 7},
    /* block */
    {GET, "VA 3\r\nbarX", WB_E_BAD_BLOCK_END, 0, 0},
    {GET, "VA 3\r\nbar\rX", WB_E_BAD_BLOCK_END, 0, 0},
    {GET, "VA 4\r\nbar\r\nEN\r\n", WB_E_BAD_BLOCK_END, 0, 0},
    {GET, "VA 2\r\nbar\r\n", WB_E_BAD_BLOCK_END, 0, 0},
    /* classic: whole replies */
    {C_GET, "END\r\n", WB_OK, 1, 5},
    {C_GET, "END\r\nEND\r\n", WB_OK, 1, 5},
    {C_GET, "VALUE a 7 2\r\nhi\r\nVALUE b 0 0 38\r\n\r\nEND\r\n", WB_OK, 3, 40},
    {C_GET, "VALUE x 0 5\r\nEND\r\n\r\nEND\r\n", WB_OK, 2, 25},
    {C_GET, "SERVER_ERROR x\r\nEND\r\n", WB_OK, 1, 16},
    {C_GET, "VALUE a 0 0\r\n\r\nSERVER_ERROR x\r\n", WB_OK, 2, 31},
    {C_GET, KEPT "\r\n", WB_OK, 1, 62},
    {C_ONE, "VALUE zz 0 0\r\n\r\nSERVER_ERROR x\r\n", WB_OK, 2, 32},
    {C_ONE, "VALUE  zz 007 1 18446744073709551615\r\n1\r\nEND\r\n", WB_OK, 2, 46},
    {C_SET, "STORED\r\n", WB_OK, 1, 8},
    {C_SET, "NOT_STORED\r\n", WB_OK, 1, 12},
    {C_SET, "EXISTS\r\n", WB_OK, 1, 8},
    {C_SET, "NOT_FOUND\r\n", WB_OK, 1, 11},
    {C_SET, "SERVER_ERROR object too large for cache\r\n", WB_OK, 1, 41},
    {C_SETS, "STORED\r\nSERVER_ERROR x\r\nEXISTS\r\nSTORED\r\n", WB_OK, 3, 32},
    {C_DELETE, "DELETED\r\n", WB_OK, 1, 9},
    {C_TOUCH, "TOUCHED\r\n", WB_OK, 1, 9},
    {C_FLUSH, "OK\r\n", WB_OK, 1, 4},
    {C_INCR, "18446744073709551615\r\n", WB_OK, 1, 22},
    {C_INCR, "99999999999999999999  \r\n", WB_OK, 1, 24},
    {C_INCR, "007\r\n", WB_OK, 1, 5},
    {C_INCR, "NOT_FOUND\r\n", WB_OK, 1, 11},
    {C_STATS, "END\r\n", WB_OK, 1, 5},
    {C_STATS, "STAT pid 1\r\nSTAT x y z\r\nEND\r\n", WB_OK, 3, 29},
    {C_STATS, "STAT  a \r\nSERVER_ERROR x\r\n", WB_OK, 2, 26},
    /* classic: cut short */
    {C_GET, "VALUE a 0 1\r\n1\r\n", WB_MORE, 1, 16},
    {C_GET, "VALUE a 0 1\r\n1\r", WB_MORE, 0, 0},
    {C_GET, "VALUE a 0 1073741824\r\n", WB_MORE, 0, 0},
    {C_STATS, "STAT a b\r\nEND\r", WB_MORE, 1, 10},
    {C_SETS, "STORED\r\nSTORED\r\n", WB_MORE, 2, 16},
    /* classic: what ends the connection */
    {C_GET, "CLIENT_ERROR bad command line format\r\n\r\n", WB_E_CLIENT_ERROR, 1, 38},
    {C_GET, "VALUE a 0 0\r\n\r\nERROR\r\n", WB_E_ERROR, 2, 22},
    {C_GET, "VALUE a 0\r\n", WB_E_BAD_LINE, 0, 0},
    {C_GET, "VALUE a  0 1\r\n1\r\n", WB_E_BAD_LINE, 0, 0},
    {C_GET, "VALUE a 0x 1\r\n1\r\n", WB_E_BAD_LINE, 0, 0},
    {C_GET, "VALUE a 0 1 x\r\n1\r\n", WB_E_BAD_LINE, 0, 0},
    {C_GET, "VALUE a 0 1 2 3\r\n1\r\n", WB_E_BAD_LINE, 0, 0},
    {C_GET, "VALUE a 0 1 \r\n1\r\n", WB_E_BAD_LINE, 0, 0},
    {C_GET, "VALUE a 0 \r\n", WB_E_BAD_LEN, 0, 0},
    {C_GET, "VALUE a 0  1\r\n1\r\n", WB_E_BAD_LEN, 0, 0},
    {C_GET, "VALUE a 0 1x\r\n1\r\n", WB_E_BAD_LEN, 0, 0},
    {C_GET, "VALUE a 0 -1\r\n", WB_E_BAD_LEN, 0, 0},
    {C_GET, "VALUE a 0 4294967297\r\n1\r\n", WB_E_BAD_LEN, 0, 0},
    {C_GET, "VALUE a 0 4\r\nbar\r\nEND\r\n", WB_E_BAD_BLOCK_END, 0, 0},
    {C_GET, "END \r\n", WB_E_BAD_LINE, 0, 0},
    {C_GET, "END\n", WB_E_BAD_LINE, 0, 0},
    {C_GET, "MN\r\n", WB_E_UNEXPECTED_CODE, 0, 0},
    {C_GET, "EN\r\n", WB_E_UNEXPECTED_CODE, 0, 0},
    {C_GET, "VALUE b 0 0\r\n\r\nVALUE a 0 0\r\n\r\nEND\r\n", WB_E_KEY_MISMATCH, 1, 15},
    {C_GET, "VALUE ab 0 0\r\n\r\nEND\r\n", WB_E_KEY_MISMATCH, 0, 0},
    {C_ONE, "VALUE a 0 0\r\n\r\nVALUE b 0 0\r\n\r\nEND\r\n", WB_E_TOO_MANY, 1, 15},
    {C_ONE, "VALUE a 0 0\r\n\r\nSTORED\r\n", WB_E_UNEXPECTED_CODE, 1, 15},
    {C_SET, "END\r\n", WB_E_UNEXPECTED_CODE, 0, 0},
    {C_SET, "STORED x\r\n", WB_E_BAD_LINE, 0, 0},
    {C_INCR, "8 9\r\n", WB_E_BAD_LINE, 0, 0},
    {C_INCR, "-8\r\n", WB_E_BAD_CODE, 0, 0},
    {C_INCR, "NUMBER\r\n", WB_E_BAD_CODE, 0, 0},
    {C_STATS, "STAT a\r\n", WB_E_BAD_LINE, 0, 0},
    {C_STATS, "VALUE a 0 0\r\n\r\nEND\r\n", WB_E_UNEXPECTED_CODE, 0, 0},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        struct wb_reply_shape shape = shape_of(row->request);
        struct wb_view stream = {(const uint8_t *)row->bytes, strlen(row->bytes)};
        struct ref_reply_unit units[UNITS_MAX];
        struct ref_reply_result got =
            ref_reply_parse(stream, &shape, WB_REPLY_VALUE_MAX, units, UNITS_MAX);

        if (got.status != row->status || got.units != row->units || got.end != row->end)
            print_error("row %zu, `%s'\n", i, row->bytes);
        assert_int_equal(got.status, row->status);
        assert_int_equal(got.units, row->units);
        assert_int_equal(got.end, row->end);
    }
}

/* Where the parts of a unit are. */
static void test_offsets(void **state)
{
    static const char bytes[] = "VA 3 s3  kfoo\r\nbar\r\nHD  c1\r\nMN\r\n";
    struct wb_reply_shape shape = shape_of(NONE);
    struct ref_reply_unit units[UNITS_MAX];
    struct ref_reply_result got;

    (void)state;
    shape.count = 5;
    got = ref_reply_parse((struct wb_view){(const uint8_t *)bytes, sizeof bytes - 1}, &shape,
                          WB_REPLY_VALUE_MAX, units, UNITS_MAX);
    assert_int_equal(got.status, WB_OK);
    assert_int_equal(got.units, 3);
    assert_int_equal(units[0].code, WB_REPLY_VA);
    assert_int_equal(units[0].line_end, 13);
    assert_int_equal(units[0].flags_begin, 5);
    assert_true(units[0].has_value);
    assert_int_equal(units[0].value_begin, 15);
    assert_int_equal(units[0].value_len, 3);
    assert_int_equal(units[0].end, 20);
    assert_int_equal(units[1].begin, 20);
    assert_int_equal(units[1].flags_begin, 24);
    assert_int_equal(units[1].line_end, 26);
    assert_false(units[1].has_value);
    assert_int_equal(units[2].code, WB_REPLY_MN);
    assert_int_equal(units[2].flags_begin, units[2].line_end);
}

/* A line of n bytes: n - 2 of `VERSION ....`, then CR LF. */
static enum wb_err status_of_line(size_t n, const char *ending)
{
    static uint8_t line[4096];
    struct wb_reply_shape shape = shape_of(VERSION);
    size_t end_len = strlen(ending);

    memset(line, '.', sizeof line);
    memcpy(line, "VERSION ", 8);
    memcpy(line + n - end_len, ending, end_len);
    return ref_reply_parse((struct wb_view){line, n}, &shape, WB_REPLY_VALUE_MAX, NULL, 0).status;
}

static void test_line_limit(void **state)
{
    (void)state;
    assert_int_equal(status_of_line(2048, "\r\n"), WB_OK);
    assert_int_equal(status_of_line(2049, "\r\n"), WB_E_LINE_TOO_LONG);
    assert_int_equal(status_of_line(2048, "\n"), WB_E_BAD_LINE);
    assert_int_equal(status_of_line(2049, "\n"), WB_E_LINE_TOO_LONG);
    assert_int_equal(status_of_line(2047, ""), WB_MORE);
    assert_int_equal(status_of_line(2048, ""), WB_E_LINE_TOO_LONG);
    assert_int_equal(status_of_line(4096, ""), WB_E_LINE_TOO_LONG);
}

/* Units beyond the caller's room are counted all the same. */
static void test_units_max(void **state)
{
    struct wb_reply_shape shape = shape_of(COUNTED);
    struct ref_reply_unit unit = {0};
    static const char bytes[] = "HD ka\r\nHD kx\r\nHD kb\r\n";
    struct ref_reply_result got =
        ref_reply_parse((struct wb_view){(const uint8_t *)bytes, sizeof bytes - 1}, &shape,
                        WB_REPLY_VALUE_MAX, &unit, 1);

    (void)state;
    assert_int_equal(got.status, WB_OK);
    assert_int_equal(got.units, 3);
    assert_int_equal(unit.end, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_line_limit),
        cmocka_unit_test(test_units_max),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
