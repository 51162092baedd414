/*
 * The contract of core/route/announce_pub.h for lite-07: what a link sees, and what each flush
 * writes, byte for byte. Cases of moq-lite where they concern a sender.
 */
#include "targets/test_announce_pub.h"

/* Cases 29, 30 and 33: a base where it makes the message shorter, else none and nothing kept. */
static void bytes_of_lite_07(void **state)
{
    struct sender s = fresh_07(WB_LINK_PEER);
    struct wb_claim_state e = with_epoch(0x11, 3);

    (void)state;
    route(&s, &five);
    claim(&s, 5, "pid/private/channel_1/health-1", &plain);
    claim(&s, 5, "pid/private/channel_1/health-2", &plain);
    claim(&s, 5, "x", &e);
    assert_flush(&s, "02 07 03  04 04 05 01 02 00 "
                     "00 24 00 00 1e \"pid/private/channel_1/health-1\" 00 00 03 "
                     "00 0e 01 03 08 \"health-2\" 00 00 03 "
                     "00 17 00 00 01 \"x\" 10 " UUID " 00 03  07 02 00 01");
    claim(&s, 5, "x", NULL);
    assert_flush(&s, "01 01 02  07 02 00 01");
    done(&s);
}

static void no_bases_unless_asked(void **state)
{
    struct sender s = fresh(&(struct wb_announce_pub_config){.version = WB_LITE_07});

    (void)state;
    route(&s, &five);
    claim(&s, 5, "room/a", &plain);
    claim(&s, 5, "room/b", &plain);
    assert_flush(&s, "02 07 02  04 04 05 01 02 00  00 0c 00 00 06 \"room/a\" 00 00 03 "
                     "00 0c 00 00 06 \"room/b\" 00 00 03  07 02 00 01");
    done(&s);
}

/* A base is the newest that shares most, over all routes; one that ended is none. */
static void bases_are_live(void **state)
{
    struct sender s = fresh_07(WB_LINK_PEER);

    (void)state;
    route(&s, &five);
    claim(&s, 5, "room/a", &plain);
    assert_flush(&s,
                 "02 07 01  04 04 05 01 02 00  00 0c 00 00 06 \"room/a\" 00 00 03  07 02 00 01");
    claim(&s, 5, "room/a", NULL);
    claim(&s, 5, "room/b", &plain);
    assert_flush(&s, "01 01 00  00 0c 00 00 06 \"room/b\" 00 00 03  07 02 00 01");
    claim(&s, 5, "room/c", &plain);
    assert_flush(&s, "00 07 01 01 01 \"c\" 00 00 03  07 02 00 01");
    done(&s);
}

/* The order of a flush, and the route on the stream as long as a shown claim needs it. */
static void routes_come_before_and_go_after_their_claims(void **state)
{
    const struct wb_route_state six = {.node = 6, .seqno = 1, .metric = 1, .floor = 4};
    struct wb_route_state moved = five;
    struct wb_claim_state dear = {.warm = 9};
    struct sender s = fresh_07(WB_LINK_PEER);

    (void)state;
    route(&s, &six);
    route(&s, &five);
    assert_flush(&s, "02 07 00"); /* no claim, no route */
    claim(&s, 5, "b", &plain);
    claim(&s, 5, "a", &plain);
    assert_flush(&s, "04 04 05 01 02 00  00 07 00 00 01 \"a\" 00 00 03 "
                     "00 07 00 00 01 \"b\" 00 00 03  07 02 00 01");
    claim(&s, 6, "c", &plain);
    assert_flush(&s, "04 04 06 01 01 00  00 07 00 00 01 \"c\" 00 01 03  07 02 01 04");
    claim(&s, 6, "c", NULL);
    no_route(&s, 6);
    claim(&s, 5, "b", NULL);
    claim(&s, 5, "a", &dear);
    claim(&s, 5, "d", &plain);
    moved.metric = 8;
    moved.floor = 2;
    route(&s, &moved);
    assert_flush(&s, "01 01 01  01 01 02  06 01 01  05 04 00 01 08 00 "
                     "00 07 00 00 01 \"d\" 00 00 03  02 02 00 09  07 02 00 02");
    claim(&s, 5, "a", NULL);
    claim(&s, 5, "d", NULL);
    assert_flush(&s, "01 01 00  01 01 03  06 01 00");
    claim(&s, 5, "a", &plain); /* the route is new on the stream */
    assert_flush(&s, "04 04 05 01 08 00  00 07 00 00 01 \"a\" 00 02 03  07 02 02 02");
    done(&s);
}

