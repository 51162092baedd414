/*
 * inv_ingest.h: what must hold of chunks that become frames of a group.
 */
#ifndef ORACLES_INV_INGEST_H
#define ORACLES_INV_INGEST_H

#define INV_INGEST_LIST(X)                                                                         \
    X(ING, 001, "any cutting of a stream tells the same story")                                    \
    X(ING, 002, "the bytes of a payload are those of the stream, in its order, and no others")     \
    X(ING, 003, "a GROUP header is told once, before all frames, as the model reads it")           \
    X(ING, 004, "a frame has the number, timestamp and size that the model reads")                 \
    X(ING, 005, "a stream ends, or fails, as the model says, once")                                \
    X(ING, 006, "a broken rule shows with the byte that shows it, not before and not after")       \
    X(ING, 007,                                                                                    \
      "what was consumed of an open frame is there for a reader when the push returns, no more")   \
    X(ING, 008,                                                                                    \
      "what is consumed is given back as credit: all of a good chunk, nothing of a broken field")  \
    X(ING, 009,                                                                                    \
      "a complete frame is there when its push returns, also before an error that comes later")    \
    X(ING, 010, "no chunk is held but by frames that are part of it; copies lie outside")          \
    X(ING, 011, "a payload of more than 2048 bytes in one chunk is those bytes, in their place")   \
    X(ING, 012, "a smaller one in one chunk is copied whole, one of several chunks is assembled")  \
    X(ING, 013, "a payload byte is copied once, or not at all in a shared frame")                  \
    X(ING, 014, "memory grows with what arrives, never by what is declared")                       \
    X(ING, 015, "an error or end is final: it stays, and nothing more is consumed")                \
    X(ING, 016,                                                                                    \
      "WB_E_NOMEM is said exactly when the allocator refused, and the push goes on from there")    \
    X(ING, 017, "told bytes stay as they are while the session lives, whatever arrives after")     \
    X(ING, 018, "a datagram is read or refused as the model says, without memory, in its place")   \
    X(ING, 019, "a writer puts what the model puts, byte for byte, or nothing")                    \
    X(ING, 020, "a message is told once, whole, as the model reads it")                            \
    X(ING, 021,                                                                                    \
      "a reset, a cancel and a writer that leaves reach readers with their reason, after the "     \
      "data")                                                                                      \
    X(ING, 022, "a FIN behind a push that was refused memory is no clean end")

#endif
