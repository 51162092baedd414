/*
 * mem.c: the allocator interface, and the one place of the core that calls malloc.
 */
#include "core/base/mem.h"

#include <stdlib.h>

void *wb_mem_take(struct wb_mem *mem, size_t size)
{
    WB_ASSERT(mem != NULL);
    if (size == 0)
        return NULL;
    return mem->take(mem, size);
}

void wb_mem_give(struct wb_mem *mem, void *block, size_t size)
{
    if (block == NULL)
        return;
    WB_ASSERT(mem != NULL);
    WB_ASSERT(size > 0);
    mem->give(mem, block, size);
}

static void *libc_take(struct wb_mem *mem, size_t size)
{
    (void)mem;
    return malloc(size);
}

static void libc_give(struct wb_mem *mem, void *block, size_t size)
{
    (void)mem;
    (void)size;
    free(block);
}

struct wb_mem *wb_mem_libc(void)
{
    static struct wb_mem libc = {.take = libc_take, .give = libc_give}; /* never written */

    return &libc;
}
