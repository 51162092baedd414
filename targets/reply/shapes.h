/*
 * shapes.h: the requests that a wire input can be the answer to: three families of sixteen. Which
 * codes answer a classic request: memcached doc/protocol.txt, "Storage commands" and on.
 */
#ifndef REPLY_SHAPES_H
#define REPLY_SHAPES_H

#include "core/reply/reply.h"

#define SHAPES_COUNT   48u
#define SHAPES_META    0u /* where each family begins */
#define SHAPES_CLASSIC 16u
#define SHAPES_LIMITS  32u

struct shapes_request {
    const char *name;  /* for people */
    const char *bytes; /* what is sent */
    struct wb_reply_shape shape;
};

/* i < SHAPES_COUNT. */
const struct shapes_request *shapes_at(unsigned i);
/* The largest value that a connection with that request takes. */
uint64_t shapes_value_max(unsigned i);

#endif
