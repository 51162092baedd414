/*
 * inv_window.h: what must hold of windows, of a track's demand, and of a subscription.
 */
#ifndef ORACLES_INV_WINDOW_H
#define ORACLES_INV_WINDOW_H

#define INV_WINDOW_LIST(X)                                                                         \
    X(WIN, 001, "a window's runs ascend, are disjoint and do not touch")                           \
    X(DMD, 001, "the demand's window is the union of all live subscribers' spans")                 \
    X(SUB, 001, "a group is delivered at most once")

#endif
