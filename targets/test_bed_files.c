/*
 * test_bed_files.c: what the tool reads and where it writes: text and raw inputs, pipes and links.
 */
#include "targets/test_bed.h"

/* The text of a finding that an engine's name is given to stays a text. */
static void a_text_is_no_whole_input(void **state)
{
    static const char *const names[] = {"plain.hex", "timeout-12345678.hex"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        size_t len;
        write_text(in_folder(names[i]), "# a run does not end\n# config: 01\n4a 8a 11\n");
        expect(call(root, "asm", "--target", "varint", in_folder(names[i]), "-o", in_folder("out"),
                    NULL),
               0, NULL, NULL);
        char *bytes = read_file(in_folder("out"), &len);
        assert_int_equal(len, 4);
        assert_memory_equal(bytes, "\x01\x4a\x8a\x11", 4);
        free(bytes);
    }
}

/* Any name will do for an engine's input when the tool is told so, and the command that it prints
 * tells it so again. */
static void a_whole_input_of_any_name(void **state)
{
    (void)state;
    write_file(in_folder("a testcase"), "\0fail", 5);
    expect(call(root, "run", "--target", "canary", in_folder("a testcase"), NULL), 0, "1 passed",
           NULL);
    struct said said =
        call(root, "run", "--target", "canary", "--whole", in_folder("a testcase"), NULL);
    assert_int_equal(said.status, 1);
    char words[PATH_SIZE * 3];
    snprintf(words, sizeof(words), "again: %s run --target canary --whole '%s'\n", tool,
             in_folder("a testcase"));
    assert_non_null(strstr(said.out, words));
    said_free(&said);
    expect(call(root, "show", "--target", "canary", "--whole", in_folder("a testcase"), NULL), 0,
           "# config: 00\n\"fail\"\n", NULL);
}

/* A folder where `bed fuzz` works: a log is no input, and neither are vectors. */
static void a_folder_of_other_things_too(void **state)
{
    (void)state;
    assert_int_equal(mkdir(in_folder("mixed"), 0755), 0);
    write_text(in_folder("mixed/fuzzer-0.log"), "INFO");
    write_text(in_folder("mixed/vectors.json"), "{}");
    write_file(in_folder("mixed/crash-1"), "\0fail", 5);
    expect(call(root, "run", "--target", "canary", in_folder("mixed"), NULL), 1,
           "0 passed, 1 failed", NULL);
}

