/*
 * buf.c: a growable run of bytes; it doubles, so that appending costs a constant number of moves a
 * byte.
 */
#include "core/base/buf.h"

#include <string.h>

#define WB_BUF_FIRST 64

static bool is_outside(const struct wb_buf *b, struct wb_view bytes)
{
    uintptr_t begin = (uintptr_t)b->data, part = (uintptr_t)bytes.data;

    return bytes.len == 0 || part + bytes.len <= begin || part >= begin + b->capacity;
}

static size_t grown_capacity(const struct wb_buf *b, size_t need)
{
    size_t capacity = b->capacity == 0 ? WB_BUF_FIRST : b->capacity;

    WB_ASSERT(need <= b->max);
    while (capacity < need)
        capacity = capacity > b->max / 2 ? b->max : capacity * 2;
    return capacity < b->max ? capacity : b->max;
}

void wb_buf_init(struct wb_buf *b, struct wb_mem *mem, size_t max)
{
    WB_ASSERT(mem != NULL);
    *b = (struct wb_buf){.mem = mem, .max = max};
}

void wb_buf_fini(struct wb_buf *b)
{
    WB_CHECKED(wb_buf_check(b));
    wb_mem_give(b->mem, b->data, b->capacity);
    *b = (struct wb_buf){0};
}

enum wb_err wb_buf_reserve(struct wb_buf *b, size_t n)
{
    size_t capacity;
    uint8_t *data;

    WB_CHECKED(wb_buf_check(b));
    if (n > b->max - b->len)
        return WB_E_BOUNDS;
    if (n <= b->capacity - b->len)
        return WB_OK;
    capacity = grown_capacity(b, b->len + n);
    data = wb_mem_take(b->mem, capacity);
    if (data == NULL)
        return WB_E_NOMEM;
    if (b->len > 0)
        memcpy(data, b->data, b->len);
    wb_mem_give(b->mem, b->data, b->capacity);
    b->data = data;
    b->capacity = capacity;
    WB_CHECKED(wb_buf_check(b));
    return WB_OK;
}

enum wb_err wb_buf_add(struct wb_buf *b, struct wb_view bytes)
{
    WB_ASSERT(is_outside(b, bytes));
    WB_TRY(wb_buf_reserve(b, bytes.len));
    if (bytes.len > 0)
        memcpy(b->data + b->len, bytes.data, bytes.len);
    b->len += bytes.len;
    WB_CHECKED(wb_buf_check(b));
    return WB_OK;
}

enum wb_err wb_buf_add_u8(struct wb_buf *b, uint8_t byte)
{
    return wb_buf_add(b, wb_view_of(&byte, 1));
}

void wb_buf_truncate(struct wb_buf *b, size_t len)
{
    WB_ASSERT(len <= b->len);
    b->len = len;
    WB_CHECKED(wb_buf_check(b));
}

struct wb_view wb_buf_view(const struct wb_buf *b)
{
    return wb_view_of(b->data, b->len);
}

void wb_buf_check(const struct wb_buf *b)
{
    WB_ASSERT(b->len <= b->capacity);
    WB_ASSERT(b->capacity <= b->max);
    WB_ASSERT((b->data == NULL) == (b->capacity == 0));
    WB_ASSERT(b->data == NULL || b->mem != NULL);
}
