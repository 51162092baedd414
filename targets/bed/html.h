/*
 * html.h: pages that the tool writes. A page is one file that needs nothing else: no script, no
 * font, no address. It follows the reader's choice of light or dark, and fits a phone; what is
 * wider than the window scrolls inside a box of class `scroll`. It is also well-formed XML.
 */
#ifndef BED_HTML_H
#define BED_HTML_H

#include "core/base/buf.h"

/* Opens a page; `style` is CSS besides that of all pages, or NULL. */
void html_begin(struct wb_buf *out, const char *title, const char *style);
void html_end(struct wb_buf *out);
/* Markup as it is. */
void html_raw(struct wb_buf *out, const char *markup);
/* Text: markup in it is none, and bytes that no page may hold are shown as \x1b. */
void html_text(struct wb_buf *out, struct wb_view text);
/* The same, formatted first. */
void html_print(struct wb_buf *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Characters that a person sees of some markup: without tags, an entity is one. */
size_t html_columns(struct wb_view markup);

#endif
