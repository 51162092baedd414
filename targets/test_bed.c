/*
 * test_bed.c: the tool as people call it: what it prints, how it exits, and that it writes nothing
 * when it could not run. Its files: test_bed_files.c.
 */
#include "targets/test_bed.h"

static const struct fuzz_target *some_target(enum fuzz_kind kind)
{
    for (size_t i = 0; i < fuzz_target_count(); i++)
        if (fuzz_target_at(i)->kind == kind && strcmp(fuzz_target_at(i)->name, "canary") != 0)
            return fuzz_target_at(i);
    fail_msg("no target of that kind is linked");
    return NULL;
}

/* An input that makes the canary fail, with a long tail, as an engine keeps it. */
static const char *canary_crash(void)
{
    static const char bytes[] = "\x03"
                                "fail and then a great many words\r\nthat say nothing\r\n";
    write_file(in_folder("crash-long"), bytes, sizeof(bytes) - 1);
    return in_folder("crash-long");
}

/* ---- tests ---- */

static void help_names_every_command(void **state)
{
    static const char *const names[] = {"list", "show", "asm",  "run", "trace",
                                        "min",  "gen",  "keep", "fuzz"};
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        expect(call(root, "help", NULL), 0, names[i], NULL);
        expect(call(root, "help", names[i], NULL), 0, "usage: ", NULL);
        expect(call(root, names[i], "--help", NULL), 0, "usage: ", NULL);
    }
    expect(call(root, NULL), 2, NULL, "usage: ");
    expect(call(root, "nonsense", NULL), 2, NULL, "no command `nonsense'");
}

static void list_says_what_there_is(void **state)
{
    const struct fuzz_target *target = some_target(FUZZ_SCENARIO);
    (void)state;
    for (size_t i = 0; i < fuzz_target_count(); i++)
        if (strcmp(fuzz_target_at(i)->name, "canary") != 0)
            expect(call(root, "list", NULL), 0, fuzz_target_at(i)->property, NULL);
    for (size_t i = 0; i < target->ops->count; i++)
        expect(call(root, "list", target->name, NULL), 0, target->ops->ops[i].text, NULL);
    expect(call(root, "list", "--json", NULL), 0, "\"targets\": [", NULL);
    expect(call(root, "list", "--invariants", NULL), 0, inv_at(inv_count() - 1)->text, NULL);
    expect(call(root, "list", inv_at(0)->id, NULL), 0, inv_at(0)->text, NULL);
    expect(call(root, "list", "--json", inv_at(0)->id, NULL), 0, inv_at(0)->text, NULL);
    expect(call(root, "list", "nobody", NULL), 2, NULL, "no target `nobody'");
}

#define SHOWN_OF 16 /* one of so many files is shown by the tool */

/* The text of a file stands for the same inputs, and keeps what the file states. */
static void check_shown(const char *path)
{
    struct corpus_file before, after;
    char error[CORPUS_ERROR_MAX] = "", name[64];

    if (!corpus_load(path, NULL, &before, error))
        fail_msg("%s", error);
    struct said said = call(root, "show", path, NULL);
    assert_int_equal(said.status, 0);
    snprintf(name, sizeof(name), "shown%s", before.target->kind == FUZZ_WIRE ? ".hex" : ".scn");
    write_text(in_folder(name), said.out);
    said_free(&said);
    if (!corpus_load(in_folder(name), before.target, &after, error))
        fail_msg("%s shown: %s", path, error);
    assert_int_equal(corpus_input_count(&before), corpus_input_count(&after));
    for (size_t i = 0; i < corpus_input_count(&before); i++) {
        size_t len, after_len;
        uint8_t *bytes = corpus_input(&before, i, &len);
        uint8_t *after_bytes = corpus_input(&after, i, &after_len);
        if (len != after_len || memcmp(bytes, after_bytes, len) != 0)
            fail_msg("%s: `bed show` gives other bytes", path);
        free(bytes);
        free(after_bytes);
    }
    assert_int_equal(before.expect_count, after.expect_count);
    assert_string_equal(before.story != NULL ? before.story : "",
                        after.story != NULL ? after.story : "");
    corpus_free(&before);
    corpus_free(&after);
}

