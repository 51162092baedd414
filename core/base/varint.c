/*
 * varint.c: RFC 9000 section 16, and the leading-ones form of moq-transport draft 17 and later.
 */
#include "core/base/varint.h"

#define QUIC_SIZE_MAX 8
#define ONES_SIZE_MAX 9
#define ONES_SEVEN    7 /* the size that is read and never written */

/* The value of `bytes` big endian, from a first byte whose length mark has been cut off. */
static uint64_t join(uint8_t first, const uint8_t *rest, size_t rest_len)
{
    uint64_t value = first;

    for (size_t i = 0; i < rest_len; i++)
        value = value << 8 | rest[i];
    return value;
}

/* Appends the low `size` bytes of `value` big endian, with the length mark set in the first. */
static enum wb_err put_marked(struct wb_buf *out, uint64_t value, size_t size, uint8_t mark)
{
    uint8_t bytes[ONES_SIZE_MAX];

    for (size_t i = size; i-- > 0; value >>= 8)
        bytes[i] = (uint8_t)value;
    bytes[0] |= mark;
    return wb_buf_add(out, wb_view_of(bytes, size));
}

enum wb_err wb_varint_get(struct wb_view *in, uint64_t *out)
{
    size_t size;

    if (in->len == 0)
        return WB_MORE;
    size = (size_t)1 << (in->data[0] >> 6);
    if (in->len < size)
        return WB_MORE;
    *out = join(in->data[0] & 0x3f, in->data + 1, size - 1);
    *in = wb_view_sub(*in, size, in->len);
    return WB_OK;
}

enum wb_err wb_varint_get_u32(struct wb_view *in, uint32_t *out)
{
    struct wb_view rest = *in;
    uint64_t value;

    WB_TRY(wb_varint_get(&rest, &value));
    if (value > UINT32_MAX)
        return WB_E_BOUNDS;
    *out = (uint32_t)value;
    *in = rest;
    return WB_OK;
}

enum wb_err wb_varint_put(struct wb_buf *out, uint64_t value)
{
    size_t size = wb_varint_size(value);
    uint8_t mark = 0; /* the top two bits are log2 of the size */

    if (size == 0)
        return WB_E_BOUNDS;
    for (size_t i = size; i > 1; i /= 2)
        mark = (uint8_t)(mark + 0x40);
    return put_marked(out, value, size, mark);
}

size_t wb_varint_size(uint64_t value)
{
    for (size_t size = 1; size <= QUIC_SIZE_MAX; size *= 2)
        if (value >> (size * 8 - 2) == 0)
            return size;
    return 0;
}

static size_t leading_ones(uint8_t byte)
{
    size_t ones = 0;

    while (ones < 8 && byte & 0x80 >> ones)
        ones++;
    return ones;
}

enum wb_err wb_varint_ones_get(struct wb_view *in, bool seven, uint64_t *out)
{
    size_t size;
    uint8_t first;

    if (in->len == 0)
        return WB_MORE;
    size = leading_ones(in->data[0]) + 1;
    if (size == ONES_SEVEN && !seven) /* the first byte says it: no need to wait for the rest */
        return WB_E_VALUE;
    if (in->len < size)
        return WB_MORE;
    first =
        (uint8_t)(in->data[0] & 0xff >> size); /* 8 and 9 bytes leave no value bits in the first */
    *out = join(first, in->data + 1, size - 1);
    *in = wb_view_sub(*in, size, in->len);
    return WB_OK;
}

enum wb_err wb_varint_ones_put(struct wb_buf *out, uint64_t value)
{
    size_t size = wb_varint_ones_size(value);
    uint8_t mark =
        (uint8_t)(0xff00 >> (size - 1)); /* one leading 1 for each byte after the first */

    return put_marked(out, value, size, mark);
}

size_t wb_varint_ones_size(uint64_t value)
{
    for (size_t size = 1; size < ONES_SIZE_MAX; size++)
        if (size != ONES_SEVEN && value >> (size * 7) == 0)
            return size;
    return ONES_SIZE_MAX;
}

uint64_t wb_zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

int64_t wb_unzigzag(uint64_t value)
{
    int64_t half = (int64_t)(value >> 1);

    return value & 1 ? -half - 1 : half;
}

enum wb_err wb_varint_put_optional(struct wb_buf *out, const uint64_t *value_or_null)
{
    if (value_or_null == NULL)
        return wb_varint_put(out, 0);
    if (*value_or_null >= WB_VARINT_MAX)
        return WB_E_BOUNDS;
    return wb_varint_put(out, *value_or_null + 1);
}

enum wb_err wb_varint_get_optional(struct wb_view *in, bool *out_present, uint64_t *out)
{
    uint64_t shifted;

    WB_TRY(wb_varint_get(in, &shifted));
    *out_present = shifted > 0;
    *out = shifted > 0 ? shifted - 1 : 0;
    return WB_OK;
}
