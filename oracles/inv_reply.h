/*
 * inv_reply.h: invariants of the memcached reply reader. T = bytes taken from the transport, R =
 * returned, X = discarded, P = pending in the buffer; b(i) = stream offset just after reply i.
 */
#ifndef ORACLES_INV_REPLY_H
#define ORACLES_INV_REPLY_H

#define INV_REPLY_LIST(X)                                                                          \
    X(RPL, 001, "T = R + X + P after every call")                                                  \
    X(RPL, 002, "0 <= off <= len <= capacity")                                                     \
    X(RPL, 003, "T never exceeds what the server sent, and never falls")                           \
    X(RPL, 004, "bytes delivered and discarded, in order, are the server's stream up to R + X")    \
    X(RPL, 005, "in IDLE P = 0, R + X = b(last finished), and no unit is open")                    \
    X(RPL, 006, "a request that ends WB_OK ends with R + X at its own boundary")                   \
    X(RPL, 007, "every delivered unit is of its own request's reply: the model's, at its place")   \
    X(RPL, 008, "units and outcome are a function of the byte stream, not of cuts and waits")      \
    X(RPL, 009, "a delivered value has the announced length and CR LF follows it in the stream")   \
    X(RPL, 010, "a value of length 0 is delivered, present and empty")                             \
    X(RPL, 011, "no part of a value is delivered when its block did not end")                      \
    X(RPL, 012,                                                                                    \
      "a batch or get delivers at most n units and ends only at MN or END read as a line")         \
    X(RPL, 013, "delivered keys are a subsequence of the keys asked for")                          \
    X(RPL, 014, "with an opaque sent, no unit with another or none is delivered")                  \
    X(RPL, 015, "a delivered code is one that the request can be answered with")                   \
    X(RPL, 016, "a line of at most 2048 bytes passes, a longer one ends the connection")           \
    X(RPL, 017, "a line that ends in LF without CR is never accepted")                             \
    X(RPL, 018, "a length is accepted iff 1 to 10 plain digits, no more than vmax")                \
    X(RPL, 019,                                                                                    \
      "the read size changes at most once, on the first full small read, and only grows")          \
    X(RPL, 020, "each read asks for the read size, or for the value's rest plus it")               \
    X(RPL, 021, "a refill moves exactly P bytes, at most 2047, and none inside a block")           \
    X(RPL, 022, "value bytes are copied at most once, views not at all")                           \
    X(RPL, 023, "a view lies in the buffer and stays unchanged until the next call")               \
    X(RPL, 024, "after expect_reply on a plain socket a reply's first step is a wait")             \
    X(RPL, 025, "on TLS a reply's first step is a read, and decrypted bytes are never waited for") \
    X(RPL, 026, "later reads read first: waits <= 1 + EAGAINs + injected wake-ups")                \
    X(RPL, 027, "bytes that were readable when a wait ended never become a timeout")               \
    X(RPL, 028, "past its deadline with nothing readable the reader times out within one poll")    \
    X(RPL, 029, "a spurious wake-up neither shortens a deadline nor counts as progress")           \
    X(RPL, 030, "the mark of expect_reply is used by the first fill only, and only with P = 0")    \
    X(RPL, 031, "a timeout leaves OWED, from where draining ends at the old reply's boundary")     \
    X(RPL, 032, "while OWED no byte of a new request is written")                                  \
    X(RPL, 033, "a request not written whole ends DEAD on a timeout or error, never OWED")         \
    X(RPL, 034, "one recovery discards at most its budget, and owing in a row is limited")         \
    X(RPL, 035, "a drain applies the same grammar, code and count checks")                         \
    X(RPL, 036, "after a drain P = 0, or the connection is DEAD")                                  \
    X(RPL, 037, "DEAD is absorbing: no read, no write, one close")                                 \
    X(RPL, 038, "ERROR and CLIENT_ERROR are delivered once, then DEAD; SERVER_ERROR is one unit")  \
    X(RPL, 039, "an end of stream exactly at a boundary is no error of the finished request")      \
    X(RPL, 040, "the steady path allocates nothing but the one growth")                            \
    X(RPL, 041, "a reply that is there at once costs at most its share of reads")                  \
    X(RPL, 042, "a slow consumer gets the same units as a fast one")                               \
    X(RPL, 043, "a second request in flight is refused without touching the stream")               \
    X(RPL, 045, "line ends are searched once: bytes scanned <= T + refills")                       \
    X(RPL, 046, "abandoning leaves OWED or DEAD, and the caller is told which")                    \
    X(RPL, 047, "a batch larger than both socket buffers completes: SENDING reads too")            \
    X(RPL, 048, "what whole delivered units took is returned, the rest of an owed unit discarded") \
    X(RPL, 049, "a request whose answer can never end or be told is refused, and nothing happens") \
    X(RPL, 050, "a unit of the usual form that is there at the first look is not searched for")    \
    X(RPL, 051, "no bytes to send and sizes that no line fits are refused, and nothing happens")   \
    X(RPL, 052, "the profile that is the default is the documented one")                           \
    X(RPL, 053, "a connection is probed when it was idle for too long or drained, and only then")  \
    X(RPL, 054, "an event that is not there is WB_MORE")                                           \
    X(RPL, 055, "space is asked for a value of the request in flight, as much as it has bytes")    \
    X(RPL, 056, "a part of a TLS record is progress: no timeout, and the wait after it is new")

#endif