static void show_then_asm_gives_the_same_bytes(void **state)
{
    char **paths, error[CORPUS_ERROR_MAX];
    size_t count;

    (void)state;
    assert_true(corpus_find("corpus", &paths, &count, error));
    assert_true(count > 0);
    for (size_t i = 0; i < count; i += SHOWN_OF) /* test_corpus asks it of all, in one process */
        if (strstr(paths[i], "corpus/vectors/") == NULL) /* of `bed vectors` */
            check_shown(paths[i]);
    corpus_paths_free(paths, count);

    const char *path = "corpus/canary/seeds/fail.hex";
    expect(call(root, "asm", path, "-o", in_folder("bytes"), NULL), 0, NULL, NULL);
    size_t len;
    char *bytes = read_file(in_folder("bytes"), &len);
    assert_int_equal(len, 5);
    assert_memory_equal(bytes, "\0fail", 5);
    free(bytes);
}

static void show_draws_windows(void **state)
{
    (void)state;
    expect(call(root, "show", "corpus/window_union/regress/growth-moves-once.scn", NULL), 0,
           "# s0    [==)--[==)--\n#       0  1  2  3\n", NULL);
}

static void asm_names_file_line_and_rule(void **state)
{
    const char *scenario = some_target(FUZZ_SCENARIO)->name, *wire = some_target(FUZZ_WIRE)->name;
    (void)state;
    write_text(in_folder("bad.scn"), "# a text with an op that nobody knows\n\nno-such-op s0\n");
    expect(
        call(root, "asm", "--target", scenario, in_folder("bad.scn"), "-o", in_folder("out"), NULL),
        2, NULL, "bad.scn:3: ");
    write_text(in_folder("bad.hex"), "# a text with half a byte\n00 1\n");
    expect(call(root, "asm", "--target", wire, in_folder("bad.hex"), "-o", in_folder("out"), NULL),
           2, NULL, "bad.hex:2: ");
    assert_false(is_there(in_folder("out")));
}

static void what_cannot_run_exits_2_and_writes_nothing(void **state)
{
    static const char *const commands[] = {"show", "asm", "run", "trace", "min"};
    (void)state;
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        const char *c = commands[i], *path = in_folder("missing");
        write_text(in_folder("some"), "bytes");
        expect(call(root, c, "--target", "canary", path, NULL), 2, NULL, "No such file");
        expect(call(root, c, "--target", "nobody", in_folder("some"), NULL), 2, NULL, "`nobody'");
        expect(call(root, c, in_folder("some"), NULL), 2, NULL, "bed: ");
        expect(call(root, c, "--no-such-option", path, NULL), 2, NULL, "help");
    }
    expect(call(root, "min", "--target", "canary", in_folder("some"), "-o", in_folder("out"), NULL),
           2, NULL, "does not fail");
    assert_int_equal(mkdir(in_folder("empty"), 0755), 0);
    expect(call(root, "run", "--target", "canary", in_folder("empty"), NULL), 2, NULL, "no files");
    expect(call(root, "gen", "--target", "canary", "--seed", "1", "-o", in_folder("out"), NULL), 2,
           NULL, "wire target");
    expect(call(root, "gen", "--target", some_target(FUZZ_SCENARIO)->name, "--seed", "-1", "-o",
                in_folder("out"), NULL),
           2, NULL, "--seed");
    assert_false(is_there(in_folder("out")));
}

/* A wrong call says what is wrong with it, not only where to read on. */
static void a_wrong_call_is_told_why(void **state)
{
    (void)state;
    write_text(in_folder("some"), "bytes");
    expect(call(root, "trace", "-o", "x", in_folder("some"), NULL), 2, NULL, "-o needs --html");
    expect(call(root, "show", NULL), 2, NULL, "show: takes 1 argument, not 0");
    expect(call(root, "keep", "a", "b", "c", NULL), 2, NULL, "keep: takes 2 arguments, not 3");
    expect(call(root, "run", NULL), 2, NULL, "run: takes at least 1 argument, not 0");
    expect(call(root, "certify", "a", "b", NULL), 2, NULL, "certify: takes at most 1 argument");
    expect(call(root, "gen", "--seed", "1", NULL), 2, NULL, "--target is missing");
    expect(call(root, "dict", NULL), 2, NULL, "--target is missing");
    expect(call(root, "dict", "--target", some_target(FUZZ_SCENARIO)->name, NULL), 0, "=\"", NULL);
    expect(call(root, "dict", "--target", "reply_wire", NULL), 0, "code_HD=\"HD\"\n", NULL);
    expect(call(root, "dict", "--target", "reply_wire", NULL), 0, "number_cap=\"", NULL);
    expect(call(folder, "keep", "--target", "canary", "some", "a", "--why", "x", NULL), 2, NULL,
           "no corpus/ here");
    assert_false(is_there(in_folder("corpus")));
}