static void what_a_link_does_not_see(void **state)
{
    static const struct {
        enum wb_link_kind link;
        bool accepts_proxied;
        struct wb_route_state route;
        bool proxied, withheld;
    } rows[] = {
        {WB_LINK_PEER, false, {.node = 5}, false, false},
        {WB_LINK_PEER, false, {.node = PEER}, false, true},
        {WB_LINK_UPSTREAM, false, {.node = 5, .flags = 1}, false, true},
        {WB_LINK_PEER, false, {.node = 5, .flags = 1}, false, false},
        {WB_LINK_UPSTREAM, false, {.node = 5, .from_upstream = true}, false, true},
        {WB_LINK_CLIENT, false, {.node = 5, .from_upstream = true}, false, false},
        {WB_LINK_PEER, false, {.node = 5}, true, true},
        {WB_LINK_PEER, true, {.node = 5}, true, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sender s = fresh(&(struct wb_announce_pub_config){
            .version = WB_LITE_07,
            .peer = PEER,
            .link = rows[i].link,
            .accepts_proxied = rows[i].accepts_proxied,
        });
        struct wb_announce_pub_route_view view;
        const struct wb_claim_state c = {.proxied = rows[i].proxied};

        route(&s, &rows[i].route);
        claim(&s, rows[i].route.node, "a", &c);
        assert_true(wb_announce_pub_route_at(s.pub, 0, &view));
        assert_int_equal(view.withheld, rows[i].withheld);
        assert_int_equal(view.shown, !rows[i].withheld);
        wb_buf_truncate(&s.out, 0);
        assert_int_equal(wb_announce_pub_flush(s.pub, &s.out), WB_OK);
        assert_int_equal(s.out.len > 3, !rows[i].withheld);
        assert_true(wb_announce_pub_route_at(s.pub, 0, &view));
        assert_int_equal(view.on_stream, !rows[i].withheld);
        assert_false(wb_announce_pub_route_at(s.pub, 1, &view));
        done(&s);
    }
}

/* A floor above 0 only while nothing is withheld, and never below one that was sent. */
static void floors(void **state)
{
    const struct wb_claim_state proxied = {.proxied = true};
    struct wb_route_state now = five;
    struct sender s = fresh_07(WB_LINK_PEER);

    (void)state;
    now.floor = 4;
    route(&s, &now);
    claim(&s, 5, "a", &plain);
    claim(&s, 5, ".hidden", &plain); /* out of scope: no reason to withhold a floor */
    assert_flush(&s, "02 07 01  04 04 05 01 02 00  00 07 00 00 01 \"a\" 00 00 03  07 02 00 04");
    claim(&s, 5, "b", &proxied); /* the link sees nothing but the floor */
    now.floor = 5;
    route(&s, &now);
    assert_flush(&s, "07 02 00 00");
    claim(&s, 5, "b", NULL);
    now.floor = 6;
    route(&s, &now);
    assert_flush(&s, "07 02 00 06");
    now.floor = 5;
    route(&s, &now);
    assert_flush(&s, "07 02 00 00");
    now.floor = 0; /* whoever told it cannot vouch */
    route(&s, &now);
    assert_flush(&s, "07 02 00 00");
    now.floor = 6; /* the revision is that of the flush */
    route(&s, &now);
    now.floor = 7;
    route(&s, &now);
    assert_flush(&s, "07 02 00 07");
    claim(&s, 5, "b", &proxied); /* replaced while withheld: counted once */
    claim(&s, 5, "b", &proxied);
    claim(&s, 5, "b", NULL);
    assert_flush(&s, "07 02 00 07");
    done(&s);
}

static void churn_of_lite_07(void **state)
{
    const struct wb_claim_state e = with_epoch(1, 3), newer = with_epoch(2, 3),
                                dear = with_epoch(1, 5);
    struct wb_claim_state cold = with_epoch(1, 3);
    struct sender s = fresh_07(WB_LINK_PEER);

    (void)state;
    route(&s, &five);
    claim(&s, 5, "keeps", &plain);
    assert_flush(&s, "02 07 01  04 04 05 01 02 00  00 0b 00 00 05 \"keeps\" 00 00 03  07 02 00 01");
    claim(&s, 5, "a", &e);
    claim(&s, 5, "a", NULL);
    assert_flush(&s, "07 02 00 01"); /* nothing but the floor of a route that was touched */
    claim(&s, 5, "a", &e);
    assert_flush(&s, "00 17 00 00 01 \"a\" 10 0190a0b0c0d07e0f8a0b0c0d0e0f1001 00 03  07 02 00 01");
    claim(&s, 5, "a", NULL);
    claim(&s, 5, "a", &e); /* the same epoch and cost */
    assert_flush(&s, "07 02 00 01");
    claim(&s, 5, "a", NULL);
    claim(&s, 5, "a", &dear);
    assert_flush(&s, "02 02 01 05  07 02 00 01");
    claim(&s, 5, "a", NULL);
    claim(&s, 5, "a", &newer);
    assert_flush(&s, "03 13 01 10 0190a0b0c0d07e0f8a0b0c0d0e0f1002 03  07 02 00 01");
    claim(&s, 5, "keeps", NULL);
    claim(&s, 5, "keeps", &plain); /* without an epoch nobody knows */
    assert_flush(&s, "03 03 00 00 03  07 02 00 01");
    claim(&s, 5, "a", &e);
    assert_flush(&s, "03 13 01 10 0190a0b0c0d07e0f8a0b0c0d0e0f1001 03  07 02 00 01");
    cold.cold = 77; /* lite-07 sends warm only */
    claim(&s, 5, "a", &cold);
    assert_flush(&s, "07 02 00 01");
    done(&s);
}

static void hidden_when_asked_for(void **state)
{
    struct sender s =
        fresh(&(struct wb_announce_pub_config){.version = WB_LITE_07, .hidden = true});

    (void)state;
    route(&s, &five);
    claim(&s, 5, "a/.b", &plain);
    assert_flush(&s, "02 07 01  04 04 05 01 02 00  00 0a 00 00 04 \"a/.b\" 00 00 03  07 02 00 01");
    done(&s);
}

/* Where a route comes from changes what upstream links see of its claims. */
static void a_route_that_comes_from_elsewhere(void **state)
{
    struct wb_route_state now = five;
    struct sender s = fresh_07(WB_LINK_UPSTREAM);

    (void)state;
    route(&s, &now);
    claim(&s, 5, "a", &plain);
    assert_flush(&s, "02 07 01  04 04 05 01 02 00  00 07 00 00 01 \"a\" 00 00 03  07 02 00 01");
    now.from_upstream = true;
    route(&s, &now);
    assert_flush(&s, "01 01 00  06 01 00");
    now.from_upstream = false;
    route(&s, &now);
    assert_flush(&s, "04 04 05 01 02 00  00 07 00 00 01 \"a\" 00 01 03  07 02 01 01");
    done(&s);
}

static void routes_that_are_due(void **state)
{
    const struct wb_route_state six = {.node = 6, .seqno = 4, .metric = 1};
    struct wb_route_state due = {0};
    struct sender s = fresh_07(WB_LINK_PEER);

    (void)state;
    route(&s, &five);
    route(&s, &six);
    assert_false(wb_announce_pub_route_due(s.pub, 0, &due));
    claim(&s, 5, "a", &plain);
    claim(&s, 6, "a", &plain);
    assert_true(wb_announce_pub_route_due(s.pub, 0, &due));
    assert_int_equal(due.node, 5);
    assert_true(wb_announce_pub_route_due(s.pub, 5, &due));
    assert_int_equal(due.node, 6);
    assert_int_equal(due.seqno, 4);
    assert_false(wb_announce_pub_route_due(s.pub, 6, &due));
    wb_buf_truncate(&s.out, 0);
    assert_int_equal(wb_announce_pub_flush(s.pub, &s.out), WB_OK);
    assert_false(wb_announce_pub_route_due(s.pub, 0, &due));
    claim(&s, 5, "b", &plain); /* touches the route, writes no word of it */
    assert_false(wb_announce_pub_route_due(s.pub, 0, &due));
    done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bytes_of_lite_07, fresh_alloc, all_given_back),
        cmocka_unit_test_setup_teardown(no_bases_unless_asked, fresh_alloc, all_given_back),
        cmocka_unit_test_setup_teardown(bases_are_live, fresh_alloc, all_given_back),
        cmocka_unit_test_setup_teardown(routes_come_before_and_go_after_their_claims, fresh_alloc,
                                        all_given_back),
        cmocka_unit_test_setup_teardown(what_a_link_does_not_see, fresh_alloc, all_given_back),
        cmocka_unit_test_setup_teardown(floors, fresh_alloc, all_given_back),
        cmocka_unit_test_setup_teardown(churn_of_lite_07, fresh_alloc, all_given_back),
        cmocka_unit_test_setup_teardown(hidden_when_asked_for, fresh_alloc, all_given_back),
        cmocka_unit_test_setup_teardown(a_route_that_comes_from_elsewhere, fresh_alloc,
                                        all_given_back),
        cmocka_unit_test_setup_teardown(routes_that_are_due, fresh_alloc, all_given_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
