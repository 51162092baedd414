/*
 * Reading corpus files: each rule that a file can break is seen to be refused, with its line.
 */
#include "targets/driver/corpus.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

static void never_run(struct wb_view input, struct sim_run *run)
{
    (void)input;
    (void)run;
}

static const char *const mark_names[] = {"owed", "timeout", NULL};
static const struct sim_ops no_ops = {0};
static const struct fuzz_target wire = {
    .name = "wire", .kind = FUZZ_WIRE, .property = "none", .one = never_run, .marks = mark_names};
static const struct fuzz_target scenario = {.name = "scenario",
                                            .kind = FUZZ_SCENARIO,
                                            .property = "none",
                                            .one = never_run,
                                            .ops = &no_ops};

static char folder[64];

static char *path_of(const char *name)
{
    static char path[160];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static char *write_file(const char *name, const char *text)
{
    char *path = path_of(name);
    FILE *out = fopen(path, "wb");

    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, strlen(text), out), strlen(text));
    assert_int_equal(fclose(out), 0);
    return path;
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/loading-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"a.hex",  "a.scn",   "a.bin",     "b.dict", "fuzzer-0.log",
                                        "b.json", ".hidden", "sub/c.hex", "sub"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        remove(path_of(names[i]));
    return rmdir(folder);
}

struct breach {
    const struct fuzz_target *target;
    const char *name;
    const char *text;
    const char *error; /* after the path */
};

#define MUST_SAY ":1: the first line must"
#define BYTES_8  " 00 01 02 03 04 05 06 07"

static const struct breach breaches[] = {
    {&wire, "a.hex", "", MUST_SAY},
    {&wire, "a.hex", "00\n", MUST_SAY},
    {&wire, "a.hex", "#\n00\n", MUST_SAY},
    {&wire, "a.hex", "# expect: WB_OK\n00\n", MUST_SAY},
    {&wire, "a.hex", "# why\n00 0\n", ":2: "},
    {&wire, "a.hex", "# why\n00\n\nzz\n", ":4: "},
    {&wire, "a.hex", "# why\n# expect: WB_E_NONE\n", ":2: expect: there is no outcome `WB_E_NONE'"},
    {&wire, "a.hex", "# why\n# expect:\n", ":2: expect: names no outcome"},
    {&wire, "a.hex", "# why\n# expect: WB_OK\n# expect: WB_OK\n", ":3: expect is stated twice"},
    {&wire, "a.hex", "# why\n# expect: WB_OK WB_MORE WB_OK WB_OK WB_OK\n",
     ":2: expect: more than 4 outcomes"},
    {&wire, "a.hex", "# why\n# config: 0\n", ":2: config: `0' is no byte"},
    {&wire, "a.hex", "# why\n# config: 0g\n", ":2: config: `0g' is no byte"},
    {&wire, "a.hex", "# why\n# config: 001\n", ":2: config: `001' is no byte"},
    {&wire, "a.hex", "# why\n# config:\n", ":2: config: names no byte"},
    {&wire, "a.hex", "# why\n# config: 00\n# config: 01\n", ":3: config is stated twice"},
    {&wire, "a.hex", "# why\n# config:" BYTES_8 BYTES_8 BYTES_8 BYTES_8 " ff\n",
     ":2: config: more than 32 bytes"},
    {&wire, "a.hex", "# why\n# marks: owed late\n", ":2: marks: `wire' has no mark `late'"},
    {&wire, "a.hex", "# why\n# marks:\n", ":2: marks: names no mark"},
    {&wire, "a.hex", "# why\n# marks: owed\n# marks: owed\n", ":3: marks is stated twice"},
    {&wire, "a.hex", "# why\n# story:\n", ":2: story: tells nothing"},
    {&wire, "a.hex", "# why\n# expects: WB_OK\n", ":2: `expects: WB_OK' states nothing; `expect:'"},
    {&wire, "a.hex", "# why\n00\n# mark: owed\n", ":3: `mark: owed' states nothing; `marks:'"},
    {&wire, "a.hex", "# why\n#Story : a\n", ":2: `Story : a' states nothing; `story:'"},
    {&wire, "a.scn", "# why\n", ": .scn is for scenario targets, `wire' takes .hex"},
    {&scenario, "a.hex", "# why\n", ": .hex is for wire targets, `scenario' takes .scn"},
    {&scenario, "a.scn", "# why\n# config: 00\n", ":2: config: is for wire targets"},
    {&scenario, "a.scn", "# why\n# marks: owed\n", ":2: marks: `scenario' has no mark `owed'"},
    {&scenario, "a.scn", "# why\nno-such-op\n", ":2: "},
    {NULL, "a.bin", "", ": no target's file"},
};

