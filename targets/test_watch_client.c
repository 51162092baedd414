/*
 * test_watch_client.c: drivers without a bug are watched in silence, their operations as they are;
 * what is not given back is seen at the end.
 */
#include "targets/test_watch_client.h"

#ifdef WATCH_TESTED

static void replies(void **state)
{
    (void)state;
    need_watch();
    run_program(NULL, bed, "watch", "--json", "--", self, "--replies", NULL);
    said_well();
    assert_int_equal(number("operations"), WATCH_REQUESTS);
    assert_int_equal(number_in("between_marks", "sendto"), WATCH_REQUESTS);
    assert_int_equal(number_in("between_marks", "poll"), WATCH_REQUESTS + 1);
    assert_int_equal(number_in("between_marks", "recvfrom"), WATCH_REQUESTS + 1);
    assert_int_equal(sum_in("between_marks"), 3 * WATCH_REQUESTS + 2);
}

/* One line for each, in words. */
static void operations_are_told(void **state)
{
    char text[128];
    (void)state;
    need_watch();
    run_program(NULL, bed, "watch", "--ops", "--", self, "--replies", NULL);
    assert_int_equal(said.status, 0);
    for (unsigned i = 1; i <= WATCH_REQUESTS; i++) {
        snprintf(text, sizeof text, "operation %u, process ", i);
        const char *line = strstr(said.out, text);
        assert_non_null(line);
        snprintf(text, sizeof text, "%s", strchr(line, ';'));
        *strchr(text, '\n') = '\0';
        assert_string_equal(text, i == WATCH_SPLIT ? "; reply WB_OK pending 0; 5 calls: sendto 1, "
                                                     "poll 2, recvfrom 2"
                                                   : "; reply WB_OK pending 0; 3 calls: sendto 1, "
                                                     "poll 1, recvfrom 1");
    }
    assert_non_null(strstr(said.out, "12 operations, "));
    assert_non_null(strstr(said.out, "0 violations, 0 records lost"));
}

/* The program is a shell, and what it runs has the probes. */
static void by_a_script(void **state)
{
    char path[64];
    (void)state;
    need_watch();
    snprintf(path, sizeof path, "/tmp/watch-script-%d", getpid());
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "#!/bin/sh\n%s --replies\nexit 0\n", self);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(chmod(path, 0700), 0);
    run_program(NULL, bed, "watch", "--json", "--probes", self, "--", path, NULL);
    unlink(path);
    said_well();
    assert_int_equal(number("operations"), WATCH_REQUESTS);
}

static void announces(void **state)
{
    (void)state;
    need_watch();
    run_program(NULL, bed, "watch", "--json", "--", self, "--announces", NULL);
    said_well();
    assert_int_equal(number("operations"), 6);
    assert_int_equal(number("changes"), 6);
}

static void a_segment_that_stays(void **state)
{
    (void)state;
    need_watch();
    run_program(NULL, bed, "watch", "--json", "--", self, "--leak", NULL);
    assert_int_equal(said.status, 1);
    assert_int_equal(number("violations"), 1);
    assert_non_null(strstr(said.err, "WCH-006"));
    assert_non_null(strstr(said.err, "1 created, 0 freed"));
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(replies),
        cmocka_unit_test(operations_are_told),
        cmocka_unit_test(by_a_script),
        cmocka_unit_test(announces),
        cmocka_unit_test(a_segment_that_stays),
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
