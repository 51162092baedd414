/*
 * shapes.h: the sixteen requests that a wire input can be the answer to.
 */
#ifndef REPLY_SHAPES_H
#define REPLY_SHAPES_H

#include "core/reply/reply.h"

#define SHAPES_COUNT 16u

struct shapes_request {
    const char *name;  /* for people */
    const char *bytes; /* what is sent */
    struct wb_reply_shape shape;
};

/* i < SHAPES_COUNT. */
const struct shapes_request *shapes_at(unsigned i);

#endif
