/*
 * inv_list.h: the areas of invariants, one list each. An id is given once and never again; a
 * retired one stays listed.
 */
#ifndef ORACLES_INV_LIST_H
#define ORACLES_INV_LIST_H

#include "oracles/inv_announce.h"
#include "oracles/inv_base.h"
#include "oracles/inv_bed.h"
#include "oracles/inv_demand.h"
#include "oracles/inv_frame.h"
#include "oracles/inv_group.h"
#include "oracles/inv_ingest.h"
#include "oracles/inv_pool.h"
#include "oracles/inv_reply.h"
#include "oracles/inv_subscription.h"
#include "oracles/inv_watch.h"
#include "oracles/inv_window.h"

#define INV_LIST(X)                                                                                \
    INV_BED_LIST(X)                                                                                \
    INV_BASE_LIST(X)                                                                               \
    INV_REPLY_LIST(X)                                                                              \
    INV_FRAME_LIST(X)                                                                              \
    INV_INGEST_LIST(X)                                                                             \
    INV_GROUP_LIST(X)                                                                              \
    INV_POOL_LIST(X)                                                                               \
    INV_WINDOW_LIST(X)                                                                             \
    INV_DEMAND_LIST(X)                                                                             \
    INV_SUBSCRIPTION_LIST(X)                                                                       \
    INV_ANNOUNCE_LIST(X)                                                                           \
    INV_WATCH_LIST(X)

#endif
