#include "targets/bed/json.h"

#include "targets/bed/bed.h"

#include <string.h>

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

static size_t skip_blanks(struct wb_view v, size_t at)
{
    while (at < v.len && is_blank(v.data[at]))
        at++;
    return at;
}

/* The end of the string that opens at `at`. */
static size_t end_of_string(struct wb_view v, size_t at)
{
    for (at++; at < v.len && v.data[at] != '"'; at++)
        at += v.data[at] == '\\';
    return at < v.len ? at + 1 : v.len;
}

/* The end of the value that begins at `at`: a string, a number or word, or all up to the bracket
 * that closes it. */
static size_t end_of_value(struct wb_view v, size_t at)
{
    size_t depth = 0, begin = at;

    while (at < v.len) {
        uint8_t byte = v.data[at];

        if (byte == '"') {
            at = end_of_string(v, at);
        } else if (byte == '{' || byte == '[') {
            depth++;
            at++;
        } else if (byte == '}' || byte == ']') {
            if (depth == 0)
                return at;
            depth--;
            at++;
        } else if (depth == 0 && (byte == ',' || byte == ':' || is_blank(byte))) {
            return at;
        } else {
            at++;
            continue;
        }
        if (depth == 0 && at > begin)
            return at;
    }
    return at;
}

struct wb_view json_member(struct wb_view object, const char *name)
{
    size_t at = skip_blanks(object, 0) + 1, len = strlen(name);

    while (at < object.len) {
        size_t begin = skip_blanks(object, at);
        if (begin >= object.len || object.data[begin] != '"')
            break;
        size_t end = end_of_string(object, begin);
        size_t value = skip_blanks(object, end);
        if (value >= object.len || object.data[value] != ':')
            break;
        value = skip_blanks(object, value + 1);
        at = end_of_value(object, value);
        if (end - begin == len + 2 && memcmp(object.data + begin + 1, name, len) == 0)
            return wb_view_sub(object, value, at);
        at = skip_blanks(object, at);
        at += at < object.len && object.data[at] == ',';
    }
    return (struct wb_view){0};
}

struct wb_view json_next(struct wb_view array, struct wb_view after)
{
    size_t at =
        after.len == 0 ? skip_blanks(array, 0) + 1 : (size_t)(after.data - array.data) + after.len;

    at = skip_blanks(array, at);
    if (after.len > 0 && at < array.len && array.data[at] == ',')
        at = skip_blanks(array, at + 1);
    if (at >= array.len || array.data[at] == ']')
        return (struct wb_view){0};
    return wb_view_sub(array, at, end_of_value(array, at));
}

size_t json_count(struct wb_view array)
{
    size_t n = 0;

    for (struct wb_view v = json_next(array, (struct wb_view){0}); v.len > 0; n++)
        v = json_next(array, v);
    return n;
}

static uint8_t digit_of(uint8_t c)
{
    return (uint8_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

void json_text(struct wb_view s, struct wb_buf *out)
{
    for (size_t i = 1; i + 1 < s.len; i++) {
        uint8_t byte = s.data[i];

        if (byte == '\\' && i + 2 < s.len) {
            byte = s.data[++i];
            byte = byte == 'n' ? '\n' : byte == 't' ? '\t' : byte;
            if (byte == 'u' && i + 5 < s.len) {
                byte = (uint8_t)(digit_of(s.data[i + 3]) << 4 | digit_of(s.data[i + 4]));
                i += 4;
            }
        }
        bed_must(wb_buf_add_u8(out, byte));
    }
}

uint64_t json_number(struct wb_view v)
{
    uint64_t n = 0;

    for (size_t i = 0; i < v.len && v.data[i] >= '0' && v.data[i] <= '9'; i++)
        n = n * 10 + (uint64_t)(v.data[i] - '0');
    return n;
}

void json_put(struct wb_view text, struct wb_buf *out)
{
    bed_must(wb_buf_add_u8(out, '"'));
    for (size_t i = 0; i < text.len; i++) {
        uint8_t byte = text.data[i];

        if (byte < 0x20) {
            bed_buf_print(out, "\\u%04x", byte);
            continue;
        }
        if (byte == '"' || byte == '\\')
            bed_must(wb_buf_add_u8(out, '\\'));
        bed_must(wb_buf_add_u8(out, byte));
    }
    bed_must(wb_buf_add_u8(out, '"'));
}
