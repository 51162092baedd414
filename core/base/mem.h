/*
 * mem.h: the one way to memory. The caller of the core owns the allocator; nothing allocates by
 * other means.
 */
#ifndef WB_MEM_H
#define WB_MEM_H

#include "core/base/base.h"

struct wb_mem {
    /* At least `size` > 0 uninitialised bytes, aligned for any type, or NULL. */
    void *(*take)(struct wb_mem *mem, size_t size);
    /* Gives a block back with the size it was taken with. Never called with NULL. */
    void (*give)(struct wb_mem *mem, void *block, size_t size);
};

/* NULL when refused, or when size is 0. */
void *wb_mem_take(struct wb_mem *mem, size_t size);
/* NULL is allowed and does nothing. */
void wb_mem_give(struct wb_mem *mem, void *block, size_t size);
/* malloc and free, for programs that need no accounting. Stateless, safe from any thread. */
struct wb_mem *wb_mem_libc(void);

#endif
