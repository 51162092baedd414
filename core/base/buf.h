/*
 * buf.h: a growable run of bytes that its user owns; encoders append to it.
 */
#ifndef WB_BUF_H
#define WB_BUF_H

#include "core/base/bytes.h"

/* Open on purpose: lives inside other structs. */
struct wb_buf {
    struct wb_mem *mem;
    uint8_t *data; /* NULL until the first byte */
    size_t len, capacity;
    size_t max; /* never longer than this */
};

/* Empty, allocates nothing. `max` bounds len for good. */
void wb_buf_init(struct wb_buf *b, struct wb_mem *mem, size_t max);
/* Gives the storage back, leaves the zero buffer, which takes nothing; harmless on a zero one. */
void wb_buf_fini(struct wb_buf *b);
/*
 * Room for n more bytes without a further allocation. WB_E_BOUNDS over max, WB_E_NOMEM; *b
 * unchanged on both.
 */
WB_MUST_USE enum wb_err wb_buf_reserve(struct wb_buf *b, size_t n);
/* Appends a copy; all or nothing, errors as wb_buf_reserve. `bytes` lies outside the buffer. */
WB_MUST_USE enum wb_err wb_buf_add(struct wb_buf *b, struct wb_view bytes);
WB_MUST_USE enum wb_err wb_buf_add_u8(struct wb_buf *b, uint8_t byte);
/* Drops everything past `len`; asserts len <= b->len. Keeps the capacity. */
void wb_buf_truncate(struct wb_buf *b, size_t len);
/* Borrowed until the next change. */
struct wb_view wb_buf_view(const struct wb_buf *b);
void wb_buf_check(const struct wb_buf *b);

#endif
