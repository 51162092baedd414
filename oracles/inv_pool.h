/*
 * inv_pool.h: what must hold of a pool's bill, its mean, and a track's evictions (POL), and of the
 * tracks over it (CCH).
 */
#ifndef ORACLES_INV_POOL_H
#define ORACLES_INV_POOL_H

#define INV_POOL_LIST(X)                                                                           \
    X(POL, 001, "what the pool uses is the sum over live groups")                                  \
    X(POL, 002, "the mean is that of live evictable entries, rounded down, or none")               \
    X(POL, 003, "sum and count of the mean are the model's, and an entry is counted once")         \
    X(POL, 004, "what a write owes is written * used / capacity, as far as a number reaches")      \
    X(POL, 005, "a track's debt is the model's after every step")                                  \
    X(POL, 006, "it is time to settle exactly when 256 KiB were written since the last time")      \
    X(POL, 007, "victims are the model's, one by one and in order")                                \
    X(POL, 008, "nothing protected is evicted: the latest, or what was accessed after the mean")   \
    X(POL, 009, "a settle looks at no more than 4 candidates")                                     \
    X(POL, 010, "a settle is paid no more than twice what was written, but for one victim")        \
    X(POL, 011, "access, bill and mark of an entry are the model's")                               \
    X(POL, 012, "a track's order is the model's, from front to back and in reverse")               \
    X(POL, 013, "an entry without a pool bills nothing")                                           \
    X(CCH, 001,                                                                                    \
      "a call that makes a group, takes a number or ends a track ends as the model says")          \
    X(CCH, 002, "what the pool uses is the sum that the model computes, after every step")         \
    X(CCH, 003, "a group is aborted exactly when the model says, and with its reason")             \
    X(CCH, 004, "the latest group is neither evicted nor expired")                                 \
    X(CCH, 005, "what is absent is absent for fetch, peek, arrivals and neighbours")               \
    X(CCH, 006, "what is live is found by its number, as the group that was made")                 \
    X(CCH, 007, "latest, live and boundary are the model's")                                       \
    X(CCH, 008, "arrivals come in their order, each once, what was fetched or made again never")   \
    X(CCH, 009, "only what is too old expires, at most 4 at a write")                              \
    X(CCH, 010, "what is too old is gone after so many writes as it takes to look at all")         \
    X(CCH, 011, "when the tracks are gone the pool uses nothing")                                  \
    X(CCH, 012, "live memory is what is billed and what stands beside the bill, within its bound") \
    X(CCH, 013, "WB_E_NOMEM is said exactly when the allocator refused, and nothing changed")      \
    X(CCH, 014, "looking never asks the allocator")                                                \
    X(CCH, 015, "a group's log is the model's, and its bill too")                                  \
    X(CCH, 016, "a reader of a group gets its frames, its end, or the reason that ended it")

#endif
