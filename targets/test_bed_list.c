/*
 * test_bed_list.c: each scenario target says what its profile and each of its knobs mean, and `bed
 * list NAME` shows it, to people and as JSON.
 */
#include "targets/test_bed.h"

static bool is_of(const char *line, const char *name)
{
    return line != NULL && strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':';
}

static void check_stated(const struct fuzz_target *target)
{
    static const char *const none[4];
    const char *const *names = target->ops->knobs != NULL ? target->ops->knobs : none;
    const char *const *lines = target->knobs != NULL ? target->knobs : none;
    bool ok = target->profiles != NULL && target->profiles[0] != NULL;

    for (size_t i = 0; i < 4; i++)
        if (names[i] != NULL)
            ok = ok && is_of(*lines++, names[i]);
    ok = ok && *lines == NULL;
    if (!ok)
        print_error("%s does not say what its profile and each knob mean\n", target->name);
    assert_true(ok);
}

static void each_scenario_states_profile_and_knobs(void **state)
{
    (void)state;
    for (size_t i = 0; i < fuzz_target_count(); i++)
        if (fuzz_target_at(i)->kind == FUZZ_SCENARIO)
            check_stated(fuzz_target_at(i));
}

/* Each up to its colon, at the front of a line; the rest may go on in the next. */
static void check_shown(const char *page, const char *const *lines)
{
    for (; lines != NULL && *lines != NULL; lines++) {
        char front[64];

        snprintf(front, sizeof front, "\n  %.*s", (int)strcspn(*lines, ":"), *lines);
        if (strstr(page, front) == NULL)
            print_error("not shown: %s\n", *lines);
        assert_non_null(strstr(page, front));
    }
}

static void list_shows_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < fuzz_target_count(); i++) {
        const struct fuzz_target *target = fuzz_target_at(i);

        if (target->kind != FUZZ_SCENARIO)
            continue;
        struct said said = call(root, "list", target->name, NULL);
        const char *at = strstr(said.out, "\nprofile:\n");
        assert_non_null(at);
        check_shown(at, target->profiles);
        check_shown(at, target->knobs);
        for (; strncmp(at, "\nclass", 6) != 0; at += 1 + strcspn(at + 1, "\n"))
            assert_true(strcspn(at + 1, "\n") <= 100);
        said_free(&said);
        for (size_t k = 0; target->profiles[k] != NULL; k++)
            expect(call(root, "list", "--json", target->name, NULL), 0, target->profiles[k], NULL);
        for (size_t k = 0; target->knobs != NULL && target->knobs[k] != NULL; k++)
            expect(call(root, "list", "--json", target->name, NULL), 0, target->knobs[k], NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_scenario_states_profile_and_knobs),
        cmocka_unit_test(list_shows_them),
    };
    return cmocka_run_group_tests_name("bed list", tests, find_tool, clean_up) != 0;
}
