/*
 * inv_base.h: invariants of core/base: varints (VAR), decimals (DEC), bodies (WIR), bytes (BYT).
 */
#ifndef ORACLES_INV_BASE_H
#define ORACLES_INV_BASE_H

#define INV_BASE_LIST(X)                                                                           \
    X(VAR, 001, "a varint is read, cut short or refused as the model says")                        \
    X(VAR, 002, "a number that was read is the model's, and absent only where the model says so")  \
    X(VAR, 003, "a read takes exactly the bytes of its varint, however long its form")             \
    X(VAR, 004, "a read that is not WB_OK leaves its input and its outputs as they were")          \
    X(VAR, 005, "every proper prefix of a varint is WB_MORE")                                      \
    X(VAR, 006, "the size of a number's shortest form is the model's, and 0 when it has none")     \
    X(VAR, 007, "a number is written in the model's shortest form, byte for byte")                 \
    X(VAR, 008, "a number that its form cannot hold is WB_E_BOUNDS and nothing is written")        \
    X(VAR, 009, "zigzag gives the model's sign and magnitude, and its reverse gives them back")    \
    X(DEC, 001, "a text is a number, too large or refused as the model says")                      \
    X(DEC, 002, "a decimal that was read is the model's")                                          \
    X(DEC, 003, "a text that is not WB_OK leaves the output as it was")                            \
    X(DEC, 004, "a number is written with the model's digits, and as many")                        \
    X(WIR, 001, "a field of a complete body is read or refused as the model says, never WB_MORE")  \
    X(WIR, 002, "a field that was read is the model's, and lies where the model says")             \
    X(WIR, 003, "the first error of a body stays, and every later read gives zero or nothing")     \
    X(WIR, 004, "a body with bytes after its last field is WB_E_LONG, one without is WB_OK")       \
    X(BYT, 001, "the holders of a segment are the slices that hold it, after every step")          \
    X(BYT, 002, "a slice shows the bytes that its model holds, whatever happened to others")       \
    X(BYT, 003, "live bytes are those of live segments and the buffer, after every step")          \
    X(BYT, 004, "an empty slice holds nothing")                                                    \
    X(BYT, 005, "share, sub, move and drop never ask the allocator")                               \
    X(BYT, 006, "WB_E_NOMEM is said exactly when the allocator refused, and nothing changed")      \
    X(BYT, 007, "a buffer holds what was added to it, in order")                                   \
    X(BYT, 008, "an addition fits the buffer's max or is WB_E_BOUNDS, and is whole or nothing")    \
    X(BYT, 009, "a buffer that grows at least doubles, up to its max")                             \
    X(BYT, 010, "room that was reserved is filled without the allocator")                          \
    X(BYT, 011, "views are equal exactly when their bytes are")

#endif
