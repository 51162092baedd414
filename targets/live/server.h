/*
 * server.h: Debian's memcached as a child process: on a unix socket in a folder of its own, or on
 * a loopback port that the system picks. As root it runs as `nobody`. It dies with its parent,
 * however that ends.
 */
#ifndef LIVE_SERVER_H
#define LIVE_SERVER_H

#include "targets/live/poll.h"

#include <sys/types.h>

#define LIVE_PATH_SIZE 96 /* what a socket's address can hold */

struct live_server {
    pid_t pid;                        /* 0 = not running */
    char folder[LIVE_PATH_SIZE - 16]; /* "" = none */
    char path[LIVE_PATH_SIZE];        /* the unix socket */
    char port_file[LIVE_PATH_SIZE];   /* where a TCP server writes its port */
    char key[LIVE_PATH_SIZE];         /* of a TLS server */
    char certificate[LIVE_PATH_SIZE];
    struct live_address address; /* its texts are in this object */
};

struct live_server_options {
    bool tcp;
    bool tls;                /* and so on a port */
    const char *connections; /* -c; NULL = its default */
    const char *megabytes;   /* -m */
    const char *item_max;    /* -I */
    const char *extended;    /* -o */
};

/* Whether there is a memcached to start. */
bool live_server_installed(void);
/*
 * Starts it and waits until it answers. False with the reason on stderr, nothing left behind. A
 * zero object, or one whose process was killed: then its socket comes back at the same path.
 */
bool live_server_start(struct live_server *s, const struct live_server_options *options);
/* Stands still once this returns: neither reads nor writes. False when it has ended instead. */
WB_MUST_USE bool live_server_freeze(struct live_server *s);
void live_server_thaw(struct live_server *s);
/* Ends the process, and reaps it; the folder stays. */
void live_server_kill(struct live_server *s);
/* The same, and removes its folder. Harmless on a zero object. */
void live_server_stop(struct live_server *s);

#endif
