/*
 * inv_subscription.h: what must hold of a subscription.
 */
#ifndef ORACLES_INV_SUBSCRIPTION_H
#define ORACLES_INV_SUBSCRIPTION_H

#define INV_SUBSCRIPTION_LIST(X) X(SUB, 001, "a group is delivered at most once")

#endif
