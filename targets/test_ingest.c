/*
 * The contract of core/media/ingest.h, with the examples of moq-lite: each small stream in all
 * cuts, the end at every byte, each allocation refused once.
 */
#include "targets/test_ingest.h"

/* ---- streams --------------------------------------------------------------------------------- */

/* Group 7 with "hello" at 100, "two" at 133 and "" at 123 (cases 63 to 65), and its whole ends. */
static const struct {
    enum wb_moq_version version;
    size_t len, header, ends[3];
    const char *bytes;
} groups[] = {
    {WB_LITE_04,
     14,
     3,
     {9, 13, 14},
     "\x02\x01\x07"
     "\x05hello"
     "\x03two"
     "\x00"},
    {WB_LITE_05,
     19,
     3,
     {11, 17, 19},
     "\x02\x01\x07"
     "\x40\xc8\x05hello"
     "\x40\x42\x03two"
     "\x13\x00"},
    {WB_LITE_06,
     20,
     4,
     {12, 18, 20},
     "\x03\x01\x07\x04"
     "\x40\xc8\x05hello"
     "\x40\x42\x03two"
     "\x13\x00"},
    {WB_LITE_07,
     25,
     8,
     {16, 22, 25},
     "\x80\x06\xc0\x00\x01\x80\x07\x04"
     "\x80\xc8\x05hello"
     "\x80\x42\x03"
     "tw"
     "o"
     "\x13\x80\x00"},
};

static struct wb_view group_bytes(size_t i)
{
    return wb_view_of(groups[i].bytes, groups[i].len);
}

static void assert_group_told(const struct desk *d, size_t i, size_t frames)
{
    bool is_timed = wb_moq_is_timed(groups[i].version);

    assert_int_equal(d->frames, frames);
    if (frames > 0)
        assert_told(d, 0, is_timed ? 100 : 0, VIEW("hello"));
    if (frames > 1)
        assert_told(d, 1, is_timed ? 133 : 0, VIEW("two"));
    if (frames > 2)
        assert_told(d, 2, is_timed ? 123 : 0, VIEW(""));
}

/* Cases 64, 65, 74, 81: any three chunks, any allocation refused once; no chunk is ever kept. */
static void case_64_65_any_cut_tells_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(groups); i++)
        for (size_t b = 0; b <= groups[i].len; b++)
            for (size_t a = 0; a <= b; a++)
                for (uint64_t fail = 0; fail<14; fail += (a + b) % 3> 0 ? 13 : 1) {
                    size_t cuts[] = {0, a, b, groups[i].len};
                    struct desk d;

                    sim_alloc_reset(&alloc);
                    if (fail > 0)
                        sim_alloc_fail_next(&alloc, fail);
                    desk_open(&d, groups[i].version);
                    for (size_t c = 0; c < 3; c++) {
                        assert_int_equal(
                            desk_feed(&d, wb_view_sub(group_bytes(i), cuts[c], cuts[c + 1])),
                            WB_OK);
                        assert_int_equal(desk_holders(&d, c), 0);
                    }
                    assert_int_equal(desk_fin(&d), WB_OK);
                    assert_int_equal(d.end, WB_END);
                    assert_int_equal(d.in.header.sequence, 7);
                    assert_int_equal(wb_group_next_index(d.group) - 3, d.in.header.first);
                    assert_group_told(&d, i, 3);
                    desk_close(&d);
                }
}

/* Cases 76, 77 and bug 63: FIN after each byte, the header's, between delta and size, in payload.
 */
static void case_76_77_fin_at_every_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(groups); i++)
        for (size_t n = 0; n <= groups[i].len; n++)
            for (size_t cut = 0; cut <= n; cut++) {
                bool is_whole = n == groups[i].header;
                size_t frames = 0;
                struct desk d;

                for (size_t k = 0; k < 3; k++) {
                    is_whole |= n == groups[i].ends[k];
                    frames += n >= groups[i].ends[k];
                }
                desk_open(&d, groups[i].version);
                assert_int_equal(desk_feed(&d, wb_view_sub(group_bytes(i), 0, cut)), WB_OK);
                assert_int_equal(desk_feed(&d, wb_view_sub(group_bytes(i), cut, n)), WB_OK);
                assert_int_equal(desk_fin(&d), is_whole ? WB_OK : WB_E_TRUNCATED);
                assert_int_equal(desk_fin(&d), is_whole ? WB_OK : WB_E_TRUNCATED);
                assert_int_equal(desk_feed(&d, VIEW("x")),
                                 is_whole ? WB_E_FINISHED : WB_E_TRUNCATED);
                if (n >= groups[i].header)
                    assert_int_equal(d.end, is_whole ? WB_END : WB_E_TRUNCATED);
                assert_group_told(&d, i, frames);
                desk_close(&d);
            }
}

