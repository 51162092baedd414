/*
 * inv_announce.h: what must hold of announce streams, at both ends, and of the router between.
 */
#ifndef ORACLES_INV_ANNOUNCE_H
#define ORACLES_INV_ANNOUNCE_H

#define INV_ANNOUNCE_LIST(X) X(ANN, 001, "any cutting of an answer tells the same story")

#endif
