/*
 * decimal.c: strict decimals. Nothing is skipped, nothing wraps, nothing is cut to a smaller type.
 */
#include "core/base/decimal.h"

static bool is_plain(struct wb_view text)
{
    if (text.len == 0)
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    return text.len == 1 || text.data[0] != '0';
}

enum wb_err wb_decimal_get(struct wb_view text, uint64_t max, uint64_t *out)
{
    uint64_t value = 0;

    if (!is_plain(text))
        return WB_E_NUMBER;
    for (size_t i = 0; i < text.len; i++) {
        uint64_t digit = (uint64_t)(text.data[i] - '0');

        if (value > max / 10 || digit > max - value * 10)
            return WB_E_BOUNDS;
        value = value * 10 + digit;
    }
    *out = value;
    return WB_OK;
}

size_t wb_decimal_put(uint8_t out[WB_DECIMAL_DIGITS_MAX], uint64_t value)
{
    size_t count = 1;

    for (uint64_t rest = value; rest >= 10; rest /= 10)
        count++;
    WB_ASSERT(count <= WB_DECIMAL_DIGITS_MAX);
    for (size_t i = count; i-- > 0; value /= 10)
        out[i] = (uint8_t)('0' + value % 10);
    return count;
}
