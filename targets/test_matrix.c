/*
 * test_matrix.c: the requirements as they are committed hold their ratchets, and `bed matrix` says
 * no, with line and rule, to files that break the form. It calls the `bed` beside this program.
 */
#include "oracles/inv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATH_SIZE 1024
#define TEXT_SIZE ((size_t)1 << 20)

static char tool[PATH_SIZE], folder[PATH_SIZE], root[PATH_SIZE];
static char out[TEXT_SIZE], err[TEXT_SIZE]; /* what the last call said */

static const char *in_folder(const char *name)
{
    static char path[8][PATH_SIZE * 2];
    static size_t next;
    char *at = path[next++ % 8];
    snprintf(at, sizeof(path[0]), "%s/%s", folder, name);
    return at;
}

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(name), "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void read_text(const char *name, char text[TEXT_SIZE])
{
    FILE *file = fopen(in_folder(name), "rb");
    assert_non_null(file);
    size_t len = fread(text, 1, TEXT_SIZE - 1, file);
    text[len] = '\0';
    fclose(file);
}

/* `bed matrix` in that folder, with up to two arguments; returns its exit status. */
static int call(const char *place, const char *option, const char *argument)
{
    int status;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        int to = open(in_folder("stdout"), O_WRONLY | O_CREAT | O_TRUNC, 0644);
        int to_err = open(in_folder("stderr"), O_WRONLY | O_CREAT | O_TRUNC, 0644);
        if (to < 0 || to_err < 0 || dup2(to, 1) < 0 || dup2(to_err, 2) < 0 || chdir(place) != 0)
            _exit(99);
        execl(tool, tool, "matrix", option, argument, (char *)NULL);
        _exit(98);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    read_text("stdout", out);
    read_text("stderr", err);
    return WEXITSTATUS(status);
}

static void stands(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("`%s' does not stand in:\n%s%s", part, out, err);
}

#define HEAD "# ratchet: untied 0\n# ratchet: no-case 0\n# ratchet: no-mutant 0\n"
#define LINE "R-DEM-001\tMUST\twirebed\tsome section\tThe first.\tBYT-001\tone/a.hex\tone/m\n"

/* A small tree in which all is well but for invariants that kill nothing. */
static void tree(void)
{
    write_text("corpus/one/a.hex", "# One.\n00\n");
    write_text("ci/mutants/one/m.patch", "It breaks.\n");
    write_text("ci/mutants/kills.tsv", "# kills\none/m\tBYT-001\tone/a.hex\t3\n");
    write_text("oracles/requirements.tsv", HEAD LINE);
}

/* ---- the committed files --------------------------------------------------------------------- */

static void the_committed_one_holds(void **state)
{
    (void)state;
    if (call(root, NULL, NULL) != 0)
        fail_msg("%s%s", out, err);
    assert_null(strstr(out, "ABOVE"));
    const char *counts = strstr(out, " MUST, ");
    assert_non_null(counts);
    while (counts > out && counts[-1] != '\n')
        counts--;
    print_message("%s", counts);
}

/* Every one is asked for, and what the file ties it to is an answer. */
static void every_invariant_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < inv_count(); i += 16) {
        const struct inv_desc *inv = inv_at(i);
        assert_int_equal(call(root, "--invariant", inv->id), 0);
        stands(out, inv->text);
        stands(out, "  R-");
    }
}

/* ---- answers --------------------------------------------------------------------------------- */

static void what_is_tied_is_told(void **state)
{
    (void)state;
    tree();
    assert_int_equal(call(folder, NULL, NULL), 0);
    stands(out, "R-DEM-001 MUST: wirebed, some section\n  The first.\n    BYT-001, 1 case\n");
    stands(out, "one/m                                        BYT-001, 3 inputs\n");
    stands(out, "invariants without a kill:\n");
    stands(out, "  untied          0, at most 0\n");
    assert_int_equal(call(folder, "--requirement", "R-DEM-001"), 0);
    stands(out, "R-DEM-001 MUST");
    assert_null(strstr(out, "invariants without"));
    assert_int_equal(call(folder, "--invariant", "BYT-001"), 0);
    stands(out, "  R-DEM-001 The first.\n    one/m ");
    assert_int_equal(call(folder, "--requirement", "R-DEM-002"), 2);
    assert_int_equal(call(folder, "--invariant", "DEM-001"), 2);
    assert_int_equal(call(folder, "more", NULL), 2);
}

