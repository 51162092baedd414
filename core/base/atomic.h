/*
 * atomic.h: the atomics of the core, by the order they need. Plain C11; a simulator build turns
 * each into a scheduling point (race.h), so nothing else in the core includes <stdatomic.h>.
 */
#ifndef WB_ATOMIC_H
#define WB_ATOMIC_H

#include <stdatomic.h>
#include <stdint.h>

/*
 * Bytes that one thread wrote and others may read: the core says which, so that a simulator build
 * sees a read that is not ordered after its write. Names are for its traces: static text for a
 * block or an atomic. Nothing in other builds.
 */
#ifdef WB_RACE
#include "core/base/race.h"
#else
#define WB_ATOMIC_INIT(a, v)           atomic_init(&(a)->value, v)
#define WB_ATOMIC_LOAD(type, a, order) atomic_load_explicit(&(a)->value, order)
#define WB_ATOMIC_STORE(a, v, order)   atomic_store_explicit(&(a)->value, v, order)
#define WB_ATOMIC_ADD(a, n, order)     atomic_fetch_add_explicit(&(a)->value, n, order)
#define WB_ATOMIC_SUB(a, n, order)     atomic_fetch_sub_explicit(&(a)->value, n, order)
#define WB_RACE_WROTE(data, len)       ((void)(data), (void)(len))
#define WB_RACE_READ(data, len)        ((void)(data), (void)(len))
#define WB_RACE_NAME(object, name)     ((void)(object), (void)(name))
#endif

struct wb_atomic_u64 {
    _Atomic uint64_t value;
};

/* Before the object is shared: no order. */
static inline void wb_atomic_init(struct wb_atomic_u64 *a, uint64_t value)
{
    WB_ATOMIC_INIT(a, value);
}

static inline uint64_t wb_atomic_load_relaxed(const struct wb_atomic_u64 *a)
{
    return WB_ATOMIC_LOAD(uint64_t, a, memory_order_relaxed);
}

static inline uint64_t wb_atomic_load_acquire(const struct wb_atomic_u64 *a)
{
    return WB_ATOMIC_LOAD(uint64_t, a, memory_order_acquire);
}

static inline void wb_atomic_store_release(struct wb_atomic_u64 *a, uint64_t value)
{
    WB_ATOMIC_STORE(a, value, memory_order_release);
}

/* Ordered among all seq_cst operations of the program: for a store here and a load there. */
static inline uint64_t wb_atomic_load_seq_cst(const struct wb_atomic_u64 *a)
{
    return WB_ATOMIC_LOAD(uint64_t, a, memory_order_seq_cst);
}

/* One more reference: the holder already has one, so no order is needed. Returns the old count. */
static inline uint64_t wb_atomic_add_relaxed(struct wb_atomic_u64 *a, uint64_t n)
{
    return WB_ATOMIC_ADD(a, n, memory_order_relaxed);
}

/*
 * One reference less: whoever sees it fall to zero must see all that others did before. Returns the
 * old count.
 */
static inline uint64_t wb_atomic_sub_acq_rel(struct wb_atomic_u64 *a, uint64_t n)
{
    return WB_ATOMIC_SUB(a, n, memory_order_acq_rel);
}

/* A pin: ordered among all seq_cst operations. Both return the old count. */
static inline uint64_t wb_atomic_add_seq_cst(struct wb_atomic_u64 *a, uint64_t n)
{
    return WB_ATOMIC_ADD(a, n, memory_order_seq_cst);
}

static inline uint64_t wb_atomic_sub_seq_cst(struct wb_atomic_u64 *a, uint64_t n)
{
    return WB_ATOMIC_SUB(a, n, memory_order_seq_cst);
}

/* A pointer to an object of the core that one writer replaces and many readers load. */
struct wb_atomic_ptr {
    _Atomic(void *) value;
};

static inline void wb_atomic_ptr_init(struct wb_atomic_ptr *a, void *value)
{
    WB_ATOMIC_INIT(a, value);
}

/* The writer's own look at what it stored. */
static inline void *wb_atomic_ptr_load_relaxed(const struct wb_atomic_ptr *a)
{
    return WB_ATOMIC_LOAD(void *, a, memory_order_relaxed);
}

static inline void *wb_atomic_ptr_load_seq_cst(const struct wb_atomic_ptr *a)
{
    return WB_ATOMIC_LOAD(void *, a, memory_order_seq_cst);
}

/* Before anything leads another thread to it: the release of that orders it. */
static inline void wb_atomic_ptr_store_relaxed(struct wb_atomic_ptr *a, void *value)
{
    WB_ATOMIC_STORE(a, value, memory_order_relaxed);
}

static inline void wb_atomic_ptr_store_seq_cst(struct wb_atomic_ptr *a, void *value)
{
    WB_ATOMIC_STORE(a, value, memory_order_seq_cst);
}

#endif
