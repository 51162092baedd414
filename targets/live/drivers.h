/*
 * drivers.h: the ways to drive one reader.
 */
#ifndef LIVE_DRIVERS_H
#define LIVE_DRIVERS_H

#include "targets/live/loop.h"
#include "targets/live/patient.h"
#include "targets/live/poll.h"
#include "targets/live/tls.h"
#include "targets/live/uring.h"

#endif
