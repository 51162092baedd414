/*
 * subject.h: what targets, oracles and cases drive. The core is one subject; another library is
 * one more file, chosen with `make SUBJECT=path/to/subject.c`. Events are plain values, so that
 * two subjects can be compared.
 *
 * A subject of replies speaks the vocabulary of core/reply/reply.h: wants, what happened, events.
 */
#ifndef SUBJECT_H
#define SUBJECT_H

#include "core/reply/reply.h"

/* What happened to the current want, by its kind. */
struct subject_told {
    enum wb_reply_want_kind kind;
    enum wb_reply_io io; /* READ, WRITE, PROBE */
    size_t n;            /* bytes read or written */
    unsigned mask;       /* WAIT, POLL: what is ready; READ with AGAIN: what to wait for */
    uint8_t *space;      /* SPACE */
};

struct subject_reply {
    const char *name;
    enum wb_err (*open)(const struct wb_reply_profile *profile, struct wb_mem *mem, uint64_t now_ns,
                        void **out);
    void (*close)(void *session);
    enum wb_err (*request)(void *session, uint64_t now_ns, struct wb_view bytes,
                           const struct wb_reply_shape *shape, bool expect_reply,
                           uint64_t deadline_ns);
    enum wb_reply_state (*abandon)(void *session, uint64_t now_ns);
    struct wb_reply_want (*want)(const void *session, uint64_t now_ns);
    void (*told)(void *session, uint64_t now_ns, const struct subject_told *told);
    enum wb_err (*next)(void *session, uint64_t now_ns, struct wb_reply_event *out);
    /*
     * The inside as plain values; NULL: checks that need them are skipped, and
     * `bed list` says so.
     */
    void (*stats)(const void *session, struct wb_reply_stats *out);
    /* Its own whole invariant, asserted; may be NULL. */
    void (*check)(const void *session);
};

/* The linked subject. */
const struct subject_reply *subject_reply(void);

#endif
