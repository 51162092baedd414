/*
 * err.h: the one status of the core. Each member is one rule; corpus files name them, so the list
 * only grows.
 */
#ifndef WB_ERR_H
#define WB_ERR_H

#include "core/base/base.h"

/* Each member stands in corpus/ as the outcome of at least one case; ci/tidy.sh checks it. */
#define WB_ERR_LIST(X)                                                                             \
    X(WB_OK, "done")                                                                               \
    X(WB_MORE, "the input ends too early; nothing was consumed, call again with more")             \
    X(WB_TIMEOUT, "no answer in time; an event, the object stays usable")                          \
    X(WB_E_NOMEM, "the allocator refused; nothing happened, the call may be repeated")             \
    X(WB_E_BUSY, "another request is in flight; nothing happened")                                 \
    X(WB_E_CLOSED, "the connection ended before; nothing happened")                                \
    X(WB_E_BOUNDS, "a number is larger than its field or form can hold")                           \
    X(WB_E_VALUE, "a byte or form that this version does not allow")                               \
    X(WB_E_SHORT, "a complete body is too small for its fields")                                   \
    X(WB_E_LONG, "a complete body has bytes left after its last field")                            \
    X(WB_E_STRING, "text is not UTF-8")                                                            \
    X(WB_E_NUMBER, "not a plain decimal: digits only, no sign, no leading zero, no tail")          \
    X(WB_E_BAD_CODE, "the first word of a line is no reply code")                                  \
    X(WB_E_BAD_LINE, "a reply line that breaks the grammar of its code")                           \
    X(WB_E_BAD_LEN,                                                                                \
      "a value length that is no plain number, too large, or contradicts its s flag")              \
    X(WB_E_BAD_BLOCK_END, "a value block is not followed by CR LF")                                \
    X(WB_E_LINE_TOO_LONG, "a reply line of more than 2048 bytes")                                  \
    X(WB_E_UNEXPECTED_CODE, "a code that this request cannot be answered with")                    \
    X(WB_E_TOO_MANY, "more replies than requests")                                                 \
    X(WB_E_KEY_MISMATCH, "a reply for a key that was not asked for at this place")                 \
    X(WB_E_OPAQUE_MISMATCH, "a reply whose opaque is not the one sent")                            \
    X(WB_E_TRAILING, "bytes are left over where the reply ends")                                   \
    X(WB_E_UNSOLICITED, "bytes arrived before anything was asked")                                 \
    X(WB_E_EOF, "the peer closed inside a reply or before it")                                     \
    X(WB_E_RESET, "the transport failed")                                                          \
    X(WB_E_UNSENT, "the request was not written whole, so the stream cannot be trusted")           \
    X(WB_E_DRAIN_LIMIT, "the late rest of an old reply is over its byte budget")                   \
    X(WB_E_OWED_TOO_OFTEN, "too many replies in a row came late")                                  \
    X(WB_E_ERROR, "the server said ERROR; framing is not certain after it")                        \
    X(WB_E_CLIENT_ERROR, "the server said CLIENT_ERROR; framing is not certain after it")          \
    X(WB_END, "the end was reached and all before it delivered; nothing more comes")               \
    X(WB_E_WRONG_SIZE, "more or fewer bytes than the frame declared")                              \
    X(WB_E_FRAME_TOO_LARGE, "a frame of more than 32 MiB is declared")                             \
    X(WB_E_GAP, "a delivery begins past the bytes that are there")                                 \
    X(WB_E_OVERLAP, "a delivery contradicts the bytes that are there")                             \
    X(WB_E_TRUNCATED, "the stream ends inside a message or a frame")                               \
    X(WB_E_MESSAGE_TOO_LARGE, "a message of more than 64 MiB is declared")                         \
    X(WB_E_FINISHED, "it was finished before; nothing was added")                                  \
    X(WB_E_LAGGED, "the frame asked for was evicted from the front of its group")                  \
    X(WB_E_DROPPED, "the writer went away before it finished")                                     \
    X(WB_E_CANCEL, "cancelled by its user or by the peer")                                         \
    X(WB_E_OLD, "older than its maximum age")                                                      \
    X(WB_E_EVICTED, "evicted to make room in the cache")                                           \
    X(WB_E_REMOTE, "the peer reset the stream with a code of its own")                             \
    X(WB_E_DUPLICATE, "this number is live already")                                               \
    X(WB_E_UNEXPECTED, "a message or stream type that has no place here")                          \
    X(WB_E_VERSION, "this version of the protocol cannot say that")                                \
    X(WB_E_RANGE, "a range that ends before it begins")                                            \
    X(WB_E_UNKNOWN_ID, "an announce id that was never given, or is retired")                       \
    X(WB_E_UNKNOWN_ROUTE, "a route id that was never given, or has ended")                         \
    X(WB_E_BASE, "a path base that is unknown or retired, or a keep longer than its path")         \
    X(WB_E_FLOOR, "a floor that is lower than an earlier one of its route")                        \
    X(WB_E_EPOCH, "an epoch that is neither empty nor a UUIDv7")                                   \
    X(WB_E_HOPS, "a chain of hops that is too long or names a node twice")                         \
    X(WB_E_NODE, "a node id of 0, or a second live route to one node")                             \
    X(WB_E_LIMIT, "more live claims, routes or bytes of paths than the receiver allows")

enum wb_err {
#define WB_ERR_MEMBER(name, text) name,
    WB_ERR_LIST(WB_ERR_MEMBER)
#undef WB_ERR_MEMBER
        WB_ERR_COUNT
};

/* The member's own name, such as "WB_E_BAD_LEN"; "WB_E_?" for an int that is none. */
const char *wb_err_name(int err);
/* The rule in a sentence. */
const char *wb_err_text(int err);
/* The member of that name, or -1. */
int wb_err_find(const char *name);

/* The one macro with a hidden return. */
#define WB_TRY(call)                                                                               \
    do {                                                                                           \
        enum wb_err wb_try_err = (call);                                                           \
        if (wb_try_err != WB_OK)                                                                   \
            return wb_try_err;                                                                     \
    } while (0)

#endif
