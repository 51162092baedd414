/*
 * The contract of core/route/path.h, with the examples of moq-lite (case 11).
 */
#include "core/base/cost.h"
#include "core/route/path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))
#define UNTOUCHED   777

static struct wb_view text(const char *s)
{
    return wb_view_text(s);
}

static void assert_text(struct wb_view got, const char *want)
{
    assert_int_equal(got.len, strlen(want));
    if (got.len > 0)
        assert_memory_equal(got.data, want, got.len);
}

/* n parts of one byte. */
static struct wb_view many(unsigned n)
{
    static char bytes[128];

    for (unsigned i = 0; i < n; i++) {
        bytes[2 * i] = 'p';
        bytes[2 * i + 1] = '/';
    }
    return wb_view_of(bytes, n > 0 ? 2 * n - 1 : 0);
}

/* The normal form, written apart and in place. */
static void normal_forms(void **state)
{
    static const char *const rows[][2] = {
        {"", ""},
        {"/", ""},
        {"////", ""},
        {"a", "a"},
        {"/a", "a"},
        {"a/", "a"},
        {"//a//b///c/", "a/b/c"},
        {"a/b", "a/b"},
        {"foo/", "foo"},
        {"/a//", "a"},
        {"ab///c", "ab/c"},
        {"\xc3\xa9/\xe2\x82\xac", "\xc3\xa9/\xe2\x82\xac"},
        {"//room//cam/", "room/cam"},
        {"room/41/private/camera", "room/41/private/camera"},
        {"room/41//private/camera", "room/41/private/camera"},
        {"abcdefgh/ijklmno/", "abcdefgh/ijklmno"},
        {"abcdefg//hijklmno", "abcdefg/hijklmno"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t apart[32], in_place[32];
        size_t len = UNTOUCHED, raw = strlen(rows[i][0]);

        assert_int_equal(wb_path_measure(text(rows[i][0]), &len), WB_OK);
        assert_int_equal(len, strlen(rows[i][1]));
        assert_true(len <= raw);
        assert_int_equal(wb_path_write(text(rows[i][0]), apart), len);
        assert_text(wb_view_of(apart, len), rows[i][1]);
        memcpy(in_place, rows[i][0], raw);
        assert_int_equal(wb_path_write(wb_view_of(in_place, raw), in_place), len);
        assert_text(wb_view_of(in_place, len), rows[i][1]);
    }
}

static void limits_of_paths(void **state)
{
    size_t len = UNTOUCHED;

    (void)state;
    assert_int_equal(wb_path_measure(text("a/\xff"), &len), WB_E_STRING);
    assert_int_equal(wb_path_measure(text("\xc0\xaf"), &len), WB_E_STRING);
    assert_int_equal(wb_path_measure(many(33), &len), WB_E_BOUNDS);
    assert_int_equal(len, UNTOUCHED);
    assert_int_equal(wb_path_measure(many(32), &len), WB_OK);
    assert_int_equal(len, 63);
}

static void prefixes_are_whole_parts(void **state)
{
    (void)state;
    assert_true(wb_path_has_prefix(text("foo/bar"), text("")));
    assert_true(wb_path_has_prefix(text(""), text("")));
    assert_true(wb_path_has_prefix(text("foo/bar"), text("foo")));
    assert_true(wb_path_has_prefix(text("foo/bar"), text("foo/bar")));
    assert_false(wb_path_has_prefix(text("foo/bar"), text("fo")));
    assert_false(wb_path_has_prefix(text("foobar"), text("foo")));
    assert_false(wb_path_has_prefix(text("foo"), text("foo/bar")));
    assert_false(wb_path_has_prefix(text("boo/bar"), text("foo")));
    assert_text(wb_path_rest(text("foo/bar/baz"), text("foo")), "bar/baz");
    assert_text(wb_path_rest(text("foo"), text("foo")), "");
    assert_text(wb_path_rest(text("foo"), text("")), "foo");
}

static void parts_are_counted_and_kept(void **state)
{
    (void)state;
    assert_int_equal(wb_path_parts(text("")), 0);
    assert_int_equal(wb_path_parts(text("abc")), 1);
    assert_int_equal(wb_path_parts(text("a/b/c")), 3);
    assert_int_equal(wb_path_parts(many(32)), 32);
    assert_text(wb_path_keep(text("ab/c/d"), 0), "");
    assert_text(wb_path_keep(text("ab/c/d"), 1), "ab");
    assert_text(wb_path_keep(text("ab/c/d"), 2), "ab/c");
    assert_text(wb_path_keep(text("ab/c/d"), 3), "ab/c/d");
    assert_text(wb_path_keep(text(""), 0), "");
}

static void shared_parts(void **state)
{
    static const struct {
        const char *a, *b;
        uint32_t parts;
    } rows[] = {
        {"", "", 0},
        {"a", "", 0},
        {"a", "a", 1},
        {"a/b", "a", 1},
        {"a/b", "a/c", 1},
        {"ab/c", "a/c", 0},
        {"a/b", "a/bc", 1},
        {"a/b/c", "a/b/c", 3},
        {"a/b/c", "a/b/d", 2},
        {"x", "y", 0},
        {"room/cam", "room/cam/left", 2},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(wb_path_parts(wb_path_common(text(rows[i].a), text(rows[i].b))),
                         rows[i].parts);
        assert_int_equal(wb_path_parts(wb_path_common(text(rows[i].b), text(rows[i].a))),
                         rows[i].parts);
    }
}

static void hidden_parts(void **state)
{
    (void)state;
    assert_true(wb_path_is_hidden(text(".a")));
    assert_true(wb_path_is_hidden(text("a/.b/c")));
    assert_true(wb_path_is_hidden(text("a/.")));
    assert_false(wb_path_is_hidden(text("")));
    assert_false(wb_path_is_hidden(text("a.b/c.")));
}

/* A total order by bytes: what stands earlier in the row is smaller. */
static void order_of_paths(void **state)
{
    static const char *const row[] = {"", "a", "a-b", "a/b", "a/c", "ab", "b", "\xc3\xa9"};

    (void)state;
    for (size_t i = 0; i < COUNT(row); i++)
        for (size_t k = 0; k < COUNT(row); k++) {
            int order = wb_path_compare(text(row[i]), text(row[k]));
            assert_int_equal(order < 0, i < k);
            assert_int_equal(order > 0, i > k);
        }
#ifdef WB_COUNTED
    uint64_t before = wb_cost.paths_compared;
    (void)wb_path_compare(text("a"), text("b"));
    assert_int_equal(wb_cost.paths_compared, before + 1);
#endif
}

/* ---- byte by byte ---- */

/* The k-th text of at most 40 bytes: beginnings and ends that many of them share. */
static struct wb_view made(uint32_t k, uint8_t room[40])
{
    static const uint8_t pool[] = {'a', '/', 'b', 0, 0xff, '.', 'a', '/'};
    uint32_t mixed = k * 2654435761u, len = (mixed >> 8) % 41;

    for (uint32_t i = 0; i < len; i++)
        room[i] = i < (mixed >> 16) % 24 ? pool[i % 2] : pool[(mixed >> (i % 29)) % sizeof(pool)];
    return wb_view_of(room, len);
}

static bool is_normal(struct wb_view path)
{
    for (size_t i = 0; i < path.len; i++)
        if (path.data[i] == '/' && (i == 0 || i + 1 == path.len || path.data[i + 1] == '/'))
            return false;
    return true;
}

static size_t keep_slowly(struct wb_view path, uint32_t parts)
{
    size_t at = 0;

    while (parts > 0 && at < path.len)
        if (path.data[at++] == '/' && --parts == 0)
            return at - 1;
    return at;
}

static int order_slowly(struct wb_view a, struct wb_view b)
{
    for (size_t i = 0; i < a.len && i < b.len; i++)
        if (a.data[i] != b.data[i])
            return a.data[i] < b.data[i] ? -1 : 1;
    return a.len < b.len ? -1 : a.len > b.len;
}

/* Words of eight bytes and what is left of them, wherever a '/' or the end falls. */
static void as_byte_by_byte(void **state)
{
    uint8_t room[2][40];

    (void)state;
    for (uint32_t k = 0; k < 4000; k++) {
        struct wb_view a = made(k, room[0]), b = made(k / 3 * 7, room[1]), kept = {NULL, UNTOUCHED};
        uint32_t parts = a.len > 0;

        assert_int_equal(wb_path_compare(a, b), order_slowly(a, b));
        if (!is_normal(a) || !is_normal(b))
            continue;
        for (size_t i = 0; i < a.len; i++)
            parts += a.data[i] == '/';
        assert_int_equal(wb_path_parts(a), parts);
        for (uint32_t n = 0; n <= parts; n++) {
            assert_true(wb_path_try_keep(a, n, &kept));
            assert_int_equal(kept.len, keep_slowly(a, n));
            if (n <= wb_path_parts(b) && wb_view_equal(kept, wb_path_keep(b, n)))
                assert_true(wb_path_common(a, b).len >= kept.len);
        }
        kept.len = UNTOUCHED;
        assert_false(wb_path_try_keep(a, parts + 1, &kept));
        assert_int_equal(kept.len, UNTOUCHED);
        assert_true(wb_path_has_prefix(a, wb_path_common(a, b)));
        assert_true(wb_path_has_prefix(b, wb_path_common(a, b)));
    }
}

/* Numbers published with the function. */
static void hashes(void **state)
{
    const uint8_t little[] = {0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01};

    (void)state;
    assert_true(wb_fnv(WB_FNV_BASIS, text("")) == UINT64_C(0xcbf29ce484222325));
    assert_true(wb_fnv(WB_FNV_BASIS, text("a")) == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(wb_fnv(WB_FNV_BASIS, text("foobar")) == UINT64_C(0x85944171f73967e8));
    assert_true(wb_fnv(wb_fnv(WB_FNV_BASIS, text("foo")), text("bar")) ==
                UINT64_C(0x85944171f73967e8));
    assert_true(wb_fnv_u64(WB_FNV_BASIS, UINT64_C(0x0123456789abcdef)) ==
                wb_fnv(WB_FNV_BASIS, wb_view_of(little, sizeof(little))));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normal_forms),
        cmocka_unit_test(limits_of_paths),
        cmocka_unit_test(prefixes_are_whole_parts),
        cmocka_unit_test(parts_are_counted_and_kept),
        cmocka_unit_test(shared_parts),
        cmocka_unit_test(hidden_parts),
        cmocka_unit_test(order_of_paths),
        cmocka_unit_test(as_byte_by_byte),
        cmocka_unit_test(hashes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
