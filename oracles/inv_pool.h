/*
 * inv_pool.h: what must hold of a pool's bill, its mean, and a track's evictions.
 */
#ifndef ORACLES_INV_POOL_H
#define ORACLES_INV_POOL_H

#define INV_POOL_LIST(X) X(POL, 001, "what the pool uses is the sum over live groups")

#endif