static void test_breaches(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof breaches / sizeof breaches[0]; i++) {
        const struct breach *b = &breaches[i];
        const char *path = write_file(b->name, b->text);
        char error[CORPUS_ERROR_MAX] = "", want[CORPUS_ERROR_MAX];
        struct corpus_file file;

        snprintf(want, sizeof want, "%s%s", path, b->error);
        if (corpus_load(path, b->target, &file, error))
            fail_msg("accepted: %s", b->text);
        if (strncmp(error, want, strlen(want)) != 0)
            fail_msg("%s\n  wanted: %s", error, want);
    }
}

static void test_missing(void **state)
{
    char error[CORPUS_ERROR_MAX] = "";
    char **paths = NULL;
    size_t count = 0;
    struct corpus_file file;

    (void)state;
    assert_false(corpus_load(path_of("none.hex"), &wire, &file, error));
    assert_non_null(strstr(error, "none.hex: No such file"));
    assert_false(corpus_find(path_of("none"), &paths, &count, error));
    assert_non_null(strstr(error, "none: No such file"));
    assert_false(corpus_load(folder, &wire, &file, error));
    assert_non_null(strstr(error, ": Is a directory"));
}

static void test_wire(void **state)
{
    struct corpus_file file;
    char error[CORPUS_ERROR_MAX] = "";
    size_t len = 0;

    (void)state;
    write_file("a.hex", "# What it is for.\n# expect: WB_E_EOF WB_MORE\n#config:  00 fF\n"
                        "# story: one;\n# story:  two \n# marks: timeout owed\n01 02\n# tail\n03");
    if (!corpus_load(path_of("a.hex"), &wire, &file, error))
        fail_msg("%s", error);
    assert_string_equal(file.lesson, "What it is for.");
    assert_string_equal(file.story, "one; two");
    assert_string_equal(file.marks, "timeout owed");
    assert_int_equal(file.expect_count, 2);
    assert_int_equal(file.expect[0], WB_E_EOF);
    assert_int_equal(file.expect[1], WB_MORE);
    assert_int_equal(corpus_input_count(&file), 2);
    uint8_t *input = corpus_input(&file, 1, &len);
    assert_int_equal(len, 4);
    assert_memory_equal(input, "\xff\x01\x02\x03", 4);
    free(input);
    corpus_free(&file);
}

/* A capture has no configuration, so 0 stands in front; a raw scenario is the whole input. */
static void test_raw(void **state)
{
    static const struct fuzz_target *const targets[] = {&wire, &scenario};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct corpus_file file;
        char error[CORPUS_ERROR_MAX] = "";
        size_t len = 0;

        if (!corpus_load(write_file("a.bin", "# raw\n"), targets[i], &file, error))
            fail_msg("%s", error);
        assert_string_equal(file.lesson, "");
        assert_int_equal(corpus_input_count(&file), 1);
        uint8_t *input = corpus_input(&file, 0, &len);
        assert_int_equal(len, i == 0 ? 7 : 6);
        assert_memory_equal(input, i == 0 ? "\0# raw\n" : "# raw\n", len);
        free(input);
        corpus_free(&file);
    }
}

/* What an engine wrote is a whole input: by its name, by its folder, or because it is asked for. A
 * text is not, whatever it is called. */
