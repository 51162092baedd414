#include "core/reply/line.h"

#include "core/base/decimal.h"

#include <string.h>

/*
 * The one CLIENT_ERROR that says nothing about framing: the item was no number, the request was
 * read whole.
 */
static const char kept_error[] = "CLIENT_ERROR cannot increment or decrement non-numeric value";

static const struct {
    const char *name;
    size_t len;
} codes[] = {
#define CODE_NAME(code) {#code, sizeof #code - 1},
    WB_REPLY_CODE_LIST(CODE_NAME)
#undef CODE_NAME
};

const char *wb_reply_code_name(int code)
{
    return code >= 0 && code < WB_REPLY_CODE_COUNT ? codes[code].name : "?";
}

bool wb_reply_line_token(struct wb_view *tokens, struct wb_view *out)
{
    size_t begin = 0;
    while (begin < tokens->len && tokens->data[begin] == ' ')
        begin++;
    size_t end = begin;
    while (end < tokens->len && tokens->data[end] != ' ')
        end++;
    if (begin == end)
        return false;
    *out = wb_view_sub(*tokens, begin, end);
    *tokens = wb_view_sub(*tokens, end, tokens->len);
    return true;
}

static bool word_is(struct wb_view word, const char *name)
{
    size_t len = strlen(name);
    return word.len == len && memcmp(word.data, name, len) == 0;
}

static bool is_number(struct wb_view word)
{
    for (size_t i = 0; i < word.len; i++) {
        if (word.data[i] < '0' || word.data[i] > '9')
            return false;
    }
    return word.len >= 1 && word.len <= WB_DECIMAL_DIGITS_MAX;
}

static bool ends_in_space(struct wb_view line)
{
    return line.data[line.len - 1] == ' ';
}

/* Takes a token that exactly one space stands before. */
static bool take_field(struct wb_view *rest, struct wb_view *out)
{
    return rest->len >= 2 && rest->data[1] != ' ' && wb_reply_line_token(rest, out);
}

static enum wb_err judge_size(struct wb_view size, uint64_t value_max, struct wb_reply_line *out)
{
    if (size.len > 10 || wb_decimal_get(size, value_max, &out->value_len) != WB_OK)
        return WB_E_BAD_LEN;
    out->has_value = true;
    return WB_OK;
}

/* The key, flags, length and, for gets and gats, the cas of a VALUE line, from left to right. */
static enum wb_err judge_classic_value(struct wb_view rest, uint64_t value_max,
                                       struct wb_reply_line *out)
{
    struct wb_view field;
    if (!wb_reply_line_token(&rest, &field) || !take_field(&rest, &field) || !is_number(field))
        return WB_E_BAD_LINE;
    if (rest.len == 0)
        return WB_E_BAD_LINE;
    if (!take_field(&rest, &field))
        return WB_E_BAD_LEN;
    WB_TRY(judge_size(field, value_max, out));
    if (rest.len > 0 && (!take_field(&rest, &field) || !is_number(field)))
        return WB_E_BAD_LINE;
    return rest.len == 0 ? WB_OK : WB_E_BAD_LINE;
}

/* The length of a VA line and its s flags, which must agree with it. `rest` starts after "VA". */
static enum wb_err judge_value(struct wb_view line, struct wb_view rest, uint64_t value_max,
                               struct wb_reply_line *out)
{
    struct wb_view size;
    if (!take_field(&rest, &size))
        return WB_E_BAD_LEN;
    WB_TRY(judge_size(size, value_max, out));
    if (ends_in_space(line))
        return WB_E_BAD_LINE;

    struct wb_view tokens = rest, token;
    while (wb_reply_line_token(&tokens, &token)) {
        uint64_t stated = 0;
        if (token.data[0] != 's')
            continue;
        if (wb_decimal_get(wb_view_sub(token, 1, token.len), UINT64_MAX, &stated) != WB_OK ||
            stated != out->value_len)
            return WB_E_BAD_LEN;
    }
    out->flags_begin = line.len - rest.len;
    return WB_OK;
}

static enum wb_err judge_rest(struct wb_view line, struct wb_view rest, uint64_t value_max,
                              struct wb_reply_line *out)
{
    struct wb_view tokens = rest, token;
    switch (out->code) {
    case WB_REPLY_VA:
        return judge_value(line, rest, value_max, out);
    case WB_REPLY_MN:
    case WB_REPLY_END:
    case WB_REPLY_STORED:
    case WB_REPLY_NOT_STORED:
    case WB_REPLY_EXISTS:
    case WB_REPLY_NOT_FOUND:
    case WB_REPLY_DELETED:
    case WB_REPLY_TOUCHED:
    case WB_REPLY_OK:
    case WB_REPLY_RESET:
        return rest.len == 0 ? WB_OK : WB_E_BAD_LINE;
    case WB_REPLY_VALUE:
        return judge_classic_value(rest, value_max, out);
    case WB_REPLY_STAT:
        return wb_reply_line_token(&tokens, &token) && tokens.len > 0 ? WB_OK : WB_E_BAD_LINE;
    case WB_REPLY_NUMBER:
        return wb_reply_line_token(&tokens, &token) ? WB_E_BAD_LINE : WB_OK;
    case WB_REPLY_ME:
        return wb_reply_line_token(&tokens, &token) && !ends_in_space(line) ? WB_OK : WB_E_BAD_LINE;
    case WB_REPLY_CLIENT_ERROR:
        out->fatal = !word_is(line, kept_error);
        return rest.len > 0 ? WB_OK : WB_E_BAD_LINE;
    case WB_REPLY_SERVER_ERROR:
    case WB_REPLY_VERSION:
        return rest.len > 0 ? WB_OK : WB_E_BAD_LINE;
    case WB_REPLY_ERROR:
        out->fatal = true;
        return WB_OK;
    case WB_REPLY_HD:
    case WB_REPLY_EN:
    case WB_REPLY_NF:
    case WB_REPLY_NS:
    case WB_REPLY_EX:
        return WB_OK;
    case WB_REPLY_CODE_COUNT:
        break;
    }
    WB_UNREACHABLE();
}

/* The code that a line's first word stands for; WB_REPLY_CODE_COUNT when none. */
static enum wb_reply_code find_code(struct wb_view word)
{
    if (is_number(word))
        return WB_REPLY_NUMBER;
    for (int code = 0; code < WB_REPLY_NUMBER; code++) {
        const char *name = codes[code].name;
        if (word.len == codes[code].len && word.data[0] == (uint8_t)name[0] &&
            memcmp(word.data, name, word.len) == 0)
            return (enum wb_reply_code)code;
    }
    return WB_REPLY_CODE_COUNT;
}

enum wb_err wb_reply_line_parse(struct wb_view line, uint64_t value_max, struct wb_reply_line *out)
{
    size_t word_len = 0;
    while (word_len < line.len && line.data[word_len] != ' ')
        word_len++;
    struct wb_view rest = wb_view_sub(line, word_len, line.len);
    struct wb_reply_line found = {.code = find_code(wb_view_sub(line, 0, word_len)),
                                  .flags_begin = word_len};
    if (found.code == WB_REPLY_CODE_COUNT)
        return WB_E_BAD_CODE;
    WB_TRY(judge_rest(line, rest, value_max, &found));
    while (found.flags_begin < line.len && line.data[found.flags_begin] == ' ')
        found.flags_begin++;
    *out = found;
    return WB_OK;
}
