/*
 * poll.h: the plain driver: poll, then recv. The kernel looks again when a poll runs out, so its
 * word is final.
 */
#ifndef LIVE_POLL_H
#define LIVE_POLL_H

#include "targets/live/conn.h"

extern const struct live_driver live_poll_driver;

/* live_open_by with this driver. */
WB_MUST_USE enum wb_err live_open(struct live_conn *c, const struct live_address *at,
                                  struct wb_reply_profile profile, struct wb_mem *mem,
                                  FILE *capture);

#endif
