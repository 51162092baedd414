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

static const char *const classic_words[] = {
    "END", "STORED", "NOT_STORED", "EXISTS", "NOT_FOUND", "DELETED", "TOUCHED", "OK", "RESET"};

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

/* "VALUE" SP key SP num SP size [SP num], exactly one space before each number. */
static bool is_classic_value(struct wb_view rest)
{
    struct wb_view token;
    if (!wb_reply_line_token(&rest, &token))
        return false;
    size_t numbers = 0;
    while (rest.len > 0) {
        if (rest.len < 2 || rest.data[1] == ' ' || !wb_reply_line_token(&rest, &token) ||
            !is_number(token))
            return false;
        numbers++;
    }
    return numbers == 2 || numbers == 3;
}

/* A line of a classic command is no junk, but a meta request cannot be answered with it. */
static enum wb_err judge_classic(struct wb_view word, struct wb_view rest)
{
    struct wb_view token;
    for (size_t i = 0; i < sizeof classic_words / sizeof *classic_words; i++) {
        if (word_is(word, classic_words[i]))
            return rest.len == 0 ? WB_E_UNEXPECTED_CODE : WB_E_BAD_LINE;
    }
    if (word_is(word, "VALUE"))
        return is_classic_value(rest) ? WB_E_UNEXPECTED_CODE : WB_E_BAD_LINE;
    if (word_is(word, "STAT")) {
        bool has_name = wb_reply_line_token(&rest, &token);
        return has_name && rest.len > 0 ? WB_E_UNEXPECTED_CODE : WB_E_BAD_LINE;
    }
    if (is_number(word))
        return wb_reply_line_token(&rest, &token) ? WB_E_BAD_LINE : WB_E_UNEXPECTED_CODE;
    return WB_E_BAD_CODE;
}

static bool ends_in_space(struct wb_view line)
{
    return line.data[line.len - 1] == ' ';
}

/* The length of a VA line and its s flags, which must agree with it. `rest` starts after "VA". */
static enum wb_err judge_value(struct wb_view line, struct wb_view rest, uint64_t value_max,
                               struct wb_reply_line *out)
{
    struct wb_view size;
    if (rest.len < 2 || rest.data[1] == ' ' || !wb_reply_line_token(&rest, &size))
        return WB_E_BAD_LEN;
    if (size.len > 10 || wb_decimal_get(size, value_max, &out->value_len) != WB_OK)
        return WB_E_BAD_LEN;
    if (ends_in_space(line))
        return WB_E_BAD_LINE;
    out->has_value = true;

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
        return rest.len == 0 ? WB_OK : WB_E_BAD_LINE;
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

enum wb_err wb_reply_line_parse(struct wb_view line, uint64_t value_max, struct wb_reply_line *out)
{
    size_t word_len = 0;
    while (word_len < line.len && line.data[word_len] != ' ')
        word_len++;
    struct wb_view word = wb_view_sub(line, 0, word_len);
    struct wb_view rest = wb_view_sub(line, word_len, line.len);

    struct wb_reply_line found = {.code = WB_REPLY_CODE_COUNT};
    for (int code = 0; code < WB_REPLY_CODE_COUNT; code++) {
        if (word.len == codes[code].len && memcmp(word.data, codes[code].name, word.len) == 0) {
            found.code = (enum wb_reply_code)code;
            break;
        }
    }
    if (found.code == WB_REPLY_CODE_COUNT)
        return judge_classic(word, rest);
    found.flags_begin = word_len;
    WB_TRY(judge_rest(line, rest, value_max, &found));
    while (found.flags_begin < line.len && line.data[found.flags_begin] == ' ')
        found.flags_begin++;
    *out = found;
    return WB_OK;
}
