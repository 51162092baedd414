/*
 * test_watch.c: the invariants of oracles/watch/rules.c, each by records that keep it and records
 * that break it; and what is not judged: what came behind a loss, or was inherited by a fork.
 */
#include "core/base/err.h"
#include "oracles/watch/rules.h"
#include "oracles/watch/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <sys/syscall.h>

#define CONN   0x1000
#define ROUTE  0x2000
#define TARGET 0x3000

static struct watch_rules *rules;
static char last[1024]; /* violation */
static char last_operation[1024];
static struct watch_event next; /* what the next record starts from */

static void keep_violation(void *context, const char *line)
{
    (void)context;
    snprintf(last, sizeof last, "%s", line);
}

static void keep_operation(void *context, const char *line)
{
    (void)context;
    snprintf(last_operation, sizeof last_operation, "%s", line);
}

static int set_up(void **state)
{
    (void)state;
    rules = rules_new(&(struct watch_rules_config){
        .is_pure = true, .violation = keep_violation, .operation = keep_operation});
    last[0] = last_operation[0] = '\0';
    next = (struct watch_event){.process = 7, .thread = 7, .from_start = 1};
    return rules == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    rules_free(rules);
    return 0;
}

static void record(enum watch_kind kind, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3)
{
    next.kind = kind;
    next.operation += kind == WATCH_REQUEST || kind == WATCH_RUN || kind == WATCH_VIEW;
    next.a[0] = a0;
    next.a[1] = a1;
    next.a[2] = a2;
    next.a[3] = a3;
    rules_take(rules, &next);
}

static void request(uint64_t number)
{
    record(WATCH_REQUEST, CONN, number, 0, 0);
}

static void wait_for(uint64_t mask)
{
    record(WATCH_WAIT, CONN, mask, mask, 0);
}

static void read_some(uint64_t n, uint64_t asked, int64_t pending)
{
    record(WATCH_READ, CONN, n, asked, (uint64_t)pending);
}

static void reply(enum wb_err status, int64_t pending)
{
    record(WATCH_REPLY, CONN, (uint64_t)status, (uint64_t)pending, 3);
}

/* One request, its answer in one piece. */
static void small_reply(uint64_t number, int64_t left)
{
    request(number);
    wait_for(1);
    read_some(10, 8192, 10 + left);
    reply(WB_OK, left);
}

static void violations(uint64_t n, const char *id)
{
    if (rules_sum(rules).violations != n)
        print_error("%s\n", last);
    assert_int_equal(rules_sum(rules).violations, n);
    if (n > 0)
        assert_non_null(strstr(last, id));
}

/* ---- replies ---- */

static void pending(void **state)
{
    (void)state;
    small_reply(1, 0);
    violations(0, "");
    small_reply(2, 1);
    violations(1, "operation 2, process 7: WCH-002");
    assert_non_null(strstr(last, "request 2, wait for in: in, read 10 of 8192 pending 11, "
                                 "reply WB_OK pending 1"));
    small_reply(3, 1); /* no fault of this one */
    violations(1, "operation 2");
    small_reply(4, -1);
    violations(2, "operation 4, process 7: WCH-001");
    small_reply(1, 0); /* another connection at the same address */
    violations(2, "");
}

static void pending_of_what_failed(void **state)
{
    (void)state;
    request(1);
    wait_for(1);
    read_some(10, 8192, 10);
    reply(WB_TIMEOUT, 10); /* the rest is drained by the next */
    request(2);
    read_some(5, 8192, 5);
    wait_for(1);
    read_some(10, 8192, 10);
    reply(WB_OK, 0);
    violations(0, "");
}

/* Two waits, a small read that grew the buffer, then whole ones. */
static void reads_are_due(void **state)
{
    (void)state;
    request(1);
    wait_for(1);
    read_some(8192, 8192, 8192);
    read_some(65536, 65536, 65536);
    read_some(1000, 65536, 1000);
    wait_for(1);
    read_some(1000, 65536, 1000);
    reply(WB_OK, 0);
    violations(0, "");
}

/* `reads` of 100 bytes behind one wait. */
static void reply_in(uint64_t number, unsigned reads, uint64_t flags)
{
    record(WATCH_REQUEST, CONN, number, flags, 0);
    wait_for(1);
    for (unsigned i = 0; i < reads; i++)
        read_some(100, 65536, 100);
    reply(WB_OK, 0);
}

/* One is due, and one more until the buffer has grown. */
static void reads_are_too_many(void **state)
{
    (void)state;
    reply_in(1, 2, 0);
    violations(0, "");
    reply_in(2, 3, 0);
    violations(1, "operation 2, process 7: WCH-003");
    assert_non_null(strstr(last, "3 reads and 1 waits for 300 bytes"));
    reply_in(3, 9, 1); /* decrypted bytes come as they come */
    violations(1, "");
    request(4);
    wait_for(1);
    read_some(8192, 8192, 8192);
    read_some(10, 65536, 10);
    reply(WB_OK, 0);
    reply_in(5, 1, 0);
    violations(1, "");
    reply_in(6, 2, 0);
    violations(2, "operation 6");
    reply_in(1, 2, 0); /* another connection, small again */
    violations(2, "");
}

/* What is owed is read first, without a wait. */
static void reads_of_what_is_owed(void **state)
{
    (void)state;
    for (uint64_t number = 1; number < 3; number++) {
        request(number);
        wait_for(1);
        reply(WB_TIMEOUT, 0);
    }
    reply_in(3, 4, 0);
    violations(0, "");
    reply_in(4, 3, 0);
    violations(1, "operation 4");
    request(5);
    reply(WB_TIMEOUT, 0);
    reply_in(1, 3, 0); /* another connection owes nothing */
    violations(2, "operation 6");
}

