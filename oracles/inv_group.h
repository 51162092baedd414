/*
 * inv_group.h: what must hold of a group's log and its readers.
 */
#ifndef ORACLES_INV_GROUP_H
#define ORACLES_INV_GROUP_H

#define INV_GROUP_LIST(X)                                                                          \
    X(GRP, 001, "a reader gets the frame of its number, or the end or error that the model says")  \
    X(GRP, 002, "a writer's call ends as the model says")                                          \
    X(GRP, 003, "offset, next and committed are the model's after every call")                     \
    X(GRP, 004, "payload bytes kept are the model's, the open frame as declared")                  \
    X(GRP, 005, "end, reason and first timestamp are the model's, whatever came after them")       \
    X(GRP, 006, "billed is 256, segments with headers, and the log; 0 once aborted")               \
    X(GRP, 007, "what is lent is the group, its log as billed, and payloads that somebody holds")  \
    X(GRP, 008, "a part that was read is the next bytes of its frame")                             \
    X(GRP, 009, "a frame's reader gets what is written, then its end or the reason of the abort")  \
    X(GRP, 010, "slices that a reader keeps stay as they were, whoever ends or goes")              \
    X(GRP, 011, "holders of a payload are the log, its readers and the slices kept")               \
    X(GRP, 012, "joining, reading, cloning and leaving never ask the allocator")                   \
    X(GRP, 013, "WB_E_NOMEM is said exactly when the allocator refused, and nothing changed")      \
    X(GRP, 014, "an abort gives frames that nobody holds back at once")                            \
    X(GRP, 015, "when writer and readers are gone only slices that are kept take memory")          \
    X(GRP, 016, "a reader's place is the model's, wherever it is told to start or end")            \
    X(GRP, 017, "a payload moves in exactly when the call ends well")                              \
    X(GRP, 018, "who watches an aborted group is told at once, and unwatching twice is once")

#endif
