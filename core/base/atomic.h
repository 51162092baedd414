/*
 * atomic.h: the atomics of the core, by the order they need. Plain C11 here; a simulator build may
 * turn each into a scheduling point, so nothing else in the core includes <stdatomic.h>.
 */
#ifndef WB_ATOMIC_H
#define WB_ATOMIC_H

#include <stdatomic.h>
#include <stdint.h>

struct wb_atomic_u64 {
    _Atomic uint64_t value;
};

/* Before the object is shared: no order. */
static inline void wb_atomic_init(struct wb_atomic_u64 *a, uint64_t value)
{
    atomic_init(&a->value, value);
}

static inline uint64_t wb_atomic_load_relaxed(const struct wb_atomic_u64 *a)
{
    return atomic_load_explicit(&a->value, memory_order_relaxed);
}

static inline uint64_t wb_atomic_load_acquire(const struct wb_atomic_u64 *a)
{
    return atomic_load_explicit(&a->value, memory_order_acquire);
}

static inline void wb_atomic_store_release(struct wb_atomic_u64 *a, uint64_t value)
{
    atomic_store_explicit(&a->value, value, memory_order_release);
}

/* One more reference: the holder already has one, so no order is needed. Returns the old count. */
static inline uint64_t wb_atomic_add_relaxed(struct wb_atomic_u64 *a, uint64_t n)
{
    return atomic_fetch_add_explicit(&a->value, n, memory_order_relaxed);
}

/*
 * One reference less: whoever sees it fall to zero must see all that others did before. Returns the
 * old count.
 */
static inline uint64_t wb_atomic_sub_acq_rel(struct wb_atomic_u64 *a, uint64_t n)
{
    return atomic_fetch_sub_explicit(&a->value, n, memory_order_acq_rel);
}

#endif
