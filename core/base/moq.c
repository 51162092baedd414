/*
 * moq.c: the integer form of each version.
 */
#include "core/base/moq.h"

enum wb_err wb_moq_get(enum wb_moq_version version, struct wb_view *in, uint64_t *out)
{
    if (in->len > 0 && in->data[0] < 0x40) { /* most are; the same byte in both forms */
        *out = in->data[0];
        *in = wb_view_sub(*in, 1, in->len);
        return WB_OK;
    }
    if (version >= WB_LITE_07)
        return wb_varint_ones_get(in, true, out);
    return wb_varint_get(in, out);
}

enum wb_err wb_moq_put(enum wb_moq_version version, struct wb_buf *out, uint64_t value)
{
    if (version >= WB_LITE_07)
        return wb_varint_ones_put(out, value);
    return wb_varint_put(out, value);
}

size_t wb_moq_size(enum wb_moq_version version, uint64_t value)
{
    if (version >= WB_LITE_07)
        return wb_varint_ones_size(value);
    return wb_varint_size(value);
}
