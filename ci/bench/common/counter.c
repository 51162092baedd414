#include "ci/bench/common/figure.h"

#include <stdlib.h>

static uint64_t takes, taken, held, blocks;

static void *take(struct wb_mem *mem, size_t size)
{
    void *block = malloc(size);

    (void)mem;
    figure_must(block != NULL, "no memory");
    takes++;
    taken += size;
    held += size;
    blocks++;
    return block;
}

static void give(struct wb_mem *mem, void *block, size_t size)
{
    (void)mem;
    held -= size;
    blocks--;
    free(block);
}

struct wb_mem *counter_mem(void)
{
    static struct wb_mem mem = {.take = take, .give = give};

    return &mem;
}

uint64_t counter_takes(void)
{
    return takes;
}

uint64_t counter_taken(void)
{
    return taken;
}

uint64_t counter_held(void)
{
    return held;
}

uint64_t counter_blocks(void)
{
    return blocks;
}
