/*
 * alloc.h: the allocator of a run. It counts, it fails the n-th request, and it lends from a static
 * arena whose blocks are fenced and poisoned, so that a run calls no malloc and still shows a stray
 * read to the byte.
 */
#ifndef SIM_ALLOC_H
#define SIM_ALLOC_H

#include "core/base/mem.h"

#define SIM_ALLOC_ARENA ((size_t)1 << 20)
#define SIM_ALLOC_FENCE ((size_t)16)

struct sim_alloc {
    struct wb_mem mem;   /* first: the core sees this part */
    uint64_t fail_at[2]; /* requests that are refused, counted from 1; 0 = none. One for the
                            driver's sweep, one for ops */
    uint64_t requests;   /* all, refused ones included */
    uint64_t refused;
    uint64_t live_blocks;
    uint64_t live_bytes;
    uint64_t peak_bytes;
    uint64_t max_bytes; /* more live bytes at once is refused and noted in `over`; 0 = no limit. Set
                           by the driver */
    uint64_t over;
    size_t used; /* of the arena; only a reset takes it back */
    bool fills;  /* fresh blocks, and freed ones where they can be read, hold `fill` and its
                    complement instead of what happens to be there. Set by the driver */
    uint8_t fill;
};

#define SIM_ALLOC_SWEEP 0
#define SIM_ALLOC_OP    1

/*
 * A fresh state for the next run: only max_bytes, fills and fill stay. `a` lends from the one
 * static arena, so one run at a time. A block larger than what is left of it comes from malloc.
 */
void sim_alloc_reset(struct sim_alloc *a);
/* Refuses the n-th request from now, n >= 1. */
void sim_alloc_fail_next(struct sim_alloc *a, uint64_t n);
/* Marks [data, data+len) unreadable or readable again for the sanitizers; nothing in other builds.
 */
void sim_poison(const void *data, size_t len);
void sim_unpoison(const void *data, size_t len);

#endif
