/*
 * world_marks.h: the marks of reply scenarios; append-only.
 */
#ifndef REPLY_WORLD_MARKS_H
#define REPLY_WORLD_MARKS_H

/* "Sometimes": each state and fault, reached by the corpus. */
#define WORLD_MARK_LIST(X)                                                                         \
    X(EXPECT_MARKED, "expect-marked")                                                              \
    X(EXPECT_UNMARKED, "expect-unmarked")                                                          \
    X(STATE_IDLE, "state-idle")                                                                    \
    X(STATE_SENDING, "state-sending")                                                              \
    X(STATE_BUSY, "state-busy")                                                                    \
    X(STATE_OWED, "state-owed")                                                                    \
    X(STATE_DEAD, "state-dead")                                                                    \
    X(TIMEOUT_EMPTY, "timeout-before-any-byte")                                                    \
    X(TIMEOUT_LINE, "timeout-in-line")                                                             \
    X(TIMEOUT_BLOCK, "timeout-in-block")                                                           \
    X(TIMEOUT_AGAIN, "timeout-while-owed")                                                         \
    X(TIMEOUT_BATCH, "timeout-in-batch")                                                           \
    X(DRAINED, "drained")                                                                          \
    X(DRAIN_LIMIT, "drain-limit")                                                                  \
    X(OWED_TOO_OFTEN, "owed-too-often")                                                            \
    X(UNSENT, "unsent")                                                                            \
    X(PROBE_CLEAN, "probe-clean")                                                                  \
    X(PROBE_EOF, "probe-eof")                                                                      \
    X(PROBE_BYTES, "probe-bytes")                                                                  \
    X(STARVED, "starved-wait")                                                                     \
    X(SPURIOUS, "spurious-wake")                                                                   \
    X(AGAIN, "again-with-data")                                                                    \
    X(INTR, "interrupted-read")                                                                    \
    X(SHORT_READ, "short-read")                                                                    \
    X(PARTIAL_WRITE, "partial-write")                                                              \
    X(WRITE_AGAIN, "write-again")                                                                  \
    X(STALL, "stalled-stream")                                                                     \
    X(TLS_HIDDEN, "tls-hidden-bytes")                                                              \
    X(HELD, "held-reply")                                                                          \
    X(SPLIT, "split-reply")                                                                        \
    X(MERGED, "merged-replies")                                                                    \
    X(END_OF_STREAM, "end-of-stream")                                                              \
    X(RESET, "reset")                                                                              \
    X(ABANDON_IDLE, "abandon-unsent")                                                              \
    X(ABANDON_OWED, "abandon-owed")                                                                \
    X(ABANDON_DEAD, "abandon-dead")                                                                \
    X(REFUSED_BUSY, "refused-busy")                                                                \
    X(REFUSED_CLOSED, "refused-closed")                                                            \
    X(VIEW, "value-in-place")                                                                      \
    X(COPIED, "value-copied")                                                                      \
    X(DIRECT, "value-received-directly")                                                           \
    X(EMPTY_VALUE, "empty-value")                                                                  \
    X(MOVED, "leftover-moved")                                                                     \
    X(GROWN, "reads-grown")                                                                        \
    X(SENDING_READ, "read-while-sending")                                                          \
    X(TRAILING, "trailing-bytes")                                                                  \
    X(ERROR_UNIT, "error-unit")                                                                    \
    X(KEPT_ERROR, "kept-error")                                                                    \
    X(SLOW, "slow-consumer")                                                                       \
    X(SCHEDULED, "schedule-override")                                                              \
    X(NO_MEMORY, "allocation-refused")                                                             \
    X(RECONNECTED, "reconnected")                                                                  \
    X(DEADLINE, "request-deadline")                                                                \
    X(NO_RECOVERY, "no-recovery")                                                                  \
    X(TIMEOUT_GET, "timeout-in-classic-get")                                                       \
    X(DRAINED_GET, "drained-to-end")                                                               \
    X(ERROR_ENDS, "error-ends-get")                                                                \
    X(RECORD_PART, "record-in-parts")

enum world_mark {
#define WORLD_MARK_MEMBER(name, text) WORLD_MARK_##name,
    WORLD_MARK_LIST(WORLD_MARK_MEMBER)
#undef WORLD_MARK_MEMBER
        WORLD_MARK_COUNT
};

#endif
