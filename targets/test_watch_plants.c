/*
 * test_watch_plants.c: a running driver with a bug is reported, once, with the operation that it
 * struck. This program is linked with planted bugs of the core (oracles/watch/watch.mk).
 */
#include "targets/test_watch_client.h"

#ifdef WATCH_TESTED

/* The one line of a violation. */
static const char *the_violation(void)
{
    const char *line = strstr(said.err, "VIOLATION ");

    if (said.status != 1 || !line || number("violations") != 1)
        print_error("exit status %d: %s%s\n", said.status, said.out, said.err);
    assert_int_equal(said.status, 1);
    assert_int_equal(number("violations"), 1);
    assert_int_equal(number("lost"), 0);
    assert_non_null(line);
    *strchr(line, '\n') = '\0';
    print_message("%s\n", line);
    return line;
}

static void operation_is(const char *line, unsigned operation, const char *id)
{
    unsigned found = 0;

    assert_int_equal(sscanf(line, "VIOLATION operation %u,", &found), 1);
    assert_int_equal(found, operation);
    assert_non_null(strstr(line, id));
}

/* A byte too many is counted when more comes behind half a header. */
static void pending_after_a_split_header(void **state)
{
    (void)state;
    need_watch();
    run_program(NULL, bed, "watch", "--json", "--", self, "--replies", NULL);
    const char *line = the_violation();
    operation_is(line, WATCH_SPLIT, "WCH-002");
    assert_non_null(strstr(line, "1 pending at the boundary"));
    assert_non_null(strstr(line, "read 2 of"));
    assert_int_equal(number("operations"), WATCH_REQUESTS);
}

static void withheld_not_counted_down(void **state)
{
    (void)state;
    need_watch();
    run_program(NULL, bed, "watch", "--json", "--", self, "--announces", NULL);
    const char *line = the_violation();
    operation_is(line, WATCH_WITHDRAWN, "WCH-005");
    assert_non_null(strstr(line, "3 counted, 2 by the recount"));
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(pending_after_a_split_header),
        cmocka_unit_test(withheld_not_counted_down),
    };

    find_tools(argv[0]);
    if (argc == 2)
        return watched(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    puts("watching is tested in the variant gcc");
    return 0;
}

#endif
