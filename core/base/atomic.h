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

/* Ordered among all seq_cst operations of the program: for a store here and a load there. */
static inline uint64_t wb_atomic_load_seq_cst(const struct wb_atomic_u64 *a)
{
    return atomic_load_explicit(&a->value, memory_order_seq_cst);
}

/* Only the one writer of the object may use it: no other thread reads what it guards. */
static inline void wb_atomic_store_relaxed(struct wb_atomic_u64 *a, uint64_t value)
{
    atomic_store_explicit(&a->value, value, memory_order_relaxed);
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

/* A pin: ordered among all seq_cst operations. Both return the old count. */
static inline uint64_t wb_atomic_add_seq_cst(struct wb_atomic_u64 *a, uint64_t n)
{
    return atomic_fetch_add_explicit(&a->value, n, memory_order_seq_cst);
}

static inline uint64_t wb_atomic_sub_seq_cst(struct wb_atomic_u64 *a, uint64_t n)
{
    return atomic_fetch_sub_explicit(&a->value, n, memory_order_seq_cst);
}

/* A pointer to an object of the core that one writer replaces and many readers load. */
struct wb_atomic_ptr {
    _Atomic(void *) value;
};

static inline void wb_atomic_ptr_init(struct wb_atomic_ptr *a, void *value)
{
    atomic_init(&a->value, value);
}

/* The writer's own look at what it stored. */
static inline void *wb_atomic_ptr_load_relaxed(const struct wb_atomic_ptr *a)
{
    return atomic_load_explicit(&a->value, memory_order_relaxed);
}

static inline void *wb_atomic_ptr_load_acquire(const struct wb_atomic_ptr *a)
{
    return atomic_load_explicit(&a->value, memory_order_acquire);
}

static inline void *wb_atomic_ptr_load_seq_cst(const struct wb_atomic_ptr *a)
{
    return atomic_load_explicit(&a->value, memory_order_seq_cst);
}

static inline void wb_atomic_ptr_store_release(struct wb_atomic_ptr *a, void *value)
{
    atomic_store_explicit(&a->value, value, memory_order_release);
}

static inline void wb_atomic_ptr_store_seq_cst(struct wb_atomic_ptr *a, void *value)
{
    atomic_store_explicit(&a->value, value, memory_order_seq_cst);
}

/*
 * Bytes that one thread wrote and others may read: the core says which, so that a simulator build
 * sees a read that is not ordered after its write. Nothing in other builds.
 */
#ifdef WB_RACE
#include "core/base/race.h"
#else
#define WB_RACE_WROTE(data, len) ((void)(data), (void)(len))
#define WB_RACE_READ(data, len)  ((void)(data), (void)(len))
#endif

#endif
