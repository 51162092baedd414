#include "sim/alloc.h"

#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ALLOC_ASAN 1
#elif __has_feature(memory_sanitizer)
#define ALLOC_MSAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define ALLOC_ASAN 1
#endif

#ifdef ALLOC_ASAN
#include <sanitizer/asan_interface.h>
#endif
#ifdef ALLOC_MSAN
#include <sanitizer/msan_interface.h>
#endif

/*
 * A block:  [head 16][payload, filled up to 16][fence 16]. Under ASan all but the payload is
 * poisoned to the byte; elsewhere head and fence hold patterns that `give` looks at.
 */
struct alloc_head {
    uint64_t size;
    uint64_t magic;
};

#define ALLOC_LIVE       UINT64_C(0x6c6976652d73696d)
#define ALLOC_GIVEN      UINT64_C(0x676976656e2d736d)
#define ALLOC_FENCE_BYTE 0xfd
#define ALLOC_GIVEN_BYTE 0xdd

_Static_assert(sizeof(struct alloc_head) == SIM_ALLOC_FENCE, "the head is the fence in front");

static _Alignas(64) uint8_t alloc_arena[SIM_ALLOC_ARENA];
/* How far the arena may hold anything but poison; all of it before the first reset. */
static size_t alloc_dirty = SIM_ALLOC_ARENA;

void sim_poison(const void *data, size_t len)
{
#if defined(ALLOC_ASAN)
    __asan_poison_memory_region(data, len);
#elif defined(ALLOC_MSAN)
    __msan_poison(data, len);
#else
    (void)data, (void)len;
#endif
}

void sim_unpoison(const void *data, size_t len)
{
#if defined(ALLOC_ASAN)
    __asan_unpoison_memory_region(data, len);
#elif defined(ALLOC_MSAN)
    __msan_unpoison(data, len);
#else
    (void)data, (void)len;
#endif
}

/* Bytes from a block's start to its end, 0 when that is no number. */
static size_t alloc_span(size_t size)
{
    if (size > SIZE_MAX - 3 * SIM_ALLOC_FENCE)
        return 0;
    return SIM_ALLOC_FENCE + ((size + 15) & ~(size_t)15) + SIM_ALLOC_FENCE;
}

static bool alloc_in_arena(const void *block)
{
    uintptr_t at = (uintptr_t)block, arena = (uintptr_t)alloc_arena;
    return at >= arena && at < arena + SIM_ALLOC_ARENA;
}

/* The head of a block. It stays poisoned under ASan: two calls less for each block than opening it.
 */
#ifdef ALLOC_ASAN
__attribute__((no_sanitize("address")))
#endif
static struct alloc_head
head_get(const uint8_t *base)
{
    const struct alloc_head *head = (const void *)base;
#ifdef ALLOC_MSAN
    sim_unpoison(base, SIM_ALLOC_FENCE);
#endif
    return *head;
}

#ifdef ALLOC_ASAN
__attribute__((no_sanitize("address")))
#endif
static void
head_set(uint8_t *base, uint64_t size, uint64_t magic)
{
    struct alloc_head *head = (void *)base;
#ifdef ALLOC_MSAN
    sim_unpoison(base, SIM_ALLOC_FENCE);
#endif
    head->size = size;
    head->magic = magic;
}

/* Makes `span` bytes at `base` a live block and returns its payload. */
static void *alloc_open(const struct sim_alloc *a, uint8_t *base, size_t size, size_t span)
{
    uint8_t *block = base + SIM_ALLOC_FENCE;
    head_set(base, size, ALLOC_LIVE);
#if defined(ALLOC_ASAN)
    sim_unpoison(block, size);
    (void)span;
#else
    memset(block + size, ALLOC_FENCE_BYTE, span - SIM_ALLOC_FENCE - size);
#endif
    if (a->fills)
        memset(block, a->fill, size);
#if defined(ALLOC_MSAN)
    __msan_allocated_memory(block, size);
#endif
    return block;
}

/* Checks a live block, makes it unreadable and returns where it started. */
static uint8_t *alloc_shut(const struct sim_alloc *a, void *block, size_t size, size_t span)
{
    uint8_t *base = (uint8_t *)block - SIM_ALLOC_FENCE;
    struct alloc_head head = head_get(base);
    WB_ASSERT(head.magic != ALLOC_GIVEN);
    WB_ASSERT(head.magic == ALLOC_LIVE);
    WB_ASSERT(head.size == size);
    head_set(base, size, ALLOC_GIVEN);
#if !defined(ALLOC_ASAN)
    const uint8_t *end = base + span;
    for (const uint8_t *p = (uint8_t *)block + size; p < end; p++) {
        bool fence_is_whole = *p == ALLOC_FENCE_BYTE;
        WB_ASSERT(fence_is_whole);
    }
    memset(block, a->fills ? (uint8_t)~a->fill : ALLOC_GIVEN_BYTE, size);
#else
    (void)a;
#endif
#if defined(ALLOC_ASAN)
    sim_poison(block, size);
    (void)span;
#else
    sim_poison(base, span);
#endif
    return base;
}

static bool alloc_is_refused(struct sim_alloc *a, size_t size)
{
    if (a->requests == a->fail_at[SIM_ALLOC_SWEEP] || a->requests == a->fail_at[SIM_ALLOC_OP])
        return true;
    if (a->max_bytes == 0 || (size <= a->max_bytes && a->live_bytes <= a->max_bytes - size))
        return false;
    a->over++;
    return true;
}

static void *alloc_take(struct wb_mem *mem, size_t size)
{
    struct sim_alloc *a = (struct sim_alloc *)mem;
    size_t span = alloc_span(size);
    uint8_t *base = NULL;
    a->requests++;
    if (!alloc_is_refused(a, size) && span > 0) {
        if (span <= SIM_ALLOC_ARENA - a->used) {
            base = alloc_arena + a->used;
            a->used += span;
            if (a->used > alloc_dirty)
                alloc_dirty = a->used;
        } else {
            base = malloc(span);
            if (base != NULL)
                sim_poison(base, span);
        }
    }
    if (base == NULL) {
        a->refused++;
        return NULL;
    }
    a->live_blocks++;
    a->live_bytes += size;
    if (a->live_bytes > a->peak_bytes)
        a->peak_bytes = a->live_bytes;
    return alloc_open(a, base, size, span);
}

static void alloc_give(struct wb_mem *mem, void *block, size_t size)
{
    struct sim_alloc *a = (struct sim_alloc *)mem;
    WB_ASSERT(a->live_blocks > 0);
    WB_ASSERT(a->live_bytes >= size);
    size_t span = alloc_span(size);
    uint8_t *base = alloc_shut(a, block, size, span);
    a->live_blocks--;
    a->live_bytes -= size;
    if (!alloc_in_arena(block)) {
        sim_unpoison(base, span);
        free(base);
    }
}

void sim_alloc_reset(struct sim_alloc *a)
{
    *a = (struct sim_alloc){.mem = {alloc_take, alloc_give},
                            .max_bytes = a->max_bytes,
                            .fills = a->fills,
                            .fill = a->fill};
    sim_poison(alloc_arena, alloc_dirty);
    alloc_dirty = 0;
}

void sim_alloc_fail_next(struct sim_alloc *a, uint64_t n)
{
    WB_ASSERT(n > 0);
    a->fail_at[SIM_ALLOC_OP] = a->requests + n;
}
