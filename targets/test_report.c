/*
 * test_report.c: the report's page, without a browser: well-formed, in need of nothing else, its
 * ids given once, its links leading somewhere, each target and each regression on it; with
 * everything measured and with nothing. The tool is the `bed` beside this program, or the one that
 * WIREBED_BED names.
 */
#include "targets/test_page.h"

/* ---- making pages ---------------------------------------------------------------------------- */

static void put_file(const char *name, const char *text)
{
    write_text(in_folder(name), text);
}

/* What `bed report` makes of the folder, of all targets or one; the caller's to free. */
static char *make_page(const char *only)
{
    const char *path = in_folder("page.html");

    expect(call(root, "report", "--data", folder, "-o", path, only != NULL ? "--target" : NULL,
                only, NULL),
           0, NULL, NULL);
    return read_file(path, NULL);
}

/* ---- what a page is -------------------------------------------------------------------------- */

struct names {
    char **at;
    size_t count, room;
};

static void names_add(struct names *n, const char *begin, size_t len)
{
    if (n->count == n->room) {
        n->room = n->room > 0 ? 2 * n->room : 1024;
        n->at = realloc(n->at, n->room * sizeof *n->at);
        assert_non_null(n->at);
    }
    n->at[n->count] = strndup(begin, len);
    assert_non_null(n->at[n->count++]);
}

