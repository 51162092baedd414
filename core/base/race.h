/*
 * race.h: what the atomics of a simulator build tell to the simulator while it runs threads as
 * coroutines: each operation with its order, so that it may run another thread first, hold a store
 * back, and judge whether what is read was ordered before. The simulator defines all of it; other
 * builds include none of it, and outside of such a run the cost is one look at `wb_race_on`.
 */
#ifndef WB_RACE_H
#define WB_RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A run of coroutines is active. */
extern bool wb_race_on;

/* Orders are those of <stdatomic.h>; `at` is an atomic of eight bytes. */
void wb_race_init(const void *at);
uint64_t wb_race_load(const void *at, int order);
void wb_race_store(void *at, uint64_t value, int order);
/* Adds modulo 2^64 and returns the old value. */
uint64_t wb_race_add(void *at, uint64_t n, int order);
void wb_race_wrote(const void *data, size_t len);
void wb_race_read(const void *data, size_t len);
void wb_race_name(const void *object, const char *name);

#define WB_ATOMIC_INIT(a, v)                                                                       \
    (atomic_init(&(a)->value, v), wb_race_on ? wb_race_init(&(a)->value) : (void)0)
#define WB_ATOMIC_LOAD(type, a, order)                                                             \
    (wb_race_on ? (type)(uintptr_t)wb_race_load(&(a)->value, order)                                \
                : atomic_load_explicit(&(a)->value, order))
#define WB_ATOMIC_STORE(a, v, order)                                                               \
    (wb_race_on ? wb_race_store(&(a)->value, (uint64_t)(uintptr_t)(v), order)                      \
                : atomic_store_explicit(&(a)->value, v, order))
#define WB_ATOMIC_ADD(a, n, order)                                                                 \
    (wb_race_on ? wb_race_add(&(a)->value, n, order)                                               \
                : atomic_fetch_add_explicit(&(a)->value, n, order))
#define WB_ATOMIC_SUB(a, n, order)                                                                 \
    (wb_race_on ? wb_race_add(&(a)->value, 0 - (n), order)                                         \
                : atomic_fetch_sub_explicit(&(a)->value, n, order))

#define WB_RACE_WROTE(data, len)   (wb_race_on ? wb_race_wrote(data, len) : (void)0)
#define WB_RACE_READ(data, len)    (wb_race_on ? wb_race_read(data, len) : (void)0)
#define WB_RACE_NAME(object, name) (wb_race_on ? wb_race_name(object, name) : (void)0)

_Static_assert(sizeof(void *) == sizeof(uint64_t), "a pointer passes through a number");

#endif