static void json_has_the_same(void **state)
{
    (void)state;
    tree();
    assert_int_equal(call(folder, "--json", NULL), 0);
    stands(out, "{\"requirements\": [\n  {\"id\": \"R-DEM-001\", \"level\": \"MUST\"");
    stands(out, "\"cases\": [\"one/a.hex\"]");
    stands(out, "{\"mutant\": \"one/m\", \"killer\": \"BYT-001\", \"file\": \"one/a.hex\", "
                "\"inputs\": 3, \"shown\": true}");
    stands(out, "\"untied\": {\"count\": 0, \"most\": 0}");
    stands(out, "\"unkilled\": {\"count\": ");
}

static void a_count_above_its_ratchet(void **state)
{
    static const struct {
        const char *lines, *told;
    } above[] = {
        {"R-DEM-002\tMAY\tx\ty\tz\t-\t-\t-\n", "requirements tied to nothing:\n  R-DEM-002 z\n"},
        {"R-DEM-002\tMUST\tx\ty\tz\tBYT-001\t-\tone/m\n", "without a case:\n  R-DEM-002 z\n"},
        {"R-DEM-002\tMUST\tx\ty\tz\tBYT-001\tone/a.hex\t-\n", "without a mutant:\n  R-DEM-002"},
        {"# ratchet: unshown 0\nR-DEM-002\tMUST\tx\ty\tz\tBYT-002\t-\tone/m\n", "something else:"},
        {"# ratchet: unkilled 1\n", "  BYT-002 "},
        {"# ratchet: unrequired 1\n", "that no requirement names:\n"},
    };
    char text[4096];

    (void)state;
    for (size_t i = 0; i < sizeof(above) / sizeof(above[0]); i++) {
        tree();
        snprintf(text, sizeof(text), "%s%s%s", HEAD, LINE, above[i].lines);
        write_text("oracles/requirements.tsv", text);
        assert_int_equal(call(folder, NULL, NULL), 1);
        stands(out, above[i].told);
        stands(out, "ABOVE ITS RATCHET");
    }
}

static void empty_files_are_well(void **state)
{
    (void)state;
    tree();
    write_text("oracles/requirements.tsv", "");
    write_text("ci/mutants/kills.tsv", "");
    assert_int_equal(call(folder, NULL, NULL), 0);
    stands(out, "0 MUST, 0 SHOULD, 0 MAY; 1 mutants, 0 kills on record\n");
    stands(out, "without a kill on record");
}

static void a_retired_one_counts_nowhere(void **state)
{
    (void)state;
    tree();
    write_text("oracles/requirements.tsv",
               HEAD LINE "R-DEM-002\tMUST\tx\ty\tretired: z\t-\tgone.hex\t-\n");
    assert_int_equal(call(folder, NULL, NULL), 0);
    stands(out, "1 MUST, 0 SHOULD, 0 MAY");
}

static void a_test_may_plant_the_bug(void **state)
{
    (void)state;
    tree();
    write_text("targets/test_x.c", "\n");
    write_text("ci/mutants/kills.tsv", "one/m\tBYT-001\tone/a.hex\t3\n"
                                       "targets/test_x.c\tBYT-002\tone_test\t1\n"
                                       "targets/test_x.c\tBYT-003\tother_test\t1\n");
    write_text("oracles/requirements.tsv",
               HEAD LINE "R-DEM-002\tMUST\tx\ty\tz\tBYT-003\tone/a.hex\ttargets/test_x.c\n");
    assert_int_equal(call(folder, NULL, NULL), 0);
    stands(out, "BYT-003, other_test\n");
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void refused(const char *file, const char *text, const char *rule)
{
    tree();
    write_text(file, text);
    assert_int_equal(call(folder, NULL, NULL), 2);
    assert_string_equal(out, "");
    stands(err, rule);
}

static void broken_lines_of_requirements(void **state)
{
    static const struct {
        const char *line, *rule;
    } broken[] = {
        {"R-DEM-002\tMUST\tx\ty\tz\t-\t-\n", "eight fields with tabs between, here are fewer"},
        {"R-DEM-002\tMUST\tx\ty\tz\t-\t-\t-\t-\n", "eight fields with tabs between, here are more"},
        {"R-DEM-002\tMUST\t\ty\tz\t-\t-\t-\n", "an empty field"},
        {"\n", "an empty field"},
        {"DEM-002\tMUST\tx\ty\tz\t-\t-\t-\n", "an id is like R-RPL-014, not `DEM-002'"},
        {"R-DEM-0022\tMUST\tx\ty\tz\t-\t-\t-\n", "an id is like"},
        {"R-dem-002\tMUST\tx\ty\tz\t-\t-\t-\n", "an id is like"},
        {"R-DEM-001\tMUST\tx\ty\tz\t-\t-\t-\n", "the id was given before: `R-DEM-001'"},
        {"R-DEM-002\tmust\tx\ty\tz\t-\t-\t-\n", "a level is MUST, SHOULD or MAY, not `must'"},
        {"R-DEM-002\tMUST\tx\ty\tz\tDEM-001\t-\t-\n", "there is no invariant `DEM-001'"},
        {"R-DEM-002\tMUST\tx\ty\tz\tBYT-001  BYT-002\t-\t-\n", "single blanks between"},
        {"R-DEM-002\tMUST\tx\ty\tz\tBYT-001 BYT-001\t-\t-\n", "named twice: `BYT-001'"},
        {"R-DEM-002\tMUST\tx\ty\tz\t-\tone/b.hex\t-\n", "there is no file `corpus/one/b.hex'"},
        {"R-DEM-002\tMUST\tx\ty\tz\t-\t-\tone/n\n", "there is no file `ci/mutants/one/n.patch'"},
        {"R-DEM-002\tMUST\tx\ty\tz\t-\t-\ttargets/test_y.c\n", "no file `targets/test_y.c'"},
        {"# ratchet: other 1\n", "there is no ratchet `other'"},
        {"# ratchet: unkilled\n", "no number behind the ratchet `unkilled'"},
        {"# ratchet: unkilled 1x\n", "no number behind"},
        {"# ratchet: untied 1\n", "a ratchet is stated once: `untied'"},
    };
    char text[4096];

    (void)state;
    for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
        snprintf(text, sizeof(text), "%s%s%s", HEAD, LINE, broken[i].line);
        refused("oracles/requirements.tsv", text, "bed: oracles/requirements.tsv:5: ");
        stands(err, broken[i].rule);
    }
}

