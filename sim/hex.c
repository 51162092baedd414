#include "sim/hex.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* How bytes are laid out as text. */
struct hex_layout {
    size_t columns;    /* of a line; 0 = all on one */
    size_t repeat_min; /* fewer equal bytes are written out */
    size_t text_min;   /* fewer readable bytes are pairs */
};

static const struct hex_layout hex_line = {0, 8, 2}, hex_lines = {88, 16, 3};

struct hex {
    struct wb_view in;
    unsigned line;
    struct wb_buf *out;
    size_t begin; /* out->len before the first byte */
    struct sim_text_error *error;
};

static enum wb_err hex_fail(struct hex *h, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static enum wb_err hex_fail(struct hex *h, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(h->error->rule, sizeof(h->error->rule), format, args);
    va_end(args);
    h->error->line = h->line;
    return WB_E_VALUE;
}

/* The next character, -1 at the end. */
static int hex_peek(const struct hex *h)
{
    return h->in.len > 0 ? h->in.data[0] : -1;
}

static int hex_pull(struct hex *h)
{
    int c = hex_peek(h);
    if (c >= 0) {
        h->in.data++;
        h->in.len--;
    }
    return c;
}

static int hex_digit(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

static enum wb_err hex_byte(struct hex *h, int value)
{
    if (h->out->len - h->begin >= SIM_HEX_MAX)
        return hex_fail(h, "more than %zu MiB come out", SIM_HEX_MAX >> 20);
    return wb_buf_add_u8(h->out, (uint8_t)value);
}

static enum wb_err hex_pair(struct hex *h)
{
    int first = hex_pull(h);
    int high = hex_digit(first);
    if (high < 0)
        return hex_fail(h, "`%c' is no hex digit, no quote and no comment",
                        first >= 0x20 && first < 0x7f ? first : '?');
    int low = hex_digit(hex_pull(h));
    if (low < 0)
        return hex_fail(h, "a hex digit without its second one");
    return hex_byte(h, high << 4 | low);
}

/* What stands after a backslash. */
static enum wb_err hex_escape(struct hex *h, int *out_value)
{
    static const char names[] = "rnt\\\"'abfve";
    static const char values[] = "\r\n\t\\\"'\a\b\f\v\x1b";
    int c = hex_pull(h);
    if (c == 'x') {
        int high = hex_digit(hex_pull(h));
        int low = high < 0 ? -1 : hex_digit(hex_pull(h));
        if (low < 0)
            return hex_fail(h, "\\x takes two hex digits");
        *out_value = high << 4 | low;
        return WB_OK;
    }
    if (c >= '0' && c <= '7') {
        int value = c - '0';
        for (int i = 0; i < 2 && hex_peek(h) >= '0' && hex_peek(h) <= '7'; i++)
            value = value * 8 + (hex_pull(h) - '0');
        if (value > 0xff)
            return hex_fail(h, "an octal escape above \\377");
        *out_value = value;
        return WB_OK;
    }
    const char *at = c > 0 ? strchr(names, c) : NULL;
    if (at == NULL)
        return hex_fail(h, "an unknown escape");
    *out_value = (unsigned char)values[at - names];
    return WB_OK;
}

static enum wb_err hex_quoted(struct hex *h)
{
    (void)hex_pull(h);
    for (;;) {
        int c = hex_pull(h);
        if (c == '"')
            return WB_OK;
        if (c < 0 || c == '\n')
            return hex_fail(h, "a quote that is not closed on its line");
        if (c == '\\')
            WB_TRY(hex_escape(h, &c));
        WB_TRY(hex_byte(h, c));
    }
}

/* After an item that begins at `item` in the output: a `*count`, if there is one. */
static enum wb_err hex_repeat(struct hex *h, size_t item)
{
    if (hex_peek(h) != '*')
        return WB_OK;
    (void)hex_pull(h);
    size_t count = 0, len = h->out->len - item;
    if (hex_peek(h) < '0' || hex_peek(h) > '9')
        return hex_fail(h, "* without a count");
    while (hex_peek(h) >= '0' && hex_peek(h) <= '9') {
        count = count * 10 + (size_t)(hex_pull(h) - '0');
        if (count > SIM_HEX_MAX)
            return hex_fail(h, "a count above %zu", SIM_HEX_MAX);
    }
    if (count == 0) {
        wb_buf_truncate(h->out, item);
        return WB_OK;
    }
    if (len > 0 && count > (SIM_HEX_MAX - (item - h->begin)) / len)
        return hex_fail(h, "more than %zu MiB come out", SIM_HEX_MAX >> 20);
    WB_TRY(wb_buf_reserve(h->out, len * (count - 1)));
    for (size_t i = 1; i < count; i++) {
        for (size_t k = 0; k < len; k++)
            WB_TRY(wb_buf_add_u8(h->out, h->out->data[item + k]));
    }
    return WB_OK;
}

static enum wb_err hex_items(struct hex *h, bool one_line)
{
    for (;;) {
        int c = hex_peek(h);
        if (c < 0 || (one_line && (c == '\n' || c == ';' || c == '#')))
            return WB_OK;
        if (c == '#') {
            while (hex_peek(h) >= 0 && hex_peek(h) != '\n')
                (void)hex_pull(h);
            continue;
        }
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            h->line += c == '\n';
            (void)hex_pull(h);
            continue;
        }
        size_t item = h->out->len;
        WB_TRY(c == '"' ? hex_quoted(h) : hex_pair(h));
        WB_TRY(hex_repeat(h, item));
    }
}

enum wb_err sim_hex_parse(struct wb_view text, struct wb_buf *out, struct sim_text_error *out_error)
{
    struct hex h = {text, 1, out, out->len, out_error};
    *out_error = (struct sim_text_error){0};
    enum wb_err err = hex_items(&h, false);
    if (err != WB_OK)
        wb_buf_truncate(out, h.begin);
    return err;
}

enum wb_err sim_hex_parse_line(struct wb_view *in, unsigned line, struct wb_buf *out,
                               struct sim_text_error *out_error)
{
    struct hex h = {*in, line, out, out->len, out_error};
    enum wb_err err = hex_items(&h, true);
    if (err != WB_OK)
        wb_buf_truncate(out, h.begin);
    else
        *in = h.in;
    return err;
}

static bool hex_is_text(uint8_t byte)
{
    return (byte >= 0x20 && byte < 0x7f) || byte == '\r' || byte == '\n' || byte == '\t';
}

static size_t hex_repeats(struct wb_view bytes, size_t i)
{
    size_t n = 1;
    while (i + n < bytes.len && bytes.data[i + n] == bytes.data[i])
        n++;
    return n;
}

/* Readable bytes from i on, up to a repeat that is worth writing as one; where lines have columns,
 * no more than those, and up to and with a line end. */
static size_t hex_text_len(struct wb_view bytes, size_t i, const struct hex_layout *layout)
{
    size_t n = 0;
    while (i + n < bytes.len && hex_is_text(bytes.data[i + n]) &&
           hex_repeats(bytes, i + n) < layout->repeat_min) {
        n++;
        if (layout->columns > 0 && (n == layout->columns || bytes.data[i + n - 1] == '\n'))
            break;
    }
    return n;
}

static enum wb_err hex_show_quoted(struct wb_view text, struct wb_buf *out)
{
    WB_TRY(wb_buf_add_u8(out, '"'));
    for (size_t i = 0; i < text.len; i++) {
        uint8_t c = text.data[i];
        const char *escape = c == '\r'   ? "\\r"
                             : c == '\n' ? "\\n"
                             : c == '\t' ? "\\t"
                             : c == '"'  ? "\\\""
                             : c == '\\' ? "\\\\"
                                         : NULL;
        WB_TRY(escape != NULL ? wb_buf_add(out, wb_view_text(escape)) : wb_buf_add_u8(out, c));
    }
    return wb_buf_add_u8(out, '"');
}

/* One pair, repeat or text. */
static enum wb_err hex_show_item(struct wb_view bytes, bool is_text, struct wb_buf *out)
{
    char pair[32];
    if (is_text)
        return hex_show_quoted(bytes, out);
    if (bytes.len == 1)
        snprintf(pair, sizeof(pair), "%02x", (unsigned)bytes.data[0]);
    else
        snprintf(pair, sizeof(pair), "%02x*%zu", (unsigned)bytes.data[0], bytes.len);
    return wb_buf_add(out, wb_view_text(pair));
}

static enum wb_err hex_show(struct wb_view bytes, const struct hex_layout *layout,
                            struct wb_buf *out)
{
    size_t columns = layout->columns, line = out->len;
    bool after_pair = false;
    for (size_t i = 0; i < bytes.len;) {
        size_t text = hex_text_len(bytes, i, layout), repeats = hex_repeats(bytes, i);
        bool ends_line = columns > 0 && text > 0 && bytes.data[i + text - 1] == '\n';
        bool is_text = text >= layout->text_min || ends_line;
        bool is_pair = !is_text && repeats < layout->repeat_min;
        size_t taken = is_text ? text : is_pair ? 1 : repeats;
        if (out->len > line && !(is_pair && after_pair))
            WB_TRY(wb_buf_add_u8(out, ' '));
        WB_TRY(hex_show_item(wb_view_sub(bytes, i, i + taken), is_text, out));
        i += taken;
        after_pair = is_pair;
        if (columns > 0 && (ends_line || out->len - line >= columns || i == bytes.len)) {
            WB_TRY(wb_buf_add_u8(out, '\n'));
            line = out->len;
            after_pair = false;
        }
    }
    return WB_OK;
}

enum wb_err sim_hex_show(struct wb_view bytes, struct wb_buf *out)
{
    return hex_show(bytes, &hex_line, out);
}

enum wb_err sim_hex_show_lines(struct wb_view bytes, struct wb_buf *out)
{
    return hex_show(bytes, &hex_lines, out);
}
