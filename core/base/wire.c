/*
 * wire.c: moq-lite message primitives over a body that is complete.
 */
#include "core/base/wire.h"

/* Keeps the first error only; nothing is left to read after it. */
static void fail(struct wb_wire *w, enum wb_err err)
{
    WB_ASSERT(err != WB_OK);
    if (w->err == WB_OK)
        w->err = err;
    w->left = (struct wb_view){0};
}

struct wb_wire wb_wire_of(struct wb_view body)
{
    return (struct wb_wire){.left = body, .err = WB_OK};
}

uint8_t wb_wire_u8(struct wb_wire *w)
{
    struct wb_view byte = wb_wire_bytes(w, 1);

    return byte.len == 1 ? byte.data[0] : 0;
}

uint16_t wb_wire_u16(struct wb_wire *w)
{
    struct wb_view bytes = wb_wire_bytes(w, 2);

    return bytes.len == 2 ? (uint16_t)(bytes.data[0] << 8 | bytes.data[1]) : 0;
}

bool wb_wire_bool(struct wb_wire *w)
{
    uint8_t byte = wb_wire_u8(w);

    if (byte > 1)
        fail(w, WB_E_VALUE);
    return byte == 1;
}

uint64_t wb_wire_varint(struct wb_wire *w)
{
    uint64_t value = 0;
    enum wb_err err = wb_varint_get(&w->left, &value);

    if (err != WB_OK)
        fail(w, err == WB_MORE ? WB_E_SHORT : err);
    return value;
}

uint32_t wb_wire_varint_u32(struct wb_wire *w)
{
    uint32_t value = 0;
    enum wb_err err = wb_varint_get_u32(&w->left, &value);

    if (err != WB_OK)
        fail(w, err == WB_MORE ? WB_E_SHORT : err);
    return value;
}

struct wb_view wb_wire_bytes(struct wb_wire *w, uint64_t n)
{
    struct wb_view bytes;

    if (w->err != WB_OK || n > w->left.len) {
        fail(w, WB_E_SHORT);
        return (struct wb_view){0};
    }
    bytes = wb_view_sub(w->left, 0, (size_t)n);
    w->left = wb_view_sub(w->left, (size_t)n, w->left.len);
    return bytes;
}

struct wb_view wb_wire_block(struct wb_wire *w)
{
    return wb_wire_bytes(w, wb_wire_varint(w));
}

struct wb_view wb_wire_string(struct wb_wire *w)
{
    struct wb_view text = wb_wire_block(w);

    if (wb_utf8_is_valid(text))
        return text;
    fail(w, WB_E_STRING);
    return (struct wb_view){0};
}

enum wb_err wb_wire_done(const struct wb_wire *w)
{
    if (w->err != WB_OK)
        return w->err;
    return w->left.len > 0 ? WB_E_LONG : WB_OK;
}

/* RFC 3629 section 4: first bytes, how many more follow, and the range of the second byte. */
static const struct {
    uint8_t first_min, first_max, more, second_min, second_max;
} utf8_rows[] = {
    {0x00, 0x7f, 0, 0x00, 0x00}, {0xc2, 0xdf, 1, 0x80, 0xbf}, {0xe0, 0xe0, 2, 0xa0, 0xbf},
    {0xe1, 0xec, 2, 0x80, 0xbf}, {0xed, 0xed, 2, 0x80, 0x9f}, {0xee, 0xef, 2, 0x80, 0xbf},
    {0xf0, 0xf0, 3, 0x90, 0xbf}, {0xf1, 0xf3, 3, 0x80, 0xbf}, {0xf4, 0xf4, 3, 0x80, 0x8f},
};

/* Bytes of the character at the start of `text`, which is not empty; 0 when it is none. */
static size_t utf8_size(struct wb_view text)
{
    size_t row = 0, rows = sizeof(utf8_rows) / sizeof(utf8_rows[0]), more;

    while (row < rows && text.data[0] > utf8_rows[row].first_max)
        row++;
    if (row == rows || text.data[0] < utf8_rows[row].first_min)
        return 0;
    more = utf8_rows[row].more;
    if (text.len <= more)
        return 0;
    if (more > 0 &&
        (text.data[1] < utf8_rows[row].second_min || text.data[1] > utf8_rows[row].second_max))
        return 0;
    for (size_t i = 2; i <= more; i++)
        if ((text.data[i] & 0xc0) != 0x80)
            return 0;
    return more + 1;
}

bool wb_utf8_is_valid(struct wb_view text)
{
    while (text.len > 0) {
        size_t size = utf8_size(text);

        if (size == 0)
            return false;
        text = wb_view_sub(text, size, text.len);
    }
    return true;
}