/* A GROUP header or a frame's header that breaks a rule, after `good` bytes that do not. */
static const struct {
    enum wb_moq_version version;
    size_t good, len;
    const char *bytes;
    enum wb_err err;
} broken[] = {
    {WB_LITE_05, 3, 4, "\x02\x01\x07\x01", WB_E_BOUNDS}, /* case 66: needs no size */
    {WB_LITE_05, 3, 8, "\x02\x01\x07\x00\x82\x00\x00\x01", WB_E_FRAME_TOO_LARGE}, /* case 67 */
    {WB_LITE_04, 5, 9, "\x02\x01\x07\x01x\x82\x00\x00\x01", WB_E_FRAME_TOO_LARGE},
    {WB_LITE_07, 4, 14, "\x03\x01\x07\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff",
     WB_E_FRAME_TOO_LARGE},
    {WB_LITE_06, 6, 7, "\x03\x01\x07\x00\x08\x00\x0b", WB_E_BOUNDS}, /* 4 - 6 */
    {WB_LITE_05, 0, 4, "\x03\x01\x07\x00", WB_E_LONG},
    {WB_LITE_06, 0, 3, "\x02\x01\x07", WB_E_SHORT},
    {WB_LITE_06, 0, 2, "\x01\x40", WB_E_SHORT}, /* bug 63b: complete, so it fails at once */
    {WB_LITE_05, 0, 1, "\x00", WB_E_SHORT},
    {WB_LITE_05, 0, 1, "\x1c", WB_E_LONG}, /* 28 bytes: by the size alone */
    {WB_LITE_05, 0, 4, "\x84\x00\x00\x00", WB_E_LONG},
    {WB_LITE_05, 0, 4, "\x84\x00\x00\x01", WB_E_MESSAGE_TOO_LARGE},
};

/* Cut anywhere: the same error at the same byte, nothing of it consumed, for ever. */
static void cases_66_67_broken_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(broken); i++)
        for (size_t cut = 0; cut < broken[i].len; cut++) {
            struct wb_view all = wb_view_of(broken[i].bytes, broken[i].len);
            size_t left;
            struct desk d;

            desk_open(&d, broken[i].version);
            assert_int_equal(desk_feed(&d, wb_view_sub(all, 0, cut)), WB_OK);
            assert_int_equal(desk_push(&d, wb_view_sub(all, cut, all.len), &left), broken[i].err);
            assert_int_equal(left, all.len - (cut > broken[i].good ? cut : broken[i].good));
            assert_int_equal(desk_feed(&d, VIEW("")), broken[i].err);
            assert_int_equal(desk_feed(&d, VIEW("\x00\x00")), broken[i].err);
            assert_int_equal(desk_fin(&d), broken[i].err);
            if (broken[i].good > 0)
                assert_int_equal(d.end, broken[i].err);
            desk_close(&d);
        }
}

/* The extremes of a delta, and both ends of what a timestamp may be. */
static void deltas_and_timestamps_at_their_ends(void **state)
{
    const struct {
        enum wb_moq_version version;
        struct wb_view bytes;
        uint64_t timestamps[3];
    } rows[] = {
        {WB_LITE_05,
         VIEW("\xff\xff\xff\xff\xff\xff\xff\xfe\x00"
              "\xff\xff\xff\xff\xff\xff\xff\xfe\x00"
              "\x02\x00"),
         {(UINT64_C(1) << 61) - 1, WB_VARINT_MAX - 1, WB_VARINT_MAX}},
        {WB_LITE_06,
         VIEW("\xff\xff\xff\xff\xff\xff\xff\xfe\x00"
              "\x02\x00"
              "\xff\xff\xff\xff\xff\xff\xff\xff\x00"),
         {(UINT64_C(1) << 61) - 1, UINT64_C(1) << 61, 0}},
        {WB_LITE_07,
         VIEW("\xff\x7f\xff\xff\xff\xff\xff\xff\xfe\x00"
              "\xff\x7f\xff\xff\xff\xff\xff\xff\xfd\x00"
              "\x00\x00"),
         {WB_VARINT_MAX, 0, 0}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t cut = 0; cut <= rows[i].bytes.len; cut++) {
            struct desk d;

            desk_open(&d, rows[i].version);
            assert_int_equal(desk_feed(&d, rows[i].version == WB_LITE_05
                                               ? VIEW("\x02\x01\x07")
                                               : VIEW("\x03\x01\x07\x00")),
                             WB_OK);
            assert_int_equal(desk_feed(&d, wb_view_sub(rows[i].bytes, 0, cut)), WB_OK);
            assert_int_equal(desk_feed(&d, wb_view_sub(rows[i].bytes, cut, rows[i].bytes.len)),
                             WB_OK);
            assert_int_equal(desk_fin(&d), WB_OK);
            assert_int_equal(d.frames, 3);
            for (size_t k = 0; k < 3; k++)
                assert_told(&d, k, rows[i].timestamps[k], VIEW(""));
            desk_close(&d);
        }
}

/* Case 87: a chunk of no bytes changes nothing, wherever it comes. */
static void case_87_empty_chunks(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(groups); i++) {
        struct wb_slice none = {0};
        struct desk d;

        desk_open(&d, groups[i].version);
        for (size_t n = 0; n < groups[i].len; n++) {
            struct wb_slice byte = {0};

            assert_int_equal(wb_ingest_push(&d.in, &none), WB_OK);
            assert_int_equal(
                wb_slice_copy(wb_mem_libc(), wb_view_sub(group_bytes(i), n, n + 1), &byte), WB_OK);
            assert_int_equal(wb_ingest_push(&d.in, &byte), WB_OK);
            assert_null(byte.owner);
            desk_attach(&d);
            desk_read(&d);
        }
        assert_int_equal(desk_fin(&d), WB_OK);
        assert_group_told(&d, i, 3);
        desk_close(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(case_64_65_any_cut_tells_the_same),
        TEST(case_76_77_fin_at_every_byte),
        TEST(cases_66_67_broken_rules),
        TEST(deltas_and_timestamps_at_their_ends),
        TEST(case_87_empty_chunks),
    };

    return cmocka_run_group_tests_name("ingest", tests, NULL, NULL);
}
