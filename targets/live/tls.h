/*
 * tls.h: a driver over OpenSSL. Decrypted bytes may wait inside the library while the socket has
 * none, so the reader must never wait before it has read in vain; whether it does is counted.
 */
#ifndef LIVE_TLS_H
#define LIVE_TLS_H

#include "targets/live/conn.h"

extern const struct live_driver live_tls_driver;

struct live_tls_counts {
    uint64_t reads_leaving; /* after which decrypted bytes were left inside */
    uint64_t waits_with;    /* for something to read, while there were such bytes */
    size_t record_max;      /* decrypted bytes that were ever at hand at once */
    uint64_t searched;      /* bytes of requests that were searched for their last line */
};

/* Of an open connection of this driver. */
struct live_tls_counts live_tls_counts(const struct live_conn *c);

#endif
