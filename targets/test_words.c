/*
 * The contracts of targets/words/words.h: a dictionary follows the tables it is made from, each of
 * its messages is whole, and no word stands twice, in it or in the corpus beside it.
 */
#include "core/reply/reply.h"
#include "core/route/announce.h"
#include "oracles/ref_announce.h"
#include "targets/reply/shapes.h"
#include "targets/words/words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *const wire[] = {"reply_wire", "reply_classic", "reply_limits", "announce_wire",
                                   "ingest"};

/* The words of a target as a text, valid until the next call. */
static const char *text_of(const char *target)
{
    static char text[1 << 16];
    struct wb_buf out;

    wb_buf_init(&out, wb_mem_libc(), sizeof text - 1);
    assert_int_equal((int)words_of(target, &out), WB_OK);
    if (out.len > 0)
        memcpy(text, out.data, out.len);
    text[out.len] = '\0';
    wb_buf_fini(&out);
    return text;
}

static void assert_word(const char *target, const char *word)
{
    char line[256];
    (void)snprintf(line, sizeof line, "=\"%s\"\n", word);
    if (strstr(text_of(target), line) == NULL)
        fail_msg("%s has no word \"%s\"", target, word);
}

static void test_escapes_what_an_engine_would_read_otherwise(void **state)
{
    struct wb_buf out;
    (void)state;

    wb_buf_init(&out, wb_mem_libc(), 100);
    assert_int_equal((int)words_put(&out, "n", wb_view_text("a \"\\\x01\xff")), WB_OK);
    assert_true(wb_view_equal(wb_buf_view(&out), wb_view_text("n=\"a \\x22\\x5c\\x01\\xff\"\n")));
    wb_buf_fini(&out);
}

static void test_has_each_code_of_a_reply(void **state)
{
    static const char *const codes[] = {
#define TEXT(name) #name,
        WB_REPLY_CODE_LIST(TEXT)
#undef TEXT
    };
    (void)state;

    for (int code = 0; code < WB_REPLY_CODE_COUNT; code++) {
        for (size_t t = 0; t < 3; t++) {
            char line[64];
            (void)snprintf(line, sizeof line, "code_%s=\"%s", codes[code], codes[code]);
            if ((strstr(text_of(wire[t]), line) != NULL) != (code != WB_REPLY_NUMBER))
                fail_msg("%s: %s", wire[t], codes[code]);
        }
    }
    assert_word("reply_wire", "VA ");
    assert_word("reply_wire", "EN\\x0d\\x0a");
    assert_word("reply_classic", "END\\x0d\\x0a");
}

static void assert_asked(const char *target, const char *before, struct wb_view text, bool is_there)
{
    uint8_t word[512];
    struct wb_buf line;
    size_t len = strlen(before);

    assert_in_range(len + text.len, 1, sizeof word);
    memcpy(word, before, len);
    if (text.len > 0)
        memcpy(word + len, text.data, text.len);
    wb_buf_init(&line, wb_mem_libc(), 4096);
    assert_int_equal((int)words_put(&line, "", wb_view_of(word, len + text.len)), WB_OK);
    assert_int_equal((int)wb_buf_add_u8(&line, 0), WB_OK);
    if ((strstr(text_of(target), (const char *)line.data) != NULL) != is_there)
        fail_msg("%s: %s %s", target, is_there ? "lacks" : "has", (const char *)line.data);
    wb_buf_fini(&line);
}

static void test_has_what_requests_ask_back(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SHAPES_COUNT; i++) {
        const struct wb_reply_shape *shape = &shapes_at(i)->shape;
        const char *target = wire[i / 16], *before = shape->until_end ? " " : " k";
        for (size_t k = 0; k < shape->keys_count && k < 3; k++)
            assert_asked(target, before, shape->keys[k],
                         strlen(before) + shape->keys[k].len <= WORDS_MAX);
        if (shape->opaque.len > 0)
            assert_asked(target, " O", shape->opaque, true);
    }
    assert_asked("reply_wire", " ", wb_view_text("nokey"), false); /* of another family */
}

static struct ref_announce model;

/* Is that body neither too short nor too long, and one byte less too short? */
static void assert_whole(unsigned draft, uint8_t type, uint8_t byte)
{
    const struct ref_announce_rules rules = {
        .draft = draft, .max_claims = 9, .max_routes = 9, .max_path_bytes = 1 << 20};
    uint8_t stream[5 + WORDS_MAX] = {2, 7, 0, type};
    char name[32];
    size_t size = 0;

    assert_true(words_body(draft, type, byte, &size));
    assert_in_range(size, 1, 63);
    memset(stream + 5, byte, size);
    for (size_t less = 0; less < 2; less++) {
        stream[4] = (uint8_t)(size - less);
        ref_announce_read(&rules, wb_view_of(stream, 5 + size - less), true, &model);
        assert_true((model.status == WB_E_SHORT) == (less == 1));
        assert_true(model.status != WB_E_LONG && model.status != WB_E_TRUNCATED &&
                    model.status != WB_E_UNEXPECTED);
    }
    (void)snprintf(name, sizeof name, "=\"\\x%02x\\x%02x\\x%02x", type, (unsigned)size, byte);
    if (strstr(text_of("announce_wire"), name) == NULL)
        fail_msg("draft %u has no type %u of %u", draft, type, byte);
}

static void test_has_each_type_of_an_announce_stream_whole(void **state)
{
    (void)state;
    for (uint8_t byte = 0; byte < 2; byte++) {
        for (uint8_t type = 0; type <= WB_ANNOUNCED_RESTART; type++)
            assert_whole(6, type, byte);
        for (uint8_t type = 0; type <= WB_ROUTED_FLOOR; type++)
            assert_whole(7, type, byte);
    }
}

/* Room for the words of a target and of its corpus, one a line. */
static char lines[1 << 16];

static void test_no_word_stands_twice(void **state)
{
    (void)state;
    for (size_t t = 0; t < sizeof wire / sizeof *wire; t++) {
        char path[64];
        size_t len = strlen(text_of(wire[t]));
        memcpy(lines, text_of(wire[t]), len);
        (void)snprintf(path, sizeof path, "corpus/%s.dict", wire[t]);
        FILE *f = fopen(path, "r"); /* not each has one */
        if (f != NULL) {
            len += fread(lines + len, 1, sizeof lines - 1 - len, f);
            assert_int_equal(fclose(f), 0);
        }
        lines[len] = '\0';
        for (char *line = lines, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
            const char *word = memchr(line, '"', (size_t)(end - line)), *again = NULL;
            size_t size = word != NULL ? (size_t)(end - word) + 1 : 0;
            for (const char *at = end; word != NULL && (at = strchr(at, '"')) != NULL; at++) {
                if ((at[-1] == '=' || at[-1] == '\n') && strncmp(at, word, size) == 0)
                    again = at;
            }
            if (again != NULL)
                fail_msg("%s: twice %.*s", path, (int)size - 1, word);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_escapes_what_an_engine_would_read_otherwise),
        cmocka_unit_test(test_has_each_code_of_a_reply),
        cmocka_unit_test(test_has_what_requests_ask_back),
        cmocka_unit_test(test_has_each_type_of_an_announce_stream_whole),
        cmocka_unit_test(test_no_word_stands_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