static void broken_lines_of_kills(void **state)
{
    static const struct {
        const char *line, *rule;
    } broken[] = {
        {"one/m\tBYT-001\tone/a.hex\n", "four fields with tabs between"},
        {"one/m\tBYT-001\tone/a.hex\t1\t1\n", "four fields with tabs between"},
        {"one/m\tBYT-001\tone/a.hex\t-\n", "no number of inputs: `-'"},
        {"one/m\tDEM-001\tone/a.hex\t1\n", "there is no invariant `DEM-001'"},
        {"one/n\tBYT-001\tone/a.hex\t1\n", "there is no mutant `one/n'"},
        {"one/m\tBYT-001\tone/b.hex\t1\n", "there is no file `one/b.hex'"},
        {"targets/test_y.c\tBYT-001\tx\t1\n", "there is no test `targets/test_y.c'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
        refused("ci/mutants/kills.tsv", broken[i].line, "bed: ci/mutants/kills.tsv:1: ");
        stands(err, broken[i].rule);
    }
}

static void files_that_are_missing(void **state)
{
    (void)state;
    tree();
    assert_int_equal(unlink(in_folder("ci/mutants/kills.tsv")), 0);
    assert_int_equal(call(folder, NULL, NULL), 2);
    stands(err, "ci/mutants/kills.tsv");
    tree();
    assert_int_equal(unlink(in_folder("oracles/requirements.tsv")), 0);
    assert_int_equal(call(folder, NULL, NULL), 2);
    stands(err, "oracles/requirements.tsv");
}

/* ---- where ----------------------------------------------------------------------------------- */

static int make_folder(void **state)
{
    static const char *const parts[] = {"oracles", "ci",         "ci/mutants", "ci/mutants/one",
                                        "corpus",  "corpus/one", "targets"};
    char self[PATH_SIZE];

    (void)state;
    ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
    assert_true(len > 0);
    self[len] = '\0';
    *strrchr(self, '/') = '\0';
    assert_true(snprintf(tool, sizeof(tool), "%s/bed", self) < (int)sizeof(tool));
    assert_non_null(getcwd(root, sizeof(root)));
    snprintf(folder, sizeof(folder), "/tmp/test_matrix.XXXXXX");
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        assert_int_equal(mkdir(in_folder(parts[i]), 0755), 0);
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st;
    (void)kind;
    (void)where;
    return remove(path);
}

static int remove_folder(void **state)
{
    (void)state;
    return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_committed_one_holds),      cmocka_unit_test(every_invariant_answers),
        cmocka_unit_test(what_is_tied_is_told),         cmocka_unit_test(json_has_the_same),
        cmocka_unit_test(a_count_above_its_ratchet),    cmocka_unit_test(empty_files_are_well),
        cmocka_unit_test(a_retired_one_counts_nowhere), cmocka_unit_test(a_test_may_plant_the_bug),
        cmocka_unit_test(broken_lines_of_requirements), cmocka_unit_test(broken_lines_of_kills),
        cmocka_unit_test(files_that_are_missing),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
