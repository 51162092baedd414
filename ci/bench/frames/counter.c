#include "ci/bench/frames/bench.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define PATTERN   0xa5
#define KNOWN_MAX 4096u

static uint64_t takes, taken, held, blocks;

/* While the pattern is on: where each block ends. */
static struct known {
    uint8_t *block;
    size_t size;
} known[KNOWN_MAX];
static size_t known_count;
static bool has_pattern;

static void *take(struct wb_mem *mem, size_t size)
{
    uint8_t *block = malloc(size);

    (void)mem;
    figure_must(block != NULL, "no memory");
    takes++;
    taken += size;
    held += size;
    blocks++;
    if (has_pattern) {
        figure_must(known_count < KNOWN_MAX, "too many blocks");
        memset(block, PATTERN, size);
        known[known_count++] = (struct known){block, size};
    }
    return block;
}

static void give(struct wb_mem *mem, void *block, size_t size)
{
    (void)mem;
    held -= size;
    blocks--;
    for (size_t i = 0; i < known_count; i++)
        if (known[i].block == block) {
            known[i] = known[--known_count];
            break;
        }
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

void counter_pattern(bool on)
{
    has_pattern = on;
    known_count = 0;
}

uint64_t counter_filled_behind(const struct wb_slice *s)
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
