/*
 * test_page.h: for tests of pages, without a browser: what any page is, well-formed and in need of
 * nothing else.
 */
#ifndef TEST_PAGE_H
#define TEST_PAGE_H

#include "targets/test_bed.h"

#include <ctype.h>

#define PAGE_DEPTH 64
#define PAGE_NAME  24

/* What a call printed that ends with `status`; the caller's to free. */
static inline char *printed(struct said said, int status)
{
    if (said.status != status)
        print_error("exit status %d: %s\n", said.status, said.err);
    assert_int_equal(said.status, status);
    free(said.err);
    return said.out;
}

static inline void has(const char *page, const char *text)
{
    if (strstr(page, text) == NULL)
        print_error("the page has no `%s'\n", text);
    assert_non_null(strstr(page, text));
}

/* Of texts up to NULL. */
static inline void has_none(const char *page, const char *const *texts)
{
    for (; *texts != NULL; texts++) {
        if (strstr(page, *texts) != NULL)
            print_error("the page has `%.60s'\n", strstr(page, *texts));
        assert_null(strstr(page, *texts));
    }
}

/* The tags that are open, and why the page is not well-formed. */
struct page_shape {
    char open[PAGE_DEPTH][PAGE_NAME];
    size_t depth;
    const char *error;
};

/* Reads the attributes of a tag; returns what follows them. */
static inline const char *page_attributes(struct page_shape *shape, const char *at)
{
    while (shape->error == NULL && *at == ' ') {
        at += 1 + strcspn(at + 1, "=\"<> ");
        if (at[0] != '=' || at[1] != '"') {
            shape->error = "an attribute without a quoted value";
            break;
        }
        at += 2 + strcspn(at + 2, "\"<");
        if (*at != '"')
            shape->error = "an attribute whose value does not end";
        else
            at++;
    }
    return at;
}

/* Reads one tag behind its `<`; returns what follows its `>`. */
static inline const char *page_tag(struct page_shape *shape, const char *at)
{
    bool is_end = *at == '/';
    char name[PAGE_NAME] = "";
    size_t len = 0;

    at += is_end;
    while (isalnum((unsigned char)at[len]) && len + 1 < PAGE_NAME)
        len++;
    memcpy(name, at, len);
    shape->error = len == 0 ? "a < that opens no tag" : NULL;
    at = page_attributes(shape, at + len);
    bool is_whole = *at == '/';
    at += is_whole;
    if (shape->error != NULL)
        return at;
    if (*at != '>')
        shape->error = "a tag that does not end";
    else if (is_end && (shape->depth == 0 || strcmp(shape->open[shape->depth - 1], name) != 0))
        shape->error = "an end without its beginning";
    else if (is_end)
        shape->depth--;
    else if (!is_whole && shape->depth == PAGE_DEPTH)
        shape->error = "too deep";
    else if (!is_whole)
        memcpy(shape->open[shape->depth++], name, PAGE_NAME);
    return at + 1;
}

/* Why the page is not well-formed, and where; NULL when it is. */
static inline const char *page_error(const char *page, const char **out_at)
{
    static const char doctype[] = "<!DOCTYPE html>\n";
    struct page_shape shape = {.depth = 0};
    const char *at = page + sizeof doctype - 1;

    *out_at = page;
    if (strncmp(page, doctype, sizeof doctype - 1) != 0)
        return "no doctype";
    while (shape.error == NULL && *at != '\0') {
        *out_at = at;
        if (*at == '<') {
            at = page_tag(&shape, at + 1);
        } else if (*at == '&') {
            size_t digits = at[1] == '#' ? strspn(at + 2, "0123456789") : 0;
            shape.error = digits == 0 || at[2 + digits] != ';' ? "an & that is no entity" : NULL;
            at += 3 + digits;
        } else {
            bool is_allowed = (unsigned char)*at >= 0x20 || *at == '\n' || *at == '\t';
            shape.error = is_allowed && *at != 0x7f ? NULL : "a control byte";
            at++;
        }
    }
    return shape.error == NULL && shape.depth > 0 ? "a tag stays open" : shape.error;
}

/* Well-formed, nothing comes from elsewhere, and no script but what stands on the page. */
static inline void check_page_alone(const char *page)
{
    static const char *const banned[] = {"http",     " src=",       "@import",  "<iframe",
                                         "<object",  "<link",       "<base",    " onload",
                                         " onclick", "javascript:", "<script ", NULL};
    const char *at, *error = page_error(page, &at);

    if (error != NULL)
        print_error("%s: %.80s\n", error, at);
    assert_null(error);
    has_none(page, banned);
}

#endif
