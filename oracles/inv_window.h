/*
 * inv_window.h: what must hold of windows and of ranges on the wire.
 */
#ifndef ORACLES_INV_WINDOW_H
#define ORACLES_INV_WINDOW_H

#define INV_WINDOW_LIST(X)                                                                         \
    X(WIN, 001, "a window's runs ascend, are disjoint and do not touch")                           \
    X(WIN, 002, "a window's runs are those of a naive sorted list")                                \
    X(WIN, 003, "a window over the small universe has the runs of the bitmap")                     \
    X(WIN, 004, "equal sets are equal and have equal run lists, others are not and have not")      \
    X(WIN, 005, "a position is inside, and a group is met, exactly when the model says")           \
    X(WIN, 006, "the next position inside and the next outside are the model's")                   \
    X(WIN, 007, "the hull goes from the first position to the last")                               \
    X(WIN, 008, "an inverted range, and nothing else, is WB_E_RANGE")                              \
    X(WIN, 009, "WB_E_NOMEM is said exactly when the allocator refused")                           \
    X(WIN, 010, "looking, and a result of one run, ask the allocator for nothing")                 \
    X(WIN, 011, "live memory is the capacity of the lists, and none is left")                      \
    X(WIN, 012, "comparisons are in O(log runs + changed runs)")                                   \
    X(WIN, 013, "at most 32 bytes a run are moved")                                                \
    X(WIN, 014, "union and intersection are commutative")                                          \
    X(WIN, 015, "union and intersection are associative")                                          \
    X(WIN, 016, "union and intersection are idempotent")                                           \
    X(WIN, 017, "De Morgan: what is outside of a union is outside of both")                        \
    X(WIN, 018, "a range is written in the model's fields, or refused for the model's reason")     \
    X(WIN, 019, "a range is read as the model reads it")                                           \
    X(WIN, 020, "what comes back from the wire is what was sent, or wider")                        \
    X(WIN, 021, "an empty or inverted range is never written")                                     \
    X(WIN, 022, "a message is read as the model reads it")                                         \
    X(WIN, 023, "a message that was written reads as it was, or was refused as the model says")    \
    X(WIN, 024, "a refused read or write leaves its outputs alone")                                \
    X(WIN, 025, "trim gives back what is not needed, clear keeps it")                              \
    X(WIN, 026, "the place after, after the group and before are the model's, or there is none")   \
    X(WIN, 027, "an absent bound is neutral or absorbs, as the function's name says")

#endif