static void test_whole(void **state)
{
    static const struct {
        const char *name, *text, *input;
        bool is_asked;
    } rows[] = {
        {"crash-1", "\x7fxy", "\x7fxy", false},
        {"id:000001", "\x7fxy", "\x7fxy", false},
        {"timeout-1", "\x7f", "\x7f", false},
        {"crash-1", "", "\0", false},
        {"testcase", "\x7fxy", "\0\x7fxy", false},
        {"testcase", "\x7fxy", "\x7fxy", true},
        {"timeout-1.hex", "# why\n# config: 01\n7f\n", "\x01\x7f", false},
        {"timeout-1.hex", "# why\n# config: 01\n7f\n", "\x01\x7f", true},
        {"found/canary/seeds/1", "\x7fxy", "\x7fxy", false},
        {"found/canary/corpus/1", "\x7fxy", "\x7fxy", false},
        {"found/canary/1", "\x7fxy", "\0\x7fxy", false},
        {"found/nobody/corpus/1", "\x7fxy", "\0\x7fxy", false},
    };
    static const char *const folders[] = {
        "found",        "found/canary",       "found/canary/seeds", "found/canary/corpus",
        "found/nobody", "found/nobody/corpus"};

    (void)state;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        mkdir(path_of(folders[i]), 0700);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *path = write_file(rows[i].name, rows[i].text);
        char error[CORPUS_ERROR_MAX] = "";
        struct corpus_file file;
        size_t len, want = 1 + strlen(rows[i].input + 1);

        if (!(rows[i].is_asked ? corpus_load_whole : corpus_load)(path, &wire, &file, error))
            fail_msg("%s", error);
        uint8_t *input = corpus_input(&file, 0, &len);
        if (len != want || memcmp(input, rows[i].input, len) != 0)
            fail_msg("%s: another input", rows[i].name);
        free(input);
        corpus_free(&file);
        remove(path);
    }
    for (size_t i = sizeof folders / sizeof folders[0]; i-- > 0;)
        remove(path_of(folders[i]));
}

static void test_by_folder(void **state)
{
    struct corpus_file file;
    char error[CORPUS_ERROR_MAX] = "";

    (void)state;
    if (!corpus_load("corpus/canary/seeds/fail.hex", NULL, &file, error))
        fail_msg("%s", error);
    assert_string_equal(file.target->name, "canary");
    corpus_free(&file);

    /* What a fuzzer keeps: the file itself, and inputs below another folder of it. */
    mkdir(path_of("found"), 0700);
    mkdir(path_of("found/canary"), 0700);
    mkdir(path_of("found/canary/corpus"), 0700);
    static const char *const kept[] = {"found/canary/a.hex", "found/canary/corpus/raw"};
    for (size_t i = 0; i < 2; i++) {
        if (!corpus_load(write_file(kept[i], "# why\n"), NULL, &file, error))
            fail_msg("%s", error);
        assert_string_equal(file.target->name, "canary");
        corpus_free(&file);
    }
    for (size_t i = sizeof kept / sizeof kept[0]; i-- > 0;)
        remove(path_of(kept[i]));
    remove(path_of("found/canary/corpus"));
    remove(path_of("found/canary"));
    remove(path_of("found"));
    assert_false(corpus_load(path_of("nofound/canary/a.hex"), NULL, &file, error));
    assert_non_null(strstr(error, "a.hex: No such file"));
    assert_false(corpus_load(path_of("none.hex"), NULL, &file, error));
    assert_non_null(strstr(error, "none.hex: No such file"));
}

static void test_find(void **state)
{
    char error[CORPUS_ERROR_MAX] = "";
    char **paths = NULL;
    size_t count = 0;

    (void)state;
    mkdir(path_of("sub"), 0700);
    write_file("sub/c.hex", "");
    write_file("a.scn", "");
    write_file("a.hex", "");
    write_file("a.bin", "");
    write_file("b.dict", "");
    write_file("fuzzer-0.log", "");
    write_file("b.json", "");
    write_file(".hidden", "");
    if (!corpus_find(path_of(""), &paths, &count, error))
        fail_msg("%s", error);
    assert_int_equal(count, 4);
    assert_string_equal(paths[0], path_of("a.bin"));
    assert_string_equal(paths[1], path_of("a.hex"));
    assert_string_equal(paths[2], path_of("a.scn"));
    assert_string_equal(paths[3], path_of("sub/c.hex"));
    corpus_paths_free(paths, count);
    if (!corpus_find(path_of("b.dict"), &paths, &count, error))
        fail_msg("%s", error);
    assert_int_equal(count, 1); /* asked for by name */
    corpus_paths_free(paths, count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_breaches),  cmocka_unit_test(test_missing),
        cmocka_unit_test(test_wire),      cmocka_unit_test(test_raw),
        cmocka_unit_test(test_by_folder), cmocka_unit_test(test_find),
        cmocka_unit_test(test_whole),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder) != 0;
}
