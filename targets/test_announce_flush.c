/*
 * The contract of core/route/announce_pub.h for lite-06, byte for byte; and of both versions that
 * paths are shared, and that refused memory or room changes nothing.
 */
#include "targets/test_announce_pub.h"

/* ---- lite-06 --------------------------------------------------------------------------------- */

static struct sender fresh_06(void)
{
    return fresh(&(struct wb_announce_pub_config){.version = WB_LITE_06, .peer = PEER});
}

/* Cases 17, 23 to 25 and 48. */
static void bytes_of_lite_06(void **state)
{
    struct sender s = fresh_06();
    struct wb_hops hops[4];
    struct wb_claim_state a = chain(&hops[0], 7, 0, 0, 12), b = chain(&hops[1], 5, PEER, 0, 0),
                          c = chain(&hops[2], 6, 0, 1, 2);

    (void)state;
    claim(&s, 0, "room/cam", &a);
    claim(&s, 0, "looped", &b);
    claim(&s, 0, "zoo", &c);
    assert_flush(&s, "02 07 02  00 0d 08 \"room/cam\" 01 07 00 0c  00 08 03 \"zoo\" 01 06 01 02");
    claim(&s, 0, "looped", NULL); /* never shown, no END */
    assert_flush(&s, "");
    claim(&s, 0, "zoo", NULL);
    assert_flush(&s, "01 01 01");
    b = chain(&hops[1], 5, 0, 0, 0);
    claim(&s, 0, "looped", &b);
    assert_flush(&s, "00 0b 06 \"looped\" 01 05 00 00");
    a = chain(&hops[0], 7, 9, 1, 12);
    claim(&s, 0, "room/cam", &a);
    assert_flush(&s, "02 06 00 02 07 09 01 0c");
    a = chain(&hops[0], 7, PEER, 1, 12);
    claim(&s, 0, "room/cam", &a); /* its chain holds the peer now */
    assert_flush(&s, "01 01 00");
    done(&s);
}

/* Case 50. */
static void churn_of_lite_06(void **state)
{
    struct sender s = fresh_06();
    struct wb_hops hops;
    struct wb_claim_state a = chain(&hops, 5, 0, 0, 0);

    (void)state;
    assert_flush(&s, "02 07 00");
    claim(&s, 0, "a", &a);
    claim(&s, 0, "a", NULL);
    assert_false(wb_announce_pub_dirty(s.pub));
    assert_flush(&s, "");
    claim(&s, 0, "a", &a);
    claim(&s, 0, "a", NULL);
    claim(&s, 0, "a", &a);
    assert_flush(&s, "00 06 01 \"a\" 01 05 00 00");
    claim(&s, 0, "a", NULL);
    claim(&s, 0, "a", &a);
    assert_flush(&s, "01 01 00  00 06 01 \"a\" 01 05 00 00");
    claim(&s, 0, "a", NULL);
    claim(&s, 0, "a", &a);
    claim(&s, 0, "a", NULL);
    assert_flush(&s, "01 01 01");
    for (unsigned i = 0; i < 1000; i++)
        claim(&s, 0, "a", i % 2 == 0 ? &a : NULL);
    assert_flush(&s, "");
    claim(&s, 0, "a", &a);
    assert_flush(&s, "00 06 01 \"a\" 01 05 00 00");
    claim(&s, 0, "a", &a); /* the same again is no news */
    assert_flush(&s, "");
    a.cold = 9;
    claim(&s, 0, "a", &a);
    assert_flush(&s, "02 05 02 01 05 00 09");
    done(&s);
}

static void the_prefix_is_not_sent(void **state)
{
    char prefix[] = "room";
    struct sender s = fresh(
        &(struct wb_announce_pub_config){.version = WB_LITE_06, .prefix = wb_view_of(prefix, 4)});

    (void)state;
    memset(prefix, 'x', 4); /* it was copied */
    claim(&s, 0, "room/cam", &plain);
    claim(&s, 0, "room", &plain);
    claim(&s, 0, "rooms/cam", &plain);
    claim(&s, 0, "zoo", &plain);
    assert_flush(&s, "02 07 02  00 04 00 00 03 03  00 07 03 \"cam\" 00 03 03");
    done(&s);
}

/* ---- all or nothing -------------------------------------------------------------------------- */

