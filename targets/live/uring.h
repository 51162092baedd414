/*
 * uring.h: a driver over io_uring: one submission for each want, a wait with its timeout linked to
 * it. A short request goes out with the receive of its answer linked behind it, so that a small
 * reply costs one call.
 */
#ifndef LIVE_URING_H
#define LIVE_URING_H

#include "targets/live/conn.h"

extern const struct live_driver live_uring_driver;

#endif
