/*
 * text.c: inputs as text for people, in the forms that corpus files have.
 */
#include "targets/bed/bed.h"

#include "sim/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define LINE_COLUMNS 88
#define REPEAT_MIN   16 /* so many equal bytes are written as one repeat */
#define QUOTE_MIN    3  /* fewer printable bytes in a row stay hex */

const char *bed_text_ending(const struct fuzz_target *target)
{
    return target->kind == FUZZ_SCENARIO ? ".scn" : ".hex";
}

static bool is_head_key(const char *line, size_t len)
{
    static const char *const keys[] = {"# expect:", "# story:", "# config:", "# marks:"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (len >= strlen(keys[i]) && memcmp(line, keys[i], strlen(keys[i])) == 0)
            return true;
    return false;
}

static bool is_text_path(const char *path)
{
    size_t len = strlen(path);
    return len > 4 && (strcmp(path + len - 4, ".scn") == 0 || strcmp(path + len - 4, ".hex") == 0);
}

bool bed_text_head(const char *path, struct wb_buf *out)
{
    if (!is_text_path(path))
        return true;
    struct wb_buf text = bed_buf();
    bool ok = bed_read(path, &text), in_head = true;
    bed_must(wb_buf_add_u8(&text, '\n')); /* never without storage */
    const char *at = (const char *)text.data, *end = at + text.len - 1;

    while (ok && at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t len = newline != NULL ? (size_t)(newline - at) : (size_t)(end - at);
        in_head = in_head && len > 0 && at[0] == '#';
        if (in_head || is_head_key(at, len)) {
            bed_must(wb_buf_add(out, wb_view_of(at, len)));
            bed_must(wb_buf_add_u8(out, '\n'));
        }
        at = newline != NULL ? newline + 1 : end;
    }
    wb_buf_fini(&text);
    return ok;
}

/* ---- wire bytes ---- */

static bool is_quotable(uint8_t byte)
{
    return byte < 0x80 && (isprint(byte) || byte == '\r' || byte == '\n' || byte == '\t');
}

static size_t run_of_equal(struct wb_view v)
{
    size_t n = 0;
    while (n < v.len && v.data[n] == v.data[0])
        n++;
    return n;
}

/* Quotable bytes up to and with a line end, or up to where a repeat pays, or as many as a line has
 * columns. */
static size_t run_of_text(struct wb_view v)
{
    size_t n = 0;
    while (n < v.len && n < LINE_COLUMNS && is_quotable(v.data[n])) {
        if (run_of_equal(wb_view_sub(v, n, v.len)) >= REPEAT_MIN)
            break;
        n++;
        if (v.data[n - 1] == '\n')
            break;
    }
    return n;
}

static void put_quoted(struct wb_view v, struct wb_buf *out)
{
    bed_must(wb_buf_add_u8(out, '"'));
    for (size_t i = 0; i < v.len; i++) {
        uint8_t byte = v.data[i];
        if (byte == '\r')
            bed_buf_print(out, "\\r");
        else if (byte == '\n')
            bed_buf_print(out, "\\n");
        else if (byte == '\t')
            bed_buf_print(out, "\\t");
        else if (byte == '"' || byte == '\\')
            bed_buf_print(out, "\\%c", byte);
        else
            bed_must(wb_buf_add_u8(out, byte));
    }
    bed_must(wb_buf_add_u8(out, '"'));
}

void bed_text_wire(struct wb_view bytes, struct wb_buf *out)
{
    size_t line_begin = out->len;
    bool was_hex = false;

    while (bytes.len > 0) {
        size_t equal = run_of_equal(bytes), text = run_of_text(bytes), taken;
        bool is_line = text > 0 && bytes.data[text - 1] == '\n';
        bool is_hex = equal < REPEAT_MIN && text < QUOTE_MIN && !is_line;

        if (out->len > line_begin && !(was_hex && is_hex))
            bed_must(wb_buf_add_u8(out, ' '));
        if (equal >= REPEAT_MIN) {
            bed_buf_print(out, "%02x*%zu", bytes.data[0], equal);
            taken = equal;
        } else if (is_hex) {
            bed_buf_print(out, "%02x", bytes.data[0]);
            taken = 1;
        } else {
            put_quoted(wb_view_sub(bytes, 0, text), out);
            taken = text;
        }
        was_hex = is_hex;
        bytes = wb_view_sub(bytes, taken, bytes.len);
        if (is_line || out->len - line_begin >= LINE_COLUMNS) {
            bed_must(wb_buf_add_u8(out, '\n'));
            line_begin = out->len;
            was_hex = false;
        }
    }
    if (out->len > line_begin)
        bed_must(wb_buf_add_u8(out, '\n'));
}

void bed_text_input(const struct fuzz_target *target, struct wb_view input, struct wb_buf *out)
{
    if (target->kind == FUZZ_SCENARIO) {
        bed_must(sim_text_show(target->ops, input, out));
        return;
    }
    bed_buf_print(out, "# config: %02x\n", input.len > 0 ? input.data[0] : 0);
    if (input.len > 0)
        bed_text_wire(wb_view_sub(input, 1, input.len), out);
}
