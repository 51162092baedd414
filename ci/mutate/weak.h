/*
 * weak.h: the atomics of core/base/atomic.h with less order than they have: the end of that header
 * in the build of all mutants.
 */
#ifndef MUTATE_WEAK_H
#define MUTATE_WEAK_H

#define MUTATE_WEAK(name, load, other)                                                             \
    MUTATE_SITE uint64_t mutate_wb_atomic_load_##name(const struct wb_atomic_u64 *a)               \
    {                                                                                              \
        return WB_ATOMIC_LOAD(uint64_t, a, load);                                                  \
    }                                                                                              \
    MUTATE_SITE void mutate_wb_atomic_store_##name(struct wb_atomic_u64 *a, uint64_t value)        \
    {                                                                                              \
        WB_ATOMIC_STORE(a, value, other);                                                          \
    }                                                                                              \
    MUTATE_SITE uint64_t mutate_wb_atomic_add_##name(struct wb_atomic_u64 *a, uint64_t n)          \
    {                                                                                              \
        return WB_ATOMIC_ADD(a, n, other);                                                         \
    }                                                                                              \
    MUTATE_SITE uint64_t mutate_wb_atomic_sub_##name(struct wb_atomic_u64 *a, uint64_t n)          \
    {                                                                                              \
        return WB_ATOMIC_SUB(a, n, other);                                                         \
    }                                                                                              \
    MUTATE_SITE void *mutate_wb_atomic_ptr_load_##name(const struct wb_atomic_ptr *a)              \
    {                                                                                              \
        return WB_ATOMIC_LOAD(void *, a, load);                                                    \
    }                                                                                              \
    MUTATE_SITE void mutate_wb_atomic_ptr_store_##name(struct wb_atomic_ptr *a, void *value)       \
    {                                                                                              \
        WB_ATOMIC_STORE(a, value, other);                                                          \
    }

MUTATE_WEAK(relaxed, memory_order_relaxed, memory_order_relaxed)
MUTATE_WEAK(half, memory_order_acquire, memory_order_release)

#endif
