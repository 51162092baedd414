#include "ci/bench/frames/bench.h"

#include <string.h>

#define PATTERN   0xa5
#define KNOWN_MAX 4096u

/* Where each block ends. */
static struct known {
    uint8_t *block;
    size_t size;
} known[KNOWN_MAX];
static size_t known_count;

static void *take(struct wb_mem *mem, size_t size)
{
    uint8_t *block = wb_mem_take(counter_mem(), size);

    (void)mem;
    figure_must(known_count < KNOWN_MAX, "too many blocks");
    memset(block, PATTERN, size);
    known[known_count++] = (struct known){block, size};
    return block;
}

static void give(struct wb_mem *mem, void *block, size_t size)
{
    (void)mem;
    for (size_t i = 0; i < known_count; i++)
        if (known[i].block == block) {
            known[i] = known[--known_count];
            break;
        }
    wb_mem_give(counter_mem(), block, size);
}

struct wb_mem *pattern_mem(void)
{
    static struct wb_mem mem = {.take = take, .give = give};

    known_count = 0;
    return &mem;
}

uint64_t pattern_filled_behind(const struct wb_slice *s)
{
    const uint8_t *at = s->view.data + s->view.len;
    uint64_t filled = 0;

    for (size_t i = 0; i < known_count; i++)
        if (s->view.data > known[i].block && at <= known[i].block + known[i].size) {
            for (; at < known[i].block + known[i].size; at++)
                filled += *at != PATTERN;
            return filled;
        }
    figure_must(false, "a slice of no block");
    return 0;
}