/* -o into what is no regular file leaves it what it is. */
static void what_is_no_file_keeps_its_place(void **state)
{
    static const char *const path = "corpus/canary/seeds/fail.hex";
    struct stat about;
    size_t len;

    (void)state;
    assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
    int pipe = open(in_folder("fifo"), O_RDWR);
    assert_true(pipe >= 0);
    expect(call(root, "asm", path, "-o", in_folder("fifo"), NULL), 0, NULL, NULL);
    assert_int_equal(lstat(in_folder("fifo"), &about), 0);
    assert_true(S_ISFIFO(about.st_mode));
    close(pipe);

    write_text(in_folder("aim"), "old bytes");
    assert_int_equal(symlink("aim", in_folder("link")), 0);
    expect(call(root, "asm", path, "-o", in_folder("link"), NULL), 0, NULL, NULL);
    assert_int_equal(lstat(in_folder("link"), &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    char *bytes = read_file(in_folder("aim"), &len);
    assert_int_equal(len, 5);
    assert_memory_equal(bytes, "\0fail", 5);
    free(bytes);
    expect(call(root, "asm", path, "-o", folder, NULL), 2, NULL, "Is a directory");
}

static void minus_is_stdin(void **state)
{
    (void)state;
    write_file(in_folder("raw"), "\0fail", 5);
    int kept = dup(0), in = open(in_folder("raw"), O_RDONLY);
    assert_true(kept >= 0 && in >= 0 && dup2(in, 0) == 0);
    expect(call(root, "run", "--target", "canary", "--whole", "-", NULL), 1, "FOUND BED-006", NULL);
    assert_true(dup2(kept, 0) == 0);
    close(in);
    close(kept);
}

/* A statement is one however many blanks its # has, wherever it stands. */
static void show_knows_each_statement(void **state)
{
    (void)state;
    write_text(in_folder("tight.hex"), "# why\n#config: 05\n00\n#\texpect: WB_OK\n01\n");
    expect(call(root, "show", "--target", "varint", in_folder("tight.hex"), NULL), 0,
           "# why\n#config: 05\n#\texpect: WB_OK\n0001\n", NULL);
}

/* 20,000 raw bytes are more records than are run: their text can be read again. */
static void show_of_too_much_is_a_text(void **state)
{
    static char bytes[20000];
    (void)state;
    write_file(in_folder("long"), bytes, sizeof(bytes));
    struct said said = call(root, "show", "--target", "bytes", in_folder("long"), NULL);
    assert_int_equal(said.status, 0);
    write_text(in_folder("long.scn"), said.out);
    said_free(&said);
    expect(call(root, "run", "--target", "bytes", in_folder("long.scn"), NULL), 0, "1 passed",
           NULL);
}

/* Exit 2 means that nothing was written, and a lost line is no success. */
static void what_cannot_run_leaves_nothing(void **state)
{
    static const char *const path = "corpus/canary/seeds/fail.hex";

    (void)state;
    write_text(in_folder("crash-w"), "\1fail");
    expect(call(root, "migrate", "--target", "canary", in_folder("crash-w"), "-o",
                in_folder("moved"), NULL),
           2, NULL, "of no version");
    assert_false(is_there(in_folder("moved")));
    write_text(in_folder("good.scn"), "# why\nversion 1\n");
    expect(call(root, "migrate", "--target", "bytes", in_folder("good.scn"), in_folder("none"),
                "-o", in_folder("moved"), NULL),
           2, NULL, "none: No such file");
    assert_false(is_there(in_folder("moved")));
    expect(call(root, "migrate", "--target", "bytes", in_folder("good.scn"), "-o",
                in_folder("moved"), NULL),
           0, "to 1", NULL);
    assert_true(is_there(in_folder("moved/good.scn")));

    struct said said = call(root, "min", path, "-o", "/nonexistent/x", NULL);
    assert_int_equal(said.status, 2);
    assert_null(strstr(said.err, "attempts"));
    said_free(&said);
    write_text(in_folder("calm.hex"), "# nothing that fails\n00\n");
    char command[4 * PATH_SIZE];
    snprintf(command, sizeof(command), "'%s' trace --target canary '%s' >/dev/full 2>&1", tool,
             in_folder("calm.hex"));
    int status = system(command);
    assert_int_equal(WEXITSTATUS(status), 2);
}

/* Lines that are equal passed, those of one side failed; what is to be written is. */
static void certify_counts_and_writes(void **state)
{
    struct said said;

    (void)state;
    said = call(root, "certify", "corpus/bytes", NULL);
    assert_int_equal(said.status, 0);
    size_t lines = 0;
    for (const char *at = said.out; *at != '\0'; at++)
        lines += *at == '\n';
    FILE *out = fopen(in_folder("want"), "w");
    assert_non_null(out);
    fprintf(out, "%s1 WB_OK 1 0 z -\n2 WB_OK 1 0 z -\n", said.out);
    fclose(out);
    said_free(&said);
    char told[64];
    snprintf(told, sizeof(told), "%zu passed, 2 failed", lines);
    expect(call(root, "certify", "corpus/bytes", "--check", in_folder("want"), "--write",
                in_folder("got"), NULL),
           1, told, NULL);
    assert_true(is_there(in_folder("got")));
    assert_int_equal(mkdir(in_folder("bare"), 0755), 0);
    expect(call(root, "certify", in_folder("bare"), NULL), 2, NULL, "no inputs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_no_whole_input),
        cmocka_unit_test(a_whole_input_of_any_name),
        cmocka_unit_test(a_folder_of_other_things_too),
        cmocka_unit_test(what_is_no_file_keeps_its_place),
        cmocka_unit_test(minus_is_stdin),
        cmocka_unit_test(what_cannot_run_leaves_nothing),
        cmocka_unit_test(certify_counts_and_writes),
        cmocka_unit_test(show_knows_each_statement),
        cmocka_unit_test(show_of_too_much_is_a_text),
    };
    return cmocka_run_group_tests_name("bed files", tests, find_tool, clean_up) != 0;
}