static void run_tells_what_failed_and_how_to_see_it_again(void **state)
{
    (void)state;
    write_text(in_folder("calm.hex"), "# nothing that fails\n# expect: WB_OK\n00\n");
    expect(call(root, "run", "--target", "canary", in_folder("calm.hex"), NULL), 0,
           "1 passed, 0 failed", NULL);
    write_text(in_folder("wrong.hex"), "# states what is not so\n# expect: WB_E_EOF\n00\n");
    expect(call(root, "run", "--target", "canary", in_folder("wrong.hex"), NULL), 1,
           "expected is WB_E_EOF", NULL);

    struct said said = call(root, "run", "--target", "canary", canary_crash(), NULL);
    assert_int_equal(said.status, 1);
    assert_non_null(strstr(said.out, inv_find("BED-006")->text));
    assert_non_null(strstr(said.out, "\"fail and then"));
    char *again = strstr(said.out, "  again: ");
    assert_non_null(again);
    again += strlen("  again: ") + strlen(tool);
    again[strcspn(again, "\n")] = '\0';
    char words[PATH_SIZE * 2];
    snprintf(words, sizeof(words), " run --target canary %s", in_folder("crash-long"));
    assert_string_equal(again, words);
    said_free(&said);
}

static void trace_says_how_it_ended(void **state)
{
    (void)state;
    write_text(in_folder("calm.hex"), "# nothing that fails\n00\n");
    expect(call(root, "trace", "--target", "canary", in_folder("calm.hex"), NULL), 0,
           "ended: WB_OK", NULL);
    expect(call(root, "trace", "--target", "canary", canary_crash(), NULL), 1,
           "ended: ", "BED-006");
}

static void min_shrinks_and_keeps_the_id(void **state)
{
    static const char want[] = "# config: 00\n\"fail\"\n";
    (void)state;
    for (int i = 0; i < 2; i++) {
        expect(call(root, "min", "--target", "canary", canary_crash(), "-o", in_folder("min.hex"),
                    NULL),
               0, NULL, "BED-006");
        char *text = read_file(in_folder("min.hex"), NULL);
        assert_memory_equal(text, "# BED-006: ", strlen("# BED-006: "));
        assert_string_equal(strchr(text, '\n') + 1, want);
        free(text);
    }
    expect(call(root, "min", "--target", "canary", "--attempts", "1", canary_crash(), NULL), 0,
           "# BED-006: ", "bound");
}

static void keep_writes_a_regression_once(void **state)
{
    struct corpus_file file;
    char error[CORPUS_ERROR_MAX];
    static const char *const bad[] = {"", "Big", "a b", "a-", "a--b", "../a", "a.hex"};

    (void)state;
    canary_crash();
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        expect(call(folder, "keep", "--target", "canary", "crash-long", bad[i], "--why", "x", NULL),
               2, NULL, "lesson");
    expect(call(folder, "keep", "--target", "canary", "crash-long", "a", NULL), 2, NULL, "help");
    expect(call(folder, "keep", "--target", "canary", "crash-long", "a", "--why", "a\nb", NULL), 2,
           NULL, "--why");
    assert_int_equal(mkdir(in_folder("corpus"), 0755), 0);

    expect(call(folder, "keep", "--target", "canary", "crash-long", "asked-to-fail", "--why",
                "the canary was asked to fail", NULL),
           0, "corpus/canary/regress/asked-to-fail.hex", NULL);
    assert_true(
        corpus_load(in_folder("corpus/canary/regress/asked-to-fail.hex"), NULL, &file, error));
    assert_string_equal(file.lesson, "the canary was asked to fail");
    assert_int_equal(file.len, 4);
    corpus_free(&file);
    expect(call(folder, "keep", "--target", "canary", "crash-long", "asked-to-fail", "--why", "y",
                NULL),
           2, NULL, "already");

    write_text(in_folder("crash-fixed"), "\x02"
                                         "calm");
    expect(call(folder, "keep", "--target", "canary", "crash-fixed", "calm", "--why",
                "it failed once", NULL),
           0, NULL, NULL);
    char *text = read_file(in_folder("corpus/canary/regress/calm.hex"), NULL);
    assert_string_equal(text, "# it failed once\n# expect: WB_OK\n# config: 02\n\"calm\"\n");
    free(text);
}

