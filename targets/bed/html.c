#include "targets/bed/html.h"

#include "targets/bed/bed.h"

#include <stdarg.h>
#include <stdlib.h>

/*
 * The colours have names for what they say. Each text colour has a contrast of 4.5 or more on
 * each ground it stands on, in both schemes.
 */
static const char base_style[] =
    ":root{color-scheme:light dark;--bg:#fcfcfa;--ink:#1f252b;--muted:#59636d;--line:#d8dcdf;"
    "--panel:#f4f5f2;--accent:#1d5f8a;--on-accent:#fff;--tint:#e6eff5;--plain:#eef0ef;"
    "--plain-edge:#6e7781;--info:#e0eef9;--info-edge:#0d5fae;--good:#e0f2e4;--good-edge:#1b6b3a;"
    "--warn:#fbf0d0;--warn-edge:#835600;--bad:#fbe3e0;--bad-edge:#b3261e}\n"
    "@media (prefers-color-scheme:dark){:root{--bg:#13171b;--ink:#e2e6ea;--muted:#9da8b3;"
    "--line:#343c44;--panel:#1a1f25;--accent:#7fbbe3;--on-accent:#0d1b26;--tint:#1b2f3d;"
    "--plain:#232a31;--plain-edge:#94a0ac;--info:#14304a;--info-edge:#7db9f5;--good:#143322;"
    "--good-edge:#63c884;--warn:#3a2e0c;--warn-edge:#e3b958;--bad:#452021;--bad-edge:#ff8f87}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--bg);color:var(--ink);"
    "font:16px/1.55 Inter,system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}\n"
    "main{max-width:1352px;margin:0 auto;padding:24px 16px 64px}\n"
    "h1{font-size:1.5rem;line-height:1.25;margin:0 0 8px;overflow-wrap:anywhere}\n"
    "h2{font-size:1.15rem;margin:32px 0 8px}\n"
    "p{margin:8px 0;max-width:75ch}\n"
    "code,pre{font-family:ui-monospace,SFMono-Regular,Consolas,'DejaVu Sans Mono',monospace;"
    "font-size:.875em}\n"
    "code{overflow-wrap:anywhere}\n"
    "pre{margin:0;padding:12px;line-height:1.45}\n"
    ".muted{color:var(--muted)}\n"
    ".scroll{overflow-x:auto;border:1px solid var(--line);border-radius:6px;max-width:100%}\n"
    ".scroll:focus-visible,summary:focus-visible{outline:3px solid var(--info-edge);"
    "outline-offset:2px}\n"
    ".verdict{border-left:6px solid;border-radius:6px;padding:12px 16px;margin:16px 0;"
    "max-width:none;overflow-wrap:anywhere}\n"
    ".verdict p{margin:4px 0;max-width:none}\n"
    ".verdict.good{background:var(--good);border-color:var(--good-edge)}\n"
    ".verdict.warn{background:var(--warn);border-color:var(--warn-edge)}\n"
    ".verdict.bad{background:var(--bad);border-color:var(--bad-edge)}\n"
    "summary{cursor:pointer;font-weight:600;padding:8px 0}\n"
    "details{margin:16px 0}\n";

void html_raw(struct wb_buf *out, const char *markup)
{
    bed_must(wb_buf_add(out, wb_view_text(markup)));
}

/* Length of the UTF-8 sequence at the front that a page may hold as it is; 0 when it may not. */
static size_t utf8_length(struct wb_view v)
{
    uint8_t first = v.data[0];
    size_t n = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;

    if (first == '\n' || first == '\t' || (first >= 0x20 && first < 0x7f))
        return 1;
    if (first < 0xc3 || first > 0xf3 || v.len < n) /* 0xc2 opens control characters */
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((v.data[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (first == 0xe0 && v.data[1] < 0xa0) || (first == 0xf0 && v.data[1] < 0x90);
    bool surrogate = first == 0xed && v.data[1] >= 0xa0;
    bool unassigned = first == 0xef && v.data[1] == 0xbf && v.data[2] >= 0xbe;
    return overlong || surrogate || unassigned ? 0 : n;
}

void html_text(struct wb_buf *out, struct wb_view text)
{
    while (text.len > 0) {
        size_t n = utf8_length(text);
        uint8_t byte = text.data[0];
        if (n == 0)
            bed_buf_print(out, "\\x%02x", byte);
        else if (byte == '<' || byte == '>' || byte == '&' || byte == '"' || byte == '\'')
            bed_buf_print(out, "&#%u;", byte);
        else
            bed_must(wb_buf_add(out, wb_view_sub(text, 0, n)));
        text = wb_view_sub(text, n > 0 ? n : 1, text.len);
    }
}

void html_print(struct wb_buf *out, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int len = vasprintf(&text, format, args);
    va_end(args);
    bed_must(len < 0 ? WB_E_NOMEM : WB_OK);
    html_text(out, wb_view_of(text, (size_t)len));
    free(text);
}

size_t html_columns(struct wb_view markup)
{
    size_t columns = 0;
    uint8_t until = 0; /* inside a tag or an entity: what ends it */

    for (size_t i = 0; i < markup.len; i++) {
        uint8_t byte = markup.data[i];
        if (until != 0) {
            until = byte == until ? 0 : until;
            continue;
        }
        until = byte == '<' ? '>' : byte == '&' ? ';' : 0;
        columns += byte != '<' && (byte & 0xc0) != 0x80;
    }
    return columns;
}

void html_begin(struct wb_buf *out, const char *title, const char *style)
{
    html_raw(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                  "<title>");
    html_text(out, wb_view_text(title));
    html_raw(out, "</title>\n<style>\n");
    html_raw(out, base_style);
    html_raw(out, style != NULL ? style : "");
    html_raw(out, "</style>\n</head>\n<body>\n<main>\n");
}

void html_end(struct wb_buf *out)
{
    html_raw(out, "</main>\n</body>\n</html>\n");
}
