/*
 * session.h: the watcher's programs in the kernel, from loading them to taking them out again.
 * Needs libbpf; where the build had none, or what its programs are made with, no session opens.
 */
#ifndef WATCH_SESSION_H
#define WATCH_SESSION_H

#include "oracles/watch/event.h"

#include <stdbool.h>
#include <stddef.h>

#define SESSION_ERROR_MAX  512
#define SESSION_BUFFER_KIB 16384

struct watch_session; /* heap */

struct watch_session_config {
    int pid;             /* as this process knows it */
    bool waits_for_exec; /* nothing counts before its next exec */
    bool is_alone;       /* processes that it forks are not followed */
    unsigned buffer_kib; /* of records on their way; 0 = SESSION_BUFFER_KIB; else a power of two */
    /* programs and libraries whose probes are listened to, in whatever process runs them */
    const char *const *files;
    size_t file_count;
    void (*take)(void *context, const struct watch_event *e);
    void *context;
};

/*
 * Loads and attaches. NULL with `error`: what this build, this process or this kernel lacks, by
 * name. Nothing stays behind then.
 */
struct watch_session *session_open(const struct watch_session_config *config,
                                   char error[SESSION_ERROR_MAX]);
/* Takes all out. */
void session_close(struct watch_session *s);

/* How many kinds of probes were found in the files. */
unsigned session_probes(const struct watch_session *s);
/* Waits a moment and hands over the records there are. */
void session_turn(struct watch_session *s);
/* False when no watched process is left; records may be. */
bool session_is_alive(const struct watch_session *s);

/* As of now; counted in the kernel, and never lost. */
struct watch_counts {
    const uint64_t *calls, *inside; /* of WATCH_CALLS_MAX: all, and those between marks */
    uint64_t operations;            /* that are over */
    uint64_t changes;               /* of what is seen of a claim, in operations or by themselves */
    uint64_t lost;                  /* records */
};
struct watch_counts session_counts(const struct watch_session *s);

#endif