static void gen_is_a_function_of_its_numbers(void **state)
{
    static const char *const seeds[] = {"7", "7", "8"};
    const struct fuzz_target *target = some_target(FUZZ_SCENARIO);
    char *texts[3];

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct corpus_file file;
        char error[CORPUS_ERROR_MAX] = "";
        const char *path = in_folder("gen.scn");
        expect(call(root, "gen", "--target", target->name, "--seed", seeds[i], "--ops", "40", "-o",
                    path, NULL),
               0, NULL, NULL);
        assert_true(corpus_load(path, target, &file, error));
        assert_true(file.len > SIM_HEADER);
        corpus_free(&file);
        texts[i] = read_file(path, NULL);
    }
    assert_string_equal(texts[0], texts[1]);
    assert_string_not_equal(texts[0], texts[2]);
    for (size_t i = 0; i < 3; i++)
        free(texts[i]);
}

/* A stand-in for a fuzzer: speaks as libFuzzer does, leaves an artifact, exits as it would. */
static const char fake_fuzzer[] =
    "#!/bin/sh\n"
    "for a; do case $a in -artifact_prefix=*) p=${a#*=} ;; esac; done\n"
    "printf '#1234\\tNEW    cov: 12 ft: 34 corp: 5/6b lim: 4 exec/s: 100 rss: 30Mb\\n' >&2\n"
    "printf '\\0failing' >\"${p}crash-fake\"\n"
    "echo \"artifact_prefix='$p'; Test unit written to ${p}crash-fake\" >&2\n"
    "echo 'stat::number_of_executed_units: 4321' >&2\n"
    "exit 77\n";

static void fuzz_watches_keeps_and_tells(void **state)
{
    (void)state;
    expect(call(root, "fuzz", "canary", "--bin-dir", in_folder("none"), "-o", in_folder("found"),
                NULL),
           2, NULL, "fuzz_canary");
    assert_false(is_there(in_folder("found")));

    assert_int_equal(mkdir(in_folder("bin"), 0755), 0);
    write_text(in_folder("bin/fuzz_canary"), fake_fuzzer);
    assert_int_equal(chmod(in_folder("bin/fuzz_canary"), 0755), 0);
    struct said said = call(root, "fuzz", "canary", "--jobs", "1", "--seconds", "1", "--bin-dir",
                            in_folder("bin"), "-o", in_folder("found"), NULL);
    assert_int_equal(said.status, 1);
    assert_non_null(strstr(said.out, "FOUND BED-006 in canary"));
    assert_non_null(strstr(said.out, "\"fail\""));
    assert_non_null(strstr(said.out, " 4321 "));
    char *path = strstr(said.out, "run --target canary ");
    assert_non_null(path);
    path += strlen("run --target canary ");
    path[strcspn(path, "\n")] = '\0';
    expect(call(root, "run", "--target", "canary", path, NULL), 1, "0 passed, 1 failed", NULL);
    said_free(&said);

    write_text(in_folder("bin/fuzz_canary"), "#!/bin/sh\necho broken\nexit 1\n");
    expect(call(root, "fuzz", "canary", "--jobs", "1", "--seconds", "1", "--bin-dir",
                in_folder("bin"), "-o", in_folder("found"), NULL),
           2, "STOPPED", "stopped");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_names_every_command),
        cmocka_unit_test(list_says_what_there_is),
        cmocka_unit_test(show_then_asm_gives_the_same_bytes),
        cmocka_unit_test(show_draws_windows),
        cmocka_unit_test(asm_names_file_line_and_rule),
        cmocka_unit_test(what_cannot_run_exits_2_and_writes_nothing),
        cmocka_unit_test(a_wrong_call_is_told_why),
        cmocka_unit_test(run_tells_what_failed_and_how_to_see_it_again),
        cmocka_unit_test(trace_says_how_it_ended),
        cmocka_unit_test(min_shrinks_and_keeps_the_id),
        cmocka_unit_test(keep_writes_a_regression_once),
        cmocka_unit_test(gen_is_a_function_of_its_numbers),
        cmocka_unit_test(fuzz_watches_keeps_and_tells),
    };
    return cmocka_run_group_tests_name("bed", tests, find_tool, clean_up) != 0;
}