static void waits_without_need(void **state)
{
    (void)state;
    request(1);
    wait_for(1);
    read_some(8192, 8192, 8192);
    wait_for(1);
    wait_for(1);
    read_some(10, 65536, 10);
    reply(WB_OK, 0);
    violations(1, "operation 1, process 7: WCH-004");
    request(2); /* what cannot be written yet is waited for too */
    for (unsigned i = 0; i < 5; i++)
        wait_for(3);
    read_some(10, 65536, 10);
    reply(WB_OK, 0);
    violations(1, "WCH-004");
}

/* ---- routes, segments, runs ---- */

static void withheld(void **state)
{
    (void)state;
    record(WATCH_ROUTE, ROUTE, 0, 0, 0);
    record(WATCH_VIEW, ROUTE, 0, 1, 1);
    record(WATCH_VIEW, ROUTE, 0, 2, 1);
    record(WATCH_VIEW, ROUTE, 2, 1, 2);
    record(WATCH_VIEW, ROUTE, 1, 0, 1);
    violations(0, "");
    record(WATCH_VIEW, ROUTE, 1, 0, 1);
    violations(1, "operation 5, process 7: WCH-005");
    assert_non_null(strstr(last, "1 counted, 0 by the recount"));
    record(WATCH_VIEW, ROUTE, 0, 1, 2); /* counts on from what the program has */
    violations(1, "");
    record(WATCH_ROUTE, ROUTE, 0, 0, 0); /* another route at the same address */
    record(WATCH_VIEW, ROUTE, 0, 1, 1);
    record(WATCH_VIEW, ROUTE + 1, 0, 1, 9); /* there before: what it has is not known */
    violations(1, "");
}

static void segments(void **state)
{
    (void)state;
    record(WATCH_EXIT, 5, 5, 0, 0);
    violations(0, "");
    record(WATCH_EXIT, 5, 4, 0, 0);
    violations(1, "WCH-006");
    record(WATCH_EXIT, 4, 5, 0, 0);
    violations(2, "WCH-006");
    record(WATCH_EXIT, 5, 3, 2, 0); /* what a fork inherited may be left to the parent */
    record(WATCH_EXIT, 5, 4, 2, 0);
    violations(2, "");
    record(WATCH_EXIT, 6, 3, 2, 0);
    violations(3, "3 freed");
    record(WATCH_EXIT, 5, 4, 0, 9); /* killed */
    assert_int_equal(rules_sum(rules).died, 1);
    next.from_start = 0;
    record(WATCH_EXIT, 5, 4, 0, 0);
    assert_int_equal(rules_sum(rules).unjudged, 1);
    violations(3, "");
}

static void purity(void **state)
{
    (void)state;
    record(WATCH_RUN, TARGET, 0, 0, 0);
    record(WATCH_RAN, TARGET, 0, 0, 0);
    violations(0, "");
    record(WATCH_RUN, TARGET, 0, 0, 0);
    record(WATCH_CALL, TARGET, SYS_getppid, 0, 0);
    record(WATCH_RAN, TARGET, 0, 0, 1);
    violations(1, "operation 2, process 7: WCH-007");
    assert_non_null(strstr(last, "getppid"));
    assert_non_null(strstr(last_operation, "1 calls: getppid 1"));
}

/* ---- processes and losses ---- */

/* A reply whose request was lost says nothing, nor does the first one behind it. */
static void a_loss(void **state)
{
    (void)state;
    record(WATCH_ROUTE, ROUTE, 0, 0, 0);
    request(1);
    next.lost = 5;
    for (unsigned i = 0; i < 4; i++)
        read_some(100, 65536, 100);
    reply(WB_OK, 1);
    record(WATCH_VIEW, ROUTE, 0, 1, 4);
    small_reply(3, 1);
    violations(0, "");
    small_reply(4, 2);
    violations(1, "WCH-002");
    record(WATCH_VIEW, ROUTE, 0, 1, 4);
    violations(2, "WCH-005");
}

static void processes(void **state)
{
    (void)state;
    record(WATCH_ROUTE, ROUTE, 0, 0, 0);
    record(WATCH_VIEW, ROUTE, 0, 1, 1);
    request(1);
    record(WATCH_FORK, 8, 0, 0, 0);
    next.process = 8; /* has the route, and no request */
    record(WATCH_VIEW, ROUTE, 0, 1, 3);
    violations(1, "process 8: WCH-005");
    record(WATCH_EXIT, 0, 0, 0, 0);
    assert_int_equal(rules_sum(rules).died, 0);
    next.process = 7; /* ends in the middle of one */
    record(WATCH_EXIT, 1, 0, 0, 0);
    assert_int_equal(rules_sum(rules).died, 1);
    violations(1, "");
}

static void an_exec_forgets(void **state)
{
    (void)state;
    record(WATCH_ROUTE, ROUTE, 0, 0, 0);
    record(WATCH_EXEC, 0, 0, 0, 0);
    record(WATCH_VIEW, ROUTE, 0, 1, 9);
    violations(0, "");
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(words_call(SYS_read), "read");
    assert_string_equal(words_call(SYS_exit_group), "exit_group");
    assert_null(words_call(WATCH_CALLS_MAX - 1));
    assert_null(words_call(UINT64_MAX));
    assert_string_equal(words_call_any(1023), "call 1023");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(pending),
        TEST(pending_of_what_failed),
        TEST(reads_are_due),
        TEST(reads_are_too_many),
        TEST(reads_of_what_is_owed),
        TEST(waits_without_need),
        TEST(withheld),
        TEST(segments),
        TEST(purity),
        TEST(a_loss),
        TEST(processes),
        TEST(an_exec_forgets),
        TEST(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
