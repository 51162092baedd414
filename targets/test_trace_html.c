/*
 * test_trace_html.c: the page of a run, without a browser: well-formed, in need of nothing else,
 * complete, harmless whatever the values are, and the same bytes each time. The tool is the `bed`
 * beside this program, or the one that WIREBED_BED names.
 */
#include "core/reply/reply.h"
#include "targets/test_page.h"

#define CASES "corpus/reply_boundary/cases/"

/* Of a run that passes; the caller's to free. */
static char *page_of(const char *path)
{
    return printed(call(root, "trace", "--html", path, NULL), 0);
}

static size_t count_of(const char *page, const char *text)
{
    size_t n = 0;
    for (const char *at = page; (at = strstr(at, text)) != NULL; at++)
        n++;
    return n;
}

/* Nothing comes from elsewhere, nothing runs, and what accessibility asks of any page is there. */
static void check_page(const char *page)
{
    static const char *const banned[] = {"//", " href=", "<script", "file:", NULL};
    static const char *const wanted[] = {"<html lang=\"en\">",
                                         "<title>",
                                         "<h1>",
                                         "<meta charset=\"utf-8\"/>",
                                         "width=device-width, initial-scale=1",
                                         "prefers-color-scheme:dark",
                                         "<main>"};

    check_page_alone(page);
    has_none(page, banned);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        has(page, wanted[i]);
    assert_int_equal(count_of(page, "url("), count_of(page, "url(#"));
    assert_int_equal(count_of(page, "<h1>"), 1);
    for (const char *at = page; (at = strstr(at, " id=\"")) != NULL; at++) {
        char id[64];
        snprintf(id, sizeof id, "%.*s\"", (int)(5 + strcspn(at + 5, "\"")), at);
        assert_int_equal(count_of(page, id), 1);
    }
    assert_int_equal(count_of(page, "<svg "),
                     count_of(page, "role=\"img\"") + count_of(page, "aria-hidden=\"true\""));
}

/* ---- tests ---- */

static void every_seed_has_a_page(void **state)
{
    (void)state;
    for (size_t i = 0; i < fuzz_target_count(); i++) {
        char seeds[256], error[CORPUS_ERROR_MAX];
        char **paths;
        size_t count;
        if (strcmp(fuzz_target_at(i)->name, "canary") == 0)
            continue;
        snprintf(seeds, sizeof seeds, "corpus/%s/seeds", fuzz_target_at(i)->name);
        if (access(seeds, R_OK) != 0)
            continue;
        assert_true(corpus_find(seeds, &paths, &count, error));
        for (size_t k = 0; k < count; k++) {
            char *page = page_of(paths[k]);
            check_page(page);
            free(page);
        }
        corpus_paths_free(paths, count);
    }
}

/* Each time and each state that the plain trace names stands in the drawing and in the words. */
static void nothing_of_the_trace_is_missing(void **state)
{
    static const char *const paths[] = {CASES "case-107-late-reply-is-drained.scn",
                                        CASES "case-115-owed-too-often.scn",
                                        "corpus/reply_boundary/seeds/both-late.scn"};
    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        char *page = page_of(paths[i]), *rest;
        char *trace = rest = printed(call(root, "trace", paths[i], NULL), 0);
        const char *story = strstr(page, "<h2>What happened"); /* behind the legend */
        size_t states = 0, times = 0;
        assert_non_null(story);
        for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
            char text[64];
            unsigned long long ms = 0;
            unsigned us = 0, conn = 0, from = 0, to = 0;
            if (sscanf(line, " %llu.%3u ms", &ms, &us) != 2 || us != 0)
                continue;
            times++;
            snprintf(text, sizeof text, ">%llu ms</text>", ms);
            has(story, text);
            snprintf(text, sizeof text, "<span class=\"t\">%llu ms</span>", ms);
            has(story, text);
            if (sscanf(line, "%*s ms state c%u from %u to %u", &conn, &from, &to) != 3)
                continue;
            states++;
            snprintf(text, sizeof text, ">%s</text>", wb_reply_state_name((int)to));
            has(story, text);
            snprintf(text, sizeof text, "It is now <b>%s</b>", wb_reply_state_name((int)to));
            has(story, text);
        }
        assert_true(times > 10 && states > 3);
        free(trace);
        free(page);
    }
}

static void a_page_says_what_happened(void **state)
{
    static const char *const wanted[] = {
        "<h1>timeout mid value; rest drained, next reply is its own</h1>",
        "<b>Passed.</b>",
        "get s0 how=0x1",
        "lit s0 &#34;VA 10\\r\\nabc&#34;",
        "The wait ends with a <b>timeout</b>",
        "waits for bytes until 100 ms",
        "nothing there (EAGAIN)",
        "10 bytes &#34;VA 10\\r\\nabc&#34;",
        "100 ms pass.",
        "VA 3 bytes",
        "WB_TIMEOUT",
        "<h2>How to read it</h2>",
        "<summary>The plain trace</summary>",
        "c0 VA 3 &#60;new&#62;"};
    char *page = page_of(CASES "case-109-timeout-mid-value.scn");

    (void)state;
    check_page(page);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        has(page, wanted[i]);
    has(page, " pending</text>");
    free(page);
}

