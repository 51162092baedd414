/*
 * inv_demand.h: what must hold of a track's demand.
 */
#ifndef ORACLES_INV_DEMAND_H
#define ORACLES_INV_DEMAND_H

#define INV_DEMAND_LIST(X)                                                                         \
    X(DMD, 001, "the demand's window is the union of all live subscribers' spans")                 \
    X(DMD, 002, "the fold is the model's, folded anew from all live subscribers")                  \
    X(DMD, 003, "changed is said exactly when window or fold differ from what was last seen")      \
    X(DMD, 004, "WB_E_NOMEM is said exactly when the allocator refused, and the old ones stand")   \
    X(DMD, 005, "all who are joined are counted, and nobody else")                                 \
    X(DMD, 006, "the next stretch and the hull are the model's")                                   \
    X(DMD, 007, "leaving and looking ask the allocator for nothing")                               \
    X(DMD, 008, "who asks what somebody else asks joins without the allocator")                    \
    X(DMD, 009,                                                                                    \
      "once nobody asks, memory is back but for a few spare nodes, and with the demand all")       \
    X(DMD, 010, "one who comes and goes joins without the allocator from the second time on")      \
    X(DMD, 011, "what it says that it holds is what the allocator lent it")                        \
    X(DMD, 012, "the age that is asked for is the lower of the fold's and the publisher's")        \
    X(DMD, 013,                                                                                    \
      "a change compares a logarithm of all runs, for each and for each gap it may change")        \
    X(DMD, 014, "a join asks for memory of its own: for each range a node and two edges at most")

#endif
