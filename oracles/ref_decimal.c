/*
 * ref_decimal.c: the longer of two plain numbers is the larger; of two equally long, the one that
 * sorts later. A value is the sum of its digits' places.
 */
#include "oracles/ref_decimal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const uint64_t places[] = {
    UINT64_C(1),
    UINT64_C(10),
    UINT64_C(100),
    UINT64_C(1000),
    UINT64_C(10000),
    UINT64_C(100000),
    UINT64_C(1000000),
    UINT64_C(10000000),
    UINT64_C(100000000),
    UINT64_C(1000000000),
    UINT64_C(10000000000),
    UINT64_C(100000000000),
    UINT64_C(1000000000000),
    UINT64_C(10000000000000),
    UINT64_C(100000000000000),
    UINT64_C(1000000000000000),
    UINT64_C(10000000000000000),
    UINT64_C(100000000000000000),
    UINT64_C(1000000000000000000),
    UINT64_C(10000000000000000000),
};

struct ref_decimal ref_decimal_read(struct wb_view text, uint64_t max)
{
    struct ref_decimal result = {.status = WB_E_NUMBER};
    char limit[REF_DECIMAL_TEXT];
    size_t limit_len = ref_decimal_write(max, limit);

    for (size_t i = 0; i < text.len; i++)
        if (text.data[i] == '\0' || strchr("0123456789", text.data[i]) == NULL)
            return result;
    if (text.len == 0 || (text.data[0] == '0' && text.len != 1))
        return result;
    result.status = WB_E_BOUNDS;
    if (text.len > limit_len || (text.len == limit_len && memcmp(text.data, limit, limit_len) > 0))
        return result;
    result.status = WB_OK;
    for (size_t i = 0; i < text.len; i++)
        result.value += places[text.len - 1 - i] * (uint64_t)(text.data[i] - '0');
    return result;
}

size_t ref_decimal_write(uint64_t value, char out[REF_DECIMAL_TEXT])
{
    return (size_t)snprintf(out, REF_DECIMAL_TEXT, "%" PRIu64, value);
}