/* A path is shared: its bytes are those of who gave it, and go with the last holder. */
static void paths_are_shared(void **state)
{
    struct sender s = fresh_07(WB_LINK_PEER);
    struct wb_slice path;

    (void)state;
    assert_int_equal(wb_slice_copy(&alloc.mem, wb_view_text("a"), &path), WB_OK);
    route(&s, &five);
    assert_int_equal(wb_announce_pub_claim(s.pub, 5, &path, &plain), WB_OK);
    assert_int_equal(wb_slice_holders(&path), 2);
    assert_int_equal(wb_announce_pub_claim(s.pub, 5, &path, NULL), WB_OK);
    assert_int_equal(wb_slice_holders(&path), 1); /* never sent, at once gone */
    assert_int_equal(wb_announce_pub_claim(s.pub, 5, &path, &plain), WB_OK);
    done(&s);
    assert_int_equal(wb_slice_holders(&path), 1);
    wb_slice_drop(&path);
}

static void a_full_buffer_writes_nothing(void **state)
{
    struct sender s = fresh_07(WB_LINK_PEER);
    struct wb_buf small;

    (void)state;
    route(&s, &five);
    claim(&s, 5, "a", &plain);
    wb_buf_init(&small, &alloc.mem, 4);
    assert_int_equal(wb_announce_pub_flush(s.pub, &small), WB_E_BOUNDS);
    assert_int_equal(small.len, 0);
    assert_true(wb_announce_pub_dirty(s.pub));
    wb_buf_fini(&small);
    assert_flush(&s, "02 07 01  04 04 05 01 02 00  00 07 00 00 01 \"a\" 00 00 03  07 02 00 01");
    done(&s);
}

/* Every allocation refused once: the call is repeated, and the bytes are the same. */
static void refused_memory_changes_no_byte(void **state)
{
    struct wb_hops hops;
    const struct wb_claim_state changed = chain(&hops, 6, 8, 1, 1);
    static const char *const paths[] = {"room/a", "room/b", "room/a", "room/c"};
    struct wb_slice slices[COUNT(paths)];
    struct wb_buf want, *got;

    (void)state;
    for (size_t i = 0; i < COUNT(paths); i++)
        assert_int_equal(wb_slice_copy(wb_mem_libc(), wb_view_text(paths[i]), &slices[i]), WB_OK);
    for (unsigned version = WB_LITE_06; version <= WB_LITE_07; version++) {
        wb_buf_init(&want, wb_mem_libc(), ROOM_MAX);
        for (uint64_t n = 0, requests = 1; n <= requests; n++) {
            const struct wb_announce_pub_config config = {
                .version = (enum wb_moq_version)version, .self = SELF, .compress = true};
            struct sender s;

            sim_alloc_reset(&alloc);
            if (n > 0)
                sim_alloc_fail_next(&alloc, n);
            while (wb_announce_pub_new(&alloc.mem, &config, &s.pub) != WB_OK)
                assert_int_equal(alloc.live_blocks, 0);
            wb_buf_init(&s.out, &alloc.mem, ROOM_MAX);
            while (version == WB_LITE_07 && wb_announce_pub_route(s.pub, 5, &five) != WB_OK)
                wb_announce_pub_check(s.pub);
            for (size_t i = 0; i < COUNT(paths); i++) {
                const struct wb_claim_state *now = i < 2 ? &plain : &changed;
                size_t len = s.out.len;

                while (wb_announce_pub_claim(s.pub, version == WB_LITE_07 ? 5 : 0, &slices[i],
                                             now) != WB_OK)
                    wb_announce_pub_check(s.pub);
                while (i > 0 && wb_announce_pub_flush(s.pub, &s.out) != WB_OK)
                    assert_int_equal(s.out.len, len);
            }
            got = n == 0 ? &want : &s.out;
            if (n == 0)
                assert_int_equal(wb_buf_add(&want, wb_buf_view(&s.out)), WB_OK);
            assert_view(wb_buf_view(got), wb_buf_view(&want));
            requests = n == 0 ? alloc.requests : requests;
            done(&s);
            assert_int_equal(alloc.live_blocks, 0);
        }
        wb_buf_fini(&want);
    }
    for (size_t i = 0; i < COUNT(paths); i++)
        wb_slice_drop(&slices[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bytes_of_lite_06, fresh_alloc, all_given_back),
        cmocka_unit_test_setup_teardown(churn_of_lite_06, fresh_alloc, all_given_back),
        cmocka_unit_test_setup_teardown(the_prefix_is_not_sent, fresh_alloc, all_given_back),
        cmocka_unit_test_setup_teardown(paths_are_shared, fresh_alloc, all_given_back),
        cmocka_unit_test_setup_teardown(a_full_buffer_writes_nothing, fresh_alloc, all_given_back),
        cmocka_unit_test_setup_teardown(refused_memory_changes_no_byte, fresh_alloc,
                                        all_given_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