static int by_text(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

static void names_free(struct names *n)
{
    for (size_t i = 0; i < n->count; i++)
        free(n->at[i]);
    free(n->at);
}

/* All values of an attribute, sorted. */
static struct names values_of(const char *page, const char *attribute)
{
    struct names n = {0};
    size_t len = strlen(attribute);

    for (const char *at = page; (at = strstr(at, attribute)) != NULL;) {
        at += len;
        names_add(&n, at, strcspn(at, "\""));
    }
    qsort(n.at, n.count, sizeof *n.at, by_text);
    return n;
}

/* Ids are given once, and every link is to one of them; returns false when not, telling once. */
static bool has_sound_links(const char *page, bool is_told)
{
    struct names ids = values_of(page, " id=\""), links = values_of(page, " href=\"");
    bool ok = links.count > 0;

    for (size_t i = 1; i < ids.count; i++) {
        if (strcmp(ids.at[i - 1], ids.at[i]) == 0) {
            ok = false;
            if (is_told)
                print_error("the id %s is given twice\n", ids.at[i]);
        }
    }
    for (size_t i = 0; i < links.count; i++) {
        const char *to = links.at[i][0] == '#' ? links.at[i] + 1 : NULL;

        if (to != NULL && bsearch(&to, ids.at, ids.count, sizeof *ids.at, by_text) != NULL)
            continue;
        ok = false;
        if (is_told)
            print_error("a link leads nowhere: %s\n", links.at[i]);
    }
    names_free(&ids);
    names_free(&links);
    return ok;
}

static bool is_well_formed(const char *page)
{
    const char *at;
    return page_error(page, &at) == NULL;
}

static void check_page(const char *page)
{
    check_page_alone(page);
    assert_true(has_sound_links(page, true));
}

static const char *const sections[] = {"targets", "core",        "requirements", "oracles",
                                       "mutants", "regressions", "bench",        "vet"};

static void check_sections(const char *page)
{
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        char text[64];

        snprintf(text, sizeof text, "<section id=\"%s\"", sections[i]);
        has(page, text);
    }
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void each_target_is_on_it(const char *page)
{
    for (size_t i = 0; i < fuzz_target_count(); i++) {
        char text[128];

        snprintf(text, sizeof text, "<h3>%s <span class=\"pill\">", fuzz_target_at(i)->name);
        if (strcmp(fuzz_target_at(i)->name, "canary") != 0)
            has(page, text);
    }
}

static void each_regression_is_on_it(const char *page)
{
    size_t seen = 0;

    for (size_t i = 0; i < fuzz_target_count(); i++) {
        char path[256], error[CORPUS_ERROR_MAX], text[512];
        char **paths;
        size_t count;

        if (strcmp(fuzz_target_at(i)->name, "canary") == 0)
            continue;
        snprintf(text, sizeof text, "<code>build/bed trace corpus/%s/", fuzz_target_at(i)->name);
        snprintf(path, sizeof path, "corpus/%s/regress", fuzz_target_at(i)->name);
        if (access(path, R_OK) != 0)
            continue;
        has(page, text);
        assert_true(corpus_find(path, &paths, &count, error));
        for (size_t k = 0; k < count; k++) {
            snprintf(text, sizeof text, "<code>build/bed trace %s</code>", paths[k]);
            has(page, text);
            seen++;
        }
        corpus_paths_free(paths, count);
    }
    assert_true(seen > 200);
}

static void with_nothing_measured_it_says_so(void **state)
{
    char *page = make_page(NULL);

    (void)state;
    check_page(page);
    check_sections(page);
    has(page, "not measured yet: <code>make cov</code>");
    has(page, "not measured yet: <code>make mutants</code>");
    has(page, "not measured yet: <code>make bench</code>");
    has(page, "not measured yet: <code>make vet BASE=...</code>");
    has(page, "Nothing was gathered yet");
    each_target_is_on_it(page);
    each_regression_is_on_it(page);
    free(page);
}

/* A little of everything, with markup where a careless page would let it through. */
static void put_everything(void)
{
    put_file("facts.tsv", "revision\tabc\nsubject\tarea: <b>a & b</b>\ndate\t2026-01-02 03:04\n"
                          "changed\t0\nfound\tvarint VAR-001\nfailing\tbuild/found/varint/a.hex\n"
                          "failing\tbuild/found/varint/b.hex\npassing\tbuild/found/varint/c.hex\n"
                          "above\tno-case 9 8\n");
    put_file("fuzz.tsv", "step\tvarint\tcorpus\t10\t70\nstep\tvarint\tcorpus\t20000\t90\n"
                         "run\tvarint\tcorpus\t20000\t61234\t90\t30\n"
                         "step\tvarint\tnothing\t2\t4\nstep\tvarint\tnothing\t20000\t85\n"
                         "run\tvarint\tnothing\t20000\t50000\t85\t20\n");
    put_file("soak.tsv", "varint\t123456789\t91\n");
    put_file("planted.tsv", "mutants/varint/no-mark\tThe <mark> is forgotten.\n"
                            "mutants/varint/odd\tAn odd one.\nhunt/varint/late\tA late one.\n");
    put_file("kills.tsv", "# a comment\nvarint/no-mark\tVAR-001\tcases/x.hex\t12\n");
    put_file("covered.txt", "core/base/buf.c 66 66 44 35\ncore/media/pool.c 201 200 0 0\n");
    put_file("floors.txt", "core/base/buf.c 100.0 80.0\n");
    put_file("mutate.tsv", "# head\ncore/base/buf.c\t*\t13\t11\t91.6\n"
                           "core/base/buf.c\twb_buf_add\tff\t10\t8\tx-1\t-\ty-2 y-3\n"
                           "core/base/buf.c\twb_buf_fini\tfe\t3\t3\t-\t-\t-\n");
    put_file("bench.tsv",
             "windows\tjoin\tinstructions\t746.7\tinstructions\t<=1000\tok\n"
             "windows\tjoin\theld\t9\tB\t-\tok\nwindows\tpeak\tleft\t5\tB\t=0\tshort\n");
    put_file("history.tsv", "# head\n2026-01-01\tabc\twindows\tjoin instructions\t800\t<=1000\tx\n"
                            "2026-01-02\tabd\twindows\tjoin instructions\t746.7\t<=1000\tx\n");
    put_file("vet.json",
             "{\"form\":2,\"base\":\"HEAD~1\",\"head\":\"abc\",\"inputs\":30,\"alike\":28,"
             "\"unreviewed\":1,\"differences\":[{\"id\":\"varint:more:steps\",\"target\":"
             "\"varint\",\"state\":\"UNREVIEWED\",\"sentence\":\"more <steps>\",\"inputs\":2,"
             "\"witness\":\"40\\n\",\"line\":3,\"old\":\"a\",\"new\":\"b\",\"cost\":[1,2000,3]}],"
             "\"no_longer\":[],\"notes\":\"one\\ntwo\"}\n");
}

static void with_everything_measured_it_shows_it(void **state)
{
    static const char *const wanted[] = {
        "area: &#60;b&#62;a &#38; b&#60;/b&#62;",
        "1 fuzzer found something",
        "2 files in build/found/ that fail",
        "1 file in build/found/ that passes by now",
        "count of <code>bed matrix</code> above its",
        "61\xe2\x80\xaf"
        "234",
        "123\xe2\x80\xaf"
        "456\xe2\x80\xaf"
        "789",
        "90 after 20000 from the corpus, 85 after 20000 from nothing",
        "The &#60;mark&#62; is forgotten.",
        "<a href=\"#inv-VAR-001\">VAR-001</a>, input 12",
        "no kill on record",
        "<code>wb_buf_add</code>&#160;2",
        "91.6",
        "746.7 ",
        "class=\"spark\"",
        "<span class=\"pill warn\">1 short</span>",
        "2\xe2\x80\xaf"
        "000, was 1",
        "more &#60;steps&#62;",
        "The runs part at line 3.",
    };
    (void)state;
    put_everything();
    char *page = make_page("varint");
    check_page(page);
    check_sections(page);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        has(page, wanted[i]);
    assert_null(strstr(page, "<mark>"));
    free(page);
}

/* The checks themselves: each is seen to say no. */
static void a_page_that_is_broken_is_seen(void **state)
{
    static const char head[] = "<!DOCTYPE html>\n";
    char page[256];

    (void)state;
    snprintf(page, sizeof page, "%s<p id=\"a\"><a href=\"#a\">x</a></p>", head);
    assert_true(is_well_formed(page) && has_sound_links(page, true));
    snprintf(page, sizeof page, "%s<p id=\"a\"><a href=\"#b\">x</a></p>", head);
    assert_false(has_sound_links(page, false));
    snprintf(page, sizeof page, "%s<p id=\"a\"><a id=\"a\" href=\"#a\">x</a></p>", head);
    assert_false(has_sound_links(page, false));
    snprintf(page, sizeof page, "%s<p><b>x</p></b>", head);
    assert_false(is_well_formed(page));
    snprintf(page, sizeof page, "%s<p>a & b</p>", head);
    assert_false(is_well_formed(page));
    snprintf(page, sizeof page, "%s<p>", head);
    assert_false(is_well_formed(page));
}

/* What was asked for by name must be there, and what is there must be as it should. */
static void what_it_cannot_read_is_an_error(void **state)
{
    (void)state;
    const char *page = in_folder("none.html");
    expect(call(root, "report", "--data", in_folder("typo"), "-o", page, NULL), 2, NULL, "/typo: ");
    assert_int_equal(mkdir(in_folder("oracles"), 0700), 0);
    put_file("oracles/requirements.tsv", "R-VAR-001\tMUST\n");
    expect(call(folder, "report", "-o", page, NULL), 2, NULL, "requirements.tsv:1: ");
    assert_false(is_there(page));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_nothing_measured_it_says_so),
        cmocka_unit_test(with_everything_measured_it_shows_it),
        cmocka_unit_test(a_page_that_is_broken_is_seen),
        cmocka_unit_test(what_it_cannot_read_is_an_error),
    };
    return cmocka_run_group_tests_name("report", tests, find_tool, clean_up) != 0;
}
