/*
 * inv_frame.h: what must hold of a frame's bytes, its readers and its storage.
 */
#ifndef ORACLES_INV_FRAME_H
#define ORACLES_INV_FRAME_H

#define INV_FRAME_LIST(X)                                                                          \
    X(FRM, 001, "what a reader has read is a prefix of the payload")                               \
    X(FRM, 002,                                                                                    \
      "a call on a frame ends as the model says, or in WB_E_NOMEM when the allocator refused")     \
    X(FRM, 003,                                                                                    \
      "a refused call changes nothing: size, bytes, end, heap; a breach asks for no memory")       \
    X(FRM, 004,                                                                                    \
      "a reader gets bytes, WB_MORE, WB_END or an abort's reason, at once and as the model says")  \
    X(FRM, 005, "a read gives all that is published, up to its segment's end")                     \
    X(FRM, 006, "a slice shows what it showed when it was read, whatever came after")              \
    X(FRM, 007, "the holders of a segment are its frame and the slices of it")                     \
    X(FRM, 008,                                                                                    \
      "live memory is what the kinds of live frames and the held slices imply, to the byte")       \
    X(FRM, 009, "reading, joining, cloning, leaving, sharing and ending never ask the allocator")  \
    X(FRM, 010, "a frame is stored as the model says: shared, fixed, growing or a chain")          \
    X(FRM, 011, "all slices of a segment have one owner, and lie where the payload's order says")  \
    X(FRM, 012, "a byte is copied when it arrives, and again only when its segment grows")         \
    X(FRM, 013, "growth at least doubles, so that it copies at most twice what has arrived")       \
    X(FRM, 014, "no byte of a segment is written but with payload")                                \
    X(FRM, 015, "a replaced segment loses the frame's reference as soon as nobody can pin it")     \
    X(FRM, 016,                                                                                    \
      "a finished frame in one segment gives its payload, without a copy; a chain does not")       \
    X(FRM, 017,                                                                                    \
      "an owned slice is taken on WB_OK alone, and kept iff it is all of an empty frame")          \
    X(FRM, 018,                                                                                    \
      "footprint is what the frame's segments take, and the bill what they will when it is whole") \
    X(FRM, 019, "the last holder of a frame gives it back, with its references to segments")       \
    X(FRM, 020,                                                                                    \
      "HB: the write of a byte is ordered before each read of it, in every interleaving")          \
    X(FRM, 021, "no reader is handed a byte that the writer has not written")                      \
    X(FRM, 022, "what was done to a byte is ordered before the next write of it")                  \
    X(FRM, 023, "HB: the initialisation of an atomic is ordered before each use of it")            \
    X(FRM, 024, "HB: every use of memory is ordered before it is given back")                      \
    X(FRM, 025, "no segment is given back between a reader's load of it and its reference to it")  \
    X(FRM, 026, "no atomic and no byte is used after its memory was given back")                   \
    X(FRM, 027, "a slice is the payload at its place, as long as it is held, whoever runs")        \
    X(FRM, 028, "WB_MORE comes when all published bytes were read, an end when the frame ended")   \
    X(FRM, 029, "a writer's call ends as it does without readers")                                 \
    X(FRM, 030, "a replaced segment is given back at the first look that finds no pin")            \
    X(FRM, 031, "all memory is back when the last thread has ended, in whatever order they did")   \
    X(FRM, 032, "every thread ends: readers see the end of the frame")                             \
    X(FRM, 033, "references are holders at every point, but for those of calls in progress")

#endif