static void a_race_shows_threads_and_what_they_share(void **state)
{
    static const char *const wanted[] = {">Writer</text>",
                                         ">Reader s1</text>",
                                         "The writer publishes, release: <b>mark 3</b>",
                                         "<b>The writer is preempted</b>: Reader s1 goes on.",
                                         ">preempted</text>",
                                         "now: <b>pins 1</b>",
                                         "Reader s1 loads, seq_cst: <b>head is segment 2</b>",
                                         ">3 replaces 2</text>",
                                         "<b>gives segment 2 back</b>",
                                         "Reader s1 reads bytes 3 to 8 of segment 3.",
                                         "mark 8, WB_END",
                                         "<b>Passed.</b>",
                                         "<h2>What the readers got</h2>"};
    char *page = page_of("corpus/frame_race/cases/growth-between-load-and-reference.scn");
    char *held = page_of("corpus/frame_race/cases/head-behind-the-look.scn");

    (void)state;
    check_page(page);
    check_page(held);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        has(page, wanted[i]);
    has(held, "That is <b>held back</b>");
    has(held, "held back lands: <b>");
    free(page);
    free(held);
}

static void values_are_never_markup(void **state)
{
    static const char scenario[] =
        "# <b>a & \"lesson\"</b>\n"
        "mute s0\n"
        "get s0\n"
        "lit s0 \"VA 19\\r\\n<script>&amp;'\" 00 1b 7f c2 80 ff c3 bc \"\\r\\n\"\n";

    (void)state;
    write_text(in_folder("values.scn"), scenario);
    char *page = printed(
        call(root, "trace", "--html", "--target", "reply_boundary", in_folder("values.scn"), NULL),
        0);
    check_page(page);
    has(page, "<title>&#60;b&#62;a &#38; &#34;lesson&#34;&#60;/b&#62;</title>");
    has(page, "&#60;script&#62;&#38;amp;&#39;");
    has(page, "\\x00\\x1b\\x7f");
    free(page);
}

static void a_run_of_announces_shows_who_tells_and_who_sees(void **state)
{
    char *page = page_of("corpus/announce/cases/withheld-mount.scn");

    (void)state;
    check_page(page);
    has(page, ">Publisher<");
    has(page, ">Viewer<");
    has(page, "sees: START 0 /a node 1");
    has(page, "FLOOR 5 of node 1");
    has(page, "FLOOR 0 of node 1");
    has(page, "Withheld from <b>a0</b>: /b of node 1: mounted, not accepted");
    has(page, "/b of node 1 no longer");
    free(page);
}

static void a_chain_shows_links_relays_and_what_is_held(void **state)
{
    char *page = page_of("corpus/announce/cases/chain-crossing.scn");

    (void)state;
    check_page(page);
    has(page, ">Origin O, node 8<");
    has(page, ">Relay A, node 2<");
    has(page, ">Relay B, node 3<");
    has(page, ">Viewer V, node 9<");
    has(page, ">O to A<");
    has(page, ">B to A<");
    has(page, "card lost");
    has(page, "id 2 /b, cost 2");
    has(page, "floor of 8: 3");
    has(page, "by A seqno 1 metric 2 floor 0 held:/a held:/b");
    has(page, "V sees: END 0 /a node 8");
    has(page, "The session of O and A is lost.");
    free(page);
    page = page_of("corpus/announce/cases/chain-cut-between.scn");
    check_page(page);
    free(page);
}

static void the_same_run_gives_the_same_page(void **state)
{
    char *first = page_of("corpus/reply_boundary/seeds/both-late.scn");
    char *second = page_of("corpus/reply_boundary/seeds/both-late.scn");

    (void)state;
    assert_string_equal(first, second);
    free(first);
    free(second);
}

static void a_run_that_fails_has_a_page_too(void **state)
{
    const struct inv_desc *inv = inv_find("BED-006");
    char *page = printed(call(root, "trace", "--html", "corpus/canary/seeds/fail.hex", NULL), 1);

    (void)state;
    check_page(page);
    has(page, "<b>Failed: BED-006</b>");
    has(page, inv->text);
    has(page, "<summary>The report of the failure</summary>");
    free(page);
}

static void it_writes_where_it_is_told(void **state)
{
    static const char path[] = CASES "case-109-timeout-mid-value.scn";
    const char *out = in_folder("page.html");
    char *page = page_of(path);

    (void)state;
    expect(call(root, "trace", "--html", path, "-o", out, NULL), 0, NULL, NULL);
    char *written = read_file(out, NULL);
    assert_string_equal(written, page);
    free(written);
    free(page);

    expect(call(root, "trace", "--html", "no/such/file.scn", NULL), 2, NULL, NULL);
    expect(call(root, "trace", "--html", path, "-o", "/nowhere/at/all.html", NULL), 2, NULL, NULL);
    expect(call(root, "trace", path, "-o", out, NULL), 2, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_seed_has_a_page),
        cmocka_unit_test(nothing_of_the_trace_is_missing),
        cmocka_unit_test(a_page_says_what_happened),
        cmocka_unit_test(a_race_shows_threads_and_what_they_share),
        cmocka_unit_test(values_are_never_markup),
        cmocka_unit_test(a_run_of_announces_shows_who_tells_and_who_sees),
        cmocka_unit_test(a_chain_shows_links_relays_and_what_is_held),
        cmocka_unit_test(the_same_run_gives_the_same_page),
        cmocka_unit_test(a_run_that_fails_has_a_page_too),
        cmocka_unit_test(it_writes_where_it_is_told),
    };
    return cmocka_run_group_tests_name("trace_html", tests, find_tool, clean_up) != 0;
}
