/*
 * inv_subscription.h: what must hold of a subscription.
 */
#ifndef ORACLES_INV_SUBSCRIPTION_H
#define ORACLES_INV_SUBSCRIPTION_H

#define INV_SUBSCRIPTION_LIST(X)                                                                   \
    X(SUB, 001, "a group is delivered or dropped at most once")                                    \
    X(SUB, 002, "what is delivered lies inside the window and below its end")                      \
    X(SUB, 003, "what is given is the model's, in its order: gone, parked ones, arrivals")         \
    X(SUB, 004, "a group is dropped for the reason of its abort, or as old when it is")            \
    X(SUB, 005, "a reader has the frames of the window, and no others")                            \
    X(SUB, 006, "awake is said exactly when next would say something")                             \
    X(SUB, 007, "the end is said neither early nor late")                                          \
    X(SUB, 008, "whoever has nothing to say has each arrival delivered, dropped, parked or out")   \
    X(SUB, 009, "as many are parked as the model has")                                             \
    X(SUB, 010, "the window is what the requests resolve to")                                      \
    X(SUB, 011, "the demand is the union of the windows and the fold of the wishes")               \
    X(SUB, 012, "a read says what the group says, or old where it would wait too long")            \
    X(SUB, 013, "the deadline of a read is the model's")                                           \
    X(SUB, 014, "the ascending cursor gives the model's group, or its end")                        \
    X(SUB, 015, "WB_E_NOMEM is said exactly when the allocator refused, and asking again helps")   \
    X(SUB, 016, "requests are refused as the model says, and the old ones stand")                  \
    X(SUB, 017, "who goes has left the demand")                                                    \
    X(SUB, 018, "a cap alone neither delivers nor asks for anything else")                         \
    X(SUB, 019, "reading asks the allocator for nothing")                                          \
    X(SUB, 020, "a look that finds and learns nothing asks the allocator for nothing")             \
    X(SUB, 021, "nobody waits for a group that is finished, with or without frames")               \
    X(SUB, 022, "the end is not read where the next frame is there, inside, and below the cap")    \
    X(SUB, 023, "what was given is remembered in no more runs than its numbers make, or its limit")

#endif
