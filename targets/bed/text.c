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

bool bed_text_head(const char *path, struct wb_buf *out)
{
    if (!corpus_has_ending(path, ".scn") && !corpus_has_ending(path, ".hex"))
        return true;
    struct wb_buf text = bed_buf();
    bool ok = bed_read(path, &text), in_head = true;
    struct wb_view left = wb_buf_view(&text), line;

    while (ok && corpus_line(&left, &line)) {
        bool is_comment = line.len > 0 && line.data[0] == '#';
        in_head = in_head && is_comment;
        if (in_head || (is_comment && corpus_statement(wb_view_sub(line, 1, line.len)) != NULL)) {
            bed_must(wb_buf_add(out, line));
            bed_must(wb_buf_add_u8(out, '\n'));
        }
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
