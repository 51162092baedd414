/*
 * weak.h: the atomics of core/base/atomic.h with less order than they have: the end of that header
 * in the build of all mutants.
 */
#ifndef MUTATE_WEAK_H
#define MUTATE_WEAK_H

#define WBM_WEAK(name, load, other)                                                                \
    WBM_SITE uint64_t wbm_wb_atomic_load_##name(const struct wb_atomic_u64 *a)                     \
    {                                                                                              \
        return WB_ATOMIC_LOAD(uint64_t, a, load);                                                  \
    }                                                                                              \
    WBM_SITE void wbm_wb_atomic_store_##name(struct wb_atomic_u64 *a, uint64_t value)              \
    {                                                                                              \
        WB_ATOMIC_STORE(a, value, other);                                                          \
    }                                                                                              \
    WBM_SITE uint64_t wbm_wb_atomic_add_##name(struct wb_atomic_u64 *a, uint64_t n)                \
    {                                                                                              \
        return WB_ATOMIC_ADD(a, n, other);                                                         \
    }                                                                                              \
    WBM_SITE uint64_t wbm_wb_atomic_sub_##name(struct wb_atomic_u64 *a, uint64_t n)                \
    {                                                                                              \
        return WB_ATOMIC_SUB(a, n, other);                                                         \
    }                                                                                              \
    WBM_SITE void *wbm_wb_atomic_ptr_load_##name(const struct wb_atomic_ptr *a)                    \
    {                                                                                              \
        return WB_ATOMIC_LOAD(void *, a, load);                                                    \
    }                                                                                              \
    WBM_SITE void wbm_wb_atomic_ptr_store_##name(struct wb_atomic_ptr *a, void *value)             \
    {                                                                                              \
        WB_ATOMIC_STORE(a, value, other);                                                          \
    }

WBM_WEAK(relaxed, memory_order_relaxed, memory_order_relaxed)
WBM_WEAK(half, memory_order_acquire, memory_order_release)

#endif
